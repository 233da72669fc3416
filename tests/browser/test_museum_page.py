"""The bug museum as built: six exhibits in words, and the room that works without a kernel."""

import pytest

from attn_helpers.museum import FIRST_ROOM, NUMBERS

PAGE = "notebooks/bug_museum.html"


@pytest.fixture
def museum(book, open_page):
    """The page, its record, and the room, drawn."""
    page, record = open_page((book / PAGE).as_uri())
    view = page.locator('.attn-view[data-attn="MuseumRoom"]')
    view.scroll_into_view_if_needed()
    view.locator(".attn-title").wait_for()
    return page, record, view


def test_the_room_is_on_the_page_once(museum):
    """It is lost, or there twice."""
    page, _, _ = museum
    assert [view.get_attribute("data-attn") for view in page.locator(".attn-view").all()] == ["MuseumRoom"]


def test_a_fault_is_switched_guessed_and_left_without_a_kernel(museum):
    """The page asks a kernel that is not there, or another host."""
    page, record, view = museum
    for shown, exhibit in enumerate(FIRST_ROOM):
        assert view.locator(".attn-title").text_content() == exhibit.title
        view.locator(f"[data-guess='{list(NUMBERS).index(exhibit.number)}']").click()
        view.locator(".attn-u-bad.attn-u-large").wait_for()
        assert view.locator(".attn-u-ask").text_content().startswith("You said so")
        view.locator(".attn-u-pair input").first.check(force=True)
        view.locator(".attn-u-large:not(.attn-u-bad)").wait_for()
        if shown < len(FIRST_ROOM) - 1:
            view.locator("[data-act=next]").click()
            page.wait_for_timeout(100)
    assert record.trouble() == []


def test_every_exhibit_stands_in_words_below(museum):
    """Without scripts, or to be searched: the line, the number, and where people met it, as links."""
    page, _, _ = museum
    text = page.locator("main").inner_text().replace("’", "'")  # the book sets curly ones
    hrefs = page.locator("main a").evaluate_all("(all) => all.map((a) => a.getAttribute('href'))")
    for exhibit in FIRST_ROOM:
        for line in (*exhibit.fault.lines()[0], *exhibit.fault.lines()[1]):
            assert line in text
        assert exhibit.because in text
        assert all(met.url in hrefs for met in exhibit.met)
