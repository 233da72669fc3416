"""The still picture of ScoreExplorer's second panel: eight keys in many dimensions, top weight against d."""

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from attn_helpers.plots.colours import INK, weight_colour
from attn_helpers.plots.ink import Picture, decimals, note, style

_NAMES = {"1": "q·k", "sqrt": "q·k ÷ √d", "d": "q·k ÷ d"}


def many_dimensions(
    *, table: dict[str, Any], width: int, divisor: str = "1", reach: int = 0, guess: float | None = None
) -> Picture:
    """Draw one draw's weights at this width, and the measured medians as far as the reader has come.

    table    scoring.sharpness_table()
    width    d, one of the table's widths; reach is the largest one that was looked at
    divisor  "1", "sqrt" or "d"
    guess    the reader's own, of the top weight at the largest width
    """
    at = table["widths"].index(width)
    scores = np.array(table["draw"]["dots"][at]) / {"1": 1, "sqrt": math.sqrt(width), "d": width}[divisor]
    powers = np.exp(scores - scores.max())
    top, gradient = table["top"][divisor][at], table["gradient"][divisor][at]
    alt = (
        f"Eight random keys at d = {width}, scored by {_NAMES[divisor]}: the top weight is {decimals(top)}, "
    )
    alt += f"the softmax gradient {decimals(gradient)} (medians of {table['meta']['draws']:,} draws)."
    picture = Picture(alt, width=960, height=330, layout="constrained")
    with style():
        bars, curve = picture.subplots(1, 2, sharey=True, gridspec_kw={"wspace": 0.1})
        bars.set(ylim=(0, 1.05), yticks=(0, 0.5, 1), xticks=[])
        _title(bars, f"weights of eight keys, one draw, d = {width}, {_NAMES[divisor]}")
        _bars(bars, powers / powers.sum())
        _title(curve, "top weight against d, median")
        seen = table["widths"].index(max(width, reach)) + 1
        _curve(curve, table["widths"], table["top"][divisor][:seen], at)
        if guess is not None:
            _guess(curve, table["widths"][-1], guess)
    return picture


def _guess(axes: Axes, width: int, guess: float) -> None:
    axes.plot(width, guess, "o", ms=12, mfc="none", mec=INK["you-mark"], mew=2)
    note(axes, "your guess", (width, guess), (-12, 0), ha="right", color=INK["you-text"])


def _title(axes: Axes, text: str) -> None:
    axes.set_title(text, loc="left", color=INK["ink-soft"], pad=10)


def _bars(axes: Axes, weights: Any) -> None:
    for place, weight in enumerate(weights):
        axes.bar(place, weight, width=0.85, color=weight_colour(weight, least=0.12))
    top = int(weights.argmax())
    note(axes, decimals(weights[top]), (top, weights[top]), (0, 3), ha="center", va="bottom", weight="bold")


def _curve(axes: Axes, widths: list[int], tops: list[float], at: int) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlim(widths[0] / 1.2, widths[-1] * 1.2)
    axes.set_xticks(widths, labels=[f"{width}" for width in widths])
    axes.minorticks_off()
    axes.plot(widths[: len(tops)], tops, "-", color=INK["ink"])
    axes.plot(widths[at], tops[at], "o", color=INK["ink"], ms=9)
    below = tops[at] > 0.85
    note(
        axes,
        decimals(tops[at]),
        (widths[at], tops[at]),
        (0, -16 if below else 14),
        ha="center",
        weight="bold",
    )
