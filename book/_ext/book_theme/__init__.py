"""What the theme `attention` needs beyond templates: one style sheet, navigation, numbers, folding, glyphs.

assets.py    one merged style sheet; KaTeX at build time, its style sheet only on pages with formulas
pages.py     what a page's template gets: navigation, description, links to run the notebook
numbers.py   chapter numbers from file names, so that chapter 0 can exist and chapter 1 stays 1
content.py   folded solutions as <details>, small inline drawings
cards.py     questions to answer first, wrong beliefs
figures.py   pictures below cells get an alternative text and both measures
colab.py     copies of notebooks that carry attn_helpers within themselves
search.py    the text of all pages, for excerpts on disk
downloads.py notebooks can be saved from a page on disk
"""

from . import assets, cards, colab, content, downloads, figures, numbers, pages, search


def setup(app):
    """Register all parts with Sphinx."""
    # Jupyter Book sets this for an extension that _config.yml leaves out; unknown values would be warnings.
    app.add_config_value("comments_config", {}, "")
    for part in (assets, cards, colab, content, downloads, figures, numbers, pages, search):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
