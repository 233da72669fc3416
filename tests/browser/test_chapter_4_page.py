"""Chapter 4 as built: ledger and heatmap by mouse and by keyboard, the heatmap against a new training."""

from functools import partial

import pytest
import torch

from attn_helpers import belongings

PAGE = "notebooks/04_multi_head.html"
KINDS = ["ShapeLedger", "AttentionHeatmap"]


@pytest.fixture(scope="module")
def weights():
    """Where the question of the chapter's case looks, head by head: (H, 9)."""
    model = belongings.train(heads=4)
    with torch.no_grad():
        return model(*belongings.draw(1, torch.Generator().manual_seed(5)))[1][0, :, 8]


@pytest.fixture
def chapter(widget_on):
    """chapter(kind) → page, record and the widget, drawn."""
    return partial(widget_on, PAGE)


def cells(view):
    """The question's weights as the grid tells them to a screen reader: 'query, key: .84'."""
    names = view.get_by_role("row").nth(1).get_by_role("gridcell").all()
    return [(cell.get_attribute("aria-label") or cell.inner_text()).rsplit(": ", 1)[-1] for cell in names]


def shown(row):
    """Weights as the book writes them."""
    return [f"{float(weight):.2f}".removeprefix("0") for weight in row]


def test_every_widget_is_on_the_page(chapter):
    """None is lost, none is there twice."""
    page, _, _ = chapter("AttentionHeatmap")
    assert [view.get_attribute("data-attn") for view in page.locator(".attn-view").all()] == KINDS


def test_the_mean_comes_first_then_head_by_head(chapter, weights):
    """The first sight is the mean, which hides what each head shows: by mouse, then by keyboard."""
    page, record, view = chapter("AttentionHeatmap")
    assert cells(view) == shown(weights.mean(0))
    chooser = view.locator("[data-choose=head]")
    chooser.first.click()
    page.wait_for_timeout(300)
    assert cells(view) == shown(weights[0])
    for head in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        assert cells(view) == shown(weights[head])
    assert record.trouble() == []


def test_the_missing_shape_is_filled_in(chapter):
    """By mouse and by keyboard."""
    page, record, view = chapter("ShapeLedger")
    assert view.locator(".attn-l-slot").all_text_contents() == ["?"] * 4
    for axis in "BHT":
        view.locator(f"[data-choose='{axis}']").click()
    view.locator("[data-choose='d']").focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert view.locator(".attn-l-slot").count() == 0
    assert view.locator(".attn-title").first.inner_text().startswith("Right")
    assert record.trouble() == []


def test_each_head_looks_at_one_person_and_the_mean_at_four(weights):
    """What the chapter says below the picture."""
    facts = weights[:, :8]
    assert (facts.amax(1) > 0.8).all()
    assert len(set(facts.argmax(1).tolist())) == 4
    assert facts.mean(0).amax() < 0.3


def test_nothing_widens_the_page(chapter):
    """On a phone nothing scrolls sideways."""
    page, _, _ = chapter("AttentionHeatmap")
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(400)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
