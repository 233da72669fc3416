"""Seq2SeqStepper in Chromium, on a page with nothing else: compared with PyTorch at every step."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from checks import accessibility_in_both_themes, sideways
from widget_page import mounting, settle, trait

from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import Vocabulary
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.widgets import Seq2SeqStepper

ROOT = Path(__file__).parents[2]
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))
SENTENCES = (
    ("the black cat sleeps", "le chat noir dort"),
    ("the small cat does not see the black house", "le petit chat ne voit pas la maison noire"),
)
PAIRS = tuple((source.split(), target.split()) for source, target in SENTENCES)
KINDS = {
    "plain": {},
    "additive": {"score": "additive", "bidirectional": True},
    "uniform": {"score": "uniform"},
}


@pytest.fixture
def mount(browser):
    """mount(*widgets, …) → page with one view each; afterwards its console must be clean."""
    with mounting(browser, stepper, height=820) as show:
        yield show


def stepper(pairs=PAIRS, score=None, bidirectional=False, seed=1, **traits):
    """A stepper on a model of random weights, with the widths of the book's."""
    source, target = (Vocabulary(word for pair in pairs for word in pair[side]) for side in (0, 1))
    torch.manual_seed(seed)
    encoder = Encoder(len(source), 64, 128, bidirectional=bidirectional)
    decoder = (
        Decoder(len(target), 64, 128)
        if score is None
        else AttentionDecoder(len(target), 64, 128, score=score)
    )
    model = Seq2Seq(encoder, decoder)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3)  # else all words are about equally probable
    return Seq2SeqStepper(model, pairs, (source, target), **traits)


def click(page, selector):
    page.click(selector)
    settle(page)


def number(x):
    return f"{x:.2f}".removeprefix("0")


def mirrored(page, widget):
    """The Python widget with the state of the page."""
    with widget.hold_trait_notifications():
        for name in ("sentence", "position", "feeds"):
            setattr(widget, name, trait(page, name))
    return widget


def agrees(page, widget):
    """Does the page show what PyTorch computes of these weights: words, bars, read-outs?"""
    steps = mirrored(page, widget).steps
    last = steps[-1]
    words = page.locator(".attn-s-in").all_text_contents(), page.locator(".attn-s-out").all_text_contents()
    assert words == ([step.reads for step in steps], [step.writes for step in steps])
    assert page.locator(".attn-s-number").text_content() == (
        number(last.gold_probability) if last.gold else "–"
    )
    off = sum(step.writes != step.gold for step in steps)
    assert page.locator(".attn-s-fact").last.text_content() == f"{off} of {len(steps)} words off gold"
    names = ["⟨pad⟩", "⟨start⟩", "⟨end⟩", "⟨unknown⟩", *widget.target_words[4:]]
    order = [i for i in np.argsort(-last.probabilities, kind="stable") if i > 1][:5]
    assert page.locator(".attn-s-barword").all_text_contents()[:5] == [names[i] for i in order]
    assert page.locator(".attn-s-p").all_text_contents()[:5] == [number(last.probabilities[i]) for i in order]
    widths = page.evaluate(
        "[...document.querySelectorAll('.attn-s-fill')].map((bar) => parseFloat(bar.style.width))"
    )
    np.testing.assert_allclose(widths[:5], 100 * last.probabilities[order], atol=0.06)
    return True


def title(page):
    return page.locator(".attn-title").text_content()


# ---- the first sight -----------------------------------------------------------------------------


def test_the_first_sight_is_the_question(mount):
    """The answer stands beside the question."""
    page = mount()
    assert title(page) == "After le: which word does the decoder write next?"
    assert page.locator(".attn-s-out").count() == 1
    assert page.locator(".attn-s-p").count() == 0
    assert page.locator(".attn-s-number").text_content() == "?"
    options = page.locator("[data-guess]").all_text_contents()
    assert options == sorted(options, key=lambda word: (not word.startswith("⟨"), word))
    assert "chat" in options
    assert len(options) in (5, 6)


def test_the_same_c_at_every_step(mount):
    """The first sight of chapter 2, that c never changes, cannot be seen."""
    page = mount()
    shapes = page.evaluate(
        """[...document.querySelectorAll('.attn-s-given')].map((cell) => {
          const [box, print] = cell.children;
          const x = Number(box.getAttribute('x'));
          const strokes = [...print.getAttribute('d').matchAll(/M([\\d.]+),[\\d.]+v(-?[\\d.]+)/g)];
          return strokes.map(([, at, up]) => [Math.round(Number(at) - x), up]).join(' ');
        })"""
    )
    assert len(shapes) == 5
    assert len(set(shapes)) == 1
    assert len(shapes[0].split()) == 128
    assert page.locator(".attn-s-wire").count() == 2  # c and the initial state, apart


def test_the_print_of_a_state_is_the_state(mount):
    """The picture of c shows other numbers."""
    widget = stepper()
    page = mount(widget)
    d = page.locator(".attn-s-step .attn-s-given .attn-s-print").first.get_attribute("d")
    heights = [-float(stroke.split("v")[1]) / 10 for stroke in d.split("M")[1:]]  # 20 px high, −1 to 1
    np.testing.assert_allclose(heights, widget.steps[0].context, atol=0.006)


# ---- stepping ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_guess_then_step_by_step_to_the_end(mount, kind):
    """Numbers on the page that PyTorch does not compute."""
    widget = stepper(**KINDS[kind])
    page = mount(stepper(**KINDS[kind]))
    guessed = page.locator("[data-guess]").nth(2)
    word = guessed.text_content()
    guessed.click()
    settle(page)
    assert trait(page, "position") == 2
    assert page.locator(".attn-s-said").text_content() == f"You expected {word}. "
    assert page.locator(".attn-s-yours .attn-s-barword").text_content() == word
    assert agrees(page, widget)
    for position in (3, 4, 5):
        click(page, "[data-act=forward]")
        assert trait(page, "position") == position
        assert agrees(page, widget)
    assert page.locator("[data-act=forward]").get_attribute("aria-disabled") == "true"
    assert page.locator(".attn-s-why").text_content() == "The sentence has ended."
    click(page, "[data-act=back]")
    assert agrees(page, widget)
    assert page.evaluate("window.models[0].saves") > 0


@pytest.mark.parametrize("kind", KINDS)
def test_its_own_word_is_fed_from_here_on(mount, kind):
    """A switch that is underlined, but feeds the gold word all the same."""
    widget = stepper(**KINDS[kind])
    page = mount(stepper(**KINDS[kind], predict=False, position=2))
    own = widget.steps[0].writes
    page.check("input[value=own]")
    settle(page)
    assert trait(page, "feeds") == ["gold", "own"]
    assert agrees(page, widget)
    for _ in range(3):
        if page.locator("[data-act=forward][aria-disabled]").count():
            break
        click(page, "[data-act=forward]")
        assert agrees(page, widget)
    reads = page.locator(".attn-s-in").all_text_contents()
    writes = page.locator(".attn-s-out").all_text_contents()
    assert reads[2:] == writes[1 : len(reads) - 1]
    assert reads[:2] == ["⟨start⟩", "le"]
    assert own is not None
    click(page, "[data-step='2']")
    page.check("input[value=gold]")
    settle(page)
    click(page, "[data-act=forward]")
    assert page.locator(".attn-s-in").all_text_contents() == ["⟨start⟩", "le", "chat"]
    assert agrees(page, widget)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("plain", "the same at every step: the whole sentence in 128"),
        ("additive", "mixed anew at each step, out of 5 states"),
        ("uniform", "the plain mean of 5 states"),
    ],
)
def test_before_the_first_step_it_says_where_c_comes_from(mount, kind, says):
    """A model with attention is said to have one context for all words."""
    page = mount(stepper(**KINDS[kind], position=0, predict=False))
    assert title(page).startswith("Nothing is written yet")
    assert says in page.locator(".attn-hint").text_content()


def test_another_sentence(mount):
    """The second sentence is shown with the numbers of the first."""
    widget = stepper()
    page = mount()
    click(page, "summary")
    page.check("input[value='1']")
    settle(page)
    assert trait(page, "sentence") == 1
    assert trait(page, "position") == 0
    assert title(page) == "Nothing is written yet. Take the first step."
    for _ in range(10):
        click(page, "[data-act=forward]")
    assert agrees(page, widget)
    assert page.locator(".attn-s-source").all_text_contents() == [*PAIRS[1][0], "⟨end⟩"]
    assert trait(page, "position") == 10


def test_attention_repaints_c(mount):
    """Weights beside the encoder's states that are not those of this step."""
    widget = stepper(**KINDS["additive"])
    page = mount(stepper(**KINDS["additive"], predict=False))
    shown = []
    for _ in range(4):
        steps = mirrored(page, widget).steps
        titles = [cell.get_attribute("title") for cell in page.locator(".attn-s-look").all()]
        assert titles == [f"weight {number(w)}" for w in steps[-1].weights]
        top = int(np.argmax(steps[-1].weights))
        widths = [float(beam.get_attribute("stroke-width")) for beam in page.locator(".attn-s-beam").all()]
        assert int(np.argmax(widths)) == top
        hint = page.locator(".attn-hint").text_content()
        if not hint.startswith("It reads"):
            word = [*PAIRS[0][0], "⟨end⟩"][top]
            weight = number(steps[-1].weights[top])
            assert hint == f"c is mixed anew at each step: here most of it is {word}, {weight}."
        shown.append(page.locator(".attn-s-step .attn-s-given .attn-s-print").last.get_attribute("d"))
        click(page, "[data-act=forward]")
    assert len({d.split("M", 2)[1].split("v")[1] for d in shown}) > 1
    assert page.locator(".attn-s-later .attn-s-given").count() == 0  # c of steps to come is not known


def test_the_keyboard_does_the_same(mount):
    """A reader without a mouse is stuck at the question."""
    widget = stepper()
    page = mount()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.step") == "1"
    assert "2px" in page.evaluate("getComputedStyle(document.activeElement).outline")
    page.keyboard.press("ArrowRight")
    settle(page)
    assert trait(page, "position") == 2
    assert page.evaluate("document.activeElement.dataset.step") == "2"
    page.keyboard.press("End")
    settle(page)
    assert trait(page, "position") == 5
    assert agrees(page, widget)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert trait(page, "position") == 3
    page.keyboard.press("Control+ArrowLeft")  # the browser's own
    assert trait(page, "position") == 3
    page.keyboard.press("Home")
    settle(page)
    assert trait(page, "position") == 1
    page.focus("[data-act=guess]")
    page.keyboard.press("Enter")
    settle(page)
    page.locator("[data-guess]").first.focus()
    page.keyboard.press("Enter")
    settle(page)
    assert trait(page, "position") == 2
    assert trait(page, "guess") is not None


def test_every_control_keeps_its_keys(mount):
    """JupyterLab swallows the arrows of controls that do not say they need them."""
    page = mount(stepper(predict=False, position=2))
    page.locator("details").evaluate("(d) => (d.open = true)")
    seen = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        kind, kept = page.evaluate(
            "[document.activeElement.tagName, document.activeElement.dataset.lmSuppressShortcuts]"
        )
        if kind == "BODY":
            break
        seen.add(kind)
        assert kept == "true" or kind in ("SUMMARY", "DIV"), kind
    assert {"BUTTON", "INPUT", "SUMMARY"} <= seen


def test_python_moves_the_page(mount):
    """A trait set in a cell leaves the view where it was."""
    widget = stepper()
    page = mount()
    page.evaluate("window.models[0].set('predict', false); window.models[0].set('position', 4)")
    settle(page)
    assert agrees(page, widget)
    page.evaluate("window.models[0].set('feeds', ['own'])")
    settle(page)
    assert page.locator(".attn-s-in").all_text_contents() == [
        step.reads for step in mirrored(page, widget).steps
    ]


def test_two_views_and_two_models(mount):
    """R120, R123: one widget moves the other, or a closed view goes on drawing."""
    page = mount(stepper(), stepper(seed=2))
    page.evaluate("window.show(window.models[0])")
    settle(page)
    page.locator("[data-act=forward]").first.click()
    settle(page)
    counts = [view.locator(".attn-s-out").count() for view in page.locator(".attn").all()]
    assert counts == [2, 1, 2]
    page.evaluate("window.views.forEach((view) => view.close())")
    assert page.evaluate("window.models.every((model) => model.listeners.length === 0)")


def test_what_is_heard(mount):
    """A screen reader hears nothing of the step, or the answer before the guess."""
    widget = stepper()
    page = mount()
    page.locator("[data-guess]").first.click()
    page.wait_for_timeout(700)
    heard = page.locator("[aria-live]").text_content()
    step = mirrored(page, widget).steps[-1]
    assert heard.startswith(f"It reads le and writes {step.writes}")
    assert f"Gold word: probability {number(step.gold_probability)}." in heard
    page.click("[data-act=guess]")
    page.wait_for_timeout(700)
    assert page.locator("[aria-live]").text_content() == "After chat: which word does the decoder write next?"


# ---- looks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1008, 390])
@pytest.mark.parametrize("predict", [True, False])
def test_accessible_and_inside_its_room(mount, width, predict):
    """R126: unreadable in the dark, too small for a finger, or wider than the phone."""
    widget = stepper(**KINDS["additive"], predict=predict, position=3)
    page = mount(widget, width=width)
    height = page.locator(".attn").bounding_box()["height"]
    assert widget.reserve[width < 640] - 40 <= height <= widget.reserve[width < 640] + 1
    assert accessibility_in_both_themes(page) == []
    assert sideways(page) == []
    if width == 390:
        touched = page.locator(
            ".attn-s-solid, .attn-action:visible, .attn-s-option, .attn-s-stop, summary"
        ).all()
        assert all(one.bounding_box()["height"] >= 44 for one in touched)


def test_a_long_sentence_scrolls_in_its_own_place(mount):
    """On a phone the step in sight lies outside the window, or the page scrolls sideways."""
    page = mount(stepper(predict=False, sentence=1), width=390)
    for _ in range(8):
        click(page, "[data-act=forward]")
    assert sideways(page) == []
    settle(page)
    now, place = (page.locator(name).bounding_box() for name in (".attn-s-stop.attn-s-now", ".attn-s-scroll"))
    assert place["x"] <= now["x"]
    assert now["x"] + now["width"] <= place["x"] + place["width"] + 1


def test_hostile_tokens_stay_text(mount):
    """R119: a word runs as code."""
    tokens = [token for token in HOSTILE if token]
    page = mount(stepper(pairs=[(tokens, tokens), (tokens[::-1], tokens)], predict=False, position=6))
    shown = page.locator(".attn-s-source").all_text_contents()
    assert shown == [*tokens, "⟨end⟩"]
    assert [cell.get_attribute("title") for cell in page.locator(".attn-s-source").all()] == [
        *tokens,
        "⟨end⟩",
    ]
    assert page.evaluate("window.__x") is None
    assert page.locator(".attn img, .attn script").count() == 0


def test_nothing_moves_for_those_who_asked_for_rest(mount):
    """Reduced motion: a step stands at once."""
    page = mount(stepper(predict=False), reduced_motion="reduce")
    click(page, "[data-act=forward]")
    assert page.evaluate("document.getAnimations().length") == 0


def test_a_step_is_quick(mount):
    """The reader waits for a word. Best of five, each walk a new one; threefold slack on 50 ms."""
    page = mount(stepper(**KINDS["additive"], predict=False, sentence=1))
    took = page.evaluate(
        """async () => {
          const [model] = window.models;
          const times = [];
          for (let t = 1; t <= 5; t++) {
            const started = performance.now();
            model.set('feeds', [...Array(t).fill('gold'), 'own']);
            model.set('position', 9 - t);
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            times.push(performance.now() - started);
          }
          return times;
        }"""
    )
    assert min(took) < 150, took
