"""A multi-head pass with a line for each shape: what `ShapeLedger` opens with. Chapter 4.

Letters: B batch, H heads, T queries, S keys, m width of a token's vector (the paper's d_model),
d width of a head's queries and keys, v width of its values; here d = v = m / H.
"""

import math
from dataclasses import replace

import torch
from torch import Tensor

from attn_helpers.ledger.record import record
from attn_helpers.ledger.table import Ledger
from attn_helpers.multi_head import MultiHeadAttention, merge_heads, split_heads

FLOPS = {  # row → its matrix product: 2 for each multiplication with its addition
    "q": "2·B·T·m·H·d",
    "k_heads": "2·B·S·m·H·d",
    "v_heads": "2·B·S·m·H·v",
    "scores": "2·B·H·T·S·d",
    "found": "2·B·H·T·S·v",
    "output": "2·B·T·H·v·m",
}
RULES = {
    "d": "m / H",
    "v": "m / H",
    "parameters": "m·H·d + m·H·d + m·H·v + H·v·m",  # W_q, W_k, W_v, W_o
    "cache": "4·B·H·S·d + 4·B·H·S·v",  # keys and values in float32, 4 bytes each
}


def multi_head_pass(layer: MultiHeadAttention, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """`MultiHeadAttention.forward` without mask and dropout, to be read.

    query    (B, T, m)
    key      (B, S, m)
    value    (B, S, m)
    returns  output (B, T, m)
    """
    batch, queries = query.shape[:2]
    q = layer.W_q(query)  # (B, T, H·d)
    q_cut = q.view(batch, queries, layer.heads, layer.head_width)  # (B, T, H, d)
    q_heads = q_cut.transpose(1, 2)  # (B, H, T, d)
    k_heads = split_heads(layer.W_k(key), layer.heads)  # (B, H, S, d)
    v_heads = split_heads(layer.W_v(value), layer.heads)  # (B, H, S, v)
    scores = q_heads @ k_heads.mT / math.sqrt(layer.head_width)  # (B, H, T, S)
    weights = scores.softmax(-1)  # (B, H, T, S)
    found = weights @ v_heads  # (B, H, T, v)
    joined = merge_heads(found)  # (B, T, H·v)
    output: Tensor = layer.W_o(joined)  # (B, T, m)
    return output


def multi_head_ledger(
    batch: int = 2, queries: int = 4, keys: int = 5, width: int = 8, heads: int = 2
) -> Ledger:
    """The ledger of `multi_head_pass` at these sizes, with the rules that give it at any other.

    Raises ValueError when the width does not split into so many heads.
    """
    layer = MultiHeadAttention(width, heads)
    query, key = torch.zeros(batch, queries, width), torch.zeros(batch, keys, width)
    value = torch.zeros(batch, keys, width)
    with torch.no_grad():
        made = record(multi_head_pass, layer, query, key, value)
    rows = tuple(replace(row, rule=FLOPS.get(row.name, "")) for row in made.rows)
    kept = sum(made[name].bytes for name in ("k_heads", "v_heads"))
    parameters = sum(p.numel() for p in layer.parameters())
    return replace(made, rows=rows, rules=RULES, parameters=parameters, cache_bytes=kept)
