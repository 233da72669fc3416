"""Every page of the built book, in a real browser with all other hosts blocked."""

import pytest
from checks import (
    FIRST_VIEW,
    ROOT,
    RULES,
    accessibility_in_both_themes,
    first_view,
    links,
    parse,
    sideways,
    structure,
    wake_widgets,
)

SHOTS = ROOT / "build" / "shots"


def address(way, book, serve, page_name):
    """The page over http or straight from the disk."""
    return f"{serve(book)}/{page_name}" if way == "http" else (book / page_name).as_uri()


@pytest.mark.parametrize("way", ["http", "file"])
def test_page_is_quiet_and_alive(book, serve, open_page, page_name, way):
    """A reader with the console open sees no error, and every widget wakes, with and without a server."""
    page, record = open_page(address(way, book, serve, page_name))
    page.wait_for_load_state("networkidle")
    assert wake_widgets(page) == []
    assert record.trouble() == []


def test_first_view_is_light(book, serve, open_page, page_name, record_property):
    """A page costs a phone at most 400 kB before it scrolls."""
    page, record = open_page(address("http", book, serve, page_name), width=390, height=844)
    page.wait_for_load_state("networkidle")
    size = first_view(record.asked, serve(book), book)
    record_property("first_view_bytes", size)
    assert 1_000 < size <= FIRST_VIEW


def test_structure(book, page_name):
    """Search engines and screen readers find a title, one heading, a description, words for pictures."""
    assert structure(parse(book / page_name)) == []


def test_links(book, page_name):
    """No click inside the book leads nowhere."""
    assert links(book / page_name, book) == []


def test_accessibility(book, serve, open_page, page_name):
    """Nobody is shut out: WCAG 2.2 A and AA in both themes."""
    page, _ = open_page(address("http", book, serve, page_name), reduced_motion="reduce")
    wake_widgets(page)
    found = accessibility_in_both_themes(page, RULES)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_no_sideways_scroll(book, serve, open_page, page_name, width, theme):
    """The page never scrolls sideways; its pictures are kept in build/shots."""
    page, _ = open_page(address("http", book, serve, page_name), width=width, height=844, color_scheme=theme)
    wake_widgets(page)
    page.evaluate("document.querySelectorAll('img').forEach((image) => (image.loading = 'eager'))")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_load_state("networkidle")
    SHOTS.mkdir(parents=True, exist_ok=True)
    stem = page_name.removesuffix(".html").replace("/", "-")
    page.screenshot(path=SHOTS / f"{stem}-{theme}-{width}.png", full_page=True)
    assert sideways(page) == []


def test_readable_without_scripts(book, serve, open_page, page_name):
    """With JavaScript off the text stands, each widget shows its picture, and the contents can be reached."""
    page, _ = open_page(address("http", book, serve, page_name), width=390, java_script_enabled=False)
    assert page.locator("main h1").is_visible()
    text = page.locator("main").inner_text()
    assert len(text) > 20
    for view in page.locator(".attn-view").all():
        picture = view.locator("img")
        assert picture.is_visible()
        assert picture.bounding_box()["height"] > 50
        assert len(picture.get_attribute("alt")) > 20


def test_the_root_leads_to_the_front_page(book, open_page):
    """Opening the folder's index.html shows the front page."""
    assert structure(parse(book / "index.html")) == []
    page, record = open_page((book / "index.html").as_uri())
    page.wait_for_url("**/book/intro.html")
    assert record.trouble() == []
