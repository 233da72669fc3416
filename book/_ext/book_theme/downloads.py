"""Notebooks that can be saved from a page on the reader's disk.

Between files a browser ignores the attribute `download`, and shows a notebook as text. So each notebook gets
a twin: a script with its text, which may be loaded from anywhere; book.js saves from it.
"""

import json
from pathlib import Path


def write_twins(folder):
    """Beside every notebook in a folder, name.ipynb.js."""
    for notebook in Path(folder).rglob("*.ipynb"):
        text = json.dumps(notebook.read_text(encoding="utf-8"))
        notebook.with_name(f"{notebook.name}.js").write_text(f"attnSave({text});\n", encoding="utf-8")


def write(app, exception):
    """Run when all notebooks lie in the book."""
    if exception is None and app.builder.format == "html":
        write_twins(app.outdir)


def setup(app):
    """Connect to Sphinx, after the copies for Colab."""
    app.connect("build-finished", write, priority=900)
