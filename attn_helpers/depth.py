"""What residuals and norms do for a deep stack, before any training. Chapter 5.

The notes' layers are attention and a feed-forward network; these are run with and without what goes around.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from attn_helpers import expect
from attn_helpers.layers import EncoderLayer, Sizes
from attn_helpers.running import one_thread

Map = Callable[[Tensor], Tensor]
AROUND: dict[str, Callable[[Tensor, Map, Map], Tensor]] = {  # x, norm, block
    "norm first": lambda x, norm, block: x + block(norm(x)),
    "norm after": lambda x, norm, block: norm(x + block(x)),
    "no norm": lambda x, norm, block: x + block(x),
    "no residual": lambda x, norm, block: norm(block(x)),
}


class Level(NamedTuple):
    """A sentence some layers up."""

    layers: int
    size: float  # root of the mean square of its numbers
    alike: float  # mean cosine between the vectors of two words: 1 if all words have become the same


@torch.no_grad()
def climb(kind: str, layers: int = 24, words: int = 12, seed: int = 0) -> list[Level]:
    """Send random words through a stack of untrained layers, in float64; look after every one.

    kind     "norm first", "norm after", "no norm" or "no residual": what goes around each block
    returns  layers + 1 levels, the first one below all layers
    Raises ValueError for another kind. The caller's random numbers stay what they were.
    """
    if kind not in AROUND:
        raise ValueError(f"kind must be one of {', '.join(AROUND)}, got {kind!r}")
    expect.widths(layers=layers, words=words)
    around, sizes = AROUND[kind], Sizes()
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(seed)
        stack = [EncoderLayer(sizes).double() for _ in range(layers)]
        x = torch.randn(1, words, sizes.width, dtype=torch.float64)  # (1, S, m)
        levels = [_level(0, x)]
        for number, layer in enumerate(stack, 1):
            x = around(x, layer.around_attention.norm, _looks(layer))
            x = around(x, layer.around_feed_forward.norm, layer.feed_forward)
            levels.append(_level(number, x))
    return levels


def _looks(layer: EncoderLayer) -> Map:
    """Its self-attention, without the weights."""

    def look(read: Tensor) -> Tensor:
        found: Tensor = layer.attention(read, read, read)[0]
        return found

    return look


def _level(layers: int, x: Tensor) -> Level:
    directions = torch.nn.functional.normalize(x[0], dim=-1)  # (S, m)
    cosines = directions @ directions.mT  # (S, S)
    count = len(cosines)
    alike = (cosines.sum() - cosines.trace()) / max(count * (count - 1), 1)
    return Level(layers, float(x.square().mean().sqrt()), float(alike))
