"""ScoreExplorer on the built pages: moved by hand, its numbers compared with an independent computation."""

import json
import re

import pytest
from checks import ROOT

from attn_helpers.scoring import attend_numpy, sharpness_table
from attn_helpers.twin import score_numpy
from attn_helpers.widgets import ScoreExplorer

PAGES = ("book/intro.html", "notebooks/01_scoring_functions.html")

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


def test_every_widget_of_the_chapter_is_on_its_page(book, open_page):
    """No cell's widget is lost between the notebook and the built page, and none stands twice."""
    notebook = json.loads((ROOT / "notebooks" / "01_scoring_functions.ipynb").read_text("utf-8"))
    cells = [c["source"][-1] for c in notebook["cells"] if c["cell_type"] == "code" and c["source"]]
    made = [line for line in cells if line.startswith("ScoreExplorer(")]
    page, _ = open_page((book / PAGES[1]).as_uri())
    assert page.locator('.attn-view[data-attn="ScoreExplorer"]').count() == len(made) > 0


@pytest.mark.parametrize("move", [by_mouse, by_keyboard])
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("way", ["http", "file"])
def test_moved_query_shows_the_right_numbers(book, serve, open_page, name, way, move):
    """Dragged or stepped with the arrows, the query gets the scores, weights and output of attend_numpy."""
    page, record = open_page(f"{serve(book)}/{name}" if way == "http" else (book / name).as_uri())
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
    name = PAGES[1]
    page, _ = open_page(f"{serve(book)}/{name}" if way == "http" else (book / name).as_uri())
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
