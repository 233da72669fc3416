"""DrawnCurve in Chromium, on a page with nothing else: drawn by mouse, touch and keyboard, then revealed."""

import json
from pathlib import Path

import numpy as np
import pytest
from checks import accessibility_in_both_themes, sideways
from widget_page import mounting, settle, trait

from attn_helpers.widgets import DrawnCurve

ROOT = Path(__file__).parents[2]
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))
BINS = ((1, 6), (7, 9), (10, 12), (13, 16), (17, 20), (21, 29))
MEANS = {
    "chapter 2": (0.52, 0.08, 0.01, 0, 0, 0),
    "wider": (0.89, 0.49, 0.10, 0, 0, 0),
    "attention": (0.97, 0.95, 0.87, 0.88, 0.75, 0.55),
}
SERIES = [
    {
        "name": name,
        "mean": mean,
        "low": np.maximum(0, np.subtract(mean, 0.05)),
        "high": np.minimum(1, np.add(mean, 0.05)),
        "about": f"about {name}",
    }
    for name, mean in MEANS.items()
]


@pytest.fixture
def mount(browser):
    """mount(*widgets, …) → page with one view each; afterwards its console must be clean."""
    with mounting(browser, curve, height=760) as show:
        yield show


def curve(**traits):
    return DrawnCurve(**{"bins": BINS, "series": SERIES, **traits})


def point(page, place, share):
    """Pixels of a length and a share on the chart, read off its own axis and grid."""
    box = page.locator("[data-pic]").bounding_box()
    axis = page.locator(".attn-pic > svg > .attn-axis")
    left, right, bottom = (float(axis.get_attribute(name)) for name in ("x1", "x2", "y1"))
    top = float(page.locator(".attn-grid").nth(3).get_attribute("y1"))  # 100 %
    return box["x"] + left + (right - left) * (place - 1) / 28, box["y"] + bottom - share * (bottom - top)


def draw(page, *points):
    page.mouse.move(*point(page, *points[0]))
    page.mouse.down()
    for at in points[1:]:
        page.mouse.move(*point(page, *at), steps=6)
    page.mouse.up()
    settle(page)


LINE = ((3.5, 0.9), (8, 0.8), (11, 0.7), (14.5, 0.6), (18.5, 0.5), (25, 0.4))


def drawn_page(mount, reveal=0, **options):
    page = mount(curve(drawn=[share for _, share in LINE]), **options)
    for _ in range(reveal):
        page.click("[data-act=reveal]")
        settle(page)
    return page


def title(page):
    return page.locator(".attn-title").text_content()


def offsets(page):
    return page.locator(".attn-d-off").all_text_contents()


# ---- drawing -------------------------------------------------------------------------------------


def test_axes_are_empty_at_first(mount):
    """The measured curve is in sight, or in the page's text, before the reader commits."""
    page = mount()
    assert page.locator(".attn-d-curve").count() == 0
    assert "52" not in page.locator(".attn").inner_text()
    assert page.locator("[data-act=reveal]").get_attribute("aria-disabled") == "true"
    page.locator("[data-act=reveal]").click(force=True)
    settle(page)
    assert trait(page, "revealed") == 0
    assert "21–29" in page.locator(".attn-d-why").text_content()


def test_the_line_follows_the_mouse(mount):
    """The line is not where the reader drew it."""
    page = mount()
    draw(page, *LINE)
    np.testing.assert_allclose(trait(page, "drawn"), [share for _, share in LINE], atol=0.02)
    d = page.locator(".attn-d-yours").get_attribute("d")
    ys = [float(pair.split(",")[1]) for pair in d.removeprefix("M").split("L")]
    box = page.locator("[data-pic]").bounding_box()
    wanted = [
        point(page, place, share)[1] - box["y"]
        for (place, _), share in zip(LINE, trait(page, "drawn"), strict=True)
    ]
    np.testing.assert_allclose(ys, wanted, atol=0.2)
    assert page.evaluate("window.models[0].saves") > 0
    assert page.locator("[data-act=reveal]").get_attribute("aria-disabled") is None


def test_a_quick_pull_leaves_no_bin_out(mount):
    """The mouse jumps over a bin, and the line has a hole."""
    page = mount()
    page.mouse.move(*point(page, 3.5, 1))
    page.mouse.down()
    page.mouse.move(*point(page, 25, 0))
    page.mouse.up()
    settle(page)
    np.testing.assert_allclose(trait(page, "drawn"), 1 - (np.mean(BINS, axis=1) - 3.5) / 21.5, atol=0.02)


def test_a_half_drawn_line_waits(mount):
    """Half a line is compared with a whole one."""
    page = mount()
    draw(page, *LINE[:3])
    assert trait(page, "drawn")[3:] == [None] * 3
    assert page.locator(".attn-d-keep").text_content() == "keep drawing"
    assert page.locator(".attn-d-empty").count() == 3
    draw(page, *LINE[3:])
    assert None not in trait(page, "drawn")
    assert page.locator(".attn-d-keep").count() == 0


def test_the_keyboard_draws_the_same(mount):
    """A reader without a mouse cannot draw."""
    page = mount()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.pen") == "0"
    for _ in range(3):
        page.keyboard.press("PageUp")
    page.keyboard.press("ArrowUp")
    settle(page)
    assert trait(page, "drawn") == [0.82, None, None, None, None, None]
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowDown")
        settle(page)
    assert trait(page, "drawn") == [0.82, 0.72, 0.62, 0.52, 0.42, 0.32]
    here = page.locator("[data-pen='5']")
    assert here.get_attribute("aria-valuetext") == "32 %"
    assert here.get_attribute("aria-label") == "21–29 words in the sentence"
    assert page.evaluate("document.activeElement.dataset.pen") == "5"
    assert "2px" in page.evaluate("getComputedStyle(document.activeElement, '::after').outline")
    page.keyboard.press("Home")
    settle(page)
    assert trait(page, "cursor") == 0
    page.keyboard.press("Control+ArrowUp")  # the browser's own
    assert trait(page, "drawn")[0] == 0.82
    page.focus("[data-act=reveal]")
    page.keyboard.press("Enter")
    settle(page)
    assert trait(page, "revealed") == 1


def test_a_finger_draws_and_does_not_scroll(mount):
    """On a phone the page moves instead of the pen."""
    page = mount(width=390, height=860, has_touch=True, is_mobile=True)
    assert page.evaluate("getComputedStyle(document.querySelector('[data-pic]')).touchAction") == "none"
    session = page.context.new_cdp_session(page)
    for kind, at in (("touchStart", LINE[0]), *(("touchMove", at) for at in LINE[1:]), ("touchEnd", None)):
        points = [] if at is None else [dict(zip("xy", point(page, *at), strict=True))]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    settle(page)
    np.testing.assert_allclose(trait(page, "drawn"), [share for _, share in LINE], atol=0.03)
    page.click("[data-act=reveal]")
    settle(page)
    assert page.evaluate("getComputedStyle(document.querySelector('[data-pic]')).touchAction") == "auto"


# ---- revealing -----------------------------------------------------------------------------------


def test_the_read_out_is_the_difference(mount):
    """The points under the bins are not those between the two lines."""
    page = drawn_page(mount, reveal=1)
    drawn = np.array([share for _, share in LINE])
    for name, mean in MEANS.items():
        off = np.rint(100 * (drawn - mean)).astype(int)
        assert offsets(page) == [f"+{o}" if o > 0 else f"−{-o}" if o < 0 else "0" for o in off]
        points = round(100 * float(np.abs(drawn - mean).mean()))
        assert title(page) == f"{name.capitalize()}: you were {points} points off on average."
        assert page.locator(".attn-hint").text_content() == f"about {name}"
        shown = page.locator(".attn-d-row b").last.text_content()
        assert shown == f"{round(100 * np.mean(mean))} %"
        if page.locator("[data-act=reveal]").count():
            page.click("[data-act=reveal]")
            settle(page)


def test_curves_lie_where_they_were_measured(mount):
    """Points are smoothed, shifted by a bin, or upside down."""
    page = drawn_page(mount, reveal=3)
    box = page.locator("[data-pic]").bounding_box()
    for i, mean in enumerate((*list(MEANS.values())[:2], MEANS["attention"])):
        d = page.locator(".attn-pic .attn-d-way").nth(i).get_attribute("d")
        got = np.array([[float(x) for x in pair.split(",")] for pair in d.removeprefix("M").split("L")])
        wanted = [point(page, sum(ends) / 2, share) for ends, share in zip(BINS, mean, strict=True)]
        np.testing.assert_allclose(got, np.subtract(wanted, [box["x"], box["y"]]), atol=0.1)
    band = page.locator(".attn-pic .attn-d-on .attn-d-band").get_attribute("d")
    assert band.count("L") == 11
    assert band.endswith("Z")


def test_a_row_is_chosen_to_compare_with(mount):
    """The reader cannot go back to the first curve without drawing again."""
    page = drawn_page(mount, reveal=3)
    page.hover(".attn-d-row")
    settle(page)  # what the pointer shows is not chosen yet
    assert trait(page, "chosen") is None
    page.click(".attn-d-row")
    page.mouse.move(2, 2)
    settle(page)
    assert trait(page, "chosen") == 0
    assert title(page).startswith("Chapter 2: ")
    page.hover(".attn-d-row >> nth=1")
    settle(page)
    assert title(page).startswith("Wider: ")
    page.mouse.move(2, 2)
    settle(page)
    assert title(page).startswith("Chapter 2: ")
    page.keyboard.press("ArrowDown")
    settle(page)
    assert trait(page, "chosen") == 1
    page.evaluate("window.models[0].set('revealed', 1)")  # the chosen one is hidden again
    settle(page)
    assert title(page).startswith("Chapter 2: ")


def test_the_line_is_fixed_once_something_is_revealed(mount):
    """The reader corrects the guess after seeing the answer."""
    page = drawn_page(mount, reveal=1)
    before = trait(page, "drawn")
    draw(page, (3.5, 0.1), (25, 0.1))
    assert trait(page, "drawn") == before
    assert page.locator("[data-pen]").count() == 0


def test_draw_again(mount):
    """There is no way to try once more."""
    page = drawn_page(mount, reveal=2)
    page.click("[data-act=again]")
    settle(page)
    assert trait(page, "drawn") == [None] * 6
    assert trait(page, "revealed") == 0
    assert page.locator(".attn-d-curve").count() == 0
    assert page.locator("[data-act=again]").is_hidden()


def test_a_second_view_and_a_second_drawing_show_the_same(mount):
    """R120, R123: the line is lost when the cell is drawn again, or leaks into another widget."""
    page = mount(curve(), curve())
    page.evaluate("window.show(window.models[0])")
    settle(page)
    box = page.locator("[data-pic]").first.bounding_box()
    page.mouse.click(box["x"] + 100, box["y"] + 100)
    settle(page)
    lines = [view.get_attribute("d") for view in page.locator(".attn-d-yours").all()]
    assert lines[0] == lines[2] != ""
    assert lines[1] == ""
    page.evaluate("window.views.forEach((view) => view.close())")
    assert page.evaluate("window.models.every((model) => model.listeners.length === 0)")
    page.evaluate("window.show(window.models[0])")
    settle(page)
    assert page.locator(".attn-d-yours").get_attribute("d") == lines[0]


def test_what_is_heard(mount):
    """A screen reader says nothing of what was drawn or revealed."""
    page = drawn_page(mount)
    page.focus("[data-pen='0']")
    page.keyboard.press("ArrowUp")
    heard = page.locator("[aria-live]")
    page.wait_for_timeout(700)
    assert heard.text_content() == "1–6 words in the sentence: 92 %"
    page.click("[data-act=reveal]")
    page.wait_for_timeout(700)
    assert heard.text_content().endswith("7–9: you 80 %, measured 8 % (interval 3 % to 13 %); 10–12: you 70 %, measured 1 % (interval 0 % to 6 %); 13–16: you 60 %, measured 0 % (interval 0 % to 5 %); 17–20: you 50 %, measured 0 % (interval 0 % to 5 %); 21–29: you 40 %, measured 0 % (interval 0 % to 5 %)")  # fmt: skip  # noqa: E501


# ---- the cliff, curve after curve ------------------------------------------------------------------

CLIFF = {
    "no attention": (0.82, 0.39, 0.11, 0.02, 0, 0),
    "4× wider state": (0.93, 0.71, 0.47, 0.17, 0.03, 0),
    "4× more training": (0.87, 0.55, 0.28, 0.06, 0.01, 0),
    "uniform context": (0.74, 0.3, 0.09, 0.01, 0, 0),
    "attention": (0.95, 0.88, 0.85, 0.83, 0.73, 0.62),
}


def cliff(**traits):
    series = [{"name": name, "mean": mean, "low": np.multiply(mean, 0.9)} for name, mean in CLIFF.items()]
    drawn = [0.98, 0.95, 0.85, 0.74, 0.6, 0.42]
    return curve(series=series, drawn=drawn, conclusion="Choosing cures it.", **traits)


@pytest.mark.parametrize("width", [1008, 390, 320])
def test_every_curve_has_its_name_beside_it(mount, width):
    """Six names that lie on each other, outside the chart, or cut."""
    page = mount(cliff(), width=width)
    for count in range(1, 6):
        page.click("[data-act=reveal]")
        settle(page)
        assert page.locator(".attn-d-name").all_text_contents() == [*list(CLIFF)[:count], "what you drew"]
        boxes = [name.bounding_box() for name in page.locator(".attn-d-name").all()]
        inside = page.locator("[data-pic]").bounding_box()
        for i, a in enumerate(boxes):
            assert inside["x"] <= a["x"]
            assert a["x"] + a["width"] <= inside["x"] + inside["width"] + 8
            for b in boxes[:i]:
                apart = a["x"] >= b["x"] + b["width"] or b["x"] >= a["x"] + a["width"]
                assert apart or abs(a["y"] - b["y"]) >= 18
        cut = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
        assert page.eval_on_selector_all(".attn-d-name", cut) == []
        bands = page.locator(".attn-d-band").all()
        assert [band.get_attribute("d")[-1] for band in bands] == ["Z"] * count
    assert sideways(page) == []
    assert page.locator(".attn").bounding_box()["height"] <= cliff().reserve[width < 640] + 1


def test_one_by_one_from_the_keyboard_to_the_conclusion(mount):
    """The answer stands there before its turn; or the focus is lost with the last reveal."""
    page = mount(cliff())
    page.focus("[data-act=reveal]")
    for count, name in enumerate(CLIFF, 1):
        assert page.locator(".attn-d-end").text_content() == ""
        assert page.locator("[data-act=reveal]").text_content() == f"Reveal: {name}"
        page.keyboard.press("Enter")
        settle(page)
        assert trait(page, "revealed") == count
        assert title(page).lower().startswith(name)
    assert page.locator(".attn-d-end").text_content() == "Choosing cures it."
    page.wait_for_timeout(700)
    heard = page.locator("[aria-live]").text_content()
    assert "21–29: you 42 %, measured 62 % (interval 56 % to 62 %)" in heard
    assert heard.endswith(". Choosing cures it.")
    page.keyboard.press("ArrowUp")  # the focus is in the table
    assert trait(page, "chosen") == 3


# ---- looks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1008, 390])
@pytest.mark.parametrize("reveal", [0, 3])
def test_accessible_and_inside_its_room(mount, width, reveal):
    """R126: unreadable in the dark, too small for a finger, or wider than the phone."""
    page = drawn_page(mount, reveal=reveal, width=width)
    assert accessibility_in_both_themes(page) == []
    assert sideways(page) == []
    widget = curve()
    assert page.locator(".attn").bounding_box()["height"] <= widget.reserve[width < 640] + 1
    if width == 390:
        boxes = [
            row.bounding_box()
            for row in page.locator(".attn-d-row, .attn-d-reveal, .attn-action:visible, [data-pen]").all()
        ]
        assert all(box["height"] >= 44 for box in boxes)


def test_hostile_names_stay_text(mount):
    """R119: a name runs as code."""
    page = mount(*(curve(series=[{"name": name, "mean": MEANS["wider"], "about": name}], drawn=MEANS["wider"], revealed=1, title=name, note=name, about=name, xlabel=name, ylabel=name) for name in HOSTILE))  # fmt: skip  # noqa: E501
    assert page.locator(".attn-d-label").all_text_contents() == HOSTILE
    assert page.evaluate("window.__x") is None
    assert page.locator(".attn img, .attn script").count() == 0


def test_nothing_moves_for_those_who_asked_for_rest(mount):
    """Reduced motion: the revealed curve stands at once."""
    page = drawn_page(mount, reveal=1, reduced_motion="reduce")
    assert page.evaluate("document.getAnimations().length") == 0


def test_drawn_in_a_hidden_tab_it_fits_when_shown(mount):
    """R122: made in a closed tab the axes have no width, and a stroke lands in another bin."""
    page = mount()
    page.evaluate(
        "document.querySelector('main').insertAdjacentHTML('beforeend', '<div id=tab hidden></div>')"
    )
    page.evaluate("window.views[0].close(); window.show(window.models[0], document.querySelector('#tab'))")
    settle(page)
    page.evaluate("document.querySelector('#tab').hidden = false")
    settle(page)
    draw(page, *LINE)
    np.testing.assert_allclose(trait(page, "drawn"), [share for _, share in LINE], atol=0.02)
    axis = page.locator(".attn-pic > svg > .attn-axis")
    assert float(axis.get_attribute("x2")) == page.locator("[data-pic]").bounding_box()["width"] - 10
