"""Every architecture on the same task, over several seeds: the recipes, and the measured table. Chapters 2–5.

`make models` trains what the recipes say and writes `data/ladder.json`, from which text and plots print.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

import torch

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus.vocabulary import Vocabulary
from attn_helpers.layers import Sizes
from attn_helpers.metrics import BINS, Interval, interval
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.training import Settings
from attn_helpers.transformer import Transformer


@dataclass(frozen=True)
class Recipe:
    """A row of the table: a model, how long it trains, at which rate. The corpus is always `corpus(0)`."""

    chapter: int
    steps: int = 1500
    rate: float = 5e-3
    embedding: int = 64
    hidden: int = 128
    bidirectional: bool = False
    score: str | None = None  # None: no attention

    def build(self, source_words: int, target_words: int, seed: int) -> Seq2Seq:
        """The untrained model; the caller's random numbers stay what they were."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            encoder = Encoder(source_words, self.embedding, self.hidden, bidirectional=self.bidirectional)
            if self.score is None:
                return Seq2Seq(encoder, Decoder(target_words, self.embedding, self.hidden))
            return Seq2Seq(
                encoder, AttentionDecoder(target_words, self.embedding, self.hidden, score=self.score)
            )

    def settings(self, seed: int) -> Settings:
        """How `training.fit` is to train it."""
        return Settings(steps=self.steps, rate=self.rate, seed=seed)

    @property
    def module(self) -> str | None:
        """The code of its own, beyond that of all rows."""
        return "attn_helpers.attention_seq2seq" if self.score else None

    def hash(self) -> str:
        """SHA-256 of all that the recipe says."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


@dataclass(frozen=True)
class TransformerRecipe:
    """A row of the table, as `Recipe`, for a model without recurrence.

    In trials with one seed two heads of width 32 found more than four of 16, and many small batches more
    than few large ones.
    """

    chapter: int
    steps: int = 3200
    rate: float = 6e-3
    size: int = 32  # sentences per batch
    hidden: int = 64  # the width of a word's vector
    heads: int = 2
    inner: int = 128
    layers: int = 2  # of the encoder, and of the decoder
    positions: str = "sinusoids"
    score: str = "scaled_dot"
    module: ClassVar[str] = "attn_helpers.transformer"

    def build(self, source_words: int, target_words: int, seed: int) -> Seq2Seq:
        """The untrained model; the caller's random numbers stay what they were."""
        sizes = Sizes(self.hidden, self.heads, self.inner, self.layers, positions=self.positions)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return Transformer(source_words, target_words, sizes)

    def settings(self, seed: int) -> Settings:
        """How `training.fit` is to train it."""
        return Settings(steps=self.steps, size=self.size, rate=self.rate, seed=seed)

    def hash(self) -> str:
        """SHA-256 of all that the recipe says."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


RECIPES: dict[str, Recipe | TransformerRecipe] = {
    "no-attention": Recipe(chapter=2),
    "no-attention-wide": Recipe(chapter=2, hidden=512, rate=2.5e-3),  # 4 × the width
    "no-attention-long": Recipe(chapter=2, steps=6000),  # 4 × the training
    "uniform-context": Recipe(chapter=3, score="uniform"),  # c_t is the mean of all states
    "bahdanau-unidirectional": Recipe(chapter=3, score="additive"),  # as the first row, and attention
    "bahdanau-bidirectional": Recipe(chapter=3, score="additive", bidirectional=True),
    "dot-bidirectional": Recipe(chapter=3, score="dot", bidirectional=True),
    "transformer": TransformerRecipe(chapter=5),
    "transformer-no-positions": TransformerRecipe(chapter=5, positions="none"),  # word order is lost
}


@cache
def ladder() -> dict[str, Any]:
    """The measured table: {"meta": {…}, "rows": [{"name", "chapter", "parameters", "seconds", "seeds"}]}.

    A seed has its shares of exact matches in "bins" and their mean "overall", "bleu" with k = 2, "aer" and
    "aer_sure" (None without attention), the test "loss" in nats per word, and the same shares on training
    sentences in "train". Fractions are between 0 and 1; a row's "seconds" are processor time per seed.
    """
    text = files("attn_helpers").joinpath("data", "ladder.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def row(name: str) -> dict[str, Any]:
    """One row of the measured table. Raises KeyError naming the rows there are."""
    rows = {row["name"]: row for row in ladder()["rows"]}
    if name not in rows:
        raise KeyError(f"no row {name!r}; there are {', '.join(rows)}")
    found: dict[str, Any] = rows[name]
    return found


def by_length(name: str, *, train: bool = False) -> dict[str, Interval]:
    """Exact match per bin of source length and "overall": the mean over the row's seeds, with its interval.

    train  on training sentences instead of test sentences
    """
    seeds = row(name)["seeds"]
    shares = [seed["train"] if train else {**seed["bins"], "overall": seed["overall"]} for seed in seeds]
    return {length: interval([share[length] for share in shares]) for length in (*BINS, "overall")}


def gain(name: str, over: str) -> dict[str, Interval]:
    """By how much one row beats another, per bin and "overall": mean of the seeds' differences, interval.

    Seeds are compared one by one. Rows of one recipe family see the same batches in the same order; a
    Transformer and a GRU do not (32 and 64 sentences a batch), and are paired by number only.
    """
    sides = [
        {seed["seed"]: {**seed["bins"], "overall": seed["overall"]} for seed in row(which)["seeds"]}
        for which in (name, over)
    ]
    both = sorted(set(sides[0]) & set(sides[1]))
    return {
        length: interval([sides[0][seed][length] - sides[1][seed][length] for seed in both])
        for length in (*BINS, "overall")
    }


def vocabularies(pairs: Iterable[Any]) -> tuple[Vocabulary, Vocabulary]:
    """The words of the sources and of the targets, each with its numbers."""
    pairs = list(pairs)
    source = Vocabulary(word for pair in pairs for word in pair.source)
    return source, Vocabulary(word for pair in pairs for word in pair.target)
