"""The running corpus: splits, words, batches."""

from attn_helpers.corpus import Vocabulary, batches, corpus

SPLITS = corpus(seed=3, train=300, validation=40, test=60)


def test_the_same_seed_gives_the_same_corpus():
    """A claim measured on one machine is about the same sentences on another."""
    assert corpus(seed=3, train=300, validation=40, test=60) == SPLITS
    assert corpus(seed=4, train=300, validation=40, test=60) != SPLITS


def test_every_row_can_be_put_back_in_order():
    """A prediction shown beside the wrong sentence looks like a bad model."""
    vocabulary = Vocabulary(word for pair in SPLITS.test for word in pair.source)
    other = Vocabulary(word for pair in SPLITS.test for word in pair.target)
    for seed in (None, 5):
        for batch in batches(SPLITS.test, vocabulary, other, size=7, seed=seed):
            for i, row in enumerate(batch.rows.tolist()):
                assert tuple(vocabulary.decode(batch.source[i])) == SPLITS.test[row].source
                assert tuple(other.decode(batch.target_out[i])) == SPLITS.test[row].target
