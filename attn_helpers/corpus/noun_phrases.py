"""Noun phrases: determiner, adjectives, noun, owner, place, each French word hung on its English one."""

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from attn_helpers.corpus.determiners import OWNERS, choices, determiner
from attn_helpers.corpus.french import Phrase, Rendering, Word
from attn_helpers.corpus.lexicon import ADJECTIVES, NOUNS, PLACES_OF, Noun

Thing = TypeVar("Thing")
NAMES = tuple(name for name, noun in NOUNS.items() if "name" in noun.kinds)


class Unsaid(Exception):  # noqa: N818
    """A draft that ran out of words, or that would be unclear: begin another."""


@dataclass(eq=False, slots=True)
class NounPhrase:
    """A phrase about somebody or something, and what agreement asks of it."""

    phrase: Phrase
    heads: tuple[Word, ...]  # the English nouns that give gender and number
    feminine: bool
    many: bool
    pronoun: str  # what English calls it: he she it they i
    noun: Noun
    every: bool = False  # every, all: not with a negation
    owned: bool = False  # my, his: which one is known, and no clause narrows it down


@dataclass(slots=True)
class Draft:
    """A sentence in the making: chance, how ornate it is to be, and what was mentioned so far."""

    draw: random.Random
    ornate: float = 0.3
    used: set[str] = field(default_factory=set)
    mentioned: list[str] = field(default_factory=list)  # the pronoun of every phrase
    adorn: "Callable[[Draft, NounPhrase], NounPhrase]" = field(default=lambda draft, what: what)

    def chance(self, probability: float) -> bool:
        """Whether something with this probability happens."""
        return self.draw.random() < probability

    def pick(self, names: Sequence[str]) -> Noun:
        """A noun that the sentence has not used; raises Unsaid when all are."""
        return NOUNS[self.fresh(names, str)]

    def fresh(self, things: Sequence[Thing], name: Callable[[Thing], str]) -> Thing:
        """One of those whose name is not used; from now on it is. Raises Unsaid when there is none."""
        thing = self.draw.choice(things) if things else None
        if thing is None or name(thing) in self.used:  # seldom: most words are not
            free = [thing for thing in things if name(thing) not in self.used]
            if not free:
                raise Unsaid
            thing = self.draw.choice(free)
        self.used.add(name(thing))
        return thing

    def clear(self, what: NounPhrase, *besides: NounPhrase) -> bool:
        """Whether the pronoun of a phrase can mean nothing else that was mentioned."""
        rivals = self.mentioned.count(what.pronoun) - 1
        return rivals == sum(other.pronoun == what.pronoun for other in besides)


def noun_phrase(
    draft: Draft, noun: Noun, kind: str = "", owner: str = "", many: bool | None = None
) -> NounPhrase:
    """A phrase around a noun; for `kind` and `owner` see `determiners.choices`."""
    if "name" in noun.kinds:
        made = _named(noun)
    elif noun.english == "friend":
        made = _friend(draft, noun, _named(draft.pick(NAMES)), owner)
    else:
        countable = noun.english != noun.english_plural and kind != "the"
        if many is None:
            many = countable and kind != "place" and draft.chance(0.35)
        english = draft.draw.choice(choices(noun, many, kind, owner))
        made = built(noun, english, adjectives(draft, noun), many, kind == "none" and english in ("a", "any"))
        made.every = english in ("every", "all")
        made.owned = english in OWNERS
    draft.mentioned.append(made.pronoun)
    return made


def built(
    noun: Noun, english: str, names: Sequence[str], many: bool = False, none: bool = False
) -> NounPhrase:
    """Determiner, adjectives, noun: English puts every adjective first; French some before and some after."""
    before = bool(names) and ADJECTIVES[names[0]].position == "before"
    head = Word(noun.english_plural if many else noun.english)
    words = [Word(name) for name in names]
    qualities = [agree(word, (head,), noun.feminine, many) for word in words]
    if before and not many and not noun.feminine:
        qualities[0].before_vowel = ADJECTIVES[names[0]].before_vowel
    first = determiner(english, noun, head, many, before, none)
    named = Rendering(noun.french_plural if many else noun.french, (head,))
    phrase = first + Phrase((*words, head), (*qualities[:before], named, *qualities[before:]))
    return NounPhrase(phrase, (head,), noun.feminine, many, "they" if many else noun.pronoun, noun)


def agree(word: Word, heads: tuple[Word, ...], feminine: bool, many: bool) -> Rendering:
    """An adjective hangs on its word; for its ending it may look at the noun."""
    return Rendering(ADJECTIVES[word.text].french(feminine, many), (word,), heads)


def adjectives(draft: Draft, noun: Noun) -> list[str]:
    """None, one, or one that French puts before the noun and then a colour, which it puts after."""
    fresh = [name for name in noun.adjectives if name not in draft.used]
    if not fresh or not draft.chance(0.3 + 0.4 * draft.ornate):
        return []
    chosen = [draft.draw.choice(fresh)]
    colours = [name for name in fresh if ADJECTIVES[name].position == "colour"]
    if ADJECTIVES[chosen[0]].position == "before" and colours and draft.chance(0.4):
        chosen.append(draft.draw.choice(colours))
    draft.used.update(chosen)
    return chosen


def _named(noun: Noun) -> NounPhrase:
    word = Word(noun.english)
    phrase = Phrase((word,), (Rendering(noun.french, (word,)),))
    return NounPhrase(phrase, (word,), noun.feminine, False, noun.pronoun, noun)


def _friend(draft: Draft, noun: Noun, name: NounPhrase, owner: str) -> NounPhrase:
    """My old friend anna, ma vieille amie anna: only the name tells whether a friend is *ami* or *amie*."""
    if name.feminine:
        noun = replace(noun, french="amie", feminine=True)
    made = built(noun, draft.draw.choice(choices(noun, False, "", owner)), adjectives(draft, noun))
    for word in made.phrase.french:
        word.possible = made.heads + name.heads
    made.phrase += name.phrase
    return replace(made, heads=made.heads + name.heads, pronoun=name.pronoun)


def owned(draft: Draft, owner: NounPhrase, noun: Noun) -> NounPhrase:
    """The king 's old horse, le vieux cheval du roi: owner and thing change places."""
    apostrophe = Word("'s")
    thing = built(noun, "the", adjectives(draft, noun))
    _, *english = thing.phrase.english
    article, *french = thing.phrase.french
    article.sure = (apostrophe,)
    preposition = Rendering("de", (apostrophe,), before_vowel="d'")
    phrase = Phrase(
        (*owner.phrase.english, apostrophe, *english), (article, *french, preposition, *owner.phrase.french)
    )
    draft.mentioned.append(thing.pronoun)
    return replace(thing, phrase=phrase)


def place(draft: Draft, noun: Noun, where: Collection[str] | None = None) -> Phrase | None:
    """In the garden, dans le jardin; None when the sentence knows no place for this noun."""
    spots = PLACES_OF[noun.english]
    found = [(spot, [name for name in spot.where if where is None or name in where]) for spot in spots]
    found = [(spot, names) for spot, names in found if names]
    if not found:
        return None
    spot, names = draft.draw.choice(found)
    there = draft.pick(names)
    return preposition(spot.english, spot.french, draft.adorn(draft, noun_phrase(draft, there, "place")))


def preposition(english: str, french: str, what: NounPhrase) -> Phrase:
    """A preposition before a phrase: each French word of it hangs on every English one."""
    words = tuple(map(Word, english.split()))
    renderings = tuple(
        Rendering(text, words, before_vowel="d'" if text == "de" else None) for text in french.split()
    )
    return Phrase(words, renderings) + what.phrase
