"""Where a model looks is what its forward pass says; a changed row changes what comes after, and no more."""

import pytest
import torch

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import batches, corpus
from attn_helpers.decoding import beam, translate
from attn_helpers.ladder import vocabularies
from attn_helpers.looking import forced_weights, operated
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.trained import load_trained

DATA = corpus(0)
WORDS = vocabularies(DATA.train)
SOME = [DATA.test[i] for i in (0, 900, 300, 7)]  # of several lengths, not in order


@pytest.fixture(scope="module")
def model():
    return load_trained("bahdanau-bidirectional")


def test_each_pair_has_its_own_rows(model):
    """Sorted into batches and back: no row of a neighbour, no padding."""
    found = forced_weights(model, SOME, WORDS)
    for pair, weights in zip(SOME, found, strict=True):
        (alone,) = batches([pair], *WORDS)
        with torch.no_grad():
            expected = model(alone.source, alone.source_lengths, alone.target_in).weights[0]
        assert weights.shape == (len(pair.target) + 1, len(pair.source) + 1)
        torch.testing.assert_close(weights, expected, atol=1e-5, rtol=0)
    with pytest.raises(ValueError, match="must have attention"):
        forced_weights(Seq2Seq(Encoder(300, 3, 4), Decoder(400, 3, 4)), SOME, WORDS)


def test_nothing_changed_changes_nothing(model):
    """And afterwards the decoder is what it was."""
    before = translate(model, SOME, WORDS)
    for pair, expected in zip(SOME, before, strict=True):
        with operated(model.decoder, lambda t, weights: weights):
            (found,) = translate(model, [pair], WORDS)
        assert found.tokens == expected.tokens
        torch.testing.assert_close(found.weights, expected.weights, atol=1e-5, rtol=0)
    assert "attend" not in vars(model.decoder)
    with pytest.raises(RuntimeError, match="stop"), operated(model.decoder, lambda t, weights: weights):
        raise RuntimeError("stop")
    assert "attend" not in vars(model.decoder)


def test_the_changed_step_is_the_one_that_was_meant(model):
    """Earlier words stay; the row shown is the changed one."""
    (before,) = translate(model, [DATA.probe], WORDS)
    with operated(model.decoder, lambda t, weights: weights * (t != 1)):
        (found,) = translate(model, [DATA.probe], WORDS)
    assert found.tokens[0] == before.tokens[0]
    assert found.tokens[1] != before.tokens[1]
    assert not found.weights[1].any()
    torch.testing.assert_close(found.weights[0], before.weights[0])
    with (
        pytest.raises(ValueError, match=r"weights of shape \(1, 1, 5\), got \(1, 5\)"),
        operated(model.decoder, lambda t, weights: weights[0]),
    ):
        translate(model, [DATA.probe], WORDS)


def test_it_is_the_context_that_changes():
    """Weights of one on the first word: the state moves as if the sentence were that word's state alone."""
    torch.manual_seed(0)
    model = Seq2Seq(Encoder(9, 3, 4), AttentionDecoder(11, 3, 4)).double()
    source, lengths = torch.tensor([[5, 6, 2]]), torch.tensor([3])
    state = model.start(source, lengths)
    first = state._replace(fixed=tuple(part[..., :1] if part.dtype == torch.bool else part[:, :1]
                                       for part in state.fixed))  # fmt: skip
    expected = model.decoder.step(torch.tensor([1]), first).logits
    with operated(model.decoder, lambda t, weights: torch.tensor([[[1.0, 0, 0]]]).double()):
        found = model.decoder.step(torch.tensor([1]), state).logits
    torch.testing.assert_close(found, expected)


def test_a_beams_rows_are_those_of_its_hypothesis(model):
    """Teacher forcing the returned words gives the returned weights and log p (1e-5), whatever was ahead."""
    for pair in SOME:
        (batch,) = batches([pair], *WORDS)
        for found in beam(model, batch.source, batch.source_lengths, size=3)[0]:
            said = pair.__class__(pair.source, tuple(WORDS[1].names(found.tokens)))
            (rows,) = forced_weights(model, [said], WORDS)
            torch.testing.assert_close(found.weights, rows[: len(found.weights)], atol=1e-5, rtol=0)
