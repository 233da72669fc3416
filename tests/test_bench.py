"""`make bench` keeps what it does not measure, and counts as it says. No clock is read here."""

import sys
from pathlib import Path

import torch

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import batches, corpus
from attn_helpers.ladder import RECIPES, vocabularies
from attn_helpers.seq2seq import Encoder, Seq2Seq
from attn_helpers.training import token_loss

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import bench  # noqa: E402
import bench_contestants  # noqa: E402
import bench_decode  # noqa: E402
import bench_heatmaps  # noqa: E402
import bench_train  # noqa: E402


def test_what_is_not_measured_stays():
    """One section, or one size of it, measured anew must not empty the rest of the table."""
    result = {"meta": {"machine": "x"}, "draw": {"S": {"blank": 1}}, "draw_cpu": None, "import": {"bare": 2}}
    result["interact"] = {"ScoreExplorer": {"here": 3}}
    bench.measured("draw", lambda: {"draw": {"M": {"blank": 4}}, "interact": {"M": {"here": 5}}}, result)
    assert result["draw"] == {"S": {"blank": 1}, "M": {"blank": 4}}
    assert result["interact"] == {"ScoreExplorer": {"here": 3}, "M": {"here": 5}}
    assert result["import"] == {"bare": 2}
    assert set(result["meta"]["measured"]["draw"]) == {"date", "load"}


def test_percentiles_are_medians_over_the_loads():
    """One slow load must not pass for the usual one; a peer that was never drawn is null, not 0."""
    loads = [
        {"drawn": 1, "acts": {"hover": ([float(x + shift) for x in range(101)], cpu)}}
        for shift, cpu in ((0, 1.0), (10, 2.0), (1000, 9.0))
    ]
    assert bench_heatmaps.answers(loads) == {"hover": [60.0, 105.0], "cpu": {"hover": 2.0}}
    assert bench_heatmaps.middle([]) is None
    assert bench_heatmaps.answers([]) == {}


def test_our_page_is_the_books_own(tmp_path, monkeypatch):
    """What is measured is the static host's page, its bytes in a file beside it, as readers get them."""
    monkeypatch.setattr(bench_contestants, "HOME", tmp_path)
    monkeypatch.setitem(bench_contestants.SIZES, "S", (2, 3, 41))
    bench_contestants.make_weights("S")
    about = bench_contestants.our_page("S")
    html = (tmp_path / "here-S.html").read_text("utf8")
    scripts = [path for path in tmp_path.glob("*.js") if path.name != "host.js"]
    assert "attn-state" in html
    assert all(f'"{path.stem}"' in html or f"{path.stem}.js" in html for path in scripts)
    assert set(about["acts"]) == {"hover", "head", "layer"}


def test_the_textbook_way_computes_the_same():
    """Padding to the longest and projecting anew cost time and change neither loss nor gradients."""
    pairs = corpus(0).train[:40]
    words = vocabularies(pairs)
    found = []
    for kind, make in (
        (AttentionDecoder, lambda: batches(pairs, *words, size=bench_train.SIZE, seed=3)),
        (bench_train.TextbookDecoder, lambda: bench_train.textbook_batches(pairs, words, 3)),
    ):
        torch.manual_seed(0)
        model = Seq2Seq(Encoder(len(words[0])), kind(len(words[1]))).double()
        (batch,) = make()
        total, count = token_loss(
            model(batch.source, batch.source_lengths, batch.target_in).logits, batch.target_out
        )
        total.backward()
        found.append((total, count, [weight.grad for weight in model.parameters()]))
    assert found[0][1] == found[1][1]
    torch.testing.assert_close(found[0][0], found[1][0])
    torch.testing.assert_close(found[0][2], found[1][2])


def test_padding_a_transformer_to_the_longest_computes_the_same():
    """Its textbook way is padding alone: loss and gradients stay."""
    pairs = corpus(0).train[:40]
    words = vocabularies(pairs)
    model = RECIPES["transformer"].build(len(words[0]), len(words[1]), seed=0).double()
    widths, found = [], []
    for order in (
        batches(pairs[:9], *words, size=9, seed=3),
        bench_train.textbook_batches(pairs, words, 3, size=40),
    ):
        (batch,) = order
        keep = batch.rows < 9
        source, target_in, target_out = (
            part[keep] for part in (batch.source, batch.target_in, batch.target_out)
        )
        model.zero_grad()
        total, count = token_loss(model(source, batch.source_lengths[keep], target_in).logits, target_out)
        total.backward()
        widths.append(source.shape[1])
        found.append((total, count, [weight.grad for weight in model.parameters()]))
    assert widths[0] < widths[1]
    torch.testing.assert_close(found[0], found[1])


def test_both_ways_of_decoding_say_the_same():
    """A ratio of two different computations would be worth nothing."""
    found = bench_decode.measure({"2 x 11": (2, 11)}, runs=1)["2 x 11"]
    assert found["difference"] <= 1e-5
    assert found["ratio"] == round(found["uncached"] / found["cached"], 2)
