"""The still picture of MuseumRoom: two losses that both fall, and a map without and with the fault."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from attn_helpers.corpus import hero
from attn_helpers.museum import Exhibit, table
from attn_helpers.museum.measure import STEPS
from attn_helpers.museum.words import WORDS
from attn_helpers.plots.colours import INK
from attn_helpers.plots.ink import Picture, as_array, labels, style
from attn_helpers.plots.weight_map import draw_cells, draw_labels


def museum_room(exhibit: Exhibit) -> Picture:
    """Draw an exhibit: what looks fine, and, in words below it, the number that catches it."""
    right, wrong = table()["right"], exhibit.row
    name = WORDS[exhibit.number].short
    values = [f"{row['numbers'][exhibit.number]:.3f}" for row in (right, wrong)]
    fall = f"{wrong['loss'][0]:.2f} to {wrong['loss'][-1]:.2f}"
    alt = f"{exhibit.title} The loss falls from {fall} all the same. {name}: {values[0]} without the fault, "
    picture = Picture(f"{alt}{values[1]} with it.", 900, 380)
    with style():
        room: dict[str, Any] = {"left": 0.06, "right": 0.985, "top": 0.78, "bottom": 0.21}
        grid = picture.add_gridspec(1, 3, width_ratios=(1.15, 1, 1), wspace=0.26, **room)
        _losses(picture.add_subplot(grid[0]), right["loss"], wrong["loss"])
        for i, (row, label) in enumerate(((right, "right line"), (wrong, "faulty line"))):
            _map(picture.add_subplot(grid[i + 1]), row["weights"], label, first=not i)
        picture.suptitle(exhibit.title, x=0.012, ha="left", size=11.5, weight="bold")
        told = f"{name}: {values[0]} → {values[1]}"
        picture.text(0.012, 0.035, told, size=11, weight="bold", color=INK["err-text"])
    return picture


def _losses(axes: Axes, right: Any, wrong: Any) -> None:
    """Both losses over the steps, each mean in the middle of its steps."""
    for values, look in (
        (right, {"color": INK["line-strong"]}),
        (wrong, {"color": INK["err-mark"], "lw": 2}),
    ):
        steps = (np.arange(len(values)) + 0.5) * STEPS / len(values)
        axes.plot(steps, as_array(values), **look)
    axes.set(xlim=(0, STEPS), ylim=(0, None), xticks=(0, STEPS // 2, STEPS), xlabel="step")
    axes.set_title("loss, nats per word", loc="left", size=10, pad=4, color=INK["ink-soft"])


def _map(axes: Axes, weights: Any, label: str, *, first: bool) -> None:
    """Where the running pair's words look; the last column is padding."""
    cells, pair = as_array(weights), hero()
    queries = labels([*pair.target, "⟨end⟩"], len(cells), "target", 12)
    keys = labels([*pair.source, "⟨end⟩", "⟨pad⟩"], cells.shape[1], "source", 9)
    draw_cells(axes, cells, 250)
    draw_labels(axes, queries if first else [], keys, 250, 200)
    axes.set_xlabel(label, labelpad=6)
