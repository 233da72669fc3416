"""How often an operation on a row changes a translation: 500 held-out sentences, every kind and head.

`data/change_rates.json` is what text and TranslationLab print from. Chapters 3 and 7.
"""

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

import torch
from torch import Tensor

from attn_helpers.corpus import Pair, Vocabulary, batches, corpus
from attn_helpers.corpus.batches import Batch
from attn_helpers.decoding import greedy
from attn_helpers.ladder import vocabularies
from attn_helpers.seq2seq import Seq2Seq
from attn_helpers.steering import Change, each_look, heads_of
from attn_helpers.trained import load_trained

MODELS = ("bahdanau-bidirectional", "transformer")
SENTENCES = 500
KINDS = ("zero", "uniform", "swap", "one")  # "one": all weight on one other word; what a hand may do

Vocabularies = tuple[Vocabulary, Vocabulary]


@cache
def change_rates() -> dict[str, Any]:
    """The measured table: {"meta", "rates": {model: {"all" or "layer.head": {kind: {"changed", "of"}}}}}.

    Layers and heads count from 1 in the names. "of" is how many sentences had such rows.
    """
    text = files("attn_helpers").joinpath("data", "change_rates.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def held_out(count: int = SENTENCES, seed: int = 0) -> list[Pair]:
    """So many test sentences, drawn by a seed: of all lengths as they come."""
    return random.Random(seed).sample(corpus(0).test, count)


def measure(model: Seq2Seq, pairs: Sequence[Pair], words: Vocabularies, seed: int = 0) -> dict[str, Any]:
    """For every choice of heads, and every kind: how many translations changed, out of how many.

    A row is drawn for each sentence, among those that write a word of the model's own translation; "swap"
    takes it and the next, so translations of one word have none. Every kind and head meets the same rows.
    """
    choices = _choices(*heads_of(model))
    found = {name: {kind: [0, 0] for kind in KINDS} for name in choices}
    draw = random.Random(seed)
    for batch in batches(pairs, *words, size=100):
        plain, table = _plain(model, batch)
        first = [draw.randrange(max(1, len(tokens))) for tokens in plain]
        second = [draw.randrange(n) for n in (batch.source_lengths - 2).tolist()]
        for (name, head), kind in product(choices.items(), KINDS):
            steps = [
                min(t, max(0, len(tokens) - 2)) if kind == "swap" else t
                for t, tokens in zip(first, plain, strict=True)
            ]
            change = _change(
                kind, table, torch.tensor(steps), torch.tensor(second), batch.source_lengths, head
            )
            with each_look(model, change):
                after = greedy(model, batch.source, batch.source_lengths)
            there = [len(tokens) > (kind == "swap") for tokens in plain]
            found[name][kind][0] += sum(
                ok and one.tokens != old for ok, one, old in zip(there, after, plain, strict=True)
            )
            found[name][kind][1] += sum(there)
    return {n: {k: {"changed": a, "of": b} for k, (a, b) in kinds.items()} for n, kinds in found.items()}


def _choices(layers: int, heads: int) -> dict[str, Any]:
    """Name → (layer, head); a single head is all there is."""
    every = product(range(layers), range(heads)) if layers * heads > 1 else ()
    return {"all": None, **{f"{layer + 1}.{head + 1}": (layer, head) for layer, head in every}}


def _plain(model: Seq2Seq, batch: Batch) -> tuple[list[list[int]], Tensor]:
    """The translations as trained, and all rows they were read with: (B, steps, L, H, S)."""
    rows: dict[tuple[int, int], Tensor] = {}

    def keep(t: int, layer: int, weights: Tensor) -> Tensor:
        rows[t, layer] = weights[:, :, 0]
        return weights

    with each_look(model, keep):
        found = greedy(model, batch.source, batch.source_lengths)
    steps, layers = (1 + max(index) for index in zip(*rows, strict=True))
    table = torch.stack(
        [torch.stack([rows[t, layer] for layer in range(layers)], 1) for t in range(steps)], 1
    )
    return [one.tokens for one in found], table


def _change(kind: str, table: Tensor, step: Tensor, other: Tensor, lengths: Tensor, head: Any) -> Change:
    """The operation of a kind at each sentence's own step (B,), for all heads or one."""
    batch = torch.arange(len(table))
    rows = table[batch, step]  # (B, L, H, S)
    valid = torch.arange(table.shape[-1]) < lengths[:, None]  # (B, S)
    top = rows.mean((1, 2)).argmax(-1)  # (B,)
    one = torch.nn.functional.one_hot(other + (other >= top), table.shape[-1])  # (B, S), never the strongest
    make: dict[str, Callable[[], tuple[Tensor, ...]]] = {
        "zero": lambda: (0 * rows,),
        "uniform": lambda: ((valid / lengths[:, None])[:, None, None].expand_as(rows),),
        "swap": lambda: (table[batch, (step + 1).clamp(max=table.shape[1] - 1)], rows),
        "one": lambda: (one[:, None, None].expand_as(rows).to(rows),),
    }
    forced = make[kind]()

    def change(t: int, layer: int, weights: Tensor) -> Tensor:
        for later, new in enumerate(forced):
            here = (step + later == t)[:, None].expand(-1, weights.shape[1]).clone()  # (B, H)
            if head is not None:
                here &= (torch.arange(weights.shape[1]) == head[1]) & (layer == head[0])
            weights = torch.where(here[:, :, None, None], new[:, layer, :, None], weights)
        return weights

    return change


def stamp() -> dict[str, Any]:
    """What the table depends on: this code and that of `operating`, the models, the number of sentences."""
    package = files("attn_helpers")
    code = b"".join(
        package.joinpath(f"{name}.py").read_bytes() for name in ("steering", "change_rates", "looking")
    )
    kept = {name: package.joinpath("data", "trained", f"{name}.npz").read_bytes() for name in MODELS}
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in kept.items()}
    return {"code": hashlib.sha256(code).hexdigest(), "models": hashes, "sentences": SENTENCES}


def main() -> None:
    """Measure all models, print the table."""
    words, pairs = vocabularies(corpus(0).train), held_out()
    rates = {name: measure(load_trained(name), pairs, words) for name in MODELS}
    print(json.dumps({"meta": {**stamp(), "torch": torch.__version__}, "rates": rates}, indent=1))


if __name__ == "__main__":  # python -m attn_helpers.change_rates > attn_helpers/data/change_rates.json
    main()
