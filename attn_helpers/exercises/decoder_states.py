"""Exercise: a decoder's loop, with the context joined to the word at every step. Chapter 2."""

from collections.abc import Callable

import torch
from torch import Tensor

from attn_helpers.judge import Answer, Exercise

Join = Callable[[int, Tensor, Tensor], Tensor]  # step, y (B, E), c (B, c) → what the GRU reads


def _random(batch: int, steps: int, embedding: int, context: int, hidden: int) -> Answer:
    make = torch.Generator().manual_seed(0)
    shapes = (
        (batch, steps, embedding),
        (batch, context),
        (batch, hidden),
        (3 * hidden, embedding + context),
        (3 * hidden, hidden),
    )
    return tuple(torch.randn(shape, generator=make) for shape in shapes)


def _joined(step: int, word: Tensor, context: Tensor) -> Tensor:
    return torch.cat([word, context], dim=-1)


def _loop(join: Join = _joined, *, carry: bool = True, start: float = 1.0) -> Callable[..., Answer]:
    """All T states. carry: each step begins where the last one ended; start: factor of the initial state."""

    def answer(
        embedded: Tensor, context: Tensor, initial: Tensor, weight_in: Tensor, weight_state: Tensor
    ) -> Answer:
        state, states = start * initial, []
        for t in range(embedded.shape[1]):
            before = state if carry else start * initial
            state = torch.gru_cell(join(t, embedded[:, t], context), before, weight_in, weight_state)
            states.append(state)
        return (torch.stack(states, dim=1),)

    return answer


def _last(*given: Tensor) -> Answer:
    return (_loop()(*given)[0][:, -1],)


def _only_first(step: int, word: Tensor, context: Tensor) -> Tensor:
    return _joined(step, word, context if step == 0 else torch.zeros_like(context))


def _never(step: int, word: Tensor, context: Tensor) -> Tensor:
    return _joined(step, word, torch.zeros_like(context))


JOIN = Exercise(
    arguments=("embedded", "context", "initial", "weight_in", "weight_state"),
    parts=("states",),
    examples=(lambda: _random(2, 3, 5, 7, 11), lambda: _random(3, 4, 2, 5, 1)),
    right=_loop(),
    praise="a decoder: the state is handed over and moves on, the context stays and is read at each step.",
    sizes_hint=(
        "; the GRU reads word and context side by side, E + c numbers: torch.cat([y, context], dim=-1). "
        "Its state has h numbers and is another thing"
    ),
    mistakes=(
        (
            _loop(_never),
            "the context never enters: you give the decoder its initial state and no more, and that state "
            "is overwritten at every step. Join c to the word at each of the T steps",
        ),
        (
            _loop(_only_first),
            "the context enters at the first step only: then it serves as a second initial state, and fades "
            "as that does. Join it at each of the T steps",
        ),
        (
            _loop(lambda step, word, context: torch.cat([context, word], dim=-1)),
            "you put the context first; the columns of weight_in begin with the word: [y; c]",
        ),
        (
            _loop(lambda step, word, context: torch.cat([torch.zeros_like(word), context], dim=-1)),
            "the word before never enters: at step t the GRU reads embedded[:, t] and c",
        ),
        (
            _loop(start=0.0),
            "the initial state is dropped: your first step starts from zeros, not from what was handed over",
        ),
        (
            _loop(carry=False),
            "each of your steps starts from the initial state: hand on the state of the step before",
        ),
        (_last, "this is the last state alone; collect all T of them, (B, T, h)"),
    ),
)
