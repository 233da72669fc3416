"""Train with each fault, and judge: the table `data/museum.json`, which page and widget print. Chapter 3.

Like the ladder's `bahdanau-bidirectional`, trained for fewer steps. A fault that training does not run
through is switched on in the model that was trained without.
"""

import hashlib
import inspect
import json
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import Pair, Splits, Vocabulary, batches, corpus, hero
from attn_helpers.decoding import greedy, translate
from attn_helpers.metrics import exact_match
from attn_helpers.museum.fault import Fault
from attn_helpers.museum.numbers import NUMBERS, Vocabularies
from attn_helpers.running import mode, one_thread
from attn_helpers.seq2seq import Encoder, Seq2Seq
from attn_helpers.training import Settings, fit
from attn_helpers.training.fingerprint import bare, code_hash

STEPS, POINTS = 600, 60  # of the training, of the stored loss curve
RIGHT = "right"  # the row without a fault
Table = dict[str, Any]


@cache
def data() -> tuple[Splits, Vocabularies]:
    """The corpus of all rows, and its words."""
    splits = corpus(0)
    source = Vocabulary(word for pair in splits.train for word in pair.source)
    return splits, (source, Vocabulary(word for pair in splits.train for word in pair.target))


def judged() -> list[Pair]:
    """Sixteen sentences of many lengths, the running pair first: what the numbers are measured on."""
    validation = data()[0].validation
    return [hero(), *validation[:: len(validation) // 15]][:16]


def mates() -> list[Pair]:
    """The running pair beside three sentences that are one word longer: so it has a column of padding."""
    longer = [pair for pair in data()[0].validation if len(pair.source) == len(hero().source) + 1]
    return [hero(), *longer[:3]]


def untrained() -> Seq2Seq:
    """The model before the first step: a bidirectional encoder, additive attention."""
    source, target = map(len, data()[1])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Seq2Seq(Encoder(source, bidirectional=True), AttentionDecoder(target))


def train(fault: Fault | None, steps: int = STEPS) -> tuple[Seq2Seq, list[float]]:
    """A model trained with the fault on, or without one, and its loss at every step."""
    splits, words = data()
    model = untrained()
    with switched(fault):
        history = fit(model, splits.train, words, Settings(steps=steps), progress=False)
    if history.interrupted:
        raise KeyboardInterrupt  # half-trained, it is no measurement
    return model, history.loss


def judge(model: Seq2Seq, loss: list[float], fault: Fault | None) -> Table:
    """All that is stored of a model, measured with the fault on."""
    splits, words = data()
    with switched(fault):
        said = [words[1].decode(found.tokens) for found in translate(model, splits.test, words)]
        return {
            "loss": _coarse(loss),
            "exact": round(exact_match(said, splits.test)["overall"], 6),
            "numbers": {name: _short(number.of(model, judged(), words)) for name, number in NUMBERS.items()},
            **_running_pair(model),
        }


@torch.no_grad()
def _running_pair(model: Seq2Seq) -> Table:
    """Where its words look, (T + 1, S + 1 + padding), and what the model says by itself."""
    words = data()[1]
    batch = next(batches(mates(), *words, size=len(mates())))
    row = batch.rows.tolist().index(0)
    with mode(model, train=False), one_thread():
        weights = model(batch.source, batch.source_lengths, batch.target_in).weights
        said = greedy(model, batch.source, batch.source_lengths, limit=12)[row]
    assert weights is not None
    shown = weights[row, : batch.target_lengths[row]]
    return {"weights": [[round(w, 6) for w in line] for line in shown.tolist()],
            "said": words[1].decode(said.tokens), "ended": said.finished}  # fmt: skip


def switched(fault: Fault | None) -> AbstractContextManager[None]:
    """With the fault, if there is one."""
    return fault.on() if fault else nullcontext()


def key(fault: Fault | None) -> str:
    """What a row depends on: the code, the faulty line. Words beside it do not count."""
    common = code_hash(["attn_helpers.museum.measure"])
    own = bare(inspect.getsource(fault.twin)) if fault else ""
    return hashlib.sha256(f"{common}{own}".encode()).hexdigest()


@cache
def table() -> Table:
    """The stored rows by name: "right" without a fault, and one for each fault.

    A row has its "loss" (means of ten steps each, nats per word), "exact" (share of test sentences translated
    word for word, mean over the bins of length), "numbers" by name, and of the running pair the "weights"
    (T + 1, S + 2), the last column padding, what is "said" and whether it "ended".
    """
    text = files("attn_helpers").joinpath("data", "museum.json").read_text(encoding="utf-8")
    rows: Table = json.loads(text)["rows"]
    return rows


def measure_all(faults: dict[str, Fault], path: Path) -> None:
    """Train and judge what is missing or stale; the file is written after each row."""
    kept = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else {}
    todo: dict[str, Fault | None] = {RIGHT: None, **faults}
    rows = {name: row for name, row in kept.items() if name in todo and row["key"] == key(todo[name])}
    plain: tuple[Seq2Seq, list[float]] | None = None
    for name, fault in todo.items():
        if name in rows:
            continue
        print(f"museum: {name}", flush=True)
        if fault is None or not fault.trains:
            plain = plain or train(None)
            rows[name] = {**judge(*plain, fault), "key": key(fault)}
        else:
            rows[name] = {**judge(*train(fault), fault), "key": key(fault)}
        _write({name: rows[name] for name in todo if name in rows}, path)


def _write(rows: Table, path: Path) -> None:
    """All or nothing: written beside, then moved."""
    beside = path.with_suffix(".new")
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in rows.items()
    )
    meta = json.dumps({"steps": STEPS, "torch": torch.__version__.split("+")[0]})
    beside.write_text(f'{{"meta": {meta},\n"rows": {{\n{lines}\n}}}}\n', encoding="utf-8")
    beside.replace(path)


def _coarse(loss: Iterable[float]) -> list[float]:
    """Means of equally many steps each."""
    steps = torch.tensor(list(loss), dtype=torch.float64)
    return [round(value, 4) for value in steps.reshape(POINTS, -1).mean(1).tolist()]


def _short(value: float) -> float:
    return float(f"{value:.4g}")
