"""A translation whose rows of attention are operated on: zero, uniform, swapped, set by hand. Chapters 3 and 7.

A *row* is where one step looks: one list of weights per head, H · L heads in a Transformer, one in a GRU
decoder. Written word by word: what a step is made to read changes its word, and so all that comes after.
Letters: L layers, H heads, S source words and their end. Browser twin: widgets/js/translate.js.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attn_helpers import expect
from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus.vocabulary import BOS, EOS, PAD
from attn_helpers.layers import DecoderLayer
from attn_helpers.looking import operated
from attn_helpers.multi_head import merge_heads
from attn_helpers.running import mode, one_thread
from attn_helpers.seq2seq import Seq2Seq
from attn_helpers.transformer import TransformerDecoder

KINDS = ("zero", "uniform", "swap", "set")
LIMIT = 64  # steps

Change = Callable[[int, int, Tensor], Tensor]
Head = tuple[int, int]  # layer and head, from 0


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
        if len(rows) != 1 + two or len(set(rows)) != len(rows) or min(expect.count(t, "a row") for t in rows) < 0:
            raise ValueError(f"{kind} needs {'two different rows' if two else 'one row'} from 0, got {rows}")
        if self.head is not None and (len(self.head) != 2 or min(expect.count(i, "head") for i in self.head) < 0):
            raise ValueError(f"head must be layer and head, each from 0, got {self.head}")
        if (weights is None) == (kind == "set") or not all(0 <= w <= 1 for w in weights or ()):
            raise ValueError(f'"set" needs weights from 0 to 1, and no other kind has any, got {kind}, {weights}')


class Written(NamedTuple):
    """A translation, and how each step came to its word."""

    ids: list[int]  # the words; the end of sentence is not among them
    log_probs: list[float]  # of each step's word, and of the end when it was reached
    rows: Tensor  # (steps, L · H, S) weights that were read with, after operations
    ended: bool  # False: cut at the limit


@contextmanager
def each_look(model: Seq2Seq, change: Change) -> Iterator[None]:
    """Inside, all weights over the source go through `change(t, layer, weights)`, and what is read with them.

    change  the step t and the layer, from 0; weights (B, H, 1, S) → (B, H, 1, S). They need not sum to 1.

    In a Transformer these are the weights of *cross*-attention; self-attention is left alone. A step's keys
    and values stay in the cache as the change has made them. The steps of one decoding are counted.
    Raises ValueError for a model without attention over a source.
    """
    decoder: Any = model.decoder
    with ExitStack() as patches:
        if isinstance(decoder, AttentionDecoder):
            patches.enter_context(operated(decoder, lambda t, w: change(t, 0, w[:, None])[:, 0]))
        elif isinstance(decoder, TransformerDecoder):
            for number, layer in enumerate(decoder.stack):
                patches.enter_context(_each_cross(layer, number, change))
        else:
            raise ValueError(f"model must have attention over its source, got {type(decoder).__name__}")
        yield


@contextmanager
def _each_cross(layer: DecoderLayer, number: int, change: Change) -> Iterator[None]:
    """`each_look` for one layer of a Transformer's decoder."""
    cross, steps = layer.cross, count()

    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> tuple[Tensor, Tensor]:
        _, weights = type(cross).attend(cross, query, key, value, mask)
        changed = change(next(steps), number, weights)  # (B, H, 1, S)
        if changed.shape != weights.shape:
            raise ValueError(f"change must return weights of shape {tuple(weights.shape)}, got {tuple(changed.shape)}")
        return cross.W_o(merge_heads(changed @ value)), changed

    cross.attend = attend  # type: ignore[method-assign]
    try:
        yield
    finally:
        del cross.attend


def heads_of(model: Seq2Seq) -> Head:
    """(layers, heads) that look at the source: (1, 1) for a GRU decoder."""
    decoder: Any = model.decoder
    if isinstance(decoder, TransformerDecoder):
        return decoder.layers, decoder.stack[0].cross.heads
    return 1, 1


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
    seen: list[Tensor] = []

    def change(t: int, layer: int, weights: Tensor) -> Tensor:
        if t in given:
            forced = given[t][layer].to(weights)
            weights = torch.where(forced.isnan(), weights, forced)
        seen.append(weights[0, :, 0])
        return weights

    ids, log_probs = [], []
    with mode(model, train=False), one_thread(), each_look(model, change):
        state, last = model.start(torch.tensor([source]), torch.tensor([len(source)])), BOS
        while last != EOS and len(log_probs) < limit:
            step = model.step(torch.tensor([last]), state)
            words = step.logits[0].double().log_softmax(-1)
            words[[PAD, BOS]] = -torch.inf  # never said
            state, last = step.state, int(words.argmax())
            log_probs.append(float(words[last]))
            ids.append(last)
    ended = last == EOS
    table = torch.stack(seen).reshape(len(log_probs), layers * heads, len(source))  # layers come in turn
    return Written(ids[:-1] if ended else ids, log_probs, table, ended)


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
