"""The house is in order: chapters, modules and tests belong together, and no file says what it should not."""

import ast
import json
import os
import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parent.parent
BUILT = {"node_modules", "_build", "build", "dist", "__pycache__"}
BINARY = {".npz", ".png", ".woff2", ".ico", ".gz", ".pyc"}
ROOMS = {  # chapter -> its module
    "00": "scoring",
    "01": "scoring",
    "02": "seq2seq",
    "03": "attention_seq2seq",
    "04": "multi_head",
    "05a": "positions",
    "05b": "transformer",
    "06": "vision",
    "07": "capture",
    "bug_museum": "museum",  # a page beside the chapters
}

ORDER = [
    *("expect", "pair", "masks", "batch_mask", "sharpness", "twin", "scoring", "corpus"),
    *("running", "seq2seq", "attention_seq2seq", "multi_head", "positions", "layers", "transformer"),
    *("decoding", "training", "schedule", "metrics", "ladder", "tiny_tasks", "looking"),
    *("steering", "operating", "replay", "trained", "change_rates"),
    *("museum", "belongings", "depth", "leak", "lengths", "cross_heads", "ledger"),
    *("judge", "exercises", "check", "plots", "widgets"),
]


def walk():
    """Every file a clone brings, as far as names can tell."""
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [name for name in inner if name not in BUILT and not is_hidden_tool(name)]
        yield from (Path(folder, name) for name in names if name != ".git")


def is_hidden_tool(name):
    return (name.startswith(".") and name not in {".ci", ".github"}) or name.endswith(".egg-info")


FILES = {path.relative_to(ROOT).as_posix(): path for path in walk()}
TEXTS = {name: path.read_text(encoding="utf8") for name, path in FILES.items() if path.suffix not in BINARY}
PACKAGE = [name for name in FILES if name.startswith("attn_helpers/")]
CHAPTERS = sorted(name for name in FILES if re.fullmatch(r"notebooks/.*\.ipynb", name))


def under(*folders, suffix=""):
    return {name: text for name, text in TEXTS.items() if name.startswith(folders) and name.endswith(suffix)}


# ---- chapters, modules, tests, table of contents ---------------------------------------------------


def toc_pages(node):
    """Page names anywhere in a table of contents."""
    if isinstance(node, dict):
        yield from (node[key] for key in ("root", "file") if key in node)
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from toc_pages(child)


def test_toc_and_files_agree():
    """A page in the contents exists, and no chapter is left out of the book."""
    pages = set(toc_pages(yaml.safe_load(TEXTS["_toc.yml"])))
    missing = [page for page in pages if not {f"{page}.md", f"{page}.ipynb"} & FILES.keys()]
    assert missing == []
    assert {Path(name).with_suffix("").as_posix() for name in CHAPTERS} <= pages


def test_contributors_are_told_the_order():
    """CONTRIBUTING.md names the modules in the order that holds."""
    assert " → ".join(ORDER) in TEXTS["CONTRIBUTING.md"]


def test_every_chapter_teaches_its_module():
    """A reader who has the book knows the package: the chapter imports the module of its own name."""
    assert CHAPTERS
    for name in CHAPTERS:
        stem = Path(name).stem
        room = ROOMS.get(stem) or ROOMS[stem.partition("_")[0]]
        cells = json.loads(TEXTS[name])["cells"]
        source = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        imported = rf"(from attn_helpers\.{room} import|from attn_helpers import [^\n]*\b{room}\b)"
        assert re.search(imported, source), f"{name} never imports attn_helpers.{room}"
        assert {f"attn_helpers/{room}.py", f"attn_helpers/{room}/__init__.py"} & FILES.keys()


def test_every_module_has_its_test_file():
    """A reader finds masks.py tested in test_masks.py; a helper serves a module that has its file."""
    rooms = {name.split("/")[1].removesuffix(".py") for name in PACKAGE if name.endswith(".py")}
    tested = {room for room in rooms if f"tests/test_{room}.py" in FILES}
    assert {"masks", "scoring", "check"} <= tested
    users = "\n".join(text for room in tested for text in under(f"attn_helpers/{room}").values())
    imported = r"from attn_helpers(?: import [^\n]*|\.)\b%s\b"
    lost = {room for room in rooms - tested - {"__init__"} if not re.search(imported % room, users)}
    assert lost == set()


def rooms_used(source):
    """Modules of attn_helpers that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "attn_helpers":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("attn_helpers."):
            yield node.module.split(".")[1]


def upward(room, source):
    """Imports of what does not stand above a module."""
    return [used for used in rooms_used(source) if used != room and ORDER.index(used) >= ORDER.index(room)]


def test_a_module_imports_only_what_stands_above_it():
    """Read in the book's order, no module asks for one that the reader has not met."""
    for name, source in under("attn_helpers/", suffix=".py").items():
        if name != "attn_helpers/__init__.py":
            assert upward(name.split("/")[1].removesuffix(".py"), source) == [], name
    assert upward("masks", "from attn_helpers.plots import bars") == ["plots"]


def test_every_make_target_that_is_named_exists():
    """README, CONTRIBUTING and CI promise commands that the Makefile has."""
    targets = set(re.findall(r"^([a-z-]+):", TEXTS["Makefile"], re.MULTILINE))
    promised = under("README.md", "CONTRIBUTING.md", ".ci", ".github").values()
    command = re.compile(r"^[$`\s-]*(?:run: )?make (?:-k )?([a-z-]+)", re.MULTILINE)
    named = {target for text in promised for target in command.findall(text)}
    assert {"book", "test"} <= named <= targets


# ---- size --------------------------------------------------------------------------------------------


def long_functions(source, limit=25):
    """Functions with more lines than the limit, not counting their docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            doc = node.body[0]
            is_doc = isinstance(doc, ast.Expr) and isinstance(getattr(doc.value, "value", None), str)
            lines = node.end_lineno - node.lineno + 1 - (doc.end_lineno - doc.lineno + 1 if is_doc else 0)
            if lines > limit:
                yield f"{node.name}: {lines} lines"


def test_modules_and_functions_stay_small():
    """One idea per file; a function fits into view."""
    sources = under("attn_helpers/", "book/_ext/", "tools/", suffix=".py")
    assert {name: n for name, text in sources.items() if (n := len(text.splitlines())) > 200} == {}
    assert {name: long for name, text in sources.items() if (long := list(long_functions(text)))} == {}
    scripts = under("attn_helpers/", "book/", suffix=".js")
    ours = {name: text for name, text in scripts.items() if "/katex/" not in name}
    assert {name: n for name, text in ours.items() if (n := len(text.splitlines())) > 250} == {}


def test_long_functions_are_found():
    """Twenty-five lines pass, twenty-six do not; a docstring is free."""
    body = '    """Say\n    why."""\n' + "    x = 1\n" * 24
    assert list(long_functions("def f():\n" + body)) == []
    assert list(long_functions("def f():\n" + body + "    x = 1\n")) == ["f: 26 lines"]


def test_no_file_is_a_burden():
    """Every reader clones every file."""
    sizes = {name: path.stat().st_size for name, path in FILES.items()}
    limits = {".npz": 600_000, ".ipynb": 500_000}  # 16 bits a weight; pictures of a dozen widgets
    assert {name: size for name, size in sizes.items() if size > limits.get(Path(name).suffix, 400_000)} == {}


# ---- what no text may hold: each rule returns what it found -------------------------------------------

CDN = r"cdn\.jsdelivr|unpkg\.com|cdnjs|googleapis|gstatic|esm\.sh|skypack|jspm\.(?:io|dev)"
LOADS = r"""(?:src=|@import\s|url\(|import\(|fetch\()\s*["']?(?:https?:)?//|(?:import|from)\s*["']https?://"""
STYLE_LINK = r"""<link[^>]*(?:stylesheet|preload|icon)[^>]*href=["']?(?:https?:)?//"""


def other_hosts(text):
    """What a page would ask of another host; links that a reader may follow are fine."""
    return re.findall(f"{CDN}|{LOADS}|{STYLE_LINK}", text)


def machine_paths(text):
    """Folders of one machine."""
    folders = "work", "root", "farm", "tmp", r"home/\w+", r"Users/\w+"
    return re.findall(rf"(?<![\w.$}}\])])/(?:{'|'.join(folders)})/", text)


def unfinished(text):
    """Marks of a draft."""
    return re.findall(r"\b(?:TO" r"DO|FIX" r"ME|TB" r"D)\b|lorem ip" r"sum", text)


def loose_book(text):
    """Jupyter Book asked for in a way that lets 2.x in, which ignores _config.yml."""
    asked = re.findall(r"""install[^\n]*?\bjupyter-book([^\s"'`]*)""", text)
    asked += re.findall(r"""^\s*(?:-\s*)?["']?jupyter-book([=<>~! ][^\s"';]*|)(?:["';].*)?,?$""", text, re.M)
    return [f"jupyter-book{spec}" for spec in asked if not spec or "2.1.7" in SpecifierSet(spec.strip())]


def needs_a_kernel(text):
    """Boxes of ipywidgets, dead in the book: a widget composes within itself."""
    return re.findall(r"\b(?:HBox|VBox|GridBox|Accordion|Tab)\(", text)


READ = ("attn_helpers/", "book/", "notebooks/", "_config.yml")
RULES = {  # rule -> where it holds
    other_hosts: READ,
    machine_paths: ("",),
    unfinished: ("",),
    loose_book: ("",),
    needs_a_kernel: ("attn_helpers/", "notebooks/"),
}
HERE = "tests/test_layout.py"
OWN_FAULTS = {HERE, "tests/test_notebooks.py"}  # they hold the faults on purpose


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_text_holds(rule):
    """The first file that does is named, with what was found."""
    texts = under(*RULES[rule])
    assert texts
    found = {name: rule(text) for name, text in texts.items() if name not in OWN_FAULTS}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize(
    ("rule", "bad", "fine"),
    [
        (other_hosts, '<script src="https://cdn.jsdelivr.net/x.js">', "[docs](https://example.org/cdn)"),
        (other_hosts, "@import url(https://example.org/x.css)", "@import url(fonts.css)"),
        (other_hosts, "import x from 'https://example.org/x.js'", 'xmlns="http://www.w3.org/2000/svg"'),
        (other_hosts, '<link rel="stylesheet" href="//example.org/x.css">', '<link rel="icon" href="x.svg">'),
        (other_hosts, "await fetch('http://example.org')", "await fetch(url)"),
        (machine_paths, "see /home/ada/notes", "_build/html/tmp/x and tmp_path / 'work'"),
        (machine_paths, "'/tmp/x'", "https://example.org/work/of/others"),
        (unfinished, "# TODO later", "todo.md"),
        (loose_book, "pip install jupyter-book", "jupyter-book build ."),
        (loose_book, "pip install 'jupyter-book>=1'", "pip install 'jupyter-book>=1,<2' numpy"),
        (loose_book, "jupyter-book", "jupyter-book==1.0.4.post1"),
        (loose_book, "  - jupyter-book>=1.0", "format: jb-book"),
        (needs_a_kernel, "VBox([a, b])", "ScoreExplorer()"),
    ],
)
def test_rule_bites(rule, bad, fine):
    """A rule that finds nothing in its own fault guards nothing; one that forbids all is a nuisance."""
    assert rule(bad)
    assert rule(fine) == []


# ---- one place for every version ------------------------------------------------------------------


def requirements(name):
    lines = (line.strip() for line in TEXTS[name].splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith(("#", "-r"))]


PYPROJECT = tomllib.loads(TEXTS["pyproject.toml"])


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_pins_are_exact_and_public(name):
    """A frozen local build (torch +cpu) could be installed by nobody else."""
    specs = {r.name: str(r.specifier) for r in requirements(name)}
    assert specs
    assert [n for n, spec in specs.items() if not re.fullmatch(r"==[\w.!]+", spec)] == []


@pytest.mark.parametrize("name", ["requirements.txt", "tests/requirements.txt"])
def test_pins_install_on_the_oldest_python(name):
    """Debian 12 has Python 3.11.2: a pin that asks for 3.11.5 stops `make book` there."""
    oldest = PYPROJECT["project"]["requires-python"].removeprefix(">=") + ".0"
    here = [r.name for r in requirements(name) if not r.marker or r.marker.evaluate()]
    asks = {name: metadata(name).get("Requires-Python") or "" for name in here}
    assert {n: spec for n, spec in asks.items() if not SpecifierSet(spec).contains(oldest)} == {}


def test_pins_satisfy_the_package():
    """The environment that made the outputs is one that the package allows."""
    pins = {r.name: str(r.specifier).removeprefix("==") for r in requirements("requirements.txt")}
    wanted = map(Requirement, PYPROJECT["project"]["dependencies"])
    assert [str(r) for r in wanted if not r.specifier.contains(pins[r.name])] == []


def test_ci_runs_the_oldest_python_we_promise_and_a_newer_one():
    """A release of Python or of a dependency must not break widgets over night unseen."""
    jobs = yaml.safe_load(TEXTS[".github/workflows/tests.yml"])["jobs"].values()
    matrices = [job["strategy"]["matrix"] for job in jobs if "strategy" in job]
    versions = {version for matrix in matrices for version in matrix["python-version"]}
    oldest = PYPROJECT["project"]["requires-python"].removeprefix(">=")
    assert oldest in versions
    assert len(versions) > 1
