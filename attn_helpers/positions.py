"""Where a word stands, said to a model that takes all words in at once. Chapter 5.

Letters: B sentences, T words, d width of a word's vector. Positions count from 0.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from attn_helpers import expect
from attn_helpers.corpus.vocabulary import PAD


def sinusoids(length: int, width: int, base: float = 10000.0) -> Tensor:
    """A vector for each position: waves, the first pair of numbers fast, each further pair slower.

    PE[p, 2i] = sin(p / base^(2i/d)),  PE[p, 2i+1] = cos(p / base^(2i/d))

    length   how many positions, from 0
    width    d; an odd width ends with a sine that has no cosine
    base     the slowest wave takes almost 2π · base words
    returns  (length, d) float64

    Raises ValueError for a width below 1 and for a base that is not above 0.
    Vaswani et al. 2017, section 3.5.
    """
    positions = torch.arange(expect.count(length, "length"), dtype=torch.float64)
    angles = positions[:, None] * rates(width, base)  # (length, pairs)
    waves = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (length, pairs, 2): sine and cosine in turn
    return waves.flatten(1)[:, :width]  # (length, d)


def rates(width: int, base: float = 10000.0) -> Tensor:
    """How far each pair's hand turns from one word to the next, in radians: (⌈d/2⌉,) float64."""
    expect.widths(width=width)
    expect.above_zero(base, "base")
    return float(base) ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)


def rotation(shift: int, width: int, base: float = 10000.0) -> Tensor:
    """The matrix R with PE[p + shift] = R PE[p] for every p: each pair turns by its own angle.

    shift    in words; negative: back
    returns  (d, d) float64

    So "three words further" is one linear map, wherever one stands: a projection can learn it.
    Raises ValueError for an odd width, whose last sine has no partner to turn with.
    """
    if width % 2:
        raise ValueError(f"width must be even, a sine and a cosine to each pair, got {width}")
    angles, sine = shift * rates(width, base), torch.arange(0, width, 2)
    cosine, turn = sine + 1, torch.zeros(width, width, dtype=torch.float64)
    turn[sine, sine] = turn[cosine, cosine] = angles.cos()
    turn[sine, cosine] = angles.sin()  # sin(a + b) = sin a cos b + cos a sin b
    turn[cosine, sine] = -angles.sin()  # cos(a + b) = cos a cos b - sin a sin b
    return turn  # (d, d)


def similarity(table: Tensor, position: int) -> Tensor:
    """The cosine between one position's vector and everyone's: (length,) for a table (length, d).

    Raises ValueError for a position that is not in the table.
    """
    if not 0 <= expect.count(position, "position") < len(table):
        raise ValueError(f"position must lie between 0 and {len(table) - 1}, got {position}")
    return torch.cosine_similarity(table, table[position], dim=-1)


def nearest_twin(table: Tensor, position: int) -> tuple[int, float]:
    """The other position that looks most like this one, and how much. Raises ValueError as `similarity`."""
    alike = similarity(table, position).clone()
    alike[position] = -math.inf
    twin = int(alike.argmax())
    return twin, float(alike[twin])


def positions_of(mask: Tensor) -> Tensor:
    """Count the words, not the places: padding at the left must not move a sentence.

    mask     (..., T) bool, True = a word
    returns  (..., T) int64; padding before the first word has 0, as the first word has

    [0, 0, 1, 1, 1] → [0, 0, 0, 1, 2].
    """
    expect.booleans(mask=mask)
    return (mask.cumsum(-1) - 1).clamp(min=0)


class Sinusoids(nn.Module):
    """`sinusoids` for any position: the table grows when a longer sentence comes. Nothing to learn.

    Kept in float64 and outside of the saved weights: a model loads whatever length it has met before.
    """

    def __init__(self, width: int, base: float = 10000.0) -> None:
        super().__init__()
        self.width, self.base = width, base
        self.table = sinusoids(64, width, base)

    def forward(self, positions: Tensor, like: Tensor) -> Tensor:
        """Vectors (..., d) for whole positions (...) from 0, in the float type of `like`."""
        if positions.numel() and (last := int(positions.max())) >= len(self.table):
            self.table = sinusoids(2 * last, self.width, self.base)
        return self.table.to(like)[positions]


class LearnedPositions(nn.Module):
    """A vector for each position, learned as those of words are. It knows `longest` positions, no more."""

    def __init__(self, width: int, longest: int = 64) -> None:
        super().__init__()
        expect.widths(width=width, longest=longest)
        self.table = nn.Embedding(longest, width)
        nn.init.normal_(self.table.weight, std=math.sqrt(0.5))  # about the size of a sinusoid's numbers

    def forward(self, positions: Tensor, like: Tensor) -> Tensor:
        """Vectors (..., d). Raises ValueError for a position that was never learned."""
        known = self.table.num_embeddings
        if positions.numel() and (last := int(positions.max())) >= known:
            raise ValueError(f"a sentence of {last + 1} words is longer than the {known} positions learned")
        found: Tensor = self.table(positions)
        return found


class NoPositions(nn.Module):
    """Nothing is said: what order there is, the words themselves must tell."""

    def __init__(self, width: int) -> None:
        super().__init__()

    def forward(self, positions: Tensor, like: Tensor) -> Tensor:
        """Zeros, that any sum ignores."""
        return like.new_zeros(())


POSITIONS: dict[str, Callable[[int], nn.Module]] = {
    "sinusoids": Sinusoids,
    "learned": LearnedPositions,
    "none": NoPositions,
}


class PlacedEmbedding(nn.Embedding):
    """A word's vector and its position's, added: √m · E[word] + PE[position], m the width of both.

    positions  "sinusoids", "learned" or "none"

    E starts with numbers of size 1/√m, so that the same E can serve as the output's weights; times √m they
    are of the size of the sinusoids' (Vaswani et al. 2017, section 3.4). That has nothing to do with the
    division by √d_k in the score, where d_k is the width of one *head*.
    Raises ValueError for an unknown kind of positions.
    """

    def __init__(self, words: int, width: int, positions: str = "sinusoids", dropout: float = 0.0) -> None:
        if positions not in POSITIONS:
            raise ValueError(f"positions must be one of {', '.join(POSITIONS)}, got {positions!r}")
        super().__init__(words, width, padding_idx=PAD)
        self.places, self.dropout = POSITIONS[positions](width), nn.Dropout(dropout)

    def reset_parameters(self) -> None:
        """First weights; padding's are 0."""
        nn.init.normal_(self.weight, std=self.embedding_dim**-0.5)
        self._fill_padding_idx_with_zero()

    def forward(self, words: Tensor, positions: Tensor) -> Tensor:  # type: ignore[override]
        """Words (B, T) at positions (B or 1, T): (B, T, m)."""
        scaled = math.sqrt(self.embedding_dim) * super().forward(words)  # (B, T, m)
        placed: Tensor = self.dropout(scaled + self.places(positions, like=scaled))
        return placed
