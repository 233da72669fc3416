"""Heads agree with their loop, with PyTorch, and with what cannot depend on batch mates or the future."""

import math
import re
import warnings

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from attn_helpers import batch_mask, multi_head
from attn_helpers.masks import causal_mask, valid_length_mask
from attn_helpers.multi_head import MultiHeadAttention, merge_heads, split_heads

B, H, T, S, D, V = 2, 3, 5, 7, 11, 13  # no axis can stand in for another
CLOSE = {"rtol": 1e-6, "atol": 1e-6}


def normal(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def heads_of(width=17, heads=H, seed=0, **settings):
    torch.manual_seed(seed)
    return MultiHeadAttention(width, heads, **settings).double().eval()


def wide(**settings):
    """Every width its own prime."""
    widths = {"key_width": 19, "value_width": 23, "head_width": D, "head_value_width": V}
    return heads_of(17, H, **widths, **settings)


def given_to_wide(batch=B, queries=T, keys=S):
    return normal(batch, queries, 17), normal(batch, keys, 19, seed=1), normal(batch, keys, 23, seed=2)


def pytorch(ours, bias):
    """nn.MultiheadAttention with our weights."""
    theirs = nn.MultiheadAttention(
        ours.width, ours.heads, bias=bias, kdim=ours.key_width, vdim=ours.value_width, batch_first=True
    ).double()
    with torch.no_grad():
        weights = [ours.W_q.weight, ours.W_k.weight, ours.W_v.weight]
        if theirs.in_proj_weight is not None:
            theirs.in_proj_weight.copy_(torch.cat(weights))
        else:
            for name, weight in zip("qkv", weights, strict=True):
                getattr(theirs, f"{name}_proj_weight").copy_(weight)
        theirs.out_proj.weight.copy_(ours.W_o.weight)
        if bias:
            theirs.in_proj_bias.copy_(torch.cat([ours.W_q.bias, ours.W_k.bias, ours.W_v.bias]))
            theirs.out_proj.bias.copy_(ours.W_o.bias)
    return theirs.eval()


def randomise(module, seed=0):
    with torch.no_grad():
        for i, parameter in enumerate(module.parameters()):
            parameter.copy_(normal(*parameter.shape, seed=seed + i) / 2)
    return module


sizes = st.integers(1, 4)
cases = given(
    batch=sizes, heads=sizes, queries=sizes, keys=sizes, each=sizes, bias=st.booleans(),
    kind=st.sampled_from(["none", "each", "shared", "lengths"]), seed=st.integers(0, 99),
)  # fmt: skip


def a_mask(kind, batch, queries, keys, seed, *, blocked=False):
    """A mask of one kind, and the same as (B, T, S)."""
    make = torch.Generator().manual_seed(seed)
    full = torch.rand(batch, queries, keys, generator=make) < 0.6
    full[:, :, 0] |= not blocked
    lengths = torch.randint(0 if blocked else 1, keys + 1, (batch,), generator=make)
    return {
        "none": (None, torch.ones_like(full)),
        "each": (full, full),
        "shared": (full[0], full[:1].expand_as(full)),
        "lengths": (lengths, valid_length_mask(lengths, keys).expand_as(full)),
    }[kind]


# ---- two forms and an oracle ---------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@cases
@pytest.mark.filterwarnings("ignore:mask .* is read as")
def test_loop_and_parallel_are_one(batch, heads, queries, keys, each, bias, kind, seed):
    module = randomise(heads_of(6, heads, head_width=each, head_value_width=each + 1, bias=bias), seed)
    inputs = normal(batch, queries, 6), normal(batch, keys, 6, seed=1), normal(batch, keys, 6, seed=2)
    mask, _ = a_mask(kind, batch, queries, keys, seed, blocked=True)
    keep = [head for head in range(heads) if (seed >> head) % 2]
    for kept in (None, keep):
        parallel, loop = module(*inputs, mask, keep=kept), module.forward_loop(*inputs, mask, keep=kept)
        torch.testing.assert_close(parallel, loop, **CLOSE)


@settings(max_examples=60, deadline=None)
@cases
@pytest.mark.filterwarnings("ignore:mask .* is read as")
def test_equal_to_pytorch_in_value_and_gradient(batch, heads, queries, keys, each, bias, kind, seed):
    ours = randomise(heads_of(heads * each, heads, key_width=5, value_width=7, bias=bias), seed)
    theirs = pytorch(ours, bias)
    mask, full = a_mask(kind, batch, queries, keys, seed)
    start = (
        normal(batch, queries, heads * each),
        normal(batch, keys, 5, seed=1),
        normal(batch, keys, 7, seed=2),
    )
    inputs = [[tensor.clone().requires_grad_() for tensor in start] for _ in range(2)]
    output, weights = ours(*inputs[0], mask)
    forbidden = (~full).repeat_interleave(heads, 0)  # their convention: True = may not
    expected, rows = theirs(*inputs[1], attn_mask=forbidden, average_attn_weights=False)
    torch.testing.assert_close((output, weights), (expected, rows), rtol=1e-5, atol=1e-5)
    for result in (output, expected):
        (result * normal(*result.shape, seed=3)).sum().backward()
    for mine, other in zip(*inputs, strict=True):
        torch.testing.assert_close(mine.grad, other.grad, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(ours.W_o.weight.grad, theirs.out_proj.weight.grad, rtol=1e-5, atol=1e-5)
    projections = [theirs.q_proj_weight, theirs.k_proj_weight, theirs.v_proj_weight]
    if theirs.in_proj_weight is not None:
        projections = theirs.in_proj_weight
        mine = torch.cat([ours.W_q.weight.grad, ours.W_k.weight.grad, ours.W_v.weight.grad])
        torch.testing.assert_close(mine, projections.grad, rtol=1e-5, atol=1e-5)
    else:
        for linear, other in zip((ours.W_q, ours.W_k, ours.W_v), projections, strict=True):
            torch.testing.assert_close(linear.weight.grad, other.grad, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("form", ["forward", "forward_loop"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_finite_where_pytorch_gives_nan(form, bias, dtype):
    """R020: an item of nothing but padding. Weights 0, every head 0, and of the output W_o's bias."""
    ours = randomise(heads_of(6, H, bias=bias)).to(dtype)
    x = normal(2, 4, 6).to(dtype).requires_grad_()
    lengths = torch.tensor([0, 3])
    theirs = pytorch(ours, bias).to(dtype)
    assert theirs(x, x, x, key_padding_mask=~valid_length_mask(lengths, 4)[:, 0])[0].isnan().any()
    output, weights = getattr(ours, form)(x, x, x, lengths)
    assert weights[0].eq(0).all()
    assert output[0].eq(ours.W_o.bias if bias else 0).all()
    output.float().pow(2).sum().backward()
    assert x.grad[0].eq(0).all()
    assert all(parameter.grad.isfinite().all() for parameter in ours.parameters())
    assert x.grad[1].ne(0).any()


# ---- the split -----------------------------------------------------------------------------------------


def scrambled(rows, heads):
    """R024: the right shape, the wrong tokens."""
    return rows.reshape(len(rows), heads, rows.shape[1], -1)


def test_the_split_gives_each_head_its_columns():
    """R024, its own numbers."""
    rows = torch.arange(24.0).view(1, 3, 8)
    assert split_heads(rows, 2)[0, 0].tolist() == [[0, 1, 2, 3], [8, 9, 10, 11], [16, 17, 18, 19]]
    assert merge_heads(split_heads(rows, 2)).equal(rows)
    assert scrambled(rows, 2)[0, 0].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


@pytest.mark.parametrize("size", [(2, 3, 5), (3, 3, 5), (2, 3, 3), (3, 3, 3), (1, 2, 2), (4, 2, 4)])
@pytest.mark.parametrize("wrong", ["split", "merge", "both"])
def test_a_scrambling_split_shows_at_every_shape(monkeypatch, size, wrong):
    """R024, R026: (B, H, T) with B = H and T = H among them; the loop knows no reshape."""
    batch, heads, tokens = size
    module, x = randomise(heads_of(heads * 4, heads)), normal(batch, tokens, heads * 4)
    torch.testing.assert_close(module(x, x, x), module.forward_loop(x, x, x), **CLOSE)
    if wrong != "merge":
        monkeypatch.setattr(multi_head, "split_heads", scrambled)
    if wrong != "split":
        monkeypatch.setattr(multi_head, "merge_heads", lambda h: h.reshape(len(h), h.shape[2], -1))
    with pytest.raises(AssertionError):
        torch.testing.assert_close(module(x, x, x)[0], module.forward_loop(x, x, x)[0], **CLOSE)


def test_shapes_of_distinct_primes():
    module = wide()
    output, weights = module(*given_to_wide())
    assert output.shape == (B, T, 17)
    assert weights.shape == (B, H, T, S)
    key, value = module.project(*given_to_wide()[1:])
    assert (key.shape, value.shape) == ((B, H, S, D), (B, H, S, V))
    assert module.W_o.weight.shape == (17, H * V)


# ---- what must not matter ------------------------------------------------------------------------------


@pytest.fixture(params=["forward", "forward_loop", "cached"])
def form(request):
    """The three ways to the same answer."""
    if request.param != "cached":
        return lambda module, *given, **more: getattr(module, request.param)(*given, **more)
    return lambda module, query, key, value, mask=None, **more: module.attend(
        query, *module.project(key, value), mask, **more
    )


def test_alone_or_in_a_padded_batch(form):
    """R027: a sentence of 4 among batch mates of 7, whatever stands in the padding, B = T or not."""
    module = wide()
    for batch, queries in ((B, T), (5, 5), (H, 4)):
        query, key, value = given_to_wide(batch, queries)
        lengths = torch.tensor([4, *[S] * (batch - 1)])
        output, weights = form(module, query, key, value, lengths)
        alone, seen = form(module, query[:1], key[:1, :4], value[:1, :4])
        torch.testing.assert_close(output[:1], alone, **CLOSE)
        torch.testing.assert_close(weights[:1, ..., :4], seen, **CLOSE)
        assert weights[0, ..., 4:].eq(0).all()
        key[0, 4:], value[0, 4:], query[1:] = 1e3, -1e3, 7.0
        torch.testing.assert_close(form(module, query, key, value, lengths)[0][0], output[0], **CLOSE)


def test_a_batch_mate_may_change(form):
    """R027, its own numbers: item 0 stays the same to the bit, and the weights are (B, H, T, S)."""
    module, x = heads_of(4, 2), normal(2, 3, 4)
    output, weights = form(module, x, x, x)
    x[1] += 1
    assert form(module, x, x, x)[0][0].equal(output[0])
    assert weights.shape == (2, 2, 3, 3)


def test_batch_mates_may_change_places(form):
    module, (query, key, value) = wide(), given_to_wide(batch=T)
    mask = torch.rand(T, T, S, generator=torch.Generator().manual_seed(5)) < 0.5
    order = torch.tensor([3, 0, 4, 1, 2])
    output, weights = form(module, query, key, value, mask)
    moved = form(module, query[order], key[order], value[order], mask[order])
    torch.testing.assert_close((output[order], weights[order]), moved, **CLOSE)


def test_the_future_does_not_leak(form):
    """A changed token t moves the outputs from t on, and none before."""
    module, x = heads_of(18), normal(B, T, 18)
    mask = causal_mask(T)[None]
    for changed in range(T):
        other = x.clone()
        other[:, changed] += 1
        moved = (form(module, x, x, x, mask)[0] != form(module, other, other, other, mask)[0]).any(-1)
        assert not moved[:, :changed].any()
        assert moved[:, changed:].all()


def test_shuffled_words_give_shuffled_outputs(form):
    """Self-attention has no word order of its own: chapter 5 begins here."""
    module, x, order = heads_of(18), normal(B, T, 18), torch.tensor([2, 0, 4, 1, 3])
    output, weights = form(module, x, x, x)
    shuffled, seen = form(module, x[:, order], x[:, order], x[:, order])
    torch.testing.assert_close(shuffled, output[:, order], **CLOSE)
    torch.testing.assert_close(seen, weights[:, :, order][..., order], **CLOSE)


def test_the_order_of_the_heads_does_not_matter():
    """W_o's columns belong to heads: heads and columns change places together."""
    module, other, order = wide(), wide(), torch.tensor([2, 0, 1])
    with torch.no_grad():
        for name, width in (("W_q", D), ("W_k", D), ("W_v", V)):
            weight = getattr(module, name).weight
            getattr(other, name).weight.copy_(weight.unflatten(0, (H, width))[order].flatten(0, 1))
        other.W_o.weight.copy_(module.W_o.weight.unflatten(1, (H, V))[:, order].flatten(1))
    (output, weights), (same, moved) = module(*given_to_wide()), other(*given_to_wide())
    torch.testing.assert_close(output, same, **CLOSE)
    torch.testing.assert_close(weights[:, order], moved, **CLOSE)


# ---- the weights that are shown ------------------------------------------------------------------------


@pytest.mark.parametrize("training", [False, True])
def test_shown_weights_make_the_output(form, training):
    """R020, R023: the weights are each head's, in both modes, and the output is made of nothing else."""
    module = wide().train(training)
    output, weights = form(module, *given_to_wide(), [7, 3])
    values = module.project(*given_to_wide()[1:])[1]
    assert weights.shape == (B, H, T, S)
    torch.testing.assert_close(module.W_o(merge_heads(weights @ values)), output, **CLOSE)


def test_dropout_is_not_shown(form):
    """R021: rows sum to 1 in training; only the output feels dropout; a kept weight counts for 1/(1 − p)."""
    module = wide(dropout=0.5)
    output, weights = form(module, *given_to_wide())
    module.train()
    torch.manual_seed(1)
    noisy, shown = form(module, *given_to_wide())
    assert shown.equal(weights)
    torch.testing.assert_close(shown.sum(-1), torch.ones(B, H, T, dtype=torch.float64))
    assert not torch.allclose(noisy, output)
    torch.manual_seed(0)
    mean = sum(form(module, *given_to_wide())[0] for _ in range(2000)) / 2000
    torch.testing.assert_close(mean, output, rtol=0, atol=0.15)
    torch.manual_seed(1)
    assert form(module, *given_to_wide())[0].equal(noisy)  # looking at the weights has drawn nothing


def test_heads_that_do_not_count(form):
    """What the heads add is a sum; the weights shown do not change; no gradient reaches a head left out."""
    module = wide()
    whole, weights = form(module, *given_to_wide())
    each = [form(module, *given_to_wide(), keep=[head]) for head in range(H)]
    torch.testing.assert_close(sum(output for output, _ in each), whole, **CLOSE)
    assert all(shown.equal(weights) for _, shown in each)
    torch.testing.assert_close(
        form(module, *given_to_wide(), keep=[0, 2])[0], each[0][0] + each[2][0], **CLOSE
    )
    assert form(module, *given_to_wide(), keep=[])[0].eq(0).all()
    each[1][0].sum().backward()
    reached = module.W_v.weight.grad.unflatten(0, (H, V)).ne(0).any(-1).any(-1)
    assert reached.tolist() == [False, True, False]


# ---- richer than a weighted average --------------------------------------------------------------------


def test_two_heads_do_what_one_head_cannot():
    """[v_left; v_right] of a pair: two heads look at one word each; one head's best is half of each."""
    values = normal(50, 2, 3)
    wanted = values.flatten(1)  # (50, 6): left, then right
    two = MultiHeadAttention(6, 2, value_width=3, head_value_width=3, head_width=1, key_width=2).double()
    with torch.no_grad():
        two.W_q.weight.copy_(torch.tensor([[60.0], [-60.0]]) * torch.eye(1, 6))
        two.W_k.weight.copy_(torch.tensor([[1.0, -1.0], [1.0, -1.0]]))
        two.W_v.weight.copy_(torch.eye(3).repeat(2, 1))
        two.W_o.weight.copy_(torch.eye(6))
    query = torch.eye(1, 6, dtype=torch.float64).expand(50, 1, 6)
    key = torch.eye(2, dtype=torch.float64).expand(50, 2, 2)
    output, weights = two(query, key, values)
    torch.testing.assert_close(output[:, 0], wanted, **CLOSE)
    torch.testing.assert_close(weights[0, :, 0], torch.eye(2, dtype=torch.float64), **CLOSE)
    for share in torch.linspace(
        -1, 2, 31, dtype=torch.float64
    ):  # of any weights, even none that a softmax gives
        blend = share * values[:, 0] + (1 - share) * values[:, 1]  # (50, 3): rank 3, and 6 are wanted
        error = (blend @ torch.linalg.lstsq(blend, wanted).solution - wanted).pow(2).mean()
        assert error > 0.3


# ---- masks, and what is refused ------------------------------------------------------------------------


def test_three_ways_to_say_a_mask(form):
    """Each means the same where it can; two axes are (T, S) at every B."""
    module, given_ = wide(), given_to_wide()
    causal = causal_mask(T, S, align="start")
    torch.testing.assert_close(form(module, *given_, causal), form(module, *given_, causal.expand(B, T, S)))
    padding = valid_length_mask([7, 3], S)
    torch.testing.assert_close(form(module, *given_, [7, 3]), form(module, *given_, padding))
    torch.testing.assert_close(form(module, *given_, torch.tensor([7, 3])), form(module, *given_, padding))


def test_two_axes_where_both_readings_fit():
    """R026: B = T: read as (T, S), never as (B, S), and not in silence; mask[None] says so without a word."""
    module, given_ = wide(), given_to_wide(batch=T)
    mask = causal_mask(T, S, align="start")
    with pytest.warns(UserWarning, match=re.escape("mask (5, 7) is read as (T, S)")):
        output, weights = module(*given_, mask)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.testing.assert_close(module(*given_, mask[None]), (output, weights))
        as_padding, _ = module(*given_, mask[:, None])
    assert weights[:, :, 0, 1:].eq(0).all()
    assert not torch.allclose(as_padding, output)


def refusals():
    query, key, value = given_to_wide()
    module = wide()
    made = module.project(key, value)
    square = given_to_wide(keys=T)
    yield "rest", lambda: heads_of(10, 4), ValueError, r"width 10 does not split into 4 heads: 10 = 4·2 \+ 2"
    yield "no head", lambda: heads_of(10, 0), ValueError, "heads must be at least 1, got 0"
    yield "half a head", lambda: heads_of(10, 2.5), TypeError, "heads must be a whole number, got 2.5"
    yield "no width", lambda: heads_of(6, 2, head_width=0), ValueError, "head_width must be at least 1"
    yield "split", lambda: split_heads(query, 3), ValueError, "width 17 does not split into 3 heads"
    yield (
        "split axes",
        lambda: split_heads(query[0], 17),
        ValueError,
        r"rows must have the axes \(B, T, width\)",
    )
    yield "query", lambda: module(key, key, value), ValueError, r"query must have the shape \(B, tokens, 17\)"
    yield "one item", lambda: module(query[0], key, value), ValueError, r"query must .* got \(5, 17\)"
    yield "key", lambda: module(query, value, value), ValueError, r"key must have the shape \(B, tokens, 19\)"
    yield "batch", lambda: module(query[:1], key, value), ValueError, "query and key must have the same batch"
    yield "loop", lambda: module.forward_loop(query[:1], key, value), ValueError, "must have the same batch"
    yield (
        "values",
        lambda: module(query, key, value[:, 1:]),
        ValueError,
        r"agree .* got \(2, 7\) and \(2, 6\)",
    )
    yield "type", lambda: module(query.float(), key, value), TypeError, "query must be of the type of W_q"
    yield "NaN", lambda: module(query * torch.nan, key, value), ValueError, "query must be finite"
    yield (
        "cache",
        lambda: module.attend(query, key, value),
        ValueError,
        r"key must have the shape \(B, H, S, d\)",
    )
    yield "cache axes", lambda: module.attend(query, made[1], made[1]), ValueError, r"key .*\(2, 3, 7, 11\)"
    for name, mask, error, says in (
        ("float mask", torch.zeros(B, T, S), TypeError, "mask must be a boolean tensor"),  # R029
        ("0 and 1", torch.ones(T, S, dtype=torch.long), TypeError, "convert it: mask == 1 where 1 means"),
        ("one boolean per item", torch.ones(B).bool(), ValueError, r"mask must be \(B, T, S\)"),
        (
            "padding of two axes",
            torch.ones(B, S).bool(),
            ValueError,
            r"padding mask \(B, S\) is mask\[:, None\]",
        ),
        ("PyTorch's", torch.ones(B * H, T, S).bool(), ValueError, r"lengths \(B,\), got \(6, 5, 7\)"),
        ("with heads", torch.ones(B, 1, T, S).bool(), ValueError, "each equal or 1"),
        ("a length short", [7], ValueError, "one per item, B = 2, got 1"),
        ("too long", [8, 1], ValueError, r"lengths must lie between 0 and size = 7, got \[8, 1\]"),
    ):
        yield name, lambda m=mask: module(query, key, value, m), error, says
        yield f"{name}, loop", lambda m=mask: module.forward_loop(query, key, value, m), error, says
    for keep, error, says in (([3], ValueError, "from 0 to 2, got 3"), ([True], TypeError, "a head of keep")):
        yield f"keep {keep}", lambda k=keep: module(*square, keep=k), error, says


@pytest.mark.parametrize(
    ("call", "error", "says"), [pytest.param(*case[1:], id=case[0]) for case in refusals()]
)
def test_what_does_not_fit_is_refused_by_name(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_parameters_do_not_grow_with_the_heads():
    """Four squares whatever H, since each head gets a part of the width; other widths are counted out."""
    assert {sum(p.numel() for p in heads_of(12, h).parameters()) for h in (1, 2, 3, 4, 6, 12)} == {4 * 12**2}
    assert sum(p.numel() for p in wide().parameters()) == H * (D * 17 + D * 19 + V * 23 + V * 17)
    assert sum(p.numel() for p in heads_of(12, 3, bias=True).parameters()) == 4 * (12**2 + 12)


# ---- each property fails under its fault ---------------------------------------------------------------


def plain(module, *given, **more):
    return module(*given, **more)


def equal_to_pytorch_once():
    ours, x = randomise(heads_of(12, H)), normal(B, T, 12)
    expected = pytorch(ours, False)(x, x, x, average_attn_weights=False)
    torch.testing.assert_close(ours(x, x, x), expected, rtol=1e-5, atol=1e-5)


FAULTS = {  # a fault -> how it comes in, the test that sees it
    "R020: NaN in an empty row": (
        ("masked_softmax", lambda s, m=None: s if m is None else s.masked_fill(~m, -torch.inf).softmax(-1)),
        lambda: test_finite_where_pytorch_gives_nan("forward", False, torch.float64),
    ),
    "empty row 1/S": (
        ("masked_softmax", lambda s, m: s.masked_fill(~m, -1e9).softmax(-1)),
        lambda: test_finite_where_pytorch_gives_nan("forward", False, torch.float64),
    ),
    "flipped mask": (
        ("as_mask", lambda *given: None if given[0] is None else ~batch_mask.as_mask(*given)),
        lambda: test_the_future_does_not_leak(plain),
    ),
    "padding is seen": (
        ("as_mask", lambda *given: None),
        lambda: test_alone_or_in_a_padded_batch(plain),
    ),
    "√ of the whole width": (
        ("scaled_dot_score", lambda q, k: q @ k.mT / (H * q.shape[-1]) ** 0.5),
        equal_to_pytorch_once,
    ),
    "softmax over the queries": (
        ("masked_softmax", lambda s, m: s.softmax(-2)),
        lambda: test_shown_weights_make_the_output(plain, False) or equal_to_pytorch_once(),
    ),
    "scrambled split": (("split_heads", scrambled), equal_to_pytorch_once),
    "heads in reverse": (("merge_heads", lambda h: merge_heads(h.flip(1))), equal_to_pytorch_once),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_seen(fault, monkeypatch):
    """The test is green without the fault and red with it."""
    (name, wrong), sees = FAULTS[fault]
    sees()
    monkeypatch.setattr(multi_head, name, wrong)
    with pytest.raises(AssertionError):
        sees()


class DropoutShown(MultiHeadAttention):
    """R021: returns what dropout left."""

    def attend(self, query, key, value, mask=None, *, keep=None):
        output, weights = super().attend(query, key, value, mask, keep=keep)
        return output, self.dropout(weights)


class Averaged(MultiHeadAttention):
    """R023: one row for all heads, whatever was asked."""

    def attend(self, query, key, value, mask=None, *, keep=None):
        output, weights = super().attend(query, key, value, mask, keep=keep)
        return output, weights.mean(1, keepdim=True).expand_as(weights)


class AcrossTheBatch(MultiHeadAttention):
    """R027: takes (T, B, width)."""

    def forward(self, query, key, value, mask=None, *, keep=None):
        output, weights = super().forward(*(x.transpose(0, 1) for x in (query, key, value)), mask, keep=keep)
        return output.transpose(0, 1), weights


class OtherPath(MultiHeadAttention):
    """R020: the weights come from one path, the output from another, which knows no mask."""

    def attend(self, query, key, value, mask=None, *, keep=None):
        return super().attend(query, key, value)[0], super().attend(query, key, value, mask)[1]


@pytest.mark.parametrize(
    ("faulty", "sees"),
    [
        pytest.param(DropoutShown, lambda: test_dropout_is_not_shown(plain), id="R021"),
        pytest.param(Averaged, lambda: test_shown_weights_make_the_output(plain, False), id="R023"),
        pytest.param(AcrossTheBatch, lambda: test_a_batch_mate_may_change(plain), id="R027"),
        pytest.param(OtherPath, lambda: test_shown_weights_make_the_output(plain, True), id="R020"),
    ],
)
def test_faulty_module_is_seen(faulty, sees, monkeypatch):
    sees()
    monkeypatch.setitem(globals(), "MultiHeadAttention", faulty)
    with pytest.raises(AssertionError):
        sees()


def test_a_value_that_overflows_is_refused():
    """Finite inputs, projected beyond float16: a weight of 0 times infinity makes all outputs NaN."""
    layer = MultiHeadAttention(8, 2).half()
    torch.nn.init.ones_(layer.W_v.weight)
    x, value = torch.zeros(1, 3, 8).half(), torch.zeros(1, 3, 8).half()
    value[:, 2] = 9000
    with pytest.raises(ValueError, match="value must be finite, got NaN or infinity"):
        layer(x, x, value, torch.tensor([2]))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("name", ["key", "value"])
def test_what_was_kept_for_many_queries_is_looked_at_as_well(bad, name):
    """A cache with one bad number, even behind the mask, spoils every step."""
    layer = MultiHeadAttention(8, 2)
    kept = dict(zip(("key", "value"), layer.project(torch.randn(1, 3, 8), torch.randn(1, 3, 8)), strict=True))
    kept[name] = kept[name].detach().clone()
    kept[name][:, :, 2] = bad
    with pytest.raises(ValueError, match=f"{name} must be finite"):
        layer.attend(torch.randn(1, 3, 8), kept["key"], kept["value"], torch.tensor([2]))
