"""The still picture of AttentionHeatmap, as grid or as ribbons. Chapters with heatmaps."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from attn_helpers.plots.colours import INK, RAMP, Array
from attn_helpers.plots.ink import Picture, as_array, decimals, faces, labels, style, token

Mask = NDArray[np.bool_]
Pairs = Sequence[tuple[int, int]]
_DARK = 0.52  # from here on white text contrasts more than black


class Gold(NamedTuple):
    """Links (query, key) that are sure, or merely possible, and a remark to stand below the picture."""

    sure: Pairs = ()
    possible: Pairs = ()
    remark: str = ""


NO_GOLD = Gold()


def weight_map(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    row: int | None = None,
    title: str = "",
    masked: Mask | None = None,
    hidden: int | None = None,
    gold: Gold = NO_GOLD,
) -> Picture:
    """A matrix of weights of any size: row = query, column = key, colours fixed at 0–1.

    weights  (T, S); masked: (T, S), hatched; hidden: a row not to be shown
    gold     a dot in the cell for a sure link, a ring for a possible one
    `row` is outlined and summed up below the picture, the remark of `gold` stands below that.
    """
    cells = as_array(weights)
    rows, columns = named(cells, query_tokens, key_tokens, 16)
    shown = seen(cells, masked, hidden)
    alt, (wide, high) = described(cells, rows, columns, row, title, hidden, gold), _size(cells)
    picture = Picture(alt, 150 + wide, (156 if gold.remark else 140) + high, layout="constrained")
    with style():
        axes = picture.add_subplot()
        axes.set_title(token(title), loc="left", weight="bold", size=11.5, pad=12)
        draw_cells(axes, shown, wide)
        draw_labels(axes, rows, columns, wide, high)
        _marks(axes, gold, shown)
        draw_hatch(axes, masked)
        _selected(axes, shown, rows, columns, row, gold.remark)
    return picture


def named(
    cells: Array, query_tokens: Sequence[str], key_tokens: Sequence[str], longest: int
) -> tuple[list[str], list[str]]:
    """Labels of rows and columns, of `longest` letters at most."""
    rows = labels(query_tokens, cells.shape[0], "query_tokens", longest)
    return rows, labels(key_tokens, cells.shape[1], "key_tokens", longest)


def seen(cells: Array, masked: Mask | None, hidden: int | None) -> Any:
    """The cells that may be seen, the others masked out."""
    shown = np.ma.masked_array(cells, np.zeros(cells.shape, dtype=bool) if masked is None else masked)
    if hidden is not None:
        shown[hidden] = np.ma.masked
    return shown


def _large(cells: Any) -> bool:
    """Whether the cells are too many to be told apart."""
    return bool(max(cells.shape) > 40)


def _size(cells: Array) -> tuple[float, float]:
    """Width and height of the map in px."""
    queries, keys = cells.shape
    return (460, min(460, 6 * queries)) if _large(cells) else (min(480, 92 * keys), min(700, 46 * queries))


def draw_cells(axes: Axes, shown: Any, wide: float) -> None:
    """Colours fixed at 0–1; numbers where `wide` px leave room for them."""
    shades = ListedColormap(RAMP).with_extremes(bad=INK["paper"])
    axes.imshow(shown, vmin=0, vmax=1, cmap=shades, aspect="auto", interpolation="nearest")
    axes.xaxis.tick_top()
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    if not _large(shown):
        _gaps(axes, shown.shape)
        _numbers(axes, shown, wide / shown.shape[1])


def described(
    cells: Array,
    rows: list[str],
    columns: list[str],
    row: int | None,
    title: str,
    hidden: int | None,
    gold: Gold = NO_GOLD,
) -> str:
    """The picture in a sentence or two."""
    strongest = ""
    if row is not None and row != hidden:
        top = int(cells[row].argmax())
        strongest = f"; {rows[row]} looks most at {columns[top]}, {decimals(cells[row, top])}"
    size = f"eights of {len(rows)} queries (rows) over {len(columns)} keys (columns)"
    links = f" {len(gold.sure)} sure links, {len(gold.possible)} possible ones." if any(gold[:2]) else ""
    links += gold.remark and f" {gold.remark}."
    return (f"{token(title)}: w{size}{strongest}." if title else f"W{size}{strongest}.") + links


def draw_labels(axes: Axes, rows: list[str], columns: list[str], wide: float, high: float) -> None:
    """Tokens beside and above a map of `wide` × `high` px; none where there are none."""
    longest = max(map(len, columns), default=0)
    _ticks(axes.xaxis, columns, "k", wide, turned=wide < 8 * longest * len(columns))
    _ticks(axes.yaxis, rows, "q", high)


def _ticks(axis: Any, names: list[str], role: str, room: float, turned: bool = False) -> None:
    """Every n-th label, so that they do not touch; equal tokens keep their own places."""
    places = np.arange(0, len(names), max(1, int(np.ceil(13 * len(names) / room))))
    face = {"family": list(faces(mono=True)), "color": INK[f"{role}-text"], "rotation": 90 if turned else 0}
    axis.set_ticks(places, labels=[names[i] for i in places], **face)
    axis.set_tick_params(length=0)


def _gaps(axes: Axes, shape: tuple[int, ...]) -> None:
    """A row is one strip: thin gaps between its cells, wider ones between rows."""
    axes.hlines(np.arange(1, shape[0]) - 0.5, -0.5, shape[1] - 0.5, color=INK["paper"], lw=5)
    axes.vlines(np.arange(1, shape[1]) - 0.5, -0.5, shape[0] - 0.5, color=INK["paper"], lw=1.5)


def _numbers(axes: Axes, cells: Any, pitch: float) -> None:
    for q, k in np.argwhere(~np.ma.getmaskarray(cells)):
        weight = cells[q, k]
        if pitch >= 28:
            on = INK["on-w-high"] if weight > _DARK else INK["on-w-low"]
            axes.text(
                k, q, decimals(weight), ha="center", va="center", color=on, size=9.5 if pitch > 40 else 8
            )


def _marks(axes: Axes, gold: Gold, cells: Any) -> None:
    """A dot for a sure link, a ring for a possible one."""
    for kind, pairs in zip(("full", "none"), gold[:2], strict=True):
        for q, k in pairs:
            if not np.ma.getmaskarray(cells)[q, k] and not _large(cells):
                on = INK["on-w-high"] if cells[q, k] > _DARK else INK["on-w-low"]
                axes.plot(k + 0.36, q - 0.24, "o", ms=5, color=on, fillstyle=kind)


def draw_hatch(axes: Axes, masked: Mask | None) -> None:
    """Lines over what may not attend."""
    if masked is None:
        return
    for q, line in enumerate(np.pad(masked, ((0, 0), (1, 1)))):  # runs of masked cells
        starts, ends = (
            np.flatnonzero(np.diff(line.astype(int)) == 1),
            np.flatnonzero(np.diff(line.astype(int)) == -1),
        )
        for start, end in zip(starts, ends, strict=True):
            box = Rectangle((start - 0.5, q - 0.5), float(end - start), 1, fill=False, hatch="////", lw=0)
            box.set_edgecolor(INK["hatch"])
            axes.add_patch(box)


def _selected(
    axes: Axes, cells: Any, rows: list[str], columns: list[str], row: int | None, remark: str
) -> None:
    """The pinned row: outlined, and in figures below the picture; then the remark."""
    below = [remark]
    if row is not None:
        look: dict[str, Any] = {"fill": False, "ec": INK["q-mark"], "lw": 2, "clip_on": False, "zorder": 4}
        axes.add_patch(Rectangle((-0.5, row - 0.5), len(columns), 1, **look))
        if not np.ma.getmaskarray(cells)[row].all():
            below.insert(0, figures(np.ma.filled(cells[row], 0), rows[row], columns))
    axes.set_xlabel("\n".join(filter(None, below)), loc="left", labelpad=10)


def figures(weights: Array, query: str, keys: list[str]) -> str:
    """What a row comes to: its strongest key, its sum, e to its entropy."""
    shares = weights[weights > 0] / (weights.sum() or 1)
    looks = (
        f"looks at {np.exp(-(shares * np.log(shares)).sum()):.1f} words"
        if len(shares)
        else "looks at nothing"
    )
    top = int(weights.argmax())
    return f"{query} → {keys[top]} {decimals(weights[top])}     Σ {weights.sum():.3f}     {looks}"
