"""Exercise: the decoder looks at the encoder. Chapter 5."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise


def _random(batch: int, target: int, source: int, width: int, head: int, value: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    shapes = (batch, target, width), (batch, source, width), (head, width), (head, width), (value, width)
    return tuple(torch.randn(shape, generator=make) for shape in shapes)


def _cross(
    query: str = "x",
    key: str = "memory",
    value: str = "memory",
    over: Callable[[int, int], float] = lambda d, m: math.sqrt(d),
    bend: Callable[[Tensor], Tensor] = lambda scores: scores,
    axis: int = -1,
) -> Callable[..., Answer]:
    """Attention between two texts; which of them each of the three comes from."""

    def answer(x: Tensor, memory: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Answer:  # noqa: N803
        text = {"x": x, "memory": memory}
        scores = text[query] @ W_q.mT @ (text[key] @ W_k.mT).mT / over(W_q.shape[0], x.shape[-1])
        weights = bend(scores).softmax(axis)
        values = text[value] @ W_v.mT
        if weights.shape[-1] != values.shape[1]:  # no blend: as many weights as values are needed
            return torch.full((*weights.shape[:2], values.shape[-1]), torch.nan), weights
        return weights @ values, weights

    return answer


def _causal(scores: Tensor) -> Tensor:
    return scores.masked_fill(~torch.ones_like(scores).tril().bool(), -torch.inf)


_SELF = (
    "your keys and values come from the decoder: that is self-attention, and the source is never read. In "
    "cross-attention the decoder asks, and the encoder's memory answers: W_k and W_v are applied to memory"
)

CROSS = Exercise(
    arguments=("x", "memory", "W_q", "W_k", "W_v"),
    parts=("output", "weights"),
    examples=(
        lambda: _random(3, 4, 4, 5, 2, 6),  # T = S first: what mixes the two sides up runs, and is named
        lambda: _random(2, 3, 5, 7, 4, 6),
    ),
    right=_cross(),
    praise="the target's words ask, the source's words answer.",
    sizes_hint=(
        "; queries are x @ W_q.mT, (B, T, d); keys and values are made of memory, (B, S, d) and (B, S, v)"
    ),
    mistakes=(
        (_cross(key="x", value="x"), _SELF),
        (_cross(key="x", value="x", bend=_causal), f"{_SELF}. And there is nothing to hide in the source"),
        (
            _cross(query="memory"),
            "your queries come from the encoder, too: that is the encoder's self-attention. Who wants to "
            "know is the decoder: W_q is applied to x",
        ),
        (
            _cross(query="memory", key="x", value="x"),
            "the two have changed places: your source words look at the target. The decoder asks: queries of "
            "x, keys and values of memory",
        ),
        (
            _cross(value="x"),
            "your keys come from the encoder, and your values from the decoder: what is handed over must "
            "come from where it was found: W_v is applied to memory",
        ),
        (
            _cross(key="x"),
            "your values come from the encoder, and your keys from the decoder: the weights say where among "
            "the *target's* words to look. W_k is applied to memory",
        ),
        (
            _cross(bend=_causal),
            "you use a causal mask: the source is known as a whole, and every target word may look at it all",
        ),
        (_cross(over=lambda d, m: 1.0), "the scores are not scaled: divide by √d, d = W_q.shape[0]"),
        (
            _cross(over=lambda d, m: math.sqrt(m)),
            "you divide by √m, the root of the words' width; the product adds up d numbers: √d",
        ),
        (_cross(over=lambda d, m: float(d)), "you divide by d: the spread of q·k grows like √d"),
        (
            _cross(axis=1),
            "your columns sum to 1: the softmax ran over the target's words. Each of them shares out its own "
            "weight over the source, the last axis",
        ),
    ),
)
