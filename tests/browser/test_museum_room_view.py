"""MuseumRoom in Chromium, on a page of its own: by mouse, touch and keyboard, against the stored table."""

import json
from pathlib import Path

import numpy as np
import pytest
from checks import accessibility_in_both_themes, sideways
from widget_page import mounting, settle, trait

from attn_helpers.museum import FIRST_ROOM, NUMBERS, table
from attn_helpers.museum.words import WORDS
from attn_helpers.widgets import MuseumRoom

ROOT = Path(__file__).parents[2]
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))
NAMES, RIGHT = list(NUMBERS), table()["right"]
NONE = [None] * len(FIRST_ROOM)
each = pytest.mark.parametrize("shown", range(len(FIRST_ROOM)))


@pytest.fixture
def mount(browser):
    """mount(*widgets, …) → page with one view each; afterwards its console must be clean."""
    with mounting(browser, MuseumRoom, padding=lambda width: 24 if width > 640 else 16) as show:
        yield show


def room(shown=0, guess=None, **traits):
    """The room at an exhibit, answered or not."""
    return MuseumRoom(shown=shown, guesses=(*NONE[:shown], guess, *NONE[shown + 1 :]), **traits)


def press(page, selector):
    page.locator(selector).first.click()
    settle(page)


def side(page, i):
    """Let the right line, 0, or the faulty one, 1, run."""
    page.locator(".attn-u-pair input").nth(i).check(force=True)
    settle(page)


def text(page, place):
    return page.locator(place).first.text_content()


def two(value):
    """.84, as the page writes a weight or a loss."""
    return f"{value:.2f}".removeprefix("0") if value < 1 else f"{value:.2f}"


def read(value):
    """.213 and 15.15, as the page writes the numbers."""
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else f"{value:.2f}"


def weights(page):
    """The map, as a screen reader hears it."""
    return [c.get_attribute("aria-label").rsplit(": ", 1)[1] for c in page.locator("[data-cell]").all()]


def curve(page, name):
    d = page.locator(f".attn-u-{name}").first.get_attribute("d") or ""
    return np.array([[float(x) for x in pair.split(",")] for pair in d.removeprefix("M").split("L") if pair])


# ---- before the answer -------------------------------------------------------------------------------


@each
def test_at_first_the_fault_is_on_and_nothing_gives_it_away(mount, shown):
    """The answer, the right curve or another exhibit's words are in sight before the reader has guessed."""
    page, exhibit = mount(room(shown)), FIRST_ROOM[shown]
    assert text(page, ".attn-title") == exhibit.title
    assert text(page, ".attn-hint") == exhibit.fine
    assert text(page, ".attn-u-large") == "?"
    assert text(page, ".attn-u-ask") == "Which number catches it?"
    assert text(page, ".attn-u-which") == "one of the 6 numbers below"
    assert page.locator("[data-guess] .attn-u-short").all_text_contents() == [w.short for w in WORDS.values()]
    assert page.locator("[data-guess] .attn-u-about").all_text_contents() == [w.says for w in WORDS.values()]
    said = page.locator(".attn").inner_text()
    assert exhibit.because not in said
    assert "catches it" not in said.replace("Which number catches it?", "")
    assert len(curve(page, "other")) == 0
    assert page.locator(".attn-u-key").count() == 1
    for row in (RIGHT["numbers"], exhibit.row["numbers"]):
        assert all(read(value) not in said for value in row.values() if 0.001 < value != 1)


@each
def test_the_line_the_map_and_the_loss_are_those_that_ran(mount, shown):
    """R112: another exhibit's curve, map or words; right and faulty exchanged."""
    page, exhibit = mount(room(shown, -1)), FIRST_ROOM[shown]
    lines = page.locator(".attn-u-line code").all_text_contents()
    assert lines == [" ".join(part) for part in exhibit.fault.lines()]
    assert exhibit.fault.place in text(page, ".attn-u-where")
    for i, row in ((1, exhibit.row), (0, RIGHT)):
        side(page, i)
        assert trait(page, "fault") == bool(i)
        assert weights(page) == [two(weight) for line in row["weights"] for weight in line]
        assert text(page, ".attn-u-said") == " ".join(row["said"])
        assert text(page, ".attn-u-writes").endswith("…") == (not row["ended"])
        first, last = two(row["loss"][0]), two(row["loss"][-1])
        assert text(page, ".attn-u-key.attn-u-now").endswith(f"line {first} → {last}")
        assert text(page, ".attn-u-large") == read(row["numbers"][exhibit.number])
        drawn = curve(page, "runs")
        low, high = (
            float(page.locator(f".attn-pic {k}").get_attribute("y1")) for k in (".attn-axis", ".attn-grid")
        )
        top = float(page.locator(".attn-u-level").nth(1).text_content())
        np.testing.assert_allclose(drawn[:, 1], low - (low - high) * np.array(row["loss"]) / top, atol=0.1)
        assert np.all(np.diff(drawn[:, 0]) > 0)
        assert len(curve(page, "other")) == 60  # the other one stays beside it


@each
def test_the_loss_falls_before_the_readers_eyes(mount, shown):
    """Were the faulty curve drawn high, anyone would see the fault in it."""
    page = mount(room(shown))
    drawn = curve(page, "runs")[:, 1]
    low, high = (
        float(page.locator(f".attn-pic {k}").get_attribute("y1")) for k in (".attn-axis", ".attn-grid")
    )
    assert low > high  # 0 stands below
    assert (low - drawn[-1]) / (low - high) < 0.3
    assert (low - drawn[0]) / (low - high) > 0.8


# ---- the answer --------------------------------------------------------------------------------------


@each
def test_every_guess_is_judged_by_the_data(mount, shown):
    """A right guess is called wrong, or a wrong one right; or the verdict is typed in."""
    exhibit = FIRST_ROOM[shown]
    own = WORDS[exhibit.number].short
    page = mount(*(room(shown) for _ in NAMES))
    for i, name in enumerate(NAMES):
        view = page.locator(".view").nth(i)
        view.locator(f"[data-guess='{i}']").click()
        settle(page)
        assert trait(page, "guesses", i)[shown] == i
        yours = WORDS[name].short
        told = view.locator(".attn-u-ask").text_content()
        if name == exhibit.number:
            assert told == f"You said so: caught by “{own}”."
        elif name in exhibit.caught_by:
            assert told == f"Caught by “{yours}”, as you said, and by “{own}”."
        else:
            assert told == f"“{yours}” looks fine. Caught by “{own}”."
        assert view.locator(".attn-u-yours .attn-u-short").all_text_contents() == [yours]


@each
def test_all_six_numbers_are_then_shown_for_both_lines(mount, shown):
    """A column is another's, or what is red is not what is out of its limit."""
    page, exhibit = mount(room(shown)), FIRST_ROOM[shown]
    press(page, "[data-act=show]")
    assert trait(page, "guesses")[shown] == -1
    assert text(page, ".attn-u-ask") == f"Caught by “{WORDS[exhibit.number].short}”."
    assert page.locator("[data-guess], .attn-u-yours").count() == 0
    for i, name in enumerate(NAMES):
        row = page.locator(".attn-u-number").nth(i)
        values = [v.evaluate("e => e.lastChild.data") for v in row.locator(".attn-u-value").all()]
        assert values == [read(one["numbers"][name]) for one in (RIGHT, exhibit.row)]
        red = name in exhibit.caught_by
        assert row.locator(".attn-u-bad").count() == 2 * red
        assert row.locator(".attn-u-verdict").text_content() == ("catches it" if red else "looks fine")
    foot = page.locator(".attn-u-foot").text_content()
    assert exhibit.because in foot
    assert [f"{100 * row['exact']:.1f}\xa0%" in foot for row in (RIGHT, exhibit.row)] == [True, True]
    assert ("Training does not run" in text(page, ".attn-u-keys")) == (not exhibit.fault.trains)


def test_the_round_through_the_room(mount):
    """An exhibit forgets its answer, or the next one opens with it; the fault stays off."""
    page = mount()
    for shown, exhibit in enumerate(FIRST_ROOM):
        assert text(page, ".attn-title") == exhibit.title
        assert trait(page, "fault") is True
        press(page, f"[data-guess='{NAMES.index(exhibit.number)}']")
        assert trait(page, "guesses")[shown] is not None
        side(page, 0)
        following = FIRST_ROOM[(shown + 1) % len(FIRST_ROOM)].short
        assert text(page, "[data-act=next]") == f"Next: {following}"
        press(page, "[data-act=next]")
    assert trait(page, "shown") == 0
    assert text(page, ".attn-u-ask").startswith("You said so")
    assert page.locator(".attn-u-seen").count() == len(FIRST_ROOM) - 1
    page.locator(".attn-u-exhibits input").nth(3).check(force=True)
    settle(page)
    assert (trait(page, "shown"), text(page, ".attn-title")) == (3, FIRST_ROOM[3].title)


def test_a_room_with_one_exhibit_has_no_next(mount):
    """The button leads from an exhibit to itself."""
    page = mount(MuseumRoom(FIRST_ROOM[2:3], guesses=(0,)))
    assert page.locator("[data-act]").count() == 0
    assert text(page, ".attn-u-ask") == "Caught by “row sums”, as you said, and by “weight on padding”."


# ---- by other hands ----------------------------------------------------------------------------------


def test_the_keyboard_does_all_of_it(mount):
    """A reader without a mouse cannot choose, switch, guess, go on or read the map."""
    page = mount()
    page.locator(".attn-u-exhibits input").first.focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    assert trait(page, "shown") == 1
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    settle(page)
    assert trait(page, "fault") is False
    assert "2px" in page.evaluate("getComputedStyle(document.activeElement.nextElementSibling).outline")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.cell") == "1,0"
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    settle(page)
    assert (page.evaluate("document.activeElement.dataset.cell"), trait(page, "row")) == ("2,1", 2)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.guess") == "0"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    settle(page)
    assert trait(page, "guesses")[1] == 2
    assert text(page, ".attn-u-ask") == "You said so: caught by “blank encoder”."
    assert page.evaluate("document.activeElement.textContent").startswith("You said so")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.act") == "next"
    page.keyboard.press("Enter")
    settle(page)
    assert trait(page, "shown") == 2
    assert page.evaluate("document.activeElement.name").startswith("shown")
    assert page.evaluate("document.activeElement.checked && document.activeElement.value") == "2"
    page.focus("[data-act=show]")
    page.keyboard.press("Enter")
    settle(page)
    assert page.evaluate("document.activeElement.textContent").startswith("Caught by")
    assert "2px" in page.evaluate("getComputedStyle(document.activeElement).outline")
    page.locator("[data-cell='0,0']").focus()
    assert page.evaluate("document.activeElement.dataset.lmSuppressShortcuts") == "true"


def test_touch_chooses_too(mount):
    """A finger finds no target."""
    page = mount(width=390, has_touch=True, is_mobile=True)
    page.locator(".attn-u-exhibits .attn-segment").nth(3).tap()
    settle(page)
    assert trait(page, "shown") == 3
    page.locator(".attn-u-pair .attn-segment").first.tap()
    settle(page)
    assert trait(page, "fault") is False
    page.locator("[data-name='2']").tap()
    page.locator("[data-guess='3']").tap()
    settle(page)
    assert (trait(page, "row"), trait(page, "guesses")[3]) == (2, 3)


def test_a_row_under_the_pointer_is_read(mount):
    """The figures of a row can be seen for the pinned row alone, or stay when the pointer is gone."""
    page = mount()
    row = FIRST_ROOM[0].row["weights"]
    page.hover("[data-cell='3,0']")
    settle(page)
    assert page.locator("[data-cell^='3,'] .attn-h-figure").all_text_contents() == [two(w) for w in row[3]]
    assert trait(page, "row") == 1
    page.mouse.move(2, 2)
    settle(page)
    assert page.locator("[data-cell^='1,'] .attn-h-figure").all_text_contents() == [two(w) for w in row[1]]
    press(page, "[data-name='2']")
    assert trait(page, "row") == 2


def test_what_is_heard(mount):
    """A screen reader says nothing of the exhibit, the switch, the answer or the row."""
    page, leaks = mount(), FIRST_ROOM[3]
    heard = page.locator("[aria-live]")

    def then():
        page.wait_for_timeout(700)
        return heard.text_content()

    page.locator(".attn-u-exhibits input").nth(3).check(force=True)
    assert then() == f"{leaks.title} {leaks.fine}"
    side(page, 0)
    assert then() == "The right line runs. Loss at the end .13. It writes: le chat noir dort."
    press(page, "[data-guess='0']")
    assert then() == f"“row sums” looks fine. Caught by “alone or together”. {leaks.because}"
    side(page, 1)
    assert then().endswith("alone or together: .213.")
    press(page, "[data-name='2']")
    assert then() == "noir, black: .99"


def test_two_views_agree_and_leave_nothing(mount):
    """R120, R123: a second view shows another state; listeners of a closed one go on."""
    page = mount(MuseumRoom(), MuseumRoom())
    page.evaluate("window.show(window.models[0])")
    settle(page)
    page.locator(".view").first.locator("[data-act=show]").click()
    settle(page)
    asked = page.locator(".attn-u-ask").all_text_contents()
    assert asked[0] == asked[2] != asked[1]
    page.evaluate("window.views.forEach((view) => view.close())")
    assert page.evaluate("window.models.every((model) => model.listeners.length === 0)")


def test_a_failure_is_said_in_words(mount):
    """Something fails in the page, and the widget just stands still."""
    page = mount()
    page.evaluate("window.models[0].set('_trouble', 'ZeroDivisionError: no cat')")
    assert "Python could not follow. ZeroDivisionError: no cat" in page.locator("[role=alert]").text_content()


# ---- looks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1008, 720, 390, 320])
@pytest.mark.parametrize(
    "state", [(0, None, True), (0, 1, True), (4, 0, True), (3, 3, False), (5, None, False)]
)
def test_accessible_and_inside_its_room(mount, width, state):
    """R126: unreadable in the dark, too small for a finger, or wider than the phone."""
    shown, guess, fault = state
    widget = room(shown, guess, fault=fault)
    page = mount(widget, width=width)
    assert accessibility_in_both_themes(page) == []
    assert sideways(page) == []
    if width in (1008, 390) and guess is None:  # an answer makes it longer, and its reader knows why
        assert page.locator(".attn").bounding_box()["height"] <= widget.reserve[width < 640] + 1
    if width == 390:
        for target in page.locator(".attn button:visible, .attn-segment, .attn [data-cell]").all():
            assert target.bounding_box()["height"] >= 44
            assert target.bounding_box()["width"] >= 44


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_the_whole_map_is_in_sight(mount, width):
    """The column of padding, which half of the exhibits are about, lies beyond the edge; a badge is cut."""
    page = mount(room(2), width=width)
    box = page.locator(".attn-h-scroll").bounding_box()
    cells = [page.locator(f"[data-cell='0,{k}']").bounding_box() for k in (0, 5)]
    assert cells[1]["x"] + cells[1]["width"] <= box["x"] + box["width"]
    assert min(cell["width"] for cell in cells) >= 30
    badge = page.locator(".attn-h-corner .attn-q").bounding_box()
    assert badge["x"] >= box["x"] + 1


@pytest.mark.parametrize("width", [1008, 390])
@each
def test_the_kept_place_is_about_as_high_as_the_widget(mount, width, shown):
    """R133: too little room and the text below jumps; too much and a hole stands in the page."""
    widget = room(shown)
    height = mount(widget, width=width).locator(".attn").bounding_box()["height"]
    assert 0.93 * widget.reserve[width < 640] <= height <= widget.reserve[width < 640] + 1


def test_nothing_moves_for_those_who_asked_for_rest(mount):
    """Reduced motion: everything stands at once."""
    page = mount(reduced_motion="reduce")
    side(page, 0)
    press(page, "[data-act=show]")
    assert page.evaluate("document.getAnimations().length") == 0


def test_hostile_words_stay_text(mount):
    """R119: a token, a title or a line of code runs as code."""
    for start in range(0, len(HOSTILE), 6):
        words = [*HOSTILE[start : start + 6], *HOSTILE][:6]
        widget = room(0, -1, query_tokens=words[:5], key_tokens=words, title=words[0])
        bad = {"short": words[1], "fine": words[2], "because": words[3], "place": words[4], "said": words}
        first = {**widget._room["exhibits"][0], **bad, "lines": [words[5], words[0]]}
        widget._room = {**widget._room, "exhibits": [first, *widget._room["exhibits"][1:]]}
        page = mount(widget)
        assert text(page, ".attn-title") == (words[0] or FIRST_ROOM[0].title)
        assert text(page, ".attn-hint") == words[2]
        assert page.locator(".attn-u-line code").all_text_contents() == [words[5], words[0]]
        assert [name.get_attribute("title") for name in page.locator(".attn-h-name bdi").all()] == words[:5]
        assert page.evaluate("window.__x") is None
        assert page.locator(".attn img, .attn script").count() == 0
