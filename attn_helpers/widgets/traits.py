"""Traits that are checked and frozen: a wrong value is refused by name, a change in place fails loudly."""

import math
from numbers import Real
from typing import Any

from traitlets import TraitError, TraitType

LARGEST = 1e6  # of a vector: products of two still leave exact sums, and pictures a scale


class Finite(TraitType):  # type: ignore[type-arg]  # traitlets 5.7 has no TraitType[…]
    """A finite float between two limits: NaN or infinity in one trait would silence all widgets of a page."""

    def __init__(
        self, default: float | None = 0.0, low: float = -math.inf, high: float = math.inf, **options: Any
    ):
        super().__init__(default, **options)
        self.low, self.high = low, high
        limits = "" if math.isinf(high) else f" from {low:g} to {high:g}"
        self.info_text = f"a finite number{limits}"

    def validate(self, obj: Any, value: Any) -> float:
        """The value as a float, or a TraitError that names the trait."""
        number = finite(plain(value))
        if number is None or not self.low <= number <= self.high:
            raise refusal(self, obj, value)
        return number


class Vector(TraitType):  # type: ignore[type-arg]  # traitlets 5.7 has no TraitType[…]
    """A tuple of floats within ±LARGEST. Lists, NumPy arrays and tensors are taken, copied and frozen."""

    def __init__(self, default: Any, width: int = 2, **options: Any):
        super().__init__(default, **options)
        self.width = width
        self.info_text = f"{width} finite numbers within ±{LARGEST:g}"

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as a tuple, or a TraitError that names the trait."""
        vector = self.frozen(plain(value))
        if vector is None:
            raise refusal(self, obj, value)
        return vector

    def frozen(self, value: Any) -> Any:
        """The tuple, or None if the value is no such vector."""
        if not isinstance(value, list | tuple) or len(value) != self.width:
            return None
        numbers = tuple(finite(plain(x)) for x in value)
        return None if any(x is None or abs(x) > LARGEST for x in numbers) else numbers


class Vectors(Vector):
    """A tuple of at least one vector, (S, width)."""

    def __init__(self, default: Any, width: int = 2, **options: Any):
        super().__init__(default, width, **options)
        self.info_text = f"at least one row of {width} finite numbers within ±{LARGEST:g}"

    def frozen(self, value: Any) -> Any:
        """The tuple of tuples, or None if one row does not fit."""
        if not isinstance(value, list | tuple) or not value:
            return None
        rows = tuple(super(Vectors, self).frozen(plain(row)) for row in value)
        return None if None in rows else rows


class Tokens(TraitType):  # type: ignore[type-arg]  # traitlets 5.7 has no TraitType[…]
    """A tuple of at least one string. Any string is a token: nothing in it is ever taken for markup."""

    info_text = "a list of at least one string"

    def validate(self, obj: Any, value: Any) -> tuple[str, ...]:
        """The value as a tuple, or a TraitError that names the trait."""
        if not isinstance(value, list | tuple) or not value or not all(isinstance(x, str) for x in value):
            raise refusal(self, obj, value)
        return tuple(value)


def plain(value: Any) -> Any:
    """Arrays and tensors as lists and numbers, all else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def finite(value: Any) -> float | None:
    """The float, or None for what is no finite real number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        return None
    return float(value)


def refusal(trait: Any, obj: Any, value: Any) -> TraitError:
    """The error that says which trait, what it takes, what came."""
    shown = repr(plain(value))
    shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
    return TraitError(f"{type(obj).__name__}.{trait.name} takes {trait.info_text}, got {shown}")
