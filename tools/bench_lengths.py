"""Milliseconds against length, recurrent networks and Transformer; write attn_helpers/data/lengths.json.

usage: python tools/bench_lengths.py      (about five minutes, on a quiet machine)

The models are those of the ladder, as they are before training; source and target have the same length, so
there is no padding, and what is written does not end early. Chapter 5 prints the figures, which is why they
do not stand in bench.json: that file is written from the built book.
"""

import datetime
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
from bench_decode import uncached
from torch import Tensor

from attn_helpers.corpus.vocabulary import BOS
from attn_helpers.ladder import RECIPES
from attn_helpers.running import mode, one_thread
from attn_helpers.seq2seq import Seq2Seq
from attn_helpers.training import token_loss

OUT = Path(__file__).resolve().parent.parent / "attn_helpers/data/lengths.json"
WORDS = 358  # as the corpus of the book has
BATCH = 32
LENGTHS = (8, 16, 32, 64, 128)
ROWS = ("no-attention", "bahdanau-unidirectional", "transformer")


def train_step(model: Seq2Seq, source: Tensor, target: Tensor) -> Tensor:
    """Forward and backward over a batch of whole sentences; the loss."""
    model.zero_grad()
    lengths = torch.full((len(source),), source.shape[1])
    total, words = token_loss(model(source, lengths, target).logits, target)
    loss = total / words
    loss.backward()  # type: ignore[no-untyped-call]
    return loss


@torch.no_grad()
def generate(model: Seq2Seq, source: Tensor, target: Tensor) -> Tensor:
    """Read the source, then as many steps as the target has words; the last logits."""
    state = model.start(source, torch.full((len(source),), source.shape[1]))
    for token in target.unbind(1):
        step = model.step(token, state)
        state = step.state
    return step.logits


@torch.no_grad()
def generate_anew(model: Seq2Seq, source: Tensor, target: Tensor) -> Tensor:
    """The same of a Transformer that keeps nothing: all words so far are read at every step."""
    memory = model.encoder(source, torch.full((len(source),), source.shape[1]))
    return uncached(model.decoder, memory, target)  # type: ignore[arg-type]


def _ms(work: Callable[..., Tensor], *given: Seq2Seq | Tensor, runs: int) -> float:
    """Median processor time of a run, the first one left out."""
    times = []
    for _ in range(runs + 1):
        start = time.process_time()
        work(*given)
        times.append(1000 * (time.process_time() - start))
    return round(statistics.median(times[1:]), 1)


def measure(lengths: tuple[int, ...] = LENGTHS, batch: int = BATCH, runs: int = 5) -> dict[str, object]:
    """Every model at every length: about five minutes.

    returns  "lengths"; "train" and "generate": milliseconds of processor time per batch, by model;
             "transformer, no cache" is among the latter
    """
    found: dict[str, dict[str, list[float]]] = {"train": {}, "generate": {}}
    with one_thread():
        for name in ROWS:
            model = RECIPES[name].build(WORDS, WORDS, seed=0)
            ways = {"train": train_step, "generate": generate, "no cache": generate_anew}
            for way, work in ways.items():
                if way == "no cache" and name != "transformer":
                    continue
                times = found["train" if way == "train" else "generate"]
                row = f"{name}, no cache" if way == "no cache" else name
                with mode(model, train=way == "train"):
                    times[row] = [_ms(work, model, *_batch(batch, size), runs=runs) for size in lengths]
    return {"lengths": list(lengths), "batch": batch, "threads": 1, "runs": runs, **found}


def _batch(batch: int, length: int) -> tuple[Tensor, Tensor]:
    make = torch.Generator().manual_seed(length)
    source, target = (torch.randint(4, WORDS, (batch, length), generator=make) for _ in "st")
    return source, target.index_fill(1, torch.tensor([0]), BOS)


def main() -> None:
    """Measure, and say on which machine and when."""
    before = os.getloadavg()[0]
    found = measure()
    meta = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.system()}, {platform.machine()}, {os.cpu_count()} processors",
        "torch": torch.__version__.split("+")[0],
        "load": [round(before, 1), round(os.getloadavg()[0], 1)],
    }
    OUT.write_text(json.dumps({"meta": meta, **found}, indent=1) + "\n", encoding="utf8")
    print(f"written to {OUT.name}: {found}")


if __name__ == "__main__":
    main()
