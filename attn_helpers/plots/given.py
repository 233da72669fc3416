"""What the charts ask of the numbers they are given: a NaN would leave a gap that looks like an answer."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attn_helpers.plots.colours import Array
from attn_helpers.plots.ink import as_array

_ROUNDING = 1e-6  # a mean of float32 weights may end a hair above 1


def numbers(values: Any, name: str, axes: Sequence[str]) -> Array:
    """Finite numbers with these axes, none of them empty, as a new float64 array."""
    expected = f"{name} must be numbers with the axes ({', '.join(axes)}), none empty"
    try:
        found = as_array(values)
    except (TypeError, ValueError):
        raise TypeError(f"{expected}; got {_short(values)}") from None
    if found.ndim != len(axes) or not found.size:
        raise ValueError(f"{expected}; got shape {found.shape}")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite, got NaN or infinity")
    return found


def weights(values: Any, axes: Sequence[str]) -> Array:
    """Numbers between 0 and 1: bars and colours have no place for others."""
    found = numbers(values, "weights", axes)
    outside = found[(found < -_ROUNDING) | (found > 1 + _ROUNDING)]
    if outside.size:
        raise ValueError(f"weights must be between 0 and 1, got {outside[0]:g}")
    return found.clip(0, 1)


def widths(values: Any, name: str) -> Array:
    """Numbers above 0, for an axis that doubles."""
    found = numbers(values, name, ["places"])
    if found.min() <= 0:
        raise ValueError(f"{name} must be above 0, got {found.min():g}")
    return found


def named(things: Any, name: str) -> dict[Any, Any]:
    """A mapping that is not empty, as a dict."""
    if not isinstance(things, Mapping):
        raise TypeError(f"{name} must be a mapping with a name for each, got {_short(things)}")
    if not things:
        raise ValueError(f"{name} must hold at least one name, got none")
    return dict(things)


def curves(given: Any, along: str, size: int, most: int) -> dict[Any, Array]:
    """At most so many curves, each with one number for each of the `size` places of the argument `along`."""
    ys = {name: numbers(curve, f"curve {name!r}", [along]) for name, curve in named(given, "curves").items()}
    if len(ys) > most:
        raise ValueError(f"curves can be told apart up to {most}, got {len(ys)}")
    for name, y in ys.items():
        if len(y) != size:
            raise ValueError(f"curve {name!r} must have as many numbers as {along}, {size}, got {len(y)}")
    return ys


def samples(given: Any) -> dict[Any, dict[Any, Array]]:
    """Columns of samples that all have the rows of the first."""
    columns = {name: named(column, f"column {name!r}") for name, column in named(given, "columns").items()}
    rows = list(next(iter(columns.values())))
    for name, column in columns.items():
        if set(column) != set(rows):
            raise ValueError(f"column {name!r} must have the rows {rows}, got {list(column)}")
        columns[name] = {row: numbers(column[row], f"sample {name!r}, {row!r}", ["draws"]) for row in rows}
    return columns


def positive(value: Any, name: str) -> float:
    """One finite number above 0."""
    if isinstance(value, str) or np.ndim(value) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {_short(value)}")
    return float(value)


def _short(value: Any) -> str:
    text = f"{type(value).__name__} {value!r}"
    return text if len(text) <= 60 else text[:59] + "…"
