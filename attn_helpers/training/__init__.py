"""The training loop, what it remembers, and trained models kept on the reader's disk. Chapters 2–6."""

from attn_helpers.training.fingerprint import code_hash, data_hash
from attn_helpers.training.loop import Settings, fit, loss_per_token, token_loss
from attn_helpers.training.record import History, Snapshot, log_spaced

__all__ = [
    "History", "Settings", "Snapshot", "code_hash", "data_hash", "fit", "log_spaced", "loss_per_token",
    "token_loss",
]  # fmt: skip
