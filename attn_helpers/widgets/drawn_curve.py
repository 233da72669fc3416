"""DrawnCurve: draw accuracy against length first, then see what was measured. Chapters 2 and 3."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from traitlets import Int, TraitError, Tuple, Unicode, default, observe, validate

from attn_helpers.metrics import BINS, Interval
from attn_helpers.widgets.base import AttnWidget, css, join_modules
from attn_helpers.widgets.curve_traits import Bins, Drawn, Series, SeriesList
from attn_helpers.widgets.packed import packed

_MODULES = (
    *("attn.js", "words.js", "dom.js", "view.js", "svg.js", "geometry.js"),
    *("curve.js", "curve_labels.js", "curve_words.js", "curve_picture.js", "drawn_curve.js"),
)


class DrawnCurve(AttnWidget):
    """Draw a share against bins on empty axes; then reveal the measured curves, one by one.

    bins      (low, high) whole numbers, both included, rising: lengths of sentences unless given
    series    measured curves in the order of their reveal, each {"name", "mean", "low", "high", "about"}:
              a share from 0 to 1 per bin, the bounds of its interval (none: no band), a sentence about it
    drawn     the reader's share per bin, None where nothing is drawn yet
    revealed  how many series are shown; `chosen` is the one to compare with, None: the last revealed
    cursor    the bin whose pen the keyboard moves
    title, hint, about, note, xlabel, ylabel   words of the page; ours where empty
    conclusion  what all curves together say: it appears with the last of them

    `off` is what the page shows: the reader's line minus the curve it is compared with.
    Raises TraitError for NaN, for shares outside 0…1, for bounds that do not hold the mean, and where bins,
    series and drawn differ in number.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "drawn_curve.css")

    bins = Bins(tuple(BINS.values()), help="(low, high), both included").tag(sync=True)
    series = SeriesList((), help="measured curves in the order of their reveal").tag(sync=True)
    drawn = Drawn(help="the reader's share per bin, or None").tag(sync=True)
    revealed = Int(0, help="how many series are shown").tag(sync=True)
    chosen = Int(None, allow_none=True, help="the series to compare with; None: the last revealed")
    chosen.tag(sync=True)
    cursor = Int(0, help="the bin whose pen the keyboard moves").tag(sync=True)
    title = Unicode("", help="the question above").tag(sync=True)
    hint = Unicode("", help="what to touch").tag(sync=True)
    about = Unicode("", help="beside the axes: what was measured").tag(sync=True)
    note = Unicode("", help="below: how it was measured").tag(sync=True)
    xlabel = Unicode("").tag(sync=True)
    ylabel = Unicode("").tag(sync=True)
    conclusion = Unicode("", help="what all curves together say; shown with the last").tag(sync=True)
    reserve = Tuple(Int(), Int(), help="height in px, wide and on a phone").tag(sync=True)

    @default("drawn")
    def _default_drawn(self) -> Any:
        return (None,) * len(self.bins)

    @default("reserve")
    def _default_reserve(self) -> Any:
        return _height(len(self.series), bool(self.conclusion))

    @observe("series", "conclusion")
    def _set_reserve(self, _change: Any) -> None:
        self.reserve = _height(len(self.series), bool(self.conclusion))

    @observe("revealed")
    def _let_go(self, change: Any) -> None:
        if self.chosen is not None and self.chosen >= change["new"]:
            self.chosen = None  # it is not shown any more

    @validate("series", "drawn")
    def _one_share_per_bin(self, proposal: dict[str, Any]) -> Any:
        name, value, count = proposal["trait"].name, proposal["value"], len(self.bins)
        sizes = [len(value)] if name == "drawn" else [len(one.mean) for one in value]
        wrong = next((size for size in sizes if size != count), None)
        if wrong is not None:
            raise TraitError(f"DrawnCurve.{name} must hold a share for each of the {count} bins, got {wrong}")
        return value

    @validate("bins")
    def _as_many_bins(self, proposal: dict[str, Any]) -> Any:
        count = len(proposal["value"])
        wrong = next((one for one in self.series if len(one.mean) != count), None)
        if wrong is not None:
            raise TraitError(
                f"DrawnCurve.bins: {count} bins do not fit series {wrong.name!r} of {len(wrong.mean)}; "
                "change them together: with widget.hold_trait_notifications(): …"
            )
        return proposal["value"]

    @validate("revealed", "chosen", "cursor")
    def _exists(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        largest = {"revealed": len(self.series), "chosen": self.revealed - 1, "cursor": len(self.bins) - 1}
        if value is not None and not 0 <= value <= largest[name]:
            raise TraitError(f"DrawnCurve.{name} takes 0 to {largest[name]}, got {value}")
        return value

    @classmethod
    def from_intervals(
        cls,
        curves: Mapping[str, Mapping[str, Interval]],
        about: Mapping[str, str] | None = None,
        **traits: Any,
    ) -> "DrawnCurve":
        """Curves over the book's bins of length, in the order of their reveal, intervals as bands.

        curves  name on the page → mean and interval of each bin, as `ladder.by_length("no-attention")` gives
        about   name on the page → a sentence about it

        An interval that reaches beyond 0 or 1 is cut there. Raises KeyError for a missing bin.
        """
        about = about or {}
        rows = {name: [intervals[length] for length in BINS] for name, intervals in curves.items()}
        series = [_cut(name, row, about.get(name, "")) for name, row in rows.items()]
        return cls(bins=tuple(BINS.values()), series=series, **traits)

    @property
    def compared(self) -> Series | None:
        """The measured curve that the reader's line is compared with; None before the first reveal."""
        if not self.revealed:
            return None
        series: tuple[Series, ...] = self.series
        return series[self.revealed - 1 if self.chosen is None else self.chosen]

    @property
    def off(self) -> NDArray[np.float64] | None:
        """The reader's share minus the measured one, per bin, NaN where nothing is drawn; None before."""
        if self.compared is None:
            return None
        drawn = np.array([np.nan if share is None else share for share in self.drawn])
        return np.asarray(drawn - np.array(self.compared.mean))

    def _summary(self) -> str:
        names = ", ".join(one.name for one in self.series[: self.revealed])
        return f"{len(self.bins)} bins, {self.revealed} of {len(self.series)} revealed" + (
            names and f": {names}"
        )

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        return plots.drawn_curve(
            bins=self.bins,
            series=self.series,
            drawn=self.drawn,
            xlabel=self.xlabel or "words in the sentence",
            ylabel=self.ylabel or "sentences exactly right",
        )


def _cut(name: str, intervals: list[Interval], about: str) -> Series:
    mean, low, high = (
        tuple(min(1.0, max(0.0, end)) for end in ends) for ends in zip(*intervals, strict=True)
    )
    return Series(name, mean, low, high, about)


def _height(series: int, concludes: bool) -> tuple[int, int]:
    """Room for the page until the widget is drawn, for all series and the conclusion after it."""
    wide, phone = max(562, 180 + 38 * series), 712 + 44 * series
    return (wide + 60, phone + 108) if concludes else (wide, phone)
