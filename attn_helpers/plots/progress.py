"""Measurements over steps: of training, of a decoder. Nothing is smoothed."""

from collections.abc import Mapping
from typing import Any

from attn_helpers.plots import given
from attn_helpers.plots.charts import _curves, _list, _named_axes
from attn_helpers.plots.colours import INK
from attn_helpers.plots.ink import Picture, note, style, token


def progress(
    x: Any,
    curves: Mapping[str, Any],
    xlabel: str,
    ylabel: str,
    *,
    top: float | None = None,
    levels: Mapping[str, float] | None = None,
) -> Picture:
    """Draw curves over evenly spaced steps, each named at its right end.

    x, each curve  (N,), x rising; up to 40 points are marked, more are drawn thin
    top            the upper end of the y axis, which begins at 0; None: where the curves end
    levels         name → height of a dotted line to compare with
    """
    across = given.numbers(x, "x", ["steps"])
    few = len(across) <= 40
    ys = given.curves(curves, "x", len(across), 5)
    heights = ", ".join(f"{name} {height:.2f}" for name, height in (levels or {}).items())
    alt = f"{ylabel} against {xlabel}, for {_list(curves)}{'; ' * bool(heights)}{heights}."
    picture = Picture(alt, layout="constrained")
    with style():
        axes = _named_axes(picture, xlabel, ylabel)
        for name, height in (levels or {}).items():
            axes.axhline(height, color=INK["line-strong"], ls=":", lw=1.2)
            note(axes, token(name), (across[-1], height), (0, 8), ha="right", color=INK["ink-soft"])
        axes.set_ylim(0, top or 1.05 * max([*(levels or {}).values(), *(y.max() for y in ys.values())]))
        _curves(axes, across, ys, "o" if few else "")  # places its names by the limits
        for line in () if few else axes.lines:
            line.set_linewidth(1.1)
    return picture
