"""How the paper trained: a rate that warms up and fades, and targets that are not quite certain. Chapter 5.

`training.fit` uses neither: one cycle of the rate, and the plain cross-entropy of `token_loss`.
"""

import torch
from torch import Tensor

from attn_helpers import expect
from attn_helpers.corpus.vocabulary import PAD


def warmup_rate(step: int, width: int, warmup: int = 4000) -> float:
    """The learning rate of an update: width^-½ · min(step^-½, step · warmup^-1½).

    step    the number of the update, from 1: it counts updates, not epochs
    width   the paper's d_model
    warmup  so many updates the rate climbs in a straight line; from there it falls as 1/√step

    Raises ValueError for step 0, where the formula divides by 0. Vaswani et al. 2017, eq. 3.
    """
    expect.widths(step=step, width=width, warmup=warmup)
    return float(width**-0.5 * min(step**-0.5, step * warmup**-1.5))


def warmup_schedule(
    optimizer: torch.optim.Optimizer, width: int, warmup: int = 4000
) -> torch.optim.lr_scheduler.LambdaLR:
    """Give the optimizer `warmup_rate`, the first update included; call `.step()` after every update.

    The optimizer's own rate is a factor on top: build it with lr=1 to get the paper's.
    """
    # LambdaLR counts from 0 and sets the rate of its count 0 at once: update number 1.
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: warmup_rate(done + 1, width, warmup))


def smoothed(targets: Tensor, words: int, amount: float = 0.1) -> Tensor:
    """Each right answer keeps 1 - amount; the rest is shared by the wrong answers, PAD not among them.

    targets  (...)         int64; where it is PAD, there is no answer and the row is 0
    returns  (..., words)  rows of other targets sum to 1

    The share is amount / (words - 2): neither the answer itself nor PAD gets any of it.
    Raises ValueError for an amount outside 0…1 (1 not included), for fewer than three words, and for
    targets that are none of them. Szegedy et al. 2016; Vaswani et al. 2017, section 5.4, amount 0.1.
    """
    _check(targets, words, amount)
    rows = torch.full((*targets.shape, words), amount / (words - 2), device=targets.device)
    rows.scatter_(-1, targets[..., None], 1 - amount)
    rows[..., PAD] = 0
    return rows.masked_fill((targets == PAD)[..., None], 0)


def smoothed_loss(logits: Tensor, targets: Tensor, amount: float = 0.1) -> tuple[Tensor, int]:
    """Cross-entropy against `smoothed` targets, summed over the words of a batch; and how many they were.

    logits   (B, T, V)
    targets  (B, T)
    returns  sum in nats, count; with amount 0 the same as `training.token_loss`. A batch of padding: 0, 0.

    Worked out from logarithms, so a word that is sure to be wrong costs much, and not NaN. A logit of −inf
    where nothing is expected, such as PAD's, costs nothing; where a share is expected, the loss is inf.
    Raises ValueError if the shapes do not belong to each other, and whatever `smoothed` raises.
    """
    expect.shape(targets, tuple(logits.shape[:-1]), "targets", "(B, T)")
    goal = smoothed(targets, logits.shape[-1], amount).to(logits)
    # 0 · −inf is NaN, in the gradient too: what nobody asks for is put aside before it is multiplied
    log_probs = logits.masked_fill((targets == PAD)[..., None], 0).log_softmax(-1)
    total = -(goal * log_probs.masked_fill(goal == 0, 0)).sum() + 0.0  # + 0: not −0
    return total, int((targets != PAD).sum())


def _check(targets: Tensor, words: int, amount: float) -> None:
    if not 0 <= amount < 1:
        raise ValueError(f"amount must lie between 0 and 1, 1 not included, got {amount}")
    if expect.count(words, "words") < 3:
        raise ValueError(f"words must be at least 3: padding, a right and a wrong answer, got {words}")
    if targets.is_floating_point() or (targets.numel() and not 0 <= targets.min() <= targets.max() < words):
        raise ValueError(f"targets must be whole numbers from 0 to {words - 1}, got {targets.tolist()}")
