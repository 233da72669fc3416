"""The still picture of ScoreExplorer: plane → score bars → weight bars → output among the values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MultipleLocator

from attn_helpers.plots.colours import INK, Array, weight_colour
from attn_helpers.plots.ink import (  # fmt: skip
    PIXELS,
    Picture,
    as_array,
    decimals,
    labels,
    note,
    style,
    token,
)

_FORMULAS = {
    "dot": "q·k",
    "scaled_dot": "q·k ÷ √d",
    "cosine": "q·k ÷ (|q| |k|)",
    "additive": "Σ tanh(q + k)",
}
_PANELS = ((24, 270), (400, 130), (575, 110), (740, 205))  # left edge and width, CSS pixels


def score_explorer(
    *,
    query_token: str,
    query: Any,
    key_tokens: Sequence[str],
    key_vectors: Any,
    value_vectors: Any,
    scores: Any,
    weights: Any,
    output: Any,
    score: str = "scaled_dot",
    temperature: float = 1.0,
    hidden: bool = False,
) -> Picture:
    """Draw one query's way from scores to output, in four panels.

    query, output               (2,)
    key_vectors, value_vectors  (S, 2)
    scores, weights             (S,)
    hidden                      leave out scores, weights and output: they are to be guessed
    """
    fits, shares, asker = as_array(scores), as_array(weights), token(query_token, longest=12)
    names = labels(key_tokens, len(fits), "key_tokens", longest=12)
    alt = f"The query {asker} scores {len(names)} keys ({_FORMULAS[score]}); {_told(shares, names, hidden)}."
    with style():
        picture = Picture(alt, width=960, height=max(360, 60 * len(names) + 120))
        plane, *answers = _panels(picture, score, temperature)
        _plane(plane, as_array(query), as_array(key_vectors), asker, names)
        _names(answers[0], names)
        if not hidden:
            _answers(answers, fits, shares, as_array(value_vectors), as_array(output), names)
        return picture


def _told(weights: Array, names: list[str], hidden: bool) -> str:
    top = int(weights.argmax())
    most = f"the largest weight, {decimals(weights[top])}, falls on {names[top]}"
    return "the weights are hidden" if hidden else most


def _answers(
    panels: list[Axes], scores: Array, weights: Array, values: Array, output: Array, names: list[str]
) -> None:
    """What query and keys come to."""
    top = int(weights.argmax())
    _score_bars(panels[0], scores, top)
    _weight_bars(panels[1], weights, top)
    _hull(panels[2], values, weights, output, names)


def _panels(picture: Picture, score: str, temperature: float) -> list[Axes]:
    """Four panels side by side, placed in CSS pixels, each under a title and a line of words."""
    across, up = picture.get_size_inches() * PIXELS
    titles = ("query q, keys k", "scores", "weights", "output")
    softmax = "softmax" if temperature == 1 else f"softmax of score ÷ {temperature:g}"
    lines = ("how well do they fit?", _FORMULAS[score], softmax, "weighted mean of the values v")
    made = []
    for (left, width), title, line in zip(_PANELS, titles, lines, strict=True):
        axes = picture.add_axes((left / across, 24 / up, width / across, 1 - 104 / up))
        note(axes, title, (0, 1), (0, 33), xycoords="axes fraction", weight="bold", size=11.5)
        note(axes, line, (0, 1), (0, 17), xycoords="axes fraction", color=INK["ink-soft"], size=10.5)
        made.append(axes)
    return made


def _square(axes: Axes, points: Array) -> None:
    """Equal units on both axes, all points inside with room for their names, hairlines at whole numbers."""
    low, high = points.min(axis=0), points.max(axis=0)
    box = axes.get_window_extent()
    sides = np.array([box.width, box.height])
    half = sides * max(((high - low) / sides).max(), 1 / sides.min()) * 0.65
    axes.set_xlim((low[0] + high[0]) / 2 - half[0], (low[0] + high[0]) / 2 + half[0])
    axes.set_ylim((low[1] + high[1]) / 2 - half[1], (low[1] + high[1]) / 2 + half[1])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(max(1, round(half.max() / 3))))
    axes.tick_params(length=0, labelbottom=False, labelleft=False)
    axes.spines[:].set_visible(False)


def _plane(axes: Axes, query: Array, keys: Array, asker: str, names: list[str]) -> None:
    _square(axes, np.vstack([query, keys, np.zeros(2)]))
    _arrow(axes, query, "q", f"q {asker}", "right", "bottom")
    for key, name in zip(keys, names, strict=True):
        turn = query[0] * key[1] - query[1] * key[0]  # 0 where the key lies along the query
        along = query @ key > 0 and abs(turn) < 0.3 * np.linalg.norm(query) * np.linalg.norm(key)
        side = "left" if key[0] >= 0 else "right"
        _arrow(axes, key, "k", name, side, "top" if along or key[1] < 0 else "bottom")


def _arrow(axes: Axes, tip: Array, role: str, name: str, side: str, above: str) -> None:
    """An arrow from the origin, with its name at the tip."""
    arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 13}
    arrow |= {"color": INK[f"{role}-mark"], "lw": 4.5 if role == "q" else 2}
    axes.annotate("", (tip[0], tip[1]), (0, 0), arrowprops=arrow)
    away = (6 if side == "left" else -4, 4 if above == "bottom" else -4)
    note(axes, name, tip, away, ha=side, va=above, role=role)


def _rows(axes: Axes, count: int) -> None:
    axes.set(xticks=[], yticks=[], ylim=(count - 0.5, -0.5))
    axes.spines[:].set_visible(False)
    axes.axvline(0, color=INK["line-strong"], lw=0.8)


def _names(axes: Axes, names: list[str]) -> None:
    _rows(axes, len(names))
    for row, name in enumerate(names):
        note(axes, name, (0, row), (-10, 0), ha="right", xycoords=axes.get_yaxis_transform(), role="k")


def _score_bars(axes: Axes, scores: Array, top: int) -> None:
    reach = max(np.abs(scores).max(), 0.5)
    axes.set_xlim(min(0, scores.min()) - 0.05 * reach, reach * 1.5)
    for row, score in enumerate(scores):
        axes.barh(row, score, height=0.45, color=INK["k-mark"], alpha=1 if row == top else 0.5)
        _number(axes, max(score, 0), row, score, row == top)


def _weight_bars(axes: Axes, weights: Array, top: int) -> None:
    _rows(axes, len(weights))
    axes.set_xlim(0, 1.35)
    axes.axvline(1, color=INK["hair"], lw=0.8)
    for row, weight in enumerate(weights):
        axes.barh(row, weight, height=0.45, color=weight_colour(weight, least=0.12))
        _number(axes, 1, row, weight, row == top)
    total = f"Σ {weights.sum():.3f}"
    note(axes, total, (1, 0), (0, -6), ha="right", xycoords="axes fraction", color=INK["ink-soft"])


def _number(axes: Axes, x: float, row: int, value: float, strong: bool) -> None:
    colour, weight = (INK["ink"], "bold") if strong else (INK["ink-soft"], "normal")
    note(axes, decimals(value), (x, row), (5, 0), color=colour, weight=weight)


def _hull(axes: Axes, values: Array, weights: Array, output: Array, names: list[str]) -> None:
    """Values, the region that their weighted means can reach, and a thread to each as thick as its weight."""
    _square(axes, values)
    green = INK["v-mark"]
    axes.fill(*np.array(_convex_hull(values)).T, facecolor=green + "22", edgecolor=green, lw=0.8)
    for value, weight, name in zip(values, weights, names, strict=True):
        axes.plot(*np.array([output, value]).T, color=green, lw=0.6 + 7 * weight, alpha=0.6)
        axes.plot(*value, "o", color=green, ms=5 + 6 * weight)
        away, above = (10, "bottom") if value[1] >= values[:, 1].mean() else (-10, "top")
        note(axes, name, value, (0, away), ha="center", va=above, role="v")
    axes.plot(*output, "o", color=INK["ink"], ms=12, mec=INK["paper"], mew=2)
    note(axes, "output", output, (-9, 4), ha="right", va="bottom", weight="bold")


def _convex_hull(points: Array) -> list[Array]:
    """Corners of the convex hull (Andrew's monotone chain)."""

    def chain(ordered: list[Array]) -> list[Array]:
        corners: list[Array] = []
        for point in ordered:
            while len(corners) > 1 and np.linalg.det([corners[-1] - corners[-2], point - corners[-1]]) <= 0:
                corners.pop()
            corners.append(point)
        return corners

    ordered = sorted(points, key=tuple)
    return chain(ordered) + chain(ordered[::-1])
