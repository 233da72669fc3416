"""Scores and attention, against PyTorch's own attention, plain loops, and the NumPy twin in float64.

As in test_masks.py: one function per property; ours satisfies it, each known fault must fail it.
"""

import inspect
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from attn_helpers import scoring, twin
from attn_helpers.masks import causal_mask, combine_masks, masked_softmax, valid_length_mask
from attn_helpers.scoring import (
    AdditiveScore,
    additive_score,
    attend,
    attend_numpy,
    bilinear_score,
    cosine_score,
    dot_score,
    nadaraya_watson,
    scaled_dot_score,
    score_numpy,
)

TOLERANCES = {torch.float16: 4e-3, torch.bfloat16: 3e-2, torch.float32: 1e-5, torch.float64: 1e-12}
DEVICES = [
    "cpu",
    *(["cuda"] if torch.cuda.is_available() else []),
    *(["mps"] if torch.mps.is_available() else []),
]
SIZES = ((2, 3, 5, 7, 11, 13), (3, 3, 3, 7, 11, 13), (3, 5, 3, 3, 3, 3))  # B, H, T, S, d, v


def randn(*shape, dtype=torch.float64, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def coins(*shape, seed=0):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.5


def triple(*sizes, dtype=torch.float64, seed=0):
    """Query (…, T, d), key (…, S, d) and value (…, S, v) for sizes …, T, S, d, v."""
    *leading, queries, keys, width, value_width = sizes
    shapes = (*leading, queries, width), (*leading, keys, width), (*leading, keys, value_width)
    return [randn(*shape, dtype=dtype, seed=seed + i) for i, shape in enumerate(shapes)]


# ---------------------------------------------------------------- properties of attention


def equals_pytorch(attention):
    """The textbook formula is the one that real models run."""
    for sizes in SIZES:
        query, key, value = triple(*sizes)
        mask = coins(*query.shape[:-1], key.shape[-2])
        mask[..., 0] |= ~mask.any(-1)  # PyTorch promises nothing for a row without a key
        expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        torch.testing.assert_close(attention(query, key, value, mask)[0], expected)


def divides_by_the_root_of_the_key_width(attention):
    """R010, R011: products 2 and 0 at d = 4 weigh .731 and .269, whatever the width of values or model."""
    query, key = torch.tensor([[1.0, 1, 0, 0]]), torch.tensor([[1.0, 1, 0, 0], [0, 0, 1, 1]])
    for value_width in (1, 4, 16):
        weights = attention(query, key, torch.ones(2, value_width), None)[1]
        assert weights.tolist()[0] == pytest.approx([0.731059, 0.268941], abs=1e-6)


def shares_each_query_among_the_keys(attention):
    """Rows sum to 1; columns need not, also where there are as many queries as keys."""
    query, key, value = triple(3, 3, 3, 3, 3)
    weights = attention(query, key, value, None)[1]
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 3, dtype=weights.dtype))
    assert not torch.allclose(weights.sum(-2), torch.ones(3, 3, dtype=weights.dtype))


def true_means_may_attend(attention):
    """R005: equal scores under a causal mask let token 0 read 10, and token 1 the mean of 10 and 20."""
    zeros, value = torch.zeros(2, 1), torch.tensor([[10.0], [20.0]])
    assert attention(zeros, zeros, value, torch.tensor([[1, 0], [1, 1]]).bool())[0].tolist() == [[10], [15]]


def padding_never_reaches_a_neighbour(attention):
    """A sentence alone and in a padded batch attends alike, whatever lies in the padding."""
    lengths, size = [2, 3, 5], 5
    query, key, value = triple(3, size, size, 7, 11)
    key[0, 2:] = value[0, 2:] = 1e3
    output, weights = attention(query, key, value, valid_length_mask(lengths, size))
    for item, n in enumerate(lengths):
        alone = attention(query[item : item + 1], key[item : item + 1, :n], value[item : item + 1, :n], None)
        torch.testing.assert_close(output[item : item + 1], alone[0])
        torch.testing.assert_close(weights[item : item + 1, :, :n], alone[1])


def batch_mates_are_strangers(attention):
    """Shuffling the batch shuffles the answers, and no more."""
    for sizes in SIZES:
        query, key, value = triple(*sizes)
        mask, order = coins(*query.shape[:-1], key.shape[-2]), torch.arange(sizes[0]).roll(1)
        output, weights = attention(query, key, value, mask)
        shuffled = attention(query[order], key[order], value[order], mask[order])
        torch.testing.assert_close(shuffled[0], output[order])
        torch.testing.assert_close(shuffled[1], weights[order])


def the_order_of_keys_carries_nothing(attention):
    """Shuffle keys and values together: the output stays. (Which is why chapter 5 needs positions.)"""
    query, key, value = triple(2, 3, 5, 7, 11)
    order = torch.arange(5).roll(2)
    torch.testing.assert_close(
        attention(query, key[:, order], value[:, order], None)[0], attention(query, key, value, None)[0]
    )


def only_differences_of_scores_count(attention):
    """Adding the same to all scores of a query changes nothing, even ten thousand."""
    query, value = torch.tensor([[1.0, 1.0]]).double(), torch.eye(3).double()
    for shift in (0.0, 1e4, -1e4):
        key = torch.tensor([[0.0, shift], [1.0, shift], [2.0, shift]]).double() * math.sqrt(2)
        weights = attention(query, key, value, None)[1]
        assert weights[0].tolist() == pytest.approx([0.0900306, 0.2447285, 0.6652410], abs=1e-6)


def the_future_stays_unseen(attention):
    """Changing later tokens changes no earlier output."""
    query, key, value = triple(2, 5, 5, 7, 11)
    causal = causal_mask(5)[None]
    before = attention(query, key, value, causal)[0]
    key[:, 3:], value[:, 3:] = 9.0, -9.0
    torch.testing.assert_close(attention(query, key, value, causal)[0][:, :3], before[:, :3])


def an_empty_row_gives_nothing_and_breaks_nothing(attention):
    """R001: a query without keys gets output 0; no gradient in the batch turns into NaN."""
    for dtype in TOLERANCES:
        inputs = [x.requires_grad_() for x in triple(1, 3, 3, 5, 7, dtype=dtype)]
        padded_left = combine_masks(causal_mask(3)[None], torch.tensor([[[False, True, True]]]))
        output, weights = attention(*inputs, padded_left)
        assert not output[0, 0].any()
        assert not weights[0, 0].any()
        output[:, 1:].sum().backward()
        assert all(torch.isfinite(x.grad).all() for x in inputs)
        assert inputs[2].grad[0, 1].any()


# ---------------------------------------------------------------- faults that must be seen


def from_weights(weigh):
    """Attention whose weights are made from the products q·k, the mask, and the widths d and v."""

    def attention(query, key, value, mask):
        everything = torch.ones_like(query @ key.mT, dtype=torch.bool)
        mask = everything if mask is None else mask.expand_as(everything)
        weights = weigh(query @ key.mT, mask, query.shape[-1], value.shape[-1])
        return weights @ value, weights

    return attention


def columns(products, mask, d, v):
    return masked_softmax((products / math.sqrt(d)).mT, mask.mT).mT


def add_minus_infinity(products, mask, d, v):
    """As the formula is often printed: NaN in an empty row, and 0 · NaN on the way back."""
    blocked = torch.zeros_like(products).masked_fill(~mask, float("-inf"))
    return (products / math.sqrt(d) + blocked).softmax(-1).nan_to_num(0)


def lean_on_the_first_item(query, key, value, mask):
    output, weights = attend(query, key, value, mask)
    return output + output[:1], weights


def add_positions(query, key, value, mask):
    places = torch.arange(key.shape[-2], dtype=key.dtype)[:, None]
    return attend(query, key + places, value, mask)


PROPERTIES = (
    equals_pytorch,
    divides_by_the_root_of_the_key_width,
    shares_each_query_among_the_keys,
    true_means_may_attend,
    padding_never_reaches_a_neighbour,
    batch_mates_are_strangers,
    the_order_of_keys_carries_nothing,
    only_differences_of_scores_count,
    the_future_stays_unseen,
    an_empty_row_gives_nothing_and_breaks_nothing,
)
FAULTS = {
    "columns, by oracle": (equals_pytorch, from_weights(columns)),
    "columns, by sum": (shares_each_query_among_the_keys, from_weights(columns)),
    "R001": (an_empty_row_gives_nothing_and_breaks_nothing, from_weights(add_minus_infinity)),
    "R005 flipped": (
        true_means_may_attend,
        from_weights(lambda p, m, d, v: masked_softmax(p / math.sqrt(d), ~m)),
    ),
    "R008 printed code forgot the mask": (
        padding_never_reaches_a_neighbour,
        from_weights(lambda p, m, d, v: (p / math.sqrt(d)).softmax(-1)),
    ),
    "R010 value width": (
        divides_by_the_root_of_the_key_width,
        from_weights(lambda p, m, d, v: masked_softmax(p / math.sqrt(v), m)),
    ),
    "R010 model width": (
        divides_by_the_root_of_the_key_width,
        from_weights(lambda p, m, d, v: masked_softmax(p / math.sqrt(16), m)),
    ),
    "R011 multiplied": (
        divides_by_the_root_of_the_key_width,
        from_weights(lambda p, m, d, v: masked_softmax(p / d**-0.5, m)),
    ),
    "unscaled": (equals_pytorch, from_weights(lambda p, m, d, v: masked_softmax(p, m))),
    "divided by d": (equals_pytorch, from_weights(lambda p, m, d, v: masked_softmax(p / d, m))),
    "mask after softmax": (
        padding_never_reaches_a_neighbour,
        from_weights(lambda p, m, d, v: (p / math.sqrt(d)).softmax(-1) * m),
    ),
    "mask multiplied": (
        the_future_stays_unseen,
        from_weights(lambda p, m, d, v: (p * m).softmax(-1)),
    ),
    "peak not subtracted": (
        only_differences_of_scores_count,
        from_weights(lambda p, m, d, v: (e := (p / math.sqrt(d)).exp()) / e.sum(-1, keepdim=True)),
    ),
    "batch mixed": (batch_mates_are_strangers, lean_on_the_first_item),
    "positions added": (the_order_of_keys_carries_nothing, add_positions),
}


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda f: f.__name__)
def test_attend(holds):
    """What the book says of attention."""
    holds(attend)


def test_a_forbidden_score_may_overflow_in_every_twin():
    """A padded key may hold anything finite, as in `masked_softmax`; where it is allowed it is refused."""
    query, key = np.array([[1e200, 1.0], [1.0, -1.0]]), np.array([[1.0, 2.0], [3.0, 1.0], [1e200, -1e200]])
    value = np.array([[1.0], [2.0], [4.0]])
    mask = np.array([[True, True, False], [True, False, False]])
    output, weights = attend_numpy(query, key, value, mask, score="dot")
    np.testing.assert_array_equal(weights, [[0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(output, [[2], [1]])
    tensors = [torch.tensor(x) for x in (query, key, value)]
    ours = attend(*tensors, mask=torch.tensor(mask), score=dot_score)
    np.testing.assert_array_equal(ours[1], weights)
    with pytest.raises(ValueError, match=r"query and key \(dot\) overflow"):
        attend_numpy(query, key, value, ~mask, score="dot")


@pytest.mark.parametrize("holds", PROPERTIES[:-1], ids=lambda f: f.__name__)
def test_attend_numpy(holds):
    """The twin that is printed and read keeps the same promises, gradients apart."""

    def attention(query, key, value, mask):
        output, weights = attend_numpy(query, key, value, mask)
        return torch.from_numpy(output).to(query.dtype), torch.from_numpy(weights).to(query.dtype)

    holds(attention)


@pytest.mark.parametrize(("holds", "fault"), FAULTS.values(), ids=FAULTS.keys())
def test_fault_is_seen(holds, fault):
    """The properties above are able to fail."""
    with pytest.raises(AssertionError):
        holds(fault)


def test_every_property_has_a_fault():
    """A property that no fault ever failed proves nothing."""
    assert {holds for holds, _ in FAULTS.values()} == set(PROPERTIES)


# ---------------------------------------------------------------- against PyTorch, at random


@settings(deadline=None, max_examples=150)
@given(
    leading=st.lists(st.integers(1, 3), max_size=2),
    sizes=st.tuples(*[st.integers(1, 7)] * 4),
    shared=st.sampled_from(["all", "queries", "batch", "none"]),
    dtype=st.sampled_from(list(TOLERANCES)),
    seed=st.integers(0, 2**32),
)
def test_attend_equals_pytorch(leading, sizes, shared, dtype, seed):
    """Outputs, weights and all three gradients, over random shapes, masks and float types."""
    mine = [x.requires_grad_() for x in triple(*leading, *sizes, dtype=dtype, seed=seed)]
    theirs = [x.detach().clone().requires_grad_() for x in mine]
    mask = random_mask(leading, sizes, shared, seed)
    output, weights = attend(*mine, mask)
    expected = F.scaled_dot_product_attention(*theirs, attn_mask=mask)
    upstream = randn(*output.shape, dtype=dtype, seed=seed + 3)
    (output * upstream).sum().backward()
    (expected * upstream).sum().backward()
    one_hot = torch.eye(sizes[1], dtype=dtype).expand(*leading, -1, -1)
    with torch.no_grad():
        their_weights = F.scaled_dot_product_attention(*theirs[:2], one_hot, attn_mask=mask)
    near = {"rtol": TOLERANCES[dtype], "atol": TOLERANCES[dtype] * 4}
    torch.testing.assert_close(output, expected, **near)
    torch.testing.assert_close(weights, their_weights, **near)
    for x, y in zip(mine, theirs, strict=True):
        torch.testing.assert_close(x.grad, y.grad, rtol=near["rtol"], atol=near["atol"] * 8)


def random_mask(leading, sizes, shared, seed):
    """A mask whose every row allows something; None, or spread along its axes of length 1."""
    queries, keys = sizes[:2]
    shapes = {
        "none": [*leading, queries, keys],
        "queries": [*leading, 1, keys],
        "batch": [*[1] * len(leading), queries, keys],
    }
    if shared not in shapes:
        return None
    mask = coins(*shapes[shared], seed=seed)
    mask[..., seed % keys] |= ~mask.any(-1)
    return mask


@settings(deadline=None, max_examples=100)
@given(
    leading=st.lists(st.integers(0, 3), max_size=2),
    sizes=st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(1, 5), st.integers(1, 5)),
    score=st.sampled_from(["dot", "scaled_dot", "cosine"]),
    masked=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_attend_equals_its_twin(leading, sizes, score, masked, seed):
    """Also without queries, without keys, and with rows that may attend to nothing."""
    inputs = triple(*leading, *sizes, seed=seed)
    mask = coins(*leading, *sizes[:2], seed=seed) if masked else None
    output, weights = attend(*inputs, mask, score)
    twin_output, twin_weights = attend_numpy(
        *(x.numpy() for x in inputs), mask if mask is None else mask.numpy(), score
    )
    np.testing.assert_allclose(weights, twin_weights, atol=1e-14)
    np.testing.assert_allclose(output, twin_output, atol=1e-14)
    if masked:
        empty = ~mask.any(-1)
        assert not output[empty].any()
        assert not weights[empty].any()


def test_both_mask_conventions_of_pytorch():
    """R005: one grid, two calls: our mask is SDPA's, and the negation of nn.MultiheadAttention's."""
    query, key, value = triple(2, 3, 5, 4, 4)
    mask = coins(2, 3, 5)
    mask[..., 0] |= ~mask.any(-1)
    heads = nn.MultiheadAttention(4, num_heads=1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        heads.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
        heads.out_proj.weight.copy_(torch.eye(4))
    theirs = heads(query, key, value, attn_mask=~mask)
    for mine, other in zip(attend(query, key, value, mask), theirs, strict=True):
        torch.testing.assert_close(mine, other)


@pytest.mark.parametrize("device", DEVICES)
def test_every_device_agrees_on_a_blocked_row(device):
    """R019: no backend decides what a query without keys gets; we do."""
    query, key, value = (x.to(device) for x in triple(1, 1, 2, 2, 4, 4, dtype=torch.float32))
    mask = torch.tensor([[[[False, False], [True, True]]]])
    output = attend(query, key, value, mask.to(device))[0].cpu()
    assert not output[..., 0, :].any()
    expected = attend(query.cpu(), key.cpu(), value.cpu(), mask)[0]
    torch.testing.assert_close(output, expected, atol=1e-4, rtol=1e-4)


def test_printed_code_is_executed_code():
    """R008: the torch version, the twin that the book prints, and the masked softmax give one answer."""
    right = pytest.approx([0.268941, 0.731059, 0], abs=1e-6)
    scores, mask = torch.tensor([[1.0, 2, 3]]), torch.tensor([[True, True, False]])
    one, key, value = torch.ones(1, 1), scores.mT, torch.eye(3)
    assert masked_softmax(scores, mask)[0].tolist() == right
    assert attend(one, key, value, mask, score="dot")[0][0].tolist() == right
    printed = {}
    exec(inspect.getsource(twin), printed)
    assert printed["attend_numpy"](one, key, value, mask, score="dot")[0][0].tolist() == right


def test_leading_axes_of_length_one_are_shared():
    """One set of keys for all heads."""
    query, key, value = triple(2, 3, 5, 7, 11, 13)
    shared, spread = (x[:, :1] for x in (key, value)), (x[:, :1].expand_as(x) for x in (key, value))
    torch.testing.assert_close(attend(query, *shared)[0], attend(query, *spread)[0])


def test_any_score_can_be_brought_along():
    """A function (query, key) → scores, a module too; the widths may then differ."""
    query, key, value = randn(2, 3, 5), randn(2, 7, 11), randn(2, 7, 13)
    output, weights = attend(query, key, value, score=AdditiveScore(5, 11, 2).double())
    assert output.shape == (2, 3, 13)
    assert weights.shape == (2, 3, 7)


# ---------------------------------------------------------------- the scores one by one

W_Q, W_K, W_V, W = randn(2, 7, seed=5), randn(2, 7, seed=6), randn(2, seed=7), randn(7, 7, seed=8)


def product(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def additive_by_hand(q, k):
    hidden = [
        product(to_q, q) + product(to_k, k) for to_q, to_k in zip(W_Q.tolist(), W_K.tolist(), strict=True)
    ]
    return product(W_V.tolist(), [math.tanh(x) for x in hidden])


BY_HAND = {
    "dot": (dot_score, product),
    "scaled_dot": (scaled_dot_score, lambda q, k: product(q, k) / math.sqrt(7)),
    "cosine": (cosine_score, lambda q, k: product(q, k) / math.hypot(*q) / math.hypot(*k)),
    "additive": (lambda q, k: additive_score(q, k, W_Q, W_K, W_V), additive_by_hand),
    "bilinear": (
        lambda q, k: bilinear_score(q, k, W),
        lambda q, k: product(q, [product(row, k) for row in W.tolist()]),
    ),
}


@pytest.mark.parametrize(("score", "formula"), BY_HAND.values(), ids=BY_HAND.keys())
def test_score_follows_its_formula(score, formula):
    """One query and one key at a time, in plain Python numbers, for any leading axes."""
    query, key = randn(2, 3, 5, 7), randn(2, 3, 11, 7, seed=1)
    scores = score(query, key)
    assert scores.shape == (2, 3, 5, 11)
    for place in np.ndindex(scores.shape):
        *leading, t, s = place
        q, k = query[(*leading, t)].tolist(), key[(*leading, s)].tolist()
        assert scores[place].item() == pytest.approx(formula(q, k))


@pytest.mark.parametrize("score", [s for s, _ in BY_HAND.values()], ids=BY_HAND.keys())
def test_score_has_the_right_gradient(score):
    """Finite differences agree."""
    inputs = randn(2, 3, 7).requires_grad_(), randn(2, 5, 7, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(score, inputs)


@pytest.mark.parametrize("name", ["dot", "scaled_dot", "cosine"])
def test_twin_scores_are_the_same(name):
    """The names mean the same to torch and to NumPy."""
    query, key = randn(2, 3, 7), randn(2, 5, 7)
    np.testing.assert_allclose(score_numpy(query, key, name), scoring.SCORES[name](query, key), atol=1e-14)


def test_twin_additive_is_the_untrained_formula():
    """W_q = W_k = I and w_v = 1: what the widget's plane shows."""
    query, key = randn(3, 7), randn(5, 7)
    untrained = additive_score(
        query, key, torch.eye(7).double(), torch.eye(7).double(), torch.ones(7).double()
    )
    np.testing.assert_allclose(score_numpy(query, key, "additive"), untrained, atol=1e-14)


def test_additive_score_learns_three_weights_and_no_bias():
    """The notes' W_q (h, q), W_k (h, k), w_v (h): nothing more, and each gets a gradient."""
    module = AdditiveScore(query_width=5, key_width=11, hidden=3)
    assert {n: tuple(p.shape) for n, p in module.named_parameters()} == {
        "query_weight": (3, 5),
        "key_weight": (3, 11),
        "value_weight": (3,),
    }
    query, key = randn(2, 7, 5, dtype=torch.float32), randn(2, 13, 11, dtype=torch.float32)
    scores = module(query, key)
    torch.testing.assert_close(scores, additive_score(query, key, **dict(module.named_parameters())))
    scores.pow(2).sum().backward()
    assert all(p.grad.abs().sum() > 0 for p in module.parameters())


def test_additive_score_starts_at_a_sensible_size():
    """Scores of size 1 at any width: not a softmax that has already made up its mind."""
    torch.manual_seed(0)
    for width in (8, 512):
        scores = AdditiveScore(width, width, 64)(torch.randn(256, width), torch.randn(256, width))
        assert 0.2 < scores.std() < 2


def test_scaled_scores_fit_where_the_plain_product_does_not():
    """40·40·64 overflows float16, 40·40·8 does not: what PyTorch's own attention can weigh, so can we."""
    query = torch.full((1, 1, 64), 40.0, dtype=torch.float16)
    assert not torch.isfinite(query @ query.mT).all()
    assert scaled_dot_score(query, query).item() == 12800
    torch.testing.assert_close(
        attend(query, query, query)[0], F.scaled_dot_product_attention(query, query, query)
    )


# ---------------------------------------------------------------- cosine


def cosine_knows_zero_large_and_small(score):
    """R013: a zero vector scores 0 with a tame gradient; only the direction of others counts."""
    query = torch.zeros(1, 3, requires_grad=True)
    key = torch.tensor([[1.0, 2, 3], [0, 0, 0]], requires_grad=True)
    scores = score(query, key)
    assert scores.tolist() == [[0, 0]]
    scores.sum().backward()
    for gradient in (query.grad, key.grad):
        assert torch.isfinite(gradient).all()
        assert gradient.abs().max() <= 10
    assert score(torch.tensor([[1.0, 0]]), torch.tensor([[1.0, 1]])).item() == pytest.approx(
        0.707107, abs=1e-6
    )
    for dtype, size in (
        (torch.float16, 3e4),
        (torch.float32, 1e30),
        (torch.float32, 1e-30),
        (torch.float64, 1e-200),
    ):
        ones = torch.full((1, 16), size, dtype=dtype)
        assert score(ones, ones).item() == pytest.approx(1, abs=2e-3)


def divide_where_above_zero(query, key):
    lengths = query.norm(dim=-1)[:, None] * key.norm(dim=-1)
    return torch.where(lengths > 0, query @ key.mT / lengths, 0)


COSINE_FAULTS = {
    "0/0": lambda q, k: q @ k.mT / (q.norm(dim=-1)[:, None] * k.norm(dim=-1)),
    "where guards the forward pass": divide_where_above_zero,
    "normalize, 1e12": lambda q, k: F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT,
    "eps² underflows": lambda q, k: q @ k.mT / (q.pow(2).sum(-1) + 1e-30**2).sqrt()[:, None] / k.norm(dim=-1),
    "eps too large": lambda q, k: q @ k.mT / (q.norm(dim=-1)[:, None] * k.norm(dim=-1) + 0.1),
    "squares overflow": lambda q, k: q @ k.mT / (q.norm(dim=-1)[:, None] * k.norm(dim=-1)).clamp_min(1),
}


def test_cosine():
    """The PAD embedding is a zero vector: it gets score 0, and gives and takes no gradient."""
    cosine_knows_zero_large_and_small(cosine_score)
    for size in (0.0, 1e-40):  # 1 / 1e-40 would overflow in the backward pass
        query, key = torch.full((1, 3), size, requires_grad=True), torch.ones(1, 3)
        cosine_score(query, key).sum().backward()
        assert query.grad.tolist() == [[0, 0, 0]]


def test_twin_cosine():
    """The same for NumPy: zero scores 0, only the direction of others counts."""
    assert score_numpy([[0, 0]], [[1, 2], [0, 0]], "cosine").tolist() == [[0, 0]]
    for size in (1e-300, 1e-200, 1, 1e200):
        assert score_numpy([[size, 0]], [[size, size]], "cosine").item() == pytest.approx(0.707107, abs=1e-6)


@pytest.mark.parametrize("fault", COSINE_FAULTS.values(), ids=COSINE_FAULTS.keys())
def test_cosine_fault_is_seen(fault):
    """R013."""
    with pytest.raises(AssertionError):
        cosine_knows_zero_large_and_small(fault)


# ---------------------------------------------------------------- temperature


def test_temperature_divides_the_scores():
    """Cold picks the best key, hot averages."""
    query, key, value = (x.numpy() for x in triple(3, 5, 7, 11))
    np.testing.assert_allclose(
        attend_numpy(query, key, value, temperature=2)[1], attend_numpy(query / 2, key, value)[1]
    )
    np.testing.assert_allclose(attend_numpy(query, key, value, temperature=1e9)[1], 1 / 5, atol=1e-8)
    cold = attend_numpy(query, key, value, temperature=1e-4)[1]
    np.testing.assert_allclose(cold, np.eye(5)[score_numpy(query, key).argmax(-1)], atol=1e-8)


@pytest.mark.parametrize("temperature", [0, -0.01, float("nan"), float("inf")])
def test_temperature_must_be_above_zero(temperature):
    """R014: a step through zero must not go on with flipped or broken weights."""
    with pytest.raises(ValueError, match=f"temperature .*above 0, got {temperature}"):
        attend_numpy(np.ones((1, 2)), np.ones((3, 2)), np.ones((3, 2)), temperature=temperature)


# ---------------------------------------------------------------- kernel regression


def test_nadaraya_watson_is_kernel_regression():
    """Averages weighted by a Gaussian's density, term by term."""
    query, key, value = randn(3), randn(7, seed=1), randn(7, seed=2)
    output, weights = nadaraya_watson(query, key, value, width=0.7)
    for t, q in enumerate(query.tolist()):
        kernel = [math.exp(-(((q - k) / 0.7) ** 2) / 2) for k in key.tolist()]
        assert weights[t].tolist() == pytest.approx([x / sum(kernel) for x in kernel])
        assert output[t].item() == pytest.approx(
            sum(x * v for x, v in zip(kernel, value.tolist(), strict=True)) / sum(kernel)
        )


def test_nadaraya_watson_between_nearest_and_mean():
    """A narrow kernel copies the nearest point, a wide one gives the mean; far away nothing becomes NaN."""
    query, key, value = torch.tensor([0.9, 1e4]), torch.tensor([0.0, 1.0, 5.0]), torch.tensor([2.0, 4.0, 9.0])
    assert nadaraya_watson(query, key, value, 0.01)[0].tolist() == pytest.approx([4, 9])
    for wide in (1e6, 1e200):  # the square of 1e200 would overflow
        assert nadaraya_watson(query[:1], key, value, wide)[0].tolist() == pytest.approx([5])


# ---------------------------------------------------------------- bad input, named

Q, K, V = triple(2, 3, 5, 7, 11, dtype=torch.float32)
NAN = torch.full_like(V, float("nan"))
HUGE = torch.full((1, 1, 7), 6e4, dtype=torch.float16)
BIG = np.full((2, 5, 7), 1e200)
LINE, U = torch.zeros(5), torch.zeros(7, 7)
ATTEND = {
    "widths": (ValueError, "query and key .*width d, got 7 and 11", Q, V, V),
    "value rows": (ValueError, "value needs one row per key, got 4 for S = 5", Q, K, V[:, :4]),
    "score unknown": (ValueError, '"dot", "scaled_dot", "cosine".*softdot', Q, K, V, None, "softdot"),
    "score nothing": (ValueError, 'score must be "dot".*got None', Q, K, V, None, None),
    "score turned": (ValueError, r"\(2, 3, 5\), got \(2, 5, 3\)", Q, K, V, None, lambda q, k: k @ q.mT),
    "score additive": (ValueError, r"score .*'additive'.*score=AdditiveScore", Q, K, V, None, "additive"),
    "score wider": (
        TypeError,
        r"scores .*float32, got float64; .*\.to\(query\.dtype\)",
        Q,
        K,
        V,
        None,
        lambda q, k: dot_score(q, k).double(),
    ),
    "query complex": (
        TypeError,
        r"query .*float type, got complex64; .*query\.real, query\.abs\(\)$",
        Q * 1j,
        K,
        V,
    ),
    "score a list": (ValueError, "score .*tensor.*got list", Q, K, V, None, lambda q, k: [1]),
    "mask (B, S)": (ValueError, r"mask .*\(2, 3, 5\), got \(2, 5\).*\[:, None\]", Q, K, V, coins(2, 5)),
    "mask float": (TypeError, "mask .*boolean.*float32", Q, K, V, torch.ones(2, 3, 5)),
    "types mixed": (TypeError, r"key .*query, float32, got float16; .*key\.to", Q, K.half(), V),
    "devices mixed": (ValueError, "value .*query, cpu, got meta", Q, K, V.to("meta")),
    "query whole": (TypeError, r"query .*float.*int64.*query\.float", Q.long(), K, V),
    "query NumPy": (TypeError, "query .*tensor.*ndarray", Q.numpy(), K, V),
    "query one vector": (ValueError, r"query .*\(\.\.\., tokens, width\).*\(7,\)", Q[0, 0], K, V),
    "width 0": (ValueError, "query .*at least 1", Q[..., :0], K[..., :0], V),
    "axes": (ValueError, r"query, key and value need .*\(2, 3, 7\), \(5, 7\), \(2, 5, 11\)", Q, K[0], V),
    "batches": (ValueError, r"leading .*\(2, 5, 7\), \(3, 5, 11\)", Q[:1], K, V[[0, 0, 0]]),
    "value NaN": (ValueError, "value must be finite, got NaN", Q, K, NAN),
    "key infinite": (ValueError, "key must be finite", Q, K / 0, V),
    "overflow": (ValueError, "scores must be finite.*float16.*overflow", HUGE, HUGE, HUGE),
}
TWIN = {
    "widths": (ValueError, "query and key .*got 7 and 11", Q, V, V),
    "width 1": (ValueError, "query and key .*got 1 and 7", Q[..., :1], K, V, None, "additive"),
    "score unknown": (ValueError, "score .*'additive', got 'softdot'", Q, K, V, None, "softdot"),
    "value rows": (ValueError, "value needs one row per key, got 4 ", Q, K, V[:, :4]),
    "value NaN": (ValueError, "value must be finite", Q, K, NAN),
    "axes": (ValueError, r"key \(5, 7\) .*query \(2, 3, 7\)", Q, K[0], V),
    "one vector": (ValueError, r"query .*tokens.*\(7,\)", Q[0, 0], K, V),
    "scores overflow": (
        ValueError,
        r"scores must be finite.*query and key \(dot\) overflow",
        BIG[:, :3],
        BIG,
        V,
        None,
        "dot",
    ),
    "inf - inf": (ValueError, "scores must be finite.*overflow", BIG[:, :3] * Q.double().numpy(), BIG, V),
    "cold": (ValueError, "scores must be finite.*temperature 5e-324 overflow", Q, K, V, None, "dot", 5e-324),
    "query complex": (TypeError, "query .*real numbers.*complex", Q.numpy() * 1j, K, V),
    "key text": (TypeError, "key .*real numbers.*U", Q, [["a", "b"]], V),
    "value nothing": (TypeError, "value .*real numbers.*object", Q, K, None),
    "value ragged": (ValueError, "value .*rectangular", Q, K, [[1.0], [1.0, 2.0]]),
    "mask 0/1": (TypeError, "mask .*boolean.*int64", Q, K, V, np.ones((2, 3, 5), dtype=np.int64)),
    "mask (B, S)": (ValueError, r"mask .*\(2, 3, 5\), got \(2, 5\)", Q, K, V, coins(2, 5)),
}
OTHERS = {
    "dot widths": (ValueError, "query and key .*width d, got 7 and 11", dot_score, Q, V),
    "cosine widths": (ValueError, "query and key .*width d, got 7 and 11", cosine_score, Q, V),
    "W_q": (
        ValueError,
        r"query_weight .*\(h, q\) = \(2, 7\), got \(2, 5\)",
        additive_score,
        Q,
        K,
        U[:2, :5],
        U[:2],
        LINE[:2],
    ),
    "W_k": (
        ValueError,
        r"key_weight .*\(h, k\) = \(2, 7\), got \(3, 7\)",
        additive_score,
        Q,
        K,
        U[:2],
        U[:3],
        LINE[:2],
    ),
    "w_v": (
        ValueError,
        r"value_weight .*\(h,\) = \(2,\), got \(2, 1\)",
        additive_score,
        Q,
        K,
        U[:1],
        U[:1],
        U[:2, :1],
    ),
    "w_v a number": (
        ValueError,
        r"value_weight .*\(h,\) = \(1,\), got \(\)",
        additive_score,
        Q,
        K,
        U[:1],
        U[:1],
        LINE[0],
    ),
    "W": (ValueError, r"weight .*\(q, k\) = \(7, 7\), got \(7, 5\)", bilinear_score, Q, K, U[:, :5]),
    "W type": (TypeError, "weight .*query, float32, got float64", bilinear_score, Q, K, W),
    "three names": (
        ValueError,
        "^query, key and value need",
        attend,
        LINE[None],
        LINE[None],
        LINE[None, None],
    ),
    "two names": (
        ValueError,
        "^query and key need",
        additive_score,
        LINE[None],
        LINE[None, None],
        *[LINE] * 3,
    ),
    "additive negative": (ValueError, "query_width .*negative.*-1", AdditiveScore, -1, 3, 4),
    "additive half": (TypeError, "query_width .*whole number.*2.5", AdditiveScore, 2.5, 3, 4),
    "additive nothing": (ValueError, "query_width .*at least 1, got 0", AdditiveScore, 0, 3, 4),
    "additive no key": (ValueError, "key_width .*at least 1, got 0", AdditiveScore, 3, 0, 4),
    "additive no hidden": (ValueError, "hidden .*at least 1, got 0", AdditiveScore, 3, 4, 0),
    "cosine endless query": (ValueError, "query .*finite", cosine_score, LINE[None] + math.inf, LINE[None]),
    "cosine endless key": (ValueError, "key .*finite", cosine_score, LINE[None], LINE[None] + math.inf),
    "kernel width": (ValueError, "width .*above 0, got 0", nadaraya_watson, LINE, LINE, LINE, 0),
    "kernel width text": (TypeError, "width .*number, got str", nadaraya_watson, LINE, LINE, LINE, "a"),
    "kernel width tensor": (TypeError, "width .*number, got Tensor", nadaraya_watson, LINE, LINE, LINE, LINE),
    "kernel width endless": (ValueError, "width .*got inf", nadaraya_watson, LINE, LINE, LINE, math.inf),
    "kernel list": (TypeError, "key .*tensor.*list", nadaraya_watson, LINE, [1.0], LINE, 1),
    "kernel axes": (ValueError, "one axis, got 2, 1, 1", nadaraya_watson, LINE[None], LINE, LINE, 1),
    "kernel lengths": (
        ValueError,
        "value needs one row per key, got 4",
        nadaraya_watson,
        LINE,
        LINE,
        LINE[:4],
        1,
    ),
}
CASES = {
    **{f"attend, {name}": (error, words, attend, *given) for name, (error, words, *given) in ATTEND.items()},
    **{
        f"twin, {name}": (error, words, attend_numpy, *given) for name, (error, words, *given) in TWIN.items()
    },
    **OTHERS,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_bad_input_is_refused_by_name(case):
    """The message names the argument, what was expected and what came."""
    error, words, call, *given = case
    with pytest.raises(error, match=words):
        call(*given)
