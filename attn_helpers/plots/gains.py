"""What a change brought, per bin: differences with their intervals. Chapters 3 and 5."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from attn_helpers.plots import given
from attn_helpers.plots.colours import INK, Array
from attn_helpers.plots.ink import Picture, note, style, token

_MARKS = ("o", "s", "D")


def gains(rows: Mapping[str, Mapping[str, Any]], xlabel: str, ylabel: str) -> Picture:
    """Points with error bars, in percentage points, one row of points per comparison.

    rows  name → bin → (mean, low, high), differences of shares from -1 to 1; 1 to 3 rows of the same bins
    """
    bins, values = _read(rows)
    picture = Picture(_said(values, bins, xlabel, ylabel), 760, 380, layout="constrained")
    with style():
        axes = picture.add_subplot(xlim=(-0.6, len(bins) - 0.2), xlabel=xlabel)
        axes.set_xticks(range(len(bins)), labels=bins)
        axes.set_title(ylabel, loc="left", color=INK["ink-soft"], pad=10)
        axes.axhline(0, color=INK["line-strong"], lw=1)
        axes.grid(visible=False, axis="x")
        for i, (name, table) in enumerate(values.items()):
            at = np.arange(len(bins)) + 0.16 * (i - (len(values) - 1) / 2)
            _points(
                axes,
                np.asarray(at, np.float64),
                100 * table.T,
                _MARKS[i],
                token(name),
                last=i == len(values) - 1,
            )
        axes.legend(loc="upper left", frameon=False, labelcolor=INK["ink-soft"])
        axes.set_ylim(min(0, axes.get_ylim()[0]), axes.get_ylim()[1] * 1.25)
    return picture


def _read(rows: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], dict[str, Array]]:
    """The bins, and each row's means and bounds (bins, 3)."""
    if not 1 <= len(rows) <= len(_MARKS):
        raise ValueError(f"rows must be 1 to {len(_MARKS)}, got {len(rows)}")
    bins = list(next(iter(rows.values())))
    if any(list(row) != bins for row in rows.values()):
        raise ValueError(f"rows must have the same bins, {bins}, got {[list(row) for row in rows.values()]}")
    return bins, {
        name: given.numbers([list(row[one]) for one in bins], name, ["bins", "3"])
        for name, row in rows.items()
    }


def _points(axes: Axes, at: Array, values: Array, mark: str, name: str, *, last: bool) -> None:
    """One row of points with their intervals; the last row in ink, with its numbers."""
    mean, low, high = values
    colour = INK["ink" if last else "ink-faint"]
    axes.vlines(at, low, high, color=colour, lw=2)
    axes.plot(at, mean, mark, color=colour, ms=7, label=name)
    for x, y, top in zip(at, mean, high, strict=True):
        if last:
            note(axes, f"{y:+.0f}", (x, top), (0, 10))


def _said(values: dict[str, Array], bins: list[str], xlabel: str, ylabel: str) -> str:
    means = [
        f"{token(name)}: {', '.join(f'{100 * m:+.0f}' for m in row[:, 0])}" for name, row in values.items()
    ]
    return f"{ylabel} against {xlabel}, bins {', '.join(bins)}. {'; '.join(means)}."
