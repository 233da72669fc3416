"""How high an AttentionHeatmap will be, known before any script runs, so that a page can keep the room free.

Rows get their height here and js/grid.js draws them so; css/heatmap.css gives the other parts fixed heights.
All in CSS pixels, (on a wide page, on a phone).
"""

MOST_ELEMENTS = 1024  # cells that are elements of the page; more go on one canvas
HEADING, PICKER, BODY, FOOT = (55, 75), 88, 28, 52
SENTENCE, DENSE = 98, 120  # inked words; turned labels above and colour bar below a canvas
READ_OUT = {"beside": 300, "below": 132, "phone": 264}
RIBBONS = (402, 420)
GOLD, GOLD_RIBBONS = {"beside": 24, "phone": 130}, (68, 142)  # error rate, its rule folded, legend


def is_dense(queries: int, keys: int) -> bool:
    """Whether one canvas is used instead of an element per cell."""
    return max(queries, keys) > 40 or queries * keys > MOST_ELEMENTS


def row_pitch(queries: int, keys: int) -> tuple[float, float]:
    """Height of a row with its gap; on a phone a row is a target for a finger."""
    if is_dense(queries, keys):
        return min(24, 512 / queries), min(24, 320 / queries)
    return (66, 56) if queries <= 8 else (max(20, 528 // queries), 52)


def gap_below(pitch: float) -> int:
    """The part of a row's height that is air: small rows stand closer."""
    return 2 if pitch < 24 else 4 if pitch < 40 else 8


def height(shape: tuple[int, ...], view: str, title: str, has_gold: bool) -> tuple[int, int]:
    """Height of the whole widget, weights (L, H, T, S)."""
    layers, heads, queries, keys = shape
    if not queries:
        return 0, 0
    pickers = PICKER * ((layers > 1) + (heads > 1))
    if view == "ribbons":
        more = GOLD_RIBBONS if has_gold else (0, 0)
        return RIBBONS[0] + pickers + more[0], RIBBONS[1] + pickers + more[1]
    dense = is_dense(queries, keys)
    head = (DENSE, DENSE) if dense else (38 if keys <= 12 else 88, 44)
    wide, phone = (
        queries * pitch - (0 if dense else gap_below(pitch)) + top + SENTENCE
        for pitch, top in zip(row_pitch(queries, keys), head, strict=True)
    )
    wide = (
        max(wide, READ_OUT["beside"] + (GOLD["beside"] if has_gold else 0))
        if dense or keys <= 12
        else wide + READ_OUT["below"]
    )
    phone += (
        READ_OUT["phone"] + (GOLD["phone"] if has_gold else 0) + (25 if len(title) > 28 else 0)
    )  # lines that wrap
    rest = pickers + BODY + FOOT
    return round(wide + HEADING[0] + rest), round(phone + HEADING[1] + rest)
