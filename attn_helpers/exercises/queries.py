"""Exercise: who asks? The query of step t is the state before the step. Chapter 3."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise


def _random(batch: int, steps: int, size: int, width: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    sizes = ((batch, width), (batch, steps, width), (batch, steps, width), (batch, size, width))
    return tuple(torch.randn(shape, generator=make) for shape in sizes)


def _asked(
    query: Callable[[Tensor, Tensor, Tensor], Tensor], *, axis: int = -1, scale: float = 1.0
) -> Callable[..., Answer]:
    """Attention with the queries made of the initial state, the states and the words read."""

    def answer(initial: Tensor, states: Tensor, embedded: Tensor, memory: Tensor) -> Answer:
        scores = query(initial, states, embedded) @ memory.mT * scale  # (B, T, S)
        weights = torch.softmax(scores, dim=axis)
        return weights @ memory, weights

    return answer


def _before(initial: Tensor, states: Tensor, embedded: Tensor) -> Tensor:
    return torch.cat([initial[:, None], states[:, :-1]], dim=1)  # (B, T, h)


def _from_nothing(initial: Tensor, states: Tensor, embedded: Tensor) -> Tensor:
    return torch.cat([torch.zeros_like(initial)[:, None], states[:, :-1]], dim=1)


def _divided(initial: Tensor, states: Tensor, embedded: Tensor, memory: Tensor) -> Answer:
    return _asked(_before, scale=1 / math.sqrt(memory.shape[-1]))(initial, states, embedded, memory)


QUERIES = Exercise(
    arguments=("initial", "states", "embedded", "memory"),
    parts=("context", "weights"),
    examples=(lambda: _random(2, 5, 3, 7), lambda: _random(3, 3, 4, 5), lambda: _random(1, 1, 2, 3)),
    right=_asked(_before),
    praise="each step asks with the state it starts from: the initial state, then s₁, s₂, …",
    sizes_hint="; initial[:, None] is (B, 1, h), and states without its last step is states[:, :-1]",
    mistakes=(
        (
            _asked(lambda initial, states, embedded: states),
            "step t asks with s_t, but that state is made of c_t, which it is asking for. The query is the "
            "state before the step: s_{t−1}, at the first step the initial state",
        ),
        (
            _asked(lambda initial, states, embedded: embedded),
            "you ask with the word read, y_{t−1}: the same word would then always look at the same place, "
            "whatever was said before. The query is the state s_{t−1}",
        ),
        (
            _asked(_from_nothing),
            "the first step asks with zeros, so it looks everywhere alike. At t = 1 the query is the initial "
            "state, which has read the sentence",
        ),
        (
            _asked(lambda initial, states, embedded: states.roll(1, 1)),
            "the first step asks with the last state, s_T: roll brings it round from the end, and it knows "
            "the whole translation. At t = 1 the query is the initial state",
        ),
        (
            _asked(lambda initial, states, embedded: initial[:, None].expand_as(states)),
            "every step asks with the initial state, so every row is the same: one context for all words, "
            "as in chapter 2",
        ),
        (
            _asked(_before, axis=1),
            "your softmax runs over the steps t: the columns sum to 1, and words of the translation compete "
            "for a source word. Each step shares its weight out over the source: dim=-1",
        ),
        (_divided, "right, but the scores are divided by √h; the question was for plain dot products"),
    ),
)
