"""Chapter 5 as built, both pages: widgets by mouse and by keyboard, against models, ledgers and tables."""

import re

import pytest
import torch

from attn_helpers.corpus import batches, corpus
from attn_helpers.ladder import by_length, vocabularies
from attn_helpers.ledger import step_ledger, transformer_ledger
from attn_helpers.positions import nearest_twin, sinusoids
from attn_helpers.trained import load_replay, load_trained

FIRST = "notebooks/05a_positions_and_masks.html"
SECOND = "notebooks/05b_transformer.html"
KINDS = {
    FIRST: ["AttentionHeatmap", "PositionWaves", "MaskLab"],
    SECOND: [
        *("ShapeLedger", "ShapeLedger", "DrawnCurve"),
        *("AttentionHeatmap", "AttentionHeatmap", "AttentionHeatmap", "TrainingReplay"),
        "TranslationLab",
    ],
}
ROWS = (
    *("no-attention", "transformer-no-positions"),
    *("bahdanau-unidirectional", "bahdanau-bidirectional", "transformer"),
)
CROSS, ENCODER, DECODER = range(3)  # the order of the heatmaps on the page


@pytest.fixture
def chapter(widget_on):
    """chapter(page, kind, which) → page, record and the widget, drawn."""
    return widget_on


@pytest.fixture(scope="module")
def look():
    """Where every head of the model that travels with the book looks for the running pair."""
    data = corpus(0)
    model = load_trained("transformer")
    batch = next(batches([data.probe], *vocabularies(data.train)))
    return model.look(batch.source, batch.source_lengths, batch.target_in)


def number(x):
    """.84, as the page writes it."""
    return f"{x:.2f}".removeprefix("0")


def row(view, query):
    """The weights of one row, as drawn."""
    return view.locator(f"[data-cell^='{query},'] .attn-h-figure").all_inner_texts()


@pytest.mark.parametrize("address", KINDS)
def test_every_widget_is_on_the_page(chapter, address):
    """None is lost, none is there twice, and nothing widens the page on a phone."""
    page, record, _ = chapter(address, KINDS[address][0])
    views = page.locator(".attn-view").all()
    assert [view.get_attribute("data-attn") for view in views] == KINDS[address]
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(400)
    for view in views:
        view.scroll_into_view_if_needed()
        view.locator(".attn-title").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert record.trouble() == []


@pytest.mark.parametrize("hand", ["mouse", "keyboard"])
def test_the_mirror_is_guessed(chapter, hand):
    """The first step of the reversal is hidden; after the guess it looks at the last letter."""
    page, record, view = chapter(FIRST, "AttentionHeatmap")
    assert row(view, 0) == []
    if hand == "mouse":
        view.locator("[data-cell='0,7']").click()
    else:
        view.locator("[data-cell='0,6']").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    page.wait_for_timeout(400)
    shown = [float(text) for text in row(view, 0)]
    assert len(shown) == 9
    assert max(shown) == shown[7] > 0.5
    assert record.trouble() == []


def test_the_waves_have_the_twin_that_the_text_names(chapter):
    """The widget says what `nearest_twin` says of the place it opens with."""
    _, record, view = chapter(FIRST, "PositionWaves")
    twin, alike = nearest_twin(sinusoids(64, 32), 8)
    words = view.inner_text()
    assert re.search(rf"\b{twin}\b", words)
    assert number(alike) in words
    assert record.trouble() == []


def test_the_future_is_hatched(chapter):
    """Two sentences at themselves, nothing allowed above the diagonal."""
    page, record, view = chapter(FIRST, "MaskLab")
    assert "leaked" in view.inner_text()
    assert record.trouble() == []
    assert page.locator('.attn-view[data-attn="MaskLab"]').count() == 1


def test_the_ledgers_say_what_python_counts(chapter):
    """Training and one cached step: FLOPs, parameters and bytes at the sizes shown, and at others."""
    for which, ledger, letter, bigger in (
        (0, transformer_ledger(), "T", transformer_ledger(target=5)),
        (1, step_ledger(), "t", step_ledger(before=4)),
    ):
        page, record, view = chapter(SECOND, "ShapeLedger", which)
        read = view.locator(".attn-l-read")

        def sums(read=read):
            found = re.findall(r"\d[\d\u2009]*", read.inner_text())
            return {int(text.replace("\u2009", "")) for text in found}

        assert {ledger.flops, ledger.parameters, ledger.cache_bytes} <= sums()
        view.locator("summary").first.click()
        view.locator(f"[data-step='{letter} 1']").click()
        page.wait_for_timeout(300)
        assert {bigger.flops, bigger.parameters, bigger.cache_bytes} <= sums()
        assert record.trouble() == []


def test_the_missing_shape_is_filled_in(chapter):
    """The weights of a cached step: (B, H, 1, t + 1), chosen axis by axis."""
    page, record, view = chapter(SECOND, "ShapeLedger", 1)
    assert "softmax" in view.locator(".attn-title").inner_text()
    for axis in ("B", "H", "1", "t + 1"):
        view.locator(f"[data-choose='{axis}']").first.click()
        page.wait_for_timeout(200)
    assert "So it is" in view.locator(".attn-title").inner_text()
    assert "(B 2, H 2, 1, t + 1 4)" in view.locator(".attn-hint").inner_text()
    assert record.trouble() == []


def test_curves_are_revealed_one_by_one(chapter):
    """By keyboard: draw, then five reveals, each with the mean of its row."""
    page, record, view = chapter(SECOND, "DrawnCurve")
    for pen in view.get_by_role("slider").all():
        pen.focus()
        page.keyboard.press("ArrowUp")
    page.wait_for_timeout(200)
    for count, name in enumerate(ROWS, 1):
        view.get_by_role("button", name=re.compile("Reveal")).focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(400)
        assert view.locator(".attn-d-row").count() == count
        mean = by_length(name)["overall"].mean
        assert f"{round(100 * mean)} %" in view.locator(".attn-d-table").inner_text()
    assert record.trouble() == []


def test_noir_is_guessed_before_it_is_shown(chapter, look):
    """The hidden row of the cross-attention, then layer and head by keyboard: the kept model's weights."""
    page, record, view = chapter(SECOND, "AttentionHeatmap", CROSS)
    weights = look.cross[:, 0]
    assert row(view, 2) == []
    view.locator("[data-cell='2,1']").click()
    page.wait_for_timeout(400)
    assert row(view, 2) == [number(weight) for weight in weights[0, 1, 2]]
    view.locator("[data-choose=head]").first.click()
    view.locator("[data-cell='0,2']").click()
    page.wait_for_timeout(400)
    assert row(view, 0) == [number(weight) for weight in weights[0, 0, 0]]
    assert int(torch.tensor([float(text) for text in row(view, 0)]).argmax()) == 2  # le looks at cat
    assert record.trouble() == []


@pytest.mark.parametrize(("which", "part", "layer"), [(ENCODER, "encoder", 1), (DECODER, "decoder", 0)])
def test_the_other_maps_are_the_models_own(chapter, look, which, part, layer):
    """Encoder and decoder are not mixed up, nor layers with heads."""
    page, record, view = chapter(SECOND, "AttentionHeatmap", which)
    weights = getattr(look, part)[layer, 0, 0]
    for query in (4, 1, 0, 2):
        view.locator(f"[data-cell='{query},0']").click()
        page.wait_for_timeout(300)
        seen = 5 if part == "encoder" else query + 1  # the rest is hatched
        assert row(view, query)[:seen] == [number(weight) for weight in weights[query][:seen]]
        assert row(view, query)[seen:] in ([], [""] * (5 - seen))
    assert record.trouble() == []


def test_the_replay_is_scrubbed_by_keyboard(chapter):
    """To the end: the step shown is the snapshot's, and so is the weight of chat on cat."""
    page, record, view = chapter(SECOND, "TrainingReplay")
    replay = load_replay("transformer")
    view.locator("[data-move=position]").focus()
    page.keyboard.press("End")
    page.wait_for_timeout(400)
    assert view.locator(".attn-r-when").inner_text().startswith(f"step {replay.steps[-1]} of")
    assert view.locator(".attn-r-number").inner_text() == number(replay.weights[-1, 1, 2])
    assert record.trouble() == []


def test_both_halves_have_their_number(chapter):
    """At the top, in the contents and in the footer: 5a and 5b, whatever stands before them."""
    page, _, _ = chapter(SECOND, "DrawnCurve")
    assert page.locator("a.prev").inner_text().endswith("5a Positions and masks")
    assert page.locator("h1").inner_text().split()[0] == "5b"
    page, _, _ = chapter(FIRST, "MaskLab")
    assert page.locator("a.next").inner_text().endswith("5b The Transformer")
    assert page.locator("h2").first.inner_text().split()[0] == "5a.1"
