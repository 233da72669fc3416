"""Measure the built book and the package on this machine; write attn_helpers/data/bench.json.

usage: python tools/bench.py [--lighthouse RUNS]      (make bench builds the book first)

Times are medians of five fresh loads, beside an empty page measured in the same run; compare the two,
not the numbers of two machines. What was not measured is null.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from browser import FLAGS, find_browser, packed, serving
from lighthouse import scores
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build/html"
OUT = ROOT / "attn_helpers/data/bench.json"
RUNS = 5
STEPS = 60
WIDGET_PAGES = {"here": "notebooks/01_scoring_functions.html", "front": "book/intro.html"}
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


def processor_ms(program: str) -> float:
    """Median processor time of a fresh Python that runs a program."""
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", program], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime))
    return middle(times)


def imports() -> dict[str, float]:
    """What `import attn_helpers` costs beyond the bare interpreter, and beside numpy."""
    bare = processor_ms("pass")
    here, numpy = (round(processor_ms(f"import {name}") - bare, 1) for name in ("attn_helpers", "numpy"))
    return {"bare": bare, "attn_helpers": here, "numpy": numpy, "ratio": round(here / numpy, 3)}


def meta(browser: Browser) -> dict[str, Any]:
    """What the numbers depend on."""
    names = ("attn_helpers", "anywidget", "numpy", "torch")
    versions = {name: importlib.metadata.version(name) for name in names}
    versions |= {"python": platform.python_version(), "chromium": browser.version}
    machine = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} processors"
    return {"date": datetime.date.today().isoformat(), "machine": machine, "runs": RUNS, "versions": versions}


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
    print("processor ms to import beyond the interpreter:", result["import"])


def main() -> None:
    """Measure everything, in one run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    # One run alone scatters by ten points on a busy machine.
    what = "Lighthouse runs a page, of which the median counts; 0 skips it (it takes minutes and needs npm)"
    parser.add_argument("--lighthouse", type=int, default=3, metavar="RUNS", help=what)
    runs = parser.parse_args().lighthouse
    pages = [*BOOK.glob("book/*.html"), *BOOK.glob("notebooks/*.html")]
    names = sorted(page.relative_to(BOOK).as_posix() for page in pages)
    empty = ROOT / "build/bench/blank"
    empty.mkdir(parents=True, exist_ok=True)
    (empty / "index.html").write_text(BLANK, encoding="utf8")
    chrome = find_browser()
    with serving(BOOK) as base, serving(empty) as blank, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chrome, args=FLAGS)
        about = {**meta(browser), "lighthouse_runs": runs}
        result: dict[str, Any] = {"meta": about, "draw": None, "train": None, "decode": None}
        result["interact"] = {"ScoreExplorer": interact(browser, base, blank)}
        result["pages"] = {name: weigh(browser, base, name) for name in names}
        browser.close()
        for name in names:
            result["pages"][name] |= scores(f"{base}/{name}", chrome, runs)
    result["import"] = imports()
    OUT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf8")
    table(result)
    print(f"written to {OUT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
