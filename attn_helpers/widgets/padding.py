"""What of the weights is padding or masked: cut off, or hatched and packed as one bit per cell."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attn_helpers.widgets.payload import TOLERANCE, Array, place, to_array


class Part(NamedTuple):
    """One item of a batch: its weights, and its valid lengths where padding is kept."""

    weights: Any
    lengths: tuple[int, int] | None


def valid_part(weights: Any, item: int, query_lengths: Any, key_lengths: Any, padding: str) -> Part:
    """Cut one item out of (B, T, S), (B, H, T, S) or (L, B, H, T, S).

    Raises ValueError for other axes, an item or a length out of range, an item without queries or keys.
    """
    if padding not in ("crop", "hatch"):
        raise ValueError(f'padding must be "crop" or "hatch", got {padding!r}')
    batch = weights if hasattr(weights, "shape") else to_array(weights, "weights")
    if batch.ndim not in (3, 4, 5):
        raise ValueError(
            f"weights must have the axes (B, T, S), (B, H, T, S) or (L, B, H, T, S), got {tuple(batch.shape)}"
        )
    axis = 1 if batch.ndim == 5 else 0
    if not 0 <= item < batch.shape[axis]:
        raise ValueError(f"item must be from 0 to {batch.shape[axis] - 1}, got {item}")
    one = batch[:, item] if axis else batch[item]
    sizes = (
        _length(query_lengths, item, batch.shape[axis], one.shape[-2], "query_lengths"),
        _length(key_lengths, item, batch.shape[axis], one.shape[-1], "key_lengths"),
    )
    if 0 in sizes:
        raise ValueError(f"item {item} has {sizes[0]} queries and {sizes[1]} keys: there is nothing to show")
    return Part(one, sizes) if padding == "hatch" else Part(one[..., : sizes[0], : sizes[1]], None)


def _length(lengths: Any, item: int, batch: int, most: int, name: str) -> int:
    if lengths is None:
        return most
    known = to_array(lengths, name)
    if known.shape != (batch,) or not 0 <= known[item] <= most or known[item] % 1:
        raise ValueError(f"{name} must hold {batch} whole numbers from 0 to {most}, got {known.tolist()}")
    return int(known[item])


def read_mask(cells: Array, mask: Any, lengths: tuple[int, int] | None) -> NDArray[np.bool_] | None:
    """Which pairs to hatch, (T, S), or None: those the mask (True = may attend) or the lengths leave out.

    Raises TypeError for a mask that is not boolean, ValueError where it does not fit (T, S), where lengths
    are out of range, and where a masked key got weight after all.
    """
    if mask is None and lengths is None:
        return None
    sizes = cells.shape[-2:]  # (T, S)
    allowed = np.ones(sizes, dtype=bool)
    if mask is not None:
        allowed &= _as_mask(mask, sizes)
    valid, most = sizes if lengths is None else lengths
    if not (0 <= valid <= sizes[0] and 0 <= most <= sizes[1]):
        raise ValueError(f"lengths must be at most (T, S) = {sizes}, got {(valid, most)}")
    allowed[valid:] = False
    allowed[:, most:] = False
    leaked = np.where(allowed[:valid], 0, cells[..., :valid, :])  # padded queries may hold anything
    if leaked.max(initial=0) > TOLERANCE:
        at = np.unravel_index(leaked.argmax(), leaked.shape)
        raise ValueError(
            f"weights give {leaked.max():.3f} to a masked pair, at {place(at)} (True = may attend); "
            "to see such a leak, show the weights without the mask"
        )
    return ~allowed


def _as_mask(mask: Any, sizes: tuple[int, ...]) -> NDArray[np.bool_]:
    given = np.asarray(mask.detach().cpu() if hasattr(mask, "detach") else mask)
    if given.dtype != np.bool_:
        raise TypeError(f"mask must be boolean (True = may attend), got {given.dtype}")
    one_for_all = given.ndim >= 2 and set(given.shape[:-2]) <= {1}
    if not one_for_all or any(m not in (1, n) for m, n in zip(given.shape[-2:], sizes, strict=True)):
        raise ValueError(
            f"mask must have the shape (T, S) = {sizes}, each axis equal or 1, got {given.shape}"
        )
    return given.reshape(given.shape[-2:])


def pack_mask(hatched: NDArray[np.bool_] | None) -> bytes:
    """One bit per cell, highest first; nothing where nothing is hatched."""
    return b"" if hatched is None or not hatched.any() else np.packbits(hatched).tobytes()


def unpack_mask(bits: bytes, shape: tuple[int, ...]) -> NDArray[np.bool_] | None:
    """What `pack_mask` made, (T, S), or None."""
    cells = math.prod(shape)
    return (
        np.unpackbits(np.frombuffer(bits, np.uint8), count=cells).astype(bool).reshape(shape)
        if bits
        else None
    )
