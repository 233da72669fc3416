"""`make models`, the training of a reader's own file, and the measured training step."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import Pair, Splits, batches
from attn_helpers.ladder import RECIPES, by_length, vocabularies
from attn_helpers.seq2seq import Encoder, Seq2Seq
from attn_helpers.training import History

sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))
import bench_train
import models
import train


def copies(lengths=(2, 5, 8, 11, 15, 19, 25), each=3):
    """Tiny pairs for every bin: the target repeats the source, links on the diagonal."""
    pairs = []
    for length in lengths:
        for i in range(each):
            words = tuple("abcdefg"[(i + j) % 7] for j in range(length))
            links = frozenset((j, j) for j in range(length))
            pairs.append(Pair(words, words, links, links))
    return pairs


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Three rows of three steps each, on a corpus of copies."""
    pairs = copies()
    monkeypatch.setattr(models, "data", lambda: Splits(pairs, pairs, pairs, [], pairs[0]))
    monkeypatch.setattr(models, "hashes", lambda: {"code": "c", "data": "d"})
    rows = {name: replace(RECIPES[name], steps=3, hidden=8) for name in list(RECIPES)[:1]}
    rows["seeing"] = replace(rows["no-attention"], score="additive", chapter=3)
    monkeypatch.setattr(models, "RECIPES", rows)
    return tmp_path / "ladder.json"


def fill(table, todo):
    for name, seed in todo:
        models.add(table, models.train(name, seed))
    return table


@pytest.mark.slow
def test_rows_and_seeds_go_to_their_places(small):
    """Whatever order they finish in."""
    table = fill(models.fresh(), [("seeing", 1), ("no-attention", 0), ("seeing", 0)])
    assert [(row["name"], [seed["seed"] for seed in row["seeds"]]) for row in table["rows"]] == [
        ("no-attention", [0]),
        ("seeing", [0, 1]),
    ]
    plain, seeing = (row["seeds"][0] for row in table["rows"])
    assert plain["aer"] is None
    assert 0 <= seeing["aer"] <= 1
    assert table["rows"][0]["seconds"] >= 0


@pytest.mark.slow
def test_an_interrupted_run_goes_on(small, monkeypatch):
    """What is on disk counts as done; after a change of data, code or recipe it does not."""
    models.write(fill(models.fresh(), [("no-attention", 0), ("seeing", 0)]), small)
    assert [row["name"] for row in models.measured(small)["rows"]] == ["no-attention", "seeing"]
    assert models.measured(small)["rows"] == json.loads(small.read_text())["rows"]
    changed = {**models.RECIPES, "seeing": replace(models.RECIPES["seeing"], steps=4)}
    with monkeypatch.context() as patch:
        patch.setattr(models, "RECIPES", changed)
        assert [row["name"] for row in models.measured(small)["rows"]] == ["no-attention"]
    for part in ("code", "data"):
        with monkeypatch.context() as patch:
            patch.setattr(models, "hashes", lambda part=part: {"code": "c", "data": "d", part: "new"})
            assert models.measured(small)["rows"] == []
    small.write_text("{ half a fi")
    assert models.measured(small)["rows"] == []
    assert models.measured(small.parent / "none.json")["rows"] == []


def test_half_a_training_is_no_measurement(small, monkeypatch):
    """Ctrl-C during a training must not write a half-trained model's figures."""
    monkeypatch.setattr(models, "fit", lambda *_, **__: History(interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        models.train("no-attention", 0)


@pytest.mark.slow
def test_a_row_can_be_measured_again():
    """One seed trained anew lands in the stored interval, 5 points of slack: other machines add otherwise."""
    name = "no-attention"
    again = models.train(name, 0)["seed"]
    for length, (_, low, high) in by_length(name).items():
        share = again["overall"] if length == "overall" else again["bins"][length]
        assert low - 0.05 <= share <= high + 0.05, length


# ---- a file of one's own -------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_readers_own_file_trains(tmp_path, monkeypatch, capsys):
    """One command: the loss falls, BLEU is told, the weights are kept."""
    file, kept = tmp_path / "eng-fra.tsv", tmp_path / "model.pt"
    words = {"one": "un", "two": "deux", "three": "trois", "four": "quatre", "five": "cinq"}
    lines = [
        f"{a} {b} {c}.\t{words[a]} {words[b]} {words[c]}.\tCC-BY" for a in words for b in words for c in words
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    asked = [str(file), "--steps", "120", "--hidden", "32", "--rate", "0.01", "--keep", str(kept)]
    monkeypatch.setattr(sys, "argv", ["train.py", *asked])
    train.main()
    said = capsys.readouterr().out
    before, after = said.split("held-out sentences ")[1].split(" nats")[0].split(" → ")
    assert float(after) < 0.7 * float(before)
    assert float(said.split("BLEU ")[1].split()[0]) > 0.5
    assert "119 to train on, 6 held out" in said
    parts, vocabulary = train.prepared(train.options(asked))
    train.build(*vocabulary, train.options(asked)).load_state_dict(torch.load(kept, weights_only=True))
    assert not {pair.source for pair in parts.train} & {pair.source for pair in parts.test}


def test_a_file_that_is_not_there_is_said_in_a_line(monkeypatch, tmp_path):
    """No traceback for a typing error."""
    monkeypatch.setattr(sys, "argv", ["train.py", str(tmp_path / "none.tsv")])
    with pytest.raises(SystemExit, match=r"none\.tsv"):
        train.main()


def test_too_few_pairs_are_no_corpus(monkeypatch, tmp_path):
    """Trained on one pair and judged by none, it reports a loss of 0 as if it were measured."""
    file = tmp_path / "few.tsv"
    file.write_text("one two.\tun deux.\tCC-BY\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["train.py", str(file)])
    with pytest.raises(SystemExit, match=r"few\.tsv: 1 usable pairs; 40 are needed"):
        train.main()


# ---- the measured step ---------------------------------------------------------------------------------


def test_the_textbook_way_computes_the_same():
    """The two that are timed against each other are one model: same logits, same weights, same gradients."""
    pairs = copies()
    words = vocabularies(pairs)
    torch.manual_seed(0)
    ours = Seq2Seq(Encoder(len(words[0]), 5, 8), AttentionDecoder(len(words[1]), 5, 8)).double()
    theirs = Seq2Seq(Encoder(len(words[0]), 5, 8), bench_train.TextbookDecoder(len(words[1]), 5, 8)).double()
    theirs.load_state_dict(ours.state_dict())
    (batch,) = batches(pairs, *words, size=len(pairs))
    for model in (ours, theirs):
        model(batch.source, batch.source_lengths, batch.target_in).logits.square().mean().backward()
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, atol=1e-12, rtol=1e-9)


def test_textbook_batches_hold_the_same_sentences():
    """Every pair once, all as wide as the longest of all."""
    pairs = copies()
    words = vocabularies(pairs)
    order = list(bench_train.textbook_batches(pairs, words, seed=0))
    assert {batch.source.shape[1] for batch in order} == {26}
    rows = [tuple(words[0].decode(row)) for batch in order for row in batch.source.tolist()]
    assert sorted(rows) == sorted(pair.source for pair in pairs)
