"""Traits of TranslationLab: operations on rows, one or many. Checked, copied, frozen."""

from collections.abc import Sequence
from typing import Any

from traitlets import TraitError, TraitType

from attn_helpers.operating import Operation
from attn_helpers.widgets.traits import plain, refusal

Plain = dict[str, Any]


class Operations(TraitType):  # type: ignore[type-arg]  # traitlets 5.7 has no TraitType[…]
    """Operations in order, as a page reads them: {"kind", "rows", "head", "weights"}."""

    info_text = 'a list of operations such as ("zero", [1]) or ("swap", [1, 2])'

    def validate(self, obj: Any, value: Any) -> list[Plain]:
        """The value as plain dicts, or a TraitError that names the trait."""
        if not isinstance(value, list | tuple):
            raise refusal(self, obj, value)
        return [self.one(obj, item) for item in value]

    def one(self, obj: Any, value: Any) -> Plain:
        """One operation, given as Operation, dict, or (kind, rows, head, weights)."""
        try:
            return plain_operation(as_operation(value))
        except (TypeError, ValueError) as error:
            refused = refusal(self, obj, value)
            raise type(refused)(f"{refused}: {error}") from error


class OneOperation(Operations):
    """An operation, or None."""

    info_text = 'None, or an operation such as ("swap", [1, 2])'

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as a plain dict, or a TraitError that names the trait."""
        return None if value is None else self.one(obj, value)


def expect_heads(name: str, value: Any, shapes: Sequence[tuple[int, int]]) -> None:
    """Raise TraitError for a head, or an operation on a head, that no model has.

    name    of the trait: head, operations, challenge
    shapes  (layers, heads) of each model
    """
    given = (
        [value]
        if name == "head"
        else [one["head"] for one in (value if name == "operations" else [value]) if one]
    )
    for head in given:
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


def plain_operation(operation: Operation) -> Plain:
    """As JSON has it."""
    head, weights = operation.head, operation.weights
    return {
        "kind": operation.kind,
        "rows": list(operation.rows),
        "head": None if head is None else list(head),
        "weights": None if weights is None else list(weights),
    }
