"""Widgets on the built pages: moved by hand, their numbers compared with an independent computation."""

import json
import re
from collections import Counter
from functools import cache

import numpy as np
import pytest
import torch
from checks import ROOT

from attn_helpers import cross_heads, pair, widgets
from attn_helpers.corpus import batches, corpus
from attn_helpers.corpus import hero as hero_pair
from attn_helpers.ladder import vocabularies
from attn_helpers.scoring import attend, attend_numpy, sharpness_table
from attn_helpers.trained import load_trained
from attn_helpers.twin import score_numpy
from attn_helpers.widgets import ScoreExplorer

FRONT, CHAPTER = "book/intro.html", "notebooks/01_scoring_functions.html"
NOTEBOOK = ROOT / "notebooks" / "01_scoring_functions.ipynb"

NUMBER = r"−?\d*\.\d+"


def shown(text):
    """A number as a widget writes it: −.14 → −0.14."""
    return float(text.replace("−", "-"))


def query_tip(view):
    """What the reader drags."""
    return view.get_by_role("slider", name="query chat")


def read(view):
    """(position of the query, scores, weights, output) as the page shows them."""
    told = query_tip(view).get_attribute("aria-valuetext")
    query = [shown(number) for number in re.findall(NUMBER, told)[:2]]
    notes = view.locator('[data-pic="bars"] .attn-note').all_inner_texts()
    numbers = [shown(note) for note in notes if re.fullmatch(NUMBER, note)]
    half = len(numbers) // 2
    spoken = view.locator(".attn-unseen").inner_text()
    output = [shown(number) for number in re.search(rf"[Oo]utput.*?({NUMBER}), ({NUMBER})", spoken).groups()]
    return query, numbers[:half], numbers[half:], output


def by_mouse(page, view):
    """Drag the tip of the query."""
    box = query_tip(view).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 20, y + 30, steps=4)
    page.mouse.move(x - 60, y + 70, steps=4)
    page.mouse.up()


def by_keyboard(page, view):
    """Step the tip of the query with the arrows."""
    query_tip(view).focus()
    for key in ["ArrowLeft"] * 7 + ["Shift+ArrowDown"] * 3 + ["ArrowUp"]:
        page.keyboard.press(key)


def sources():
    """The code of the chapter, cell by cell."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code" and cell["source"]]


def test_every_widget_of_the_chapter_is_on_its_page(book, open_page):
    """No cell's widget is lost between the notebook and the built page, and none stands twice."""
    last = (re.match(r"\w+", source.splitlines()[-1]) for source in sources())
    made = Counter(found[0] for found in last if found and found[0] in widgets.__all__)
    page, _ = open_page((book / CHAPTER).as_uri())
    views = page.locator(".attn-view")
    assert Counter(view.get_attribute("data-attn") for view in views.all()) == made
    assert set(made) == {"AttentionHeatmap", "MaskLab", "ScoreExplorer"}


@pytest.mark.parametrize("move", [by_mouse, by_keyboard])
@pytest.mark.parametrize("way", ["http", "file"])
def test_moved_query_shows_the_right_numbers(book, serve, open_page, way, move):
    """Dragged or stepped with the arrows, the query gets the scores, weights and output of attend_numpy."""
    page, record = open_page(f"{serve(book)}/{CHAPTER}" if way == "http" else (book / CHAPTER).as_uri())
    view = page.locator('.attn-view[data-attn="ScoreExplorer"]').first
    view.scroll_into_view_if_needed()  # a widget is drawn when the reader comes near
    view.locator("input").first.wait_for(state="attached")
    start = query_tip(view).get_attribute("aria-valuetext")
    move(page, view)
    page.wait_for_timeout(800)  # the spoken line waits until the reader rests
    query, scores, weights, output = read(view)
    assert query_tip(view).get_attribute("aria-valuetext") != start
    default = ScoreExplorer()
    keys, values = default.key_vectors, default.value_vectors
    score = view.locator("input[name^='score']:checked").get_attribute("value")
    right_output, right_weights = attend_numpy([query], keys, values, score=score)
    half = 0.005 + 1e-9  # two decimals are shown
    assert scores == pytest.approx(score_numpy([query], keys, score)[0], abs=half)
    assert weights == pytest.approx(right_weights[0], abs=half)
    assert output == pytest.approx(right_output[0], abs=half)
    assert record.trouble() == []


@pytest.mark.parametrize("way", ["http", "file"])
def test_many_dimensions_show_the_measured_medians(book, serve, open_page, way):
    """d goes to 512 by keyboard, then the reader divides by √d: the table's medians show."""
    page, _ = open_page(f"{serve(book)}/{CHAPTER}" if way == "http" else (book / CHAPTER).as_uri())
    page.locator('.attn-view[data-attn="ScoreExplorer"]').last.scroll_into_view_if_needed()
    panel = page.locator(".attn-view:has(input[name='width'])").first
    panel.wait_for()
    table = sharpness_table()
    seen = []
    for divisor in ("1", "sqrt"):
        page.locator(f"input[name^='divisor'][value='{divisor}']").first.check(force=True)
        panel.locator("input[name='width']").press("End")
        page.wait_for_timeout(300)
        numbers = [shown(n) for n in panel.locator(".attn-reading b").all_inner_texts()]
        assert numbers[0] == pytest.approx(table["top"][divisor][-1], abs=0.005 + 1e-9)
        assert numbers[1] == pytest.approx(table["gradient"][divisor][-1], abs=0.005 + 1e-9)
        seen.append(numbers)
    assert seen[0] != seen[1]


# ---- the heatmap: ribbons on the front page, a grid in the chapter


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


QUERY, KEY = np.array(pair.QUERIES), np.array(pair.KEYS)
SCALED = softmax(QUERY @ KEY.T / np.sqrt(2))


@cache
def crossing():
    """The trained head that the front page shows, (4, 5): the sentence as a batch of its own."""
    rates = cross_heads.table()[0]["validation"]["heads"]
    layer, head = np.unravel_index(np.argmin(rates), np.shape(rates))
    words = vocabularies(corpus(0).train)
    batch = next(batches([hero_pair()], *words, size=1))
    look = load_trained("transformer").look(batch.source, batch.source_lengths, batch.target_in)
    return look.cross[layer, 0, head, :4].double().numpy()


def told(weights, query, key):
    """What the read-out must say of one pair."""
    row = weights[pair.TARGET.index(query)]
    share = f"{row[pair.SOURCE.index(key)]:.2f}".removeprefix("0")
    words = np.exp(-(row * np.log(row)).sum())
    return [f"{query} → {key}", share, f"Σ {row.sum():.3f}", f"looks at {words:.1f} words"]


def strip(view):
    """What the read-out below the ribbons says."""
    return [part.inner_text() for part in view.locator(".attn-h-strip > :not(.attn-h-foot)").all()]


@pytest.fixture
def hero(book, open_page):
    """The front page's widget, ready to be touched, from the disk."""
    page, record = open_page((book / FRONT).as_uri())
    view = page.locator('.attn-view[data-attn="AttentionHeatmap"]')
    view.locator(".attn-h-ribbons").wait_for()
    yield page, view
    assert record.trouble() == []


def french(view, word):
    return view.locator(".attn-h-query", has_text=word)


def english(view, word):
    return view.locator(".attn-h-place:not(.attn-h-query)", has_text=word)


def test_the_hero_opens_on_the_crossing(hero):
    """The first sight of the book: in a trained head chat reads cat."""
    _, view = hero
    assert strip(view) == told(crossing(), "chat", "cat")


def test_the_hero_follows_the_mouse(hero):
    """A word pointed at is read out; a click keeps it when the mouse has gone."""
    page, view = hero
    french(view, "noir").hover()
    page.wait_for_timeout(200)
    assert strip(view) == told(crossing(), "noir", "black")
    french(view, "dort").click()
    page.mouse.move(5, 5)
    page.wait_for_timeout(200)
    assert strip(view) == told(crossing(), "dort", "sleeps")


def test_the_hero_follows_the_keyboard(hero):
    """Tab to the French line, an arrow to the neighbour, Enter keeps it."""
    page, view = hero
    french(view, "chat").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert strip(view) == told(crossing(), "le", "the")


def test_a_row_of_the_hero_is_guessed_by_mouse(hero):
    """Hide noir, choose a word: the guess stays, right or wrong, and the truth is said."""
    page, view = hero
    view.get_by_role("button", name="Hide noir and guess").click()
    assert strip(view)[1] == ""  # nothing is told before the guess
    english(view, "cat").click()
    page.mouse.move(5, 5)
    page.wait_for_timeout(200)
    share, best = told(crossing(), "noir", "cat")[1], told(crossing(), "noir", "black")[1]
    assert f"You said cat: {share}. noir reads black most: {best}." in view.inner_text()


def test_a_row_of_the_hero_is_guessed_by_keyboard(hero):
    """The same without a mouse: button, list of English words, arrow, Enter."""
    page, view = hero
    view.get_by_role("button", name="Hide noir and guess").press("Enter")
    view.get_by_text("What does noir read most?").wait_for()
    english(view, "the").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    said = f"You said black: {told(crossing(), 'noir', 'black')[1]}."
    page.wait_for_function(
        "([view, said]) => view.innerText.includes(said)", arg=[view.element_handle(), said]
    )


def test_the_chapter_hides_a_row_until_it_is_guessed(book, open_page):
    """noir is empty at first; after the click its four weights stand on the cells."""
    page, record = open_page((book / CHAPTER).as_uri())
    view = page.locator('.attn-view[data-attn="AttentionHeatmap"]').first
    view.scroll_into_view_if_needed()
    view.locator("[data-cell='2,1']").wait_for()
    assert "?" in view.locator(".attn-h-pair").inner_text()
    view.locator("[data-cell='2,1']").click()
    page.wait_for_timeout(200)
    shown = view.locator("[data-cell^='2,'] .attn-h-figure").all_inner_texts()
    assert shown == [f"{weight:.2f}".removeprefix("0") for weight in SCALED[2]]
    assert record.trouble() == []


# ---- MaskLab in the chapter


def second_sentence():
    """Scores of le, chat, dort and ⟨pad⟩ against the, cat, sleeps and ⟨pad⟩."""
    query, key = np.zeros((4, 2)), np.zeros((4, 2))
    query[:3], key[:3] = QUERY[[0, 1, 3]], KEY[[0, 2, 3]]
    return query @ key.T / np.sqrt(2)


@pytest.fixture
def lab(book, open_page):
    """The chapter's MaskLab, in sight."""
    page, record = open_page((book / CHAPTER).as_uri())
    view = page.locator('.attn-view[data-attn="MaskLab"]')
    view.scroll_into_view_if_needed()
    view.locator(".attn-m-number").wait_for()
    yield page, view
    assert record.trouble() == []


def press(page, view, name, by):
    button = view.get_by_role("button", name=name)
    button.click() if by == "mouse" else button.press("Enter")
    page.wait_for_timeout(200)


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_padding_leaks_once_the_mask_is_broken(lab, by):
    """In order nothing leaks; without a mask chat gives ⟨pad⟩ what the softmax of all four keys says."""
    page, view = lab
    assert view.locator(".attn-m-number").inner_text() == ".00"
    press(page, view, "Break it", by)
    leaked = softmax(second_sentence())[1, 3]
    assert view.locator(".attn-m-number").inner_text() == f"{leaked:.2f}".removeprefix("0")


def test_the_code_cards_run_in_the_chapter(lab):
    """A reader who pastes a card below the picture gets the masked output, in both conventions."""
    _, view = lab
    cards = view.locator(".attn-m-card code").all_inner_texts()
    names: dict[str, object] = {}
    for source in sources():
        if "MaskLab(" in source and not source.startswith(("import", "# Finds")):
            break
        if not source.startswith("# Finds"):  # the set-up cell
            exec(source, names)
    right, _ = attend(names["query"], names["key"], names["value"], names["mask"])
    assert len(cards) == 2
    for card in cards:
        names.pop("output", None)
        exec(card, names)
        torch.testing.assert_close(names["output"].detach(), right)
