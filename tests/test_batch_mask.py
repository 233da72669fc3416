"""Three ways to say a mask, each read in one way only."""

import re
import warnings

import pytest
import torch

from attn_helpers.batch_mask import as_mask
from attn_helpers.masks import causal_mask, valid_length_mask

B, T, S = 2, 5, 7


def allowed(mask, batch=B, queries=T, keys=S):
    return as_mask(mask, batch, queries, keys).expand(batch, queries, keys)


def test_each_form_says_who_may_attend():
    full = torch.rand(B, T, S, generator=torch.Generator().manual_seed(0)) < 0.5
    assert as_mask(None, B, T, S) is None
    assert allowed(full).equal(full)
    assert allowed(full[0]).equal(full[:1].expand(B, T, S))
    assert allowed(full[:, :1]).equal(full[:, :1].expand(B, T, S))
    for lengths in ([7, 0], (7, 0), torch.tensor([7, 0]), torch.tensor([7, 0], dtype=torch.int32)):
        assert allowed(lengths).equal(valid_length_mask([7, 0], S).expand(B, T, S))


@pytest.mark.parametrize(("batch", "queries", "keys"), [(5, 5, 7), (5, 5, 5), (3, 3, 2)])
def test_two_axes_are_queries_and_keys_even_where_they_could_be_the_batch(batch, queries, keys):
    mask = causal_mask(queries, keys, align="start")
    with pytest.warns(UserWarning, match=re.escape(f"mask {tuple(mask.shape)} is read as (T, S)")):
        assert allowed(mask, batch, queries, keys).equal(mask[None].expand(batch, queries, keys))


@pytest.mark.parametrize(("batch", "queries", "keys"), [(2, 5, 7), (2, 5, 5), (1, 1, 3), (7, 5, 7)])
def test_no_warning_where_there_is_one_reading(batch, queries, keys):
    """B = S or T = S is no doubt, nor is a batch of one query: both readings are the same then."""
    mask = torch.ones(queries, keys).bool()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert allowed(mask, batch, queries, keys).all()
        allowed(mask[None], batch, queries, keys)
        allowed([keys] * batch, batch, queries, keys)


REFUSED = {
    "R029, floats": (torch.zeros(B, T, S), TypeError, "mask must be a boolean tensor"),
    "0 and 1": (torch.ones(T, S, dtype=torch.long), TypeError, "convert it: mask == 1 where 1 means"),
    "one boolean per item": (torch.ones(B).bool(), ValueError, r"mask must be \(B, T, S\) = \(2, 5, 7\)"),
    "padding of two axes": (torch.ones(B, S).bool(), ValueError, r"padding mask \(B, S\) is mask\[:, None\]"),
    "two axes, one of 1": (torch.ones(1, S).bool(), ValueError, r"or \(T, S\) = \(5, 7\).* got \(1, 7\)"),
    "keys before queries": (torch.ones(S, T).bool(), ValueError, r"got \(7, 5\)"),
    "PyTorch's": (torch.ones(B * 3, T, S).bool(), ValueError, r"lengths \(B,\), got \(6, 5, 7\)"),
    "with heads": (torch.ones(B, 1, T, S).bool(), ValueError, "each equal or 1"),
    "a length short": ([7], ValueError, "one per item, B = 2, got 1"),
    "too long": ([8, 1], ValueError, r"lengths must lie between 0 and size = 7, got \[8, 1\]"),
    "half a word": ([2.5, 1], TypeError, "lengths must be whole numbers"),
    "NumPy's": (torch.ones(T, S).bool().numpy(), TypeError, "got ndarray; convert it with torch.as_tensor"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_mask_is_refused(case):
    mask, error, says = REFUSED[case]
    with pytest.raises(error, match=says):
        as_mask(mask, B, T, S)
