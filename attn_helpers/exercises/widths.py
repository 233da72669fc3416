"""Exercise: queries and keys of unequal widths meet in an additive score. Chapter 1."""

from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers import scoring
from attn_helpers.judge import Answer, Exercise


def _random(batch: int, queries: int, keys: int, width: int, key_width: int, hidden: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    shapes = (
        (batch, queries, width),
        (batch, keys, key_width),
        (hidden, width),
        (hidden, key_width),
        (hidden,),
    )
    return tuple(torch.randn(shape, generator=make) for shape in shapes)


def _score(judge: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Callable[..., Answer]:
    """Scores made from the projected queries (B, T, 1, h) and keys (B, 1, S, h) and from w_v (h,)."""

    def answer(
        query: Tensor, key: Tensor, query_weight: Tensor, key_weight: Tensor, value_weight: Tensor
    ) -> Answer:
        queries = (query @ query_weight.mT).unsqueeze(-2)  # (B, T, 1, h)
        keys = (key @ key_weight.mT).unsqueeze(-3)  # (B, 1, S, h)
        return (judge(queries, keys, value_weight),)

    return answer


def _blends(judge: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Callable[..., Answer]:
    """The same, then a softmax over the keys."""
    return lambda *given: tuple(part.softmax(-1) for part in _score(judge)(*given))


def _right(queries: Tensor, keys: Tensor, w: Tensor) -> Tensor:
    return torch.tanh(queries + keys) @ w  # (B, T, S)


def _each_query_alike(scores: str) -> str:
    return (
        f"{scores}: the query adds the same number to every score of its row, and a softmax ignores that. "
        "Add first, then bend: tanh(W_q q + W_k k)"
    )


WIDTHS = Exercise(
    arguments=("query", "key", "query_weight", "key_weight", "value_weight"),
    parts=("scores",),
    examples=(lambda: _random(2, 3, 5, 7, 11, 13), lambda: _random(3, 5, 2, 1, 7, 4)),
    right=lambda *given: (scoring.additive_score(*given),),
    praise="additive scores: a query of one width meets a key of another, and one tanh judges each pair.",
    sizes_hint=(
        "; give every pair a place: projected queries as (B, T, 1, h), projected keys as (B, 1, S, h), "
        "with unsqueeze or [:, :, None]"
    ),
    mistakes=(
        (_score(lambda q, k, w: (q + k) @ w), _each_query_alike("the tanh is missing")),
        (
            _score(lambda q, k, w: (torch.tanh(q) + torch.tanh(k)) @ w),
            _each_query_alike("you bend query and key apart"),
        ),
        (
            _score(lambda q, k, w: torch.tanh((q + k) @ w)),
            "the tanh is outside, so no score leaves −1…+1: bend the h hidden units, then weigh them by w_v",
        ),
        (
            _score(lambda q, k, w: torch.tanh(q + k).sum(-1)),
            "you add the hidden units up as they are: weigh them by value_weight, the w_v of the formula",
        ),
        (
            _score(lambda q, k, w: torch.tanh(q + k).mean(-1)),
            "you average the hidden units: weigh them by value_weight, the w_v of the formula",
        ),
        (
            _score(lambda q, k, w: torch.tanh(q * k) @ w),
            "you multiply query and key; the additive score adds them: tanh(W_q q + W_k k)",
        ),
        (
            _score(lambda q, k, w: (q * k).sum(-1)),
            "you take the dot product of the projections: that is a bilinear score, with W = W_qᵀ W_k. "
            "Here they are added, bent by tanh and weighed by w_v",
        ),
        (
            _score(lambda q, k, w: torch.sigmoid(q + k) @ w),
            "you bend by a sigmoid; the formula has a tanh, which lies between −1 and +1",
        ),
        (
            _score(lambda q, k, w: torch.relu(q + k) @ w),
            "you bend by a relu; the formula has a tanh, which lies between −1 and +1",
        ),
        (
            _score(lambda q, k, w: torch.tanh(q + k) @ w / len(w) ** 0.5),
            "you divide by the root of h: only the dot product needs that. These scores are right before it",
        ),
        (
            _score(lambda q, k, w: torch.tanh(q - k) @ w),
            "you subtract the key; the formula adds: tanh(W_q q + W_k k)",
        ),
        (
            _blends(_right),
            "these are weights, not scores: leave the softmax to the next step",
        ),
        (
            _score(lambda q, k, w: _right(q, k, w).mT),
            "rows and columns have changed places: a row belongs to a query, (B, T, S)",
        ),
    ),
)
