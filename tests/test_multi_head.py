"""Multi-head attention: against PyTorch and against a loop, and by invariance.

Each property is one function that asserts; it takes what is random or sized as arguments. Ours must
satisfy it, and each known fault must fail it. The R-numbers are the ids of faults that people really made.
"""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_helpers import multi_head
from attn_helpers.masks import causal_mask, combine_masks, valid_length_mask
from attn_helpers.multi_head import MultiHeadAttention, mask_for_heads, merge_heads, split_heads

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
SHAPES = {  # B, T, S, H, d; T > 1 and H > 1: with one token or one head nothing can be scrambled
    "primes": (2, 3, 5, 7, 11),
    "B=H": (3, 2, 5, 3, 7),
    "T=H": (2, 3, 5, 3, 7),
    "S=H": (2, 5, 3, 3, 7),
    "T=S": (2, 5, 5, 3, 7),
    "d=T": (2, 5, 3, 7, 5),
    "d=H": (2, 5, 7, 3, 3),
    "B=T": (3, 3, 5, 2, 7),
    "all alike": (3, 3, 3, 3, 3),
    "one item": (1, 2, 3, 5, 7),
}


def rand(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def coins(*shape, seed=0):
    """A random mask in which every query may see at least one key."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.5
    mask[..., 0] |= ~mask.any(dim=-1)
    return mask


def build(width, heads, seed=0, **more):
    torch.manual_seed(seed)
    layer = MultiHeadAttention(width, heads, **more).double()
    if layer.W_o.bias is not None:  # zeros would hide a bias in the wrong place
        for linear in (layer.W_q, layer.W_k, layer.W_v, layer.W_o):
            torch.nn.init.normal_(linear.bias)
    return layer


def inputs(shape, seed=0):
    """Query (B, T, H·d), key and value (B, S, ·) of widths of their own."""
    batch, queries, keys, heads, d = shape
    return (
        rand(batch, queries, heads * d, seed=seed).requires_grad_(),
        rand(batch, keys, heads * d + 1, seed=seed + 1).requires_grad_(),
        rand(batch, keys, heads * d + 2, seed=seed + 2).requires_grad_(),
    )


def layer_for(shape, **more):
    heads, d = shape[-2:]
    return build(heads * d, heads, key_width=heads * d + 1, value_width=heads * d + 2, **more)


def in_torch(layer):
    """PyTorch's layer with our weights."""
    key_width, value_width = layer.W_k.in_features, layer.W_v.in_features
    theirs = torch.nn.MultiheadAttention(
        layer.width, layer.heads, kdim=key_width, vdim=value_width, batch_first=True
    ).double()
    with torch.no_grad():
        for name in "qkv":
            getattr(theirs, f"{name}_proj_weight").copy_(getattr(layer, f"W_{name}").weight)
        theirs.in_proj_bias.copy_(torch.cat([layer.W_q.bias, layer.W_k.bias, layer.W_v.bias]))
        theirs.out_proj.weight.copy_(layer.W_o.weight)
        theirs.out_proj.bias.copy_(layer.W_o.bias)
    return theirs


def gradients(output, weights, sent):
    """What a loss that uses both output and weights sends back."""
    loss = (output * rand(*output.shape, seed=7)).sum() + (weights * rand(*weights.shape, seed=8)).sum()
    return torch.autograd.grad(loss, sent, retain_graph=True)


def close(mine, theirs, within=1e-11):
    for a, b in zip(mine, theirs, strict=True):
        assert a.shape == b.shape
        assert (a - b).abs().max() < within


# ---------------------------------------------------------------- properties


def equals_torch(shape, seed=0):
    """The same numbers as nn.MultiheadAttention with copied weights, forward and backward."""
    batch, queries, keys, heads, _ = shape
    layer, sent, mask = (
        layer_for(shape, bias=True, seed=seed),
        inputs(shape, seed),
        coins(*shape[:3], seed=seed),
    )
    theirs = in_torch(layer)
    mine = layer(*sent, mask)
    forbidden = ~mask[:, None].expand(batch, heads, queries, keys).flatten(0, 1)
    expected = theirs(*sent, attn_mask=forbidden, average_attn_weights=False)
    close(mine, expected)
    close(gradients(*mine, sent), gradients(*expected, sent))
    own = [layer.W_q.weight, layer.W_k.weight, layer.W_v.weight, layer.W_o.weight, layer.W_o.bias]
    copied = [theirs.q_proj_weight, theirs.k_proj_weight, theirs.v_proj_weight]
    copied += [theirs.out_proj.weight, theirs.out_proj.bias]
    close(gradients(*mine, own), gradients(*expected, copied))


def loop_equals_parallel(shape, seed=0):
    """One head after the other, W_o as a sum, gives what all heads at once give."""
    layer, sent, mask = layer_for(shape, head_width=3, head_value_width=2, bias=True), inputs(shape), None
    for mask in (None, coins(*shape[:3], seed=seed), [1 + i % shape[2] for i in range(shape[0])]):
        for silent in ((), (0,), range(shape[3])):
            mine = layer(*sent, mask, silent=silent)
            slow = layer.forward_loop(*sent, mask, silent=silent)
            close(mine, slow)
            if not len(silent):
                close(gradients(*mine, sent), gradients(*slow, sent))


def alone_as_in_a_batch(shape):
    """A sentence gives the same whoever stands beside it, and in whatever order (R027, R047)."""
    layer, (query, key, value) = layer_for(shape), inputs(shape)
    lengths = [1 + (2 * i) % shape[2] for i in range(shape[0])]
    output, weights = layer(query, key, value, lengths)
    for i, length in enumerate(lengths):
        alone = layer(query[i : i + 1], key[i : i + 1, :length], value[i : i + 1, :length])
        close([output[i : i + 1], weights[i : i + 1, ..., :length]], alone)
        assert (weights[i, ..., length:] == 0).all()
    order = torch.arange(shape[0]).flip(0)
    moved = layer(query[order], key[order], value[order], torch.tensor(lengths)[order])
    close(moved, [output[order], weights[order]])


def mates_do_not_meet(shape):
    """A change in one item leaves the others bit for bit as they were (R027)."""
    layer, (query, key, value) = layer_for(shape), inputs(shape)
    before = layer(query, key, value)
    other = [tensor.detach().clone() for tensor in (query, key, value)]
    for tensor in other:
        tensor[-1] += 1
    after = layer(*other)
    for old, new in zip(before, after, strict=True):
        assert torch.equal(old[:-1], new[:-1])
        assert not torch.equal(old[-1], new[-1])


def future_stays_unseen(shape):
    """Under a causal mask a later token changes nothing before it (R051)."""
    batch, length, _, heads, d = shape
    layer, x = build(heads * d, heads), rand(batch, length, heads * d)
    mask = causal_mask(length)[None]
    before = layer(x, x, x, mask)
    x[:, -1] += 1
    after = layer(x, x, x, mask)
    for old, new in zip(before, after, strict=True):
        assert torch.equal(old[..., :-1, :], new[..., :-1, :])
        assert not torch.equal(old[..., -1, :], new[..., -1, :])


def shuffle_along(shape):
    """Nothing in self-attention knows an order: shuffle the words, and the outputs shuffle along."""
    batch, length, _, heads, d = shape
    layer, x = build(heads * d, heads), rand(batch, length, heads * d)
    order = torch.randperm(length, generator=torch.Generator().manual_seed(1))
    output, weights = layer(x, x, x)
    close(layer(*[x[:, order]] * 3), [output[:, order], weights[:, :, order][..., order]])


def empty_rows_are_zero(shape, dtype=torch.float64):
    """A query that may attend to nothing: weights 0, output W_o's bias or 0, every gradient finite (R001)."""
    for bias in (False, True):
        layer = layer_for(shape, bias=bias).to(dtype)
        sent = [x.detach().to(dtype).requires_grad_() for x in inputs(shape)]
        mask = coins(*shape[:3])
        mask[0, 0] = False
        output, weights = layer(*sent, mask)
        assert (weights[0, :, 0] == 0).all()
        assert torch.equal(output[0, 0], layer.W_o.bias if bias else torch.zeros_like(output[0, 0]))
        assert weights.isfinite().all() and output.isfinite().all()  # noqa: PT018
        sums = weights.sum(-1)
        assert (sums - mask.any(-1)[:, None].to(dtype)).abs().max() < 4 * torch.finfo(dtype).eps * shape[2]
        grads = torch.autograd.grad(output.float().sum(), [*sent, *layer.parameters()])
        assert all(grad.isfinite().all() for grad in grads)


def shown_weights_made_the_output(shape, training):
    """What is plotted is what was used: before dropout, and the output follows from it (R020, R021)."""
    layer, sent = layer_for(shape, dropout=0.5, bias=True).train(training), inputs(shape)
    values = layer.project(*sent[1:])[1]
    torch.manual_seed(3)
    output, weights = layer(*sent)
    assert (weights.sum(-1) - 1).abs().max() < 1e-12
    close([weights], [layer.eval()(*sent)[1]])
    torch.manual_seed(3)
    used = torch.nn.functional.dropout(weights, 0.5, training)
    by_head = zip((used @ values).unbind(1), layer.W_o.weight.chunk(shape[3], 1), strict=True)
    close([output], [sum(head @ mix.mT for head, mix in by_head) + layer.W_o.bias])


def silent_heads_say_nothing(shape):
    """To silence a head is to cut its columns out of W_o; the others are as before."""
    layer, sent = layer_for(shape), inputs(shape)
    last = shape[3] - 1
    before, weights = layer(*sent)
    output, left = layer(*sent, silent=(last,))
    assert (left[:, last] == 0).all()
    assert torch.equal(left[:, :last], weights[:, :last])
    with torch.no_grad():
        layer.W_o.weight.chunk(shape[3], 1)[last].zero_()
    close([output], [layer(*sent)[0]])
    assert not torch.allclose(output, before)


def cache_equals_whole(shape):
    """Keys and values made once and kept, one query at a time: the whole pass under a causal mask."""
    batch, length, _, heads, d = shape
    layer, x = build(heads * d, heads), rand(batch, length, heads * d)
    whole, weights = layer(x, x, x, causal_mask(length)[None])
    kept = [x.new_zeros(batch, heads, 0, d)] * 2
    for t in range(length):
        now = x[:, t : t + 1]
        kept = [torch.cat(pair, dim=2) for pair in zip(kept, layer.project(now, now), strict=True)]
        output, row = layer.attend(now, *kept)
        close([output, row], [whole[:, t : t + 1], weights[:, :, t : t + 1, : t + 1]])


def scale_is_of_the_head(_shape):
    """Dot products [2, 0] in heads of width 4 give softmax([1, 0]), whatever the whole width (R010, R011)."""
    layer = build(16, 4)
    with torch.no_grad():
        layer.W_q.weight.copy_(torch.eye(16))
        layer.W_k.weight.copy_(torch.eye(16))
    query, key = torch.zeros(1, 1, 16).double(), torch.zeros(1, 2, 16).double()
    query[..., ::4], key[:, 0, ::4] = 2, 1
    _, weights = layer(query, key, key)
    expected = torch.tensor([0.731059, 0.268941]).double().expand(1, 4, 1, 2)
    close([weights], [expected], within=1e-6)


BY_SHAPE = [
    equals_torch, loop_equals_parallel, alone_as_in_a_batch, mates_do_not_meet, future_stays_unseen,
    shuffle_along, empty_rows_are_zero, silent_heads_say_nothing, cache_equals_whole, scale_is_of_the_head,
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("check", BY_SHAPE, ids=lambda check: check.__name__)
def test_property(check, shape):
    check(shape)


@pytest.mark.parametrize("training", [True, False])
def test_shown_weights_made_the_output(training):
    shown_weights_made_the_output(SHAPES["primes"], training)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_empty_rows_are_zero_in_every_float_type(dtype):
    empty_rows_are_zero(SHAPES["primes"], dtype)


sizes = st.integers(1, 5)


@settings(deadline=None, max_examples=60)
@given(st.tuples(sizes, sizes, sizes, sizes, sizes), st.integers(0, 999))
def test_equals_torch_and_its_own_loop_at_any_shape(shape, seed):
    equals_torch(shape, seed)
    loop_equals_parallel(shape, seed)


# ---------------------------------------------------------------- each known fault is caught


def view_without_transpose(tensor, heads):
    """R024, the scrambling split."""
    batch, tokens, width = tensor.shape
    return tensor.contiguous().view(batch, heads, tokens, width // heads)


def merged_by_view(tensor):
    """R026: the way back without the transpose splices heads into time."""
    batch, heads, tokens, width = tensor.shape
    return tensor.reshape(batch, tokens, heads * width)


def scaled_by(power):
    def score(query, key):
        return query @ key.mT * query.shape[-1] ** power

    return score


def scaled_by_the_whole_width(query, key):
    return query @ key.mT / math.sqrt(query.shape[-1] * query.shape[1])


def softmax_over(dim):
    def softmax(scores, mask=None):
        hidden = scores if mask is None else scores.masked_fill(~mask, float("-inf"))
        return torch.softmax(hidden, dim).nan_to_num(0)

    return softmax


def softmax_with(fill):
    def softmax(scores, mask=None):
        return torch.softmax(scores if mask is None else scores.masked_fill(~mask, fill), -1)

    return softmax


def flipped(scores, mask=None):
    return softmax_with(-math.inf)(scores, None if mask is None else ~mask)


def unmasked(scores, _mask=None):
    return torch.softmax(scores, -1)


def masked_after(scores, mask=None):
    weights = torch.softmax(scores, -1)
    return weights if mask is None else weights * mask


def lengths_as_rows(mask, batch, queries, keys):
    """R050: padding hides the padded queries, not the padded keys."""
    allowed = mask_for_heads(mask, batch, queries, keys)
    fits = allowed is not None and queries == keys and allowed.shape[2] == 1
    return allowed.mT.expand(-1, 1, -1, keys) if fits else allowed


FAULTS = [  # what is replaced, by what, which property must fail, at which shape
    ("scaled_dot_score", scaled_by(0), "scale_is_of_the_head", "primes"),
    ("scaled_dot_score", scaled_by(0.5), "scale_is_of_the_head", "primes"),  # R011
    ("scaled_dot_score", scaled_by_the_whole_width, "scale_is_of_the_head", "primes"),  # R010
    ("scaled_dot_score", scaled_by_the_whole_width, "equals_torch", "primes"),
    ("masked_softmax", softmax_over(-2), "equals_torch", "all alike"),
    ("masked_softmax", softmax_over(1), "equals_torch", "all alike"),
    ("masked_softmax", softmax_over(1), "loop_equals_parallel", "all alike"),
    ("masked_softmax", softmax_over(0), "mates_do_not_meet", "all alike"),
    ("masked_softmax", softmax_with(-1e9), "empty_rows_are_zero", "primes"),  # R002
    ("masked_softmax", softmax_with(-math.inf), "empty_rows_are_zero", "primes"),  # R001
    ("masked_softmax", flipped, "future_stays_unseen", "T=S"),  # R005, R051
    ("masked_softmax", flipped, "alone_as_in_a_batch", "all alike"),
    ("masked_softmax", unmasked, "alone_as_in_a_batch", "primes"),  # R047
    ("masked_softmax", unmasked, "future_stays_unseen", "T=S"),  # R051
    ("masked_softmax", masked_after, "alone_as_in_a_batch", "primes"),
    ("mask_for_heads", lengths_as_rows, "alone_as_in_a_batch", "all alike"),  # R050
    ("merge_heads", merged_by_view, "equals_torch", "primes"),  # R026
    ("merge_heads", merged_by_view, "loop_equals_parallel", "T=H"),
    ("merge_heads", merged_by_view, "cache_equals_whole", "T=H"),
    ("merge_heads", merged_by_view, "future_stays_unseen", "T=H"),
    ("merge_heads", merged_by_view, "shuffle_along", "all alike"),
]
BY_NAME = {check.__name__: check for check in BY_SHAPE}


@pytest.mark.parametrize(("part", "fault", "check", "shape"), FAULTS)
def test_each_known_fault_is_caught(monkeypatch, part, fault, check, shape):
    """A property that lets its fault pass guards nothing."""
    monkeypatch.setattr(multi_head, part, fault)
    with pytest.raises(AssertionError):
        BY_NAME[check](SHAPES[shape])


@pytest.mark.parametrize("check", [equals_torch, loop_equals_parallel, shuffle_along])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_scrambling_split_is_caught_at_every_shape(monkeypatch, check, shape):
    """Where B = H or T = H every axis still has its size: only the numbers tell (R024)."""
    monkeypatch.setattr(multi_head, "split_heads", view_without_transpose)
    with pytest.raises(AssertionError):
        check(SHAPES[shape])


class DroppedShown(MultiHeadAttention):
    """R021: hands back the weights after dropout."""

    def attend(self, query, keys, values, mask=None, *, silent=()):
        weights = self.dropout(super().attend(query, keys, values, mask, silent=silent)[1])
        return self.W_o(merge_heads(weights @ values)), weights


class DroppedTwice(MultiHeadAttention):
    """The output uses other weights than those that were shown."""

    def attend(self, query, keys, values, mask=None, *, silent=()):
        output, weights = super().attend(query, keys, values, mask, silent=silent)
        return self.dropout(output), weights


@pytest.mark.parametrize("fault", [DroppedShown, DroppedTwice])
def test_other_weights_than_those_used_are_caught(monkeypatch, fault):
    monkeypatch.setitem(globals(), "MultiHeadAttention", fault)
    with pytest.raises(AssertionError):
        shown_weights_made_the_output(SHAPES["primes"], training=True)


# ---------------------------------------------------------------- small things, exactly


def test_split_and_merge():
    """Head 0 has the first numbers of every token (R024); merging undoes it."""
    tokens = torch.arange(24).view(1, 3, 8)
    split = split_heads(tokens, 2)
    assert split[0, 0].tolist() == [[0, 1, 2, 3], [8, 9, 10, 11], [16, 17, 18, 19]]
    assert split[0, 1].tolist() == [[4, 5, 6, 7], [12, 13, 14, 15], [20, 21, 22, 23]]
    assert torch.equal(merge_heads(split), tokens)
    assert view_without_transpose(tokens, 2)[0, 0].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_finite_where_pytorch_is_not():
    """PyTorch gives NaN when weights are asked for, and something else when they are not (R020)."""
    theirs = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    x = rand(1, 3, 4, dtype=torch.float32)
    forbidden = {"key_padding_mask": torch.tensor([[True, False, False]]), "attn_mask": ~causal_mask(3)}
    asked, _ = theirs(x, x, x, **forbidden)
    unasked, _ = theirs(x, x, x, **forbidden, need_weights=False)
    assert asked[0, 0].isnan().all()
    assert not unasked[0, 0].isnan().any()
    layer = MultiHeadAttention(4, 2)
    mask = combine_masks(~forbidden["key_padding_mask"][:, None], causal_mask(3)[None])
    for mode in (layer.train(), layer.eval()):
        output, weights = mode(x, x, x, mask)
        assert output[0, 0].tolist() == [0] * 4
        assert weights[0, :, 0].tolist() == [[0] * 3] * 2
        assert output.isfinite().all()


def test_widths_are_free():
    """p_v need not be p_q, nor any of them p_o / h (R053); weights stay per head (R023)."""
    layer = build(10, 4, key_width=5, value_width=3, head_width=2, head_value_width=7)
    output, weights = layer(rand(2, 11, 10), rand(2, 13, 5), rand(2, 13, 3))
    assert output.shape == (2, 11, 10)
    assert weights.shape == (2, 4, 11, 13)
    assert [tuple(p.shape) for p in layer.parameters()] == [(8, 10), (8, 5), (28, 3), (10, 28)]


def test_more_heads_cost_no_more():
    """Parameters do not grow with the heads, as each becomes narrower."""
    assert {sum(p.numel() for p in build(24, h).parameters()) for h in (1, 2, 3, 4, 6, 8, 24)} == {4 * 24**2}


def test_two_heads_say_what_one_cannot():
    """[v_left; v_right] from two heads, exactly; the output of one head depends on one mixture only."""
    two = build(2, 2, value_width=1, head_width=1, head_value_width=1)
    with torch.no_grad():
        two.W_q.weight.copy_(torch.eye(2))  # head 0 asks with the first number, head 1 with the second
        two.W_k.weight.copy_(torch.eye(2))
        two.W_v.weight.fill_(1)
        two.W_o.weight.copy_(torch.eye(2))
    query, key = torch.full((1, 1, 2), 60.0).double(), torch.tensor([[[1.0, -1], [-1, 1]]]).double()
    value = torch.tensor([[[3.0], [5.0]]]).double()
    assert two(query, key, value)[0].tolist() == [[[3.0, 5.0]]]

    def rank(layer):
        change = torch.autograd.functional.jacobian(lambda v: layer(query, key, v)[0].flatten(), value)
        return int(torch.linalg.matrix_rank(change.flatten(1)))

    assert rank(two) == 2
    for seed in range(20):
        assert rank(build(2, 1, seed=seed, value_width=1, head_value_width=5)) == 1


def test_no_two_heads_or_layers_begin_alike():
    """Heads that begin alike would learn alike (as R030, of layers)."""
    layer, other = MultiHeadAttention(8, 4), MultiHeadAttention(8, 4)
    heads = layer.W_q.weight.chunk(4)
    assert all(not torch.equal(heads[0], head) for head in heads[1:])
    assert not torch.equal(layer.W_q.weight, other.W_q.weight)
    assert not torch.equal(layer.W_q.weight, layer.W_k.weight)


# ---------------------------------------------------------------- masks: said which, or refused


def test_three_ways_to_say_a_mask():
    """Lengths, one mask for all, and one mask per item agree (R026: (T, S) where T is not B)."""
    layer, sent = layer_for(SHAPES["primes"]), inputs(SHAPES["primes"])
    padding = valid_length_mask([2, 2], 5)  # (B, 1, S)
    expected = layer(*sent, padding)
    alike = [
        torch.tensor([2, 2]),
        [2, 2],
        (2, 2),
        padding.expand(2, 3, 5),
        padding[:1],
        padding[0].expand(3, 5),
    ]
    for mask in alike:
        assert all(torch.equal(a, b) for a, b in zip(layer(*sent, mask), expected, strict=True))


SQUARE = rand(3, 3, 8)


@pytest.mark.parametrize(
    ("mask", "error", "words"),
    [
        (
            torch.ones(3, 3).bool(),
            ValueError,
            r"could be \(T, S\) or \(B, S\).*mask\[None\].*mask\[:, None\]",
        ),
        (torch.tensor([0.0, 0, -math.inf]).expand(3, 1, 3), TypeError, "boolean"),  # R029
        (torch.ones(3, 3), TypeError, "boolean"),
        (torch.ones(3).bool(), ValueError, r"whole numbers \(B,\) = \(3,\), got bool \(3,\)"),
        (torch.ones(3), TypeError, "whole numbers"),
        ([1, 2], ValueError, "B = 3, got 2"),
        ([1], ValueError, "B = 3, got 1"),
        ([1, 2, 4], ValueError, "between 0 and size = 3"),
        (torch.ones(3, 3, 1).bool(), ValueError, r"\(B, T, S\) = \(3, 3, 3\)"),  # R050
        (torch.ones(2, 3, 3).bool(), ValueError, r"\(B, T, S\) = \(3, 3, 3\)"),
        (torch.ones(3, 2, 3, 3).bool(), ValueError, r"\(B, T, S\) = \(3, 3, 3\)"),
        (torch.ones(2, 3).bool(), ValueError, r"\(T, S\) = \(3, 3\)"),
    ],
)
def test_a_mask_that_does_not_fit_is_refused(mask, error, words):
    """Never a guess: the sentence says what was expected and what came."""
    with pytest.raises(error, match=words):
        build(8, 2)(SQUARE, SQUARE, SQUARE, mask)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: MultiHeadAttention(10, 4), ValueError, r"width.*head_width.*10 = 4·2 \+ 2"),
        (lambda: MultiHeadAttention(10, 4, head_width=3), ValueError, r"head_value_width.*10 = 4·2 \+ 2"),
        (lambda: MultiHeadAttention(3, 4), ValueError, r"3 = 4·0 \+ 3"),
        (lambda: MultiHeadAttention(8, 0), ValueError, "heads must be at least 1"),
        (lambda: MultiHeadAttention(8, 2, value_width=0), ValueError, "value_width must be at least 1"),
        (lambda: build(8, 2)(SQUARE.float(), SQUARE, SQUARE), TypeError, "query must be of the type"),
        (
            lambda: build(8, 2)(SQUARE[0], SQUARE, SQUARE),
            ValueError,
            r"query must have the axes \(B, T, d_q\)",
        ),
        (lambda: build(8, 2)(SQUARE, SQUARE[..., :7], SQUARE), ValueError, "key.*width 8, got"),
        (lambda: build(8, 2)(SQUARE, SQUARE, SQUARE[:, :2]), ValueError, "one value per key"),
        (lambda: build(8, 2)(SQUARE[:2], SQUARE, SQUARE), ValueError, "same B, got 2 and 3"),
        (lambda: build(8, 2)(SQUARE, SQUARE / 0, SQUARE), ValueError, "key must be finite"),
        (lambda: build(8, 2)(SQUARE, SQUARE, SQUARE, silent=(2,)), ValueError, "between 0 and 1, got 2"),
        (lambda: build(8, 2)(SQUARE, SQUARE, SQUARE, silent=(-1,)), ValueError, "silent head"),
        (
            lambda: build(8, 2).attend(SQUARE, *[rand(3, 4, 3, 2)] * 2),
            ValueError,
            r"keys must have the shape \(B, H, S, d\) = \(3, 2, 3, 4\)",
        ),
        (lambda: split_heads(SQUARE, 3), ValueError, r"8 = 3·2 \+ 2"),
    ],
)
def test_bad_input_is_refused_by_name(call, error, words):
    with pytest.raises(error, match=words):
        call()
