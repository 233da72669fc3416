"""Who may attend to whom. Used by every chapter.

One convention throughout: a mask is boolean and **True = may attend**. It is the convention of
`torch.nn.functional.scaled_dot_product_attention`; `torch.nn.MultiheadAttention` uses the opposite one.
"""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from attn_helpers import expect

_FORBID = "; to forbid a key, use the mask; in a small float type, look for overflow"
_ADD_AXIS = "add an axis of length 1: mask[None] for (T, S), mask[:, None] for (B, S)"


def valid_length_mask(lengths: Tensor | Sequence[int], size: int) -> Tensor:
    """Let every query see the first `lengths[b]` keys of its batch item, and no padding.

    lengths  (B,)          whole numbers from 0 to size
    returns  (B, 1, size)  bool, for scores (B, T, S) with S = size

    The 1 is the query axis: all queries of an item share its padding. For scores with heads,
    (B, H, T, S), add their axis: `mask[:, None]`.
    Raises TypeError for lengths that are not whole numbers, ValueError for another number of axes and
    for a length outside 0…size.
    """
    size = expect.count(size, "size")
    lengths = _whole_numbers(lengths)
    if lengths.is_floating_point() or lengths.is_complex() or lengths.dtype == torch.bool:
        raise TypeError(f"lengths must be whole numbers, got {expect.dtype(lengths)}")
    if lengths.ndim != 1:
        raise ValueError(f"lengths must have one axis (B,), got shape {tuple(lengths.shape)}")
    whole = lengths.long()  # min of uint64 is not to be had; what is too large for long turns negative
    if whole.numel() and not 0 <= whole.min() <= whole.max() <= size:
        raise ValueError(f"lengths must lie between 0 and size = {size}, got {lengths.tolist()}")
    return torch.arange(size, device=whole.device) < whole[:, None, None]  # (B, 1, size)


def _whole_numbers(lengths: object) -> Tensor:
    if isinstance(lengths, list | tuple) and not lengths:
        return torch.zeros(0, dtype=torch.long)  # an empty batch; torch would make it float
    try:
        return torch.as_tensor(lengths)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        kind = ValueError if isinstance(error, ValueError | OverflowError) else TypeError
        raise kind(f"lengths must be one whole number per batch item, got {lengths!r}") from None


def causal_mask(
    queries: int,
    keys: int | None = None,
    *,
    align: Literal["start", "end"] | None = None,
    device: torch.device | str | None = None,
) -> Tensor:
    """Let query t see the keys up to its own place, and no later one.

    returns  (T, T)  bool, T = queries; or (T, S) when `keys` = S is given
             for scores (B, T, S) add the batch axis: `mask[None]`

    When S differs from T there are two honest answers, so `align` must choose one:
    "start"  query 0 stands at key 0 (PyTorch's `is_causal`)
    "end"    the last query stands at the last key (decoding with a cache)
    Raises ValueError when S ≠ T and `align` is missing, for an unknown `align` and for a negative size,
    TypeError for a size that is not a whole number.
    """
    queries = expect.count(queries, "queries")
    keys = queries if keys is None else expect.count(keys, "keys")
    if align not in ("start", "end", None):
        raise ValueError(f'align must be "start" or "end", got {align!r}')
    if align is None and queries != keys:
        raise ValueError(
            f"{queries} queries and {keys} keys can be aligned in two ways: "
            'say align="start" (query 0 at key 0) or align="end" (last query at last key)'
        )
    shift = keys - queries if align == "end" else 0
    here = torch.arange(queries, device=device)[:, None] + shift  # (T, 1)
    return torch.arange(keys, device=device) <= here  # (T, S)


def combine_masks(*masks: Tensor) -> Tensor:
    """Allow what every mask allows.

    masks    bool, all with the same number of axes, each axis equal or 1
    returns  bool, the masks broadcast against each other and joined by "and"

    A padding mask and a causal mask: `combine_masks(valid_length_mask(lengths, T), causal_mask(T)[None])`.
    Raises TypeError for a mask that is not boolean, ValueError for shapes that do not fit.
    """
    if not masks:
        raise ValueError("combine_masks needs at least one mask, got none")
    expect.booleans(**{f"mask {i}": mask for i, mask in enumerate(masks, 1)})
    shapes = ", ".join(str(tuple(mask.shape)) for mask in masks)
    if len({mask.ndim for mask in masks}) > 1:
        raise ValueError(f"masks must have the same number of axes, got {shapes}; {_ADD_AXIS}")
    if any(len(set(sizes) - {1}) > 1 for sizes in zip(*(mask.shape for mask in masks), strict=True)):
        raise ValueError(f"masks must be equal or 1 along each axis, got {shapes}")
    if len({mask.device for mask in masks}) > 1:
        devices = ", ".join(str(mask.device) for mask in masks)
        raise ValueError(f"masks must be on one device, got {devices}")
    allowed = masks[0]
    for mask in masks[1:]:
        allowed = allowed & mask
    return allowed


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Turn each row of scores into weights that sum to 1 over the keys it may attend to.

    scores   (..., T, S)  any float type
    mask     as many axes, each equal or 1; bool, True = may attend; None allows all
    returns  (..., T, S)  weights; exactly 0 where the mask forbids

    A row that may attend to nothing gets weights 0, and its gradient is 0: it has no opinion.
    A forbidden score never matters, forward or backward, not even when it is NaN. An allowed score
    that is NaN or infinite is refused, so that no NaN begins here.
    Raises TypeError for scores or a mask of the wrong type, ValueError for a mask of the wrong shape and
    for an allowed score that is not finite. Notes, first formula (softmax over a(q, k_i)).
    """
    expect.floats(scores=scores)
    if scores.ndim == 0:
        raise ValueError("scores must have at least the axis of the keys, got a single number")
    if mask is None:
        expect.finite(scores=scores, hint=_FORBID)
        return torch.softmax(scores, dim=-1)
    _check_fit(mask, scores)
    forbidden = ~mask
    expect.finite(scores=scores.detach().masked_fill(forbidden, 0), hint=_FORBID)
    empty = forbidden.all(dim=-1, keepdim=True)
    scores = scores.masked_fill(forbidden, float("-inf"))  # exp(-inf) = 0 in every float type
    scores = scores.masked_fill(empty, 0)  # a softmax of nothing but -inf is NaN, and so its gradient
    return torch.softmax(scores, dim=-1).masked_fill(forbidden, 0)


def _check_fit(mask: Tensor, scores: Tensor) -> None:
    """Refuse a mask that is not boolean or that does not line up with the scores, axis by axis."""
    expect.booleans(mask=mask)
    got, want = tuple(mask.shape), tuple(scores.shape)
    if mask.ndim != scores.ndim:
        raise ValueError(f"mask must have the axes of the scores, {want}, got {got}; {_ADD_AXIS}")
    if any(m not in (1, s) for m, s in zip(got, want, strict=True)):
        raise ValueError(f"mask must be equal or 1 along each axis of the scores, {want}, got {got}")
    if mask.device != scores.device:
        raise ValueError(f"mask must be on the device of the scores, {scores.device}, got {mask.device}")
