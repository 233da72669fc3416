"""Self-checks of the exercises: they name the misconception behind a wrong answer.

`check.attend(my_function)` prints one line, "✓ …" or "not yet: …". It never raises, and it returns
nothing, so that a cell shows the line and no more. A new exercise is a module in exercises/: one `Exercise`
with a table of (wrong answer, what it reveals), and here a function that prints its verdict (those of
chapter 5 stand in exercises/ask_transformer.py).
"""

from collections.abc import Callable

import torch

from attn_helpers.exercises import masking
from attn_helpers.exercises.ask_transformer import causal_mask as causal_mask
from attn_helpers.exercises.ask_transformer import cross_attention as cross_attention
from attn_helpers.exercises.ask_transformer import later_mask as later_mask
from attn_helpers.exercises.ask_transformer import layer_parameters as layer_parameters
from attn_helpers.exercises.ask_transformer import placed as placed
from attn_helpers.exercises.ask_transformer import pre_norm as pre_norm
from attn_helpers.exercises.attention import ATTEND
from attn_helpers.exercises.axes import name_axes
from attn_helpers.exercises.by_loop import BY_LOOP
from attn_helpers.exercises.decoder_states import JOIN
from attn_helpers.exercises.head_parameters import PARAMETERS
from attn_helpers.exercises.head_scores import HEAD_SCORES
from attn_helpers.exercises.last_state import LAST
from attn_helpers.exercises.looking import CONTEXTS
from attn_helpers.exercises.queries import QUERIES
from attn_helpers.exercises.rows import ROWS
from attn_helpers.exercises.token_loss import LOSS
from attn_helpers.exercises.widths import WIDTHS
from attn_helpers.judge import verdict


def attend(function: Callable[..., object]) -> None:
    """Check attention for a batch in one matrix line. Chapter 1.

    function  query (B, T, d), key (B, S, d), value (B, S, v) → output (B, T, v), weights (B, T, S)
    prints    what its answer shows; raises nothing
    """
    print(verdict(ATTEND, function))


def additive_score(function: Callable[..., object]) -> None:
    """Check additive scores of queries and keys whose widths differ. Chapter 1.

    function  query (B, T, q), key (B, S, k), query_weight (h, q), key_weight (h, k), value_weight (h,)
              → scores (B, T, S)
    prints    what its answer shows; raises nothing
    """
    print(verdict(WIDTHS, function))


def softmax_axes(programs: object, answer: object) -> None:
    """Check which axis each program shares its weights out over. Chapter 1.

    programs  {"A": function, …}, each from scores (B, T, S) to weights (B, T, S)
    answer    {"A": "batch", "queries" or "keys", …}
    prints    which name does not fit, and what its sums are; raises nothing
    """
    print(name_axes(programs, answer))


def masked_softmax(function: Callable[..., object]) -> None:
    """Check a softmax over the keys that may be attended to, forward and backward. Chapter 1.

    function  scores (B, T, S), mask (B, 1, S), True = may attend → weights (B, T, S)
    prints    what its answer shows; raises nothing
    """
    said = verdict(masking.MASKING, function)
    trouble = masking.slopes(function) if said.startswith("✓") else ""
    print(f"not yet: {trouble}" if trouble else said)


def token_loss(function: Callable[..., object]) -> None:
    """Check the loss per word of a padded batch under teacher forcing. Chapter 2.

    function  logits (B, T, V), words (B, T + 1) as ⟨start⟩ words ⟨end⟩ 0 … → loss, one number
    prints    what its answer shows; raises nothing
    """
    print(verdict(LOSS, function))


def last_state(function: Callable[..., object]) -> None:
    """Check the choice of each sentence's own last state out of a padded batch. Chapter 2.

    function  states (B, S, h), lengths (B,) → last (B, h)
    prints    what its answer shows; raises nothing
    """
    print(verdict(LAST, function))


def decoder_states(function: Callable[..., object]) -> None:
    """Check a decoder's loop: the context joined to every word, the state handed on. Chapter 2.

    function  embedded (B, T, E), context (B, c), initial (B, h), weight_in (3h, E + c), weight_state (3h, h)
              → states (B, T, h)
    prints    what its answer shows; raises nothing
    """
    print(verdict(JOIN, function))


def queries(function: Callable[..., object]) -> None:
    """Check who asks at each step of a decoder with attention. Chapter 3.

    function  initial (B, h), states s_1 … s_T (B, T, h), embedded y_0 … y_{T-1} (B, T, h), memory (B, S, h)
              → context (B, T, h), weights (B, T, S), with plain dot scores
    prints    what its answer shows; raises nothing
    """
    print(verdict(QUERIES, function))


def contexts(function: Callable[..., object]) -> None:
    """Check the softmax of every step over the words of its own source sentence. Chapter 3.

    function  scores (B, T, S), values (B, S, v), lengths (B,) → context (B, T, v), weights (B, T, S)
    prints    what its answer shows; raises nothing
    """
    print(verdict(CONTEXTS, function))


def gold_share(function: Callable[..., object]) -> None:
    """Check how often the strongest source word of a row is a gold link. Chapter 3.

    function  weights (T + 1, S + 1) with the ends of sentence last, gold (T, S) bool → share, one number
    prints    what its answer shows; raises nothing
    """
    print(verdict(ROWS, function))


def head_scores(function: Callable[..., object]) -> None:
    """Check the split into heads: scores of every head in one product. Chapter 4.

    function  queries (B, T, H·d), keys (B, H, S, d) → scores (B, H, T, S)
    prints    what its answer shows; raises nothing
    """
    print(verdict(HEAD_SCORES, function))


def multi_head(function: Callable[..., object]) -> None:
    """Check self-attention with several heads, one after the other. Chapter 4.

    function  x (B, T, D), W_q (H, d, D), W_k (H, d, D), W_v (H, v, D), W_o (D, H·v)
              → output (B, T, D), weights (B, H, T, T)
    prints    what its answer shows; raises nothing
    """
    print(verdict(BY_LOOP, function))


def head_parameters(function: Callable[..., object]) -> None:
    """Check how the parameters of multi-head attention are counted, without biases. Chapter 4.

    function  width D, heads H, head_width d, head_value_width v, four whole numbers → how many
    prints    what its answer shows; raises nothing
    """

    def counted(*sizes: torch.Tensor) -> object:
        count = function(*(int(size) for size in sizes))
        return torch.tensor(float(count), dtype=torch.float64) if isinstance(count, int | float) else count

    print(verdict(PARAMETERS, counted if callable(function) else function))
