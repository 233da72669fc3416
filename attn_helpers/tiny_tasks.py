"""Two tasks that a Transformer of one layer learns in seconds. Chapter 5.

Saying letters backwards is nothing but order: who is not told where a letter stands has no chance. Small talk
is so little that it can be learnt by heart. `data/reversal.json` has the first, measured over several seeds.
"""

import json
import random
from importlib.resources import files
from typing import Any, NamedTuple

import torch

from attn_helpers import expect
from attn_helpers.corpus.pairs import Pair
from attn_helpers.corpus.small_talk import small_talk
from attn_helpers.corpus.text import tokenize
from attn_helpers.corpus.vocabulary import Vocabulary
from attn_helpers.decoding import translate
from attn_helpers.ladder import vocabularies
from attn_helpers.layers import Sizes
from attn_helpers.positions import POSITIONS
from attn_helpers.training import Settings, code_hash, fit
from attn_helpers.transformer import Transformer

LETTERS = tuple("abcdefghij")
UNSEEN = 200  # rows of letters to be judged by


def reversals(count: int, length: int = 8, seed: int = 0) -> list[Pair]:
    """So many different rows of letters, each with itself backwards, and the links that follow.

    Raises ValueError when there are not so many rows of this length.
    """
    expect.widths(length=length)
    if expect.count(count, "count") > len(LETTERS) ** length:
        raise ValueError(f"count must be at most {len(LETTERS)}^{length}, got {count}")
    draw, seen = random.Random(seed), set[tuple[str, ...]]()
    while len(seen) < count:
        seen.add(tuple(draw.choice(LETTERS) for _ in range(length)))
    links = frozenset((t, length - 1 - t) for t in range(length))
    return [Pair(row, row[::-1], links, links) for row in sorted(seen)]


class Reverser(NamedTuple):
    """A model that has learnt to say letters backwards, or has not."""

    model: Transformer
    words: tuple[Vocabulary, Vocabulary]
    exact: float  # share of unseen rows that it reverses without a fault

    def say(self, letters: str) -> str:
        """What it makes of a row of letters."""
        said = translate(self.model, [Pair(tuple(letters), ())], self.words, limit=12)[0]
        return "".join(self.words[1].decode(said.tokens))

    def right(self, pairs: list[Pair]) -> float:
        """The share of these pairs that it gets right, every letter."""
        return _exact(self.model, pairs, self.words)


def reverser(
    positions: str = "sinusoids", seed: int = 0, steps: int = 300, *, progress: bool = False
) -> Reverser:
    """Train a Transformer of one layer, width 48, on rows of 8 letters. About five seconds.

    positions  "sinusoids", "learned" or "none"
    The caller's random numbers stay what they were.
    """
    pairs = reversals(4000 + UNSEEN, seed=seed)
    random.Random(seed).shuffle(pairs)
    words = Vocabulary(LETTERS), Vocabulary(LETTERS)
    model = _tiny(words, seed, Sizes(width=48, heads=4, inner=96, layers=1, positions=positions))
    fit(model, pairs[UNSEEN:], words, Settings(steps=steps, rate=1e-2, seed=seed), progress=progress)
    return Reverser(model.eval(), words, _exact(model, pairs[:UNSEEN], words))


def learn_to_reverse(positions: str = "sinusoids", seed: int = 0, steps: int = 300) -> float:
    """The share of unseen rows that `reverser` gets right."""
    return reverser(positions, seed, steps).exact


def reversal_table() -> dict[str, list[float]]:
    """The stored measurement: for each kind of positions the shares of five seeds."""
    rows: dict[str, list[float]] = stored()["rows"]
    return rows


def stored() -> dict[str, Any]:
    """The whole file, with the hash of the code it was measured with."""
    text = files("attn_helpers").joinpath("data", "reversal.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def stamp() -> str:
    """What the measurement depends on."""
    return code_hash([f"attn_helpers.{name}" for name in ("transformer", "training", "decoding")])


class SmallTalk(NamedTuple):
    """A model that has learnt `corpus.small_talk`, and how much of it."""

    model: Transformer
    words: tuple[Vocabulary, Vocabulary]
    known: float  # share of the training sentences answered word for word
    held_out: float  # the same of wordings that no training sentence has

    def answer(self, question: str) -> str:
        """What it says; words it has never met are all alike to it."""
        said = translate(self.model, [Pair(tokenize(question), ())], self.words, limit=12)[0]
        return " ".join(self.words[1].decode(said.tokens))

    def right(self, pairs: list[Pair]) -> float:
        """The share of these pairs that it answers word for word."""
        return _exact(self.model, pairs, self.words)


def learn_small_talk(seed: int = 0, steps: int = 150, *, progress: bool = False) -> SmallTalk:
    """Train a Transformer of one layer, width 32, on small talk: a few seconds."""
    talk = small_talk()
    words = vocabularies(talk.train)
    model = _tiny(words, seed, Sizes(width=32, heads=2, inner=64, layers=1))
    fit(model, talk.train, words, Settings(steps, size=32, rate=1e-2, seed=seed), progress=progress)
    return SmallTalk(model.eval(), words, _exact(model, talk.train, words), _exact(model, talk.test, words))


def _tiny(words: tuple[Vocabulary, Vocabulary], seed: int, sizes: Sizes) -> Transformer:
    """Its first weights; the caller's random numbers stay what they were."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(len(words[0]), len(words[1]), sizes)


def _exact(model: Transformer, pairs: list[Pair], words: tuple[Vocabulary, Vocabulary]) -> float:
    """The share of pairs that are translated word for word."""
    said = [tuple(words[1].decode(one.tokens)) for one in translate(model, pairs, words, limit=12)]
    return sum(one == pair.target for one, pair in zip(said, pairs, strict=True)) / len(pairs)


if __name__ == "__main__":  # python -m attn_helpers.tiny_tasks > attn_helpers/data/reversal.json
    shares = {kind: [learn_to_reverse(kind, seed) for seed in range(5)] for kind in POSITIONS}
    print(json.dumps({"meta": {"stamp": stamp(), "torch": torch.__version__.split("+")[0]}, "rows": shares}))
