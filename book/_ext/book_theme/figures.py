"""Pictures below cells: the alternative text that came with them, and room kept until they arrive."""

import os
import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.images import get_image_size

SAYS = "Figure: "  # attn_helpers.plots.Picture prints its alternative text as text/plain
MEASURES = re.compile(r'style="width: (\d+)px; height: (\d+)px;"')


def describe(document, folder):
    """Give each picture its text, both measures, and leave to come late what lies below the first view."""
    for bundle in document.findall(nodes.container):
        if bundle.get("nb_element") != "mime_bundle":
            continue
        words = [form.astext().strip() for form in bundle if form["mime_type"] == "text/plain"]
        for image in bundle.findall(nodes.image):
            if words and words[0].startswith(SAYS):
                image["alt"] = words[0].removeprefix(SAYS)
            image["loading"] = "lazy"
            across, up = get_image_size(os.path.join(folder, image["uri"])) or (0, 0)
            width = re.fullmatch(r"(\d+)(?:px)?", image.get("width", ""))
            if across and width:
                image["height"] = f"{round(up * int(width[1]) / across)}px"


class DescribeFigures(SphinxPostTransform):
    """Run `describe` while the text is still there."""

    default_priority = 3  # myst-nb keeps one form of each output at 4
    formats = ("html",)

    def run(self):
        """On the document of one page."""
        describe(self.document, self.app.srcdir)


def as_attributes(app, pagename, templatename, context, doctree):
    """Measures as attributes: a browser keeps room of their proportions, also where the page is narrow."""
    context["body"] = MEASURES.sub(r'width="\1" height="\2"', context.get("body", ""))


def setup(app):
    """Register."""
    app.add_post_transform(DescribeFigures)
    app.connect("html-page-context", as_attributes)
