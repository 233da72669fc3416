"""Exercise: a softmax over the keys that may be attended to. Chapter 1."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers import masks
from attn_helpers.judge import Answer, Exercise


def _padded(batch: int, queries: int, keys: int) -> Answer:
    """Scores and the mask of a batch: its first item has no padding, its last is nothing else."""
    scores = torch.randn((batch, queries, keys), generator=torch.Generator().manual_seed(0))
    lengths = torch.linspace(keys, 0, batch).long()
    return scores, masks.valid_length_mask(lengths, keys)  # (B, T, S), (B, 1, S)


def _loud() -> Answer:
    """Padding that would score so high that the softmax of all keys leaves nothing for the words."""
    scores, mask = _padded(3, 5, 7)
    return scores.masked_fill(~mask, 300.0), mask


def _quiet() -> Answer:
    """Scores below a timid fill, of which exp alone is 0 in float32; whole, so that float16 holds them."""
    scores, mask = _padded(3, 5, 7)
    return scores.round() - 200, mask


def _weights(weigh: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Answer]:
    return lambda scores, mask: (weigh(scores, mask),)


def _filled(fill: float) -> Callable[..., Answer]:
    return _weights(lambda scores, mask: scores.masked_fill(~mask, fill).softmax(-1))


def _lowered(drop: float) -> Callable[..., Answer]:
    return _weights(lambda scores, mask: (scores - drop * ~mask).softmax(-1))


def _columns(fill: float) -> Callable[..., Answer]:
    return _weights(lambda scores, mask: scores.masked_fill(~mask, fill).softmax(-2))


def _times_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores + ~mask * -math.inf).softmax(-1)


def _powers(scores: Tensor, mask: Tensor) -> Tensor:
    """The formula to the letter; only the empty row is spared a division by 0."""
    powers = scores.exp() * mask
    return powers / powers.sum(-1, keepdim=True).masked_fill(~mask.any(-1, keepdim=True), 1)


def _after(weigh: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Answer]:
    return _weights(lambda scores, mask: weigh(scores, mask) * mask)


_EMPTY = (
    "the query that may attend to nothing shares its weight out evenly, 1/S each, all of it on padding: in "
    "its row every score is the same large negative number. Fill with −inf, and give such a row zeros"
)
_NAN = (
    "NaN in the row where everything is forbidden: a softmax of −inf alone divides 0 by 0, and so does who "
    "divides by the sum of no weights. Give such a row zeros"
)
_LOWERED = (
    "the query that may attend to nothing still shares its weight out, all of it on padding: its scores all "
    "dropped by the same amount, which a softmax ignores. Give such a row zeros"
)
_POWERS = (
    "exp alone leaves the range of float32: e⁻²⁰⁰ is 0, e³⁰⁰ is infinite, and infinity × 0 is NaN. Let "
    "masked_fill hide the padding and a softmax do the rest, or take each row's maximum off before exp"
)
_LOUD = (
    "padding with a high score takes everything, and the words are rounded to 0: a mask after the softmax or "
    "a fixed amount taken off cannot bring them back. Fill with −inf, before the softmax"
)
_TIMES_INFINITY = "0 × −∞ is NaN, so adding (~mask) * −inf spoils the allowed scores too: use masked_fill"
_FLIPPED = (
    "the mask is upside down: True means may attend, and you hide the words and read the padding. "
    "If you use masked_fill, hand it ~mask: it fills where it is True"
)
_COLUMNS = "your columns sum to 1, not your rows: the softmax belongs on the last axis, dim=-1"

MASKING = Exercise(
    arguments=("scores", "mask"),
    parts=("weights",),
    examples=(lambda: _padded(3, 5, 7), lambda: _padded(5, 2, 4), _quiet, _loud),
    right=_weights(masks.masked_softmax),
    praise="a masked softmax: forbidden keys get nothing, and so does a query that may attend to nothing.",
    sizes_hint="; the mask is (B, 1, S): it fits the scores (B, T, S) as it is",
    mistakes=(
        (
            _weights(lambda scores, mask: (w := scores.softmax(-1) * mask) / w.sum(-1, True).clamp(min=1e-9)),
            _LOUD,
        ),
        (
            _after(lambda scores, mask: scores.softmax(-1)),
            "your rows sum to less than 1: the mask came after the softmax, when padding had already taken "
            "its share. Mask the scores",
        ),
        (_filled(-1e9), _EMPTY),
        (_lowered(69), _LOWERED),
        (_lowered(1e4), _LOWERED),
        (_filled(-math.inf), _NAN),
        (_weights(_powers), _POWERS),
        (_weights(lambda scores, mask: _powers(scores, mask).nan_to_num()), _POWERS),
        (_weights(_times_infinity), f"every weight is NaN: {_TIMES_INFINITY}"),
        (
            _weights(lambda scores, mask: _times_infinity(scores, mask).nan_to_num()),
            f"every weight is 0. Did nan_to_num hide a NaN? {_TIMES_INFINITY}",
        ),
        (
            _after(lambda scores, mask: scores.masked_fill(~mask, -100).softmax(-1)),
            "the fill is not negative enough: scores of about −200 lie below it, and padding takes all the "
            "weight of their rows. Fill with −inf",
        ),
        (
            _weights(lambda scores, mask: masks.masked_softmax(scores, ~mask)),
            _FLIPPED,
        ),
        (
            _weights(lambda scores, mask: scores.masked_fill(mask, -math.inf).softmax(-1)),
            _FLIPPED,
        ),
        (
            _weights(lambda scores, mask: scores.masked_fill(mask, -1e9).softmax(-1)),
            _FLIPPED,
        ),
        (
            _after(lambda scores, mask: scores.masked_fill(mask, -1e9).softmax(-1)),
            _FLIPPED,
        ),
        (
            _weights(lambda scores, mask: (scores * mask).softmax(-1)),
            "a forbidden score became 0, and e⁰ is 1: padding still takes weight. Fill with −inf",
        ),
        (
            _weights(lambda scores, mask: (scores + mask).softmax(-1)),
            "you add the mask, so True counts 1 and False 0: padding still takes weight. Fill with −inf",
        ),
        (
            _weights(lambda scores, mask: scores.softmax(-1)),
            "padding takes weight: the mask is not used yet",
        ),
        (
            _weights(lambda scores, mask: scores.masked_fill(~mask, -math.inf).softmax(-2).nan_to_num()),
            _COLUMNS,
        ),
        (_columns(-math.inf), _COLUMNS),
        (_columns(-1e9), _COLUMNS),
        (
            _after(lambda scores, mask: scores.masked_fill(~mask, 0).softmax(-1)),
            "your rows sum to less than 1: the fill is 0, and e⁰ is 1, so padding took a share before you "
            "removed it. Fill with −inf",
        ),
    ),
)


def slopes(function: Callable[..., object]) -> str:
    """What is wrong with the way back of a function whose weights are right; empty when nothing is."""
    scores, mask = _padded(3, 5, 7)
    scores.requires_grad_()
    try:
        weights = function(scores, mask)
    except (Exception, SystemExit) as error:
        return f"right, until the scores ask for a gradient: {type(error).__name__}: {error}".splitlines()[0]
    weights = weights[0] if isinstance(weights, tuple | list) else weights
    if not isinstance(weights, Tensor) or not weights.requires_grad:
        return "the weights are right, but no gradient reaches the scores: nothing could be learned"
    (slope,) = torch.autograd.grad((weights**2).sum(), scores)
    if not torch.isfinite(slope).all():
        return (
            "the weights are right, but the gradient of the empty row is NaN, which spoils every parameter: "
            "nan_to_num mends the weights, not the way back. Give that row harmless scores before the softmax"
        )
    return ""
