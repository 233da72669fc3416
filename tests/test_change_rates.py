"""How often operations change translations: the stored table is that of the models at hand."""

import json
import random

import pytest

from attn_helpers import steering
from attn_helpers.change_rates import KINDS, MODELS, SENTENCES, change_rates, held_out, measure, stamp
from attn_helpers.corpus import Pair, corpus
from attn_helpers.corpus.vocabulary import EOS
from attn_helpers.ladder import vocabularies
from attn_helpers.operating import Operation, operate
from attn_helpers.trained import load_trained

WORDS = vocabularies(corpus(0).train)


def test_the_table_is_current():
    """The code or a model has changed, and the page goes on saying what was true of the old one."""
    meta = change_rates()["meta"]
    again = "python -m attn_helpers.change_rates > attn_helpers/data/change_rates.json"
    assert {name: meta[name] for name in stamp()} == stamp(), again


def test_the_table_is_whole():
    """A kind or a head without a number; more changes than sentences; other sentences than it says."""
    rates = change_rates()["rates"]
    assert list(rates) == list(MODELS)
    assert list(rates["bahdanau-bidirectional"]) == ["all"]
    assert list(rates["transformer"]) == ["all", "1.1", "1.2", "2.1", "2.2"]
    for heads in rates.values():
        for kinds in heads.values():
            assert tuple(kinds) == KINDS
            for one in kinds.values():
                assert 0 <= one["changed"] <= one["of"] <= SENTENCES
                assert one["of"] > 0.95 * SENTENCES  # nearly all translations have two words
    assert json.loads(json.dumps(rates)) == rates


def test_the_sentences_are_held_out():
    """What was learned by heart does not change so easily."""
    train = {pair.source for pair in corpus(0).train}
    pairs = held_out()
    assert len({pair.source for pair in pairs}) == SENTENCES
    assert not train & {pair.source for pair in pairs}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_measured_again(name):
    """The table was typed in. Within one in a hundred: sums may be rounded otherwise on another machine."""
    fresh = measure(load_trained(name), held_out(), WORDS)
    for head, kinds in change_rates()["rates"][name].items():
        for kind, stored in kinds.items():
            assert fresh[head][kind]["of"] == stored["of"]
            assert abs(fresh[head][kind]["changed"] - stored["changed"]) <= 5, (head, kind)


@pytest.mark.parametrize("name", MODELS)
def test_a_sentence_alone_tells_the_same(name):
    """In a batch another row is changed, or padding is read. Oracle: `operate`, one sentence at a time."""
    model = load_trained(name)
    pairs = [
        Pair(("the", "black", "cat", "sleeps"), ("le",)),
        Pair(("the", "old", "queen", "does", "not", "sleep"), ("la",)),
    ]
    for pair in pairs:  # a batch of one: the row drawn first is known
        found = measure(model, [pair], WORDS, seed=1)["all"]
        plain = operate(model, [*WORDS[0].encode(pair.source), EOS], [])[0]
        t = random.Random(1).randrange(len(plain.ids))
        given = {
            "zero": Operation("zero", (t,)),
            "uniform": Operation("uniform", (t,)),
            "swap": Operation("swap", (min(t, len(plain.ids) - 2), min(t, len(plain.ids) - 2) + 1)),
        }
        for kind, operation in given.items():
            after = operate(model, [*WORDS[0].encode(pair.source), EOS], [operation])[-1]
            assert found[kind] == {"changed": int(after.ids != plain.ids), "of": 1}, (pair, kind)


def test_padding_is_never_read(monkeypatch):
    """A short sentence beside a long one: "uniform" reads padding, or "one" is given to it."""
    real, changed = steering.operated, []

    def spy(decoder, change):
        return real(decoder, lambda t, weights: changed.append(change(t, weights)) or changed[-1])

    monkeypatch.setattr(steering, "operated", spy)
    short, long = (next(p for p in held_out() if len(p.source) == n) for n in (4, 12))
    measure(load_trained("bahdanau-bidirectional"), [long, short], WORDS)
    assert changed
    for weights in changed:
        assert weights.shape == (2, 1, 13)
        assert not weights[0, :, 5:].any()  # the short one comes first: 4 words and their end
        total = weights.sum(-1)
        assert (((total - 1).abs() < 1e-5) | (total == 0)).all()
