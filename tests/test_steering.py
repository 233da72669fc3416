"""Every look at the source is seen once, and what it is changed into is what is read with."""

import pytest
import torch

from attn_helpers.attention_seq2seq import AttentionDecoder, LuongDecoder
from attn_helpers.layers import Sizes
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.steering import each_look, heads_of
from attn_helpers.transformer import Transformer

SOURCE, LENGTHS = torch.tensor([[4, 5, 6, 7, 2], [8, 4, 2, 0, 0]]), torch.tensor([5, 3])


def gru(decoder=AttentionDecoder, **options):
    torch.manual_seed(3)
    return Seq2Seq(Encoder(11, 3, 6), decoder(13, 5, 6, **options)).eval()


def transformer(heads=3, layers=2):
    torch.manual_seed(3)
    return Transformer(11, 13, Sizes(width=6, heads=heads, inner=7, layers=layers)).eval()


MODELS = {"gru": gru, "luong": lambda: gru(LuongDecoder, score="dot"), "transformer": transformer}


@torch.no_grad()
def walk(model, change, words=(1, 4, 9, 5)):
    """Logits of some steps, with all looks changed."""
    with each_look(model, change):
        state, logits = model.start(SOURCE, LENGTHS), []
        for word in words:
            step = model.step(torch.tensor([word, word]), state)
            state = step.state
            logits.append(step.logits)
    return torch.stack(logits, 1)


@pytest.mark.parametrize("name", MODELS)
def test_looking_alone_changes_nothing(name):
    """To see the weights is to have another model; or a patch stays behind."""
    model, seen = MODELS[name](), []

    def look(t, layer, weights):
        seen.append((t, layer, tuple(weights.shape)))
        assert (weights.sum(-1) - 1).abs().max() < 1e-6
        assert not weights[1, ..., 3:].any()  # padding
        return weights

    logits = walk(model, look)
    layers, heads = heads_of(model)
    assert seen == [(t, layer, (2, heads, 1, 5)) for t in range(4) for layer in range(layers)]
    with torch.no_grad():
        forced = model(SOURCE, LENGTHS, torch.tensor([[1, 4, 9, 5]] * 2)).logits
    torch.testing.assert_close(logits, forced, atol=1e-5, rtol=0)
    for part in model.modules():
        assert "attend" not in vars(part)


def test_a_transformer_reads_what_it_was_given():
    """The output is W_o of the old weights: the map changes and the words do not. Oracle: sums."""
    model = transformer(layers=1)
    (layer,) = model.decoder.stack
    given = torch.rand(2, 3, 1, 5)
    found = {}
    layer.around_cross.dropout.register_forward_pre_hook(lambda _, args: found.update(x=args[0]))
    walk(model, lambda t, number, weights: given, words=(1,))
    with torch.no_grad():
        memory = model.encoder(SOURCE, LENGTHS)
        value = layer.cross.W_v(memory.states).unflatten(-1, (3, 2))  # (B, S, H, v)
        mixed = torch.einsum("bhs,bshv->bhv", given[:, :, 0], value).flatten(1)
        torch.testing.assert_close(found["x"][:, 0], mixed @ layer.cross.W_o.weight.mT, atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", MODELS)
def test_a_change_reaches_its_sentence_and_its_step_alone(name):
    """A batch mate is operated on too, or an earlier step."""
    model = MODELS[name]()
    plain = walk(model, lambda t, layer, weights: weights)
    first = torch.tensor([True, False])[:, None, None, None]
    changed = walk(model, lambda t, layer, weights: torch.where(first & (t == 2), 0, weights))
    torch.testing.assert_close(changed[:, :2], plain[:, :2])
    torch.testing.assert_close(changed[1], plain[1])
    assert (changed[0, 2] - plain[0, 2]).abs().max() > 1e-4
    later = (changed[0, 3] - plain[0, 3]).abs().max()
    assert (later > 1e-6) == (name != "luong")  # what was read is remembered, but Luong's GRU never sees it


def test_one_head_is_one_head():
    """A change meant for layer 2, head 1 reaches another."""
    model = transformer()
    plain = walk(model, lambda t, layer, weights: weights)
    outs = []
    for layer, head in ((0, 0), (0, 2), (1, 1)):
        mine = torch.arange(3)[:, None, None] == head
        outs.append(walk(model, lambda t, at, w, i=layer, mine=mine: torch.where(mine & (at == i), 0, w)))
    apart = [(a - b).abs().max() for i, a in enumerate([plain, *outs]) for b in outs[i:]]
    assert min(apart) > 1e-4


def test_what_has_no_row_is_refused():
    """A model without attention is operated on, and nothing happens."""
    with pytest.raises(ValueError, match="must have attention over its source, got Decoder"):
        walk(Seq2Seq(Encoder(11, 3, 6), Decoder(13, 5, 6)), lambda t, layer, weights: weights)
    with pytest.raises(ValueError, match=r"weights of shape \(2, 3, 1, 5\), got \(2, 3, 5\)"):
        walk(transformer(), lambda t, layer, weights: weights[:, :, 0])
    assert heads_of(transformer()) == (2, 3)
    assert heads_of(gru()) == (1, 1)
