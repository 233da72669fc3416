"""PositionWaves from Python's side: what it takes and refuses, what travels; page and Python agree."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from traitlets import TraitError

from attn_helpers.corpus.vocabulary import EOS, Vocabulary
from attn_helpers.layers import Sizes
from attn_helpers.positions import nearest_twin, rates, similarity, sinusoids
from attn_helpers.transformer import Transformer
from attn_helpers.widgets import PositionWaves
from attn_helpers.widgets.word_orders import ORDERS, answers, first_word

ROOT = Path(__file__).parents[1]
FIXTURE = ROOT / "tests" / "fixtures" / "position_waves.json"


# ---- what the book shows first --------------------------------------------------------------------------


def test_the_first_sight():
    """Another table, or no peak on a high plateau."""
    widget = PositionWaves()
    assert repr(widget) == "PositionWaves(64×32, base 10000, position 8)"
    assert widget.table.shape == (64, 32)
    assert widget.similarity[8] == pytest.approx(1)
    assert widget.similarity.mean() == pytest.approx(0.6, abs=0.01)
    assert widget.twins == (7, 9)
    assert widget.words == ("the", "black", "cat", "sleeps")


def test_the_challenge_can_be_met():
    """With two numbers there is one hand: after 44 words, 7.003 turns, it is back."""
    widget = PositionWaves(width=2, position=0)
    assert widget.twins == (44,)
    assert widget.similarity[44] == pytest.approx(math.cos(44), abs=1e-12)
    assert widget.similarity[44] > 0.9995
    for width in (4, 8, 16, 32, 64):  # and not by luck
        widget = PositionWaves(width=width)
        assert max(np.delete(widget.similarity, 8)) < 0.9995


@pytest.mark.parametrize(
    ("positions", "width", "base", "position"),
    [(64, 32, 1e4, 8), (7, 2, 10, 6), (13, 10, 3, 0), (128, 64, 1e4, 127), (2, 4, 1, 1), (100, 6, 1e12, 50)],
)
def test_the_read_outs_are_those_of_the_positions_module(positions, width, base, position):
    """The reader checks the twin by `nearest_twin` and finds another."""
    widget = PositionWaves(positions=positions, width=width, base=base, position=position)
    table = sinusoids(positions, width, base)
    np.testing.assert_array_equal(widget.table, table)
    np.testing.assert_array_equal(widget.similarity, similarity(table, position))
    twin, alike = nearest_twin(table, position)
    assert twin in widget.twins
    assert position not in widget.twins
    for place in widget.twins:
        assert widget.similarity[place] == pytest.approx(alike, abs=1e-9)


@pytest.mark.parametrize(
    ("traits", "message"),
    [
        ({"positions": 1}, "PositionWaves.positions takes 2 to 256, got 1"),
        ({"width": 300}, "PositionWaves.width takes 2 to 256, got 300"),
        ({"width": 5}, "PositionWaves.width must be even, a sine and a cosine to each pair, got 5"),
        ({"position": 64}, "PositionWaves.position takes 0 to 63, got 64"),
        ({"position": -1}, "PositionWaves.position takes 0 to 63, got -1"),
        ({"width": 4, "pair": 3}, "PositionWaves.pair takes 0 to 1, got 3"),
        ({"order": 24}, "PositionWaves.order takes 0 to 23, got 24"),
        ({"base": math.nan}, "PositionWaves.base takes a finite number"),
        ({"base": 0.5}, "PositionWaves.base takes a finite number from 1"),
        ({"guess": 1.5}, "PositionWaves.guess takes a finite number from -1 to 1"),
        ({"positions": 2.5}, "positions"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(traits, message):
    """A slip ends in an empty page, or NaN silences all widgets of a page (R109)."""
    with pytest.raises(TraitError, match=message):
        PositionWaves(**traits)
    widget = PositionWaves()
    before = widget.get_state()
    with pytest.raises(TraitError, match=message):
        widget.set_state(traits)  # from the page
    assert {**widget.get_state(), "_trouble": ""} == before


def test_a_smaller_table_takes_position_and_pair_along():
    """The page asks for a row that is not there any more."""
    widget = PositionWaves(position=60, pair=15)
    widget.positions, widget.width = 16, 4
    assert (widget.position, widget.pair) == (15, 1)
    small = PositionWaves(positions=3, width=2)
    assert (small.position, small.pair) == (2, 0)
    widget.pair = None
    widget.width = 2
    assert widget.pair is None


def test_the_picture_says_what_it_shows():
    """The picture beside the widget is another position's, upside down, or says nothing."""
    widget = PositionWaves(position=20, positions=40, width=10)
    picture = widget._picture()
    left, right = picture.axes
    np.testing.assert_allclose(left.images[0].get_array(), (widget.table + 1) / 2)
    assert left.get_ylim() == right.get_ylim() == (39.5, -0.5)  # row 0 is above, and the curve lies beside it
    np.testing.assert_array_equal(right.lines[0].get_xdata(), widget.similarity)
    np.testing.assert_array_equal(right.lines[0].get_ydata(), np.arange(40))
    assert "position 20" in picture.alt
    assert "at 14 and 26: .91" in picture.alt
    assert widget._repr_mimebundle_()[1]["image/png"]["alt"] == picture.alt


# ---- the shuffled words ---------------------------------------------------------------------------------


def test_without_positions_the_order_makes_no_difference():
    """The logits were typed in, or the two models differ in more than their positions."""
    told = answers()
    none, some = (np.array(told[kind]) for kind in ("none", "sinusoids"))
    assert none.shape == some.shape == (24, 4)
    np.testing.assert_allclose(none, none[:1].repeat(24, 0), rtol=0, atol=1e-12)
    firsts = np.array(told["orders"])[:, 0]
    np.testing.assert_array_equal(some.argmax(1), firsts)  # it has learned which word comes first
    assert np.abs(some - some[0]).max(1)[1:].min() > 0.05


def test_the_logits_are_recomputed():
    """Numbers on the page that no model ever said."""
    assert answers.__wrapped__() == answers()  # trained again
    assert answers.__wrapped__(seed=1)["sinusoids"] != answers()["sinusoids"]
    untrained = answers.__wrapped__(steps=0)
    words = Vocabulary(untrained["words"])
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Transformer(len(words), len(words), Sizes(16, 2, 32, 1)).double()
    for number in (0, 7, 23):  # alone, not in a batch of all orders
        row = words.encode(untrained["words"][place] for place in ORDERS[number])
        logits = first_word(model, torch.tensor([[*row, EOS]]))[0]
        columns = Vocabulary(untrained["french"]).encode(untrained["french"])
        torch.testing.assert_close(
            logits[columns], torch.tensor(untrained["sinusoids"][number], dtype=torch.float64)
        )


def test_learning_leaves_the_world_as_it_was():
    """A cell that shows the widget changes the random numbers of those below."""
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    answers.__wrapped__(steps=1)
    assert torch.equal(torch.rand(3), expected)


def test_words_and_logits_follow_the_order():
    """Python says another sentence than the page."""
    widget = PositionWaves(order=7)
    assert ORDERS[7] == (1, 0, 3, 2)
    assert widget.words == ("black", "the", "sleeps", "cat")
    assert max(widget.logits["sinusoids"], key=widget.logits["sinusoids"].get) == "noir"
    assert widget.logits["none"] == pytest.approx(PositionWaves().logits["none"], abs=1e-12)


# ---- the page's numbers are Python's --------------------------------------------------------------------


def cases():
    """Tables at many sizes, and what `positions` makes of them."""
    sizes = [(64, 32, 1e4, 8), (64, 2, 1e4, 0), (7, 10, 3.0, 6), (13, 4, 10.0, 5), (2, 2, 1.0, 1)]
    for positions, width, base, position in [*sizes, (31, 6, 1e12, 30), (128, 64, 1e4, 64)]:
        widget = PositionWaves(positions=positions, width=width, base=base, position=position)
        yield {
            "positions": positions,
            "width": width,
            "base": base,
            "position": position,
            "rates": rates(width, base).tolist(),
            "row": widget.table[position].tolist(),
            "last": widget.table[-1].tolist(),
            "similarity": widget.similarity.tolist(),
            "twins": list(widget.twins),
        }


def test_the_stored_fixture_is_what_python_computes_today():
    """The page is held against numbers that Python no longer gives. (To renew: run this file.)"""
    for old, new in zip(json.loads(FIXTURE.read_text("utf-8")), cases(), strict=True):
        assert old.keys() == new.keys()
        for name, value in new.items():
            np.testing.assert_allclose(old[name], value, rtol=0, atol=1e-12, err_msg=name)


def test_all_that_travels_is_plain_and_finite():
    """R109: NaN in one trait silences all widgets of a page."""
    state = json.loads(json.dumps(PositionWaves().get_state(), allow_nan=False, default=str))
    assert len(state["_answers"]["orders"]) == 24


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(case) for case in cases())
    FIXTURE.write_text(f"[\n{lines}\n]\n", "utf-8")
