"""The three ways to say a mask to heads, each with one meaning. Chapter 4."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attn_helpers import expect
from attn_helpers.masks import valid_length_mask

Mask = Tensor | Sequence[int] | None


def mask_for_heads(mask: Mask, batch: int, queries: int, keys: int) -> Tensor | None:
    """One mask for all heads, (B or 1, 1, T or 1, S), from the three ways to say it.

    (B, T, S)  bool, True = may attend; B and T may be 1: `valid_length_mask` gives (B, 1, S)
    (T, S)     bool, the same for all items; T may be 1
    (B,)       whole numbers, not bool: each item's keys before that place are real, the others padding

    Two axes are refused when T = B > 1: (B, S) would look alike, and `mask[None]` or `mask[:, None]` says
    which is meant. Raises TypeError for a mask that is not boolean, ValueError for one that does not fit.
    """
    if mask is None:
        return None
    if not isinstance(mask, Tensor) or (mask.ndim == 1 and mask.dtype != torch.bool):
        mask = valid_length_mask(mask, keys)  # (B, 1, S)
        if len(mask) != batch:
            raise ValueError(f"mask as lengths must have one number per item, B = {batch}, got {len(mask)}")
        return mask[:, None]
    expect.booleans(mask=mask)
    got = tuple(mask.shape)
    if mask.ndim == 2 and got[0] == queries == batch > 1:
        raise ValueError(
            f"mask {got} could be (T, S) or (B, S), as T = B = {batch}: "
            "write mask[None] for (1, T, S), the same for all items, or mask[:, None] for (B, 1, S), padding"
        )
    fits = mask.ndim in (2, 3) and got[-1] == keys and got[-2] in (1, queries)
    if not fits or got[:-2] not in ((), (1,), (batch,)):
        raise ValueError(
            f"mask must be (B, T, S) = {(batch, queries, keys)}, B and T may be 1, or (T, S) = "
            f"{(queries, keys)}, or whole numbers (B,) = {(batch,)}, got {expect.dtype(mask)} {got}"
        )
    return mask[None, None] if mask.ndim == 2 else mask[:, None]
