"""What a change brought, per bin: differences with their intervals. Chapters 3 and 5."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attn_helpers.plots import given
from attn_helpers.plots.colours import INK
from attn_helpers.plots.ink import Picture, note, style, token

_MARKS = ("o", "s", "D")


def gains(rows: Mapping[str, Mapping[str, Any]], xlabel: str, ylabel: str) -> Picture:
    """Points with error bars, in percentage points, one row of points per comparison.

    rows  name → bin → (mean, low, high), differences of shares from -1 to 1; 1 to 3 rows of the same bins
    """
    if not 1 <= len(rows) <= len(_MARKS):
        raise ValueError(f"rows must be 1 to {len(_MARKS)}, got {len(rows)}")
    bins = list(next(iter(rows.values())))
    if any(list(row) != bins for row in rows.values()):
        raise ValueError(f"rows must have the same bins, {bins}, got {[list(row) for row in rows.values()]}")
    values = {
        name: given.numbers([list(row[one]) for one in bins], name, ["bins", "3"])
        for name, row in rows.items()
    }
    means = "; ".join(
        f"{token(name)}: {', '.join(f'{100 * mean:+.0f}' for mean in table[:, 0])}"
        for name, table in values.items()
    )
    picture = Picture(
        f"{ylabel} against {xlabel}, bins {', '.join(bins)}. {means}.", 760, 380, layout="constrained"
    )
    with style():
        axes = picture.add_subplot(xlim=(-0.6, len(bins) - 0.2), xlabel=xlabel)
        axes.set_xticks(range(len(bins)), labels=bins)
        axes.set_title(ylabel, loc="left", color=INK["ink-soft"], pad=10)
        axes.axhline(0, color=INK["line-strong"], lw=1)
        axes.grid(visible=False, axis="x")
        for i, (name, table) in enumerate(values.items()):
            at = np.arange(len(bins)) + 0.16 * (i - (len(values) - 1) / 2)
            mean, low, high = 100 * table.T
            colour = INK["ink" if i == len(values) - 1 else "ink-faint"]
            axes.vlines(at, low, high, color=colour, lw=2)
            axes.plot(at, mean, _MARKS[i], color=colour, ms=7, label=token(name))
            for x, y, top in zip(at, mean, high, strict=True):
                if i == len(values) - 1:
                    note(axes, f"{y:+.0f}", (x, top), (0, 10))
        axes.legend(loc="upper left", frameon=False, labelcolor=INK["ink-soft"])
        axes.set_ylim(min(0, axes.get_ylim()[0]), axes.get_ylim()[1] * 1.25)
    return picture
