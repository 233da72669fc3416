"""What chapter 3 adds: its exercises name each misconception, its figure says what it shows."""

import re
import sys
from pathlib import Path

import pytest
import torch

from attn_helpers import check, ladder
from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.exercises import looking, queries, rows
from attn_helpers.judge import verdict
from attn_helpers.metrics import alignment
from attn_helpers.plots.gains import gains
from attn_helpers.widgets import TranslationLab
from tests.answers import expect_told


def asked(query, axis=-1):
    """A reader's answer: attention with the queries that `query` makes."""

    def solution(initial, states, embedded, memory):
        weights = torch.softmax(query(initial, states, embedded) @ memory.transpose(1, 2), dim=axis)
        return weights @ memory, weights

    return solution


def before(initial, states, embedded):
    return torch.cat([initial.unsqueeze(1), states], dim=1)[:, :-1]


def loop(initial, states, embedded, memory):
    """One step at a time, as a decoder does it."""
    state, found = initial, []
    for t in range(states.shape[1]):
        found.append(torch.softmax((memory @ state[:, :, None])[..., 0], -1))
        state = states[:, t]
    weights = torch.stack(found, 1)
    return weights @ memory, weights


QUERIES = {
    "one line": (asked(before), "^✓"),
    "loop": (loop, "^✓"),
    "s_t": (asked(lambda i, s, e: s), "s_t, but that state is made of c_t"),
    "y": (asked(lambda i, s, e: e), "you ask with the word read"),
    "zeros": (asked(lambda i, s, e: torch.cat([0 * i[:, None], s[:, :-1]], 1)), "first step asks with zeros"),
    "roll": (asked(lambda i, s, e: s.roll(1, dims=1)), "with the last state, s_T"),
    "always the first": (asked(lambda i, s, e: i[:, None].repeat(1, s.shape[1], 1)), "one context for all"),
    "over t": (asked(before, axis=1), "softmax runs over the steps t"),
    "divided": (
        lambda i, s, e, m: asked(lambda *x: before(*x) / m.shape[-1] ** 0.5)(i, s, e, m),
        "divided by √h",
    ),
    "shifted words": (asked(lambda i, s, e: before(i, e, s)), "you shift the words read"),
    "no softmax": (
        lambda i, s, e, m: ((before(i, s, e) @ m.mT) @ m, before(i, s, e) @ m.mT),
        "the softmax over the source is missing",
    ),
    "context alone": (lambda *given: loop(*given)[0], "you return context alone"),
    "stub": (lambda *given: None, r"nothing \(None\); let it return context, weights"),
    "stops": (lambda i, s, e, m: i @ m, "stopped with RuntimeError.*initial\\[:, None\\]"),
}


def pooled(weigh):
    def solution(scores, values, lengths):
        mask = torch.arange(scores.shape[2])[None, None] < lengths[:, None, None]
        weights = weigh(scores, mask)
        return weights @ values, weights

    return solution


def filled(scores, mask):
    return scores.masked_fill(~mask, -torch.inf)


CONTEXTS = {
    "one line": (pooled(lambda s, m: filled(s, m).softmax(-1)), "^✓"),
    "very small": (pooled(lambda s, m: torch.where(m, s, -1e9).softmax(2)), "^✓"),
    "solution, another axis": (pooled(lambda s, m: filled(s, m).softmax(1)), "over t, .*-inf: NaN"),
    "-1e9, another axis": (pooled(lambda s, m: s.masked_fill(~m, -1e9).softmax(1)), "over t, .*evenly"),
    "-1e4, another axis": (pooled(lambda s, m: s.masked_fill(~m, -1e4).softmax(1)), "over t, .*evenly"),
    "argmax": (
        pooled(lambda s, m: torch.nn.functional.one_hot(filled(s, m).argmax(-1), s.shape[2]).float()),
        "only the strongest word",
    ),
    "one too many": (
        lambda s, v, n: pooled(lambda s, m: filled(s, m).softmax(-1))(s, v, (n + 1).clamp(max=s.shape[2])),
        "one word too many",
    ),
    "over t": (pooled(lambda s, m: s.softmax(1)), "over t, .*and padding is looked at"),
    "over t, masked": (pooled(lambda s, m: s.softmax(1) * m), "over t, the words that are written: each"),
    "over the batch": (
        pooled(lambda s, m: filled(s, m).softmax(0).nan_to_num()),
        "softmax runs over the batch",
    ),
    "over all": (
        pooled(lambda s, m: filled(s, m).flatten(1).softmax(1).view_as(s)),
        "all steps share one weight of 1",
    ),
    "no mask": (pooled(lambda s, m: s.softmax(-1)), "padding is looked at: a short"),
    "masked after": (pooled(lambda s, m: s.softmax(-1) * m), "you mask after the softmax"),
    "scores times mask": (pooled(lambda s, m: (s * m).softmax(-1)), "e⁰ = 1"),
    "mean": (pooled(lambda s, m: (0 * filled(s, m).nan_to_num(neginf=-1e30) + m.log()).softmax(-1)), "alike"),
    "mask of another shape": (
        lambda s, v, n: (s.masked_fill(torch.arange(s.shape[2]) >= n[:, None], -torch.inf), v),
        "mask is \\(B, 1, S\\)",
    ),
}


def shared(pick, count=len):
    return lambda weights, gold: pick(weights, gold).float().sum() / count(gold)


def hits(top):
    return lambda w, g: torch.nn.functional.pad(g, (0, 1))[torch.arange(len(g)), top(w)]


ROWS = {
    "one line": (shared(hits(lambda w: w[:-1, :-1].argmax(-1))), "^✓"),
    "late": (shared(hits(lambda w: w[1:, :-1].argmax(-1))), "one row too late: .*reads"),
    "late, with the end": (shared(hits(lambda w: w[1:].argmax(-1))), "one row too late.*last column"),
    "early": (shared(hits(lambda w: w.roll(1, 0)[:-1, :-1].argmax(-1))), "one row too early"),
    "the end competes": (shared(hits(lambda w: w[:-1].argmax(-1))), "the end of sentence competes"),
    "T + 1": (
        shared(hits(lambda w: w[:-1, :-1].argmax(-1)), count=lambda g: len(g) + 1),
        "you divide by T \\+ 1",
    ),
    "weight": (lambda w, g: (w[:-1, :-1] * g).sum(1).mean(), "weight on gold links"),
    "columns": (
        lambda w, g: torch.stack([g[w[:-1, s].argmax(), s] for s in range(g.shape[1])]).float().mean(),
        "down the columns",
    ),
    "a number": (lambda w, g: shared(hits(lambda w: w[:-1, :-1].argmax(-1)))(w, g).item(), "^✓"),
    "a wrong number": (lambda w, g: 0.5, "share is 0.5000, it should be"),
    "a truth": (lambda w, g: True, "share should be one number"),
    "count": (shared(hits(lambda w: w[:-1, :-1].argmax(-1)), count=lambda g: 1), "how many words"),
    "percent": (lambda w, g: 100 * ROWS["one line"][0](w, g), "per cent"),
}
ALL = [
    pytest.param(exercise, *case, id=f"{name}: {which}")
    for name, exercise, cases in (
        ("queries", queries.QUERIES, QUERIES),
        ("contexts", looking.CONTEXTS, CONTEXTS),
        ("rows", rows.ROWS, ROWS),
    )
    for which, case in cases.items()
]


@pytest.mark.parametrize(("exercise", "function", "words"), ALL)
def test_each_answer_is_told_apart(exercise, function, words):
    """A reader learns which of the chapter's misconceptions the answer shows."""
    expect_told(verdict(exercise, function), words)


@pytest.mark.parametrize("exercise", [queries.QUERIES, looking.CONTEXTS, rows.ROWS])
def test_every_mistake_of_the_table_is_named(exercise):
    """No entry hides behind another, so no reader gets the wrong explanation."""
    for mistake, says in exercise.mistakes:
        assert verdict(exercise, mistake) == f"not yet: {says}"


def endless(*given):
    return endless(*given)


def without_end(*given):
    while True:
        yield given[0]


HOSTILE = {  # a function that is no answer -> words of the verdict
    "raises": (lambda *given: 1 / 0, "stopped with ZeroDivisionError"),
    "leaves": (lambda *given: sys.exit(), "stopped with SystemExit"),
    "calls itself": (endless, "stopped with RecursionError"),
    "never ends": (without_end, "generator|1 thing"),
    "lists": (lambda *given: [x.tolist() for x in given[:2]], "tensor of floats|2 things"),
    "too few arguments": (lambda: None, "TypeError"),
    "text": (lambda *given: "s_t", "type str|1 thing"),
}


@pytest.mark.parametrize("exercise", [queries.QUERIES, looking.CONTEXTS, rows.ROWS])
@pytest.mark.parametrize(("function", "words"), HOSTILE.values(), ids=HOSTILE.keys())
def test_nothing_makes_a_check_raise(exercise, function, words):
    """Whatever a reader's code does, there is one line that says so."""
    said = verdict(exercise, function)
    assert said.startswith("not yet: ")
    assert "\n" not in said
    assert re.search(words, said), said


@pytest.mark.parametrize("exercise", [queries.QUERIES, looking.CONTEXTS, rows.ROWS])
def test_not_a_number_is_no_answer(exercise):
    """NaN of the right shapes is wrong, and named."""

    def spoiled(*given):
        answer = [part * torch.nan for part in exercise.right(*given)]
        return answer if len(answer) > 1 else answer[0]

    assert "holds NaN or infinity" in verdict(exercise, spoiled)


@pytest.mark.parametrize("exercise", [queries.QUERIES, looking.CONTEXTS, rows.ROWS])
def test_the_right_answer_may_not_change_its_arguments(exercise):
    """What was given belongs to the caller, even if the answer is right."""

    def greedy(*given):
        answer = exercise.right(*given)
        given[0].zero_()
        return answer if len(answer) > 1 else answer[0]

    assert f"changes {exercise.arguments[0]} in place" in verdict(exercise, greedy)


@pytest.mark.parametrize("exercise", [queries.QUERIES, looking.CONTEXTS, rows.ROWS])
def test_the_stop_button_still_stops(exercise):
    """An interrupt of an endless loop is the reader's wish, no wrong answer."""

    def interrupted(*given):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verdict(exercise, interrupted)


@pytest.mark.parametrize("ask", [check.queries, check.contexts, check.gold_share])
def test_the_checks_print_one_line(ask, capsys):
    """They raise nothing and return nothing, whatever the answer does."""
    assert ask(lambda *given: 1 / 0) is None
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert "ZeroDivisionError" in said


def test_the_exercise_asks_as_the_decoder_does():
    """The right answer's contexts are those that the package's decoder looked up on its way."""
    torch.manual_seed(0)
    decoder = AttentionDecoder(11, 3, 6, score="dot")
    memory, lengths = torch.randn(2, 5, 6), torch.ones(2, 1, 5, dtype=torch.bool)
    state = decoder.start(
        type("Memory", (), {"states": memory, "final": torch.randn(1, 2, 6), "mask": lengths})
    )
    decoded = decoder(torch.tensor([[1, 4, 5], [1, 6, 7]]), state)
    embedded = torch.zeros(2, 3, 6)  # not asked
    _, weights = queries.QUERIES.right(state.hidden[-1], decoded.states, embedded, memory)
    torch.testing.assert_close(weights, decoded.weights)


def test_the_share_is_what_the_package_counts():
    """Precision with possible links, as `metrics.alignment` has it."""
    from attn_helpers.corpus import Pair

    weights, gold = rows.ROWS.examples[0]()
    links = frozenset(map(tuple, gold.nonzero().tolist()))
    pair = Pair(tuple("abcdefg"), tuple("abcdefghijk"), links, links)
    (share,) = rows.ROWS.right(weights, gold)
    assert share.item() == pytest.approx(alignment(weights, pair).precision)


# ---- the figure --------------------------------------------------------------------------------------


def test_gains_are_drawn_where_they_were_measured():
    """Points at the means in percentage points, bars over the intervals, the last row named by numbers."""
    rows = {
        kind: ladder.gain(f"bahdanau-{kind}", "no-attention") for kind in ("unidirectional", "bidirectional")
    }
    picture = gains(rows, "words", "points gained")
    (axes,) = picture.axes
    for line, row in zip(axes.lines[1:], rows.values(), strict=True):  # the first is the zero
        assert line.get_ydata().tolist() == pytest.approx([100 * one.mean for one in row.values()])
    for bars, row in zip(axes.collections, rows.values(), strict=True):
        ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
        expected = [[100 * one.low, 100 * one.high] for one in row.values()]
        assert [x for pair in ends for x in pair] == pytest.approx([x for pair in expected for x in pair])
    assert f"{100 * rows['bidirectional']['21-29'].mean:+.0f}" in repr(picture)
    assert (min(axes.get_yticks()), max(axes.get_yticks())) == (0, 100)  # nobody gains more than everything
    assert axes.get_ylim()[0] <= 0
    with pytest.raises(ValueError, match="rows must be 1 to 3, got 0"):
        gains({}, "x", "y")
    with pytest.raises(ValueError, match="the same bins"):
        gains({"a": {"1-6": (0, 0, 0)}, "b": {"7-9": (0, 0, 0)}}, "x", "y")


def test_the_swap_does_what_the_text_says():
    """The text tells of a translation that the trained model does not make."""
    text = (Path(__file__).parents[1] / "notebooks" / "03_attention_seq2seq.ipynb").read_text("utf-8")
    lab = TranslationLab.of_trained("bahdanau-bidirectional", operations=[("swap", [1, 2])])
    ((before, after),) = ((steps[0], steps[-1]) for steps in lab.written)
    (said,) = lab.translations.values()
    assert said.before == "le chat noir dort"
    assert f"*{said.after}*: neither of the two." in text
    chat = before.ids[1]
    assert after.ids[1:3] == [chat, chat]
    assert after.log_probs[1] < before.log_probs[1] - 1  # "with less confidence"
    assert before.rows[1, 0].argmax() == 2  # row 2 reads cat, row 3 black
    assert before.rows[2, 0].argmax() == 1
