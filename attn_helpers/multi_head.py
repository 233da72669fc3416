"""Many attentions side by side, each with projections of its own. Chapter 4.

Letters: B batch, H heads (the notes' h), T queries, S keys, d width of a head's queries and keys (p_q = p_k),
v width of a head's values (p_v). Batch first, as everywhere here.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from attn_helpers import expect
from attn_helpers.head_masks import Mask, mask_for_heads
from attn_helpers.masks import masked_softmax
from attn_helpers.scoring import attend, scaled_dot_score

__all__ = ["Mask", "MultiHeadAttention", "mask_for_heads", "merge_heads", "split_heads"]


def split_heads(tensor: Tensor, heads: int) -> Tensor:
    """Give each head its share of the width: (B, T, H·d) → (B, H, T, d).

    First cut the width, then swap two axes. To `view` it as (B, H, T, d) at once would fill head 0 with
    the first tokens instead of with the first d numbers of every token: same shape, scrambled words.
    """
    share = expect.equal_shares(tensor.shape[-1], heads, "the last axis")
    return tensor.reshape(*tensor.shape[:-1], heads, share).transpose(-3, -2)  # (B, T, H, d) → (B, H, T, d)


def merge_heads(tensor: Tensor) -> Tensor:
    """Undo `split_heads`: (B, H, T, v) → (B, T, H·v), the heads of one token side by side."""
    return tensor.transpose(-3, -2).flatten(-2)  # (B, T, H, v) → (B, T, H·v)


class MultiHeadAttention(nn.Module):
    """h_i = Σ_t softmax(a(W_i^q q, W_i^k k_t)) W_i^v v_t, the heads joined and mixed by W_o; a = scaled dot.

    width             of the queries (d_q) and of the output (p_o)
    heads             H
    key_width         d_k of the keys that come in, value_width d_v of the values; both `width` if not said
    head_width        d = p_q = p_k, of one head's queries and keys
    head_value_width  v = p_v, of one head's values; both width / heads if not said
    bias              for all four projections; then a query that may attend to nothing gets W_o's bias
    dropout           share of the weights set to 0 while training

    Every head sees the whole input. W_q, W_k, W_v hold the heads' matrices below each other, W_o (p_o, H·v)
    beside each other. The weights handed back are those before dropout: their rows always sum to 1, or to
    0 for a query that may attend to nothing, whose heads are 0. Handing them back changes nothing.
    Raises ValueError for widths that do not split and for input that does not fit, TypeError for types.
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
        expect.widths(width=width, heads=heads)
        key_width = width if key_width is None else key_width
        value_width = width if value_width is None else value_width
        expect.widths(key_width=key_width, value_width=value_width)
        self.width, self.heads = width, heads
        self.head_width = _share(width, heads, "head_width", head_width)
        self.head_value_width = _share(width, heads, "head_value_width", head_value_width)
        self.W_q = _linear(width, heads * self.head_width, bias)
        self.W_k = _linear(key_width, heads * self.head_width, bias)
        self.W_v = _linear(value_width, heads * self.head_value_width, bias)
        self.W_o = _linear(heads * self.head_value_width, width, bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask = None, *, silent: Sequence[int] = ()
    ) -> tuple[Tensor, Tensor]:
        """All heads at once.

        query    (B, T, d_q)
        key      (B, S, d_k)
        value    (B, S, d_v)
        mask     (B, T, S) or (T, S) bool, True = may attend; or lengths (B,): see `mask_for_heads`
        silent   numbers of heads to switch off: their weights, and so their outputs, become 0
        returns  output (B, T, p_o), weights (B, H, T, S); the mean of heads is `weights.mean(1)`
        """
        return self.attend(query, *self.project(key, value), mask, silent=silent)

    def project(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """What can be made once and kept while queries come and go: (B, H, S, d) and (B, H, S, v)."""
        _tokens(key, self.W_k, "key", "(B, S, d_k)")
        _tokens(value, self.W_v, "value", "(B, S, d_v)")
        if key.shape[:2] != value.shape[:2]:
            got = f"{tuple(key.shape)} and {tuple(value.shape)}"
            raise ValueError(f"key and value need the same B and S, one value per key, got {got}")
        return split_heads(self.W_k(key), self.heads), split_heads(self.W_v(value), self.heads)

    def attend(
        self, query: Tensor, keys: Tensor, values: Tensor, mask: Mask = None, *, silent: Sequence[int] = ()
    ) -> tuple[Tensor, Tensor]:
        """`forward` with keys (B, H, S, d) and values (B, H, S, v) that `project` has made."""
        mask = self._expect(query, keys, values, mask, silent)
        queries = split_heads(self.W_q(query), self.heads)  # (B, H, T, d)
        weights = masked_softmax(scaled_dot_score(queries, keys), mask)  # (B, H, T, S)
        if len(silent):
            weights = weights.index_fill(1, torch.tensor(silent, device=weights.device), 0)
        output: Tensor = self.W_o(merge_heads(self.dropout(weights) @ values))  # (B, T, H·v) → (B, T, p_o)
        return output, weights

    def forward_loop(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask = None, *, silent: Sequence[int] = ()
    ) -> tuple[Tensor, Tensor]:
        """The same, as the formula is read: one head after the other, W_o as a sum. Without dropout."""
        mask = self._expect(query, *self.project(key, value), mask, silent)
        mask = mask if mask is None else mask[:, 0]  # (B, T, S)
        output = query.new_zeros(*query.shape[:2], self.width)  # (B, T, p_o)
        every = []
        for i, mix in enumerate(self.W_o.weight.chunk(self.heads, dim=1)):  # W_i^o (p_o, v)
            q, k = self._of_head(i, self.W_q, query), self._of_head(i, self.W_k, key)  # (B, T, d), (B, S, d)
            head, weights = attend(q, k, self._of_head(i, self.W_v, value), mask)  # (B, T, v), (B, T, S)
            on = float(i not in silent)
            output = output + on * head @ mix.mT  # W_o [h_1; h_2; …] = W_1^o h_1 + W_2^o h_2 + …
            every.append(on * weights)
        return output if self.W_o.bias is None else output + self.W_o.bias, torch.stack(every, dim=1)

    def _of_head(self, head: int, linear: nn.Linear, tensor: Tensor) -> Tensor:
        """What one head makes of the whole input, with its rows of the weight: (B, S, d or v)."""
        bias = None if linear.bias is None else linear.bias.chunk(self.heads)[head]
        return nn.functional.linear(tensor, linear.weight.chunk(self.heads)[head], bias)

    def _expect(
        self, query: Tensor, keys: Tensor, values: Tensor, mask: Mask, silent: Sequence[int]
    ) -> Tensor | None:
        """Refuse by name what does not fit; the mask as (B or 1, 1, T or 1, S)."""
        _tokens(query, self.W_q, "query", "(B, T, d_q)")
        expect.floats(query=query, keys=keys, values=values)
        (batch, queries, _), size = query.shape, keys.shape[-2]
        if len(keys) != batch:
            raise ValueError(f"query and key need the same B, got {batch} and {len(keys)}")
        expect.shape(keys, (batch, self.heads, size, self.head_width), "keys", "(B, H, S, d)")
        expect.shape(values, (batch, self.heads, size, self.head_value_width), "values", "(B, H, S, v)")
        for head in silent:
            if expect.count(head, "silent head") >= self.heads:
                raise ValueError(f"silent heads must lie between 0 and {self.heads - 1}, got {head}")
        return mask_for_heads(mask, batch, queries, size)


def _share(width: int, heads: int, name: str, given: int | None) -> int:
    if given is None:
        return expect.equal_shares(width, heads, f"width, without {name},")
    expect.widths(**{name: given})
    return given


def _linear(width: int, out: int, bias: bool) -> nn.Linear:
    """Rows of their own for every head, every layer: no two begin alike."""
    linear = nn.Linear(width, out, bias)
    nn.init.xavier_uniform_(linear.weight)
    if bias:
        nn.init.zeros_(linear.bias)
    return linear


def _tokens(tensor: Tensor, linear: nn.Linear, name: str, axes: str) -> None:
    """Expect (B, tokens, width) as the projection wants it, and nothing that 0 · NaN would spread."""
    expect.floats(**{"weight": linear.weight, name: tensor})
    if tensor.ndim != 3 or tensor.shape[-1] != linear.in_features:
        want = f"{axes} with width {linear.in_features}"
        raise ValueError(f"{name} must have the axes {want}, got {tuple(tensor.shape)}")
    expect.finite(hint="", **{name: tensor})
