"""Milliseconds against length: what the page prints is whole, and the measurement measures what it says."""

import sys
from pathlib import Path

import pytest
import torch

from attn_helpers import lengths
from attn_helpers.corpus.vocabulary import BOS
from attn_helpers.ladder import RECIPES

sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))
import bench_lengths


def test_the_table_is_whole():
    """A model or a length is missing, or nobody says when and where it was measured."""
    stored = lengths.stored()
    assert stored["lengths"] == list(bench_lengths.LENGTHS)
    assert stored["threads"] == 1
    assert {"date", "machine", "torch", "load"} == stored["meta"].keys()
    assert list(lengths.milliseconds("train")) == list(bench_lengths.ROWS)
    assert list(lengths.milliseconds("generate")) == [*bench_lengths.ROWS, "transformer, no cache"]
    for task in ("train", "generate"):
        for times in lengths.milliseconds(task).values():
            assert len(times) == len(stored["lengths"])
            assert times == sorted(times)  # nothing takes less time when it is longer
            assert times[0] > 0


def test_growth_is_the_last_doubling():
    assert lengths.growth([1.0, 2.0, 8.0]) == 4
    with pytest.raises(ValueError, match="above 0"):
        lengths.growth([0.0, 1.0])
    with pytest.raises(ValueError, match='task must be "train" or "generate", got \'learn\''):
        lengths.milliseconds("learn")


@pytest.mark.parametrize("name", bench_lengths.ROWS)
def test_both_tasks_read_the_whole_sentence(name):
    """A step that skips words is fast: the last logits depend on the first source and on each target word."""
    model = RECIPES[name].build(bench_lengths.WORDS, bench_lengths.WORDS, seed=0).double().eval()
    source, target = bench_lengths._batch(2, 7)
    assert source.shape == target.shape == (2, 7)
    assert (target[:, 0] == BOS).all()
    said = bench_lengths.generate(model, source, target)
    lengths_ = torch.full((2,), 7)
    with torch.no_grad():
        torch.testing.assert_close(said, model(source, lengths_, target).logits[:, -1])
    if name == "transformer":
        torch.testing.assert_close(said, bench_lengths.generate_anew(model, source, target))
    loss = bench_lengths.train_step(model, source, target)
    assert loss.item() > 0
    assert all(weight.grad is not None and weight.grad.any() for weight in model.encoder.parameters())


def test_a_measurement_has_every_model_at_every_length():
    found = bench_lengths.measure((2, 3), batch=2, runs=1)
    assert list(found["train"]) == list(bench_lengths.ROWS)
    assert all(len(times) == 2 for task in ("train", "generate") for times in found[task].values())
