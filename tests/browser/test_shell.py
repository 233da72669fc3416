"""What the reader does with the frame round the text: theme, contents, search, downloading, printing."""

import pytest
from playwright.sync_api import expect

FRONT = "book/intro.html"
PHONE = {"width": 390, "height": 844}
THEME = "document.documentElement.dataset.theme"


@pytest.mark.parametrize("way", ["http", "file"])
def test_chosen_theme_stays(book, serve, open_page, way):
    """The reader's choice holds on every page and after a reload, and shows before the first paint."""
    base = serve(book) if way == "http" else book.as_uri()
    page, record = open_page(f"{base}/{FRONT}", color_scheme="light")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate(THEME) == "dark"
    assert page.evaluate(ground) != light
    page.wait_for_timeout(1000)  # the browser writes the choice down in its own time
    page.goto(f"{base}/book/notation.html", wait_until="commit")
    page.wait_for_selector("body", state="attached")
    assert page.evaluate(THEME) == "dark"
    assert record.trouble() == []


def test_theme_follows_the_system_until_chosen(book, serve, open_page):
    """Dusk falls while the page is open: it follows, unless the reader has chosen."""
    page, _ = open_page(f"{serve(book)}/{FRONT}", color_scheme="light")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{THEME} === 'dark'")
    page.get_by_role("button", name="Switch between light and dark").click()  # chooses light
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(200)
    assert page.evaluate(THEME) == "light"


def test_contents_drawer_by_keyboard(book, serve, open_page):
    """Open, walk inside and nowhere else, close with Escape, be back where you were."""
    page, _ = open_page(f"{serve(book)}/{FRONT}", **PHONE)
    button = page.get_by_role("button", name="Contents", exact=True)
    contents = page.get_by_role("navigation", name="Contents of the book")
    expect(contents).to_be_hidden()
    button.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(contents).to_be_visible()
    inside = "document.activeElement === document.body || !!document.activeElement.closest('.contents')"
    for _ in range(12):
        assert page.evaluate(inside)
        page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(contents).to_be_hidden()
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(button).to_be_focused()


def test_contents_drawer_by_touch(book, serve, open_page):
    """Tap to open, tap beside it to close; every target in it is at least 44 px high."""
    page, _ = open_page(f"{serve(book)}/{FRONT}", has_touch=True, **PHONE)
    page.get_by_role("button", name="Contents", exact=True).tap()
    contents = page.get_by_role("navigation", name="Contents of the book")
    expect(contents).to_be_visible()
    page.wait_for_timeout(300)  # it slides
    low = [a.inner_text() for a in contents.locator("li > a").all() if a.bounding_box()["height"] < 40]
    assert low == []
    page.touchscreen.tap(380, 600)
    expect(contents).to_be_hidden()


@pytest.mark.parametrize("way", ["http", "file"])
def test_search_finds(book, serve, open_page, way):
    """Slash, a word, Enter: results that lead to pages which hold the word, with a server and without."""
    base = serve(book) if way == "http" else book.as_uri()
    page, record = open_page(f"{base}/{FRONT}")
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=softmax")
    results = page.locator("#search-results li > a")
    results.first.wait_for()
    page.wait_for_load_state("networkidle")
    excerpts = page.locator("#search-results .context")
    excerpts.first.wait_for()
    assert "softmax" in excerpts.first.inner_text().lower()
    assert excerpts.count() >= 3
    with page.expect_navigation():
        results.first.click()
    assert "softmax" in page.locator("main").inner_text().lower()
    assert record.trouble() == []


def test_skip_link_leads_to_the_text(book, serve, open_page):
    """The first Tab offers to jump over the contents, and does."""
    page, _ = open_page(f"{serve(book)}/{FRONT}")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the text")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_folded_solution_opens_without_scripts(book, serve, open_page):
    """Solutions are folded, and open without JavaScript."""
    chapter = next(book.glob("notebooks/01_*.html"))
    page, _ = open_page(f"{serve(book)}/{chapter.relative_to(book)}", java_script_enabled=False)
    solution = page.locator("details.solution").first
    inside = solution.locator(".cell").first
    expect(inside).to_be_hidden()
    solution.locator("summary").click()
    expect(inside).to_be_visible()


def test_notebook_can_be_downloaded(book, serve, open_page):
    """The page of a chapter hands out the notebook it was made from."""
    chapter = next(book.glob("notebooks/01_*.html"))
    page, _ = open_page(f"{serve(book)}/{chapter.relative_to(book)}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download this notebook").click()
    assert download.value.suggested_filename == chapter.with_suffix(".ipynb").name
    assert '"nbformat"' in download.value.path().read_text("utf-8")


def test_print_shows_the_text_alone(book, serve, open_page):
    """On paper: the text and its pictures, black on white at night too, no contents, no buttons."""
    page, _ = open_page(f"{serve(book)}/{FRONT}", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(THEME) == "light"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(THEME) == "dark"
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    for selector in (".contents", ".bar", ".around"):
        expect(page.locator(selector)).to_be_hidden()
