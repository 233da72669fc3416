"""The still picture of ShapeLedger: a row for each tensor, its shape in letters, its boxes in proportion."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from attn_helpers.plots.colours import INK
from attn_helpers.plots.ink import Picture, style, token

_PITCH, _LEFT, _WIDE, _SOURCE = 52, 268, 300, 590  # px
_ROLES = {"T": "q-mark", "S": "k-mark", "v": "v-mark"}  # the colours of the page
_MOST = 12  # boxes drawn of one tensor; of more, the number is written


def shape_ledger(
    *, rows: Sequence[Mapping[str, Any]], shapes: Sequence[Sequence[int]], said: Sequence[str] = ()
) -> Picture:
    """Draw each tensor as boxes, last axis across, last but one down; those before say how many.

    rows    of {"name", "axes", "source"}
    shapes  the sizes of each row's axes; fewer than rows where a shape does not come out
    said    what does not hold of the comments, written below
    """
    named = [_named(row["axes"], dims) for row, dims in zip(rows, shapes, strict=False)]
    notes = [token(" ".join(line.split()), 120) for line in said]
    shown = "; ".join(f"{token(row['name'])} {shape}" for row, shape in zip(rows, named, strict=False))
    wrong = "".join(f" {line}." for line in notes)
    height = 24 + _PITCH * len(rows) + 22 * len(notes)
    picture = Picture(f"Shapes of a pass, in order: {shown}.{wrong}", 940, height)
    with style():
        axes = picture.add_axes((0, 0, 1, 1), xlim=(0, 940), ylim=(height, 0))
        axes.set_axis_off()
        unit = min((_unit(dims) for dims in shapes), default=1.0)
        for i, row in enumerate(rows):
            middle = 12 + _PITCH * (i + 0.5)
            known = i < len(named)
            _text(axes, 16, middle - 9, token(row["name"], 28), weight="bold")
            _text(axes, 16, middle + 10, named[i] if known else "never made", size=10)
            _text(axes, _SOURCE, middle, token(row["source"], 50), size=8.5, color=INK["ink-soft"])
            if known:
                _boxes(axes, row["axes"], shapes[i], middle, unit)
        for i, line in enumerate(notes):
            _text(axes, 16, 12 + _PITCH * len(rows) + 22 * (i + 0.5), line, size=9, color=INK["err-text"])
    return picture


def _named(axes: Sequence[str], dims: Sequence[int]) -> str:
    pairs = zip(axes, dims, strict=True)
    return "(" + ", ".join(f"{n}" if a in ("…", str(n)) else f"{a} {n}" for a, n in pairs) + ")"


def _text(axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
    axes.text(x, y, text, va="center", **{"size": 10.5, "color": INK["ink"], **look})


def _box(dims: Sequence[int]) -> tuple[int, int, int]:
    """How many boxes, how high, how wide."""
    *leading, down, across = (1, 1, *dims)
    return math.prod(leading), down, across


def _unit(dims: Sequence[int]) -> float:
    """Px for one number, so that this tensor fits its place."""
    count, down, across = _box(dims)
    shown = min(count, _MOST)
    return max(0.3, min(8.0, (_WIDE - 5 * shown) / (shown * across), (_PITCH - 10) / down))


def _tint(axis: str) -> str | None:
    """The colour of the side along an axis, if its last letter has one."""
    return INK.get(_ROLES.get(axis.rpartition("·")[2], ""))


def _boxes(axes: Axes, names: Sequence[str], dims: Sequence[int], middle: float, unit: float) -> None:
    count, down, across = _box(dims)
    width, height = max(2, across * unit), max(2, down * unit)
    top = middle - height / 2
    look: Any = {"facecolor": INK["paper-sunk"], "edgecolor": INK["line-strong"], "lw": 0.8}
    tints = [None, None, *map(_tint, names)]
    for i in range(min(count, _MOST)):
        left = _LEFT + i * (width + 5)
        axes.add_patch(Rectangle((left, top), width, height, **look))
        if tints[-1]:
            axes.plot((left, left + width), (top, top), color=tints[-1], lw=1.8)
        if tints[-2]:
            axes.plot((left, left), (top, top + height), color=tints[-2], lw=1.8)
    if count > _MOST:
        end = _LEFT + _MOST * (width + 5)
        _text(axes, end + 4, middle, f"and {count - _MOST} more", size=9, color=INK["ink-soft"])
