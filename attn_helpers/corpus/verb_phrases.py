"""Verb phrases: agreement, ne … pas, modals with an infinitive, and pronouns that move before the verb."""

from dataclasses import dataclass

from attn_helpers.corpus.french import Phrase, Rendering, Word
from attn_helpers.corpus.lexicon import Verb
from attn_helpers.corpus.noun_phrases import NounPhrase, agree

Words = tuple[Word, ...]
BE = Verb("be", "is", "", ("est", "sont", "être", "suis"), "", frozenset(), "")
MODALS = {  # the English forms, plain and with not; French he, they, infinitive, i
    "can": ("can", "cannot", ("peut", "peuvent", "pouvoir", "peux")),
    "must": ("must", "must not", ("doit", "doivent", "devoir", "dois")),
    "will": ("will", "will not", ("va", "vont", "aller", "vais")),
    "want": ("want to", "do not want to", ("veut", "veulent", "vouloir", "veux")),
    "wants": ("wants to", "does not want to", ("veut", "veulent", "vouloir", "veux")),
}
ADVERBS = {"often": "souvent", "always": "toujours"}
DIRECT = {  # what is meant -> English, French, French before a vowel
    "he": ("him", "le", "l'"),
    "she": ("her", "la", "l'"),
    "it": ("it", "le", "l'"),
    "they": ("them", "les", None),
    "i": ("me", "me", "m'"),
    "we": ("us", "nous", None),
}
INDIRECT = {"he": "lui", "she": "lui", "it": "lui", "they": "leur"}  # to him, to her, to it, to them


@dataclass(frozen=True, slots=True)
class Manner:
    """How a verb is said: with not or never, with a modal, with an adverb."""

    negation: str = ""
    modal: str = ""
    adverb: str = ""


PLAIN = Manner()


def person(subject: NounPhrase) -> int:
    """The place of a subject's form in `Verb.forms`: he, they, i."""
    return 3 if subject.pronoun == "i" else int(subject.many)


def finite(verb: Verb, subject: NounPhrase) -> str:
    """The English form: sleep, sleeps, am."""
    if verb is BE:
        return ("is", "are", "", "am")[person(subject)]
    return verb.base if person(subject) else verb.third


def verb_phrase(
    subject: NounPhrase,
    verb: Verb,
    manner: Manner = PLAIN,
    clitic: Phrase | None = None,
    what: Phrase | None = None,
) -> Phrase:
    """The verb and what it is done to: a phrase after it, or in French a pronoun before it (`clitic`).

    A French preposition hangs on the English particle: *talks to the king*, parle au roi.
    """
    bare = bool(manner.modal) or (manner.negation == "not" and verb is not BE)
    word = Word(verb.base if bare else finite(verb, subject))
    particle = (Word(verb.particle),) if verb.particle else ()
    said = Rendering(verb.forms[2 if manner.modal else person(subject)], (word,), particle)
    moved = clitic or Phrase()
    if manner.modal:
        made = _with_modal(subject, manner, said, moved.french)
    elif bare:
        made = _with_do(subject, said, moved.french)
    else:
        made = _finite(verb, manner, said, moved.french)
    made += Phrase((*particle, *moved.english))
    if what and verb.preposition:
        made += Phrase((), (Rendering(verb.preposition, particle, before_vowel=_elided(verb)),))
    return made + what if what else made


def _elided(verb: Verb) -> str | None:
    return "d'" if verb.preposition == "de" else None


def _finite(verb: Verb, manner: Manner, said: Rendering, moved: tuple[Rendering, ...]) -> Phrase:
    """Sleeps, dort; never sleeps, ne dort jamais; often sleeps, dort souvent; is not, n'est pas."""
    word = said.sure[0]
    if not manner.negation and not manner.adverb:
        return Phrase((word,), (*moved, said))
    little = Word(manner.negation or manner.adverb)
    english = (word, little) if verb is BE else (little, word)
    if manner.negation:
        return Phrase(english, _negated(little, (*moved, said)))
    return Phrase(english, (*moved, said, Rendering(ADVERBS[manner.adverb], (little,))))


def _with_do(subject: NounPhrase, said: Rendering, moved: tuple[Rendering, ...]) -> Phrase:
    """Does not sleep, ne dort pas: *do* carries person and number for the verb."""
    do, no = Word("do" if person(subject) else "does"), Word("not")
    said.possible += (do,)
    return Phrase((do, no, *said.sure), _negated(no, (*moved, said)))


def _with_modal(subject: NounPhrase, manner: Manner, said: Rendering, moved: tuple[Rendering, ...]) -> Phrase:
    """Cannot see him, ne peut pas le voir: the pronoun stays with the infinitive."""
    third = manner.modal == "want" and person(subject) == 0
    plain, negated, forms = MODALS["wants" if third else manner.modal]
    words = {text: Word(text) for text in (negated if manner.negation else plain).split()}
    modal = words.get("wants") or words.get("want") or next(iter(words.values()))
    do = tuple(words[text] for text in ("do", "does") if text in words)
    french: tuple[Rendering, ...] = (Rendering(forms[person(subject)], (modal,), do),)
    if manner.negation:
        french = _negated(words.get("not", modal), french)
    if "to" in words:
        said.possible += (words["to"],)
    return Phrase((*words.values(), *said.sure), (*french, *moved, said))


def _negated(word: Word, inner: tuple[Rendering, ...]) -> tuple[Rendering, ...]:
    """Ne and pas, or ne and jamais, share their English word."""
    second = "jamais" if word.text == "never" else "pas"
    return (Rendering("ne", (word,), before_vowel="n'"), *inner, Rendering(second, (word,)))


def object_pronoun(of: NounPhrase, indirect: bool = False) -> Phrase:
    """Him, her, it, them for what was mentioned: le, la, les, or to them lui, leur. It hangs on its word,
    and may look at the noun it stands for, which alone knows the gender of *it*."""
    english, text, before_vowel = DIRECT[of.pronoun]
    if of.pronoun == "it" and of.feminine:
        text = "la"
    if indirect and of.pronoun in INDIRECT:
        text, before_vowel = INDIRECT[of.pronoun], None
    word = Word(english)
    return Phrase((word,), (Rendering(text, (word,), of.heads, before_vowel),))


def subject_pronoun(of: NounPhrase) -> NounPhrase:
    """He, she, it, they for what was mentioned: il, elle, ils, elles."""
    text = ("elle" if of.feminine else "il") + ("s" if of.many else "")
    word = Word(of.pronoun)
    phrase = Phrase((word,), (Rendering(text, (word,), of.heads),))
    return NounPhrase(phrase, of.heads, of.feminine, of.many, of.pronoun, of.noun)


def be(subject: NounPhrase, adjective: str, negation: str = "", very: bool = False) -> Phrase:
    """Is not very old, n'est pas très vieux: the adjective agrees with the subject."""
    word, much = Word(adjective), Word("very")
    quality = agree(word, subject.heads, subject.feminine, subject.many)
    predicate = Phrase((word,), (quality,))
    if very:
        predicate = Phrase((much,), (Rendering("très", (much,)),)) + predicate
    return verb_phrase(subject, BE, Manner(negation), None, predicate)
