"""The leak of one diagonal: what the stored table says, that it can be measured again, and what leaks."""

import json
import math
import random

import pytest
import torch

from attn_helpers import leak
from attn_helpers.corpus import Pair, Vocabulary
from attn_helpers.layers import Sizes
from attn_helpers.masks import causal_mask
from attn_helpers.metrics import interval
from attn_helpers.training import Settings, fit, loss_per_token

TABLE = leak.table()


def mean(name, what):
    return interval([entry[what] for entry in TABLE[name]])


def test_the_table_belongs_to_the_code():
    """The chapter shows curves of another program: run `python -m attn_helpers.leak` again."""
    assert TABLE["meta"]["code"] == leak.code()


def test_the_table_is_whole():
    """Five seeds of each, a point for every 20 batches, three sentences of which the first is the book's."""
    assert TABLE["pairs"][0][0] == ["the", "black", "cat", "sleeps"]
    for name in ("right", "leaky"):
        assert [entry["seed"] for entry in TABLE[name]] == list(leak.SEEDS)
        for entry in TABLE[name]:
            assert len(entry["train"]) == leak.STEPS / leak.WINDOW
            assert len(entry["said"]) == len(TABLE["pairs"]) == leak.SHOWN


def test_the_loss_collapses_and_so_do_the_translations():
    """What `MaskLab` and the chapter say of it: the lower loss belongs to the model that can say nothing."""
    for right, leaky in zip(TABLE["right"], TABLE["leaky"], strict=True):
        assert leaky["loss"] < right["loss"] / 4
        assert leaky["train"][8] < right["train"][8] / 3  # after 180 steps the right one still learns
        assert right["exact"] > 0.8
        assert leaky["exact"] < 0.02
        assert right["said"][0] == ["le", "chat", "noir", "dort"]
    assert mean("leaky", "loss").high < mean("right", "loss").low
    assert mean("leaky", "exact").high < mean("right", "exact").low


def test_a_model_of_the_table_is_measured_again():
    """Anyone gets the stored numbers, on another machine or torch too, as far as 800 steps allow."""
    again, stored = leak.measure(1, leak=True), TABLE["leaky"][1]
    assert again["train"][:3] == pytest.approx(stored["train"][:3], abs=0.02)
    assert again["loss"] == pytest.approx(stored["loss"], abs=0.02)
    assert again["exact"] == pytest.approx(stored["exact"], abs=0.05)


# ---- the fault is this one and no other --------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 5, 7])
def test_one_diagonal_opens(size):
    """More would leak, or another cell: s ≤ t + 1, counted in plain Python."""
    got = leak.leaky(causal_mask(size))
    assert got.tolist() == [[s <= t + 1 for s in range(size)] for t in range(size)]


def test_a_decoder_that_writes_has_nothing_open():
    """Word after word, with a cache of t words: the one query may see all there is, and there is no more."""
    mask = causal_mask(1, 5, align="end")[None]
    assert torch.equal(leak.leaky(mask), mask)


def models(seed=0):
    sizes = {"source_words": 13, "target_words": 17}
    return (leak.build(**sizes, seed=seed, leak=flag).eval() for flag in (False, True))


def test_only_the_leaky_one_sees_the_next_word_and_none_beyond():
    """R051: a changed future token changes what stands before it."""
    generator = torch.Generator().manual_seed(0)
    source, target = (
        torch.randint(4, 13, (3, 7), generator=generator),
        torch.randint(4, 17, (3, 5), generator=generator),
    )
    other = target.clone()
    other[:, 3] = 4 + (other[:, 3] - 3) % 13
    moved = []
    for model in models():
        logits = [model(source, torch.tensor([7, 7, 7]), words).logits for words in (target, other)]
        moved.append((logits[0] - logits[1]).abs().amax((0, 2)) > 1e-6)
    assert moved[0].tolist() == [False, False, False, True, True]
    assert moved[1].tolist() == [False, False, True, True, True]  # one layer: one word ahead


def test_what_cannot_be_known_is_learned_by_the_leaky_one_alone():
    """R051: on random tokens an honest loss stays at ln 20 for each word; only the end can be foretold."""
    draw, letters = random.Random(0), [f"w{i}" for i in range(20)]
    pairs = [Pair(("go",), tuple(draw.choices(letters, k=6))) for _ in range(2100)]
    words = Vocabulary(["go"]), Vocabulary(letters)
    honest = 6 / 7 * math.log(20)  # six random words, and an end that always stands there
    losses = []
    for flag in (False, True):
        model = leak.build(len(words[0]), len(words[1]), seed=0, leak=flag)
        fit(model, pairs[100:], words, Settings(200, rate=leak.RATE), progress=False)
        losses.append(loss_per_token(model, pairs[:100], words))
    assert honest * 0.98 < losses[0] < honest * 1.2
    assert losses[1] < 0.1


def test_both_start_from_the_same_weights():
    """Else the curves compare luck."""
    right, leaky = models(seed=3)
    for (name, a), (other, b) in zip(right.named_parameters(), leaky.named_parameters(), strict=True):
        assert name == other
        assert torch.equal(a, b)
    assert isinstance(leak.SIZES, Sizes)


def test_the_book_s_sentence_was_never_trained_on():
    """Its translation would be learned by heart."""
    train, judged = leak.sentences()
    assert judged[0].source == ("the", "black", "cat", "sleeps")
    assert not {pair.source for pair in train} & {pair.source for pair in judged}
    assert len(judged) == leak.JUDGED
    assert max(len(pair.source) for pair in (*train, *judged)) <= leak.LONGEST
    assert json.loads(json.dumps(TABLE, allow_nan=False)) == TABLE
