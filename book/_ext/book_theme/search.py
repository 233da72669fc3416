"""The text of all pages in one script, for excerpts in search results on the reader's disk.

There a page may not fetch another, but it may load a script. The search page does so only without a server.
"""

import json
from pathlib import Path

from bs4 import BeautifulSoup

FILE = "search-pages.js"
SILENT = ".headerlink, .katex-html, annotation, img, noscript, script, style, svg"


def bare(page):
    """The main part of a page: its words, and the ids that results lead to."""
    main = BeautifulSoup(page, "html.parser").select_one("main")
    for part in main.select(SILENT):
        part.decompose()
    for tag in [main, *main.find_all(True)]:
        tag.attrs = {"id": tag["id"]} if tag.has_attr("id") else {}
    return str(main)


def write(app, exception):
    """Collect every page that the search can find."""
    if exception or app.builder.name not in ("html", "dirhtml"):
        return
    builder, pages = app.builder, {}
    for name in app.env.all_docs:
        page = Path(builder.get_outfilename(name)).read_text(encoding="utf-8")
        pages[builder.get_target_uri(name)] = bare(page)
    script = f"attnPages({json.dumps(pages, ensure_ascii=False, sort_keys=True)});\n"
    Path(app.outdir, "_static", FILE).write_text(script, encoding="utf-8")


def setup(app):
    """Connect to Sphinx."""
    app.connect("build-finished", write)
