"""What narrows a noun down: a place, or a clause with qui, que, où, dont."""

from collections.abc import Callable

from attn_helpers.corpus.clauses import I_DO, LIVING, act, choose, first_person, manner, subject
from attn_helpers.corpus.french import Phrase, Rendering, Word
from attn_helpers.corpus.lexicon import DEEDS, DEEDS_TO, NOUNS, PLACES_OF, Deed
from attn_helpers.corpus.noun_phrases import Draft, NounPhrase, Unsaid, place
from attn_helpers.corpus.verb_phrases import PLAIN, Manner, verb_phrase

Narrowing = Callable[[Draft, NounPhrase], Phrase]


def described(draft: Draft, what: NounPhrase) -> NounPhrase:
    """With a place or a relative clause behind it, when the sentence is ornate; names have neither."""
    if what.owned or what.noun.kinds & {"name", "kin"} or not draft.chance(0.8 * draft.ornate):
        return what
    if "place" in what.noun.kinds:
        return narrowed(draft, what, where)
    return narrowed(draft, what, draft.draw.choice([at_place, who_does, who_does, whom, whom, whose]))


def narrowed(draft: Draft, what: NounPhrase, how: Narrowing) -> NounPhrase:
    """The same phrase with more words behind it."""
    ornate, draft.ornate = draft.ornate, 0.0  # one clause inside another is enough
    what.phrase += how(draft, what)
    draft.ornate = ornate
    return what


def at_place(draft: Draft, what: NounPhrase) -> Phrase:
    """The book *on the table*."""
    return place(draft, what.noun) or Phrase()


def who_does(draft: Draft, what: NounPhrase) -> Phrase:
    """The man *who sleeps*, the cat *that sleeps*: qui dort."""
    if not {"person", "animal"} & what.noun.kinds:
        return whom(draft, what)
    relative = Word("who" if "person" in what.noun.kinds else "that")
    clause = act(draft, what)
    said = Phrase(
        clause.phrase.english[len(what.phrase.english) :], clause.phrase.french[len(what.phrase.french) :]
    )
    return Phrase((relative,), (Rendering("qui", (relative,)),)) + said


def whom(draft: Draft, what: NounPhrase, how: Manner = PLAIN) -> Phrase:
    """The book *that the girl reads*, the king *whom the queen loves*: que lit, qu'aime."""
    deeds = [deed for deed in DEEDS_TO[what.noun.english] if bears(deed)]
    if not deeds:
        raise Unsaid
    deed = choose(draft, deeds)
    mine = draft.chance(0.2) and deed in I_DO
    who = first_person() if mine else subject(draft, deed.who, "definite")
    relative = Word("whom" if "person" in what.noun.kinds else "that")
    que = Rendering("que", (relative,), before_vowel="qu'")
    return Phrase((relative,), (que,)) + who.phrase + verb_phrase(who, deed.verb, how)


def bears(deed: Deed) -> bool:
    """Whether it is done to a thing and to nobody besides: one reads a book, and gives it to somebody."""
    return not deed.verb.preposition and not deed.whom and deed.verb.determiners not in ("the", "place")


def whose(draft: Draft, what: NounPhrase) -> Phrase:
    """The boy *whose dog sleeps*: dont le chien dort."""
    if "person" not in what.noun.kinds:
        return who_does(draft, what)
    kinds = {"pet", "farm"} if "adult" in what.noun.kinds else {"pet"}
    noun = draft.pick([name for name in LIVING if NOUNS[name].kinds & kinds])
    relative, head = Word("whose"), Word(noun.english)
    article = Rendering("la" if noun.feminine else "le", (relative,), (head,), "l'")
    french = (Rendering("dont", (relative,)), article, Rendering(noun.french, (head,)))
    who = NounPhrase(Phrase((relative, head), french), (head,), noun.feminine, False, noun.pronoun, noun)
    draft.mentioned.append(who.pronoun)
    return act(draft, who).phrase


def where(draft: Draft, what: NounPhrase) -> Phrase:
    """The garden *where the cat sleeps*: où le chat dort."""
    deeds = [deed for deed in DEEDS if what.noun.english in deed.verb.places]
    if not deeds:
        return Phrase()
    deed = choose(draft, deeds)
    here = [name for name in deed.who if any(what.noun.english in spot.where for spot in PLACES_OF[name])]
    who = subject(draft, here, "definite")
    relative = Word("where")
    clause = act(draft, who, manner(draft, who, deed), deed)
    return Phrase((relative,), (Rendering("où", (relative,)),)) + clause.phrase
