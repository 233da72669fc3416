"""ShapeLedger from Python's side: what it takes and refuses, what travels, and that page and Python agree."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from traitlets import TraitError

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.ledger import multi_head_ledger, record, step_ledger, transformer_ledger
from attn_helpers.multi_head import MultiHeadAttention
from attn_helpers.seq2seq import Encoder, Seq2Seq
from attn_helpers.widgets import ShapeLedger

ROOT = Path(__file__).parents[1]
FIXTURE = ROOT / "tests" / "fixtures" / "shape_ledger.json"


def translator():
    torch.manual_seed(0)
    model = Seq2Seq(Encoder(13, 3, 6), AttentionDecoder(17, 3, 11, source_width=6, attention=5))
    return record(model, torch.full((2, 7), 5), torch.tensor([7, 2]), torch.full((2, 4), 5))


# ---- what the book shows first --------------------------------------------------------------------------


def test_the_first_sight():
    """The page opens with something else than the split into heads."""
    widget = ShapeLedger()
    assert widget.sizes == {"B": 2, "T": 4, "m": 8, "S": 5, "H": 2}
    assert widget._book["rows"][widget.blank]["source"] == "q_heads = q_cut.transpose(1, 2)"
    assert widget.row == widget.blank
    assert widget.guess == ()
    assert widget.shapes["q_cut"] == (2, 4, 2, 4)
    assert widget.shapes["q_heads"] == (2, 2, 4, 4)
    assert repr(widget) == "ShapeLedger(multi_head_pass, 13 rows, B 2, T 4, m 8, S 5, H 2)"


def test_other_sizes_are_those_of_a_real_pass():
    """Shapes on the page are rescaled by a rule that the layer does not follow."""
    for batch, queries, keys, width, heads in [(1, 1, 1, 1, 1), (3, 5, 7, 22, 11), (2, 2, 2, 12, 3)]:
        widget = ShapeLedger(sizes={"B": batch, "T": queries, "S": keys, "m": width, "H": heads})
        real = multi_head_ledger(batch, queries, keys, width, heads)
        assert widget.shapes == {row.name: row.sizes for row in real.rows}


def test_the_whole_transformer():
    """Chapter 5's passes cannot be shown, their letters not changed; or the split of heads is told there."""
    whole, step = ShapeLedger(transformer_ledger()), ShapeLedger(step_ledger())
    assert set(whole.sizes) == set("BSTmHfV")
    assert set(step.sizes) == set("BStmHfV")
    assert not whole._book["heads"]
    assert ShapeLedger()._book["heads"]
    whole.sizes = {**whole.sizes, "T": 7, "H": 4}
    assert whole.shapes["looks"] == (2, 4, 7, 5)
    step.sizes = {**step.sizes, "t": 9}
    assert step.shapes["weights"] == (2, 2, 1, 10)
    assert ShapeLedger(transformer_ledger(), sizes={"m": 9}).shapes.keys() >= {"read"}
    assert "q" not in ShapeLedger(transformer_ledger(), sizes={"m": 9}).shapes


def test_what_stands_inside_is_named():
    """Two rows `words`, two `q`: encoder or decoder?"""
    rows = ShapeLedger(transformer_ledger())._book["rows"]
    assert [(row["name"], row["inside"]) for row in rows if row["inside"]] == [
        ("words", "encoder_pass"),
        ("words", "decoder_pass"),
    ]
    assert not any(row["inside"] for row in ShapeLedger(step_ledger())._book["rows"])


def test_two_rows_of_one_name_keep_their_shapes():
    """The picture gives the second of them the shape of another row, or cannot be drawn."""
    widget = ShapeLedger(transformer_ledger())
    alt = widget._picture()._repr_mimebundle_()[1]["image/png"]["alt"]
    assert alt.count("inner (B 2, ") == 2
    assert "inner (B 2, S 5, f 16)" in alt
    assert "inner (B 2, T 4, f 16)" in alt
    assert alt.endswith("logits (B 2, T 4, V 11).")


def test_what_does_not_split_ends_the_pass():
    """A width of two and a half is drawn as if it were one."""
    widget = ShapeLedger(sizes={"m": 10, "H": 4})
    assert list(widget.shapes) == ["query", "key", "value", "q"]
    widget.sizes = {**widget.sizes, "H": 5}
    assert widget.shapes["q_heads"] == (2, 5, 4, 2)


def test_a_recorded_pass():
    """Another pass than several heads cannot be shown, or its letters cannot be changed."""
    ledger = translator()
    widget = ShapeLedger(ledger)
    assert widget.blank is None
    assert len(widget._book["rows"]) == len(ledger.rows)
    assert widget.shapes["stacked" if "stacked" in widget.shapes else "states"][0] == 2
    widget.sizes = {**widget.sizes, "h": 20, "a": 9}
    assert widget.shapes["inputs"] == (2, 4, 60)
    assert widget.shapes["asked"] == (2, 1, 9)
    layer = MultiHeadAttention(10, 2, key_width=14)
    heads = ShapeLedger(record(layer, torch.zeros(3, 5, 10), torch.zeros(3, 7, 14), torch.zeros(3, 7, 14)))
    assert heads.shapes["scores"] == (3, 2, 5, 7)


@pytest.mark.parametrize(
    ("traits", "message"),
    [
        ({"sizes": {"B": 0}}, "from 1 to 1000000 for each letter"),
        ({"sizes": {"B": 2.5}}, "for each letter"),
        ({"sizes": {"q": 3}}, "takes B, H, S, T, m, got"),
        ({"sizes": {"d": 3}}, "takes B, H, S, T, m, got"),
        ({"axis": "x"}, "axis takes B, H, S, T, d, m, v, got 'x'"),
        ({"row": 13}, "row takes 0 to 12, got 13"),
        ({"blank": -1}, "blank takes 0 to 12, got -1"),
        ({"guess": "BTHd"}, "names of axes"),
        ({"guess": [1]}, "names of axes"),
    ],
)
def test_what_does_not_fit_is_refused(traits, message):
    """A slip ends in an empty page."""
    with pytest.raises(TraitError, match=message):
        ShapeLedger(**traits)


def test_only_a_ledger_is_shown():
    """A model given instead of its ledger ends in a riddle."""
    with pytest.raises(TypeError, match=r"ledger must be a recorded pass, from record\(…\), got Linear"):
        ShapeLedger(torch.nn.Linear(2, 3))
    with pytest.raises(TraitError, match="at least one row"):
        ShapeLedger(record(len, []))


def lying(x, w):
    y = x @ w  # (B, T, d)
    z = y.mT  # (B, T, d)
    return z[:, 1:]  # (B, T - 1, d)


def test_what_does_not_hold_is_said_and_not_drawn():
    """A contradicted comment is drawn as truth: (2, 5, 4) for a tensor that is (2, 4, 5)."""
    ledger = record(lying, torch.zeros(2, 5, 3), torch.zeros(2, 3, 4))
    widget = ShapeLedger(ledger)
    assert widget.shapes["z"] == (2, 4, 5)
    said = widget._book["said"]
    assert len(said) == 3
    assert "z: T is 5, but the tensor (2, 4, 5) has 4 there" in said[0]
    assert "(B, T - 1, d) is not read" in said[2]
    alt = widget._picture()._repr_mimebundle_()[1]["image/png"]["alt"]
    assert "z (B 2, 4, 5)" in alt
    assert all(" ".join(line.split())[:100] in alt for line in said)
    assert ShapeLedger()._book["said"] == []
    assert widget.reserve[0] == ShapeLedger(replace(ledger, contradictions=(), unread=())).reserve[0] + 90


def test_an_empty_ledger_says_why():
    """A pass that fails on its first line ends in "at least one row"."""
    with pytest.raises(TraitError, match=r"at least one row.*is no product"):
        ShapeLedger(record(lambda x: x @ x, torch.zeros(2, 3)))


def test_sizes_left_out_stay_as_recorded():
    """`sizes={"H": 4}` forgets all other letters."""
    assert ShapeLedger(sizes={"H": 4}).sizes == {"B": 2, "T": 4, "m": 8, "S": 5, "H": 4}


def test_a_change_in_place_is_no_change():
    """R110: a dict changed in place is sent to nobody."""
    mine = {"B": 1, "T": 4, "m": 8, "S": 5, "H": 2}
    widget = ShapeLedger(sizes=mine)
    mine["B"] = 7
    assert widget.sizes["B"] == 1
    heard = []
    widget.observe(heard.append, "sizes")
    widget.sizes = {**widget.sizes, "B": 3}
    assert len(heard) == 1


def test_the_picture_says_every_shape():
    """The picture beside the widget shows other shapes, or its words leave some out."""
    widget = ShapeLedger(sizes={"B": 3, "T": 5, "S": 7, "m": 22, "H": 11})
    picture = widget._picture()
    for name, shape in widget.shapes.items():
        letters = next(row["axes"] for row in widget._book["rows"] if row["name"] == name)
        said = f"{name} ({', '.join(f'{a} {n}' for a, n in zip(letters, shape, strict=True))})"
        assert said in picture._repr_mimebundle_()[1]["image/png"]["alt"]
    texts = [text.get_text() for text in picture.axes[0].texts]
    assert "(B 3, H 11, T 5, d 2)" in texts
    assert "and 21 more" in texts
    assert [text.get_text() for text in ShapeLedger(sizes={"m": 9})._picture().axes[0].texts].count(
        "never made"
    ) == 9


def test_boxes_in_the_picture_are_in_proportion():
    """A tensor twice as wide is drawn as wide."""
    patches = ShapeLedger(sizes={"m": 16, "T": 4})._picture().axes[0].patches
    assert patches[0].get_width() == pytest.approx(4 * patches[0].get_height())


# ---- the page's numbers are Python's --------------------------------------------------------------------


def cases():
    """Passes at many sizes: what Python records or, for the rules, works out."""
    rng = random.Random(0)
    sizes = [(2, 4, 5, 8, 2), (1, 1, 1, 1, 1)]
    for _ in range(12):
        heads = rng.randint(1, 8)
        sizes.append((*(rng.randint(1, 11) for _ in range(3)), heads * rng.randint(1, 9), heads))
    book = ShapeLedger()._book
    yield {"book": book, "cases": [counted(*given) for given in sizes]}
    recorded = translator()
    widget = ShapeLedger(recorded)
    whole = {"flops": recorded.flops, "parameters": recorded.parameters, "cache": recorded.cache_bytes}
    found = [{"sizes": widget.sizes, "dims": [row.sizes for row in recorded.rows], **whole}]
    found[0]["bytes"] = [row.bytes for row in recorded.rows]
    yield {"book": widget._book, "cases": found}
    for ledger, letters in ((transformer_ledger, "BSTmHfV"), (step_ledger, "BStmHfV")):
        given = [
            (2, 5, 4, 8, 2, 16, 11),
            (1, 1, 1, 1, 1, 1, 5),
            (3, 7, 5, 22, 2, 13, 17),
            (1, 9, 8, 12, 6, 5, 7),
        ]
        made = [(ledger(*sizes), dict(zip(letters, sizes, strict=True))) for sizes in given]
        yield {"book": ShapeLedger(made[0][0])._book, "cases": [sums(*one) for one in made]}


def sums(ledger, sizes):
    return {
        "sizes": sizes,
        "dims": [row.sizes for row in ledger.rows],
        "row_flops": [row.flops for row in ledger.rows],
        "bytes": [row.bytes for row in ledger.rows],
        "flops": ledger.flops,
        "parameters": ledger.parameters,
        "cache": ledger.cache_bytes,
    }


def counted(batch, queries, keys, width, heads):
    sizes = {"B": batch, "T": queries, "m": width, "S": keys, "H": heads}
    return sums(multi_head_ledger(batch, queries, keys, width, heads), sizes)


def test_the_stored_fixture_is_what_python_counts_today():
    """The page is held against numbers that Python no longer gives. (To renew: run this file.)"""
    assert json.loads(FIXTURE.read_text("utf-8")) == json.loads(json.dumps(list(cases())))


def test_the_page_gets_the_ledger_whole():
    """A row of the ledger does not arrive."""
    ledger = multi_head_ledger()
    book = ShapeLedger(replace(ledger, title="mine"))._book
    assert book["title"] == "mine"
    assert [row["name"] for row in book["rows"]] == [row.name for row in ledger.rows]
    assert (
        json.loads(json.dumps(ShapeLedger().get_state(), allow_nan=False, default=str))["_book"] is not None
    )


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases())
    FIXTURE.write_text(f"[\n{lines}\n]\n", "utf-8")
