"""The still picture of Seq2SeqStepper: what was read and written, and the five best words of one step."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from attn_helpers.plots.colours import INK
from attn_helpers.plots.ink import Picture, decimals, faces, labels, note, style, token


def seq2seq_stepper(*, source: Sequence[str], steps: Sequence[Any], names: Callable[[int], str]) -> Picture:
    """Draw the steps made so far, each with the probability of its gold word, and the last one's best words.

    source  the source tokens
    steps   of (reads, writes, gold, gold_probability, probabilities (V,), …), at least one
    names   word number → word
    """
    if not steps:
        raise ValueError("steps must hold at least one step, got none")
    last = steps[-1]
    off = sum(step.writes != step.gold for step in steps)
    alt = (
        f"The decoder translates “{token(' '.join(source), 60)}”; at step {len(steps)} it reads "
        f"{token(last.reads)} and writes {token(last.writes)}; {_gold(last)}; "
        f"{off} of {len(steps)} words off gold."
    )
    picture = Picture(alt, 900, 90 + 34 * max(6, len(steps)), layout="constrained")
    with style():
        left, right = picture.subplots(1, 2, gridspec_kw={"wspace": 0.12})
        _steps(left, source, steps)
        _best(right, last.probabilities, names, len(steps))
    return picture


def _gold(step: Any) -> str:
    if step.gold is None:
        return "the gold sentence is over"
    return f"the gold word {token(step.gold)} has probability {decimals(step.gold_probability)}"


def _steps(axes: Axes, source: Sequence[str], steps: Sequence[Any]) -> None:
    """One row per step: the word read, the word written, the gold word's probability as a bar."""
    said = [f"{token(step.reads, 14)} → {token(step.writes, 14)}" for step in steps]
    axes.set(xlim=(0, 1.15), ylim=(max(6, len(steps)) - 0.5, -0.5), xticks=(0, 0.5, 1))
    axes.set_yticks(range(len(steps)), labels=said, family=list(faces(mono=True)))
    axes.tick_params(axis="y", length=0, labelcolor=INK["q-text"])
    axes.grid(visible=False, axis="y")
    axes.set_title(f"{token(' '.join(source), 48)}: probability of the gold word", loc="left", pad=10)
    for row, step in enumerate(steps):
        axes.barh(row, step.gold_probability, height=0.55, color=INK["line-strong"])
        tail = "" if step.gold in (None, step.writes) else f"  gold: {token(step.gold, 14)}"
        note(axes, decimals(step.gold_probability) + tail, (step.gold_probability, row), (5, 0))


def _best(axes: Axes, probabilities: Any, names: Callable[[int], str], t: int) -> None:
    """The five best words of a step; padding (0) and begin (1) are none."""
    order = [i for i in np.argsort(-probabilities, kind="stable") if i > 1][:5]
    words = labels([names(int(i)) for i in order], len(order), "names", longest=16)
    axes.set(xlim=(0, 1.15), ylim=(5.5, -0.5), xticks=(0, 0.5, 1))
    axes.set_yticks(range(len(order)), labels=words, family=list(faces(mono=True)))
    axes.tick_params(axis="y", length=0, labelcolor=INK["q-text"])
    axes.grid(visible=False, axis="y")
    axes.set_title(f"step {t}: best words", loc="left", pad=10)
    for row, i in enumerate(order):
        axes.barh(row, probabilities[i], height=0.55, color=INK["ink" if row == 0 else "line-strong"])
        note(axes, decimals(float(probabilities[i])), (probabilities[i], row), (5, 0))
