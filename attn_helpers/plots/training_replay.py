"""The still picture of TrainingReplay: three curves over the steps, and the sentence at the end."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from attn_helpers.plots.colours import INK
from attn_helpers.plots.ink import Picture, decimals, style, token
from attn_helpers.plots.weight_map import draw_cells, draw_labels, named

_NAMES = {"loss": "loss, nats per word", "aer": "AER", "entropy": "entropy, nats"}


def training_replay(replay: Any) -> Picture:
    """Draw loss, AER and entropy against steps, each with its half-way mark, and the final weights.

    replay  an attn_helpers.replay.Replay
    """
    halves = {name: replay.steps[replay.half_way(name)] for name in _NAMES}
    words = [*replay.pair.target, "⟨end⟩"], [*replay.pair.source, "⟨end⟩"]
    last = replay.weights[-1]
    rows, columns = named(last, *words, 12)
    alt = (
        f"Training of {replay.steps[-1]} steps: the loss is half-way down at step {halves['loss']}, the AER "
        f"at {halves['aer']}; it ends at {decimals(replay.aer[-1])}. "
        f"Beside it where each word of “{token(' '.join(replay.pair.target), 60)}” looks at the end."
    )
    picture = Picture(alt, 900, 420, layout="constrained")
    with style():
        grid = picture.add_gridspec(3, 2, width_ratios=(5, 4))
        for i, name in enumerate(_NAMES):
            _curve(picture.add_subplot(grid[i, 0]), replay, name, halves[name], i == 2)
        axes = picture.add_subplot(grid[:, 1])
        draw_cells(axes, np.ma.masked_array(last), 340)
        draw_labels(axes, rows, columns, 340, 380)
    return picture


def _curve(axes: Axes, replay: Any, name: str, half: int, labelled: bool) -> None:
    steps, values = np.array(replay.steps), np.array(getattr(replay, name))
    axes.plot(np.log1p(steps), values, color=INK["ink"], lw=2)
    at = np.log1p(half)
    axes.plot(at, np.interp(at, np.log1p(steps), values), "|", color=INK["ink"], ms=14)
    axes.annotate(
        f" half-way {half}", (at, float(values.max()) * 0.85), size=9, color=INK["ink-soft"], va="top"
    )
    axes.set_title(_NAMES[name], loc="left", size=10)
    axes.set_ylim(0, float(values.max()) * 1.06 or 1)
    ticks = [0, *(step for step in (10, 100, 1000) if step < 0.6 * steps[-1]), int(steps[-1])]
    axes.set_xticks(np.log1p(ticks), labels=[str(tick) for tick in ticks] if labelled else [""] * len(ticks))
    if labelled:
        axes.set_xlabel("steps of training")
