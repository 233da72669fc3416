"""Clauses: who does what to whom and where, who is how, what there is."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_helpers.corpus.french import Phrase, Rendering, Word
from attn_helpers.corpus.lexicon import ADJECTIVES, DEEDS_BY, NOUNS, Deed, Noun
from attn_helpers.corpus.noun_phrases import Draft, NounPhrase, Unsaid, noun_phrase, owned, place, preposition
from attn_helpers.corpus.verb_phrases import ADVERBS, BE, PLAIN, Manner, be, verb_phrase

# *Je suis* means both i am and i follow, so i never follow; the other rare forms of i are spared as well.
SPARED = {"follow", "sleep", "drink", "sell", "live", "come", "write", "run"}
I_DO = [deed for deed in DEEDS_BY["man"] if "boy" in deed.who and deed.verb.base not in SPARED]
PERSONS = tuple(name for name, noun in NOUNS.items() if "person" in noun.kinds and name != "friend")
ADULTS = tuple(name for name in PERSONS if "adult" in NOUNS[name].kinds)
OWNED = frozenset({"pet", "farm", "kin", "portable", "home"})
LIVING = tuple(name for name, noun in NOUNS.items() if noun.kinds & {"person", "animal"})
SAID_OF = tuple(name for name, noun in NOUNS.items() if noun.adjectives)
COLOURS = {a.english for a in ADJECTIVES.values() if a.position == "colour"}
RIVALS = [  # of these one is said at most
    {"young", "old", "new"},
    {"small", "big", "large"},
    {"happy", "sad"},
    {"fresh", "old"},
]
MANNERS = ["plain"] * 10 + ["not"] * 4 + ["never"] * 2 + ["adverb"] * 2 + ["modal"] * 5
LASTING = ("definite", "indefinite", "place")  # verbs one does not do often, nor can or must do
UNAGREEING = [a.english for a in ADJECTIVES.values() if a.masculine == a.feminine]  # safe for *i*


@dataclass(eq=False, slots=True)
class Clause:
    """A phrase, who it is about, and what was done to whom."""

    phrase: Phrase
    subject: NounPhrase
    deed: Deed | None = None
    what: NounPhrase | None = None


def subject(draft: Draft, names: Sequence[str] = LIVING, kind: str = "subject") -> NounPhrase:
    """A phrase that can be a subject; now and then it belongs to somebody: the king 's horse."""
    noun = draft.pick(names)
    if noun.kinds & OWNED and noun.english != "friend" and draft.chance(0.12):
        return belonging(draft, noun)
    made = noun_phrase(draft, noun, "definite" if "mass" in noun.kinds else kind)
    return draft.adorn(draft, made)


def belonging(draft: Draft, noun: Noun) -> NounPhrase:
    """The king 's horse, my brother 's car, anna 's dog."""
    names = ADULTS if noun.kinds & {"farm", "vehicle", "furniture", "home"} else PERSONS
    owner = noun_phrase(draft, draft.pick(names), "definite", many=False)
    return owned(draft, owner, noun)


def first_person() -> NounPhrase:
    """I, je: no adjective that would have to tell a gender may be said of it."""
    word = Word("i")
    phrase = Phrase((word,), (Rendering("je", (word,), before_vowel="j'"),))
    return NounPhrase(phrase, (word,), False, False, "i", NOUNS["man"])


def manner(draft: Draft, who: NounPhrase, deed: Deed, kinds: Sequence[str] = MANNERS) -> Manner:
    """Mostly plain; else with not, never, a modal or an adverb, as far as subject and verb can bear it."""
    kinds = [kind for kind in kinds if not (lasts(deed) and kind in ("never", "modal", "adverb"))]
    kinds = [kind for kind in kinds if not (who.every and kind in ("not", "never"))]
    if not kinds:
        raise Unsaid
    kind = draft.draw.choice(kinds)
    if kind == "modal":
        negation = "not" if not who.every and draft.chance(0.3) else ""
        return Manner(negation, draft.draw.choice(["can", "must", "will", "want"]))
    if kind == "adverb":
        return Manner(adverb=draft.draw.choice(list(ADVERBS)))
    return Manner(kind) if kind != "plain" else PLAIN


def lasts(deed: Deed | None) -> bool:
    """Whether it holds without beginning or end: one knows, has, loves, lives."""
    return deed is None or deed.verb.determiners in LASTING


def choose(draft: Draft, deeds: Sequence[Deed]) -> Deed:
    """A deed whose verb the sentence has not used."""
    return draft.fresh(deeds, lambda deed: deed.verb.forms[0])


def act(draft: Draft, who: NounPhrase, how: Manner | None = None, deed: Deed | None = None) -> Clause:
    """Somebody does something: to a thing, to somebody, somewhere."""
    deed = deed or choose(draft, DEEDS_BY[who.noun.english])
    how = manner(draft, who, deed) if how is None else how
    what = done_to(draft, who, deed, bool(how.negation)) if deed.what else None
    phrase = verb_phrase(who, deed.verb, how, None, what.phrase if what else None)
    return Clause(who.phrase + phrase + around(draft, who, deed), who, deed, what)


def done_to(draft: Draft, who: NounPhrase, deed: Deed, negated: bool) -> NounPhrase:
    """The object; after a negation it is definite, or *any*."""
    kind = deed.verb.determiners
    if negated and kind in ("", "indefinite", "foreign"):
        none = kind == "indefinite" or (not deed.verb.preposition and draft.chance(0.5))
        kind = "none" if none else "narrowed" if kind else "definite"
    noun = draft.pick(deed.what)
    what = noun_phrase(draft, noun, kind, owner(who, noun))
    return what if kind == "none" or deed.whom else draft.adorn(draft, what)


def owner(who: NounPhrase, noun: Noun) -> str:
    """The pronoun of an owner; animals own nothing but their food."""
    return who.pronoun if "person" in who.noun.kinds or noun.kinds & {"food", "drink"} else ""


def around(draft: Draft, who: NounPhrase, deed: Deed) -> Phrase:
    """To whom, and where."""
    phrase = Phrase()
    if deed.whom:
        noun = draft.pick(deed.whom)
        phrase += preposition("to", "à", noun_phrase(draft, noun, "", owner(who, noun)))
    if deed.verb.places and draft.chance(0.15 + 0.5 * draft.ornate):
        phrase += place(draft, who.noun, deed.verb.places) or Phrase()
    return phrase


def state(draft: Draft, who: NounPhrase, negation: str | None = None) -> Clause:
    """Somebody or something is, or is not, so."""
    adjectives = who.noun.adjectives
    if who.pronoun == "i":
        adjectives = tuple(name for name in adjectives if name in UNAGREEING)
    free = [name for name in adjectives if sensible(name, who)]
    if not free:
        raise Unsaid
    if draft.chance(0.5):  # half of the time one that looks the same for both genders, where there is one
        free = [name for name in free if name in UNAGREEING] or free
    if negation is None:
        negation = "not" if not who.every and draft.chance(0.3) else ""
    quality = draft.draw.choice(free)
    very = ADJECTIVES[quality].position != "colour" and draft.chance(0.25)
    return Clause(who.phrase + be(who, quality, negation, very), who)


def sensible(adjective: str, who: NounPhrase) -> bool:
    """Whether one may say it of a phrase that has adjectives: no young old men, no black white cats."""
    said = {word.text for word in who.phrase.english}
    colour = ADJECTIVES[adjective].position == "colour"
    rivals = [group for group in [*RIVALS, COLOURS if colour else {adjective}] if adjective in group]
    return adjective != "new" and not any(group & said for group in rivals)


def being_there(draft: Draft, who: NounPhrase) -> Clause:
    """Somebody or something is, or is not, somewhere."""
    there = place(draft, who.noun)
    if there is None:
        raise Unsaid
    how = Manner("not" if not who.every and draft.chance(0.25) else "")
    return Clause(who.phrase + verb_phrase(who, BE, how, None, there), who)


def existence(draft: Draft) -> Phrase:
    """There is a cat under the table, il y a un chat sous la table; there is no …, il n'y a pas de …"""
    barred = {"kin", "place", "name"}
    noun = draft.pick([name for name in dict.fromkeys(LIVING + SAID_OF) if not NOUNS[name].kinds & barred])
    no = draft.chance(0.3)
    what = noun_phrase(draft, noun, "no" if no else "indefinite")
    there, is_ = Word("there"), Word("are" if what.many else "is")
    y: tuple[Rendering, ...] = (Rendering("y", (there,)), Rendering("a", (is_,)))
    if no:
        word = what.phrase.english[0]
        y = (Rendering("ne", (word,), before_vowel="n'"), *y, Rendering("pas", (word,)))
    somewhere = place(draft, noun)
    if somewhere is None:
        raise Unsaid
    return Phrase((there, is_), (Rendering("il", (there,)), *y)) + what.phrase + somewhere
