"""The stack with and without what goes around its blocks: the claims of chapter 5, in several seeds."""

import pytest
import torch

from attn_helpers.depth import AROUND, climb
from attn_helpers.layers import EncoderLayer, Sizes


@pytest.mark.parametrize(("kind", "norm"), [("norm first", "pre"), ("norm after", "post")])
def test_two_kinds_are_the_packages_layers(kind, norm):
    """What the table shows of pre- and post-norm is said of other layers than the book's."""
    torch.manual_seed(3)
    stack = [EncoderLayer(Sizes(norm=norm)).double() for _ in range(2)]
    x = torch.randn(1, 12, 64, dtype=torch.float64)
    with torch.no_grad():
        for number, layer in enumerate(stack, 1):
            x = layer(x)[0]
            level = climb(kind, layers=2, seed=3)[number]
            assert level.size == pytest.approx(float(x.pow(2).mean().sqrt()), abs=1e-12)
            rows = x[0] / x[0].norm(dim=1, keepdim=True)
            others = [float(rows[i] @ rows[j]) for i in range(12) for j in range(12) if i != j]
            assert level.alike == pytest.approx(sum(others) / len(others), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_what_the_chapter_says_of_them(seed):
    """Without residuals words become one; without norms numbers run away; with both, neither."""
    top = {kind: climb(kind, seed=seed)[-1] for kind in AROUND}
    assert climb("no residual", layers=4, seed=seed)[-1].alike > 0.99
    assert top["no norm"].size > 1000
    assert top["norm after"].size == pytest.approx(1, abs=1e-3)
    assert top["norm after"].alike > 0.95
    assert top["norm first"].alike < 0.95
    assert top["norm first"].size < 6
    assert all(climb(kind, layers=1, seed=seed)[0].alike < 0.1 for kind in AROUND)


def test_random_numbers_are_the_callers():
    """A look at the stack must not change what the next cell draws."""
    before = torch.random.get_rng_state()
    climb("norm first", layers=1)
    assert torch.equal(torch.random.get_rng_state(), before)
    with pytest.raises(ValueError, match=r"kind must be one of norm first, .* got 'pre'"):
        climb("pre")
