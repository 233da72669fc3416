"""Attention once more, in NumPy float64 and without torch: to be read, and to make fixtures from.

Same letters, same policy as `scoring.attend`, which is tested against it. Chapter 1; browser twin:
widgets/js/attn.js.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
NAMES = ("dot", "scaled_dot", "cosine", "additive")
_PRODUCTS = "the products of query and key ({})"


def attend_numpy(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    mask: ArrayLike | None = None,
    score: str = "scaled_dot",
    temperature: float = 1.0,
) -> tuple[Array, Array]:
    """Attention: score every key, turn the scores into weights, blend the values by them.

    query        (..., T, d)
    key          (..., S, d)
    value        (..., S, v)
    mask         as many axes as the scores, each equal or 1; bool, True = may attend
    score        "dot", "scaled_dot", "cosine", "additive" (see `score_numpy`)
    temperature  above 0; divides the scores: small picks the best key, large averages
    returns      output (..., T, v), weights (..., T, S)

    A query that may attend to nothing gets weights 0 and output 0. A forbidden score never matters, not even
    when it overflows.
    Raises ValueError naming what does not fit or overflows, TypeError for a mask that is not boolean and
    for inputs that are not real numbers.
    Notes, "scoring functions", first formula.
    """
    if not 0 < temperature < math.inf:
        raise ValueError(f"temperature must be a finite number above 0, got {temperature}")
    query, key, value = _arrays(query=query, key=key, value=value)
    scores = _raw_scores(query, key, score)  # (..., T, S)
    allowed = np.ones(scores.shape, dtype=bool) if mask is None else _allowed(mask, scores)
    scores = _fit(np.where(allowed, scores, 0), _PRODUCTS.format(score))
    with np.errstate(over="ignore"):  # refused in words on the next line
        scores = _fit(scores / temperature, f"the scores divided by temperature {temperature}")
    scores = np.where(allowed, scores, -np.inf)  # exp(-inf) = 0
    peak = scores.max(axis=-1, keepdims=True, initial=-np.inf)  # (..., T, 1)
    powers = np.exp(scores - np.where(np.isfinite(peak), peak, 0))  # (..., T, S), at most 1: no overflow
    total = powers.sum(axis=-1, keepdims=True)  # (..., T, 1), 0 where nothing is allowed
    weights = powers / np.where(total == 0, 1, total)
    return weights @ value, weights  # (..., T, v)


def score_numpy(query: ArrayLike, key: ArrayLike, score: str = "scaled_dot") -> Array:
    """How well each query matches each key: (..., T, d), (..., S, d) → (..., T, S).

    "additive" is w_vᵀ tanh(W_q q + W_k k) with W_q = W_k = I and w_v = 1: the formula before any training.
    Raises ValueError naming what does not fit or overflows, TypeError for what is not real numbers.
    """
    return _fit(_raw_scores(query, key, score), _PRODUCTS.format(score))


def _raw_scores(query: ArrayLike, key: ArrayLike, score: str) -> Array:
    """The scores as they come: infinite or NaN where the products overflow."""
    query, key = _arrays(query=query, key=key)
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"query and key need the same width d, got {query.shape[-1]} and {key.shape[-1]}")
    if score not in NAMES:
        raise ValueError(f"score must be one of {', '.join(map(repr, NAMES))}, got {score!r}")
    with np.errstate(over="ignore", invalid="ignore"):  # inf - inf
        return _score(query, key, score)


def _score(query: Array, key: Array, score: str) -> Array:
    if score == "dot":
        return query @ np.swapaxes(key, -1, -2)
    if score == "scaled_dot":
        return query @ np.swapaxes(key, -1, -2) / math.sqrt(query.shape[-1])
    if score == "cosine":
        return _unit(query) @ np.swapaxes(_unit(key), -1, -2)
    pairs = query[..., :, None, :] + key[..., None, :, :]  # (..., T, S, d)
    return np.asarray(np.tanh(pairs).sum(axis=-1))


def _fit(scores: Array, what: str) -> Array:
    """The scores, or an error that says what overflowed: finite inputs must not end as NaN."""
    if not np.isfinite(scores).all():
        raise ValueError(f"scores must be finite, but {what} overflow float64: use smaller numbers")
    return scores


def _unit(vector: Array) -> Array:
    """Scale vectors to length 1; a zero vector stays zero."""
    peak = np.abs(vector).max(axis=-1, keepdims=True)
    near_one = vector / np.where(peak == 0, 1, peak)  # its squares neither overflow nor vanish
    length = np.linalg.norm(near_one, axis=-1, keepdims=True)
    return np.asarray(near_one / np.where(peak == 0, 1, length))


def _arrays(**inputs: ArrayLike) -> tuple[Array, ...]:
    """The inputs in float64, or an error that names the one that does not fit the first."""
    arrays = {name: _array(name, given) for name, given in inputs.items()}
    (first_name, first), *_ = arrays.items()
    for name, array in arrays.items():
        if array.ndim < 2 or array.shape[-1] < 1:
            raise ValueError(f"{name} must have the axes (..., tokens, width ≥ 1), got shape {array.shape}")
        if array.shape[:-2] != first.shape[:-2]:
            raise ValueError(f"{name} {array.shape} and {first_name} {first.shape} differ in leading axes")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite, got NaN or infinity")
    if "value" in arrays and arrays["value"].shape[-2] != arrays["key"].shape[-2]:
        raise ValueError(
            f"value needs one row per key, got {arrays['value'].shape[-2]} rows for "
            f"S = {arrays['key'].shape[-2]} keys"
        )
    return tuple(arrays.values())


def _array(name: str, given: ArrayLike) -> Array:
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "biuf":  # text, objects; complex numbers would lose half of themselves
            raise TypeError(f"got numbers of type {array.dtype}")
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:  # ragged rows too
        raise type(error)(f"{name} must be a rectangular array of real numbers: {error}") from None


def _allowed(mask: ArrayLike, scores: Array) -> NDArray[np.bool_]:
    mask = np.asarray(mask)
    if mask.dtype != np.bool_:
        raise TypeError(f"mask must be boolean (True = may attend), got {mask.dtype}")
    if mask.ndim != scores.ndim or any(
        m not in (1, s) for m, s in zip(mask.shape, scores.shape, strict=True)
    ):
        raise ValueError(
            f"mask must be equal or 1 along each axis of the scores {scores.shape}, got {mask.shape}"
        )
    return mask
