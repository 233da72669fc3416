"""MuseumRoom: faults one can switch on, and the number that catches each. Chapters 3, 5 and 7."""

from collections.abc import Sequence
from typing import Any

from traitlets import Bool, Bytes, Dict, Int, TraitError, Tuple, Unicode, default, validate

from attn_helpers.museum import FIRST_ROOM, NUMBERS, Exhibit
from attn_helpers.widgets.base import AttnWidget, Tokens, css, join_modules
from attn_helpers.widgets.museum_traits import PITCH, checked, height, labels, maps_of, room_of
from attn_helpers.widgets.packed import packed
from attn_helpers.widgets.payload import pack

_MODULES = (
    *(
        "attn.js",
        "words.js",
        "dom.js",
        "view.js",
        "controls.js",
        "decode.js",
        "ramp.js",
        "tokens.js",
        "svg.js",
    ),
    *("grid.js", "museum.js", "museum_words.js", "museum_look.js", "museum_panel.js", "museum_room.js"),
)


class MuseumRoom(AttnWidget):
    """Switch a fault on: the loss falls, the map looks like a map. Which number catches it?

    exhibits  `museum.FIRST_ROOM` unless given

    shown     which exhibit; `fault` whether its faulty line runs; `row` the target word that is looked at
    guesses   one per exhibit: None before the answer is told, else which of `museum.NUMBERS` the reader
              chose, or -1 for none
    title     words of the page; the exhibit's own where empty

    Curves, maps and numbers were measured beforehand, see `museum.table`. `caught_by` is the answer.
    Raises TypeError for what is no exhibit, ValueError for an empty room, TraitError for what does not exist.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "grid.css", "museum_room.css")

    shown = Int(0, help="which exhibit").tag(sync=True)
    fault = Bool(True, help="whether the faulty line runs").tag(sync=True)
    guesses = Tuple(help="one per exhibit: None, a number's place, or -1").tag(sync=True)
    row = Int(1, help="the target word that is looked at").tag(sync=True)
    title = Unicode("", help="the question above").tag(sync=True)
    query_tokens = Tokens(("",), help="target words and their end, rows").tag(sync=True)
    key_tokens = Tokens(("",), help="source words, their end, padding, columns").tag(sync=True)
    reserve = Tuple(Int(), Int(), help="height in px, wide and on a phone").tag(sync=True)

    _room = Dict(help="words, lines, losses and numbers").tag(sync=True)
    _payload = Bytes(help="weights as bytes, see payload.py").tag(sync=True)
    _shape = Tuple(*[Int()] * 4, help="1 + exhibits, 1, T, S").tag(sync=True)
    _pitch = Tuple(PITCH, help="height of a row in px, wide and on a phone").tag(sync=True)

    def __init__(self, exhibits: Sequence[Exhibit] = FIRST_ROOM, **traits: Any):
        self._exhibits = checked(exhibits)
        cells = maps_of(self._exhibits)
        queries, keys = labels()
        traits = {"query_tokens": queries, "key_tokens": keys, **traits}
        super().__init__(
            _room=room_of(self._exhibits), _payload=pack(cells), _shape=cells.shape,
            **{"guesses": (None,) * len(self._exhibits), **traits},
        )  # fmt: skip

    @default("reserve")
    def _default_reserve(self) -> Any:
        return height(len(self._exhibits), self._shape[2])

    @validate("shown", "row")
    def _exists(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        largest = {"shown": len(self._exhibits), "row": len(labels()[0])}[name] - 1
        if not 0 <= value <= largest:
            raise TraitError(f"MuseumRoom.{name} takes 0 to {largest}, got {value}")
        return value

    @validate("guesses")
    def _one_each(self, proposal: dict[str, Any]) -> Any:
        value, choices = proposal["value"], (None, *range(-1, len(NUMBERS)))
        wrong = [guess for guess in value if guess not in choices or isinstance(guess, bool)]
        if len(value) != len(self._exhibits) or wrong:
            raise TraitError(
                f"MuseumRoom.guesses takes {len(self._exhibits)} of None and -1 to {len(NUMBERS) - 1}, "
                f"got {value}"
            )
        return value

    @validate("query_tokens", "key_tokens")
    def _as_many(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        size = len(labels()[name == "key_tokens"])
        if len(value) != size:
            raise TraitError(f"MuseumRoom.{name} takes {size} words, got {len(value)}")
        return value

    @property
    def exhibit(self) -> Exhibit:
        """The exhibit in sight."""
        return self._exhibits[self.shown]

    @property
    def caught_by(self) -> tuple[str, ...]:
        """The numbers that catch it."""
        return self.exhibit.caught_by

    def _summary(self) -> str:
        return f"{len(self._exhibits)} exhibits, {self.exhibit.short}"

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        return plots.museum_room(self.exhibit)
