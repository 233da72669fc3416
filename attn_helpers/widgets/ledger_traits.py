"""Traits of a ledger on the page: sizes by letter, a shape as a list of axes. Checked, copied, frozen."""

from collections.abc import Mapping
from typing import Any

from traitlets import TraitType

from attn_helpers.ledger import Ledger, Row
from attn_helpers.ledger.axes import names
from attn_helpers.widgets.mask_traits import whole
from attn_helpers.widgets.traits import plain, refusal

LARGEST = 1_000_000  # a size beyond that makes numbers that JavaScript cannot hold exactly


class Letters(TraitType):  # type: ignore[type-arg]  # traitlets 5.7 has no TraitType[…]
    """A size for each letter."""

    info_text = f"a whole number from 1 to {LARGEST} for each letter"

    def validate(self, obj: Any, value: Any) -> dict[str, int]:
        """The value as a new dict, or a TraitError that names the trait."""
        sizes = {name: whole(size) for name, size in value.items()} if isinstance(value, Mapping) else {}
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in sizes):
            raise refusal(self, obj, value)
        if any(size is None or not 1 <= size <= LARGEST for size in sizes.values()):
            raise refusal(self, obj, value)
        return sizes  # type: ignore[return-value]


class Axes(TraitType):  # type: ignore[type-arg]
    """Names of axes, outer to inner."""

    info_text = 'names of axes, such as ("B", "H", "T", "d")'

    def validate(self, obj: Any, value: Any) -> tuple[str, ...]:
        """The value as a tuple, or a TraitError that names the trait."""
        value = plain(value)
        if not isinstance(value, list | tuple) or not all(isinstance(axis, str) for axis in value):
            raise refusal(self, obj, value)
        return tuple(value)


def book_of(ledger: Ledger) -> dict[str, Any]:
    """What the page needs of a ledger, as plain values."""
    return {
        "title": ledger.title,
        "rows": [
            _row_of(row) | {"inside": _begins(row, before)}
            for row, before in zip(ledger.rows, (None, *ledger.rows), strict=False)
        ],
        "rules": ledger.rules,
        "recorded": dict(ledger.sizes),
        "parameters": ledger.parameters,
        "flops": ledger.flops,
        "cache": ledger.cache_bytes,
        "said": list(ledger.said),
        "heads": _shows_the_split(ledger),
    }


def _shows_the_split(ledger: Ledger) -> bool:
    """Whether the page may tell whose numbers land in which head: the split has a row of its own."""
    whole = {"m", "H", "T", "d"} <= ledger.sizes.keys() and ledger.rules.get("d") == "m / H"
    return whole and any(row.name == "q_cut" for row in ledger.rows)


def _begins(row: Row, before: Row | None) -> str:
    """The function that a row is the first of, when another one calls it: encoder_pass, decoder_pass."""
    here = (row.function, row.depth)
    return row.function if row.depth and (before is None or here != (before.function, before.depth)) else ""


def _row_of(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "axes": list(row.axes),
        "open": list(row.sizes),  # for axes that the code leaves open
        "source": row.source,
        "where": f"{row.file}:{row.line}" if row.source else "",
        "rule": row.rule,
        "flops": row.flops,
        "each": row.bytes // row.numbers if row.numbers else 0,
        "times": row.times,
        "depth": row.depth,
    }


def free_letters(ledger: Ledger) -> dict[str, int]:
    """The letters a reader may change: those that follow from others are left out."""
    return {name: size for name, size in ledger.sizes.items() if name not in ledger.rules}


def all_letters(book: Mapping[str, Any]) -> set[str]:
    """Every letter of the rows."""
    return {letter for row in book["rows"] for axis in row["axes"] if axis != "…" for letter in names(axis)}
