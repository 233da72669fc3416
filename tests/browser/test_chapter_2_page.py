"""Chapter 2 as built: its widgets by mouse and by keyboard, its curves against the measured table."""

import re
from functools import partial

import pytest

from attn_helpers.ladder import by_length
from attn_helpers.metrics import BINS

PAGE = "notebooks/02_rnn_seq2seq.html"


@pytest.fixture
def chapter(widget_on):
    """chapter(kind, number) → page, record and one widget, drawn."""
    return partial(widget_on, PAGE)


def test_every_widget_is_on_the_page(chapter):
    """The stepper, the cliff, and the cliff once more."""
    page, _, _ = chapter("Seq2SeqStepper")
    kinds = [view.get_attribute("data-attn") for view in page.locator(".attn-view").all()]
    assert kinds == ["Seq2SeqStepper", "DrawnCurve", "DrawnCurve"]


def test_the_stepper_goes_on_by_mouse_and_keyboard(chapter):
    """A guess by mouse, a step by keyboard: words are written, and c stays what it was."""
    page, record, view = chapter("Seq2SeqStepper")
    assert "After le" in view.locator(".attn-title").inner_text()
    view.locator("[data-guess]").first.click()
    page.wait_for_timeout(400)
    assert view.locator(".attn-s-out").count() == 2
    forward = view.get_by_role("button", name=re.compile("Next word|Just show it"))
    for _ in range(2):
        forward.first.focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
    assert view.locator(".attn-s-out").count() >= 3
    assert record.trouble() == []


@pytest.mark.parametrize("number", [0, 1])
def test_the_drawn_curve_reveals_what_was_measured(chapter, number):
    """The reader's line first, then the means of the table."""
    page, record, view = chapter("DrawnCurve", number)
    pens = view.get_by_role("slider")
    assert pens.count() == len(BINS)
    for pen in pens.all():
        pen.focus()
        page.keyboard.press("ArrowUp")
    page.wait_for_timeout(200)
    view.get_by_role("button", name=re.compile("Reveal")).click()
    page.wait_for_timeout(400)
    mean = by_length("no-attention")["overall"].mean
    assert f"{round(100 * mean)} %" in view.inner_text()
    assert record.trouble() == []
