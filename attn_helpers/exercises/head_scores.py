"""Exercise: scores of all heads in one product. Chapter 4."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise
from attn_helpers.multi_head import split_heads

Split = Callable[[Tensor, int], Tensor]  # (B, T, H·d), H → (B, H, T, d)


def _random(batch: int, heads: int, queries: int, keys: int, width: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    shapes = (batch, queries, heads * width), (batch, heads, keys, width)
    return tuple(torch.randn(shape, generator=make) for shape in shapes)


def _scores(
    split: Split = split_heads, over: Callable[[int, int], float] | None = None
) -> Callable[..., Answer]:
    """Scores by this way to split, divided by `over(d, H)`."""

    def answer(queries: Tensor, keys: Tensor) -> Answer:
        heads, width = keys.shape[1], keys.shape[3]
        divisor = math.sqrt(width) if over is None else over(width, heads)
        return (split(queries, heads) @ keys.mT / divisor,)

    return answer


def _viewed(queries: Tensor, heads: int) -> Tensor:
    return queries.reshape(len(queries), heads, queries.shape[1], -1)


def _interleaved(queries: Tensor, heads: int) -> Tensor:
    return queries.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)  # type: ignore[no-untyped-call, no-any-return]


def _after(change: Callable[[Tensor], Tensor]) -> Callable[..., Answer]:
    return lambda *given: (change(_scores()(*given)[0]),)


def _whole(divisor: Callable[[int, int], float]) -> Callable[..., Answer]:
    """The product of the undivided widths, for every head the same."""

    def answer(queries: Tensor, keys: Tensor) -> Answer:
        heads, width = keys.shape[1], keys.shape[3]
        scores = queries @ keys.transpose(1, 2).flatten(2).mT / divisor(width, heads)  # (B, T, S)
        return (scores[:, None].expand(-1, heads, -1, -1),)

    return answer


def _over_count(axis: int) -> Callable[..., Answer]:
    """Divided by the root of how many queries (2) or keys (3) there are."""

    def answer(queries: Tensor, keys: Tensor) -> Answer:
        (scores,) = _scores(over=lambda d, h: 1.0)(queries, keys)
        return (scores / math.sqrt(scores.shape[axis]),)

    return answer


_WHOLE = (
    "every head has the same scores, those of the undivided width H·d: cut queries into heads, and let each "
    "meet its own keys"
)
HEAD_SCORES = Exercise(
    arguments=("queries", "keys"),
    parts=("scores",),
    examples=(
        lambda: _random(2, 3, 5, 7, 4),
        lambda: _random(3, 3, 2, 5, 1),
        lambda: _random(2, 5, 5, 3, 2),
    ),
    right=_scores(),
    praise="scores of every head, and each query stays with its own word.",
    sizes_hint=(
        "; first cut the width of queries into H and d, (B, T, H, d), then swap T and H: transpose(1, 2). "
        "H and d stand in the shape of keys"
    ),
    mistakes=(
        (
            _scores(_viewed),
            "a view as (B, H, T, d) without a transpose: the shape is right and the words are scrambled. "
            "Head 0 got the first tokens whole, not the first d numbers of each. View as (B, T, H, d), then "
            "transpose",
        ),
        (
            _scores(_viewed, over=lambda d, h: math.sqrt(d * h)),
            "a view as (B, H, T, d) without a transpose scrambles the words; and it is √d of one head",
        ),
        (
            _scores(_viewed, over=lambda d, h: 1.0),
            "a view as (B, H, T, d) without a transpose scrambles the words; and the scores are not scaled",
        ),
        (
            _scores(_interleaved, over=lambda d, h: 1.0),
            "your heads take every H-th number of a token, and the scores are not scaled: cut the width as "
            "(B, T, H, d), then divide by √d",
        ),
        (_whole(lambda d, h: math.sqrt(d)), _WHOLE),
        (_whole(lambda d, h: math.sqrt(d * h)), _WHOLE),
        (_over_count(3), "you divide by √S, the number of keys: a score adds up d products, so it is √d"),
        (_over_count(2), "you divide by √T, the number of queries: a score adds up d products, so it is √d"),
        (
            _scores(_interleaved),
            "your heads take every H-th number of a token; a head's numbers lie side by side: (B, T, H, d), "
            "not (B, T, d, H)",
        ),
        (
            _scores(over=lambda d, h: math.sqrt(d * h)),
            "you divide by √(H·d), the root of the whole width: each head adds up d products, so it is √d",
        ),
        (_scores(over=lambda d, h: 1.0), "the scores are not scaled: divide by √d, d = keys.shape[-1]"),
        (
            _scores(over=lambda d, h: float(d)),
            "you divide by d, which flattens the weights: the spread of q·k grows like √d",
        ),
        (
            _scores(over=lambda d, h: math.sqrt(h)),
            "you divide by √H: a score adds up d products, so it is √d",
        ),
        (_after(lambda scores: scores.softmax(-1)), "these are weights: leave the softmax to the next step"),
        (
            _after(lambda scores: scores.softmax(1)),
            "these are weights, and the heads share them out among each other: leave the softmax to the next "
            "step, over the keys of each head",
        ),
        (
            _after(lambda scores: scores.softmax(2)),
            "these are weights, and the queries share them out: leave the softmax to the next step, "
            "over the keys",
        ),
        (
            _after(lambda scores: scores.mean(1)),
            "you average the heads: one map is left of H, in which opposite heads cancel. Keep the axis H",
        ),
        (_after(lambda scores: scores.sum(1)), "you add the heads up: every head keeps scores of its own"),
        (
            _after(lambda scores: scores.transpose(1, 2)),
            "queries and heads have changed places: scores are (B, H, T, S)",
        ),
        (_after(lambda scores: scores.mT), "rows and columns have changed places: a row belongs to a query"),
    ),
)
