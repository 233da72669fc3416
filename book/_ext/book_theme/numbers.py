"""Number chapters by their file name: notebooks/03_x.ipynb is chapter 3, whichever chapters exist."""

import re

from sphinx.environment.collectors.toctree import TocTreeCollector


def chapter_number(docname):
    """The number in front of a chapter's file name, or None: notebooks/03_x → 3."""
    found = re.search(r"(?:^|/)(\d\d)_[^/]*$", docname)
    return int(found[1]) if found else None


def renumber(app, env):
    """Replace Sphinx's running chapter number, which starts at 1, then number figures and equations anew."""
    for docname, numbers in env.toc_secnumbers.items():
        number = chapter_number(docname)
        if number is not None:
            env.toc_secnumbers[docname] = {a: n and (number, *n[1:]) for a, n in numbers.items()}
    return TocTreeCollector().assign_figure_numbers(env)


def setup(app):
    """Run after Sphinx's own numbering (priority 500)."""
    app.connect("env-get-updated", renumber, priority=900)
