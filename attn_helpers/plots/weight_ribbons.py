"""The still picture of AttentionHeatmap's ribbons. Front page, chapter 3."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from attn_helpers.plots.colours import INK, Array, weight_colour
from attn_helpers.plots.ink import Picture, as_array, note, style, token
from attn_helpers.plots.weight_map import NO_GOLD, Gold, Mask, described, figures, named

_BELOW = (-0.06, -0.36)  # of the lower words


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
    gold: Gold = NO_GOLD,
) -> Picture:
    """The same as ribbons between two lines of words: width = weight, the selected row in ink.

    weights  (T, S); aside: keys that take no place in the line
    gold     a dot over a word that the row surely hangs on, a ring over one where that is possible
    """
    cells = as_array(weights)
    rows, columns = named(cells, query_tokens, key_tokens, 12)
    drawn = cells if masked is None else np.where(masked, 0, cells)
    above, below = _spread([k for k in range(len(columns)) if k not in aside]), _spread(range(len(rows)))
    alt, high = described(cells, rows, columns, row, title, hidden, gold), 320 if gold.remark else 300
    picture = Picture(alt, 620, high)
    with style():
        axes = _axes(picture, title)
        _bands(axes, drawn, above, below, row, hidden)
        _words(axes, rows, below, -0.02, "top", "q", row)
        _reading(axes, cells, (rows, columns), None if row == hidden else row, above, gold)
    return picture


def _reading(
    axes: Axes,
    cells: Array,
    names: tuple[list[str], list[str]],
    row: int | None,
    above: dict[int, float],
    gold: Gold,
) -> None:
    """What the row reads: its strongest word, its gold links, its figures; then the remark."""
    rows, columns = names
    top = None if row is None else int(cells[row].argmax())
    _words(axes, columns, above, 1.02, "bottom", "k", top)
    said = "" if row is None else figures(cells[row], rows[row], columns)
    _marks(axes, gold, row, above)
    note(axes, f"{said}\n{gold.remark}".strip(), _BELOW, (0, 4), va="top", color=INK["ink-soft"])


def _axes(picture: Picture, title: str) -> Axes:
    axes = picture.add_axes((0.08, 0.26, 0.84, 0.52), xlim=(0, 1), ylim=(0, 1))
    axes.set_title(token(title), loc="left", weight="bold", size=11.5, y=1.28, x=-0.06)
    axes.axis("off")
    return axes


def _bands(
    axes: Axes,
    weights: Array,
    above: dict[int, float],
    below: dict[int, float],
    row: int | None,
    hidden: int | None,
) -> None:
    """Width = weight; pale but for the selected row, which lies on top."""
    for q in sorted(below, key=lambda q: q == row):
        for k in above:
            weight = weights[q, k]
            if weight >= 0.01 and q != hidden:
                shade = weight_colour(weight, 0.25) if q == row else weight_colour(weight / 4, 0.12)
                _band(axes, above[k], below[q], weight, shade)


def _band(axes: Axes, top: float, bottom: float, weight: float, shade: Any) -> None:
    way = Path([(top, 1), (top, 0.5), (bottom, 0.5), (bottom, 0)], [Path.MOVETO, *[Path.CURVE4] * 3])
    axes.add_patch(
        PathPatch(way, fill=False, ec=shade, lw=max(0.75, 20 * weight), capstyle="butt", clip_on=False)
    )


def _marks(axes: Axes, gold: Gold, row: int | None, above: dict[int, float]) -> None:
    """A dot or a ring over the words that the row hangs on."""
    fills: tuple[Any, ...] = ("full", "none")
    for fill, pairs in zip(fills, gold[:2], strict=True):
        for k in [k for q, k in pairs if q == row and k in above]:
            axes.plot(above[k], 1.24, "o", ms=6, color=INK["ink"], fillstyle=fill, clip_on=False)


def _spread(items: Iterable[int]) -> dict[int, float]:
    """Places of words along a line, from edge to edge."""
    names = list(items)
    places = np.linspace(0, 1, len(names)) if len(names) > 1 else [0.5] * len(names)
    return dict(zip(names, map(float, places), strict=True))


def _words(
    axes: Axes, names: list[str], places: dict[int, float], y: float, va: str, role: str, chosen: int | None
) -> None:
    size = min(20, 480 / max(1, sum(map(len, names))))
    for i, x in places.items():
        colour = INK["ink-soft"] if i != chosen else INK["q-text"] if role == "q" else INK["ink"]
        face: dict[str, Any] = {"size": size, "color": colour, "weight": "bold" if i == chosen else "normal"}
        note(axes, names[i], (x, y), (0, 0), ha="center", va=va, **face)
