"""A browser, a server and watched pages, for every test that needs them."""

import functools
import http.server
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tools.browser import FLAGS, find_browser

ROOT = Path(__file__).parents[2]
SOURCES = ("book", "notebooks", "attn_helpers", "_config.yml", "_toc.yml")
MEASURED = ROOT / "attn_helpers/data/bench.json"  # written from the built book; no page prints it


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(shell=True), args=FLAGS)
        yield chromium
        chromium.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line per request."""

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture(scope="session")
def serve():
    """serve(folder) → address of a server for that folder, on loopback."""
    servers = {}

    def start(folder):
        folder = str(folder)
        if folder not in servers:
            handler = functools.partial(Quiet, directory=folder)
            servers[folder] = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            threading.Thread(target=servers[folder].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[folder].server_port}"

    yield start
    for server in servers.values():
        server.shutdown()
        server.server_close()


@dataclass
class Record:
    """What went wrong on a page, and every address it asked for."""

    errors: list[str] = field(default_factory=list)  # console messages of level error, uncaught exceptions
    foreign: list[str] = field(default_factory=list)  # requests to another host; they are blocked
    failed: list[str] = field(default_factory=list)  # status of 400 or more, or no answer at all
    asked: list[str] = field(default_factory=list)

    def trouble(self):
        """Everything that must not happen, in words."""
        kinds = {"error": self.errors, "another host": self.foreign, "failed": self.failed}
        return [f"{kind}: {what}" for kind, found in kinds.items() for what in found]


def watch(page, home):
    """Record what a page does; requests to anything but `home` are noted and blocked."""
    record = Record()

    def decide(route):
        address = route.request.url
        record.asked.append(address)
        if address.startswith((home, "data:", "blob:")):
            route.continue_()
        else:
            record.foreign.append(address)
            route.abort()

    def answered(response):
        if response.status >= 400:
            record.failed.append(f"{response.status} {response.url}")

    def unanswered(request):
        cancelled = request.failure == "net::ERR_ABORTED"  # the page went on before its own file had come
        if request.url not in record.foreign and not cancelled:
            record.failed.append(f"{request.failure} {request.url}")

    def said(message):
        if message.type == "error":
            record.errors.append(message.text)

    page.route("**/*", decide)
    page.on("response", answered)
    page.on("requestfailed", unanswered)
    page.on("console", said)
    page.on("pageerror", lambda error: record.errors.append(str(error)))
    return record


@pytest.fixture
def open_page(browser):
    """open_page(address, width=1280, …) → (page, record), other hosts blocked; closed after the test.

    Further options go to playwright's new_context: color_scheme, java_script_enabled, has_touch and so on.
    """
    contexts = []

    def visit(address, width=1280, height=900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        home = "file://" if address.startswith("file:") else "/".join(address.split("/")[:3]) + "/"
        record = watch(page, home)
        page.goto(address, wait_until="load")
        return page, record

    yield visit
    for context in contexts:
        context.close()


def book_folder():
    """Where the built book lies: ATTN_BOOK, else _build/html."""
    return Path(os.environ.get("ATTN_BOOK") or ROOT / "_build" / "html")


def newest_source():
    """The source of the book that was changed last."""
    files = [p for name in SOURCES for p in [ROOT / name, *(ROOT / name).rglob("*")]]
    files = [p for p in files if p.is_file() and "__pycache__" not in p.parts and p != MEASURED]
    return max(files, key=lambda p: p.stat().st_mtime)


@pytest.fixture(scope="session")
def book():
    """The folder of the built book; fails when there is none, or when it is older than its sources."""
    folder = book_folder()
    done = folder / "searchindex.js"  # written last
    if not done.is_file():
        pytest.fail(f"no built book in {folder}: run `make book` first", pytrace=False)
    if "ATTN_BOOK" not in os.environ:
        source = newest_source()
        if source.stat().st_mtime > done.stat().st_mtime:
            pytest.fail(
                f"the book is older than {source.relative_to(ROOT)}: run `make book` first", pytrace=False
            )
    return folder


def pytest_generate_tests(metafunc):
    """One test per page of the built book for everything that asks for `page_name`."""
    if "page_name" in metafunc.fixturenames:
        folder = book_folder()
        pages = {page.relative_to(folder).as_posix() for page in folder.rglob("*.html")}
        pages -= {"index.html"}  # it only leads on to the front page and has a test of its own
        metafunc.parametrize("page_name", sorted(pages) or ["no-built-book"])


@pytest.fixture
def widget_on(book, open_page):
    """widget_on(page of the book, kind, which) → page, record and that widget, drawn."""

    def show(address, kind, which=0):
        page, record = open_page((book / address).as_uri())
        view = page.locator(f'.attn-view[data-attn="{kind}"]').nth(which)
        view.scroll_into_view_if_needed()
        view.locator(".attn-title").first.wait_for()
        return page, record, view

    return show
