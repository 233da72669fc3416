"""The three ways to say, for a batch, who may attend to whom. Chapters 4 and 5.

Letters: B batch, T queries, S keys.
"""

import warnings

import torch
from torch import Tensor

from attn_helpers import expect
from attn_helpers.masks import valid_length_mask

Mask = Tensor | list[int] | tuple[int, ...]


def as_mask(mask: Mask | None, batch: int, queries: int, keys: int) -> Tensor | None:
    """Any of three masks as (B, T, S), B or T or S possibly 1. Booleans: True = may attend.

    (B, T, S)  bool: each item its own; an axis of 1 is shared, as in `valid_length_mask`'s (B, 1, S)
    (T, S)     bool: all items the same, as `causal_mask`. Two axes are **always** (T, S), never (B, S);
               where B = T > 1 both would fit, and a warning says how it was read: mask[None] is silent
    (B,)       whole numbers, not bool: item b's first lengths[b] keys are words, the rest is padding

    Raises TypeError for a mask that is neither boolean nor lengths, ValueError for a shape that does not fit.
    """
    if mask is None:
        return None
    if isinstance(mask, list | tuple) or (isinstance(mask, Tensor) and _whole(mask)):
        allowed = valid_length_mask(mask, keys)  # (B, 1, S)
        if len(allowed) != batch:
            raise ValueError(f"mask as lengths must have one per item, B = {batch}, got {len(allowed)}")
        return allowed
    expect.booleans(mask=mask)
    full, got = (batch, queries, keys), tuple(mask.shape)
    if got == (queries, keys):
        if batch == queries > 1:
            warnings.warn(
                f"mask {got} is read as (T, S), the same for all items, though B = T = {batch}: write "
                "mask[None] if that is meant, mask[:, None] if it is (B, S)",
                stacklevel=2,
            )
        return mask[None]  # (1, T, S)
    if mask.ndim != 3 or any(m not in (1, size) for m, size in zip(got, full, strict=True)):
        hint = "; a padding mask (B, S) is mask[:, None]" if got == (batch, keys) else ""
        raise ValueError(
            f"mask must be (B, T, S) = {full}, each equal or 1, or (T, S) = {full[1:]}, or lengths (B,), "
            f"got {got}{hint}"
        )
    return mask


def _whole(mask: Tensor) -> bool:
    return mask.ndim == 1 and mask.dtype != torch.bool
