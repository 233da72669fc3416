"""Weights on their way to a page: read from whatever holds them, checked, packed as bytes.

Browser twin: js/decode.js. Small maps travel as float32; large ones as one float32 scale per row and
uint16 shares of it, since a plain uint8 would get three of four three-decimal read-outs wrong.
"""

import math
from typing import Any

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
        tensor = values.detach().cpu()
        return (tensor.resolve_conj() if tensor.is_complex() else tensor.double()).numpy()
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
    if not np.isfinite(cells).all():
        bad = np.argwhere(~np.isfinite(cells))[0]
        raise ValueError(
            f"weights must be finite, got {cells[tuple(bad)]} at {place(bad)}; "
            "a query that may attend to nothing gets a row of zeros"
        )
    if cells.min() < 0:
        at = np.unravel_index(cells.argmin(), cells.shape)
        raise ValueError(
            f"weights must not be negative, got {cells.min():.3g} at {place(at)}; are these scores?"
        )
    if not normalised:
        return
    sums = cells.sum(axis=-1)
    off = np.argwhere(np.minimum(np.abs(sums - 1), np.abs(sums)) > TOLERANCE)
    if len(off):
        raise ValueError(
            f"each row of weights must sum to 1 (or 0), got {sums[tuple(off[0])]:.3f} at {place(off[0])}; "
            "is the softmax along the keys, the last axis, and are these the weights before dropout? "
            "If that is meant: normalised=False"
        )


def place(index: Any) -> str:
    """An index as one writes it: [0, 2, 1]."""
    return "[" + ", ".join(str(int(i)) for i in index) + "]"


def pack(cells: Array) -> bytes:
    """(L, H, T, S) as little-endian bytes, C order, whatever the memory layout of `cells`."""
    if cells.size <= EXACT_CELLS:
        return bytes(cells.astype("<f4").tobytes(order="C"))
    scales = cells.max(axis=-1, keepdims=True).astype("<f4")  # (L, H, T, 1)
    shares = cells / np.where(scales == 0, 1, scales)
    steps = np.minimum(np.rint(shares * STEPS), STEPS).astype("<u2")  # |error| ≤ row maximum / 131070
    return bytes(scales.tobytes(order="C") + steps.tobytes(order="C"))


def unpack(payload: bytes, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """What `pack` made, as the page reads it, (L, H, T, S); read-only: no change is lost in silence."""
    if math.prod(shape) <= EXACT_CELLS:
        return np.frombuffer(payload, "<f4").reshape(shape)
    rows = math.prod(shape[:-1])
    scales = np.frombuffer(payload, "<f4", rows).reshape(*shape[:-1], 1)
    steps = np.frombuffer(payload, "<u2", offset=4 * rows).reshape(shape)
    cells = np.asarray(scales.astype(np.float64) * steps / STEPS, dtype=np.float32)
    cells.flags.writeable = False
    return cells
