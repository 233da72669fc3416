"""The blocks of a Transformer: attention, a small network for each word, and what keeps a stack trainable.

Letters: B sentences, H heads, S source words, T target words, m width of a word's vector (the paper's
d_model), f width inside the feed-forward network.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attn_helpers import expect
from attn_helpers.multi_head import MultiHeadAttention


@dataclass(frozen=True)
class Sizes:
    """What an encoder and a decoder have in common. Raises ValueError for what does not fit."""

    width: int = 64  # m
    heads: int = 4  # H
    inner: int = 128  # f
    layers: int = 2  # of each stack
    dropout: float = 0.0
    norm: str = "pre"  # or "post": see `Residual`
    positions: str = "sinusoids"  # or "learned", "none"
    bias: bool = False  # of the four projections of attention; the paper's formulas have none

    def __post_init__(self) -> None:
        expect.widths(width=self.width, heads=self.heads, inner=self.inner, layers=self.layers)
        if self.norm not in ("pre", "post"):
            raise ValueError(f'norm must be "pre" or "post", got {self.norm!r}')


class Cache(NamedTuple):
    """Keys and values of the words so far, of one layer."""

    keys: Tensor  # (B, H, t, d)
    values: Tensor  # (B, H, t, v)

    def longer(self, keys: Tensor, values: Tensor) -> "Cache":
        """With those of the words that have come."""
        return Cache(torch.cat([self.keys, keys], dim=2), torch.cat([self.values, values], dim=2))

    def select(self, rows: Tensor) -> "Cache":
        """Those of the given rows of the batch."""
        return Cache(self.keys[rows], self.values[rows])


class FeedForward(nn.Sequential):
    """W_2 relu(W_1 x + b_1) + b_2, for each word by itself. Vaswani et al. 2017, eq. 2."""

    def __init__(self, width: int, inner: int, dropout: float = 0.0) -> None:
        expect.widths(width=width, inner=inner)
        super().__init__(nn.Linear(width, inner), nn.ReLU(), nn.Dropout(dropout), nn.Linear(inner, width))


class Residual(nn.Module):
    """What goes around a block: its output is added to its input, and a LayerNorm keeps the size.

    "pre"   x + block(norm(x)): a path from top to bottom without a norm; the stack ends with one
    "post"  norm(x + block(x)): the paper's

    The notes leave both out. He et al. 2016; Ba et al. 2016; Xiong et al. 2020 for "pre".
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.first = sizes.norm == "pre"
        self.norm, self.dropout = nn.LayerNorm(sizes.width), nn.Dropout(sizes.dropout)

    def before(self, x: Tensor) -> Tensor:
        """What the block reads."""
        return self.norm(x) if self.first else x

    def after(self, x: Tensor, made: Tensor) -> Tensor:
        """What goes on, when the block has made this of it."""
        total: Tensor = x + self.dropout(made)
        return total if self.first else self.norm(total)


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network: one of the encoder's n layers.

    Dropout apart, training and use are the same computation. Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.attention = _attention(sizes)
        self.feed_forward = FeedForward(sizes.width, sizes.inner, sizes.dropout)
        self.around_attention = Residual(sizes)
        self.around_feed_forward = Residual(sizes)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Words (B, S, m) look at one another as the mask (B, S or 1, S) allows.

        returns  (B, S, m) and the weights (B, H, S, S)
        A word that may look at nothing finds 0, and keeps what it is.
        """
        read = self.around_attention.before(x)
        found, weights = self.attention(read, read, read, mask)
        x = self.around_attention.after(x, found)
        made = self.feed_forward(self.around_feed_forward.before(x))
        return self.around_feed_forward.after(x, made), weights


class DecoderLayer(nn.Module):
    """Masked self-attention, *cross*-attention, feed-forward network: one of the decoder's n layers.

    Cross-attention asks with the target's words; keys and values are the encoder's. (The notes call it
    self-attention too.) Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.attention = _attention(sizes)
        self.cross = _attention(sizes)
        self.feed_forward = FeedForward(sizes.width, sizes.inner, sizes.dropout)
        self.around_attention = Residual(sizes)
        self.around_cross = Residual(sizes)
        self.around_feed_forward = Residual(sizes)

    def remember(self, states: Tensor) -> Cache:
        """The encoder's states (B, S, m) as this layer's keys and values, made once per sentence."""
        return Cache(*self.cross.project(states, states))

    def forward(
        self, x: Tensor, past: Cache, source: Cache, mask: Tensor | None, source_mask: Tensor | None
    ) -> tuple[Tensor, Cache, Tensor, Tensor]:
        """T words go on where t words have been.

        x            (B, T, m)
        past         keys and values of the t words before, of this layer
        source       what `remember` made of the encoder's states
        mask         (T, t + T) or (B, T, t + T): which target words each may look at
        source_mask  (B, 1, S)
        returns      (B, T, m), the longer cache, weights (B, H, T, t + T) and (B, H, T, S)
        """
        read = self.around_attention.before(x)
        seen = past.longer(*self.attention.project(read, read))
        found, weights = self.attention.attend(read, *seen, mask)
        x = self.around_attention.after(x, found)
        found, cross_weights = self.cross.attend(self.around_cross.before(x), *source, source_mask)
        x = self.around_cross.after(x, found)
        made = self.feed_forward(self.around_feed_forward.before(x))
        return self.around_feed_forward.after(x, made), seen, weights, cross_weights


def _attention(sizes: Sizes) -> MultiHeadAttention:
    return MultiHeadAttention(sizes.width, sizes.heads, bias=sizes.bias, dropout=sizes.dropout)
