"""Sentences of one clause: what somebody does, how and where something is, whose it is."""

from collections.abc import Callable
from dataclasses import replace

from attn_helpers.corpus.clauses import (
    LIVING,
    SAID_OF,
    act,
    being_there,
    belonging,
    choose,
    manner,
    owner,
    sensible,
    state,
    subject,
)
from attn_helpers.corpus.french import Phrase, Rendering, Word
from attn_helpers.corpus.lexicon import DEEDS, DEEDS_BY, NOUNS
from attn_helpers.corpus.noun_phrases import Draft, NounPhrase, Unsaid, agree, noun_phrase
from attn_helpers.corpus.pronouns import join
from attn_helpers.corpus.verb_phrases import BE, DIRECT, Manner, verb_phrase

Construction = Callable[[Draft], Phrase]
NOT_FRIEND = [name for name in SAID_OF if name != "friend"]
COMPARED = frozenset(
    {"person", "pet", "farm", "wild", "building", "worn", "readable", "furniture", "vehicle", "food", "drink"}
)
TIMES = (
    ("today", "aujourd'hui"),
    ("every day", "chaque jour"),
    ("in the morning", "le matin"),
    ("in the evening", "le soir"),
)


def sometimes(draft: Draft, how: Manner) -> Phrase:
    """Today, every day, in the morning; not where the verb has often or never."""
    if how.adverb or how.negation == "never" or not draft.chance(0.15):
        return Phrase()
    english, french = draft.draw.choice(TIMES)
    words, texts = tuple(map(Word, english.split())), french.split()
    hung = zip(texts, words[-len(texts) :], strict=True)
    return Phrase(words, tuple(Rendering(text, (word,)) for text, word in hung))


def action(*manners: str) -> Construction:
    """Somebody does something: plainly, with a negation, with a modal."""

    def built(draft: Draft) -> Phrase:
        who = subject(draft)
        deed = choose(draft, DEEDS_BY[who.noun.english])
        how = manner(draft, who, deed, manners)
        return act(draft, who, how, deed).phrase + sometimes(draft, how)

    return built


def quality(draft: Draft) -> Phrase:
    """The cat is black; this letter is not very old. People and animals more often than things."""
    names = NOT_FRIEND if draft.chance(0.5) else [name for name in LIVING if NOUNS[name].adjectives]
    return state(draft, subject(draft, names, "definite")).phrase


def location(draft: Draft) -> Phrase:
    """The book is on the table."""
    return being_there(draft, subject(draft, list(dict.fromkeys([*LIVING, *NOT_FRIEND])), "definite")).phrase


def possession(draft: Draft) -> Phrase:
    """The king 's horse sleeps."""
    owned = {"pet", "farm", "thing", "kin", "home"}
    noun = draft.pick([name for name in NOT_FRIEND if NOUNS[name].kinds & owned])
    who = belonging(draft, noun)
    if DEEDS_BY[noun.english] and draft.chance(0.8):
        return act(draft, who).phrase
    return draft.draw.choice([state, being_there])(draft, who).phrase


def together(draft: Draft) -> Phrase:
    """The cat and the cow sleep: plural, and feminine only when both are."""
    names = [name for name in LIVING if name != "friend"]
    one = noun_phrase(draft, draft.pick(names), "definite")
    kind = one.noun.kinds & {"person", "animal"}
    two = noun_phrase(draft, draft.pick([name for name in names if NOUNS[name].kinds & kind]), "definite")
    draft.mentioned[-2:] = ["they"]
    shared = tuple(name for name in one.noun.adjectives if name in two.noun.adjectives)
    phrase = one.phrase + join("and", "et") + two.phrase
    noun = replace(one.noun, adjectives=shared)
    who = NounPhrase(phrase, one.heads + two.heads, one.feminine and two.feminine, True, "they", noun)
    if shared and draft.chance(0.12):
        return state(draft, who).phrase
    deed = choose(draft, [deed for deed in DEEDS_BY[noun.english] if two.noun.english in deed.who])
    how = manner(draft, who, deed)
    return act(draft, who, how, deed).phrase + sometimes(draft, how)


def comparison(draft: Draft) -> Phrase:
    """As old as, aussi vieux que: of two of one kind."""
    one = subject(draft, NOT_FRIEND, "definite")
    alike = [name for name in NOT_FRIEND if NOUNS[name].kinds & one.noun.kinds & COMPARED]
    two = noun_phrase(draft, draft.pick(alike), "definite")
    fitting = [name for name in one.noun.adjectives if sensible(name, one) and sensible(name, two)]
    fitting = [name for name in fitting if name in two.noun.adjectives]
    if not fitting:
        raise Unsaid
    first, word, second = Word("as"), Word(draft.draw.choice(fitting)), Word("as")
    than = Rendering("que", (second,), before_vowel="qu'")
    french = (Rendering("aussi", (first,)), agree(word, one.heads, one.feminine, one.many), than)
    how = Manner("not" if draft.chance(0.3) else "")
    return one.phrase + verb_phrase(one, BE, how, None, Phrase((first, word, second), french) + two.phrase)


def to_me(draft: Draft) -> Phrase:
    """The dog follows me, the girl gives us a hat: me suit, nous donne un chapeau."""
    deed = choose(draft, [deed for deed in DEEDS if {"man", "boy"} <= {*(deed.whom or deed.what)}])
    who = subject(draft, deed.who)
    how = manner(draft, who, deed)
    english, french, before_vowel = DIRECT[draft.draw.choice(["i", "we"])]
    word = Word(english)
    moved = Phrase((word,), (Rendering(french, (word,), before_vowel=before_vowel),))
    phrase = who.phrase + verb_phrase(who, deed.verb, how, moved)
    if deed.whom:
        noun = draft.pick(deed.what)
        phrase += noun_phrase(draft, noun, "definite" if how.negation else "", owner(who, noun)).phrase
    return phrase
