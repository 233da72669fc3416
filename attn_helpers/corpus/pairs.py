"""A sentence, its translation, and which word hangs on which."""

from dataclasses import dataclass, field

Link = tuple[int, int]  # (target position t, source position s), from 0


@dataclass(frozen=True)
class Pair:
    """A source sentence of S tokens, its translation of T tokens, and the gold links between them.

    sure      links (t, s) that any reader would draw: *chat* hangs on *cat*
    possible  the sure ones, and those that grammar allows: *le* may look at *cat* for its gender
    Positions count from 0 and know neither begin nor end tokens. Pairs read from a file have no links.
    Och and Ney 2003 for the two kinds of link.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[Link] = frozenset()
    possible: frozenset[Link] = frozenset()
    construction: str = ""


@dataclass(frozen=True)
class Splits:
    """A corpus in parts that share no source sentence."""

    train: list[Pair]
    validation: list[Pair]
    test: list[Pair]
    held_out_construction: list[Pair] = field(default_factory=list)  # built in a way no other part shows
    probe: Pair | None = None  # the book's own sentence, which is in no part
