"""A Transformer of one layer each, with a line for each shape: what chapter 5 opens in `ShapeLedger`.

Letters: B sentences, S source words, T target words, t words written before, V words of a vocabulary, m width
of a word's vector (the paper's d_model), H heads, d and v widths of a head, d = v = m / H, f width inside the
feed-forward network.
"""

import math
from typing import cast

import torch
from torch import Tensor, nn

from attn_helpers.layers import DecoderLayer, EncoderLayer
from attn_helpers.masks import masked_softmax
from attn_helpers.multi_head import merge_heads, split_heads
from attn_helpers.positions import PlacedEmbedding
from attn_helpers.transformer import Transformer, TransformerDecoder, TransformerEncoder

Pair = tuple[Tensor, Tensor]  # keys and values


def training_pass(model: Transformer, source: Tensor, target_in: Tensor, mask: Tensor) -> Tensor:
    """`Transformer.forward` without padding and dropout, norms first, to be read.

    source     (B, S)
    target_in  (B, T)
    mask       (T, T)
    returns    logits (B, T, V)
    """
    encoder, decoder = cast(TransformerEncoder, model.encoder), cast(TransformerDecoder, model.decoder)
    memory = encoder_pass(encoder, source)  # (B, S, m)
    states = decoder_pass(decoder, target_in, memory, mask)  # (B, T, m)
    logits: Tensor = decoder.output(states)  # (B, T, V)
    return logits


def encoder_pass(encoder: TransformerEncoder, source: Tensor) -> Tensor:
    """Source words (B, S) look at one another: (B, S, m)."""
    layer = cast(EncoderLayer, encoder.stack[0])
    attention, (widen, narrow) = layer.attention, _feed_forward(layer)
    words = math.sqrt(encoder.hidden) * encoder.embedding.weight[source]  # (B, S, m)
    x = words + _places(encoder.embedding, words)  # (B, S, m)
    read = layer.around_attention.norm(x)  # (B, S, m)
    q = split_heads(attention.W_q(read), attention.heads)  # (B, H, S, d)
    k = split_heads(attention.W_k(read), attention.heads)  # (B, H, S, d)
    v = split_heads(attention.W_v(read), attention.heads)  # (B, H, S, v)
    scores = q @ k.mT / math.sqrt(attention.head_width)  # (B, H, S, S)
    weights = scores.softmax(-1)  # (B, H, S, S)
    found = weights @ v  # (B, H, S, v)
    x = x + attention.W_o(merge_heads(found))  # (B, S, m)
    inner = widen(layer.around_feed_forward.norm(x)).relu()  # (B, S, f)
    x = x + narrow(inner)  # (B, S, m)
    memory: Tensor = encoder.norm(x)
    return memory


def decoder_pass(decoder: TransformerDecoder, target_in: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
    """Target words (B, T) look at one another as the mask allows, then at the memory (B, S, m): (B, T, m)."""
    layer = cast(DecoderLayer, decoder.stack[0])
    own, cross, (widen, narrow) = layer.attention, layer.cross, _feed_forward(layer)
    words = math.sqrt(decoder.source_width) * decoder.embedding.weight[target_in]  # (B, T, m)
    x = words + _places(decoder.embedding, words)  # (B, T, m)
    read = layer.around_attention.norm(x)  # (B, T, m)
    q = split_heads(own.W_q(read), own.heads)  # (B, H, T, d)
    k = split_heads(own.W_k(read), own.heads)  # (B, H, T, d)
    v = split_heads(own.W_v(read), own.heads)  # (B, H, T, v)
    scores = q @ k.mT / math.sqrt(own.head_width)  # (B, H, T, T)
    weights = masked_softmax(scores, mask[None, None])  # (B, H, T, T)
    found = weights @ v  # (B, H, T, v)
    x = x + own.W_o(merge_heads(found))  # (B, T, m)
    q_cross = split_heads(cross.W_q(layer.around_cross.norm(x)), cross.heads)  # (B, H, T, d)
    k_cross = split_heads(cross.W_k(memory), cross.heads)  # (B, H, S, d)
    v_cross = split_heads(cross.W_v(memory), cross.heads)  # (B, H, S, v)
    looks = (q_cross @ k_cross.mT / math.sqrt(cross.head_width)).softmax(-1)  # (B, H, T, S)
    x = x + cross.W_o(merge_heads(looks @ v_cross))  # (B, T, m)
    inner = widen(layer.around_feed_forward.norm(x)).relu()  # (B, T, f)
    x = x + narrow(inner)  # (B, T, m)
    states: Tensor = decoder.norm(x)
    return states


def cached_step(decoder: TransformerDecoder, token: Tensor, past: Pair, source: Pair) -> tuple[Tensor, Pair]:
    """One word further, with the keys and values of the t words before and of the source at hand.

    token    (B,)
    returns  logits (B, V)
    """
    layer = cast(DecoderLayer, decoder.stack[0])
    own, cross, (widen, narrow) = layer.attention, layer.cross, _feed_forward(layer)
    k_past, v_past = past  # (B, H, t, d), (B, H, t, v)
    k_source, v_source = source  # (B, H, S, d), (B, H, S, v)
    words = math.sqrt(decoder.source_width) * decoder.embedding.weight[token[:, None]]  # (B, 1, m)
    x = words + _places(decoder.embedding, words, k_past.shape[2])  # (B, 1, m)
    read = layer.around_attention.norm(x)  # (B, 1, m)
    q = split_heads(own.W_q(read), own.heads)  # (B, H, 1, d)
    k_new = split_heads(own.W_k(read), own.heads)  # (B, H, 1, d)
    v_new = split_heads(own.W_v(read), own.heads)  # (B, H, 1, v)
    k = torch.cat([k_past, k_new], dim=2)  # (B, H, t + 1, d)
    v = torch.cat([v_past, v_new], dim=2)  # (B, H, t + 1, v)
    weights = (q @ k.mT / math.sqrt(own.head_width)).softmax(-1)  # (B, H, 1, t + 1)
    found = weights @ v  # (B, H, 1, v)
    x = x + own.W_o(merge_heads(found))  # (B, 1, m)
    q_cross = split_heads(cross.W_q(layer.around_cross.norm(x)), cross.heads)  # (B, H, 1, d)
    looks = (q_cross @ k_source.mT / math.sqrt(cross.head_width)).softmax(-1)  # (B, H, 1, S)
    x = x + cross.W_o(merge_heads(looks @ v_source))  # (B, 1, m)
    inner = widen(layer.around_feed_forward.norm(x)).relu()  # (B, 1, f)
    x = x + narrow(inner)  # (B, 1, m)
    logits = decoder.output(decoder.norm(x))[:, 0]  # (B, V)
    return logits, (k, v)


def _places(embedding: PlacedEmbedding, words: Tensor, first: int = 0) -> Tensor:
    """The waves of the words' places, counted from `first`."""
    places = torch.arange(first, first + words.shape[1])
    found: Tensor = embedding.places(places, like=words)
    return found


def _feed_forward(layer: EncoderLayer | DecoderLayer) -> tuple[nn.Module, nn.Module]:
    return layer.feed_forward[0], layer.feed_forward[3]
