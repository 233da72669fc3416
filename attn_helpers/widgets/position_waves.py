"""PositionWaves: positions as stripes, how alike any two are, and what shuffled words change. Chapter 5."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from traitlets import Bool, Dict, Int, TraitError, Tuple, Unicode, observe, validate

from attn_helpers.positions import similarity, sinusoids
from attn_helpers.widgets.base import AttnWidget, Finite, css, join_modules
from attn_helpers.widgets.packed import packed
from attn_helpers.widgets.word_orders import ORDERS, answers

Array = NDArray[np.float64]

_MODULES = (
    *("attn.js", "words.js", "dom.js", "view.js", "controls.js", "svg.js"),
    *("waves.js", "waves_words.js", "waves_picture.js", "waves_beside.js", "position_waves.js"),
)
_SAME = 1e-9  # cosines that differ by less are one number: 7 and 9 are equally near to 8
_LIMITS = {"positions": (2, 256), "width": (2, 256)}


class PositionWaves(AttnWidget):
    """Drag a position, take numbers away until two positions collide, shuffle the words of a sentence.

    positions  how many there are, 2…256
    width      m, the numbers of each; even, 2…256
    base       of the wave lengths, 1…1e12
    position   the one that all others are compared with
    pair       the pair of numbers whose clock hand is shown, None for none
    challenge  ask the reader to make two positions collide
    predict    hide the curve until the reader has said how alike two positions far apart are: `guess`, −1…1
    order      which order of the words the two tiny models read, 0…23; 0 is the sentence as it is
    title, hint   words of the page; ours where empty

    `table`, `similarity` and `twins` are what the page shows, by `attn_helpers.positions` in float64.
    Raises TraitError for NaN, for an odd width and for places outside.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "position_waves.css")

    positions = Int(64, help="how many there are").tag(sync=True)
    width = Int(32, help="m, even").tag(sync=True)
    base = Finite(10000.0, 1, 1e12, help="of the wave lengths").tag(sync=True)
    position = Int(8, help="that all others are compared with").tag(sync=True)
    pair = Int(2, allow_none=True, help="whose clock hand is shown").tag(sync=True)
    challenge = Bool(False, help="make two positions collide").tag(sync=True)
    predict = Bool(False, help="the curve is hidden").tag(sync=True)
    guess = Finite(None, -1, 1, allow_none=True, help="the cosine that the reader expects").tag(sync=True)
    order = Int(0, help="which order of the words is read").tag(sync=True)
    title = Unicode("", help="the question above").tag(sync=True)
    hint = Unicode("", help="what to touch").tag(sync=True)
    reserve = Tuple(Int(), Int(), default_value=(1080, 1880), help="height in px, wide and on a phone")
    reserve.tag(sync=True)
    _answers = Dict(help="logits of two models, for every order of the words").tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**{"_answers": answers(), **traits})

    @validate("positions", "width")
    def _within(self, proposal: dict[str, Any]) -> int:
        name, value = proposal["trait"].name, int(proposal["value"])
        low, high = _LIMITS[name]
        if not low <= value <= high:
            raise TraitError(f"PositionWaves.{name} takes {low} to {high}, got {value}")
        if name == "width" and value % 2:
            raise TraitError(
                f"PositionWaves.width must be even, a sine and a cosine to each pair, got {value}"
            )
        return value

    @validate("position", "pair", "order")
    def _exists(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        count = {"position": self.positions, "pair": self.width // 2, "order": len(ORDERS)}[name]
        if value is not None and not 0 <= value < count:
            raise TraitError(f"PositionWaves.{name} takes 0 to {count - 1}, got {value}")
        return value

    @observe("positions", "width")
    def _stay_inside(self, _change: Any) -> None:
        self.position = min(self.position, self.positions - 1)
        if self.pair is not None:
            self.pair = min(self.pair, self.width // 2 - 1)

    @property
    def table(self) -> Array:
        """One row of waves per position, (positions, width)."""
        return np.asarray(sinusoids(self.positions, self.width, self.base))

    @property
    def similarity(self) -> Array:
        """The cosine between the chosen position's row and everyone's, (positions,)."""
        return np.asarray(similarity(torch.from_numpy(self.table), self.position))

    @property
    def twins(self) -> tuple[int, ...]:
        """The other positions that look most like this one: two, where it has neighbours on both sides."""
        alike = self.similarity.copy()
        alike[self.position] = -np.inf
        return tuple(int(place) for place in np.flatnonzero(alike > alike.max() - _SAME))

    @property
    def words(self) -> tuple[str, ...]:
        """The sentence in the order that is read."""
        return tuple(self._answers["words"][place] for place in ORDERS[self.order])

    @property
    def logits(self) -> dict[str, dict[str, float]]:
        """Without positions ("none") and with ("sinusoids"): logit of each French word to come first."""
        french = self._answers["french"]
        return {
            kind: dict(zip(french, self._answers[kind][self.order], strict=True))
            for kind in ("none", "sinusoids")
        }

    def _summary(self) -> str:
        return f"{self.positions}×{self.width}, base {self.base:g}, position {self.position}"

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        return plots.position_waves(
            table=self.table, similarity=self.similarity, position=self.position, twins=self.twins
        )
