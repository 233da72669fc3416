"""Traits of a drawn curve: bins, measured series, the reader's own line. Checked, copied, frozen."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from traitlets import TraitType

from attn_helpers.widgets.mask_traits import whole
from attn_helpers.widgets.traits import finite, plain, refusal

Shares = tuple[float, ...]


class Series(NamedTuple):
    """One measured curve: a share for each bin, and the bounds of its interval."""

    name: str
    mean: Shares
    low: Shares
    high: Shares
    about: str = ""


def shares(values: Any) -> Shares | None:
    """Numbers from 0 to 1 as a tuple, or None if one is not."""
    values = plain(values)
    if not isinstance(values, list | tuple):
        return None
    numbers = tuple(finite(plain(value)) for value in values)
    return None if any(x is None or not 0 <= x <= 1 for x in numbers) else numbers  # type: ignore[return-value]


class Bins(TraitType):  # type: ignore[type-arg]  # traitlets 5.7 has no TraitType[…]
    """Ranges of whole numbers, both ends included, rising, without overlap."""

    info_text = "at least two bins (low, high) of whole numbers, rising, without overlap"

    def validate(self, obj: Any, value: Any) -> tuple[tuple[int, int], ...]:
        """The value as a tuple of pairs, or a TraitError that names the trait."""
        bins = plain(value)
        if not isinstance(bins, list | tuple) or len(bins) < 2:
            raise refusal(self, obj, value)
        ends: list[int] = []
        for one in map(plain, bins):
            pair = [whole(end) for end in one] if isinstance(one, list | tuple) else []
            if len(pair) != 2 or None in pair or pair[0] > pair[1] or (ends and pair[0] <= ends[-1]):  # type: ignore[operator]
                raise refusal(self, obj, value)
            ends += pair  # type: ignore[arg-type]
        return tuple(zip(ends[::2], ends[1::2], strict=True))


class SeriesList(TraitType):  # type: ignore[type-arg]
    """Measured curves, in the order in which they are revealed."""

    info_text = (
        "a list of series {'name': …, 'mean': shares, 'low': shares, 'high': shares, 'about': …}, a share "
        "from 0 to 1 for each bin, low ≤ mean ≤ high; without low and high there is no interval"
    )

    def validate(self, obj: Any, value: Any) -> tuple[Series, ...]:
        """The value as a tuple of Series, or a TraitError that names the trait."""
        if not isinstance(value, list | tuple):
            raise refusal(self, obj, value)
        found = tuple(self._one(one) for one in value)
        if None in found or len({one.name for one in found if one}) < len(found):
            raise refusal(self, obj, value)
        return found  # type: ignore[return-value]

    @staticmethod
    def _one(given: Any) -> Series | None:
        """The series, or None if it is none."""
        fields = dict(given) if isinstance(given, Mapping) else {}
        if isinstance(given, list | tuple) and 2 <= len(given) <= 5:
            fields = dict(zip(Series._fields, given, strict=False))
        if not {"name", "mean"} <= fields.keys() <= set(Series._fields):
            return None
        mean = shares(fields["mean"])
        low, high = (shares(fields.get(end, fields["mean"])) for end in ("low", "high"))
        name, about = fields["name"], fields.get("about", "")
        if (
            mean is None
            or low is None
            or high is None
            or not isinstance(name, str)
            or not isinstance(about, str)
        ):
            return None
        ordered = len(low) == len(mean) == len(high) and all(
            a <= b <= c for a, b, c in zip(low, mean, high, strict=True)
        )
        return Series(name, mean, low, high, about) if ordered else None


class Drawn(TraitType):  # type: ignore[type-arg]
    """A share for each bin, None where nothing is drawn."""

    info_text = "a number from 0 to 1, or None, for each bin"

    def validate(self, obj: Any, value: Any) -> tuple[float | None, ...]:
        """The value as a tuple, or a TraitError that names the trait."""
        values = plain(value)
        if not isinstance(values, list | tuple):
            raise refusal(self, obj, value)
        numbers = tuple(None if x is None else finite(plain(x)) for x in values)
        known = [x for x, given in zip(numbers, values, strict=True) if given is not None]
        if any(x is None or not 0 <= x <= 1 for x in known):
            raise refusal(self, obj, value)
        return numbers
