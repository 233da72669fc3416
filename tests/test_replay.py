"""A training looked at again: what is read off it is what happened, and a kept model is the measured one."""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import Pair, corpus, hero
from attn_helpers.ladder import RECIPES, vocabularies
from attn_helpers.metrics import alignment, entropy, sum_alignments
from attn_helpers.replay import Replay
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.trained import load_replay
from attn_helpers.training import History, Settings, fit

sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))
import keep

PAIR = Pair(
    tuple("abc"),
    tuple("xyz"),
    frozenset({(0, 0), (1, 2), (2, 1)}),
    frozenset({(0, 0), (1, 2), (2, 1), (0, 2)}),
)


def history(tops, pair=PAIR):
    """Snapshots in which target word t looks at source word tops[n][t]; the end looks at the end."""
    found = History()
    for step, top in enumerate(tops):
        weights = torch.full((len(pair.target) + 1, len(pair.source) + 1), 0.1)
        weights[range(len(top) + 1), [*top, len(pair.source)]] = 0.7
        found.snapshots.append(
            keep.Snapshot(step, [torch.full((len(top) + 1,), -float(len(tops) - step))], [], [weights])
        )
    return found


RISING = history([(0, 0, 0), (2, 2, 0), (1, 2, 1), (0, 2, 0), (2, 2, 1), (0, 2, 1)])


def test_what_is_read_off():
    """Settling is for good; the crossing is there when both of its rows stay right."""
    replay = Replay.from_history(RISING, [PAIR])
    assert [replay.settles(row) for row in range(3)] == [3, 1, 4]
    assert replay.crossing() == (4, ((1, 2), (2, 1)))
    assert replay.loss == (6, 5, 4, 3, 2, 1)
    assert replay.half_way("loss") == 3  # 6 → 1: 3.5 is passed at 3
    assert replay.aer[-1] == 0
    assert repr(replay) == "Replay(6 snapshots, x y z)"


def test_what_never_happens_is_none():
    """A row that ends wrong has not settled, and links that do not cross have no crossing."""
    replay = Replay.from_history(history([(0, 2, 1), (0, 0, 0)]), [PAIR])
    assert [replay.settles(row) for row in range(3)] == [0, None, None]
    assert replay.crossing() is None
    straight = dataclasses.replace(PAIR, sure=frozenset({(0, 0), (1, 1), (2, 2)}))
    assert Replay.from_history(history([(0, 1, 2)]), [straight]).crossing() is None


def test_flat_curves_are_half_way_at_once():
    """Without a fall there is nothing to wait for."""
    assert Replay.from_history(history([(0, 2, 1)] * 3), [PAIR]).half_way("aer") == 0


def trained(decoder, probes):
    words = vocabularies(probes)
    torch.manual_seed(0)
    model = Seq2Seq(Encoder(len(words[0]), 5, 6), decoder(len(words[1]), 5, 6))
    return model, fit(model, probes, words, Settings(steps=3), probes=probes, progress=False)


def test_curves_are_those_of_the_other_probes():
    """The shown sentence is looked at, the others are judged, as metrics judge them."""
    probes = corpus(0).train[:7]
    _, found = trained(AttentionDecoder, probes)
    replay = Replay.from_history(found, probes)
    last = found.snapshots[-1]
    assert replay.judged == 6
    assert replay.steps == tuple(s.step for s in found.snapshots)
    np.testing.assert_array_equal(replay.weights[-1], last.weights[0])
    total = sum_alignments(alignment(w, p) for w, p in zip(last.weights[1:], probes[1:], strict=True))
    assert replay.aer[-1] == total.error_rate
    assert replay.loss[-1] == pytest.approx(-torch.cat(last.log_probs[1:]).mean().item())
    spread = torch.cat([entropy(w[:-1]) for w in last.weights[1:]]).mean().item()
    assert replay.entropy[-1] == pytest.approx(spread)


def test_what_cannot_be_replayed_is_refused():
    """Each with what to do."""
    probes = corpus(0).train[:2]
    with pytest.raises(ValueError, match="no snapshots: train with fit"):
        Replay.from_history(History(), probes)
    with pytest.raises(ValueError, match="without attention"):
        Replay.from_history(trained(Decoder, probes)[1], probes)
    with pytest.raises(ValueError, match=r"probes must be those that fit was given, 1 pairs.*got 2"):
        Replay.from_history(RISING, [PAIR, PAIR])


def test_a_replay_travels(tmp_path):
    """Weights to 1 / 131070, all else as it was, links and hostile words too."""
    pair = dataclasses.replace(PAIR, source=("<s>", "$$", "日本"), target=("_x", "a\u0301", "</script>"))
    replay = Replay.from_history(RISING, [pair])
    replay.save(tmp_path / "r.npz", stamp="x")
    back = Replay.load(tmp_path / "r.npz")
    assert back.pair == replay.pair
    assert (back.steps, back.loss, back.judged) == (replay.steps, replay.loss, 1)
    np.testing.assert_allclose(back.weights, replay.weights, atol=1 / 131070)


# ---- what travels with the package -------------------------------------------------------------------


@pytest.mark.parametrize("name", keep.KEPT)
def test_kept_models_belong_to_this_code(name):
    """After a change of code, data or recipe: `make models`."""
    assert keep.up_to_date(name)


def test_the_kept_replay_tells_the_story():
    """Chapter 3 says: the loss is half-way down before the alignments are, and then the crossing stays."""
    replay = load_replay("bahdanau-bidirectional")
    assert replay.pair == hero()
    assert replay.steps[0] == 0
    assert replay.steps[-1] == RECIPES["bahdanau-bidirectional"].steps
    assert list(replay.steps) == sorted(set(replay.steps))
    assert replay.half_way("loss") < replay.half_way("aer")
    when, links = replay.crossing()
    assert links == ((1, 2), (2, 1))  # chat → cat, noir → black
    assert replay.half_way("loss") < when < len(replay.steps) - 5
