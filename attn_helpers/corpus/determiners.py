"""What stands before a noun: le, un, du, mes, beaucoup de, pas de."""

from collections.abc import Sequence
from functools import cache

from attn_helpers.corpus.french import Phrase, Rendering, Word
from attn_helpers.corpus.lexicon import Noun

Form = tuple[str, str | None]  # the word, and what it becomes before a vowel

FORMS: dict[str, tuple[Form, Form, Form]] = {  # English -> French masculine, feminine, plural
    "the": (("le", "l'"), ("la", "l'"), ("les", None)),
    "a": (("un", None), ("une", None), ("des", None)),
    "this": (("ce", "cet"), ("cette", None), ("ces", None)),
    "my": (("mon", None), ("ma", "mon"), ("mes", None)),
    "his": (("son", None), ("sa", "son"), ("ses", None)),
    "our": (("notre", None), ("notre", None), ("nos", None)),
    "their": (("leur", None), ("leur", None), ("leurs", None)),
}
FORMS |= {"these": FORMS["this"], "her": FORMS["his"], "its": FORMS["his"]}
FIXED = {"every": "chaque", "two": "deux", "three": "trois", "four": "quatre", "five": "cinq"}
NUMBERS = [word for word in FIXED if word != "every"]
POSSESSIVES = {"he": "his", "she": "her", "it": "its", "they": "their"}
OWNERS = frozenset({"my", "our", *POSSESSIVES.values()})
OWNED = frozenset({"kin", "pet", "farm", "thing", "food", "drink", "home"})


@cache
def choices(noun: Noun, many: bool, kind: str, owner: str) -> Sequence[str]:
    """English determiners that make sense before a noun; a word listed twice is twice as likely.

    kind   "the" alone; "definite"; "indefinite"; "none", after a negation; "place"; "subject";
           "narrowed", before a relative clause; "foreign", of nobody here; "" for all
    owner  the pronoun of who may own it: his, her, its, their
    """
    mine = ["my", "our"] if OWNED & noun.kinds else []
    if mine and owner in POSSESSIVES:
        mine = ["my", *[POSSESSIVES[owner]] * 3]
    if "kin" in noun.kinds:
        return mine
    this = "these" if many else "this"
    definite = ["the"] * 6 + [this, *mine]
    countable = "mass" not in noun.kinds
    indefinite = ["some", "many", *NUMBERS] if many else ["a", "a"] if countable else ["some"]
    return {
        "the": ["the"],
        "definite": definite,
        "narrowed": ["the", "the", "the", this],
        "foreign": ["the", "the", this, *indefinite],
        "indefinite": indefinite,
        "none": ["any"] if many or not countable else ["a"],
        "no": ["no"],
        "place": ["the"] * 6 + ["a", *mine],
        "subject": [*definite, *indefinite, "all" if many else "every"],
    }.get(kind, definite + indefinite)


def determiner(english: str, noun: Noun, head: Word, many: bool, before: bool, none: bool) -> Phrase:
    """A determiner in both languages. Where its French form varies, it may look at the noun.

    before  whether an adjective follows it: des chats, de beaux chats
    none    whether a negation stands before it: pas de chat
    """
    word = Word(english, before_vowel="an" if english == "a" else None)
    of = Rendering("de", (word,), before_vowel="d'")
    if none or english == "no" or (english == "some" and many and before):
        return Phrase((word,), (of,))
    if english == "many":
        return Phrase((word,), (Rendering("beaucoup", (word,)), of))
    if english in FIXED:
        return Phrase((word,), (Rendering(FIXED[english], (word,)),))
    if english == "all":
        all_of = Phrase((word,), (Rendering("toutes" if noun.feminine else "tous", (word,), (head,)),))
        return all_of + determiner("the", noun, head, many, before, none)
    partitive = english == "some" and not many  # du pain, de la viande, de l'eau
    row = FORMS["the" if partitive else "a" if english == "some" else english]
    text, before_vowel = row[2 if many else int(noun.feminine)]
    article = Rendering(text, (word,), (head,), before_vowel)
    return Phrase((word,), (of, article) if partitive else (article,))
