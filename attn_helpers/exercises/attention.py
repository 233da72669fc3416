"""Exercise: attention for a batch in one matrix line. Chapter 1."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers import scoring
from attn_helpers.judge import Answer, Exercise


def _random(batch: int, queries: int, keys: int, width: int, value_width: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    shapes = (batch, queries, width), (batch, keys, width), (batch, keys, value_width)
    return tuple(torch.randn(shape, generator=make) for shape in shapes)


def _weights(weigh: Callable[[Tensor, int, int], Tensor]) -> Callable[..., Answer]:
    """Attention with weights made from the raw products q·k, the key width d and the value width v."""

    def answer(query: Tensor, key: Tensor, value: Tensor) -> Answer:
        weights = weigh(query @ key.mT, query.shape[-1], value.shape[-1])
        return weights @ value, weights

    return answer


def _scores_blend(query: Tensor, key: Tensor, value: Tensor) -> Answer:
    scores = scoring.scaled_dot_score(query, key)
    return scores @ value, scores.softmax(-1)


def _blends_keys(query: Tensor, key: Tensor, value: Tensor) -> Answer:
    weights = scoring.attend(query, key, value)[1]
    return weights @ key, weights


def _cosine(query: Tensor, key: Tensor, value: Tensor) -> Answer:
    return scoring.attend(query, key, value, score="cosine")


def _reshapes(query: Tensor, key: Tensor, value: Tensor) -> Answer:
    scrambled = key.reshape(key.shape[0], key.shape[2], key.shape[1])  # (B, d, S), but no transpose
    weights = (query @ scrambled / math.sqrt(query.shape[-1])).softmax(-1)
    return weights @ value, weights


def _causal(raw: Tensor, d: int, v: int) -> Tensor:
    return (raw / math.sqrt(d)).masked_fill(torch.ones_like(raw).tril() == 0, -math.inf).softmax(-1)


_HALVED = (
    "`d ** 1/2` is (d ** 1) / 2: the power binds before the division. "
    "Write d ** 0.5, d ** (1/2) or math.sqrt(d)"
)

ATTEND = Exercise(
    arguments=("query", "key", "value"),
    parts=("output", "weights"),
    examples=(lambda: _random(13, 3, 5, 7, 11), lambda: _random(3, 5, 2, 13, 1)),
    right=scoring.attend,
    praise="attention for a whole batch: each row of weights sums to 1 and blends the values.",
    sizes_hint="; for q·kᵀ swap the last two axes of key: key.mT or key.transpose(-2, -1), not .T",
    mistakes=(
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(d)).softmax(-2)),
            "your columns sum to 1, not your rows: the softmax ran over the queries. "
            "A query shares its attention among the keys, the last axis: dim=-1",
        ),
        (
            _weights(lambda raw, d, v: raw.softmax(-2)),
            "your columns sum to 1, not your rows: the softmax belongs on the last axis, the keys. "
            "The scores are not divided by √d yet, either",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(d)).softmax(0)),
            "your weights sum to 1 over the batch: dim=0 is the batch, the keys are the last axis: dim=-1",
        ),
        (
            _weights(lambda raw, d, v: raw.softmax(-1)),
            "the scores are not scaled: divide q·k by √d before the softmax",
        ),
        (
            _weights(lambda raw, d, v: (raw / d).softmax(-1)),
            "you divide by d, which flattens the weights: the spread of q·k grows like √d, so divide by √d",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(v)).softmax(-1)),
            "you divide by the root of the value's width; q·k sums over the width d of query and key",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(raw.shape[-1])).softmax(-1)),
            "you divide by the root of the number of keys; q·k sums over the width d of query and key",
        ),
        (
            _weights(lambda raw, d, v: (raw * math.sqrt(d)).softmax(-1)),
            "you multiply the scores by √d; divide them by it",
        ),
        (
            _weights(lambda raw, d, v: raw.softmax(-1) / math.sqrt(d)),
            "your rows sum to 1/√d: divide the scores before the softmax, not the weights after it",
        ),
        (
            _weights(lambda raw, d, v: raw / math.sqrt(d)),
            "these are scores, not weights: the softmax over the keys is missing, so no row sums to 1",
        ),
        (
            _weights(lambda raw, d, v: raw),
            "these are the raw products q·k: divide them by √d, then take the softmax over the keys",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(d)).flatten(1).softmax(-1).view_as(raw)),
            "each whole matrix sums to 1, but each row should: every query needs its own softmax, dim=-1",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(d)).flatten().softmax(-1).view_as(raw)),
            "the whole batch sums to 1, but each row should: every query needs its own softmax, dim=-1",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(d)).sigmoid()),
            "each weight is between 0 and 1, but no row sums to 1: a sigmoid looks at one score alone, "
            "in a softmax the keys compete",
        ),
        (
            _scores_blend,
            "your weights are right, but the output blends the values by the scores: use the weights",
        ),
        (
            _weights(lambda raw, d, v: (raw / (d / 2)).softmax(-1)),
            _HALVED,
        ),
        (
            _weights(lambda raw, d, v: (raw / d / 2).softmax(-1)),
            _HALVED,
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(raw.shape[-2])).softmax(-1)),
            "you divide by the root of the number of queries; q·k sums over the last axis: query.shape[-1]",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(2)).softmax(-1)),
            "you divide by √2: 2 was the width in the plane; use query.shape[-1]",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(raw.shape[0])).softmax(-1)),
            "you divide by the root of the batch size; q·k sums over the last axis: query.shape[-1]",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(d)).exp()),
            "these are the exponentials alone: divide each by its row's total, so that the row sums to 1",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(d)) / (raw / math.sqrt(d)).sum(-1, keepdim=True)),
            "you divide the scores by their sum, so some weights are negative: take exponentials first",
        ),
        (
            _weights(lambda raw, d, v: (-(raw / math.sqrt(d))).softmax(-1)),
            "a minus sign: the keys that match worst get most of the weight. The scores go in as they are",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(d)).log_softmax(-1)),
            "these are logarithms of weights (log_softmax): use softmax",
        ),
        (
            _weights(lambda raw, d, v: (raw / math.sqrt(d)).softmax(-1).softmax(-1)),
            "the softmax ran twice, which flattens the weights: once is enough",
        ),
        (
            _weights(_causal),
            "later keys get no weight: that is a causal mask. Here every query may attend to every key",
        ),
        (
            _weights(lambda raw, d, v: (raw == raw.amax(-1, keepdim=True)).to(raw.dtype)),
            "the best key takes all (argmax): a softmax gives every key a share, and so a gradient",
        ),
        (
            _cosine,
            "you compare directions alone (cosine): keep the lengths of query and key, and divide by √d",
        ),
        (
            _reshapes,
            "reshape (or view) is no transpose: it scrambles the numbers of the keys. Use key.mT",
        ),
        (
            _blends_keys,
            "your weights are right, but the output blends the keys; blend the values: weights @ value",
        ),
    ),
)
