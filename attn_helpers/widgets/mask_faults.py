"""Ways to get a mask wrong, each written as it is met in the wild. Browser twin: js/mask.js.

Scores and weights (B, T, S), mask True = may attend. All in float64: of a smaller float type only the fill
is taken, for that is where the fault sits.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.masks import masked_softmax

FLOAT_TYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32}


def _filled(scores: Tensor, mask: Tensor, fill: float) -> Tensor:
    """Forbidden scores replaced by a large negative number."""
    return torch.softmax(torch.where(mask, scores, fill), dim=-1)


def _stored(value: float, float_type: str) -> float:
    """What a float type makes of a number: −1e9 becomes −inf in float16."""
    return float(torch.tensor(value).to(FLOAT_TYPES[float_type]))


BREAKAGES: dict[str, Callable[[Tensor, Tensor, str], Tensor]] = {
    "none": lambda scores, mask, _: masked_softmax(scores, mask),
    "no_mask": lambda scores, mask, _: torch.softmax(scores, dim=-1),
    "flipped": lambda scores, mask, _: masked_softmax(scores, ~mask),
    "after_softmax": lambda scores, mask, _: torch.softmax(scores, dim=-1) * mask,
    "half": lambda scores, mask, float_type: _filled(scores, mask, _stored(-1e9, float_type)),
    "finite": lambda scores, mask, _: _filled(scores, mask, -1e6),
}
