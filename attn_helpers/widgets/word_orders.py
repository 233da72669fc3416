"""Which word comes first? Two tiny Transformers are asked, one with positions and one without. Chapter 5.

Both learn all orders of the words *the black cat sleeps* and are to say, in French, which stands first. The
one without positions cannot: whatever it has learned, the order of its source makes no difference to it.
"""

from functools import cache
from itertools import permutations
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from attn_helpers import pair
from attn_helpers.corpus.vocabulary import BOS, EOS, Vocabulary
from attn_helpers.layers import Sizes
from attn_helpers.running import one_thread
from attn_helpers.transformer import Transformer

ORDERS = tuple(permutations(range(len(pair.SOURCE))))  # the first is the sentence as it is
KINDS = ("none", "sinusoids")
_FRENCH = dict(zip(pair.SOURCE, ("le", "noir", "chat", "dort"), strict=True))


@cache
def answers(steps: int = 40, seed: int = 0) -> dict[str, Any]:
    """Train both, half a second in all; the logits of the first word written, for every order of the source.

    returns  "words" (4,), "french" (4,) their translations, "orders" (24, 4) places in "words", and for each
             of "none" and "sinusoids" the logits (24, 4) of "french"
    """
    model_logits = {kind: _learn(kind, steps, seed).tolist() for kind in KINDS}
    french = [_FRENCH[word] for word in pair.SOURCE]
    return {"words": list(pair.SOURCE), "french": french, "orders": [list(o) for o in ORDERS], **model_logits}


def _learn(kind: str, steps: int, seed: int) -> Tensor:
    """The logits (24, 4) after training; the caller's random numbers stay what they were."""
    english, french = Vocabulary(pair.SOURCE), Vocabulary(pair.TARGET)
    orders = torch.tensor(ORDERS)  # (24, 4)
    words = torch.tensor(english.encode(pair.SOURCE))[orders]  # (24, 4)
    source = F.pad(words, (0, 1), value=EOS)  # (24, 5)
    columns = french.encode(_FRENCH[word] for word in pair.SOURCE)
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(seed)
        sizes = Sizes(width=16, heads=2, inner=32, layers=1, positions=kind)
        model = Transformer(len(english), len(french), sizes).double()
        optimizer = torch.optim.Adam(model.parameters(), 1e-2)
        for _ in range(steps):
            loss = F.cross_entropy(first_word(model, source), torch.tensor(columns)[orders[:, 0]])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        return first_word(model, source)[:, columns].detach()


def first_word(model: Transformer, source: Tensor) -> Tensor:
    """Logits (B, V) of the first word written, for source sentences (B, S) without padding."""
    batch, size = source.shape
    state = model.start(source, torch.full((batch,), size))
    return model.step(torch.full((batch,), BOS), state).logits
