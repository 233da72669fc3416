"""How high an AttentionHeatmap will be, known before any script runs, so that a page can keep the room free.

Rows get their height here; js/grid.js draws them so, css/heatmap.css gives all other parts a fixed one.
"""

from typing import Any

MOST_ELEMENTS = 1024  # cells that are elements of the page; more go on one canvas


def is_dense(queries: int, keys: int) -> bool:
    """Whether one canvas is used instead of an element per cell."""
    return max(queries, keys) > 40 or queries * keys > MOST_ELEMENTS


def row_pitch(queries: int, keys: int) -> tuple[float, float]:
    """Height of a row with its gap, in px, on a wide page and on a phone (where a row is a target for a finger)."""
    if is_dense(queries, keys):
        return min(24, 512 / queries), min(24, 320 / queries)
    return (66, 56) if queries <= 8 else (max(20, 528 // queries), 46)


def reserve(widget: Any) -> tuple[int, int]:
    """Height of the whole widget in px, wide and narrow."""
    return (0, 0)
