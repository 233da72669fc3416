"""AttentionHeatmap in Python: what it takes, what it refuses, what travels to the page."""

import base64
import json
import shutil
import struct
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from traitlets import TraitError

from attn_helpers import attend
from attn_helpers.corpus.pairs import Pair
from attn_helpers.metrics import alignment
from attn_helpers.widgets import AttentionHeatmap
from attn_helpers.widgets.heatmap_layout import MOST_ELEMENTS, is_dense, row_pitch
from attn_helpers.widgets.packed import packed
from attn_helpers.widgets.padding import pack_mask, unpack_mask
from attn_helpers.widgets.payload import EXACT_CELLS, MOST_CELLS, pack, read_weights, unpack

ROOT = Path(__file__).parents[1]
HOSTILE = json.loads((Path(__file__).parent / "fixtures/hostile_tokens.json").read_text(encoding="utf-8"))
WEIGHTS = [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]  # two queries, three keys
ROWS, COLUMNS = ["le", "chat"], ["the", "black", "cat"]


def softmax(*shape, seed=0):
    """Random rows that sum to 1, float64."""
    powers = np.exp(2 * np.random.default_rng(seed).normal(size=shape))
    return powers / powers.sum(axis=-1, keepdims=True)


def names(count, letter="t"):
    return [f"{letter}{i}" for i in range(count)]


def heatmap(weights=WEIGHTS, **options):
    """A heatmap with as many labels as there must be."""
    shape = np.shape(weights)
    return AttentionHeatmap(weights, names(shape[-2], "q"), names(shape[-1], "k"), **options)


# ---- what it takes


KINDS = {
    "lists": lambda x: x.tolist(),
    "tuples of tensors": lambda x: tuple(torch.tensor(row) for row in x),
    "float64": lambda x: x,
    "float16": lambda x: x.astype(np.float16),
    "tensor": torch.tensor,
    "half tensor": lambda x: torch.tensor(x).half(),
    "bfloat16 tensor": lambda x: torch.tensor(x).bfloat16(),
    "float32 tensor": lambda x: torch.tensor(x).float(),
    "tensor with a graph": lambda x: torch.tensor(x, requires_grad=True) * 1,
    "half tensor with a graph": lambda x: torch.tensor(x, requires_grad=True).half(),
    "bfloat16 leaf with a graph": lambda x: torch.tensor(x).bfloat16().requires_grad_(),
    "transposed": lambda x: np.swapaxes(np.ascontiguousarray(np.swapaxes(x, -1, -2)), -1, -2),
    "strided": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "other byte order": lambda x: x.astype(">f8"),
    "read-only": lambda x: np.broadcast_to(x, x.shape),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(5, 7), (3, 5, 7), (2, 3, 5, 7)])
def test_weights_of_any_kind_arrive_as_they_are(kind, shape):
    """R106, R112: a tensor, half, with a graph or laid out otherwise, is shown like a plain list."""
    weights = softmax(*shape)
    widget = heatmap(KINDS[kind](weights))
    tolerance = 2e-2 if "bfloat" in kind else 2e-3 if "half" in kind or kind == "float16" else 1e-7
    np.testing.assert_allclose(widget.weights.reshape(shape), weights, atol=tolerance)
    assert widget._shape == (1,) * (4 - len(shape)) + shape


def test_the_given_tensor_and_its_graph_stay_as_they_were():
    """R106: looking at weights must not cut them off from training."""
    leaf = torch.rand(2, 3, requires_grad=True)
    weights = leaf.softmax(-1)
    before = weights.detach().clone()
    heatmap(weights)
    assert weights.requires_grad
    assert torch.equal(weights, before)
    weights.sum().backward()
    assert leaf.grad is not None


def test_integers_and_booleans_are_numbers():
    """Hard attention, 0 or 1, is attention."""
    assert heatmap(np.eye(3, dtype=int)).weights.sum() == 3
    assert heatmap(np.eye(3, dtype=bool)).weights.sum() == 3


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (512, 512), (3, 2, 1, 5)])
def test_sizes_at_the_edges(shape):
    """One word attends too, and so do five hundred."""
    assert heatmap(softmax(*shape)).shown.shape == shape[-2:]


def test_repeated_tokens_stay_apart():
    """R099: the, cat, the: three columns and three rows, also where one is updated, pinned or guessed."""
    widget = AttentionHeatmap([[0.5, 0.2, 0.3]] * 3, ["le"] * 3, ["the", "cat", "the"], row=2, column=2)
    assert (widget.query_tokens, widget.key_tokens) == (("le",) * 3, ("the", "cat", "the"))
    axes = widget._picture().axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["the", "cat", "the"]
    assert list(axes.get_xticks()) == [0, 1, 2]


def test_a_row_that_attends_to_nothing_is_allowed():
    """The policy for an empty row is zeros; a lesson about it must be able to show one."""
    assert heatmap([[0, 0], [0.5, 0.5]]).weights.sum() == 1


def test_weights_computed_by_attend_go_straight_in():
    """The chapter's own function and its picture fit together."""
    points = torch.tensor([[1.0, 0.8], [2.4, 0.3], [0.9, 0.7], [0.3, -1.2]])
    _, weights = attend(points[:3], points, points)
    np.testing.assert_allclose(heatmap(weights).shown, weights, atol=1e-7)


# ---- what it refuses, in words


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        ([[0.5, float("nan")]], ValueError, r"weights must be finite, got nan at \[0, 1\]"),
        ([[0.5, float("inf")]], ValueError, "weights must be finite, got inf"),
        ([[2.0, -1.0]], ValueError, r"must not be negative, got -1 at \[0, 1\]; are these scores"),
        ([[0.5, 0.5], [0.9, 0.4]], ValueError, r"must sum to 1 \(or 0\), got 1.300 at \[1\]"),
        ([0.5, 0.5], ValueError, r"got shape \(2,\)"),
        (np.zeros((2, 2, 2, 2, 2)), ValueError, "from_batch"),
        (np.zeros((0, 3)), ValueError, r"at least one query and one key, got shape \(0, 3\)"),
        ([[0.5, 0.5], [1.0]], ValueError, "weights must be a full array"),
        ([["a", "b"]], TypeError, "weights must be real numbers"),
        ([[1j]], TypeError, "weights must be real numbers, got complex"),
        (torch.eye(2) + 0j, TypeError, "weights must be real numbers, got complex64"),
        ([(torch.eye(2) + 0j).conj()], TypeError, "weights must be real numbers, got complex64"),
    ],
)
def test_bad_weights_get_a_clear_error(weights, error, words):
    """R109: a NaN must not reach a page, where it would silence every widget; the message says what to do."""
    with pytest.raises(error, match=words):
        AttentionHeatmap(weights, ["q"] * 2, ["k"] * 2)


def test_weights_normalised_along_the_wrong_axis_are_noticed():
    """Columns that sum to 1 look legal in a picture; the rows give them away."""
    weights = softmax(3, 5).T  # (5, 3): softmax over queries
    with pytest.raises(ValueError, match="along the keys"):
        heatmap(weights)


def test_weights_after_dropout_are_refused_unless_asked_for():
    """R021: what is plotted is before dropout; after it, rows do not sum to 1."""
    dropped = [[1.25, 0.0, 0.0], [0.625, 0.625, 0.0]]
    with pytest.raises(ValueError, match="before dropout"):
        heatmap(dropped)
    assert heatmap(dropped, normalised=False).weights.max() == 1.25


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        (["a"], ["x", "y", "z"], r"query_tokens must name each of the 2 queries \(rows\).*got 1"),
        (["a", "b", "c"], ["x", "y"], r"must name each of the"),  # a transposed map
        ("ab", ["x", "y", "z"], "query_tokens takes a list of at least one string"),
        (["a", 2], ["x", "y", "z"], "query_tokens takes a list of at least one string"),
        (None, ["x", "y", "z"], "query_tokens takes a list of at least one string"),
    ],
)
def test_labels_must_fit(rows, columns, words):
    """R103: a square map hides a transposition, others must say so; a string is not a list of words."""
    with pytest.raises(TraitError, match=words):
        AttentionHeatmap(WEIGHTS, rows, columns)


def test_too_many_cells_are_refused_before_they_are_copied():
    """R118: 12 × 12 × 512² would send 150 MB; the message names what to choose."""

    class Huge:
        shape = (12, 12, 512, 512)

        def __array__(self, *_):
            raise AssertionError("copied before its size was looked at")

    with pytest.raises(ValueError, match=r"37,748,736 cells.*at most 4,194,304.*weights\[layer, head\]"):
        AttentionHeatmap(Huge(), names(512), names(512))
    assert MOST_CELLS > 12 * 12 * 128 * 128


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"row": 2}, "row must be from 0 to 1, got 2"),
        ({"column": -1}, "column must be from 0 to 2, got -1"),
        ({"predict": 7}, "predict must be from 0 to 1"),
        ({"head": 1}, "head must be from 0 to 0"),
        ({"layer": "average"}, "layer"),
        ({"view": "graph"}, "view"),
        ({"gold": {"sure": [(0, 3)]}}, r'gold\["sure"\].*below \(2, 3\), got \(0, 3\)'),
        ({"gold": {"certain": [(0, 0)]}}, "gold takes a dict"),
        ({"gold": [(0, 0)]}, "gold takes a dict"),
        ({"gold": {"sure": [(-1, 0)]}}, r'gold\["sure"\].*from 0.*got \(-1, 0\)'),
        ({"gold": {"possible": {(2, 0)}}}, r'gold\["possible"\].*got \(2, 0\)'),
        ({"gold": {"sure": [(0, 1.5)]}}, "gold takes a dict"),
        ({"gold": {"sure": [(True, 0)]}}, "gold takes a dict"),
        ({"gold": {"sure": [(0, 1, 2)]}}, "gold takes a dict"),
        ({"gold": Pair(("the",) * 3, ("le",) * 4)}, "4 target and 3 source words.*2 rows and 3 columns"),
        ({"gold": Pair(("the",), ("le",) * 2)}, "2 target and 1 source words"),
        ({"gold": Pair(("the",) * 2, ("le",) * 2), "end_token": "."}, "'k2'.*not the end_token '.'"),
        ({"head_labels": ["a", "b"]}, "head_labels must name each of the 1 heads"),
    ],
)
def test_choices_must_exist(options, words):
    """A row that is not there would show nothing and say nothing."""
    with pytest.raises(TraitError, match=words):
        heatmap(**options)


def test_an_unknown_argument_is_not_swallowed():
    """A typing error in a keyword must not be ignored."""
    with pytest.raises(TypeError, match="no argument 'heads'"):
        heatmap(heads=["a"])


# ---- masks and padding


def test_what_may_not_attend_is_hatched():
    """R105: masked is not the same as a weight of 0, and True means may attend."""
    mask = np.array([[True, True, False], [True, True, True]])
    widget = heatmap([[0.4, 0.6, 0.0], [0.5, 0.25, 0.25]], mask=mask)
    np.testing.assert_array_equal(unpack_mask(widget._masked, (2, 3)), ~mask)
    assert heatmap(mask=np.ones((2, 3), bool))._masked == b""


@pytest.mark.parametrize(
    ("mask", "error", "words"),
    [
        ([[1, 1, 0], [1, 1, 1]], TypeError, "mask must be boolean"),
        (np.ones(3, bool), ValueError, r"\(T, S\) = \(2, 3\)"),
        (np.ones((3, 2), bool), ValueError, r"got \(3, 2\)"),
        (np.ones((4, 2, 3), bool), ValueError, r"got \(4, 2, 3\)"),
        (np.array([[True, True, False]]), ValueError, r"give 0.700 to a masked pair, at \[0, 0, 0, 2\]"),
    ],
)
def test_masks_that_do_not_fit_are_refused(mask, error, words):
    """A flipped or leaking mask looks legal once it is hatched; it is named instead."""
    with pytest.raises(error, match=words):
        heatmap(mask=mask)


BATCH = softmax(4, 5, 7)
BATCH[1, :, 2:] = 0
BATCH[1] /= BATCH[1].sum(axis=-1, keepdims=True)
LENGTHS = {"query_lengths": [5, 3, 5, 0], "key_lengths": torch.tensor([7, 2, 7, 7])}


def test_padding_is_cut_off():
    """R105: a reader must not see attention in rows that are no words."""
    widget = AttentionHeatmap.from_batch(BATCH, 1, **LENGTHS, query_tokens=names(3), key_tokens=names(2))
    np.testing.assert_allclose(widget.shown, BATCH[1, :3, :2], atol=1e-7)


def test_padding_can_be_hatched():
    """R105: rows 3 and 4 and columns from 2 on are hatched, whatever the model computed there."""
    widget = AttentionHeatmap.from_batch(
        BATCH, 1, **LENGTHS, query_tokens=names(3), key_tokens=names(7), padding="hatch"
    )
    hatched = unpack_mask(widget._masked, (5, 7))
    assert hatched[3:].all()
    assert hatched[:, 2:].all()
    assert not hatched[:3, :2].any()
    assert widget.query_tokens == ("t0", "t1", "t2", "⟨pad⟩", "⟨pad⟩")


def test_weight_on_padded_keys_is_named():
    """R105: a model that attends to padding is a fault to be seen, not to be cropped away."""
    leaking = softmax(1, 5, 7)
    with pytest.raises(ValueError, match="must sum to 1"):
        AttentionHeatmap.from_batch(leaking, 0, [5], [2], names(5), names(2))
    with pytest.raises(ValueError, match="masked pair"):
        AttentionHeatmap.from_batch(leaking, 0, [5], [2], names(5), names(7), padding="hatch")


@pytest.mark.parametrize("axes", [(3, 5, 7), (3, 2, 5, 7), (4, 3, 2, 5, 7)])
def test_an_item_is_taken_from_the_batch_axis(axes):
    """R023: (B, T, S), (B, H, T, S) and, as libraries stack them, (L, B, H, T, S)."""
    weights = softmax(*axes)
    widget = AttentionHeatmap.from_batch(weights, 2, None, None, names(5), names(7))
    expected = weights[:, 2] if len(axes) == 5 else weights[2]
    np.testing.assert_allclose(widget.weights.reshape(expected.shape), expected, atol=1e-7)


def test_layers_may_come_as_a_tuple_of_tensors():
    """Model outputs hold one (B, H, T, S) tensor per layer, with a graph."""
    layers = tuple(torch.tensor(softmax(3, 2, 5, 7, seed=i), requires_grad=True) for i in range(4))
    widget = AttentionHeatmap.from_batch(layers, 1, None, None, names(5), names(7), layer=3)
    np.testing.assert_allclose(widget.shown, layers[3][1, 0].detach(), atol=1e-7)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"item": 4}, "item must be from 0 to 3, got 4"),
        ({"item": 3}, "item 3 has 0 queries"),
        ({"query_lengths": [5, 3, 6, 1]}, r"query_lengths must hold 4 whole numbers from 0 to 5"),
        ({"key_lengths": [7, 2]}, "key_lengths must hold 4 whole numbers"),
        ({"padding": "show"}, 'padding must be "crop" or "hatch"'),
        ({"weights": BATCH[0]}, r"\(B, T, S\)"),
    ],
)
def test_batches_that_do_not_fit_are_refused(change, words):
    """Lengths of another batch would crop silently at the wrong word."""
    options = {"weights": BATCH, "item": 2, **LENGTHS, "query_tokens": names(5), "key_tokens": names(7)}
    with pytest.raises(ValueError, match=words):
        AttentionHeatmap.from_batch(**options | change)


# ---- bytes


def test_small_maps_travel_as_float32_bit_for_bit():
    """R112: a transposed array arrives as it is meant, little-endian, row by row."""
    cells = np.arange(6, dtype=np.float32).reshape(2, 3).T[None, None] / 5  # strided
    assert pack(cells) == struct.pack("<6f", *[0, 0.6, 0.2, 0.8, 0.4, 1])
    assert pack(cells.astype(">f8")) == pack(cells)


def test_large_maps_keep_three_decimals():
    """A plain uint8 would show three of four numbers wrong; row-scaled uint16 stays within its bound."""
    cells = softmax(1, 3, 150, 151, seed=3)
    cells[0, 0, 0] = 0  # a row that attends to nothing has no scale
    assert cells.size > EXACT_CELLS
    packed_cells = pack(cells)
    assert len(packed_cells) == 2 * cells.size + 4 * 3 * 150
    back = unpack(packed_cells, cells.shape)
    bound = cells.max(axis=-1, keepdims=True) / 131070
    assert (np.abs(back - cells) <= bound * (1 + 1e-2) + 1e-9).all()
    wrong = np.mean(np.round(back.astype(float), 3) != np.round(cells, 3))
    assert wrong <= 0.002


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_masks_survive_their_bits(rows, columns, seed):
    """One bit per cell, also where the cells do not fill their last byte."""
    mask = np.random.default_rng(seed).random((rows, columns)) < 0.5
    back = unpack_mask(pack_mask(mask), mask.shape)
    np.testing.assert_array_equal(np.zeros_like(mask) if back is None else back, mask)


def node(script, **data):
    """What a script of ours prints in node, as JSON; `data` is at hand in it."""
    done = subprocess.run(
        [shutil.which("node") or Path(sys.executable).parent / "node", "--input-type=module", "-"],
        input=f"const data = {json.dumps(data)};\n{script}",
        cwd=ROOT / "attn_helpers/widgets/js",
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (2, 3, 110, 101)])
def test_the_page_reads_what_python_packed(shape):
    """R112, R113: every byte, also those above 0x7f and off a four-byte boundary, arrives in JavaScript."""
    cells = softmax(*shape, seed=5)
    script = """
      import { cellsOf } from "./decode.js";
      const bytes = Buffer.from(data.payload, "base64");
      const odd = new DataView(new Uint8Array([0, 0, 0, ...bytes]).buffer, 3); // starts off every boundary
      const pick = (l, h) => [...cellsOf(odd, data.shape, l, h)];
      console.log(JSON.stringify({ one: pick(1, 2), heads: pick(0, "mean"), all: pick("mean", "mean") }));
    """
    payload = pack(cells)
    page = node(script, payload=base64.b64encode(payload).decode(), shape=shape)
    ours = unpack(payload, shape).astype(np.float64)
    size = shape[-2] * shape[-1]
    np.testing.assert_allclose(page["one"], ours[1, 2].reshape(size), atol=1e-7, rtol=1e-6)
    np.testing.assert_allclose(page["heads"], ours[0].mean(0).reshape(size), atol=1e-7, rtol=1e-6)
    np.testing.assert_allclose(page["all"], ours.mean((0, 1)).reshape(size), atol=1e-7, rtol=1e-6)


def wrong_read_outs(cells, folder):
    """Share of cells whose three decimals in the page are not those of the weights that Python was given."""
    (folder / "payload").write_bytes(pack(read_weights(cells)))
    (folder / "given").write_bytes(cells.astype("<f8").tobytes())
    script = """
      import { readFileSync } from "node:fs";
      import { cellsOf } from "./decode.js";
      import { number } from "./words.js";
      const view = (name) => new DataView(new Uint8Array(readFileSync(name)).buffer);
      const [payload, given] = data.files.map(view);
      const [layers, heads, queries, keys] = data.shape;
      let [wrong, i] = [0, 0];
      for (let layer = 0; layer < layers; layer++)
        for (let head = 0; head < heads; head++)
          for (const weight of cellsOf(payload, data.shape, layer, head))
            wrong += number(weight, 3) !== number(given.getFloat64(8 * i++, true), 3);
      console.log(JSON.stringify([wrong, i]));
    """
    files = [str(folder / "payload"), str(folder / "given")]
    wrong, seen = node(script, files=files, shape=cells.shape)
    assert seen == cells.size
    return wrong / seen


@pytest.mark.parametrize("sharpness", [0.5, 2.0, 6.0])
def test_read_outs_of_a_large_model_are_right_to_three_decimals(sharpness, tmp_path):
    """12 layers × 12 heads × 128²: flat, usual and peaked rows; at most 2 of 1000 read-outs are a digit off.

    A plain uint8 would get three of four wrong.
    """
    powers = np.exp(sharpness * np.random.default_rng(4).normal(size=(12, 12, 128, 128)))
    cells = (powers / powers.sum(axis=-1, keepdims=True)).astype(np.float32)
    assert wrong_read_outs(cells, tmp_path) <= 0.002


@pytest.mark.parametrize("shape", [(1, 1, 256, 256), (4, 4, 64, 64), (1, 3, 5, 7)])
def test_read_outs_up_to_64k_cells_are_all_right(shape, tmp_path):
    """What fits into a page as float32 is read out as it was given, digit for digit."""
    cells = softmax(*shape, seed=6).astype(np.float32)
    assert cells.size <= EXACT_CELLS
    assert wrong_read_outs(cells, tmp_path) == 0


def test_row_figures_agree_with_python():
    """The read-out's sum, strongest key and e to the entropy are computed in the page, never typed in."""
    cells = softmax(1, 1, 11, 13, seed=2)
    script = """
      import { cellsOf, readRow } from "./decode.js";
      const payload = new DataView(new Uint8Array(Buffer.from(data.payload, "base64")).buffer);
      const cells = cellsOf(payload, data.shape, 0, 0);
      const rows = [...Array(11).keys()].map((row) => readRow(cells, 13, row));
      console.log(JSON.stringify(rows.map(({ sum, top, words }) => [sum, top, words])));
    """
    page = node(script, payload=base64.b64encode(pack(cells)).decode(), shape=cells.shape)
    rows = unpack(pack(cells), cells.shape)[0, 0].astype(np.float64)
    for (total, top, words), row in zip(page, rows, strict=True):
        shares = row / row.sum()
        assert total == pytest.approx(row.sum(), abs=1e-9)
        assert top == row.argmax()
        assert words == pytest.approx(np.exp(-(shares * np.log(shares)).sum()), abs=1e-9)


# ---- gold links

CAT = Pair(
    ("the", "black", "cat"),
    ("le", "chat"),
    frozenset({(0, 0), (1, 2)}),
    frozenset({(0, 0), (0, 2), (1, 2)}),
)


def with_ends(pair, *shape, seed=3):
    """Random weights over the pair's words and both ends of sentence."""
    weights = softmax(*shape, len(pair.target) + 1, len(pair.source) + 1, seed=seed)
    return weights, [*pair.target, "⟨end⟩"], [*pair.source, "⟨end⟩"]


def test_gold_is_taken_from_a_pair_or_from_sets():
    """Sets have no order and a corpus lists sure links among the possible ones; the page gets each once."""
    widget = AttentionHeatmap(*with_ends(CAT), gold=CAT)
    assert widget.gold == (((0, 0), (1, 2)), ((0, 2),))
    assert widget.end_token == "⟨end⟩"  # else the end would be asked for a link
    assert heatmap(gold={"sure": CAT.sure, "possible": CAT.possible}).gold == widget.gold
    assert heatmap(gold={"sure": np.array([[0, 1]])}).gold.sure == ((0, 1),)
    assert not any(heatmap(gold=None).gold)
    assert heatmap(gold=CAT).end_token == ""  # as many words as weights: there is no end


def test_the_error_rate_is_that_of_the_chapters_table():
    """Per layer and head and their mean, ends of sentence on neither side, sure links alone beside it."""
    for seed in range(20):
        weights, rows, columns = with_ends(CAT, 2, 5, seed=seed)
        widget = AttentionHeatmap(weights, rows, columns, gold=CAT)
        held = torch.from_numpy(weights.astype(np.float32).astype(np.float64))
        for strict in (False, True):
            assert widget.alignment(1, 3, sure_only=strict) == alignment(held[1, 3], CAT, sure_only=strict)
        assert widget.alignment(head="mean") == alignment(held[0].mean(0), CAT)
        widget.layer, widget.head = 1, 4
        assert widget.alignment() == alignment(held[1, 4], CAT)


def test_other_weights_come_with_their_own_links():
    """One message: another sentence is never shown with the links of the last."""
    widget = AttentionHeatmap(*with_ends(CAT), gold=CAT)
    other = Pair(("a", "b", "c", "d", "e"), ("x", "y", "z"), frozenset({(2, 4)}))
    widget.update(*with_ends(other), gold=other)
    assert widget.gold.sure == ((2, 4),)
    with pytest.raises(TraitError, match="gold: a pair of 2 target"):
        widget.update(*with_ends(other), gold=CAT)
    assert widget.gold.sure == ((2, 4),)


@pytest.mark.parametrize("view", ["grid", "ribbons"])
def test_marks_and_rate_are_in_the_picture(view):
    """Where no script runs: a dot is sure, a ring possible, and the rate says by which rule."""
    weights = [[0.2, 0.1, 0.7], [0.5, 0.25, 0.25]]
    widget = AttentionHeatmap(weights, ROWS, COLUMNS, gold=CAT, row=0, view=view)
    axes = widget._picture().axes[0]
    marks = {
        (line.get_fillstyle(), *np.round([line.get_xdata()[0], line.get_ydata()[0]], 2))
        for line in axes.lines
        if line.get_marker() == "o"
    }
    places = {"grid": ((0.36, -0.24), (2.36, -0.24)), "ribbons": ((0, 1.24), (1, 1.24))}[view]
    assert {("full", *places[0]), ("none", *places[1])} <= marks
    assert len(marks) == (3 if view == "grid" else 2)  # ribbons: those of the row
    said = " ".join([text.get_text() for text in axes.texts] + [axes.get_xlabel()])
    assert "AER .750: strongest source word per target word, end of sentence left out" in said
    assert "2 sure links, 1 possible ones. AER .750" in widget._picture().alt
    widget.show_gold = False
    assert not [line for line in widget._picture().axes[0].lines if line.get_marker() == "o"]
    assert "AER" not in widget._picture().alt


# ---- changes


def changes(widget, *traits):
    """Record what is sent when these traits change."""
    seen = []
    widget.observe(lambda change: seen.append(change["name"]), list(traits))
    return seen


def test_a_change_in_place_cannot_be_lost():
    """R110: assigning into what `weights` returns fails loudly instead of showing nothing."""
    widget = heatmap(gold={"sure": [(0, 0)]})
    for unmoved in (widget.weights, heatmap(softmax(300, 300)).weights):
        with pytest.raises(ValueError, match="read-only"):
            unmoved[0, 0, 0, 0] = 1
    with pytest.raises((TypeError, AttributeError)):
        widget.query_tokens[0] = "la"
    with pytest.raises((TypeError, AttributeError)):
        widget.gold.sure[0] = (1, 1)


def test_the_callers_array_is_copied():
    """R110: what the caller does to its own array later changes neither the widget nor half of it."""
    array = np.array(WEIGHTS)
    widget = heatmap(array)
    array[:] = 0
    assert widget.weights.sum() == pytest.approx(2)


def test_update_shows_other_weights_and_unpins_what_is_gone():
    """Other sizes arrive with their own labels, in one message; a row that is no more is not pinned."""
    widget = heatmap(softmax(2, 3, 5, 7), row=4, column=6, head=2, layer=1, gold={"sure": [(4, 6)]})
    seen = changes(widget, "_payload", "row", "head")
    widget.update(softmax(3, 4), names(3), names(4))
    assert set(seen) == {"_payload", "row", "head"}
    assert (widget.row, widget.column, widget.head, widget.layer) == (None, None, 0, 0)
    assert widget._shape == (1, 1, 3, 4)
    assert not any(widget.gold)
    assert widget.head_labels == ("0",)


def test_a_refused_update_leaves_all_as_it_was():
    """Half an update would show one map with the labels of another."""
    widget = heatmap()
    before = widget.get_state()
    with pytest.raises(TraitError):
        widget.update(softmax(5, 7))  # the tokens of two queries and three keys do not fit
    assert widget.get_state() == before


def test_assigning_weights_is_an_update():
    """R110: `widget.weights = …` sends an event."""
    widget = heatmap()
    seen = changes(widget, "_payload")
    widget.weights = softmax(2, 3, seed=9)
    assert seen == ["_payload"]


def test_numpy_and_torch_indices_pin_a_row():
    """`widget.row = weights.argmax()` is natural to write."""
    widget = heatmap()
    widget.row = np.int64(1)
    widget.column = torch.tensor(2)
    assert (widget.row, widget.column) == (1, 2)
    widget.row = None


def test_the_reader_can_be_followed_from_python():
    """What the page sets is seen in Python: a pinned row, a guess, another head."""
    widget = heatmap(softmax(3, 5, 7), predict=2)
    seen = changes(widget, "row", "guess", "head")
    widget.set_state({"row": 2, "guess": 6, "head": "mean"})
    assert sorted(seen) == ["guess", "head", "row"]
    np.testing.assert_allclose(widget.shown, widget.weights[0].mean(0), atol=1e-7)


# ---- what stands beside the live view


def test_the_text_stays_the_same_in_every_run():
    """It stands in stored outputs; an address in it would change them each time."""
    assert repr(heatmap(softmax(7, 9))) == "AttentionHeatmap(7×9)"
    assert repr(heatmap(softmax(4, 7, 9))) == "AttentionHeatmap(7×9, heads=4)"
    assert repr(heatmap(softmax(2, 1, 7, 9))) == "AttentionHeatmap(7×9, layers=2, heads=1)"


def bundle(widget):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return widget._repr_mimebundle_()


@pytest.mark.parametrize("view", ["grid", "ribbons"])
def test_a_picture_and_a_text_travel_with_the_view(view):
    """R125: where no widget can live, the lesson is readable all the same."""
    data, about = bundle(heatmap(view=view, row=1))
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert data["text/plain"] == "AttentionHeatmap(2×3)"
    assert about["image/png"]["alt"] == (
        "Weights of 2 queries (rows) over 3 keys (columns); q1 looks most at k0, .50."
    )


def test_the_picture_says_which_head_it_shows():
    """R087: never head 0 in silence, never a silent mean."""
    widget = heatmap(softmax(2, 3, 5, 7), layer=1, head=2, head_labels=["near", "far", "next"])
    assert bundle(widget)[1]["image/png"]["alt"].startswith("Layer 1, head next: weights")
    widget.head = "mean"
    assert widget._picture().axes[0].get_title("left") == "Layer 1, mean of 3 heads"


def test_the_picture_shows_rows_as_queries():
    """R102, R103: two rows, three columns; the bright cells where they belong; labels on their own sides."""
    widget = AttentionHeatmap([[1, 0, 0], [0, 0, 1]], ROWS, COLUMNS)
    axes = widget._picture().axes[0]
    shown = axes.images[0].get_array()
    np.testing.assert_array_equal(shown, [[1, 0, 0], [0, 0, 1]])
    assert [label.get_text() for label in axes.get_xticklabels()] == COLUMNS
    assert [label.get_text() for label in axes.get_yticklabels()] == ROWS
    assert axes.yaxis_inverted()
    assert axes.images[0].get_clim() == (0, 1)


def test_the_picture_keeps_a_hidden_row_hidden():
    """A row to be guessed must not stand in print beside the question."""
    widget = heatmap(predict=1, row=1)
    axes = widget._picture().axes[0]
    assert np.ma.getmaskarray(axes.images[0].get_array())[1].all()
    assert ".50" not in " ".join(text.get_text() for text in axes.texts) + axes.get_xlabel()
    assert "looks most" not in widget._picture().alt
    widget.guess = 0
    assert ".50" in axes.get_xlabel() + widget._picture().axes[0].get_xlabel()


@pytest.mark.parametrize("view", ["grid", "ribbons"])
def test_hostile_tokens_in_the_picture(view):
    """R096, R097, R099, R100: $$, _x, CJK and repeated tokens are drawn as they are, nothing is dropped."""
    count = len(HOSTILE)
    widget = AttentionHeatmap(softmax(2, count), HOSTILE[:2], HOSTILE, view=view)
    assert bundle(widget)[0]["image/png"]
    axes = widget._picture().axes[0]
    if view == "grid":
        shown = [label.get_text() for label in axes.get_xticklabels()]
        assert len(shown) == count
        assert {"$$", "_x", "US$"} <= set(shown)


def test_large_pictures_are_made_at_once():
    """R118: 512 × 512 has no number in each cell and is not metres wide."""
    picture = heatmap(softmax(512, 512), row=7)._picture()
    assert len(picture.axes[0].texts) == 0
    assert max(picture.get_size_inches()) * 96 <= 700


def test_hatch_and_marks_are_in_the_picture():
    """R105: masked cells carry no number, gold links their dots."""
    mask = np.array([[True, True, False], [True, True, True]])
    weights = [[0.4, 0.6, 0.0], [0.5, 0.25, 0.25]]
    axes = heatmap(weights, mask=mask, gold={"sure": [(0, 1)], "possible": [(1, 0)]})._picture().axes[0]
    assert [patch.get_hatch() for patch in axes.patches] == ["////"]
    fills = [line.get_fillstyle() for line in axes.lines]
    assert fills == ["full", "none"]


# ---- the page's part


def test_the_module_is_small_and_complete():
    """It travels with every instance, so it is packed; unpacked it is the joined code."""
    assert len(AttentionHeatmap._esm.encode()) < 30_000
    script = """
      const packed = `data:text/javascript;base64,${Buffer.from(data.code).toString("base64")}`;
      URL.createObjectURL = (blob) => { globalThis.blob = blob; return packed2; };
      const packed2 = "data:text/javascript,export default {answer: 42}";
      const { default: open } = await import(packed);
      const widget = await open();
      console.log(JSON.stringify([widget.answer, await blob.text()]));
    """
    answer, text = node(script, code=packed("export default {answer: 41 + 1} // ⟨é⟩"))
    assert answer == 42
    assert text == "export default {answer: 41 + 1} // ⟨é⟩"


@pytest.mark.parametrize(
    ("queries", "keys"), [(1, 1), (4, 5), (12, 12), (29, 25), (32, 32), (40, 25), (128, 128)]
)
def test_many_cells_are_no_elements(queries, keys):
    """A page of thousands of elements would answer late."""
    assert is_dense(queries, keys) == (max(queries, keys) > 40 or queries * keys > MOST_ELEMENTS)
    wide, phone = row_pitch(queries, keys)
    assert queries * wide <= 800  # of a screen
    assert is_dense(queries, keys) or phone >= 52  # a finger's target


def test_reading_weights_is_what_the_widget_does():
    """`read_weights` puts the missing axes in front."""
    assert read_weights([[1.0]]).shape == (1, 1, 1, 1)
