"""What goes from an encoder to a decoder, and by which way: the state once, the context at every step."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from attn_helpers.plots.colours import INK
from attn_helpers.plots.ink import Picture, faces, style, token

START, END = "⟨start⟩", "⟨end⟩"
_STEP, _LEFT, _RIGHT = 84, 84, 76  # CSS pixels: from box to box, and beside the first and the last
_DECODER, _BETWEEN, _BELOW = (
    -250,
    -104,
    -344,
)  # heights: boxes, the wire of the state, of the context


def encoder_decoder(source: Sequence[str], target: Sequence[str]) -> Picture:
    """Draw an encoder that reads the source above a decoder that writes the target under teacher forcing.

    source, target  words; ends of sentence are added, one box per word and end
    """
    if not source or not target:
        raise ValueError(f"source and target must have words, got {len(source)} and {len(target)}")
    read, write = [*source, END], [*target, END]
    alt = (
        f"An encoder reads {token(' '.join(read), 60)}. Its last state is the decoder's initial state, once; "
        f"the same numbers are the context c, joined to the word before at each of {len(write)} steps."
    )
    last = _STEP * (max(len(read), len(write)) - 1)
    picture = Picture(alt, _LEFT + last + _RIGHT, 450)
    with style():
        axes = picture.add_axes((0, 0, 1, 1), xlim=(-_LEFT, last + _RIGHT), ylim=(-382, 68))
        axes.axis("off")
        _strip(axes, 0, "encoder", [f"h{_low(i + 1)}" for i in range(len(read))])
        _strip(axes, _DECODER, "decoder", [f"s{_low(t + 1)}" for t in range(len(write))])
        _words(axes, read, -60, 0)
        _words(axes, [START, *target], _DECODER - 60, -16)
        _words(axes, write, _DECODER + 56, 0, bold=True)
        _state_wire(axes, last)
        _context_wire(axes, _STEP * (len(read) - 1), [_STEP * t for t in range(len(write))], last)
    return picture


def _low(number: int) -> str:
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))


def _strip(axes: Axes, y: int, title: str, names: list[str]) -> None:
    """Boxes for the states, an arrow from each to the next."""
    axes.text(-_LEFT + 40, y + (48 if y == 0 else 96), title, weight="bold", va="center")
    places = [_STEP * i for i in range(len(names))]
    for x, name in zip(places, names, strict=True):
        box = FancyBboxPatch((x - 21, y - 17), 42, 34, boxstyle="round,pad=0,rounding_size=4")
        box.set(facecolor=INK["paper-sunk"], edgecolor=INK["line-strong"], linewidth=1)
        axes.add_patch(box)
        axes.text(x, y - 1, name, ha="center", va="center", size=12)
    for x, after in pairwise(places):
        _arrow(axes, (x + 22, y), (after - 22, y))


def _words(axes: Axes, words: list[str], y: int, shift: int, *, bold: bool = False) -> None:
    """A word for each box: below it what goes in, above it, bold, what comes out."""
    face: dict[str, Any] = {"family": list(faces(mono=True)), "size": 10.5}
    for i, word in enumerate(words):
        x = _STEP * i + shift
        axes.text(x, y, token(word, 9), ha="center", va="center", weight="bold" if bold else "normal", **face)
        _arrow(axes, *(((x, y - 38), (x, y - 10)) if bold else ((x, y + 9), (x, y + 42))))


def _state_wire(axes: Axes, last: int) -> None:
    """From the encoder's end round to the decoder's beginning, dashed as in Seq2SeqStepper."""
    dashed: dict[str, Any] = {"color": INK["ink-soft"], "ls": (0, (3, 2)), "lw": 1.6}
    right, left = last + 36, -_LEFT + 24
    axes.plot([right, right, left, left, -30], [0, _BETWEEN, _BETWEEN, _DECODER, _DECODER], **dashed)
    _arrow(axes, (-31, _DECODER), (-22, _DECODER))
    axes.text(last / 2, _BETWEEN - 14, "initial state: once", ha="center", va="center", size=11)


def _context_wire(axes: Axes, end: int, places: list[int], last: int) -> None:
    """Round on the outside, then up to every step."""
    full: dict[str, Any] = {"color": INK["ink"], "lw": 2}
    right, first = last + 56, places[0] + 18
    axes.plot([end + 22, right, right, first], [0, 0, _BELOW, _BELOW], **full)
    for x in places:
        axes.plot([x + 18, x + 18], [_BELOW, _DECODER - 27], **full)
        _arrow(axes, (x + 18, _DECODER - 27), (x + 18, _DECODER - 18), lw=2)
    axes.text(last / 2, _BELOW - 18, "context c: at every step, the same", ha="center", va="center", size=11)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], lw: float = 1.2) -> None:
    way: dict[str, Any] = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "lw": lw}
    axes.annotate("", end, start, arrowprops={**way, "mutation_scale": 9 + 2 * lw, "color": INK["ink"]})
