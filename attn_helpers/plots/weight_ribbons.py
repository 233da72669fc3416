"""The still picture of AttentionHeatmap's ribbons. Front page, chapter 3."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from attn_helpers.plots.colours import INK, Array, weight_colour
from attn_helpers.plots.ink import Picture, as_array, labels, note, style, token
from attn_helpers.plots.weight_map import Mask, described, figures


def weight_ribbons(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    row: int | None = None,
    title: str = "",
    masked: Mask | None = None,
    hidden: int | None = None,
    aside: Sequence[int] = (),
) -> Picture:
    """The same as ribbons between two lines of words: width = weight, the selected row in ink.

    weights  (T, S); aside: keys that take no place in the line
    """
    cells = as_array(weights)
    rows, columns = (
        labels(query_tokens, len(cells), "query_tokens", 12),
        labels(key_tokens, cells.shape[1], "key_tokens", 12),
    )
    picture = Picture(described(cells, rows, columns, row, title, hidden), 620, 300)
    with style():
        axes = picture.add_axes((0.08, 0.26, 0.84, 0.52), xlim=(0, 1), ylim=(0, 1))
        axes.axis("off")
        upper = [k for k in range(len(columns)) if k not in aside]
        above = dict(zip(upper, _spread(len(upper)), strict=True))
        below = dict(enumerate(_spread(len(rows))))
        order = [q for q in range(len(rows)) if q != row] + ([] if row is None else [row])
        for q in order:
            for k in upper:
                weight = cells[q, k]
                if weight >= 0.01 and q != hidden and not (masked is not None and masked[q, k]):
                    shade = weight_colour(weight, 0.25) if q == row else weight_colour(weight / 4, 0.12)
                    _band(axes, above[k], below[q], weight, shade)
        shown = row is not None and row != hidden
        _words(axes, columns, above, 1.02, "bottom", "k", int(cells[row].argmax()) if shown else None)
        _words(axes, rows, below, -0.02, "top", "q", row)
        axes.set_title(token(title), loc="left", weight="bold", size=11.5, y=1.28, x=-0.06)
        if row is not None and row != hidden:
            note(axes, figures(cells[row], rows[row], columns), (-0.06, -0.36), (0, 0), color=INK["ink-soft"])
    return picture


def _band(axes: Axes, top: float, bottom: float, weight: float, shade: Any) -> None:
    way = Path([(top, 1), (top, 0.5), (bottom, 0.5), (bottom, 0)], [Path.MOVETO, *[Path.CURVE4] * 3])
    axes.add_patch(
        PathPatch(way, fill=False, ec=shade, lw=max(0.75, 20 * weight), capstyle="butt", clip_on=False)
    )


def _spread(count: int) -> Array:
    return np.linspace(0, 1, count) if count > 1 else np.array([0.5])


def _words(
    axes: Axes, names: list[str], places: dict[int, float], y: float, va: str, role: str, chosen: int | None
) -> None:
    size = min(20, 480 / max(1, sum(map(len, names))))
    for i, x in places.items():
        colour = INK["ink-soft"] if i != chosen else INK["q-text"] if role == "q" else INK["ink"]
        face: dict[str, Any] = {"size": size, "color": colour, "weight": "bold" if i == chosen else "normal"}
        note(axes, names[i], (x, y), (0, 0), ha="center", va=va, **face)
