"""MaskLab for a decoder: target words at target words, and what an opened future is said to do."""

import json

import numpy as np
import pytest
from traitlets import TraitError

from attn_helpers import leak
from attn_helpers.widgets import MaskLab


def test_what_chapter_5_shows_first():
    """A word sees one that is not written yet, or a padding."""
    widget = MaskLab.decoder()
    assert widget.query_tokens == widget.key_tokens
    assert widget.key_tokens[0] == ("⟨start⟩", "le", "chat", "noir", "dort")
    assert widget.lengths == (5, 4)
    want = [[s <= t and s < length for s in range(5)] for length in (5, 4) for t in range(5)]
    assert widget.mask.reshape(10, 5).tolist() == want
    assert (widget.foreseen == 0).all()
    assert widget.opened == ()
    assert repr(widget) == "MaskLab(2×5×5, causal)"
    assert MaskLab.decoder(causal=False, cell=(1, 0, 0)).cell == (1, 0, 0)
    assert MaskLab()._leak == {}  # chapter 1 knows nothing of it
    assert MaskLab().reserve is None


def test_what_counts_as_opened():
    """Padding, or the past, passes for the future."""
    widget = MaskLab.decoder(flips=[(0, 1, 2), (0, 2, 1), (1, 1, 4), (1, 4, 4)])
    assert widget.opened == ((0, 1, 2),)
    assert widget.foreseen[0, 1] == pytest.approx(widget.weights[0, 1, 2])
    assert widget.foreseen[0, 1] > 0.3
    assert widget.foreseen[0, 2] == 0
    widget.causal = False
    assert widget.opened == ()
    np.testing.assert_allclose(widget.foreseen[0, 4], 0)
    np.testing.assert_allclose(widget.foreseen[0, 0], 1 - widget.weights[0, 0, 0])


def test_the_page_gets_what_was_measured():
    """A curve or a translation on the page is not the table's."""
    told, table = MaskLab.decoder()._leak, leak.table()
    assert told["pair"] == table["pairs"][0]
    assert told["steps"][-1] == leak.STEPS
    for name in ("right", "leaky"):
        assert told[name]["said"] == [seed["said"][0] for seed in table[name]]
        np.testing.assert_allclose(told[name]["train"], [seed["train"] for seed in table[name]], atol=5e-5)
        for what in ("loss", "exact"):
            assert told[name][what] == pytest.approx(np.mean([seed[what] for seed in table[name]]))
    assert len(json.dumps(told, allow_nan=False)) < 8000


def test_what_the_page_claims_of_it():
    """ "It falls faster, and the model writes nonsense" is said for every seed."""
    told = MaskLab.decoder()._leak
    right, leaky = (np.array(told[name]["train"]) for name in ("right", "leaky"))
    assert (leaky[:, 4:] < right[:, 4:]).mean() > 0.99
    assert leaky.max(0)[10:].max() < 1
    assert all(said == told["pair"][1] for said in told["right"]["said"])
    assert not any(said == told["pair"][1] for said in told["leaky"]["said"])


def test_a_guess_is_one_of_three():
    """A slip is taken for a guess."""
    with pytest.raises(TraitError, match="leak_guess"):
        MaskLab.decoder(leak_guess="faster")
    assert MaskLab.decoder(leak_guess="same").leak_guess == "same"
