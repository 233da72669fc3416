"""MaskLab from Python's side: the right mask, five wrong ones, and the code that its cards print."""

import base64
import json
import math
import os
import re
import shutil
import subprocess
import warnings
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812
from traitlets import TraitError

from attn_helpers.masks import masked_softmax
from attn_helpers.scoring import attend
from attn_helpers.widgets import MaskLab

ROOT = Path(__file__).parents[1]
FIXTURE = ROOT / "tests" / "fixtures" / "mask_lab.json"
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))
BREAKAGES = ("none", "no_mask", "flipped", "after_softmax", "half", "finite")
SHOWN = ("mask", "scores", "weights", "leaked", "output")
NAN = math.nan


def lab(batch=2, queries=3, keys=5, seed=3, **traits):
    """A MaskLab of any size with random vectors; axes of distinct primes unless a test wants them equal."""
    rng = np.random.default_rng(seed)
    vectors = {f"{name}_vectors": rng.normal(size=(batch, n, 2)).round(3).tolist() for name, n in
               (("query", queries), ("key", keys), ("value", keys))}  # fmt: skip
    tokens = {"key_tokens": [[f"k{s}" for s in range(keys)]] * batch}
    tokens["query_tokens"] = [[f"q{t}" for t in range(queries)]] * batch
    return MaskLab(**tokens, **vectors, **traits)


def tensors(widget):
    """query, key, value in float64, (B, …, 2)."""
    names = ("query_vectors", "key_vectors", "value_vectors")
    return (torch.tensor(getattr(widget, name), dtype=torch.float64) for name in names)


def identity_attention():
    """nn.MultiheadAttention with one head that leaves query, key and value as they are."""
    attention = nn.MultiheadAttention(2, 1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        attention.in_proj_weight.copy_(torch.eye(2).repeat(3, 1))
        attention.out_proj.weight.copy_(torch.eye(2))
    return attention.eval()


# ---- the right way -------------------------------------------------------------------------------


def test_what_the_book_shows_first():
    """The first picture of the chapter: only the padding is forbidden, and it gets nothing."""
    widget = MaskLab()
    assert widget.lengths == (4, 3)
    assert widget.mask.sum() == 28
    assert not widget.mask[1, :, 3].any()
    np.testing.assert_allclose(widget.weights.sum(axis=-1), 1)
    assert (widget.weights[1, :, 3] == 0).all()
    assert (widget.leaked == 0).all()
    assert widget.cell == (1, 1, 3)  # cat looks at the padding
    np.testing.assert_allclose(widget.scores[0, 0], np.array([-1.04, 3.24, 0.98, 0.9]) / math.sqrt(2))


@pytest.mark.parametrize("lengths", [(5, 5), (5, 2), (1, 4)])
def test_weights_and_output_are_those_of_pytorch(lengths):
    """R005, R008: the picture agrees with the kernel the reader will use, in both of its conventions."""
    widget = lab(lengths=lengths)
    query, key, value = tensors(widget)
    mask = torch.from_numpy(widget.mask)
    weights = F.scaled_dot_product_attention(query, key, torch.eye(5).double().expand(2, 5, 5), mask)
    np.testing.assert_allclose(widget.weights, weights, atol=1e-12)
    output, dropped = identity_attention()(query, key, value, key_padding_mask=~mask[:, 0])
    np.testing.assert_allclose(widget.weights, dropped.detach(), atol=1e-12)
    np.testing.assert_allclose(widget.output, output.detach(), atol=1e-12)


def test_a_sentence_alone_and_in_a_padded_batch_is_read_alike():
    """The reader pads a sentence and its weights change."""
    alone = MaskLab(key_tokens=[["the", "cat", "sleeps"]])
    np.testing.assert_allclose(MaskLab().weights[1, :3, :3], alone.weights[0], atol=1e-15)
    np.testing.assert_allclose(MaskLab().output[1, :3], alone.output[0], atol=1e-15)


def test_every_query_shares_the_padding_of_its_own_sentence():
    """R016: with B = T = S a mask on the wrong axis looks right."""
    words = [["a", "b", "c"]] * 3
    zeros = np.zeros((3, 3, 2))
    widget = MaskLab(
        key_tokens=words, key_vectors=zeros, query_vectors=zeros, value_vectors=zeros, lengths=(1, 2, 3)
    )
    for b, length in enumerate((1, 2, 3)):
        np.testing.assert_allclose(widget.weights[b], [[1 / length] * length + [0] * (3 - length)] * 3)


def test_the_future_is_hidden():
    """R017: ones in the wrong triangle let every query see the answer."""
    widget = MaskLab(key_tokens=[["the", "black", "cat", "sleeps"]], causal=True)
    assert widget.mask.dtype == np.bool_
    assert widget.mask.astype(int).tolist() == [[[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]]
    assert MaskLab(key_tokens=[["the"]], causal=True).mask.tolist() == [[[True]]]
    both = MaskLab(causal=True, lengths=(4, 2)).mask[1].astype(int).tolist()
    assert both == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]


def test_a_row_without_a_key_has_weights_and_output_0():
    """R001, R002: an empty row is neither NaN nor a legal-looking 1/n."""
    widget = MaskLab(lengths=(4, 0))
    assert (widget.weights[1] == 0).all()
    assert (widget.output[1] == 0).all()
    left_padded = MaskLab(
        key_tokens=[["the", "cat", "sleeps"]], causal=True, flips=[(0, t, 0) for t in range(3)]
    )
    np.testing.assert_allclose(left_padded.weights[0, 0], [0, 0, 0])
    np.testing.assert_allclose(left_padded.weights[0, 1], [0, 1, 0])


def test_a_flip_turns_one_entry_over():
    """A click on one cell changes a row of another sentence."""
    before, after = lab(lengths=(5, 3)), lab(lengths=(5, 3), flips=[(0, 2, 1), (1, 0, 4)])
    changed = [tuple(place) for place in np.argwhere(before.mask != after.mask).tolist()]
    assert changed == [(0, 2, 1), (1, 0, 4)]
    assert (np.argwhere((before.weights != after.weights).any(-1)).tolist()) == [[0, 2], [1, 0]]


# ---- the wrong ways ------------------------------------------------------------------------------


def test_without_a_mask_padding_takes_weight():
    """A zero vector scores 0 and e⁰ is 1: rows sum to 1, only the leaked mass tells."""
    widget = MaskLab(breakage="no_mask")
    np.testing.assert_allclose(widget.weights.sum(-1), 1)
    assert (widget.leaked[0] == 0).all()
    np.testing.assert_allclose(widget.leaked[1], widget.weights[1, :, 3])
    assert widget.leaked[1].min() > 0.1


def test_a_flipped_mask_reads_what_is_forbidden():
    """R005: polarity turned over gives the future its say."""
    vectors = {"key_vectors": np.zeros((1, 2, 2)), "query_vectors": np.zeros((1, 2, 2))}
    vectors["value_vectors"] = [[[10, 0], [20, 0]]]
    right = MaskLab(key_tokens=[["a", "b"]], causal=True, **vectors)
    assert right.output[0, :, 0].tolist() == [10, 15]
    wrong = MaskLab(key_tokens=[["a", "b"]], causal=True, breakage="flipped", **vectors)
    assert wrong.output[0, :, 0].tolist() == [20, 0]
    assert wrong.leaked.tolist() == [[1, 0]]


def test_a_mask_after_the_softmax_leaves_rows_short():
    """Zeroed weights are missing from the sum, and the others stay as small as they were."""
    widget = MaskLab(breakage="after_softmax")
    assert (widget.leaked == 0).all()
    sums = widget.weights.sum(-1)
    np.testing.assert_allclose(sums[0], 1)
    assert sums[1].max() < 0.9
    np.testing.assert_allclose(sums[1], 1 - MaskLab(breakage="no_mask").leaked[1])


@pytest.mark.parametrize("float_type", ["float16", "bfloat16", "float32"])
def test_minus_a_billion_in_small_floats(float_type):
    """R004: what is said of each type is what torch does in it."""
    widget = MaskLab(breakage="half", float_type=float_type, lengths=(3, 0))
    dtype = getattr(torch, float_type)
    scores, mask = torch.tensor(widget.scores).to(dtype), torch.tensor(widget.mask)
    if float_type == "float16":
        with pytest.raises(RuntimeError, match="overflow"):
            scores.masked_fill(~mask, -1e9)
    real = torch.softmax(scores + (~mask).to(dtype) * -1e9, dim=-1).double()
    np.testing.assert_allclose(widget.weights, real, atol=8e-3)  # bfloat16 keeps 8 bits
    np.testing.assert_allclose(widget.weights[0, :, 3], 0)
    assert np.isnan(widget.weights[1]).all() == (float_type == "float16")
    assert np.isnan(widget.leaked[1]).all() == (float_type == "float16")
    right = masked_softmax(scores, mask)
    assert torch.isfinite(right).all()
    assert (right[1] == 0).all()


def test_a_finite_fill_shares_an_empty_row_out():
    """R002: 1/n over padding looks like a legal row; everything in it has leaked."""
    widget = MaskLab(breakage="finite", lengths=(4, 0))
    np.testing.assert_allclose(widget.weights[1], 0.25)
    np.testing.assert_allclose(widget.leaked, [[0] * 4, [1] * 4])
    np.testing.assert_allclose(MaskLab(breakage="finite").weights, MaskLab().weights, atol=1e-15)


def test_pytorch_answers_nan_where_the_card_says_so():
    """R020: asking MultiheadAttention for its weights changes an empty row; ours do not change."""
    widget = MaskLab(lengths=(4, 0))
    query, key, value = tensors(widget)
    drop = torch.from_numpy(~widget.mask[:, 0])
    attention = identity_attention()
    asked, weights = attention(query, key, value, key_padding_mask=drop)
    assert weights[1].isnan().all()
    assert asked[1].isnan().all()
    output, ours = attend(query, key, value, ~drop[:, None])
    np.testing.assert_allclose(output, widget.output, atol=1e-12)
    np.testing.assert_allclose(ours, widget.weights, atol=1e-12)


# ---- what traits refuse, keep and send -----------------------------------------------------------


@pytest.mark.parametrize(
    ("trait", "value", "words"),
    [
        ("key_vectors", np.full((2, 4, 2), NAN), "(B, tokens, 2) finite numbers"),
        ("key_vectors", np.zeros((2, 4, 3)), "(B, tokens, 2) finite numbers"),
        ("query_vectors", np.zeros((4, 2)), "(B, tokens, 2) finite numbers"),
        ("value_vectors", np.zeros((3, 4, 2)), "the axes (B, S) = (2, 4), got (3, 4)"),
        ("value_vectors", [[[0, 0]] * 4, [[0, 0]] * 3], "(B, tokens, 2) finite numbers"),
        ("key_vectors", np.zeros((2, 3, 2)), "the axes (B, S) = (2, 4), got (2, 3)"),
        ("key_tokens", [["the", "cat"], ["the"]], "equally many tokens"),
        ("key_tokens", [["the"] * 6], "1 to 5"),
        ("key_tokens", [[]], "1 to 5"),
        ("key_tokens", "the cat", "sentences"),
        ("query_tokens", [["a", 3, "b", "c"]] * 2, "sentences"),
        ("lengths", (4, 5), "between 0 and S = 4, got (4, 5)"),
        ("lengths", (4, -1), "whole numbers, 0 or above"),
        ("lengths", (4.0, 3.0), "whole numbers"),
        ("lengths", (True, 3), "whole numbers"),
        ("lengths", (4,), "the axes (B) = (2,), got (1,)"),
        ("flips", [(0, 4, 0)], "outside (B, T, S) = (2, 4, 4)"),
        ("flips", [(0, 0, 0), (0, 0, 0)], "different places"),
        ("flips", [(0, 0)], "(sentence, query, key)"),
        ("guess", [(2, 0, 0)], "outside (B, T, S)"),
        ("cell", (0, 0, 4), "outside (B, T, S)"),
        ("cell", (0, 0), "3 whole numbers"),
        ("breakage", "flip", "flip"),
        ("float_type", "float64", "float64"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(trait, value, words):
    """R109: a wrong value ends in the cell that sets it, and the widget keeps what it had."""
    widget = MaskLab()
    before = getattr(widget, trait)
    with pytest.raises(TraitError, match=rf"{trait}.*{re.escape(words)}"):
        setattr(widget, trait, value)
    assert getattr(widget, trait) == before
    with pytest.raises(TraitError, match=trait):
        MaskLab(**{trait: value})


def test_a_causal_mask_needs_to_know_which_query_stands_where():
    """R007: for T ≠ S there are two answers, and PyTorch and others chose differently."""
    with pytest.raises(TraitError, match=r"causal needs as many queries as keys, got 3 and 5"):
        lab(causal=True)
    widget = lab()
    with pytest.raises(TraitError, match="causal"):
        widget.causal = True
    assert widget.causal is False


def test_sizes_change_together():
    """A third sentence without a length leaves a row of the picture without a mask."""
    widget = MaskLab()
    with pytest.raises(TraitError, match="hold_trait_notifications"):
        widget.key_tokens = [["the", "cat"]]
    assert len(widget.key_tokens) == 2


def test_unknown_words_need_vectors():
    """The reader's own words would get somebody else's numbers."""
    with pytest.raises(TraitError, match=r"MaskLab\.\w+_vectors must be given: .*'dog'"):
        MaskLab(key_tokens=[["the", "dog"]])
    assert MaskLab(key_tokens=[["cat", "⟨pad⟩"]], query_tokens=[["the"]]).scores.shape == (1, 1, 2)


def test_a_front_end_cannot_bring_nan_in():
    """R109: what arrives from a page passes the same checks."""
    widget = MaskLab()
    with pytest.raises(TraitError, match="key_vectors"):
        widget.set_state({"key_vectors": [[[NAN, 0.0]] * 4] * 2})
    widget.set_state({"flips": [[1, 1, 3]], "lengths": [2, 3], "cell": [0, 0, 0]})
    assert widget.flips == ((1, 1, 3),)
    assert widget.lengths == (2, 3)


def test_the_state_is_strict_json_even_while_nan_shows():
    """X4: NaN is what "half" shows, but it never travels."""
    words = [HOSTILE[:4], HOSTILE[4:8]]
    vectors = {f"{name}_vectors": np.zeros((2, 4, 2)) for name in ("query", "key", "value")}
    widget = MaskLab(key_tokens=words, breakage="half", lengths=(0, 4), **vectors)
    assert np.isnan(widget.weights[0]).all()
    state = json.loads(json.dumps(widget.get_state(), allow_nan=False, default=str))
    assert state["key_tokens"] == words


def test_traits_are_copies_and_heard_once():
    """R110, R112: a list changed in place is sent to nobody; a turned array is not scrambled."""
    widget, heard = MaskLab(), []
    widget.observe(heard.append, names=["lengths", "flips", "key_vectors"])
    mine = [4, 2]
    widget.lengths = mine
    mine[0] = 0
    assert widget.lengths == (4, 2)
    widget.lengths = np.array([4, 2])
    with pytest.raises(AttributeError):
        widget.flips.append((0, 0, 0))
    turned = np.arange(16, dtype=np.float32).reshape(2, 4, 2).transpose(2, 1, 0)
    widget.key_vectors = turned
    assert widget.key_vectors[0][1] == (2.0, 10.0)
    assert len(heard) == 2


# ---- what it says of itself ----------------------------------------------------------------------


def test_repr_is_short_and_the_same_in_every_run():
    """X3: it stands in stored outputs."""
    assert repr(MaskLab()) == "MaskLab(2×4×4)"
    assert repr(lab(breakage="flipped")) == "MaskLab(2×3×5, flipped)"
    assert repr(MaskLab(causal=True)) == "MaskLab(2×4×4, causal)"


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_a_picture_and_words_stand_beside_the_live_view(breakage):
    """R125: GitHub and print show no widget; the lesson must be readable, NaN and all."""
    widget = MaskLab(breakage=breakage, lengths=(4, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data, metadata = widget._repr_mimebundle_()
    assert base64.b64decode(data["image/png"], validate=True).startswith(b"\x89PNG")
    alt = metadata["image/png"]["alt"]
    assert "16 of 32 places are masked" in alt
    leak = {"none": ".00", "after_softmax": ".00", "half": "NaN"}.get(breakage, "1.00")
    assert alt.endswith(f"masked keys is {leak}."), alt
    assert 300 < metadata["image/png"]["width"] <= 960
    assert plt.get_fignums() == []


def test_the_largest_picture_fits_the_page():
    """Five keys make a picture wider than the column of text."""
    _, metadata = lab(5, 5, 5)._repr_mimebundle_()
    assert metadata["image/png"]["width"] <= 960


def test_the_picture_shows_numbers_and_tokens_as_they_are():
    """A label between dollars becomes a formula, a number belongs to another cell."""
    vectors = {f"{name}_vectors": np.zeros((1, 3, 2)) for name in ("query", "key", "value")}
    picture = MaskLab(key_tokens=[["$$", "a_b", "⟨pad⟩"]], **vectors)._picture()
    texts = [[text.get_text() for text in axes.texts] for axes in picture.axes]
    assert len(texts) == 3
    assert texts[0].count("$$") == 2  # row and column
    assert texts[1].count("True") == 6
    assert texts[2].count(".50") == 6
    assert texts[2].count("Σ 1.00") == 3


# ---- what the page computes and prints -----------------------------------------------------------


def cases():
    """States, and what Python makes of them, for js/mask.js to reproduce. None stands for NaN."""
    wrongs = [("none", "float16"), *product(["half"], ["float16", "bfloat16", "float32"])]
    wrongs += [(name, "float16") for name in BREAKAGES if name not in ("none", "half")]
    for breakage, float_type in wrongs:
        wrong = {"breakage": breakage, "float_type": float_type}
        for traits in (
            {},
            {"causal": True, "lengths": (4, 2)},
            {"lengths": (0, 3)},
            {"flips": [(0, 1, 2), (1, 1, 3)]},
        ):
            yield MaskLab(**wrong, **traits)
        yield lab(**wrong, lengths=(5, 0), flips=[(1, 2, 4), (0, 0, 0)])
        yield lab(3, 3, 3, **wrong, lengths=(1, 2, 3))
        yield lab(1, 1, 1, **wrong, lengths=(1,))
        yield MaskLab(
            key_tokens=[["cat"]], key_vectors=[[[900, 900]]], query_vectors=[[[-900, 900]]], **wrong
        )


def stored(widget):
    """A state and its numbers as JSON."""
    state = {name: widget.trait_values()[name] for name in widget.keys if name in NEEDED}
    numbers = {name: bare(getattr(widget, name).tolist()) for name in SHOWN}
    return json.loads(json.dumps({"state": state, **numbers}, allow_nan=False))


NEEDED = {
    "query_tokens", "key_tokens", "query_vectors", "key_vectors", "value_vectors",
    "lengths", "causal", "flips", "breakage", "float_type",
}  # fmt: skip


def bare(value):
    """Nested lists with None for NaN."""
    if isinstance(value, list):
        return [bare(inner) for inner in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def test_the_stored_fixture_is_what_python_says_today():
    """Python's masks change and the browser goes on with the old ones."""
    old, new = json.loads(FIXTURE.read_text("utf-8")), [stored(widget) for widget in cases()]
    assert len(old) == len(new) == 64, f"write it again: python {Path(__file__).name}"
    for before, after in zip(old, new, strict=True):
        assert before["state"] == after["state"]
        for name in SHOWN:
            told, right = (np.array(case[name], dtype=float) for case in (before, after))
            np.testing.assert_allclose(told, right, rtol=1e-12, atol=1e-14, err_msg=str(after["state"]))


def printed(states):
    """The two cards of each state, as js/mask_cards.js writes them."""
    node = shutil.which("node", path=os.pathsep.join([str(ROOT / ".venv/bin"), os.environ.get("PATH", "")]))
    assert node, "no node: pip install -r tests/requirements.txt brings one"
    script = """
      import { maskOf } from "./attn_helpers/widgets/js/mask.js";
      import { codeOf } from "./attn_helpers/widgets/js/mask_cards.js";
      const states = JSON.parse(await new Response(process.stdin).text());
      console.log(JSON.stringify(states.map((s) => codeOf(s.breakage, s.float_type, maskOf(s)))));
    """
    command = [node, "--input-type=module", "-e", script]
    done = subprocess.run(
        command, cwd=ROOT, input=json.dumps(states), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run_card(code, widget):
    """Execute a card as a reader would, with what it takes for granted; return all names."""
    query, key, value = tensors(widget)
    names = {"torch": torch, "F": F, "masked_softmax": masked_softmax, "attention": identity_attention()}
    names |= {"query": query, "key": key, "value": value}
    names |= {"scores": torch.from_numpy(widget.scores), "mask": torch.from_numpy(widget.mask)}
    exec(code, names)
    return names


def test_the_printed_code_makes_the_grid_beside_it():
    """R008: code in a book that was never run drifts from what the book shows."""
    widgets = list(cases())
    for widget, (left, right) in zip(widgets, printed([stored(w)["state"] for w in widgets]), strict=True):
        first, second = run_card(left, widget), run_card(right, widget)
        if widget.breakage != "none":
            tolerance = 8e-3 if widget.breakage == "half" else 1e-12  # there it is run in the small type
            np.testing.assert_allclose(first["weights"].double(), widget.weights, atol=tolerance)
            widget.breakage = "none"
            np.testing.assert_allclose(second["weights"], widget.weights, atol=1e-12)
            continue
        seen = widget.mask.any(-1)  # in an empty row PyTorch has its own answers, see above
        np.testing.assert_array_equal(first["mask"].expand(widget.mask.shape), widget.mask)
        np.testing.assert_allclose(first["output"], widget.output, atol=1e-12)
        np.testing.assert_allclose(second["output"].detach()[seen], widget.output[seen], atol=1e-12)
        np.testing.assert_allclose(second["weights"].detach()[seen], widget.weights[seen], atol=1e-12)


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(stored(widget)) for widget in cases())
    FIXTURE.write_text(f"[\n{lines}\n]\n", "utf-8")
