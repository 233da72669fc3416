"""MaskLab in a browser: moved by mouse and by keyboard, read back, and compared with Python."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from attn_helpers.widgets import MaskLab, ScoreExplorer
from tests.browser.checks import accessibility_in_both_themes, sideways
from tests.browser.widget_page import widget_page
from tests.test_mask_lab import BREAKAGES, run_card

ROOT = Path(__file__).parents[2]
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))


@pytest.fixture
def show(open_page, serve, tmp_path):
    """show(*widgets, width=960, …) → page with a view of each; any error on the page fails the test."""
    records = []

    def build(*widgets, width=960, theme="light", body="", style="", **options):
        (tmp_path / "page.html").write_text(
            widget_page(*widgets, theme=theme, body=body, style=style), "utf-8"
        )
        page, record = open_page(f"{serve(tmp_path)}/page.html", width=width, **options)
        page.wait_for_function("window.ready")
        records.append(record)
        return page

    yield build
    for record in records:
        found = [line for line in record.trouble() if not re.search(r"favicon|404|on purpose", line)]
        assert found == []


def shown(text):
    """A number as the widget writes it: −.14 → −0.14; NaN stays NaN."""
    return float(text.replace("−", "-"))


def state(page, model=0):
    """The traits as the page holds them."""
    return page.evaluate(f"window.models[{model}].state")


def twin(page, model=0):
    """A MaskLab in Python with the page's traits."""
    return MaskLab(
        **{name: value for name, value in state(page, model).items() if name in MaskLab().trait_names()}
    )


def drawn(page, view=0):
    """Wait for the drawing that follows a change."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.locator(".attn-mask-lab").nth(view)


def cell(page, stage, *place, view=0):
    return (
        page.locator(".attn-mask-lab").nth(view).locator(f'[data-cell="{stage},{",".join(map(str, place))}"]')
    )


READ = """(lab) => ({
  cells: Object.fromEntries([...lab.querySelectorAll('[data-cell]')].map((e) =>
    [e.dataset.cell, { text: e.textContent, look: e.className, said: e.ariaLabel }])),
  big: lab.querySelector('.attn-m-number').textContent,
  wrong: lab.querySelector('.attn-m-number').classList.contains('attn-m-wrong'),
  facts: lab.querySelector('.attn-m-read').innerText,
  sums: [...lab.querySelectorAll('.attn-m-line:not(.attn-m-heads) .attn-m-sum')].map((e) => e.textContent),
})"""
HALF = 0.005001  # two decimals are shown


def check_numbers(page, view=0):
    """Every number and every hatch in the picture is what Python computes from the page's traits."""
    seen = drawn(page, view).evaluate(READ)
    right = twin(page)
    weights, (row_b, row_t, _) = right.weights, right.cell
    assert len(seen["cells"]) == 3 * weights.size
    for b, t, s in np.ndindex(weights.shape):
        score, mask, box = (seen["cells"][f"{stage},{b},{t},{s}"] for stage in ("scores", "mask", "weights"))
        masked, weight = not right.mask[b, t, s], weights[b, t, s]
        hatched = masked and weight == 0
        assert shown(score["text"]) == pytest.approx(right.scores[b, t, s], abs=HALF)
        assert mask["text"] == ("" if masked else "True")
        assert ("attn-m-hatch" in mask["look"]) == masked
        assert ("attn-m-hatch" in box["look"]) == hatched
        assert ("attn-m-bad" in box["look"]) == bool(np.isnan(weight) or (masked and weight != 0))
        told = shown(re.search(r"weight (\S+?)(?:,|$)", box["said"])[1])
        assert told == pytest.approx(weight, abs=HALF, nan_ok=True)
        assert ("masked" in box["said"]) == masked
        if box["text"] or ((b, t) == (row_b, row_t) and not hatched):
            assert shown(box["text"]) == pytest.approx(weight, abs=HALF, nan_ok=True)
    leak, total = right.leaked[row_b, row_t], weights[row_b, row_t].sum()
    assert shown(seen["big"]) == pytest.approx(leak, abs=HALF, nan_ok=True)
    assert seen["wrong"] == (not leak < 1e-9)
    assert shown(re.search(r"Σ (\S+)", seen["facts"])[1]) == pytest.approx(total, abs=HALF / 10, nan_ok=True)
    output = [shown(x) for x in re.search(r"output \((\S+), (\S+)\)", seen["facts"]).groups()]
    assert output == pytest.approx(right.output[row_b, row_t], abs=HALF, nan_ok=True)
    assert [shown(x) for x in seen["sums"]] == pytest.approx(weights.sum(-1).ravel(), abs=HALF, nan_ok=True)


# ---- numbers -------------------------------------------------------------------------------------


def test_at_first_sight(show):
    """The chapter's picture: pad column hatched, rows sum to 1, nothing leaks."""
    page = show(MaskLab())
    check_numbers(page)
    assert (
        page.locator(".attn-title").first.inner_text()
        == "Padding takes no weight. What happens if we forget?"
    )
    assert page.locator(".attn-m-hatch").count() == 8
    assert page.locator(".attn-m-wrong").count() == 0


@pytest.mark.parametrize("breakage", BREAKAGES[1:])
def test_each_fault_is_chosen_and_caught(show, breakage):
    """The reader breaks it: the picture is what the fault makes, and a number in vermilion gives it away."""
    page = show(MaskLab())
    page.get_by_role("button", name="Break it").click()
    drawn(page)
    page.locator(f'input[value="{breakage}"]').click()
    check_numbers(page)
    now = twin(page)
    assert now.breakage == breakage
    assert (0 in now.lengths) == (breakage in ("half", "finite"))  # these bite in an empty row alone
    assert page.locator(".attn-m-read .attn-m-wrong, .attn-m-sum.attn-m-wrong").count() > 0
    assert page.locator(".attn-m-cards p").first.inner_text() == "What was written"
    page.get_by_role("button", name="Mend it").click()
    check_numbers(page)
    assert page.locator(".attn-m-wrong").count() == 0


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("leave", ["Mend it", "flipped"])
def test_a_sentence_emptied_for_a_fault_is_filled_again(show, length, leave):
    """The reader chose a length, and after two faults it is 0 for good."""
    page = show(MaskLab(lengths=(3, length)))
    page.get_by_role("button", name="Break it").click()
    for fault in ("half", "finite"):
        page.locator(f'input[value="{fault}"]').click()
        assert "sentence 2 was emptied for this" in drawn(page).locator(".attn-m-breaks").inner_text()
        assert state(page)["lengths"] == [3, 0]
    if leave == "Mend it":
        page.get_by_role("button", name=leave).click()
    else:
        page.locator(f'input[value="{leave}"]').click()
    assert "emptied" not in drawn(page).locator(".attn-m-foot").inner_text()
    assert state(page)["lengths"] == [3, length]
    check_numbers(page)


def test_a_length_chosen_by_hand_stays_when_the_mask_is_mended(show):
    """What a fault took is given back, what the reader chose is not."""
    page = show(MaskLab(lengths=(4, 2)))
    page.get_by_role("button", name="Break it").click()
    page.locator('input[value="half"]').click()
    for length in (1, 0):
        page.locator(f'input[name^="lengths.1"][value="{length}"]').click()
    page.get_by_role("button", name="Mend it").click()
    drawn(page)
    assert state(page)["lengths"] == [4, 0]
    page.evaluate("window.models[0].set('_lengths_before', [3, 3])")  # others than those that were emptied
    page.get_by_role("button", name="Break it").click()
    page.get_by_role("button", name="Mend it").click()
    assert state(page)["lengths"] == [4, 0]


def test_an_empty_row_hides_what_was_zeroed_after_the_softmax(show):
    """The advice must be one that helps: the length is 0 already, and Σ tells nothing."""
    page = show(MaskLab(lengths=(4, 0), breakage="after_softmax"))
    title = page.locator(".attn-title").first.inner_text
    hint = page.locator(".attn-hint").first.inner_text
    assert title() == "An empty row hides this fault: its weights would be 0 anyway."
    assert "only Σ" not in hint()
    page.locator('input[name^="lengths.1"][value="2"]').click()
    drawn(page)
    assert "hands out only" in title()
    assert "only Σ" in hint()


def test_other_float_types_hold_the_number_but_leak(show):
    """bfloat16 and float32 take −1e9; the empty row is then shared out over padding."""
    page = show(MaskLab(breakage="half", lengths=(4, 0)))
    assert "NaN" in page.locator(".attn-title").first.inner_text()
    for name in ("bfloat16", "float32"):
        page.locator(f'input[value="{name}"]').click()
        check_numbers(page)
        assert twin(page).float_type == name
        assert (
            "gives 1.00 of its weight to 4 forbidden keys" in page.locator(".attn-title").first.inner_text()
        )


@pytest.mark.parametrize(
    "traits", [{}, {"causal": True}, {"flips": [(0, 1, 2)]}, {"breakage": "after_softmax"}]
)
def test_the_code_on_the_cards_runs_and_makes_the_grid(show, traits):
    """R008: what stands on the page, copied and run."""
    page = show(MaskLab(**traits))
    left, right = page.locator(".attn-m-card code").all_inner_texts()
    lab = twin(page)
    first, second = run_card(left, lab), run_card(right, lab)
    if lab.breakage == "none":
        np.testing.assert_allclose(first["output"], lab.output, atol=1e-12)
        np.testing.assert_allclose(second["weights"].detach(), lab.weights, atol=1e-12)
    else:
        np.testing.assert_allclose(first["weights"], lab.weights, atol=1e-12)


# ---- by mouse, by keyboard, by Python --------------------------------------------------------------


def test_by_mouse(show):
    """A click on the mask, a length, the order: each is kept in the traits and drawn."""
    page = show(MaskLab())
    cell(page, "mask", 1, 1, 3).click()
    check_numbers(page)
    assert state(page)["flips"] == [[1, 1, 3]]
    assert "weight .17" in page.locator(".attn-m-read").inner_text()
    cell(page, "mask", 1, 1, 3).click()
    cell(page, "mask", 0, 2, 1).click()
    check_numbers(page)
    assert state(page)["flips"] == [[0, 2, 1]]
    assert state(page)["cell"] == [0, 2, 1]
    page.get_by_role("button", name="Undo my cells").click()
    page.locator('input[name^="order"][value="causal"]').click()
    check_numbers(page)
    assert (state(page)["flips"], state(page)["causal"]) == ([], True)
    page.locator('input[name^="lengths.1"][value="1"]').click()
    check_numbers(page)
    assert state(page)["lengths"] == [4, 1]


def test_the_empty_row_is_said_in_words(show):
    """R001: length 0 gives weights 0 and output 0, and says so."""
    page = show(MaskLab())
    page.locator('input[name^="lengths.1"][value="0"]').click()
    check_numbers(page)
    assert (
        page.locator(".attn-title").first.inner_text()
        == "cat may read nothing: its weights are 0, its output is 0."
    )
    assert page.locator(".attn-m-wrong").count() == 0
    assert "NaN" in page.locator(".attn-m-panel .attn-hint").inner_text()  # what MultiheadAttention would do


def test_by_keyboard_alone(show):
    """From the first Tab to a changed mask, with the focus in sight and the change said aloud."""
    page = show(MaskLab())
    stops = []
    for _ in range(9):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate("document.activeElement.dataset.cell ?? document.activeElement.name.split(' ')[0]")
        )
    first = ["lengths.0", "scores,0,0,0", "mask,0,0,0", "weights,0,0,0"]
    assert stops[:4] == first  # one stop for each grid
    assert stops[4:8] == ["lengths.1", "scores,1,1,3", "mask,1,1,3", "weights,1,1,3"]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft", "Home", "ArrowRight"):
        page.keyboard.press(key)
    drawn(page)
    assert page.evaluate("document.activeElement.dataset.cell") == "mask,1,0,1"
    assert state(page)["cell"] == [1, 0, 1]
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Space")
    check_numbers(page)
    assert state(page)["flips"] == [[1, 0, 1]]
    assert page.evaluate("document.activeElement.dataset.cell") == "mask,1,0,1"
    page.wait_for_timeout(700)
    said = page.locator(".attn-unseen").inner_text()
    assert said == "query the, key cat: masked, weight 0. Leaked mass .00, row sum 1.000."
    page.keyboard.press("Enter")
    assert state(page)["flips"] == []


def tab_to(page, selector):
    """Press Tab until the focus is there."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("(where) => document.activeElement.matches(where)", selector):
            return
    pytest.fail(f"Tab never reached {selector}")


def test_a_whole_task_without_a_mouse(show):
    """Shorten a sentence, break the mask, choose a fault, mend it, read a weight: by keys, read aloud."""
    page = show(MaskLab())
    tab_to(page, "input[name^='lengths.1']")
    page.keyboard.press("ArrowLeft")
    drawn(page)
    assert state(page)["lengths"] == [4, 2]
    tab_to(page, "[data-act=break]")
    page.keyboard.press("Enter")
    tab_to(page, "input[name^=breakage]")
    page.keyboard.press("ArrowRight")
    drawn(page)
    assert state(page)["breakage"] == "flipped"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert state(page)["breakage"] == "none"
    page.evaluate("document.activeElement.blur()")
    tab_to(page, "[data-cell^='weights,1']")
    page.keyboard.press("Home")
    drawn(page)
    batch, query, key = state(page)["cell"]
    weight = twin(page).weights[batch, query, key]
    said = f"weight {weight:.2f}".replace("0.", ".")
    tree = page.locator(".attn-mask-lab").aria_snapshot()
    chosen = [line for line in tree.splitlines() if "gridcell" in line and "[selected]" in line]
    assert len(chosen) == 3  # the same pair in scores, mask and weights
    assert said in chosen[-1]
    page.wait_for_timeout(700)
    assert said in page.locator("[aria-live]").inner_text()


def test_a_screen_reader_hears_the_padding(show):
    """The cell that a reader of screens lands on says what it is."""
    page = show(MaskLab())
    assert (
        cell(page, "weights", 1, 1, 3).get_attribute("aria-label") == "query cat, key ⟨pad⟩: masked, weight 0"
    )
    assert cell(page, "mask", 1, 1, 3).get_attribute("aria-label") == "query cat, key ⟨pad⟩: masked"
    assert page.get_by_role("grid", name="sentence 2, weights").count() == 1


def test_python_moves_the_picture_and_views_stay_in_step(show):
    """R120, R123: two views of one model show one thing; a closed one draws no more."""
    page = show(MaskLab(), MaskLab(lengths=(1, 1)))
    page.evaluate("window.show(window.models[0])")
    page.evaluate("window.models[0].set('lengths', [2, 4])")
    check_numbers(page, 0)
    check_numbers(page, 2)
    assert state(page, 1)["lengths"] == [1, 1]
    ids = page.evaluate("[...document.querySelectorAll('[id]')].length")
    assert ids == 0
    names = page.evaluate(
        "[...new Set([...document.querySelectorAll('.attn-m-length input')].map((i) => i.name))].length"
    )
    assert names == 6  # radio groups of three views never mix
    cell(page, "mask", 0, 0, 0, view=2).click()
    check_numbers(page, 0)
    page.evaluate("window.views.forEach((view) => view.close())")
    assert page.evaluate("window.models.map((model) => model.listeners.length)") == [0, 0]
    assert page.locator(".attn-mask-lab").count() == 0
    page.evaluate("window.models[0].set('lengths', [1, 1])")
    drawn(page)


def test_pointing_at_a_row_shows_its_numbers(show):
    """Hover previews, leaving goes back; nothing is changed by it."""
    page = show(MaskLab())
    cell(page, "weights", 0, 1, 1).hover()
    lab = drawn(page)
    right = twin(page)
    row = [cell(page, "weights", 0, 1, s).inner_text() for s in range(4)]
    assert [shown(text) for text in row] == pytest.approx(right.weights[0, 1], abs=0.005001)
    assert "black → black" in lab.locator(".attn-m-read").inner_text()
    page.mouse.move(2, 2)
    assert "cat → ⟨pad⟩" in drawn(page).locator(".attn-m-read").inner_text()
    assert state(page)["cell"] == [1, 1, 3]


def test_guess_first(show):
    """Mask and weights are hidden, and so is the code; the marks stay after the look."""
    page = show(MaskLab())
    page.get_by_role("button", name="Guess first").click()
    lab = drawn(page)
    assert lab.locator(".attn-m-hatch").count() == 0
    assert not lab.locator(".attn-m-panel").is_visible()
    assert lab.locator(".attn-m-weights .attn-m-cell").all_inner_texts() == [""] * 32
    assert "?" in lab.locator(".attn-m-number").inner_text()
    cell(page, "weights", 1, 0, 3).click()
    cell(page, "weights", 0, 0, 0).click()
    cell(page, "mask", 1, 1, 3).click()  # hidden: cannot be changed
    cell(page, "weights", 1, 2, 3).focus()
    page.keyboard.press("Space")
    drawn(page)
    assert state(page)["guess"] == [[1, 0, 3], [0, 0, 0], [1, 2, 3]]
    assert state(page)["flips"] == []
    page.get_by_role("button", name="Look").click()
    check_numbers(page)
    told = page.locator(".attn-title").first.inner_text()
    assert told == "You marked 2 of 4 empty cells, and some that take weight."
    assert page.locator(".attn-m-yours").count() == 3
    page.locator('input[name^="lengths.0"][value="2"]').click()
    drawn(page)
    assert page.locator(".attn-m-yours").count() == 0  # a guess belongs to one mask


def test_trouble_is_said_in_words(show):
    """A state that does not fit is told inside the widget; it comes back when the state is mended."""
    page = show(MaskLab())
    page.evaluate("window.models[0].refused.lengths = 'on purpose'; window.models[0].set('causal', true)")
    drawn(page)
    assert "on purpose" in page.locator(".attn-error").inner_text()
    page.evaluate("window.models[0].refused = {}; window.models[0].set('causal', false)")
    drawn(page)
    assert page.locator(".attn-error").inner_text() == ""


def test_a_hidden_tab_is_not_blank(show):
    """R122: drawn where nothing has a size, the widget stays empty when its tab is opened."""
    page = show(MaskLab(), style="main { display: none }")
    page.add_style_tag(content="main { display: block !important }")
    check_numbers(page)
    assert cell(page, "weights", 1, 1, 0).bounding_box()["width"] > 30


# ---- looks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", range(0, len(HOSTILE), 5))
def test_tokens_are_shown_as_they_are(show, start):
    """R119: a token never becomes markup, nor a selector, nor a key of an object."""
    words = (HOSTILE[start : start + 5] + ["x"] * 5)[:5]
    vectors = {f"{name}_vectors": np.ones((1, 5, 2)) for name in ("query", "key", "value")}
    page = show(MaskLab(key_tokens=[words], breakage="no_mask", lengths=(4,), cell=(0, 0, 4), **vectors))
    heads = page.locator(".attn-m-scores .attn-m-key .attn-token")
    rows = page.locator(".attn-m-scores .attn-m-name .attn-token")
    assert heads.evaluate_all("(all) => all.map((e) => e.textContent)") == words
    assert rows.evaluate_all("(all) => all.map((e) => e.textContent)") == words
    assert page.locator(".attn-m-key").first.get_attribute("title") == words[0]
    assert page.locator("main img, main script:not([type])").count() == 0
    assert page.evaluate("window.__x") is None


@pytest.mark.parametrize(
    "traits", [{}, {"breakage": "half", "lengths": (4, 0)}, {"predict": True, "guess": [(0, 0, 0)]}]
)
def test_axe_finds_nothing(show, traits):
    """R126: contrast, names and roles, in both themes, right and broken."""
    assert accessibility_in_both_themes(show(MaskLab(**traits))) == []


@pytest.mark.parametrize("width", [960, 700, 390, 320])
@pytest.mark.parametrize("traits", [{}, {"breakage": "half", "lengths": (4, 0)}])
def test_nothing_reaches_out_of_the_page(show, width, traits):
    """A phone scrolls sideways, and half of the picture is missed."""
    page = show(MaskLab(**traits), width=width)
    assert sideways(page) == []


@pytest.mark.parametrize("width", [390, 320])
def test_it_keeps_its_shape_beside_another_widget(show, width):
    """On a page with two widgets the other's style reaches over: words hang out at both sides."""
    alone = show(MaskLab(), width=width, has_touch=True, is_mobile=True)
    page = show(MaskLab(), width=width, style=ScoreExplorer._css, has_touch=True, is_mobile=True)
    boxes = """[...document.querySelectorAll(".attn-mask-lab *")].map((e) => e.getBoundingClientRect())
      .map((b) => [b.x, b.y, b.width, b.height].map(Math.round))"""
    assert page.evaluate(boxes) == alone.evaluate(boxes)


@pytest.mark.parametrize("width", [960, 700, 390])
@pytest.mark.parametrize("causal", [False, True])
def test_no_line_of_code_is_broken(show, width, causal):
    """The end of a comment, alone in a line, looks like code."""
    page = show(MaskLab(causal=causal), width=width)
    lines = page.locator(".attn-m-card code").evaluate_all(
        "(all) => all.map((e) => [e.textContent.trim().split('\\n').length,"
        " e.parentElement.clientHeight / parseFloat(getComputedStyle(e).lineHeight)])"
    )
    assert all(shown_lines == pytest.approx(written, abs=0.3) for written, shown_lines in lines), lines


@pytest.mark.parametrize("width", [960, 390])
def test_a_finger_hits_what_it_aims_at(show, width):
    """Cells and words to choose are 44 px apart on touch, at least across the rows."""
    page = show(MaskLab(), width=width, has_touch=True, is_mobile=True)
    boxes = page.evaluate(
        """() => [...document.querySelectorAll('.attn-segment, .attn-action:not([hidden])')]
          .map((e) => e.getBoundingClientRect()).filter((b) => b.width).map((b) => [b.width, b.height])"""
    )
    assert len(boxes) > 8
    assert all(high >= 43.9 and wide >= 43.9 for wide, high in boxes), boxes
    tops = [cell(page, "mask", 1, t, 0).bounding_box()["y"] for t in range(2)]
    assert tops[1] - tops[0] >= 44
    cell(page, "mask", 1, 0, 0).tap()
    drawn(page)
    assert state(page)["flips"] == [[1, 0, 0]]


def test_on_a_phone_the_three_grids_stand_in_causal_order(show):
    """Scores, then the mask, then the weights, of the sentence that is looked at."""
    page = show(MaskLab(), width=390)
    tops = [cell(page, stage, 1, 0, 0).bounding_box()["y"] for stage in ("scores", "mask", "weights")]
    assert tops == sorted(tops)
    assert not cell(page, "scores", 0, 0, 0).is_visible()
    page.get_by_role("radio", name="sentence 1", exact=True).click()
    drawn(page)
    assert cell(page, "scores", 0, 0, 0).is_visible()
    assert state(page)["cell"][0] == 0


@pytest.mark.parametrize("width", [960, 700, 390])
def test_the_place_kept_free_is_the_place_taken(show, width):
    """A page jumps when the widget is drawn."""
    page = show(
        MaskLab(), width=width, body='<div style="padding: 0 24px"><div data-attn="MaskLab"></div></div>'
    )
    kept = page.locator("[data-attn]").bounding_box()["height"]
    taken = page.locator(".attn-mask-lab").bounding_box()["height"]
    assert abs(kept - taken) <= 24, (kept, taken)
