"""How high a TrainingReplay will be, known before any script runs, so that a page can keep the room free.

Rows get their height here and js/grid.js draws them so; css/replay.css gives the other parts fixed heights.
All in CSS pixels, (on a wide page, on a phone).
"""

HEADING, PICKER, FOOT = (82, 128), (40, 48), (64, 136)
MAP = (46 + 98, 52 + 88)  # names above, the inked sentence below
TURNED = 50  # names that are turned to fit need more
CURVES = (484, 462)  # number, three curves, axis, guess, actions
MOST_BESIDE = 8  # columns that leave room for the curves beside the map


def row_pitch(queries: int) -> tuple[int, int]:
    """Height of a row with its gap; on a phone a row is a target for a finger."""
    return (60, 52) if queries <= 8 else (max(20, 480 // queries), 52)


def height(shape: tuple[int, ...]) -> tuple[int, int]:
    """Height of the whole widget, weights (N, replays, T, S)."""
    _, replays, queries, keys = shape
    grid = [queries * pitch + more for pitch, more in zip(row_pitch(queries), MAP, strict=True)]
    wide = max(grid[0], CURVES[0]) if keys <= MOST_BESIDE else grid[0] + TURNED + 32 + CURVES[0]
    phone = grid[1] + 24 + CURVES[1]
    more = [PICKER[i] if replays > 1 else 0 for i in range(2)]
    return wide + HEADING[0] + FOOT[0] + more[0], phone + HEADING[1] + FOOT[1] + more[1]
