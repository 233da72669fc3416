"""The running task of chapters 2–5 and 7: short English sentences, their French, and who hangs on whom."""

from attn_helpers.corpus.batches import Batch, batches
from attn_helpers.corpus.download import download
from attn_helpers.corpus.files import Reading, read_pairs, split
from attn_helpers.corpus.pairs import Pair, Splits
from attn_helpers.corpus.sampling import BINS, corpus, hero, length_bin
from attn_helpers.corpus.text import tokenize
from attn_helpers.corpus.vocabulary import Vocabulary

__all__ = [
    "BINS",
    "Batch",
    "Pair",
    "Reading",
    "Splits",
    "Vocabulary",
    "batches",
    "corpus",
    "download",
    "hero",
    "length_bin",
    "read_pairs",
    "split",
    "tokenize",
]
