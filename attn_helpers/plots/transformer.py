"""The two halves of a Transformer, block by block, with what goes around each and who asks whom."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from attn_helpers.plots.colours import INK
from attn_helpers.plots.ink import Picture, style

_WIDE, _HIGH, _STEP = 186, 46, 116  # CSS pixels: a block, and from block to block
_LEFT, _RIGHT = 150, 500  # where the halves stand
_NORMS = ("pre", "post")


def transformer(norm: str = "pre") -> Picture:
    """Draw one layer of each half, from below to above.

    norm  "pre": the norm stands before each block, and a last one above the stack; "post": after each sum
    """
    if norm not in _NORMS:
        raise ValueError(f'norm must be "pre" or "post", got {norm!r}')
    where = "before each block" if norm == "pre" else "after each sum"
    alt = (
        "A Transformer. Encoder, N times: self-attention, feed-forward network. Decoder, N times: masked "
        "self-attention, cross-attention with queries of its own and keys and values from the encoder, "
        f"feed-forward network. Around each block a residual connection, and a norm {where}."
    )
    picture = Picture(alt, 680, 540)
    with style():
        axes = picture.add_axes((0, 0, 1, 1), xlim=(0, 680), ylim=(6, 546))
        axes.axis("off")
        _half(axes, _LEFT, "encoder", ["self-attention", "feed-forward"], norm)
        tops = ["masked self-attention", "cross-attention", "feed-forward"]
        _half(axes, _RIGHT, "decoder", tops, norm)
        _to_the_decoder(axes)
    return picture


def _half(axes: Axes, x: float, name: str, blocks: list[str], norm: str) -> None:
    """A column: words with their places below, the blocks, what comes out above."""
    bottom, top = 78, 78 + _STEP * len(blocks) + 34
    frame = FancyBboxPatch((x - 126, bottom), 252, top - bottom, boxstyle="round,pad=0,rounding_size=8")
    frame.set(facecolor=INK["paper-sunk"], edgecolor=INK["line-strong"], linewidth=1)
    axes.add_patch(frame)
    axes.text(x - 126, top + 14, f"{name}, × N", weight="bold", va="center")
    axes.text(x, 26, "√m · word + place", ha="center", va="center", size=10.5)
    _line(axes, [(x, 38), (x, top + 34)], arrow=True)
    for i, block in enumerate(blocks):
        _block(axes, x, bottom + 52 + _STEP * i, block, norm)
    out = "memory, (B, S, m)" if name == "encoder" else "next word, (B, T, V)"
    axes.text(x, top + 46, out, ha="center", va="center", size=10.5)


def _block(axes: Axes, x: float, y: float, name: str, norm: str) -> None:
    """A block in its box, the path around it at the right, the sum above, and where the norm stands."""
    box = FancyBboxPatch((x - _WIDE / 2, y), _WIDE, _HIGH, boxstyle="round,pad=0,rounding_size=4", zorder=3)
    box.set(facecolor=INK["paper"], edgecolor=INK["ink"], linewidth=1.4)
    axes.add_patch(box)
    axes.text(x, y + _HIGH / 2, name, ha="center", va="center", size=11.5, weight="bold", zorder=4)
    below, above = y - 38, y + _HIGH + 16
    _line(axes, [(x, below), (x + 112, below), (x + 112, above), (x + 9, above)], arrow=True)
    axes.plot(x, above, "o", ms=13, mfc=INK["paper"], mec=INK["ink"], zorder=4)
    axes.text(x, above, "+", ha="center", va="center", size=11, zorder=5)
    _norm(axes, x, y - 17 if norm == "pre" else above + 20)


def _norm(axes: Axes, x: float, y: float) -> None:
    box = FancyBboxPatch((x - 24, y - 8), 48, 16, boxstyle="round,pad=0,rounding_size=3", zorder=3)
    box.set(facecolor=INK["w1"], edgecolor=INK["line-strong"], linewidth=0.8)
    axes.add_patch(box)
    axes.text(x, y, "norm", ha="center", va="center", size=8.5, color=INK["ink-soft"], zorder=4)


def _to_the_decoder(axes: Axes) -> None:
    """The encoder's memory as keys and values of the cross-attention; its queries come from below."""
    start, y = 78 + 2 * _STEP + 80, 78 + 52 + _STEP + _HIGH / 2
    middle = (_LEFT + _RIGHT) / 2
    _line(axes, [(_LEFT + 72, start), (middle, start), (middle, y), (_RIGHT - _WIDE / 2 - 2, y)], arrow=True)
    for x, letter, role in ((middle + 6, "K", "k-text"), (middle + 28, "V", "v-text")):
        axes.text(x + 12, y + 13, letter, ha="center", va="center", weight="bold", color=INK[role])
    asks: dict[str, Any] = {"ha": "center", "va": "center", "weight": "bold", "color": INK["q-text"]}
    axes.text(_RIGHT - 38, y - _HIGH / 2 - 17, "Q", **asks)


def _line(axes: Axes, points: list[tuple[float, float]], *, arrow: bool = False) -> None:
    """A path; its last piece is an arrow."""
    look: dict[str, Any] = {"color": INK["ink-soft"], "lw": 1.4}
    if arrow:
        way: dict[str, Any] = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 11}
        axes.annotate("", points[-1], points[-2], arrowprops={**look, **way}, zorder=2)
        points = points[:-1]
    if len(points) > 1:
        axes.plot(*zip(*points, strict=True), zorder=2, **look)
