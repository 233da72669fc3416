"""One list of tokens that look like markup, formulas, names or nothing, through all that shows a token.

R119: shown exactly, nothing executed, nothing swallowed. R097, R100: the same in pictures. WIDGETS is the
table: what is drawn, and where its tokens stand; the tests are its renderers.
"""

import base64
import io
import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from ipywidgets.embed import dependency_state
from PIL import Image

from attn_helpers.corpus import Pair
from attn_helpers.plots import ink
from attn_helpers.replay import Replay
from attn_helpers.widgets import AttentionHeatmap, MaskLab, ScoreExplorer, TrainingReplay

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book/_ext"))
from static_widgets import host_script  # noqa: E402
from static_widgets.state import page_state  # noqa: E402

TOKENS = json.loads((ROOT / "tests/fixtures/hostile_tokens.json").read_text("utf-8"))
DENSE = 48  # more than 40: a canvas, with every other label over it


def points(words):
    angles = np.arange(len(words))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def heatmap(words, **options):
    weights = np.full((len(words), len(words)), 1 / len(words))
    return AttentionHeatmap(weights, words, words, row=0, **options)


def dense(words):
    return heatmap([word for pair in zip(words, ["x"] * DENSE, strict=False) for word in pair])


def explorer(words):
    at = points(words)
    return ScoreExplorer(query_token=words[0], key_tokens=words, key_vectors=at, value_vectors=at)


def mask_lab(words):
    vectors = {f"{name}_vectors": points(words)[None] for name in ("query", "key", "value")}
    return MaskLab(key_tokens=[words], lengths=(len(words),), **vectors)


def replay(words):
    links = frozenset((i, i) for i in range(len(words)))
    weights = np.stack([np.full((len(words) + 1,) * 2, 1 / (len(words) + 1)), np.eye(len(words) + 1)])
    curves = {"loss": (3, 1), "aer": (1, 0), "entropy": (3, 0)}
    pair = Pair(tuple(words), tuple(words), links, links)
    return TrainingReplay(Replay(pair, (0, 5), **curves, weights=weights, judged=1))


def ribbons(words):
    return heatmap(words, view="ribbons")


# widget → how to make it, of how many tokens, where they stand on the page: query side and key side
WIDGETS = {
    "grid": (heatmap, 12, ".attn-h-name bdi", ".attn-h-column bdi"),
    "ribbons": (ribbons, 12, ".attn-h-words:last-child bdi", ".attn-h-words:first-child bdi"),
    "canvas": (dense, DENSE // 2, ".attn-h-left bdi", ".attn-h-above bdi"),
    "explorer": (explorer, 12, "[data-pic=bars] bdi", "[data-pic=output] bdi"),
    "replay": (replay, 7, ".attn-h-name bdi", ".attn-h-column bdi"),
    "mask lab": (mask_lab, 5, ".attn-m-scores .attn-m-name bdi", ".attn-m-scores .attn-m-key bdi"),
}
# What AttentionHeatmap writes for a token that it makes readable; the raw one stays in the tooltip.
ENDED = {"replay": ["⟨end⟩"]}  # what stands after the words
READABLE = {"##ing": "-ing", "Ġthe": "␣the", "▁cat": "␣cat", " ": "␣", "": "␣", "\xa0": "␣"}


def groups(kind):
    """All tokens, as many at a time as the widget takes; filled up with a word."""
    size = WIDGETS[kind][1]
    return [(TOKENS[i : i + size] + ["x"] * size)[:size] for i in range(0, len(TOKENS), size)]


def as_written(kind, token):
    """What stands on the page for a token: itself, or None where it is made readable or shortened."""
    text = token if kind in ("explorer", "mask lab") else READABLE.get(token, token)
    return text if kind in ("explorer", "mask lab") or len(text) <= 4 else None


@pytest.fixture
def static_page(open_page, serve, tmp_path):
    """static_page(widget) → a page as the book has it: state in its HTML, code and host beside it."""

    def show(widget):
        saved = page_state(dependency_state([widget], drop_defaults=False), {widget.model_id: 1}, {})
        for name, text in {**saved.files, "host.js": host_script()}.items():
            (tmp_path / name).write_text(text, "utf-8")
        head = "".join(f'<link rel="stylesheet" href="{style}.css">' for style in saved.styles)
        head += "".join(f'<script defer src="{name}.js"></script>' for name in (saved.modules[0], "host"))
        view = (
            f'<div class="attn-view" data-attn="{type(widget).__name__}" data-state="waiting" data-model="1">'
        )
        state = f'<script type="application/json" id="attn-state">{saved.json}</script>'
        html = f'<!doctype html><html lang="en"><meta charset="utf-8">{head}<body>{view}</div>{state}</body>'
        (tmp_path / "page.html").write_text(html, "utf-8")
        page, record = open_page(f"{serve(tmp_path)}/page.html", width=1000)
        page.wait_for_function("performance.getEntriesByName('attn:ready').length")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert [line for line in record.trouble() if "404" not in line] == []  # no favicon
        return page

    return show


def nothing_ran(page):
    """No token became an element, a script or an end of the state."""
    assert page.evaluate("window.__x") is None
    assert page.locator(".attn-view :is(img, script, s, a, b b, em, iframe)").count() == 0
    assert page.locator("body > *").count() == 2


@pytest.mark.parametrize("kind", WIDGETS)
def test_every_token_on_a_static_page(static_page, kind):
    """In the page's HTML, as text, in the tooltip and in what a screen reader says: each token as it is."""
    make, _, *sides = WIDGETS[kind]
    for words in groups(kind):
        page = static_page(make(words))
        state = json.loads(page.locator("#attn-state").text_content())["models"]["1"]["state"]
        held = state["key_tokens"][0] if kind == "mask lab" else state["key_tokens"]
        ended = words + ENDED.get(kind, [])
        assert held == (ended if kind != "canvas" else [w for pair in zip(words, "x" * 99) for w in pair])  # noqa: B905
        for side in sides:
            shown = page.locator(side).evaluate_all("(all) => all.map((e) => [e.textContent, e.title])")
            written = [as_written(kind, word) for word in ended]
            assert [text for (text, _), want in zip(shown, written, strict=True) if want is not None] == [
                want for want in written if want is not None
            ]
            if kind not in ("explorer", "mask lab"):
                assert [title for _, title in shown] == ended
        said = "\n".join(page.locator("[aria-label]").evaluate_all("(all) => all.map((e) => e.ariaLabel)"))
        assert [word for word in (words[:1] if kind == "canvas" else words) if word not in said] == []
        nothing_ran(page)


def saved_file(page, kind):
    with page.expect_download() as waiting:
        page.click(f"[data-act={kind}]")
    return Path(waiting.value.path()).read_bytes()


@pytest.mark.parametrize("kind", ["grid", "ribbons", "canvas"])
def test_every_token_in_a_saved_file(static_page, kind):
    """SVG: well-formed, with the texts of the page and no element of theirs. PNG: the same file, drawn."""
    make, _, *sides = WIDGETS[kind]
    for words in groups(kind):
        page = static_page(make(words))
        page.click(".attn-h-more summary")
        on_page = set(page.locator(", ".join(sides)).all_text_contents())
        tree = ET.fromstring(saved_file(page, "svg"))
        texts = list(tree.iter("{http://www.w3.org/2000/svg}text"))
        assert on_page - {node.text for node in texts} == set()
        assert "queries down, keys across" not in {node.text for node in texts}  # for ears, not for eyes
        tags = {node.tag.rpartition("}")[2] for node in tree.iter()}
        assert tags <= {"svg", "title", "pattern", "path", "rect", "text", "image"}
        png = np.asarray(Image.open(io.BytesIO(saved_file(page, "png"))).convert("L"))
        assert png.shape == (2 * round(float(tree.get("height"))), 2 * round(float(tree.get("width"))))
        for node in texts:
            if node.text in on_page and node.text.strip() and node.get("x"):
                assert inked(png, node), node.text
        nothing_ran(page)


def inked(png, node):
    """Whether there is ink where a label begins; two pixels to a unit, 16 units of margin."""
    x, y, size = (float(node.get(name)) for name in ("x", "y", "font-size"))
    left, top, bottom = 2 * (x + 16), 2 * (y + 16 - size), 2 * (y + 16 + size / 3)
    return np.ptp(png[int(top) : int(bottom), int(left) : int(left + 2 * size)]) > 60


@pytest.mark.parametrize("kind", WIDGETS)
def test_every_token_in_the_picture_beside_the_widget(kind):
    """Matplotlib: no formula, no markup, nothing left out; what no face can draw is spelled out.

    The text beside it, for Markdown and terminals, holds sizes and no token, so that nothing can go wrong.
    """
    for words in groups(kind):
        widget = WIDGETS[kind][0](words)
        shown = [text.get_text() for text in widget._picture().findobj(mpl.text.Text)]
        for word in words[:1] if kind == "canvas" else words:
            spelled = ink.token(word)
            short = spelled[:4]  # long ones are cut where panels would collide
            assert any(text == spelled or (text.endswith("…") and short in text) for text in shown), word
        data, about = widget._repr_mimebundle_()
        assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
        assert data["text/plain"] == repr(widget)
        assert re.fullmatch(r"\w+\((2 snapshots, )?\d+×\d+[\w, =×]*\)", repr(widget))
        assert "\n" not in about["image/png"]["alt"]
