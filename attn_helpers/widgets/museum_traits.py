"""What a MuseumRoom is made of, as plain values that travel to the page, and how high it will be."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attn_helpers.corpus import hero
from attn_helpers.museum import NUMBERS, Exhibit
from attn_helpers.museum.measure import RIGHT, STEPS, table
from attn_helpers.museum.words import WORDS
from attn_helpers.widgets.payload import Array

END, PADDING = "⟨end⟩", "⟨pad⟩"
PITCH = (50, 50)  # height of a row with its gap, wide and on a phone


def checked(exhibits: Any) -> tuple[Exhibit, ...]:
    """The exhibits as a tuple. Raises TypeError for what is none, ValueError for an empty room."""
    if isinstance(exhibits, Exhibit) or not isinstance(exhibits, Sequence):
        raise TypeError(f"exhibits must be a sequence of Exhibit, got {type(exhibits).__name__}")
    odd = next((one for one in exhibits if not isinstance(one, Exhibit)), None)
    if odd is not None:
        raise TypeError(f"exhibits must be a sequence of Exhibit, got a {type(odd).__name__} in it")
    if not exhibits:
        raise ValueError("exhibits must hold at least one Exhibit, got none")
    return tuple(exhibits)


def room_of(exhibits: Sequence[Exhibit]) -> dict[str, Any]:
    """Words, lines and measured numbers of the exhibits, and of the model without a fault."""
    return {
        "steps": STEPS,
        "numbers": [
            {
                "short": WORDS[name].short,
                "says": WORDS[name].says,
                "limit": number.limit,
                "least": number.least,
            }
            for name, number in NUMBERS.items()
        ],
        "right": measured(table()[RIGHT]),
        "exhibits": [{**measured(one.row), **_words(one)} for one in exhibits],
    }


def measured(row: dict[str, Any]) -> dict[str, Any]:
    """The part of a stored row that the page shows besides the map."""
    values = [row["numbers"][name] for name in NUMBERS]
    return {"values": values, **{name: row[name] for name in ("loss", "exact", "said", "ended")}}


def _words(exhibit: Exhibit) -> dict[str, Any]:
    texts = {name: getattr(exhibit, name) for name in ("short", "title", "fine", "because")}
    lines = [" ".join(side) for side in exhibit.fault.lines()]
    about = {"place": exhibit.fault.place, "trains": exhibit.fault.trains}
    return {**texts, **about, "lines": lines, "number": list(NUMBERS).index(exhibit.number)}


def maps_of(exhibits: Sequence[Exhibit]) -> Array:
    """Where the running pair's words look: without a fault, then with each, (1 + N, 1, T + 1, S + 2)."""
    rows = [table()[RIGHT], *(one.row for one in exhibits)]
    return np.array([row["weights"] for row in rows], dtype=np.float64)[:, None]


def labels() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rows and columns of these maps."""
    pair = hero()
    return (*pair.target, END), (*pair.source, END, PADDING)


def height(exhibits: int, queries: int) -> tuple[int, int]:
    """Of the whole widget before an answer is told, in px, on a wide page and on a phone.

    The reader's own answer makes it longer. css/museum_room.css counts on it.
    """
    rows, numbers = queries * PITCH[0], len(NUMBERS)
    wide = 40 + 92 + 127 + max(rows + 140, 370) + 44 + 26 + 49 * numbers + 47
    phone = 46 * -(-exhibits // 2) + 132 + 290 + rows + 52 + 100 + 400 + 92 + 66 * numbers + 34
    return wide, phone
