"""Sentences drawn from the grammar and split into parts that share none."""

import random

from attn_helpers.corpus.pairs import Pair, Splits

_NOUNS = {"cat": "chat", "dog": "chien", "rabbit": "lapin", "horse": "cheval", "teacher": "professeur"}
_ADJECTIVES = {"black": "noir", "white": "blanc", "tired": "fatigué", "quiet": "calme"}
_VERBS = {"sleeps": "dort", "eats": "mange", "sings": "chante", "waits": "attend"}


def corpus(seed: int = 0, train: int = 8000, validation: int = 500, test: int = 1200) -> Splits:
    """A corpus drawn anew from a seed."""
    draw = random.Random(seed)
    found: dict[tuple[str, ...], Pair] = {}
    while len(found) < train + validation + test:
        parts = [_clause(draw) for _ in range(draw.randint(1, 6))]
        source: list[str] = []
        target: list[str] = []
        links: set[tuple[int, int]] = set()
        for part in parts:
            if source:
                links.add((len(target), len(source)))
                source.append("and")
                target.append("et")
            links |= {(t + len(target), s + len(source)) for t, s in part[2]}
            source += part[0]
            target += part[1]
        pair = Pair(tuple(source), tuple(target), frozenset(links), frozenset(links), "clauses")
        found.setdefault(pair.source, pair)
    pairs = list(found.values())
    draw.shuffle(pairs)
    return Splits(pairs[:train], pairs[train : train + validation], pairs[train + validation :])


def _clause(draw: random.Random) -> tuple[list[str], list[str], set[tuple[int, int]]]:
    noun, adjective = draw.choice(list(_NOUNS)), draw.choice(list(_ADJECTIVES))
    verb = draw.choice(list(_VERBS))
    source = ["the", adjective, noun, verb]
    target = ["le", _NOUNS[noun], _ADJECTIVES[adjective], _VERBS[verb]]
    return source, target, {(0, 0), (1, 2), (2, 1), (3, 3)}
