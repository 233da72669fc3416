"""How good is a translation, how right an alignment, how sure are we of a mean? Chapters 2–7.

Letters: T target words, S source words. Links are pairs (t, s) of positions counted from 0.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attn_helpers import expect
from attn_helpers.corpus.pairs import Link, Pair

BINS = {
    "1-6": (1, 6),
    "7-9": (7, 9),
    "10-12": (10, 12),
    "13-16": (13, 16),
    "17-20": (17, 20),
    "21-29": (21, 29),
}

# The 97.5 % points of Student's t for 1, 2, … degrees of freedom.
_T = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
      2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930)  # fmt: skip


# ---- translations ------------------------------------------------------------------------------------


def bleu(prediction: Sequence[str], reference: Sequence[str], k: int = 2) -> float:
    """BLEU(k) of one sentence: exp(min(0, 1 - len_ref/len_pred)) · Π p_n^(1/2ⁿ), n = 1 … min(k, len_pred).

    prediction, reference  words (or their numbers), not one string
    p_n                    the share of the prediction's n-grams found in the reference, each found once
    returns                0 to 1; a perfect sentence has 1, however short; an empty prediction 0

    Small print: the order is capped at the prediction's length, there is no smoothing, and the weights 1/2ⁿ
    are those of Zhang et al., *Dive into Deep Learning*; Papineni et al. 2002 take the geometric mean over
    whole corpora. So compare these numbers with each other, not with those of papers.
    Raises TypeError for a string, ValueError for k below 1 or an empty reference.
    """
    for name, words in (("prediction", prediction), ("reference", reference)):
        if isinstance(words, str):
            raise TypeError(f"{name} must be a list of words, got one string {words!r}; split it")
    if expect.count(k, "k") < 1 or not reference:
        raise ValueError(f"k must be at least 1 and reference not empty, got {k} and {list(reference)}")
    if not prediction:
        return 0.0
    value = math.exp(min(0.0, 1 - len(reference) / len(prediction)))
    for n in range(1, min(k, len(prediction)) + 1):
        said, right = _ngrams(prediction, n), _ngrams(reference, n)
        value *= ((said & right).total() / said.total()) ** (0.5**n)
    return value


def _ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def exact_match(predictions: Sequence[Sequence[str]], pairs: Sequence[Pair]) -> dict[str, float]:
    """The share of sentences translated word for word, by source length; "overall" is the mean of the bins.

    The length is the number of source words, punctuation counted, end of sentence not. A bin without
    sentences is left out. Equal weight for each bin: else "overall" would say which lengths are frequent.
    Raises ValueError when the numbers differ or no pair falls into a bin.
    """
    if len(predictions) != len(pairs):
        raise ValueError(f"one prediction per pair, got {len(predictions)} for {len(pairs)} pairs")
    hits: dict[str, list[bool]] = {name: [] for name in BINS}
    for prediction, pair in zip(predictions, pairs, strict=True):
        for name, (low, high) in BINS.items():
            if low <= len(pair.source) <= high:
                hits[name].append(list(prediction) == list(pair.target))
    shares = {name: sum(hit) / len(hit) for name, hit in hits.items() if hit}
    if not shares:
        raise ValueError(
            f"pairs must have sources of 1 to 29 words, got {len(pairs)} pairs and none that has"
        )
    return {**shares, "overall": sum(shares.values()) / len(shares)}


# ---- seeds -------------------------------------------------------------------------------------------


class Interval(NamedTuple):
    """A mean over seeds, and where the true mean lies with 95 % confidence."""

    mean: float
    low: float
    high: float


def interval(values: Sequence[float]) -> Interval:
    """Mean ± t · s / √n over 2 to 20 seeds, Student's t for 95 %. It may reach beyond 0 or 1.

    It speaks of new seeds on the same data, not of new data.
    Raises ValueError for fewer than 2 or more than 20 values, and for one that is not finite.
    """
    n = len(values)
    if not 2 <= n <= len(_T) + 1:
        raise ValueError(f"values must be 2 to {len(_T) + 1} numbers, got {n}")
    if not all(map(math.isfinite, values)):
        raise ValueError(f"values must be finite, got {list(values)}")
    mean = math.fsum(values) / n
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = _T[n - 2] * spread / math.sqrt(n)
    return Interval(mean, mean - half, mean + half)


# ---- alignments --------------------------------------------------------------------------------------


class Alignment(NamedTuple):
    """Counts that can be summed over sentences, and the rates made of them. Och and Ney 2003, section 5."""

    sure_hits: int  # |A ∩ S|
    hits: int  # |A ∩ P|
    links: int  # |A|
    sure: int  # |S|

    @property
    def error_rate(self) -> float:
        """AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|); 0 is perfect. Nothing said, nothing asked: 1."""
        return 1 - (self.sure_hits + self.hits) / (self.links + self.sure or 1)

    @property
    def precision(self) -> float:
        """|A∩P| / |A|: how many of the links drawn are allowed; 0 when none was drawn."""
        return self.hits / (self.links or 1)

    @property
    def recall(self) -> float:
        """|A∩S| / |S|: how many of the sure links were drawn; 0 when there are none."""
        return self.sure_hits / (self.sure or 1)


def align(weights: Tensor) -> set[Link]:
    """Each target word's strongest source word; the first of equals. A row of zeros gets no link.

    weights  (T, S), without the end of sentence on either side: see `alignment`
    """
    tops = weights.argmax(-1).tolist() if weights.shape[-1] else []
    return {(t, s) for t, s in enumerate(tops) if weights[t].sum() > 0}


def alignment(weights: Tensor, pair: Pair, *, sure_only: bool = False) -> Alignment:
    """Hold attention against the gold links.

    weights    (T, S), or with one row or column more: these belong to the ends of sentence and count on
               neither side, so a word that looks at the end is asked for its next best
    sure_only  take P = S: then an article that looks at its noun for the gender counts as wrong

    Raises ValueError for other shapes. `sum_alignments` adds up sentences.
    """
    target, source = len(pair.target), len(pair.source)
    if (
        weights.ndim != 2
        or weights.shape[0] - target not in (0, 1)
        or weights.shape[1] - source not in (0, 1)
    ):
        raise ValueError(
            f"weights must have {target} rows and {source} columns, each plus 1 for the end of sentence "
            f"or not, got {tuple(weights.shape)}"
        )
    links = align(weights[:target, :source])
    possible = pair.sure if sure_only else pair.sure | pair.possible
    return Alignment(len(links & pair.sure), len(links & possible), len(links), len(pair.sure))


def sum_alignments(alignments: Iterable[Alignment]) -> Alignment:
    """Counts of many sentences as one: rates over a corpus are made of sums, not of means."""
    counts = list(alignments)
    return (
        Alignment(*(sum(column) for column in zip(*counts, strict=True))) if counts else Alignment(0, 0, 0, 0)
    )


def entropy(weights: Tensor) -> Tensor:
    """-Σ w ln w over the keys, in nats: 0 for one word, ln S for all alike. (…, S) → (…)."""
    return torch.sum(torch.special.entr(weights), dim=-1)


def words_looked_at(weights: Tensor) -> Tensor:
    """exp(entropy): over how many words a row spreads; 0 for a row of zeros. (…, S) → (…)."""
    return torch.exp(entropy(weights)) * (weights.sum(-1) > 0)


def coverage(weights: Tensor) -> Tensor:
    """Σ over target words: how often each source word was looked at, 1 is once. (…, T, S) → (…, S)."""
    return weights.sum(-2)
