"""What chapter 2 adds: its exercises name each misconception, its pictures say what they show."""

import re

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch.nn.utils.rnn import pack_padded_sequence

from attn_helpers.corpus import Pair
from attn_helpers.corpus.vocabulary import BOS, EOS, PAD
from attn_helpers.exercises import decoder_states, last_state, token_loss
from attn_helpers.judge import verdict
from attn_helpers.plots.encoder_decoder import encoder_decoder
from attn_helpers.plots.gold_links import gold_links
from attn_helpers.plots.progress import progress
from attn_helpers.training import token_loss as package_loss
from tests.answers import expect_told


def labelled(logits, words, shift=1):
    return F.cross_entropy(logits.mT, words[:, shift : shift + logits.shape[1]], reduction="none")


def counted(words, shift=1):
    return words[:, shift : shift + words.shape[1] - 1] != PAD


def package(logits, words):
    total, count = package_loss(logits, words[:, 1:])
    return total / count


LOSS = {  # a reader's answer -> words of the verdict
    "one line": (lambda a, w: F.cross_entropy(a.mT, w[:, 1:], ignore_index=0), "^✓"),
    "package": (package, "^✓"),
    "flattened": (
        lambda a, w: F.cross_entropy(a.flatten(0, 1), w[:, 1:].flatten(), ignore_index=0),
        "^✓",
    ),
    "not shifted": (
        lambda a, w: F.cross_entropy(a.mT, w[:, :-1], ignore_index=0),
        "labels are not shifted: .*copying",
    ),
    "not shifted, padding counted": (
        lambda a, w: F.cross_entropy(a.mT, w[:, :-1]),
        "labels are not shifted.*padding",
    ),
    "padded length": (
        lambda a, w: (labelled(a, w) * counted(w)).sum() / counted(w).numel(),
        "divide by the padded length, B · T",
    ),
    "padding counted": (lambda a, w: F.cross_entropy(a.mT, w[:, 1:]), "padding counts as a word"),
    "sum": (lambda a, w: labelled(a, w)[counted(w)].sum(), "this is the sum"),
    "per sentence": (lambda a, w: labelled(a, w)[counted(w)].sum() / len(w), "you divide by B"),
    "mean of means": (
        lambda a, w: torch.stack(
            [r[k].mean() for r, k in zip(labelled(a, w), counted(w), strict=True)]
        ).mean(),
        "a mean of means",
    ),
    "no end": (
        lambda a, w: labelled(a, w)[(w[:, 1:] != PAD) & (w[:, 1:] != EOS)].mean(),
        "⟨end⟩ is a label",
    ),
    "minus": (lambda a, w: -package(a, w), "sign is wrong"),
    "axes": (lambda a, w: F.cross_entropy(a, w[:, 1:], ignore_index=0), "on axis 1: logits.mT"),
    "unknown": (lambda a, w: 2 * package(a, w), "loss is .*should be"),
    "stub": (lambda a, w: None, r"nothing \(None\); let it return loss"),
}
LAST = {
    "one line": (lambda s, n: s[torch.arange(len(s)), n - 1], "^✓"),
    "gather": (
        lambda s, n: s.gather(1, (n - 1)[:, None, None].expand(-1, 1, s.shape[2]))[:, 0],
        "^✓",
    ),
    "loop": (lambda s, n: torch.stack([row[k - 1] for row, k in zip(s, n, strict=True)]), "^✓"),
    "padded end": (lambda s, n: s[:, -1], "the state at the padded end"),
    "one too far": (
        lambda s, n: s[torch.arange(len(s)), n],
        "IndexError.*the last word stands at lengths − 1",
    ),
    "clamped": (
        lambda s, n: s[torch.arange(len(s)), n.clamp(max=s.shape[1] - 1)],
        "one place too far",
    ),
    "one too early": (lambda s, n: s[torch.arange(len(s)), (n - 2).clamp(min=0)], "one place too early"),
    "first": (lambda s, n: s[:, 0], "after the first word"),
    "every pair": (lambda s, n: s[:, n - 1], "pair every sentence with every length"),
    "mean": (
        lambda s, n: torch.stack([row[:k].mean(0) for row, k in zip(s, n, strict=True)]),
        "the mean over the words",
    ),
    "mean of all": (lambda s, n: s.mean(1), "over the padding, too"),
    "sum": (
        lambda s, n: torch.stack([row[:k].sum(0) for row, k in zip(s, n, strict=True)]),
        "the sum over the words",
    ),
}


def loop(step):
    """A decoder's loop; step(t, y, c, state, first) → what the GRU reads, the state it starts from."""

    def solution(embedded, context, initial, weight_in, weight_state):
        state, states = initial, []
        for t in range(embedded.shape[1]):
            x, before = step(t, embedded[:, t], context, state, initial)
            state = torch.gru_cell(x, before, weight_in, weight_state)
            states.append(state)
        return torch.stack(states, 1)

    return solution


def by_module(embedded, context, initial, weight_in, weight_state):
    """The same by nn.GRU, all steps at once."""
    gru = torch.nn.GRU(weight_in.shape[1], weight_state.shape[1], bias=False, batch_first=True)
    gru.load_state_dict({"weight_ih_l0": weight_in, "weight_hh_l0": weight_state})
    repeated = context[:, None].expand(-1, embedded.shape[1], -1)
    return gru(torch.cat([embedded, repeated], -1), initial[None])[0]


JOIN = {
    "loop": (loop(lambda t, y, c, s, first: (torch.cat([y, c], -1), s)), "^✓"),
    "nn.GRU": (by_module, "^✓"),
    "c only as a start": (
        loop(lambda t, y, c, s, first: (torch.cat([y, c * 0], -1), s)),
        "the context never enters: .*initial state and no more",
    ),
    "c at the first step": (
        loop(lambda t, y, c, s, first: (torch.cat([y, c * (t == 0)], -1), s)),
        "at the first step only",
    ),
    "c first": (
        loop(lambda t, y, c, s, first: (torch.cat([c, y], -1), s)),
        "columns of weight_in begin with the word",
    ),
    "no word": (loop(lambda t, y, c, s, first: (torch.cat([y * 0, c], -1), s)), "word before never enters"),
    "no state": (
        loop(lambda t, y, c, s, first: (torch.cat([y, c], -1), s * (t > 0))),
        "initial state is dropped",
    ),
    "state not carried": (
        loop(lambda t, y, c, s, first: (torch.cat([y, c], -1), first)),
        "hand on the state",
    ),
    "last": (lambda *given: by_module(*given)[:, -1], "the last state alone"),
    "c as state": (
        loop(lambda t, y, c, s, first: (torch.cat([y, c], -1), c)),
        "RuntimeError.*another thing",
    ),
    "steps first": (lambda *given: by_module(*given).transpose(0, 1), "two axes have changed places"),
}
ALL = [
    pytest.param(exercise, *case, id=f"{name}: {which}")
    for name, exercise, cases in (
        ("loss", token_loss.LOSS, LOSS),
        ("last", last_state.LAST, LAST),
        ("join", decoder_states.JOIN, JOIN),
    )
    for which, case in cases.items()
]


@pytest.mark.parametrize(("exercise", "function", "words"), ALL)
def test_each_answer_is_told_apart(exercise, function, words):
    """A reader learns which of the chapter's misconceptions the answer shows."""
    expect_told(verdict(exercise, function), words)


@pytest.mark.parametrize("exercise", [token_loss.LOSS, last_state.LAST, decoder_states.JOIN])
def test_every_mistake_of_the_table_is_named(exercise):
    """No entry hides behind another, so no reader gets the wrong explanation."""
    for mistake, says in exercise.mistakes:
        assert verdict(exercise, lambda *given, m=mistake: m(*given)[0]) == f"not yet: {says}"


def test_the_exercise_counts_as_the_package_does():
    """The numbers of padding, begin and end are said twice; they must not drift apart."""
    assert (token_loss.PAD, token_loss.BOS, token_loss.EOS) == (PAD, BOS, EOS)


def test_the_last_state_is_what_packing_hands_over():
    """The exercise asks for what the chapter promises: a run over padding, read at the right place."""
    torch.manual_seed(0)
    gru, x, lengths = torch.nn.GRU(5, 7, batch_first=True), torch.randn(3, 4, 5), torch.tensor([2, 4, 1])
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    (last,) = last_state.LAST.right(gru(x)[0], lengths)
    torch.testing.assert_close(last, gru(packed)[1][0])


# ---- pictures ----------------------------------------------------------------------------------------


def words_of(picture):
    return [said for axes in picture.axes for text in axes.texts if (said := text.get_text())]


def test_the_wiring_has_a_box_and_a_word_for_each_step():
    """Four words and five: no step is lost, and inputs stand one place after outputs."""
    picture = encoder_decoder(["she", "sleeps", "now"], ["elle", "dort", "bien", "ici"])
    said = words_of(picture)
    assert [w for w in said if re.fullmatch("h[₀-₉]", w)] == ["h₁", "h₂", "h₃", "h₄"]
    assert [w for w in said if re.fullmatch("s[₀-₉]", w)] == ["s₁", "s₂", "s₃", "s₄", "s₅"]
    at = said.index("⟨start⟩")
    assert said[at : at + 5] == ["⟨start⟩", "elle", "dort", "bien", "ici"]
    assert "at each of 5 steps" in picture.alt
    with pytest.raises(ValueError, match="source and target must have words, got 0 and 1"):
        encoder_decoder([], ["dort"])


def test_gold_links_lead_from_word_to_word():
    """A transposed picture would look as good: the ends of each line are compared with the words' places."""
    pair = Pair(
        source=("the", "cat"),
        target=("le", "gros", "chat"),
        sure=frozenset({(0, 0), (2, 1)}),
        possible=frozenset({(0, 0), (2, 1), (0, 1)}),
    )
    (axes,) = gold_links(pair).axes
    places = {text.get_text(): text.get_position()[0] for text in axes.texts}
    drawn = {(tuple(line.get_xdata()), line.get_linestyle()) for line in axes.lines}
    assert {ends for ends, _ in drawn} == {
        (places["the"], places["le"]),
        (places["cat"], places["chat"]),
        (places["cat"], places["le"]),
    }
    full = {ends for ends, stroke in drawn if stroke == "-"}
    assert full == {(places["the"], places["le"]), (places["cat"], places["chat"])}
    assert "2 sure links, 1 possible" in gold_links(pair).alt


def test_progress_draws_what_it_is_given():
    """Nothing is smoothed, and what to compare with is named."""
    steps, losses = np.arange(1, 60), np.random.default_rng(0).random(59) * 5
    picture = progress(steps, {"loss": losses}, "step", "nats", levels={"ln V": 6.0})
    level, curve = picture.axes[0].lines
    np.testing.assert_array_equal(curve.get_ydata(), losses)
    assert set(np.ravel(level.get_ydata())) == {6.0}
    assert "ln V 6.00" in picture.alt
    assert {"ln V", "loss"} <= set(words_of(picture))
    few = progress(range(5), {"a": [0.1] * 5}, "step", "share", top=1)
    assert few.axes[0].get_ylim() == (0, 1)
