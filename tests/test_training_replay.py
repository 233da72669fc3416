"""TrainingReplay from Python's side: what it takes and refuses, what travels, and its twin's numbers."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from traitlets import TraitError

from attn_helpers.corpus import Pair, corpus, hero
from attn_helpers.metrics import alignment, entropy, sum_alignments
from attn_helpers.replay import Replay
from attn_helpers.trained import load_replay
from attn_helpers.training import History, Snapshot
from attn_helpers.widgets import TrainingReplay
from attn_helpers.widgets.payload import unpack

FIXTURE = Path(__file__).parent / "fixtures" / "training_replay.json"
PAIR = Pair(
    tuple("abcd"),
    tuple("xyz"),
    frozenset({(0, 0), (1, 3), (2, 1)}),
    frozenset({(0, 0), (1, 3), (2, 1), (0, 2)}),
)


def replay(seed=0, pair=PAIR, snapshots=7, **changes):
    """Random maps that end on the gold links; weights in tenths, so that some are equal."""
    rng = np.random.default_rng(seed)
    queries, keys = len(pair.target) + 1, len(pair.source) + 1
    noise = rng.integers(1, 6, size=(snapshots, queries, keys)).astype(float)
    for t, s in pair.sure:
        noise[:, t, s] += np.arange(snapshots) * rng.uniform(0.4, 1.6)
    weights = noise / noise.sum(-1, keepdims=True)
    steps = tuple(int(step) for step in np.cumsum([0, *rng.integers(1, 40, size=snapshots - 1)]))
    curves = {name: tuple(np.sort(rng.uniform(size=snapshots))[::-1]) for name in ("loss", "aer", "entropy")}
    curves["loss"] = tuple(np.roll(curves["loss"], int(rng.integers(3))))  # may rise on its way
    made = Replay(pair, steps, **curves, weights=weights.astype(np.float32), judged=11)
    return dataclasses.replace(made, **changes)


def snapshots(heads, seed=0, steps=(0, 3, 9), pairs=(PAIR, PAIR)):
    """A history whose snapshots hold weights (H, T, S), or (T, S) when `heads` is 0."""
    rng = torch.Generator().manual_seed(seed)
    found = History()
    for step in steps:
        sizes = [(len(pair.target) + 1, len(pair.source) + 1) for pair in pairs]
        shapes = [(heads, *size) if heads else size for size in sizes]
        weights = [torch.rand(shape, generator=rng).softmax(-1) for shape in shapes]
        log_probs = [-torch.rand(size[0], generator=rng) for size in sizes]
        found.snapshots.append(Snapshot(step, log_probs, [], weights))
    return found


# ---- what it holds -----------------------------------------------------------------------------------


def test_the_kept_replay_opens_at_the_hero():
    """Step 0, row chat; the answer is not said, and it is read off the data."""
    widget = TrainingReplay(load_replay("bahdanau-bidirectional"))
    assert (widget.position, widget.guess, widget.revealed) == (0, None, False)
    assert widget.query_tokens[widget.row] == "chat"
    assert widget.replay.pair == hero()
    at = widget.replay.steps.index(widget.settled)
    tops = widget.replay.weights[:, 1, :4].argmax(-1)
    assert (tops[at:] == 2).all()  # cat
    assert tops[at - 1] != 2
    assert repr(widget) == "TrainingReplay(49 snapshots, 5×5)"
    widget.row = 4  # the end of sentence has no gold link
    assert widget.settled is None


def test_what_travels_is_what_was_seen():
    """R112: maps of several replays are not mixed up, and the page's curves are Python's."""
    views = {"a": replay(0), "b": dataclasses.replace(replay(1), steps=replay(0).steps)}
    widget = TrainingReplay(views)
    cells = unpack(widget._payload, widget._shape)  # (N, replays, T, S)
    assert widget._shape == (7, 2, 4, 5)
    for i, one in enumerate(views.values()):
        np.testing.assert_allclose(cells[:, i], one.weights, atol=1e-7)
        assert widget._curves["aer"][i] == list(one.aer)
    assert widget._gold == (((0, 0), (1, 3), (2, 1)), ((0, 2),))
    assert widget.key_tokens == (*"abcd", "⟨end⟩")
    assert repr(widget) == "TrainingReplay(7 snapshots, 4×5, 2 replays)"
    state = json.dumps(
        widget.get_state(),
        allow_nan=False,
        default=lambda x: "bytes" if isinstance(x, bytes) else x.model_id,
    )
    assert "NaN" not in state


def test_a_long_replay_is_rounded_by_less_than_a_pixel_shows():
    """Beyond 65,536 cells weights travel as 16-bit shares of their row's largest."""
    many = replay(2, Pair(tuple("abcdefghijklmnopqr"), tuple("abcdefghijklmnopqr")), snapshots=200)
    widget = TrainingReplay(many)
    assert len(widget._payload) < 2.5 * many.weights.size
    cells = unpack(widget._payload, widget._shape)[:, 0]
    assert np.abs(cells - many.weights).max() <= many.weights.max() / 131070 * 1.01


def test_several_heads_are_named_and_none_is_averaged_in_silence():
    """Each head has its own AER and entropy; the mean says that it is one."""
    history, probes = snapshots(3), [PAIR, PAIR]
    widget = TrainingReplay.from_history(history, probes, shown=1)
    assert widget.names == ("head 0", "head 1", "head 2", "mean of 3 heads")
    last = history.snapshots[-1].weights
    np.testing.assert_allclose(widget.replay.weights[-1], last[0][1], atol=1e-7)
    assert widget.replay.aer[-1] == sum_alignments([alignment(last[1][1], PAIR)]).error_rate
    widget.shown = 3
    np.testing.assert_allclose(widget.replay.weights[-1], last[0].mean(0), atol=1e-7)
    assert widget.replay.entropy[-1] == pytest.approx(entropy(last[1].mean(0)[:-1]).mean().item())
    with pytest.raises(ValueError, match='head must be 0 to 2, or "mean", got None'):
        Replay.from_history(history, probes)
    with pytest.raises(ValueError, match='head must be 0 to 2, or "mean", got 3'):
        Replay.from_history(history, probes, head=3)
    with pytest.raises(ValueError, match="head must be None: there is one, got 0"):
        Replay.from_history(snapshots(0), probes, head=0)


def test_one_head_needs_no_choice():
    """A model with a single map has no thumbnails."""
    widget = TrainingReplay.from_history(snapshots(0), [PAIR, PAIR])
    assert widget.names == ("",)
    assert widget.replay.judged == 1


def test_an_interrupted_training_is_replayed_as_far_as_it_went():
    """Stopped by hand, it has fewer snapshots."""
    history = snapshots(0, steps=(0, 3))
    history.interrupted = True
    assert TrainingReplay.from_history(history, [PAIR, PAIR])._curves["steps"] == [0, 3]


# ---- what it refuses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kind", "match"),
    [
        ({}, ValueError, "at least one Replay, got an empty mapping"),
        (History(), TypeError, r"must be a Replay.*got History; TrainingReplay\.from_history"),
        (replay(snapshots=1), ValueError, "at least 2 snapshots, got 1"),
        (replay(loss=(float("nan"),) * 7), ValueError, r"replay\.loss must be finite"),
        (replay(entropy=(float("inf"),) * 7), ValueError, r"replay\.entropy must be finite"),
        (replay(weights=np.full((7, 4, 5), np.nan)), ValueError, "weights must be finite, got nan"),
        (replay(weights=np.full((7, 4, 5), 0.3)), ValueError, "sum to 1"),
        ({"a": replay(0), "b": replay(1)}, ValueError, "one pair at the same steps, got another in 'b'"),
        (
            replay(pair=Pair(("a",) * 50, ("b",))),
            ValueError,
            r"40 words and 1024 cells at most, got \(2, 51\)",
        ),
    ],
)
def test_what_cannot_be_replayed_is_refused(given, kind, match):
    """R109 and friends: each with the name of what is wrong, before anything is drawn."""
    with pytest.raises(kind, match=match):
        TrainingReplay(given)


def test_histories_without_a_story_are_refused():
    """No snapshots, a model without attention, one snapshot."""
    bare = snapshots(0)
    bare.snapshots = [dataclasses.replace(one, weights=[]) for one in bare.snapshots]
    for history, match in (
        (History(), "no snapshots: train with fit"),
        (bare, "without attention"),
        (snapshots(0, steps=(0,)), "at least 2 snapshots, got 1"),
    ):
        with pytest.raises(ValueError, match=match):
            TrainingReplay.from_history(history, [PAIR, PAIR])


@pytest.mark.parametrize(
    ("trait", "value", "match"),
    [
        ("position", 7, "0 to 6, got 7"),
        ("position", -1, "0 to 6, got -1"),
        ("guess", 7, "0 to 6, got 7"),
        ("row", 4, "0 to 3, got 4"),
        ("shown", 1, "0 to 0, got 1"),
        ("names", ["a", "b"], "takes 1 words, got 2"),
        ("query_tokens", ["a"], "takes 4 words, got 1"),
        ("key_tokens", ["a"], "takes 5 words, got 1"),
    ],
)
def test_what_does_not_exist_is_refused_by_name(trait, value, match):
    """R109: a page that asks for a snapshot which is not there stays blank."""
    widget = TrainingReplay(replay())
    before = getattr(widget, trait)
    with pytest.raises(TraitError, match=rf"TrainingReplay\.{trait}.*{match}"):
        setattr(widget, trait, value)
    assert getattr(widget, trait) == before
    with pytest.raises(TraitError, match=trait):
        TrainingReplay(replay(), **{trait: value}) if trait not in (
            "names",
            "query_tokens",
            "key_tokens",
        ) else (widget.set_state({trait: value}))


# ---- the picture -------------------------------------------------------------------------------------


def test_the_picture_tells_the_story_where_no_script_runs():
    """R125: the maps at the pins, and in words what the page would say."""
    widget = TrainingReplay(load_replay("bahdanau-bidirectional"), position=20)
    picture, one = widget._picture(), widget.replay
    steps = {axes.get_xlabel() for axes in picture.axes if axes.get_xlabel().startswith("step ")}
    crossing = one.steps[one.crossing()[0]]
    assert steps == {f"step {s}" for s in (0, one.steps[20], crossing, 1500)}
    assert f"chat looks at cat from step {widget.settled} on" in picture.alt
    assert f"loss's fall is at step {one.steps[one.half_way('loss')]}" in picture.alt
    line = picture.axes[-3].lines[0]
    np.testing.assert_allclose(line.get_ydata(), one.loss)
    np.testing.assert_allclose(picture.axes[-1].lines[0].get_ydata(), np.exp(one.entropy))


def test_a_picture_of_a_head_says_which():
    """A head without its number is a mean to the reader."""
    widget = TrainingReplay.from_history(snapshots(2), [PAIR, PAIR], shown=2)
    assert widget._picture().alt.startswith("mean of 2 heads: how attention forms")


# ---- the page's twin ---------------------------------------------------------------------------------


def cases():
    """Replays and what Python reads off them, for js/replay.js to read the same."""
    pairs = [PAIR, dataclasses.replace(PAIR, sure=frozenset({(0, 0), (1, 1), (2, 2)}))]
    given = [replay(seed, pairs[seed % 2], snapshots=5 + seed % 3) for seed in range(12)]
    flat = dataclasses.replace(given[0], loss=(0.5,) * len(given[0].steps))
    return [
        {
            "weights": np.round(one.weights, 7).astype(float).tolist(),
            "sure": sorted(one.pair.sure),
            "possible": sorted(one.pair.possible - one.pair.sure),
            "loss": one.loss,
            "half": one.half_way("loss"),
            "settles": [one.settles(row) for row in range(4)],
            "crossing": crossing[0] if (crossing := one.crossing()) else None,
        }
        for one in [*given, flat]
    ]


def test_the_stored_cases_are_what_python_says_today():
    """Python's rules change and the browser goes on with the old ones."""
    stored = json.loads(FIXTURE.read_text("utf-8"))
    assert stored == json.loads(json.dumps(cases())), f"write it again: python {Path(__file__).name}"
    answers = [case["settles"][:3] for case in stored]
    assert any(None in row for row in answers)
    assert any(when for row in answers for when in row)
    assert {case["crossing"] is None for case in stored} == {True, False}


def test_a_probe_of_the_corpus_is_short_enough():
    """A reader's own probe is refused for its length."""
    longest = max(corpus(0).validation, key=lambda pair: len(pair.source) * len(pair.target))
    TrainingReplay(replay(3, longest))


if __name__ == "__main__":
    FIXTURE.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases()) + "\n]\n", "utf-8")
