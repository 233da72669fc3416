"""Exercise: a softmax for every step, over the words of the source. Chapter 3."""

from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise


def _random(lengths: tuple[int, ...], steps: int, size: int, width: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    scores = torch.randn(len(lengths), steps, size, generator=make)
    return scores, torch.randn(len(lengths), size, width, generator=make), torch.tensor(lengths)


def _words(scores: Tensor, lengths: Tensor) -> Tensor:
    return torch.arange(scores.shape[-1]) < lengths[:, None, None]  # (B, 1, S)


def _pooled(weigh: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Answer]:
    """The contexts that weights make, themselves made of scores (B, T, S) and mask (B, 1, S)."""

    def answer(scores: Tensor, values: Tensor, lengths: Tensor) -> Answer:
        weights = weigh(scores, _words(scores, lengths))
        return weights @ values, weights

    return answer


def _softmax(axis: int | tuple[int, ...]) -> Callable[[Tensor, Tensor], Tensor]:
    """Over one axis or several, among what the mask allows."""

    def weigh(scores: Tensor, mask: Tensor) -> Tensor:
        powers = scores.exp() * mask
        return powers / powers.sum(axis, keepdim=True).clamp(min=1e-30)

    return weigh


CONTEXTS = Exercise(
    arguments=("scores", "values", "lengths"),
    parts=("context", "weights"),
    examples=(lambda: _random((2, 5, 3), 4, 5, 7), lambda: _random((3, 1, 2), 3, 3, 5)),
    right=_pooled(_softmax(-1)),
    praise="every step shares its weight out over the words of its own sentence, and over nothing else.",
    sizes_hint="; the mask is (B, 1, S): torch.arange(S) < lengths[:, None, None]",
    mistakes=(
        (
            _pooled(_softmax(1)),
            "your softmax runs over t, the words that are written: each source word shares itself out over "
            "the translation, and a step may get nothing at all. Let each row sum to 1: dim=-1",
        ),
        (
            _pooled(lambda scores, mask: torch.softmax(scores, 1)),
            "your softmax runs over t, the words that are written, and padding is looked at, too. "
            "Let each row sum to 1 over the words of its sentence: dim=-1, behind the mask",
        ),
        (
            _pooled(_softmax(0)),
            "your softmax runs over the batch: sentences that have nothing to do with each other compete. "
            "Let each row sum to 1: dim=-1",
        ),
        (
            _pooled(_softmax((1, 2))),
            "all steps share one weight of 1 among them, so a context is a small fraction of a state. Each "
            "step has a weight of 1 of its own: dim=-1",
        ),
        (
            _pooled(lambda scores, mask: torch.softmax(scores, -1)),
            "padding is looked at: a short sentence's context depends on who else is in the batch. Forbid "
            "what lies at lengths and beyond, before the softmax",
        ),
        (
            _pooled(lambda scores, mask: torch.softmax(scores, -1) * mask),
            "you mask after the softmax: the padding had its share by then, and the rows of short sentences "
            "sum to less than 1. Set forbidden scores to -inf before",
        ),
        (
            _pooled(lambda scores, mask: torch.softmax(scores * mask, -1)),
            "you multiply the scores by the mask: a score of 0 is a score like others, e⁰ = 1. Set forbidden "
            "scores to -inf",
        ),
        (
            _pooled(lambda scores, mask: mask / mask.sum(-1, keepdim=True) + 0 * scores),
            "all words weigh alike: that is the mean, the uniform context. The scores have no say yet",
        ),
    ),
)
