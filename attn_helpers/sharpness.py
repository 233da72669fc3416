"""Why divide by √d: how sharp the softmax gets as the width d grows, measured. Chapter 1.

Query and keys have independent standard normal entries, so q·k has variance d. The measured table
`data/sharpness.json` is what text, plots and widget print from; a test measures parts of it again.
"""

import json
import math
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
DIVISORS: dict[str, Callable[[int], float]] = {
    "1": lambda d: 1,
    "sqrt": math.sqrt,
    "d": float,
}  # what q·k is divided by
CLOSE = 0.02  # how near the drawn example's first bar comes to the printed median


def sharpness(
    widths: Sequence[int] = WIDTHS, keys: int = 8, draws: int = 8000, seed: int = 0
) -> dict[str, Any]:
    """Measure the top weight and the softmax gradient over random queries and keys.

    widths   increasing widths d
    returns  {"meta", "widths", "top", "gradient", "draw"}; "top" and "gradient" map a divisor ("1", "sqrt",
             "d") to one median over the draws per width. The gradient is the Frobenius norm of the
             softmax's Jacobian diag(p) - p pᵀ. Medians, since means are pulled by a few draws.
             "draw" is one draw *chosen* as typical: see `_typical`.

    Narrower widths are the first entries of the same vectors, so adding or dropping a width changes no
    other number. Values keep six significant digits.
    Raises ValueError for widths that do not increase, and for counts below 1.
    Vaswani et al. 2017, section 3.2.1, footnote 4.
    """
    if list(widths) != sorted(set(widths)) or min(widths, default=0) < 1:
        raise ValueError(f"widths must be increasing and at least 1, got {list(widths)}")
    for name, count in (("keys", keys), ("draws", draws)):
        if count < 1:
            raise ValueError(f"{name} must be at least 1, got {count}")
    dots = _dot_products(widths, keys, draws, seed)  # (widths, draws, keys)
    weights = {
        name: np.stack([_softmax(dot / divisor(d)) for d, dot in zip(widths, dots, strict=True)])
        for name, divisor in DIVISORS.items()
    }  # each (widths, draws, keys)
    tops = {name: p.max(axis=-1) for name, p in weights.items()}  # each (widths, draws)
    top = {name: np.median(t, axis=-1) for name, t in tops.items()}
    gradient = {name: np.median([_gradient(q) for q in p], axis=-1) for name, p in weights.items()}
    index = _typical(dots, tops, top)
    return {
        "meta": {"seed": seed, "draws": draws, "keys": keys, "numpy": np.__version__},
        "widths": list(widths),
        "top": {name: _short(values) for name, values in top.items()},
        "gradient": {name: _short(values) for name, values in gradient.items()},
        "draw": {"seed": seed, "index": index, "dots": [_short(dot[index]) for dot in dots]},
    }


def sharpness_table() -> dict[str, Any]:
    """The stored measurement: what `sharpness()` returned when the book was made."""
    text = files("attn_helpers").joinpath("data", "sharpness.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def _dot_products(widths: Sequence[int], keys: int, draws: int, seed: int) -> Array:
    """q·k over the first d entries, for each width d: (widths, draws, keys)."""
    rng = np.random.default_rng(seed)
    dots, kept = np.zeros((draws, keys)), []
    for d in range(1, max(widths) + 1):  # entry by entry, so that wider vectors extend narrower ones
        query, key = rng.standard_normal((draws, 1)), rng.standard_normal((draws, keys))
        dots = dots + query * key
        if d in widths:
            kept.append(dots)
    return np.stack(kept)


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def _gradient(p: Array) -> Array:
    """Frobenius norm of the softmax's Jacobian, for weights (draws, keys): (draws,)."""
    jacobian = p[:, :, None] * (np.eye(p.shape[-1]) - p[:, None, :])  # (draws, keys, keys)
    return np.asarray(np.linalg.norm(jacobian, axis=(1, 2)))


def _typical(dots: Array, tops: dict[str, Array], medians: dict[str, Array]) -> int:
    """The draw that tells the story of the medians: the best of those with one and the same winner.

    Draws whose highest product belongs to the same key at every width come first; among them those whose
    top weight at the narrowest width is within `CLOSE` of the median, undivided; then the one whose top
    weights, ÷1 and ÷√d at all widths, lie nearest to the medians.
    It is picked for that, so it shows what is usual and proves nothing. In truth the winner mostly
    changes with d: few draws keep it. At one width every divisor has the same key on top.
    """
    winner = dots.argmax(axis=-1)  # (widths, draws)
    changes = (winner != winner[0]).any(axis=0)  # (draws,)
    far = np.abs(tops["1"][0] - medians["1"][0]) > CLOSE
    distance = sum(((tops[name] - medians[name][:, None]) ** 2).sum(axis=0) for name in ("1", "sqrt"))
    return int(np.lexsort((distance, far, changes))[0])  # the last key counts first


def _short(values: Array) -> list[float]:
    return [float(f"{value:.6g}") for value in values]


if __name__ == "__main__":  # python -m attn_helpers.sharpness > attn_helpers/data/sharpness.json
    print(json.dumps(sharpness(), indent=1))
