"""Gold links as lines between two lines of words: a full line is sure, a dotted one possible."""

from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes

from attn_helpers.plots.colours import INK
from attn_helpers.plots.ink import Picture, faces, labels, style


def gold_links(pair: Any) -> Picture:
    """Draw which source words each target word hangs on.

    pair  with source (S words), target (T words), and links (t, s) counted from 0: sure, possible
    """
    source, target = list(pair.source), list(pair.target)
    sure, possible = set(pair.sure), set(pair.possible) - set(pair.sure)
    above = labels(source, len(source), "source", longest=14)
    below = labels(target, len(target), "target", longest=14)
    alt = f"{' '.join(above)} and {' '.join(below)}: {len(sure)} sure links, {len(possible)} possible ones."
    wide = max(sum(len(word) + 2 for word in words) for words in (above, below)) * 10
    picture = Picture(alt, max(360, wide), 170)
    with style():
        axes = picture.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1))
        axes.axis("off")
        tops, bottoms = _line(axes, above, 0.86, "k"), _line(axes, below, 0.14, "q")
        _draw(axes, possible, tops, bottoms, {"ls": (0, (1, 2)), "lw": 1.6, "color": INK["ink-faint"]})
        _draw(axes, sure, tops, bottoms, {"ls": "-", "lw": 2, "color": INK["ink"]})
    return picture


def _line(axes: Axes, words: list[str], y: float, role: str) -> list[float]:
    """The words from edge to edge, each as wide as its letters; where their middles are."""
    widths = [len(word) + 2 for word in words]
    ends = [sum(widths[: i + 1]) / sum(widths) for i in range(len(words))]
    places = [end - width / sum(widths) / 2 for end, width in zip(ends, widths, strict=True)]
    face: dict[str, Any] = {"family": list(faces(mono=True)), "size": 12, "color": INK[f"{role}-text"]}
    for x, word in zip(places, words, strict=True):
        axes.text(x, y, word, ha="center", va="center", weight="bold", **face)
    return places


def _draw(
    axes: Axes,
    links: Iterable[tuple[int, int]],
    tops: list[float],
    bottoms: list[float],
    look: dict[str, Any],
) -> None:
    for t, s in sorted(links):
        axes.plot([tops[s], bottoms[t]], [0.76, 0.24], solid_capstyle="round", **look)
