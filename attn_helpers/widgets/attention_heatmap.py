"""AttentionHeatmap: which token looks where, as a grid or as ribbons, for one head or thousands of cells."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from traitlets import Bool, Bytes, Enum, Int, TraitError, TraitType, Tuple, Unicode, Union, validate

from attn_helpers.widgets.base import AttnWidget, Tokens, css, join_modules
from attn_helpers.widgets.heatmap_layout import is_dense, reserve, row_pitch
from attn_helpers.widgets.packed import packed
from attn_helpers.widgets.payload import Array, pack, pack_mask, read_mask, read_weights, unpack, valid_part

Pairs = tuple[tuple[int, int], ...]


class Links(NamedTuple):
    """Gold links (query, key): the sure ones, and those that are merely possible."""

    sure: Pairs = ()
    possible: Pairs = ()


class _Gold(TraitType[Links, Any]):
    """{"sure": pairs, "possible": pairs}, frozen."""

    default_value = Links()
    info_text = 'a dict {"sure": [(query, key), …], "possible": [(query, key), …]} of positions'

    def validate(self, obj: Any, value: Any) -> Links:
        if isinstance(value, Links):
            return value
        if not isinstance(value, Mapping) or set(value) - set(Links._fields):
            raise TraitError(f"{type(obj).__name__}.gold takes {self.info_text}, got {value!r:.80}")
        return Links(**{name: tuple((int(q), int(k)) for q, k in links) for name, links in value.items()})


class AttentionHeatmap(AttnWidget):
    """Which token looks where. Point at a row to follow its query; click to keep it.

    weights       (T, S), (H, T, S) or (L, H, T, S), rows summing to 1 (or 0: may attend to nothing)
    query_tokens  T labels of rows; key_tokens: S labels of columns
    mask          bool, True = may attend; (T, S), each axis equal or 1: the rest is hatched
    lengths       (queries, keys): what lies beyond is padding, hatched
    gold          {"sure": [(query, key), …], "possible": […]}: marks, and the alignment error rate
    normalised    False shows rows that do not sum to 1, such as weights after dropout

    Of several layers or heads, the first (0) is shown until another, or "mean", is chosen: `layer`, `head`.
    `row` and `column` are what is pinned, `predict` hides a row until a `guess` is made, `view` is "grid" or
    "ribbons". New weights: `update(…)`; the array that `weights` returns cannot be changed in place.

    Raises ValueError, TypeError or TraitError saying which argument, what was expected and what came.
    """

    _esm = packed(join_modules(
        "words.js",
        "dom.js",
        "view.js",
        "decode.js",
        "canvas.js",
        "tokens.js",
        "heatmap_words.js",
        "heatmap_look.js",
        "grid.js",
        "readout.js",
        "ribbons.js",
        "export.js",
        "heatmap.js",
    ))
    _css = css("attn.css", "heatmap.css")

    query_tokens = Tokens((), help="T labels, rows").tag(sync=True)
    key_tokens = Tokens((), help="S labels, columns").tag(sync=True)
    layer_labels = Tokens((), help="L names; the index where none are given").tag(sync=True)
    head_labels = Tokens((), help="H names; the index where none are given").tag(sync=True)
    layer = Union((Int(0), Enum(("mean",))), default_value=0, help='index or "mean"').tag(sync=True)
    head = Union((Int(0), Enum(("mean",))), default_value=0, help='index or "mean"').tag(sync=True)
    row = Int(None, allow_none=True, help="pinned query").tag(sync=True)
    column = Int(None, allow_none=True, help="pinned key; None: the strongest of the row").tag(sync=True)
    predict = Int(None, allow_none=True, help="query whose row is hidden until there is a guess").tag(sync=True)
    guess = Int(None, allow_none=True, help="the key the reader expects").tag(sync=True)
    view = Enum(("grid", "ribbons"), "grid").tag(sync=True)
    gold = _Gold(help="links to compare with").tag(sync=True)
    end_token = Unicode("", help="label of the sentence end: set small, not counted in the AER").tag(sync=True)
    title = Unicode("", help="the question above; {query} is replaced by the pinned token").tag(sync=True)
    hint = Unicode("", help="what to touch; a sentence of ours where empty").tag(sync=True)

    hint_narrow = Unicode("", help="the same on a phone; `hint` where empty").tag(sync=True)

    _payload = Bytes(help="weights as bytes, see payload.py").tag(sync=True)
    _shape = Tuple(Int(), Int(), Int(), Int(), default_value=(1, 1, 0, 0), help="L, H, T, S").tag(sync=True)
    _masked = Bytes(help="one bit per cell, or nothing").tag(sync=True)
    _dense = Bool(False, help="one canvas instead of an element per cell").tag(sync=True)
    _pitch = Tuple(default_value=(66, 56), help="height of a row, px, wide and narrow").tag(sync=True)
    reserve = Tuple(default_value=(0, 0), help="height of the widget, px, wide and narrow").tag(sync=True)

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
        state = _encoded(read_weights(weights, normalised), mask, lengths)
        _, heads_or_layers, *_ = state["_shape"], state["_shape"][:2]
        for name, count in zip(("layer_labels", "head_labels"), heads_or_layers, strict=True):
            traits.setdefault(name, [str(i) for i in range(count)])
        super().__init__(query_tokens=_list(query_tokens), key_tokens=_list(key_tokens), **state, **traits)
        self._reserve()

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

        weights                      (B, T, S), (B, H, T, S) or (L, B, H, T, S)
        query_lengths, key_lengths   (B,) valid lengths, or None where nothing is padded
        query_tokens, key_tokens     of this item, with or without its padding
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
        state = _encoded(read_weights(weights, normalised), mask, lengths)
        layers, heads, queries, keys = state["_shape"]
        given = {"query_tokens": query_tokens, "key_tokens": key_tokens}
        state |= {name: _list(tokens) for name, tokens in given.items() if tokens is not None}
        sizes = {"layer": layers, "head": heads, "row": queries, "column": keys, "predict": queries, "guess": keys}
        for name, size in sizes.items():
            chosen = getattr(self, name)
            if isinstance(chosen, int) and chosen >= size:
                state[name] = 0 if name in ("layer", "head") else None
        for name, size in (("layer_labels", layers), ("head_labels", heads)):
            if len(getattr(self, name)) != size:
                state[name] = [str(i) for i in range(size)]
        with self.hold_sync(), self.hold_trait_notifications():
            for name, value in state.items():
                setattr(self, name, value)
        self._reserve()

    @property
    def weights(self) -> NDArray[np.float32]:
        """What the page shows, (L, H, T, S), read-only."""
        return unpack(self._payload, self._shape)

    @weights.setter
    def weights(self, weights: Any) -> None:
        self.update(weights)

    @validate("query_tokens", "key_tokens", "layer_labels", "head_labels")
    def _names_fit(self, proposal: dict[str, Any]) -> Any:
        name, tokens = proposal["trait"].name, proposal["value"]
        axis = ("layer_labels", "head_labels", "query_tokens", "key_tokens").index(name)
        size, what = self._shape[axis], ("layers", "heads", "queries (rows)", "keys (columns)")[axis]
        if len(tokens) != size:
            raise TraitError(
                f"{name} must name each of the {size} {what} of weights {self._shape}, got {len(tokens)}; "
                "rows of weights are queries, columns are keys"
            )
        return tokens

    @validate("layer", "head", "row", "column", "predict", "guess")
    def _in_range(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        axis = {"layer": 0, "head": 1, "row": 2, "predict": 2, "column": 3, "guess": 3}[name]
        size = self._shape[axis]
        if isinstance(value, int) and not 0 <= value < size:
            raise TraitError(f"{name} must be from 0 to {size - 1}, got {value}")
        return value

    @validate("gold")
    def _links_fit(self, proposal: dict[str, Any]) -> Any:
        *_, queries, keys = self._shape
        for name, links in zip(Links._fields, proposal["value"], strict=True):
            for query, key in links:
                if not (0 <= query < queries and 0 <= key < keys):
                    raise TraitError(
                        f'gold["{name}"] holds (query, key) positions below ({queries}, {keys}), got {(query, key)}'
                    )
        return proposal["value"]

    def _reserve(self) -> None:
        self.reserve = reserve(self)

    def _summary(self) -> str:
        layers, heads, queries, keys = self._shape
        several = "".join(
            f", {name}={n}" for name, n in (("layers", layers), ("heads", heads)) if n > 1 or (name == "heads" and layers > 1)
        )
        return f"{queries}×{keys}{several}"

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        return plots.heatmap(self.shown(), self.query_tokens, self.key_tokens)

    def shown(self) -> Array:
        """The weights in sight, of the chosen layer and head or of a mean, (T, S)."""
        cells = self.weights.astype(np.float64)
        cells = cells.mean(axis=0) if self.layer == "mean" else cells[self.layer]  # (H, T, S)
        return np.asarray(cells.mean(axis=0) if self.head == "mean" else cells[self.head])  # (T, S)


def _encoded(cells: Array, mask: Any, lengths: tuple[int, int] | None) -> dict[str, Any]:
    """The traits that weights and mask come to."""
    queries, keys = cells.shape[-2:]
    hatched = read_mask(cells, mask, lengths)
    return {
        "_shape": cells.shape,
        "_payload": pack(cells),
        "_masked": pack_mask(hatched),
        "_dense": is_dense(queries, keys),
        "_pitch": row_pitch(queries, keys),
    }


def _list(tokens: Sequence[str]) -> Any:
    """Any sequence of labels but a string, which would fall apart into letters."""
    return tokens if isinstance(tokens, str) or not hasattr(tokens, "__iter__") else [_text(token) for token in tokens]


def _text(token: Any) -> Any:
    return str(token) if isinstance(token, str) else token  # NumPy has a string type of its own
