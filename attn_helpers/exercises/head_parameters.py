"""Exercise: how many parameters multi-head attention has. Chapter 4."""

from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise

Count = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]  # m, H, d, v → a number


def _sizes(*numbers: int) -> Callable[[], Answer]:
    return lambda: tuple(torch.tensor(float(number), dtype=torch.float64) for number in numbers)


def _counts(count: Count) -> Callable[..., Answer]:
    return lambda *sizes: (count(*sizes),)


PARAMETERS = Exercise(
    arguments=("width", "heads", "head_width", "head_value_width"),
    parts=("count",),
    examples=(_sizes(64, 8, 8, 8), _sizes(64, 8, 64, 64), _sizes(10, 3, 2, 7), _sizes(11, 1, 5, 3)),
    right=_counts(lambda w, h, d, v: 2 * w * h * d + 2 * w * h * v),
    praise="W_q and W_k have m·H·d numbers each, W_v and W_o m·H·v. For d = v = m / H that is 4·m².",
    mistakes=(
        (
            _counts(lambda w, h, d, v: 4 * w * w * h),
            "you count four m × m matrices for every head, parameters × H: a head's own matrix is d × m. "
            "With d = m / H, all heads together make up one m × m matrix",
        ),
        (
            _counts(lambda w, h, d, v: h * (2 * w * d + w * v) + w * w),
            "W_o is as wide as the joined heads: m × H·v, which is m × m only if v = m / H",
        ),
        (
            _counts(lambda w, h, d, v: 4 * w * w),
            "4·m² holds where d = v = m / H; here the heads may have other widths. Count each matrix",
        ),
        (
            _counts(lambda w, h, d, v: 2 * w * h * d + w * h * v),
            "W_o is not counted: m × H·v",
        ),
        (
            _counts(lambda w, h, d, v: 2 * w * d + 2 * w * v),
            "this is one head: each of the H heads has matrices of its own",
        ),
        (
            _counts(lambda w, h, d, v: h * (2 * w * d + w * v) + w * v),
            "W_o reads all heads at once, H·v numbers: m × H·v, not m × v",
        ),
        (
            _counts(lambda w, h, d, v: 2 * w * h * d + 2 * w * h * v + h * (2 * d + v) + w),
            "you count biases, too; here there are none",
        ),
        (
            _counts(lambda w, h, d, v: 4 * w * h * d),
            "values have a width of their own, v: W_v and W_o use it",
        ),
    ),
)
