"""ScoreExplorer in Chromium, on a page with nothing else: what the reader touches, sees, hears and reads."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from widget_page import mounting, settle, trait

from attn_helpers.scoring import attend_numpy, score_numpy, sharpness_table
from attn_helpers.widgets import MaskLab, ScoreExplorer

ROOT = Path(__file__).parents[2]
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))
QUERY = "[data-handle=query]"


@pytest.fixture
def mount(browser):
    """mount(*widgets, …) → page with one view each; afterwards its console must be clean."""
    with mounting(browser, ScoreExplorer, width=960) as show:
        yield show


def numbers(page, view=0):
    """Scores and weights as the rows of a view show them, in two lists."""
    shown = page.locator(".attn").nth(view).locator(".attn-number").all_text_contents()
    return shown[: len(shown) // 2], shown[len(shown) // 2 :]


def written(values):
    """Numbers as the widget writes them: two decimals, no leading zero, a true minus."""
    texts = [f"{abs(value):.2f}".removeprefix("0") for value in values]
    return [f"−{t}" if v < 0 and float(t) else t for t, v in zip(texts, values, strict=True)]


def expected(page, model=0):
    """Scores and weights computed in Python from the traits alone."""
    names = ("query", "key_vectors", "value_vectors", "score", "temperature")
    query, key, value, score, temperature = (trait(page, name, model) for name in names)
    _, weights = attend_numpy([query], key, value, score=score, temperature=temperature)
    return score_numpy([query], key, score)[0], weights[0]


def agrees(page, view=0, model=0):
    """Do the rows of the view show what Python computes, to the digits shown?"""
    wanted = np.concatenate(expected(page, model))
    shown = [float(text.replace("−", "-")) for texts in numbers(page, view) for text in texts]
    assert all(re.fullmatch(r"−?\d*\.\d\d", text) for texts in numbers(page, view) for text in texts)
    return shown == pytest.approx(wanted, abs=0.00501)


def center(page, selector):
    box = page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, selector, dx, dy, steps=5):
    x, y = center(page, selector)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=steps)
    page.mouse.up()
    settle(page)


def title(page, panel=0):
    return page.locator(".attn-title").nth(panel).text_content()


# ---- moving --------------------------------------------------------------------------------------


def test_first_sight(mount):
    """The picture does not show the numbers of the book's example."""
    page = mount()
    assert agrees(page)
    assert numbers(page)[1] == [".08", ".60", ".26", ".06"]
    assert title(page) == "chat ought to find cat. Why does black win?"


@pytest.mark.parametrize("handle", ["query", "key_vectors.1", "key_vectors.2", "value_vectors.1"])
def test_a_tip_follows_the_mouse_and_the_numbers_follow_the_tip(mount, handle):
    """A drag shows numbers that no computation gives."""
    page = mount()
    before = numbers(page)
    name, *index = handle.split(".")
    old = trait(page, name)[int(index[0])] if index else trait(page, name)
    drag(page, f"[data-handle='{handle}']", -22, 37)
    new = trait(page, name)[int(index[0])] if index else trait(page, name)
    assert new[0] < old[0]
    assert new[1] < old[1]
    assert new == [round(x, 2) for x in new]
    assert (old[1] - new[1]) / (old[0] - new[0]) == pytest.approx(37 / 22, abs=0.06)  # equal units
    assert agrees(page)
    assert (numbers(page) == before) == (name == "value_vectors")  # values never change the weights
    assert page.evaluate("window.models[0].saves") > 0


def test_a_tip_stays_on_its_picture(mount):
    """A tip dragged off the picture can never be taken back."""
    page = mount()
    drag(page, QUERY, 2000, -2000)
    box = page.locator("[data-pic=plane]").bounding_box()
    x, y = center(page, QUERY)
    assert box["x"] < x < box["x"] + box["width"]
    assert box["y"] < y < box["y"] + box["height"]


def test_the_nearest_of_two_tips_is_taken(mount):
    """The hand on one arrow moves its neighbour."""
    page = mount()
    (qx, qy), (kx, ky) = center(page, QUERY), center(page, "[data-handle='key_vectors.2']")
    x, y = qx + 0.45 * (kx - qx), qy + 0.45 * (ky - qy)  # on both handles; the key's lies on top
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 30, y)
    page.mouse.up()
    assert trait(page, "query")[0] < 0.7
    assert trait(page, "key_vectors")[2] == [0.9, 0.7]


def test_the_keyboard_does_the_same(mount):
    """A reader without a mouse cannot move an arrow."""
    page = mount()
    page.focus(QUERY)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    settle(page)
    assert trait(page, "query") == [1.1, 0.55]
    assert agrees(page)
    text = page.get_attribute(QUERY, "aria-valuetext")
    assert text == f"1.10, .55; strongest key black, weight {written(expected(page)[1])[1]}"
    assert page.get_attribute(QUERY, "aria-label") == "query chat"
    page.keyboard.press("Home")
    settle(page)
    assert trait(page, "query") == [1, 0.8]
    page.keyboard.press("Control+ArrowLeft")  # the browser's own
    assert trait(page, "query") == [1, 0.8]


FOCUSED = """(() => {
  const { dataset, name = "" } = document.activeElement;
  return [dataset.handle ?? dataset.act ?? name.split(" ")[0], dataset.lmSuppressShortcuts];
})()"""


def test_every_control_is_reached_by_tab_and_keeps_its_keys(mount):
    """JupyterLab swallows arrow keys on controls that do not say they need them."""
    page = mount()
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
        if page.evaluate("document.activeElement === document.body"):
            break
    places = [place for place, _ in reached if place]
    tips = [f"{kind}.{i}" for kind in ("key_vectors", "value_vectors") for i in range(4)]
    assert {*tips, "query", "score", "temperature", "challenge", "guess", "width", "divisor"} <= set(places)
    assert all(kept == "true" for place, kept in reached if place)


def test_focus_is_seen(mount):
    """A reader with a keyboard does not see where they are."""
    page = mount()
    page.keyboard.press("Tab")
    ring = "(() => { const s = getComputedStyle(document.activeElement, '::after'); return s.outline })()"
    assert "2px" in page.evaluate(ring)
    page.focus("[name=temperature]")
    page.keyboard.press("ArrowLeft")
    assert "2px" in page.evaluate("getComputedStyle(document.activeElement).getPropertyValue('--ring')")


def test_score_and_temperature(mount):
    """A choice changes the word that is underlined, but not the numbers."""
    page = mount()
    for score in ("dot", "cosine", "additive", "scaled_dot"):
        page.check(f"input[value={score}]")
        settle(page)
        assert trait(page, "score") == score
        assert agrees(page)
    page.check("input[value=cosine]")
    settle(page)
    assert title(page) == "chat finds cat by angle alone."
    page.focus("[name=temperature]")
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    settle(page)
    assert trait(page, "temperature") == 0.5
    assert page.get_attribute("[name=temperature]", "aria-valuetext") == ".50"
    assert agrees(page)
    assert "/ τ" in page.text_content(".attn-formula")


def test_the_title_follows_the_numbers(mount):
    """ "Why does black win?" is asked while cat wins."""
    page = mount()
    for query in ([0.2, 0.9], [-1, 0.8], [0, 0], [1, 0.8]):
        page.evaluate(f"window.models[0].set('query', {query})")
        settle(page)
        weights = attend_numpy([query], trait(page, "key_vectors"), trait(page, "value_vectors"))[1][0]
        first, second = np.argsort(-weights)[:2]
        tokens = ["the", "black", "cat", "sleeps"]
        if weights[first] - weights[second] < 0.005:
            assert title(page) == "All four keys share alike."
        elif first == 2:
            assert title(page) == "chat finds cat."
        else:
            assert title(page) == f"chat ought to find cat. Why does {tokens[first]} win?"


@pytest.mark.parametrize(
    ("xs", "words"),
    [
        ([1, 1, 0, 0], "a and b share the lead."),
        ([0, 1, 0, 1], "b and d share the lead."),
        ([1, 0, 1, 1], "Three keys share the lead."),
        ([1, 1, 1, 1], "All four keys share alike."),
        ([1, 1], "a and b share the lead."),
        ([1, 1, 1], "All three keys share alike."),
        ([1] * 12, "All 12 keys share alike."),
        ([1] * 11 + [0], "11 keys share the lead."),
        ([0.04] + [0] * 299, "a wins: chat looks there most."),  # all weights near 1/300, but not alike
        ([1], "a wins: chat looks there most."),
    ],
)
def test_keys_that_tie_are_told_in_full(mount, xs, words):
    """Two of four equal keys are said to share the lead."""
    keys = [[10 * x if len(xs) < 99 else x, 0] for x in xs]
    tokens = [chr(97 + i) for i in range(len(xs))]
    page = mount(
        ScoreExplorer(
            query=(2, 0), key_tokens=tokens, key_vectors=keys, value_vectors=keys, panels="plane", target=None
        )
    )
    assert title(page) == words


def test_pointing_at_a_key_shows_how_its_score_is_made(mount):
    """The sum under the pointer is another key's."""
    page = mount()
    page.hover(".attn-row >> nth=2")
    settle(page)
    assert page.text_content(".attn-hint") == "cat: length of q 1.28 × shadow of k 1.14 = 1.46, ÷ √2 = 1.03"
    page.mouse.move(5, 5)
    settle(page)
    assert page.text_content(".attn-hint").startswith("Point at a key")


def test_the_challenge_is_never_won_and_says_why(mount):
    """The reader drags on and on and is not told why nothing helps."""
    page = mount()
    page.click("[data-act=challenge]")
    settle(page)
    first = trait(page, "challenge")
    assert first > 0.05
    page.focus("[name=temperature]")
    page.keyboard.press("Home")
    settle(page)
    assert 0 <= trait(page, "challenge") <= 0.05
    assert page.text_content(".attn-hint").startswith("It never leaves")
    page.click("[data-act=reset]")
    settle(page)
    assert trait(page, "challenge") is None
    assert page.locator("[data-act=reset]").is_hidden()
    page.click("[data-act=challenge]")
    page.click("[data-act=challenge]")  # "Why can't I?"
    page.mouse.move(5, 5)
    settle(page)
    assert page.text_content(".attn-hint").startswith("It never leaves")


def test_the_challenge_does_not_answer_itself(mount):
    """At a low temperature the output lies near the edge already: the reader is told before having tried."""
    page = mount(ScoreExplorer(temperature=0.25, query=(2, 0)))
    page.click("[data-act=challenge]")
    page.mouse.move(5, 5)
    settle(page)
    said = page.text_content(".attn-last .attn-under")
    now, best = re.search(r"(\S+) from the edge, closest (\S+)", said).groups()
    assert now == best
    assert float(now) <= 0.05
    assert page.text_content(".attn-hint").startswith("Move anything")
    drag(page, QUERY, -3, 0)
    assert float(re.search(r"closest (\S+)", page.text_content(".attn-last .attn-under"))[1]) <= 0.05
    page.mouse.move(5, 5)
    settle(page)
    assert page.text_content(".attn-hint").startswith("It never leaves")


@pytest.mark.parametrize(("score", "inner"), [("dot", "q·ki"), ("scaled_dot", "q·ki / √d")])
def test_the_formula_says_over_what_the_softmax_goes(mount, score, inner):
    """Chapter 1 corrects the shorthand: softmax of one number alone is 1."""
    page = mount(ScoreExplorer(score=score))
    assert page.text_content(".attn-formula") == f"o = Σi softmaxi({inner}) vi"
    assert page.locator(".attn-formula > sub").all_text_contents() == ["i", "i"]


@pytest.mark.parametrize("touch", [True, False])
def test_words_to_choose_stand_in_line_beside_another_widget(mount, touch):
    """On a page with two widgets the shared style comes once more, and takes part of the phone's away."""
    page = mount(width=390, style=MaskLab._css, has_touch=touch, is_mobile=touch)
    left = page.locator(".attn-title").first.bounding_box()["x"]
    for value in ("dot", "1"):
        word = page.locator(f".attn-segment:has(input[value='{value}']) span")
        assert word.bounding_box()["x"] == pytest.approx(left, abs=0.5)


def test_reset_brings_the_first_state_back(mount):
    """A reader who has dragged everything about finds no way home."""
    page = mount(ScoreExplorer(query=(0.5, 1.0), score="dot"))
    assert page.locator("[data-act=reset]").is_hidden()
    start = numbers(page)
    drag(page, QUERY, 30, 30)
    page.check("input[value=cosine]")
    page.click("[data-act=reset]")
    settle(page)
    assert numbers(page) == start
    assert trait(page, "query") == [0.5, 1.0]


# ---- many dimensions -----------------------------------------------------------------------------


def test_many_dimensions_by_mouse(mount):
    """The guess or the curve does not go where the hand goes."""
    page = mount()
    box = page.locator("[data-pic=curve]").bounding_box()
    drag(page, "[data-handle=guess]", 0, -50)
    guess = trait(page, "guess")
    assert guess == pytest.approx(0.5 + 50 / (box["height"] - 64), abs=0.011)
    knob = page.locator("[name=width]").bounding_box()
    page.mouse.move(knob["x"] + 10, knob["y"] + knob["height"] / 2)
    page.mouse.down()
    page.mouse.move(knob["x"] + knob["width"] - 8, knob["y"] + knob["height"] / 2, steps=8)
    page.mouse.up()
    settle(page)
    assert trait(page, "width") == 512
    assert page.locator("[data-handle=guess]").count() == 0  # the answer is out: the guess stays as it was
    assert f"you said {written([guess])[0]}" in page.text_content("[data-pic=curve]")


def test_many_dimensions_by_keyboard(mount):
    """The read-outs are not the measured medians."""
    page, table = mount(), sharpness_table()
    page.focus("[data-handle=guess]")
    page.keyboard.press("ArrowUp")
    assert trait(page, "guess") == 0.55
    page.focus("[name=width]")
    for index in range(1, 9):
        page.keyboard.press("ArrowRight")
        settle(page)
        assert trait(page, "width") == table["widths"][index]
        top, gradient = page.locator(".attn-reading b").all_text_contents()
        assert top == written([table["top"]["1"][index]])[0]
        assert float(gradient) == pytest.approx(table["gradient"]["1"][index], abs=0.005)
    assert float(gradient) > 0  # tiny, but not nothing
    assert title(page, 1) == "With 512 numbers, one key takes everything."
    assert "You expected .55." in page.locator(".attn-hint").nth(1).text_content()
    for divisor, words in (("sqrt", "÷ √d holds"), ("d", "÷ d flattens")):
        page.check(f"input[value={divisor}]")
        settle(page)
        assert title(page, 1).startswith(words)
        assert page.locator(".attn-reading b").first.text_content() == written([table["top"][divisor][8]])[0]
    page.focus("[name=width]")
    page.keyboard.press("Home")
    page.check("input[value='1']")
    settle(page)
    assert trait(page, "reach") == 512  # the curve stays drawn
    page.click("[data-act=again]")
    settle(page)
    assert [trait(page, name) for name in ("width", "guess", "reach")] == [2, None, 0]


def test_the_bars_are_the_softmax_of_the_stored_draw(mount):
    """The eight bars are a decoration."""
    table = sharpness_table()
    for index, divisor in ((0, "1"), (5, "1"), (8, "sqrt")):
        page = mount(ScoreExplorer(width=table["widths"][index], divisor=divisor, panels="dimensions"))
        scale = {"1": 1.0, "sqrt": table["widths"][index] ** 0.5}[divisor]
        powers = np.exp(np.array(table["draw"]["dots"][index]) / scale)
        heights = page.evaluate(
            "[...document.querySelectorAll('.attn-weight')].map((r) => +r.getAttribute('height'))"
        )
        tall = page.locator("[data-pic=dims]").bounding_box()["height"] - 64
        np.testing.assert_allclose(heights, tall * powers / powers.sum(), atol=0.06)


def test_the_read_outs_say_that_they_are_medians(mount):
    """A bar of one draw and a median of 8000 seem to contradict each other."""
    page = mount(ScoreExplorer(panels="dimensions"))
    readings = page.locator(".attn-reading").all_text_contents()
    assert [text.split(", ")[1].startswith("median") for text in readings] == [True, True]
    assert readings[1].endswith("how much the weights move when a score moves")
    assert "one draw" in page.text_content("[data-pic=dims]")


@pytest.mark.parametrize(("divisor", "index"), [("1", 4), ("sqrt", 8), ("d", 5), ("sqrt", 0), ("d", 0)])
def test_dashed_bars_are_where_this_divisor_started(mount, divisor, index):
    """Under ÷ √d the dashed bars of ÷ 1 make the reader look for a change that is none of its doing."""
    table = sharpness_table()
    page = mount(ScoreExplorer(width=table["widths"][index], divisor=divisor, panels="dimensions"))
    heights = page.evaluate(
        "[...document.querySelectorAll('.attn-ghost')].map((r) => +r.getAttribute('height'))"
    )
    assert ("dashed: d = 2" in page.text_content("[data-pic=dims]")) == (index > 0)
    if not index:
        assert heights == []  # these are the bars themselves
        return
    powers = np.exp(np.array(table["draw"]["dots"][0]) / {"1": 1, "sqrt": 2**0.5, "d": 2}[divisor])
    tall = page.locator("[data-pic=dims]").bounding_box()["height"] - 64
    np.testing.assert_allclose(heights, tall * powers / powers.sum(), atol=0.06)


# ---- views, life and death -----------------------------------------------------------------------


def test_two_views_of_one_model_stay_in_step(mount):
    """R120: the second view is empty, the first one vanishes, or one lags behind."""
    page = mount()
    page.evaluate("window.show(window.models[0])")
    settle(page)
    drag(page, QUERY, -20, 20)
    page.locator("input[value=dot]").nth(1).check()
    settle(page)
    assert numbers(page, 0) == numbers(page, 1)
    assert agrees(page)
    assert page.locator("input[value=dot]:checked").count() == 2  # the radio groups do not meet


def test_two_models_do_not_meet(mount):
    """R120: a global id or variable makes all widgets show the last one's data."""
    page = mount(ScoreExplorer(), ScoreExplorer(query=(0, 1), key_tokens=["a", "b", "c", "d"]))
    drag(page, QUERY, 20, 20)
    assert agrees(page, 0, 0)
    assert agrees(page, 1, 1)
    assert trait(page, "query", 1) == [0, 1]
    assert page.locator(".attn [id], .attn[id]").count() == 0


SPY = """<script>
const spied = { open: new Set(), signals: [], frames: 0 };
for (const Kind of [MutationObserver, ResizeObserver]) {
  const { observe, disconnect } = Kind.prototype;
  Kind.prototype.observe = function (...given) { spied.open.add(this); return observe.apply(this, given); };
  Kind.prototype.disconnect = function () { spied.open.delete(this); return disconnect.apply(this); };
}
const add = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (type, fn, options) {
  if (!(this instanceof AbortSignal)) spied.signals.push(options?.signal ?? null);
  return add.call(this, type, fn, options);
};
const frame = window.requestAnimationFrame;
window.requestAnimationFrame = (fn) => { spied.frames += 1; return frame(fn); };
</script>"""


def test_a_closed_view_leaves_nothing_behind(mount):
    """R123: views that are gone go on drawing, and each run of a cell makes the page slower."""
    page = mount(body=SPY)
    before = page.evaluate("[spied.open.size, window.models[0].listeners.length, spied.signals.length]")
    page.evaluate("window.show(window.models[0])")
    settle(page)
    page.evaluate(
        "spied.frames = 0; for (let i = 1; i <= 10; i++) window.models[0].set('query', [i / 10, 0.5])"
    )
    assert page.evaluate("spied.frames") == 2  # ten changes, one drawing for each live view
    settle(page)
    dead = page.evaluate(
        "(() => { const { el, close } = window.views[1]; close(); return el.childNodes.length })()"
    )
    assert dead == 0
    assert page.evaluate("[spied.open.size, window.models[0].listeners.length]") == before[:2]
    late = page.evaluate(f"spied.signals.slice({before[2]}).map((signal) => signal?.aborted)")
    assert late
    assert all(late)
    page.evaluate(
        "spied.frames = 0; for (let i = 1; i <= 10; i++) window.models[0].set('query', [i / 10, 0.4])"
    )
    assert page.evaluate("spied.frames") == 1
    settle(page)
    assert agrees(page)


def test_closing_while_a_change_is_on_its_way_saves_it(mount):
    """The last step before a cell runs again is lost."""
    page = mount()
    page.focus(QUERY)
    page.evaluate(
        "const key = new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true });"
        "document.activeElement.dispatchEvent(key); window.views[0].close()"
    )
    assert page.evaluate("window.models[0].saves") == 1


def test_shown_later_it_is_drawn_then(mount):
    """R122: in a closed tab a widget measures 0 px and stays like that when the tab is opened."""
    page = mount(style="main { display: none }")
    assert page.locator(".attn-arrow").count() == 5  # drawn at once, if blindly
    page.evaluate("document.querySelector('main').style.display = 'block'")
    page.wait_for_timeout(200)
    box = page.locator("[data-pic=plane]").bounding_box()
    x, _ = center(page, "[data-handle='key_vectors.1']")
    assert box["width"] > 200
    assert box["x"] + 0.7 * box["width"] < x < box["x"] + box["width"]


def test_a_new_width_redraws(mount):
    """R122: after the window is made narrower, arrows end beside their tips."""
    page = mount()
    page.set_viewport_size({"width": 390, "height": 800})
    settle(page)
    settle(page)
    path = page.get_attribute(".attn-arrow.attn-q path", "d")  # starts at the tip
    tip = [float(x) for x in re.findall(r"[\d.]+", path)[:2]]
    box = page.locator("[data-pic=plane]").bounding_box()
    assert [box["x"] + tip[0], box["y"] + tip[1]] == pytest.approx(center(page, QUERY), abs=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_slow_drawing_shows_the_last_value_soon(mount):
    """R116: events queue up, and the figure goes on playing after the hand has stopped."""
    page = mount()
    page.evaluate(
        """() => {
          const model = window.models[0], { get } = model;
          model.get = function (name) {
            const until = performance.now() + 10;  // seventeen traits: some 0.2 s for a drawing
            while (performance.now() < until);
            return get.call(this, name);
          };
          let i = 0;
          const timer = setInterval(() => {
            model.set("query", [(i += 1) / 20, 0.5]);
            if (i === 30) clearInterval(timer);
          }, 33);
        }"""
    )
    page.wait_for_function("window.models[0].state.query[0] === 1.5", timeout=20000)
    page.wait_for_timeout(900)
    shown = numbers(page)
    page.evaluate("delete window.models[0].get")
    assert shown == numbers(page)
    assert agrees(page)


def test_what_goes_wrong_is_said_in_words_inside_the_widget(mount):
    """A callback throws and the widget just stops."""
    page = mount(spoilt=True)
    page.evaluate(
        "window.models[0].refused.query = 'the query is <b>lost</b>'; window.models[0].set('score', 'dot')"
    )
    settle(page)
    alert = page.locator("[role=alert]")
    assert "the query is <b>lost</b>" in alert.text_content()
    assert alert.is_visible()
    assert page.locator(".attn-row").count() == 4  # the last good picture stays
    page.evaluate("window.models[0].refused = {}; window.models[0].set('score', 'cosine')")
    settle(page)
    assert alert.text_content() == ""
    assert agrees(page)


# ---- guessing ------------------------------------------------------------------------------------


def everything_said(page):
    """All that can be seen or heard of the plane, as text and attributes."""
    return (
        page.locator(".attn-plane").evaluate("(e) => e.outerHTML") + page.locator("[aria-live]").inner_text()
    )


@pytest.mark.parametrize("hand", ["mouse", "keyboard"])
def test_the_answer_stays_hidden_until_a_key_is_chosen(mount, hand):
    """The title asks why the wrong key wins: a reader who reads it has nothing left to guess."""
    page = mount(ScoreExplorer(panels="plane", target=2), height=1000)
    page.click("[data-act=hide]")
    page.hover("[data-handle='key_vectors.1']")
    page.wait_for_timeout(700)
    scores, weights = score_numpy([[1, 0.8]], ScoreExplorer().key_vectors)[0], ScoreExplorer().weights
    html = everything_said(page)
    assert not [n for n in written([*scores, *weights]) if f">{n}<" in html or f" {n}" in html]
    assert "win" not in html
    assert numbers(page) == ([], [])
    assert page.locator(".attn-dot-o, .attn-spoke, .attn-strong:not(.attn-q), rect").count() == 0
    assert page.locator(".attn-title").inner_text() == "What does chat read most?"
    assert page.locator(QUERY).get_attribute("aria-valuetext") == "1.00, .80"
    if hand == "mouse":
        page.click(".attn-row button >> nth=2")
    else:
        page.focus(".attn-row button >> nth=1")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    page.mouse.move(5, 5)
    settle(page)
    assert (trait(page, "predict"), trait(page, "expected")) == (True, 2)
    hint = f"You said cat: {written(weights)[2]}. chat reads black most: {written(weights)[1]}."
    assert page.locator(".attn-hint").inner_text() == hint
    assert page.locator(".attn-mine").inner_text() == "cat"
    assert numbers(page)[1] == written(weights)
    page.wait_for_timeout(700)
    assert f"strongest key black, weight {written(weights)[1]}" in page.locator("[aria-live]").inner_text()
    page.click("[data-act=reset]")
    settle(page)
    assert (trait(page, "predict"), trait(page, "expected")) == (False, None)


def test_python_can_ask_for_the_key_that_wins(mount):
    """A notebook begins with the question; the way out without a guess is in sight."""
    page = mount(ScoreExplorer(panels="plane", predict=True))
    assert numbers(page) == ([], [])
    page.click("[data-act=show]")
    settle(page)
    assert trait(page, "predict") is False
    assert len(numbers(page)[1]) == 4


def test_a_right_guess_is_told_once(mount):
    """Said in one sentence, without applause, and not twice."""
    page = mount(ScoreExplorer(panels="plane", predict=True))
    page.click("[data-choice='1']")
    page.mouse.move(5, 5)
    settle(page)
    assert (
        page.locator(".attn-hint").inner_text() == f"You said black: {written(ScoreExplorer().weights)[1]}."
    )


@pytest.mark.parametrize("width", [960, 390])
def test_hiding_moves_nothing(mount, width):
    """What stands below must not jump when the answer is hidden or told."""
    page = mount(ScoreExplorer(panels="plane", predict=True), ScoreExplorer(panels="plane"), width=width)
    pending, plain = page.locator(".attn").evaluate_all("(all) => all.map((e) => e.offsetHeight)")
    assert abs(pending - plain) <= (0 if width == 960 else 44)


def test_labels_of_many_keys_do_not_lie_on_each_other(mount):
    """Thirty words around one origin are a blot; those that would cover others wait until pointed at."""
    turns = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    points = np.stack([np.cos(turns), np.sin(turns)], axis=1) * np.linspace(0.4, 2, 30)[:, None]
    names = [f"token{i}" for i in range(30)]
    page = mount(
        ScoreExplorer(panels="plane", key_tokens=names, key_vectors=points, value_vectors=points[::-1])
    )
    crossing = """(picture) => {
      const seen = (e) => getComputedStyle(e).visibility !== 'hidden';
      const labels = [...picture.querySelectorAll('.attn-label')];
      const all = labels.filter(seen).map((e) => e.getBoundingClientRect());
      const on = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.x, b.x))
        * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.y, b.y)) / (a.width * a.height);
      return [all.length, Math.max(...all.flatMap((a, i) => all.slice(i + 1).map((b) => on(a, b))))];
    }"""
    for picture in ("plane", "output"):
        shown, most = page.locator(f"[data-pic={picture}]").evaluate(crossing)
        assert shown >= 8
        assert most < 0.15, picture
    hidden = page.locator("[data-pic=plane] .attn-gone bdi").first.text_content()
    page.hover(f"[data-hover='key_vectors.{names.index(hidden)}']")
    settle(page)
    assert page.locator("[data-pic=plane] .attn-strong.attn-k").inner_text() == hidden


# ---- tokens --------------------------------------------------------------------------------------


def test_hostile_tokens_show_exactly_and_do_nothing(mount):
    """R119: <s> is missing, the page is struck through, or a token runs as a script."""
    count = len(HOSTILE)
    vectors = [[0.1 * i, 1 - 0.05 * i] for i in range(count)]
    page = mount(
        ScoreExplorer(key_tokens=HOSTILE, key_vectors=vectors, value_vectors=vectors, query_token=HOSTILE[5])
    )
    for picture in ("plane", "bars", "output"):
        shown = page.evaluate(
            f"[...document.querySelectorAll('[data-pic={picture}] bdi')].map((b) => b.textContent)"
        )
        assert shown == ([HOSTILE[5]] if picture == "plane" else []) + HOSTILE
    assert page.evaluate("[...document.querySelectorAll('[title]')].map((e) => e.title)") == HOSTILE
    labels = page.evaluate(
        "[...document.querySelectorAll('[data-pic=plane] [aria-label]')].map((e) => e.ariaLabel)"
    )
    assert labels == [f"query {HOSTILE[5]}", *(f"key {token}" for token in HOSTILE)]
    assert page.locator(".attn :is(img, script, s, b b)").count() == 0
    assert page.evaluate("window.__x") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= 960


def test_blank_tokens_are_seen(mount):
    """R119: a token of one space leaves an arrow without a name."""
    page = mount(ScoreExplorer(key_tokens=[" ", "", " ", "cat"]))
    shown = page.evaluate(
        "[...document.querySelectorAll('.attn-row bdi')].map((b) => getComputedStyle(b, '::before').content)"
    )
    assert shown == ['"␣"', '"␣"', '"␣"', "none"]


# ---- looks ---------------------------------------------------------------------------------------

CONTRAST = """(ground) => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  const light = (colour) => {
    for (pen.fillStyle of [ground, colour]) pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((x) => linear(x / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const texts = [];
  for (const element of document.querySelectorAll(".attn :not(svg *)")) {
    const { color, fontSize, visibility } = getComputedStyle(element);
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || visibility === "hidden") continue;
    const [a, b] = [light(color), light(ground)];
    texts.push([Math.max(a / b, b / a), parseFloat(fontSize), `${element.className} ${element.textContent}`]);
  }
  return texts.sort((a, b) => a[0] - b[0]);
}"""

HOSTS = {
    "book, light": ("light", "#FCFBF8", "dark", "document.documentElement.dataset.theme = 'light'"),
    "book, dark": ("dark", "#14171A", "light", "document.documentElement.dataset.theme = 'dark'"),
    "JupyterLab, light": ("light", "#FFFFFF", "dark", "document.body.dataset.jpThemeLight = 'true'"),
    "JupyterLab, dark": ("dark", "#111111", "light", "document.body.dataset.jpThemeLight = 'false'"),
    "Colab, dark": ("dark", "#383838", "light", "document.documentElement.setAttribute('theme', 'dark')"),
    "VS Code, dark": ("dark", "#1E1E1E", "light", "document.body.dataset.vscodeThemeKind = 'vscode-dark'"),
    "the system, dark": ("dark", "#121212", "dark", ""),
}


@pytest.mark.parametrize("host", HOSTS)
def test_every_host_gets_readable_colours_at_once(mount, host):
    """R126: dark letters on JupyterLab's dark ground."""
    theme, ground, system, switch = HOSTS[host]
    page = mount(ScoreExplorer(guess=0.5), color_scheme=system)
    page.evaluate("delete document.documentElement.dataset.theme")
    page.evaluate(switch or "0")
    page.wait_for_function(f"document.querySelector('.attn').dataset.theme === '{theme}'", timeout=2000)
    texts = page.evaluate(CONTRAST, ground)
    assert len(texts) > 50
    assert texts[0][0] >= 4.5, texts[0]
    assert min(size for _, size, _ in texts) >= 12


def test_a_theme_inside_the_page_wins_over_the_page(mount):
    """R126: a dark card on a light page gets dark letters."""
    page = mount(theme="light")
    page.evaluate("document.querySelector('.view').dataset.theme = 'dark'")
    page.wait_for_function("document.querySelector('.attn').dataset.theme === 'dark'", timeout=2000)


@pytest.mark.parametrize(("width", "theme"), [(960, "light"), (960, "dark"), (390, "light")])
def test_axe_finds_nothing(mount, width, theme):
    """A reader with a screen reader meets a control without a name."""
    page = mount(ScoreExplorer(guess=0.4), width=width, theme=theme)
    page.add_script_tag(path=str(ROOT / "node_modules" / "axe-core" / "axe.min.js"))
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    found = page.evaluate("(values) => axe.run(document, { runOnly: { type: 'tag', values } })", rules)
    assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []
    assert len(found["passes"]) > 10


@pytest.mark.parametrize("panels", ["both", "plane", "dimensions"])
@pytest.mark.parametrize("width", [960, 700, 390])
def test_the_reserved_place_is_as_high_as_the_widget(mount, width, panels):
    """The text below jumps when a widget arrives."""
    place = f'<div id="place" data-attn="ScoreExplorer" data-attn-panels="{panels}"></div>'
    page = mount(ScoreExplorer(panels=panels), width=width, padding=0, body=place)
    empty = page.locator("#place").bounding_box()["height"]
    page.evaluate("window.show(window.models[0], document.querySelector('#place'))")
    settle(page)
    full = page.locator("#place").bounding_box()["height"]
    assert full == pytest.approx(empty, abs=6)
    inside = page.locator("#place .attn").bounding_box()["height"]
    assert inside == pytest.approx(empty, abs=6)


def test_on_a_phone_every_target_is_large_and_the_page_scrolls(mount):
    """A thumb hits the neighbour, or the page is stuck under it."""
    page = mount(width=390, padding=16, has_touch=True, is_mobile=True)
    small = page.evaluate(
        """[...document.querySelectorAll('.attn-handle, .attn-segment, .attn-slider, .attn-action')]
          .map((e) => [e.className, e.getBoundingClientRect()])
          .filter(([, { width, height }]) => width < 44 || height < 44).map(([name]) => name)"""
    )
    assert small == []
    stuck = page.evaluate(
        """[...document.querySelectorAll(".attn *")]
          .filter((e) => getComputedStyle(e).touchAction === "none").map((e) => e.className)"""
    )
    assert stuck
    assert all("attn-handle" in name for name in stuck)
    page.tap(".attn-row >> nth=0")
    settle(page)
    assert page.text_content(".attn-hint").startswith("the: ")  # a tap stays
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_finger_drags_a_tip(mount):
    """On a tablet the arrows are a picture."""
    page = mount(width=390, padding=16, has_touch=True, is_mobile=True)
    x, y = center(page, QUERY)
    finger = page.context.new_cdp_session(page)
    for kind, point in (
        ("Start", (x, y)),
        ("Move", (x - 20, y + 10)),
        ("Move", (x - 40, y + 20)),
        ("End", None),
    ):
        points = [{"x": point[0], "y": point[1]}] if point else []
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    settle(page)
    assert trait(page, "query")[0] < 0.7
    assert agrees(page)


def test_with_reduced_motion_nothing_glides(mount):
    """A reader who asked for stillness gets motion."""
    moving = "getComputedStyle(document.querySelector('.attn-weight')).transitionDuration"
    for preference, duration in (("reduce", "0s"), ("no-preference", "0.2s")):
        page = mount(reduced_motion=preference)
        page.check("input[value=cosine]")
        settle(page)
        assert page.evaluate(moving) == duration


def test_a_screen_reader_hears_the_result_once(mount):
    """Every pixel of a drag is spoken, or nothing at all."""
    page = mount()
    page.evaluate(
        """window.heard = [];
        const live = document.querySelector("[aria-live]");
        const hear = new MutationObserver(() => window.heard.push(live.textContent));
        hear.observe(live, { childList: true, characterData: true, subtree: true });"""
    )
    drag(page, QUERY, 25, 10, steps=15)
    page.wait_for_timeout(700)
    heard = page.evaluate("window.heard")
    assert len(heard) == 1
    assert re.fullmatch(r"output .+; strongest key black, weight \.\d\d", heard[0])
    assert heard[0].endswith(numbers(page)[1][1])


HEAR = """window.heard = [];
const live = document.querySelector("[aria-live]");
new MutationObserver(() => window.heard.push(live.textContent)).observe(live, { childList: true });"""


@pytest.mark.parametrize("panels", ["both", "dimensions"])
def test_a_screen_reader_hears_of_the_panel_it_touched(mount, panels):
    """Whoever moves d hears each time how the plane stands, which has not changed."""
    page, table = mount(ScoreExplorer(panels=panels)), sharpness_table()
    page.evaluate(HEAR)

    def heard(index, divisor="1"):
        page.wait_for_timeout(650)
        (words,) = page.evaluate("window.heard.splice(0)")
        says, numbers = re.fullmatch(r"(.+?[.:]) top weight, median: (.+)", words).groups()
        top, gradient = numbers.split("; gradient, median: ")
        assert says == title(page, -1)
        assert top == written([table["top"][divisor][index]])[0]
        assert float(gradient) == pytest.approx(table["gradient"][divisor][index], abs=0.005)

    page.focus("[data-handle=guess]")
    page.keyboard.press("ArrowUp")
    heard(0)
    page.focus("[name=width]")
    page.keyboard.press("End")
    heard(8)
    page.check("input[value=sqrt]")
    heard(8, "sqrt")
    page.click("[data-act=again]")
    heard(0)
    if panels == "both":
        page.focus(QUERY)
        page.keyboard.press("ArrowUp")
        page.wait_for_timeout(650)
        assert page.evaluate("window.heard.at(-1)").startswith("output ")


def boxes(page, selector):
    """Where the words of elements stand: left, top, right, bottom."""
    return page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].map((element) => {
          const words = document.createRange();
          words.selectNodeContents(element);
          const { left, top, right, bottom } = words.getBoundingClientRect();
          return [left, top, right, bottom];
        })""",
        selector,
    )


@pytest.mark.parametrize("width", [960, 700, 390])
@pytest.mark.parametrize("size", [1, 3, 900, 1e6])
def test_scores_keep_off_the_weights(mount, width, size):
    """A large score runs on below the bar of its weight."""
    keys = [[size * x, size * y] for x, y in ((-0.6, 0.5), (2.4, 0.3), (0.9, 0.7), (0.3, -1.2))]
    keys = np.clip(keys, -1e6, 1e6)
    page = mount(ScoreExplorer(query=(size, 0.8 * size), key_vectors=keys, score="dot"), width=width)
    axis = page.locator("[data-pic=bars] .attn-axis").nth(1).bounding_box()["x"]
    shown = page.locator(".attn-number").all_text_contents()[:4]
    assert max(right for _, _, right, _ in boxes(page, ".attn-number")[:4]) <= axis - 8
    wanted = score_numpy([(size, 0.8 * size)], keys, "dot")[0]
    assert [float(text.replace("−", "-")) for text in shown] == pytest.approx(wanted, rel=0.05, abs=0.00501)
    assert page.locator("[data-pic=bars] .attn-score").nth(1).bounding_box()["width"] >= 8


@pytest.mark.parametrize("count", [4, 15, 40])
def test_rows_stay_high_enough_to_read(mount, count):
    """With twenty keys the numbers stand on top of each other."""
    vectors = [[np.cos(i), np.sin(i)] for i in range(count)]
    page = mount(
        ScoreExplorer(
            key_tokens=[f"k{i}" for i in range(count)],
            key_vectors=vectors,
            value_vectors=vectors,
            panels="plane",
        )
    )
    tops = [top for _, top, _, _ in boxes(page, ".attn-number")[:count]]
    assert min(np.diff(tops)) >= 16.9  # the strong row stands a pixel higher
    below = page.locator(".attn-controls").bounding_box()["y"]
    assert page.locator(".attn-row").last.bounding_box()["y"] < below - 20
    page.evaluate(
        "for (const name of ['key_tokens', 'key_vectors', 'value_vectors']) "
        "window.models[0].set(name, window.models[0].get(name).slice(0, 4))"
    )
    settle(page)
    settle(page)
    assert page.locator("[data-pic=bars]").bounding_box()["height"] == 240


@pytest.mark.parametrize("width", [960, 390])
@pytest.mark.parametrize("lead", range(4))
def test_the_output_has_room_for_its_name(mount, width, lead):
    """Where one key takes all, "output" stands on that value's token or is cut off at the edge."""
    keys = [[0.0, 0.0]] * 4
    keys[lead] = [100.0, 0.0]
    page = mount(ScoreExplorer(query=(100, 0), key_vectors=keys, panels="plane"), width=width)
    assert numbers(page)[1][lead] == "1.00"
    (left, top, right, bottom), *others = boxes(page, "[data-pic=output] .attn-label")
    for a, b, c, d in others:
        assert min(right, c) - max(left, a) <= 0 or min(bottom, d) - max(top, b) <= 0
    frame = page.locator("[data-pic=output]").bounding_box()
    assert left >= frame["x"]
    assert right <= frame["x"] + frame["width"]
    assert page.locator("[data-pic=output] .attn-label").first.text_content() == "output"


@pytest.mark.parametrize("count", [1, 2, 7])
def test_other_numbers_of_keys(mount, count):
    """The picture is made for four keys and breaks with one."""
    rng = np.random.default_rng(count)
    page = mount(
        ScoreExplorer(
            key_tokens=[f"k{i}" for i in range(count)],
            key_vectors=rng.normal(size=(count, 2)),
            value_vectors=rng.normal(size=(count, 2)),
        )
    )
    assert agrees(page)
    page.evaluate("window.models[0].set('query', [0, 0])")
    settle(page)
    assert agrees(page)
    assert "NaN" not in page.inner_html(".attn")
