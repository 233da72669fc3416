"""The Transformer against PyTorch's layers, and by the properties that every model of the book has."""

import copy
from dataclasses import replace

import pytest
import torch
from torch import nn

from attn_helpers import transformer
from attn_helpers.corpus import Pair
from attn_helpers.corpus.vocabulary import PAD
from attn_helpers.decoding import beam, greedy
from attn_helpers.ladder import vocabularies
from attn_helpers.layers import Cache, DecoderLayer, EncoderLayer, FeedForward, Residual, Sizes
from attn_helpers.masks import causal_mask, valid_length_mask
from attn_helpers.positions import PlacedEmbedding
from attn_helpers.seq2seq import Step
from attn_helpers.training import Settings, fit
from attn_helpers.transformer import CachedState, Transformer, TransformerDecoder, TransformerEncoder
from tests.test_seq2seq import (
    LENGTHS,
    PROPERTIES,
    SOURCE,
    SOURCE_WORDS,
    TARGET_IN,
    TARGET_WORDS,
    TARGETS,
    alone_as_in_a_batch,
    mates_may_change_places,
    padding_is_nothing,
    steps_equal_teacher_forcing,
    the_future_is_unseen,
)

# B = 3, S = 7, T = 5 (from chapter 2's tests); H = 2, d = 11, f = 13
SIZES = Sizes(width=22, heads=2, inner=13, layers=2)


def build(encoder=TransformerEncoder, decoder=TransformerDecoder, *, tied=False, **changes):
    torch.manual_seed(0)
    sizes = replace(SIZES, **changes)
    model = Transformer(SOURCE_WORDS, TARGET_WORDS, sizes, tied=tied)
    model.encoder, model.decoder = encoder(SOURCE_WORDS, sizes), decoder(TARGET_WORDS, sizes, tied=tied)
    return model.double()


MODELS = {
    "pre": build(),
    "post": build(norm="post"),
    "one-layer": build(layers=1, bias=True),
    "as-many-heads-as-sentences": build(width=15, heads=3),
    "as-many-heads-as-words": build(width=15, heads=5, layers=3),
    "without-positions": build(positions="none"),
    "learned-positions": build(positions="learned"),
}


# ---- properties --------------------------------------------------------------------------------------


def every_head_looks_where_it_may(model):
    """Rows sum to 1; source words see source words, target words themselves and what came before."""
    look = model.look(SOURCE, LENGTHS, TARGET_IN)
    words = valid_length_mask(LENGTHS, 7)  # (B, 1, S)
    allowed = (words, causal_mask(5)[None], words)
    for weights, may in zip(look, allowed, strict=True):
        assert weights.shape[:3] == (model.sizes.layers, 3, model.sizes.heads)
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
        assert torch.equal(weights > 0, may[None, :, None].expand_as(weights))


def cross_attention_reads_the_source(model):
    """Another source word, other logits at every step; and the weights are one per source word."""
    changed = SOURCE.clone()
    changed[:, 0] = 4 + (changed[:, 0] - 3) % (SOURCE_WORDS - 4)
    before, after = (model(source, LENGTHS, TARGET_IN) for source in (SOURCE, changed))
    assert before.weights.shape == (3, 5, 7)
    assert ((before.logits - after.logits).abs().amax(-1) > 1e-6).all()


def left_padding_moves_nothing(model):
    """Padding may stand before the sentence: positions count words (R041)."""
    for row, length in enumerate(LENGTHS):
        words = SOURCE[row : row + 1, :length]
        alone, _ = model.encoder.read(words, torch.ones(1, 1, int(length), dtype=torch.bool))
        ids = torch.cat([torch.zeros(1, 4, dtype=torch.long), words], dim=1)
        padded, _ = model.encoder.read(ids, (torch.arange(len(ids[0])) > 3)[None, None])
        torch.testing.assert_close(padded.states[:, 4:], alone.states, atol=1e-10, rtol=0)
        assert not padded.states[:, :4].any()


def layers_start_different(model):
    """A stack of copies would start as one layer repeated (R030)."""
    for stack in (model.encoder.stack, model.decoder.stack):
        first, second, *_ = (dict(layer.named_parameters()) for layer in stack)
        matrices = [name for name, weight in first.items() if weight.ndim == 2]
        assert len(matrices) >= 6
        assert not any(torch.equal(first[name], second[name]) for name in matrices)


def rows_are_selected_whole(model):
    """Beam search goes on with the rows it chose, also after a word: cache, source and mask together."""
    rows = torch.tensor([2, 2, 0])
    state = model.step(TARGET_IN[:, 0], model.start(SOURCE, LENGTHS)).state
    direct = model.step(TARGET_IN[:, 1], state)
    chosen = model.step(TARGET_IN[rows, 1], state.select(rows))
    assert isinstance(chosen, Step)
    assert isinstance(chosen.state, CachedState)
    for one, other in zip(chosen[::2], direct[::2], strict=True):
        torch.testing.assert_close(one, other[rows], atol=1e-10, rtol=0)


def the_place_is_added(model):
    """√m · E[word] + PE[place]: the place changes a vector alike for every word, the word alike anywhere."""
    embedding = model.encoder.embedding
    ids = torch.arange(4, SOURCE_WORDS).expand(2, -1)
    here, there = embedding(ids, torch.tensor([[0], [3]]).expand_as(ids))  # (words, m)
    torch.testing.assert_close(there - here, (there - here)[:1].expand_as(here), atol=1e-10, rtol=0)
    scaled = model.sizes.width**0.5 * embedding.weight[4:]
    torch.testing.assert_close(here[1:] - here[:1], scaled[1:] - scaled[:1], atol=1e-10, rtol=0)


PROPERTIES = [
    *PROPERTIES, every_head_looks_where_it_may, cross_attention_reads_the_source, left_padding_moves_nothing,
    rows_are_selected_whole, the_place_is_added,
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda f: f.__name__)
def test_property(holds, model):
    """What every chapter takes for granted."""
    holds(model)


def test_layers_start_different():
    """One layer, repeated, would have to part first (R030)."""
    layers_start_different(MODELS["pre"])
    layers_start_different(MODELS["post"])


# ---- faults ------------------------------------------------------------------------------------------


class LooksAtPadding(TransformerEncoder):
    """The source mask is made and not used, here or in the decoder."""

    def read(self, source, mask):
        return super().read(source, torch.ones_like(mask))


class CountsPlaces(TransformerEncoder):
    """R041: a position is a place in the tensor."""

    def read(self, source, mask):
        embed, self.embedding = self.embedding, lambda ids, _: embed(ids, torch.arange(ids.shape[1])[None])
        try:
            return super().read(source, mask)
        finally:
            self.embedding = embed

    __setattr__ = object.__setattr__


class CopiesALayer(TransformerEncoder):
    """R030: as PyTorch's own stacks are built."""

    def __init__(self, words, sizes):
        super().__init__(words, sizes)
        self.stack = nn.ModuleList(copy.deepcopy(self.stack[0]) for _ in self.stack)


class JoinsTheBatch(TransformerEncoder):
    """R026, R027: batch and time confused."""

    def read(self, source, mask):
        memory, rows = super().read(source, mask)
        return memory._replace(states=memory.states + memory.states.mean(0, keepdim=True)), rows


class Concatenates(PlacedEmbedding):
    """[word; place] instead of word + place, cut to the same width."""

    def forward(self, words, positions):
        whole, place = super().forward(words, positions), self.places(positions, like=self.weight)
        return torch.cat([whole - place, place.expand_as(whole)], -1)[..., ::2]


class JoinsPlaces(TransformerEncoder):
    """Positions concatenated."""

    def __init__(self, words, sizes):
        super().__init__(words, sizes)
        self.embedding = Concatenates(words, sizes.width)


class MasksItself(TransformerDecoder):
    """A strict triangle: no word sees itself, and the first sees nothing."""

    mask = staticmethod(lambda n, s, align, device: torch.ones(n, s).tril(s - n - 1).bool())

    def write(self, words, state):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(transformer, "causal_mask", self.mask)
            return super().write(words, state)


class FlipsTheMask(MasksItself):
    """R005: True read as "may not"."""

    mask = staticmethod(lambda n, s, align, device: ~torch.ones(n, s).tril(s - n).bool())


class AlignsAtTheStart(MasksItself):
    """R007: with a cache, a triangle from the top left lets the newest word see the first alone."""

    mask = staticmethod(lambda n, s, align, device: causal_mask(n, s, align="start"))


class SeesTheFuture(TransformerDecoder):
    """R051: the words to be said are read before they are said."""

    def write(self, words, state):
        return super().write(words.roll(-1, dims=1), state)


class SeesAHint(TransformerDecoder):
    """A leak too small to see: a mean over the whole target."""

    def write(self, words, state):
        decoded, *more = super().write(words, state)
        hint = 1e-6 * self.embedding.weight[words].mean((1, 2))
        return decoded._replace(logits=decoded.logits + hint[:, None, None]), *more


class ForgetsItsWords(TransformerDecoder):
    """Translating, the cache is never kept."""

    def step(self, token, state):
        return super().step(token, state)._replace(state=state)


class StandsStill(TransformerDecoder):
    """Translating, every word gets position 0, as the first of its call."""

    def write(self, words, state):
        embed = self.embedding
        object.__setattr__(self, "_modules", {**self._modules, "embedding": None})
        self.__dict__["embedding"] = lambda ids, places: embed(ids, places - places.min())
        try:
            return super().write(words, state)
        finally:
            del self.__dict__["embedding"]
            self._modules["embedding"] = embed


class SelectsHalf(CachedState):
    """Beam search takes the source's rows along and leaves the target's behind."""

    def select(self, rows):
        return super().select(rows)._replace(past=self.past)


class LosesRows(TransformerDecoder):
    """See `SelectsHalf`."""

    def write(self, words, state):
        decoded, state, rows = super().write(words, state)
        return decoded, SelectsHalf(*state), rows


class AsksItself(DecoderLayer):
    """The notes' slip taken at its word: the middle block's keys and values are the decoder's too."""

    def forward(self, x, past, source, mask, source_mask):
        size = source.keys.shape[2]
        own = self.remember(x[:, torch.arange(size) % x.shape[1]])
        return super().forward(x, past, own, mask, source_mask)


class NeverAsks(TransformerDecoder):
    """See `AsksItself`."""

    def __init__(self, words, sizes, *, tied=False):
        super().__init__(words, sizes, tied=tied)
        self.stack = nn.ModuleList(AsksItself(sizes) for _ in self.stack)


FAULTS = [
    (alone_as_in_a_batch, build(LooksAtPadding)),
    (padding_is_nothing, build(LooksAtPadding)),
    (every_head_looks_where_it_may, build(LooksAtPadding)),
    (left_padding_moves_nothing, build(CountsPlaces)),
    (layers_start_different, build(CopiesALayer)),
    (alone_as_in_a_batch, build(JoinsTheBatch)),
    (the_place_is_added, build(JoinsPlaces)),
    (every_head_looks_where_it_may, build(decoder=MasksItself)),
    (every_head_looks_where_it_may, build(decoder=FlipsTheMask)),
    (the_future_is_unseen, build(decoder=FlipsTheMask)),
    (steps_equal_teacher_forcing, build(decoder=AlignsAtTheStart)),
    (the_future_is_unseen, build(decoder=SeesTheFuture)),
    (the_future_is_unseen, build(decoder=SeesAHint)),
    (steps_equal_teacher_forcing, build(decoder=ForgetsItsWords)),
    (steps_equal_teacher_forcing, build(decoder=StandsStill)),
    (rows_are_selected_whole, build(decoder=LosesRows)),
    (cross_attention_reads_the_source, build(decoder=NeverAsks)),
    (the_future_is_unseen, build(decoder=NeverAsks)),
]


@pytest.mark.parametrize(("holds", "model"), FAULTS)
def test_fault_is_found(holds, model):
    """A property that a known fault satisfies guards nothing."""
    with pytest.raises(AssertionError):
        holds(model)


# ---- oracles -----------------------------------------------------------------------------------------


def copy_attention(theirs, ours):
    """nn.MultiheadAttention keeps W_q, W_k, W_v below each other in one matrix."""
    parts = ours.W_q, ours.W_k, ours.W_v
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.load_state_dict(ours.W_o.state_dict())


@torch.no_grad()
def their_layer(ours, sizes):
    """PyTorch's layer with the same weights."""
    cross = isinstance(ours, DecoderLayer)
    kind = nn.TransformerDecoderLayer if cross else nn.TransformerEncoderLayer
    theirs = kind(
        sizes.width, sizes.heads, sizes.inner, 0.0, batch_first=True, norm_first=sizes.norm == "pre"
    ).double()
    copy_attention(theirs.self_attn, ours.attention)
    if cross:
        copy_attention(theirs.multihead_attn, ours.cross)
    theirs.linear1.load_state_dict(ours.feed_forward[0].state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward[3].state_dict())
    around = [ours.around_attention, *([ours.around_cross] if cross else []), ours.around_feed_forward]
    for i, residual in enumerate(around, 1):
        getattr(theirs, f"norm{i}").load_state_dict(residual.norm.state_dict())
    return theirs


def shaken(norm):
    """A model of which no weight is 0 or 1: a bias or a norm left out would show."""
    model = build(norm=norm, bias=True, layers=3)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return model


def gradients(layer):
    """Gradients by size, so that one matrix of theirs and three of ours can be compared as sums."""
    return sum(float(p.grad.square().sum()) for p in layer.parameters())


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_encoder_equals_pytorchs(norm):
    """The same stack, layer by layer, value and gradient; where their padding mask is the opposite."""
    model = shaken(norm)
    theirs = [their_layer(layer, model.sizes) for layer in model.encoder.stack]
    ours = torch.randn(3, 7, 22, dtype=torch.float64, requires_grad=True)
    x = ours.detach().clone().requires_grad_()
    mask, out, expected = valid_length_mask(LENGTHS, 7), ours, x
    for layer, other in zip(model.encoder.stack, theirs, strict=True):
        out, expected = layer(out, mask)[0], other(expected, src_key_padding_mask=~mask[:, 0])
    torch.testing.assert_close(out, expected, atol=1e-10, rtol=0)
    for end in (out, expected):
        end.sin().sum().backward()
    torch.testing.assert_close(ours.grad, x.grad, atol=1e-10, rtol=0)
    for layer, other in zip(model.encoder.stack, theirs, strict=True):
        assert gradients(layer) == pytest.approx(gradients(other), rel=1e-8)
        torch.testing.assert_close(
            layer.attention.W_k.weight.grad, other.self_attn.in_proj_weight.grad[22:44], atol=1e-10, rtol=0
        )


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_whole_model_equals_pytorchs(norm):
    """Embedding, both stacks, last norms, output: logits and all gradients of the input's words."""
    model = shaken(norm)
    encoder, decoder = (
        nn.ModuleList(their_layer(layer, model.sizes) for layer in part.stack)
        for part in (model.encoder, model.decoder)
    )
    padding = ~valid_length_mask(LENGTHS, 7)[:, 0]
    words, said = (
        part.embedding(ids, torch.arange(ids.shape[1])[None])
        for part, ids in ((model.encoder, SOURCE), (model.decoder, TARGET_IN))
    )
    for layer in encoder:
        words = layer(words, src_key_padding_mask=padding)
    words = model.encoder.norm(words)
    for layer in decoder:
        said = layer(said, words, tgt_mask=~causal_mask(5), memory_key_padding_mask=padding)
    expected = model.decoder.output(model.decoder.norm(said))
    logits = model(SOURCE, LENGTHS, TARGET_IN).logits
    torch.testing.assert_close(logits, expected, atol=1e-10, rtol=0)
    found = []
    for end in (logits, expected):
        model.zero_grad()
        end.sin().sum().backward()
        found.append([part.embedding.weight.grad.clone() for part in (model.encoder, model.decoder)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, atol=1e-10, rtol=0)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_norms_are_counted(norm):
    """Post: two a layer of the encoder, three of the decoder, none above; pre: one more above (R033)."""
    model = build(norm=norm)
    counts = [sum(isinstance(part, nn.LayerNorm) for part in half.modules()) for half in
              (model.encoder, model.decoder)]  # fmt: skip
    above = norm == "pre"
    assert counts == [2 * 2 + above, 3 * 2 + above]


# ---- a word that may look at nothing -------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_an_empty_row_is_finite_forward_and_backward(norm, dtype):
    """One sentence of padding alone: it finds 0, its words keep what they are, its mates learn as before."""
    torch.manual_seed(0)
    sizes = replace(SIZES, norm=norm)
    layer = EncoderLayer(sizes).to(dtype)
    x = torch.randn(3, 7, 22, dtype=dtype, requires_grad=True)
    out, weights = layer(x, valid_length_mask([7, 0, 3], 7))
    assert not weights[1].any()
    lonely = x[1] if norm == "pre" else layer.around_attention.norm(x[1])
    made = layer.feed_forward(layer.around_feed_forward.before(lonely))
    torch.testing.assert_close(out[1], layer.around_feed_forward.after(lonely, made))
    out.float().sin().sum().backward()
    assert all(p.grad.isfinite().all() for p in [x, *layer.parameters()])


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_where_pytorch_gives_nan(norm):
    """The same weights and mask: theirs are numbers in training, NaN in use, and so are asked-for weights."""
    ours = shaken(norm).encoder.stack[0]
    theirs = their_layer(ours, replace(SIZES, norm=norm)).eval()
    x = torch.randn(3, 7, 22, dtype=torch.float64)
    mask = valid_length_mask([7, 0, 3], 7)
    with torch.no_grad():
        assert theirs(x, src_key_padding_mask=~mask[:, 0]).isnan().any()
        asked, weights = theirs.self_attn(x, x, x, key_padding_mask=~mask[:, 0])
        assert asked[1].isnan().all()
        assert weights[1].isnan().all()
        for kind in (ours.train(), ours.eval()):
            out, rows = kind(x, mask)
            assert out.isfinite().all()
            assert not rows[1].any()


def test_a_source_of_nothing_is_finite():
    """Cross-attention without a word to look at: the decoder goes on by itself, forward and backward."""
    model = build()
    mask = valid_length_mask([7, 0, 3], 7)
    state = model.decoder.start(model.encoder.read(SOURCE, mask)[0])
    decoded = model.decoder(TARGET_IN, state)
    decoded.logits.sin().sum().backward()
    assert decoded.logits.isfinite().all()
    assert not decoded.weights[1].any()
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_a_constant_word_has_a_finite_gradient():
    """LayerNorm of a vector without spread (R032)."""
    around = Residual(SIZES)
    x = torch.stack([torch.zeros(22), torch.full((22,), 2.0)]).requires_grad_()
    assert not around.before(x).any()
    around.before(x).sum().backward()
    assert x.grad.isfinite().all()


# ---- order ---------------------------------------------------------------------------------------------


def moved_logits(positions):
    """How far the logits move when the words of every source sentence change places."""
    model, source = build(positions=positions), SOURCE.clone()
    for row, length in zip(source, LENGTHS, strict=True):
        row[:length] = row[:length].flip(0)
    one, other = (model(ids, LENGTHS, TARGET_IN).logits.detach() for ids in (source, SOURCE))
    return float((one - other).abs().max())


def test_without_positions_the_source_is_a_bag():
    """Its words in any order give the same logits; with positions, clearly others."""
    assert moved_logits("none") < 1e-10
    assert moved_logits("sinusoids") > 0.1
    assert moved_logits("learned") > 0.1


def test_the_causal_mask_leaks_order_into_the_decoder():
    """Without positions, the last word's logits still know the order of the words before it."""
    model = build(positions="none")
    turned = TARGET_IN[:1].clone()
    turned[:, 1:3] = turned[:, 1:3].flip(1)
    one, other = (model(SOURCE[:1], LENGTHS[:1], ids).logits[:, 3] for ids in (TARGET_IN[:1], turned))
    assert (one - other).abs().max() > 1e-4


# ---- one path ------------------------------------------------------------------------------------------


def test_train_and_eval_differ_by_dropout_alone():
    """No fast path, no zeroed padding in one mode only (X5, R021)."""
    model, dropping = build(), build(dropout=0.3)
    for part in ("encoder", "decoder"):
        getattr(dropping, part).load_state_dict(getattr(model, part).state_dict())
    looks = []
    for mode in (True, False):
        model.train(mode)
        memory, _ = model.encoder.read(SOURCE, valid_length_mask(LENGTHS, 7))
        looks.append(
            [memory.states, *model(SOURCE, LENGTHS, TARGET_IN), *model.look(SOURCE, LENGTHS, TARGET_IN)]
        )
    assert all(map(torch.equal, *looks))
    assert torch.equal(dropping.eval()(SOURCE, LENGTHS, TARGET_IN).logits, looks[1][1])
    decoded = dropping.train()(SOURCE, LENGTHS, TARGET_IN)
    assert not torch.allclose(decoded.logits, looks[1][1])
    torch.testing.assert_close(decoded.weights.sum(-1), torch.ones(3, 5, dtype=torch.float64))


def test_weights_of_a_translation_are_the_mean_of_all_cross_heads():
    """What AER is computed from; `look` has each of them (R102: not the decoder's self-attention)."""
    model = MODELS["as-many-heads-as-words"]
    look = model.look(SOURCE, LENGTHS, TARGET_IN)
    assert look.cross.shape == (3, 3, 5, 5, 7)
    assert look.decoder.shape == (3, 3, 5, 5, 5)
    assert look.encoder.shape == (3, 3, 5, 7, 7)
    mean = torch.stack([look.cross[layer, :, head] for layer in range(3) for head in range(5)]).mean(0)
    torch.testing.assert_close(model(SOURCE, LENGTHS, TARGET_IN).weights, mean)
    layer = model.decoder.stack[0]
    state = model.start(SOURCE, LENGTHS)
    x = model.decoder.embedding(TARGET_IN, torch.arange(5)[None])
    _, _, own, cross = layer(x, state.past[0], state.source[0], causal_mask(5)[None], state.mask)
    assert torch.equal(look.cross[0], cross)
    assert torch.equal(look.decoder[0], own)


def test_many_words_at_once_or_one_by_one():
    """Any cut of the sentence goes through the cache to the same logits: 2 words, then 3."""
    model = MODELS["pre"]
    whole = model(SOURCE, LENGTHS, TARGET_IN).logits
    first, state, _ = model.decoder.write(TARGET_IN[:, :2], model.start(SOURCE, LENGTHS))
    rest, state, _ = model.decoder.write(TARGET_IN[:, 2:], state)
    torch.testing.assert_close(torch.cat([first.logits, rest.logits], 1), whole, atol=1e-10, rtol=0)
    assert [cache.keys.shape for cache in state.past] == [(3, 2, 5, 11)] * 2


def test_cached_equals_uncached_in_translation():
    """In float32, greedy and beam: the words of a decoder that reads all of them anew at each step."""
    model = build().float()
    slow = copy.deepcopy(model)
    slow.decoder.__class__ = ReadsAnew
    for one, other in zip(greedy(model, SOURCE, LENGTHS, 11), greedy(slow, SOURCE, LENGTHS, 11), strict=True):
        assert one.tokens == other.tokens
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-5)
        torch.testing.assert_close(one.weights, other.weights, atol=1e-5, rtol=0)
    for one, other in zip(beam(model, SOURCE, LENGTHS, 3), beam(slow, SOURCE, LENGTHS, 3), strict=True):
        assert [found.tokens for found in one] == [found.tokens for found in other]


class ReadsAnew(TransformerDecoder):
    """No cache: the words so far are kept as numbers and read from the first on at every step."""

    def step(self, token, state):
        before, begun = (
            (state.words, state.begun) if isinstance(state, Words) else (token[:, None][:, :0], state)
        )
        words = torch.cat([before, token[:, None]], dim=1)
        decoded, _, _ = self.write(words, begun)
        return Step(decoded.logits[:, -1], Words(words, begun), decoded.weights[:, -1])


class Words:
    """What `ReadsAnew` keeps."""

    def __init__(self, words, begun):
        self.words, self.begun = words, begun

    def select(self, rows):
        return Words(self.words[rows], self.begun.select(rows))


# ---- parts ---------------------------------------------------------------------------------------------


def test_feed_forward_is_per_word():
    """W_2 relu(W_1 x + b_1) + b_2, the same for every word, no word knowing another (eq. 2)."""
    network = FeedForward(3, 5).double()
    x = torch.randn(2, 7, 3, dtype=torch.float64)
    (w1, b1), (w2, b2) = ((network[i].weight, network[i].bias) for i in (0, 3))
    torch.testing.assert_close(network(x), (x @ w1.mT + b1).clamp(min=0) @ w2.mT + b2)


def test_a_cache_grows_along_the_words():
    """Not along the batch, not along the heads."""
    one, two = (Cache(torch.randn(3, 2, t, 11), torch.randn(3, 2, t, 5)) for t in (4, 1))
    assert one.longer(*two).keys.shape == (3, 2, 5, 11)
    assert torch.equal(one.longer(*two).values[:, :, 4:], two.values)


def test_every_parameter_learns():
    """A layer, a norm, a projection that is never used would have no gradient."""
    for name, model in {**MODELS, "tied": build(tied=True, bias=True)}.items():
        model.zero_grad()
        model(SOURCE, LENGTHS, TARGET_IN).logits.sin().sum().backward()
        idle = [key for key, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum()]
        assert [key for key in idle if not key.endswith("W_k.bias")] == [], name  # softmax ignores a shift


def test_tied_weights_stay_tied(tmp_path):
    """After a change of type, a saved file, a step: one matrix, in the optimiser once (R042)."""
    model = build(tied=True)
    free = sum(p.numel() for p in build().parameters())
    assert sum(p.numel() for p in model.parameters()) == free - TARGET_WORDS * 22
    torch.save(model.state_dict(), tmp_path / "model.pt")
    kept = torch.load(tmp_path / "model.pt", weights_only=True)
    for assign in (False, True):
        other = build(tied=True).float()
        other.load_state_dict(kept, assign=assign)
        assert other.decoder.output.weight is other.decoder.embedding.weight
        other(SOURCE, LENGTHS, TARGET_IN).logits.sum().backward()
        optimizer = torch.optim.AdamW(other.parameters(), lr=0.1)
        optimizer.step()
        assert other.decoder.output.weight is other.decoder.embedding.weight
        ids = [id(p) for group in optimizer.param_groups for p in group["params"]]
        assert len(ids) == len(set(ids))
    for holds in (
        alone_as_in_a_batch,
        the_future_is_unseen,
        mates_may_change_places,
        steps_equal_teacher_forcing,
    ):
        holds(model)


# ---- it fits the house -----------------------------------------------------------------------------------


def reversals():
    """Words to be said backwards: order is all there is to learn."""
    texts = [tuple("abcd"[i // 4**j % 4] for j in range(3)) for i in range(64)]
    return [Pair(text, text[::-1]) for text in texts]


def test_fit_trains_it_and_keeps_it(tmp_path, monkeypatch):
    """The same loop, cache and decoding as for chapter 2's models, unchanged."""
    monkeypatch.setenv("ATTN_HELPERS_CACHE", str(tmp_path))
    pairs = reversals()
    words = vocabularies(pairs)
    settings = Settings(steps=120, size=32, rate=1e-2)

    def model(**changes):
        torch.manual_seed(0)
        return Transformer(len(words[0]), len(words[1]), replace(SIZES, layers=1, **changes))

    history = fit(first := model(), pairs, words, settings, probes=pairs[:2], cache=True, progress=False)
    assert history.loss[-1] < 0.05
    assert history.snapshots[-1].weights[0].shape == (4, 4)
    again = fit(second := model(), pairs, words, settings, probes=pairs[:2], cache=True, progress=False)
    assert again.cached
    assert all(map(torch.equal, first.state_dict().values(), second.state_dict().values()))
    others = [{"heads": 11}, {"dropout": 0.1}]  # no weight and no other part's name tells these apart
    assert len({repr(model(**change)) for change in ({}, *others, {"norm": "post"})}) == 4


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m: m(SOURCE, torch.tensor([7, 0, 3]), TARGET_IN), "lengths must be 3 numbers from 1 to 7"),
        (lambda m: m(SOURCE, torch.tensor([8, 2, 3]), TARGET_IN), "from 1 to 7"),
        (lambda m: m(SOURCE, LENGTHS[:2], TARGET_IN), "lengths must be 3"),
        (lambda m: m(SOURCE + 10, LENGTHS, TARGET_IN), "source must lie between 0 and 12"),
        (lambda m: m(SOURCE, LENGTHS, TARGET_IN + 10), "target_in must lie between 0 and 16"),
        (lambda m: m(SOURCE.float(), LENGTHS, TARGET_IN), "source must be a tensor of whole numbers"),
        (lambda m: m(SOURCE[:, :0], LENGTHS, TARGET_IN), "source must hold at least one word"),
        (lambda m: build(width=7), "width 7 does not split into 2 heads"),
        (lambda m: build(layers=0), "layers must be at least 1"),
        (lambda m: build(inner=0), "inner must be at least 1"),
        (lambda m: build(norm="none"), 'norm must be "pre" or "post", got \'none\''),
        (lambda m: build(positions="yes"), "positions must be one of sinusoids, learned, none"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(call, says):
    """The reader is told which argument, what was expected, and what came."""
    with pytest.raises(ValueError, match=says):
        call(MODELS["pre"])


def test_padding_rows_of_the_encoder_are_nothing():
    """Memory says 0 at padding; a heatmap of such a row would show what nobody reads (R105)."""
    states = MODELS["post"].encoder(SOURCE, LENGTHS).states
    assert not states[~valid_length_mask(LENGTHS, 7)[:, 0]].any()
    assert TARGETS.max() == 5
    assert PAD == 0
