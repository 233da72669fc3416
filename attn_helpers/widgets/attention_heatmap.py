"""AttentionHeatmap: which token looks where, as a grid or as ribbons, for one head or thousands of cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers.widgets.base import css, join_modules
from attn_helpers.widgets.heatmap_layout import is_dense, row_pitch
from attn_helpers.widgets.heatmap_state import AXES, NAMES, HeatmapState, Links, check_names
from attn_helpers.widgets.packed import packed
from attn_helpers.widgets.padding import pack_mask, read_mask, unpack_mask, valid_part
from attn_helpers.widgets.payload import Array, pack, read_weights, unpack

_MODULES = (
    *("words.js", "dom.js", "view.js", "decode.js", "canvas.js", "tokens.js", "heatmap_words.js"),
    *("heatmap_look.js", "grid.js", "sentence.js", "readout.js", "ribbons.js", "export.js", "heatmap.js"),
)


class AttentionHeatmap(HeatmapState):
    """Which token looks where. Point at a row to follow its query; click to keep it.

    weights       (T, S), (H, T, S) or (L, H, T, S), rows summing to 1 (or 0: may attend to nothing)
    query_tokens  T labels of rows; key_tokens: S labels of columns
    mask          bool, True = may attend; (T, S), each axis equal or 1: the rest is hatched
    lengths       (queries, keys): what lies beyond is padding, hatched
    normalised    False shows rows that do not sum to 1, such as weights after dropout
    gold          {"sure": [(query, key), …], "possible": […]}: marks, and the alignment error rate

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
        super().__init__(query_tokens=_list(query_tokens), key_tokens=_list(key_tokens), **state, **traits)

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
    ) -> None:
        """Show other weights, and other tokens where they are given; what no longer exists is unpinned."""
        state = _encoded(weights, normalised, mask, lengths)
        given = {"query_tokens": query_tokens, "key_tokens": key_tokens}
        state |= {name: _list(tokens) for name, tokens in given.items() if tokens is not None}
        state |= self._outdated(state["_shape"])
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

    @property
    def shown(self) -> Array:
        """The weights in sight, of the chosen layer and head or of a mean, (T, S)."""
        cells = self.weights.astype(np.float64)
        cells = cells.mean(axis=0) if self.layer == "mean" else cells[self.layer]  # (H, T, S)
        return np.asarray(cells.mean(axis=0) if self.head == "mean" else cells[self.head])  # (T, S)

    def _summary(self) -> str:
        layers, heads, queries, keys = self._shape
        several = (
            f", layers={layers}, heads={heads}" if layers > 1 else f", heads={heads}" if heads > 1 else ""
        )
        return f"{queries}×{keys}{several}"

    def _which(self) -> str:
        """Which layer and head is in sight, wherever there is a choice."""
        parts = [
            f"mean of {size} {what}s" if chosen == "mean" else f"{what} {names[chosen]}"
            for what, size, chosen, names in (
                ("layer", self._shape[0], self.layer, self.layer_labels),
                ("head", self._shape[1], self.head, self.head_labels),
            )
            if size > 1
        ]
        return ", ".join(parts)[:1].upper() + ", ".join(parts)[1:]

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        options: dict[str, Any] = {
            "row": self.row,
            "title": self._which(),
            "masked": unpack_mask(self._masked, self._shape[-2:]),
            "hidden": self.predict if self.guess is None else None,
        }
        cells, rows, columns = self.shown, self.query_tokens, self.key_tokens
        if self.view == "grid" or self._dense:
            return plots.weight_map(cells, rows, columns, links=self.gold, **options)
        faint = cells.max(axis=0) < 0.05  # js/ribbons.js leaves out an end that hardly gets anything
        aside = [k for k, name in enumerate(columns) if name == self.end_token and faint[k]]
        return plots.weight_ribbons(cells, rows, columns, aside=aside, **options)


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
