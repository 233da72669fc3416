"""Positions, against the paper's formula in plain Python and NumPy, and by what they are for."""

import math

import numpy as np
import pytest
import torch

from attn_helpers.corpus.vocabulary import PAD
from attn_helpers.positions import (
    LearnedPositions,
    NoPositions,
    PlacedEmbedding,
    Sinusoids,
    nearest_twin,
    positions_of,
    rates,
    rotation,
    similarity,
    sinusoids,
)


def paper(length, width, base=10000.0):
    """PE(p, 2i) = sin(p / base^(2i/d)), PE(p, 2i+1) = cos(the same): one number at a time, without torch."""
    return [
        [(math.cos if j % 2 else math.sin)(p / base ** ((j - j % 2) / width)) for j in range(width)]
        for p in range(length)
    ]


def in_numpy(length, width, base=10000.0):
    """The same by whole columns, in float64."""
    table = np.empty((length, width))
    angles = np.arange(length)[:, None] / base ** (np.arange(0, width, 2) / width)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : width // 2])
    return table


SIZES = [(1, 1), (2, 2), (7, 5), (11, 13), (64, 32), (300, 3)]


@pytest.mark.parametrize(("length", "width"), SIZES)
@pytest.mark.parametrize("base", [10000.0, 7.0])
def test_equals_the_printed_formula(length, width, base):
    """What the page prints is what the model adds, odd widths too (R035)."""
    ours = sinusoids(length, width, base).numpy()
    np.testing.assert_allclose(ours, paper(length, width, base), atol=1e-12, rtol=0)
    np.testing.assert_allclose(ours, in_numpy(length, width, base), atol=1e-12, rtol=0)


def test_the_cases_people_got_wrong():
    """Sine and cosine in turn, not in two halves, and 2i/d, not 2i/(d-2) (R036); an odd width (R035)."""
    four, five = sinusoids(2, 4)[1].tolist(), sinusoids(2, 5)[1].tolist()
    assert four == pytest.approx([0.841471, 0.540302, 0.010000, 0.999950], abs=1e-6)
    assert five == pytest.approx([0.841471, 0.540302, 0.025116, 0.999685, 0.000631], abs=1e-6)


def halves(length, width):
    """R036: all sines, then all cosines."""
    table = sinusoids(length, width)
    return torch.cat([table[:, 0::2], table[:, 1::2]], dim=1)


def last_timescale_is_the_base(length, width):
    """R036: the exponent divided by one pair fewer."""
    angles = torch.arange(length)[:, None].double() * 10000.0 ** -torch.linspace(
        0, 1, width // 2, dtype=torch.float64
    )
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def in_small_floats(length, width):
    """Angles in float16: far positions fall together."""
    angles = torch.arange(length).half()[:, None] * rates(width).half()
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width].double()


@pytest.mark.parametrize("fault", [halves, last_timescale_is_the_base, in_small_floats])
def test_a_wrong_table_is_found(fault):
    """Each looks like waves too."""
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(fault(64, 32).numpy(), paper(64, 32), atol=1e-12)


# ---- what they are for -------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [-3, 0, 1, 5, 40])
def test_a_shift_is_one_rotation(shift):
    """ "So many words further" is the same linear map from everywhere: each pair turns by its own angle."""
    table, turn = sinusoids(100, 14), rotation(shift, 14)
    torch.testing.assert_close(table[40:60] @ turn.mT, table[40 + shift : 60 + shift], atol=1e-12, rtol=0)
    torch.testing.assert_close(turn @ turn.mT, torch.eye(14, dtype=torch.float64), atol=1e-12, rtol=0)
    pairs = torch.block_diag(*torch.ones(7, 2, 2)).bool()
    assert not turn[~pairs].any()


def test_rotations_add_up():
    """Two words further, then three, are five."""
    torch.testing.assert_close(rotation(2, 6) @ rotation(3, 6), rotation(5, 6), atol=1e-12, rtol=0)


def test_similarity_knows_the_distance_alone():
    """The curve that `PositionWaves` draws travels unchanged with the chosen position."""
    table = sinusoids(64, 32)
    for shift in (1, 9, 30):
        here, there = similarity(table, 8), similarity(table, 8 + shift)
        torch.testing.assert_close(there[shift:], here[: 64 - shift], atol=1e-12, rtol=0)
    by_rates = [float((k * rates(32)).cos().mean()) for k in range(-8, 56)]
    assert similarity(table, 8).tolist() == pytest.approx(by_rates, abs=1e-12)


def test_similarity_is_a_peak_on_a_plateau():
    """The first sight of `PositionWaves`: 64 positions, d = 32, position 8; the plateau lies about .6."""
    alike = similarity(sinusoids(64, 32), 8)
    assert int(alike.argmax()) == 8
    assert alike[8] == pytest.approx(1)
    assert alike.mean() == pytest.approx(0.6, abs=0.01)
    away = torch.cat([alike[:5], alike[12:]])
    assert 0.3 < away.min() < away.max() < 0.75
    twin, how_much = nearest_twin(sinusoids(64, 32), 8)
    assert (twin, round(how_much, 3)) == (7, 0.957)


def test_at_width_two_positions_collide():
    """One clock hand alone: after 44 words it has turned 7 times and stands where it stood."""
    twin, how_much = nearest_twin(sinusoids(64, 2), 0)
    assert (twin, round(how_much, 4)) == (44, 0.9998)
    assert round(7 * 2 * math.pi) == 44


def test_every_position_is_unique():
    """At the book's width no two of a thousand positions are closer than neighbours are."""
    table = sinusoids(1000, 64)
    apart = torch.cdist(table, table)
    apart.fill_diagonal_(torch.inf)
    assert apart.min() == pytest.approx(float(apart[0, 1]), abs=1e-6)
    assert apart.min() > 1


# ---- positions by content ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mask", "positions"),
    [
        ([0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 2, 3]),  # R041
        ([1, 1, 1], [0, 1, 2]),
        ([1, 1, 0], [0, 1, 1]),
        ([0, 0], [0, 0]),
        ([], []),
    ],
)
def test_positions_count_words(mask, positions):
    """Padding at the left moves no word."""
    assert positions_of(torch.tensor(mask, dtype=torch.bool)).tolist() == positions
    both = torch.tensor([mask, mask], dtype=torch.bool)
    assert positions_of(both).tolist() == [positions, positions]


def test_a_mask_of_numbers_is_refused():
    """A float mask may mean either polarity."""
    with pytest.raises(TypeError, match="mask must be a boolean tensor"):
        positions_of(torch.tensor([0.0, 1.0]))


# ---- the modules --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_table_grows_and_keeps_its_precision(dtype):
    """A sentence longer than any before is no error (R038), and later ones get the same numbers."""
    places, like = Sinusoids(6), torch.zeros(1, dtype=dtype)
    before = places(torch.tensor([[3, 63]]), like)
    far = places(torch.tensor([[64, 1000, 3]]), like)
    assert (before.dtype, far.shape) == (dtype, (1, 3, 6))
    expected = torch.tensor(paper(1001, 6), dtype=torch.float64)[[64, 1000, 3]].to(dtype)
    torch.testing.assert_close(far[0], expected, atol=1e-12, rtol=0)
    assert torch.equal(places(torch.tensor([[3, 63]]), like), before)


def test_the_table_is_not_saved():
    """A model that has met a long sentence loads into one that has not."""
    places = Sinusoids(6)
    places(torch.tensor([500]), torch.zeros(1))
    assert places.state_dict() == {}


def test_learned_positions_end():
    """What was never learned is refused with both numbers (R038)."""
    places = LearnedPositions(6, longest=100)
    assert places(torch.tensor([[0, 99]]), torch.zeros(1)).shape == (1, 2, 6)
    with pytest.raises(ValueError, match="101 words is longer than the 100"):
        places(torch.tensor([[0, 100]]), torch.zeros(1))


def test_the_place_is_added_to_the_scaled_word():
    """√d at the embedding: a row of ones, d = 16, position 0 gives [4, 5, 4, 5, …] (R039)."""
    embedding = PlacedEmbedding(3, 16)
    with torch.no_grad():
        embedding.weight[2] = 1.0
    vector = embedding(torch.tensor([[2, 2]]), torch.arange(2)[None])[0]
    assert vector[0].tolist() == [4.0, 5.0] * 8
    torch.testing.assert_close(vector[1], 4 + torch.tensor(paper(2, 16))[1], atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", ["learned", "none"])
def test_the_other_kinds(kind):
    """Learned positions are added as sinusoids are; with none, a word is the same wherever it stands."""
    embedding = PlacedEmbedding(5, 4, kind)
    one, two = embedding(torch.tensor([[2, 2]]), torch.arange(2)[None])[0]
    assert torch.equal(one, two) == (kind == "none")
    expected = 2 * embedding.weight[2] + (embedding.places.table.weight[0] if kind == "learned" else 0)
    torch.testing.assert_close(one, expected)
    assert isinstance(embedding.places, {"learned": LearnedPositions, "none": NoPositions}[kind])


def test_words_and_places_start_of_one_size():
    """Neither drowns the other: the numbers of both have a spread near 0.7 to 1, padding's are 0."""
    torch.manual_seed(0)
    embedding = PlacedEmbedding(1000, 64)
    words = 8 * embedding.weight[PAD + 1 :]
    assert float(words.detach().std()) == pytest.approx(1, abs=0.02)
    assert sinusoids(64, 64).square().mean().sqrt() == pytest.approx(math.sqrt(0.5))
    assert float(LearnedPositions(64).table.weight.detach().std()) == pytest.approx(math.sqrt(0.5), abs=0.05)
    assert not embedding.weight[PAD].any()


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: sinusoids(3, 0), ValueError, "width must be at least 1"),
        (lambda: sinusoids(-1, 4), ValueError, "length must not be negative"),
        (lambda: sinusoids(3, 4.5), TypeError, "width must be a whole number"),
        (lambda: sinusoids(3, 4, base=0), ValueError, "base must be a finite number above 0"),
        (lambda: rotation(1, 5), ValueError, "width must be even, .* got 5"),
        (lambda: similarity(sinusoids(3, 4), 3), ValueError, "position must lie between 0 and 2, got 3"),
        (lambda: LearnedPositions(4, 0), ValueError, "longest must be at least 1"),
        (lambda: PlacedEmbedding(5, 4, "sines"), ValueError, "one of sinusoids, learned, none, got 'sines'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(call, error, says):
    """The reader is told which argument, what was expected, and what came."""
    with pytest.raises(error, match=says):
        call()
