"""The paper's rate and its smoothed targets, with the errors people made with them."""

import math

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from attn_helpers.corpus.vocabulary import PAD
from attn_helpers.schedule import smoothed, smoothed_loss, warmup_rate, warmup_schedule
from attn_helpers.training import token_loss

# ---- the rate ----------------------------------------------------------------------------------------


def test_the_papers_numbers():
    """Step 1 and the peak for d_model 512, warm-up 4000 (R071)."""
    assert warmup_rate(1, 512) == pytest.approx(1.746928e-07, rel=1e-6)
    assert warmup_rate(4000, 512) == pytest.approx(6.987712e-04, rel=1e-6)


def test_a_straight_climb_then_one_over_root():
    """The two branches meet at the end of the warm-up, which is the peak."""
    rates = [warmup_rate(step, 64, 10) for step in range(1, 41)]
    assert max(rates) == rates[9]
    assert rates[:10] == pytest.approx([rates[0] * step for step in range(1, 11)])
    assert rates[39] == pytest.approx(rates[9] / 2)


@pytest.mark.parametrize(("step", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError)])
def test_step_zero_is_refused(step, error):
    """The plain formula divides by 0 there; a rate of 0 would waste the first update (R071)."""
    with pytest.raises(error, match="step must"):
        warmup_rate(step, 512)


def used_rates(schedule, updates=12, per_epoch=None):
    """The rates with which an optimiser really moves a weight, seen from the moves."""
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scheduler, rates = schedule(optimizer), []
    for update in range(1, updates + 1):
        before = weight.item()
        weight.grad = torch.ones_like(weight)
        optimizer.step()
        rates.append(before - weight.item())
        if not per_epoch or update % per_epoch == 0:
            scheduler.step()
    return rates


def planned(updates=12):
    return [warmup_rate(step, 64, 5) for step in range(1, updates + 1)]


def test_the_rate_in_the_optimiser_is_the_plotted_one():
    """Update n moves by warmup_rate(n), the first included (R071)."""
    assert used_rates(lambda optimizer: warmup_schedule(optimizer, 64, 5)) == pytest.approx(
        planned(), abs=1e-15
    )


@pytest.mark.parametrize("fault", ["per epoch", "one late", "from zero"])
def test_a_misplaced_step_is_found(fault):
    """Stepped once an epoch, the warm-up never ends; counted from 0, the first update does nothing."""
    schedule = {
        "per epoch": lambda optimizer: warmup_schedule(optimizer, 64, 5),
        "one late": lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda n: warmup_rate(max(n, 1), 64, 5)),
        "from zero": lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda n: n and warmup_rate(n, 64, 5)),
    }[fault]
    assert used_rates(schedule, per_epoch=4 if fault == "per epoch" else None) != pytest.approx(planned())


# ---- smoothed targets ----------------------------------------------------------------------------------


def test_the_classic_example():
    """Five words, PAD 0, target 2, amount .4: the wrong three share it, PAD gets nothing (R064)."""
    row = smoothed(torch.tensor([2]), 5, 0.4)[0].tolist()
    assert row == pytest.approx([0, 0.133333, 0.6, 0.133333, 0.133333], abs=1e-6)


@pytest.mark.parametrize("targets", [[2, 1, 3], [2, 1, 0], [0, 0, 0], [0], []])
def test_rows_sum_to_one_or_are_padding(targets):
    """With no PAD, one PAD, nothing but PAD (R065)."""
    rows = smoothed(torch.tensor(targets, dtype=torch.long), 7)
    assert rows.shape == (len(targets), 7)
    assert rows.sum(-1).tolist() == pytest.approx([float(target != PAD) for target in targets])
    assert not rows[..., PAD].any()
    assert smoothed(torch.tensor([targets, targets], dtype=torch.long), 7).shape == (2, len(targets), 7)


def over_all_words(targets, words, amount):
    """PyTorch's label_smoothing: PAD gets its share too, and the right answer more than 1 - amount."""
    rows = torch.full((*targets.shape, words), amount / words)
    return rows.scatter_add(-1, targets[..., None], torch.full_like(rows[..., :1], 1 - amount))


def by_too_few(targets, words, amount):
    """Shared out over all but the answer, then PAD's part thrown away: rows sum to less than 1."""
    rows = torch.full((*targets.shape, words), amount / (words - 1))
    rows.scatter_(-1, targets[..., None], 1 - amount)
    rows[..., PAD] = 0
    return rows


@pytest.mark.parametrize("fault", [over_all_words, by_too_few])
def test_misplaced_mass_is_found(fault):
    """The two usual errors: mass on PAD, rows that do not sum to 1."""
    rows = fault(torch.tensor([2, 1, 3]), 7, 0.1)
    assert rows[..., PAD].any() or not torch.allclose(rows.sum(-1), torch.ones(3))
    if fault is over_all_words:  # so that nobody believes the two are one
        logits = torch.linspace(-3, 3, 21).view(3, 7)
        theirs = F.cross_entropy(logits, torch.tensor([2, 1, 3]), label_smoothing=0.1, reduction="sum")
        assert float(theirs) == pytest.approx(float(-(rows * logits.log_softmax(-1)).sum()), rel=1e-5)
        ours, _ = smoothed_loss(logits[None], torch.tensor([[2, 1, 3]]))
        assert abs(float(ours - theirs)) > 1e-3


# ---- the loss ------------------------------------------------------------------------------------------


def test_without_smoothing_it_is_the_books_loss():
    """Value, gradient, count."""
    logits = torch.randn(2, 3, 7, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([[2, 1, 3], [4, 0, 0]])
    ours, theirs = smoothed_loss(logits, targets, 0.0), token_loss(logits, targets)
    assert ours[1] == theirs[1] == 4
    torch.testing.assert_close(ours[0], theirs[0])
    gradients = [torch.autograd.grad(loss, logits)[0] for loss, _ in (ours, theirs)]
    torch.testing.assert_close(*gradients)


def test_certainty_costs():
    """Smoothed, the best logits are finite: the least loss is the entropy of the smoothed row."""
    targets = torch.tensor([[2, 3]])
    rows = smoothed(targets, 5, 0.4)
    best, count = smoothed_loss(rows.clamp(min=1e-30).log(), targets, 0.4)
    entropy = -3 * 0.4 / 3 * math.log(0.4 / 3) - 0.6 * math.log(0.6)
    assert float(best) / count == pytest.approx(entropy, abs=1e-6)
    certain = torch.zeros(1, 2, 5).scatter_(-1, targets[..., None], 50.0)
    assert smoothed_loss(certain, targets, 0.4)[0] > 10 * best


def test_no_logarithm_of_zero():
    """Logits so far apart that a probability is 0 in float32: a large loss, not NaN (R064)."""
    logits = torch.tensor([[[0.0, 200.0, -200.0, 0.0, 0.0]]], requires_grad=True)
    loss, _ = smoothed_loss(logits, torch.tensor([[1]]), 0.4)
    loss.backward()
    assert float(loss.detach()) == pytest.approx(0.4 / 3 * (400 + 200 + 200))
    assert logits.grad.isfinite().all()


def test_a_batch_of_padding_is_nothing():
    """No words, no loss, no gradient (R067)."""
    logits = torch.randn(2, 3, 7, requires_grad=True)
    loss, count = smoothed_loss(logits, torch.zeros(2, 3, dtype=torch.long))
    loss.backward()
    assert (float(loss.detach()), count) == (0.0, 0)
    assert not logits.grad.any()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_stands_at_padding_does_not_matter(bad):
    """NaN or infinity in a row that nobody reads: 0 and not −0, and no NaN in the gradient."""
    logits = torch.full((1, 2, 7), bad, requires_grad=True)
    loss, count = smoothed_loss(logits, torch.zeros(1, 2, dtype=torch.long))
    loss.backward()
    assert (math.copysign(1, float(loss.detach())), float(loss.detach()), count) == (1.0, 0.0, 0)
    assert not logits.grad.any()


@pytest.mark.parametrize("amount", [0.0, 0.1])
def test_a_word_that_is_ruled_out(amount):
    """PAD's logit is −inf, as some decoders have it: 0 · −inf is not NaN, and the others' loss stands."""
    logits = torch.randn(2, 3, 7, dtype=torch.float64)
    logits[..., 0] = -torch.inf
    logits.requires_grad_()
    targets = torch.tensor([[2, 1, 3], [4, 0, 0]])
    loss, _ = smoothed_loss(logits, targets, amount)
    loss.backward()
    assert logits.grad.isfinite().all()
    some = logits.detach()[..., 1:].log_softmax(-1)
    shares = smoothed(targets, 7, amount)[..., 1:]
    assert float(loss.detach()) == pytest.approx(float(-(shares * some).sum()), abs=1e-5)
    with torch.no_grad():
        logits[0, 0, 5] = -torch.inf  # a wrong answer: asked for only if smoothed
    assert bool(smoothed_loss(logits, targets, amount)[0].isinf()) == (amount > 0)
    torch.testing.assert_close(smoothed_loss(logits, targets, 0.0)[0], token_loss(logits, targets)[0])


@pytest.mark.parametrize("sizes", [(1, 3), (2, 1), (3,), (2, 3, 1), (2, 4)])
def test_shapes_that_would_be_stretched(sizes):
    """One row of targets for two rows of logits is counted once, and pays twice."""
    with pytest.raises(ValueError, match=r"targets must have the shape \(B, T\) = \(2, 3\), got"):
        smoothed_loss(torch.randn(2, 3, 5), torch.ones(sizes, dtype=torch.long))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: smoothed(torch.tensor([1]), 5, 1.0), "amount must lie between 0 and 1"),
        (lambda: smoothed(torch.tensor([1]), 5, -0.1), "amount must lie between 0 and 1"),
        (lambda: smoothed(torch.tensor([1]), 2), "words must be at least 3"),
        (lambda: smoothed(torch.tensor([5]), 5), r"targets must be whole numbers from 0 to 4, got \[5\]"),
        (lambda: smoothed(torch.tensor([1.0]), 5), "targets must be whole numbers"),
        (lambda: warmup_rate(1, 0), "width must be at least 1"),
        (lambda: warmup_rate(1, 4, 0), "warmup must be at least 1"),
    ],
)
def test_what_does_not_fit_is_named(call, says):
    """The reader is told which argument, what was expected, and what came."""
    with pytest.raises(ValueError, match=says):
        call()
