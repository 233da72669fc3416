"""Several attentions side by side, each with a view of its own on the whole input. Chapter 4.

Letters: B batch, H heads, T queries, S keys, d width of a head's queries and keys, v width of its values.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from attn_helpers import expect
from attn_helpers.batch_mask import Mask, as_mask
from attn_helpers.masks import masked_softmax
from attn_helpers.scoring import scaled_dot_score

__all__ = ["MultiHeadAttention", "as_mask", "merge_heads", "split_heads"]

Keep = Sequence[int] | None  # the heads that count, by number; None: all


def split_heads(rows: Tensor, heads: int) -> Tensor:
    """Cut every token's row into H pieces, one per head: (B, T, H·d) → (B, H, T, d).

    The transpose is needed: `view(B, H, T, d)` has the same shape, but deals whole tokens out to the heads.
    Raises ValueError when the width is no multiple of H. Notes, "multi-head attention".
    """
    expect.floats(rows=rows)
    if rows.ndim != 3:
        raise ValueError(f"rows must have the axes (B, T, width), got {tuple(rows.shape)}")
    batch, tokens, width = rows.shape
    return rows.reshape(batch, tokens, heads, head_width_of(width, heads)).transpose(1, 2)  # (B, H, T, d)


def merge_heads(heads: Tensor) -> Tensor:
    """Put each token's pieces side by side again, head 0 first: (B, H, T, d) → (B, T, H·d)."""
    return heads.transpose(1, 2).flatten(2)


def head_width_of(width: int, heads: int) -> int:
    """What each of H equal heads gets of a width. ValueError, with the sum in words, if it leaves a rest."""
    expect.widths(width=width, heads=heads)
    each, rest = divmod(width, heads)
    if rest:
        raise ValueError(
            f"width {width} does not split into {heads} heads: {width} = {heads}·{each} + {rest}"
        )
    return each


class MultiHeadAttention(nn.Module):
    """H attentions on H learned views of the whole input, joined and mixed by W_o.

    h_i = Σ_s softmax(q W_iq (k W_ik)ᵀ / √d) v W_iv;  output = [h_1; …; h_H] W_o

    width             of the queries that come in and of the output (p_o)
    key_width         of the keys that come in; as `width` unless given
    value_width       of the values that come in; as `key_width` unless given
    head_width        d = p_q = p_k, equal because a dot product needs it; width / heads unless given
    head_value_width  v = p_v, free: W_o goes from H·v to p_o; as `head_width` unless given
    bias              whether the four projections add a bias
    dropout           the share of weights left out in training

    Raises ValueError or TypeError for widths that are no whole numbers from 1 or leave a rest.
    Notes, "multi-head attention"; Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        key_width: int | None = None,
        value_width: int | None = None,
        head_width: int | None = None,
        head_value_width: int | None = None,
        bias: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.width, self.heads = width, heads
        self.key_width = width if key_width is None else key_width
        self.value_width = self.key_width if value_width is None else value_width
        self.head_width = head_width_of(width, heads) if head_width is None else head_width
        self.head_value_width = self.head_width if head_value_width is None else head_value_width
        expect.widths(width=width, heads=heads, key_width=self.key_width, value_width=self.value_width)
        expect.widths(head_width=self.head_width, head_value_width=self.head_value_width)
        self.W_q = _linear(width, heads * self.head_width, bias)
        self.W_k = _linear(self.key_width, heads * self.head_width, bias)
        self.W_v = _linear(self.value_width, heads * self.head_value_width, bias)
        self.W_o = _linear(heads * self.head_value_width, width, bias)
        self.dropout = nn.Dropout(dropout)

    def extra_repr(self) -> str:
        """What no weight's shape shows: two heads of 32 and four of 16 have the same weights."""
        return f"heads={self.heads}, head_width={self.head_width}, head_value_width={self.head_value_width}"

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None = None, *, keep: Keep = None
    ) -> tuple[Tensor, Tensor]:
        """All heads at once.

        query    (B, T, width)
        key      (B, S, key_width)
        value    (B, S, value_width)
        mask     (B, T, S) or (T, S) bool, True = may attend, or lengths (B,): see `as_mask`
        keep     the heads that count, by number; the others add nothing to the output. None: all
        returns  output (B, T, width), weights (B, H, T, S)

        The weights are each head's own (for their mean, `weights.mean(1)`) and from before dropout: a row
        sums to 1 in training, too. They are a by-product: there is no other path to the output.
        A query that may attend to nothing gets weights 0 and 0 of every head; W_o makes 0 of it, or, with
        bias=True, its bias.
        Raises ValueError for what does not fit or is not finite, TypeError for another type.
        """
        return self.attend(query, *self.project(key, value), mask, keep=keep)

    def project(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Each head's keys (B, H, S, d) and values (B, H, S, v): made once, kept for many queries."""
        self._check_pair(key, value)
        return split_heads(self.W_k(key), self.heads), split_heads(self.W_v(value), self.heads)

    def attend(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None = None, *, keep: Keep = None
    ) -> tuple[Tensor, Tensor]:
        """As `forward`, with what `project` has made: key (B, H, S, d), value (B, H, S, v)."""
        mask = self._fit(query, key, value, mask)  # (B, T, S)
        scores = scaled_dot_score(split_heads(self.W_q(query), self.heads), key)  # (B, H, T, S)
        weights = masked_softmax(scores, None if mask is None else mask[:, None])
        found = self.dropout(weights) @ value  # (B, H, T, v)
        if keep is not None:
            found = found * found.new_tensor(self._counts(keep))[:, None, None]
        return self.W_o(merge_heads(found)), weights

    def forward_loop(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None = None, *, keep: Keep = None
    ) -> tuple[Tensor, Tensor]:
        """As `forward`, one head after the other, to be read; W_o becomes a sum of what each head adds.

        In training with dropout the two forms leave out other weights; else they agree to rounding.
        """
        self._check_pair(key, value)
        self._check_query(query, key)
        mask = as_mask(mask, len(query), query.shape[1], key.shape[1])  # (B, T, S)
        counts = self._counts(range(self.heads) if keep is None else keep)
        parts = [made.chunk(self.heads, -1) for made in (self.W_q(query), self.W_k(key), self.W_v(value))]
        outs = self.W_o.weight.chunk(self.heads, dim=-1)  # H times (width, v)
        output = self.W_o(query.new_zeros(*query.shape[:2], self.W_o.in_features))  # 0, or its bias
        rows = []
        for q, k, v, out, counted in zip(*parts, outs, counts, strict=True):
            weights = masked_softmax(scaled_dot_score(q, k), mask)  # (B, T, S)
            if counted:
                output = output + self.dropout(weights) @ v @ out.mT  # (B, T, width)
            rows.append(weights)
        return output, torch.stack(rows, dim=1)

    def _fit(self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None) -> Tensor | None:
        """Refuse what does not line up; the mask as (B, T, S)."""
        expect.rows(key=key, value=value)
        self._check_query(query, key)
        batch, queries, keys = len(query), query.shape[1], key.shape[-2]
        expect.shape(key, (batch, self.heads, keys, self.head_width), "key", "(B, H, S, d)")
        expect.shape(value, (batch, self.heads, keys, self.head_value_width), "value", "(B, H, S, v)")
        return as_mask(mask, batch, queries, keys)

    def _check_query(self, query: Tensor, key: Tensor) -> None:
        self._check("query", query, self.width)
        if len(key) != len(query):
            raise ValueError(f"query and key must have the same batch B, got {len(query)} and {len(key)}")

    def _check_pair(self, key: Tensor, value: Tensor) -> None:
        self._check("key", key, self.key_width)
        self._check("value", value, self.value_width)
        if key.shape[:2] != value.shape[:2]:
            got = f"{tuple(key.shape[:2])} and {tuple(value.shape[:2])}"
            raise ValueError(f"key and value must agree in batch and number, (B, S), got {got}")

    def _check(self, name: str, rows: Tensor, width: int) -> None:
        expect.floats(**{"W_q": self.W_q.weight, name: rows})
        if rows.ndim != 3 or rows.shape[-1] != width:
            raise ValueError(f"{name} must have the shape (B, tokens, {width}), got {tuple(rows.shape)}")
        expect.finite(hint="", **{name: rows})

    def _counts(self, keep: Sequence[int]) -> list[bool]:
        """For each head, whether it counts."""
        counts = [False] * self.heads
        for head in keep:
            number = expect.count(head, "a head of keep")
            if number >= self.heads:
                raise ValueError(f"keep must name heads from 0 to {self.heads - 1}, got {number}")
            counts[number] = True
        return counts


def _linear(width_in: int, width_out: int, bias: bool) -> nn.Linear:
    linear = nn.Linear(width_in, width_out, bias)
    nn.init.xavier_uniform_(linear.weight)
    if bias:
        nn.init.zeros_(linear.bias)
    return linear
