"""`fit`: teacher forcing, gradient clipping, one cycle of the learning rate, a fixed number of steps."""

import hashlib
import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from tqdm import tqdm

from attn_helpers import expect
from attn_helpers.corpus.batches import Batch, batches
from attn_helpers.corpus.pairs import Pair
from attn_helpers.corpus.vocabulary import PAD, Vocabulary
from attn_helpers.running import mode, one_thread
from attn_helpers.seq2seq import Seq2Seq
from attn_helpers.training import cache as disk
from attn_helpers.training.fingerprint import data_hash, model_code_hash
from attn_helpers.training.record import History, log_spaced, snapshot

Vocabularies = tuple[Vocabulary, Vocabulary]  # source, target


@dataclass(frozen=True)
class Settings:
    """How to train. The book's models differ in `steps` and `rate` alone."""

    steps: int = 750
    size: int = 64  # sentences per batch
    rate: float = 5e-3  # the peak of the cycle; it starts at 1/25 of it
    clip: float = 1.0  # the largest norm a gradient may have
    seed: int = 0  # order of the batches, dropout

    def __post_init__(self) -> None:
        for name in ("steps", "size"):
            if expect.count(getattr(self, name), name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        expect.above_zero(self.rate, "rate")
        expect.above_zero(self.clip, "clip")


def token_loss(logits: Tensor, target_out: Tensor) -> tuple[Tensor, int]:
    """Cross-entropy summed over the words of a batch, and how many words that were. PAD is none of them.

    logits      (B, T, V)   PAD competes in the softmax as every number does, but is never the answer
    target_out  (B, T)
    returns     sum in nats, count; sum / count is the loss per word. A batch of padding has 0 and 0.
    """
    total = F.cross_entropy(logits.flatten(0, 1), target_out.flatten(), ignore_index=PAD, reduction="sum")
    return total, int((target_out != PAD).sum())


def fit(
    model: Seq2Seq,
    pairs: Sequence[Pair],
    vocabularies: Vocabularies,
    settings: Settings | None = None,
    *,
    probes: Sequence[Pair] = (),
    cache: bool = False,
    retrain: bool = False,
    progress: bool = True,
) -> History:
    """Train the model in place; say what happened.

    vocabularies  (source, target)
    probes        sentences to look at on the way, at log-spaced steps
    cache         keep the result on disk, and take it from there when code, data, settings, first weights
                  and torch are the same; retrain=True trains all the same, and keeps the new one

    Interrupted (Ctrl-C, the stop button), it keeps what was reached and says so in the history.
    The caller's random numbers, the model's mode and the number of threads stay what they were.
    Raises ValueError for no pairs, FloatingPointError when the loss is no longer a number.
    """
    settings = settings or Settings()
    if not pairs:
        raise ValueError("pairs must hold at least one pair, got none")
    name = _name(model, pairs, vocabularies, settings, probes) if cache else ""
    if cache and not retrain and (kept := disk.load(name)):
        model.load_state_dict(kept["weights"])
        return History.from_plain(kept["history"])
    probe = next(batches(probes, *vocabularies, size=len(probes))) if probes else None
    history = _train(model, _epochs(pairs, vocabularies, settings), settings, probe, progress)
    if cache and not history.interrupted:
        disk.save(name, {"weights": model.state_dict(), "history": history.plain()})
    return history


def _train(
    model: Seq2Seq, order: Iterator[Batch], settings: Settings, probe: Batch | None, progress: bool
) -> History:
    history, start = History(), time.perf_counter()
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.rate)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, total_steps=settings.steps + 1)
    stops = log_spaced(settings.steps)
    with _training(model, settings.seed), _bar(settings.steps, progress) as bar:
        try:
            _look(history, 0, model, probe, stops)
            for step, batch in enumerate(islice(order, settings.steps), 1):
                history.rate.append(float(cycle.get_last_lr()[0]))
                history.loss.append(_update(model, batch, optimizer, settings.clip))
                cycle.step()
                _look(history, step, model, probe, stops)
                bar.set_postfix(loss=f"{history.loss[-1]:.3f}", refresh=False)
                bar.update()
        except KeyboardInterrupt:
            history.interrupted = True
    history.seconds = time.perf_counter() - start
    return history


def _update(model: Seq2Seq, batch: Batch, optimizer: torch.optim.Optimizer, clip: float) -> float:
    """One step; the loss per word before it."""
    optimizer.zero_grad()
    decoded = model(batch.source, batch.source_lengths, batch.target_in)
    total, words = token_loss(decoded.logits, batch.target_out)
    loss = total / max(words, 1)
    if not math.isfinite(value := loss.item()):
        raise FloatingPointError(f"the loss became {value}: a lower rate may help")
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return value


@torch.no_grad()
def loss_per_token(model: Seq2Seq, pairs: Sequence[Pair], vocabularies: Vocabularies) -> float:
    """The loss over all words of the pairs, in nats per word, without dropout.

    The sum over the number of words: a mean of batch means would weigh short sentences' words more.
    """
    total, words = 0.0, 0
    with mode(model, train=False), one_thread():
        for batch in batches(pairs, *vocabularies, size=256):
            decoded = model(batch.source, batch.source_lengths, batch.target_in)
            part, part_words = token_loss(decoded.logits, batch.target_out)
            total, words = total + part.item(), words + part_words
    return total / max(words, 1)


def _epochs(pairs: Sequence[Pair], vocabularies: Vocabularies, settings: Settings) -> Iterator[Batch]:
    """All pairs again and again, each time in a new order."""
    for epoch in count():
        yield from batches(pairs, *vocabularies, size=settings.size, seed=(settings.seed << 20) + epoch)


def _look(history: History, step: int, model: Seq2Seq, probe: Batch | None, stops: list[int]) -> None:
    if probe and step in stops:
        with mode(model, train=False):
            history.snapshots.append(snapshot(step, model, probe))


def _bar(steps: int, progress: bool) -> tqdm:
    """The progress, on standard output; with the variable TQDM_DISABLE=1 there is none either."""
    return tqdm(total=steps, file=sys.stdout, **({} if progress else {"disable": True}))


@contextmanager
def _training(model: nn.Module, seed: int) -> Iterator[None]:
    """Training mode, one thread, random numbers of our own; afterwards all is as it was."""
    with torch.random.fork_rng(devices=[]), one_thread(), mode(model, train=True):
        torch.manual_seed(seed)
        yield


def _name(
    model: Seq2Seq,
    pairs: Sequence[Pair],
    vocabularies: Vocabularies,
    settings: Settings,
    probes: Sequence[Pair],
) -> str:
    """The file of this very training: anything that could change the result changes the name."""
    total = hashlib.sha256()
    parts = [torch.__version__, model_code_hash(model, __name__), repr(model), repr(settings)]
    parts += [data_hash(pairs), data_hash(probes), *(repr(list(words)) for words in vocabularies)]
    for part in parts:
        total.update(hashlib.sha256(part.encode()).digest())
    for tensor in model.state_dict().values():
        total.update(tensor.numpy().tobytes())
    return f"{type(model).__name__}-{total.hexdigest()[:20]}.pt"
