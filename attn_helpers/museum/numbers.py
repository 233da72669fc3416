"""Numbers that a right model meets, trained or not, and that a loss curve does not show. Chapter 3.

All look at one batch of sentences of several lengths, under teacher forcing, without dropout. log p is that
of the right words, in nats.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attn_helpers.corpus.batches import Batch, batches
from attn_helpers.corpus.pairs import Pair
from attn_helpers.corpus.vocabulary import PAD, Vocabulary
from attn_helpers.running import mode, one_thread
from attn_helpers.seq2seq import Seq2Seq, State

Vocabularies = tuple[Vocabulary, Vocabulary]
Measure = Callable[[Seq2Seq, Sequence[Pair], Vocabularies], float]


@dataclass(frozen=True)
class Number:
    """A number, and up to where, or from where on, all is well.

    measure  (model, pairs, vocabularies) → number; pairs of several lengths
    limit    the last number that is fine: the largest, or with `least` the smallest
    """

    measure: Measure
    limit: float
    least: bool = False

    def fine(self, value: float) -> bool:
        """Whether a model with this number passes. NaN does not."""
        return value >= self.limit if self.least else value <= self.limit

    @torch.no_grad()
    def of(self, model: Seq2Seq, pairs: Sequence[Pair], vocabularies: Vocabularies) -> float:
        """The number of a model; its mode and the number of threads stay what they were."""
        with mode(model, train=False), one_thread():
            return self.measure(model, pairs, vocabularies)


def row_sums(model: Seq2Seq, pairs: Sequence[Pair], vocabularies: Vocabularies) -> float:
    """How far from 1 the weights of a target word sum up, at worst."""
    batch = _together(pairs, vocabularies)
    sums = _weights(model, batch).sum(-1)  # (B, T)
    return float((sums - 1).abs()[batch.target_out != PAD].max())


def on_padding(model: Seq2Seq, pairs: Sequence[Pair], vocabularies: Vocabularies) -> float:
    """How much of its look a target word spends on padding, at worst."""
    batch = _together(pairs, vocabularies)
    lost = (_weights(model, batch) * (batch.source == PAD)[:, None]).sum(-1)  # (B, T)
    return float(lost[batch.target_out != PAD].max())


def without_states(model: Seq2Seq, pairs: Sequence[Pair], vocabularies: Vocabularies) -> float:
    """How far log p moves, at most, when attention finds zeros in place of the encoder's states."""
    batch = _together(pairs, vocabularies)
    state = model.start(batch.source, batch.source_lengths)
    key, value, mask = state.fixed
    blank = State(state.hidden, (key, torch.zeros_like(value), mask))
    return _apart(*(_log_probs(model.decoder(batch.target_in, it).logits, batch) for it in (state, blank)))


def alone(model: Seq2Seq, pairs: Sequence[Pair], vocabularies: Vocabularies) -> float:
    """How far log p of a sentence moves, at worst, when it is read by itself and not among longer ones."""
    moves = []
    together = _forced(model, _together(pairs, vocabularies))
    for pair, before in zip(pairs, together, strict=True):
        (after,) = _forced(model, _together([pair], vocabularies))
        moves.append(_apart(before[: len(after)], after))
    return max(moves)


def step_by_step(model: Seq2Seq, pairs: Sequence[Pair], vocabularies: Vocabularies) -> float:
    """How far log p moves, at worst, when the same words are read one call at a time, as in translating."""
    batch = _together(pairs, vocabularies)
    at_once = model(batch.source, batch.source_lengths, batch.target_in).logits
    state, steps = model.start(batch.source, batch.source_lengths), []
    for token in batch.target_in.unbind(1):
        said = model.step(token, state)
        steps.append(said.logits)
        state = said.state
    return _apart(*(_log_probs(logits, batch) for logits in (at_once, torch.stack(steps, 1))))


def foresight(model: Seq2Seq, pairs: Sequence[Pair], vocabularies: Vocabularies) -> float:
    """How far the guess for a sentence's last word moves, at worst, when another word stands there."""
    moves = []
    for pair in pairs:
        other = next(word for word in vocabularies[1] if word != pair.target[-1])
        twin = replace(pair, target=(*pair.target[:-1], other))
        batches_of_one = [_together([one], vocabularies) for one in (pair, twin)]
        looks = [model(it.source, it.source_lengths, it.target_in).logits for it in batches_of_one]
        moves.append(_apart(*(look.log_softmax(-1)[:, : len(pair.target)] for look in looks)))
    return max(moves)


NUMBERS: dict[str, Number] = {  # what they are called: words.py
    "row-sums": Number(row_sums, 1e-4),
    "on-padding": Number(on_padding, 1e-4),
    "without-states": Number(without_states, 1e-2, least=True),
    "alone": Number(alone, 1e-3),
    "step-by-step": Number(step_by_step, 1e-3),
    "foresight": Number(foresight, 1e-3),
}


def _together(pairs: Sequence[Pair], vocabularies: Vocabularies) -> Batch:
    return next(batches(pairs, *vocabularies, size=len(pairs)))


def _weights(model: Seq2Seq, batch: Batch) -> Tensor:
    """Where each word of a batch looks: (B, T, S), padding included."""
    weights: Tensor | None = model(batch.source, batch.source_lengths, batch.target_in).weights
    if weights is None:
        raise ValueError("model must have attention, got one without")
    return weights


def _log_probs(logits: Tensor, batch: Batch) -> Tensor:
    """log p of the right words, 0 at padding: (B, T, V) → (B, T)."""
    found: Tensor = logits.log_softmax(-1).gather(-1, batch.target_out[..., None])[..., 0]
    return found.masked_fill(batch.target_out == PAD, 0)


def _forced(model: Seq2Seq, batch: Batch) -> list[Tensor]:
    """log p of each sentence's words (T,), in the order of the pairs."""
    found = _log_probs(model(batch.source, batch.source_lengths, batch.target_in).logits, batch)
    return [found[i] for i in batch.rows.argsort().tolist()]


def _apart(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max())
