"""Sections for the curious: folded in the book with the cells in them, plain headings in JupyterLab."""

import re
from io import StringIO
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

EXT = Path(__file__).parents[1] / "book" / "_ext"
CONF = f"""
import sys
sys.path.insert(0, {str(EXT)!r})
from book_theme import content
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "basic"
def setup(app):
    content.setup(app)
"""
PAGE = """# Page

[There](#for-the-curious-what-it-costs).

## One

### For the curious: what *it* costs

A table, and code:

```python
1 + 1
```

### After it

Not folded. This is for the curious, too.
"""


def built(folder):
    """The page as HTML; every warning is an error."""
    (folder / "conf.py").write_text(CONF)
    (folder / "index.md").write_text(PAGE, encoding="utf8")
    said = StringIO()
    places = [folder, folder, folder / "out", folder / "trees"]
    with docutils_namespace():
        Sphinx(*map(str, places), "html", status=None, warning=said, freshenv=True).build()
    assert said.getvalue() == ""
    return (folder / "out" / "index.html").read_text("utf8")


def test_a_section_for_the_curious_is_folded_with_its_code(tmp_path):
    """It opens at its heading, links to it still lead there, and what follows stays open."""
    page = built(tmp_path)
    (folded,) = re.findall(r"<details class=\"aside folded\"(.*?)</details>", page, re.DOTALL)
    assert 'id="for-the-curious-what-it-costs"' in folded
    assert "<summary>For the curious: what it costs</summary>" in folded
    assert "highlight" in folded
    assert "After it" not in folded
    assert "<h3>After it" in page
