"""A trained model that travels: to 16 bits a weight, and as good as the one that was measured."""

import sys
from pathlib import Path

import pytest
import torch

from attn_helpers import ladder
from attn_helpers.corpus import corpus
from attn_helpers.decoding import translate
from attn_helpers.ladder import RECIPES, vocabularies
from attn_helpers.metrics import exact_match
from attn_helpers.trained import load_trained, save_trained

sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))
import keep


def test_the_kept_model_is_the_measured_one():
    """Seed 0 of the row: rounded to 16 bits it translates as well, within two points, and aligns as well."""
    splits = corpus(0)
    words = vocabularies(splits.train)
    model = load_trained("bahdanau-bidirectional")
    some = splits.test[::4]
    said = [words[1].decode(found.tokens) for found in translate(model, some, words)]
    seed = ladder.row("bahdanau-bidirectional")["seeds"][0]
    assert exact_match(said, some)["overall"] == pytest.approx(seed["overall"], abs=0.05)
    assert keep.models.error_rate(model, some) == pytest.approx(seed["aer"], abs=0.02)


def test_a_model_is_kept_to_16_bits(tmp_path, monkeypatch):
    """Every weight within its row's largest / 65534; NaN is refused; an unknown name is named."""
    model = RECIPES["bahdanau-bidirectional"].build(11, 13, seed=0)
    save_trained(model, tmp_path / "bahdanau-bidirectional.npz", stamp="x")
    monkeypatch.setattr("attn_helpers.trained._file", lambda name: tmp_path / name)
    back = load_trained("bahdanau-bidirectional")
    assert not back.training
    for key, value in model.state_dict().items():
        table, twin = torch.atleast_2d(value), torch.atleast_2d(back.state_dict()[key])
        near = table.abs().amax(1, keepdim=True) / 65534 * 1.02 + 1e-12  # float32 rounds, too
        assert ((table - twin).abs() <= near).all()
    with torch.no_grad():
        model.decoder.output.bias[0] = float("nan")
    with pytest.raises(ValueError, match=r"NaN or infinity in decoder\.output\.bias"):
        save_trained(model, tmp_path / "x.npz")
    monkeypatch.undo()
    with pytest.raises(KeyError, match="no trained model 'bahdanau'; there are bahdanau-bidirectional"):
        load_trained("bahdanau")
