"""What MaskLab shows unless it is given something: source words, or target words as a decoder reads them."""

from typing import Any

from attn_helpers import leak

PAD, BOS = "⟨pad⟩", "⟨start⟩"
SENTENCES = (("the", "black", "cat", "sleeps"), ("the", "cat", "sleeps", PAD))
TARGETS = ((BOS, "le", "chat", "noir", "dort"), (BOS, "le", "chat", "dort", PAD))
WORDS = {  # word: query, key, value
    "the": ((1.4, -0.4), (-0.6, 0.5), (-1.7, 0.7)),
    "black": ((1.6, -0.2), (2.4, 0.3), (1.5, 1.3)),
    "cat": ((1.0, 1.2), (0.9, 0.7), (1.3, -1.1)),
    "sleeps": ((1.2, -1.4), (0.3, -1.2), (-1.1, -1.3)),
    BOS: ((0.3, 0.4), (0.2, 0.1), (0.0, 0.0)),
    "le": ((-0.1, 1.6), (-0.5, 0.8), (-1.5, 0.9)),
    "chat": ((1.0, 0.8), (0.8, 1.0), (1.4, -0.9)),
    "noir": ((1.5, -0.4), (1.9, 0.2), (1.6, 1.2)),
    "dort": ((-0.2, -1.6), (0.2, -1.3), (-1.0, -1.4)),
    PAD: ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0)),
}

SIZES = {  # trait: what its axes count, so that all agree
    "query_tokens": "BT",
    "query_vectors": "BT",
    "key_tokens": "BS",
    "key_vectors": "BS",
    "value_vectors": "BS",
    "lengths": "B",
}


def replay() -> dict[str, Any]:
    """What the page needs of the measured leak, as plain values.

    returns  "steps" the batches seen at each point of the curves, "pair" the sentence and its translation;
             "right" and "leaky": "train" a curve for each seed, "loss" and "exact" their means over the
             seeds, "said" what each seed makes of the sentence
    """
    table = leak.table()
    points = len(table["right"][0]["train"])
    told = {name: _told(table[name]) for name in ("right", "leaky")}
    return {"steps": [leak.WINDOW * (i + 1) for i in range(points)], "pair": table["pairs"][0], **told}


def _told(seeds: list[dict[str, Any]]) -> dict[str, Any]:
    mean = {name: sum(seed[name] for seed in seeds) / len(seeds) for name in ("loss", "exact")}
    curves = [[round(loss, 4) for loss in seed["train"]] for seed in seeds]
    return {"train": curves, "said": [seed["said"][0] for seed in seeds], **mean}
