"""What a function asks of the tensors it is given, and the sentence it answers with when it gets others.

Every error names the argument, what was expected and what came.
"""

import math
import operator
from numbers import Real
from typing import SupportsIndex

import torch
from torch import Tensor


def floats(**tensors: Tensor) -> None:
    """Expect tensors of one float type on one device."""
    (first_name, first), *_ = tensors.items()
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} must be a tensor of a float type, got {type(tensor).__name__}")
        if tensor.is_complex():
            raise TypeError(
                f"{name} must be of a float type, got {dtype(tensor)}; take a real part or a size: "
                f"{name}.real, {name}.abs()"
            )
        if not tensor.is_floating_point():
            raise TypeError(
                f"{name} must be of a float type, got {dtype(tensor)}; convert it: {name}.float()"
            )
        if tensor.dtype != first.dtype:
            raise TypeError(
                f"{name} must be of the type of {first_name}, {dtype(first)}, got {dtype(tensor)}; "
                f"convert it: {name}.to({first_name}.dtype)"
            )
        if tensor.device != first.device:
            raise ValueError(
                f"{name} must be on the device of {first_name}, {first.device}, got {tensor.device}"
            )


def rows(**tensors: Tensor) -> None:
    """Expect float tensors (..., tokens, width) with equally many axes, the leading ones equal or 1.

    Fewer axes would be legal broadcasting, but would pair a batch axis with a head axis whenever B = H.
    """
    floats(**tensors)
    for name, tensor in tensors.items():
        if tensor.ndim < 2 or tensor.shape[-1] < 1:
            raise ValueError(
                f"{name} must have the axes (..., tokens, width), width at least 1, got {tuple(tensor.shape)}"
            )
    leading = [tensor.shape[:-2] for tensor in tensors.values()]
    as_many = len({len(sizes) for sizes in leading}) == 1
    if not as_many or any(len({1, *sizes}) > 2 for sizes in zip(*leading, strict=True)):
        *others, last = tensors
        names = f"{', '.join(others)} and {last}"
        got = ", ".join(str(tuple(tensor.shape)) for tensor in tensors.values())
        raise ValueError(f"{names} need equally many axes, the leading ones equal or 1, got {got}")


def same_width(query: Tensor, key: Tensor) -> None:
    """Expect query and key as rows of one width d."""
    rows(query=query, key=key)
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query and key need the same width d, got {query.shape[-1]} and {key.shape[-1]}")


def shape(tensor: Tensor, expected: tuple[int, ...], name: str, axes: str) -> None:
    """Expect a tensor of exactly this shape; floats without NaN or infinity, which a projection can make."""
    if tuple(tensor.shape) != expected:
        raise ValueError(f"{name} must have the shape {axes} = {expected}, got {tuple(tensor.shape)}")
    if tensor.is_floating_point():
        finite(hint="", **{name: tensor})


def finite(*, hint: str = "", **tensors: Tensor) -> None:
    """Expect neither NaN nor infinity: 0 · NaN is NaN, so even a weight of 0 would let it through."""
    for name, tensor in tensors.items():
        total = (
            tensor.detach().sum()
        )  # one fast pass: NaN and infinity survive it; if it overflows, look closer
        if not torch.isfinite(total) and not torch.isfinite(tensor).all():
            raise ValueError(f"{name} must be finite, got NaN or infinity ({dtype(tensor)}){hint}")


def booleans(**masks: Tensor) -> None:
    """Expect boolean tensors: a mask of another type is refused, never added or guessed at."""
    for name, mask in masks.items():
        expected = f"{name} must be a boolean tensor (True = may attend)"
        if not isinstance(mask, Tensor):
            raise TypeError(f"{expected}, got {type(mask).__name__}; convert it with torch.as_tensor")
        if mask.dtype != torch.bool:
            raise TypeError(
                f"{expected}, got {dtype(mask)}; convert it: mask == 1 where 1 means may attend, "
                "mask == 0 where 0 does"
            )


def count(number: SupportsIndex, name: str) -> int:
    """A whole number from 0, NumPy's too: `torch.arange(2.5)` would quietly make three of it."""
    try:
        whole = operator.index(number)
    except TypeError:
        whole = None
    if whole is None or isinstance(number, bool | Tensor):
        raise TypeError(f"{name} must be a whole number, got {number!r}")
    if not 0 <= whole < 2**63:
        raise ValueError(f"{name} must {'not be negative' if whole < 0 else 'be below 2**63'}, got {whole}")
    return whole


def word_ids(ids: Tensor, words: int, name: str) -> None:
    """Expect word numbers (B, at least one) of a vocabulary with so many words."""
    if not isinstance(ids, Tensor) or ids.is_floating_point() or ids.is_complex() or ids.ndim != 2:
        got = f"{dtype(ids)} {tuple(ids.shape)}" if isinstance(ids, Tensor) else type(ids).__name__
        raise ValueError(f"{name} must be a tensor of whole numbers (B, words), got {got}")
    if ids.shape[1] < 1:
        raise ValueError(f"{name} must hold at least one word per row, got shape {tuple(ids.shape)}")
    if ids.numel() and not 0 <= ids.min() <= ids.max() < words:
        raise ValueError(
            f"{name} must lie between 0 and {words - 1}, got {int(ids.min())} to {int(ids.max())}"
        )


def widths(**numbers: SupportsIndex) -> None:
    """Expect whole numbers from 1: a layer of width 0 learns nothing."""
    for name, number in numbers.items():
        if count(number, name) == 0:
            raise ValueError(f"{name} must be at least 1, got 0")


def above_zero(number: float, name: str) -> None:
    """Expect a plain finite number above 0."""
    if not isinstance(number, Real):
        raise TypeError(f"{name} must be a plain number, got {type(number).__name__}")
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {number}")


def dtype(tensor: Tensor) -> str:
    """The type's name as one says it: float32."""
    return str(tensor.dtype).removeprefix("torch.")
