"""Second clauses that speak of what the first one mentioned: and eats it, because she is tired."""

from attn_helpers.corpus.clauses import I_DO, Clause, around, choose, done_to, manner, sensible
from attn_helpers.corpus.french import Phrase, Rendering, Word
from attn_helpers.corpus.lexicon import DEEDS_BY, GROUNDS, RANK, REASONS, Deed
from attn_helpers.corpus.noun_phrases import Draft, NounPhrase, Unsaid
from attn_helpers.corpus.verb_phrases import Manner, be, object_pronoun, subject_pronoun, verb_phrase


def join(english: str, french: str) -> Phrase:
    """A conjunction: each French word of it hangs on the English one."""
    word = Word(english)
    texts = [(text, "qu'" if text == "que" else None) for text in french.split()]
    return Phrase((word,), tuple(Rendering(text, (word,), (), elided) for text, elided in texts))


def and_then(draft: Draft, first: Clause) -> Phrase:
    """And eats it; but does not eat it; and gives her an apple: et la mange, mais ne la mange pas."""
    deed, what = followup(draft, first), first.what
    assert what is not None
    how = manner(draft, first.subject, deed)
    moved = object_pronoun(what, bool(deed.verb.preposition) or what.noun.english in deed.whom)
    conjunction = ("but", "mais") if how.negation else ("and", "et")
    draft.used.add(conjunction[0])
    phrase = join(*conjunction)
    if what.noun.english in deed.whom:  # gives her an apple
        given = done_to(draft, first.subject, deed, bool(how.negation))
        return phrase + verb_phrase(first.subject, deed.verb, how, moved, None) + given.phrase
    return phrase + verb_phrase(first.subject, deed.verb, how, moved) + around(draft, first.subject, deed)


def followup(draft: Draft, first: Clause) -> Deed:
    """What the same subject may do next to what it dealt with, which a pronoun can name without doubt."""
    what, done = first.what, first.deed
    if what is None or done is None or done.verb.base not in RANK or not draft.clear(what, first.subject):
        raise Unsaid
    able = I_DO if first.subject.pronoun == "i" else DEEDS_BY[first.subject.noun.english]
    later = [deed for deed in able if _rank(deed) > _rank(done)]
    name, barred = what.noun.english, ("the", "place", "indefinite")
    direct = [deed for deed in later if name in deed.what and deed.verb.determiners not in barred]
    return choose(draft, direct + [deed for deed in later if name in deed.whom])


def _rank(deed: Deed) -> int:
    return RANK.get(deed.verb.base, -1)


def because(draft: Draft, first: Clause, how: Manner) -> Phrase:
    """Because she is tired, because it is beautiful: of the subject, or of what it deals with."""
    done = f"{how.negation} {first.deed.verb.base}".strip() if first.deed else ""
    reasons = [(first.subject, adjective) for adjective in REASONS.get(done, ())]
    if first.what:
        reasons += [(first.what, adjective) for adjective in GROUNDS.get(done, ())]
    fitting = [(who, adjective) for who, adjective in reasons if _holds(draft, who, adjective)]
    if not fitting:
        raise Unsaid
    who, adjective = draft.draw.choice(fitting)
    he = subject_pronoun(who)
    return join("because", "parce que") + he.phrase + be(he, adjective)


def _holds(draft: Draft, who: NounPhrase, adjective: str) -> bool:
    if who.pronoun == "i" or adjective not in who.noun.adjectives:
        return False
    return sensible(adjective, who) and draft.clear(who)


def but_he(draft: Draft, first: Clause) -> Phrase:
    """But she does not eat it: both pronouns speak of the first clause."""
    if first.subject.pronoun == "i" or not draft.clear(first.subject):
        raise Unsaid
    he, rest = subject_pronoun(first.subject).phrase, and_then(draft, first)
    return Phrase(
        rest.english[:1] + he.english + rest.english[1:], rest.french[:1] + he.french + rest.french[1:]
    )
