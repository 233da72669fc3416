"""Which cross-attention head follows the gold links best, chosen on sentences that do not count. Chapter 5.

A head picked by its score on the test sentences would owe part of that score to luck. So it is picked on the
validation sentences, and judged on the others. The measured table is `data/cross_heads.json`.
"""

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import torch
from torch import Tensor

from attn_helpers.corpus import Pair, batches, corpus
from attn_helpers.corpus.vocabulary import Vocabulary
from attn_helpers.ladder import RECIPES, vocabularies
from attn_helpers.metrics import Alignment, alignment, sum_alignments
from attn_helpers.running import mode, one_thread
from attn_helpers.training import fit
from attn_helpers.training.fingerprint import code_hash
from attn_helpers.transformer import Transformer

ROW = "transformer"
Words = tuple[Vocabulary, Vocabulary]


@torch.no_grad()
def cross_weights(model: Transformer, pairs: Sequence[Pair], words: Words) -> list[Tensor]:
    """Where every head looks while it writes: per pair (L, H, T + 1, S + 1), the ends of sentence last."""
    found: dict[int, Tensor] = {}
    with mode(model, train=False), one_thread():
        for batch in batches(pairs, *words, size=256):
            cross = model.look(batch.source, batch.source_lengths, batch.target_in).cross  # (L, B, H, T, S)
            for row, i in enumerate(batch.rows.tolist()):
                target, source = int(batch.target_lengths[row]), int(batch.source_lengths[row])
                found[i] = cross[:, row, :, :target, :source].clone()
    return [found[i] for i in range(len(pairs))]


def error_rates(model: Transformer, pairs: Sequence[Pair], words: Words) -> tuple[Tensor, float]:
    """The alignment error rate of each head (L, H), and that of the mean over all of them."""
    rows = cross_weights(model, pairs, words)
    layers, heads = rows[0].shape[:2]

    def rate(pick: Any) -> float:
        counts: list[Alignment] = [alignment(pick(row), pair) for row, pair in zip(rows, pairs, strict=True)]
        return sum_alignments(counts).error_rate

    each = [
        [rate(lambda row, i=i, j=j: row[i, j]) for j in range(heads)] for i in range(layers)
    ]  # row (L, H, T, S) → (T, S)
    return torch.tensor(each, dtype=torch.float64), rate(lambda row: row.mean((0, 1)))


def best(rates: Tensor) -> tuple[int, int]:
    """The layer and the head with the lowest rate of (L, H)."""
    place = int(rates.argmin())
    return place // rates.shape[1], place % rates.shape[1]


def measure(seed: int) -> dict[str, Any]:
    """Train the ladder's Transformer with one seed; the rates of its heads on both sets of sentences."""
    splits, recipe = corpus(0), RECIPES[ROW]
    words = vocabularies(splits.train)
    model = recipe.build(len(words[0]), len(words[1]), seed)
    assert isinstance(model, Transformer)
    with one_thread():
        fit(model, splits.train, words, recipe.settings(seed), progress=False)
    entry: dict[str, Any] = {"seed": seed}
    for name, pairs in (("validation", splits.validation), ("test", splits.test)):
        each, mean = error_rates(model, pairs, words)
        entry[name] = {"heads": [[round(rate, 6) for rate in row] for row in each.tolist()]}
        entry[name]["mean"] = round(mean, 6)
    return entry


def table() -> list[dict[str, Any]]:
    """The stored measurement: per seed, on "validation" and "test", "heads" (L, H) and their "mean"."""
    entries: list[dict[str, Any]] = stored()["seeds"]
    return entries


def stored() -> dict[str, Any]:
    """The whole file, with the hash of the code and of the recipe it was measured with."""
    text = files("attn_helpers").joinpath("data", "cross_heads.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def stamp() -> str:
    """What the measurement depends on: the recipe, and the code of the model and of its training."""
    modules = [f"attn_helpers.{name}" for name in ("transformer", "training", "metrics")]
    return RECIPES[ROW].hash()[:16] + code_hash(modules)[:16]


if __name__ == "__main__":  # python -m attn_helpers.cross_heads > attn_helpers/data/cross_heads.json
    meta = {"stamp": stamp(), "torch": torch.__version__.split("+")[0]}
    print(json.dumps({"meta": meta, "seeds": [measure(seed) for seed in range(5)]}))
