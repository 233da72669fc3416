"""Translating with the key/value cache against without: `measure()`, for tools/bench.py.

Without it, the decoder reads all the words so far anew at every step, and projects the source's keys and
values again; the source itself is read once either way. Same weights, same words, same logits.
"""

import statistics
import time
from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor

from attn_helpers.corpus.vocabulary import BOS
from attn_helpers.running import mode, one_thread
from attn_helpers.seq2seq import Memory
from attn_helpers.transformer import Transformer, TransformerDecoder

SOURCE = 15  # source words
WORDS = 358  # as the corpus of the book has
SIZES = {"1 x 24": (1, 24), "1 x 100": (1, 100), "64 x 24": (64, 24), "64 x 100": (64, 100)}


def cached(decoder: TransformerDecoder, memory: Memory, words: Tensor) -> Tensor:
    """Each word meets the earlier ones in the cache: the last logits (B, V)."""
    state = decoder.start(memory)
    for token in words.unbind(1):
        decoded, state, _ = decoder.write(token[:, None], state)
    return decoded.logits[:, -1]


def uncached(decoder: TransformerDecoder, memory: Memory, words: Tensor) -> Tensor:
    """All the words so far are read at every step."""
    for step in range(1, words.shape[1] + 1):
        decoded = decoder(words[:, :step], decoder.start(memory))
    last: Tensor = decoded.logits[:, -1]
    return last


def _ms(work: Callable[[], Tensor], runs: int) -> float:
    """Median processor time of a run."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(1000 * (time.process_time() - start))
    return round(statistics.median(times), 1)


@torch.no_grad()
def measure(sizes: dict[str, tuple[int, int]] = SIZES, runs: int = 3) -> dict[str, object]:
    """Both ways at each size, batch x words to say: about two minutes.

    returns  milliseconds of processor time per translation, the ratio, and the largest difference between
             the two ways' last logits
    """
    torch.manual_seed(0)
    model = Transformer(WORDS, WORDS)
    found: dict[str, object] = {"threads": 1, "source_words": SOURCE, "runs": runs}
    with one_thread(), mode(model, train=False):
        for name, (batch, steps) in sizes.items():
            source = torch.randint(4, WORDS, (batch, SOURCE))
            memory = model.encoder(source, torch.full((batch,), SOURCE))
            words = torch.randint(4, WORDS, (batch, steps)).index_fill(1, torch.tensor([0]), BOS)
            decoder = cast(TransformerDecoder, model.decoder)
            last = [way(decoder, memory, words) for way in (cached, uncached)]  # warm, too
            fast = _ms(lambda d=decoder, m=memory, w=words: cached(d, m, w), runs)  # type: ignore[misc]
            slow = _ms(lambda d=decoder, m=memory, w=words: uncached(d, m, w), runs)  # type: ignore[misc]
            found[name] = {
                "cached": fast,
                "uncached": slow,
                "ratio": round(slow / fast, 2),
                "difference": float((last[0] - last[1]).abs().max()),
            }
    return found


if __name__ == "__main__":
    print(measure())
