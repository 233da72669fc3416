"""PositionWaves in Chromium, alone on a page: by mouse, touch and keyboard, held against Python."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from checks import accessibility_in_both_themes, sideways
from widget_page import mounting, settle, trait

from attn_helpers.positions import rates
from attn_helpers.widgets import PositionWaves

ROOT = Path(__file__).parents[2]
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))


@pytest.fixture
def mount(browser):
    """mount(*widgets, …) → page with one view each; afterwards its console must be clean."""
    with mounting(browser, PositionWaves, padding=lambda width: 24 if width > 640 else 16) as show:
        yield show


def text(page, place):
    return page.locator(place).first.text_content()


def figure(said):
    """The number that a text begins with: .96, −.5, 1.00."""
    return float(re.match(r"−?\d*\.?\d+", said)[0].replace("−", "-"))


def twin(page, model=0):
    """The Python widget in the state that the page is in."""
    names = ("positions", "width", "base", "position", "pair", "order")
    return PositionWaves(**{name: trait(page, name, model) for name in names})


def curve(page):
    """The points of the curve as (place across, row), px."""
    d = page.locator(".attn-w-curve").get_attribute("d")
    return [tuple(map(float, point.split(","))) for point in re.findall(r"[-\d.]+,[-\d.]+", d)]


def check_numbers(page):
    """Every number that is shown is Python's; the curve has its heights, row by row."""
    settle(page)
    widget = twin(page)
    alike = widget.similarity[widget.twins[0]]
    digits = 4 if alike > 0.995 else 2
    assert figure(text(page, ".attn-w-big")) == pytest.approx(alike, abs=0.51 * 10**-digits)
    assert figure(text(page, ".attn-w-fact b")) == pytest.approx(widget.similarity.mean(), abs=0.0051)
    across, down = np.array(curve(page)).T
    assert len(across) == widget.positions
    assert (np.diff(down) > 0).all()
    ends = [across[widget.position], across[int(widget.similarity.argmin())]]
    if widget.similarity.min() < 0.99:
        scale = (ends[0] - ends[1]) / (1 - widget.similarity.min())
        np.testing.assert_allclose(ends[0] - across, scale * (1 - widget.similarity), atol=0.2)
    return widget


def shape(page):
    """How far the curve lies from its peak, place by place."""
    points, at = curve(page), trait(page, "position")
    return {n - at: round(points[at][0] - x, 1) for n, (x, _) in enumerate(points)}


def drag(page, place, dx, dy):
    box = page.locator(place).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=5)
    settle(page)


# ---- the first aha: the curve travels -----------------------------------------------------------------


def test_the_first_sight(mount):
    """Another curve than Python's, or no plateau."""
    page = mount()
    check_numbers(page)
    assert text(page, ".attn-title") == "How alike are two positions?"
    assert text(page, ".attn-w-big") == ".96"
    assert text(page, ".attn-w-fact b") == ".60"
    assert "7 and 9 look most like 8" in page.locator(".attn-w-read").inner_text()


@pytest.mark.parametrize("place", ["[data-handle=position]", "[data-handle=peak]"])
def test_a_drag_moves_the_curve_and_not_its_shape(mount, place):
    """The curve changes on the way, or stands still."""
    page = mount()
    before = shape(page)
    drag(page, place, 3, 160)
    page.mouse.up()
    widget = check_numbers(page)
    assert 25 < widget.position < 35
    after = shape(page)
    both = before.keys() & after.keys()
    assert len(both) > 30
    assert {k: before[k] for k in both} == pytest.approx({k: after[k] for k in both}, abs=0.15)
    assert text(page, ".attn-title") == "The curve travels, and keeps its shape."
    assert text(page, ".attn-w-number") == str(widget.position)


def test_the_peak_lies_beside_its_row(mount):
    """Stripes and curve are turned against each other: another row is framed than the curve speaks of."""
    page = mount(PositionWaves(position=20))
    frame, peak = (page.locator(place).bounding_box() for place in (".attn-w-chosen", ".attn-w-peak"))
    middles = [box["y"] + box["height"] / 2 for box in (frame, peak)]
    assert middles[0] == pytest.approx(middles[1], abs=1)
    page.locator("[data-pic=waves]").click(position={"x": 200, "y": 300})
    settle(page)
    frame = page.locator(".attn-w-chosen").bounding_box()
    top = page.locator("[data-pic=waves]").bounding_box()["y"]
    assert frame["y"] + frame["height"] / 2 == pytest.approx(top + 300, abs=5)  # half a row


def test_by_keyboard_alone(mount):
    """Position, pair and numbers are reached and moved without a mouse, and read aloud."""
    page = mount()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.handle") == "position"
    for key, want in [("ArrowDown", 9), ("ArrowRight", 10), ("ArrowUp", 9), ("PageDown", 17), ("End", 63)]:
        page.keyboard.press(key)
        assert check_numbers(page).position == want
    page.keyboard.press("ArrowDown")
    assert trait(page, "position") == 63
    page.keyboard.press("Home")
    settle(page)
    said = page.locator("[data-handle=position]").get_attribute("aria-valuetext")
    assert said == "position 0; nearest twin 1, cosine .96"
    page.wait_for_timeout(700)
    assert said in text(page, "[aria-live]")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    settle(page)
    assert trait(page, "pair") == 3
    page.wait_for_timeout(700)
    assert text(page, "[aria-live]") == "pair 3: numbers 6 and 7. at 0: across (sine) .00, up (cosine) 1.00"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert check_numbers(page).width == 16


# ---- stripes and hands ----------------------------------------------------------------------------------


def test_stripes_have_the_tones_of_their_numbers(mount):
    """The table is drawn transposed, or sines and cosines in two halves."""
    widget = PositionWaves(positions=7, width=10, base=3, position=5)
    page = mount(widget)
    cells = {}
    for tone, path in enumerate(page.locator(".attn-w-tone").all()):
        for x, y in re.findall(r"M([\d.]+) ([\d.]+)", path.get_attribute("d") or ""):
            cells[float(y), float(x)] = tone / 8 - 1
    rows, columns = (sorted({place[axis] for place in cells}) for axis in (0, 1))
    assert (len(rows), len(columns)) == (7, 10)
    drawn = [[cells[y, x] for x in columns] for y in rows]
    np.testing.assert_allclose(drawn, widget.table, atol=1 / 16 + 1e-9)


def test_pointing_at_stripes_shows_their_hand(mount):
    """The hand is another pair's, or turns the wrong way."""
    page = mount()
    box = page.locator("[data-pic=waves]").bounding_box()
    pitch = (page.locator(".attn-w-pair").bounding_box()["width"] - 1.5) * 32 / 31
    page.mouse.move(box["x"] + 60 + 5.5 * pitch, box["y"] + 400)
    settle(page)
    pair = int(re.search(r"pair (\d+)", text(page, ".attn-w-about"))[1])
    assert pair in (5, 6)
    turn = float(rates(32)[pair])
    said = page.locator(".attn-w-about").inner_text()
    assert figure(re.search(r"turns (\S+)", said)[1]) == pytest.approx(turn, rel=0.005)
    assert figure(re.search(r"once round in (\S+)", said)[1]) == pytest.approx(2 * math.pi / turn, rel=0.005)
    hand = page.locator(".attn-pic-clock .attn-w-hand")
    dx, dy = (float(hand.get_attribute(f"{axis}2")) - 60 for axis in "xy")
    assert (dx / 52, -dy / 52) == pytest.approx((math.sin(8 * turn), math.cos(8 * turn)), abs=0.003)
    other = re.search(r"8 and (\d+): (\S+), (\d+) apart", page.locator(".attn-w-read").inner_text())
    assert figure(other[2]) == pytest.approx(twin(page).similarity[int(other[1])], abs=0.0051)
    assert int(other[3]) == abs(8 - int(other[1]))
    page.mouse.move(2, 2)
    settle(page)
    assert trait(page, "pair") == 2
    assert "pair 2:" in text(page, ".attn-w-about")


def test_the_small_dials_show_every_hand(mount):
    """A dial stands still while its stripes go on."""
    page = mount(PositionWaves(position=21))
    hands = page.locator("[data-pic=waves] .attn-w-hand").all()
    assert len(hands) == 16
    for hand, rate in zip(hands, rates(32).tolist(), strict=True):
        dx, dy = (
            float(hand.get_attribute(f"{axis}2")) - float(hand.get_attribute(f"{axis}1")) for axis in "xy"
        )
        assert math.atan2(dx, -dy) == pytest.approx(math.remainder(21 * rate, 2 * math.pi), abs=0.03)


# ---- the challenge, the guess -----------------------------------------------------------------------------


def test_two_positions_collide(mount):
    """The challenge is never met, or met by anything."""
    page = mount()
    page.locator("[data-act=challenge]").click()
    settle(page)
    assert text(page, ".attn-title") == "Make two positions collide."
    page.locator("input[name^='width'][value='4']").check(force=True)
    settle(page)
    assert text(page, ".attn-title") == "Make two positions collide."
    page.locator("input[name^='width'][value='2']").check(force=True)
    check_numbers(page)
    assert text(page, ".attn-title") == "Positions 8 and 52 collide: .9998."
    page.locator("[data-handle=position]").press("Home")
    widget = check_numbers(page)
    assert widget.pair == 0  # the only one left
    assert text(page, ".attn-title") == "Positions 0 and 44 collide: .9998."
    assert text(page, ".attn-hint") == "44 words are 7.003 turns of the only hand, as good as 7."
    assert trait(page, "positions") == 64
    page.locator("[data-act=challenge]").click()
    assert trait(page, "challenge") is False


def test_the_answer_is_nowhere_before_the_guess(mount):
    """The curve, or a number, gives it away; or the guess is lost at the look."""
    page = mount()
    page.locator("[data-act=first]").click()
    settle(page)
    assert text(page, ".attn-title") == "How alike are positions 8 and 63, far apart?"
    assert page.locator(".attn-w-curve").get_attribute("d") == ""
    assert page.locator(".attn-w-twin, .attn-w-dot").count() == 0
    assert text(page, ".attn-w-big") == text(page, ".attn-w-fact b") == "?"
    assert not page.locator("[data-act=look]").is_visible()
    mark = page.locator("[data-handle=guess]")
    assert mark.get_attribute("aria-valuetext") == "not set"
    box = page.locator("[data-pic=waves]").bounding_box()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 200)
    settle(page)
    assert re.search(r"\.\d\d, \d+ apart", page.locator(".attn-w-read").inner_text()) is None
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 200)
    settle(page)
    clicked = trait(page, "guess")
    assert 0.3 < clicked < 0.9
    mark.press("ArrowLeft")
    assert trait(page, "guess") == pytest.approx(clicked - 0.05)
    drag(page, "[data-handle=guess]", -400, 0)
    page.mouse.up()
    assert trait(page, "guess") == 0
    page.locator("[data-act=look]").click()
    widget = check_numbers(page)
    real = f"{widget.similarity[63]:.2f}".lstrip("0")
    assert text(page, ".attn-title") == f"You said .00; it is {real}."
    assert page.locator(".attn-w-yours").count() == 1
    page.locator("[data-handle=position]").press("ArrowDown")
    settle(page)
    assert trait(page, "guess") is None  # it belonged to one curve
    assert page.locator(".attn-w-yours").count() == 0


# ---- other tables -------------------------------------------------------------------------------------


def test_base_and_length(mount):
    """A shorter table keeps a row that is not there; another base changes nothing."""
    page = mount(PositionWaves(position=40))
    page.locator("summary").click()
    for name, value in (("base", 10), ("positions", 16), ("width", 64), ("positions", 128)):
        page.locator(f"input[name^='{name}'][value='{value}']").check(force=True)
        check_numbers(page)
        assert trait(page, name) == value
    assert trait(page, "position") == 15


def test_a_choice_of_python_s_stands_among_the_others(mount):
    """d = 6 is set in a cell, and the page shows no d at all."""
    page = mount(PositionWaves(width=6, base=50, positions=5))
    check_numbers(page)
    assert page.locator("input[name^='width']:checked").get_attribute("value") == "6"
    assert [i.get_attribute("value") for i in page.locator("input[name^='base']").all()] == [
        "10", "50", "100", "1000", "10000",
    ]  # fmt: skip


@pytest.mark.parametrize("sizes", [(2, 2), (256, 256), (3, 256), (256, 2)])
def test_the_smallest_and_the_largest_are_drawn(mount, sizes):
    """A table of the ends breaks the page."""
    page = mount(PositionWaves(positions=sizes[0], width=sizes[1]))
    check_numbers(page)
    assert sideways(page) == []


# ---- shuffled words -----------------------------------------------------------------------------------


def test_shuffled_words(mount):
    """A number is not a model's, or the model without positions seems to notice."""
    page = mount()
    seen = set()
    for _ in range(23):
        page.locator("[data-act=shuffle]").click()
        settle(page)
        widget = twin(page)
        seen.add(widget.words)
        assert text(page, ".attn-w-sentence").split() == list(widget.words)
        for kind in ("none", "sinusoids"):
            place = f".attn-pic-orders-{kind}"
            shown = [figure(said) for said in page.locator(f"{place} .attn-w-logit").all_text_contents()]
            assert shown == pytest.approx(list(widget.logits[kind].values()), abs=0.0051)
        largest = [figure(said) for said in page.locator(".attn-w-large").all_text_contents()]
        first, now = (PositionWaves(order=order).logits["sinusoids"] for order in (0, widget.order))
        assert largest[0] == 0
        assert largest[1] == pytest.approx(max(abs(first[w] - now[w]) for w in now), abs=0.0051)
        lead = page.locator(".attn-pic-orders-sinusoids .attn-w-word.attn-w-strong").all_text_contents()
        assert lead == [max(now, key=now.get)]
    assert len(seen) == 23  # every order but the first
    assert page.locator(".attn-pic-orders-none .attn-w-word.attn-w-strong").count() == 0
    page.locator("[data-act=back]").click()
    settle(page)
    assert trait(page, "order") == 0


# ---- hosts and looks ------------------------------------------------------------------------------------


def test_two_views_agree_and_leave_nothing(mount):
    """R120, R123: a second view shows another state; listeners of a closed one go on."""
    page = mount(PositionWaves(), PositionWaves(width=4))
    page.evaluate("window.show(window.models[0])")
    page.locator("[data-handle=position]").first.press("End")
    settle(page)
    numbers = page.locator(".attn-w-number").all_text_contents()
    assert numbers == ["63", "8", "63"]
    tones = page.locator(".attn-w-tone").evaluate_all("(all) => all.map((e) => e.getAttribute('d'))")
    assert tones[:17] == tones[34:] != tones[17:34]
    page.evaluate("window.views.forEach((view) => view.close())")
    assert page.evaluate("window.models.every((model) => model.listeners.length === 0)")


def test_an_answer_takes_no_more_than_two_frames(mount):
    """The curve drags behind the hand."""
    page = mount(PositionWaves(positions=256, width=64))
    page.locator("[data-handle=position]").focus()
    for want in range(9, 14):
        page.keyboard.press("ArrowDown")
        settle(page)
        assert text(page, ".attn-w-number") == str(want)


def test_a_failure_is_said_in_words(mount):
    """Something fails in the page, and the widget just stands still."""
    page = mount()
    page.evaluate("window.models[0].set('_trouble', 'ZeroDivisionError: no cat')")
    assert "Python could not follow. ZeroDivisionError: no cat" in text(page, "[role=alert]")


def test_hostile_words_stay_text(mount):
    """R119: a title runs as code."""
    for word in HOSTILE[:12]:
        page = mount(PositionWaves(title=word, hint=word))
        assert text(page, ".attn-title") == (word or "How alike are two positions?")
        assert page.evaluate("window.__x") is None
        assert page.locator(".attn img, .attn script").count() == 0


STATES = {
    "first": {},
    "collided": {"width": 2, "position": 0, "challenge": True, "order": 9},
    "asked": {"predict": True, "guess": 0.1},
    "told": {"guess": 0.1, "pair": None},
}


@pytest.mark.parametrize("width", [1008, 720, 390, 320])
@pytest.mark.parametrize("state", STATES)
def test_accessible_and_inside_its_room(mount, width, state):
    """R126: unreadable in the dark, too small for a finger, or wider than the phone."""
    widget = PositionWaves(**STATES[state])
    page = mount(widget, width=width)
    if width in (1008, 390):  # all that is folded is opened below
        spare = widget.reserve[width < 640] - page.locator(".attn").bounding_box()["height"]
        assert 0 <= spare < (48 if state == "first" else 120)
    assert accessibility_in_both_themes(page) == []
    assert sideways(page) == []
    if width <= 390:
        for button in page.locator(".attn-action:visible, .attn-segment:visible, .attn summary").all():
            assert button.bounding_box()["height"] >= 44
            assert button.bounding_box()["width"] >= 44


def test_a_finger_drags_the_position_and_taps_a_row(mount):
    """On a phone the page scrolls instead, or a tap does nothing."""
    page = mount(width=390, has_touch=True, is_mobile=True)
    assert page.locator("[data-handle=position]").evaluate("(e) => getComputedStyle(e).touchAction") == "none"
    page.locator("[data-pic=waves]").tap(position={"x": 100, "y": 300})
    settle(page)
    assert check_numbers(page).position > 30
    assert trait(page, "pair") != 2


def test_nothing_moves_for_those_who_asked_for_rest(mount):
    """Reduced motion: everything stands at once."""
    page = mount(reduced_motion="reduce")
    page.locator("[data-act=shuffle]").click()
    settle(page)
    assert page.evaluate("document.getAnimations().length") == 0


def test_a_hidden_tab_is_not_blank(mount):
    """R122: drawn where nothing has a size, the widget stays empty when its tab is opened."""
    page = mount(style="main { display: none }")
    page.add_style_tag(content="main { display: block !important }")
    page.wait_for_timeout(200)
    check_numbers(page)


def test_a_guess_can_be_left(mount):
    """Guess first, and there is no way out before a guess is made; or the focus is lost on the way."""
    page = mount()
    page.locator("[data-act=first]").focus()
    page.keyboard.press("Enter")
    settle(page)
    assert trait(page, "predict") is True
    assert page.evaluate("document.activeElement.dataset.handle") == "guess"
    page.keyboard.press("ArrowRight")
    settle(page)
    assert trait(page, "guess") is not None
    page.locator("[data-act=leave]").press("Enter")
    settle(page)
    assert (trait(page, "predict"), trait(page, "guess")) == (False, None)
    assert page.evaluate("document.activeElement.dataset.act") == "first"
    assert page.locator("[data-act=challenge]:visible").count() == 1
    assert page.locator("[data-act=leave]").count() == 0
    assert text(page, ".attn-title") == "How alike are two positions?"
