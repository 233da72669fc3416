"""The measured table belongs to the code, the data and the recipes at hand, and says what the text claims."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from attn_helpers import ladder
from attn_helpers.ladder import RECIPES, Recipe, TransformerRecipe, by_length, row
from attn_helpers.layers import Sizes
from attn_helpers.metrics import BINS, interval
from attn_helpers.training import Settings

sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))
import models

FIELDS = {"seed", "bins", "overall", "bleu", "aer", "aer_sure", "loss", "train"}


@pytest.mark.parametrize("part", ["code", "data", "config"])
def test_the_table_belongs_to_this_code(part):
    """Text prints from the table: after a change of code, data or recipes, run `make models`."""
    now = {**models.hashes(), "config": models.config()}
    assert ladder.ladder()["meta"][part] == now[part]


def test_every_recipe_is_measured_over_five_seeds():
    """No row is missing, none is left over, and each seed has every figure between 0 and 1."""
    rows = ladder.ladder()["rows"]
    assert [entry["name"] for entry in rows] == list(RECIPES)
    for entry in rows:
        recipe = RECIPES[entry["name"]]
        assert entry["chapter"] == recipe.chapter
        assert entry["key"] == models.key(entry["name"])
        assert [seed["seed"] for seed in entry["seeds"]] == list(range(len(entry["seeds"])))
        assert len(entry["seeds"]) >= 5
        for seed in entry["seeds"]:
            assert set(seed) == FIELDS
            assert list(seed["bins"]) == list(BINS)
            assert seed["overall"] == pytest.approx(sum(seed["bins"].values()) / 6, abs=1e-5)
            assert (seed["aer"] is None) == (recipe.score is None)
            assert all(0 <= share <= 1 for share in (*seed["bins"].values(), seed["bleu"]))


def test_without_attention_length_is_fatal():
    """Chapter 2's cliff: it never rises, at most 10 % in 13–16 and 3 % beyond, over the seeds' intervals."""
    means = [by_length("no-attention")[name].mean for name in BINS]
    assert means == sorted(means, reverse=True)
    assert by_length("no-attention")["13-16"].mean <= 0.10
    assert max(by_length("no-attention")[name].mean for name in ("17-20", "21-29")) <= 0.03


def test_intervals_are_those_of_the_seeds():
    """What a figure draws is what the table holds."""
    seeds = row("no-attention")["seeds"]
    assert by_length("no-attention")["7-9"] == interval([seed["bins"]["7-9"] for seed in seeds])
    assert by_length("no-attention")["overall"] == interval([seed["overall"] for seed in seeds])
    on_train = by_length("no-attention", train=True)["1-6"]
    assert on_train == interval([seed["train"]["1-6"] for seed in seeds])


def test_gains_are_differences_seed_by_seed():
    """The interval is that of the differences, not the difference of the intervals."""
    one, other = row("bahdanau-unidirectional")["seeds"], row("no-attention")["seeds"]
    both = zip(one, other, strict=True)
    expected = interval([a["bins"]["13-16"] - b["bins"]["13-16"] for a, b in both])
    found = ladder.gain("bahdanau-unidirectional", "no-attention")
    assert found["13-16"] == expected
    assert list(found) == [*BINS, "overall"]
    means = [by_length(name)["overall"].mean for name in ("bahdanau-unidirectional", "no-attention")]
    assert found["overall"].mean == pytest.approx(means[0] - means[1])


def test_an_unknown_row_is_named():
    """A typing error in a notebook says which rows there are."""
    with pytest.raises(KeyError, match="no row 'no-atention'; there are no-attention"):
        row("no-atention")


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_build_what_they_say(name):
    """The same seed gives the same weights, and the caller's random numbers stay where they were."""
    recipe = RECIPES[name]
    torch.manual_seed(5)
    expected = torch.rand(2)
    torch.manual_seed(5)
    one, other, third = (recipe.build(11, 13, seed) for seed in (0, 0, 1))
    assert torch.equal(torch.rand(2), expected)
    assert all(map(torch.equal, one.state_dict().values(), other.state_dict().values()))
    assert not all(map(torch.equal, one.state_dict().values(), third.state_dict().values()))
    assert (one.encoder.hidden, one.decoder.words) == (recipe.hidden, 13)
    if isinstance(recipe, Recipe):
        assert one.encoder.rnn.bidirectional == recipe.bidirectional
    else:
        assert one.sizes == Sizes(recipe.hidden, recipe.heads, recipe.inner, positions=recipe.positions)
    assert recipe.settings(3) == Settings(recipe.steps, getattr(recipe, "size", 64), recipe.rate, seed=3)


def test_recipes_are_matched():
    """Rows that are compared differ in one thing; a recipe's hash knows each."""
    plain = RECIPES["no-attention"]
    assert RECIPES["no-attention-long"] == replace(plain, steps=4 * plain.steps)
    wide = RECIPES["no-attention-wide"]
    assert wide == replace(plain, hidden=4 * plain.hidden, rate=plain.rate / 2)  # the text names the rate
    attention = RECIPES["bahdanau-unidirectional"]
    assert attention == replace(plain, chapter=3, score="additive")
    assert RECIPES["uniform-context"] == replace(attention, score="uniform")
    assert RECIPES["bahdanau-bidirectional"] == replace(attention, bidirectional=True)
    assert RECIPES["dot-bidirectional"] == replace(attention, bidirectional=True, score="dot")
    hashes = {Recipe(2, **change).hash() for change in ({}, {"steps": 1}, {"hidden": 2}, {"score": "dot"})}
    assert len(hashes) == 4


def test_the_transformers_are_matched():
    """They differ in positions alone; their keys know their own code, the other rows' do not."""
    ours = RECIPES["transformer"]
    assert RECIPES["transformer-no-positions"] == replace(ours, positions="none")
    changes = {}, {"steps": 1}, {"size": 1}, {"heads": 1}, {"layers": 1}, {"positions": "none"}
    assert len({TransformerRecipe(5, **change).hash() for change in changes}) == 6
    parts = {
        name: models.code_hash([recipe.module])[:16] for name, recipe in RECIPES.items() if recipe.module
    }
    assert all(models.key(name).endswith(part) for name, part in parts.items())
    assert len(set(parts.values())) == 2


def test_the_transformer_climbs_highest():
    """Chapter 5: above every other row, long sentences too; without positions the source's order is lost."""
    ours, blind = by_length("transformer"), by_length("transformer-no-positions")
    assert ours["overall"].mean >= 0.92
    assert ours["21-29"].mean >= 0.75
    others = [name for name in RECIPES if name != "transformer"]
    assert ours["overall"].low > max(by_length(name)["overall"].high for name in others)
    assert ours["overall"].mean - blind["overall"].mean >= 0.40
    assert interval([seed["aer"] for seed in row("transformer")["seeds"]]).mean <= 0.12


def test_more_of_the_same_is_no_cure():
    """Chapter 2: width helps more than training, both move the cliff; what was seen comes right."""
    wide, long = by_length("no-attention-wide"), by_length("no-attention-long")
    assert wide["overall"].low > long["overall"].high > by_length("no-attention")["overall"].high
    assert max(row["21-29"].high for row in (wide, long)) < 0.05
    for name in ("no-attention-wide", "no-attention-long"):
        assert by_length(name, train=True)["13-16"].low - by_length(name)["13-16"].high > 0.5


def test_attention_holds_where_length_was_fatal():
    """Chapter 3: choosing cures what storing did not; a context alike at all steps does not help."""
    one, both = by_length("bahdanau-unidirectional"), by_length("bahdanau-bidirectional")
    assert one["overall"].mean >= 0.78
    assert both["overall"].mean >= 0.85
    assert both["21-29"].mean >= 0.60
    for length in (*BINS, "overall"):
        others = ("no-attention", "no-attention-wide", "no-attention-long", "uniform-context")
        assert one[length].low > max(by_length(name)[length].high for name in others) or length == "1-6"
    assert by_length("uniform-context")["overall"].high < by_length("no-attention")["overall"].low


def test_attention_agrees_with_the_gold_links():
    """AER with sure and possible links, and why the sure ones alone say less: agreement looks elsewhere."""
    both, one = (
        [(seed["aer"], seed["aer_sure"]) for seed in row(f"bahdanau-{kind}")["seeds"]]
        for kind in ("bidirectional", "unidirectional")
    )
    assert sum(aer for aer, _ in both) / len(both) <= 0.12
    assert all(aer < sure for aer, sure in (*both, *one))
    assert max(aer for aer, _ in both) < min(aer for aer, _ in one)


def test_what_attention_learns_serves_new_sentences_too():
    """Chapter 3 on learning by heart: the gap between known and new is the smallest of all matched rows."""

    def gap(name):
        return by_length(name, train=True)["overall"].mean - by_length(name)["overall"].mean

    others = ("no-attention", "no-attention-wide", "no-attention-long", "uniform-context")
    assert gap("bahdanau-unidirectional") < 0.75 * min(map(gap, others))
    assert by_length("bahdanau-unidirectional")["21-29"].low > 0.5


def test_the_plain_dot_product_is_worse_and_less_sure():
    """Chapter 3's box: below the additive score with every seed, and its seeds lie far apart."""
    additive, dot = (
        [seed["overall"] for seed in row(f"{score}-bidirectional")["seeds"]] for score in ("bahdanau", "dot")
    )
    assert max(dot) < min(additive) - 0.1
    assert max(dot) - min(dot) > 5 * (max(additive) - min(additive))


def test_width_costs_more_parameters_than_attention():
    """Chapter 3: the score's parameters are not the reason; the wide row has nine times as many in all."""
    wide, attention, plain = (
        row(name)["parameters"] for name in ("no-attention-wide", "bahdanau-unidirectional", "no-attention")
    )
    assert wide > 9 * attention
    assert attention - plain == 64 * (128 + 128 + 1)  # W_q, W_k, w_v


def test_the_table_is_small_and_tidy():
    """It travels in the wheel."""
    text = models.OUT.read_text(encoding="utf-8")
    assert len(text) < 100_000
    assert text == json.dumps(json.loads(text), indent=1) + "\n"
