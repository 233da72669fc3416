"""How every picture looks: letters, numbers, settings, and a figure that shows itself."""

import base64
import io
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import matplotlib as mpl
import matplotlib.style
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from PIL import Image

from attn_helpers.plots.colours import INK, Array

PIXELS = 96  # CSS pixels per inch
LARGE = 1_000_000  # CSS pixels of a picture: beyond, a notebook would grow too heavy
# The first installed face wins; those after it lend the glyphs that it lacks.
_SANS = ("Inter", "Noto Sans", "Helvetica Neue", "Arial", "Liberation Sans", "DejaVu Sans")
_MONO = ("DejaVu Sans Mono", "Menlo", "Consolas")
_CJK = ("Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC", "Microsoft YaHei", "SimHei")


_SETTINGS: dict[str, Any] = {
    "font.size": 11,
    "text.parse_math": False,
    "text.color": INK["ink"],
    "figure.facecolor": INK["paper"],
    "savefig.facecolor": INK["paper"],
    "savefig.transparent": False,
    "axes.facecolor": INK["paper"],
    "axes.edgecolor": INK["line-strong"],
    "axes.labelcolor": INK["ink-soft"],
    "axes.labelsize": 11,
    "axes.titlesize": 11,
    "figure.labelsize": 11,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": INK["hair"],
    "grid.linewidth": 0.8,
    "xtick.color": INK["line-strong"],
    "ytick.color": INK["line-strong"],
    "xtick.labelcolor": INK["ink-soft"],
    "ytick.labelcolor": INK["ink-soft"],
    "lines.linewidth": 2,
    "lines.solid_capstyle": "round",
}


@cache
def faces(*, mono: bool = False) -> tuple[str, ...]:
    """Installed font families in order of preference; asking for no others keeps Matplotlib quiet."""
    installed = set(font_manager.get_font_names())
    chain = [name for name in (_MONO if mono else _SANS) if name in installed][:1]
    chain += ["DejaVu Sans Mono" if mono else "DejaVu Sans"]  # travels with Matplotlib
    return tuple(dict.fromkeys(chain + [name for name in _CJK if name in installed][:1]))


@cache
def _drawable(char: str) -> bool:
    """Whether a face has this character; False also for the invisible and for those that turn text round."""
    if not char.isprintable():
        return False
    fonts = (font_manager.get_font(font_manager.findfont(name)) for name in faces(mono=True) + faces())
    return any(font.get_char_index(ord(char)) for font in fonts)


def token(text: object, longest: int | None = None) -> str:
    """The text as it is; a character that no face can draw is spelled out, such as U+1F469."""
    shown = "".join(char if _drawable(char) else f"U+{ord(char):04X}" for char in str(text))
    return shown if longest is None or len(shown) <= longest else shown[: longest - 1] + "…"


def labels(tokens: Sequence[object], size: int, argument: str, longest: int | None = None) -> list[str]:
    """The tokens as labels of `size` rows or columns; repeated ones stay apart."""
    if len(tokens) != size:
        raise ValueError(f"{argument} must name each of the {size} rows or columns, got {len(tokens)} names")
    return [token(text, longest) for text in tokens]


def as_array(values: Any) -> Array:
    """Numbers of any kind as a new float64 array; a tensor may be half, on a GPU or part of a graph."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().double().numpy()
    elif isinstance(values, list | tuple):  # of heads or layers, as models give them
        values = [as_array(part) if hasattr(part, "detach") else part for part in values]
    return np.array(values, dtype=np.float64)


def decimals(value: float) -> str:
    """Two decimals without the leading zero and with a true minus: .84, −.14, 1.87."""
    digits = f"{abs(value):.2f}"
    sign = "−" if value < 0 and float(digits) else ""
    return sign + digits.removeprefix("0")


def style() -> AbstractContextManager[None]:
    """Matplotlib settings of the book, as a context: opaque paper, hairlines, text taken literally."""
    return mpl.style.context(_SETTINGS | {"font.family": list(faces())}, after_reset=True)


def note(axes: Axes, text: str, at: Any, away: tuple[float, float], role: str = "", **kwargs: Any) -> None:
    """Text `away` points from a place; with a role (q, k, v) in that role's colour and the tokens' face."""
    settings: dict[str, Any] = {"va": "center", "textcoords": "offset points", "annotation_clip": False}
    if role:
        settings |= {"color": INK[f"{role}-text"], "family": list(faces(mono=True)), "weight": "bold"}
    axes.annotate(text, (at[0], at[1]), away, **settings | kwargs)


class Picture(Figure):
    """A figure that shows itself once, as PNG with an alternative text, and leaves nothing open in pyplot."""

    def __init__(self, alt: str, width: float = 620, height: float = 300, **kwargs: Any):
        """`alt` says in one sentence what is seen; width and height are CSS pixels."""
        with style():
            super().__init__(figsize=(width / PIXELS, height / PIXELS), dpi=PIXELS, **kwargs)
        self.alt = alt

    def draw(self, renderer: RendererBase) -> None:
        """Draw in the book's style, whatever the settings outside: ticks are made only now."""
        with style():
            super().draw(renderer)

    def png(self) -> bytes:
        """The picture with two device pixels per CSS pixel, in 160 colours: three tenths of the bytes.

        A very large one, such as a ledger of thirty rows, has one device pixel and 32 colours.
        """
        drawn, packed = io.BytesIO(), io.BytesIO()
        large = PIXELS**2 * self.get_figwidth() * self.get_figheight() > LARGE
        with style():
            self.savefig(drawn, format="png", dpi=PIXELS if large else 2 * PIXELS)
        few = Image.open(drawn).convert("RGB").quantize(32 if large else 160, dither=Image.Dither.NONE)
        few.save(packed, format="png", optimize=True)
        return packed.getvalue()

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    __str__ = __repr__

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        width = round(self.get_figwidth() * PIXELS)
        data = {"image/png": base64.b64encode(self.png()).decode(), "text/plain": repr(self)}
        return data, {"image/png": {"alt": self.alt, "width": width}}
