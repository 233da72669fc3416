"""From scores to attention. Chapter 1; NumPy twin: twin.py; browser twin: widgets/js/attn.js.

Letters: T queries, S keys, d their common width (q and k where they differ), h hidden width, v value width.
Leading axes (batch, heads, …) may be any; query, key and value have equally many, each equal or 1.
"""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from attn_helpers import expect
from attn_helpers.masks import masked_softmax
from attn_helpers.sharpness import sharpness, sharpness_table
from attn_helpers.twin import attend_numpy, score_numpy

__all__ = [
    "AdditiveScore", "additive_score", "attend", "attend_numpy", "bilinear_score", "cosine_score",
    "dot_score", "nadaraya_watson", "scaled_dot_score", "score_numpy", "sharpness", "sharpness_table",
]  # fmt: skip

Score = Callable[[Tensor, Tensor], Tensor]


def dot_score(query: Tensor, key: Tensor) -> Tensor:
    """How well each query matches each key: q·k.

    query    (..., T, d)
    key      (..., S, d)
    returns  (..., T, S)

    Raises ValueError when the widths d differ. Notes, "scoring functions"; Luong et al. 2015, section 3.1.
    """
    expect.same_width(query, key)
    return query @ key.mT  # (..., T, S)


def scaled_dot_score(query: Tensor, key: Tensor) -> Tensor:
    """The dot product, kept at the same spread whatever the width: q·k / √d.

    query    (..., T, d)
    key      (..., S, d)
    returns  (..., T, S)

    The query is divided first: in float16 the plain product may overflow where the score fits.
    Raises ValueError when the widths d differ. Notes, "scoring functions"; Vaswani et al. 2017, eq. 1.
    """
    expect.same_width(query, key)
    return query / math.sqrt(query.shape[-1]) @ key.mT  # (..., T, S)


def cosine_score(query: Tensor, key: Tensor) -> Tensor:
    """The cosine of the angle between query and key, from -1 to 1; their lengths do not count.

    query    (..., T, d)
    key      (..., S, d)
    returns  (..., T, S)

    A zero vector points nowhere: its scores are 0, and so is its gradient.
    Raises ValueError when the widths d differ and for NaN or infinity. Graves et al. 2014, eq. 6.
    """
    expect.same_width(query, key)
    expect.finite(query=query, key=key)
    return _unit(query) @ _unit(key).mT  # (..., T, S)


def additive_score(
    query: Tensor, key: Tensor, query_weight: Tensor, key_weight: Tensor, value_weight: Tensor
) -> Tensor:
    """A small network judges each pair: w_vᵀ tanh(W_q q + W_k k). The widths q and k may differ.

    query         (..., T, q)      query_weight  (h, q)  W_q
    key           (..., S, k)      key_weight    (h, k)  W_k
    returns       (..., T, S)      value_weight  (h,)    w_v (weighs the h hidden units, not the values)

    Raises ValueError when a weight does not fit. Notes, "scoring functions"; Bahdanau et al. 2015, A.1.2.
    """
    expect.rows(query=query, key=key)
    expect.floats(query=query, query_weight=query_weight, key_weight=key_weight, value_weight=value_weight)
    hidden = value_weight.numel()
    expect.shape(value_weight, (hidden,), "value_weight", "(h,)")
    expect.shape(query_weight, (hidden, query.shape[-1]), "query_weight", "(h, q)")
    expect.shape(key_weight, (hidden, key.shape[-1]), "key_weight", "(h, k)")
    queries = (query @ query_weight.mT).unsqueeze(-2)  # (..., T, 1, h)
    keys = (key @ key_weight.mT).unsqueeze(-3)  # (..., 1, S, h)
    return torch.tanh(queries + keys) @ value_weight  # (..., T, S)


def bilinear_score(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """A dot product after a learned change of space: qᵀ W k. The widths q and k may differ.

    query    (..., T, q)
    key      (..., S, k)
    weight   (q, k)
    returns  (..., T, S)

    Raises ValueError when the weight does not fit. Luong et al. 2015, section 3.1, "general".
    """
    expect.rows(query=query, key=key)
    expect.floats(query=query, weight=weight)
    expect.shape(weight, (query.shape[-1], key.shape[-1]), "weight", "(q, k)")
    return query @ weight @ key.mT  # (..., T, S)


class AdditiveScore(nn.Module):
    """The notes' `additive_score`: three learned weights, no biases. Widths are whole numbers from 1."""

    def __init__(self, query_width: int, key_width: int, hidden: int) -> None:
        super().__init__()
        expect.widths(query_width=query_width, key_width=key_width, hidden=hidden)
        self.query_weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(hidden, query_width)))  # W_q
        self.key_weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(hidden, key_width)))  # W_k
        self.value_weight = nn.Parameter(torch.randn(hidden) / math.sqrt(hidden))  # w_v

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """Score queries (..., T, q) against keys (..., S, k): (..., T, S)."""
        return additive_score(query, key, self.query_weight, self.key_weight, self.value_weight)


SCORES: dict[str, Score] = {"dot": dot_score, "scaled_dot": scaled_dot_score, "cosine": cosine_score}


def attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, score: str | Score = "scaled_dot"
) -> tuple[Tensor, Tensor]:
    """Attention: score every key, turn the scores into weights, blend the values by them.

    query    (..., T, q)
    key      (..., S, k)
    value    (..., S, v)
    mask     as many axes as the scores (..., T, S), each equal or 1; bool, True = may attend
    score    "dot", "scaled_dot", "cosine", or a function (query, key) → (..., T, S)
    returns  output (..., T, v), weights (..., T, S)

    A query that may attend to nothing gets weights 0 and output 0.
    Raises ValueError naming what does not fit or holds NaN, TypeError for what is not a float tensor.
    Notes, "scoring functions": f(q, (k_1, v_1), …) and softmax(QKᵀ/√d)V; Vaswani et al. 2017, eq. 1.
    """
    expect.rows(query=query, key=key, value=value)
    expect.finite(query=query, key=key, value=value)
    if value.shape[-2] != key.shape[-2]:
        raise ValueError(f"value needs one row per key, got {value.shape[-2]} for S = {key.shape[-2]} keys")
    scores = _apply(score, query, key)  # (..., T, S)
    weights = masked_softmax(scores, mask)  # (..., T, S)
    return weights @ value, weights  # (..., T, v)


def nadaraya_watson(query: Tensor, key: Tensor, value: Tensor, width: float) -> tuple[Tensor, Tensor]:
    """Kernel regression, the simplest attention: near keys count more, by a Gaussian of the given width.

    query    (T,)  where to predict
    key      (S,)  where something was measured
    value    (S,)  what was measured there
    returns  output (T,), weights (T, S)

    Gaussian kernel = exp(score) with score = -(q - k)² / (2 width²), so the weights are softmax(scores).
    Raises ValueError for a width that is not finite and above 0 and for what has more than one axis,
    TypeError for a width that is no plain number. Nadaraya 1964, Watson 1964.
    """
    expect.above_zero(width, "width")
    expect.floats(query=query, key=key, value=value)
    if not query.ndim == key.ndim == value.ndim == 1:
        raise ValueError(
            f"query, key and value must have one axis, got {query.ndim}, {key.ndim}, {value.ndim}"
        )

    def gaussian(query: Tensor, key: Tensor) -> Tensor:
        return -(((query - key.mT) / width) ** 2) / 2  # (T, S)

    output, weights = attend(query[:, None], key[:, None], value[:, None], score=gaussian)
    return output[:, 0], weights


def _unit(vector: Tensor) -> Tensor:
    """Scale vectors to length 1; a zero vector stays zero, with gradient zero."""
    peak = vector.detach().abs().amax(dim=-1, keepdim=True)
    zero = peak < torch.finfo(vector.dtype).tiny
    near_one = (vector / peak.masked_fill(zero, 1)).masked_fill(zero, 0)  # its squares fit
    length = torch.linalg.vector_norm(near_one, dim=-1, keepdim=True)
    unit: Tensor = near_one / length.masked_fill(zero, 1)
    return unit


def _apply(score: str | Score, query: Tensor, key: Tensor) -> Tensor:
    """The scores, by name or by function: of the right shape, or refused."""
    function = SCORES.get(score) if isinstance(score, str) else score
    if not callable(function):
        names = ", ".join(f'"{name}"' for name in SCORES)
        hint = "; it has weights to learn: pass score=AdditiveScore(q, k, h)" if score == "additive" else ""
        raise ValueError(f"score must be {names} or a function (query, key) → scores, got {score!r}{hint}")
    scores = function(query, key)
    leading = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    want = (*leading, query.shape[-2], key.shape[-2])
    got = tuple(scores.shape) if isinstance(scores, Tensor) else type(scores).__name__
    if got != want:
        raise ValueError(f"score must return a tensor (..., T, S) of shape {want}, got {got}")
    expect.floats(query=query, scores=scores)
    return scores
