"""Sentences of about equal length, side by side in one tensor."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attn_helpers import expect
from attn_helpers.corpus.pairs import Pair
from attn_helpers.corpus.vocabulary import BOS, EOS, PAD, Vocabulary


@dataclass(frozen=True)
class Batch:
    """B pairs as numbers; what a shorter sentence lacks is PAD, at the right."""

    source: Tensor  # (B, S) int64, each row ends with EOS
    source_lengths: Tensor  # (B,) int64, EOS counted
    target_in: Tensor  # (B, T) int64: BOS, then the words
    target_out: Tensor  # (B, T) int64: the words, then EOS
    target_lengths: Tensor  # (B,) int64, EOS counted
    rows: Tensor  # (B,) int64, each pair's place in the list that was given


def batches(
    pairs: Sequence[Pair],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    size: int = 64,
    seed: int | None = None,
) -> Iterator[Batch]:
    """Every pair once, neighbours in length together, so that little is padding.

    With a seed, pairs of equal length and the order of the batches are shuffled; give another seed each
    epoch. Without, batches run from short to long. The last of the long ones may be smaller than `size`.
    `rows` puts results back in order: `result[batch.rows] = output`.
    Raises ValueError for a size of 0.
    """
    if expect.count(size, "size") == 0:
        raise ValueError("size must be at least 1, got 0")
    order, draw = list(range(len(pairs))), random.Random(seed)
    if seed is not None:
        draw.shuffle(order)
    order.sort(key=lambda i: (len(pairs[i].source), len(pairs[i].target)))  # stable: ties stay shuffled
    cuts = [order[start : start + size] for start in range(0, len(order), size)]
    if seed is not None:
        draw.shuffle(cuts)
    for rows in cuts:
        yield _batch([pairs[i] for i in rows], rows, source_vocabulary, target_vocabulary)


def _batch(pairs: list[Pair], rows: list[int], source: Vocabulary, target: Vocabulary) -> Batch:
    sources = [[*source.encode(pair.source), EOS] for pair in pairs]
    targets = [target.encode(pair.target) for pair in pairs]
    return Batch(
        source=_padded(sources),
        source_lengths=torch.tensor([len(ids) for ids in sources]),
        target_in=_padded([[BOS, *ids] for ids in targets]),
        target_out=_padded([[*ids, EOS] for ids in targets]),
        target_lengths=torch.tensor([len(ids) + 1 for ids in targets]),
        rows=torch.tensor(rows),
    )


def _padded(rows: list[list[int]]) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([ids + [PAD] * (width - len(ids)) for ids in rows])  # (B, longest)
