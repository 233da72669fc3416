"""Masks and the masked softmax.

Each property is one function that asserts. Ours must satisfy it, and each known fault must fail it, so
that a test that cannot fail is noticed. The R-numbers are the ids of faults that people really made.
"""

import math
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_helpers.masks import causal_mask, combine_masks, masked_softmax, valid_length_mask

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
SIZES = ((2, 3, 5, 7), (3, 3, 3, 3), (1, 1, 1, 1))  # B, H, T, S: distinct primes, and all alike


def randn(*shape, dtype=torch.float64, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def coins(*shape, seed=0):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.5


# ---------------------------------------------------------------- properties of a masked softmax


def equals_a_plain_loop(softmax):
    """A weight is exp(score) over the sum of exp(score) where the mask allows, and 0 elsewhere."""
    for sizes in SIZES:
        scores, mask = randn(*sizes), coins(*sizes)
        weights = softmax(scores, mask)
        for row, allowed, mine in zip(
            scores.flatten(0, -2), mask.flatten(0, -2), weights.flatten(0, -2), strict=True
        ):
            powers = [math.exp(s) if a else 0.0 for s, a in zip(row.tolist(), allowed.tolist(), strict=True)]
            total = sum(powers) or 1.0
            assert mine.tolist() == pytest.approx([p / total for p in powers])


def forbidden_weights_are_exactly_zero(softmax):
    """Not merely small: a padded token must not reach a neighbour at all."""
    for dtype in FLOATS:
        scores, mask = randn(2, 5, 7, dtype=dtype) * 20, coins(2, 5, 7)
        assert torch.all(softmax(scores, mask)[~mask] == 0)


def an_empty_row_is_silent(softmax):
    """R001, R002: who may attend to nothing gets weights 0, not NaN and not 1/m over the padding."""
    for dtype in FLOATS:
        mask = torch.tensor([[[False, False, False]]])
        assert softmax(torch.zeros(1, 1, 3, dtype=dtype), mask).tolist() == [[[0, 0, 0]]]


def an_empty_row_poisons_no_gradient(softmax):
    """R001: a row thrown away later must not send NaN back through the whole batch."""
    causal_and_left_padding = torch.tensor([[0, 0, 0], [0, 1, 0], [0, 1, 1]]).bool()
    for dtype in FLOATS:
        source = randn(3, 3, dtype=dtype).requires_grad_()
        out = softmax(source * 2, causal_and_left_padding)
        assert out[0].tolist() == [0, 0, 0]
        assert out[1].tolist() == [0, 1, 0]
        out[1:].pow(2).sum().backward()
        assert torch.isfinite(source.grad).all()
        assert source.grad[0].tolist() == [0, 0, 0]
        assert source.grad[2, 1] != 0


def no_nan_arises_on_the_way(softmax):
    """Anomaly mode, with which readers hunt NaN, must not lead them here."""
    scores = randn(2, 3).requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it announces that it is slow
        with torch.autograd.detect_anomaly():
            softmax(scores, torch.tensor([[False] * 3, [True] * 3]))[1].pow(2).sum().backward()


def every_float_type_can_mask(softmax):
    """R004: the mask's constant must exist in half precision too."""
    for dtype in FLOATS:
        weights = softmax(torch.zeros(3, dtype=dtype), torch.tensor([True, True, False]))
        assert weights.dtype == dtype
        assert weights.tolist() == [0.5, 0.5, 0]


def low_scores_are_not_mistaken_for_masked_ones(softmax):
    """A large negative number is not minus infinity: allowed scores may lie below it."""
    scores = torch.tensor([-2e9, -2e9, 0.0], dtype=torch.float64)
    assert softmax(scores, torch.tensor([True, True, False])).tolist() == [0.5, 0.5, 0]


def large_scores_do_not_overflow(softmax):
    """exp(1000) is infinite, the softmax of 1000 is not."""
    weights = softmax(torch.tensor([1000.0, 999.0, -1000.0]), torch.tensor([True, True, True]))
    assert weights.tolist() == pytest.approx([0.7310586, 0.2689414, 0])


def a_forbidden_score_never_matters(softmax):
    """Whatever stands under the mask, NaN included, changes neither weights nor gradients."""
    mask = coins(3, 5, 7)
    results = []
    for filler in (0.0, 1e30, float("nan"), float("inf"), float("-inf")):
        scores = randn(3, 5, 7).masked_fill(~mask, filler).requires_grad_()
        weights = softmax(scores, mask)
        (weights * randn(3, 5, 7, seed=1)).sum().backward()
        results.append((weights.detach(), scores.grad))
    for weights, gradient in results:
        assert torch.equal(weights, results[0][0])
        assert torch.equal(gradient, results[0][1])


def a_padding_mask_speaks_of_its_own_item(softmax):
    """R016: with B = T, a (B, S) mask taken for (T, S) pads the wrong thing and nobody notices."""
    weights = softmax(torch.zeros(3, 3, 3), valid_length_mask([1, 2, 3], 3))
    third = pytest.approx([1 / 3] * 3)
    assert weights[2].tolist() == [third] * 3
    assert weights[0].tolist() == [[1, 0, 0]] * 3


def true_means_may_attend(softmax):
    """R005: in a causal softmax of equal scores, query 0 sees key 0 alone."""
    weights = softmax(torch.zeros(2, 2), causal_mask(2))
    assert weights.tolist() == [[1, 0], [0.5, 0.5]]


# ---------------------------------------------------------------- faults that must be seen


def fill_with(constant):
    return lambda scores, mask: scores.masked_fill(~mask, constant).softmax(-1)


def mask_after_softmax(scores, mask):
    return scores.softmax(-1).masked_fill(~mask, 0)


def repair_the_forward_pass(scores, mask):
    """Adds -inf and hides the NaN that comes of it; the backward pass still meets 0 · NaN."""
    blocked = torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
    return (scores + blocked).softmax(-1).nan_to_num(0)


def multiply_scores(scores, mask):
    return (scores * mask).softmax(-1)


def add_the_mask(scores, mask):
    return (scores + mask.to(scores.dtype)).softmax(-1)


def without_subtracting_the_peak(scores, mask):
    powers = scores.exp().masked_fill(~mask, 0)
    return powers / powers.sum(-1, keepdim=True).clamp_min(1e-30)


def erase_afterwards(scores, mask):
    """NaN is made and wiped away, forward and backward: right in the end, but not on the way."""
    return fill_with(float("-inf"))(scores, mask).masked_fill(~mask, 0)


def flipped(scores, mask):
    return masked_softmax(scores, ~mask)


def wrong_axis(scores, mask):
    return masked_softmax(scores.mT, mask.expand(scores.shape).mT).mT


def item_axis_lost(scores, mask):
    return masked_softmax(scores, mask.squeeze(-2)[None].expand(scores.shape))


PROPERTIES = (
    equals_a_plain_loop,
    forbidden_weights_are_exactly_zero,
    an_empty_row_is_silent,
    an_empty_row_poisons_no_gradient,
    no_nan_arises_on_the_way,
    every_float_type_can_mask,
    low_scores_are_not_mistaken_for_masked_ones,
    large_scores_do_not_overflow,
    a_forbidden_score_never_matters,
    a_padding_mask_speaks_of_its_own_item,
    true_means_may_attend,
)
FAULTS = {
    "R001 plain -inf": (an_empty_row_is_silent, fill_with(float("-inf"))),
    "R001 NaN repaired forward only": (an_empty_row_poisons_no_gradient, repair_the_forward_pass),
    "R001 NaN erased": (no_nan_arises_on_the_way, erase_afterwards),
    "R002 fill -1e6": (an_empty_row_is_silent, fill_with(-1e6)),
    "R004 fill -1e9": (every_float_type_can_mask, fill_with(-1e9)),
    "R005 flipped": (true_means_may_attend, flipped),
    "R016 item axis lost": (a_padding_mask_speaks_of_its_own_item, item_axis_lost),
    "fill too near": (forbidden_weights_are_exactly_zero, fill_with(-30)),
    "fill above the scores": (low_scores_are_not_mistaken_for_masked_ones, fill_with(-1e9)),
    "mask after softmax": (equals_a_plain_loop, mask_after_softmax),
    "mask multiplied": (equals_a_plain_loop, multiply_scores),
    "mask added": (equals_a_plain_loop, add_the_mask),
    "wrong axis": (equals_a_plain_loop, wrong_axis),
    "no peak": (large_scores_do_not_overflow, without_subtracting_the_peak),
    "NaN leaks": (a_forbidden_score_never_matters, mask_after_softmax),
}


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda f: f.__name__)
def test_masked_softmax(holds):
    """What chapter 1 promises of its softmax."""
    holds(masked_softmax)


@pytest.mark.parametrize(("holds", "fault"), FAULTS.values(), ids=FAULTS.keys())
def test_fault_is_seen(holds, fault):
    """The properties above are able to fail. (Half precision refuses -1e9 with a RuntimeError.)"""
    with pytest.raises((AssertionError, RuntimeError)):
        holds(fault)


def test_every_property_has_a_fault():
    """A property that no fault ever failed proves nothing."""
    assert {holds for holds, _ in FAULTS.values()} == set(PROPERTIES)


# ---------------------------------------------------------------- more on the softmax


@settings(deadline=None, max_examples=60)
@given(
    shape=st.lists(st.integers(0, 4), min_size=1, max_size=4),
    dtype=st.sampled_from(FLOATS),
    seed=st.integers(0, 2**32),
)
def test_rows_sum_to_one_or_to_nothing(shape, dtype, seed):
    """In any shape and float type, also without queries or without keys."""
    scores, mask = randn(*shape, dtype=dtype, seed=seed) * 5, coins(*shape, seed=seed)
    weights = masked_softmax(scores, mask)
    assert weights.shape == scores.shape
    assert weights.dtype == dtype
    tolerance = 4 * shape[-1] * torch.finfo(dtype).eps
    torch.testing.assert_close(weights.double().sum(-1), mask.any(-1).double(), rtol=0, atol=tolerance)
    everything = torch.ones_like(mask)
    torch.testing.assert_close(masked_softmax(scores), masked_softmax(scores, everything), rtol=0, atol=0)


def test_gradient_is_right():
    """Finite differences agree, empty rows and all."""
    mask = coins(2, 3, 5)
    mask[0, 0] = False
    scores = randn(2, 3, 5).requires_grad_()
    assert torch.autograd.gradcheck(lambda s: masked_softmax(s, mask), scores)


def test_shared_axes_are_spread():
    """An axis of length 1 means: the same for all."""
    scores, mask = randn(2, 3, 5, 7), coins(2, 1, 1, 7)
    assert torch.equal(masked_softmax(scores, mask), masked_softmax(scores, mask.expand(scores.shape)))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("mask", [None, torch.tensor([True, True])])
def test_an_allowed_score_must_be_finite(bad, mask):
    """A NaN is refused where it enters, not discovered an epoch later; -inf is no back door for masks."""
    with pytest.raises(ValueError, match=r"scores must be finite.*NaN or infinity.*use the mask"):
        masked_softmax(torch.tensor([0.0, bad]), mask)


def test_a_large_sum_is_no_infinity():
    """Scores near the end of half precision are finite, even if their sum is not."""
    scores = torch.full((4,), 60000.0, dtype=torch.float16)
    assert masked_softmax(scores).tolist() == [0.25] * 4


# ---------------------------------------------------------------- the masks themselves


def shows_the_past_and_the_present(causal):
    """R017: exactly the lower triangle with its diagonal, boolean, at every size."""
    mask = causal(4)
    assert mask.dtype == torch.bool
    assert mask.int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    assert causal(1).tolist() == [[True]]
    assert causal(0).shape == (0, 0)


def test_causal_mask():
    """A token may look at itself and back."""
    shows_the_past_and_the_present(causal_mask)


@pytest.mark.parametrize(
    "fault",
    [
        lambda n: torch.ones(n, n).triu().bool(),
        lambda n: torch.ones(n, n).tril(-1).bool(),
        lambda n: torch.ones(n, n).tril(),
        lambda n: torch.ones(n, n).triu(1).bool(),
    ],
    ids=["R017 upper", "R017 strict", "R017 float", "R005 True = drop"],
)
def test_wrong_triangles_are_seen(fault):
    """R017."""
    with pytest.raises(AssertionError):
        shows_the_past_and_the_present(fault)


def means_under(mask):
    """Equal scores over the values 0…S-1: each output is the mean of the values a query sees."""
    values = torch.arange(mask.shape[-1], dtype=torch.float64)
    return (masked_softmax(torch.zeros(mask.shape, dtype=torch.float64), mask) @ values).tolist()


def test_causal_mask_with_more_keys_than_queries():
    """R007: with a cache the last query stands at the last key; one must say which is meant."""
    assert means_under(causal_mask(2, 5, align="end")) == pytest.approx([1.5, 2.0])
    assert means_under(causal_mask(2, 5, align="start")) == pytest.approx([0.0, 0.5])
    assert means_under(causal_mask(1, 5, align="end")) == pytest.approx([2.0])
    assert means_under(causal_mask(3, 2, align="end")) == pytest.approx([0.0, 0.0, 0.5])
    assert torch.equal(causal_mask(3, 3), causal_mask(3))
    assert means_under(torch.ones(2, 5).tril().bool()) != pytest.approx([1.5, 2.0])  # the silent default
    with pytest.raises(ValueError, match=r"2 queries and 5 keys.*align=\"start\".*align=\"end\""):
        causal_mask(2, 5)


def test_valid_length_mask():
    """Every query of an item sees its valid keys; length 0 and full length are lengths, too."""
    mask = valid_length_mask([0, 2, 5], 5)
    assert mask.shape == (3, 1, 5)
    assert mask.int().flatten(1).tolist() == [[0, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 1, 1]]
    assert torch.equal(mask, valid_length_mask(torch.tensor([0, 2, 5]), 5))
    assert valid_length_mask(torch.tensor([], dtype=torch.int64), 5).shape == (0, 1, 5)
    assert valid_length_mask([0], 0).shape == (1, 1, 0)


def test_combine_masks():
    """A key must pass every mask."""
    mask = combine_masks(valid_length_mask([1, 3], 3), causal_mask(3)[None])
    assert mask.int().tolist() == [
        [[1, 0, 0], [1, 0, 0], [1, 0, 0]],
        [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
    ]
    assert torch.equal(combine_masks(mask), mask)
    assert torch.equal(combine_masks(mask, ~mask), torch.zeros_like(mask))


def test_an_empty_batch_has_a_mask():
    """No items, no rows: nothing to guess at."""
    for nothing in ([], (), torch.zeros(0, dtype=torch.long)):
        mask = valid_length_mask(nothing, 3)
        assert mask.shape == (0, 1, 3)
        assert mask.dtype == torch.bool


def test_sizes_may_come_from_numpy():
    """What indexes a list is a size."""
    assert torch.equal(valid_length_mask(np.array([1, 2]), np.int64(3)), valid_length_mask([1, 2], 3))
    assert torch.equal(causal_mask(np.int64(3)), causal_mask(3))
    assert torch.equal(causal_mask(2, np.int32(3), align="end"), causal_mask(2, 3, align="end"))


# ---------------------------------------------------------------- bad input, named

SCORES = torch.zeros(3, 3, 5)
PLACES = SCORES == 0
REFUSED = {
    "mask float": (TypeError, "mask .*boolean.*may attend.*float32.*convert", masked_softmax, SCORES, SCORES),
    "mask 0/1": (TypeError, "mask .*boolean.*int64.*mask == 1", masked_softmax, SCORES, SCORES.long()),
    "mask list": (TypeError, "mask .*boolean.*list.*as_tensor", masked_softmax, SCORES, [[True]]),
    "mask (B, S) R016": (ValueError, r"mask .*\(3, 5\).*mask\[:, None\]", masked_softmax, SCORES, PLACES[0]),
    "mask too long": (
        ValueError,
        r"mask .*5\), got \(3, 3, 6\)",
        masked_softmax,
        SCORES,
        torch.ones(3, 3, 6).bool(),
    ),
    "mask too deep": (ValueError, r"mask .*got \(1, 3, 3, 5\)", masked_softmax, SCORES, PLACES[None]),
    "mask elsewhere": (
        ValueError,
        "mask .*device .*cpu, got meta",
        masked_softmax,
        SCORES,
        PLACES.to("meta"),
    ),
    "scores whole": (TypeError, r"scores .*float.*int64.*scores\.float\(\)", masked_softmax, SCORES.long()),
    "scores list": (TypeError, "scores .*tensor.*list", masked_softmax, [1.0, 2.0]),
    "scores one number": (ValueError, "scores .*axis.*single number", masked_softmax, torch.tensor(1.0)),
    "lengths float": (TypeError, "lengths .*whole.*float32", valid_length_mask, torch.tensor([1.0]), 3),
    "lengths bool": (TypeError, "lengths .*whole numbers.*bool", valid_length_mask, [True], 3),
    "lengths above": (ValueError, r"lengths .*size = 3.*\[1, 4\]", valid_length_mask, [1, 4], 3),
    "lengths below": (ValueError, r"lengths .*0 .*\[-1, 2\]", valid_length_mask, [-1, 2], 3),
    "lengths square": (ValueError, r"lengths .*one axis \(B,\).*\(1, 2\)", valid_length_mask, [[1, 2]], 3),
    "lengths number": (ValueError, r"lengths .*one axis \(B,\).*\(\)", valid_length_mask, 2, 3),
    "lengths None": (TypeError, "lengths .*whole number.*got None", valid_length_mask, None, 3),
    "lengths text": (TypeError, "lengths .*whole number.*'ab'", valid_length_mask, "ab", 3),
    "lengths no text": (TypeError, "lengths .*whole number.*''", valid_length_mask, "", 3),
    "lengths ragged": (ValueError, r"lengths .*\[\[1\], \[1, 2\]\]", valid_length_mask, [[1], [1, 2]], 3),
    "lengths huge": (ValueError, "lengths .*1180591620717411303424", valid_length_mask, [2**70], 3),
    "lengths huge, unsigned": (
        ValueError,
        "lengths .*9223372036854775813",
        valid_length_mask,
        np.array([2**63 + 5], dtype=np.uint64),
        3,
    ),
    "size huge": (ValueError, "size .*below", valid_length_mask, [0], 2**70),
    "size bool": (TypeError, "size .*whole number.*True", valid_length_mask, [0], True),
    "size negative": (ValueError, "size .*-1", valid_length_mask, [0], -1),
    "causal negative": (ValueError, "queries .*negative.*-1", causal_mask, -1),
    "causal half": (TypeError, "queries .*whole number.*2.5", causal_mask, 2.5),
    "causal keys": (TypeError, "keys .*whole number.*'3'", causal_mask, 2, "3"),
    "combine nothing": (ValueError, "at least one", combine_masks),
    "combine float": (TypeError, "mask 2 .*boolean.*float32", combine_masks, PLACES, SCORES),
    "combine devices": (ValueError, "one device, got cpu, meta", combine_masks, PLACES, PLACES.to("meta")),
    "combine ranks": (
        ValueError,
        r"masks .*\(1, 5\), \(1, 5, 5\).*mask\[None\]",
        combine_masks,
        PLACES[0, :1],
        causal_mask(5)[None],
    ),
    "combine sizes": (
        ValueError,
        r"masks .*\(3, 3\), \(5, 5\)",
        combine_masks,
        causal_mask(3),
        causal_mask(5),
    ),
}


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64, np.int8])
def test_lengths_of_any_whole_type(dtype):
    """A tokenizer may count unsigned; torch compares few of its unsigned types."""
    lengths = np.array([3, 0, 5], dtype=dtype)
    assert torch.equal(valid_length_mask(lengths, 5), valid_length_mask([3, 0, 5], 5))


@pytest.mark.parametrize(
    ("error", "words", "call", "given"),
    [(e, w, c, g) for e, w, c, *g in REFUSED.values()],
    ids=REFUSED.keys(),
)
def test_bad_input_is_refused_by_name(error, words, call, given):
    """The message names the argument, what was expected and what came."""
    with pytest.raises(error, match=words):
        call(*given)


def test_an_unknown_alignment_is_refused():
    """A typing error must not pick one of the two answers."""
    with pytest.raises(ValueError, match=r"align .*'middle'"):
        causal_mask(2, 3, align="middle")
