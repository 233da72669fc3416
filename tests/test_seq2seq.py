"""Encoder and decoder, against loops in NumPy, and by invariance; the attention decoder obeys the same rules.

One function per property: every model of ours satisfies it, each known fault must fail it.
"""

import contextlib
import copy
import math

import numpy as np
import pytest
import torch

from attn_helpers.attention_seq2seq import AttentionDecoder, LuongDecoder
from attn_helpers.corpus.vocabulary import BOS, EOS, PAD
from attn_helpers.masks import valid_length_mask
from attn_helpers.running import mode
from attn_helpers.seq2seq import Decoded, Decoder, Encoder, Memory, Seq2Seq, State, Step
from attn_helpers.training import token_loss

SOURCE_WORDS, TARGET_WORDS, EMBEDDING = 13, 17, 5
LENGTHS = torch.tensor([7, 2, 3])  # B = 3, S = 7
TARGETS = torch.tensor([4, 5, 2])  # T = 5


def words(lengths, vocabulary, first=None, last=None, seed=0):
    """Random word numbers, PAD at the right."""
    make = torch.Generator().manual_seed(seed)
    ids = torch.randint(4, vocabulary, (len(lengths), int(lengths.max())), generator=make)
    for row, length in zip(ids, lengths, strict=True):
        row[length:] = PAD
        row[0] = row[0] if first is None else first
        row[length - 1] = row[length - 1] if last is None else last
    return ids


SOURCE = words(LENGTHS, SOURCE_WORDS, last=EOS)
TARGET_IN = words(TARGETS, TARGET_WORDS, first=BOS, seed=1)


def build(encoder=Encoder, decoder=Decoder, hidden=6, source_width=6, layers=1, bidirectional=False, **more):
    torch.manual_seed(0)
    reader = encoder(SOURCE_WORDS, EMBEDDING, source_width, layers, bidirectional=bidirectional)
    return Seq2Seq(
        reader, decoder(TARGET_WORDS, EMBEDDING, hidden, layers, source_width=source_width, **more)
    ).double()


MODELS = {
    "plain": build(),
    "bidirectional": build(bidirectional=True),
    "layers": build(layers=3, bidirectional=True),
    "bridge": build(hidden=7, source_width=4, layers=2, bidirectional=True),
    "additive": build(decoder=AttentionDecoder, attention=11),
    "additive-layers": build(decoder=AttentionDecoder, hidden=7, layers=2, bidirectional=True),
    **{
        score: build(decoder=AttentionDecoder, score=score)
        for score in ("dot", "scaled_dot", "cosine", "uniform", "bilinear")
    },
    "luong": build(decoder=LuongDecoder, hidden=7, layers=2, bidirectional=True),
    "luong-additive": build(decoder=LuongDecoder, score="additive", attention=11),
}


# ---- properties --------------------------------------------------------------------------------------


def everything(model, source, lengths, target_in):
    """All a reader may plot or train on: states, final states, logits, decoder's states, weights."""
    memory = model.encoder(source, lengths)
    decoded = model(source, lengths, target_in)
    weights = decoded.weights if decoded.weights is not None else decoded.logits[..., :0]
    return memory.states, memory.final, decoded.logits, decoded.states, weights


def alone_as_in_a_batch(model):
    """A sentence means the same whoever stands beside it (R044, R045, R047, R079)."""
    states, final, logits, hidden, weights = everything(model, SOURCE, LENGTHS, TARGET_IN)
    for i, (s, t) in enumerate(zip(LENGTHS, TARGETS, strict=True)):
        alone = everything(model, SOURCE[i : i + 1, :s], LENGTHS[i : i + 1], TARGET_IN[i : i + 1, :t])
        together = (
            states[i : i + 1, :s], final[:, i : i + 1], logits[i : i + 1, :t], hidden[i : i + 1, :t],
            weights[i : i + 1, :t, :s],
        )  # fmt: skip
        for one, other in zip(alone, together, strict=True):
            torch.testing.assert_close(one, other, atol=1e-10, rtol=0)


def the_future_is_unseen(model):
    """A changed target word leaves every earlier logit bit for bit what it was (R051)."""
    before = model(SOURCE, LENGTHS, TARGET_IN).logits
    for t in range(1, TARGET_IN.shape[1]):
        changed = TARGET_IN.clone()
        changed[:, t] = 4 + (changed[:, t] + 1) % (TARGET_WORDS - 4)
        after = model(SOURCE, LENGTHS, changed).logits
        assert torch.equal(after[:, :t], before[:, :t])
        assert not torch.equal(after[:, t], before[:, t])


def mates_may_change_places(model):
    """Rows permuted, outputs permuted: nothing crosses the batch (R027)."""
    order = torch.tensor([2, 0, 1])
    straight = everything(model, SOURCE, LENGTHS, TARGET_IN)
    shuffled = everything(model, SOURCE[order], LENGTHS[order], TARGET_IN[order])
    for axis, one, other in zip((0, 1, 0, 0, 0), straight, shuffled, strict=True):
        torch.testing.assert_close(one.index_select(axis, order), other, atol=1e-10, rtol=0)


def padding_is_nothing(model):
    """Whatever stands in the padding, and however much of it, no state, logit or loss knows (R045, R047)."""
    padded = torch.cat([SOURCE, torch.zeros(3, 4, dtype=torch.long)], dim=1)
    rubbish = torch.where(padded == PAD, 9, padded)
    clean, dirty = (model(source, LENGTHS, TARGET_IN) for source in (SOURCE, rubbish))
    torch.testing.assert_close(clean.logits, dirty.logits, atol=1e-10, rtol=0)
    with torch.no_grad():
        noisy = copy.deepcopy(model)
        noisy.decoder.embedding.weight[PAD] = 5.0
    labels = torch.where(TARGET_IN == PAD, PAD, 5)
    losses = [token_loss(m(SOURCE, LENGTHS, TARGET_IN).logits, labels)[0] for m in (model, noisy)]
    torch.testing.assert_close(*losses, atol=1e-10, rtol=0)


def steps_equal_teacher_forcing(model):
    """Word by word, as in translating, the logits are those that training saw."""
    forced = model(SOURCE, LENGTHS, TARGET_IN)
    state = model.start(SOURCE, LENGTHS)
    for t in range(TARGET_IN.shape[1]):
        step = model.step(TARGET_IN[:, t], state)
        state = step.state
        torch.testing.assert_close(step.logits, forced.logits[:, t], atol=1e-10, rtol=0)
        torch.testing.assert_close(state.hidden[-1], forced.states[:, t], atol=1e-10, rtol=0)
        if forced.weights is not None:
            torch.testing.assert_close(step.weights, forced.weights[:, t], atol=1e-10, rtol=0)


PROPERTIES = [
    alone_as_in_a_batch, the_future_is_unseen, mates_may_change_places, padding_is_nothing,
    steps_equal_teacher_forcing,
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda f: f.__name__)
def test_property(holds, model):
    """What every chapter takes for granted."""
    holds(model)


# ---- faults ------------------------------------------------------------------------------------------


class ReadsPadding(Encoder):
    """R044, R045: no packing, so the last state is that of a PAD, and the way back starts in PAD."""

    def forward(self, source, lengths):
        states, final = self.rnn(self.embedding(source))
        final = final.unflatten(0, (self.layers, -1)).transpose(1, 2).flatten(2)
        return Memory(states, final, valid_length_mask(lengths, source.shape[1]))


class RunsAcrossTheBatch(Encoder):
    """R027: batch and time confused."""

    def forward(self, source, lengths):
        read = super().forward(source, lengths)
        mixed, _ = self.rnn(self.embedding(source).transpose(0, 1))
        return read._replace(final=read.final + mixed.mean())


class ViewsWithoutTranspose(Encoder):
    """The two directions' final states reshaped at once: rows of different sentences are glued together."""

    def forward(self, source, lengths):
        read = super().forward(source, lengths)
        final = read.final.unflatten(-1, (2, -1)).transpose(1, 2).reshape(self.layers, len(source), -1)
        return read._replace(final=final)


class SeesTheFuture(Decoder):
    """R051: the words to be said are read before they are said."""

    def forward(self, target_in, state):
        return super().forward(target_in.roll(-1, dims=1), state)


class SeesAHint(Decoder):
    """A leak too small to see: a mean over the whole target."""

    def forward(self, target_in, state):
        decoded = super().forward(target_in, state)
        hint = 1e-6 * self.embedding(target_in).mean((1, 2), keepdim=True)
        return decoded._replace(logits=decoded.logits + hint)


class ForgetsItsState(Decoder):
    """Translating, each step starts from the sentence's first state again."""

    def step(self, token, state):
        return super().step(token, state)._replace(state=state)


class LooksAtPadding(AttentionDecoder):
    """R047: the source mask is made and not used."""

    def start(self, memory):
        return super().start(memory._replace(mask=torch.ones_like(memory.mask)))


class MasksTheWrongAxis(AttentionDecoder):
    """R050: rows instead of columns."""

    def attend(self, query, fixed):
        key, value, _ = fixed
        weights = self._scores(query, key).softmax(0)  # over the batch
        return weights @ value, weights


FAULTS = [
    (alone_as_in_a_batch, build(encoder=ReadsPadding)),
    (alone_as_in_a_batch, build(encoder=ReadsPadding, bidirectional=True)),
    (alone_as_in_a_batch, build(encoder=ViewsWithoutTranspose, bidirectional=True)),
    (alone_as_in_a_batch, build(decoder=LooksAtPadding)),
    (alone_as_in_a_batch, build(decoder=MasksTheWrongAxis)),
    (alone_as_in_a_batch, build(encoder=RunsAcrossTheBatch)),
    (padding_is_nothing, build(encoder=ReadsPadding)),
    (padding_is_nothing, build(decoder=LooksAtPadding)),
    (mates_may_change_places, build(encoder=ViewsWithoutTranspose, bidirectional=True)),
    (the_future_is_unseen, build(decoder=SeesTheFuture)),
    (the_future_is_unseen, build(decoder=SeesAHint)),
    (steps_equal_teacher_forcing, build(decoder=ForgetsItsState)),
]


@pytest.mark.parametrize(("holds", "model"), FAULTS)
def test_fault_is_found(holds, model):
    """A property that a known fault satisfies guards nothing."""
    with pytest.raises(AssertionError):
        holds(model)


# ---- oracles -----------------------------------------------------------------------------------------


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru_step(rnn, x, h):
    """Cho et al. 2014 as PyTorch lays it out, for one vector, in NumPy."""
    w_i, w_h, b_i, b_h = (getattr(rnn, f"{name}_l0").detach().numpy() for name in
                          ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))  # fmt: skip
    i_r, i_z, i_n = np.split(w_i @ x + b_i, 3)
    h_r, h_z, h_n = np.split(w_h @ h + b_h, 3)
    z = sigmoid(i_z + h_z)
    return (1 - z) * np.tanh(i_n + sigmoid(i_r + h_r) * h_n) + z * h


def plain_context(model, keys, query):
    """What the notes' formula says, word by word."""
    decoder = model.decoder
    if not isinstance(decoder, AttentionDecoder):
        return keys[-1]
    if decoder.score == "additive":
        w_q, w_k, w_v = (p.detach().numpy() for p in decoder.additive.parameters())
        scores = [w_v @ np.tanh(w_q @ query + w_k @ key) for key in keys]
    else:
        scores = [query @ key for key in keys]
    weights = np.exp(scores) / np.exp(scores).sum()
    return sum(weight * key for weight, key in zip(weights, keys, strict=True))


@pytest.mark.parametrize("name", ["plain", "additive", "dot"])
def test_equals_a_loop_in_numpy(name):
    """c joined to y_{t-1} at every step, the query s_{t-1}: the notes' formulas, one number at a time."""
    model = MODELS[name]
    logits = model(SOURCE, LENGTHS, TARGET_IN).logits.detach().numpy()
    weight, bias = model.decoder.output.weight.detach().numpy(), model.decoder.output.bias.detach().numpy()
    read, write = (part.embedding.weight.detach().numpy() for part in (model.encoder, model.decoder))
    for row in range(3):
        h, keys = np.zeros(6), []
        for word in SOURCE[row, : LENGTHS[row]]:
            h = gru_step(model.encoder.rnn, read[word], h)
            keys.append(h)
        for t, word in enumerate(TARGET_IN[row, : TARGETS[row]]):
            h = gru_step(model.decoder.rnn, np.concatenate([write[word], plain_context(model, keys, h)]), h)
            np.testing.assert_allclose(weight @ h + bias, logits[row, t], atol=1e-12)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_attention_steps_as_a_gru(layers):
    """Our own cell, written out for its speed, is PyTorch's GRU: the same when there is but one word."""
    one = torch.ones(3, dtype=torch.long)
    ours, theirs = (build(decoder=kind, layers=layers) for kind in (uniform, Decoder))
    theirs.load_state_dict(ours.state_dict())
    logits = [model(SOURCE[:, :1], one, TARGET_IN).logits for model in (ours, theirs)]
    torch.testing.assert_close(*logits, atol=1e-10, rtol=0)


def uniform(*sizes, **more):
    return AttentionDecoder(*sizes, score="uniform", **more)


def test_states_are_handed_over_layer_by_layer():
    """Layer 2 of the decoder starts where layer 2 of the encoder stopped, and c is apart from it."""
    model = MODELS["layers"]
    memory = model.encoder(SOURCE, LENGTHS)
    state = model.decoder.start(memory)
    assert torch.equal(state.hidden, memory.final)
    assert torch.equal(state.fixed[0], memory.final[-1])
    logits = model.decoder(TARGET_IN, state).logits
    for changed in (
        State(state.hidden.flip(0), state.fixed),
        State(torch.zeros_like(state.hidden), state.fixed),
        State(state.hidden, (torch.zeros_like(state.fixed[0]),)),
    ):
        assert not torch.allclose(model.decoder(TARGET_IN, changed).logits, logits)


def test_final_state_is_that_of_the_last_word_and_of_the_first_coming_back():
    """Forward half: after the last word. Backward half: after the first (R044)."""
    model = MODELS["bidirectional"]
    memory = model.encoder(SOURCE, LENGTHS)
    for row, length in enumerate(LENGTHS):
        torch.testing.assert_close(memory.final[0, row, :3], memory.states[row, length - 1, :3])
        torch.testing.assert_close(memory.final[0, row, 3:], memory.states[row, 0, 3:])
        assert memory.states[row, length:].abs().sum() == 0


def test_every_parameter_learns():
    """A bridge, a layer, a score that is never used would have no gradient."""
    for name, model in MODELS.items():
        model.zero_grad()
        model(SOURCE, LENGTHS, TARGET_IN).logits.square().sum().backward()
        idle = [key for key, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum()]
        assert idle == [], name


def test_layers_start_different():
    """A stack of copies would start as one layer repeated (R030)."""
    rnn = MODELS["layers"].decoder.rnn
    assert not torch.equal(rnn.weight_hh_l0, rnn.weight_hh_l1)
    bridges = MODELS["bridge"].decoder.bridge
    assert not torch.equal(bridges[0][0].weight, bridges[1][0].weight)


def test_weights_are_shown_before_dropout_and_sum_to_one():
    """A heatmap's rows sum to 1, in training too; dropout never touches them (R020, R021)."""
    model = build(decoder=AttentionDecoder, dropout=0.5).train()
    rows = model(SOURCE, LENGTHS, TARGET_IN).weights
    torch.testing.assert_close(rows.sum(-1), torch.ones(3, 5, dtype=torch.float64))


# ---- no leak: words that nobody can know --------------------------------------------------------------


class Peeks(Decoder):
    """Reads the word to be said beside the last one."""

    def forward(self, target_in, state):
        decoded = super().forward(target_in.roll(-1, dims=1), state)
        return Decoded(decoded.logits, decoded.states, None)


def loss_on_random_words(decoder, steps=150):
    """Train on fresh random targets of 5 words out of 16; the last loss over the first four of them."""
    torch.manual_seed(0)
    model = Seq2Seq(Encoder(20, 8, 16), decoder(20, 8, 16))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(steps):
        source, target = torch.randint(4, 20, (64, 3)), torch.randint(4, 20, (64, 5))
        target_in = torch.cat([torch.full((64, 1), BOS), target[:, :-1]], dim=1)
        logits = model(source, torch.full((64,), 3), target_in).logits
        loss, count = token_loss(logits[:, :4], target[:, :4])
        optimizer.zero_grad()
        (loss / count).backward()
        optimizer.step()
        losses.append(loss.item() / count)
    return sum(losses[-10:]) / 10


@pytest.mark.parametrize("decoder", [Decoder, AttentionDecoder])
def test_random_words_cannot_be_learnt(decoder):
    """Where nothing can be known, the loss stays at ln 16: anything below is a leak (R051)."""
    assert math.log(16) - 0.02 < loss_on_random_words(decoder) < math.log(16) + 0.1


def test_a_leak_would_show():
    """The same training with the answer in the input."""
    assert loss_on_random_words(Peeks) < 1.0


# ---- bad input ---------------------------------------------------------------------------------------


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
        (lambda m: Encoder(5, 3, 7, bidirectional=True), "hidden must be even"),
        (lambda m: Seq2Seq(Encoder(5, layers=2), Decoder(5)), "layers must be the encoder's 2, got 1"),
        (lambda m: Seq2Seq(Encoder(5, 3, 4), Decoder(5, 3, 8)), "source_width must be the encoder's 4"),
        (lambda m: AttentionDecoder(5, score="loud"), "score must be one of additive"),
        (lambda m: AttentionDecoder(5, 3, 4, source_width=6, score="dot"), "hidden, got 6 and 4"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(call, says):
    """The reader is told which argument, what was expected, and what came."""
    with pytest.raises(ValueError, match=says):
        call(MODELS["additive"])


def test_mode_comes_back_even_after_an_error():
    """A model found in training mode is left in training mode (R080)."""
    model = build()
    with contextlib.suppress(RuntimeError), mode(model, train=False):
        assert not model.training
        raise RuntimeError
    assert model.training


def test_select_takes_rows_of_every_part():
    """Beam search goes on with the rows it chose: state, context, keys, all of the same sentence."""
    state = MODELS["additive"].start(SOURCE, LENGTHS).select(torch.tensor([2, 2, 0]))
    step = MODELS["additive"].step(TARGET_IN[[2, 2, 0], 0], state)
    direct = MODELS["additive"].step(TARGET_IN[:, 0], MODELS["additive"].start(SOURCE, LENGTHS))
    assert isinstance(step, Step)
    torch.testing.assert_close(step.logits, direct.logits[[2, 2, 0]], atol=1e-12, rtol=0)
