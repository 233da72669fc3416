"""AttentionHeatmap: which token looks where, as a grid or as ribbons, for one head or thousands of cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers.widgets.base import css, join_modules
from attn_helpers.widgets.gold import Links
from attn_helpers.widgets.heatmap_layout import is_dense, row_pitch
from attn_helpers.widgets.heatmap_reading import HeatmapReading
from attn_helpers.widgets.heatmap_state import AXES, NAMES, check_names
from attn_helpers.widgets.packed import packed
from attn_helpers.widgets.padding import pack_mask, read_mask, valid_part
from attn_helpers.widgets.payload import pack, read_weights, unpack

_MODULES = (
    *("words.js", "dom.js", "view.js", "decode.js", "ramp.js", "canvas.js", "tokens.js", "heatmap_words.js"),
    *("heatmap_look.js", "grid.js", "sentence.js", "readout.js", "ribbons.js", "export.js", "heatmap.js"),
)


class AttentionHeatmap(HeatmapReading):
    """Which token looks where. Point at a row to follow its query; click to keep it.

    weights       (T, S), (H, T, S) or (L, H, T, S), rows summing to 1 (or 0: may attend to nothing)
    query_tokens  T labels of rows; key_tokens: S labels of columns
    mask          bool, True = may attend; (T, S), each axis equal or 1: the rest is hatched
    lengths       (queries, keys): what lies beyond is padding, hatched
    normalised    False shows rows that do not sum to 1, such as weights after dropout
    gold          {"sure": [(query, key), …], "possible": […]} or a corpus.Pair: a dot for a sure link, a ring
                  for a possible one, and the alignment error rate with its rule; `show_gold` hides them

    Of several layers or heads, the first (0) is shown until another, or "mean", is chosen: `layer`, `head`.
    `row` and `column` are what is pinned, `predict` hides a row until there is a `guess`, `view` is "grid"
    or "ribbons". For new weights there is `update`; those that `weights` returns cannot be changed in place.

    Raises ValueError, TypeError or TraitError saying which argument, what was expected and what came.
    """

    _esm = packed(join_modules(*_MODULES))
    _css = css("attn.css", "grid.css", "heatmap.css")

    def __init__(
        self,
        weights: Any,
        query_tokens: Sequence[str],
        key_tokens: Sequence[str],
        *,
        mask: Any = None,
        lengths: tuple[int, int] | None = None,
        normalised: bool = True,
        **traits: Any,
    ):
        state = _encoded(weights, normalised, mask, lengths)
        for name, count in zip(("layer_labels", "head_labels"), state["_shape"], strict=False):
            traits[name] = _list(traits.get(name)) or _indices(count)
        tokens = {"query_tokens": _list(query_tokens), "key_tokens": _list(key_tokens)}
        super().__init__(**tokens, **state, **dict(sorted(traits.items())))  # end_token before gold

    @classmethod
    def from_batch(
        cls,
        weights: Any,
        item: int,
        query_lengths: Any,
        key_lengths: Any,
        query_tokens: Sequence[str],
        key_tokens: Sequence[str],
        padding: str = "crop",
        **options: Any,
    ) -> "AttentionHeatmap":
        """One item of a batch, its padding cut off ("crop") or hatched ("hatch").

        weights                     (B, T, S), (B, H, T, S) or (L, B, H, T, S)
        query_lengths, key_lengths  (B,) valid lengths, or None where nothing is padded
        query_tokens, key_tokens    of this item, with or without its padding
        """
        part = valid_part(weights, item, query_lengths, key_lengths, padding)
        names = [
            [*_list(tokens)[:size], *["⟨pad⟩"] * (size - len(tokens))]
            for tokens, size in zip((query_tokens, key_tokens), part.weights.shape[-2:], strict=True)
        ]
        return cls(part.weights, *names, lengths=part.lengths, **options)

    def update(
        self,
        weights: Any,
        query_tokens: Sequence[str] | None = None,
        key_tokens: Sequence[str] | None = None,
        *,
        mask: Any = None,
        lengths: tuple[int, int] | None = None,
        normalised: bool = True,
        gold: Any = None,
    ) -> None:
        """Show other weights, and other tokens and links where given; what no longer exists is unpinned."""
        state = _encoded(weights, normalised, mask, lengths)
        given = {"query_tokens": query_tokens, "key_tokens": key_tokens}
        state |= {name: _list(tokens) for name, tokens in given.items() if tokens is not None}
        state |= self._outdated(state["_shape"]) | ({} if gold is None else {"gold": gold})
        for name in NAMES:
            check_names(name, state.get(name, getattr(self, name)), state["_shape"])
        with self.hold_sync(), self.hold_trait_notifications():
            for name, value in state.items():
                setattr(self, name, value)

    def _outdated(self, shape: tuple[int, ...]) -> dict[str, Any]:
        """Traits that weights of another shape leave without meaning, with their new values."""
        state: dict[str, Any] = {}
        for name, axis in AXES.items():
            chosen = getattr(self, name)
            if isinstance(chosen, int) and chosen >= shape[axis]:
                state[name] = 0 if name in ("layer", "head") else None
        for name, count in zip(("layer_labels", "head_labels"), shape, strict=False):
            if len(getattr(self, name)) != count:
                state[name] = _indices(count)
        return state if shape[2:] == self._shape[2:] else {**state, "gold": Links()}

    @property
    def weights(self) -> NDArray[np.float32]:
        """What the page holds, (L, H, T, S), read-only."""
        return unpack(self._payload, self._shape)

    @weights.setter
    def weights(self, weights: Any) -> None:
        self.update(weights)


def _encoded(weights: Any, normalised: bool, mask: Any, lengths: tuple[int, int] | None) -> dict[str, Any]:
    """The traits that weights and mask come to."""
    cells = read_weights(weights, normalised)  # (L, H, T, S)
    queries, keys = cells.shape[-2:]
    return {
        "_shape": cells.shape,
        "_payload": pack(cells),
        "_masked": pack_mask(read_mask(cells, mask, lengths)),
        "_dense": is_dense(queries, keys),
        "_pitch": row_pitch(queries, keys),
    }


def _indices(count: int) -> list[str]:
    return [str(i) for i in range(count)]


def _list(tokens: Any) -> Any:
    """Any sequence of labels as a list, but for a string, which would fall apart into letters."""
    if isinstance(tokens, str) or not hasattr(tokens, "__iter__"):
        return tokens
    return [str(token) if isinstance(token, str) else token for token in tokens]  # NumPy's strings too
