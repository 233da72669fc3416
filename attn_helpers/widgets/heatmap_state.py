"""The state of an AttentionHeatmap: its traits, and what must hold between them."""

import operator
from typing import Any

from traitlets import Bool, Bytes, Enum, Int, TraitError, Tuple, Unicode, Union, observe, validate

from attn_helpers.widgets.base import AttnWidget, Tokens
from attn_helpers.widgets.gold import Gold, Links
from attn_helpers.widgets.heatmap_layout import height

NAMES = ("layer_labels", "head_labels", "query_tokens", "key_tokens")  # of weights (L, H, T, S)
AXES = {"layer": 0, "head": 1, "row": 2, "predict": 2, "column": 3, "guess": 3}


class _Index(Int):  # type: ignore[type-arg]
    """A position, or None; whole numbers of NumPy and torch are taken as well."""

    def validate(self, obj: Any, value: Any) -> Any:
        return super().validate(obj, operator.index(value) if hasattr(value, "__index__") else value)


def check_names(name: str, tokens: Any, shape: tuple[int, ...]) -> None:
    """Expect one label for each layer, head, query or key of weights (L, H, T, S)."""
    axis = NAMES.index(name)
    size, what = shape[axis], ("layers", "heads", "queries (rows)", "keys (columns)")[axis]
    if len(tokens) != size:
        raise TraitError(
            f"{name} must name each of the {size} {what} of the weights {shape}, got {len(tokens)} names; "
            "rows of weights are queries, columns are keys"
        )


class HeatmapState(AttnWidget):
    """Traits of AttentionHeatmap; those with an underscore are set by `update` alone."""

    query_tokens = Tokens((), help="T labels, rows").tag(sync=True)
    key_tokens = Tokens((), help="S labels, columns").tag(sync=True)
    layer_labels = Tokens((), help="L names; the index where none are given").tag(sync=True)
    head_labels = Tokens((), help="H names; the index where none are given").tag(sync=True)
    layer = Union((_Index(), Enum(("mean",))), default_value=0, help='index or "mean"').tag(sync=True)
    head = Union((_Index(), Enum(("mean",))), default_value=0, help='index or "mean"').tag(sync=True)
    row = _Index(None, allow_none=True, help="pinned query").tag(sync=True)
    column = _Index(None, allow_none=True, help="pinned key; None: the row's strongest").tag(sync=True)
    predict = _Index(None, allow_none=True, help="query whose row is hidden until a guess").tag(sync=True)
    guess = _Index(None, allow_none=True, help="the key the reader expects").tag(sync=True)
    view = Enum(("grid", "ribbons"), "grid").tag(sync=True)
    gold = Gold(help="links to compare with").tag(sync=True)
    show_gold = Bool(True, help="mark the links and show the error rate, where there are links")
    show_gold.tag(sync=True)
    end_token = Unicode("", help="label of the sentence's end: set small, not counted in the AER")
    end_token.tag(sync=True)
    title = Unicode("", help="the question above; {query} stands for the pinned token").tag(sync=True)
    hint = Unicode("", help="what to touch; a sentence of ours where empty").tag(sync=True)
    hint_narrow = Unicode("", help="the same on a phone; `hint` where empty").tag(sync=True)
    reserve = Tuple(Int(), Int(), default_value=(0, 0), help="height in px, wide and on a phone")
    reserve.tag(sync=True)

    _payload = Bytes(help="weights as bytes, see payload.py").tag(sync=True)
    _shape = Tuple(*[Int()] * 4, default_value=(1, 1, 0, 0), help="L, H, T, S").tag(sync=True)
    _masked = Bytes(help="one bit per cell, or nothing").tag(sync=True)
    _dense = Bool(False, help="one canvas instead of an element per cell").tag(sync=True)
    _pitch = Tuple(default_value=(66, 56), help="height of a row in px, wide and on a phone").tag(sync=True)

    @validate(*NAMES)
    def _names_fit(self, proposal: dict[str, Any]) -> Any:
        check_names(proposal["trait"].name, proposal["value"], self._shape)
        return proposal["value"]

    @validate(*AXES)
    def _in_range(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        size = self._shape[AXES[name]]
        if isinstance(value, int) and not 0 <= value < size:
            raise TraitError(f"{name} must be from 0 to {size - 1}, got {value}")
        return value

    @validate("gold")
    def _links_fit(self, proposal: dict[str, Any]) -> Any:
        size = self._shape[2:]
        for name, links in zip(Links._fields, proposal["value"], strict=True):
            odd = [link for link in links if not (0 <= link[0] < size[0] and 0 <= link[1] < size[1])]
            if odd:
                raise TraitError(
                    f'gold["{name}"] takes (query, key) positions from 0, below {size}, got {odd[0]}'
                )
        return proposal["value"]

    @observe("view", "title", "gold", "show_gold", "_shape")
    def _set_reserve(self, _change: Any) -> None:
        self.reserve = height(self._shape, self.view, self.title, self.show_gold and any(self.gold))
