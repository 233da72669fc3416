"""Traits of TranslationLab: operations on rows, one or many. Checked and frozen; pages read JSON."""

from collections.abc import Sequence
from typing import Any

from traitlets import TraitError, TraitType

from attn_helpers.operating import Operation
from attn_helpers.widgets.traits import plain, refusal


class Operations(TraitType):  # type: ignore[type-arg]  # traitlets 5.7 has no TraitType[…]
    """A tuple of operations, in order: what was checked cannot be changed in place, unseen by the page."""

    info_text = 'a list of operations such as ("zero", [1]) or ("swap", [1, 2])'

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as operations, or a TraitError that names the trait."""
        if not isinstance(value, list | tuple):
            raise refusal(self, obj, value)
        return tuple(self.one(obj, item) for item in value)

    def one(self, obj: Any, value: Any) -> Operation:
        """One operation, given as Operation, dict, or (kind, rows, head, weights)."""
        try:
            return as_operation(value)
        except (TypeError, ValueError) as error:
            refused = refusal(self, obj, value)
            raise type(refused)(f"{refused}: {error}") from error


class OneOperation(Operations):
    """An operation, or None."""

    info_text = 'None, or an operation such as ("swap", [1, 2])'

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as an operation, or a TraitError that names the trait."""
        return None if value is None else self.one(obj, value)


def expect_heads(name: str, value: Any, shapes: Sequence[tuple[int, int]]) -> None:
    """Raise TraitError for a head, or an operation on a head, that no model has.

    name    of the trait: head, operations, challenge
    shapes  (layers, heads) of each model
    """
    for one in value if name == "operations" else (value,):
        head = one.head if isinstance(one, Operation) else one
        if head and not any(0 <= head[0] < layers and 0 <= head[1] < heads for layers, heads in shapes):
            wanted = f"None or (layer, head) below one of {list(shapes)}"
            raise TraitError(f"TranslationLab.{name} takes {wanted}, got {tuple(head)}")


def as_operation(value: Any) -> Operation:
    """The operation that a dict, a tuple or a list spells. Raises TypeError or ValueError."""
    if isinstance(value, Operation):
        return value
    given = (
        dict(value)
        if isinstance(value, dict)
        else dict(zip(("kind", "rows", "head", "weights"), value, strict=False))
    )
    for name in ("rows", "head", "weights"):
        if (items := plain(given.get(name))) is not None:
            given[name] = tuple(items)
    return Operation(**given)


def as_json(value: Any, _widget: Any = None) -> Any:
    """None, an operation or several, as a page reads them: {"kind", "rows", "head", "weights"}."""
    if not isinstance(value, Operation):
        return None if value is None else [as_json(one) for one in value]
    return {name: list(item) if isinstance(item, tuple) else item for name, item in vars(value).items()}
