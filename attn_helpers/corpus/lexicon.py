"""The words of the running task, their forms, and what may sensibly be said of them (lexicon.txt)."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from attn_helpers.corpus.french import plural


@dataclass(frozen=True)
class Noun:
    """A thing or a person; places and what cannot be counted have no plural, names no determiner."""

    english: str
    english_plural: str
    french: str
    french_plural: str
    feminine: bool
    kinds: frozenset[str]
    adjectives: tuple[str, ...]

    @property
    def pronoun(self) -> str:
        """What English calls one of it."""
        return ("she" if self.feminine else "he") if "person" in self.kinds else "it"


@dataclass(frozen=True)
class Adjective:
    """Where it stands in French, and its forms."""

    english: str
    position: str  # before the noun, after it, or a colour (after it)
    masculine: str
    feminine: str
    before_vowel: str | None

    def french(self, feminine: bool, many: bool) -> str:
        """The form that agrees."""
        form = self.feminine if feminine else self.masculine
        return plural(form) if many else form


@dataclass(frozen=True)
class Verb:
    """Its forms: French he, they, infinitive, i; a preposition where one follows."""

    base: str
    third: str
    particle: str
    forms: tuple[str, ...]
    preposition: str
    places: frozenset[str]
    determiners: str


@dataclass(frozen=True)
class Deed:
    """Who may do it, to what, and to whom: a frame of a verb that makes sense."""

    verb: Verb
    who: tuple[str, ...]
    what: tuple[str, ...]
    whom: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """A preposition, what may be there, and where there is."""

    english: str
    french: str
    who: tuple[str, ...]
    where: tuple[str, ...]


def _sections() -> dict[str, list[list[str]]]:
    """The lines of lexicon.txt, cut into fields, by section."""
    text = resources.files(__package__).joinpath("lexicon.txt").read_text(encoding="utf8")
    sections: dict[str, list[list[str]]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            rows = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            rows.append([field.strip() for field in line.split("|")])
    return sections


def _noun(english: str, french: str, gender: str, kinds: str, adjectives: str) -> Noun:
    one, many = (english.split() * 2)[:2]
    un, des = (french.split() * 2)[:2]
    return Noun(one, many, un, des, gender == "f", frozenset(kinds.split()), tuple(adjectives.split()))


def _names(words: str) -> tuple[str, ...]:
    """Nouns of a list of nouns and kinds; a minus takes away."""
    listed: list[str] = []
    for word in words.split():
        found = [noun for noun in NOUNS.values() if word.lstrip("-") in {noun.english, *noun.kinds}]
        if not found:
            raise ValueError(f"lexicon.txt names {word!r}, which is neither a noun nor a kind")
        names = [noun.english for noun in found]
        listed = [n for n in listed if n not in names] if word[0] == "-" else listed + names
    return tuple(dict.fromkeys(listed))


def _frames(text: str, width: int) -> Iterator[list[tuple[str, ...]]]:
    for frame in text.split(";"):
        roles = [_names(role) for role in frame.split(">")]
        yield roles + [()] * (width - len(roles))


def _deeds(english: str, french: str, frames: str, places: str, determiners: str = "") -> Iterator[Deed]:
    base, third, particle = (*english.split(), "")[:3]
    *forms, preposition = (*french.split(), "")[:5]
    verb = Verb(base, third, particle, tuple(forms), preposition, frozenset(_names(places)), determiners)
    for roles in _frames(frames, 3):
        yield Deed(verb, *roles)


def _adjective(english: str, position: str, french: str) -> Adjective:
    masculine, feminine, before_vowel = (*french.split(), None)[:3]
    return Adjective(english, position, str(masculine), str(feminine), before_vowel)


_LINES = _sections()
NOUNS = {row[0].split()[0]: _noun(*row) for row in _LINES["nouns"]}
NOUNS |= {name: _noun(name, name, gender, "person name", "") for name, gender in _LINES["names"]}
ADJECTIVES = {row[0]: _adjective(*row) for row in _LINES["adjectives"]}
DEEDS = [deed for row in _LINES["verbs"] for deed in _deeds(*row)]
PLACES = [
    Place(english, french, *roles)
    for english, french, frames in _LINES["places"]
    for roles in _frames(frames, 2)
]
DEEDS_BY = {noun: [deed for deed in DEEDS if noun in deed.who] for noun in NOUNS}
DEEDS_TO = {noun: [deed for deed in DEEDS if noun in deed.what] for noun in NOUNS}
PLACES_OF = {noun: [place for place in PLACES if noun in place.who] for noun in NOUNS}
RANK = {verb: rank for rank, (verbs,) in enumerate(_LINES["order"]) for verb in verbs.split()}
REASONS = {verb: tuple(adjectives.split()) for verb, adjectives in _LINES["reasons"]}
GROUNDS = {verb: tuple(adjectives.split()) for verb, adjectives in _LINES["grounds"]}
