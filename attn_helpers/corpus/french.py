"""How French spells words that meet: l'ami, du roi, cet homme, le vieil arbre."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_helpers.corpus.pairs import Pair

VOWELS = set("aeiouyàâéèêëîïôûùœ")
ASPIRATED = ("hibou", "haricot", "hache", "huit")  # an h that is silent and still keeps le and la whole
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}


@dataclass(eq=False, slots=True)
class Word:
    """An English word at its place in a sentence: two *the* are two words."""

    text: str
    before_vowel: str | None = None  # a, an


@dataclass(eq=False, slots=True)
class Rendering:
    """A French word and the English words on which it hangs."""

    text: str
    sure: tuple[Word, ...]
    possible: tuple[Word, ...] = ()
    before_vowel: str | None = None  # le, l'; ma, mon; vieux, vieil


@dataclass(eq=False, slots=True)
class Phrase:
    """A piece of a sentence in both languages."""

    english: tuple[Word, ...] = ()
    french: tuple[Rendering, ...] = ()

    def __add__(self, other: "Phrase") -> "Phrase":
        return Phrase(self.english + other.english, self.french + other.french)


def starts_with_vowel(text: str) -> bool:
    """Whether a French word begins with the sound of a vowel; most h are mute."""
    return text[0] in VOWELS or (text[0] == "h" and not text.startswith(ASPIRATED))


def plural(text: str) -> str:
    """The plural of a French adjective: noirs, gris, beaux."""
    return text if text[-1] in "sx" else text + ("x" if text.endswith("eau") else "s")


def to_pair(phrase: Phrase, construction: str) -> Pair:
    """Spell a phrase in both languages and turn its links into positions."""
    place = {word: s for s, word in enumerate(phrase.english)}
    words = spell(phrase.french)
    sure = frozenset((t, place[word]) for t, out in enumerate(words) for word in out.sure)
    possible = frozenset((t, place[word]) for t, out in enumerate(words) for word in out.possible)
    return Pair(
        spell_english(phrase.english), tuple(out.text for out in words), sure, sure | possible, construction
    )


def spell_english(words: Sequence[Word]) -> tuple[str, ...]:
    """A or an."""
    following = [word.text for word in words[1:]] + ["."]
    return tuple(
        word.before_vowel if word.before_vowel and after[0] in "aeiou" else word.text
        for word, after in zip(words, following, strict=True)
    )


def spell(words: Sequence[Rendering]) -> list[Rendering]:
    """Elide, choose the form before a vowel, and contract a preposition with its article.

    From right to left, since a word's form hangs on the form of the next one. A contraction inherits the
    links of both words: *du* hangs on *of* and on *the*.
    """
    spelled: list[Rendering] = []
    for word in reversed(words):
        text = word.text
        if word.before_vowel and spelled and starts_with_vowel(spelled[-1].text):
            text = word.before_vowel
        if spelled and (text, spelled[-1].text) in CONTRACTED:
            article = spelled.pop()
            text = CONTRACTED[text, article.text]
            sure = dict.fromkeys(word.sure + article.sure)
            word = Rendering(text, tuple(sure), word.possible + article.possible)
        spelled.append(Rendering(text, word.sure, word.possible))
    return spelled[::-1]
