"""Gold links beside attention: which are sure, which possible, and how well the weights meet them."""

import operator
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import torch
from traitlets import TraitError, TraitType

from attn_helpers.corpus.pairs import Pair
from attn_helpers.metrics import Alignment, align
from attn_helpers.widgets.payload import Array

Pairs = tuple[tuple[int, int], ...]


class Links(NamedTuple):
    """Gold links (query, key): the sure ones, and those that are merely possible."""

    sure: Pairs = ()
    possible: Pairs = ()


class Gold(TraitType):  # type: ignore[type-arg]  # traitlets 5.7 has no TraitType[…]
    """Links from {"sure": …, "possible": …} or from a corpus Pair, frozen; a sure one is not listed twice."""

    default_value = Links()
    info_text = 'a dict {"sure": [(query, key), …], "possible": […]} of positions, a corpus.Pair, or None'

    def validate(self, obj: Any, value: Any) -> Links:
        """The value as Links in the order of their rows, or a TraitError that says what is wrong."""
        if isinstance(value, Pair):
            _check_size(obj, value)
            value = {"sure": value.sure, "possible": value.possible}
        if isinstance(value, Links):
            value = value._asdict()
        try:
            named = {"": value} if not isinstance(value, Mapping | None) else dict(value or {})
            sure, possible = (_positions(named.pop(name, ())) for name in Links._fields)
            if named:
                raise ValueError(f"there is no such kind of link: {[*named]}")
        except (TypeError, ValueError):
            raise TraitError(f"gold takes {self.info_text}, got {value!r:.80}") from None
        return Links(tuple(sorted(sure)), tuple(sorted(possible - sure)))


def _positions(links: Iterable[Any]) -> set[tuple[int, int]]:
    """Pairs of whole numbers: 1.5 is refused, not cut down to another word."""
    found = set()
    for link in links:
        if any(isinstance(end, bool) for end in link):
            raise TypeError("a position is a number")
        query, key = map(operator.index, link)
        found.add((query, key))
    return found


def _check_size(heatmap: Any, pair: Pair) -> None:
    """Expect the pair's words, and at most the ends of sentence, as rows and columns."""
    words, size = (len(pair.target), len(pair.source)), heatmap._shape[2:]
    more = [have - want for have, want in zip(size, words, strict=True)]
    if not set(more) <= {0, 1}:
        raise TraitError(
            f"gold: a pair of {words[0]} target and {words[1]} source words needs as many rows and columns, "
            f"each plus 1 for the end of sentence or not, got {size[0]} rows and {size[1]} columns; "
            "padding is cut off with AttentionHeatmap.from_batch"
        )
    labels = (heatmap.query_tokens, heatmap.key_tokens)
    for last in [names[-1] for names, one in zip(labels, more, strict=True) if one]:
        if heatmap.end_token not in ("", last):
            raise TraitError(
                f"gold: after the words of the pair stands {last!r}, "
                f"which is not the end_token {heatmap.end_token!r}"
            )
        heatmap.end_token = last


def meets(weights: Array, links: Links, ends: tuple[set[int], set[int]], sure_only: bool) -> Alignment:
    """Strongest key of each query against the links; rows and columns in `ends` count on neither side.

    weights  (T, S); browser twin: alignmentError in js/decode.js
    """
    rows, columns = (
        [i for i in range(size) if i not in out] for size, out in zip(weights.shape, ends, strict=True)
    )
    drawn = {(rows[t], columns[s]) for t, s in align(torch.from_numpy(weights[rows][:, columns]))}
    counted = [{(q, k) for q, k in kind if q not in ends[0] and k not in ends[1]} for kind in links]
    sure = counted[0]
    possible = sure if sure_only else sure | counted[1]
    return Alignment(len(drawn & sure), len(drawn & possible), len(drawn), len(sure))
