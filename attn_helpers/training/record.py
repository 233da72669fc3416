"""What a training remembers: losses, rates, and how a few probe sentences look on the way."""

from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor

from attn_helpers.corpus.batches import Batch
from attn_helpers.seq2seq import Seq2Seq


@dataclass(frozen=True)
class Snapshot:
    """The probe sentences after a number of steps, under teacher forcing, each without its padding.

    T counts the target words and the end of sentence, S the source words and theirs.
    """

    step: int
    log_probs: list[Tensor]  # per probe (T,): log p of each right word
    states: list[Tensor]  # per probe (T, h), the decoder's last layer
    weights: list[Tensor]  # per probe (T, S); empty without attention


@dataclass
class History:
    """What happened, step by step. `loss` is the mean over the words of the batch, padding not counted."""

    loss: list[float] = field(default_factory=list)  # nats per word, before each update
    rate: list[float] = field(default_factory=list)  # the learning rate of each update
    snapshots: list[Snapshot] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False
    cached: bool = False  # read from disk, not trained now

    def __repr__(self) -> str:
        last = f", last loss {self.loss[-1]:.3f}" if self.loss else ""
        return f"History({len(self.loss)} steps{last}{', interrupted' if self.interrupted else ''})"

    def plain(self) -> dict[str, Any]:
        """As dicts, lists, numbers and tensors alone, which torch loads without running any code."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "History":
        """Back from `plain`, marked as cached."""
        snapshots = [Snapshot(**snapshot) for snapshot in plain["snapshots"]]
        return cls(**{**plain, "snapshots": snapshots, "cached": True})


def log_spaced(steps: int, count: int = 24) -> list[int]:
    """At most `count` steps from 0 to `steps`, close together early, when most happens."""
    ratio = (steps + 1) ** (1 / (count - 1))
    return sorted({0, steps, *(round(ratio**i) - 1 for i in range(count))})


@torch.no_grad()
def snapshot(step: int, model: Seq2Seq, batch: Batch) -> Snapshot:
    """Look at the probe sentences; the model's mode is the caller's affair."""
    decoded = model(batch.source, batch.source_lengths, batch.target_in)
    log_probs = decoded.logits.log_softmax(-1).gather(-1, batch.target_out[..., None])[..., 0]  # (B, T)
    order = batch.rows.argsort().tolist()  # in the order given, not by length
    sizes = [(i, int(batch.target_lengths[i]), int(batch.source_lengths[i])) for i in order]
    weights = [] if decoded.weights is None else [decoded.weights[i, :t, :s].clone() for i, t, s in sizes]
    return Snapshot(
        step=step,
        log_probs=[log_probs[i, :t].clone() for i, t, _ in sizes],
        states=[decoded.states[i, :t].clone() for i, t, _ in sizes],
        weights=weights,
    )
