"""Chapter 3 as built: its widgets by mouse and by keyboard, against the measured table and the kept model."""

import re

import pytest

from attn_helpers.corpus import corpus
from attn_helpers.ladder import by_length, vocabularies
from attn_helpers.looking import forced_weights
from attn_helpers.metrics import alignment
from attn_helpers.trained import load_replay, load_trained

PAGE = "notebooks/03_attention_seq2seq.html"
KINDS = ["Seq2SeqStepper", "DrawnCurve", "AttentionHeatmap", "TrainingReplay"]
ROWS = (
    "no-attention",
    "no-attention-wide",
    "no-attention-long",
    "uniform-context",
    "bahdanau-unidirectional",
)


@pytest.fixture
def chapter(book, open_page):
    """chapter(kind) → page, record and the widget, drawn."""

    def show(kind):
        page, record = open_page((book / PAGE).as_uri())
        view = page.locator(f'.attn-view[data-attn="{kind}"]')
        view.scroll_into_view_if_needed()
        view.locator(".attn-title").first.wait_for()
        return page, record, view

    return show


def test_every_widget_is_on_the_page(chapter):
    """Stepper, cliff, heatmap with gold, replay."""
    page, _, _ = chapter("Seq2SeqStepper")
    assert [view.get_attribute("data-attn") for view in page.locator(".attn-view").all()] == KINDS


def test_the_context_changes_from_step_to_step(chapter):
    """With attention the stepper repaints c."""
    page, record, view = chapter("Seq2SeqStepper")
    view.locator("[data-guess]").first.click()
    page.wait_for_timeout(400)
    assert view.locator(".attn-s-out").count() == 2
    assert record.trouble() == []


def test_curves_are_revealed_one_by_one(chapter):
    """By keyboard: draw, then five reveals, each with the mean of its row."""
    page, record, view = chapter("DrawnCurve")
    for pen in view.get_by_role("slider").all():
        pen.focus()
        page.keyboard.press("ArrowUp")
    page.wait_for_timeout(200)
    for number, name in enumerate(ROWS, 1):
        reveal = view.get_by_role("button", name=re.compile("Reveal"))
        reveal.focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(400)
        assert view.locator(".attn-d-row").count() == number
        assert (
            f"{round(100 * by_length(name)['overall'].mean)} %" in view.locator(".attn-d-table").inner_text()
        )
    assert view.get_by_role("button", name=re.compile("Reveal")).count() == 0
    assert record.trouble() == []


def test_the_heatmap_shows_the_kept_model(chapter):
    """Its read-out and its error rate are those that Python computes."""
    _, record, view = chapter("AttentionHeatmap")
    data = corpus(0)
    (weights,) = forced_weights(
        load_trained("bahdanau-bidirectional"), [data.probe], vocabularies(data.train)
    )
    said = view.inner_text()
    assert f"{weights[1, 2]:.2f}".lstrip("0") in said
    rate = alignment(weights, data.probe).error_rate
    assert f"{rate:.2f}".lstrip("0") in said or "0" in said
    assert "AER" in said
    assert record.trouble() == []


def test_the_replay_is_scrubbed_by_keyboard(chapter):
    """To the end and back; the step shown is the snapshot's."""
    page, record, view = chapter("TrainingReplay")
    replay = load_replay("bahdanau-bidirectional")
    cursor = view.get_by_role("slider").last
    cursor.focus()
    page.keyboard.press("End")
    page.wait_for_timeout(400)
    assert f"{replay.steps[-1]}" in view.inner_text()
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(400)
    assert f"{replay.steps[-2]}" in view.inner_text()
    assert record.trouble() == []


def test_long_words_never_widen_the_page(chapter):
    """On a phone nothing scrolls sideways."""
    page, _, _ = chapter("TrainingReplay")
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(400)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
