"""How attention formed: a training looked at again, step by step. Chapters 3 and 5.

Letters: N snapshots, T target words and S source words, the ends of sentence counted in both.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from attn_helpers.corpus.pairs import Link, Pair
from attn_helpers.metrics import alignment, entropy, sum_alignments
from attn_helpers.training.record import History, Snapshot


@dataclass(frozen=True)
class Replay:
    """One sentence pair under the eyes of a model that learns, and three curves over other sentences.

    steps    (N,) updates made before each snapshot, rising
    loss     (N,) nats per word, AER (N,) with sure and possible links, entropy (N,) in nats: means over the
             judged sentences, under teacher forcing
    weights  (N, T, S) where each target word of `pair` looks; the last row and column are the ends
    judged   how many sentences the curves are made of
    """

    pair: Pair
    steps: tuple[int, ...]
    loss: tuple[float, ...]
    aer: tuple[float, ...]
    entropy: tuple[float, ...]
    weights: NDArray[np.float32]
    judged: int

    def __repr__(self) -> str:
        return f"Replay({len(self.steps)} snapshots, {' '.join(self.pair.target)})"

    @classmethod
    def from_history(
        cls, history: History, probes: Sequence[Pair], head: int | Literal["mean"] | None = None
    ) -> Replay:
        """Out of what `fit(…, probes=probes)` remembered: the first probe is shown, the others are judged.

        A single probe is judged itself. `head` is one of a model with several, whose snapshots hold weights
        (H, T, S), or "mean", which is no head of any model: see `of_heads`.
        Raises ValueError for a history without snapshots, without attention, or of other probes, and for a
        head that is not there or is needed.
        """
        if not history.snapshots:
            raise ValueError("history holds no snapshots: train with fit(…, probes=[pair, …])")
        if not history.snapshots[0].weights:
            raise ValueError("history holds no weights: a model without attention has none to replay")
        snapshots = [_of_head(snapshot, head) for snapshot in history.snapshots]
        first = snapshots[0]
        sizes = [(len(pair.target) + 1, len(pair.source) + 1) for pair in probes]
        if sizes != [tuple(weights.shape) for weights in first.weights]:
            raise ValueError(
                f"probes must be those that fit was given, {len(first.weights)} pairs in their order, "
                f"got {len(probes)}"
            )
        some = range(1, len(probes)) if len(probes) > 1 else range(1)
        curves = [_judge(snapshot, probes, some) for snapshot in snapshots]
        loss, aer, spread = zip(*curves, strict=True)
        steps = tuple(snapshot.step for snapshot in snapshots)
        weights = np.stack([snapshot.weights[0].numpy() for snapshot in snapshots])
        return cls(probes[0], steps, loss, aer, spread, weights.astype(np.float32), len(some))

    @classmethod
    def of_heads(cls, history: History, probes: Sequence[Pair]) -> dict[str, Replay]:
        """Each head by its name, and their mean under a name that says so; errors as `from_history`."""
        weights = history.snapshots[0].weights if history.snapshots else []
        heads = len(weights[0]) if weights and weights[0].ndim == 3 else 0
        if not heads:
            return {"attention": cls.from_history(history, probes)}
        named = {f"head {head}": cls.from_history(history, probes, head) for head in range(heads)}
        return named | {f"mean of {heads} heads": cls.from_history(history, probes, "mean")}

    def half_way(self, curve: str) -> int:
        """The first snapshot at which half of a curve's whole fall is behind it: "loss", "aer" or "entropy".

        returns  its index; the whole fall is from the first to the lowest value, 0 where there is none
        """
        values = np.array(getattr(self, curve))
        return int(np.argmax(values <= (values[0] + values.min()) / 2))

    def settles(self, row: int) -> int | None:
        """The first snapshot from which on the row's strongest word is a gold link; None: it never settles.

        The end of sentence does not compete, as in `metrics.align`.
        """
        gold = {s for t, s in self.pair.sure | self.pair.possible if t == row}
        tops = self.weights[:, row, : len(self.pair.source)].argmax(-1)
        return _from_then_on([top in gold for top in tops.tolist()])

    def crossing(self) -> tuple[int, tuple[Link, Link]] | None:
        """When two links cross, for good, and which; None without a crossing in the gold links or in sight.

        Of several, the first to stay: sure links (t, s) and (t', s') with t < t' and s > s'.
        """
        found = []
        for one in sorted(self.pair.sure):
            for other in sorted(self.pair.sure):
                if one[0] < other[0] and one[1] > other[1]:
                    tops = self.weights[:, [one[0], other[0]], : len(self.pair.source)].argmax(-1)
                    when = _from_then_on((tops == [one[1], other[1]]).all(-1).tolist())
                    if when is not None:
                        found.append((when, (one, other)))
        return min(found, default=None)

    def save(self, path: Path, **about: Any) -> None:
        """As a small file: curves as numbers, weights as 16-bit shares of 1."""
        pair = {name: sorted(map(list, part)) if isinstance(part, frozenset) else part
                for name, part in asdict(self.pair).items()}  # fmt: skip
        curves = {name: [round(x, 6) for x in getattr(self, name)] for name in ("loss", "aer", "entropy")}
        head = {**about, "pair": pair, "steps": self.steps, **curves, "judged": self.judged}
        shares = np.rint(self.weights * 65535).astype("<u2")
        np.savez_compressed(path, head=np.array(json.dumps(head)), weights=shares)

    @classmethod
    def load(cls, path: Path) -> Replay:
        """What `save` wrote."""
        with np.load(path, allow_pickle=False) as file:
            head, shares = json.loads(str(file["head"])), file["weights"]
        given = head["pair"]
        pair = Pair(
            source=tuple(given["source"]),
            target=tuple(given["target"]),
            sure=frozenset((t, s) for t, s in given["sure"]),
            possible=frozenset((t, s) for t, s in given["possible"]),
            construction=given["construction"],
        )
        return cls(
            pair=pair,
            steps=tuple(head["steps"]),
            loss=tuple(head["loss"]),
            aer=tuple(head["aer"]),
            entropy=tuple(head["entropy"]),
            weights=(shares / 65535).astype(np.float32),
            judged=head["judged"],
        )


def _of_head(snapshot: Snapshot, head: int | Literal["mean"] | None) -> Snapshot:
    """The snapshot with weights (T, S) of one head, or of the mean."""
    heads = len(snapshot.weights[0]) if snapshot.weights[0].ndim == 3 else None
    if (head is None) != (heads is None) or (isinstance(head, int) and not 0 <= head < (heads or 0)):
        needed = "None: there is one" if heads is None else f'0 to {heads - 1}, or "mean"'
        raise ValueError(f"head must be {needed}, got {head!r}")
    if head is None:
        return snapshot
    return replace(snapshot, weights=[w.mean(0) if head == "mean" else w[head] for w in snapshot.weights])


def _judge(snapshot: Snapshot, probes: Sequence[Pair], some: range) -> tuple[float, float, float]:
    """Loss per word, AER and mean entropy of some probes in one snapshot."""
    log_probs = torch.cat([snapshot.log_probs[i] for i in some])
    rows = torch.cat([entropy(snapshot.weights[i][:-1]) for i in some])  # the end of sentence counts nowhere
    total = sum_alignments(alignment(snapshot.weights[i], probes[i]) for i in some)
    return -log_probs.mean().item(), total.error_rate, rows.mean().item()


def _from_then_on(right: list[bool]) -> int | None:
    """The first place after which all is right; None if the last is not."""
    wrong = [i for i, ok in enumerate(right) if not ok]
    first = wrong[-1] + 1 if wrong else 0
    return first if first < len(right) else None
