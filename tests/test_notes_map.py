"""The pages keep their word: names in prose exist, links lead somewhere, the map is up to date."""

import builtins
import inspect
import keyword
import pkgutil
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import nbformat
import pytest

import attn_helpers

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("0[0-9]*_*.ipynb"))
CHAPTERS = {path.name.partition("_")[0][1:] for path in NOTEBOOKS}  # "4", "5a", "5b"
PAGES = sorted([*BOOK.glob("*.md"), *(ROOT / "notebooks").glob("*.ipynb")])
MAP = (BOOK / "notes_map.md").read_text(encoding="utf8")
COLUMNS = ["Passage", "Equation", "Function", "Widget", "Chapter"]


def prose_and_code(path: Path) -> tuple[str, str]:
    """The text of a page and its code, apart."""
    if path.suffix == ".ipynb":
        cells = nbformat.read(path, as_version=4).cells
        return tuple(
            "\n\n".join(c.source for c in cells if c.cell_type == kind) for kind in ("markdown", "code")
        )
    text = path.read_text(encoding="utf8")
    blocks = re.findall(r"^```(?:python|\{code-cell\}).*?^```$", text, re.MULTILINE | re.DOTALL)
    for block in blocks:
        text = text.replace(block, "")
    return text, "\n".join(blocks)


def resolves(name: str) -> bool:
    """Whether a dotted name leads to something in torch or in attn_helpers."""
    first, *rest = name.split(".")
    thing: object = attn_helpers
    if first in ("torch", "attn_helpers"):
        thing = import_module(first)
    else:
        rest = [first, *rest]
    for part in rest:
        if not hasattr(thing, part):
            return False
        thing = getattr(thing, part)
    return True


@cache
def words() -> frozenset[str]:
    """The words of the package's public interface: modules, what they define, parameters, attributes."""
    found = {*keyword.kwlist, *dir(builtins)}
    for room in (info.name for info in pkgutil.iter_modules(attn_helpers.__path__)):
        found.add(room)
        for name, thing in vars(import_module(f"attn_helpers.{room}")).items():
            if name[0] == "_" or not getattr(thing, "__module__", "").startswith("attn_helpers"):
                continue
            found.add(name)
            found |= set(inspect.signature(thing).parameters) if callable(thing) else set()
            found |= set(dir(thing)) if inspect.isclass(thing) else set()
    return frozenset(found)


def unknown_names(prose: str, code: str = "") -> set[str]:
    """Names in backticks that neither the package nor the page's own code knows; roles do not count."""
    quoted = re.findall(r"(?<![`}])`([A-Za-z_][\w.]*\w)(?:\(\))?`(?!`)", prose)
    own = set(re.findall(r"\w+", code))
    return {
        name
        for name in quoted
        if name not in words() and not resolves(name) and not {*name.split(".")} <= own
    }


def broken_links(prose: str, page: Path) -> set[str]:
    """Links to files of the book that are not there. Headings are checked by the build, under -n."""
    targets = [target for target in re.findall(r"\]\(([^)\s]+)\)", prose) if not re.match(r"\w+:|#", target)]
    return {target for target in targets if not (page.parent / target.partition("#")[0]).is_file()}


def rows(text: str) -> list[dict[str, str]]:
    """The rows of all tables of the map with our five columns."""
    lines = [line for line in text.splitlines() if line.count("|") == len(COLUMNS) + 1 and line[:2] != "|-"]
    entries = [[entry.strip() for entry in line.split("|")[1:-1]] for line in lines]
    return [dict(zip(COLUMNS, entry, strict=True)) for entry in entries if entry != COLUMNS]


def stale(row: dict[str, str]) -> bool:
    """Whether a row announces what exists by now, or does not link the chapter that tells it."""
    announced = re.findall(r"(?<!\*)\*([\w.]+)\*(?!\*)", f"{row['Function']} {row['Widget']}")
    linked = set(re.findall(r"\[(\d[ab]?)\]\(", row["Chapter"]))
    told = set(re.findall(r"\b\d[ab]?\b", re.sub(r"\(.*?\)", "", row["Chapter"])))
    later = set(re.findall(r"later in (\d[ab]?)", row["Chapter"]))
    exists = any(resolves(name) or resolves(f"widgets.{name}") for name in announced)
    halved = {name[:-1] for name in CHAPTERS if name[1:]}  # "5" alone says neither half
    return exists or not told or bool(told & (CHAPTERS | halved) - linked - later)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_names_in_prose_exist(page):
    """A reader who types a name from the text gets that thing, not an AttributeError (fault case R076)."""
    assert unknown_names(*prose_and_code(page)) == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_links_between_pages_lead_somewhere(page):
    """A reader who follows a link arrives."""
    assert broken_links(prose_and_code(page)[0], page) == set()


def test_the_map_is_up_to_date():
    """What exists is named and linked, and what is announced does not exist yet."""
    assert {line.count("|") for line in MAP.splitlines() if line[:1] == "|"} == {
        4,
        6,
    }  # no row lost to a stray |
    assert len(rows(MAP)) > 50
    assert [row for row in rows(MAP) if stale(row)] == []


def test_the_map_leads_to_every_score_and_widget():
    """A reader of the notes finds each function of chapter 1 and each widget from there."""
    names = [f"scoring.{name}" for name in attn_helpers.scoring.__all__]
    names += attn_helpers.widgets.__all__
    assert [name for name in names if f"`{name}`" not in MAP] == []


def test_the_glossary_is_in_order():
    """A reader who looks a term up finds it where the alphabet puts it, and once."""
    body = (BOOK / "glossary.md").read_text(encoding="utf8").split("```{glossary}\n")[1].split("\n```")[0]
    terms = [entry.split("\n")[0] for entry in body.strip().split("\n\n")]
    assert len(terms) >= 50
    assert terms == sorted(set(terms), key=str.casefold)


@pytest.mark.parametrize(
    ("page", "good", "fault"),
    [
        ("notes_map", "scoring.attend", "scoring.attention"),
        ("notes_map", "masks.causal_mask", "masks.look_ahead_mask"),
        ("notation", "query_weight", "teacher_forcing_ratio"),
        ("notation", "torch.nn.Linear", "torch.nn.Lineal"),
    ],
)
def test_a_wrong_name_is_seen(page, good, fault):
    """The check above can fail: a name that the code no longer has is found in the prose."""
    prose, code = prose_and_code(BOOK / f"{page}.md")
    assert f"`{good}`" in prose
    assert fault in unknown_names(prose.replace(f"`{good}`", f"`{fault}`"), code)


def test_a_dead_link_is_seen():
    """The check above can fail: a page under another name."""
    assert broken_links("[a](notations.md#axes), [b](notation.md#axes)", BOOK / "glossary.md") == {
        "notations.md#axes"
    }


@pytest.mark.parametrize(
    "row",
    [
        "| p | | *scoring* | | 4 |",
        "| p | | | *ScoreExplorer* | 4 |",
        "| p | | `scoring.attend` | | 1 |",
        "| p | | `scoring.attend` | | |",
        "| p | | `transformer.Transformer` | | 5 |",
        "| p | | `transformer.Transformer` | | [5b](../notebooks/05b_transformer.ipynb), 5a |",
    ],
)
def test_a_stale_row_is_seen(row):
    """The check above can fail: what exists is still announced, or its chapter is not linked."""
    assert [stale(entry) for entry in rows(row)] == [True]
