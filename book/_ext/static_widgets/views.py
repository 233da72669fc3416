"""Where an output showed a widget: a place for the live one, or what can stand there without.

myst-nb keeps all representations of an output in one ``mime_bundle`` container until its post-transform
SelectMimeType picks one for the builder at hand. ``PlaceWidgets`` runs just before and settles the view:

- HTML with a file per page: the bundle becomes a ``WidgetView``, which holds the picture for noscript;
- widgets that need a kernel (sliders of ``interact``): last figure or text, and a sentence saying so;
- other builders (LaTeX, text, EPUB, single page for print): the view is dropped, picture or text remains.
"""

import html
import json
import os
import posixpath
import re
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.core.render import WIDGET_STATE_MIMETYPE, WIDGET_VIEW_MIMETYPE
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.images import get_image_size

from .state import Model, class_name, is_anywidget

LIVE_BUILDERS = ("html", "dirhtml")
WORDS = {
    "kernel": "This control needs a running kernel: open the notebook to use it.",
    "failed": "This widget could not start.",
    "download": "Download the notebook to run it.",
}

logger = logging.getLogger(__name__)


class WidgetView(nodes.General, nodes.Element):
    """The place of one live widget. Its child, if any, is the picture shown where scripts are off."""


def saved_models(env: Any, docname: str) -> dict[str, Model]:
    """Model id → model, as the page's notebook left them behind."""
    _, script = NbMetadataCollector.get_js_files(env, docname).get("ipywidgets_state", (None, None))
    if script is None or script["type"] != WIDGET_STATE_MIMETYPE:
        return {}
    models: dict[str, Model] = json.loads(script["body"])["state"]
    return models


class PlaceWidgets(SphinxPostTransform):
    """Replace each widget view by what the builder can show."""

    default_priority = 3  # SelectMimeType has 4

    def run(self, **_: Any) -> None:
        """Settle every output of the page that shows a widget."""
        bundles = list(self.document.findall(_shows_widget))
        if not bundles:
            return
        env: Any = self.env  # with what myst-nb adds to it
        self.live = self.app.builder.name in LIVE_BUILDERS
        self.models: dict[str, Model] = {}
        self.alts: dict[str, str] = {}
        for docname in [env.docname] if self.live else NbMetadataCollector.get_doc_data(env):
            # other builders may have put many pages into one document
            self.models |= saved_models(env, docname)
            self.alts |= _alt_texts(Path(env.mystnb_config.output_folder, f"{docname}.ipynb"))
        self.numbers: dict[str, int] = {}
        for bundle in bundles:
            view = _part(bundle, WIDGET_VIEW_MIMETYPE)
            bundle.remove(view)
            self._settle(bundle, re.findall(r'"model_id": "(\w+)"', view.astext())[0])

    def _settle(self, bundle: nodes.container, model_id: str) -> None:
        text = _part(bundle, "text/plain")
        picture = _picture(bundle)
        if picture is not None:
            picture["alt"] = self.alts.get(model_id) or picture.get("alt") or (text.astext() if text else "")
        model = self.models.get(model_id)
        if model is None:
            message = "The output shows a widget whose state is not in the notebook: was it executed?"
            logger.warning(message, location=bundle, type="static_widgets")
        elif not is_anywidget(model):
            _show_last_output(bundle, list(_outputs(self.models, model_id)))
            bundle.parent.insert(bundle.parent.index(bundle) + 1, _words(WORDS["kernel"]))
        elif self.live:
            view = WidgetView(
                model_id=model_id,
                number=self.numbers.setdefault(model_id, len(self.numbers) + 1),
                name=class_name(model),
                panels=model["state"].get("panels"),
                reserve=model["state"].get("reserve"),
                text=text.astext() if text else class_name(model),
            )
            if picture is not None:
                view.append(picture)
            bundle.replace_self(view)


def visit_widget_view(self: Any, node: WidgetView) -> None:
    """Write the placeholder. JavaScript fills it; without, the picture in it is shown."""
    picture = next(iter(node.findall(nodes.image)), None)  # Sphinx may have put a link around it
    still = f"<p>{html.escape(node['text'])}</p>" if picture is None else _img(self.builder, picture)
    panels = f' data-attn-panels="{html.escape(str(node["panels"]))}"' if node["panels"] is not None else ""
    room = _room(*node["reserve"]) if node["reserve"] is not None else ""
    self.body.append(
        f'<div class="attn-view" data-attn="{html.escape(node["name"])}"{panels}{room} data-state="waiting"'
        f' data-model="{node["number"]}"><noscript>{still}</noscript></div>\n'
    )
    raise nodes.SkipNode


def _room(wide: int, narrow: int) -> str:
    """Heights in px for the widget's style sheet to keep free: what it shows decides how high it gets."""
    return f' style="--attn-wide:{int(wide)}px;--attn-narrow:{int(narrow)}px"'


def _img(builder: Any, image: nodes.image) -> str:
    """An <img> with both its measures, so that it does not push the text about when it arrives."""
    width, height = get_image_size(os.path.join(builder.srcdir, image["uri"])) or (0, 0)
    wanted = re.fullmatch(r"(\d+)(px)?", image.get("width", ""))
    if wanted and width:
        width, height = int(wanted[1]), round(height * int(wanted[1]) / width)
    size = f' width="{width}" height="{height}"' if width else ""
    src = posixpath.join(builder.imgpath, urllib.parse.quote(builder.images[image["uri"]]))
    return f'<img alt="{html.escape(image["alt"])}"{size} src="{src}">'


def _shows_widget(node: nodes.Node) -> bool:
    is_bundle = isinstance(node, nodes.container) and node.get("nb_element") == "mime_bundle"
    return is_bundle and _part(node, WIDGET_VIEW_MIMETYPE) is not None


def _part(bundle: nodes.Element, mime_type: str) -> Any:
    return next((part for part in bundle.children if part["mime_type"] == mime_type), None)


def _picture(bundle: nodes.Element) -> nodes.image | None:
    part = _part(bundle, "image/png")
    return next(iter(part.findall(nodes.image)), None) if part else None


def _alt_texts(notebook: Path) -> dict[str, str]:
    """Model id → alternative text of its picture.

    myst-nb hands on the width that an output's metadata gives for its picture, but not the alt: so look
    it up in the executed notebook that myst-nb writes.
    """
    if not notebook.exists():
        return {}
    alts = {}
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            if view := output.get("data", {}).get(WIDGET_VIEW_MIMETYPE):
                alts[view["model_id"]] = output["metadata"].get("image/png", {}).get("alt", "")
    return alts


def _outputs(models: dict[str, Model], model_id: str) -> Iterator[dict[str, Any]]:
    """All that the Output widgets among the model and its descendants have caught."""
    state = models.get(model_id, {}).get("state", {})
    yield from state.get("outputs", ())
    for child in state.get("children", ()):
        yield from _outputs(models, child.removeprefix("IPY_MODEL_"))


def _show_last_output(bundle: nodes.container, outputs: list[dict[str, Any]]) -> None:
    """Let the last figure, or else the text, that a control had produced stand for it."""
    figures = [output["data"] for output in outputs if "image/png" in output.get("data", {})]
    text = "".join(output["text"] for output in outputs if "text" in output)
    if figures:
        uri = "data:image/png;base64," + figures[-1]["image/png"].replace("\n", "")
        alt = figures[-1].get("text/plain", "")
        content: nodes.Element = nodes.image(uri=uri, candidates={"?": uri}, alt=alt)
        bundle.insert(0, nodes.container("", content, mime_type="image/png"))
    if text:
        content = nodes.literal_block(text, text, classes=["output", "text_plain"], language="none")
        old = _part(bundle, "text/plain")
        if old is not None:
            bundle.remove(old)
        bundle.append(nodes.container("", content, mime_type="text/plain"))


def _words(sentence: str) -> nodes.paragraph:
    return nodes.paragraph(sentence, sentence, classes=["attn-needs-kernel"])
