"""The shape ledger: every tensor of a pass with named axes, and misfits in words. Chapters 4 and 5.

The names are those that the code's own comments and docstrings give: `# (B, H, T, S)` behind a line. A ledger
holds them against the tensors, so a comment that is wrong is found.
"""

from attn_helpers.ledger.at_sizes import step_ledger, transformer_ledger
from attn_helpers.ledger.by_lines import multi_head_ledger, multi_head_pass
from attn_helpers.ledger.mismatch import explain, split_in_words
from attn_helpers.ledger.record import cache_bytes, count_flops, record
from attn_helpers.ledger.table import Ledger, Row

__all__ = [
    "Ledger", "Row", "cache_bytes", "count_flops", "explain", "multi_head_ledger", "multi_head_pass",
    "record", "split_in_words", "step_ledger", "transformer_ledger",
]  # fmt: skip
