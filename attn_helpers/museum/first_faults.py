"""The first room's faults: each the twin of a function of the package, but for one line. Chapter 3."""

from importlib import import_module

import torch
from torch import Tensor, nn

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus.batches import Batch, _padded
from attn_helpers.corpus.pairs import Pair
from attn_helpers.corpus.vocabulary import EOS, Vocabulary
from attn_helpers.masks import masked_softmax
from attn_helpers.museum.fault import Fault
from attn_helpers.seq2seq import State, Step

Decoder = AttentionDecoder
_BATCHES = import_module("attn_helpers.corpus.batches")  # its package gives the function of that name


def _wrong_axis(self: Decoder, query: Tensor, fixed: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    key, value, mask = fixed
    weights = torch.softmax(self._scores(query, key).masked_fill(~mask, -torch.inf), dim=0)
    return weights @ value, weights


def _context_unused(
    self: Decoder, inputs: Tensor, wide: Tensor, hidden: list[Tensor], fixed: tuple[Tensor, ...]
) -> tuple[list[Tensor], Tensor]:
    context, weights = self.attend(hidden[-1][:, None], fixed)  # noqa: RUF059
    moved = [self._cell(inputs, hidden[0], 0)]
    for layer in range(1, self.layers):
        below = nn.functional.linear(moved[-1], *self._weights("ih", layer))
        moved.append(self._cell(below, hidden[layer], layer))
    return moved, weights[:, 0]


def _mask_flipped(self: Decoder, query: Tensor, fixed: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    key, value, mask = fixed
    weights = masked_softmax(self._scores(query, key), ~mask)
    return weights @ value, weights


def _mask_left_out(self: Decoder, query: Tensor, fixed: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    key, value, mask = fixed  # noqa: RUF059
    weights = masked_softmax(self._scores(query, key))
    return weights @ value, weights


def _state_dropped(self: Decoder, token: Tensor, state: State) -> Step:
    inputs = self._inputs(self.dropout(self.embedding(token)))
    hidden, weights = self._advance(inputs, self._context_weight(), list(state.hidden), state.fixed)
    return Step(self.output(hidden[-1]), State(state.hidden, state.fixed), weights)


def _labels_unshifted(pairs: list[Pair], rows: list[int], source: Vocabulary, target: Vocabulary) -> Batch:
    sources = [[*source.encode(pair.source), EOS] for pair in pairs]
    targets = [target.encode(pair.target) for pair in pairs]
    return Batch(
        source=_padded(sources),
        source_lengths=torch.tensor([len(ids) for ids in sources]),
        target_in=_padded([[*ids, EOS] for ids in targets]),
        target_out=_padded([[*ids, EOS] for ids in targets]),
        target_lengths=torch.tensor([len(ids) + 1 for ids in targets]),
        rows=torch.tensor(rows),
    )


FAULTS: dict[str, Fault] = {
    "fault-wrong-axis": Fault(Decoder, "attend", _wrong_axis),
    "fault-context-unused": Fault(Decoder, "_advance", _context_unused),
    "fault-mask-flipped": Fault(Decoder, "attend", _mask_flipped),
    "fault-padding-leaks": Fault(Decoder, "attend", _mask_left_out),
    "fault-state-dropped": Fault(Decoder, "step", _state_dropped, trains=False),
    "fault-labels-unshifted": Fault(_BATCHES, "_batch", _labels_unshifted),
}
