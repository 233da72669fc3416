"""Every widget in JupyterLab and in Notebook 7: in step with Python both ways, and open about what fails."""

import functools
import re

import pytest
from playwright.sync_api import expect

from attn_helpers import widgets
from tests.live.family import FAMILY
from tests.live.host import PATIENCE, until

# A handler of the widget fails, as it would by a slip in our own code; the front end's own calls do not.
BREAK = """() => {
  const closest = (window.closest = Element.prototype.closest);
  Element.prototype.closest = function (asked) {
    if (asked.includes("data-") && closest.call(this, ".attn")) throw new Error("the cat sat on it");
    return closest.call(this, asked);
  };
}"""
MEND = "() => { Element.prototype.closest = window.closest }"
CONTRAST = """(text) => {
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((c) => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let ground = text;
  while (/, 0\\)|transparent/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
  const [a, b] = [text, ground].map((e, i) => light(getComputedStyle(e)[i ? "backgroundColor" : "color"]));
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""


pytestmark = pytest.mark.slow


@pytest.fixture(params=FAMILY, ids=lambda one: one.kind)
def shown(host, request):
    """(host, member, view): the widget in its cell, as it was made, called w in Python."""
    one = request.param
    host.tell(f"w = made[{one.kind!r}]")
    view = host.page.locator(one.root)
    view.scroll_into_view_if_needed(timeout=1000 * PATIENCE)
    return host, one, view


def test_every_widget_of_the_family_is_here():
    """A new widget meets JupyterLab for the first time in a reader's hands."""
    assert {one.kind for one in FAMILY} == set(widgets.__all__)


def test_the_mouse_moves_the_trait(shown):
    """The reader drags, and Python still holds what was."""
    host, one, view = shown
    assert host.ask(one.moved[0]) != one.moved[1]
    one.mouse(host.page, view)
    host.python_has(*one.moved)


def test_keys_reach_the_widget_and_not_the_notebook(shown):
    """Arrows go to the next cell, as the front end's own shortcuts have it."""
    host, one, view = shown
    view.locator(one.focus).focus()
    at = host.page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")
    for key in one.keys:
        host.page.keyboard.press(key)
    host.python_has(*one.typed)
    assert host.page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex") == at


def test_ten_moves_leave_one_output_of_one_height(shown):
    """R115: each move adds a figure, clears the widget away, or makes the page jump."""
    host, one, view = shown
    cell = host.page.locator(".jp-CodeCell").filter(has=view)
    height = view.bounding_box()["height"]
    view.locator(one.focus).focus()
    for key in ["ArrowLeft", "ArrowRight"] * 5:
        host.page.keyboard.press(key)
    host.tell("from matplotlib import pyplot")
    assert host.ask("pyplot.get_fignums()") == "[]"
    expect(cell.locator(".jp-OutputArea-child")).to_have_count(1)
    expect(view).to_be_visible()
    assert view.bounding_box()["height"] == pytest.approx(height, abs=1)


def test_python_moves_the_picture(shown):
    """A cell sets a trait, and the picture stays."""
    host, one, view = shown
    assert one.seen(view) != one.shows
    host.tell(one.told)
    until(lambda: one.seen(view) == one.shows, lambda: f"{one.seen(view)!r} is shown, not {one.shows!r}")


def test_an_error_in_an_observer_is_read_on_the_widget(shown):
    """No cell runs when a hand moves something: where else could the reader see that a callback failed?"""
    host, one, view = shown
    host.tell(f"def unlucky(change): raise LookupError('no cat')\nw.observe(unlucky, {one.traits})")
    one.mouse(host.page, view)
    error = view.get_by_role("alert")
    expect(error).to_have_text("Python could not follow. LookupError: no cat", timeout=1000 * PATIENCE)
    expect(error).to_be_visible()
    host.tell(f"w.unobserve(unlucky, {one.traits})\n{one.told}")
    one.mouse(host.page, view)
    expect(error).to_be_empty(timeout=1000 * PATIENCE)


def test_an_error_in_javascript_is_read_on_the_widget(shown):
    """A view that stopped working looks as if it had no answer."""
    host, one, view = shown
    error = view.get_by_role("alert")
    expect(error).to_be_empty()
    host.page.mouse.move(1, 1)
    host.page.evaluate(BREAK)
    try:
        one.nudge(view, 1)
        expect(error).to_have_text(re.compile("Something failed: the cat sat on it"), timeout=1000 * PATIENCE)
    finally:
        host.page.evaluate(MEND)
    host.page.mouse.move(1, 1)
    one.nudge(view, 2)
    expect(error).to_be_empty(timeout=1000 * PATIENCE)


def test_the_front_ends_dark_theme_is_followed(shown):
    """R126: dark letters on a dark ground."""
    host, _, view = shown
    title = view.locator(".attn-title").first
    for theme in ("dark", "light"):
        host.command("apputils:change-theme", theme=f"JupyterLab {theme.title()}")
        expect(view).to_have_attribute("data-theme", theme, timeout=1000 * PATIENCE)
        expect(host.page.locator("body")).to_have_attribute(
            "data-jp-theme-light", str(theme == "light").lower()
        )
        assert title.evaluate(CONTRAST) >= 4.5


def test_cells_run_again_show_each_widget_once(host):
    """R120, R123: the old view stays, or the new one is empty, or answers for the old."""
    host.tell("made = {}")
    host.command("notebook:run-all-cells")
    host.python_has("len(made)", str(len(FAMILY)))
    for one in FAMILY:
        view = host.page.locator(one.root)
        expect(view).to_have_count(1, timeout=1000 * PATIENCE)
        host.tell(f"w = made[{one.kind!r}]\n{one.told}")
        until(functools.partial(lambda one, view: one.seen(view) == one.shows, one, view), one.kind)
