"""How long a training step and a translation take at each length, as measured. Chapter 5.

`tools/bench_lengths.py` writes `data/lengths.json`. Other machines have other milliseconds; what can be
compared are the models with each other, and a model with itself at another length.
"""

import json
from importlib.resources import files
from typing import Any

from attn_helpers import expect


def stored() -> dict[str, Any]:
    """The whole file: "meta", "lengths", and in "train" and "generate" milliseconds a batch, by model."""
    text = files("attn_helpers").joinpath("data", "lengths.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def milliseconds(task: str) -> dict[str, list[float]]:
    """For each model the milliseconds of processor time at each of `stored()["lengths"]`, per batch.

    task  "train": forward and backward; "generate": reading the source and writing word by word
    Raises ValueError for another task.
    """
    if task not in ("train", "generate"):
        raise ValueError(f'task must be "train" or "generate", got {task!r}')
    found: dict[str, list[float]] = stored()[task]
    return found


def growth(times: list[float]) -> float:
    """By how much the time is multiplied when the length doubles: the last time by the one before it."""
    expect.above_zero(times[-2], "times[-2]")
    return times[-1] / times[-2]
