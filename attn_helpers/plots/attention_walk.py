"""Self-attention in one picture of numbers: from embeddings to the output, every matrix on the way."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from attn_helpers.plots import given
from attn_helpers.plots.colours import INK, Array, weight_colour
from attn_helpers.plots.ink import Picture, decimals, faces, style, token

_WIDE, _HIGH, _GAP, _LEFT = 36, 28, 22, 46  # CSS pixels: a cell, between matrices, for the tokens
_LINE = 72  # above a line of matrices: titles and tokens
_LINES = (("x", "query", "key"), ("scores", "scaled", "weights"), ("value", "blend", "output"))
_TITLES = {
    "x": "x",
    "query": "Q = x W_qᵀ",
    "key": "K = x W_kᵀ",
    "scores": "Q Kᵀ",
    "scaled": "÷ √{d}",
    "weights": "softmax",
    "value": "V = x W_vᵀ",
    "blend": "softmax · V",
    "output": "· W_oᵀ",
}
_ROLES = {"query": "q", "key": "k", "value": "v"}


def attention_walk(tokens: Sequence[str], steps: dict[str, Any]) -> Picture:
    """Draw the nine matrices of one self-attention in three lines, two decimals each; weights in ink.

    tokens  T words: the rows of every matrix, and the columns of the three (T, T) ones
    steps   "x" (T, m), "query", "key" (T, d), "scores", "scaled", "weights" (T, T), "value", "blend" (T, v),
            "output" (T, m)

    Raises ValueError for a step that is missing, that is not known, or that has not one row per token.
    """
    if set(steps) != set(_TITLES):
        raise ValueError(f"steps must be {', '.join(_TITLES)}, got {', '.join(steps)}")
    cells = {name: given.numbers(steps[name], name, ["tokens", "width"]) for name in _TITLES}
    cells["weights"] = given.weights(cells["weights"], ["queries", "keys"])
    for name, matrix in cells.items():
        size = (len(tokens), len(tokens)) if name in _LINES[1] else (len(tokens), matrix.shape[1])
        if matrix.shape != size:
            raise ValueError(f"{name} must have the shape {size}, got {matrix.shape}")
    columns = max(sum(cells[name].shape[1] for name in line) for line in _LINES)
    wide = _LEFT + columns * _WIDE + 2 * _GAP + 8
    line = _LINE + _HIGH * len(tokens)
    picture = Picture(_said(tokens, cells), wide, 3 * line + 14)
    with style():
        axes = picture.add_axes((0, 0, 1, 1), xlim=(0, wide), ylim=(3 * line + 14, 0))
        axes.axis("off")
        for row, names in enumerate(_LINES):
            _line(axes, tokens, {name: cells[name] for name in names}, cells["key"].shape[1], row * line)
    return picture


def _said(tokens: Sequence[str], cells: dict[str, Array]) -> str:
    """The picture in a sentence: where the words look."""
    names = [token(word, 20) for word in tokens]
    top = cells["weights"].argmax(1)
    looks = ", ".join(f"{name} at {names[to]}" for name, to in zip(names, top, strict=True))
    return (
        f"Nine matrices for {' '.join(names)}: x, Q, K; the scores, scaled, softmaxed; V, the blend, the "
        f"output. Most weight: {looks}."
    )


def _line(axes: Axes, tokens: Sequence[str], cells: dict[str, Array], width: int, top: float) -> None:
    """One line of matrices below each other's titles, tokens at its left."""
    mono: dict[str, Any] = {"family": list(faces(mono=True)), "size": 10, "va": "center"}
    for row, word in enumerate(tokens):
        axes.text(_LEFT - 8, top + _LINE + _HIGH * (row + 0.5), token(word, 6), ha="right", **mono)
    left = float(_LEFT)
    for name, matrix in cells.items():
        role = _ROLES.get(name, "")
        colour = INK[f"{role}-text"] if role else INK["ink"]
        title = _TITLES[name].format(d=width)
        named = name in _LINES[1]  # its columns are named, too
        above = top + _LINE - (40 if named else 18)
        axes.text(left, above, title, weight="bold", color=colour, va="center")
        if named:
            for column, word in enumerate(tokens):
                at = left + _WIDE * (column + 0.5)
                axes.text(at, top + _LINE - 14, token(word, 5), ha="center", color=INK["k-text"], **mono)
        for (row, column), number in np.ndenumerate(matrix):
            _cell(axes, (left + _WIDE * column, top + _LINE + _HIGH * row), number, name == "weights")
        left += _WIDE * matrix.shape[1] + _GAP


def _cell(axes: Axes, at: tuple[float, float], number: float, shaded: bool) -> None:
    box = Rectangle((at[0] + 1, at[1] + 1), _WIDE - 2, _HIGH - 2, lw=0)
    box.set_facecolor(weight_colour(number) if shaded else INK["paper-sunk"])
    axes.add_patch(box)
    on = INK["on-w-high"] if shaded and number > 0.52 else INK["on-w-low"] if shaded else INK["ink"]
    x, y, said = at[0] + _WIDE / 2, at[1] + _HIGH / 2, decimals(number)
    axes.text(x, y, said, ha="center", va="center", size=9 if len(said) < 6 else 7.5, color=on)
