"""The still picture of DrawnCurve: measured shares over bins, their intervals, the reader's own line."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from attn_helpers.plots.colours import INK, Array
from attn_helpers.plots.ink import Picture, as_array, style, token

_STROKES: tuple[Any, ...] = ("-", (0, (2, 2.5)), (0, (7, 2, 1.5, 2)), "--")


def drawn_curve(
    *,
    bins: Sequence[tuple[int, int]],
    series: Sequence[Any],
    drawn: Sequence[float | None] = (),
    xlabel: str = "words in the sentence",
    ylabel: str = "sentences exactly right",
) -> Picture:
    """Draw every measured curve, straight from bin to bin, and dotted what the reader drew, if anything.

    bins    (low, high), both included
    series  of (name, mean, low, high, …): a share from 0 to 1 per bin, and the bounds of its interval
    drawn   a share per bin, None where nothing is drawn

    Where no script runs nobody can draw: the picture shows what was measured, the last series in bold.
    """
    middles = as_array(bins).mean(axis=1)  # (bins,)
    means = [f"{token(one[0])} {_percent(one)}" for one in series]
    alt = f"{ylabel} against {xlabel}; means over the bins: {', '.join(means) or 'nothing measured'}."
    picture = Picture(alt, 900, 380, layout="constrained")
    with style():
        axes = picture.add_subplot(xlim=(bins[0][0], bins[-1][1]), ylim=(-0.01, 1.02))
        _frame(axes, bins, token(xlabel), token(ylabel))
        last = len(series) - 1
        lines = [_curve(axes, middles, as_array(one[1:4]), i, i == last) for i, one in enumerate(series)]
        yours = _yours(axes, middles, drawn)
        said = [f"{token(one[0])}, mean {_percent(one)}" for one in series] + ["what you drew"] * len(yours)
        if said:  # a label that starts with _ is shown only where it is given by hand
            place: Any = {"loc": "outside right upper", "frameon": False, "handlelength": 3.2}
            picture.legend(lines + yours, said, labelcolor=INK["ink-soft"], **place)
    return picture


def _frame(axes: Axes, bins: Sequence[tuple[int, int]], xlabel: str, ylabel: str) -> None:
    stops = [bins[0][0], *(high for _, high in bins)]
    axes.set_xticks(stops, labels=[f"{stop}" for stop in stops])
    axes.set_yticks((0, 0.25, 0.5, 0.75, 1), labels=["0", "", "50", "", "100 %"])
    axes.grid(visible=False, axis="x")
    axes.set_xlabel(xlabel)
    axes.set_title(ylabel, loc="left", color=INK["ink-soft"], pad=10)


def _yours(axes: Axes, middles: Array, drawn: Sequence[float | None]) -> list[Line2D]:
    """The reader's own line, dotted; nothing where nothing is drawn."""
    known = [(x, y) for x, y in zip(middles, drawn, strict=False) if y is not None]
    return axes.plot(*zip(*known, strict=True), ":", color=INK["you-mark"], lw=3) if known else []


def _percent(one: Any) -> str:
    return f"{round(100 * float(np.mean(one[1])))} %"


def _curve(axes: Axes, middles: Array, shares: Array, at: int, last: bool) -> Line2D:
    """One measured curve with its band; `shares` are mean, low and high, (3, bins)."""
    mean, low, high = shares
    colour = INK["ink" if last else "ink-faint"]
    stroke = "-" if last else _STROKES[at % len(_STROKES)]
    axes.fill_between(middles, low, high, color=INK["ink"], alpha=0.14 if last else 0.05, lw=0)
    thick = {"lw": 3, "ms": 6} if last else {"lw": 1.6, "ms": 4}
    (drawn,) = axes.plot(middles, mean, color=colour, ls=stroke, marker="o", **thick)
    return drawn
