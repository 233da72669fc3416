"""The running pair says in every place the same, and shows what the text says it shows."""

import pytest

from attn_helpers import pair
from attn_helpers.scoring import attend_numpy
from attn_helpers.widgets import MaskLab, ScoreExplorer

NOUN, ADJECTIVE = pair.SOURCE.index("cat"), pair.SOURCE.index("black")
GIVEN = pair.QUERIES, pair.KEYS, pair.VALUES


def test_every_word_has_its_vectors():
    """A query per French word, a key and a value per English word, all of width 2."""
    for words, vectors in ((pair.TARGET, pair.QUERIES), (pair.SOURCE, pair.KEYS), (pair.SOURCE, pair.VALUES)):
        assert [len(vector) for vector in vectors] == [2] * len(words)


def test_widgets_start_from_the_same_vectors():
    """The arrow of *cat* is where the chapter's text left it, in each picture."""
    explorer, lab = ScoreExplorer(), MaskLab()
    assert explorer.key_tokens == pair.SOURCE == lab.key_tokens[0]
    assert explorer.query == pair.QUERIES[pair.TARGET.index(explorer.query_token)]
    assert explorer.key_vectors == pair.KEYS == lab.key_vectors[0]
    assert explorer.value_vectors == pair.VALUES == lab.value_vectors[0]


def test_a_long_arrow_wins_the_dot_product():
    """The story of chapter 1: chat reads black, because that key is long."""
    _, weights = attend_numpy(*GIVEN)
    assert weights[1].argmax() == ADJECTIVE
    assert weights[1, ADJECTIVE] == pytest.approx(0.6005, abs=5e-5)


def test_the_sharp_cosine_crosses():
    """The picture of the front page: every word finds its translation, so the ribbons cross."""
    _, weights = attend_numpy(*GIVEN, score="cosine", temperature=0.1)
    assert tuple(enumerate(weights.argmax(axis=1))) == pair.SURE
    assert weights[1, NOUN] == pytest.approx(0.81, abs=0.005)
