"""What an AttentionHeatmap shows, as numbers and as a still picture."""

from typing import Any

import numpy as np

from attn_helpers.metrics import Alignment
from attn_helpers.widgets.gold import meets
from attn_helpers.widgets.heatmap_state import HeatmapState
from attn_helpers.widgets.padding import unpack_mask
from attn_helpers.widgets.payload import Array, unpack


class HeatmapReading(HeatmapState):
    """All that is read off the traits: the weights in sight, how they meet gold links, the picture."""

    @property
    def shown(self) -> Array:
        """The weights in sight, of the chosen layer and head or of a mean, (T, S)."""
        return self._choose(self.layer, self.head)

    def alignment(self, layer: Any = None, head: Any = None, *, sure_only: bool = False) -> Alignment:
        """How well the weights in sight, or those of another layer or head, meet the gold links.

        layer, head  index or "mean"; None: the one in sight
        sure_only    take P = S: then a link that is merely possible counts as wrong
        returns      counts and rates, `error_rate` among them; the strongest key of each query is its link,
                     ends of sentence (`end_token`) count on neither side. Och and Ney 2003.
        """
        chosen = self._choose(self.layer if layer is None else layer, self.head if head is None else head)
        return meets(
            chosen, self.gold, (self._ends(self.query_tokens), self._ends(self.key_tokens)), sure_only
        )

    def _ends(self, tokens: tuple[str, ...]) -> set[int]:
        """Where sentences end."""
        return {i for i, name in enumerate(tokens) if self.end_token and name == self.end_token}

    def _choose(self, layer: Any, head: Any) -> Array:
        """The weights of a layer and a head, or of a mean, (T, S)."""
        cells = unpack(self._payload, self._shape).astype(np.float64)
        cells = cells.mean(axis=0) if layer == "mean" else cells[layer]  # (H, T, S)
        return np.asarray(cells.mean(axis=0) if head == "mean" else cells[head])  # (T, S)

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

    def _remark(self) -> str:
        """The error rate and its rule, where there are links."""
        if not any(self.gold):
            return ""
        rate = f"{self.alignment().error_rate:.3f}".removeprefix("0")
        return f"AER {rate}: strongest source word per target word, end of sentence left out"

    def _picture(self) -> Any:
        from attn_helpers import plots  # matplotlib, needed only when a picture is asked for

        options: dict[str, Any] = {
            "row": self.row,
            "title": self._which(),
            "masked": unpack_mask(self._masked, self._shape[-2:]),
            "hidden": self.predict if self.guess is None else None,
            "gold": plots.Gold(self.gold.sure, self.gold.possible, self._remark())
            if self.show_gold
            else plots.Gold(),
        }
        cells, rows, columns = self.shown, self.query_tokens, self.key_tokens
        if self.view == "grid" or self._dense:
            return plots.weight_map(cells, rows, columns, **options)
        faint = cells.max(axis=0) < 0.05  # js/ribbons.js leaves out an end that hardly gets anything
        aside = [k for k, name in enumerate(columns) if name == self.end_token and faint[k]]
        return plots.weight_ribbons(cells, rows, columns, aside=aside, **options)
