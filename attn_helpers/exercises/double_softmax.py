"""Exercise: the twin of a decoder's `attend` that applies the softmax twice. The bug museum."""

from collections.abc import Callable
from types import SimpleNamespace

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise
from attn_helpers.masks import masked_softmax

Weigh = Callable[[Tensor, Tensor], Tensor]  # scores (B, T, S), mask (B, 1, S) → weights (B, T, S)


def _random(batch: int, queries: int, keys: int, width: int, value_width: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    shapes = (batch, queries, width), (batch, keys, width), (batch, keys, value_width)
    lengths = keys - torch.arange(batch) % keys  # the first sentence has no padding, the next ones have
    mask = torch.arange(keys) < lengths[:, None, None]  # (B, 1, S)
    return (*(torch.randn(shape, generator=make) for shape in shapes), mask)


def _attend(weigh: Weigh) -> Callable[..., Answer]:
    def answer(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Answer:
        weights = weigh(query @ key.mT, mask)
        return weights @ value, weights

    return answer


def as_method(function: Callable[..., object]) -> Callable[..., object]:
    """The reader's method as a function of tensors: its `self` has `_scores`, here dot products."""
    decoder = SimpleNamespace(_scores=lambda query, key: query @ key.mT)
    return lambda query, key, value, mask: function(decoder, query, (key, value, mask))


DOUBLE = Exercise(
    arguments=("query", "key", "value", "mask"),
    parts=("output", "weights"),
    examples=(lambda: _random(3, 2, 5, 7, 4), lambda: _random(2, 1, 6, 3, 5)),
    right=_attend(lambda scores, mask: masked_softmax(masked_softmax(scores, mask), mask)),
    praise="the softmax runs twice, and nothing else has changed. Which number sees it?",
    sizes_hint="; fixed is key (B, S, h), value (B, S, c), mask (B, 1, S)",
    mistakes=(
        (
            _attend(masked_softmax),
            "nothing is changed yet: this is the right decoder. Put its weights through a softmax again",
        ),
        (
            _attend(lambda scores, mask: masked_softmax(scores, mask).softmax(-1)),
            "the second softmax has no mask: e⁰ = 1, so padding gets a share. That is a second fault",
        ),
        (
            _attend(lambda scores, mask: masked_softmax(scores.softmax(-1), mask)),
            "the first softmax has no mask: padding takes its part before the second one hides it",
        ),
        (
            _attend(lambda scores, mask: scores.softmax(-1).softmax(-1)),
            "no softmax has a mask left: that is another exhibit, padding leaks",
        ),
        (
            _attend(lambda scores, mask: scores.softmax(-1).softmax(-1) * mask),
            "the mask comes after the softmax, so rows sum to less than 1: mask inside, both times",
        ),
        (
            _attend(lambda scores, mask: masked_softmax(scores, mask).softmax(-1) * mask),
            "the second mask comes after its softmax, so rows sum to less than 1: mask inside, both times",
        ),
        (
            _attend(lambda scores, mask: masked_softmax(scores, mask).softmax(0)),
            "the second softmax runs over the batch: that is another exhibit, wrong axis",
        ),
        (
            _attend(lambda scores, mask: masked_softmax(scores, mask).softmax(1)),
            "the second softmax runs over the queries; both run over the keys",
        ),
        (
            _attend(lambda scores, mask: masked_softmax(2 * scores, mask)),
            "you double the scores, which makes the weights sharper; a second softmax makes them flatter",
        ),
    ),
)
