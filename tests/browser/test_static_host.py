"""Widgets alive in static pages: the host in a browser, over http and from file://, other hosts blocked."""

import json
import runpy
from pathlib import Path

import pytest
from playwright.sync_api import expect

FIXTURES = Path(__file__).parents[1] / "fixtures"
HOSTILE = json.loads((FIXTURES / "hostile_tokens.json").read_text("utf8"))
BUILD = runpy.run_path(str(FIXTURES / "static_book" / "build_book.py"))
READY = '.attn-view[data-state="ready"]'


@pytest.fixture(scope="session")
def static_book(tmp_path_factory):
    return BUILD["whole_book"](tmp_path_factory.getbasetemp()) / "_build" / "html"


@pytest.fixture(params=["http", "file"])
def visit(request, static_book, serve, open_page):
    """visit(page, …) opens a page of the small book, over http and from file:// in turn."""
    root = serve(static_book) if request.param == "http" else static_book.as_uri()
    return lambda page, **options: open_page(f"{root}/{page}.html", **options)


@pytest.fixture
def visit_http(static_book, serve, open_page):
    return lambda page, **options: open_page(f"{serve(static_book)}/{page}.html", **options)


def views(page):
    return page.locator(".attn-view")


def test_two_views_of_one_model_stay_in_step(visit):
    """R120, R123: a click in one view shows in the other, and initialize ran once for each model."""
    page, record = visit("counters")
    buttons = page.locator(f'{READY}[data-model="1"] button')
    expect(buttons).to_have_text(["3 6", "3 6"])
    buttons.nth(1).click()
    expect(buttons).to_have_text(["4 8", "4 8"])
    buttons.nth(0).click()
    expect(buttons).to_have_text(["5 10", "5 10"])
    expect(page.locator(READY)).to_have_count(5)  # the sixth is folded away
    assert page.evaluate("window.initialized") == 3
    assert record.trouble() == []


def test_links_between_models_are_kept(visit_http):
    """jslink goes both ways, jsdlink one way; both hold from the start, as in JupyterLab."""
    page, _ = visit_http("counters")
    one, two, three = (page.locator(f'[data-model="{n}"] button').first for n in (1, 2, 3))
    expect(two).to_have_text("3 10")  # it was saved with 5; nobody has changed `double` yet
    two.click()
    expect(one).to_have_text("4 8")
    expect(three).to_have_text("4 8")
    three.click()
    expect(three).to_have_text("5 10")
    expect(one).to_have_text("4 8")


def test_no_view_is_drawn_twice(visit_http):
    """R132: one button per view, even if a theme prints the host a second time; no id appears twice."""
    page, record = visit_http("counters")
    expect(page.locator(READY)).to_have_count(5)
    host = page.locator('script[src*="attn/host.js"]').get_attribute("src")
    page.add_script_tag(url=f"{page.url.rsplit('/', 1)[0]}/{host}")
    page.locator("details summary").click()
    expect(page.locator(READY)).to_have_count(6)
    assert [views(page).nth(i).locator("button").count() for i in range(6)] == [1, 1, 1, 1, 1, 0]
    assert page.evaluate("window.initialized") == 4  # one host: four models, each initialized once
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((el) => el.id)")
    assert len(ids) == len(set(ids))
    assert record.trouble() == []


def test_shared_code_is_asked_for_once(visit):
    """Five counters and a list of words: two modules, one style sheet, one host."""
    page, record = visit("counters")
    expect(page.locator(READY)).to_have_count(5)
    page.locator("details summary").click()
    expect(page.locator(READY)).to_have_count(6)
    asked = [url.split("?")[0].rsplit("/", 1)[1] for url in record.asked if "/attn/" in url]
    assert len(asked) == len(set(asked)) == 4
    assert record.foreign == []


def test_every_token_arrives_as_it_is(visit):
    """R119: hostile tokens are text, in the page's data and in the fallback alike."""
    page, record = visit("counters")
    words = page.locator(f'{READY}[data-attn="Words"]')
    expect(words.locator("li")).to_have_count(len(HOSTILE))
    assert words.locator("li").evaluate_all("(items) => items.map((item) => item.textContent)") == HOSTILE
    assert words.locator("*").count() == len(HOSTILE)
    assert page.evaluate("window.__x") is None
    assert record.trouble() == []


def read(view, what):
    return view.evaluate(
        f"(el) => Array.from(new Uint8Array({what}.buffer, {what}.byteOffset, {what}.byteLength))"
    )


def test_buffers_arrive_bit_for_bit(visit):
    """R112, R113: all 256 bytes, float32 of a turned array, and a buffer deep inside a dict, as DataView."""
    page, record = visit("buffers")
    expect(page.locator(READY)).to_have_count(3)
    every, floats, large = (views(page).nth(i) for i in range(3))
    assert read(every, "el.payload") == list(range(256))
    assert read(every, "el.nested") == [255, 0]
    turned = floats.evaluate(
        "(el) => Array.from({ length: 6 }, (_, i) => el.payload.getFloat32(4 * i, true))"
    )
    assert turned == [0, 3, 1, 4, 2, 5]
    numbers = [i * 31 % 256 for i in range(40_000)]
    assert read(large, "el.payload") == numbers
    assert read(large, "el.nested") == numbers[::-1]
    assert record.trouble() == []


def test_an_engine_without_from_base64_reads_the_same_bytes(static_book, serve, browser):
    """R113: browsers of two years ago have no Uint8Array.fromBase64."""
    page = browser.new_page()
    page.add_init_script("delete Uint8Array.fromBase64")
    page.goto(f"{serve(static_book)}/buffers.html")
    expect(page.locator(READY)).to_have_count(3)
    assert read(views(page).nth(0), "el.payload") == list(range(256))
    page.close()


def test_far_widgets_wait_until_the_reader_comes_near(visit):
    """A long chapter must not load all its weights before the first line is read."""
    page, record = visit("far")
    expect(page.locator(READY)).to_have_count(1)
    page.wait_for_timeout(300)
    far = views(page).nth(1)
    assert far.get_attribute("data-state") == "waiting"
    before = len([url for url in record.asked if "/attn/" in url])
    far.scroll_into_view_if_needed()
    expect(far).to_have_attribute("data-state", "ready")
    assert read(far, "el.payload") == [i * 31 % 256 for i in range(40_000)]
    assert len([url for url in record.asked if "/attn/" in url]) == before + 2  # its code and its one buffer
    assert record.trouble() == []


@pytest.mark.parametrize("sign", ["pointer", "key", "scroll"])
def test_late_buffers_wait_for_the_reader(visit, sign):
    """A model of half a megabyte weighs on the first view of a page that somebody only looks at."""
    page, record = visit("late")
    expect(page.locator(READY)).to_have_count(1)
    page.evaluate("dispatchEvent(new PointerEvent('pointermove'))")  # browsers send one for a pointer at rest
    page.wait_for_timeout(300)
    view = views(page).first
    assert view.text_content() == "none none 40000"
    before = len([url for url in record.asked if "/attn/" in url])
    signs = {"pointer": lambda: page.mouse.move(9, 9), "key": lambda: page.keyboard.press("Tab")}
    signs.get(sign, lambda: page.evaluate("document.body.style.height = '9000px'; scrollTo(0, 50)"))()
    expect(view).to_have_text("40000 40000 40000")
    numbers = [i * 31 % 256 for i in range(40_000)]
    assert read(view, "el.payloads[0]") == numbers
    assert read(view, "el.payloads[1]") == numbers[::-1]
    assert len([url for url in record.asked if "/attn/" in url]) == before + 2
    assert record.trouble() == []


def test_a_late_buffer_that_is_lost_is_said(static_book, serve, open_page):
    """A widget waits for ever, without a word."""
    page, _ = open_page(f"{serve(static_book)}/late.html")
    expect(page.locator(READY)).to_have_count(1)
    page.route("**/attn/*.js", lambda route: route.abort())
    page.mouse.move(9, 9)
    alert = page.locator('[data-state="error"] [role="alert"]')
    expect(alert).to_contain_text("could not be loaded")


def test_a_widget_out_of_sight_stays_as_the_reader_left_it(visit_http):
    """R123: coming back to a widget must not draw it anew over what is there."""
    page, _ = visit_http("far")
    expect(page.locator(READY)).to_have_count(1)
    page.evaluate("window.first = document.querySelector('.attn-view button')")
    for place in ("scrollHeight", "clientTop", "scrollHeight", "clientTop"):
        page.evaluate(f"window.scrollTo(0, document.documentElement.{place})")
        page.wait_for_timeout(200)
    assert page.evaluate("first.isConnected")


def test_a_folded_widget_is_drawn_when_opened(visit):
    """R122: in a closed <details> nothing is drawn at width 0; on opening the widget is there."""
    page, record = visit("counters")
    expect(page.locator(READY)).to_have_count(5)
    folded = page.locator("details .attn-view")
    folded.evaluate("(el) => el.parentElement.scrollIntoView()")
    page.wait_for_timeout(200)
    assert folded.get_attribute("data-state") == "waiting"
    page.locator("details summary").click()
    expect(folded.locator("button")).to_have_text("40 80", timeout=2000)
    assert folded.locator("button").bounding_box()["width"] > 0
    assert record.trouble() == []


def test_a_hidden_tab_is_drawn_when_shown(static_book, serve, browser):
    """R122: the same under display: none, as tabs do it."""
    page = browser.new_page()
    style = "<style>section { display: none }</style></head>"
    page.route(
        "**/counters.html", lambda route: route.fulfill(body=route.fetch().text().replace("</head>", style))
    )
    page.goto(f"{serve(static_book)}/counters.html")
    page.wait_for_timeout(400)
    assert page.locator(READY).count() == 0
    page.evaluate("document.querySelector('section').style.display = 'block'")
    expect(page.locator(READY)).to_have_count(5, timeout=2000)
    assert page.locator(f"{READY} button").first.bounding_box()["width"] > 0
    page.close()


def test_a_broken_widget_says_so_and_leaves_the_others_alive(visit):
    """A failing initialize, render or module tells in words, keeps the picture, and harms no other widget."""
    page, record = visit("broken")
    expect(page.locator('.attn-view[data-state="error"]')).to_have_count(3)
    for i, reason in enumerate(("(no <b>initialize</b>)", "(no <b>render</b>)", "(Unexpected end of input)")):
        alert = views(page).nth(i).get_by_role("alert")
        expect(alert).to_have_text(f"This widget could not start. {reason} Download the notebook to run it.")
    assert "half done" not in page.content()
    pictures = page.locator('.attn-view[data-state="error"] img')
    assert (
        pictures.evaluate_all("(all) => all.map((img) => [img.alt, img.width])")
        == [['Five <beans> & a "bag"', 200]] * 2
    )
    assert "Unparsable()" in views(page).nth(2).inner_text()
    counter = views(page).nth(3).locator("button")
    counter.click()
    expect(counter).to_have_text("4 8")
    assert len(record.errors) == 3  # each failure is in the console, for whoever repairs it


def test_code_that_does_not_arrive_is_told(static_book, serve, browser):
    """A file lost on its way to the reader must not leave an empty place."""
    page = browser.new_page()
    page.route(
        "**/attn/*.js*", lambda route: route.continue_() if "host.js" in route.request.url else route.abort()
    )
    page.goto(f"{serve(static_book)}/buffers.html")
    expect(page.locator('.attn-view[data-state="error"]')).to_have_count(3)
    expect(views(page).first.get_by_role("alert")).to_contain_text("could not be loaded")
    page.close()


def test_without_javascript_the_picture_stands_there(visit):
    """R125, R146: the lesson can be read with scripts off."""
    page, record = visit("counters", java_script_enabled=False)
    image = page.get_by_role("img", name='Five <beans> & a "bag"').first
    expect(image).to_be_visible()
    assert image.bounding_box()["width"] == 200
    assert page.locator("noscript p").inner_text() == "Words(</noscript><script>window.__x=1</script>)"
    assert record.trouble() == []


def test_the_picture_is_not_fetched_where_scripts_run(visit_http):
    """A reader with a living widget must not pay for its picture as well."""
    page, record = visit_http("counters")
    expect(page.locator(READY)).to_have_count(5)
    assert [url for url in record.asked if url.endswith(".png")] == []


def test_print_gets_the_picture_of_what_is_not_drawn(visit):
    """On paper a widget that was never scrolled to would be a hole; afterwards it can still come alive."""
    page, _ = visit("far")
    expect(page.locator(READY)).to_have_count(1)
    far = views(page).nth(1)
    page.pdf()
    page.pdf()
    assert far.locator("img").evaluate_all("(all) => all.map((img) => img.complete && img.naturalWidth)") == [
        400
    ]
    far.scroll_into_view_if_needed()
    expect(far).to_have_attribute("data-state", "ready")
    assert far.locator("img").count() == 0


def test_nothing_jumps_when_a_widget_arrives(visit_http):
    """The height is reserved before the host runs, and a taller widget is not cut off (R135)."""
    page, _ = visit_http("counters")
    expect(page.locator(READY)).to_have_count(5)
    shifts = """() => new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, one) => sum + one.value, 0)))
            .observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(0), 300);
    })"""
    first = views(page).first
    assert first.bounding_box()["height"] == 90  # what its style sheet says
    assert page.evaluate(shifts) == 0
    words = page.locator('[data-attn="Words"]')
    assert words.evaluate("(el) => el.clientHeight >= el.scrollHeight && el.clientHeight > 90")
    assert page.evaluate("performance.getEntriesByName('attn:ready').length") == 5


def test_the_style_of_a_widget_reaches_it(visit):
    """Without its style sheet a widget would be bare."""
    page, _ = visit("counters")
    button = page.locator(f"{READY} button").first
    assert button.evaluate("(el) => getComputedStyle(el).color") == "rgb(1, 2, 3)"


def test_what_needs_a_kernel_shows_its_last_figure(visit):
    """The figure of `interact` is there without a kernel, and nothing fails."""
    page, record = visit("kernel")
    figure = page.locator("img").first
    assert figure.evaluate("(img) => img.naturalWidth") > 300
    assert page.get_by_text("This control needs a running kernel").count() == 3
    assert record.trouble() == []
