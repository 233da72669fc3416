"""How every picture looks: the book's colours, its weight ramp, its letters, and a figure that shows itself.

The colours are read from widgets/css/tokens.css, the one place that holds them.
"""

import base64
import io
import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib.resources import files
from typing import Any

import matplotlib as mpl
import matplotlib.style
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

Array = NDArray[np.float64]

_CSS = files("attn_helpers").joinpath("widgets/css/tokens.css").read_text(encoding="utf-8")
_LIGHT = _CSS.split('[data-theme="dark"]')[0]  # pictures stand on paper in both themes
INK: dict[str, str] = dict(re.findall(r"--([\w-]+):\s*(#[0-9A-Fa-f]{6})\b", _LIGHT))
PIXELS = 96  # CSS pixels per inch
# The first installed faces win; those after them lend the glyphs that they lack.
_SANS = ("Inter", "Noto Sans", "Helvetica Neue", "Arial", "Liberation Sans", "DejaVu Sans")
_MONO = ("DejaVu Sans Mono", "Menlo", "Consolas")
_CJK = ("Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC", "Microsoft YaHei", "SimHei")

# sRGB <-> OKLab (Ottosson 2020), where equal steps look equal.
_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(rgb: Array) -> Array:
    """(N, 3) sRGB in 0–1 → (N, 3) OKLab."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T)


def _srgb(lab: Array) -> Array:
    """(N, 3) OKLab → (N, 3) sRGB in 0–1."""
    linear = np.clip((lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T, 0, 1)
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)


def _ramp() -> Array:
    stops = np.array([mpl.colors.to_rgb(INK[f"w{i}"]) for i in range(9)])  # (9, 3)
    at = np.linspace(0, 8, 256)
    return _srgb(np.stack([np.interp(at, range(9), axis) for axis in _oklab(stops).T], axis=1))  # (256, 3)


RAMP = _ramp()  # weight 0–1 → sRGB, 256 steps; the same table in every picture


def weight_colour(weight: float, least: float = 0.0) -> tuple[float, float, float]:
    """Colour of a weight on the ramp that is fixed at 0–1; `least` keeps small bars visible."""
    red, green, blue = RAMP[round(255 * min(max(float(weight), least), 1.0))]
    return float(red), float(green), float(blue)


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
    return np.array(values, dtype=np.float64)


def decimals(value: float) -> str:
    """Two decimals without the leading zero and with a true minus: .84, −.14, 1.87."""
    digits = f"{abs(value):.2f}"
    sign = "−" if value < 0 and float(digits) else ""
    return sign + digits.removeprefix("0")


def style() -> AbstractContextManager[None]:
    """Matplotlib settings of the book, as a context: opaque paper, hairlines, text taken literally."""
    ink, soft, hair = INK["ink"], INK["ink-soft"], INK["hair"]
    return mpl.style.context(
        {
            "font.family": list(faces()),
            "font.size": 11,
            "text.parse_math": False,
            "text.color": ink,
            "figure.facecolor": INK["paper"],
            "savefig.facecolor": INK["paper"],
            "savefig.transparent": False,
            "axes.facecolor": INK["paper"],
            "axes.edgecolor": INK["line-strong"],
            "axes.labelcolor": soft,
            "axes.labelsize": 11,
            "axes.titlesize": 11,
            "figure.labelsize": 11,
            "axes.linewidth": 0.8,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": hair,
            "grid.linewidth": 0.8,
            "xtick.color": INK["line-strong"],
            "ytick.color": INK["line-strong"],
            "xtick.labelcolor": soft,
            "ytick.labelcolor": soft,
            "lines.linewidth": 2,
            "lines.solid_capstyle": "round",
        },
        after_reset=True,
    )


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
        """The picture with two device pixels per CSS pixel, in 256 colours: a third of the bytes."""
        drawn, packed = io.BytesIO(), io.BytesIO()
        with style():
            self.savefig(drawn, format="png", dpi=2 * PIXELS)
        few = Image.open(drawn).convert("RGB").quantize(256, dither=Image.Dither.NONE)
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
