"""A translation whose rows of attention are operated on: zero, uniform, swapped, set. Chapters 3 and 7.

A *row* is where one step looks: one list of weights per head, H · L heads in a Transformer, one in a GRU
decoder. Written word by word: what a step is made to read changes its word, and so all that comes after.
Letters: L layers, H heads, S source words and their end. Browser twin: widgets/js/translate.js.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from attn_helpers import expect
from attn_helpers.corpus.vocabulary import BOS, EOS, PAD
from attn_helpers.running import mode, one_thread
from attn_helpers.seq2seq import Seq2Seq
from attn_helpers.steering import Head, each_look, heads_of

KINDS = ("zero", "uniform", "swap", "set")
LIMIT = 64  # steps


@dataclass(frozen=True)
class Operation:
    """What is done to a row, or to two of them.

    "zero"     nothing is read; "uniform" every source word alike
    "swap"     two steps trade their rows, each head its own
    "set"      the row is `weights`, in every head that is meant

    Raises ValueError for another kind, for rows or weights that do not belong to it.
    """

    kind: str
    rows: tuple[int, ...]  # steps, from 0; two for a swap
    head: Head | None = None  # layer and head; None: all heads of all layers
    weights: tuple[float, ...] | None = None  # (S,) of "set", from 0 to 1

    def __post_init__(self) -> None:
        kind, rows, weights = self.kind, self.rows, self.weights
        if kind not in KINDS:
            raise ValueError(f"operation must be one of {', '.join(KINDS)}, got {kind!r}")
        two = kind == "swap"
        if len({expect.count(t, "a row") for t in rows}) != 1 + two or len(rows) != 1 + two:
            raise ValueError(f"{kind} needs {'two different rows' if two else 'one row'}, got {rows}")
        if self.head is not None and len([expect.count(i, "head") for i in self.head]) != 2:
            raise ValueError(f"head must be layer and head, got {self.head}")
        if (weights is None) == (kind == "set") or not all(0 <= w <= 1 for w in weights or ()):
            raise ValueError(f'"set" needs weights from 0 to 1, no other kind has any, got {kind}, {weights}')


class Written(NamedTuple):
    """A translation, and how each step came to its word."""

    ids: list[int]  # the words; the end of sentence is not among them
    log_probs: list[float]  # of each step's word, and of the end when it was reached
    rows: Tensor  # (steps, L · H, S) weights that were read with, after operations
    ended: bool  # False: cut at the limit


@torch.no_grad()
def write(
    model: Seq2Seq, source: Sequence[int], rows: Mapping[int, Tensor] | None = None, limit: int = LIMIT
) -> Written:
    """Greedy translation of one sentence; where rows are given, they are read with.

    source  S numbers, with their end of sentence
    rows    step → (L · H, S), NaN where a head is left alone

    Raises ValueError for a model without attention and for rows of another shape.
    """
    layers, heads = heads_of(model)
    given = {t: row.reshape(layers, 1, heads, 1, len(source)) for t, row in (rows or {}).items()}
    seen: list[Tensor] = []  # step by step, its layers in turn

    def change(t: int, layer: int, weights: Tensor) -> Tensor:
        forced = given[t][layer].to(weights) if t in given else torch.full_like(weights, torch.nan)
        seen.append(torch.where(forced.isnan(), weights, forced))
        return seen[-1]

    ids: list[int] = []
    log_probs: list[float] = []
    with mode(model, train=False), one_thread(), each_look(model, change):
        state, last = model.start(torch.tensor([source]), torch.tensor([len(source)])), BOS
        while last != EOS and len(ids) < limit:
            step = model.step(torch.tensor([last]), state)
            words = step.logits[0].double().log_softmax(-1)
            state, last = step.state, int(words.index_fill(0, torch.tensor([PAD, BOS]), -torch.inf).argmax())
            log_probs.append(float(words[last]))
            ids.append(last)
    table = torch.stack(seen).reshape(len(ids), layers * heads, len(source))
    return Written([word for word in ids if word != EOS], log_probs, table, last == EOS)


def operate(model: Seq2Seq, source: Sequence[int], operations: Sequence[Operation]) -> list[Written]:
    """The translation as trained, then after the first operation, after the first two, and so on.

    An operation is done to the rows in sight, those that the operations before it have left. One that does
    not fit, on a step that is not there or with weights for another sentence, does nothing.
    """
    shape, rows = heads_of(model), dict[int, Tensor]()
    written = [write(model, source)]
    for operation in operations:
        for t, row in changed_rows(operation, written[-1].rows, shape).items():
            before = rows.get(t, torch.full_like(row, torch.nan))
            rows[t] = torch.where(row.isnan(), before, row)
        written.append(write(model, source, rows) if fits(operation, written[-1].rows) else written[-1])
    return written


def fits(operation: Operation, table: Tensor) -> bool:
    """Whether its steps are there, and its weights are as many as there are words: rows (steps, L · H, S)."""
    width = None if operation.weights is None else len(operation.weights)
    return max(operation.rows) < len(table) and width in (None, table.shape[-1])


def changed_rows(operation: Operation, table: Tensor, shape: Head = (1, 1)) -> dict[int, Tensor]:
    """What the operation makes of the rows of a table (steps, L · H, S): step → (L · H, S), NaN = left alone.

    Nothing where it does not fit. A model with one head has it meant whatever `head` says.
    """
    if not fits(operation, table):
        return {}
    steps, like = operation.rows, table[0]
    new = {
        "zero": lambda: [torch.zeros_like(like)],
        "uniform": lambda: [torch.full_like(like, 1 / like.shape[-1])],
        "swap": lambda: [table[steps[-1]], table[steps[0]]],
        "set": lambda: [like.new_tensor(operation.weights).expand_as(like)],
    }[operation.kind]()
    meant = torch.ones(len(like), 1, dtype=torch.bool)
    if operation.head is not None and shape != (1, 1):
        meant[:] = False
        meant[operation.head[0] * shape[1] + operation.head[1]] = True
    return {t: torch.where(meant, row, torch.nan) for t, row in zip(steps, new, strict=True)}
