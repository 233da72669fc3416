"""What a built page must keep, each check a function that returns complaints in words; none = all is well."""

import contextlib
import functools
import gzip
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup
from playwright.sync_api import TimeoutError

ROOT = Path(__file__).parents[2]
PATIENCE = 10_000  # ms until a widget has to be ready
FIRST_VIEW = 400_000  # bytes, compressed
PACKED = {".woff2", ".png", ".jpg", ".webp"}  # compressed already
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {"target-size": {"enabled": True}},  # of WCAG 2.2; axe leaves it out unless asked
    "resultTypes": ["violations"],
    "preload": False,
}
_PAGE = ("landmark-one-main", "region", "page-has-heading-one")  # a widget alone is no page
ALONE = {**RULES, "rules": {**RULES["rules"], **{name: {"enabled": False} for name in _PAGE}}}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}, "preload": False}


def parse(path):
    """A page as a tree."""
    return BeautifulSoup(Path(path).read_text("utf-8"), "html.parser")


@functools.cache
def ids(path, _changed):
    """Every id on a page; read once, since all pages link to each other."""
    return {tag["id"] for tag in parse(path).select("[id]")}


def is_place(path, name):
    """Whether a fragment leads somewhere on a page; only pages have places."""
    return path.suffix != ".html" or name in ids(path, path.stat().st_mtime_ns)


def structure(page):
    """One title, one h1, a description, a language; no id twice; every picture described in words."""
    complaints = []
    for selector in ("title", "h1", 'meta[name="description"]', "html[lang]", "main"):
        if (found := len(page.select(selector))) != 1:
            complaints.append(f"{found} × {selector}, not one")
    words = page.select_one('meta[name="description"]')
    if words and not 20 <= len(words.get("content", "")) <= 300:
        complaints.append(f"description of {len(words.get('content', ''))} characters")
    ids = Counter(tag["id"] for tag in page.select("[id]"))
    complaints += [f"id {name} stands {count} times" for name, count in ids.items() if count > 1]
    for picture in page.select("img"):
        if picture.get("alt", "").endswith((".png", ".svg")) or "alt" not in picture.attrs:
            complaints.append(f"no words for {picture.get('src')}")
    return complaints


def links(path, book):
    """Every address inside the book leads to a file, and every fragment to an id in it."""
    path, page, complaints = Path(path), parse(path), []
    tags = [(tag, tag.get("href") or tag.get("src")) for tag in page.select("[href], [src]")]
    for tag, address in tags:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file() or not target.is_relative_to(Path(book).resolve()):
            complaints.append(f"<{tag.name}> {address}: no such file")
        elif parts.fragment and not is_place(target, unquote(parts.fragment)):
            complaints.append(f"<{tag.name}> {address}: no such place on that page")
    return complaints


def first_view(asked, home, book):
    """Bytes that reach the reader before any scrolling: gzip -6 of what can be compressed."""
    total = 0
    for address in set(asked):
        if address.startswith(home):
            path = Path(book) / unquote(urlsplit(address).path).lstrip("/")
            content = path.read_bytes()
            total += len(content if path.suffix in PACKED else gzip.compress(content, 6))
    return total


def sideways(page):
    """Elements that make the whole page scroll sideways."""
    return page.evaluate(
        """() => {
          const { clientWidth, scrollWidth } = document.documentElement;
          if (scrollWidth <= clientWidth) return [];
          const right = (e) => Math.round(e.getBoundingClientRect().right);
          const wide = [...document.querySelectorAll("body *")].filter((e) => right(e) > clientWidth);
          return [`the page is ${scrollWidth} px wide, the window ${clientWidth}`,
            ...wide.slice(0, 8).map((e) => `${e.tagName}.${e.className} reaches ${right(e)}`)];
        }"""
    )


def wake_widgets(page):
    """Bring every widget into view and wait until it says ready; complain about those that do not."""
    complaints = []
    for view in page.locator(".attn-view").all():
        view.scroll_into_view_if_needed()
        with contextlib.suppress(TimeoutError):  # still waiting; said below
            settled = "(view) => view.dataset.state !== 'waiting'"
            page.wait_for_function(settled, arg=view.element_handle(), timeout=PATIENCE)
        if (state := view.get_attribute("data-state")) != "ready":
            complaints.append(f"{view.get_attribute('data-attn')} is {state}: {view.inner_text()[:200]}")
        elif (times := view.locator("> *").count()) != 1:
            complaints.append(f"{view.get_attribute('data-attn')} is drawn {times} times")
    return complaints


def accessibility(page, rules=RULES):
    """What axe finds against WCAG 2.2 A and AA and its own best practices, with everything folded opened."""
    if not AXE.is_file():
        return [f"no {AXE.relative_to(ROOT)}: run `npm ci` first"]
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=AXE)
    found = page.evaluate("(rules) => axe.run(document, rules)", rules)
    return [
        f"{fault['id']} ({fault['impact']}): {fault['help']}: {node['html'][:160]}"
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


def in_both_themes(page):
    """The page in light, then in dark."""
    for theme in ("light", "dark"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        page.wait_for_timeout(100)  # widgets follow
        yield theme


def accessibility_in_both_themes(page, rules=ALONE):
    """What axe finds in light, and what it finds of colours in dark: all else is the same in both."""
    use = {"light": rules, "dark": COLOURS}
    return [
        f"{theme}: {fault}" for theme in in_both_themes(page) for fault in accessibility(page, use[theme])
    ]
