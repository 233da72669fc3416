"""The built book: bytes before anybody scrolls, time to a living widget, its slider's answers, Lighthouse."""

import statistics
import sys
from pathlib import Path
from typing import Any

from browser import FLAGS, find_browser, packed, serving
from lighthouse import scores
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build/html"
RUNS = 5
STEPS = 60
WIDGET_PAGES = {"here": "notebooks/01_scoring_functions.html"}  # where a ScoreExplorer has a slider
BLANK = """<!doctype html><html lang="en"><meta charset="utf-8"><title>blank</title>
<link rel="icon" href="data:,">
<div class="attn-view"><input type="range" min="0" max="100"></div>
<script>addEventListener("load", () => performance.mark("attn:ready"))</script>"""

# A widget further down is loaded when the reader comes near: go there as soon as there is a page.
GO = "addEventListener('DOMContentLoaded', () => document.querySelector('.attn-view')?.scrollIntoView())"

# Moves the slider to and fro, waiting a little between steps, and times each until its frame is painted.
SLIDE = """async (steps) => {
  const view = document.querySelector('.attn-view:has(input[type=range])');
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const after = new MessageChannel(); after.port1.onmessage = done; after.port2.postMessage(0);
  }));
  view.scrollIntoView({ block: 'center' });
  await pause(300);
  const times = [], seen = new Set();
  for (let i = 0; i < steps; i++) {
    await pause((i * 7) % 31);
    const slider = view.querySelector('input[type=range]');
    const [low, high] = [Number(slider.min), Number(slider.max)];
    const start = performance.now();
    slider.value = String(low + Math.round(((i * 37) % steps) / steps * (high - low)));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await painted();
    times.push(performance.now() - start);
    seen.add(view.innerText);
  }
  return { times, seen: seen.size };
}"""


def middle(values: list[float]) -> float:
    """Median, to a tenth."""
    return round(statistics.median(values), 1)


def fresh_page(browser: Browser, base: str) -> Page:
    """A page in a context without cache, that can reach nothing but the book."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    ours = (base, "data:", "blob:")
    page.route("**/*", lambda r: r.continue_() if r.request.url.startswith(ours) else r.abort())
    return page


def weigh(browser: Browser, base: str, name: str) -> dict[str, Any]:
    """Files and bytes a page asks for before anybody scrolls."""
    page = fresh_page(browser, base)
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url.split("#")[0].split("?")[0]))
    page.goto(f"{base}/{name}", wait_until="networkidle")
    page.context.close()
    files = [BOOK / url.removeprefix(f"{base}/") for url in asked if url.startswith(base)]
    return {"kB": round(sum(len(packed(f)) for f in files) / 1000, 1), "requests": len(files)}


def load(browser: Browser, base: str, url: str) -> tuple[float, list[float], int]:
    """One fresh load: milliseconds until a widget is alive, step times of its slider, different sights."""
    page = fresh_page(browser, base)
    page.add_init_script(GO)
    page.goto(url, wait_until="load")
    page.wait_for_function("performance.getEntriesByName('attn:ready').length > 0", timeout=60_000)
    ready = page.evaluate("performance.getEntriesByName('attn:ready')[0].startTime")
    moved = page.evaluate(SLIDE, STEPS)
    page.context.close()
    return ready, moved["times"], moved["seen"]


def interact(browser: Browser, base: str, blank: str) -> dict[str, Any]:
    """The widget's pages and the empty one by turns, so that all meet the same weather."""
    urls = {who: (base, f"{base}/{name}") for who, name in WIDGET_PAGES.items()}
    urls["blank"] = (blank, f"{blank}/index.html")
    runs: dict[str, list[tuple[float, list[float], int]]] = {who: [] for who in urls}
    for _ in range(RUNS):
        for who, (home, url) in urls.items():
            runs[who].append(load(browser, home, url))
    if min(seen for who in WIDGET_PAGES for _, _, seen in runs[who]) < STEPS / 4:
        sys.exit("the widget did not follow its slider, so its speed means nothing")
    result = {}
    for who, loads in runs.items():
        cuts = [statistics.quantiles(times, n=20) for _, times, _ in loads]
        slider = [middle([cut[9] for cut in cuts]), middle([cut[18] for cut in cuts])]
        result[who] = {"ready": middle([ready for ready, _, _ in loads]), "slider": slider}
    return result


def measure(lighthouse: int) -> dict[str, Any]:
    """The sections `pages` and `interact`, with so many Lighthouse runs a page."""
    files = [*BOOK.glob("book/*.html"), *BOOK.glob("notebooks/*.html")]
    names = sorted(page.relative_to(BOOK).as_posix() for page in files)
    empty = ROOT / "build/bench/blank"
    empty.mkdir(parents=True, exist_ok=True)
    (empty / "index.html").write_text(BLANK, encoding="utf8")
    chrome = find_browser()
    with serving(BOOK) as base, serving(empty) as blank, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chrome, args=FLAGS)
        result: dict[str, Any] = {"interact": {"ScoreExplorer": interact(browser, base, blank)}}
        result["pages"] = {name: weigh(browser, base, name) for name in names}
        browser.close()
        for name in names:
            result["pages"][name] |= scores(f"{base}/{name}", chrome, lighthouse)
    return result


def table(result: dict[str, Any]) -> None:
    """Print what was measured."""
    for name, page in result["pages"].items():
        print(f"{name:40}{page['kB']:7} kB {page['requests']:3} requests", end="")
        for preset in ("mobile", "desktop"):
            print(f"  {preset}", *(page[preset] or {"-": "-"}).values(), end="")
        print()
    print("(Lighthouse: performance, accessibility, best practices, SEO)")
    for who, times in result["interact"]["ScoreExplorer"].items():
        print(f"ScoreExplorer {who:6} alive {times['ready']:7} ms   slider p50, p95 {times['slider']} ms")
