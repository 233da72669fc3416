"""Exercise: what goes around a block. Chapter 5."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from attn_helpers.judge import Answer, Exercise

Block = Callable[[Tensor], Tensor]


def norm(x: Tensor) -> Tensor:
    """LayerNorm with its first weights: each word's numbers with mean 0 and variance 1."""
    return F.layer_norm(x, x.shape[-1:])


def block_of(widen: Tensor, narrow: Tensor) -> Block:
    """A feed-forward network with these matrices, (f, m) and (m, f)."""
    return lambda x: (x @ widen.mT).relu() @ narrow.mT


def _random(batch: int, words: int, width: int, inner: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    x = 2 + 3 * torch.randn(batch, words, width, generator=make)  # a norm would change it much
    shapes = (inner, width), (width, inner)
    return x, *(torch.randn(shape, generator=make) / width**0.5 for shape in shapes)


def _around(go: Callable[[Tensor, Block], Tensor]) -> Callable[..., Answer]:
    return lambda x, widen, narrow: (go(x, block_of(widen, narrow)),)


_POST = (
    "the norm comes after the sum: that is post-norm, the paper's own. Pre-norm leaves the path of x alone: "
    "x + block(norm(x))"
)

RESIDUAL = Exercise(
    arguments=("x", "widen", "narrow"),
    parts=("output",),
    examples=(lambda: _random(2, 3, 5, 7), lambda: _random(3, 3, 4, 11)),
    right=_around(lambda x, block: x + block(norm(x))),
    praise="x goes on as it is, and the block adds to it.",
    sizes_hint="; norm and block are functions, and both leave the shape (B, T, m) as it is",
    mistakes=(
        (_around(lambda x, block: norm(x + block(x))), _POST),
        (
            _around(lambda x, block: norm(x + block(norm(x)))),
            "there is a norm on the path of x, too. Pre-norm has one, before the block: x + block(norm(x))",
        ),
        (
            _around(lambda x, block: block(norm(x))),
            "the residual is missing: x itself has to go on, and the block's output is added to it",
        ),
        (
            _around(lambda x, block: block(x)),
            "this is the block alone: norm what it reads, and add x to what it gives",
        ),
        (
            _around(lambda x, block: x + block(x)),
            "the norm is missing: the block reads norm(x), so that what it gets keeps its size",
        ),
        (
            _around(lambda x, block: norm(x) + block(norm(x))),
            "what you add is the normed x: then its size is forgotten at every layer. Add x as it came",
        ),
        (
            _around(lambda x, block: x + norm(block(x))),
            "you norm what the block gives; norm what it reads: x + block(norm(x))",
        ),
        (_around(lambda x, block: norm(x) + block(x)), "norm and x have changed places: x + block(norm(x))"),
        (
            _around(lambda x, block: x + norm(x) + block(norm(x))),
            "norm(x) is added as well; it is only what the block reads",
        ),
    ),
)
