"""ShapeLedger: every tensor of a pass with its axes by name, at any sizes. Chapters 4 and 5."""

from typing import Any

from traitlets import Bool, Dict, Int, TraitError, Tuple, Unicode, default, validate

from attn_helpers.ledger import Ledger, multi_head_ledger
from attn_helpers.ledger.axes import value
from attn_helpers.widgets.base import AttnWidget, css, join_modules
from attn_helpers.widgets.ledger_traits import Axes, Letters, all_letters, book_of, free_letters
from attn_helpers.widgets.packed import packed

_MODULES = (
    *("attn.js", "words.js", "dom.js", "view.js", "controls.js", "svg.js"),
    *("axes.js", "ledger.js", "ledger_words.js", "ledger_rows.js", "shape_ledger.js"),
)
_SPLIT = "q_heads"  # the row that a reader is asked for


class ShapeLedger(AttnWidget):
    """Fill in a shape, light an axis through the whole pass, change a size until something cracks.

    ledger     a recorded pass, from `attn_helpers.ledger.record`; several heads, line by line, unless given
    sizes      letter → size; other sizes rescale every shape. B 2, T 4, S 5, m 8, H 2 unless given
    axis       the letter that is lit, "" for none
    row        the row that is looked at
    blank      the row whose shape the reader fills in; None: all are shown
    guess      the axes the reader has chosen for it so far; once they are as many as the row's, it is shown
    view_only  show the heads as `view` without the transpose would fill them
    title, hint   words of the page; ours where empty

    FLOPs, parameters and bytes follow the sizes where the ledger has rules for them, as the default has; of
    another pass they are those that were recorded. Comments that do not hold are said above the rows, and
    the axes they speak of bear no letter.
    Raises TraitError for letters the pass does not have and for places outside, TypeError for no ledger.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "shape_ledger.css")

    sizes = Letters({}, help="letter → size").tag(sync=True)
    axis = Unicode("", help="the letter that is lit").tag(sync=True)
    row = Int(0, help="the row that is looked at").tag(sync=True)
    blank = Int(None, allow_none=True, help="the row whose shape is to be filled in").tag(sync=True)
    guess = Axes((), help="the axes chosen for it so far").tag(sync=True)
    view_only = Bool(False, help="heads filled by view alone").tag(sync=True)
    title = Unicode("", help="the question above").tag(sync=True)
    hint = Unicode("", help="what to touch").tag(sync=True)
    reserve = Tuple(Int(), Int(), help="height in px, wide and on a phone").tag(sync=True)
    _book = Dict(help="the pass, as plain values").tag(sync=True)

    def __init__(self, ledger: Ledger | None = None, **traits: Any):
        if ledger is not None and not isinstance(ledger, Ledger):
            raise TypeError(f"ledger must be a recorded pass, from record(…), got {type(ledger).__name__}")
        given = multi_head_ledger() if ledger is None else ledger
        if not given.rows:
            why = "".join(f"; {said}" for said in given.said)
            raise TraitError(f"ShapeLedger needs a pass with at least one row, got {given!r}{why}")
        names = [row.name for row in given.rows]
        if ledger is None:
            at = names.index(_SPLIT)
            traits = {"row": at, "blank": at, **traits}
        sizes = {**free_letters(given), **traits.pop("sizes", {})}
        super().__init__(_book=book_of(given), sizes=sizes, **traits)

    @default("reserve")
    def _default_reserve(self) -> Any:
        rows, said = len(self._book.get("rows", ())), len(self._book.get("said", ()))
        wide, phone = self._rows_reserve(rows)
        parts = 26 * sum(bool(row["inside"]) for row in self._book.get("rows", ()))
        return wide + 30 * said + parts, phone + 60 * said + parts

    def _rows_reserve(self, rows: int) -> tuple[int, int]:
        if self._book.get("rules") and not self._book["heads"]:  # no panel on the split, short lines
            return 300 + 57 * rows, 200 + 122 * rows
        return 220 + max(680, 64 * rows), 1020 + 118 * rows

    @validate("sizes")
    def _known_letters(self, proposal: dict[str, Any]) -> Any:
        known = {name for name in self._book.get("recorded", {}) if name not in self._book["rules"]}
        if known and set(proposal["value"]) != known:
            raise TraitError(f"ShapeLedger.sizes takes {', '.join(sorted(known))}, got {proposal['value']}")
        return proposal["value"]

    @validate("row", "blank")
    def _exists(self, proposal: dict[str, Any]) -> Any:
        name, place, rows = proposal["trait"].name, proposal["value"], len(self._book.get("rows", ()))
        if place is not None and rows and not 0 <= place < rows:
            raise TraitError(f"ShapeLedger.{name} takes 0 to {rows - 1}, got {place}")
        return place

    @validate("axis")
    def _is_a_letter(self, proposal: dict[str, Any]) -> Any:
        known = all_letters(self._book) if self._book else set()
        if proposal["value"] and known and proposal["value"] not in known:
            raise TraitError(f"ShapeLedger.axis takes {', '.join(sorted(known))}, got {proposal['value']!r}")
        return proposal["value"]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """What the page shows: the shape of each row, by name, up to the first that does not come out.

        Of several rows with one name, the first.
        """
        found: dict[str, tuple[int, ...]] = {}
        for row, dims in zip(self._book["rows"], self._dims(), strict=False):
            found.setdefault(row["name"], dims)
        return found

    def _dims(self) -> list[tuple[int, ...]]:
        """The shape of every row, up to the first that does not come out."""
        letters = dict(self.sizes)
        exact = {name: value(rule, letters) for name, rule in self._book["rules"].items() if len(name) == 1}
        found = []
        for row in self._book["rows"]:
            pairs = zip(row["axes"], row["open"], strict=True)
            axes = [size if a == "…" else value(a, {**letters, **exact}) for a, size in pairs]  # type: ignore[dict-item]
            if any(axis is None or axis != int(axis) for axis in axes):
                break
            found.append(tuple(int(axis) for axis in axes))  # type: ignore[arg-type]
        return found

    def _summary(self) -> str:
        sizes = ", ".join(f"{name} {size}" for name, size in self.sizes.items())
        return f"{self._book['title']}, {len(self._book['rows'])} rows, {sizes}"

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        return plots.shape_ledger(
            rows=self._book["rows"], shapes=self._dims(), said=self._book.get("said", ())
        )
