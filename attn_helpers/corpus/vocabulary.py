"""Words to numbers and back."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from attn_helpers import expect

PAD, BOS, EOS, UNK = range(4)


class Vocabulary:
    """The words that a model knows, numbered from 4; the numbers below mean padding, begin, end, unknown.

    Only code writes the four special numbers: a reader who types `<eos>` has typed a word, as any other.

    tokens    the words, with repeats; the most frequent gets the lowest number, equals go by alphabet
    limit     keep at most so many words; None keeps all
    unknown   how `decode` shows a word that is not known

    é written as one character or as e with an accent is the same word (Unicode's form NFC).
    """

    PAD, BOS, EOS, UNK = PAD, BOS, EOS, UNK

    def __init__(self, tokens: Iterable[str], limit: int | None = None, unknown: str = "<unk>") -> None:
        counts = Counter(_composed(token) for token in _not_one_string(tokens))
        words = sorted(counts, key=lambda word: (-counts[word], word))
        words = words if limit is None else words[: expect.count(limit, "limit")]
        self._names = ["<pad>", "<bos>", "<eos>", unknown, *words]
        self._ids = {word: i for i, word in enumerate(words, UNK + 1)}

    def __len__(self) -> int:
        """How many numbers there are, the four special ones included."""
        return len(self._names)

    def __contains__(self, token: str) -> bool:
        return _composed(token) in self._ids

    def __iter__(self) -> Iterator[str]:
        """The words, without the special names."""
        return iter(self._ids)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self._ids)} words)"

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """One number per word; a word that is not known gets UNK."""
        return [self._ids.get(_composed(token), UNK) for token in _not_one_string(tokens)]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The words up to the first EOS; PAD and BOS are none."""
        words = []
        for i in map(int, ids):
            if i == EOS:
                break
            if i not in (PAD, BOS):
                words.append(self._name(i))
        return words

    def names(self, ids: Iterable[int]) -> list[str]:
        """One label per number, the special ones too: for the axes of a heatmap."""
        return [self._name(int(i)) for i in ids]

    def _name(self, i: int) -> str:
        if not 0 <= i < len(self):
            raise ValueError(f"ids must lie between 0 and {len(self) - 1}, got {i}")
        return self._names[i]


def _composed(token: str) -> str:
    return unicodedata.normalize("NFC", token)


def _not_one_string(tokens: Iterable[str]) -> Sequence[str]:
    """A string is an iterable of characters too: a sentence would quietly become a row of letters."""
    if isinstance(tokens, str):
        raise TypeError(
            f"tokens must be a list of words, got one string {tokens!r}; split it: tokenize(text)"
        )
    return list(tokens)
