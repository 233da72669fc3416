"""The still picture of TrainingReplay: maps at a few steps over the curves of the same. Chapters 3, 5."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from attn_helpers.plots.colours import INK, Array
from attn_helpers.plots.ink import Picture, as_array, decimals, labels, note, style, token
from attn_helpers.plots.weight_map import draw_cells, draw_labels

END = "⟨end⟩"
MOST = 4  # maps side by side
_CURVES = (("loss", "loss, nats per word"), ("aer", "AER"), ("entropy", "words looked at"))


def training_replay(replay: Any, *, position: int = 0, row: int | None = None, title: str = "") -> Picture:
    """Draw how attention formed: the map at the first and the last snapshot and at the pins between.

    replay    a `replay.Replay`
    position  a snapshot to show as well
    row       the target word to say more about in the words beside the picture
    title     of the replay, where there are several

    Pins: half of the loss's and of the AER's fall (`Replay.half_way`), the crossing (`Replay.crossing`).
    """
    picture = Picture(_said(replay, row, title), 900, 560)
    with style():
        room: dict[str, Any] = {"left": 0.09, "right": 0.975, "top": 0.85, "bottom": 0.09}
        halves = picture.add_gridspec(2, 1, height_ratios=(5, 6), hspace=0.26, **room)
        at = looked_at(replay, position)
        maps = halves[0].subgridspec(1, len(at), wspace=0.12)
        for i, n in enumerate(at):
            _map(picture.add_subplot(maps[i]), replay, n, first=not i, wide=800 / len(at))
        strips = halves[1].subgridspec(3, 1, hspace=0.34)
        for i, (name, ylabel) in enumerate(_CURVES):
            _curve(picture.add_subplot(strips[i]), replay, name, ylabel, last=i == 2)
        picture.suptitle(token(title), x=0.01, ha="left", size=11.5, weight="bold")
    return picture


def looked_at(replay: Any, position: int = 0) -> list[int]:
    """The snapshots with a map, at most four: both ends, the cursor, and what pins there is room for."""
    last = len(replay.steps) - 1
    found = [0, last, position]
    crossing = replay.crossing()
    for pin in (crossing and crossing[0], replay.half_way("loss"), replay.half_way("aer")):
        if pin is not None and len({*found, pin}) <= MOST:
            found.append(pin)
    return sorted(set(found))


def _said(replay: Any, row: int | None, title: str) -> str:
    """The picture in a sentence or two."""
    loss, aer = (replay.steps[replay.half_way(curve)] for curve in ("loss", "aer"))
    head = f"{token(title)}: h" if title else "H"
    alt = f"{head}ow attention forms over {replay.steps[-1]} steps; half of the loss's fall is at step {loss}"
    alt += f", of the AER's at {aer}"
    found = None if row is None else replay.settles(row)
    if row is not None and found is not None:
        gold = sorted({s for t, s in replay.pair.sure | replay.pair.possible if t == row})
        words = " or ".join(token(replay.pair.source[s]) for s in gold)
        alt += f"; {token(replay.pair.target[row])} looks at {words} from step {replay.steps[found]} on"
    return f"{alt}."


def _map(axes: Axes, replay: Any, n: int, *, first: bool, wide: float) -> None:
    """The map at one snapshot; only the first names its rows."""
    cells = as_array(replay.weights[n])
    queries = labels([*replay.pair.target, END], len(cells), "target", 12)
    keys = labels([*replay.pair.source, END], cells.shape[1], "source", 9)
    draw_cells(axes, cells, wide)
    draw_labels(axes, queries if first else [], keys, wide, 200)
    for kind, links in (("full", replay.pair.sure), ("none", replay.pair.possible - replay.pair.sure)):
        for t, s in links:
            on = INK["on-w-high" if cells[t, s] > 0.52 else "on-w-low"]
            axes.plot(s + 0.36, t - 0.28, "o", ms=4, color=on, fillstyle=kind)
    axes.set_xlabel(f"step {replay.steps[n]}", labelpad=6)


def _curve(axes: Axes, replay: Any, name: str, ylabel: str, *, last: bool) -> None:
    """One curve on the logarithm of 1 + step / first step."""
    values = as_array(getattr(replay, name))
    values = np.exp(values) if name == "entropy" else values
    most = float(values.max())
    unit = next((step for step in replay.steps if step), 1)
    ways = (lambda x: np.log1p(np.maximum(x, 0) / unit), lambda y: unit * np.expm1(y))
    axes.set_xscale("function", functions=ways)
    axes.plot(replay.steps, values, color=INK["ink"])
    axes.set(xlim=(0, replay.steps[-1]), ylim=(0, 1.05 * (most or 1)), yticks=[0, most])
    axes.set_yticklabels(["0", f"{most:.1f}" if name == "entropy" else decimals(most)])
    axes.set_title(ylabel, loc="left", size=10, pad=3, color=INK["ink-soft"])
    _pins(axes, replay, name, values)
    _steps(axes, replay, last)


def _pins(axes: Axes, replay: Any, name: str, values: Array) -> None:
    """The curve's half-way point, and the crossing, which the first curve names."""
    look: dict[str, Any] = {"size": 9, "color": INK["ink-soft"]}
    half = replay.half_way(name)
    place = (replay.steps[half], values[half])
    axes.plot(*place, "o", color=INK["ink"], mfc=INK["paper"], ms=6)
    below = values[half] > 0.3 * values.max()  # room for a word; curves fall
    away, ha = ((-8, -9), "right") if below else ((8, 9), "left")
    note(axes, f"half-way {place[0]}", place, away, ha=ha, **look)
    if crossing := replay.crossing():
        step = replay.steps[crossing[0]]
        axes.axvline(step, color=INK["line-strong"], ls=":", lw=1.4)
        if name == "loss":
            note(axes, f"crossing appears {step}", (step, values.max()), (8, -7), **look)


def _steps(axes: Axes, replay: Any, last: bool) -> None:
    """Ticks at round steps, named below the last curve."""
    end = replay.steps[-1]
    stops: list[Any] = [
        0,
        *(stop for k in range(6) for stop in (10**k, 3 * 10**k) if replay.steps[1] <= stop < 0.7 * end),
        end,
    ]
    axes.set_xticks(stops, labels=[f"{stop}" for stop in stops])
    axes.set_xticks([], minor=True)
    axes.tick_params(labelbottom=last)
    if last:
        axes.set_xlabel("training step")
