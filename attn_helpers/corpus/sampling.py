"""Sentences drawn from the grammar: every length equally often, and parts that share none."""

import functools
import random
from collections.abc import Mapping

from attn_helpers import expect
from attn_helpers.corpus.constructions import CONSTRUCTIONS, HELD_OUT
from attn_helpers.corpus.french import to_pair
from attn_helpers.corpus.lexicon import DEEDS_BY, NOUNS
from attn_helpers.corpus.noun_phrases import Draft, Unsaid, built
from attn_helpers.corpus.one_clause import Construction
from attn_helpers.corpus.pairs import Pair, Splits
from attn_helpers.corpus.relatives import described
from attn_helpers.corpus.verb_phrases import verb_phrase

BINS = ((1, 6), (7, 9), (10, 12), (13, 16), (17, 20), (21, 29))  # source tokens, both ends included
SHORTEST, LONGEST = 3, 29
ORNATE = (0.0, 0.2, 0.4, 0.6, 0.6, 0.7)  # how many adjectives, places and clauses lead into each bin
SHORT = {  # construction -> how often a shorter sentence begins with it
    **dict.fromkeys(CONSTRUCTIONS, 1.0),
    "action": 4,
    "negation": 3,
    "modal": 3,
    "location": 2,
    "first person": 2,
    "possession": 2,
    "quality": 0.5,
    "comparison": 0.5,
    "reason": 0.7,
    "two pronouns": 0.7,
    "whose": 0.7,
    "to me": 0.7,
    "where": 0,
    "two clauses": 0,
    "three clauses": 0,
}
LONG = {"two clauses": 4.0, "three clauses": 2, "where": 3, "relative subject": 2, "relative object": 2}
LONG |= dict.fromkeys(["action", "modal", "negation", "together", "whose", "object pronoun"], 1)
LONG |= {"two pronouns": 0.7, "reason": 0.7}


def corpus(
    seed: int = 0, train: int = 12000, validation: int = 600, test: int = 1200, held_out: int = 300
) -> Splits:
    """The running corpus, drawn anew from a seed: the same on every machine.

    Each of `train`, `validation`, `test` is spread evenly over the six bins of source length; their
    sentences are unique and no source is in two of them. `held_out` sentences more are built in a way
    that none of them shows (a negation inside *that the girl …*).
    Raises TypeError or ValueError for sizes that are not whole numbers from 0.
    """
    asked = {"train": train, "validation": validation, "test": test, "held_out": held_out}
    sizes = tuple(expect.count(size, name) for name, size in asked.items())
    probe = hero()
    parts = [list(part) for part in _drawn(seed, sizes, probe)]  # lists of the caller's own
    return Splits(parts[0], parts[1], parts[2], parts[3], probe)


@functools.lru_cache(maxsize=2)  # seconds of work, asked for by the cells and the widgets of a chapter
def _drawn(seed: int, sizes: tuple[int, ...], probe: Pair) -> list[tuple[Pair, ...]]:
    """The parts of a corpus: train, validation, test, held-out construction."""
    draw, seen = random.Random(seed), {probe.source}
    wanted = [sum(_share(size, i) for size in sizes[:3]) for i in range(len(BINS))]
    bins = _filled(draw, wanted, seen)
    parts = []
    for size in sizes[:3]:
        part = [bins[i].pop() for i in range(len(BINS)) for _ in range(_share(size, i))]
        draw.shuffle(part)
        parts.append(tuple(part))
    return [*parts, tuple(_sentences(draw, HELD_OUT, sizes[3], seen))]


def hero() -> Pair:
    """The book's sentence: the black cat sleeps, le chat noir dort. No part of the corpus holds it."""
    cat = built(NOUNS["cat"], "the", ["black"])
    (sleep,) = [deed.verb for deed in DEEDS_BY["cat"] if deed.verb.base == "sleep"]
    return to_pair(cat.phrase + verb_phrase(cat, sleep), "action")


def length_bin(length: int) -> int:
    """The bin of a source length; what is longer than the last bin falls into it."""
    return next((i for i, (_, last) in enumerate(BINS) if length <= last), len(BINS) - 1)


def _share(size: int, i: int) -> int:
    return size // len(BINS) + (i < size % len(BINS))


def _filled(draw: random.Random, wanted: list[int], seen: set[tuple[str, ...]]) -> list[list[Pair]]:
    """Bins with as many unique pairs as wanted; each draft aims at the emptiest one."""
    bins: list[list[Pair]] = [[] for _ in BINS]
    missing = list(wanted)
    while any(missing):
        aim = missing.index(max(missing))
        weights = SHORT if aim < 3 or (aim < 5 and draw.random() < 0.5) else LONG
        (name,) = draw.choices(list(weights), list(weights.values()))
        pair = _drafted(draw, name, CONSTRUCTIONS[name], ORNATE[aim])
        if pair is None or pair.source in seen:
            continue
        home = length_bin(len(pair.source))
        if missing[home]:
            missing[home] -= 1
            seen.add(pair.source)
            bins[home].append(pair)
    for pairs in bins:
        draw.shuffle(pairs)
    return bins


def _sentences(
    draw: random.Random, ways: Mapping[str, Construction], size: int, seen: set[tuple[str, ...]]
) -> list[Pair]:
    found: list[Pair] = []
    while len(found) < size:
        name = draw.choice(sorted(ways))
        pair = _drafted(draw, name, ways[name], draw.random())
        if pair is not None and pair.source not in seen:
            seen.add(pair.source)
            found.append(pair)
    return found


def _drafted(draw: random.Random, name: str, build: Construction, ornate: float) -> Pair | None:
    """One attempt; None when words ran out or the sentence is too short or too long."""
    try:
        phrase = build(Draft(draw, ornate, adorn=described))
    except Unsaid:
        return None
    return to_pair(phrase, name) if SHORTEST <= len(phrase.english) <= LONGEST else None
