"""Chapter 3 as built: its widgets by mouse and by keyboard, against the measured table and the kept model."""

import re
from functools import partial

import pytest

from attn_helpers.corpus import corpus
from attn_helpers.corpus.vocabulary import EOS
from attn_helpers.ladder import by_length, vocabularies
from attn_helpers.looking import forced_weights
from attn_helpers.metrics import alignment
from attn_helpers.operating import Operation, operate
from attn_helpers.trained import load_replay, load_trained

PAGE = "notebooks/03_attention_seq2seq.html"
KINDS = ["Seq2SeqStepper", "DrawnCurve", "AttentionHeatmap", "TrainingReplay", "TranslationLab"]
ROWS = (
    "no-attention",
    "no-attention-wide",
    "no-attention-long",
    "uniform-context",
    "bahdanau-unidirectional",
)


@pytest.fixture
def chapter(widget_on):
    """chapter(kind) → page, record and the widget, drawn."""
    return partial(widget_on, PAGE)


def test_every_widget_is_on_the_page(chapter):
    """Stepper, cliff, heatmap with gold, replay, lab."""
    page, _, _ = chapter("Seq2SeqStepper")
    assert [view.get_attribute("data-attn") for view in page.locator(".attn-view").all()] == KINDS


def number(x):
    """.84, as the page writes it."""
    return f"{x:.2f}".removeprefix("0")


def test_the_context_changes_from_step_to_step(chapter):
    """With attention the stepper repaints c: neither its picture nor the weights stay what they were."""
    page, record, view = chapter("Seq2SeqStepper")
    view.locator("[data-guess]").first.click()
    seen = []
    for _ in range(3):
        page.wait_for_timeout(400)
        weights = [cell.get_attribute("title") for cell in view.locator(".attn-s-look").all()]
        assert len(weights) == 5
        assert all(re.fullmatch(r"weight (\.\d\d|1\.00)", weight) for weight in weights)
        context = view.locator(".attn-s-step .attn-s-given .attn-s-print").last.get_attribute("d")
        seen.append((tuple(weights), context.split("M", 2)[1].split("v")[1]))
        view.get_by_role("button", name=re.compile("Next word|Just show it")).first.press("Enter")
    assert len({weights for weights, _ in seen}) == len({context for _, context in seen}) == 3
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


@pytest.fixture(scope="module")
def seen():
    """Where the kept model looks for the running pair, as Python computes it."""
    data = corpus(0)
    kept = load_trained("bahdanau-bidirectional")
    return data.probe, forced_weights(kept, [data.probe], vocabularies(data.train))[0]


@pytest.mark.parametrize("hand", ["mouse", "keyboard"])
def test_noir_is_guessed_before_it_is_shown(chapter, seen, hand):
    """Its row is empty; after the guess its weights are those of the model that travels with the book."""
    page, record, view = chapter("AttentionHeatmap")
    _, weights = seen
    assert view.locator("[data-cell^='2,'] .attn-h-figure").count() == 0
    if hand == "mouse":
        view.locator("[data-cell='2,2']").click()
    else:
        view.locator("[data-cell='2,1']").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    page.wait_for_timeout(400)
    said = view.locator(".attn-hint").inner_text()
    assert said == f"You said cat: {number(weights[2, 2])}. noir reads black most: {number(weights[2, 1])}."
    shown = view.locator("[data-cell^='2,'] .attn-h-figure").all_inner_texts()
    assert shown == [number(weight) for weight in weights[2]]
    assert record.trouble() == []


def test_the_heatmap_says_its_error_rate(chapter, seen):
    """The rate beside the picture is the one that the text explains, with its rule."""
    _, _, view = chapter("AttentionHeatmap")
    pair, weights = seen
    view.locator("[data-cell='2,1']").click()
    rate = alignment(weights, pair).error_rate
    assert rate == 0.125  # 1 − (3 + 4) / (4 + 4), in the text
    assert re.search(rf"AER\s+{f'{rate:.3f}'.removeprefix('0')}", view.inner_text())


def test_the_replay_is_scrubbed_by_keyboard(chapter):
    """To the end and back; the step shown is the snapshot's, and so is the weight of chat on cat."""
    page, record, view = chapter("TrainingReplay")
    replay = load_replay("bahdanau-bidirectional")
    assert view.locator(".attn-r-when").inner_text() == f"step 0 of {replay.steps[-1]}"
    view.locator("[data-move=position]").focus()
    for key, n in (("End", -1), ("ArrowLeft", -2)):
        page.keyboard.press(key)
        page.wait_for_timeout(400)
        assert view.locator(".attn-r-when").inner_text().startswith(f"step {replay.steps[n]} of")
        assert view.locator(".attn-r-number").inner_text() == number(replay.weights[n, 1, 2])
    assert record.trouble() == []


def test_the_lab_translates_in_the_page(chapter):
    """The last prediction of the chapter: guessed, seen, and then a sentence of the reader's own."""
    page, record, view = chapter("TranslationLab")
    view.locator("[data-guess=trade]").click()
    mine = view.locator(".attn-lab-mine .attn-lab-said-so")
    mine.wait_for()
    model, words = load_trained("bahdanau-bidirectional"), vocabularies(corpus(0).train)
    ids = [*words[0].encode(["the", "black", "cat", "sleeps"]), EOS]
    swapped = operate(model, ids, [Operation("swap", (1, 2))])[-1]
    assert mine.text_content() == " ".join(words[1].decode(swapped.ids))
    view.locator("[data-act=type]").click()
    view.locator(".attn-lab-text").fill("the old queen sleeps")
    page.wait_for_timeout(500)
    own = operate(model, [*words[0].encode(["the", "old", "queen", "sleeps"]), EOS], [])[0]
    assert view.locator(".attn-lab-said-so").first.text_content() == " ".join(words[1].decode(own.ids))
    assert record.trouble() == []
