"""The checks: each misconception is named by its wrong answer, and no answer makes a check raise."""

import math
import re
import sys

import pytest
import torch
from torch.nn.functional import one_hot

from attn_helpers import check
from attn_helpers.exercises.attention import ATTEND
from attn_helpers.exercises.masking import MASKING
from attn_helpers.exercises.widths import WIDTHS
from attn_helpers.judge import Exercise, verdict
from attn_helpers.masks import causal_mask, masked_softmax
from attn_helpers.scoring import additive_score, attend


def said(capsys, function):
    """What `check.attend` prints: one line, and nothing comes back."""
    assert check.attend(function) is None
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.count("\n") == 1
    return printed.out.strip()


def answer(weigh):
    """A reader's solution; `weigh` makes weights of query and key."""

    def solution(query, key, value):
        weights = weigh(query, key, value)
        return weights @ value, weights

    return solution


def loops(query, key, value):
    """Right, though slow: one number at a time."""
    weights = torch.zeros(*query.shape[:2], key.shape[1])
    for b, t, s in torch.cartesian_prod(*map(torch.arange, weights.shape)).tolist():
        weights[b, t, s] = math.exp(query[b, t] @ key[b, s] / math.sqrt(query.shape[-1]))
    weights = weights / weights.sum(-1, keepdim=True)
    return weights @ value, weights


def scaled(q, k):
    return q @ k.mT / math.sqrt(q.shape[-1])


RIGHT = {
    "one line": answer(lambda q, k, v: torch.softmax(q @ k.transpose(1, 2) / q.shape[2] ** 0.5, dim=2)),
    "einsum": answer(lambda q, k, v: (torch.einsum("btd,bsd->bts", q, k) * q.shape[-1] ** -0.5).softmax(-1)),
    "loops": loops,
    "package": attend,
    "list, double": lambda q, k, v: list(attend(q.double(), k.double(), v.double())),
    "float16": lambda q, k, v: attend(q.half(), k.half(), v.half()),
    "bfloat16": lambda q, k, v: attend(q.bfloat16(), k.bfloat16(), v.bfloat16()),
    "d ** (1/2)": answer(lambda q, k, v: torch.softmax(q @ k.mT / q.shape[-1] ** (1 / 2), -1)),
    "exp over total": answer(lambda q, k, v: (e := scaled(q, k).exp()) / e.sum(-1, keepdim=True)),
    "peak taken off": answer(
        lambda q, k, v: (
            (e := (scaled(q, k) - scaled(q, k).amax(-1, keepdim=True)).exp()) / e.sum(-1, keepdim=True)
        )
    ),
    "log_softmax, exp": answer(lambda q, k, v: scaled(q, k).log_softmax(-1).exp()),
    "learned": lambda q, k, v: attend(q.requires_grad_(), k, v),
}


@pytest.mark.parametrize("function", RIGHT.values(), ids=RIGHT.keys())
def test_every_right_way_is_right(function, capsys):
    """Nobody is sent away for another style."""
    assert said(capsys, function).startswith("✓ ")


def raw(q, k):
    return q @ k.mT


def in_place(query, key, value):
    query /= math.sqrt(query.shape[-1])
    weights = (query @ key.mT).softmax(-1)
    return weights @ value, weights


def unfinished(query, key, value):
    raise NotImplementedError


def in_vain(query, key, value):
    raise KeyError("no such head\nand a second line")


WRONG = {
    "columns": (answer(lambda q, k, v: (raw(q, k) / q.shape[-1] ** 0.5).softmax(1)), "columns sum to 1"),
    "columns, unscaled": (answer(lambda q, k, v: raw(q, k).softmax(-2)), "columns .*last axis.*not divided"),
    "over the batch": (answer(lambda q, k, v: (raw(q, k) / q.shape[-1] ** 0.5).softmax(0)), "over the batch"),
    "÷d": (answer(lambda q, k, v: (raw(q, k) / q.shape[-1]).softmax(-1)), "divide by d, .*flattens"),
    "÷√v": (answer(lambda q, k, v: (raw(q, k) / v.shape[-1] ** 0.5).softmax(-1)), "value's width"),
    "÷√S": (answer(lambda q, k, v: (raw(q, k) / k.shape[-2] ** 0.5).softmax(-1)), "number of keys"),
    "×√d": (answer(lambda q, k, v: (raw(q, k) / q.shape[-1] ** -0.5).softmax(-1)), "multiply"),
    "unscaled": (answer(lambda q, k, v: raw(q, k).softmax(-1)), "not scaled"),
    "scaled late": (answer(lambda q, k, v: raw(q, k).softmax(-1) / q.shape[-1] ** 0.5), "sum to 1/√d"),
    "no softmax": (answer(lambda q, k, v: raw(q, k) / q.shape[-1] ** 0.5), "softmax .*missing"),
    "raw": (answer(lambda q, k, v: raw(q, k)), "raw products"),
    "whole matrix": (
        answer(lambda q, k, v: (s := (raw(q, k) / q.shape[-1] ** 0.5).exp()) / s.sum((1, 2), keepdim=True)),
        "whole matrix",
    ),
    "whole batch": (
        answer(lambda q, k, v: (s := (raw(q, k) / q.shape[-1] ** 0.5).exp()) / s.sum()),
        "whole batch",
    ),
    "sigmoid": (answer(lambda q, k, v: (raw(q, k) / q.shape[-1] ** 0.5).sigmoid()), "sigmoid"),
    "blends scores": (
        lambda q, k, v: (raw(q, k) / q.shape[-1] ** 0.5 @ v, attend(q, k, v)[1]),
        "weights are right, .*by the scores",
    ),
    "d**1/2 in brackets": (answer(lambda q, k, v: (raw(q, k) / (q.shape[-1] ** 1 / 2)).softmax(-1)), "binds"),
    "d**1/2": (answer(lambda q, k, v: (raw(q, k) / q.shape[-1] ** 1 / 2).softmax(-1)), "power binds before"),
    "√T": (answer(lambda q, k, v: (raw(q, k) / q.shape[1] ** 0.5).softmax(-1)), "number of queries"),
    "√B": (answer(lambda q, k, v: (raw(q, k) / q.shape[0] ** 0.5).softmax(-1)), "batch size"),
    "√2": (answer(lambda q, k, v: (raw(q, k) / math.sqrt(2)).softmax(-1)), r"yet: .*width in the plane"),
    "exp alone": (answer(lambda q, k, v: scaled(q, k).exp()), "exponentials alone.*total"),
    "÷ sum": (
        answer(lambda q, k, v: (s := scaled(q, k)) / s.sum(-1, keepdim=True)),
        "negative.*exponentials",
    ),
    "cosine": (
        answer(lambda q, k, v: torch.cosine_similarity(q[:, :, None], k[:, None], dim=-1).softmax(-1)),
        "directions alone",
    ),
    "minus": (answer(lambda q, k, v: torch.softmax(-scaled(q, k), -1)), "minus sign"),
    "log_softmax": (answer(lambda q, k, v: torch.log_softmax(scaled(q, k), -1)), "logarithms"),
    "softmax twice": (answer(lambda q, k, v: scaled(q, k).softmax(-1).softmax(-1)), "ran twice"),
    "causal": (
        lambda q, k, v: attend(q, k, v, causal_mask(*raw(q, k).shape[1:], align="start")[None]),
        "causal",
    ),
    "argmax": (answer(lambda q, k, v: one_hot(raw(q, k).argmax(-1), k.shape[1]).float()), "takes all"),
    "blends keys": (lambda q, k, v: (attend(q, k, v)[1] @ k, attend(q, k, v)[1]), "blends the keys"),
    "view": (
        answer(lambda q, k, v: (q @ k.view(len(k), k.shape[2], -1) / q.shape[-1] ** 0.5).softmax(-1)),
        "scrambles",
    ),
    "key.T": (lambda q, k, v: (q @ k.permute(2, 1, 0)).softmax(-1), r"RuntimeError: .*key\.mT.* not \.T"),
    "exit": (lambda q, k, v: sys.exit(), "stopped with SystemExit"),
    "dict": (
        lambda q, k, v: dict(zip(("output", "weights"), attend(q, k, v), strict=True)),
        "return a dict; ",
    ),
    "output doubled": (
        lambda q, k, v: (2 * attend(q, k, v)[0], attend(q, k, v)[1]),
        r"yet: output\[\d+, .*be",
    ),
    "hard-coded √7": (answer(lambda q, k, v: (raw(q, k) / 7**0.5).softmax(-1)), "other sizes.*typed in"),
    "stub": (lambda q, k, v: None, r"nothing \(None\).*output, weights"),
    "unfinished": (unfinished, r"nothing \(None\)"),
    "weights forgotten": (lambda q, k, v: attend(q, k, v)[0], "output alone; return output, weights"),
    "output forgotten": (lambda q, k, v: attend(q, k, v)[1], "weights alone"),
    "neither": (lambda q, k, v: q, "one tensor alone"),
    "other way round": (lambda q, k, v: attend(q, k, v)[::-1], "other way round"),
    "three things": (lambda q, k, v: (*attend(q, k, v), 0), "3 things; return 2"),
    "one thing": (lambda q, k, v: [attend(q, k, v)[0]], "1 thing; return 2"),
    "NumPy": (lambda q, k, v: [x.numpy() for x in attend(q, k, v)], "output .*tensor.*ndarray"),
    "whole numbers": (lambda q, k, v: [x.long() for x in attend(q, k, v)], "floats, .*int64"),
    "output turned": (
        lambda q, k, v: (attend(q, k, v)[0].mT, attend(q, k, v)[1]),
        r"output .*\(13, 3, 11\), yours has \(13, 11, 3\): two axes",
    ),
    "KQᵀ": (
        lambda q, k, v: (attend(q, k, v)[0], (raw(k, q) / 7**0.5).softmax(-1)),
        r"weights .*\(13, 3, 5\), yours has \(13, 5, 3\): two axes",
    ),
    "first item only": (lambda q, k, v: attend(q[:1], k[:1], v[:1]), r"output .*\(13, .*\(1, 3, 11\)$"),
    "in place": (in_place, "changes query in place"),
    "NaN": (answer(lambda q, k, v: raw(q, k) * float("nan")), "weights holds NaN"),
    "unknown": (
        answer(lambda q, k, v: (raw(q, k) / 3).softmax(-1)),
        r"weights\[\d+, \d, \d\] is .*should be",
    ),
    "error inside": (in_vain, r"stopped with KeyError: .*no such head.*query \(13, 3, 7\)"),
    "error without words": (
        lambda q, k, v: next(iter(())),
        "StopIteration: no mess",
    ),
    "shapes clash": (lambda q, k, v: q @ k, r"RuntimeError: .*query \(13, 3, 7\), key \(13, 5, 7\).*key\.mT"),
    "too few arguments": (lambda q, k: q, "TypeError: .*3 were given"),
    "not a function": (torch.ones(2), "function itself.*Tensor"),
    "nothing": (None, "function itself.*NoneType"),
}


@pytest.mark.parametrize(("function", "words"), WRONG.values(), ids=WRONG.keys())
def test_each_wrong_answer_is_named(function, words, capsys):
    """A reader learns what the answer shows, in one friendly line."""
    line = said(capsys, function)
    assert line.startswith("not yet: ")
    assert re.search(words, line), line


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_small_float_type_hides_no_mistake(dtype):
    """The wider tolerance is for rounding alone."""
    for mistake, says in ATTEND.mistakes:
        small = verdict(ATTEND, lambda *given, m=mistake: [part.to(dtype) for part in m(*given)])
        assert small == f"not yet: {says}"


def test_the_stop_button_still_stops():
    """An interrupt is the reader's wish, no wrong answer."""

    def endless(query, key, value):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check.attend(endless)


def test_examples_tell_all_sizes_apart():
    """Distinct sizes, or a wrong axis could pass for the right one."""
    query, _, value = ATTEND.examples[0]()
    sizes = [*query.shape, *value.shape[1:]]
    assert len(set(sizes)) == len(sizes)


def bent(bend):
    """A reader's additive score; `bend` makes scores of (B, T, 1, h), (B, 1, S, h) and w_v."""

    def solution(query, key, query_weight, key_weight, value_weight):
        queries = (query @ query_weight.mT)[:, :, None]
        return bend(queries, (key @ key_weight.mT)[:, None], value_weight)

    return solution


def pair_by_pair(query, key, query_weight, key_weight, value_weight):
    """Right, though slow."""
    scores = torch.zeros(*query.shape[:2], key.shape[1])
    for b, t, s in torch.cartesian_prod(*map(torch.arange, scores.shape)).tolist():
        scores[b, t, s] = value_weight @ torch.tanh(query_weight @ query[b, t] + key_weight @ key[b, s])
    return scores


def einsums(query, key, query_weight, key_weight, value_weight):
    queries = torch.einsum("hq,btq->bth", query_weight, query).unsqueeze(2)
    keys = torch.einsum("hk,bsk->bsh", key_weight, key).unsqueeze(1)
    return torch.einsum("h,btsh->bts", value_weight, torch.tanh(queries + keys))


ADDITIVE = {  # answer -> words
    "package": (additive_score, "^✓ "),
    "pair by pair": (pair_by_pair, "^✓ "),
    "einsums": (einsums, "^✓ "),
    "no tanh": (bent(lambda q, k, w: (q + k) @ w), "tanh is missing.* same number to every score"),
    "tanh apart": (bent(lambda q, k, w: (q.tanh() + k.tanh()) @ w), "bend query and key apart.*same number"),
    "tanh outside": (bent(lambda q, k, w: ((q + k) @ w).tanh()), "tanh is outside"),
    "no w_v": (bent(lambda q, k, w: (q + k).tanh().sum(-1)), "weigh them by value_weight"),
    "mean": (bent(lambda q, k, w: (q + k).tanh().mean(-1)), "average the hidden units"),
    "product": (bent(lambda q, k, w: (q * k).tanh() @ w), "you multiply"),
    "bilinear": (bent(lambda q, k, w: (q * k).sum(-1)), "a bilinear score"),
    "sigmoid": (bent(lambda q, k, w: (q + k).sigmoid() @ w), "bend by a sigmoid"),
    "relu": (bent(lambda q, k, w: (q + k).relu() @ w), "bend by a relu"),
    "÷√h": (bent(lambda q, k, w: (q + k).tanh() @ w / len(w) ** 0.5), "root of h"),
    "difference": (bent(lambda q, k, w: (q - k).tanh() @ w), "you subtract"),
    "softmax": (bent(lambda q, k, w: ((q + k).tanh() @ w).softmax(-1)), "these are weights, not scores"),
    "turned": (lambda *given: additive_score(*given).mT, "rows and columns have changed places"),
    "no pairs": (
        lambda q, k, wq, wk, w: (q @ wq.mT + k @ wk.mT).tanh() @ w,
        r"RuntimeError.*give every pair a place",
    ),
    "no projection": (
        lambda q, k, wq, wk, w: (q[:, :, None] + k[:, None]).tanh() @ w,
        "RuntimeError.*give every pair a place",
    ),
    "stub": (lambda *given: None, r"nothing \(None\); let it return scores"),
}


@pytest.mark.parametrize(("function", "words"), ADDITIVE.values(), ids=ADDITIVE.keys())
def test_unequal_widths(function, words, capsys):
    """Each way to lose a pair, the tanh or a parameter is told apart."""
    check.additive_score(function)
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert said.startswith(("✓ ", "not yet: "))
    assert re.search(words, said), said


def filled(fill):
    return lambda scores, mask: scores.masked_fill(~mask, fill).softmax(-1)


def added(scores, mask):
    """Weights right, gradient NaN: an addition hands the empty row's NaN on."""
    hidden = torch.zeros(mask.shape).masked_fill(~mask, -math.inf)
    return torch.nan_to_num((scores + hidden).softmax(-1), 0.0)


def powers(scores, mask):
    """The formula to the letter."""
    return torch.exp(scores) * mask


def shared(weights):
    """Divided by the row's sum, which is 0 in an empty row."""
    return weights / weights.sum(-1, keepdim=True).clamp(min=torch.finfo(weights.dtype).tiny)


def by_exponentials(scores, mask):
    """Right without −inf."""
    allowed = scores.masked_fill(~mask, -1e30)
    return shared(powers(allowed - allowed.amax(-1, keepdim=True), mask))


def needs_no_gradient(scores, mask):
    return masked_softmax(torch.from_numpy(scores.numpy()), mask)


MASKED = {
    "package": (masked_softmax, "^✓ "),
    "nan_to_num": (lambda s, m: s.masked_fill(~m, -math.inf).softmax(-1).nan_to_num(0.0), "^✓ "),
    "fill, then zeros": (lambda s, m: filled(-math.inf)(s, m | ~m.any(-1, keepdim=True)) * m, "^✓ "),
    "exponentials": (by_exponentials, "^✓ "),
    "float16": (lambda s, m: masked_softmax(s.half(), m), "^✓ "),
    "bfloat16": (lambda s, m: masked_softmax(s.bfloat16(), m), "^✓ "),
    "powers, double": (lambda s, m: shared(powers(s.double().masked_fill(~m, 0), m)), "^✓ "),
    "powers": (lambda s, m: (p := powers(s, m)) / p.sum(-1, keepdim=True), "NaN in the row"),
    "powers, safely": (lambda s, m: shared(powers(s, m)), "other numbers: exp alone leaves the range"),
    "powers, zeros": (lambda s, m: shared(powers(s, m)).nan_to_num(), "other numbers: exp alone"),
    "powers, nan_to_num": (
        lambda s, m: (powers(s, m) / powers(s, m).sum(-1, keepdim=True)).nan_to_num(),
        "other numbers: exp alone .*infinity × 0 is NaN.*masked_fill.*maximum",
    ),
    "powers, empty row spared": (
        lambda s, m: (p := powers(s, m)) / p.sum(-1, keepdim=True).masked_fill(~m.any(-1, keepdim=True), 1),
        "other numbers: exp alone",
    ),
    "maximum of all": (
        lambda s, m: shared(powers(s - s.amax(-1, keepdim=True), m)),
        "other numbers: padding with a high score",
    ),
    "log of a clamped mask": (
        lambda s, m: (s + m.float().clamp(1e-30).log()).softmax(-1),
        "still shares its weight out.*same amount",
    ),
    "log of a clamped mask, times mask": (
        lambda s, m: (s + m.float().clamp(1e-30).log()).softmax(-1) * m,
        "other numbers: padding with a high score.*fixed amount taken off",
    ),
    "minus 10000": (lambda s, m: (s - 1e4 * ~m).softmax(-1), "still shares its weight out"),
    "+ ~mask * −inf": (lambda s, m: (s + ~m * -math.inf).softmax(-1), "weight is NaN: 0 × −∞ is NaN"),
    "+ (1 − mask) * −inf": (lambda s, m: (s + (1 - m.float()) * -math.inf).softmax(-1), "0 × −∞ is NaN"),
    "+ ~mask * −inf, nan_to_num": (
        lambda s, m: (s + ~m * -math.inf).softmax(-1).nan_to_num(),
        "weight is 0.*0 × −∞ is NaN",
    ),
    "−20, times mask": (lambda s, m: filled(-20)(s, m) * m, "other numbers: the fill is not negative enough"),
    "−100, times mask": (lambda s, m: filled(-100)(s, m) * m, "not negative enough: .*Fill with −inf"),
    "−1e9, times mask": (lambda s, m: filled(-1e9)(s, m) * m, "^✓ "),
    "columns, −1e9": (lambda s, m: s.masked_fill(~m, -1e9).softmax(1), "columns sum to 1"),
    "columns, −inf": (lambda s, m: s.masked_fill(~m, -math.inf).softmax(1), "columns sum to 1"),
    "+ mask * −1e9": (lambda s, m: (s + m * -1e9).softmax(-1), "upside down: True means.*If you use masked"),
    "+ mask * −1e9, times mask": (lambda s, m: (s + m * -1e9).softmax(-1) * m, "upside down"),
    "in a tuple": (lambda s, m: (masked_softmax(s, m),), "^✓ "),
    "double": (lambda s, m: masked_softmax(s.double(), m), "^✓ "),
    "after the softmax": (lambda s, m: s.softmax(-1) * m, "rows sum to less than 1.*after the softmax"),
    "zeroed, then softmax, then masked": (lambda s, m: (s * m).softmax(-1) * m, "rows sum to less than 1"),
    "−1e9": (filled(-1e9), "1/S each, all of it on padding"),
    "−1e4": (filled(-1e4), "1/S each, all of it on padding"),
    "−inf": (filled(-math.inf), "NaN in the row where everything is forbidden"),
    "divided again": (lambda s, m: (w := s.softmax(-1) * m) / w.sum(-1, keepdim=True), "NaN in the row"),
    "divided again, safely": (
        lambda s, m: (w := s.softmax(-1) * m) / w.sum(-1, keepdim=True).clamp(min=1e-9),
        "other numbers: padding with a high score takes everything",
    ),
    "~mask": (lambda s, m: masked_softmax(s, ~m), "upside down: True means may attend"),
    "masked_fill(mask)": (
        lambda s, m: s.masked_fill(m, -math.inf).softmax(-1),
        "upside down.*If you use masked_fill",
    ),
    "masked_fill(mask, −1e9)": (
        lambda s, m: s.masked_fill(m, -1e9).softmax(-1),
        "upside down.*If you use masked_fill",
    ),
    "scores * mask": (lambda s, m: (s * m).softmax(-1), "e⁰ is 1"),
    "scores + mask": (lambda s, m: (s + m).softmax(-1), "you add the mask"),
    "no mask": (lambda s, m: s.softmax(-1), "not used yet"),
    "columns": (lambda s, m: masked_softmax(s, m).softmax(-2) * m, r"weights\[\d"),
    "columns of what is left": (
        lambda s, m: s.masked_fill(~m, -math.inf).softmax(-2).nan_to_num(),
        "columns sum to 1",
    ),
    "additive −inf": (added, "gradient of the empty row is NaN.*nan_to_num"),
    "detached": (lambda s, m: masked_softmax(s.detach(), m), "no gradient reaches the scores"),
    "through NumPy": (needs_no_gradient, "until the scores ask for a gradient: RuntimeError"),
    "in place": (lambda s, m: s.masked_fill_(~m, -1e9).softmax(-1), "1/S each|in place"),
    "(B, S)": (lambda s, m: s.masked_fill(~m[:, 0], -1e9), "RuntimeError: .*it fits the scores"),
    "stub": (lambda s, m: None, r"nothing \(None\)"),
}


@pytest.mark.parametrize(("function", "words"), MASKED.values(), ids=MASKED.keys())
def test_masked_softmax(function, words, capsys):
    """Rows below 1, 1/S in the empty row, a flipped mask, NaN forward or backward: each has its sentence."""
    check.masked_softmax(function)
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert said.startswith(("✓ ", "not yet: "))
    assert re.search(words, said), said


PROGRAMS = {
    "A": lambda scores: torch.softmax(scores, dim=-1),
    "B": lambda scores: torch.softmax(scores, dim=1),
    "C": lambda scores: torch.softmax(scores.mT, dim=1).mT,
    "D": lambda scores: scores.exp() / scores.exp().sum(dim=0),
}
NAMED = {"A": "keys", "B": "queries", "C": "keys", "D": "batch"}


@pytest.mark.parametrize(
    ("programs", "named", "words"),
    [
        (PROGRAMS, NAMED, r"^✓ .*: A and C\.$"),
        ({"B": PROGRAMS["B"]}, {"B": "queries"}, "^✓ .*none of them"),
        (PROGRAMS, {**NAMED, "B": "keys"}, r"B: summed over the keys .* not 1: so its rows are not"),
        (PROGRAMS, {**NAMED, "C": "queries"}, r"C: summed over the queries .* After a transpose"),
        (PROGRAMS, {**NAMED, "D": "keys"}, r"D: summed over the keys"),
        (PROGRAMS, {**NAMED, "A": "batch"}, r"A: summed over the batch .* the sentences do not compete"),
        (PROGRAMS, {**NAMED, "A": None}, "A: no answer yet"),
        (PROGRAMS, {}, "A: no answer yet"),
        (PROGRAMS, {**NAMED, "A": "rows"}, "A: 'rows' is no axis here"),
        (PROGRAMS, {**NAMED, "A": ["keys"]}, r"A: \['keys'\] is no axis here"),
        (PROGRAMS, "B", "two dicts"),
        (None, NAMED, "two dicts"),
        ({"A": None}, NAMED, "A: the program stopped with TypeError"),
        ({"A": lambda scores: None}, NAMED, "A: the program stopped with AttributeError"),
        ({"A": lambda scores: sys.exit()}, NAMED, "A: the program stopped with SystemExit"),
        ({"A": lambda scores: scores}, NAMED, "A: summed over the keys .* not 1"),
    ],
)
def test_the_axis_of_a_softmax(programs, named, words, capsys):
    """Axes are measured on the reader's own programs, whatever the answer is made of."""
    check.softmax_axes(programs, named)
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert said.startswith(("✓ ", "not yet: "))
    assert re.search(words, said.strip()), said


@pytest.mark.parametrize("exercise", [ATTEND, WIDTHS, MASKING], ids=["attend", "widths", "masking"])
def test_known_mistakes_are_told_apart(exercise):
    """Every row of a table is recognised as itself: none hides behind another, none is right."""
    for mistake, says in exercise.mistakes:
        said = verdict(exercise, mistake)
        assert said.startswith("not yet: ")
        assert said.endswith(says)
    assert verdict(exercise, exercise.right) == f"✓ {exercise.praise}"


def test_another_exercise_is_a_table():
    """Later chapters bring their own: one part instead of two, other mistakes."""
    doubling = Exercise(
        arguments=("number",),
        parts=("twice",),
        examples=(lambda: (torch.tensor([1.0, 3.0]),),),
        right=lambda x: (2 * x,),
        mistakes=((lambda x: (x**2,), "you square; double instead"),),
        praise="doubled.",
    )
    assert verdict(doubling, lambda x: x + x) == "✓ doubled."
    assert verdict(doubling, lambda x: (x + x,)) == "✓ doubled."
    assert verdict(doubling, lambda x: x * x) == "not yet: you square; double instead"
    assert verdict(doubling, lambda x: x) == "not yet: twice[1] is 3.0000, it should be 6.0000"


@pytest.mark.parametrize(
    ("add", "words"), [(3e-5, "1.00003, it should be 1.00000"), (2, "3.0000, .* 1.0000")]
)
def test_what_is_off_is_visible(add, words):
    """As many digits as it takes to tell the two numbers apart."""
    one = Exercise(
        arguments=("number",),
        parts=("same",),
        examples=(lambda: (torch.ones(1),),),
        right=lambda x: (x,),
        mistakes=(),
        praise="same.",
    )
    assert re.search(f"is {words}$", verdict(one, lambda x: x + add))
