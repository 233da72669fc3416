"""The measured table of cross-attention heads: the ladder's own models, a head chosen beforehand."""

import pytest
import torch

from attn_helpers import cross_heads, ladder
from attn_helpers.corpus import Pair, batches, corpus
from attn_helpers.layers import Sizes
from attn_helpers.looking import forced_weights
from attn_helpers.trained import load_trained
from attn_helpers.transformer import Transformer


def some(count=60):
    splits = corpus(0)
    return splits.test[:: len(splits.test) // count], ladder.vocabularies(splits.train)


def test_the_table_belongs_to_the_code_of_now():
    """The page prints rates of a model that nobody can train any more."""
    assert cross_heads.stored()["meta"]["stamp"] == cross_heads.stamp()


def test_the_models_are_those_of_the_ladder():
    """Trained again with the same seeds: the mean's rate on the test sentences is the ladder's."""
    seeds = ladder.row(cross_heads.ROW)["seeds"]
    assert [entry["seed"] for entry in cross_heads.table()] == [seed["seed"] for seed in seeds]
    assert len(seeds) >= 5
    for entry, seed in zip(cross_heads.table(), seeds, strict=True):
        assert entry["test"]["mean"] == pytest.approx(seed["aer"], abs=1e-6)


def test_the_kept_model_is_seed_0():
    """Heads of the model on the page are numbered as in the table: rounded weights, rates within a point."""
    splits = corpus(0)
    model, words = load_trained(cross_heads.ROW), ladder.vocabularies(splits.train)
    each, mean = cross_heads.error_rates(model, splits.validation, words)
    stored = cross_heads.table()[0]["validation"]
    torch.testing.assert_close(each, torch.tensor(stored["heads"]).double(), atol=0.01, rtol=0)
    assert mean == pytest.approx(stored["mean"], abs=0.01)


def test_each_pair_gets_its_own_weights():
    """In order, without padding, the mean over layers and heads what the model itself hands out."""
    pairs, words = some()
    torch.manual_seed(0)
    model = Transformer(len(words[0]), len(words[1]), Sizes(width=22, heads=2, layers=3))
    every = cross_heads.cross_weights(model, pairs, words)
    for pair, weights, mean in zip(pairs, every, forced_weights(model, pairs, words), strict=True):
        assert weights.shape == (3, 2, len(pair.target) + 1, len(pair.source) + 1)
        torch.testing.assert_close(weights.mean((0, 1)), mean)
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    alone = cross_heads.cross_weights(model, pairs[7:8], words)[0]
    torch.testing.assert_close(alone, every[7], atol=1e-6, rtol=0)


def test_rates_are_those_of_the_heads():
    """A head that follows the links has rate 0, one that looks elsewhere 1, each in its own place."""
    words = ladder.vocabularies([Pair(("a", "b"), ("c", "d"))])
    pair = Pair(("a", "b"), ("c", "d"), frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1)}))
    model = Transformer(len(words[0]), len(words[1]), Sizes(width=6, heads=2, layers=3))
    right, wrong = torch.eye(3), torch.eye(3)[[1, 0, 2]]
    maps = torch.stack(
        [torch.stack([wrong, right]), torch.stack([wrong, wrong]), torch.stack([right, wrong])]
    )
    look = model.look(*(next(batches([pair], *words)).source, torch.tensor([3]), torch.tensor([[1, 4, 5]])))
    model.look = lambda *given: look._replace(cross=maps[:, None])
    rates, mean = cross_heads.error_rates(model, [pair], words)
    assert rates.tolist() == [[1, 0], [1, 1], [0, 1]]
    assert mean == 1  # four of six look elsewhere
    assert cross_heads.best(torch.tensor([[0.4, 0.3, 0.5], [0.2, 0.9, 0.8]])) == (1, 0)
    assert cross_heads.best(torch.tensor([[0.4, 0.3, 0.5], [0.7, 0.9, 0.8]])) == (0, 1)
