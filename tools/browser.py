"""A headless Chromium and a small web server, for measuring the built book."""

import contextlib
import functools
import gzip
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# No service of the browser's own may add requests or work to a measurement.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHELL = "chromium-headless-shell"  # the same engine without windows and in half the time
TEXT = {".html", ".js", ".css", ".json", ".svg", ".txt", ".ipynb"}
MISSING = "No browser was found: install Chromium or Chrome, or name one: CHROME=/path/to/chrome make …\n"
MISSING += "Playwright brings one as well: .venv/bin/playwright install chromium"


def find_browser(*, shell: bool = False) -> str:
    """The browser to drive: CHROME, then PATH, then the one Playwright installed; none ends the program.

    shell  prefer one without windows: for tests, not for measuring what a reader's browser takes
    """
    named = os.environ.get("CHROME")
    if named and shutil.which(named):
        return str(shutil.which(named))
    for name in (SHELL, *NAMES) if shell else NAMES:
        if found := shutil.which(name):
            return found
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        if Path(playwright.chromium.executable_path).exists():
            return playwright.chromium.executable_path
    sys.exit(MISSING)


def packed(path: Path) -> bytes:
    """A file as a static host sends it: text through gzip, level 6."""
    body = path.read_bytes()
    return gzip.compress(body, 6) if path.suffix in TEXT else body


class Handler(SimpleHTTPRequestHandler):
    """Sends files as a static host does, compressed and with a time to live."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with one file."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            return self.send_error(404)
        body = packed(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if path.suffix in TEXT:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Cache-Control", "max-age=3600")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine only; yields its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


if __name__ == "__main__":
    print(f"browser: {find_browser(shell=True)}")
