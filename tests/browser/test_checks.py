"""The checks of built pages bite: each fault, put into an otherwise sound page, is found and named."""

import pytest
from checks import accessibility, links, parse, sideways, structure, wake_widgets

SOUND = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sound</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<meta name="description" content="A page without any fault in it.">{head}</head>
<body><main><h1>Sound</h1><p>Nothing is wrong here.</p>{body}</main></body></html>"""

WIDGET = '<div class="attn-view" data-attn="Toy" data-state="{state}">{inside}</div>'


@pytest.fixture
def write(tmp_path):
    """write(head, body) → a folder with one page, page.html."""

    def page(head="", body=""):
        (tmp_path / "page.html").write_text(SOUND.format(head=head, body=body), "utf-8")
        return tmp_path

    return page


def test_a_sound_page_passes(write, serve, open_page):
    """No check cries wolf."""
    folder = write(body=WIDGET.format(state="ready", inside="<p>alive</p>"))
    page, record = open_page(f"{serve(folder)}/page.html", width=390)
    assert record.trouble() == wake_widgets(page) == sideways(page) == []
    assert structure(parse(folder / "page.html")) == links(folder / "page.html", folder) == []
    assert accessibility(page) == []


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("<script>console.error('broken')</script>", "error: broken"),
        ("<script>throw Error('thrown')</script>", "error: thrown"),
        ("<script>Promise.reject(Error('refused'))</script>", "error: refused"),
        ('<img alt="far" src="https://example.org/x.png">', "another host: https://example.org/x.png"),
        ('<script>fetch("https://example.org/").catch(() => 0)</script>', "another host"),
        ('<script src="gone.js"></script>', "failed: 404"),
        (
            "<style>@font-face { font-family: F; src: url(f.woff2) } p { font-family: F }</style>",
            "failed: 404",
        ),
    ],
)
def test_loud_pages_are_heard(write, serve, open_page, body, word):
    """Errors, other hosts and missing files reach the record."""
    page, record = open_page(f"{serve(write(body=body))}/page.html")
    page.wait_for_load_state("networkidle")
    assert any(word in trouble for trouble in record.trouble())


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("<h1>Again</h1>", "2 × h1"),
        ("<p id=a></p><p id=a></p>", "id a stands 2 times"),
        ('<img src="x.png" alt="_images/x.png">', "no words for x.png"),
        ('<img src="x.png">', "no words for x.png"),
        ("<main></main>", "2 × main"),
    ],
)
def test_wrong_structure_is_named(write, body, word):
    """Headings, ids and words for pictures."""
    assert any(word in complaint for complaint in structure(parse(write(body=body) / "page.html")))


@pytest.mark.parametrize("address", ["gone.html", "#gone", "page.html#gone", "../page.html", "gone/"])
def test_dead_links_are_named(write, address):
    """Files and fragments that do not exist, and ways out of the book."""
    folder = write(body=f'<a href="{address}">there</a>')
    assert any(address in complaint for complaint in links(folder / "page.html", folder))


@pytest.mark.parametrize(
    ("state", "inside", "word"),
    [
        ("waiting", "", "Toy is waiting"),
        ("error", "<p>oh</p>", "Toy is error: oh"),
        ("ready", "<p>1</p><p>2</p>", "drawn 2 times"),
    ],
)
def test_sleeping_widgets_are_named(write, serve, open_page, state, inside, word, monkeypatch):
    """A widget that waits, fails or is drawn twice."""
    monkeypatch.setattr("checks.PATIENCE", 300)
    page, _ = open_page(f"{serve(write(body=WIDGET.format(state=state, inside=inside)))}/page.html")
    assert any(word in complaint for complaint in wake_widgets(page))


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ('<p style="color: #999; background: #fff">faint</p>', "color-contrast"),
        ('<button type="button"></button>', "button-name"),
        (
            '<details><summary>more</summary><p style="color: #999; background: #fff">folded</p></details>',
            "contrast",
        ),
        ('<button style="width:9px;height:9px;padding:0">a</button>' * 2, "target-size"),
    ],
)
def test_barriers_are_named(write, serve, open_page, body, word):
    """What axe is there for, also in folded parts."""
    page, _ = open_page(f"{serve(write(body=body))}/page.html")
    assert any(word in complaint for complaint in accessibility(page))


def test_a_wide_page_is_named(write, serve, open_page):
    """One element too wide for a phone."""
    page, _ = open_page(f"{serve(write(body='<div style=width:500px>wide</div>'))}/page.html", width=390)
    assert any("DIV" in complaint for complaint in sideways(page))
