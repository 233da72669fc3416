"""Sphinx extension: the widgets of a notebook live on in its static page, without kernel or server.

Input is what myst-nb collects for each page: widget views in the outputs and the saved state of all models.
Only anywidget models can live (their code travels with them); core ipywidgets are replaced by their last
output and a sentence. A page with live widgets gets

- in its head, from ``css_files``: the style sheet of each widget used, ``_static/attn/<hash>.css``, so that
  the height a widget reserves (``[data-attn="ScoreExplorer"] {min-height: …}``) holds before scripts run;
- in its head, from ``script_files``, deferred: the code of its first widget, ``_static/attn/<hash>.js``, and
  the host, ``_static/attn/host.js``, which loads other code and large buffers when a widget comes near;
- at the end of ``body``: the state, ``<script type="application/json" id="attn-state">``;
- in place of each view ``<div class="attn-view" data-attn="ScoreExplorer" data-attn-panels="both"
  data-state="waiting" data-model="1"><noscript><img …></noscript></div>``; data-state becomes "ready" or
  "error". When a widget is ready the host sets ``performance.mark("attn:ready")``. The heights of a trait
  ``reserve``, (wide, narrow) in px, become ``--attn-wide`` and ``--attn-narrow`` on the div. Large buffers of
  traits that a widget names in ``_late`` come after it is drawn, and not before the reader moves.

A theme has to print ``css_files``, ``script_files`` (with their attributes) and ``body``, as ``basic`` does.
The scripts myst-nb adds for widgets (state, require.js, html-manager) are taken out of ``script_files``.
A page without widgets gets nothing.

NaN or infinity in a trait fails the build. Notebooks are read again when a file of a package listed in
``static_widgets_watch`` (paths relative to the source root) is newer than the last build: Sphinx alone looks
at the notebook only, and would show what an older package drew.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.core.render import WIDGET_STATE_MIMETYPE
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

from .state import NotFiniteError, page_state
from .views import LIVE_BUILDERS, WORDS, PlaceWidgets, WidgetView, saved_models, visit_widget_view

HERE = Path(__file__).parent


class WidgetError(SphinxError):
    """A widget cannot be put on its page."""

    category = "Widget error"


def host_script() -> str:
    """The host as one classic script that runs once: two modules joined, without comments, import, export."""
    sources = "".join((HERE / name).read_text("utf-8") for name in ("model.js", "host.js"))
    code = re.sub(r"/\*\*.*?\*/ *\n?", "", sources, flags=re.S)
    code = re.sub(r"^ *//.*\n|^import .*\n|^export |^ *\n", "", code, flags=re.M)
    return f'(() => {{\n"use strict";\nif (self.attnHost) return;\nself.attnHost = true;\n{code}}})();\n'


def write_asset(app: Sphinx, name: str, text: str) -> None:
    """Write ``_static/attn/<name>``, unless it is there as it should be."""
    path = Path(app.outdir, "_static", "attn", name)
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def write_host(app: Sphinx) -> None:
    """Put the host where pages find it, before the first page asks for its checksum."""
    if app.builder.name in LIVE_BUILDERS:
        write_asset(app, "host.js", host_script())


def add_page_assets(app: Sphinx, page: str, _template: str, context: Any, doctree: nodes.document) -> None:
    """Give a page the state, code and style of its widgets, and take away what myst-nb added for them."""
    if app.builder.format != "html" or doctree is None:
        return
    _drop_widget_manager(app, page, context)
    numbers = {view["model_id"]: view["number"] for view in doctree.findall(WidgetView)}
    if not numbers:
        return
    try:
        needs = page_state(saved_models(app.env, page), numbers, WORDS)
    except NotFiniteError as error:
        raise WidgetError(f"{page}: {error}") from error
    for name, text in needs.files.items():
        write_asset(app, name, text)
    builder: Any = app.builder  # asked itself, it adds for this page alone
    for style in needs.styles:
        builder.add_css_file(f"attn/{style}.css", priority=600)
    builder.add_js_file(f"attn/{needs.modules[0]}.js", priority=600, defer="defer")
    builder.add_js_file("attn/host.js", priority=700, defer="defer")
    context["body"] += f'<script type="application/json" id="attn-state">{needs.json}</script>\n'


def _drop_widget_manager(app: Sphinx, page: str, context: Any) -> None:
    """Take out the state, require.js and html-manager, which myst-nb wants on every page with widgets."""
    files = NbMetadataCollector.get_js_files(app.env, page)
    names = {uri for key, (uri, _) in files.items() if key.startswith("ipywidgets_") and uri}
    context["script_files"][:] = [
        script
        for script in context["script_files"]
        if script.filename not in names and script.attributes.get("type") != WIDGET_STATE_MIMETYPE
    ]


def drop_stale(app: Sphinx, exception: Exception | None) -> None:
    """Remove code, styles and buffers of earlier builds that no page names any more."""
    if exception or app.builder.name not in LIVE_BUILDERS:
        return
    pages = "".join(page.read_text("utf-8") for page in Path(app.outdir).rglob("*.html"))
    for asset in Path(app.outdir, "_static", "attn").iterdir():
        if asset.name != "host.js" and asset.stem not in pages:
            asset.unlink()


def note_packages(app: Sphinx, doctree: nodes.document) -> None:
    """Let every notebook page depend on the packages whose pictures it shows."""
    if not list(doctree.findall(lambda node: isinstance(node, nodes.container) and "nb_element" in node)):
        return
    for package in app.config.static_widgets_watch:
        for path in Path(app.srcdir, package).rglob("*"):
            if path.suffix in (".py", ".js", ".css", ".json"):
                app.env.note_dependency(str(path))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.setup_extension("myst_nb")
    app.add_config_value("static_widgets_watch", ["attn_helpers"], "env", [list])
    app.add_node(WidgetView, html=(visit_widget_view, None))
    app.add_post_transform(PlaceWidgets)
    app.connect("builder-inited", write_host)
    app.connect("doctree-read", note_packages)
    app.connect("html-page-context", add_page_assets, priority=600)  # myst-nb has added its scripts at 500
    app.connect("build-finished", drop_stale)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
