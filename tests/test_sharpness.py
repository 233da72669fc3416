"""The measured reason for √d."""

import json

import numpy as np
import pytest
import torch

from attn_helpers import sharpness as room
from attn_helpers.scoring import sharpness, sharpness_table

TABLE = sharpness_table()


def test_the_stored_table_is_what_the_code_measures():
    """Measured again in full, to the last stored digit: the book prints no number that nobody can get."""
    again = sharpness()
    assert set(again["meta"]) == {"seed", "draws", "keys", "numpy"}
    again["meta"]["numpy"] = TABLE["meta"]["numpy"]
    assert again == TABLE


def test_the_table_has_the_shape_the_widget_reads():
    """Widths 2…512, one number per width and divisor, eight products per width; plain JSON without NaN."""
    assert TABLE["widths"] == [2**i for i in range(1, 10)]
    for measure in ("top", "gradient"):
        assert {name: len(values) for name, values in TABLE[measure].items()} == {"1": 9, "sqrt": 9, "d": 9}
    assert np.shape(TABLE["draw"]["dots"]) == (9, 8)
    json.dumps(TABLE, allow_nan=False)


def test_what_the_chapter_says_of_it():
    """Undivided, one key takes all and the gradient dies; ÷d flattens towards 1/8; ÷√d holds still."""
    top, gradient = TABLE["top"], TABLE["gradient"]
    assert top["1"] == sorted(top["1"])
    assert top["1"][-1] > 0.999
    assert gradient["1"][-1] < 1e-3 < 0.3 < gradient["1"][0]
    assert top["d"] == sorted(top["d"], reverse=True)
    assert 1 / 8 < top["d"][-1] < 0.14
    assert max(top["sqrt"]) - min(top["sqrt"]) < 0.05
    assert max(gradient["sqrt"]) - min(gradient["sqrt"]) < 0.02


def test_the_drawn_example_is_typical():
    """The eight bars of the widget stay near the medians at every width, whichever of ÷1 and ÷√d is on."""
    for i, d in enumerate(TABLE["widths"]):
        products = np.array(TABLE["draw"]["dots"][i])
        for name, divisor in (("1", 1), ("sqrt", d**0.5)):
            weights = torch.tensor(products / divisor).softmax(-1)
            assert abs(weights.max().item() - TABLE["top"][name][i]) < 0.2
            assert weights.argmax() == products.argmax()


def test_the_drawn_example_has_one_winner_and_begins_at_the_median():
    """As d grows the same bar wins, and the first view's bar is as high as the median printed beside it."""
    dots = np.array(TABLE["draw"]["dots"])
    assert len(set(dots.argmax(-1))) == 1
    assert abs(torch.tensor(dots[0]).softmax(-1).max().item() - TABLE["top"]["1"][0]) <= 0.02


def test_the_example_is_chosen_by_winner_then_start_then_distance():
    """Each rule outranks the next: four draws, two widths, two keys."""
    one, other = [2.0, 0.0], [0.0, 2.0]
    dots = np.array([[one, one, one, one], [other, one, one, one]])  # the first draw changes its winner
    tops = np.array([[0.5, 0.6, 0.51, 0.5], [0.9, 0.9, 0.8, 0.7]])
    medians = np.array([0.5, 0.9])

    def chosen(*draws):
        some = list(draws)
        values = {"1": tops[:, some], "sqrt": tops[:, some]}
        return some[room._typical(dots[:, some], values, {"1": medians, "sqrt": medians})]

    assert chosen(0, 1, 2, 3) == 2
    assert chosen(0, 1) == 1
    assert chosen(0) == 0


def test_gradient_is_the_norm_of_the_jacobian():
    """Automatic differentiation of the softmax gives the same norm."""
    scores = torch.randn(5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    jacobians = [torch.autograd.functional.jacobian(lambda s: s.softmax(-1), row) for row in scores]
    expected = [jacobian.norm().item() for jacobian in jacobians]
    np.testing.assert_allclose(room._gradient(scores.softmax(-1).numpy()), expected)


def test_products_spread_like_the_root_of_the_width():
    """The variance of q·k is d: the whole reason for √d."""
    products = room._dot_products([3, 50], keys=8, draws=4000, seed=1)
    np.testing.assert_allclose(products.var(axis=(1, 2)), [3, 50], rtol=0.1)
    assert abs(products.mean()) < 0.1


def test_a_narrow_width_is_the_beginning_of_a_wide_one():
    """Adding a width to the table changes no number that was there."""
    few, more = sharpness([3, 8], draws=50), sharpness([3, 5, 8, 13], draws=50)
    assert few["top"]["1"] == [more["top"]["1"][0], more["top"]["1"][2]]


@pytest.mark.parametrize("widths", [[4, 2], [2, 2], [0, 2], []])
def test_widths_must_increase(widths):
    """Bad input, named."""
    with pytest.raises(ValueError, match=r"widths must be increasing and at least 1, got \["):
        sharpness(widths)


@pytest.mark.parametrize("name", ["keys", "draws"])
def test_counts_must_be_positive(name):
    """Bad input, named."""
    with pytest.raises(ValueError, match=f"{name} must be at least 1, got 0"):
        sharpness([2], **{name: 0})
