"""Every look at the source, in any model with attention: seen, and changed before it is read with.

Letters: B sentences, H heads, S source words. For one GRU decoder it is `looking.operated`.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any, cast

from torch import Tensor

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.layers import DecoderLayer
from attn_helpers.looking import operated
from attn_helpers.multi_head import merge_heads
from attn_helpers.seq2seq import Seq2Seq
from attn_helpers.transformer import TransformerDecoder

Change = Callable[[int, int, Tensor], Tensor]
Head = tuple[int, int]  # layer and head, from 0


@contextmanager
def each_look(model: Seq2Seq, change: Change) -> Iterator[None]:
    """Inside, all weights over the source go through `change(t, layer, weights)`, and what is read with them.

    change  the step t and the layer, from 0; weights (B, H, 1, S) → (B, H, 1, S). They need not sum to 1.

    In a Transformer these are the weights of *cross*-attention; self-attention is left alone. A step's keys
    and values stay in the cache as the change has made them. The steps of one decoding are counted.
    Raises ValueError for a model without attention over a source.
    """
    decoder: Any = model.decoder
    with ExitStack() as patches:
        if isinstance(decoder, AttentionDecoder):
            patches.enter_context(operated(decoder, lambda t, w: change(t, 0, w[:, None])[:, 0]))
        elif isinstance(decoder, TransformerDecoder):
            for number, layer in enumerate(decoder.stack):
                patches.enter_context(_each_cross(cast(DecoderLayer, layer), number, change))
        else:
            raise ValueError(f"model must have attention over its source, got {type(decoder).__name__}")
        yield


@contextmanager
def _each_cross(layer: DecoderLayer, number: int, change: Change) -> Iterator[None]:
    """`each_look` for one layer of a Transformer's decoder."""
    cross, steps = layer.cross, count()

    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> tuple[Tensor, Tensor]:
        _, weights = type(cross).attend(cross, query, key, value, mask)
        changed = change(next(steps), number, weights)  # (B, H, 1, S)
        if changed.shape != weights.shape:
            raise ValueError(
                f"change must return weights of shape {tuple(weights.shape)}, got {tuple(changed.shape)}"
            )
        return cross.W_o(merge_heads(changed @ value)), changed

    cross.attend = attend  # type: ignore[method-assign,assignment]  # a decoder keeps all its heads
    try:
        yield
    finally:
        del cross.attend


def heads_of(model: Seq2Seq) -> Head:
    """(layers, heads) that look at the source: (1, 1) for a GRU decoder."""
    decoder: Any = model.decoder
    if isinstance(decoder, TransformerDecoder):
        return decoder.layers, cast(DecoderLayer, decoder.stack[0]).cross.heads
    return 1, 1
