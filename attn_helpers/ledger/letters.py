"""What each letter means: within a call one size, or it is reported; in the whole pass one name.

What a call says of a letter once, and never again, cannot be checked.
"""

from collections.abc import Iterable, Iterator

from attn_helpers.ledger.axes import Sizes, fit, names, rename, solve, value
from attn_helpers.ledger.source import Axes, short_name
from attn_helpers.ledger.trace import Call, Seen


def give_sizes(calls: Iterable[Call]) -> list[str]:
    """Find the size of every letter of each call. Returns what contradicts itself, in words."""
    return [trouble for call in calls for trouble in _give_sizes(call)]


def _give_sizes(call: Call) -> Iterator[str]:
    pairs = []
    for seen in call.claims:
        fitting = fit(seen.axes, seen.sizes)
        if fitting is None:
            yield f"{_place(seen)}: ({', '.join(seen.axes)}) is claimed, the tensor is {seen.sizes}"
        for axis, size in fitting or ():
            if not (size == 1 and _is_mask(seen)):  # a mask may leave an axis at length 1
                pairs.append((axis, size, seen))
    for _ in pairs:  # one letter may need another one's size first
        found = [new for axis, size, _ in pairs if (new := solve(axis, size, call.sizes))]
        if not found:
            break
        call.sizes.update(reversed(found))  # the first to say it is believed
    for axis, size, seen in pairs:
        comes_to = value(axis, call.sizes)
        if comes_to != size:
            known = "cannot be told" if comes_to is None else f"is {comes_to}"
            yield f"{_place(seen)}: {axis} {known}, but the tensor {seen.sizes} has {size} there"


def _is_mask(seen: Seen) -> bool:
    return str(seen.tensor.dtype) in ("torch.bool", "bool")


def _place(seen: Seen) -> str:
    return f"{short_name(seen.call.file)}:{seen.line} {seen.name}"


def one_name_each(calls: list[Call]) -> tuple[Sizes, dict[int, dict[str, str]]]:
    """Letters of the whole pass with their sizes, outer calls first; and for each call what its own become.

    An inner call may count something else with a letter: cutting up keys, `split_heads` calls S "T". Then
    its caller's letter of that size takes its place if there is just one, else it gets a prime: T′.
    """
    known: Sizes = {}
    new: dict[int, dict[str, str]] = {}
    for call in sorted(calls, key=lambda call: call.depth):
        here = new[id(call)] = {}
        for letter, size in call.sizes.items():
            name = letter
            if known.get(letter, size) != size:
                name = "1" if size == 1 else _name_outside(call, size, new, known) or letter
            while name != "1" and known.setdefault(name, size) != size:
                name += "′"
            if name != letter:
                here[letter] = name
    return known, new


def _name_outside(call: Call, size: int, new: dict[int, dict[str, str]], known: Sizes) -> str:
    """The one letter for this size in the nearest caller with any, else in the pass; "" if several."""
    outer = call.caller
    while outer:
        letters = [one for one, its in outer.sizes.items() if its == size and len(one) == 1]
        found = {new[id(outer)].get(one, one) for one in letters}
        found = {name for name in found if call.sizes.get(name, size) == size}
        if found:
            return found.pop() if len(found) == 1 else ""
        outer = outer.caller
    others = [
        name for name, its in known.items() if its == size and len(name) == 1 and name not in call.sizes
    ]
    return others[0] if len(others) == 1 else ""


def full_axes(seen: Seen, new: dict[str, str]) -> Axes:
    """The axes in the letters of the whole pass; what a text leaves open, or claims in vain, is "…"."""
    axes = tuple(axis.removesuffix(" or 1") for axis in seen.axes)
    if axes[0] in ("...", "…"):
        axes = axes[1:]
        axes = ("…",) * (len(seen.sizes) - len(axes)) + axes
    if len(axes) != len(seen.sizes):
        return ("…",) * len(seen.sizes)
    return tuple(_full(axis, size, seen, new) for axis, size in zip(axes, seen.sizes, strict=True))


def _full(axis: str, size: int, seen: Seen, new: dict[str, str]) -> str:
    if size == 1 and _is_mask(seen):
        return "1"
    holds = axis != "…" and value(axis, seen.call.sizes) == size
    return rename(axis, new) if holds else "…"


def used(rows: Iterable[Axes], sizes: Sizes) -> Sizes:
    """The letters that the rows really name, in the order of the rows."""
    found = [name for axes in rows for axis in axes if axis != "…" for name in names(axis)]
    return {name: sizes[name] for name in dict.fromkeys(found) if name in sizes}
