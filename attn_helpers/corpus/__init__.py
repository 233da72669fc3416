"""The running task of chapters 2–5 and 7: short English sentences, their French, and who hangs on whom."""

from attn_helpers.corpus.batches import Batch, batches
from attn_helpers.corpus.pairs import Pair, Splits
from attn_helpers.corpus.sampling import corpus
from attn_helpers.corpus.vocabulary import Vocabulary

__all__ = ["Batch", "Pair", "Splits", "Vocabulary", "batches", "corpus"]
