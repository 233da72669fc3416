"""Number chapters by their file name: notebooks/03_x.ipynb is chapter 3, 05b_x.ipynb the second half of 5."""

import re

from sphinx.environment.collectors.toctree import TocTreeCollector


def chapter_number(docname):
    """The number in front of a chapter's file name, or None: notebooks/03_x → 3, notebooks/05b_x → "5b"."""
    found = re.search(r"(?:^|/)(\d\d)([a-z]?)_[^/]*$", docname)
    if not found:
        return None
    return f"{int(found[1])}{found[2]}" if found[2] else int(found[1])


def renumber(app, env):
    """Replace Sphinx's running chapter number, which starts at 1, then number figures and equations anew."""
    for docname, numbers in env.toc_secnumbers.items():
        number = chapter_number(docname)
        if number is not None:
            env.toc_secnumbers[docname] = {a: n and (number, *n[1:]) for a, n in numbers.items()}
            if "secnumber" in env.titles[docname]:  # what "Before this" and "Read on" say
                env.titles[docname]["secnumber"] = (number,)
    return TocTreeCollector().assign_figure_numbers(env)


def setup(app):
    """Run after Sphinx's own numbering (priority 500)."""
    app.connect("env-get-updated", renumber, priority=900)
