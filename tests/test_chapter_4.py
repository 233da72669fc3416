"""What chapter 4 adds: its exercises name each misconception, its pictures say what they show."""

import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from attn_helpers import check
from attn_helpers.exercises import by_loop, head_parameters, head_scores
from attn_helpers.judge import Exercise, verdict
from attn_helpers.multi_head import MultiHeadAttention, split_heads
from attn_helpers.plots.attention_walk import attention_walk
from attn_helpers.plots.ink import decimals
from tests.answers import expect_told

ROOT = Path(__file__).parents[1]


def split_with(queries, keys):
    batch, heads, _, width = keys.shape
    return queries.view(batch, queries.shape[1], heads, width).transpose(1, 2)


SCORES = {  # a reader's answer -> words of the verdict
    "right": (lambda q, k: split_with(q, k) @ k.mT / math.sqrt(k.shape[-1]), "^✓"),
    "package": (lambda q, k: split_heads(q, k.shape[1]) @ k.mT / k.shape[-1] ** 0.5, "^✓"),
    "loop": (
        lambda q, k: torch.stack(
            [part @ k[:, i].mT / k.shape[-1] ** 0.5 for i, part in enumerate(q.chunk(k.shape[1], -1))], 1
        ),
        "^✓",
    ),
    "view": (
        lambda q, k: q.view(len(q), k.shape[1], q.shape[1], -1) @ k.mT / k.shape[-1] ** 0.5,
        "words are scrambled",
    ),
    "view and √D": (
        lambda q, k: q.view(len(q), k.shape[1], q.shape[1], -1) @ k.mT / q.shape[-1] ** 0.5,
        "scrambles the words; and it is √d of one head",
    ),
    "interleaved": (
        lambda q, k: (
            q.view(*q.shape[:2], k.shape[3], k.shape[1]).permute(0, 3, 1, 2) @ k.mT / k.shape[-1] ** 0.5
        ),
        "every H-th number",
    ),
    "√d_model": (lambda q, k: split_with(q, k) @ k.mT / math.sqrt(q.shape[-1]), "root of the whole width"),
    "unscaled": (lambda q, k: split_with(q, k) @ k.mT, "not scaled"),
    "÷d": (lambda q, k: split_with(q, k) @ k.mT / k.shape[-1], "you divide by d, which flattens"),
    "view, unscaled": (
        lambda q, k: q.view(len(q), k.shape[1], q.shape[1], -1) @ k.mT,
        "scrambles.*not scaled",
    ),
    "interleaved, unscaled": (
        lambda q, k: q.view(*q.shape[:2], k.shape[3], k.shape[1]).permute(0, 3, 1, 2) @ k.mT,
        "every H-th number.*not scaled",
    ),
    "softmax": (
        lambda q, k: (split_with(q, k) @ k.mT / k.shape[-1] ** 0.5).softmax(-1),
        "these are weights: ",
    ),
    "softmax 1": (lambda q, k: (split_with(q, k) @ k.mT / k.shape[-1] ** 0.5).softmax(1), "heads share them"),
    "softmax 2": (
        lambda q, k: (split_with(q, k) @ k.mT / k.shape[-1] ** 0.5).softmax(2),
        "queries share them",
    ),
    "one for all": (
        lambda q, k: torch.stack([q @ k.transpose(1, 2).flatten(2).mT / k.shape[-1] ** 0.5] * k.shape[1], 1),
        "every head has the same scores",
    ),
    "√S": (lambda q, k: split_with(q, k) @ k.mT / k.shape[2] ** 0.5, "√S, the number of keys"),
    "√T": (lambda q, k: split_with(q, k) @ k.mT / q.shape[1] ** 0.5, "√T, the number of queries"),
    "averaged": (
        lambda q, k: (split_with(q, k) @ k.mT / k.shape[-1] ** 0.5).mean(1),
        "you average the heads",
    ),
    "T and H": (
        lambda q, k: (split_with(q, k) @ k.mT / k.shape[-1] ** 0.5).transpose(1, 2),
        "queries and heads have changed places",
    ),
    "no split": (lambda q, k: q[:, None] @ k.mT, "RuntimeError.*first cut the width"),
    "stub": (lambda q, k: None, r"nothing \(None\); let it return scores"),
}


def loop(
    see=lambda x, i, n: x,
    root=lambda w, x: len(w),
    blend="v",
    join=None,
    weigh=lambda s: torch.softmax(s, -1),
    at=lambda i: (i, i, i),
):
    """A reader's loop over heads."""

    def solution(x, W_q, W_k, W_v, W_o):  # noqa: N803
        heads, every = [], []
        for i in range(len(W_q)):
            seen = see(x, i, len(W_q))
            q, k, v = (seen @ w[j].T for w, j in zip((W_q, W_k, W_v), at(i), strict=True))
            weights = weigh(q @ k.mT / math.sqrt(root(W_q[i], x)))
            heads.append(weights @ {"q": q, "k": k, "v": v}[blend])
            every.append(weights)
        mixed = join(heads, W_o) if join else torch.cat(heads, -1) @ W_o.T
        return mixed, torch.stack(every, 1)

    return solution


def sliced(x, i, n):
    share = x.shape[-1] // n
    cut = torch.zeros_like(x)
    cut[..., i * share : (i + 1) * share] = x[..., i * share : (i + 1) * share]
    return cut


def sliced_parameters(x, W_q, W_k, W_v, W_o):  # noqa: N803
    """Slices x and the columns of the parameters."""
    heads, every = [], []
    for i, part in enumerate(x.chunk(len(W_q), -1)):
        at = slice(i * part.shape[-1], (i + 1) * part.shape[-1])
        q, k, v = (part @ w[i][:, at].T for w in (W_q, W_k, W_v))
        every.append(torch.softmax(q @ k.mT / W_q.shape[1] ** 0.5, -1))
        heads.append(every[-1] @ v)
    return torch.cat(heads, -1) @ W_o.T, torch.stack(every, 1)


def first_columns(x, W_q, W_k, W_v, W_o):  # noqa: N803
    """Slices x, and takes the first columns of the parameters for it."""
    heads, every = [], []
    for i, part in enumerate(x.chunk(len(W_q), -1)):
        q, k, v = (part @ w[i][:, : part.shape[-1]].T for w in (W_q, W_k, W_v))
        every.append(torch.softmax(q @ k.mT / W_q.shape[1] ** 0.5, -1))
        heads.append(every[-1] @ v)
    return torch.cat(heads, -1) @ W_o.T, torch.stack(every, 1)


def viewed(merge):
    """All heads in one product, and a view alone."""

    def solution(x, W_q, W_k, W_v, W_o):  # noqa: N803
        shape = len(x), len(W_q), x.shape[1], -1
        q, k, v = (torch.einsum("btm,hdm->bthd", x, w).reshape(shape) for w in (W_q, W_k, W_v))
        weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1)
        return merge(weights @ v).reshape(*x.shape[:2], -1) @ W_o.T, weights

    return solution


def by_module(x, W_q, W_k, W_v, W_o):  # noqa: N803
    """The same by the package's layer."""
    layer = MultiHeadAttention(x.shape[-1], len(W_q), head_width=W_q.shape[1], head_value_width=W_v.shape[1])
    flat = {f"W_{n}.weight": w.flatten(0, 1) for n, w in zip("qkv", (W_q, W_k, W_v), strict=True)}
    layer.load_state_dict({**flat, "W_o.weight": W_o})
    return layer(x, x, x)


LOOP = {
    "loop": (loop(), "^✓"),
    "package": (by_module, "^✓"),
    "W_o as a sum": (
        loop(
            join=lambda heads, mix: sum(h @ m.T for h, m in zip(heads, mix.chunk(len(heads), 1), strict=True))
        ),
        "^✓",
    ),
    "sliced": (loop(see=sliced), "each of your heads sees a slice of x"),
    "sliced with its parameters": (sliced_parameters, "each of your heads sees a slice of x"),
    "sliced x alone": (
        lambda x, q, k, v, o: loop()(x.chunk(len(q), -1)[0], q, k, v, o),
        "RuntimeError.*multiplies all of x",
    ),
    "√d_model": (loop(root=lambda w, x: x.shape[-1]), "√m, the width of x"),
    "unscaled": (loop(root=lambda w, x: 1), "not scaled"),
    "÷d": (loop(root=lambda w, x: len(w) ** 2), "you divide by d:"),
    "keys blended": (loop(blend="k"), "blend their keys|RuntimeError"),
    "averaged": (
        loop(join=lambda heads, mix: torch.cat([sum(heads) / len(heads)] * len(heads), -1) @ mix.T),
        "you average the heads before W_o",
    ),
    "averaged, W_o cut": (
        loop(join=lambda heads, mix: sum(heads) / len(heads) @ mix[:, : heads[0].shape[-1]].T),
        "you average the heads before W_o",
    ),
    "averaged alone": (
        loop(join=lambda heads, mix: torch.stack(heads).mean(0) @ mix.mT),
        "RuntimeError.*neither averaged nor added",
    ),
    "first columns": (first_columns, "each of your heads sees a slice of x"),
    "softmax 0": (loop(weigh=lambda s: s.softmax(0)), "runs over the batch"),
    "softmax -2": (loop(weigh=lambda s: s.softmax(-2)), "your columns sum to 1"),
    "no softmax": (loop(weigh=lambda s: s), "there is no softmax"),
    "causal": (
        loop(weigh=lambda s: (s + torch.full_like(s, -math.inf).triu(1)).softmax(-1)),
        "no mask is asked",
    ),
    "W_q[0], W_k[0]": (loop(at=lambda i: (0, 0, i)), "look with the matrices of head 0"),
    "W_v[0]": (loop(at=lambda i: (i, i, 0)), "values of head 0"),
    "view": (viewed(lambda found: found.transpose(1, 2)), "the right shape and the wrong words"),
    "view both ways": (viewed(lambda found: found), "the right shape and the wrong words"),
    "÷H": (loop(join=lambda heads, mix: torch.cat(heads, -1) @ mix.T / len(heads)), "divided by H"),
    "mean weights": (lambda *g: (loop()(*g)[0], loop()(*g)[1].mean(1)), "averaged over the heads"),
    "reversed": (loop(join=lambda heads, mix: torch.cat(heads[::-1], -1) @ mix.T), "reverse order"),
    "no W_o": (loop(join=lambda heads, mix: torch.cat(heads, -1)), "W_o is still to come|shape"),
    "output alone": (lambda *g: loop()(*g)[0], "return output, weights"),
}
COUNT = {
    "right": (lambda w, h, d, v: 2 * w * h * (d + v), "^✓"),
    "counted": (
        lambda w, h, d, v: sum(
            p.numel() for p in MultiHeadAttention(w, h, head_width=d, head_value_width=v).parameters()
        ),
        "^✓",
    ),
    "× H": (lambda w, h, d, v: h * 4 * w * w, r"parameters × H"),
    "4 m²": (lambda w, h, d, v: 4 * w**2, "other numbers.*holds where d = v = m / H"),
    "no W_o": (lambda w, h, d, v: 2 * w * h * d + w * h * v, "W_o is not counted"),
    "W_o square": (lambda w, h, d, v: h * w * (2 * d + v) + w * w, "as wide as the joined heads"),
    "biases": (lambda w, h, d, v: 2 * w * h * (d + v) + h * (2 * d + v) + w, "biases"),
    "one head": (lambda w, h, d, v: 2 * w * (d + v), "this is one head"),
    "NumPy": (lambda w, h, d, v: np.int64(2 * w * h * (d + v)), "^✓"),
    "NumPy float": (lambda w, h, d, v: np.float32(2 * w * h * (d + v)), "^✓"),
    "whole tensor": (lambda w, h, d, v: torch.tensor(2 * w * h * (d + v)), "^✓"),
    "float tensor": (lambda w, h, d, v: torch.tensor(2.0 * w * h * (d + v)), "^✓"),
    "NumPy, no W_o": (lambda w, h, d, v: np.int64(2 * w * h * d + w * h * v), "W_o is not counted"),
    "one number in a row": (
        lambda w, h, d, v: torch.tensor([2 * w * h * (d + v)]),
        r"count should have the shape \(\), yours has \(1,\)",
    ),
    "true": (lambda w, h, d, v: True, "should be one number, yours is of type bool"),
    "too large": (lambda w, h, d, v: 10**400, "OverflowError"),
    "v is d": (lambda w, h, d, v: 4 * w * h * d, "values have a width of their own"),
    "stub": (lambda w, h, d, v: None, r"nothing \(None\); let it return count"),
}
ALL = [
    pytest.param(exercise, *case, id=f"{name}: {which}")
    for name, exercise, cases in (
        ("scores", head_scores.HEAD_SCORES, SCORES),
        ("loop", by_loop.BY_LOOP, LOOP),
    )
    for which, case in cases.items()
]


@pytest.mark.parametrize(("exercise", "function", "words"), ALL)
def test_each_answer_is_told_apart(exercise, function, words):
    """A reader learns which of the chapter's misconceptions the answer shows."""
    expect_told(verdict(exercise, function), words)


@pytest.mark.parametrize(("function", "words"), COUNT.values(), ids=COUNT)
def test_each_count_is_told_apart(function, words, capsys):
    """Whole numbers in, a whole number out."""
    check.head_parameters(function)
    said = capsys.readouterr().out
    assert re.search(words, said), said


@pytest.mark.parametrize(
    "exercise",
    [head_scores.HEAD_SCORES, by_loop.BY_LOOP, head_parameters.PARAMETERS],
    ids=["scores", "loop", "count"],
)
def test_every_mistake_of_the_table_is_named(exercise):
    """No entry hides behind another, so no reader gets the wrong explanation."""
    for mistake, says in exercise.mistakes:
        one = len(exercise.parts) == 1
        said = verdict(exercise, lambda *given, m=mistake, one=one: m(*given)[0] if one else m(*given))
        assert said.startswith("not yet: ")
        assert said.endswith(says), said


def test_right_values_of_a_wrong_kind_are_no_misconception():
    """A known mistake that gives the same first number is laid at the reader's door."""
    exercise = Exercise(
        ("x",),
        ("y",),
        (lambda: (torch.ones(2),),),
        lambda x: (2 * x,),
        ((lambda x: (x + 1,), "you add"),),
        "",
    )
    assert verdict(exercise, lambda x: (2 * x).long()) == (
        "not yet: y should be a tensor of floats, yours is of type torch.int64"
    )
    assert verdict(exercise, lambda x: 2 * x) == "✓ "


def test_the_exercises_ask_for_what_the_layer_does():
    """The right answers are those of the package."""
    given = by_loop.BY_LOOP.examples[1]()
    for mine, theirs in zip(by_loop.BY_LOOP.right(*given), by_module(*given), strict=True):
        torch.testing.assert_close(mine, theirs)
    for make in head_parameters.PARAMETERS.examples:
        width, heads, d, v = (int(size) for size in make())
        layer = MultiHeadAttention(width, heads, head_width=d, head_value_width=v)
        (count,) = head_parameters.PARAMETERS.right(*make())
        assert sum(p.numel() for p in layer.parameters()) == count


def test_every_axis_has_the_letter_of_the_notation():
    """A width with five names: each letter of a shape is one of the table, in code and in the text."""
    notation = (ROOT / "book" / "notation.md").read_text("utf-8").split("## Names")[0]
    known = set(re.findall(r"^\| \$(\w)\$ \|", notation, re.MULTILINE))
    cells = nbformat.read(ROOT / "notebooks" / "04_multi_head.ipynb", as_version=4).cells
    shapes = [
        shape
        for cell in cells
        for text in re.findall(r"#.*|`\([^`]+\)`", cell.source)
        for shape in re.findall(r"\(([^()]*,[^()]*)\)", text)
    ]
    assert len(shapes) > 30
    assert {letter for shape in shapes for letter in re.findall(r"\b[A-Za-z]\b", shape)} <= known


# ---- pictures ----------------------------------------------------------------------------------------

WORDS = ["hi", "how", "are"]


def walk(seed=0):
    """Every step of a self-attention with T = 3, D = 5, d = 2, v = 4."""
    make = torch.Generator().manual_seed(seed)
    x, W_q, W_k, W_v, W_o = (  # noqa: N806
        torch.randn(shape, generator=make) for shape in ((3, 5), (2, 5), (2, 5), (4, 5), (5, 4))
    )
    steps = {"x": x, "query": x @ W_q.T, "key": x @ W_k.T, "value": x @ W_v.T}
    steps["scores"] = steps["query"] @ steps["key"].T
    steps["scaled"] = steps["scores"] / math.sqrt(2)
    steps["weights"] = steps["scaled"].softmax(-1)
    steps["blend"] = steps["weights"] @ steps["value"]
    return {**steps, "output": steps["blend"] @ W_o.T}


def placed(picture):
    """Every text with its place, from the top left."""
    (axes,) = picture.axes
    return {(round(t.get_position()[1]), round(t.get_position()[0])): t.get_text() for t in axes.texts}


def test_the_walk_shows_every_number_in_its_place():
    """Row by row, a transposed matrix would read differently; a picture of zeros fails (R149)."""
    steps = walk()
    shown = [text for _, text in sorted(placed(attention_walk(WORDS, steps)).items())]
    numbers = [text for text in shown if re.fullmatch(r"−?\d*\.\d\d", text)]
    lines = [("x", "query", "key"), ("scores", "scaled", "weights"), ("value", "blend", "output")]
    expected = [
        decimals(float(number))
        for line in lines
        for row in range(len(WORDS))
        for name in line
        for number in steps[name][row]
    ]
    assert numbers == expected
    assert "÷ √2" in shown
    assert shown.count("hi") == 3 + 3  # beside three lines, above three filters


def test_only_weights_are_shaded():
    """Ink means weight, and nothing else; the darkest cell is the largest weight."""
    steps = walk(1)
    boxes = attention_walk(WORDS, steps).axes[0].patches
    paper = boxes[0].get_facecolor()
    shaded = [box for box in boxes if box.get_facecolor() != paper]
    assert len(shaded) == 9
    dark = np.array([sum(box.get_facecolor()[:3]) for box in shaded]).reshape(3, 3)
    assert (dark.argmin(1) == steps["weights"].argmax(1).numpy()).all()


def test_the_walk_says_where_the_words_look():
    steps = walk()
    top = [WORDS[i] for i in steps["weights"].argmax(1)]
    looks = ", ".join(f"{word} at {to}" for word, to in zip(WORDS, top, strict=True))
    assert f"Most weight: {looks}." in attention_walk(WORDS, steps).alt


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": None}, "steps must be x, query"),
        ({"scores": torch.zeros(3, 2)}, r"scores must have the shape \(3, 3\), got \(3, 2\)"),
        ({"value": torch.zeros(2, 4)}, r"value must have the shape \(3, 4\), got \(2, 4\)"),
        ({"weights": torch.full((3, 3), 2.0)}, "weights must be between 0 and 1"),
        ({"x": torch.full((3, 5), math.nan)}, "x must be finite"),
    ],
)
def test_a_walk_that_does_not_fit_is_refused(change, words):
    steps = {name: step for name, step in {**walk(), **change}.items() if step is not None}
    with pytest.raises(ValueError, match=words):
        attention_walk(WORDS, steps)
