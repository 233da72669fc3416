"""The running pair, *the black cat sleeps* → *le chat noir dort*, in vectors set by hand to fit in a plane.

For chapter 1, the front page, and whoever needs a small example; trained vectors come in chapter 3.
They are chosen to disagree: by the scaled dot product *chat* finds *black*, whose arrow is long; by the
cosine it finds *cat*, whose direction it shares.
"""

from typing import Final

Plane = tuple[tuple[float, float], ...]

SOURCE: Final = ("the", "black", "cat", "sleeps")
"""What is read: S words, each with a key and a value."""

TARGET: Final = ("le", "chat", "noir", "dort")
"""What is written: T words, each with a query."""

QUERIES: Final[Plane] = ((-0.1, 1.6), (1.0, 0.8), (1.5, -0.4), (-0.2, -1.6))
"""(T, d), one row per word of TARGET."""

KEYS: Final[Plane] = ((-0.6, 0.5), (2.4, 0.3), (0.9, 0.7), (0.3, -1.2))
"""(S, d), one row per word of SOURCE."""

VALUES: Final[Plane] = ((-1.7, 0.7), (1.5, 1.3), (1.3, -1.1), (-1.1, -1.3))
"""(S, v), one row per word of SOURCE."""

SURE: Final = ((0, 0), (1, 2), (2, 1), (3, 3))
"""Which word translates which, as (place in TARGET, place in SOURCE): the crossing is in the middle."""
