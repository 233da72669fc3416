"""The still picture of TranslationLab: each model's rows, the words they write, both translations below."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.patches import Rectangle

from attn_helpers.plots.colours import INK, Array
from attn_helpers.plots.ink import Picture, decimals, style, token
from attn_helpers.plots.weight_map import draw_cells, draw_labels, named


class Sheet(NamedTuple):
    """What one model wrote."""

    name: str
    words: Sequence[str]  # (T,) one for each row, the end of sentence among them
    weights: Array  # (T, S) that the rows were read with
    before: str  # the translation as trained
    after: str  # after operations
    delta: float | None  # by how much log p has changed; None: nothing was done


def translation_lab(*, source: Sequence[str], sheets: Sequence[Sheet], row: int | None = None) -> Picture:
    """Draw the maps of all models side by side: row = step, column = source word, colours fixed at 0–1.

    source  the source words and their end, (S,)
    row     the step in sight, outlined where it is there

    Raises ValueError when words and weights do not fit.
    """
    steps = max(len(sheet.words) for sheet in sheets)
    wide = min(480, max(220, 46 * len(source))) / (1 if len(sheets) == 1 else 1.2)
    high = min(900, 32 * steps)
    said = "; ".join(_said(sheet) for sheet in sheets)
    alt = f"{token(' '.join(source[:-1]), 80)} → {said}."
    picture = Picture(alt, len(sheets) * (wide + 150) + 20, high + 150, layout="constrained")
    with style():
        for axes, sheet in zip(picture.subplots(1, len(sheets), squeeze=False)[0], sheets, strict=True):
            _draw(axes, source, sheet, row, wide, high * len(sheet.words) / steps)
    return picture


def _said(sheet: Sheet) -> str:
    name = f"{token(sheet.name)}: " if sheet.name else ""
    after = f", after the operation {token(sheet.after, 90)}" if sheet.delta is not None else ""
    return f"{name}{token(sheet.before, 90)}{after}"


def _draw(axes: Any, source: Sequence[str], sheet: Sheet, row: int | None, wide: float, high: float) -> None:
    rows, columns = named(sheet.weights, sheet.words, source, 14)
    axes.set_title(token(sheet.name, 40), loc="left", weight="bold", size=11.5, pad=12)
    draw_cells(axes, sheet.weights, wide)
    draw_labels(axes, rows, columns, wide, high)
    if row is not None and row < len(rows):
        look: dict[str, Any] = {"fill": False, "ec": INK["q-mark"], "lw": 2, "clip_on": False, "zorder": 4}
        axes.add_patch(Rectangle((-0.5, row - 0.5), len(columns), 1, **look))
    lines = [f"as trained: {token(sheet.before, 60)}"]
    if sheet.delta is not None:
        lines += [f"changed: {token(sheet.after, 60)}", f"Δ log p {decimals(sheet.delta)}"]
    axes.set_xlabel("\n".join(lines), loc="left", labelpad=10)
