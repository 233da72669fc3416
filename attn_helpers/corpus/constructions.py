"""The ways of building a sentence, each a function of a draft; those of several clauses are here."""

from collections.abc import Sequence

from attn_helpers.corpus.clauses import (
    I_DO,
    LIVING,
    PERSONS,
    Clause,
    act,
    choose,
    existence,
    first_person,
    lasts,
    manner,
    state,
    subject,
)
from attn_helpers.corpus.french import Phrase
from attn_helpers.corpus.lexicon import DEEDS_BY, DEEDS_TO, GROUNDS, NOUNS, RANK, REASONS, Deed
from attn_helpers.corpus.noun_phrases import Draft, NounPhrase, Unsaid, noun_phrase
from attn_helpers.corpus.one_clause import (
    NOT_FRIEND,
    Construction,
    action,
    comparison,
    location,
    possession,
    quality,
    sometimes,
    to_me,
    together,
)
from attn_helpers.corpus.pronouns import and_then, because, but_he, join
from attn_helpers.corpus.relatives import Narrowing, bears, narrowed, where, who_does, whom, whose
from attn_helpers.corpus.verb_phrases import PLAIN, Manner, verb_phrase


def first(draft: Draft) -> Phrase:
    """I read a book; i see the dog and follow it."""
    who = first_person()
    if draft.chance(0.2):
        return state(draft, who).phrase
    deed = choose(draft, I_DO)
    if draft.chance(0.5):
        how = manner(draft, who, deed)
        return act(draft, who, how, deed).phrase + sometimes(draft, how)
    clause = act(draft, who, PLAIN, deed)
    return clause.phrase + and_then(draft, clause)


GIVEN = {*REASONS, *GROUNDS}  # verbs for which there is a reason


def opening(draft: Draft) -> Clause:
    """A clause after which the same subject may do more to the same thing."""
    who = subject(draft)
    return act(draft, who, PLAIN, choose(draft, [deed for deed in DEEDS_BY[who.noun.english] if opens(deed)]))


def opens(deed: Deed) -> bool:
    """Whether something may follow: one looks for a cake and eats it, and that is the end."""
    return deed.verb.base in RANK and RANK[deed.verb.base] < max(RANK.values())


def object_pronoun(draft: Draft) -> Phrase:
    """The boy buys an apple and eats it."""
    clause = opening(draft)
    return clause.phrase + and_then(draft, clause)


def reason(draft: Draft) -> Phrase:
    """The cat sleeps because it is tired."""
    who = subject(draft)
    how = Manner("not") if not who.every and draft.chance(0.4) else PLAIN
    given = [deed for deed in DEEDS_BY[who.noun.english] if how.negation or deed.verb.base in GIVEN]
    clause = act(draft, who, how, choose(draft, given))
    return clause.phrase + because(draft, clause, how)


def two_pronouns(draft: Draft) -> Phrase:
    """The girl sees the cake but she does not eat it."""
    clause = opening(draft)
    return clause.phrase + but_he(draft, clause)


def relative(how: Narrowing, names: Sequence[str]) -> Construction:
    """The man who sleeps sings; the boy eats the apple that the girl buys."""
    free = [name for name in names if not NOUNS[name].kinds & {"name", "kin", "mass"}]

    def built(draft: Draft) -> Phrase:
        what = narrowed(draft, noun_phrase(draft, draft.pick(free), "narrowed"), how)
        if DEEDS_BY[what.noun.english]:
            return (act if draft.chance(0.85) else state)(draft, what).phrase
        if draft.chance(0.15):
            return state(draft, what).phrase
        fitting = [deed for deed in DEEDS_TO[what.noun.english] if bears(deed)]
        deed = choose(draft, [deed for deed in fitting if deed.verb.determiners != "indefinite"])
        who = subject(draft, deed.who)
        return who.phrase + verb_phrase(who, deed.verb, manner(draft, who, deed), None, what.phrase)

    return built


def place_where(draft: Draft) -> Phrase:
    """The girl sings in the garden where the cat sleeps."""
    who = subject(draft)
    deed = choose(draft, [deed for deed in DEEDS_BY[who.noun.english] if deed.verb.places])
    how, adorn = manner(draft, who, deed), draft.adorn
    draft.adorn = _always_where
    clause = act(draft, who, how, deed)
    draft.adorn = adorn
    if "where" not in {word.text for word in clause.phrase.english}:
        raise Unsaid
    return clause.phrase


def _always_where(draft: Draft, what: NounPhrase) -> NounPhrase:
    return narrowed(draft, what, where) if "place" in what.noun.kinds and not what.owned else what


def two_clauses(draft: Draft) -> Phrase:
    """The cat sleeps while the dog eats the meat."""
    clause = act(draft, subject(draft))
    return clause.phrase + another(draft, not lasts(clause.deed))


def another(draft: Draft, timed: bool) -> Phrase:
    """And, but somebody else does something; when or while, if what is done takes place at a time."""
    ways = [("and", "et"), ("but", "mais")]
    if timed:
        ways += [("while", "pendant que"), ("when", "quand")]
    english, french = draft.fresh(ways, lambda way: way[0])
    if english in ("and", "but"):
        return join(english, french) + act(draft, subject(draft)).phrase
    who = subject(draft)
    deeds = [deed for deed in DEEDS_BY[who.noun.english] if not lasts(deed)]
    return join(english, french) + act(draft, who, PLAIN, choose(draft, deeds)).phrase


def three_clauses(draft: Draft) -> Phrase:
    """The girl buys an apple and eats it while the boy sleeps."""
    build = draft.draw.choice([object_pronoun, reason, two_pronouns])
    return build(draft) + another(draft, build is object_pronoun)


def not_whom(draft: Draft, what: NounPhrase) -> Phrase:
    """The book *that the girl does not read*: que la fille ne lit pas."""
    return whom(draft, what, Manner("not"))


CONSTRUCTIONS: dict[str, Construction] = {
    "action": action("plain", "plain", "plain", "adverb"),
    "negation": action("not", "not", "never"),
    "modal": action("modal"),
    "quality": quality,
    "location": location,
    "existence": existence,
    "possession": possession,
    "together": together,
    "comparison": comparison,
    "to me": to_me,
    "first person": first,
    "object pronoun": object_pronoun,
    "reason": reason,
    "two pronouns": two_pronouns,
    "relative subject": relative(who_does, LIVING),
    "relative object": relative(whom, NOT_FRIEND),
    "whose": relative(whose, PERSONS),
    "where": place_where,
    "two clauses": two_clauses,
    "three clauses": three_clauses,
}
HELD_OUT = {"negated relative": relative(not_whom, NOT_FRIEND)}
