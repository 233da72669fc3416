"""Exercise: each sentence's own last state, out of a padded batch. Chapter 2."""

from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise


def _random(lengths: tuple[int, ...], size: int, width: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    return torch.randn(len(lengths), size, width, generator=make), torch.tensor(lengths)


def _picked(place: Callable[[Tensor, int], Tensor]) -> Callable[..., Answer]:
    """The state at a place that is made of the lengths (B,) and the size S."""

    def answer(states: Tensor, lengths: Tensor) -> Answer:
        return (states[torch.arange(len(states)), place(lengths, states.shape[1])],)

    return answer


def _blended(share: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Answer]:
    """States blended by shares (B, S) made of the words' places, 1 or 0, and of the lengths (B, 1)."""

    def answer(states: Tensor, lengths: Tensor) -> Answer:
        words = (torch.arange(states.shape[1]) < lengths[:, None]).float()  # (B, S)
        return ((share(words, lengths[:, None])[..., None] * states).sum(1),)

    return answer


_PADDED_END = (
    "you take the state at the padded end: a shorter sentence's GRU has read on over padding by then, and "
    "its state depends on who else is in the batch. The last word of sentence b stands at lengths[b] − 1"
)

LAST = Exercise(
    arguments=("states", "lengths"),
    parts=("last",),
    examples=(lambda: _random((2, 5, 3), 5, 7), lambda: _random((4, 1), 4, 5)),
    right=_picked(lambda lengths, size: lengths - 1),
    praise="each sentence's last state is its own, whoever it travels with.",
    sizes_hint="; lengths count from 1 and places from 0: the last word stands at lengths − 1",
    mistakes=(
        (_picked(lambda lengths, size: torch.full_like(lengths, size - 1)), _PADDED_END),
        (
            _picked(lambda lengths, size: lengths.clamp(max=size - 1)),
            "one place too far: that is the first padding. Places count from 0, so take lengths − 1",
        ),
        (
            _picked(lambda lengths, size: (lengths - 2).clamp(min=0)),
            "one place too early: that is the last word but one. Take lengths − 1",
        ),
        (
            _picked(lambda lengths, size: torch.zeros_like(lengths)),
            "this is the state after the first word, which has not seen the rest",
        ),
        (
            lambda states, lengths: (states[:, lengths - 1],),
            "you pair every sentence with every length: index both axes at once, "
            "states[torch.arange(len(states)), lengths - 1]",
        ),
        (
            _blended(lambda words, lengths: words / lengths),
            "this is the mean over the words. It can serve as a context, but the question was for the last",
        ),
        (
            _blended(lambda words, lengths: torch.full_like(words, 1 / words.shape[1])),
            "this is a mean, and over the padding, too: take one state, at lengths − 1",
        ),
        (
            _blended(lambda words, lengths: words),
            "this is the sum over the words: take one state, at lengths − 1",
        ),
    ),
)
