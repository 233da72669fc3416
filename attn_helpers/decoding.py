"""Free running: a trained model translates by itself, word after word. Chapters 2–5 and 7.

Any model with `start(source, lengths) → State` and `step(token, state) → Step` can be decoded; the state
must have `select(rows)`. Letters: B sentences, K hypotheses per sentence (the beam), V words.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attn_helpers import expect
from attn_helpers.corpus.batches import batches
from attn_helpers.corpus.pairs import Pair
from attn_helpers.corpus.vocabulary import BOS, EOS, PAD, Vocabulary
from attn_helpers.running import mode, one_thread
from attn_helpers.seq2seq import Seq2Seq


class Hypothesis(NamedTuple):
    """A translation of one sentence, T words long."""

    tokens: list[int]  # the words; the end of sentence is not among them
    log_prob: float  # log p of all words, and of the end of sentence when it was reached
    score: float  # what the beam compares: log_prob / T^alpha
    finished: bool  # False: cut at the limit, the model would have gone on
    weights: Tensor | None  # (T + 1, S), the last row is the end's; (T, S) when cut; None without attention


class _Beams(NamedTuple):
    """All hypotheses of B sentences side by side, K each."""

    tokens: Tensor  # (B, K, t) PAD after EOS
    log_prob: Tensor  # (B, K) -inf: no hypothesis
    weights: Tensor | None  # (B, K, t, S)


def greedy(model: Seq2Seq, source: Tensor, lengths: Tensor, limit: int = 64) -> list[Hypothesis]:
    """At each step the most probable word. Each row stops at its own end of sentence.

    source   (B, S), lengths (B,)
    limit    the most steps; a row that has not ended by then is cut and marked unfinished
    returns  one hypothesis per row, in order

    Never says PAD or BOS. Dropout is off, and the model's mode is afterwards what it was.
    Raises ValueError for a limit below 1.
    """
    return [row[0] for row in _search(model, source, lengths, 1, limit, alpha=0.0)]


def beam(
    model: Seq2Seq, source: Tensor, lengths: Tensor, size: int = 4, alpha: float = 0.75, limit: int = 64
) -> list[list[Hypothesis]]:
    """Beam search: at each step keep the `size` most probable beginnings, and choose by score at the end.

    size     K, how many hypotheses are kept per sentence
    alpha    score = log_prob / T^alpha, T the number of words, at least 1. The end of sentence is counted in
             log_prob, not in T. 0 prefers short sentences, 1 is the mean per word.
    returns  per row, hypotheses from best to worst, all different

    What the limit cut is scored by the same rule. A beam can lose the greedy translation on the way, so
    that one is decoded too and competes: the best is never worse than greedy by score.
    Raises ValueError for a size or limit below 1 and for a negative alpha. Wu et al. 2016, section 7, whose
    length rule is a smoother one.
    """
    if not alpha >= 0:
        raise ValueError(f"alpha must not be negative, got {alpha}")
    found = _search(model, source, lengths, size, limit, alpha)
    for row, (one,) in zip(found, _search(model, source, lengths, 1, limit, alpha), strict=True):
        if all(one.tokens != other.tokens or one.finished != other.finished for other in row):
            row.append(one)
            row.sort(key=lambda hypothesis: -hypothesis.score)
    return found


def translate(
    model: Seq2Seq, pairs: Sequence[Pair], vocabularies: tuple[Vocabulary, Vocabulary], limit: int = 64
) -> list[Hypothesis]:
    """Greedy translations of many sentences, in the order of the pairs; sentences of a length together."""
    found: dict[int, Hypothesis] = {}
    for batch in batches(pairs, *vocabularies, size=256):
        rows = greedy(model, batch.source, batch.source_lengths, limit)
        found.update(zip(batch.rows.tolist(), rows, strict=True))
    return [found[i] for i in range(len(pairs))]


@torch.no_grad()
def _search(
    model: Seq2Seq, source: Tensor, lengths: Tensor, size: int, limit: int, alpha: float
) -> list[list[Hypothesis]]:
    """Step by step until every kept hypothesis has ended. With size 1 it is greedy search."""
    for name, number in (("size", size), ("limit", limit)):
        if expect.count(number, name) < 1:
            raise ValueError(f"{name} must be at least 1, got {number}")
    batch = len(source)
    with mode(model, train=False), one_thread():
        first = torch.arange(batch).repeat_interleave(size)  # rows of a sentence stay together: b1 b1 b2 b2
        state = model.start(source, lengths).select(first)  # (B·K, …)
        log_prob = torch.full((batch, size), -torch.inf)
        log_prob[:, 0] = 0.0  # K equal beginnings would stay equal: only one may live
        beams = _Beams(torch.empty(batch, size, 0, dtype=torch.long), log_prob, None)
        last = torch.full((batch * size,), BOS)
        for _ in range(limit):
            step = model.step(last, state)
            beams, parents = _extend(beams, step.logits, step.weights)
            state = step.state.select(parents)
            last = beams.tokens[..., -1].flatten()  # (B·K,)
            if _ended(beams.tokens).all():
                break
    return [_best(beams, row, alpha, lengths) for row in range(batch)]


def _extend(beams: _Beams, logits: Tensor, weights: Tensor | None) -> tuple[_Beams, Tensor]:
    """One word more for each hypothesis; the K best of K · V stay. Also the row (B·K,) each came from."""
    batch, size, _ = beams.tokens.shape
    ended = _ended(beams.tokens)  # (B, K)
    words = logits.log_softmax(-1).reshape(batch, size, -1)  # (B, K, V)
    words[..., [PAD, BOS]] = -torch.inf  # never said
    words[ended] = -torch.inf
    words[..., PAD] = words[..., PAD].masked_fill(ended, 0.0)  # what has ended goes on unchanged
    total = (beams.log_prob[..., None] + words).flatten(1)  # (B, K·V)
    log_prob, chosen = total.topk(size, dim=-1)  # (B, K)
    parent, word = chosen // words.shape[-1], chosen % words.shape[-1]  # (B, K)
    parents = (parent + size * torch.arange(batch)[:, None]).flatten()  # (B·K,)
    tokens = torch.cat([beams.tokens.flatten(0, 1)[parents], word.flatten()[:, None]], dim=-1)
    if weights is not None:
        step = weights[:, None]  # (B·K, 1, S)
        past = step[:, :0] if beams.weights is None else beams.weights.flatten(0, 1)
        weights = torch.cat([past, step], dim=1)[parents]  # (B·K, t, S)
        weights = weights.reshape(batch, size, *weights.shape[1:])
    return _Beams(tokens.reshape(batch, size, -1), log_prob, weights), parents


def _ended(tokens: Tensor) -> Tensor:
    """Which hypotheses have said EOS: (B, K)."""
    return (tokens == EOS).any(-1)


def _best(beams: _Beams, row: int, alpha: float, lengths: Tensor) -> list[Hypothesis]:
    """The hypotheses of one sentence from best to worst; those that never lived are left out."""
    found = []
    for k, log_prob in enumerate(beams.log_prob[row].tolist()):
        if log_prob > -torch.inf:
            ids = beams.tokens[row, k].tolist()
            finished = EOS in ids
            tokens = ids[: ids.index(EOS)] if finished else ids
            steps, size = len(tokens) + finished, int(lengths[row])
            weights = None if beams.weights is None else beams.weights[row, k, :steps, :size].clone()
            score = log_prob / max(len(tokens), 1) ** alpha
            found.append(Hypothesis(tokens, log_prob, score, finished, weights))
    return sorted(found, key=lambda hypothesis: -hypothesis.score)
