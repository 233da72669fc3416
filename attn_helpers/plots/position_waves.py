"""The still picture of PositionWaves: sinusoids as stripes, and how alike one position is to all others."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from attn_helpers.plots.colours import INK, RAMP, Array
from attn_helpers.plots.ink import Picture, as_array, decimals, style

_WIDE, _HIGH = 940, 520  # CSS pixels


def position_waves(*, table: Any, similarity: Any, position: int, twins: Sequence[int]) -> Picture:
    """Draw a table of positions, a row for each, and beside it the cosine of each row with the chosen one.

    table       (L, d) sinusoids, −1…1
    similarity  (L,) cosines
    position    the chosen row; `twins` are the rows most like it
    """
    waves, alike = as_array(table), as_array(similarity)
    near = " and ".join(map(str, twins[:2]))
    alt = (
        f"{len(waves)} positions of {waves.shape[1]} numbers as stripes; beside them the cosine with "
        f"position {position}, on average {decimals(alike.mean())}, and nearest to 1 at {near}: "
        f"{decimals(alike[twins[0]])}."
    )
    picture = Picture(alt, _WIDE, _HIGH)
    with style():
        left, right = picture.add_axes((0.07, 0.1, 0.46, 0.82)), picture.add_axes((0.6, 0.1, 0.36, 0.82))
        _stripes(left, waves, position)
        _curve(right, alike, position, twins)
    return picture


def _stripes(axes: Axes, waves: Array, position: int) -> None:
    length, width = waves.shape
    axes.imshow((waves + 1) / 2, ListedColormap(RAMP), vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    for colour, lw in (("paper", 4.5), ("ink", 1.8)):
        axes.axhspan(position - 0.5, position + 0.5, fill=False, edgecolor=INK[colour], lw=lw)
    axes.set(xlabel=f"{width} numbers: sine and cosine in turn", ylabel="position", ylim=(length - 0.5, -0.5))
    axes.grid(visible=False)


def _curve(axes: Axes, alike: Array, position: int, twins: Sequence[int]) -> None:
    axes.plot(alike, range(len(alike)), color=INK["ink"])
    axes.plot(alike[[*twins]], twins, "o", color=INK["paper"], markeredgecolor=INK["ink"], markersize=7)
    axes.plot(1, position, "o", color=INK["ink"], markersize=8)
    axes.set(xlabel=f"cosine with position {position}", ylim=(len(alike) - 0.5, -0.5))
    axes.set_xlim(min(0.0, float(alike.min())) - 0.03, 1.05)
