"""Widgets from Python's side: what traits take and refuse, what travels, what stands where no script runs."""

import base64
import json
import math
import re
import runpy
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from ipywidgets.embed import dependency_state
from traitlets import TraitError

from attn_helpers import widgets
from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import Vocabulary
from attn_helpers.scoring import attend, sharpness_table
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.trained import load_replay
from attn_helpers.widgets import (
    AttentionHeatmap,
    ScoreExplorer,
    Seq2SeqStepper,
    TrainingReplay,
    TranslationLab,
    assets,
)
from attn_helpers.widgets.base import AttnWidget, css, join_modules
from attn_helpers.widgets.packed import unpacked

ROOT = Path(__file__).parents[1]
WIDGETS = ROOT / "attn_helpers" / "widgets"
KINDS = tuple(getattr(widgets, name) for name in widgets.__all__)  # every widget of the family
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))
NAN, INF = math.nan, math.inf
TINY = Seq2Seq(Encoder(5, 2, 3), Decoder(5, 2, 3))
LOOKING = Seq2Seq(Encoder(5, 2, 4), AttentionDecoder(5, 2, 4))


@pytest.fixture
def explorer():
    return ScoreExplorer()


# ---- what traits refuse --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trait", "value", "expected"),
    [
        ("query", (1, NAN), "2 finite numbers"),
        ("query", np.array([1, INF]), "2 finite numbers"),
        ("query", torch.tensor([1.0, NAN]), "2 finite numbers"),
        ("query", (1, 2, 3), "2 finite numbers"),
        ("query", "ab", "2 finite numbers"),
        ("query", (True, 1), "2 finite numbers"),
        ("query", None, "2 finite numbers"),
        ("key_vectors", [[1, 2], [3, NAN], [5, 6], [7, 8]], "row of 2 finite numbers"),
        ("key_vectors", [[1, 2], [3], [5, 6], [7, 8]], "row of 2 finite numbers"),
        ("key_vectors", [], "at least one row"),
        ("value_vectors", np.full((4, 2), -INF), "row of 2 finite numbers"),
        ("key_tokens", ["a", 3, "b", "c"], "at least one string"),
        ("key_tokens", "abcd", "at least one string"),
        ("temperature", 0, "a finite number from 0.01 to 100"),
        ("temperature", NAN, "a finite number from 0.01 to 100"),
        ("guess", 1.5, "a finite number from 0 to 1"),
        ("challenge", INF, "a finite number"),
        ("query", (0, 1.1e6), "2 finite numbers within ±1e+06"),
        ("key_vectors", [[0, 0], [0, 0], [0, 0], [-1e300, 0]], "row of 2 finite numbers within ±1e+06"),
    ],
)
def test_what_is_no_finite_number_is_refused_by_name(explorer, trait, value, expected):
    """R109, X4: one NaN in one trait makes a page's state unreadable and silences all its widgets."""
    before = getattr(explorer, trait)
    with pytest.raises(TraitError, match=rf"^ScoreExplorer\.{trait} takes .*{re.escape(expected)}.*, got "):
        setattr(explorer, trait, value)
    assert getattr(explorer, trait) == before
    with pytest.raises(TraitError, match=trait):
        ScoreExplorer(**{trait: value})


def test_a_front_end_cannot_bring_nan_in_either(explorer):
    """R109: what arrives from a page passes the same checks."""
    with pytest.raises(TraitError, match="query"):
        explorer.set_state({"query": [NAN, 0.0]})
    explorer.set_state({"query": [0.25, -1]})
    assert explorer.query == (0.25, -1.0)


@pytest.fixture
def sent(monkeypatch):
    """What goes to the page, as (state, …)."""
    states = []
    monkeypatch.setattr(
        AttnWidget,
        "_send",
        lambda widget, msg, buffers=None: states.append((msg["method"], msg.get("state"))),
    )
    return states


def test_what_fails_in_python_is_told_to_the_page(explorer, sent):
    """A drag sets off a function of the reader's that fails, in no cell: nobody ever learns of it."""

    def unlucky(change):
        raise KeyError("no such word")

    explorer.observe(unlucky, "query")
    with pytest.raises(KeyError):
        explorer.set_state({"query": [1, 1]})
    assert explorer._trouble == "KeyError: 'no such word'"
    assert ("update", {"_trouble": explorer._trouble}) in sent
    explorer.unobserve(unlucky, "query")
    explorer.set_state({"query": [1, 2]})
    assert explorer._trouble == ""


def test_a_refused_value_is_taken_back_on_the_page(explorer, sent):
    """The page goes on showing a value that Python does not have."""
    with pytest.raises(TraitError):
        explorer.set_state({"temperature": -1})
    assert "a finite number from 0.01 to 100, got -1" in explorer._trouble
    assert sent[-1] == ("update", {"temperature": 1.0})
    with pytest.raises(TraitError):
        explorer.temperature = -1  # in a cell, the cell says it
    explorer.set_state({"temperature": 2})
    assert explorer._trouble == ""


@pytest.mark.parametrize("trait", ["score", "panels", "width", "divisor"])
def test_an_unknown_choice_is_refused(trait):
    """A slip in a name shows another picture than the reader asked for."""
    with pytest.raises(TraitError, match=trait):
        ScoreExplorer(**{trait: "scaled-dot" if trait != "width" else 3})


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_argument_is_refused_and_the_nearest_named(kind):
    """A slip of the hand is dropped without a word, and the widget shows something else."""
    given = {
        AttentionHeatmap: {"weights": [[1.0]], "query_tokens": ["a"], "key_tokens": ["b"]},
        Seq2SeqStepper: {"model": TINY, "pairs": [(["a"], ["a"])], "vocabularies": (Vocabulary(["a"]),) * 2},
        TrainingReplay: {"replay": load_replay("bahdanau-bidirectional")},
        TranslationLab: {"models": LOOKING, "vocabularies": (Vocabulary(["a"]),) * 2},
    }.get(kind, {})
    with pytest.raises(TypeError, match=f"^{kind.__name__} has no argument 'langage'"):
        kind(**given, langage="en")


def test_the_nearest_argument_is_named():
    """The reader is told that a name is wrong, but not which one is right."""
    with pytest.raises(TypeError, match=r"'temprature'; the nearest is 'temperature'$"):
        ScoreExplorer(temprature=0.25)
    assert ScoreExplorer(temperature=0.25).temperature == 0.25


@pytest.mark.parametrize("target", [-1, 4, 99])
def test_a_target_is_a_key(explorer, target):
    """The title asks for a key that is not there."""
    with pytest.raises(TraitError, match=f"None or the index of one of 4 keys, got {target}$"):
        explorer.target = target
    assert explorer.target == 2
    with pytest.raises(TraitError, match="target"):
        ScoreExplorer(target=target)
    explorer.target = None
    explorer.target = 3
    assert ScoreExplorer(key_tokens=["a"], key_vectors=[(0, 1)], value_vectors=[(0, 1)], target=0).target == 0


def test_the_curve_reaches_a_width_that_was_measured(explorer):
    """A curve drawn to d = 3 ends nowhere."""
    for reach in (3, -2, 1024, 2.5):
        with pytest.raises(TraitError, match="reach"):
            explorer.reach = reach
    for reach in (2, 512, 0):
        explorer.reach = reach


def test_the_largest_vectors_still_give_numbers():
    """What is let in ends as infinity after all."""
    far = [[1e6, -1e6]] * 4
    widget = ScoreExplorer(
        query=(-1e6, 1e6), key_vectors=far, value_vectors=far, temperature=0.01, score="dot"
    )
    np.testing.assert_allclose(widget.weights, 0.25)
    np.testing.assert_allclose(widget.output, far[0])


def test_tokens_keys_and_values_change_their_number_together(explorer):
    """A fifth key without a value leaves a bar that leads nowhere."""
    with pytest.raises(TraitError, match=r"got 3 key_tokens, 4 key_vectors, 4 value_vectors.*hold_trait"):
        explorer.key_tokens = ("a", "b", "c")
    assert len(explorer.key_tokens) == 4
    with explorer.hold_trait_notifications():
        explorer.key_tokens = ["a", "b", "c"]
        explorer.key_vectors = np.eye(3, 2)
        explorer.value_vectors = torch.zeros(3, 2)
    assert explorer.weights.shape == (3,)
    with pytest.raises(TraitError, match="1 value_vectors"):
        ScoreExplorer(value_vectors=[[0, 0]])


# ---- what travels --------------------------------------------------------------------------------


def state_of(widget):
    """What a page gets, as JSON text of the strict kind."""
    return json.dumps(
        widget.get_state(), allow_nan=False, default=lambda other: f"IPY_MODEL_{other.model_id}"
    )


def test_the_state_is_strict_json():
    """X4: whatever is chosen, JSON.parse of a browser reads it."""
    for score in ("dot", "scaled_dot", "cosine", "additive"):
        widget = ScoreExplorer(score=score, query=(0, 0), key_tokens=HOSTILE[:4], guess=0.5, width=512)
        state = json.loads(state_of(widget))
        assert state["key_tokens"] == HOSTILE[:4]
        assert state["query"] == [0, 0]


def test_arrays_arrive_as_they_are_read_in_python():
    """R112: a transposed or strided array, of any type, is not scrambled on its way."""
    turned = np.arange(8, dtype=np.float32).reshape(2, 4).T
    for given in (
        turned,
        turned.astype(int),
        torch.tensor(turned),
        turned[::1].tolist(),
        turned.astype(">f8"),
    ):
        state = json.loads(state_of(ScoreExplorer(key_vectors=given)))
        assert state["key_vectors"] == [[0, 4], [1, 5], [2, 6], [3, 7]]


def test_no_bytes_travel(explorer):
    """R113: numbers go as JSON, so no decoder can take a byte above 127 for a letter."""
    assert not re.search(
        "bytes|memoryview|bytearray", " ".join(type(v).__name__ for v in leaves(explorer.get_state()))
    )


def leaves(value):
    """All values within dicts and lists."""
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield value


def test_a_change_in_place_fails_and_a_new_value_is_heard_once(explorer):
    """R110: a list changed in place is sent to nobody, so the page goes on showing the old one."""
    heard = []
    explorer.observe(heard.append, names=["key_vectors", "query"])
    with pytest.raises(TypeError):
        explorer.key_vectors[0][0] = 9
    with pytest.raises(AttributeError):
        explorer.key_vectors.append((0, 0))
    mine = [[0, 0], [1, 1], [2, 2], [3, 3]]
    explorer.key_vectors = mine
    mine[0][0] = 9  # the widget keeps its own copy
    assert explorer.key_vectors[0] == (0, 0)
    explorer.key_vectors = [[0, 0], [1, 1], [2, 2], [3, 3]]  # nothing new
    explorer.query = np.array([1.0, 0.8])  # nothing new
    assert len(heard) == 1


def test_an_exported_page_holds_the_code(explorer):
    """X1: ipywidgets.embed takes code for a default and drops it, unless told not to."""
    state = dependency_state([explorer], drop_defaults=False)[explorer.model_id]["state"]
    assert "export default" in state["_esm"]
    assert ".attn" in state["_css"]


# ---- what it says of itself ----------------------------------------------------------------------


def test_repr_is_short_and_the_same_in_every_run(explorer):
    """X3: an address in the output makes nbval compare what can never be equal."""
    assert repr(explorer) == repr(ScoreExplorer()) == "ScoreExplorer(1×4, scaled_dot)"
    assert repr(ScoreExplorer(score="cosine")) == "ScoreExplorer(1×4, cosine)"


def test_a_picture_and_words_stand_beside_the_live_view():
    """R125: VS Code without network, GitHub and print show no widget; the lesson must still be readable."""
    widget = ScoreExplorer(score="cosine")
    data, metadata = widget._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    assert data["text/plain"] == repr(widget)
    assert base64.b64decode(data["image/png"], validate=True).startswith(b"\x89PNG")
    assert set(metadata) == {"image/png"}  # R164: nothing is asked for where there is no Colab
    alt, width = metadata["image/png"]["alt"], metadata["image/png"]["width"]
    assert "chat" in alt
    assert "cat" in alt
    assert ".42" in alt  # the weight that the picture shows, and the cosine's own winner
    assert 300 < width <= 960


def test_a_closed_widget_still_shows_its_picture(explorer):
    """With ipywidgets 7, showing a closed widget ends in a traceback instead of its last state."""
    explorer.close()
    data, _ = ScoreExplorer._repr_mimebundle_(explorer)
    assert set(data) == {"text/plain", "image/png"}


def test_ipywidgets_7_shows_the_picture_too():
    """Colab's ipywidgets 7 prefers _ipython_display_, which knows nothing of pictures."""
    assert all(kind._ipython_display_ is None for kind in KINDS)


# ---- numbers -------------------------------------------------------------------------------------


def test_the_read_outs_are_attention(explorer):
    """The reader checks the widget by hand and finds another number."""
    np.testing.assert_allclose(explorer.scores, [-0.14142136, 1.86676190, 1.03237590, -0.46669048], atol=1e-8)
    query, key, value = (torch.tensor([x], dtype=torch.float64) for x in (explorer.query, explorer.key_vectors, explorer.value_vectors))  # fmt: skip  # noqa: E501
    oracle = torch.nn.functional.scaled_dot_product_attention(query[:, None], key, value)[0, 0]
    np.testing.assert_allclose(explorer.output, oracle, atol=1e-12)
    for score in ("dot", "cosine"):
        explorer.score = score
        output, weights = attend(query[:, None], key, value, score=score)
        np.testing.assert_allclose(explorer.weights, weights[0, 0], atol=1e-12)
        np.testing.assert_allclose(explorer.output, output[0, 0], atol=1e-12)


def test_temperature_sharpens_and_flattens(explorer):
    """The slider works the wrong way round."""
    explorer.temperature = 0.25
    sharp = explorer.weights.max()
    explorer.temperature = 4
    assert sharp > 0.95
    assert explorer.weights.max() < 0.4
    assert explorer.scores[1] == pytest.approx(1.8667619)  # the scores themselves stay


def test_the_title_claims_only_what_was_said_to_be_right(explorer):
    """ "Why does black win?" over the reader's own words would be nonsense."""
    assert explorer.target == 2
    assert ScoreExplorer(key_tokens=["a", "b", "c", "d"]).target is None
    assert ScoreExplorer(query_token="chien").target is None
    assert ScoreExplorer(key_tokens=["a", "b", "c", "d"], target=1).target == 1


def test_reset_goes_back_to_what_the_cell_said():
    """Reset throws the reader's own example away and shows the book's."""
    widget = ScoreExplorer(query=(2, 1), score="dot")
    widget.query = (0, 0)
    assert widget._start["query"] == (2, 1)
    assert widget._start["score"] == "dot"


def test_the_second_panel_carries_the_measured_table(explorer):
    """The curve on the page is not what was measured."""
    assert json.loads(json.dumps(explorer._sharpness)) == sharpness_table()


# ---- code and style ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_joined_module_is_small_and_whole(kind):
    """The code is stored in every instance; an import left in it fails in every front end."""
    assert issubclass(kind, AttnWidget)
    most = 30 if kind is TranslationLab else 24  # it runs two kinds of model
    assert len(kind._esm.encode()) <= most * 1024
    assert len(kind._css.encode()) <= 17 * 1024
    code = unpacked(kind._esm)
    assert code.count("export ") == 1
    assert not re.search(r"\bimport\b", code)
    assert "@param" not in code


def test_no_markup_is_ever_parsed():
    """R119: a token that meets an HTML parser runs as code."""
    for path in (WIDGETS / "js").glob("*.js"):
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|DOMParser|eval\(", path.read_text("utf-8")
        ), path


@pytest.mark.parametrize("kind", KINDS)
def test_no_style_leaks(kind):
    """R126: a token or a rule of ours that reaches a foreign page changes its look."""
    rules = re.sub(r"@[^{]+\{", "", kind._css)
    for selectors in re.findall(r"([^{}]+)\{", rules):
        for selector in re.split(r",(?![^(]*\))", selectors):
            assert selector.startswith((".attn", '[data-attn="')), selector


def test_the_design_tokens_are_used_as_they_are():
    """A colour changed on the way is not the one whose contrast was measured."""
    declared = re.findall(r"(--[\w-]+):\s*([^;]+);", (WIDGETS / "css" / "tokens.css").read_text("utf-8"))
    sheet = re.sub(r"\s", "", css())
    assert len(declared) > 90
    for name, value in declared:
        assert re.sub(r"\s", "", f"{name}:{value}") in sheet


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the widgets' folder that a test may spoil."""
    shutil.copytree(WIDGETS, tmp_path / "widgets")
    monkeypatch.setattr(assets, "_HERE", tmp_path / "widgets")
    return tmp_path / "widgets"


def test_a_missing_file_is_named_at_import(folder):
    """R169: a missing script ends as a riddle in the browser's console."""
    (folder / "js" / "geometry.js").unlink()
    with pytest.raises(FileNotFoundError, match=r"js/geometry\.js"):
        runpy.run_path(str(folder / "score_explorer.py"))
    (folder / "css" / "attn.css").unlink()
    with pytest.raises(FileNotFoundError, match=r"css/attn\.css"):
        css("attn.css")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("const dot = 1;\n", "js/new.js and js/attn.js both define dot"),
        ("function dot() {}\n", "both define dot"),
        ("export const { max } = Math;\n", "both define max"),
        ('import {\n  dot,\n} from "./attn.js";\n', "single-line imports"),
        ('import dot from "https://example.org/dot.js";\n', "single-line imports"),
        ('import { ramp } from "./geometry.js";\n', "geometry.js, which must be joined before it"),
        ("const text = `a ${b ? `c` : d}`;\n", "template inside a template"),
    ],
)
def test_what_cannot_be_joined_is_said(folder, code, message):
    """Two files with one name overwrite each other without a word."""
    (folder / "js" / "new.js").write_text(code, "utf-8")
    with pytest.raises(ValueError, match=re.escape(message)):
        join_modules("attn.js", "new.js")


def test_joining_keeps_every_text(folder):
    """What looks like a comment within a sentence is taken out of it."""
    code = """// gone
/** @type {number} gone */
export const all = [
  "a // b,  c", // gone "
  `x  ${ y }  /* z */`, /* gone ` */
  "q \\" // r",
];
"""
    (folder / "js" / "new.js").write_text(code, "utf-8")
    lines = [line.strip() for line in join_modules("new.js").splitlines()]
    assert lines == ["const all = [", '"a // b,  c",', "`x  ${ y }  /* z */`,", r'"q \" // r",', "];"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_widget_carries_only_its_own_words(kind):
    """Every instance of every widget would carry the sentences of all others."""
    own = {
        "AttentionHeatmap": "Which token looks where?",
        "MaskLab": "gives to forbidden keys",
        "MuseumRoom": "Which number catches it?",
        "PositionWaves": "Which model notices?",
        "ScoreExplorer": "leave the hull",
        "ShapeLedger": "does not split into",
        "TrainingReplay": "crossing appears",
        "TranslationLab": "Type another sentence",
    }
    code = unpacked(kind._esm)
    assert {name for name, words in own.items() if words in code} == {kind.__name__} & own.keys()


# ---- hosts ---------------------------------------------------------------------------------------

BOXES = re.compile(r"\b(HBox|VBox|GridBox|Tab|Accordion|TabBar|Stack)\s*\(")


def test_no_box_around_our_widgets():
    """A box of core ipywidgets needs a kernel: in the book, all that is in it would be dead."""
    assert BOXES.search("from ipywidgets import HBox\nHBox([ScoreExplorer()])")
    files = [*WIDGETS.rglob("*.py"), *(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "book").glob("*.md")]
    assert len(files) > 5
    for path in files:
        assert not BOXES.search(path.read_text("utf-8")), path
