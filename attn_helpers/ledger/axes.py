"""What stands in a shape comment: axes such as T, H·d, 3h, E + c, h / directions; and what sizes they have.

Browser twin: widgets/js/axes.js.
"""

import re
from collections.abc import Mapping
from fractions import Fraction

Sizes = dict[str, int]  # letter → how many

_TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*′*|[+·/])")
_ONE = re.compile(r"^(.*\S) or 1$")  # an axis that may be left at length 1


def terms(axis: str) -> list[list[tuple[str, str]]]:
    """An axis as a sum of products: "E + 3h" → [[("·", "E")], [("·", "3"), ("·", "h")]].

    Raises ValueError for what is no sum of products of numbers and names.
    """
    found, sign, at = [[]], "", 0  # type: list[list[tuple[str, str]]], str, int
    text = axis.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if not token:
            raise ValueError(f"an axis is a sum of products such as H·d or E + c, got {axis!r}")
        at, word = token.end(), token[1]
        if word == "+":
            found.append([])
        elif word in "·/":
            sign = word
            continue
        else:
            found[-1].append((sign or "·", word))
        sign = ""
    if not all(found) or sign:
        raise ValueError(f"an axis is a sum of products such as H·d or E + c, got {axis!r}")
    return found


def names(axis: str) -> list[str]:
    """The letters of an axis, in order, each once."""
    words = [word for product in terms(axis) for _, word in product if not word.isdigit()]
    return list(dict.fromkeys(words))


def rename(axis: str, new: Mapping[str, str]) -> str:
    """The axis with other letters."""
    return re.sub(r"[A-Za-z_]\w*′*", lambda word: new.get(word[0], word[0]), axis)


def value(axis: str, sizes: Mapping[str, int | Fraction]) -> Fraction | None:
    """What an axis comes to; None where a letter has no size yet."""
    total = Fraction(0)
    for product in terms(axis):
        part = Fraction(1)
        for sign, word in product:
            factor = Fraction(word) if word.isdigit() else sizes.get(word)
            if factor is None:
                return None
            part = part * factor if sign == "·" else part / factor
        total += part
    return total


def solve(axis: str, size: int, sizes: Sizes) -> tuple[str, int] | None:
    """The one letter of the axis that has no size yet, and the size it must have; None if there is none."""
    unknown = [name for name in names(axis) if name not in sizes]
    if len(unknown) != 1:
        return None

    def at(number: Fraction) -> Fraction:
        return value(axis, {**sizes, unknown[0]: number}) or Fraction(0)

    one, two = at(Fraction(1)), at(Fraction(2))
    guesses = [1 + (size - one) / (two - one)] if two != one else []
    guesses += [one / size] if size else []  # it stands below the line
    for guess in guesses:
        if guess >= 0 and guess.denominator == 1 and (guess == 0 or at(guess) == size):
            return unknown[0], int(guess)
    return None


def fit(axes: tuple[str, ...], sizes: tuple[int, ...]) -> list[tuple[str, int]] | None:
    """Axis by axis, what must have which size; None where there are more or fewer of them.

    A leading "..." stands for any number of axes.
    """
    if axes and axes[0] in ("...", "…"):
        axes = axes[1:]
        sizes = sizes[max(0, len(sizes) - len(axes)) :]
    if len(axes) != len(sizes):
        return None
    pairs = []
    for axis, size in zip(axes, sizes, strict=True):
        may_be_one = _ONE.match(axis)
        if not (may_be_one and size == 1):
            pairs.append((may_be_one[1] if may_be_one else axis, size))
    return pairs
