"""Traits of a stepper: sentence pairs, and what is fed at each step. Checked, copied, frozen."""

from typing import Any

from traitlets import TraitType

from attn_helpers.widgets.traits import refusal

FEEDS = ("gold", "own")
Sides = tuple[tuple[str, ...], tuple[str, ...]]


class PairList(TraitType):  # type: ignore[type-arg]  # traitlets 5.7 has no TraitType[…]
    """Sentence pairs as (source tokens, gold tokens); corpus.Pair is taken as well."""

    info_text = "at least one pair of a source and its gold target, each a list of at least one token"

    def validate(self, obj: Any, value: Any) -> tuple[Sides, ...]:
        """The value as tuples of strings, or a TraitError that names the trait."""
        if not isinstance(value, list | tuple) or not value:
            raise refusal(self, obj, value)
        pairs = []
        for pair in value:
            sides = (pair.source, pair.target) if hasattr(pair, "source") else pair
            if not isinstance(sides, list | tuple) or len(sides) != 2 or not all(map(_is_sentence, sides)):
                raise refusal(self, obj, pair)
            pairs.append((tuple(sides[0]), tuple(sides[1])))
        return tuple(pairs)


class Feeds(TraitType):  # type: ignore[type-arg]
    """Gold or own word after each step; the last choice holds for all later ones."""

    info_text = f"a list of at least one of {FEEDS}"

    def validate(self, obj: Any, value: Any) -> tuple[str, ...]:
        """The value as a tuple, or a TraitError that names the trait."""
        if not isinstance(value, list | tuple) or not value or not all(feed in FEEDS for feed in value):
            raise refusal(self, obj, value)
        return tuple(value)


def _is_sentence(tokens: Any) -> bool:
    return isinstance(tokens, list | tuple) and len(tokens) > 0 and all(isinstance(x, str) for x in tokens)
