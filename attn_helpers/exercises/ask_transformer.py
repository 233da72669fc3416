"""What `check` asks in chapter 5. Each prints what the answer shows, and raises nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attn_helpers.exercises.causal import CAUSAL, LATER
from attn_helpers.exercises.cross import CROSS
from attn_helpers.exercises.layer_parameters import LAYER
from attn_helpers.exercises.places import PLACES
from attn_helpers.exercises.residual import RESIDUAL, block_of, norm
from attn_helpers.judge import Exercise, verdict


def placed(function: Callable[..., object]) -> None:
    """Check how words are told where they stand. Chapter 5.

    function  vectors E[word] (B, T, m), waves (places, m), more places than words → placed (B, T, m)
    prints    what its answer shows; raises nothing
    """
    print(verdict(PLACES, function))


def causal_mask(function: Callable[..., object]) -> None:
    """Check a causal mask for a padded batch. Chapter 5.

    function  words (B, T), boolean, False = padding → mask (B, T, T), boolean, True = may attend
    prints    what its answer shows; raises nothing
    """
    _mask(CAUSAL, function, lambda words: (words,))


def later_mask(function: Callable[..., object]) -> None:
    """Check the causal mask of words that come after others. Chapter 5.

    function  new T, old t, two whole numbers → mask (T, t + T), boolean, True = may attend
    prints    what its answer shows; raises nothing
    """
    _mask(LATER, function, lambda new, old: (int(new), int(old)))


def cross_attention(function: Callable[..., object]) -> None:
    """Check who asks and who answers when the decoder looks at the source. Chapter 5.

    function  x (B, T, m), memory (B, S, m), W_q (d, m), W_k (d, m), W_v (v, m)
              → output (B, T, v), weights (B, T, S)
    prints    what its answer shows; raises nothing
    """
    print(verdict(CROSS, function))


def pre_norm(function: Callable[..., object]) -> None:
    """Check what goes around a block when the norm comes first. Chapter 5.

    function  x (B, T, m), norm, block, two functions from (B, T, m) to (B, T, m) → output (B, T, m)
    prints    what its answer shows; raises nothing
    """

    def with_functions(x: Tensor, widen: Tensor, narrow: Tensor) -> object:
        return function(x, norm, block_of(widen, narrow))

    print(verdict(RESIDUAL, with_functions if callable(function) else function))


def layer_parameters(function: Callable[..., object]) -> None:
    """Check how the parameters of a decoder layer are counted. Chapter 5.

    function  width m, inner f, heads H, three whole numbers → how many
    prints    what its answer shows; raises nothing
    """

    def counted(*sizes: Tensor) -> object:
        return function(*(int(size) for size in sizes))

    print(verdict(LAYER, counted if callable(function) else function))


def _mask(exercise: Exercise, function: Callable[..., object], given: Callable[..., tuple[Any, ...]]) -> None:
    """Masks are judged as numbers; that they are boolean is asked afterwards."""
    kinds, added = set[object](), False

    def as_numbers(*sizes: Tensor) -> object:
        mask = function(*given(*sizes))
        if isinstance(mask, tuple | list) and len(mask) == 1:
            (mask,) = mask
        if isinstance(mask, np.ndarray):
            kinds.add(np.ndarray)
            mask = torch.from_numpy(mask)
        if not isinstance(mask, Tensor):
            return mask
        nonlocal added
        kinds.add(mask.dtype)
        added |= _is_added(mask)
        return mask.float()

    said = verdict(exercise, as_numbers if callable(function) else function)
    said = said.replace("a tensor of floats", "a boolean tensor, True = may attend")
    if said.startswith("✓") and kinds != {torch.bool}:
        said = "not yet: the places are right; let the mask be a boolean tensor, True = may attend: .bool()"
    if added and not said.startswith("✓"):
        said = "not yet: this is a mask to be *added* to scores; here True = may attend"
    print(said)


def _is_added(mask: Tensor) -> bool:
    """Whether it holds 0 where one may look, and −∞ or nearly so elsewhere."""
    low = mask < -1e3
    return bool(low.any() and (low | (mask == 0)).all())
