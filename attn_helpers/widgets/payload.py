"""Weights on their way to a page: read from whatever holds them, checked, packed as bytes.

Browser twin: js/decode.js. Small maps travel as float32; large ones as one float32 scale per row and
uint16 shares of it, since a plain uint8 would get three of four three-decimal read-outs wrong.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EXACT_CELLS = 2**16  # up to here float32, beyond it row-scaled uint16
MOST_CELLS = 2**22  # 8 MB as uint16; 12 layers × 12 heads × 128² is 2.4 million
TOLERANCE = 0.01  # rows of bfloat16, or typed with three decimals, sum to 1 only about
STEPS = 65535
AXES = {2: "(T, S)", 3: "(H, T, S)", 4: "(L, H, T, S)"}


def read_weights(weights: Any, normalised: bool = True) -> Array:
    """Attention weights of any kind as float64 (L, H, T, S); the input stays as it was.

    weights     (T, S), (H, T, S) or (L, H, T, S): lists, NumPy, or tensors of any float type and device
    normalised  expect rows that sum to 1, or to 0 where a query may attend to nothing

    Raises ValueError for other shapes, NaN or infinity, negative weights, rows that do not sum to 1 or 0.
    """
    _affordable(getattr(weights, "shape", ()))
    cells = to_array(weights, "weights")
    if cells.ndim not in AXES:
        raise ValueError(
            f"weights must have the axes (T, S), (H, T, S) or (L, H, T, S), got shape {cells.shape}; "
            "one item of a batch: AttentionHeatmap.from_batch"
        )
    if 0 in cells.shape:
        raise ValueError(f"weights must hold at least one query and one key, got shape {cells.shape}")
    _affordable(cells.shape)
    _check_values(cells, normalised)
    return cells.reshape((1,) * (4 - cells.ndim) + cells.shape)


def to_array(values: Any, name: str) -> Array:
    """Numbers of any kind as a new float64 array; a tensor may be half, on a GPU or part of a graph."""
    try:
        array = np.array(_without_graph(values))
    except ValueError as error:
        raise ValueError(f"{name} must be a full array, each row of one length: {error}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be real numbers, got {array.dtype}")
    return array.astype(np.float64)


def _without_graph(values: Any) -> Any:
    if hasattr(values, "detach"):
        return values.detach().cpu().double().numpy()
    return [_without_graph(item) for item in values] if isinstance(values, list | tuple) else values


def _affordable(shape: Any) -> None:
    """Refuse what no page should be sent, before anything is copied."""
    cells = math.prod(shape)
    if cells > MOST_CELLS:
        raise ValueError(
            f"weights hold {cells:,} cells of shape {tuple(shape)}, and a page takes at most {MOST_CELLS:,}: "
            "choose a layer or a head, weights[layer, head], or fewer tokens, weights[..., :128, :128]"
        )


def _check_values(cells: Array, normalised: bool) -> None:
    bad = np.argwhere(~np.isfinite(cells))
    if len(bad):
        raise ValueError(
            f"weights must be finite, got {cells[tuple(bad[0])]} at {_place(bad[0])}; "
            "a query that may attend to nothing gets a row of zeros"
        )
    if cells.min() < 0:
        at = np.unravel_index(cells.argmin(), cells.shape)
        raise ValueError(f"weights must not be negative, got {cells.min():.3g} at {_place(at)}; are these scores?")
    if not normalised:
        return
    sums = cells.sum(axis=-1)
    off = np.argwhere(np.minimum(np.abs(sums - 1), np.abs(sums)) > TOLERANCE)
    if len(off):
        raise ValueError(
            f"each row of weights must sum to 1 (or 0), got {sums[tuple(off[0])]:.3f} in row {_place(off[0])}; "
            "is the softmax along the keys, the last axis, and are these the weights before dropout? "
            "If that is meant: normalised=False"
        )


def _place(index: Any) -> str:
    return "[" + ", ".join(str(int(i)) for i in index) + "]"


def pack(cells: Array) -> bytes:
    """(L, H, T, S) as little-endian bytes, C order, whatever the memory layout of `cells`."""
    if cells.size <= EXACT_CELLS:
        return cells.astype("<f4").tobytes(order="C")
    scales = cells.max(axis=-1, keepdims=True).astype("<f4")  # (L, H, T, 1)
    shares = cells / np.where(scales == 0, 1, scales)
    steps = np.minimum(np.rint(shares * STEPS), STEPS).astype("<u2")  # |error| ≤ row maximum / 131070
    return scales.tobytes(order="C") + steps.tobytes(order="C")


def unpack(payload: bytes, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """What `pack` made, as the page reads it: (L, H, T, S), read-only, so that no change is lost in silence."""
    if math.prod(shape) <= EXACT_CELLS:
        return np.frombuffer(payload, "<f4").reshape(shape)
    rows = math.prod(shape[:-1])
    scales = np.frombuffer(payload, "<f4", rows).reshape(*shape[:-1], 1)
    steps = np.frombuffer(payload, "<u2", offset=4 * rows).reshape(shape)
    cells = (scales.astype(np.float64) * steps / STEPS).astype(np.float32)
    cells.flags.writeable = False
    return cells


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
        raise ValueError(f"weights must have the axes (B, T, S), (B, H, T, S) or (L, B, H, T, S), got {tuple(batch.shape)}")
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

    Raises TypeError for a mask that is not boolean, ValueError where it does not fit (T, S), where lengths are
    out of range, and where a masked key got weight after all.
    """
    if mask is None and lengths is None:
        return None
    queries, keys = cells.shape[-2:]
    allowed = np.ones((queries, keys), dtype=bool)
    if mask is not None:
        given = np.asarray(mask.detach().cpu() if hasattr(mask, "detach") else mask)
        if given.dtype != np.bool_:
            raise TypeError(f"mask must be boolean (True = may attend), got {given.dtype}")
        shape = given.shape[-2:]
        if given.ndim < 2 or set(given.shape[:-2]) - {1} or any(m not in (1, n) for m, n in zip(shape, (queries, keys), strict=True)):
            raise ValueError(f"mask must have the shape (T, S) = {(queries, keys)}, each axis equal or 1, got {given.shape}")
        allowed &= given.reshape(shape)
    valid = queries
    if lengths is not None:
        valid, most = (int(n) for n in lengths)
        if not (0 <= valid <= queries and 0 <= most <= keys):
            raise ValueError(f"lengths must be at most (T, S) = {(queries, keys)}, got {tuple(lengths)}")
        allowed[valid:] = False
        allowed[:, most:] = False
    leaked = np.where(allowed[:valid], 0, cells[..., :valid, :])  # padded queries may hold anything
    if leaked.max(initial=0) > TOLERANCE:
        at = np.unravel_index(leaked.argmax(), leaked.shape)
        raise ValueError(
            f"weights give {leaked.max():.3f} to a masked pair, at {_place(at)} (True = may attend); "
            "to see such a leak, show the weights without the mask"
        )
    return ~allowed


def pack_mask(hatched: NDArray[np.bool_] | None) -> bytes:
    """One bit per cell, highest first; nothing where nothing is hatched."""
    return b"" if hatched is None or not hatched.any() else np.packbits(hatched).tobytes()
