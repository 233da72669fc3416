"""Exercise: how many parameters a layer of the decoder has. Chapter 5."""

from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise

Count = Callable[[Tensor, Tensor, Tensor], Tensor]  # m, f, H → a number


def _sizes(*numbers: int) -> Callable[[], Answer]:
    return lambda: tuple(torch.tensor(float(number), dtype=torch.float64) for number in numbers)


def _counts(count: Count) -> Callable[..., Answer]:
    return lambda *sizes: (count(*sizes),)


LAYER = Exercise(
    arguments=("width", "inner", "heads"),
    parts=("count",),
    examples=(_sizes(64, 160, 4), _sizes(512, 2048, 8), _sizes(6, 7, 3)),
    right=_counts(lambda m, f, h: 8 * m * m + 2 * m * f + f + m + 6 * m),
    praise="two attentions of 4·m², a feed-forward network of 2·m·f + f + m, three norms of 2·m.",
    mistakes=(
        (
            _counts(lambda m, f, h: 4 * m * m + 2 * m * f + f + m + 4 * m),
            "this is a layer of the encoder: the decoder's has a second attention, which looks at the "
            "source, and a norm for it",
        ),
        (
            _counts(lambda m, f, h: 4 * m * m + 2 * m * f + f + m + 6 * m),
            "there are two attentions, each with four matrices of its own: 8·m²",
        ),
        (
            _counts(lambda m, f, h: 8 * m * m + 2 * m * f + f + m + 4 * m),
            "there are three norms, one around each block, with 2·m numbers each",
        ),
        (
            _counts(lambda m, f, h: 8 * m * m * h + 2 * m * f + f + m + 6 * m),
            "you count every head as wide as m: heads share the width, so they cost nothing (chapter 4)",
        ),
        (
            _counts(lambda m, f, h: 8 * m * m / h + 2 * m * f + f + m + 6 * m),
            "you divide by the heads: this is one of them. All heads together fill m × m",
        ),
        (
            _counts(lambda m, f, h: 8 * m * m + 2 * m * f + f + m),
            "the norms are not counted: each of the three has 2·m numbers",
        ),
        (
            _counts(lambda m, f, h: 8 * m * m + 2 * m * f + 6 * m),
            "the biases of the feed-forward network are not counted: f and m",
        ),
        (
            _counts(lambda m, f, h: 8 * m * m + 2 * m * f),
            "the matrices are right. What is missing are the biases of the feed-forward network, f + m, and "
            "three norms of 2·m",
        ),
        (
            _counts(lambda m, f, h: 16 * m * m + f + m + 6 * m),
            "you take f = 4·m, as in the paper; here f is a size of its own",
        ),
        (
            _counts(lambda m, f, h: 8 * m * m + 2 * m * f + f + m + 3 * m),
            "a norm has two numbers for each of m, a factor and a shift: 2·m",
        ),
        (
            _counts(lambda m, f, h: 8 * m * m + 8 * m + 2 * m * f + f + m + 6 * m),
            "you count biases of the attentions, too; here they have none",
        ),
        (
            _counts(lambda m, f, h: 8 * m * m + m * f + f + m + 6 * m),
            "the feed-forward network has two matrices, m × f and f × m",
        ),
    ),
)
