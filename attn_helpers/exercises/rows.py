"""Exercise: whose row is it? Hold attention against the gold links. Chapter 3."""

from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise


def _random(target: int, source: int, seed: int) -> Answer:
    """Weights with the ends of sentence in the last row and column, and gold links, one or two per word."""
    make = torch.Generator().manual_seed(seed)
    weights = torch.softmax(2 * torch.randn(target + 1, source + 1, generator=make), -1)
    weights[1::2, -1] += 1.0  # every other step looks at the end of sentence first
    weights = weights / weights.sum(-1, keepdim=True)
    gold = torch.rand(target, source, generator=make) < 0.3
    best = weights[:target, :source].argmax(-1)
    gold[torch.arange(target), best] |= torch.rand(target, generator=make) < 0.7
    return weights, gold


def _share(
    rows: Callable[[Tensor], Tensor], columns: slice = slice(-1), *, ends: bool = False
) -> Callable[..., Answer]:
    """The share of rows whose strongest column is gold; `ends` counts the end's row as one that is wrong."""

    def answer(weights: Tensor, gold: Tensor) -> Answer:
        wide = torch.nn.functional.pad(gold, (0, 1))  # the end of sentence is nobody's gold
        best = rows(weights)[:, columns].argmax(-1)
        hits = wide[torch.arange(len(gold)), best].float()
        return (hits.sum() / (len(gold) + ends),)

    return answer


def _words(weights: Tensor) -> Tensor:
    return weights[:-1]


def _late(weights: Tensor) -> Tensor:
    return weights[1:]


def _early(weights: Tensor) -> Tensor:
    return weights.roll(1, 0)[:-1]


_LATE = (
    "one row too late: row t is what the step looked at that *writes* word t; it *reads* word t − 1. Drop "
    "the last row, not the first"
)
_ENDS = (
    "the end of sentence competes: a word that looks there counts as wrong, though gold has no link for "
    "it. Leave the last column out before argmax"
)

ROWS = Exercise(
    arguments=("weights", "gold"),
    parts=("share",),
    examples=(lambda: _random(11, 7, 2), lambda: _random(12, 12, 2), lambda: _random(13, 5, 3)),
    right=_share(_words),
    praise="each word has its own row, the one of the step that writes it, and the ends stay outside.",
    sizes_hint="; weights has one row and one column more than gold, for the ends of sentence",
    mistakes=(
        (_share(_late), _LATE),
        (_share(_late, slice(None)), f"{_LATE}. And leave the last column out"),
        (
            _share(_early),
            "one row too early: row 0 belongs to the first word, which is written by the first step",
        ),
        (_share(_words, slice(None)), _ENDS),
        (
            _share(_words, ends=True),
            "you divide by T + 1: the end of sentence is no word that gold knows. Divide by the T words",
        ),
        (
            _share(_words, slice(None), ends=True),
            f"{_ENDS}. And divide by the T words, not by T + 1",
        ),
        (
            lambda weights, gold: ((weights[:-1, :-1] * gold).sum(-1).mean(),),
            "this is the weight on gold links, on average. The question was for the strongest word alone: "
            "argmax",
        ),
        (
            lambda weights, gold: (_column_share(weights, gold),),
            "your argmax runs down the columns: which step looked most at a word. Ask which word a step "
            "looked at most: argmax(-1)",
        ),
    ),
)


def _column_share(weights: Tensor, gold: Tensor) -> Tensor:
    best = weights[:-1, :-1].argmax(0)  # (S,)
    return gold[best, torch.arange(gold.shape[1])].float().mean()
