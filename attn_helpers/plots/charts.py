"""Plain charts: bars, curves, a regression, distributions and a matrix of weights, each labelled in place."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from attn_helpers.plots import given
from attn_helpers.plots.colours import INK, RAMP, Array, weight_colour
from attn_helpers.plots.ink import PIXELS, Picture, decimals, faces, labels, note, style, token

# Curves are told apart without colours: those belong to query, key and value.
_STROKES = (("ink", "-"), ("ink-soft", "--"), ("line-strong", "-"), ("ink", ":"), ("ink-soft", "-."))


def bars(weights: Any, tokens: Sequence[str]) -> Picture:
    """Weights as bars on an axis that is fixed at 0–1, one row for each token, also for a repeated one.

    weights  (S,), each between 0 and 1
    """
    values = given.weights(weights, ["keys"])
    names = labels(tokens, len(values), "tokens")
    top = int(values.argmax())
    alt = f"Weights of {len(names)} tokens; {names[top]} has the largest, {decimals(values[top])}."
    picture = Picture(alt, 480, 40 + 34 * len(names), layout="constrained")
    with style():
        axes = picture.add_subplot(xlim=(0, 1.1), ylim=(len(names) - 0.5, -0.5), xticks=(0, 0.5, 1))
        _token_ticks(axes.yaxis, names, "k")
        axes.grid(visible=False, axis="y")
        for row, value in enumerate(values):
            axes.barh(row, value, height=0.6, color=weight_colour(value, least=0.12))
            note(axes, decimals(value), (value, row), (5, 0))
    return picture


def lines(
    x: Any,
    curves: Mapping[str, Any],
    xlabel: str,
    ylabel: str,
    *,
    top: float | None = None,
    figures: bool = False,
) -> Picture:
    """Measured curves over widths that double, each named at its right end; nothing is smoothed.

    x, each curve  (N,), x above 0; `top` fixes the y axis at 0–top. With `figures` the words of the picture
    give every number.
    """
    across = given.widths(x, "x")
    ys = given.curves(curves, "x", len(across), len(_STROKES))
    read = _read(across, ys) if figures else ""
    picture = Picture(f"{ylabel} against {xlabel}, for {_list(curves)}.{read}", layout="constrained")
    with style():
        axes = _named_axes(picture, xlabel, ylabel)
        axes.set_xscale("log", base=2)
        axes.set_xticks(across, labels=[f"{at:g}" for at in across])
        axes.minorticks_off()
        if top is not None:
            axes.set_ylim(0, top)
        _curves(axes, across, ys, "o")
    return picture


def _read(across: Any, ys: Mapping[str, Any]) -> str:
    """As in " right: 0.37 at 1, 0.61 at 2." for each curve."""
    pairs = {name: zip(across, curve, strict=True) for name, curve in ys.items()}
    said = {name: ", ".join(f"{y:.3g} at {x:g}" for x, y in points) for name, points in pairs.items()}
    return "".join(f" {token(name)}: {figures}." for name, figures in said.items())


def regression(
    keys: Any, values: Any, queries: Any, curves: Mapping[str, Any], xlabel: str, ylabel: str
) -> Picture:
    """Points (key, value) and, over the queries, weighted means of their values.

    keys, values  (S,); queries, each curve  (T,)
    """
    points = given.numbers(keys, "keys", ["points"]), given.numbers(values, "values", ["points"])
    if len(points[0]) != len(points[1]):
        raise ValueError(f"values must be as many as keys, {len(points[0])}, got {len(points[1])}")
    across = given.numbers(queries, "queries", ["places"])
    ys = given.curves(curves, "queries", len(across), len(_STROKES))
    picture = Picture(f"{ylabel} against {xlabel}: points, and {_list(curves)}.", layout="constrained")
    with style():
        axes = _named_axes(picture, xlabel, ylabel)
        if len(points[0]) <= 12:
            axes.set_xticks(points[0])
        axes.plot(*points, "o", color=INK["v-mark"], ms=8, zorder=3, clip_on=False)
        _curves(axes, across, ys)
    return picture


def histograms(columns: Mapping[str, Mapping[str, Any]], xlabel: str, reach: float) -> Picture:
    """Distributions as small multiples: a column for each name, in it a row for each sample.

    Every panel spans −reach … reach and states the sample's standard deviation σ; heights are its own.
    """
    columns, reach = given.samples(columns), given.positive(reach, "reach")
    rows = list(next(iter(columns.values())))
    alt = f"Distributions of {xlabel}: rows {_list(rows)}; columns {_list(columns)}."
    picture = Picture(alt, 620, 60 + 60 * len(rows), layout="constrained")
    with style():
        grid = picture.subplots(len(rows), len(columns), squeeze=False, sharex=True)
        for axes, name in zip(grid[0], columns, strict=True):
            axes.set_title(token(name), size=11.5, weight="bold")
        for axes, row in zip(grid[:, 0], rows, strict=True):
            axes.set_ylabel(token(row), rotation=0, ha="right")
        for (row, column), axes in np.ndenumerate(grid):
            _histogram(axes, list(columns.values())[column][rows[row]], reach)
        picture.supxlabel(token(xlabel), color=INK["ink-soft"])
    return picture


def heatmap(weights: Any, query_tokens: Sequence[str], key_tokens: Sequence[str]) -> Picture:
    """A matrix of weights: row = query, column = key, colours fixed at 0–1.

    weights  (T, S), each between 0 and 1
    """
    cells = given.weights(weights, ["queries", "keys"])
    rows = labels(query_tokens, cells.shape[0], "query_tokens")
    columns = labels(key_tokens, cells.shape[1], "key_tokens")
    alt = f"Weights of {len(rows)} queries (rows) over {len(columns)} keys (columns)."
    picture = Picture(alt, 120 + 64 * len(columns), 50 + 44 * len(rows), layout="constrained")
    with style():
        axes = picture.add_subplot()
        axes.pcolormesh(cells, vmin=0, vmax=1, cmap=ListedColormap(RAMP), edgecolors=INK["paper"], lw=2)
        axes.invert_yaxis()
        axes.xaxis.tick_top()
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        _token_ticks(axes.xaxis, columns, "k", 0.5)
        _token_ticks(axes.yaxis, rows, "q", 0.5)
        _cell_numbers(axes, cells)
    return picture


def _cell_numbers(axes: Axes, cells: Array) -> None:
    for (row, column), weight in np.ndenumerate(cells):
        on = INK["on-w-high"] if weight > 0.52 else INK["on-w-low"]  # whichever contrasts more
        axes.text(column + 0.5, row + 0.5, decimals(weight), ha="center", va="center", color=on)


def _list(names: Iterable[str]) -> str:
    return ", ".join(token(name) for name in names)


def _named_axes(picture: Picture, xlabel: str, ylabel: str) -> Axes:
    """One plot; the name of its y axis lies on top, where it is read without turning the head."""
    axes = picture.add_subplot(xlabel=token(xlabel))
    axes.set_title(token(ylabel), loc="left", color=INK["ink-soft"], pad=10)
    return axes


def _token_ticks(axis: Any, names: list[str], role: str, shift: float = 0.0) -> None:
    """Labels at 0, 1, 2 …, so that equal tokens keep their own places."""
    face = {"family": list(faces(mono=True)), "weight": "bold", "color": INK[f"{role}-text"]}
    axis.set_ticks(np.arange(len(names)) + shift, labels=names, **face)
    axis.set_tick_params(length=0)


def _curves(axes: Axes, x: Array, curves: Mapping[Any, Array], dots: str = "") -> None:
    ys = list(curves.values())
    for (shade, line), y in zip(_STROKES, ys, strict=False):
        axes.plot(x, y, line, marker=dots, ms=4, color=INK[shade], clip_on=False)
    axes.set_xlim(right=x[-1])  # names stand beside the plot, on no line of it
    axes.autoscale_view()  # places in pixels need the final limits
    ends = axes.transData.transform([(x[-1], y[-1]) for y in ys])[:, 1]  # pixels from below
    for name, y, lift in zip(curves, ys, _apart(ends) - ends, strict=True):
        note(axes, token(name), (x[-1], y[-1]), (8, lift * 72 / PIXELS), weight="bold")


def _apart(places: Array, gap: float = 17) -> Array:
    """Heights at least `gap` pixels apart, in the same order, as near to their places as that allows."""
    groups: list[list[int]] = []
    for place in np.argsort(places, kind="stable"):
        groups.append([int(place)])
        while len(groups) > 1 and _fan(places, groups[-1], gap)[0] - _fan(places, groups[-2], gap)[-1] < gap:
            groups[-2:] = [groups[-2] + groups[-1]]
    moved = places.copy()
    for group in groups:
        moved[group] = _fan(places, group, gap)
    return moved


def _fan(places: Array, group: list[int], gap: float) -> Array:
    """Heights around the mean of a group's places, one gap apart."""
    return np.asarray(places[group].mean() + gap * (np.arange(len(group)) - (len(group) - 1) / 2))


def _histogram(axes: Axes, sample: Array, reach: float) -> None:
    counts, edges = np.histogram(sample, bins=np.linspace(-reach, reach, 61))
    axes.stairs(counts, edges, fill=True, color=INK["w4"])
    axes.set(xlim=(-reach, reach), ylim=(0, 1.45 * max(counts.max(), 1)), yticks=[])
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    spread = f"σ {sample.std():.2f}"
    axes.text(1, 0.88, spread, ha="right", va="center", transform=axes.transAxes)
