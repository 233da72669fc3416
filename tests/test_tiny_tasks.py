"""The chapter's two small trainings, in seconds, with their claims."""

import pytest
import torch

from attn_helpers.corpus.small_talk import PROBE, small_talk
from attn_helpers.metrics import alignment
from attn_helpers.tiny_tasks import (
    LETTERS,
    learn_small_talk,
    learn_to_reverse,
    reversal_table,
    reversals,
    reverser,
    stamp,
    stored,
)


def test_reversals_are_what_they_say():
    """Different rows, each backwards, with links that a perfect alignment follows."""
    pairs = reversals(20, length=5, seed=3)
    assert len({pair.source for pair in pairs}) == 20
    assert all(pair.target == pair.source[::-1] and len(pair.source) == 5 for pair in pairs)
    assert {letter for pair in pairs for letter in pair.source} <= set(LETTERS)
    weights = torch.zeros(6, 6)
    weights[torch.arange(5), 4 - torch.arange(5)] = 1
    assert alignment(weights, pairs[0]).error_rate == 0
    assert reversals(20, seed=1) == reversals(20, seed=1) != reversals(20, seed=2)


def test_too_many_reversals_are_refused():
    """An endless search is no answer."""
    with pytest.raises(ValueError, match=r"count must be at most 10\^1, got 11"):
        reversals(11, length=1)
    assert len(reversals(10, length=1)) == 10


def test_the_stored_reversals_belong_to_the_code_of_now():
    """The page prints shares of other models than those that can be trained; fewer than five seeds."""
    assert stored()["meta"]["stamp"] == stamp()
    assert list(reversal_table()) == ["sinusoids", "learned", "none"]
    assert all(len(shares) >= 5 for shares in reversal_table().values())
    assert set(reversal_table()["sinusoids"]) == set(reversal_table()["learned"]) == {1.0}
    assert set(reversal_table()["none"]) == {0.0}


@pytest.mark.slow
def test_places_are_learnt_not_the_way_back():
    """Chapter 5: rows of eight letters alone, in two seeds; the model says what it was asked."""
    for seed in (0, 1):
        model = reverser(seed=seed)
        assert model.exact == 1
        for length, right in ((7, 0), (8, 40), (9, 0)):
            pairs = reversals(40, length=length, seed=9)
            said = [model.say("".join(pair.source)) for pair in pairs]
            found = sum(one == "".join(pair.target) for one, pair in zip(said, pairs, strict=True))
            assert found <= right
            assert model.right(pairs) == found / 40
            assert length != 8 or said == ["".join(pair.target) for pair in pairs]


@pytest.mark.slow
def test_order_is_learnt_with_positions_alone():
    """Chapter 5: every unseen row with sinusoids, none without, of the same training; two seeds."""
    before = torch.random.get_rng_state()
    assert [learn_to_reverse("sinusoids", seed) for seed in (0, 1)] == [1.0, 1.0]
    assert [learn_to_reverse("none", seed) for seed in (0, 1)] == [0.0, 0.0]
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.slow
def test_small_talk_is_learnt_by_heart():
    """The notes' exchange; all that was shown, and less of what was not; nonsense is answered as surely."""
    talks = [learn_small_talk(seed) for seed in range(3)]
    for talk in talks:
        assert talk.answer(PROBE) == "i am fine"
        assert talk.known == 1
        assert 0.6 < talk.held_out < 1
        assert talk.answer("where do cats live?") != ""
        assert talk.right(small_talk().test) == talk.held_out
    assert learn_small_talk(0).held_out == talks[0].held_out
