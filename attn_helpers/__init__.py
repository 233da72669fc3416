"""Attention in Motion: attention, its teaching and its pictures, in one small package.

One module per chapter of the book. Importing the package loads nothing heavy: torch, numpy,
matplotlib and the widget libraries arrive with the first name that needs them.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "AttentionHeatmap": "widgets",
    "attend": "scoring",
    "MaskLab": "widgets",
    "ScoreExplorer": "widgets",
}  # public name -> module that defines it
_ROOMS = (
    *("attention_seq2seq", "belongings", "check", "corpus", "cross_heads", "decoding", "depth", "ladder"),
    *("leak", "ledger", "lengths", "looking", "masks", "metrics", "multi_head", "museum", "pair", "plots"),
    *("positions", "replay", "schedule", "scoring"),
    *("seq2seq", "tiny_tasks", "trained", "training", "transformer", "widgets"),
)

__all__ = ["__version__", *_HOME, *_ROOMS]


def __getattr__(name: str) -> Any:
    """Import a room, or the room of a public name, on first use (PEP 562)."""
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"attn_helpers has no {name!r}; it offers {', '.join(sorted(__all__))}")


def __dir__() -> list[str]:
    return sorted(__all__)
