"""MaskLab for a decoder, in Chromium: open the future, guess, see what training made of it."""

import re

import pytest
from checks import accessibility_in_both_themes, sideways
from widget_page import mounting, settle, trait

from attn_helpers import leak
from attn_helpers.widgets import MaskLab

TABLE = leak.table()
SEEDS = len(leak.SEEDS)


@pytest.fixture
def mount(browser):
    """mount(*widgets, …) → page with one view each; afterwards its console must be clean."""
    with mounting(browser, MaskLab.decoder, padding=lambda width: 24 if width > 640 else 16) as show:
        yield show


def press(page, selector):
    page.locator(selector).first.click()
    settle(page)


def title(page, number=0):
    return page.locator(".attn-title").nth(number).inner_text()


def mean(name, what):
    return sum(seed[what] for seed in TABLE[name]) / SEEDS


def test_one_open_cell_asks_what_training_makes_of_it(mount):
    """The answer stands there before the guess; or nothing follows from the open cell."""
    page = mount()
    assert title(page) == "No query may read a later key."
    assert page.locator(".attn-m-replay").count() == 0
    assert "One grid" in title(page, 1)
    press(page, "[data-cell='mask,0,1,2']")
    assert title(page) == "le may now read chat, the word it is asked for."
    assert title(page, 1) == "Train with the diagonal above open, s ≤ t + 1. What does the loss do?"
    lab = MaskLab.decoder(flips=[(0, 1, 2)])
    assert float(page.locator(".attn-m-number").inner_text()) == pytest.approx(lab.foreseen[0, 1], abs=0.005)
    assert "attn-m-wrong" in page.locator(".attn-m-number").get_attribute("class")
    assert page.locator(".attn-m-measured, .attn-m-pairing, .attn-pic-leak").count() == 0
    press(page, "[data-cell='mask,0,1,2']")
    assert page.locator(".attn-m-replay").count() == 0
    assert page.locator(".attn-m-number").inner_text() == ".00"
    press(page, "[data-cell='mask,0,0,3']")
    assert title(page) == "⟨start⟩ may now read noir, which is not written yet."
    press(page, "[data-act=undo]")
    press(page, "[data-cell='mask,0,2,1']")  # the past, closed
    assert page.locator(".attn-m-replay").count() == 0


@pytest.mark.parametrize(
    ("guess", "said"), [("lower", "So it does"), ("same", "It falls"), ("higher", "It falls")]
)
def test_what_was_measured_is_shown(mount, guess, said):
    """A number, a curve or a translation is not the table's."""
    page = mount(MaskLab.decoder(flips=[(0, 2, 3)]))
    page.locator(f"input[name^=leak_guess][value={guess}]").click(force=True)
    settle(page)
    assert trait(page, "leak_guess") == guess
    assert said in title(page, 1)
    told, alone = page.locator(".attn-m-pairing").all_inner_texts()
    losses = [float(x) for x in re.findall(r"(?<!\d)\.\d{3}", told)]
    assert losses == pytest.approx([mean("right", "loss"), mean("leaky", "loss")], abs=0.00051)
    shares = [int(x) for x in re.findall(r"(\d+) %", alone)]
    assert shares == pytest.approx([100 * mean("right", "exact"), 100 * mean("leaky", "exact")], abs=0.51)
    for place, name in ((".attn-m-said >> nth=0", "right"), (".attn-m-said >> nth=1", "leaky")):
        lines = page.locator(f"{place} >> li").all_inner_texts()
        for line, seed in zip(lines, TABLE[name], strict=True):
            words = seed["said"][0]
            dots = ["…"] if len(words) > 6 else []
            assert line.split() == ([*words[:6], *dots] or ["nothing", "at", "all"])
    page.wait_for_timeout(700)
    assert "87 % right mask, 0 % one diagonal open" in page.locator("[aria-live]").inner_text()
    press(page, "[data-act=forget]")
    assert trait(page, "leak_guess") == ""
    assert page.locator(".attn-m-measured").count() == 0


def test_curves_have_the_heights_of_their_losses(mount):
    """Curves are exchanged, or drawn on another scale than the one beside them."""
    page = mount(MaskLab.decoder(flips=[(0, 1, 2)], leak_guess="lower"))
    tops = [float(e.get_attribute("y1")) for e in page.locator(".attn-pic-leak .attn-grid").all()]
    ten, thousandth = tops[0], tops[-1]
    for name in ("right", "leaky"):
        drawn = page.locator(f".attn-pic-leak .attn-m-{name}").all()
        assert len(drawn) == SEEDS
        for way, seed in zip(drawn, TABLE[name], strict=True):
            down = [float(y) for y in re.findall(r",([\d.]+)", way.get_attribute("d"))]
            shown = [10 ** (1 - 4 * (y - ten) / (thousandth - ten)) for y in down]
            assert shown == pytest.approx(seed["train"], rel=0.03)


def test_a_fault_or_a_guess_of_weights_hides_the_replay(mount):
    """Two stories are told at once."""
    page = mount(MaskLab.decoder(flips=[(0, 1, 2)]))
    press(page, "[data-act=break]")
    assert page.locator(".attn-m-replay").count() == 0
    press(page, "[data-act=mend]")
    assert page.locator(".attn-m-replay").count() == 1
    press(page, "[data-act=guess]")
    assert page.locator(".attn-m-replay").count() == 0


def test_chapter_1_asks_nothing_of_the_kind(mount):
    """The default's causal mask opens a question about decoders."""
    page = mount(MaskLab(causal=True, flips=[(0, 1, 2)]))
    assert page.locator(".attn-m-replay").count() == 0
    assert title(page).startswith("Your own mask")


def test_by_keyboard_alone(mount):
    """Cell, guess and way back are reached without a mouse."""
    page = mount()
    page.locator("[data-cell='mask,0,1,2']").focus()
    page.keyboard.press("Space")
    settle(page)
    assert trait(page, "flips") == [[0, 1, 2]]
    page.locator("input[name^=leak_guess]").first.focus()
    page.keyboard.press("Space")
    settle(page)
    assert trait(page, "leak_guess") == "lower"
    page.locator("[data-act=forget]").press("Enter")
    settle(page)
    assert trait(page, "leak_guess") == ""


def hint(page):
    return page.locator(".attn-hint").first.inner_text()


def test_a_word_further_on_is_another_thing(mount):
    """ "The answer lies open" is said of a word that nobody was asked for."""
    page = mount(MaskLab.decoder(flips=[(0, 0, 3)]))
    assert hint(page).startswith("The word it is asked for is still hidden")
    page = mount(MaskLab.decoder(flips=[(0, 0, 1)]))
    assert "the answer lies open" in hint(page)


@pytest.mark.parametrize(
    ("breakage", "of_padding", "of_both"),
    [
        ("no_mask", "Zeros score 0", "Nothing is hidden: each word sees those still to come."),
        ("flipped", "padding is read", "the past is hidden, the future is read."),
        ("after_softmax", "Nothing leaks", "Nothing leaks"),
    ],
)
def test_a_fault_is_explained_by_the_mask_that_it_breaks(mount, breakage, of_padding, of_both):
    """The future's mask is broken, and the page speaks of padding."""
    state = {"breakage": breakage, "cell": (0, 2, 1)}
    page = mount(MaskLab.decoder(**state))
    assert of_both in hint(page)
    page = mount(MaskLab(**state))
    assert of_padding in hint(page)


def focused(page):
    return page.evaluate("[document.activeElement.dataset.act, document.activeElement.name?.split(' ')[0]]")


def test_the_focus_stays_with_the_question(mount):
    """After a guess, and after taking it back, Tab begins at the top of the page again."""
    page = mount(MaskLab.decoder(flips=[(0, 1, 2)]))
    page.locator("input[name^=leak_guess]").first.focus()
    page.keyboard.press("Space")
    settle(page)
    assert focused(page)[0] == "forget"
    page.keyboard.press("Enter")
    settle(page)
    assert trait(page, "leak_guess") == ""
    assert focused(page)[1] == "leak_guess"


@pytest.mark.parametrize("width", [1328, 1008, 720, 390, 320])
def test_numbers_and_names_stay_inside_their_cells(mount, width):
    """−1.48 runs over its neighbour; ⟨start⟩ is cut."""
    page = mount(width=width)
    wide = """e => { const r = document.createRange(); r.selectNodeContents(e);
                     return r.getBoundingClientRect().width - e.getBoundingClientRect().width }"""
    cells = page.locator(".attn-m-scores .attn-m-cell:visible").all()
    assert len(cells) >= 25
    assert max(cell.evaluate(wide) for cell in cells) <= 0
    for name in page.locator(".attn-m-key .attn-token:visible, .attn-m-name .attn-token:visible").all():
        assert name.evaluate("e => e.scrollWidth - e.clientWidth") <= 0, name.inner_text()


STATES = {
    "first": {},
    "asked": {"flips": [(0, 1, 2)]},
    "told": {"flips": [(0, 1, 2)], "leak_guess": "same"},
}


@pytest.mark.parametrize("width", [1008, 720, 390, 320])
@pytest.mark.parametrize("state", STATES)
def test_accessible_and_inside_its_room(mount, width, state):
    """R126: unreadable in the dark, too small for a finger, or wider than the phone."""
    widget = MaskLab.decoder(**STATES[state])
    page = mount(widget, width=width)
    assert accessibility_in_both_themes(page) == []
    assert sideways(page) == []
    if width == 1008 or (width == 390 and state != "asked"):
        room = widget.reserve[width < 640] - page.locator(".attn").bounding_box()["height"]
        assert -24 <= room <= 60
    if width <= 390:
        for button in page.locator(".attn-action:visible, .attn-segment:visible").all():
            assert button.bounding_box()["height"] >= 43.9
            assert button.bounding_box()["width"] >= 43.9
