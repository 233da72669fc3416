"""TrainingReplay in Chromium, on a page with nothing else: guess, scrub, reveal, by hand and by keyboard.

What the page reads off is compared with what NumPy reads off the same file.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from checks import ALONE, accessibility, accessibility_in_both_themes, sideways
from widget_page import mounting, settle, trait

from attn_helpers.corpus import Pair
from attn_helpers.replay import Replay
from attn_helpers.trained import load_replay
from attn_helpers.widgets import TrainingReplay

ROOT = Path(__file__).parents[2]
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))
STORED = load_replay("bahdanau-bidirectional")
STEPS, MAPS = STORED.steps, STORED.weights
CAT, LAST = 2, len(STEPS) - 1
WINS = max(n for n in range(LAST + 1) if MAPS[n, 1, :4].argmax() != CAT) + 1  # chat → cat, for good
HALVES = {  # the first snapshot below the middle between start and lowest
    name: next(n for n, value in enumerate(values) if value <= (values[0] + min(values)) / 2)
    for name, values in (("loss", STORED.loss), ("aer", STORED.aer), ("entropy", STORED.entropy))
}
CROSSES = next(n for n in range(LAST + 1) if (MAPS[n:, [1, 2], :4].argmax(-1) == [2, 1]).all())


@pytest.fixture
def mount(browser):
    """mount(*widgets, …) → page with one view each; afterwards its console must be clean."""
    with mounting(
        browser, lambda: TrainingReplay(STORED), padding=lambda width: 24 if width > 640 else 16
    ) as show:
        yield show


def text(page, place):
    return page.locator(place).first.text_content()


def decimals(value):
    """.84, as the page writes it."""
    return f"{value:.2f}".removeprefix("0")


def place(page, n, row="axis"):
    """Pixels of a snapshot on the axis, or on the line of guesses below it."""
    box = page.locator("[data-pic=curves]").bounding_box()
    line = page.locator(".attn-pic > svg .attn-axis" if row == "axis" else ".attn-r-track").first
    left, right, y = (float(line.get_attribute(name)) for name in ("x1", "x2", "y1"))
    share = np.log1p(STEPS[n] / STEPS[1]) / np.log1p(STEPS[-1] / STEPS[1])
    return box["x"] + left + (right - left) * share, box["y"] + y


def drag(page, start, end, row="axis", steps=5):
    page.mouse.move(*place(page, start, row))
    page.mouse.down()
    page.mouse.move(*place(page, end, row), steps=steps)
    page.mouse.up()
    settle(page)


# ---- before the answer -------------------------------------------------------------------------------


def test_at_first_there_is_a_question_and_no_answer(mount):
    """The pins, the AER's fall or the winning step are in sight before the reader has guessed."""
    page = mount()
    assert text(page, ".attn-title") == "When will chat look at cat?"
    assert text(page, ".attn-r-number") == decimals(MAPS[0, 1, CAT])
    assert text(page, ".attn-r-when") == "step 0 of 1500"
    said = page.locator(".attn").inner_text()
    for n in {WINS, CROSSES, *HALVES.values()}:
        assert f"{STEPS[n]}" not in said
    assert page.locator(".attn-r-half, .attn-r-pin, .attn-r-truth").count() == 0
    futures = [path.get_attribute("d") for path in page.locator(".attn-r-future").all()]
    assert [bool(d) for d in futures] == [True, False, False]  # the loss alone
    ghosts = [cell.get_attribute("data-cell") for cell in page.locator(".attn-h-ghost").all()]
    assert ghosts == [f"{row},{k}" for row, k in enumerate(MAPS[-1].argmax(-1))]


def test_gold_links_are_marked(mount):
    """Sure links are filled, merely possible ones are rings; the ends have none."""
    page = mount()
    for kind, links in enumerate((STORED.pair.sure, STORED.pair.possible - STORED.pair.sure)):
        cells = page.locator(f".attn-h-cell:has(.attn-h-gold-{kind})")
        assert {c.get_attribute("data-cell") for c in cells.all()} == {f"{t},{s}" for t, s in links}
    assert (
        page.locator(".attn-h-column .attn-h-end, .attn-h-name .attn-h-end").all_text_contents()
        == ["⟨end⟩"] * 2
    )


@pytest.mark.parametrize("guess", [0, 20, LAST])
def test_a_guess_is_placed_by_mouse(mount, guess):
    """The mark stands elsewhere than it was dropped, or moves the training along."""
    page = mount()
    drag(page, 24, guess, "guess")
    assert trait(page, "guess") == guess
    assert (trait(page, "position"), trait(page, "revealed")) == (0, False)
    assert text(page, ".attn-hint").startswith(f"You say step {STEPS[guess]}.")
    knob = page.locator("[data-move=guess]").bounding_box()
    assert knob["x"] + 22 == pytest.approx(place(page, guess)[0], abs=0.6)


def test_the_keyboard_does_all_of_it(mount):
    """A reader without a mouse cannot guess, scrub or learn the answer."""
    page = mount()
    page.focus("[data-move=guess]")
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert trait(page, "guess") == 23
    page.keyboard.press("PageUp")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    settle(page)
    assert trait(page, "guess") == 1
    page.focus("[data-move=position]")
    for _ in range(WINS - 1):
        page.keyboard.press("ArrowRight")
    settle(page)
    assert trait(page, "revealed") is False
    page.keyboard.press("ArrowUp")
    settle(page)
    assert (trait(page, "position"), trait(page, "revealed")) == (WINS, True)
    assert page.evaluate("document.activeElement.dataset.move") == "position"
    page.keyboard.press("End")
    settle(page)
    assert trait(page, "position") == LAST
    page.keyboard.press("PageDown")
    page.keyboard.press("Control+ArrowLeft")
    settle(page)
    assert trait(page, "position") == LAST - 5
    for move in ("position", "guess"):
        found = page.locator(f"[data-move={move}]")
        assert all(one.get_attribute("data-lm-suppress-shortcuts") == "true" for one in found.all())


# ---- scrubbing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 7, 20, 33, WINS, LAST])
def test_everything_follows_the_cursor(mount, n):
    """R112: map, large number, sentence and curves belong to different steps, or rows and columns trade."""
    page = mount(TrainingReplay(STORED, revealed=True))
    drag(page, LAST if n < 20 else 0, n)
    assert trait(page, "position") == n
    assert text(page, ".attn-r-when") == f"step {STEPS[n]} of 1500"
    assert text(page, ".attn-r-number") == decimals(MAPS[n, 1, CAT])
    figures = page.locator("[data-cell^='1,'] .attn-h-figure").all_text_contents()
    assert figures == [decimals(weight) for weight in MAPS[n, 1]]
    labels = [c.get_attribute("aria-label") for c in page.locator("[data-cell]").all()]
    for label, weight in zip(labels, MAPS[n].ravel(), strict=True):
        assert decimals(weight) in label
    looks = f"{np.exp(STORED.entropy[n]):.1f}"
    wanted = [decimals(STORED.loss[n]), decimals(STORED.aer[n]), looks]
    assert page.locator(".attn-r-value").all_text_contents() == wanted
    knob = page.locator("[data-move=position]")
    assert knob.get_attribute("aria-valuetext") == f"step {STEPS[n]} of 1500"
    assert knob.bounding_box()["x"] + 22 == pytest.approx(place(page, n)[0], abs=0.6)


def test_curves_lie_where_they_were_measured(mount):
    """Points are smoothed, shifted, upside down, or beyond the cursor."""
    page = mount(TrainingReplay(STORED, position=20))
    box = page.locator("[data-pic=curves]").bounding_box()
    for i, values in enumerate((STORED.loss, STORED.aer, np.exp(STORED.entropy))):
        d = page.locator(".attn-r-past").nth(i).get_attribute("d")
        got = np.array([[float(x) for x in pair.split(",")] for pair in d.removeprefix("M").split("L")])
        assert len(got) == 21
        np.testing.assert_allclose(got[:, 0], [place(page, n)[0] - box["x"] for n in range(21)], atol=0.1)
        high, low = (
            float(line.get_attribute("y1")) for line in page.locator(".attn-grid").all()[2 * i : 2 * i + 2]
        )
        np.testing.assert_allclose(
            got[:, 1], low - (low - high) * np.array(values)[:21] / max(values), atol=0.1
        )


def test_a_scrub_is_answered_within_two_frames(mount):
    """The map limps behind the hand."""
    page = mount(TrainingReplay(STORED, revealed=True))
    slow = page.evaluate(
        """async () => {
          const knob = document.querySelector("[data-move=position]");
          knob.focus();
          let worst = 0;
          for (let i = 0; i < 40; i++) {
            knob.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
            const before = document.querySelector(".attn-r-when").textContent;
            let frames = 0;
            while (document.querySelector(".attn-r-when").textContent === before && frames < 9) {
              await new Promise(requestAnimationFrame);
              frames += 1;
            }
            worst = Math.max(worst, frames);
          }
          return worst;
        }"""
    )
    assert slow <= 2


def test_a_press_anywhere_on_the_curves_moves_the_cursor(mount):
    """The knob is the only thing that answers."""
    page = mount()
    x, y = place(page, 20)
    page.mouse.click(x, y - 150)
    settle(page)
    assert trait(page, "position") == 20
    assert trait(page, "guess") is None
    assert page.evaluate("document.activeElement.dataset.move") == "position"


def test_touch_scrubs_too(mount):
    """A finger scrolls the page instead."""
    page = mount(width=390, has_touch=True, is_mobile=True)
    page.locator("[data-pic]").scroll_into_view_if_needed()
    page.touchscreen.tap(*place(page, 20))
    settle(page)
    assert trait(page, "position") == 20
    page.touchscreen.tap(*place(page, 30, "guess"))
    settle(page)
    assert trait(page, "guess") == 30


# ---- the answer --------------------------------------------------------------------------------------


@pytest.mark.parametrize("guess", [None, 20, WINS, LAST])
def test_the_answer_comes_when_it_is_reached(mount, guess):
    """The widget praises a guess, or names a step that was typed in."""
    page = mount(TrainingReplay(STORED, guess=guess, position=WINS - 1))
    assert text(page, ".attn-title").startswith("When will")
    drag(page, WINS - 1, WINS)
    assert trait(page, "revealed") is True
    assert text(page, ".attn-title") == f"chat looks at cat from step {STEPS[WINS]} on."
    off = None if guess is None else STEPS[guess] - STEPS[WINS]
    told = {None: "Seen without a guess.", 0: "You said so, to the snapshot."}.get(off)
    if told is None:
        told = f"You said {STEPS[guess]}: {abs(off)} steps too {'early' if off < 0 else 'late'}."
    assert text(page, ".attn-hint") == told
    assert page.locator(".attn-r-word").all_text_contents()[-1] == f"measured {STEPS[WINS]}"
    assert page.locator("[data-move=guess]").count() == 0  # nobody guesses after the answer


def test_pins_are_read_off_the_data(mount):
    """R125: pins of another training, or typed in."""
    page = mount(TrainingReplay(STORED))
    page.click("[data-act=show]")
    settle(page)
    assert trait(page, "position") == WINS
    halves = [f"half-way {STEPS[n]}" for n in HALVES.values()]
    assert page.locator(".attn-r-mark").all_text_contents() == halves
    assert text(page, ".attn-r-cross") == f"crossing appears {STEPS[CROSSES]}"
    pin = page.locator(".attn-r-pin")
    box = page.locator("[data-pic=curves]").bounding_box()
    assert float(pin.get_attribute("x1")) == pytest.approx(place(page, CROSSES)[0] - box["x"], abs=0.1)
    gap = STEPS[HALVES["aer"]] - STEPS[HALVES["loss"]]
    assert text(page, ".attn-r-knees") == (
        f"Half of the fall: loss at step {STEPS[HALVES['loss']]}, AER at step {STEPS[HALVES['aer']]}. "
        f"The loss is there {gap} steps earlier."
    )


def test_pins_appear_one_by_one_as_they_are_passed(mount):
    """Going back hides nothing that was told; going on shows each at its step."""
    page = mount(TrainingReplay(STORED, position=HALVES["loss"] - 1))
    assert page.locator(".attn-r-half").count() == 0
    page.focus("[data-move=position]")
    page.keyboard.press("ArrowRight")
    settle(page)
    assert page.locator(".attn-r-half").count() == 1
    assert text(page, ".attn-r-knees") == ""
    page.keyboard.press("End")
    settle(page)
    page.keyboard.press("Home")
    settle(page)
    assert page.locator(".attn-r-half").count() == 3


def test_another_row_asks_anew(mount):
    """A guess about *chat* is held against *noir*."""
    page = mount(TrainingReplay(STORED, guess=20))
    page.click("[data-name='3']")
    settle(page)
    assert (trait(page, "row"), trait(page, "guess"), trait(page, "revealed")) == (3, None, False)
    assert text(page, ".attn-title") == "When will dort look at sleeps?"
    page.click("[data-act=show]")
    settle(page)
    assert text(page, ".attn-title") == f"dort looks at sleeps from step {STEPS[STORED.settles(3)]} on."
    page.click("[data-act=another]")
    settle(page)
    assert (trait(page, "row"), trait(page, "position"), trait(page, "revealed")) == (0, 0, False)
    assert text(page, ".attn-title") == "When will le look at the or cat?"
    page.click("[data-cell='4,4']")  # the end: no gold link
    settle(page)
    assert text(page, ".attn-title") == "Where does ⟨end⟩ look as the training goes on?"
    assert page.locator("[data-move=guess], [data-act=show]").count() == 0


def test_a_row_under_the_pointer_is_read_but_not_asked_about(mount):
    """Hovering throws the reader's guess away."""
    page = mount(TrainingReplay(STORED, guess=20, position=LAST, revealed=True))
    page.hover("[data-cell='2,0']")
    settle(page)
    assert text(page, ".attn-r-pair") == "noir → black"
    assert text(page, ".attn-r-number") == decimals(MAPS[LAST, 2, 1])
    assert text(page, ".attn-title").startswith("chat looks at cat")
    page.mouse.move(2, 2)
    settle(page)
    assert text(page, ".attn-r-pair") == "chat → cat"
    page.focus("[data-cell='0,0']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    assert trait(page, "row") == 2


def test_what_never_settles_is_said_so(mount):
    """The widget waits for a step that does not come."""
    pair = Pair(("a", "b"), ("x", "y"), frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1)}))
    weights = np.tile(np.float32([[0.2, 0.5, 0.3], [0.5, 0.2, 0.3], [0.1, 0.1, 0.8]]), (3, 1, 1))
    flat = Replay(pair, (0, 4, 9), (1, 1, 1), (1, 1, 1), (1, 1, 1), weights, judged=1)
    page = mount(TrainingReplay(flat))
    assert text(page, ".attn-title") == "Where does x look as the training goes on?"
    drag_end = page.locator("[data-move=position]")
    drag_end.focus()
    page.keyboard.press("End")
    settle(page)
    assert text(page, ".attn-hint") == "Drag the step, or press Play. It never settles on a."
    assert page.locator("[data-act=another]").count() == 0
    assert text(page, ".attn-r-knees").endswith("Both at one snapshot.")


# ---- playing -----------------------------------------------------------------------------------------


def test_nothing_plays_by_itself_and_play_can_be_stopped(mount):
    """Autoplay; or a button that cannot be taken back."""
    page = mount()
    page.wait_for_timeout(400)
    assert trait(page, "position") == 0
    page.click("[data-act=play]")
    page.wait_for_function("window.models[0].get('position') > 2")
    assert text(page, "[data-act=play]") == "Pause"
    page.click("[data-act=play]")
    settle(page)
    at = trait(page, "position")
    page.wait_for_timeout(400)
    assert trait(page, "position") == at
    assert text(page, "[data-act=play]") == "Play"


def test_playing_ends_at_the_end_and_begins_again(mount):
    """The clock ticks on when all is shown, or when the reader takes the knob, or the view is gone."""
    page = mount(TrainingReplay(STORED, position=LAST - 2))
    page.click("[data-act=play]")
    page.wait_for_function(f"window.models[0].get('position') === {LAST}")
    settle(page)
    assert text(page, "[data-act=play]") == "Play again"
    assert trait(page, "revealed") is True
    page.click("[data-act=play]")
    settle(page)
    assert trait(page, "position") == 0
    page.click("[data-act=play]")
    page.wait_for_function("window.models[0].get('position') > 1")
    page.mouse.click(*place(page, 9))  # the hand takes over
    page.wait_for_timeout(400)
    assert trait(page, "position") == 9
    page.click("[data-act=play]")
    page.evaluate("window.views[0].close()")
    at = trait(page, "position")
    page.wait_for_timeout(400)
    assert trait(page, "position") == at
    assert page.evaluate("window.models[0].listeners.length") == 0


def test_those_who_asked_for_rest_go_step_by_step(mount):
    """R126: motion in spite of prefers-reduced-motion."""
    page = mount(reduced_motion="reduce")
    assert text(page, "[data-act=play]") == "Next snapshot"
    page.click("[data-act=play]")
    page.wait_for_timeout(400)
    assert trait(page, "position") == 1
    assert page.evaluate("document.getAnimations().length") == 0


# ---- several heads, long and hostile words ------------------------------------------------------------


def test_a_head_is_chosen_and_named(mount):
    """A head's map under another's name, or a mean nobody asked for."""
    heads = torch.rand(9, 2, 5, 5, generator=torch.Generator().manual_seed(0)).softmax(-1).numpy()
    names = {"head 0": heads[:, 0], "head 1": heads[:, 1], "mean of 2 heads": heads.mean(1)}
    aer = {name: tuple(float(x) for x in np.linspace(0.9, 0.1 * i, 9)) for i, name in enumerate(names)}
    views = {
        name: Replay(
            STORED.pair, tuple(range(9)), STORED.loss[:9], aer[name], STORED.entropy[:9], w, judged=1
        )
        for name, w in names.items()
    }
    page = mount(TrainingReplay(views, row=1, position=8, revealed=True))
    assert page.locator(".attn-segment").all_text_contents() == list(names)
    for i, name in enumerate(names):
        page.locator(".attn-segment input").nth(i).check()
        settle(page)
        assert trait(page, "shown") == i
        assert text(page, ".attn-hint").startswith(f"{name}. ")
        assert text(page, ".attn-r-number") == decimals(names[name][8, 1, CAT])
        assert page.locator(".attn-r-value").nth(1).text_content() == decimals(aer[name][8])
    assert accessibility(page, ALONE) == []


def test_a_long_sentence_fits(mount):
    """30 words break out of the page, or the curves fall off it."""
    words = [f"w{i}" for i in range(29)]
    pair = Pair(tuple(words), tuple(words), frozenset((i, i) for i in range(29)))
    weights = np.stack([np.full((30, 30), 1 / 30), np.eye(30)]).astype(np.float32)
    long = Replay(pair, (0, 5), (3, 1), (1, 0), (3, 0), weights, judged=1)
    for width in (1008, 390):
        page = mount(TrainingReplay(long), width=width)
        assert sideways(page) == []
        assert page.locator(".attn").bounding_box()["height"] <= TrainingReplay(long).reserve[width < 640] + 1
        page.focus("[data-move=position]")
        page.keyboard.press("End")
        settle(page)
        assert trait(page, "revealed") is True


@pytest.mark.parametrize("start", range(0, len(HOSTILE), 5))
def test_hostile_words_stay_text(mount, start):
    """R119: a word runs as code, in the title, the answer, the names or the buttons."""
    words = (HOSTILE[start : start + 5] + ["x"] * 5)[:5]
    links = frozenset((i, i) for i in range(5))
    weights = np.stack([np.full((6, 6), 1 / 6), np.eye(6)]).astype(np.float32)
    one = Replay(Pair(tuple(words), tuple(words), links), (0, 5), (3, 1), (1, 0), (3, 0), weights, judged=1)
    page = mount(TrainingReplay(one, title=f"{words[0]}!", hint=words[1]))
    assert text(page, ".attn-title") == f"{words[0]}!"
    page.click("[data-act=show]")
    settle(page)
    titles = page.locator(".attn-title bdi").evaluate_all("(all) => all.map((word) => word.title)")
    assert titles == [words[trait(page, "row")]] * 2
    assert page.evaluate("window.__x") is None
    assert page.locator(".attn :is(img, script, iframe, em, a)").count() == 0


# ---- looks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1008, 390, 320])
@pytest.mark.parametrize("traits", [{}, {"guess": 20, "position": WINS, "revealed": True}])
def test_accessible_and_inside_its_room(mount, width, traits):
    """R126: unreadable in the dark, too small for a finger, or wider than the phone."""
    page = mount(TrainingReplay(STORED, **traits), width=width)
    assert accessibility_in_both_themes(page) == []
    assert sideways(page) == []
    if width > 320:
        height, room = (
            page.locator(".attn").bounding_box()["height"],
            TrainingReplay(STORED).reserve[width < 640],
        )
        assert room - 24 <= height <= room + 1
    if width < 640:
        touched = page.locator("[data-cell], .attn-action, [data-move]")
        assert all(
            min(box["height"], box["width"]) >= 40 for box in (one.bounding_box() for one in touched.all())
        )
    box = page.locator(".attn").bounding_box()
    for note in page.locator(".attn-note").all():
        inside = note.bounding_box()
        assert box["x"] - 3 <= inside["x"]
        assert inside["x"] + inside["width"] <= box["x"] + box["width"] + 3


def test_the_theme_changes_the_map_as_well(mount):
    """Computed colours stay those of the day."""
    page = mount(TrainingReplay(STORED, position=LAST))
    colour = "getComputedStyle(document.querySelector('[data-cell=\"1,0\"]')).backgroundColor"
    day = page.evaluate(colour)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_timeout(100)
    assert page.evaluate(colour) != day


def test_what_is_heard(mount):
    """A screen reader says nothing of the guess, the step or the answer."""
    page = mount()
    heard = page.locator("[aria-live]")
    page.focus("[data-move=guess]")
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(700)
    assert heard.text_content() == f"You say step {STEPS[23]}. Now drag the step, or press Play."
    page.focus("[data-move=position]")
    page.keyboard.press("End")
    page.wait_for_timeout(700)
    assert heard.text_content() == (
        f"measured {STEPS[WINS]}. step 1500 of 1500. chat, cat: {decimals(MAPS[-1, 1, CAT])}. "
        f"Loss {decimals(STORED.loss[-1])}, AER {decimals(STORED.aer[-1])}, "
        f"words looked at {np.exp(STORED.entropy[-1]):.1f}."
    )


def test_two_views_of_a_model_agree_and_two_models_do_not_mix(mount):
    """R120, R123: a second view lags behind, or another widget's cursor moves along."""
    page = mount(TrainingReplay(STORED), TrainingReplay(STORED))
    page.evaluate("window.show(window.models[0])")
    settle(page)
    page.locator("[data-move=position]").first.focus()
    page.keyboard.press("PageUp")
    settle(page)
    assert page.locator(".attn-r-when").all_text_contents() == [
        f"step {STEPS[5]} of 1500", "step 0 of 1500", f"step {STEPS[5]} of 1500"
    ]  # fmt: skip


def test_drawn_in_a_hidden_tab_it_fits_when_shown(mount):
    """R122: made in a closed tab the axis has no width, and the cursor lands on another step."""
    page = mount()
    page.evaluate(
        "document.querySelector('main').insertAdjacentHTML('beforeend', '<div id=tab hidden></div>')"
    )
    page.evaluate("window.views[0].close(); window.show(window.models[0], document.querySelector('#tab'))")
    settle(page)
    page.evaluate("document.querySelector('#tab').hidden = false")
    settle(page)
    drag(page, 0, 20)
    assert trait(page, "position") == 20
