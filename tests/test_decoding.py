"""Greedy and beam search, on models small enough to enumerate, and on real ones against teacher forcing."""

import itertools
import math

import pytest
import torch

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus.pairs import Pair
from attn_helpers.corpus.vocabulary import BOS, EOS, PAD, Vocabulary
from attn_helpers.decoding import beam, greedy, translate
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq, State, Step

A, B, C = 4, 5, 6


class Told(torch.nn.Module):
    """A model that says what it is told: next-word probabilities by source word and by what was said."""

    def __init__(self, tables, words=7):
        super().__init__()
        self.tables, self.words = tables, words

    def start(self, source, lengths):
        return State(
            torch.zeros(1, len(source), 1), (source[:, :1], torch.zeros(len(source), 0, dtype=torch.long))
        )

    def step(self, token, state):
        source, said = state.fixed
        said = torch.cat([said, token[:, None]], dim=1)
        logits = torch.full((len(token), self.words), -torch.inf)
        for row, ids in enumerate(said.tolist()):
            table = self.tables[int(source[row, 0])]
            for word, p in table.get(tuple(ids[1:]), {EOS: 1.0}).items():
                logits[row, word] = math.log(p)
        weights = torch.nn.functional.one_hot(token, self.words).float()  # looks at what it has just read
        return Step(logits, State(state.hidden, (source, said)), weights)


ONE = torch.tensor([[A]]), torch.tensor([1])


def told(table):
    return Told({A: table})


def random_model(kind=Decoder, seed=0, bias=0.0):
    """Untrained, in float64; a bias on EOS makes sentences end sooner."""
    torch.manual_seed(seed)
    model = Seq2Seq(Encoder(11, 5, 8), kind(7, 5, 8)).double()
    with torch.no_grad():
        model.decoder.output.weight *= 4
        model.decoder.output.bias[EOS] += bias
    return model


def some_sources(count=5, seed=0):
    make = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, 8, (count,), generator=make)
    source = torch.randint(4, 11, (count, 7), generator=make)
    return torch.where(torch.arange(7) < lengths[:, None], source, PAD), lengths


def forced(model, source, lengths, found):
    """Log-probability and weights of a hypothesis under teacher forcing, on its own."""
    target = [*found.tokens, EOS] if found.finished else found.tokens
    out = model(source[None, :lengths], lengths[None], torch.tensor([[BOS, *target[:-1]]]))
    log_prob = out.logits.log_softmax(-1)[0, range(len(target)), target].sum()
    return log_prob.item(), out.weights if out.weights is None else out.weights[0]


def test_greedy_takes_the_most_probable_word():
    """One path through a written-out tree."""
    table = {(): {A: 0.6, B: 0.4}, (A,): {B: 0.7, EOS: 0.3}, (A, B): {EOS: 0.9, C: 0.1}}
    (found,) = greedy(told(table), *ONE)
    assert found.tokens == [A, B]
    assert found.finished
    assert math.isclose(found.log_prob, math.log(0.6 * 0.7 * 0.9), rel_tol=1e-6)


def test_each_row_stops_at_its_own_end():
    """A row that has ended says nothing more, and its score stands still (R088)."""
    short, long = {(): {A: 1.0}}, {(): {A: 1.0}, (A,): {B: 1.0}, (A, B): {C: 1.0}}
    found = greedy(Told({A: short, B: long}), torch.tensor([[A], [B]]), torch.tensor([1, 1]))
    assert [one.tokens for one in found] == [[A], [A, B, C]]
    assert [one.log_prob for one in found] == [0.0, 0.0]
    assert [len(one.weights) for one in found] == [2, 4]  # the row of the end of sentence is the last


def test_what_the_limit_cuts_is_marked():
    """An endless sentence comes back unfinished, and its score follows the same rule."""
    endless = {(A,) * n: {A: 0.5, B: 0.5 - 1e-3, EOS: 1e-3} for n in range(9)}
    (found,) = greedy(told(endless), *ONE, limit=4)
    assert (found.tokens, found.finished) == ([A] * 4, False)
    ((best, *_),) = beam(told(endless), *ONE, size=1, alpha=1.0, limit=4)
    assert math.isclose(best.score, math.log(0.5), rel_tol=1e-6)


def test_the_end_of_sentence_does_not_count_as_a_word():
    """log p -1.0 of 2 words against -1.9 of 4: with the end counted the other would win (R081)."""
    p_a, p_b = 0.6, 0.4
    a_end, b_end = math.exp(-1.0) / p_a, math.exp(-1.9) / p_b
    table = {
        (): {A: p_a, B: p_b},
        (A,): {A: 1.0}, (A, A): {EOS: a_end, PAD: 1 - a_end},
        (B,): {B: 1.0}, (B, B): {B: 1.0}, (B, B, B): {B: 1.0}, (B, B, B, B): {EOS: b_end, PAD: 1 - b_end},
    }  # fmt: skip
    (found,) = beam(told(table), *ONE, size=2, alpha=1.0)
    assert [one.tokens for one in found] == [[B] * 4, [A] * 2]
    torch.testing.assert_close(torch.tensor([one.score for one in found]), torch.tensor([-0.475, -0.5]))
    torch.testing.assert_close(torch.tensor([one.log_prob for one in found]), torch.tensor([-1.9, -1.0]))


def test_a_cut_hypothesis_is_normalised_too():
    """Finished -2.0 over 4 words, cut -1.6 over 4 words: -0.5 and -0.4, and the flag says which (R082)."""
    ends, goes_on = math.exp(-2.0), math.exp(-1.6)
    table = {
        (): {A: ends, B: goes_on, PAD: 1 - ends - goes_on},
        **{(A,) * n: {A: 1.0} for n in range(1, 4)},
        **{(B,) * n: {B: 1.0} for n in range(1, 5)},
    }
    (found,) = beam(told(table), *ONE, size=2, alpha=1.0, limit=5)
    assert [(one.tokens, one.finished) for one in found] == [([B] * 5, False), ([A] * 4, True)]
    assert math.isclose(found[0].score, -1.6 / 5, rel_tol=1e-6)
    assert math.isclose(found[1].score, -0.5, rel_tol=1e-6)


def test_no_hypothesis_twice_and_none_that_cannot_be():
    """Two words have a chance, the beam has room for three: two hypotheses, and no third of -inf (R084)."""
    (found,) = beam(told({(): {A: 0.8, B: 0.2}}), *ONE, size=3)
    assert sorted(one.tokens for one in found) == [[A], [B]]
    assert all(math.isfinite(one.score) for one in found)


def test_a_beam_may_be_wider_than_the_vocabulary():
    """Every sentence there is, once."""
    table = {(): {A: 0.5, B: 0.3, EOS: 0.2}, (A,): {EOS: 1.0}, (B,): {A: 0.6, EOS: 0.4}}
    (found,) = beam(told(table), *ONE, size=50, alpha=0.0)
    assert [one.tokens for one in found] == [[A], [], [B, A], [B]]


@pytest.mark.parametrize("alpha", [0.0, 0.75, 1.0])
def test_a_wide_beam_is_exhaustive_search(alpha):
    """With room for everything the winner is the best of all sentences, found by writing them all down."""
    model = random_model()
    source, lengths = some_sources(1)
    words, limit = [EOS, 3, A, B, C], 3
    best = -math.inf
    for n in range(limit):
        for said in itertools.product(words[1:], repeat=n):
            ids = [*said, EOS]
            logits = model(source, lengths, torch.tensor([[BOS, *said]])).logits.log_softmax(-1)
            best = max(best, logits[0, range(n + 1), ids].sum().item() / max(n, 1) ** alpha)
    (found,) = beam(model, source, lengths, size=200, alpha=alpha, limit=limit)
    finished = [one for one in found if one.finished]
    assert len(finished) == 1 + 4 + 16
    assert math.isclose(finished[0].score, best, rel_tol=1e-9)


@pytest.mark.parametrize("kind", [Decoder, AttentionDecoder])
@pytest.mark.parametrize("size", [1, 3])
def test_a_batch_decodes_as_one_by_one(kind, size):
    """Sources and beams lie in the same order: b1 b1 b2 b2 against s1 s2 s1 s2 (R085)."""
    model = random_model(kind, bias=2.0)
    source, lengths = some_sources(6)
    together = beam(model, source, lengths, size=size, limit=9)
    for i, row in enumerate(together):
        (alone,) = beam(model, source[i : i + 1, : lengths[i]], lengths[i : i + 1], size=size, limit=9)
        assert [one.tokens for one in row] == [one.tokens for one in alone]
        for one, other in zip(row, alone, strict=True):
            assert math.isclose(one.score, other.score, abs_tol=1e-10)
            if one.weights is not None:
                torch.testing.assert_close(one.weights, other.weights)


@pytest.mark.parametrize("kind", [Decoder, AttentionDecoder])
def test_scores_and_weights_are_those_of_the_very_hypothesis(kind):
    """What is returned, read again word by word, has the same probability and the same alignment."""
    source, lengths = some_sources(5)
    seen = set()
    for model in (random_model(kind, bias=-1.0), random_model(kind, bias=2.0)):
        for i, row in enumerate(beam(model, source, lengths, size=4, alpha=1.0, limit=4)):
            for found in row:
                log_prob, weights = forced(model, source[i], lengths[i], found)
                assert math.isclose(found.log_prob, log_prob, abs_tol=1e-9)
                assert math.isclose(found.score, log_prob / max(len(found.tokens), 1), abs_tol=1e-9)
                if weights is not None:
                    torch.testing.assert_close(found.weights, weights)
                seen.add(found.finished)
    assert seen == {True, False}


def test_beam_is_never_worse_than_greedy():
    """A beam of 2 loses the greedy path of this tree; it competes all the same."""
    worse = 0
    for seed in range(40):
        model = random_model(seed=seed, bias=1.0)
        source, lengths = some_sources(4, seed)
        rows = beam(model, source, lengths, size=2, limit=8)
        for row, one in zip(rows, greedy(model, source, lengths, limit=8), strict=True):
            score = one.log_prob / max(len(one.tokens), 1) ** 0.75
            assert row[0].score >= score - 1e-12
            assert [each.score for each in row] == sorted((each.score for each in row), reverse=True)
            assert any(each.tokens == one.tokens for each in row)
            worse += len(row) > 2
    assert worse > 0  # the case that needs the rule does occur


def test_padding_and_begin_are_never_said():
    """Even where the model would: PAD competes in the softmax, and is no word (R068)."""
    model = random_model()
    with torch.no_grad():
        model.decoder.output.bias[[PAD, BOS]] = 50.0
    for row in beam(model, *some_sources(), size=3, limit=5):
        for found in row:
            assert not {PAD, BOS, EOS} & set(found.tokens)


def test_dropout_is_off_and_the_mode_comes_back():
    """The same sentence twice, from a model left in training mode (R080)."""
    torch.manual_seed(0)
    model = Seq2Seq(Encoder(11, 5, 8, dropout=0.5), Decoder(7, 5, 8, dropout=0.5)).train()
    first, second = (beam(model, *some_sources(), limit=6) for _ in range(2))
    assert [[h.score for h in row] for row in first] == [[h.score for h in row] for row in second]
    assert model.training


def test_translations_come_in_the_order_asked():
    """Batches are sorted by length; the answers are not."""
    pairs = [Pair(tuple("abcdefg"[:n]), ()) for n in (5, 2, 7, 1, 3)]
    vocabulary = Vocabulary(list("abcdefg"))
    torch.manual_seed(0)
    model = Seq2Seq(Encoder(len(vocabulary), 5, 8), AttentionDecoder(7, 5, 8))
    found = translate(model, pairs, (vocabulary, Vocabulary(list("xyz"))), limit=3)
    assert [one.weights.shape[1] for one in found] == [len(pair.source) + 1 for pair in pairs]


@pytest.mark.parametrize(
    ("asked", "says"), [({"size": 0}, "size"), ({"limit": 0}, "limit"), ({"alpha": -1}, "alpha")]
)
def test_bad_numbers_are_refused(asked, says):
    """A beam of none, no step, a reward for length turned round."""
    with pytest.raises(ValueError, match=says):
        beam(random_model(), *some_sources(), **asked)
