"""The still picture of MaskLab: scores → mask → weights, three grids for each sentence of a batch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from attn_helpers.plots.colours import INK, Array, weight_colour
from attn_helpers.plots.ink import PIXELS, Picture, as_array, decimals, labels, note, style

_STAGES = ("scores", "mask", "weights")
_ABOUT = ("q·k ÷ √d", "True = may attend", "softmax of what is left; at the end of each row its sum")
_LABEL, _PITCH, _GAP = 90, 44, 36  # CSS pixels


def mask_lab(
    *,
    query_tokens: Sequence[Sequence[str]],
    key_tokens: Sequence[Sequence[str]],
    scores: Any,
    mask: Any,
    weights: Any,
) -> Picture:
    """Draw how scores become weights where the mask allows it; weight on a forbidden key is framed.

    query_tokens            (B, T)
    key_tokens              (B, S)
    scores, mask, weights   (B, T, S); mask bool, True = may attend
    """
    fits, allowed, shares = as_array(scores), np.asarray(mask, dtype=bool), as_array(weights)
    batch, queries, keys = fits.shape
    worst = np.where(allowed, 0, shares).sum(axis=-1).max()
    alt = (
        f"Scores, mask and weights of {batch} sentences, {queries} queries by {keys} keys; "
        f"{int((~allowed).sum())} of {allowed.size} places are masked, the most weight that a query gives to "
        f"masked keys is {_number(worst)}."
    )
    across = keys * min(58, (960 - 2 * _LABEL - 2 * _GAP) // (3 * keys))
    picture = Picture(alt, 2 * _LABEL + 3 * across + 2 * _GAP, 44 + batch * (queries * _PITCH + 50))
    with style():
        for b in range(batch):
            rows = labels(query_tokens[b], queries, "query_tokens", longest=8)
            columns = labels(key_tokens[b], keys, "key_tokens", longest=across // keys // 8)
            _sentence(picture, b, across, (rows, columns), (fits[b], allowed[b], shares[b]))
    return picture


def _sentence(
    picture: Picture, b: int, across: float, names: tuple[list[str], list[str]], grids: Any
) -> None:
    """Three grids side by side; the first sentence also carries their headings."""
    rows, columns = names
    top = 74 + b * (len(rows) * _PITCH + 50)
    for at, stage in enumerate(_STAGES):
        box = (_LABEL + at * (across + _GAP), top, across, len(rows) * _PITCH)
        axes = _panel(picture, box, (len(rows), len(columns)))
        _names(axes, rows if at == 0 else [], columns)
        _cells(axes, stage, *grids)
        if b == 0:
            note(axes, stage, (0, 0), (0, 38), weight="bold", size=11.5)
            about = _ABOUT[at] if across > 100 else ""  # else it would reach the next grid
            note(axes, about, (0, 0), (0, 24), size=8.5, color=INK["ink-soft"])


def _panel(picture: Picture, box: tuple[float, float, float, float], size: tuple[int, int]) -> Axes:
    """Axes at a place given in CSS pixels from the top left, one unit for each cell."""
    width, height = picture.get_size_inches() * PIXELS
    left, top, across, down = box
    axes = picture.add_axes((left / width, 1 - (top + down) / height, across / width, down / height))
    axes.set(xlim=(0, size[1]), ylim=(size[0], 0), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    return axes


def _names(axes: Axes, rows: list[str], columns: list[str]) -> None:
    for row, name in enumerate(rows):
        note(axes, name, (0, row + 0.45), (-8, 0), ha="right", role="q", size=9.5)
    for column, name in enumerate(columns):
        note(axes, name, (column + 0.5, 0), (0, 9), ha="center", role="k", size=9.5)


def _cells(axes: Axes, stage: str, scores: Array, allowed: Any, weights: Array) -> None:
    for (row, column), may in np.ndenumerate(allowed):
        weight = float(weights[row, column])
        if stage == "weights" and not (not may and weight == 0):
            _weight(axes, row, column, weight, bool(may))
        elif stage == "scores":
            _box(axes, row, column, decimals(float(scores[row, column])), color=INK["ink-soft"])
        else:
            hatch = "" if may else "\\\\\\\\"
            _box(axes, row, column, "True" if may else "", color=INK["ink-soft"], hatch=hatch)
    for row, total in enumerate(weights.sum(axis=-1) if stage == "weights" else ()):
        short = np.isnan(total) or (allowed[row].any() and abs(total - 1) > 1e-6)
        colour = INK["err-text" if short else "ink-soft"]
        note(axes, f"Σ {_number(total)}", (weights.shape[1], row + 0.45), (6, 0), color=colour)


def _weight(axes: Axes, row: int, column: int, weight: float, may: bool) -> None:
    """A weight in the ramp's colour; one on a forbidden key, or one that is no number, framed."""
    known = not np.isnan(weight)
    face = weight_colour(weight) if known else INK["paper"]
    ink = INK["err-text"] if not known else INK["on-w-high" if weight > 0.52 else "on-w-low"]
    edge, width = (INK["w-edge"], 0.8) if may and known else (INK["err-mark"], 2)
    _box(axes, row, column, _number(weight), color=ink, face=face, edge=edge, width=width)


def _number(value: float) -> str:
    return "NaN" if np.isnan(value) else decimals(value)


def _box(
    axes: Axes,
    row: int,
    column: int,
    text: str,
    *,
    color: str,
    face: Any = "none",
    edge: str = INK["w-edge"],
    width: float = 0.8,
    hatch: str = "",
) -> None:
    """One cell with its text; neighbours in a row stand 2 px apart, rows 8 px."""
    style = {"facecolor": face, "edgecolor": INK["hatch"] if hatch else edge, "lw": width, "hatch": hatch}
    axes.add_patch(Rectangle((column + 0.02, row), 0.96, 0.84, clip_on=False, **style))
    axes.text(column + 0.5, row + 0.44, text, ha="center", va="center", color=color, size=9.5)
