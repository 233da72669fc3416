"""Rows operated on: what is done is what was meant, and the translation goes on from there."""

import pytest
import torch

from attn_helpers.corpus import corpus
from attn_helpers.corpus.vocabulary import EOS
from attn_helpers.decoding import greedy, translate
from attn_helpers.ladder import vocabularies
from attn_helpers.looking import operated
from attn_helpers.operating import Operation, changed_rows, fits, operate, write
from attn_helpers.trained import load_trained

DATA = corpus(0)
WORDS = vocabularies(DATA.train)
SOME = [DATA.test[i] for i in (0, 900, 300, 7, 1100)]


@pytest.fixture(scope="module", params=["bahdanau-bidirectional", "transformer"])
def model(request):
    return load_trained(request.param)


def ids_of(pair):
    return [*WORDS[0].encode(pair.source), EOS]


def test_written_is_greedy(model):
    """The lab translates another way than the book does."""
    for pair, found in zip(SOME, translate(model, SOME, WORDS), strict=True):
        mine = write(model, ids_of(pair))
        assert mine.ids == found.tokens
        assert mine.ended == found.finished
        assert sum(mine.log_probs) == pytest.approx(found.log_prob, abs=1e-4)
        torch.testing.assert_close(mine.rows.mean(1), found.weights, atol=1e-5, rtol=0)


def test_it_is_cut_at_the_limit(model):
    """A decoder that never ends holds the page up for ever."""
    cut = write(model, ids_of(SOME[1]), limit=3)
    assert (len(cut.ids), len(cut.log_probs), len(cut.rows), cut.ended) == (3, 3, 3, False)


def test_a_zeroed_row_is_what_looking_does():
    """Two ways to take a row away, two translations. Oracle: chapter 3's `operated`."""
    model = load_trained("bahdanau-bidirectional")
    for t in range(4):
        mine = operate(model, ids_of(DATA.probe), [Operation("zero", (t,))])[-1]
        with operated(model.decoder, lambda now, weights, t=t: weights * (now != t)):
            (found,) = translate(model, [DATA.probe], WORDS)
        assert mine.ids == found.tokens
        torch.testing.assert_close(mine.rows[:, 0], found.weights, atol=1e-5, rtol=0)


def test_swapped_rows_are_those_that_were_there(model):
    """The second of two swapped rows comes from the changed translation, not from the one in sight."""
    before, after = operate(model, ids_of(DATA.probe), [Operation("swap", (1, 2))])
    torch.testing.assert_close(after.rows[1], before.rows[2])
    torch.testing.assert_close(after.rows[2], before.rows[1])
    torch.testing.assert_close(after.rows[0], before.rows[0])
    assert after.log_probs[0] == before.log_probs[0]
    assert after.log_probs[1] != before.log_probs[1]


def test_operations_add_up(model):
    """The second undoes the first, or is done to rows that are no more in sight."""
    first, second = Operation("zero", (2,)), Operation("uniform", (1,))
    *_, once, both = operate(model, ids_of(DATA.probe), [first, second])
    assert not once.rows[2].any()
    assert not both.rows[2].any()
    torch.testing.assert_close(both.rows[1], torch.full_like(both.rows[1], 0.2))
    back = operate(model, ids_of(DATA.probe), [Operation("swap", (1, 2))] * 2)
    torch.testing.assert_close(back[-1].rows[1:3], back[0].rows[1:3])
    assert back[-1].ids == back[0].ids


def test_a_head_alone():
    """One head is meant, and all are changed; or the row below."""
    model = load_trained("transformer")
    row = (0.5, 0.25, 0.25, 0.0, 0.0)
    before, after = operate(model, ids_of(DATA.probe), [Operation("set", (1,), (1, 0), row)])
    assert after.rows[1, 2].tolist() == list(row)  # layer 2, head 1
    torch.testing.assert_close(after.rows[1, :2], before.rows[1, :2])  # the layer below cannot know
    torch.testing.assert_close(after.rows[0], before.rows[0])
    every = operate(model, ids_of(DATA.probe), [Operation("set", (1,), None, row)])[-1]
    assert every.rows[1].tolist() == [list(row)] * 4


def test_another_head_keeps_what_was_done_to_it():
    """A head is set after all were zeroed: the others come back to life."""
    model = load_trained("transformer")
    row = (0.5, 0.25, 0.25, 0.0, 0.0)
    done = [Operation("zero", (1,)), Operation("set", (1,), (1, 0), row)]
    after = operate(model, ids_of(DATA.probe), done)[-1]
    assert after.rows[1, 2].tolist() == list(row)
    assert not after.rows[1, [0, 1, 3]].any()


def test_the_only_head_is_meant_whatever_is_said():
    """Side by side, a head of the Transformer is chosen: the GRU's only one is operated on too."""
    table = torch.rand(3, 1, 5)
    (row,) = changed_rows(Operation("zero", (1,), (1, 1)), table).values()
    assert not row.isnan().any()
    assert not row.any()


def test_what_does_not_fit_does_nothing(model):
    """A shorter translation has no such row: an index error, or another row is taken."""
    given = [Operation("zero", (40,)), Operation("swap", (1, 40)), Operation("set", (1,), None, (0.5, 0.5))]
    for operation in given:
        before, after = operate(model, ids_of(DATA.probe), [operation])
        assert before.ids == after.ids
        assert not fits(operation, before.rows)
        assert changed_rows(operation, before.rows) == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("nil", (1,)), "must be one of zero, uniform, swap, set, got 'nil'"),
        (("zero", ()), "zero needs one row, got"),
        (("zero", (1, 2)), "zero needs one row"),
        (("swap", (1,)), "swap needs two different rows"),
        (("swap", (1, 1)), "swap needs two different rows"),
        (("zero", (-1,)), "a row must not be negative, got -1"),
        (("zero", (1,), (0,)), "head must be layer and head"),
        (("zero", (1,), (0, -1)), "head must not be negative"),
        (("set", (1,)), "needs weights from 0 to 1"),
        (("zero", (1,), None, (1.0,)), "no other kind has any"),
        (("set", (1,), None, (1.5,)), "weights from 0 to 1"),
        (("set", (1,), None, (float("nan"),)), "weights from 0 to 1"),
    ],
)
def test_an_operation_that_is_none_is_refused(given, message):
    """A slip is done to another row, without a word."""
    with pytest.raises(ValueError, match=message):
        Operation(*given)


def test_greedy_is_what_it_was_before(model):
    """An operation stays in the model."""
    (batch,) = ([torch.tensor([ids_of(DATA.probe)]), torch.tensor([5])],)
    before = greedy(model, *batch)[0].tokens
    operate(model, ids_of(DATA.probe), [Operation("zero", (1,))])
    assert greedy(model, *batch)[0].tokens == before
