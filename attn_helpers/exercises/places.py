"""Exercise: tell each word where it stands. Chapter 5."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise
from attn_helpers.positions import sinusoids


def _random(batch: int, words: int, width: int, known: int) -> Answer:
    """Words as they stand in the embedding, and the waves of more positions than are needed."""
    make = torch.Generator().manual_seed(0)
    vectors = torch.randn(batch, words, width, generator=make) / math.sqrt(width)
    return vectors, sinusoids(known, width).float()


def _placed(place: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Answer]:
    return lambda vectors, waves: (place(vectors, waves),)


def _scaled(vectors: Tensor) -> Tensor:
    return math.sqrt(vectors.shape[-1]) * vectors


def _first(vectors: Tensor, waves: Tensor) -> Tensor:
    """The waves of these words: (T, m)."""
    return waves[: vectors.shape[1]]


def _beside(vectors: Tensor, waves: Tensor) -> Tensor:
    return torch.cat([vectors, _first(vectors, waves).expand_as(vectors)], dim=-1)


def _by_sentence(vectors: Tensor, waves: Tensor) -> Tensor:
    return _scaled(vectors) + waves[: len(vectors), None]


_BESIDE = (
    "you put the waves beside the words, and the vector is twice as wide: (B, T, 2m). Every matrix behind it "
    "would have to grow. Here they are added: a projection can pull the two apart again"
)

PLACES = Exercise(
    arguments=("vectors", "waves"),
    parts=("placed",),
    examples=(lambda: _random(2, 5, 6, 11), lambda: _random(3, 3, 10, 7), lambda: _random(7, 2, 4, 64)),
    right=_placed(lambda vectors, waves: _scaled(vectors) + _first(vectors, waves)),
    praise="each word at its place: √m · E[word] + PE[place], as wide as before.",
    sizes_hint="; the table knows more places than there are words: waves[:T] is (T, m), and fits (B, T, m)",
    mistakes=(
        (_placed(_beside), _BESIDE),
        (_placed(lambda vectors, waves: _beside(_scaled(vectors), waves)), _BESIDE),
        (
            _placed(lambda vectors, waves: vectors + _first(vectors, waves)),
            "the words are not scaled: their numbers are of size 1/√m, and the waves drown them. Multiply "
            "the vectors by √m first",
        ),
        (
            _placed(lambda vectors, waves: vectors / math.sqrt(vectors.shape[-1]) + _first(vectors, waves)),
            "you divide by √m. That is what the score does, by the √d of a head; at the embedding the words "
            "are multiplied by √m",
        ),
        (
            _placed(lambda vectors, waves: math.sqrt(vectors.shape[-1]) * (vectors + _first(vectors, waves))),
            "you scale the waves, too: they have the right size as they are. √m · E[word] + PE[place]",
        ),
        (
            _placed(lambda vectors, waves: vectors.shape[-1] * vectors + _first(vectors, waves)),
            "you multiply by m; it is its root",
        ),
        (
            _placed(lambda vectors, waves: _scaled(vectors) * _first(vectors, waves)),
            "you multiply words by waves: a wave that is 0 would wipe the word out. Add them",
        ),
        (
            _placed(lambda vectors, waves: _scaled(vectors) + waves[1 : vectors.shape[1] + 1]),
            "your first word stands at place 1; places count from 0",
        ),
        (
            _placed(lambda vectors, waves: _scaled(vectors) + waves[-vectors.shape[1] :]),
            "you take the last rows of the table; the first word stands at its first row",
        ),
        (
            _placed(_by_sentence),
            "you count the sentences of the batch: all words of one get the same wave. Axis 1 is the words",
        ),
        (
            _placed(lambda vectors, waves: _scaled(vectors) + waves[0]),
            "every word gets the wave of place 0: then nothing is said about order",
        ),
        (
            _placed(lambda vectors, waves: _scaled(vectors)),
            "the waves are missing: the same word has the same vector wherever it stands",
        ),
    ),
)
