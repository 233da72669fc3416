"""Exercises: masks that hide what is still to come. Chapter 5. Judged as numbers: 1 = may attend."""

from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise
from attn_helpers.masks import causal_mask


def _numbers(make: Callable[..., Tensor]) -> Callable[..., Answer]:
    return lambda *given: (make(*given).float(),)


# ---- a padded batch ------------------------------------------------------------------------------------


def _batch(*rows: str) -> Callable[[], Answer]:
    """Which places hold words: "..www" is a sentence of three words with its padding before."""
    return lambda: (torch.tensor([[sign == "w" for sign in row] for row in rows]),)


def _with(
    causal: Callable[[int], Tensor], pad: Callable[[Tensor], Tensor] = lambda words: words
) -> Callable[..., Answer]:
    """Both masks joined: causal (T, T), and padding (B, 1, T) as `pad` turns it."""

    def make(words: Tensor) -> Tensor:
        both = causal(words.shape[1])[None] & pad(words[:, None])
        return both.expand(len(words), words.shape[1], words.shape[1])

    return _numbers(make)


def _turned(answer: Callable[..., Answer]) -> Callable[..., Answer]:
    return _numbers(lambda words: ~answer(words)[0].bool())


def _strict(size: int) -> Tensor:
    return torch.ones(size, size).tril(-1).bool()


def _ahead(size: int) -> Tensor:
    return torch.ones(size, size).tril(1).bool()


def _all(size: int) -> Tensor:
    return torch.ones(size, size, dtype=torch.bool)


_STRICT = (
    "your triangle leaves the diagonal out: with it, no word can look at itself, and the first one "
    "at nothing: its row is empty. Query t sees places up to t, t included"
)
_FLIPPED = (
    "the polarity is flipped: True means may attend here, and yours is True where it must not look. (That is "
    "what torch.nn.MultiheadAttention asks for.)"
)
_AHEAD = (
    "rows and columns have changed places: each word looks at what comes after it. A row belongs to the word "
    "that asks"
)

CAUSAL = Exercise(
    arguments=("words",),
    parts=("mask",),
    examples=(_batch("..www", "wwww."), _batch("ww..", ".w.w", "wwww", "...w"), _batch("www", ".ww", "ww.")),
    right=_with(causal_mask),
    praise="no word looks ahead, and none looks at padding, wherever it stands.",
    sizes_hint="; the triangle is (T, T), the padding words[:, None] is (B, 1, T); joined they are (B, T, T)",
    mistakes=(
        (_with(_strict), _STRICT),
        (_turned(_with(causal_mask)), _FLIPPED),
        (_turned(_with(_strict)), f"{_FLIPPED} And {_STRICT}"),
        (
            _with(lambda size: ~causal_mask(size)),
            "the causal part is flipped: every word looks ahead, and never back",
        ),
        (
            _with(lambda size: ~causal_mask(size), pad=lambda words: ~words),
            "both masks are flipped: True means may attend here, and yours is True where a key is ahead and "
            "padding at once. Join the triangle and the words",
        ),
        (
            _with(causal_mask, pad=lambda words: ~words),
            "the padding is flipped: the words are hidden, and the padding is read",
        ),
        (_with(lambda size: causal_mask(size).mT), _AHEAD),
        (
            _with(causal_mask, pad=torch.ones_like),
            "padding is looked at: where it stands before the words, all of them see it",
        ),
        (
            _with(_all),
            "every word sees the words still to come: in training it could copy the answer. Join a triangle",
        ),
        (
            _with(causal_mask, pad=lambda words: words.mT),
            "you hide the padding that *asks*, and leave the padding that is looked at: the padding mask "
            "lies along the last axis, (B, 1, T)",
        ),
        (
            _with(causal_mask, pad=lambda words: words & words.mT),
            "you also empty the rows of the padding. That does no harm, since nobody reads them; but a "
            "padding mask hides columns alone",
        ),
        (_with(_ahead), "each word sees one word too many: the very one that it has to foretell"),
        (
            _numbers(lambda words: causal_mask(words.shape[1])[None] | words[:, None]),
            "the two masks are joined by *or*; a place must be allowed by both: &",
        ),
    ),
)


# ---- in the middle of a sentence -----------------------------------------------------------------------


def _sizes(new: int, old: int) -> Callable[[], Answer]:
    return lambda: (torch.tensor(new), torch.tensor(old))


def _later(make: Callable[[int, int], Tensor]) -> Callable[..., Answer]:
    return _numbers(lambda new, old: make(int(new), int(old)))


def _at(diagonal: int) -> Callable[[int, int], Tensor]:
    """Query t sees keys up to old + t + diagonal."""
    return lambda new, old: torch.ones(new, old + new).tril(old + diagonal).bool()


LATER = Exercise(
    arguments=("new", "old"),
    parts=("mask",),
    examples=(_sizes(3, 6), _sizes(1, 5), _sizes(4, 0), _sizes(2, 2)),
    right=_later(_at(0)),
    praise="the new words stand at the end: each sees all that was written, and itself.",
    sizes_hint="; a row for each new word, a column for every word so far: (new, old + new)",
    mistakes=(
        (
            _later(lambda new, old: torch.ones(new, old + new).tril().bool()),
            "your triangle begins in the first column, as if the new words stood at the beginning: a single "
            "new word would see nothing but the first one. It stands at the end: shift the diagonal by old",
        ),
        (
            _later(_at(-1)),
            "your triangle leaves the new word itself out. Query t sees places up to old + t, t included",
        ),
        (
            _later(lambda new, old: torch.ones(new, old + new).tril(new)),
            "you shifted by the new words; shift by the old ones",
        ),
        (_later(_at(1)), "each new word sees one word too many: the one after it"),
        (
            _later(lambda new, old: ~_at(0)(new, old)),
            "the polarity is flipped: True means may attend here",
        ),
        (
            _later(lambda new, old: torch.cat([torch.zeros(new, old), torch.ones(new, new).tril()], 1)),
            "the old words are hidden: they stand in the cache in order to be looked at",
        ),
        (
            _later(lambda new, old: torch.ones(new, old + new)),
            "the new words see one another's future: among themselves they need the triangle",
        ),
        (
            _later(lambda new, old: torch.ones(new, new).tril()),
            "a row for each new word is right, but the old words have columns, too: (new, old + new)",
        ),
        (
            _later(lambda new, old: causal_mask(old + new)),
            "the old words need no rows: they have asked already. (new, old + new)",
        ),
    ),
)
