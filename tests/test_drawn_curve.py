"""DrawnCurve from Python's side: what it takes, what it refuses, what it says of a reader's line."""

import json
import math
import warnings

import numpy as np
import pytest
import torch
from traitlets import TraitError

from attn_helpers import metrics, plots
from attn_helpers.widgets import DrawnCurve

BINS = ((1, 6), (7, 9), (10, 12))
LOW = {
    "name": "none",
    "mean": (0.5, 0.25, 0.0),
    "low": (0.4, 0.2, 0.0),
    "high": (0.6, 0.375, 0.125),
    "about": "falls",
}
HIGH = {"name": "attention", "mean": (1.0, 0.875, 0.75)}
NAN = math.nan


def curve(**traits):
    return DrawnCurve(**{"bins": BINS, "series": (LOW, HIGH), **traits})


def test_nothing_is_shown_before_the_reader_has_drawn():
    """The answer stands on the axes before the question is asked."""
    widget = curve()
    assert widget.revealed == 0
    assert widget.drawn == (None, None, None)
    assert widget.off is None
    assert DrawnCurve().series == ()  # axes of the book's bins, nothing else
    assert len(DrawnCurve().drawn) == len(DrawnCurve().bins) == 6


def test_how_far_off_is_the_line_minus_the_measured_one():
    """The widget tells a reader who hoped for too much that they hoped for too little."""
    widget = curve(drawn=(0.75, 0.75, None), revealed=1)
    np.testing.assert_allclose(widget.off, [0.25, 0.5, np.nan])
    widget.revealed = 2
    assert widget.compared.name == "attention"
    np.testing.assert_allclose(widget.off, [-0.25, -0.125, np.nan])
    widget.chosen = 0
    np.testing.assert_allclose(widget.off, [0.25, 0.5, np.nan])
    widget.chosen = 1
    widget.revealed = 1  # the chosen one is hidden again
    assert widget.chosen is None
    assert widget.compared.name == "none"


@pytest.mark.parametrize(
    ("trait", "value", "expected"),
    [
        ("drawn", (0.5, NAN, 0), "from 0 to 1, or None"),
        ("drawn", (0.5, 1.01, 0), "from 0 to 1, or None"),
        ("drawn", (True, 0, 0), "from 0 to 1, or None"),
        ("drawn", "abc", "from 0 to 1, or None"),
        ("drawn", (0.5, 0.5), "each of the 3 bins, got 2"),
        ("series", [{"name": "a", "mean": (0.5, NAN, 0)}], "a share from 0 to 1"),
        ("series", [{"name": "a", "mean": (0.5, 1.5, 0)}], "a share from 0 to 1"),
        ("series", [{"name": "a", "mean": (0.5, 0.5)}], "each of the 3 bins, got 2"),
        ("series", [{"name": "a", "mean": (0.5, 0.5, 0), "low": (0.6, 0, 0)}], "low ≤ mean ≤ high"),
        ("series", [{"name": "a", "mean": (0.5, 0.5, 0), "high": (1, 0, 0)}], "low ≤ mean ≤ high"),
        ("series", [{"name": "a", "mean": (0.5, 0.5, 0), "hihg": (1, 1, 1)}], "low ≤ mean ≤ high"),
        ("series", [{"name": 3, "mean": (0.5, 0.5, 0)}], "a list of series"),
        ("series", [HIGH, HIGH], "a list of series"),
        ("bins", [(1, 6)], "at least two bins"),
        ("bins", [(1, 6), (6, 9), (10, 12)], "without overlap"),
        ("bins", [(7, 9), (1, 6), (10, 12)], "rising"),
        ("bins", [(1, 6.5), (7, 9), (10, 12)], "whole numbers"),
        ("bins", [(1, 6), (7, 9)], "2 bins do not fit series 'none' of 3"),
        ("revealed", 3, "0 to 2"),
        ("revealed", -1, "0 to 2"),
        ("chosen", 0, "0 to -1"),
        ("cursor", 3, "0 to 2"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(trait, value, expected):
    """R109: NaN silences a page; a share of another bin count is drawn at the wrong length."""
    widget = curve()
    before = getattr(widget, trait)
    with pytest.raises(TraitError, match=rf"DrawnCurve\.{trait}.*{expected}"):
        setattr(widget, trait, value)
    assert getattr(widget, trait) == before


def test_arrays_are_taken_copied_and_frozen():
    """R110, R112: a change in place is sent to nobody; a transposed array is scrambled on its way."""
    shares = np.array([[0.5, 0.25], [0.25, 0.125], [0.0, 0.0]]).T[0]
    widget = curve(series=[{"name": "a", "mean": shares}], drawn=torch.tensor([0.5, 0.25, 0.125]))
    shares[0] = 9
    assert widget.series[0].mean == (0.5, 0.25, 0.0) == widget.series[0].low
    assert widget.drawn == (0.5, 0.25, 0.125)
    with pytest.raises(AttributeError):
        widget.series[0].name = "b"
    with pytest.raises(TypeError):
        widget.drawn[0] = 1


def test_a_front_end_brings_back_what_it_was_given():
    """A page that saves its state is refused by its own kernel."""
    widget = curve(drawn=(0.5, None, 0), revealed=2, chosen=1)
    state = json.loads(
        json.dumps({name: getattr(widget, name) for name in ("series", "drawn", "bins", "chosen")})
    )
    other = curve(revealed=2)
    other.set_state(state)
    assert (other.series, other.drawn, other.bins) == (widget.series, widget.drawn, widget.bins)
    with pytest.raises(TraitError, match="drawn"):
        other.set_state({"drawn": [NAN, None, None]})


def test_means_and_intervals_over_seeds():
    """The page shows one seed as the mean, another model's curve, or bins in another order."""
    rng = np.random.default_rng(3)
    shares = {name: rng.random((5, 6)) * [1, 1, 1, 1, 1, 0.01] for name in ("chapter 2", "attention")}
    curves = {
        name: {
            length: metrics.interval(column.tolist())
            for length, column in reversed(
                list(zip([*metrics.BINS, "overall"], [*table.T, table.mean(axis=1)], strict=True))
            )
        }
        for name, table in shares.items()
    }
    widget = DrawnCurve.from_intervals(curves, {"attention": "chooses"}, title="Now?")
    assert [one.name for one in widget.series] == list(shares)
    assert [one.about for one in widget.series] == ["", "chooses"]
    assert widget.bins == tuple(metrics.BINS.values())
    for one, table in zip(widget.series, shares.values(), strict=True):
        np.testing.assert_allclose(one.mean, table.mean(axis=0))
        half = 2.7764 * table.std(axis=0, ddof=1) / np.sqrt(5)  # Student's t, 4 degrees of freedom
        np.testing.assert_allclose(one.low, np.maximum(0, one.mean - half))
        np.testing.assert_allclose(one.high, np.minimum(1, one.mean + half))
    del curves["attention"]["7-9"]
    with pytest.raises(KeyError, match="7-9"):
        DrawnCurve.from_intervals(curves)


def test_room_is_kept_for_every_series():
    """The text below jumps when the widget arrives."""
    assert curve().reserve[1] - DrawnCurve(bins=BINS).reserve[1] == 2 * 44
    widget = DrawnCurve(bins=BINS)
    widget.series = (LOW, HIGH)
    assert widget.reserve == curve().reserve


def test_what_stands_where_no_script_runs():
    """R125, X3: GitHub and print show the measured curves and say their means."""
    widget = curve(drawn=(1, 1, 1))
    assert repr(widget) == "DrawnCurve(3 bins, 0 of 2 revealed)"
    assert repr(curve(revealed=1)) == "DrawnCurve(3 bins, 1 of 2 revealed: none)"
    data, metadata = widget._repr_mimebundle_()
    assert len(data["image/png"]) > 5000
    assert "none 25 %, attention 88 %" in metadata["image/png"]["alt"]


def test_the_picture_shows_the_numbers():
    """The fallback draws another curve than the page."""
    picture = plots.drawn_curve(bins=BINS, series=curve().series, drawn=(0.5, None, 0.25))
    lines = [line.get_xydata().tolist() for line in picture.axes[0].lines]
    assert lines[0] == [[3.5, 0.5], [8, 0.25], [11, 0]]
    assert lines[1] == [[3.5, 1], [8, 0.875], [11, 0.75]]
    assert lines[2] == [[3.5, 0.5], [11, 0.25]]


def test_hostile_names_are_drawn_in_silence(pytestconfig):
    """R119: a label that Matplotlib reads as a formula, or cannot draw, warns under the cell."""
    names = json.loads(
        (pytestconfig.rootpath / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in names:
            widget = curve(
                series=[{"name": name, "mean": (0.5, 0.25, 0), "about": name}], xlabel=name, ylabel=name
            )
            assert widget._picture().png()
