"""ShapeLedger in Chromium, on a page with nothing else: by mouse, touch and keyboard, held against Python."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from checks import accessibility_in_both_themes, sideways
from widget_page import widget_page

from attn_helpers.attention_seq2seq import LuongDecoder
from attn_helpers.ledger import multi_head_ledger, record, split_in_words, transformer_ledger
from attn_helpers.multi_head import split_heads
from attn_helpers.seq2seq import Encoder, Seq2Seq
from attn_helpers.widgets import ShapeLedger

ROOT = Path(__file__).parents[2]
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf-8"))


@pytest.fixture
def mount(browser):
    """mount(*widgets, …) → page with one view each; afterwards its console must be clean."""
    contexts, errors = [], []

    def show(*widgets, width=1008, height=760, theme="light", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.set_content(widget_page(*(widgets or [ShapeLedger()]), theme=theme))
        page.wait_for_function("window.ready")
        settle(page)
        return page

    yield show
    for context in contexts:
        context.close()
    assert errors == []


def settle(page):
    """Two frames: within them the widget has to answer."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def press(page, selector):
    page.locator(selector).first.click()
    settle(page)


def trait(page, name, model=0):
    return page.evaluate(f"window.models[{model}].get('{name}')")


def title(page):
    return page.locator(".attn-title").text_content()


def shown(page):
    """name → shape as the page says it, of every row that has one."""
    rows = page.locator(".attn-l-row").all()
    said = {
        row.locator(".attn-l-name").text_content(): row.locator(".attn-l-shape").inner_text() for row in rows
    }
    return {
        name: [int(n) for n in re.findall(r"(?<![\w.])\d+(?![\w.])", text)] for name, text in said.items()
    }


def numbers(page):
    """FLOPs, parameters, bytes as the page says them."""
    texts = [page.locator(".attn-l-number"), *page.locator(".attn-l-fact b").all()]
    return [int(re.sub(r"\D", "", text.text_content())) for text in texts]


def fill(page, *axes):
    for axis in axes:
        page.locator(f"[data-choose='{axis}']").click()
        settle(page)


# ---- the shape to fill in -------------------------------------------------------------------------------


def test_the_answer_is_nowhere_before_the_guess(mount):
    """The shape to be found stands somewhere on the page."""
    page = mount()
    assert title(page) == "What shape does q_cut.transpose(1, 2) give?"
    row = page.locator(".attn-l-row[data-row='5']")
    assert row.locator(".attn-l-slot").all_text_contents() == ["?"] * 4
    assert row.locator("svg rect").count() == 1
    assert page.locator(".attn-l-landing").count() == 0
    assert page.locator(".attn-l-detail p").first.text_content() == "not chosen yet"


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ("BHTd", "Right: tokens and heads have changed places."),
        ("BTHd", "That is before the transpose."),
        ("BHSd", "S counts keys; these rows are the queries'."),
        ("BHTm", "That axis is still whole: each head has d = m / H of it."),
        ("HBTd", "The batch stays first: only axes 1 and 2 change places."),
    ],
)
def test_an_answer_is_called_by_what_it_mistakes(mount, axes, said):
    """The reader is told wrong, and not why; or right for what is wrong."""
    page = mount()
    fill(page, *axes[:3])
    assert title(page).startswith("What shape")
    fill(page, axes[3])
    assert trait(page, "guess") == list(axes)
    assert title(page) == said
    assert page.locator(".attn-l-mine b").text_content() == f"({', '.join(axes)})"
    assert shown(page)["q_heads"] == [2, 2, 4, 4]
    assert page.locator(".attn-hint").text_content().startswith("q_heads: (B 2, H 2, T 4, d 4).")
    press(page, "[data-act=again]")
    assert trait(page, "guess") == []


def test_an_axis_is_taken_back_and_the_answer_shown(mount):
    """One slip of the finger cannot be undone."""
    page = mount()
    fill(page, "B", "T")
    press(page, "[data-act=back]")
    assert trait(page, "guess") == ["B"]
    press(page, "[data-act=skip]")
    assert trait(page, "guess") == ["B", "H", "T", "d"]


# ---- sizes ----------------------------------------------------------------------------------------------


def test_other_sizes_without_a_kernel(mount):
    """A shape, a FLOP or a byte on the page is not the layer's."""
    page = mount(ShapeLedger(blank=None))
    press(page, "summary")
    for letter, times in (("m", 4), ("H", 2), ("B", 1), ("T", 1), ("S", 2)):
        for _ in range(times):
            press(page, f"[data-step='{letter} 1']")
    real = multi_head_ledger(3, 5, 7, 12, 4)
    assert trait(page, "sizes") == {"B": 3, "T": 5, "S": 7, "m": 12, "H": 4}
    assert shown(page) == {row.name: list(row.sizes) for row in real.rows}
    assert numbers(page) == [real.flops, real.parameters, real.cache_bytes]
    for row in real.rows:
        page.locator(f"[data-pick='{real.rows.index(row)}']").click()
        settle(page)
        counts = [
            int(re.sub(r"\D", "", n))
            for n in re.findall(r"\d[\d\u2009]*", page.locator(".attn-l-detail").inner_text())
        ]
        assert counts[:2] == [row.numbers, row.bytes]
        assert not row.flops or counts[2] == row.flops


def test_a_width_that_does_not_split_cracks(mount):
    """d 10, h 4 is drawn as if it split, or the reader is left without the way out."""
    page = mount(ShapeLedger(blank=None))
    for step in ("m 1", "m 1", "H 1", "H 1"):
        press(page, f"[data-step='{step}']")
    assert title(page) == f"{split_in_words(10, 4)}."
    assert page.locator(".attn-hint").text_content().endswith("Take d_model 8 or 12, or 2 or 5 or 10 heads.")
    bad = page.locator(".attn-l-bad")
    assert bad.locator(".attn-l-name").text_content() == "q_cut"
    rest = bad.locator("rect.attn-l-rest").bounding_box()["width"]
    assert bad.locator("rect.attn-l-box").first.bounding_box()["width"] == pytest.approx(
        rest, abs=2
    )  # 2 and 2
    assert bad.locator(".attn-l-left").text_content() == "2 left"
    assert page.locator(".attn-l-gone").count() == 8
    assert page.locator(".attn-l-number").text_content() == "–"
    press(page, "[data-step='m -1']")
    press(page, "[data-step='m -1']")
    assert page.locator(".attn-l-bad, .attn-l-gone").count() == 0


def test_an_answer_takes_no_more_than_two_frames(mount):
    """The number drags behind the click."""
    page = mount(ShapeLedger(blank=None))
    frames = """async (step) => {
      const seen = () => document.querySelector(".attn-l-number").textContent;
      const before = seen();
      document.querySelector(`[data-step="${step}"]`).click();
      for (let n = 1; n <= 9; n++) {
        await new Promise(requestAnimationFrame);
        if (seen() !== before) return n;
      }
      return 10;
    }"""
    assert max(page.evaluate(frames, step) for step in ("m 1", "m -1") * 10) <= 2


@pytest.mark.parametrize(("width", "heads"), [(10, 4), (11, 4), (7, 3), (9, 2)])
def test_the_rest_is_drawn_as_wide_as_it_is(mount, width, heads):
    """What is left over is drawn as if it were a head."""
    page = mount(ShapeLedger(blank=None, sizes={"m": width, "H": heads}))
    boxes = [box.bounding_box()["width"] for box in page.locator(".attn-l-bad rect").all()]
    each, rest = divmod(width, heads)
    assert len(boxes) == heads + 1
    outline = 2  # of the rest; a head's is 1
    assert (boxes[-1] - outline) / (boxes[0] - 1) == pytest.approx(rest / each, rel=0.1)


def test_sizes_stop_at_one(mount):
    """A batch of nothing."""
    page = mount(ShapeLedger(blank=None, sizes={"H": 1}))
    page.locator("[data-step='H -1']").click(force=True)
    settle(page)
    assert trait(page, "sizes")["H"] == 1
    assert page.locator("[data-step='H -1']").get_attribute("aria-disabled") == "true"


def test_the_keyboard_does_it_all(mount):
    """A reader without a mouse cannot fill in, change a size, or go through the rows."""
    page = mount()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.choose") == "B"
    page.keyboard.press("Enter")
    settle(page)
    assert trait(page, "guess") == ["B"]
    page.focus("[data-act=back]")
    page.keyboard.press("Enter")
    settle(page)
    assert page.evaluate("document.activeElement.dataset.choose") == "B"
    for axis in "BHTd":
        page.focus(f"[data-choose='{axis}']")
        page.keyboard.press("Enter")
        settle(page)
    assert page.evaluate("document.activeElement.dataset.act") == "again"
    page.keyboard.press("Enter")
    settle(page)
    assert page.evaluate("document.activeElement.dataset.choose") == "B"
    page.focus("[data-act=skip]")
    page.keyboard.press("Enter")
    settle(page)
    assert page.evaluate("document.activeElement.dataset.act") == "again"
    page.focus("[data-light='m']")
    settle(page)
    assert page.locator(".attn-l-letter.attn-l-lit").count() == 4  # the focus lights it
    page.keyboard.press("ArrowUp")
    settle(page)
    assert trait(page, "sizes")["m"] == 9
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    assert trait(page, "axis") == "m"
    page.focus("[data-pick='5']")
    for key, row in (("ArrowDown", 6), ("ArrowUp", 5), ("End", 12), ("Home", 0), ("ArrowUp", 0)):
        page.keyboard.press(key)
        settle(page)
        assert trait(page, "row") == row
        assert page.evaluate("document.activeElement.dataset.pick") == f"{row}"
    assert "2px" in page.evaluate("getComputedStyle(document.activeElement).outline")


@pytest.mark.parametrize(("width", "m", "heads"), [(1280, 10, 4), (700, 10, 4), (700, 31, 4), (1008, 63, 10)])
def test_what_is_left_over_keeps_its_place(mount, width, m, heads):
    """The pieces grow until their note lies on the code."""
    page = mount(ShapeLedger(sizes={"B": 1, "m": m, "H": heads}, blank=None), width=width)
    note = page.locator(".attn-l-left").bounding_box()
    code = page.locator(".attn-l-bad > code").bounding_box()
    assert note["x"] + note["width"] <= code["x"] - 8


def lying(x, w):
    y = x @ w  # (B, T, d)
    z = y.mT  # (B, T, d)
    return z[:, 1:]  # (B, T - 1, d)


@pytest.mark.parametrize("width", [1008, 390])
def test_what_does_not_hold_is_said_in_red(mount, width):
    """A comment that is contradicted is drawn as truth, or what ended the pass is not told."""
    ledger = record(lying, torch.zeros(2, 5, 3), torch.zeros(2, 3, 4))
    page = mount(ShapeLedger(ledger), width=width)
    assert page.locator(".attn-l-said > li").all_text_contents() == list(ledger.said)
    assert len(ledger.said) == 3
    red = page.evaluate("getComputedStyle(document.querySelector('.attn-l-said > li')).color")
    assert red == "rgb(184, 58, 16)"
    assert shown(page)["z"] == [2, 4, 5]
    assert page.locator(".attn-l-row[data-row='1'] .attn-l-letter").all_text_contents() == ["B"]
    assert sideways(page) == []
    broken = record(lambda x: x.mT @ (x.mT @ x), torch.zeros(2, 3))
    assert mount().locator(".attn-l-said").count() == 0
    assert broken.rows == ()


# ---- axes -----------------------------------------------------------------------------------------------


def test_an_axis_is_lit_through_the_whole_pass(mount):
    """A letter is lit in one row and not in another that has it."""
    page = mount(ShapeLedger(blank=None))
    page.hover(".attn-l-row[data-row='0'] [data-axis='T']")
    settle(page)
    assert trait(page, "axis") == ""  # pointing changes nothing that is kept
    rows = multi_head_ledger().rows
    for i, row in enumerate(rows):
        has = "T" in row.axes
        at = page.locator(f".attn-l-row[data-row='{i}']")
        assert at.locator(".attn-l-letter.attn-l-lit").count() == has
        assert ("attn-l-pale" in at.get_attribute("class")) == (not has)
        thick = at.locator(".attn-l-edge.attn-l-lit, .attn-l-counted").count()
        assert (thick > 0) == has
    assert page.locator(".attn-hint").text_content() == "T counts queries: in 9 of 13 rows."
    page.mouse.move(2, 2)
    settle(page)
    assert page.locator(".attn-l-lit").count() == 0
    press(page, ".attn-l-row[data-row='8'] [data-axis='S']")
    page.mouse.move(2, 2)
    settle(page)
    assert trait(page, "axis") == "S"
    assert trait(page, "row") == 8
    assert page.locator(".attn-l-letter.attn-l-lit").count() == 6


def test_boxes_have_the_sides_of_their_axes(mount):
    """A tensor is drawn transposed, or one row in another scale than the next."""
    page = mount(ShapeLedger(blank=None, sizes={"T": 3, "S": 7, "m": 12, "H": 3}))
    scale = set()
    for i, row in enumerate(multi_head_ledger(2, 3, 7, 12, 3).rows):
        boxes = page.locator(f".attn-l-row[data-row='{i}'] rect").all()
        count, down, across = row.numbers // (row.sizes[-1] * row.sizes[-2]), *row.sizes[-2:]
        assert len(boxes) == min(12, count)
        width, height = (float(boxes[0].get_attribute(name)) for name in ("width", "height"))
        assert width / height == pytest.approx(across / down, rel=0.03)
        scale.add(round(width / across))
    assert len(scale) == 1


# ---- view only ------------------------------------------------------------------------------------------


def pieces(page):
    """head → of which token, from which number, row by row."""
    heads = page.locator(".attn-l-head").all()
    return [
        [
            [int(n) for n in re.findall(r"\d+", text)]
            for text in head.locator(".attn-l-piece").all_text_contents()
        ]
        for head in heads
    ]


@pytest.mark.parametrize(("tokens", "heads"), [(4, 2), (3, 3), (5, 4)])
def test_whose_numbers_land_in_which_head(mount, tokens, heads):
    """R024: the page tells another story of view and transpose than PyTorch, also where H = T."""
    width = 2 * heads
    page = mount(ShapeLedger(blank=None, sizes={"T": tokens, "H": heads, "m": width, "B": 1}))
    memory = torch.arange(tokens * width, dtype=torch.float64).view(1, tokens, width)
    for way, split in (("whole", split_heads(memory, heads)), ("view", memory.view(1, heads, tokens, 2))):
        page.locator(f".attn-l-landing [value={way}]").check(force=True)
        settle(page)
        assert trait(page, "view_only") == (way == "view")
        firsts = split[0, :, :, 0].int()  # each piece's first number: token · width + from
        want = [[[int(n) // width, int(n) % width, int(n) % width + 1] for n in row] for row in firsts]
        assert pieces(page) == want
        wrong = sum(t != piece[0] for head in want for t, piece in enumerate(head))
        assert page.locator(".attn-l-piece.attn-l-wrong").count() == wrong
        assert ("no error" in page.locator(".attn-l-verdict").text_content()) == (wrong > 0)


# ---- other passes, other views --------------------------------------------------------------------------


def translator():
    torch.manual_seed(0)
    model = Seq2Seq(Encoder(13, 3, 6), LuongDecoder(17, 3, 11, source_width=6))
    return record(model, torch.full((2, 5), 5), torch.tensor([5, 2]), torch.full((2, 4), 5))


def test_any_recorded_pass_is_shown(mount):
    """A pass of chapter 3 is not, or its counts are passed off as those of other sizes."""
    ledger = translator()
    page = mount(ShapeLedger(ledger))
    assert page.locator(".attn-l-row").count() == len(ledger.rows)
    assert numbers(page) == [ledger.flops, ledger.parameters, ledger.cache_bytes]
    assert page.locator(".attn-l-landing").count() == 0
    press(page, "[data-step='T 1']")
    logits = next(i for i, row in enumerate(ledger.rows) if row.name == "logits")
    text = page.locator(f".attn-l-row[data-row='{logits}'] .attn-l-shape").inner_text()
    assert re.findall(r"\d+", text) == ["2", "5", "17"]
    assert page.locator(".attn-l-number").text_content() == "–"
    assert "recorded sizes" in page.locator(".attn-l-read").inner_text()


def test_the_line_is_shown_without_its_name_or_whole(mount):
    """Half of a line that fills two names at once is cut away."""
    ledger = translator()
    page = mount(ShapeLedger(ledger))
    lines = page.locator(".attn-l-source").all_text_contents()
    for row, line in zip(ledger.rows, lines, strict=True):
        assert line == (row.source.removeprefix(f"{row.name} = ") or "what comes in")
    assert any(line.startswith("states, _ = ") for line in lines)


def test_two_views_agree_and_leave_nothing(mount):
    """R120, R123: a second view shows another state; listeners of a closed one go on."""
    page = mount(ShapeLedger(), ShapeLedger())
    page.evaluate("window.show(window.models[0])")
    settle(page)
    press(page, "[data-act=skip]")
    titles = page.locator(".attn-title").all_text_contents()
    assert titles[0] == titles[2] != titles[1]
    page.evaluate("window.views.forEach((view) => view.close())")
    assert page.evaluate("window.models.every((model) => model.listeners.length === 0)")


def test_what_is_heard(mount):
    """A screen reader says nothing of the answer, the row or the crack."""
    page = mount(ShapeLedger(blank=None))
    heard = page.locator("[aria-live]")
    press(page, "[data-pick='8']")
    page.wait_for_timeout(700)
    assert heard.text_content() == "scores: (B 2, H 2, T 4, S 5), 80 numbers"
    press(page, "[data-step='H 1']")
    page.wait_for_timeout(700)
    assert heard.text_content().startswith("d_model 8 does not split into 3 heads: 8 = 3·2 + 2. Every head")


def test_a_failure_is_said_in_words(mount):
    """Something fails in the page, and the widget just stands still."""
    page = mount()
    page.evaluate("window.models[0].set('_trouble', 'ZeroDivisionError: no cat')")
    assert "Python could not follow. ZeroDivisionError: no cat" in page.locator("[role=alert]").text_content()


# ---- looks ----------------------------------------------------------------------------------------------

STATES = {
    "asked": {},
    "answered": {"guess": ["B", "T", "H", "d"], "view_only": True, "axis": "T"},
    "cracked": {"sizes": {"m": 10, "H": 4}, "blank": None},
}


@pytest.mark.parametrize("width", [1008, 720, 390, 320])
@pytest.mark.parametrize("state", STATES)
def test_accessible_and_inside_its_room(mount, width, state):
    """R126: unreadable in the dark, too small for a finger, or wider than the phone."""
    widget = ShapeLedger(**STATES[state])
    page = mount(widget, width=width)
    assert accessibility_in_both_themes(page) == []
    assert sideways(page) == []
    if width in (1008, 390):
        assert page.locator(".attn").bounding_box()["height"] <= widget.reserve[width < 640] + 1
    if width <= 390:
        page.locator("summary").click()
        for button in page.locator(".attn button:visible, .attn summary").all():
            assert button.bounding_box()["height"] >= 44
            assert button.bounding_box()["width"] >= 44


def test_no_size_is_a_fraction(mount):
    """More heads than numbers: a row says d 0.9 beside "8 = 9·0 + 8"."""
    page = mount(ShapeLedger(sizes={"B": 2, "T": 4, "S": 5, "m": 8, "H": 9}))
    shapes = page.locator(".attn-l-shape").all_text_contents()
    assert not [text for text in shapes if "." in text]
    assert any("?" in text for text in shapes)


def test_encoder_and_decoder_are_told_apart(mount):
    """Thirty-five rows, half of the names twice, and no word of where one is."""
    page = mount(ShapeLedger(transformer_ledger()))
    assert page.locator(".attn-l-inside").all_text_contents() == [
        "inside encoder_pass",
        "inside decoder_pass",
    ]
    first = page.locator(".attn-l-row", has=page.locator(".attn-l-inside")).last
    assert first.locator(".attn-l-name").text_content() == "words"
    assert page.locator(".attn-l-rows > li").count() == 35


def test_nothing_moves_for_those_who_asked_for_rest(mount):
    """Reduced motion: everything stands at once."""
    page = mount(reduced_motion="reduce")
    press(page, "[data-act=skip]")
    assert page.evaluate("document.getAnimations().length") == 0


def test_hostile_names_stay_text(mount):
    """R119: a name or a line runs as code."""
    ledger = multi_head_ledger()
    for group in range(0, len(HOSTILE), len(ledger.rows)):
        words = HOSTILE[group : group + len(ledger.rows)]
        rows = tuple(
            replace(row, name=word, source=f"{word} ") for row, word in zip(ledger.rows, words, strict=False)
        )
        page = mount(ShapeLedger(replace(ledger, rows=rows), title=words[0], hint=words[-1]))
        assert page.locator(".attn-l-name").all_text_contents() == words
        assert title(page) == (words[0] or "Follow one axis through the whole pass.")
        assert page.evaluate("window.__x") is None
        assert page.locator(".attn img, .attn script").count() == 0
