"""What the numbers of the museum are called. Chapter 3."""

from typing import NamedTuple


class Words(NamedTuple):
    """A number in words."""

    short: str  # to choose it by
    says: str  # what it is


WORDS: dict[str, Words] = {
    "row-sums": Words("row sums", "How far from 1 the weights of a word sum up, at worst"),
    "on-padding": Words("weight on padding", "How much of its look a word spends on padding, at worst"),
    "without-states": Words(
        "blank encoder", "How far log p moves, at most, when attention finds zeros in place of the encoder"
    ),
    "alone": Words(
        "alone or together", "How far log p moves, at worst, when a sentence is read without its batch"
    ),
    "step-by-step": Words(
        "step by step", "How far log p moves, at worst, when the same words are read one call at a time"
    ),
    "foresight": Words(
        "foresight", "How far the guess for the last word moves, at worst, when another word stands there"
    ),
}
