"""Traits of a batch: sentences of tokens, their vectors, places in it. Checked, copied, frozen."""

from typing import Any

from traitlets import TraitType

from attn_helpers.widgets.traits import Tokens, Vectors, plain, refusal

LARGEST = 5  # sentences, queries, keys: beyond that a cell has no room for its number


def whole(value: Any) -> int | None:
    """The whole number, or None for what is none."""
    value = plain(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _even(rows: tuple[Any, ...]) -> bool:
    """Whether there are one to five rows, all equally long, one to five each."""
    sizes = {len(row) for row in rows}
    return 1 <= len(rows) <= LARGEST and len(sizes) == 1 and 1 <= min(sizes) <= LARGEST


class Sentences(Tokens):
    """Tokens of each sentence, (B, S), the shorter ones already padded."""

    info_text = f"1 to {LARGEST} sentences of equally many tokens, 1 to {LARGEST}; pad the shorter ones"

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as a tuple of tuples, or a TraitError that names the trait."""
        value = plain(value)
        if not isinstance(value, list | tuple) or not all(isinstance(row, list | tuple) for row in value):
            raise refusal(self, obj, value)
        rows = tuple(tuple(row) for row in value)
        if not _even(rows) or not all(isinstance(word, str) for row in rows for word in row):
            raise refusal(self, obj, value)
        return rows


class Batch(Vectors):
    """Vectors of each token of each sentence, (B, S, 2)."""

    def __init__(self, **options: Any):
        super().__init__((), 2, **options)
        self.info_text = f"(B, tokens, 2) finite numbers, at most {LARGEST} sentences of {LARGEST} tokens"

    def frozen(self, value: Any) -> Any:
        """The nested tuple, or None if a sentence does not fit."""
        if not isinstance(value, list | tuple):
            return None
        sentences = tuple(super(Batch, self).frozen(plain(sentence)) for sentence in value)
        return None if None in sentences or not _even(sentences) else sentences


class Wholes(TraitType):  # type: ignore[type-arg]  # traitlets 5.7 has no TraitType[…]
    """A tuple of whole numbers, not below 0; `size` of them if given."""

    def __init__(self, default: Any = (), size: int | None = None, **options: Any):
        super().__init__(default, **options)
        self.size = size
        self.info_text = f"{size or 'a list of'} whole numbers, 0 or above"

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as a tuple, or a TraitError that names the trait."""
        numbers = self.frozen(plain(value))
        if numbers is None:
            raise refusal(self, obj, value)
        return numbers

    def frozen(self, value: Any) -> Any:
        """The tuple, or None if one number does not fit."""
        if not isinstance(value, list | tuple) or (self.size and len(value) != self.size):
            return None
        numbers = tuple(whole(number) for number in value)
        return None if any(number is None or number < 0 for number in numbers) else numbers


class Cells(Wholes):
    """Places in the batch, each once: (sentence, query, key)."""

    def __init__(self, **options: Any):
        super().__init__((), 3, **options)
        self.info_text = "a list of different places (sentence, query, key), counted from 0"

    def frozen(self, value: Any) -> Any:
        """The tuple of places, or None if one does not fit."""
        if not isinstance(value, list | tuple):
            return None
        cells = tuple(super(Cells, self).frozen(plain(cell)) for cell in value)
        return None if None in cells or len(set(cells)) < len(cells) else cells
