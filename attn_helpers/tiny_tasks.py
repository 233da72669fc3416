"""Two tasks that a Transformer of one layer learns in seconds. Chapter 5.

Saying letters backwards is nothing but order: who is not told where a letter stands has no chance. Small talk
is so little that it can be learnt by heart.
"""

import random
from typing import NamedTuple

import torch

from attn_helpers import expect
from attn_helpers.corpus.pairs import Pair
from attn_helpers.corpus.small_talk import small_talk
from attn_helpers.corpus.text import tokenize
from attn_helpers.corpus.vocabulary import Vocabulary
from attn_helpers.decoding import translate
from attn_helpers.ladder import vocabularies
from attn_helpers.layers import Sizes
from attn_helpers.training import Settings, fit
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


def learn_to_reverse(positions: str = "sinusoids", seed: int = 0, steps: int = 300) -> float:
    """Train a Transformer of one layer, width 48: the share of unseen rows that it reverses without a fault.

    positions  "sinusoids", "learned" or "none"
    About five seconds. The caller's random numbers stay what they were.
    """
    pairs = reversals(4000 + UNSEEN, seed=seed)
    random.Random(seed).shuffle(pairs)
    words = Vocabulary(LETTERS), Vocabulary(LETTERS)
    model = _tiny(words, seed, Sizes(width=48, heads=4, inner=96, layers=1, positions=positions))
    fit(model, pairs[UNSEEN:], words, Settings(steps=steps, rate=1e-2, seed=seed), progress=False)
    return _exact(model, pairs[:UNSEEN], words)


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


def learn_small_talk(seed: int = 0, steps: int = 150) -> SmallTalk:
    """Train a Transformer of one layer, width 32, on small talk: a few seconds."""
    talk = small_talk()
    words = vocabularies(talk.train)
    model = _tiny(words, seed, Sizes(width=32, heads=2, inner=64, layers=1))
    fit(model, talk.train, words, Settings(steps, size=32, rate=1e-2, seed=seed), progress=False)
    return SmallTalk(model, words, _exact(model, talk.train, words), _exact(model, talk.test, words))


def _tiny(words: tuple[Vocabulary, Vocabulary], seed: int, sizes: Sizes) -> Transformer:
    """Its first weights; the caller's random numbers stay what they were."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(len(words[0]), len(words[1]), sizes)


def _exact(model: Transformer, pairs: list[Pair], words: tuple[Vocabulary, Vocabulary]) -> float:
    """The share of pairs that are translated word for word."""
    said = [tuple(words[1].decode(one.tokens)) for one in translate(model, pairs, words, limit=12)]
    return sum(one == pair.target for one, pair in zip(said, pairs, strict=True)) / len(pairs)
