"""What chapter 5 adds: its exercises name each misconception, and ask for what the package does."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from attn_helpers import check, plots
from attn_helpers.change_rates import change_rates
from attn_helpers.exercises import causal, cross, layer_parameters, places, residual
from attn_helpers.exercises.residual import block_of, norm
from attn_helpers.judge import verdict
from attn_helpers.layers import DecoderLayer, Residual, Sizes
from attn_helpers.masks import causal_mask, combine_masks
from attn_helpers.multi_head import MultiHeadAttention
from attn_helpers.positions import PlacedEmbedding
from attn_helpers.widgets import TranslationLab


def said_by(ask, function, capsys):
    """The one line that a check prints."""
    assert ask(function) is None
    said = capsys.readouterr().out
    assert said.startswith(("✓ ", "not yet: "))
    assert said.count("\n") == 1
    return said


# ---- readers' answers ----------------------------------------------------------------------------------


def at(vectors, waves):
    return waves[: vectors.shape[1]]


PLACES = {  # a reader's answer -> words of the verdict
    "right": (lambda v, w: v * math.sqrt(v.shape[2]) + w[: v.shape[1]], "^✓"),
    "by loop": (
        lambda v, w: torch.stack([v[:, t] * v.shape[2] ** 0.5 + w[t] for t in range(v.shape[1])], 1),
        "^✓",
    ),
    "beside": (
        lambda v, w: torch.cat([v, at(v, w)[None].repeat(len(v), 1, 1)], 2),
        "waves beside the words",
    ),
    "scaled, beside": (
        lambda v, w: torch.cat([v * v.shape[2] ** 0.5, at(v, w).expand(v.shape)], 2),
        "waves beside the words",
    ),
    "not scaled": (lambda v, w: v + at(v, w), "drown"),
    "divided": (lambda v, w: v / v.shape[2] ** 0.5 + at(v, w), "you divide by √m"),
    "both scaled": (lambda v, w: (v + at(v, w)) * v.shape[2] ** 0.5, "scale the waves"),
    "from 1": (lambda v, w: v * v.shape[2] ** 0.5 + w[1:][: v.shape[1]], "places count from 0"),
    "whole table": (lambda v, w: v * v.shape[2] ** 0.5 + w, r"RuntimeError.*waves\[:T\]"),
    "by sentence": (lambda v, w: v * v.shape[2] ** 0.5 + w[: len(v)][:, None], "sentences of the batch"),
    "none": (lambda v, w: v * v.shape[2] ** 0.5, "the waves are missing"),
    "stub": (lambda v, w: None, r"nothing \(None\); let it return placed"),
}


def joined(triangle, pad=True):
    def mask(words):
        square = triangle(torch.ones(words.shape[1], words.shape[1])).bool()[None]
        return (square & words[:, None] if pad else square).expand(len(words), -1, -1)

    return mask


CAUSAL = {
    "right": (joined(lambda ones: ones.tril()), "^✓"),
    "package": (lambda words: combine_masks(words[:, None], causal_mask(words.shape[1])[None]), "^✓"),
    "comparison": (
        lambda words: (
            (torch.arange(words.shape[1]) <= torch.arange(words.shape[1])[:, None])[None] & words[:, None]
        ),
        "^✓",
    ),
    "numbers": (
        lambda words: joined(lambda ones: ones.tril())(words).int(),
        "let the mask be a boolean tensor",
    ),
    "in brackets": (lambda words: (joined(lambda ones: ones.tril())(words),), "✓"),
    "of numpy": (lambda words: joined(lambda ones: ones.tril())(words).numpy(), "be a boolean tensor"),
    "words": (lambda words: "tril", "should be a boolean tensor, True = may attend, yours is of type str"),
    "strict": (joined(lambda ones: ones.tril(-1)), "leaves the diagonal out.*row is empty"),
    "flipped": (lambda words: ~joined(lambda ones: ones.tril())(words), "polarity is flipped"),
    "triu, as PyTorch's layer": (
        lambda words: torch.ones(words.shape[1], words.shape[1]).triu(1).bool()[None] | ~words[:, None],
        "polarity is flipped",
    ),
    "future": (joined(lambda ones: ones.triu()), "rows and columns have changed places"),
    "future, strict": (joined(lambda ones: ones.triu(1)), "the causal part is flipped"),
    "one ahead": (joined(lambda ones: ones.tril(1)), "one word too many"),
    "no padding": (joined(lambda ones: ones.tril(), pad=False), "padding is looked at"),
    "no triangle": (joined(lambda ones: ones), "could copy the answer"),
    "padding that asks": (
        lambda words: joined(lambda ones: ones.tril(), pad=False)(words) & words[:, :, None],
        "padding that \\*asks\\*",
    ),
    "or": (lambda words: causal_mask(words.shape[1]) | words[:, None], "joined by \\*or\\*"),
    "both flipped": (
        lambda words: ~causal_mask(words.shape[1])[None] & ~words[:, None],
        "both masks are flipped",
    ),
    "to be added": (
        lambda words: torch.zeros(words.shape[1], words.shape[1]).masked_fill(
            ~joined(lambda ones: ones.tril())(words), -torch.inf
        ),
        r"to be \*added\* to scores; here True = may attend",
    ),
    "to be added, −1e9, (T, T)": (
        lambda words: torch.full((words.shape[1], words.shape[1]), -1e9).triu(1),
        r"to be \*added\* to scores",
    ),
    "(T, T)": (lambda words: causal_mask(words.shape[1]), "shape \\(2, 5, 5\\)"),
    "padding alone": (lambda words: words[:, None], "shape \\(2, 5, 5\\)"),
    "in place": (lambda words: joined(lambda ones: ones.tril())(words.logical_not_().logical_not_()), "^✓"),
    "stub": (lambda words: None, r"nothing \(None\); let it return mask"),
}
LATER = {
    "right": (lambda new, old: torch.ones(new, old + new).tril(old).bool(), "^✓"),
    "package": (lambda new, old: causal_mask(new, old + new, align="end"), "^✓"),
    "last rows": (lambda new, old: causal_mask(old + new)[old:], "^✓"),
    "at the start": (lambda new, old: torch.ones(new, old + new).tril().bool(), "first column"),
    "package, at the start": (lambda new, old: causal_mask(new, old + new, align="start"), "first column"),
    "strict": (
        lambda new, old: torch.ones(new, old + new).tril(old - 1).bool(),
        "leaves the new word itself",
    ),
    "by the new words": (
        lambda new, old: torch.ones(new, old + new).tril(new).bool(),
        "you shifted by the new words; shift by the old ones",
    ),
    "to be added": (
        lambda new, old: torch.full((new, old + new), -torch.inf).triu(old + 1),
        r"to be \*added\* to scores",
    ),
    "flipped": (lambda new, old: ~causal_mask(old + new)[old:], "polarity is flipped"),
    "all": (lambda new, old: torch.ones(new, old + new).bool(), "one another's future"),
    "square": (lambda new, old: causal_mask(new), "the old words have columns, too"),
    "too many rows": (lambda new, old: causal_mask(old + new), "the old words need no rows"),
    "without cache": (
        lambda new, old: torch.cat([torch.zeros(new, old), torch.ones(new, new).tril()], 1).bool(),
        "the old words are hidden",
    ),
    "floats": (lambda new, old: torch.ones(new, old + new).tril(old), "let the mask be a boolean tensor"),
    "stub": (lambda new, old: None, r"nothing \(None\); let it return mask"),
}


def looks(query, key, value, root=lambda q, x: len(q)):
    """A reader's cross-attention; each of the three says whom it asks, "x" or "m"."""

    def solution(x, memory, W_q, W_k, W_v):  # noqa: N803
        given = {"x": x, "m": memory}
        scores = (given[query] @ W_q.T) @ (given[key] @ W_k.T).transpose(1, 2) / root(W_q, x) ** 0.5
        weights = torch.softmax(scores, -1)
        return weights @ (given[value] @ W_v.T), weights

    return solution


def by_layer(x, memory, W_q, W_k, W_v):  # noqa: N803
    """The same by the package's layer, with one head."""
    layer = MultiHeadAttention(x.shape[2], 1, head_width=len(W_q), head_value_width=len(W_v))
    with torch.no_grad():
        for name, weight in (("W_q", W_q), ("W_k", W_k), ("W_v", W_v)):
            getattr(layer, name).weight.copy_(weight)
    _, weights = layer(x, memory, memory)
    return weights[:, 0] @ layer.W_v(memory), weights[:, 0]


CROSS = {
    "right": (looks("x", "m", "m"), "^✓"),
    "package": (by_layer, "^✓"),
    "self": (looks("x", "x", "x"), "keys and values come from the decoder"),
    "encoder's self": (looks("m", "m", "m"), "queries come from the encoder"),
    "changed places": (looks("m", "x", "x"), "the two have changed places"),
    "values of the decoder": (
        looks("x", "m", "x"),
        "your keys come from the encoder, and your values from the decoder",
    ),
    "keys of the decoder": (
        looks("x", "x", "m"),
        "your values come from the encoder, and your keys from the decoder",
    ),
    "unscaled": (looks("x", "m", "m", root=lambda q, x: 1), "not scaled"),
    "√m": (looks("x", "m", "m", root=lambda q, x: x.shape[2]), "you divide by √m"),
    "÷d": (looks("x", "m", "m", root=lambda q, x: len(q) ** 2), "you divide by d:"),
    "output alone": (lambda *g: looks("x", "m", "m")(*g)[0], "return output, weights"),
    "stub": (lambda *g: None, r"nothing \(None\); let it return output, weights"),
}
PRE_NORM = {
    "right": (lambda x, norm, block: x + block(norm(x)), "^✓"),
    "post": (lambda x, norm, block: norm(x + block(x)), "that is post-norm"),
    "both": (lambda x, norm, block: norm(x + block(norm(x))), "a norm on the path of x"),
    "no residual": (lambda x, norm, block: block(norm(x)), "the residual is missing"),
    "block": (lambda x, norm, block: block(x), "the block alone"),
    "no norm": (lambda x, norm, block: x + block(x), "the norm is missing"),
    "normed path": (lambda x, norm, block: norm(x) + block(norm(x)), "what you add is the normed x"),
    "in place": (lambda x, norm, block: x.add_(block(norm(x))), "changes x in place"),
    "stub": (lambda x, norm, block: None, r"nothing \(None\); let it return output"),
}


def counted(m, f, h):
    return sum(p.numel() for p in DecoderLayer(Sizes(m, h, f)).parameters())


COUNT = {
    "right": (lambda m, f, h: 8 * m * m + 2 * m * f + f + 7 * m, "^✓"),
    "counted": (counted, "^✓"),
    "NumPy": (lambda m, f, h: np.int64(counted(m, f, h)), "^✓"),
    "whole tensor": (lambda m, f, h: torch.tensor(counted(m, f, h)), "^✓"),
    "encoder": (lambda m, f, h: 4 * m * m + 2 * m * f + f + 5 * m, "a layer of the encoder"),
    "one attention": (lambda m, f, h: 4 * m * m + 2 * m * f + f + 7 * m, "two attentions"),
    "× heads": (lambda m, f, h: 8 * m * m * h + 2 * m * f + f + 7 * m, "heads share the width"),
    "no norms": (lambda m, f, h: 8 * m * m + 2 * m * f + f + m, "norms are not counted"),
    "matrices": (lambda m, f, h: 8 * m * m + 2 * m * f, "the matrices are right"),
    "no biases": (lambda m, f, h: 8 * m * m + 2 * m * f + 6 * m, "biases of the feed-forward network are"),
    "attention's biases": (lambda m, f, h: 8 * m * m + 2 * m * f + f + 15 * m, "biases of the attentions"),
    "f = 4 m": (lambda m, f, h: 16 * m * m + f + 7 * m, "other numbers|f = 4·m"),
    "one head": (lambda m, f, h: 8 * m * m // h + 2 * m * f + f + 7 * m, "you divide by the heads"),
    "stub": (lambda m, f, h: None, r"nothing \(None\); let it return count"),
}
ASKED = {  # the check of the page, the reader's answers
    "placed": (check.placed, PLACES),
    "causal_mask": (check.causal_mask, CAUSAL),
    "later_mask": (check.later_mask, LATER),
    "cross_attention": (check.cross_attention, CROSS),
    "pre_norm": (check.pre_norm, PRE_NORM),
    "layer_parameters": (check.layer_parameters, COUNT),
}
ALL = [
    pytest.param(ask, *case, id=f"{name}: {which}")
    for name, (ask, cases) in ASKED.items()
    for which, case in cases.items()
]


@pytest.mark.parametrize(("ask", "function", "words"), ALL)
def test_each_answer_is_told_apart(ask, function, words, capsys):
    """A reader learns which of the chapter's misconceptions the answer shows."""
    said = said_by(ask, function, capsys)
    assert re.search(words, said), said


TABLES = {
    "places": places.PLACES,
    "causal": causal.CAUSAL,
    "later": causal.LATER,
    "cross": cross.CROSS,
    "residual": residual.RESIDUAL,
    "layer": layer_parameters.LAYER,
}


@pytest.mark.parametrize("exercise", TABLES.values(), ids=TABLES)
def test_every_mistake_of_the_table_is_named(exercise):
    """No entry hides behind another, so no reader gets the wrong explanation."""
    for mistake, says in exercise.mistakes:
        one = len(exercise.parts) == 1
        said = verdict(exercise, lambda *given, m=mistake, one=one: m(*given)[0] if one else m(*given))
        assert said.startswith("not yet: ")
        assert said.endswith(says), said


@pytest.mark.parametrize("ask", [ask for ask, _ in ASKED.values()], ids=ASKED)
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda *given: 1 / 0, "ZeroDivisionError"),
        (lambda: None, "TypeError"),
        (lambda *given: "text", "str|1 thing"),
        (7, "hand over the function itself"),
        (lambda *given: torch.nan * torch.ones(1), "should|alone"),
    ],
)
def test_nothing_makes_a_check_raise(ask, function, words, capsys):
    """Whatever a reader's code does, there is one line that says so."""
    assert re.search(words, said_by(ask, function, capsys))


def test_the_exercises_ask_for_what_the_package_does():
    """The right answers are those of the package's embedding, masks, attention, residual and layer."""
    torch.manual_seed(0)
    embedding = PlacedEmbedding(11, 6)
    ids = torch.tensor([[4, 7, 4], [9, 5, 10]])
    with torch.no_grad():
        (placed,) = places.PLACES.right(embedding.weight[ids], embedding.places.table.float())
        torch.testing.assert_close(placed, embedding(ids, torch.arange(3)[None]))
    for make in causal.LATER.examples:
        new, old = (int(size) for size in make())
        (mask,) = causal.LATER.right(*make())
        assert torch.equal(mask.bool(), causal_mask(new, old + new, align="end"))
    x, widen, narrow = residual.RESIDUAL.examples[0]()
    around, block = Residual(Sizes(5, 1, 7)), block_of(widen, narrow)
    torch.testing.assert_close(norm(x), around.norm(x))
    (right,) = residual.RESIDUAL.right(x, widen, narrow)
    torch.testing.assert_close(right, around.after(x, block(around.before(x))))
    for make in layer_parameters.LAYER.examples:
        (count,) = layer_parameters.LAYER.right(*make())
        assert counted(*(int(size) for size in make())) == count


# ---- the page --------------------------------------------------------------------------------------------


def words_of(picture):
    return [text.get_text() for text in picture.axes[0].texts]


def test_the_picture_shows_every_block_and_who_asks_whom():
    """Five blocks with five sums; a norm for each; K and V from the encoder's side, Q from the decoder's."""
    for kind in ("pre", "post"):
        picture = plots.transformer(kind)
        words = words_of(picture)
        assert words.count("norm") == words.count("+") == 5
        assert [words.count(block) for block in ("self-attention", "masked self-attention")] == [1, 1]
        assert words.count("cross-attention") == 1
        assert words.count("feed-forward") == 2
        places = {text.get_text(): text.get_position() for text in picture.axes[0].texts}
        cross = places["cross-attention"]
        assert places["K"][0] < places["V"][0] < cross[0] - 90  # they come in at the left
        assert places["Q"][1] < cross[1]
        assert abs(places["Q"][0] - cross[0]) < 60
        assert "keys and values from the encoder" in picture.alt


def test_norms_stand_where_they_say():
    """Before the block they are below it and above the fork; after it, above the sum."""
    for kind, side in (("pre", -1), ("post", 1)):
        texts = plots.transformer(kind).axes[0].texts
        at = [(t.get_text(), t.get_position()) for t in texts]
        blocks = [place for name, place in at if "attention" in name or name == "feed-forward"]
        norms = [place for name, place in at if name == "norm"]
        for x, y in blocks:
            near = min((abs(n[1] - y), n[1]) for n in norms if n[0] == x and (n[1] - y) * side > 0)
            assert near[0] < 65
    with pytest.raises(ValueError, match='norm must be "pre" or "post", got \'none\''):
        plots.transformer("none")


def test_the_notes_five_sections_are_mapped():
    """Each passage of the first text has a function that exists and a chapter that can be opened."""
    text = (Path(__file__).parents[1] / "book/notes_map.md").read_text("utf-8")
    five = text[text.index("### Scoring functions") : text.index("## The article")]
    rows = [line.split("|")[1:-1] for line in five.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in row] for row in rows if row[0].strip() != "Passage"]
    assert five.count("### ") == 5
    assert len(rows) >= 30
    for passage, _, function, _, chapter in rows:
        assert "`" in function or "gold links" in function, passage
        assert re.search(r"\]\(\.\./notebooks/0\d", chapter), passage


def test_the_swaps_do_what_the_text_says():
    """The text tells of translations that the trained model does not make, or of shares never counted."""
    text = (Path(__file__).parents[1] / "notebooks" / "05b_transformer.ipynb").read_text("utf-8")
    lab = TranslationLab.of_trained("transformer", operations=[("swap", [1, 2], (1, 0))])
    (alone,) = lab.translations.values()
    assert alone.before == alone.after == "le chat noir dort"
    ((before, *_),) = lab.written
    assert before.rows[1, 2].argmax() == 2  # layer 2, head 1: chat reads cat, noir reads black
    assert before.rows[2, 2].argmax() == 1
    lab.operations = [("swap", [1, 2])]
    (every,) = lab.translations.values()
    assert f"*{every.after}*" in text
    rates = change_rates()["rates"]["transformer"]
    shares = {head: kinds["swap"]["changed"] / kinds["swap"]["of"] for head, kinds in rates.items()}
    assert shares.pop("all") > 0.9  # "nearly every one"
    assert max(shares.values()) < 0.15  # "few"
