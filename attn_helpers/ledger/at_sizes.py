"""Ledgers of a Transformer's training pass and of one cached step, with rules for any sizes. Chapter 5."""

from dataclasses import replace

import torch

from attn_helpers.layers import Sizes
from attn_helpers.ledger.record import cache_bytes, record
from attn_helpers.ledger.table import Ledger
from attn_helpers.ledger.whole_pass import cached_step, training_pass
from attn_helpers.masks import causal_mask
from attn_helpers.transformer import Transformer

_ENCODER = {  # row → FLOPs of its matrix products: 2 for each multiplication with its addition
    ("q", "k", "v"): "2·B·S·m·H·d",
    ("scores", "found"): "2·B·H·S·S·d",
    ("x after found",): "2·B·S·H·v·m",
    ("inner", "x after inner"): "2·B·S·m·f",
}
_DECODER = {
    ("q", "k", "v", "q_cross"): "2·B·T·m·H·d",
    ("scores", "found"): "2·B·H·T·T·d",
    ("x after found",): "2·B·T·H·v·m",
    ("k_cross", "v_cross"): "2·B·S·m·H·d",
    ("looks",): "2·B·H·T·S·d",
    ("x after looks",): "2·B·H·T·S·v + 2·B·T·H·v·m",
    ("inner", "x after inner"): "2·B·T·m·f",
}
_STEP = {
    ("q", "k_new", "v_new", "q_cross"): "2·B·m·H·d",
    ("weights", "found"): "2·B·H·t·d + 2·B·H·d",
    ("x after found",): "2·B·H·v·m",
    ("looks",): "2·B·H·S·d",
    ("x after looks",): "2·B·H·S·v + 2·B·H·v·m",
    ("inner", "x after inner"): "2·B·m·f",
    ("logits",): "2·B·m·V",
}
_FLOPS: dict[str, dict[tuple[str, ...], str]] = {
    "encoder_pass": _ENCODER,
    "decoder_pass": _DECODER,
    "training_pass": {("logits",): "2·B·T·m·V"},
    "cached_step": _STEP,
}
# Two embeddings and the output; three attentions of W_q, W_k, W_v, W_o; two feed-forward networks with
# biases; seven norms with two numbers for each of m.
PARAMETERS = "2·V·m + V·m + V + 6·m·H·d + 3·m·H·v + 3·H·v·m + 4·m·f + 2·f + 2·m + 14·m"
RULES = {"d": "m / H", "v": "m / H", "parameters": PARAMETERS}
KEPT = "4·B·H·t·d + 4·B·H·d + 4·B·H·t·v + 4·B·H·v + 4·B·H·S·d + 4·B·H·S·v"  # float32, 4 bytes each


def transformer_ledger(
    batch: int = 2, source: int = 5, target: int = 4, width: int = 8, heads: int = 2, inner: int = 16,
    words: int = 11,
) -> Ledger:  # fmt: skip
    """A training pass of a Transformer with one layer in each half; nothing is kept for later steps.

    Raises ValueError when the width does not split into so many heads.
    """
    model = _model(width, heads, inner, words)
    ids = torch.zeros(batch, source, dtype=torch.long), torch.zeros(batch, target, dtype=torch.long)
    with torch.no_grad():
        made = record(training_pass, model, *ids, causal_mask(target))
    return _ruled(made, model, 0, "0")


def step_ledger(
    batch: int = 2, source: int = 5, before: int = 3, width: int = 8, heads: int = 2, inner: int = 16,
    words: int = 11,
) -> Ledger:  # fmt: skip
    """One cached step of the same model, after `before` words; kept are keys and values of both sides."""
    model = _model(width, heads, inner, words)
    past, memory = ([torch.zeros(batch, heads, n, width // heads) for _ in "kv"] for n in (before, source))
    with torch.no_grad():
        made = record(
            cached_step, model.decoder, torch.zeros(batch, dtype=torch.long), tuple(past), tuple(memory)
        )
    return _ruled(made, model, cache_bytes(made.output[1], memory), KEPT)


def _model(width: int, heads: int, inner: int, words: int) -> Transformer:
    with torch.random.fork_rng(devices=[]):
        return Transformer(words, words, Sizes(width, heads, inner, layers=1)).eval()


def _ruled(made: Ledger, model: Transformer, kept: int, rule: str) -> Ledger:
    """The ledger with the rules of its FLOPs; a row x is told by the row before it."""
    rows, before = [], ""
    for row in made.rows:
        name = f"x after {before}" if row.name == "x" else row.name
        rules = _FLOPS.get(row.function, {})
        rows.append(replace(row, rule=next((rules[names] for names in rules if name in names), "")))
        before = row.name
    parameters = sum(weight.numel() for weight in model.parameters())
    return replace(made, rows=tuple(rows), rules={**RULES, "cache": rule}, parameters=parameters,
                   cache_bytes=kept)  # fmt: skip
