"""What a reader does with a question: guess, then look; by mouse, keyboard, on paper, without scripts."""

import sys

import pytest
from checks import accessibility, parse, sideways
from conftest import ROOT
from playwright.sync_api import expect
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from book_theme import assets

CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "book" / "_ext")!r})
from book_theme import cards, content
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "tasklist"]
def setup(app):
    cards.setup(app)
    content.setup(app)
"""
CARDS = """
# Cards

:::{predict}

Which sum to 1?

- [ ] the rows of a matrix whose description goes on until it has to be broken into lines
- [ ] the columns

---

The rows do.

:::

:::{predict}

And without guesses?

---

Folded as well.

:::

:::{misconception} Columns sum to 1 as well

**How it shows.** It runs.

**What is true.** Rows do.

:::
"""
PAGE = """<!DOCTYPE html><html lang="en" data-theme="{theme}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Cards</title><style>{css}</style></head>
<body><div class="page"><main><article>{body}</article></main></div></body></html>"""


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    """The two cards as the book's own extension makes them."""
    folder = tmp_path_factory.mktemp("cards")
    (folder / "conf.py").write_text(CONF, encoding="utf8")
    (folder / "index.md").write_text(CARDS, encoding="utf8")
    with docutils_namespace():
        Sphinx(folder, folder, folder / "out", folder / "trees", "html", status=None).build()
    return parse(folder / "out" / "index.html").select_one("section").decode()


@pytest.fixture
def show(body, tmp_path, serve, open_page):
    """show(theme, …) → the cards in the book's style."""

    def visit(theme="light", **options):
        page = PAGE.format(theme=theme, css=assets.merged_css(), body=body)
        (tmp_path / "cards.html").write_text(page, encoding="utf8")
        return open_page(f"{serve(tmp_path)}/cards.html", **options)[0]

    return visit


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_the_answer_comes_after_the_guess(show, scripts):
    """Seen too early it spoils the question; after a guess it must open, with nothing but the browser."""
    page = show(java_script_enabled=scripts)
    question = page.locator(".predict").first
    summary = question.get_by_text("Show the answer")
    expect(summary).to_be_hidden()
    question.get_by_text("the columns").click()
    expect(question.get_by_role("radio").nth(1)).to_be_checked()
    expect(page.get_by_text("The rows do.")).to_be_hidden()
    summary.click()
    expect(page.get_by_text("The rows do.")).to_be_visible()
    expect(question.get_by_role("radio").nth(1)).to_be_checked()  # the guess stays, right or wrong


def test_the_keyboard_alone_guesses_and_opens(show):
    """Tab to the guesses, arrows among them, Tab to the answer, Enter."""
    page = show()
    radios = page.get_by_role("group", name="Your guess, then the answer").get_by_role("radio")
    page.locator(".headerlink").focus()  # what stands before the question
    page.keyboard.press("Tab")
    expect(radios.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(radios.nth(1)).to_be_checked()
    ring = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(ring) == "solid"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The rows do.")).to_be_visible()


def test_paper_shows_every_answer(show):
    """Nobody can open a fold on paper, whether or not a guess was made."""
    page = show()
    for words in ("The rows do.", "Folded as well."):
        place = page.get_by_text(words)
        expect(place).to_be_hidden()
        page.emulate_media(media="print")
        expect(place).to_be_visible()
        assert place.bounding_box()["height"] > 10
        page.emulate_media(media="screen")


def test_a_screen_reader_hears_what_is_wrong(show):
    """The words "misconception" and the belief are one text; a guess is named by its line."""
    tree = show().locator("article").aria_snapshot()
    assert "Misconception Columns sum to 1 as well" in tree
    assert 'group "Your guess, then the answer"' in tree
    assert 'radio "the columns"' in tree


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 390])
def test_axe_finds_nothing(show, theme, width):
    """Names, contrast, sizes of targets; on a phone nothing is cut off, and a finger finds each guess."""
    page = show(theme, width=width, color_scheme=theme)
    page.get_by_text("the columns").first.click()
    assert accessibility(page) == []
    assert sideways(page) == []
    if width == 390:
        assert min(label.bounding_box()["height"] for label in page.locator("label").all()) >= 44


def test_contrast_is_measured(show):
    """Over a background that axe cannot read, every contrast would pass unseen."""
    page = show(width=1100)
    accessibility(page)
    found = page.evaluate("axe.run(document, { runOnly: ['color-contrast'] })")
    assert [node["html"] for rule in found["incomplete"] for node in rule["nodes"]] == []
    assert sum(len(rule["nodes"]) for rule in found["passes"]) > 8
