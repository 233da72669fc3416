"""A training step of chapter 3's model against the textbook way: `measure()`, for tools/bench.py.

The textbook way, written out here only: every batch padded to the corpus's longest sentence, keys projected
and inputs multiplied anew at every step. Same first weights, same sentences in the same steps: the two would
compute the same numbers, were sums not rounded; so the final losses stand beside the times.
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
from attn_helpers.ladder import vocabularies
from attn_helpers.running import one_thread
from attn_helpers.seq2seq import Decoded, Encoder, Seq2Seq, State
from attn_helpers.training import loss_per_token, token_loss

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


def textbook_batches(pairs: list[Pair], words: Vocabularies, seed: int) -> Iterator[Batch]:
    """The same batches, each as wide as the longest sentence of all."""
    source, target = (max(len(side) for side in sides) + 1 for sides in zip(*map(_sides, pairs), strict=True))
    for batch in batches(pairs, *words, size=SIZE, seed=seed):
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


def run(
    kind: type[AttentionDecoder], order: Iterator[Batch], words: Vocabularies, steps: int
) -> tuple[Seq2Seq, float]:
    """Train with the book's schedule; the mean processor time of a step, in milliseconds."""
    torch.manual_seed(0)
    model = Seq2Seq(Encoder(len(words[0])), kind(len(words[1]), attention=128))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, total_steps=steps + 1)
    times = []
    for batch in islice(order, steps):
        start = time.process_time()
        optimizer.zero_grad()
        logits = model(batch.source, batch.source_lengths, batch.target_in).logits
        total, count = token_loss(logits, batch.target_out)
        (total / count).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        cycle.step()
        times.append(1000 * (time.process_time() - start))
    return model, statistics.fmean(times)


def measure(steps: int = 1500) -> dict[str, object]:
    """Both ways, the same number of steps and sentences: about ten minutes.

    returns  milliseconds of processor time per step (mean over all steps, since batches differ in length),
             their ratio, and the loss on the validation sentences afterwards, in nats per word
    """
    splits = corpus(0)
    words = vocabularies(splits.train)
    ways = {
        "here": (AttentionDecoder, _epochs(lambda seed: batches(splits.train, *words, size=SIZE, seed=seed))),
        "textbook": (TextbookDecoder, _epochs(lambda seed: textbook_batches(splits.train, words, seed))),
    }
    found: dict[str, object] = {
        "steps": steps,
        "threads": 1,
        "sizes": {"B": SIZE, "E": 64, "H": 128, "A": 128},
    }
    spent = {}
    with one_thread():
        for name, (kind, order) in ways.items():
            model, spent[name] = run(kind, order, words, steps)
            loss = loss_per_token(model, splits.validation, words)
            found[name] = {"ms_per_step": round(spent[name], 1), "validation_loss": round(loss, 4)}
    return {**found, "ratio": round(spent["textbook"] / spent["here"], 2)}


if __name__ == "__main__":
    print(measure())
