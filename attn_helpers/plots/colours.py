"""The book's colours, read from widgets/css/tokens.css, which alone holds them, and the ramp of weights."""

import re
from importlib.resources import files

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CSS = files("attn_helpers").joinpath("widgets/css/tokens.css").read_text(encoding="utf-8")
_LIGHT = _CSS.split('[data-theme="dark"]')[0]  # pictures stand on paper in both themes
INK: dict[str, str] = dict(re.findall(r"--([\w-]+):\s*(#[0-9A-Fa-f]{6})\b", _LIGHT))

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
    stops = np.array([to_rgb(INK[f"w{i}"]) for i in range(9)])  # (9, 3)
    at = np.linspace(0, 8, 256)
    return _srgb(np.stack([np.interp(at, range(9), axis) for axis in _oklab(stops).T], axis=1))  # (256, 3)


RAMP = _ramp()  # weight 0–1 → sRGB, 256 steps; the same table in every picture


def weight_colour(weight: float, least: float = 0.0) -> tuple[float, float, float]:
    """Colour of a weight on the ramp that is fixed at 0–1; `least` keeps small bars visible."""
    red, green, blue = RAMP[round(255 * min(max(float(weight), least), 1.0))]
    return float(red), float(green), float(blue)
