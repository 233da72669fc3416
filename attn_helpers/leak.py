"""What an open diagonal in the causal mask does: a Transformer trained with it beside one without. Chapter 5.

In training, word t of the leaky decoder may look at word t + 1 too, which is the very word it is asked for.
All else is the same, first weights and order of the batches too. `MaskLab` shows the measured table,
`data/leak.json`.
"""

import json
from importlib.resources import files
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from attn_helpers.corpus.pairs import Pair
from attn_helpers.corpus.sampling import corpus
from attn_helpers.decoding import translate
from attn_helpers.ladder import vocabularies
from attn_helpers.layers import Cache, DecoderLayer, Sizes
from attn_helpers.training import Settings, fit, loss_per_token
from attn_helpers.training.fingerprint import code_hash
from attn_helpers.transformer import Transformer

LONGEST = 9  # words of a source sentence: short ones are learned within seconds
SIZES = Sizes(width=64, heads=2, inner=128, layers=1)
STEPS, WINDOW, RATE = 800, 20, 6e-3  # a point of the curve is the mean of so many batches
SEEDS = (0, 1, 2, 3, 4)
JUDGED, LIMIT = 300, 20  # test sentences, the same for every model; words after which a translation is cut
SHOWN = 3  # sentences whose translations are kept, the book's own first


def leaky(mask: Tensor) -> Tensor:
    """Let each query see one key more than the mask allows: (..., T, S) bool, True = may attend.

    Of a causal mask it opens the diagonal above: s ≤ t + 1. A decoder that writes word after word has no
    next word to look at, so in use nothing is open.
    """
    return F.pad(mask, (1, 0), value=True)[..., :-1]  # query t sees key s where it saw s - 1


class LeakyLayer(DecoderLayer):
    """A decoder's layer whose words see the next word of the target."""

    def forward(
        self, x: Tensor, past: Cache, source: Cache, mask: Tensor | None, source_mask: Tensor | None
    ) -> tuple[Tensor, Cache, Tensor, Tensor]:
        """As `DecoderLayer`, with one diagonal of the mask opened."""
        return super().forward(x, past, source, None if mask is None else leaky(mask), source_mask)


def build(source_words: int, target_words: int, seed: int, *, leak: bool) -> Transformer:
    """The untrained model: the same first weights with and without the leak."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Transformer(source_words, target_words, SIZES)
    for layer in cast(nn.ModuleList, model.decoder.stack) if leak else ():
        layer.__class__ = LeakyLayer
    return model


def sentences() -> tuple[list[Pair], list[Pair]]:
    """The running task's sentences of at most nine words: to train on, and to be judged by."""
    whole = corpus(0)
    train, test = (
        [pair for pair in part if len(pair.source) <= LONGEST] for part in (whole.train, whole.test)
    )
    return train, [cast(Pair, whole.probe), *test[: JUDGED - 1]]


def measure(seed: int, *, leak: bool, steps: int = STEPS) -> dict[str, Any]:
    """Train one model; judge it when it is told all words before, and when it writes by itself.

    returns  train: loss per word, mean of every 20 batches; loss: the same on test sentences, in nats;
             exact: share of test sentences translated word for word; said: the first translations
    """
    train, judged = sentences()
    words = vocabularies(train)
    model = build(len(words[0]), len(words[1]), seed, leak=leak)
    history = fit(model, train, words, Settings(steps, rate=RATE, seed=seed), progress=False)
    said = [words[1].decode(one.tokens) for one in translate(model, judged, words, LIMIT)]
    right = sum(tuple(one) == pair.target for one, pair in zip(said, judged, strict=True))
    return {
        "seed": seed,
        "train": [sum(history.loss[i : i + WINDOW]) / WINDOW for i in range(0, steps, WINDOW)],
        "loss": loss_per_token(model, judged, words),
        "exact": right / len(judged),
        "said": said[:SHOWN],
    }


def code() -> str:
    """SHA-256 of the code that the table depends on."""
    return code_hash(["attn_helpers.leak"])


def table() -> dict[str, Any]:
    """The stored measurement: "right" and "leaky", one entry of `measure` per seed, and the "pairs" shown."""
    text = files("attn_helpers").joinpath("data", "leak.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


if __name__ == "__main__":  # python -m attn_helpers.leak > attn_helpers/data/leak.json
    meta = {"code": code(), "torch": torch.__version__.split("+")[0]}
    rows = {name: [measure(seed, leak=name == "leaky") for seed in SEEDS] for name in ("right", "leaky")}
    pairs = [(pair.source, pair.target) for pair in sentences()[1][:SHOWN]]
    print(json.dumps({"meta": meta, "pairs": pairs, **rows}, ensure_ascii=False))
