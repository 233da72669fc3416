"""Folding without JavaScript, tables that scroll by themselves, drawings that follow the page's colours."""

from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxRole
from sphinx_exercise.nodes import solution_node

GLYPHS = Path(__file__).parents[2] / "_assets" / "glyphs"


class folded(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """A block that opens at its title."""


def visit_folded(self, node):
    """Open <details>, with the title as its summary."""
    self.body.append(self.starttag(node, "details", CLASS="folded"))


def depart_folded(self, node):
    """Close it."""
    self.body.append("</details>\n")


class summary(nodes.General, nodes.TextElement):  # noqa: N801
    """The title of a folded block."""


def visit_summary(self, node):
    """Open <summary>."""
    self.body.append(self.starttag(node, "summary", suffix=""))


def depart_summary(self, node):
    """Close it."""
    self.body.append("</summary>\n")


class FoldDropdowns(SphinxPostTransform):
    """Turn every solution and every admonition of class `dropdown` into a folded block."""

    default_priority = 300  # after sphinx-exercise has written the titles (20 to 22)
    formats = ("html",)

    def run(self):
        """Replace in place."""
        for node in list(self.document.findall(nodes.Admonition)):
            if isinstance(node, solution_node) or "dropdown" in node["classes"]:
                node.replace_self(self.fold(node))

    @staticmethod
    def fold(node):
        """The same content in a folded block; links inside the title would fight with opening it."""
        block = folded("", ids=node["ids"], names=node["names"], classes=node["classes"])
        title = node.next_node(nodes.title, descend=True)
        words = title.astext() if title is not None else type(node).__name__.capitalize()
        block += summary("", words)
        block.extend(child for child in node.children if child is not title)
        return block


class FoldAsides(SphinxPostTransform):
    """Fold every section whose heading begins with "For the curious", with the cells in it.

    A directive could not hold code cells, and in JupyterLab a heading folds what stands below it as well.
    """

    default_priority = 305
    formats = ("html",)

    def run(self):
        """Replace in place."""
        for node in list(self.document.findall(nodes.section)):
            if node[0].astext().startswith("For the curious"):
                block = folded("", ids=node["ids"], classes=["aside"])
                block += summary("", node[0].astext())
                block.extend(node[1:])
                node.replace_self(block)


class FreeIds(SphinxPostTransform):
    """Take away the id that sphinx-exercise gives to every exercise alike: an id may stand once."""

    default_priority = 299
    formats = ("html",)

    def run(self):
        """Leave the sections, without a name."""
        for node in self.document.findall(nodes.section):
            if node["ids"] in (["exercise-content"], ["solution-content"]):
                node["ids"] = []


class WrapTables(SphinxPostTransform):
    """Give every table a frame that scrolls sideways, so that the page itself never does."""

    default_priority = 310
    formats = ("html",)

    def run(self):
        """Wrap in place."""
        for table in list(self.document.findall(nodes.table)):
            frame = nodes.container(classes=["scroll"])
            table.replace_self(frame)
            frame += table


class Glyph(SphinxRole):
    """{glyph}`name` draws book/_assets/glyphs/name.svg inline, so that its colours follow the theme."""

    def run(self):
        """Read the file; a missing one is reported where the role stands."""
        path = GLYPHS / f"{self.text}.svg"
        if not path.is_file():
            words = f"no drawing {path.name} in book/_assets/glyphs"
            return [], [self.inliner.reporter.error(words, line=self.lineno)]
        return [nodes.raw("", path.read_text(encoding="utf-8").strip(), format="html")], []


def setup(app):
    """Register nodes, transform and role."""
    app.add_node(folded, html=(visit_folded, depart_folded))
    app.add_node(summary, html=(visit_summary, depart_summary))
    app.add_post_transform(FreeIds)
    app.add_post_transform(FoldDropdowns)
    app.add_post_transform(FoldAsides)
    app.add_post_transform(WrapTables)
    app.add_role("glyph", Glyph())
