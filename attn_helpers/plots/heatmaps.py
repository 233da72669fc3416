"""Heatmaps of several heads side by side; of one, the still picture of AttentionHeatmap. Every chapter."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attn_helpers.plots import given
from attn_helpers.plots.colours import Array
from attn_helpers.plots.ink import Picture, as_array, style, token
from attn_helpers.plots.weight_map import Mask, draw_cells, draw_hatch, draw_labels, named, seen, weight_map

_AXES = {n: ["layers", "heads", "queries", "keys"][4 - n :] for n in (2, 3, 4)}
_MOST = 24  # maps that can still be looked at one by one
_WIDEST = 4  # maps in a line


def heatmaps(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    titles: Sequence[str] | None = None,
    mask: Any = None,
) -> Picture:
    """Attention weights as maps: row = query, column = key, colours fixed at 0–1 and the same in each map.

    weights  (T, S), (H, T, S) or (L, H, T, S), each between 0 and 1: lists, NumPy, tensors of any float type
    titles   one for each map, layer by layer; without them "head 2" or "layer 0, head 2"
    mask     (T, S), bool, True = may attend; the rest is hatched

    Tokens are drawn as they are, repeated ones in places of their own. Raises ValueError or TypeError naming
    the argument that does not fit, and for more maps than can be looked at.
    """
    cells = _read(weights)
    shape = cells.shape[-2:]
    maps, names, masked = (
        cells.reshape(-1, *shape),
        _titles(titles, cells.shape[:-2]),
        _forbidden(mask, shape),
    )
    if len(maps) == 1:
        return weight_map(maps[0], query_tokens, key_tokens, title=names[0], masked=masked)
    labels = named(maps[0], query_tokens, key_tokens, 16)
    across = min(len(maps), _WIDEST if cells.ndim < 4 else cells.shape[1])
    size = f"{shape[0]} queries (rows) over {shape[1]} keys (columns)"
    alt = f"Weights of {size}: {', '.join(map(token, names))}."
    return _side_by_side(seen(maps, np.broadcast_to(masked, maps.shape), None), names, labels, across, alt)


def _side_by_side(
    maps: Any, names: list[str], labels: tuple[list[str], list[str]], across: int, alt: str
) -> Picture:
    """Maps in lines of `across`; tokens stand only at the outer sides."""
    down = -(-len(maps) // across)
    wide, high = (float(np.clip(30 * count, 90, 210)) for count in reversed(maps.shape[1:]))
    picture = Picture(alt, 170 + across * (wide + 14), 90 + down * (high + 34), layout="constrained")
    with style():
        panels = picture.subplots(down, across, squeeze=False)
        for i, axes in enumerate(panels.flat):
            axes.set_visible(i < len(maps))
            if i < len(maps):
                axes.set_title(token(names[i]), loc="left", weight="bold", size=10, pad=8)
                draw_cells(axes, maps[i], wide)
                sides = (labels[0] if i % across == 0 else [], labels[1] if i < across else [])
                draw_labels(axes, *sides, wide, high)
                draw_hatch(axes, np.ma.getmaskarray(maps[i]))
        _bar(picture, panels)
    return picture


def _forbidden(mask: Any, shape: tuple[int, ...]) -> Mask:
    """What is to be hatched, (T, S)."""
    if mask is None:
        return np.zeros(shape, dtype=bool)
    given_mask = np.asarray(mask.detach().cpu() if hasattr(mask, "detach") else mask)
    if given_mask.dtype != np.bool_ or given_mask.shape != shape:
        raise ValueError(
            f"mask must be boolean (True = may attend) with the shape (T, S) = {shape}, "
            f"got {given_mask.dtype} of shape {given_mask.shape}"
        )
    return ~given_mask


def _read(weights: Any) -> Array:
    """The weights as float64, their axes and values checked."""
    try:
        count = as_array(weights).ndim
    except (TypeError, ValueError):  # told by name below
        count = 3
    cells = given.weights(weights, _AXES.get(count, _AXES[3]))
    maps = int(np.prod(cells.shape[:-2]))
    if maps > _MOST:
        raise ValueError(
            f"weights hold {maps} maps, shape {cells.shape}, and a picture shows at most {_MOST}: "
            "choose a layer, weights[layer], or heads, weights[layer, :8]; AttentionHeatmap takes them all"
        )
    return cells


def _titles(titles: Sequence[str] | None, shape: tuple[int, ...]) -> list[str]:
    """A name for each map."""
    count = int(np.prod(shape))
    if titles is None:
        parts = ["layer {}", "head {}"][2 - len(shape) :]
        return [", ".join(parts).format(*place) for place in np.ndindex(shape)]
    if isinstance(titles, str) or len(titles) != count:
        raise ValueError(f"titles must name each of the {count} maps, got {titles!r:.60}")
    return [str(title) for title in titles]


def _bar(picture: Picture, panels: Any) -> None:
    """One scale for all maps."""
    bar = picture.colorbar(panels[0, 0].images[0], ax=panels, shrink=0.6, ticks=(0, 0.5, 1), aspect=30)
    bar.outline.set_visible(False)
    bar.ax.set_yticklabels(["0", ".5", "1"], size=9.5)
