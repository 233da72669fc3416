"""AttentionHeatmap beside other visualisers: first complete drawing, and answers to a reader.

Every page is opened from its file, in a browser of its own that reaches no network, beside an empty page.
Wall times are what a reader waits: from an event, which comes at any moment of a frame, until the frame that
shows its effect is painted. Processor times, of all threads of the page, stay honest while other programs
are busy.
"""

import os
import statistics
from typing import Any

from bench_contestants import HOME, SIZES, contestants
from browser import FLAGS, find_browser
from playwright.sync_api import Error, Page, Playwright, sync_playwright

WHO = ("blank", "here", "bertviz-head", "circuitsvis", "plotly", "attnview")
LIMIT = 60  # seconds, after which a page counts as not drawn
LOADS, FEW, SLOW = 5, 2, 3000  # times a page is opened; as often, if it takes more ms than SLOW
EVENTS, BUDGET = 40, 8000  # of each kind and load, as far as so many ms allow

WATCH = """
const frame = () => new Promise(requestAnimationFrame);
const painted = async () => {  // the first task after a frame: what it drew is on the screen
  await frame();
  const after = new MessageChannel();
  await new Promise((done) => { after.port1.onmessage = done; after.port2.postMessage(0); });
};
(async () => {
  while (!(() => { try { return DONE } catch { return false } })()) await frame();
  await painted(); await painted();
  window.drawnAt = performance.now();
})();
window.changes = async (act, i) => {  // whether an act is to be seen at all
  const canvases = () => [...document.querySelectorAll("canvas")].map((c) => c.toDataURL()).join();
  const before = canvases();
  let count = 0;
  const watch = new MutationObserver((found) => { count += found.length; });
  watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  act(i);
  await new Promise((done) => setTimeout(done, 400));
  watch.disconnect();
  return count > 0 || canvases() !== before;
};
window.answers = async (act, ready, events, budget) => {
  const times = [], begun = performance.now();
  for (let i = 0; i < events && (i < 3 || performance.now() - begun < budget); i++) {
    await new Promise((done) => setTimeout(done, (7 * i) % 31));
    const start = performance.now();
    act(i);
    do await painted(); while (ready && !ready(i) && performance.now() - start < budget);
    times.push(performance.now() - start);
  }
  return times;
};
"""


def measure(sizes: list[str]) -> dict[str, Any]:
    """The sections `draw`, `draw_cpu` and `interact` of the table; milliseconds, null where not drawn."""
    known = contestants(sizes)
    result: dict[str, Any] = {"draw": {}, "draw_cpu": {}, "interact": {}}
    with sync_playwright() as playwright:
        for size in sizes:
            runs = {who: loads(playwright, f"{who}-{size}", known[f"{who}-{size}"], size) for who in WHO}
            result["draw"][size] = {who: middle([run["drawn"] for run in got]) for who, got in runs.items()}
            result["draw_cpu"][size] = {who: middle([r["cpu"] for r in got]) for who, got in runs.items()}
            result["interact"][size] = {who: answers(got) for who, got in runs.items() if got}
            print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    return result


def loads(playwright: Playwright, name: str, about: dict[str, Any], size: str) -> list[dict[str, Any]]:
    """Open a page some times; an empty list if it was not drawn in time."""
    runs: list[dict[str, Any]] = []
    while len(runs) < (LOADS if not runs or runs[0]["drawn"] < SLOW else FEW):
        run = load(playwright, name, about, size, first=not runs)
        if run is None:
            print(f"{name:18} not drawn in {LIMIT} s", flush=True)
            return []
        runs.append(run)
    print(f"{name:18} drawn {middle([r['drawn'] for r in runs])} ms  {answers(runs)}", flush=True)
    return runs


def load(
    playwright: Playwright, name: str, about: dict[str, Any], size: str, first: bool
) -> dict[str, Any] | None:
    """One fresh browser: when the page was drawn, processor time until then, and what events took."""
    browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
    try:
        page = browser.new_context(viewport={"width": 1200, "height": 900}, offline=True).new_page()
        layers, heads, tokens = SIZES[size]
        numbers = f"window.L = {layers}; window.H = {heads}; window.T = window.S = {tokens};"
        page.add_init_script(numbers + WATCH.replace("DONE", about["done"]))
        page.goto((HOME / f"{name}.html").as_uri(), wait_until="commit", timeout=1000 * LIMIT)
        page.wait_for_function("window.drawnAt", polling=200, timeout=1000 * LIMIT)
        run = {"drawn": page.evaluate("window.drawnAt"), "cpu": processor_ms(page), "acts": {}}
        if not page.evaluate(about.get("proof", "true")):
            raise SystemExit(f"{name}: counted as drawn before it was")
        page.wait_for_timeout(500)
        for act, (does, *ready) in about["acts"].items():
            run["acts"][act] = act_times(page, does, ready[0] if ready else "null")
        if first and not name.startswith("blank"):
            check_sight(page, name, about["acts"])
        return run
    except Error as error:
        print(f"{name}: {error.message.splitlines()[0]}", flush=True)
        return None
    finally:
        browser.close()


def act_times(page: Page, does: str, ready: str) -> tuple[list[float], float]:
    """Milliseconds that each event took, and mean processor time."""
    before = processor_ms(page)
    times = page.evaluate(f"answers({does}, {ready}, {EVENTS}, {BUDGET})")
    return times, (processor_ms(page) - before) / len(times)


def check_sight(page: Page, name: str, acts: dict[str, list[str]]) -> None:
    """An act that changes nothing to be seen would be fast and mean nothing."""
    for act, (does, *_) in acts.items():
        if not page.evaluate(f"changes({does}, {EVENTS + 1})"):
            raise SystemExit(f"{name}: {act} changed nothing, so its speed means nothing")


def processor_ms(page: Page) -> float:
    """Processor time of the page's process so far, all threads."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return 1000 * float(metrics["ProcessTime"])


def middle(values: list[float]) -> float | None:
    """Median, to a tenth; null for none."""
    return round(statistics.median(values), 1) if values else None


def answers(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Of each act median and 95th percentile of its times, medians over the loads; `cpu`: a mean event."""
    result: dict[str, Any] = {}
    for act in runs[0]["acts"] if runs else ():
        cuts = [statistics.quantiles(run["acts"][act][0], n=20, method="inclusive") for run in runs]
        result[act] = [middle([cut[9] for cut in cuts]), middle([cut[18] for cut in cuts])]
    cpu = {act: middle([run["acts"][act][1] for run in runs]) for act in result}
    return {**result, "cpu": cpu} if result else {}
