"""MuseumRoom in Python: what travels, what is refused, what the picture says; its twin's cases."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from traitlets import TraitError

from attn_helpers.corpus import hero
from attn_helpers.museum import FIRST_ROOM, NUMBERS, table
from attn_helpers.museum.measure import STEPS
from attn_helpers.museum.words import WORDS
from attn_helpers.widgets import MuseumRoom
from attn_helpers.widgets.payload import unpack

FIXTURE = Path(__file__).parent / "fixtures" / "museum_room.json"
NAMES = list(NUMBERS)
NONE = (None,) * len(FIRST_ROOM)


# ---- what it holds -----------------------------------------------------------------------------------


def test_it_opens_with_a_fault_on_and_no_answer():
    """As one meets a fault: it is there, and nobody has said so."""
    widget = MuseumRoom()
    assert (widget.shown, widget.fault, widget.guesses) == (0, True, NONE)
    assert widget.query_tokens[widget.row] == "chat"
    assert widget.exhibit is FIRST_ROOM[0]
    assert widget.caught_by == FIRST_ROOM[0].caught_by
    assert repr(widget) == "MuseumRoom(6 exhibits, wrong axis)"


def test_what_travels_is_what_was_measured():
    """R112: maps of two exhibits are mixed up, or a number stands under another's name."""
    widget = MuseumRoom()
    cells = unpack(widget._payload, widget._shape)
    rows = [table()["right"], *(exhibit.row for exhibit in FIRST_ROOM)]
    assert widget._shape == (7, 1, 5, 6)
    for cell, row in zip(cells[:, 0], rows, strict=True):
        np.testing.assert_allclose(cell, row["weights"], atol=1e-7)
    assert widget.query_tokens == (*hero().target, "⟨end⟩")
    assert widget.key_tokens == (*hero().source, "⟨end⟩", "⟨pad⟩")
    room = widget._room
    assert room["steps"] == STEPS
    assert [n["short"] for n in room["numbers"]] == [WORDS[name].short for name in NAMES]
    for sent, exhibit in zip(room["exhibits"], FIRST_ROOM, strict=True):
        assert dict(zip(NAMES, sent["values"], strict=True)) == exhibit.row["numbers"]
        assert NAMES[sent["number"]] == exhibit.number
        assert sent["lines"] == [" ".join(side) for side in exhibit.fault.lines()]
        assert (sent["loss"], sent["said"]) == (exhibit.row["loss"], exhibit.row["said"])
        assert (sent["place"], sent["trains"]) == (exhibit.fault.place, exhibit.fault.trains)
    strict = {"allow_nan": False, "default": lambda x: "bytes" if isinstance(x, bytes) else x.model_id}
    assert json.dumps(widget.get_state(), **strict)  # raises on NaN


def test_a_later_room_is_other_data():
    """A new room needs no new code: other exhibits, in another order, or one alone."""
    widget = MuseumRoom(FIRST_ROOM[4:1:-1], shown=2)
    assert [sent["short"] for sent in widget._room["exhibits"]] == [
        "state dropped",
        "padding leaks",
        "mask flipped",
    ]
    assert (widget.exhibit.short, widget.guesses) == ("mask flipped", (None,) * 3)
    np.testing.assert_allclose(
        unpack(widget._payload, widget._shape)[3, 0], FIRST_ROOM[2].row["weights"], atol=1e-7
    )
    assert MuseumRoom(FIRST_ROOM[:1]).reserve[1] < MuseumRoom().reserve[1]


def test_it_is_not_made_while_a_fault_is_on():
    """With the twin in its place there is no pair of lines to show."""
    with FIRST_ROOM[0].fault.on(), pytest.raises(RuntimeError, match="the fault is on"):
        MuseumRoom()


# ---- what it refuses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kind", "match"),
    [
        ([], ValueError, "at least one Exhibit, got none"),
        (FIRST_ROOM[0], TypeError, "a sequence of Exhibit, got Exhibit"),
        ("fault-wrong-axis", TypeError, "got a str in it"),
        ([*FIRST_ROOM, FIRST_ROOM[0].fault], TypeError, "got a Fault in it"),
        (None, TypeError, "got NoneType"),
    ],
)
def test_what_is_no_room_is_refused(given, kind, match):
    """A slip ends as an empty page instead of a sentence."""
    with pytest.raises(kind, match=match):
        MuseumRoom(given)


def test_an_exhibit_that_was_never_measured_is_named():
    """A new exhibit without `make models` shows another's numbers, or none."""
    new = dataclasses.replace(FIRST_ROOM[0], name="fault-new")
    with pytest.raises(KeyError, match="fault-new"):
        MuseumRoom([new])


@pytest.mark.parametrize(
    ("trait", "value", "match"),
    [
        ("shown", 6, "0 to 5, got 6"),
        ("shown", -1, "0 to 5, got -1"),
        ("row", 5, "0 to 4, got 5"),
        ("guesses", (None,) * 5, "6 of None and -1 to 5"),
        ("guesses", (6, *NONE[1:]), "6 of None and -1 to 5"),
        ("guesses", (-2, *NONE[1:]), "6 of None and -1 to 5"),
        ("guesses", (True, *NONE[1:]), "6 of None and -1 to 5"),
        ("guesses", ("alone", *NONE[1:]), "6 of None and -1 to 5"),
        ("query_tokens", ["a"], "takes 5 words, got 1"),
        ("key_tokens", ["a"] * 5, "takes 6 words, got 5"),
    ],
)
def test_what_does_not_exist_is_refused_by_name(trait, value, match):
    """R109: a page that asks for an exhibit which is not there stays blank."""
    widget = MuseumRoom()
    before = getattr(widget, trait)
    with pytest.raises(TraitError, match=rf"MuseumRoom\.{trait}.*{match}"):
        setattr(widget, trait, value)
    assert getattr(widget, trait) == before
    with pytest.raises(TraitError, match=trait):
        MuseumRoom(**{trait: value})


# ---- the picture -------------------------------------------------------------------------------------


@pytest.mark.parametrize("shown", range(len(FIRST_ROOM)))
def test_the_picture_tells_the_story_where_no_script_runs(shown):
    """R125: both losses and both maps of this very exhibit, and the number in words."""
    picture, exhibit = MuseumRoom(shown=shown)._picture(), FIRST_ROOM[shown]
    losses, right, wrong = picture.axes
    for line, row in zip(losses.lines, (table()["right"], exhibit.row), strict=True):
        np.testing.assert_allclose(line.get_ydata(), row["loss"])
        np.testing.assert_allclose(line.get_xdata(), np.arange(5, 600, 10))
    for axes, row in ((right, table()["right"]), (wrong, exhibit.row)):
        np.testing.assert_allclose(axes.images[0].get_array(), row["weights"])
    first, last = (f"{exhibit.row['loss'][i]:.2f}" for i in (0, -1))
    value = f"{exhibit.row['numbers'][exhibit.number]:.3f}"
    assert picture.alt.startswith(exhibit.title)
    assert f"falls from {first} to {last}" in picture.alt
    assert picture.alt.endswith(f"{value} with it.")
    assert WORDS[exhibit.number].short in picture.texts[-1].get_text()


# ---- the page's twin ---------------------------------------------------------------------------------


def cut(one, other):
    """Where two lines part and meet again, the head first."""
    head = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if head is None:
        head = min(len(one), len(other))
    rest = min(len(one), len(other)) - head
    tail = 0
    while tail < rest and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    return [[text[:head], text[head : len(text) - tail], text[len(text) - tail :]] for text in (one, other)]


def cases():
    """Numbers and what Python says of them, for js/museum.js to say the same."""
    rng = np.random.default_rng(0)
    bounds = [{"limit": number.limit, "least": number.least} for number in NUMBERS.values()]
    edges = [[number.limit * factor for number in NUMBERS.values()] for factor in (1, 0.999, 1.001)]
    drawn = [[float(f"{10**x:.3g}") for x in rng.uniform(-6, 2, len(NAMES))] for _ in range(12)]
    stored = [list(row["numbers"].values()) for row in table().values()]
    values = [*edges, *drawn, *stored]
    caught = [[i for i, name in enumerate(NAMES) if not NUMBERS[name].fine(row[i])] for row in values]
    pairs = [[" ".join(side) for side in exhibit.fault.lines()] for exhibit in FIRST_ROOM]
    pairs += [["aba", "aa"], ["same", "same"], ["", "x"], ["abab", "ab"]]
    lines = [{"lines": pair, "cut": cut(*pair)} for pair in pairs]
    return {"bounds": bounds, "values": values, "caught": caught, "lines": lines}


def test_the_stored_cases_are_what_python_says_today():
    """Python's limits change and the page goes on with the old ones."""
    stored = json.loads(FIXTURE.read_text("utf-8"))
    assert stored == json.loads(json.dumps(cases())), f"write it again: python {Path(__file__).name}"
    assert {len(found) for found in stored["caught"]} >= {0, 1, 3}


if __name__ == "__main__":
    FIXTURE.write_text(json.dumps(cases(), ensure_ascii=False) + "\n", "utf-8")
