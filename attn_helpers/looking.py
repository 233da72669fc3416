"""Where a trained model looks, and what it says when it is made to look elsewhere. Chapters 3 and 7."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count

import torch
from torch import Tensor

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import Pair, Vocabulary, batches
from attn_helpers.running import mode, one_thread
from attn_helpers.seq2seq import Seq2Seq

Change = Callable[[int, Tensor], Tensor]


@torch.no_grad()
def forced_weights(
    model: Seq2Seq, pairs: Sequence[Pair], vocabularies: tuple[Vocabulary, Vocabulary]
) -> list[Tensor]:
    """The weights of every pair under teacher forcing, each without its padding.

    returns  per pair (T + 1, S + 1): row t is where the step looked that *writes* target word t, the last
             row belongs to the end of sentence, the last column too

    Dropout is off. Raises ValueError for a model without attention.
    """
    found: dict[int, Tensor] = {}
    with mode(model, train=False), one_thread():
        for batch in batches(pairs, *vocabularies, size=256):
            weights = model(batch.source, batch.source_lengths, batch.target_in).weights
            if weights is None:
                raise ValueError("model must have attention, got one without")
            for row, i in enumerate(batch.rows.tolist()):
                found[i] = weights[row, : batch.target_lengths[row], : batch.source_lengths[row]].clone()
    return [found[i] for i in range(len(pairs))]


@contextmanager
def operated(decoder: AttentionDecoder, change: Change) -> Iterator[None]:
    """Inside, every look's weights go through `change(t, weights)`, and the context is made of what it says.

    change  the step t, from 0, and weights (B, 1, S) → weights (B, 1, S); they need not sum to 1

    The steps of *one* decoding are counted: open it anew for each. Raises ValueError for another shape.
    """
    look, steps = type(decoder).attend, count()

    def attend(query: Tensor, fixed: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        _, weights = look(decoder, query, fixed)
        changed = change(next(steps), weights)
        if changed.shape != weights.shape:
            raise ValueError(
                f"change must return weights of shape {tuple(weights.shape)}, got {tuple(changed.shape)}"
            )
        return changed @ fixed[1], changed

    decoder.attend = attend  # type: ignore[method-assign]
    try:
        yield
    finally:
        del decoder.attend
