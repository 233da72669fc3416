"""The lab's own page as built: light at first sight, both models at work once the reader moves."""

import pytest
from checks import FIRST_VIEW, first_view

from attn_helpers.change_rates import change_rates
from attn_helpers.widgets import TranslationLab

PAGE = "book/translation_lab.html"
BUDGET = 1_500_000  # bytes of a model's weights


@pytest.fixture(scope="module")
def lab():
    return TranslationLab.of_trained("bahdanau-bidirectional", "transformer")


def asked(record):
    return [url for url in record.asked if "/attn/" in url]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_weights_come_with_the_readers_first_move(book, serve, open_page, width):
    """A megabyte weighs on a page that is only looked at; or what stands there jumps when it comes."""
    page, record = open_page(f"{serve(book)}/{PAGE}", width=width)
    page.locator(".attn-lab-row").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert first_view(record.asked, serve(book), book) < FIRST_VIEW / 4
    before, place = len(asked(record)), page.locator(".attn").bounding_box()
    page.mouse.move(5, 5)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)
    late = asked(record)[before:]
    assert len(late) == 2
    sizes = [(book / url.split(serve(book) + "/")[1]).stat().st_size for url in late]
    assert max(sizes) < BUDGET
    assert page.locator(".attn").bounding_box() == place
    shift = """() => new Promise((done) => {
        let sum = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((one) => (sum += one.value)))
          .observe({ type: "layout-shift", buffered: true });
        setTimeout(() => done(sum), 300);
    })"""
    assert page.evaluate(shift) < 0.01
    assert record.trouble() == []


@pytest.mark.parametrize("way", ["http", "file"])
def test_both_translate_what_is_typed(book, serve, open_page, lab, way):
    """With and without a server: what PyTorch writes, before and after a row is zeroed."""
    page, record = open_page(f"{serve(book)}/{PAGE}" if way == "http" else (book / PAGE).as_uri())
    page.locator("[data-act=type]").click()
    page.locator(".attn-lab-text").fill("the old queen does not see the mouse")
    page.locator("[data-act=done]").click()
    page.locator("[data-row='3'] .attn-lab-word").first.click()
    page.locator("[data-act=zero]").click()
    page.locator(".attn-lab-mine").last.wait_for()
    lab.text, lab.operations = "the old queen does not see the mouse", [("zero", [3])]
    shown = page.locator(".attn-lab-said-so").all_text_contents()
    assert shown == [text for said in lab.translations.values() for text in said[:2]]
    assert record.trouble() == []


def test_the_table_is_printed_from_the_measurement(book, open_page):
    """The text says other shares than were counted."""
    page, _ = open_page((book / PAGE).as_uri())
    text = page.locator("main").inner_text()
    for row in change_rates()["rates"].values():
        for one in row["all"].values():
            assert f"{one['changed'] / one['of']:.0%}" in text
