"""A training step of chapter 3's model and of chapter 5's against the textbook way, for tools/bench.py.

The textbook way, written out here only: every batch padded to the corpus's longest sentence; with a GRU, keys
projected and inputs multiplied anew at every step, too. Same first weights, same sentences in the same steps:
the two would compute the same numbers, were sums not rounded; so the final losses stand beside the times.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

import torch
from torch import Tensor, nn

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import Batch, Pair, Vocabulary, batches, corpus
from attn_helpers.ladder import RECIPES, vocabularies
from attn_helpers.running import one_thread
from attn_helpers.seq2seq import Decoded, Encoder, Seq2Seq, State
from attn_helpers.training import Settings, loss_per_token, token_loss

SIZE = 64
Vocabularies = tuple[Vocabulary, Vocabulary]


class TextbookDecoder(AttentionDecoder):
    """The same numbers, worked out as most tutorials do: nothing is kept from one step to the next."""

    def forward(self, target_in: Tensor, state: State) -> Decoded:
        """One word at a time: embed, project the keys, join the context, run the GRU for one step."""
        _, value, mask = state.fixed
        hidden, logits, states, rows = state.hidden, [], [], []
        for token in target_in.unbind(1):
            key = value @ self.additive.key_weight.mT  # (B, S, a), the same at every step
            context, weights = self.attend(hidden[-1][:, None], (key, value, mask))
            joined = torch.cat([self.embedding(token), context[:, 0]], dim=-1)  # (B, E + c)
            output, hidden = self.rnn(joined[:, None], hidden)
            logits.append(self.output(output[:, 0]))
            states.append(output[:, 0])
            rows.append(weights[:, 0])
        return Decoded(torch.stack(logits, 1), torch.stack(states, 1), torch.stack(rows, 1))


def textbook_batches(pairs: list[Pair], words: Vocabularies, seed: int, size: int = SIZE) -> Iterator[Batch]:
    """The same batches, each as wide as the longest sentence of all."""
    source, target = (max(len(side) for side in sides) + 1 for sides in zip(*map(_sides, pairs), strict=True))
    for batch in batches(pairs, *words, size=size, seed=seed):
        yield replace(
            batch,
            source=_wider(batch.source, source),
            target_in=_wider(batch.target_in, target),
            target_out=_wider(batch.target_out, target),
        )


def _sides(pair: Pair) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return pair.source, pair.target


def _wider(ids: Tensor, width: int) -> Tensor:
    return nn.functional.pad(ids, (0, width - ids.shape[1]))


def _epochs(once: Callable[[int], Iterator[Batch]]) -> Iterator[Batch]:
    for seed in range(10**6):
        yield from once(seed)


def run(model: Seq2Seq, order: Iterator[Batch], settings: Settings) -> float:
    """Train with the book's schedule; the mean processor time of a step, in milliseconds."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.rate)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, total_steps=settings.steps + 1)
    times = []
    for batch in islice(order, settings.steps):
        start = time.process_time()
        optimizer.zero_grad()
        logits = model(batch.source, batch.source_lengths, batch.target_in).logits
        total, count = token_loss(logits, batch.target_out)
        (total / count).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()
        cycle.step()
        times.append(1000 * (time.process_time() - start))
    return statistics.fmean(times)


def compare(here: Seq2Seq, textbook: Seq2Seq, settings: Settings) -> dict[str, object]:
    """Both ways, the same number of steps and sentences.

    returns  milliseconds of processor time per step (mean over all steps, since batches differ in length),
             their ratio, and the loss on the validation sentences afterwards, in nats per word
    """
    splits, size = corpus(0), settings.size
    words = vocabularies(splits.train)
    ways = {
        "here": (here, _epochs(lambda seed: batches(splits.train, *words, size=size, seed=seed))),
        "textbook": (textbook, _epochs(lambda seed: textbook_batches(splits.train, words, seed, size))),
    }
    found: dict[str, object] = {"steps": settings.steps, "threads": 1}
    spent = {}
    with one_thread():
        for name, (model, order) in ways.items():
            spent[name] = run(model, order, settings)
            loss = loss_per_token(model, splits.validation, words)
            found[name] = {"ms_per_step": round(spent[name], 1), "validation_loss": round(loss, 4)}
    return {**found, "ratio": round(spent["textbook"] / spent["here"], 2)}


def measure(steps: int = 1500) -> dict[str, object]:
    """Chapter 3's model: about ten minutes."""
    words = vocabularies(corpus(0).train)
    models = []
    for kind in (AttentionDecoder, TextbookDecoder):
        torch.manual_seed(0)
        models.append(Seq2Seq(Encoder(len(words[0])), kind(len(words[1]), attention=128)))
    found = compare(models[0], models[1], Settings(steps=steps, size=SIZE))
    return {**found, "sizes": {"B": SIZE, "E": 64, "H": 128, "A": 128}}


def measure_transformer(steps: int | None = None) -> dict[str, object]:
    """Chapter 5's model by its recipe: about five minutes. Here padding alone makes the difference."""
    recipe, words = RECIPES["transformer"], vocabularies(corpus(0).train)
    models = [recipe.build(len(words[0]), len(words[1]), seed=0) for _ in range(2)]
    settings = recipe.settings(seed=0)
    return compare(models[0], models[1], replace(settings, steps=steps or settings.steps))


if __name__ == "__main__":
    print(measure(), measure_transformer())
