"""While the book has no address to install from: copies of the notebooks that carry attn_helpers."""

import base64
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from sphinx.errors import ExtensionError

FOLDER = "_downloads"
SET_UP = "set-up"  # the id that tools/setup_cell.py gives its cell
NOTHING = 'SOURCE, VERSION = "", '
CARRIED = """\
import base64, pathlib, tempfile
SOURCE = pathlib.Path(tempfile.mkdtemp()) / "{name}"
SOURCE.write_bytes(base64.b64decode("{code}"))
SOURCE, VERSION = str(SOURCE), """


def build_wheel(folder):
    """attn_helpers as a wheel, built from the project it is imported from."""
    project = Path(importlib.util.find_spec("attn_helpers").origin).parents[1]
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    if done.returncode:
        raise ExtensionError(f"no wheel of attn_helpers from {project.name}: {done.stdout}{done.stderr}")
    return next(Path(folder).glob("*.whl"))


def set_up_cell(notebook):
    """The cell that looks for attn_helpers, if it has no address to install it from; else None."""
    cells = (cell for cell in notebook["cells"] if cell.get("id") == SET_UP)
    return next((cell for cell in cells if NOTHING in "".join(cell["source"])), None)


def carry(notebook, wheel):
    """Put the wheel into the set-up cell, and fold the cell in Colab."""
    cell = set_up_cell(notebook)
    code = base64.b64encode(wheel.read_bytes()).decode()
    carried = CARRIED.format(name=wheel.name, code=code)
    cell["source"] = "# @title Set-up\n" + "".join(cell["source"]).replace(NOTHING, carried)
    cell["metadata"]["cellView"] = "form"


def copy_for(app, pagename):
    """Where a page's copy goes, seen from the root of the book; nothing if its notebook needs none."""
    if pagename not in app.env.all_docs or not str(app.env.doc2path(pagename)).endswith(".ipynb"):
        return None
    notebook = json.loads(Path(app.env.doc2path(pagename)).read_text(encoding="utf-8"))
    return f"{FOLDER}/{Path(pagename).name}_colab.ipynb" if set_up_cell(notebook) else None


def write(app, exception):
    """Write every copy; the wheel is built once."""
    if exception or app.builder.format != "html":
        return
    copies = {page: copy for page in app.env.all_docs if (copy := copy_for(app, page))}
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(folder) if copies else None
        for page, copy in copies.items():
            notebook = json.loads(Path(app.env.doc2path(page)).read_text(encoding="utf-8"))
            carry(notebook, wheel)
            target = Path(app.outdir, copy)
            target.parent.mkdir(exist_ok=True)
            target.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def setup(app):
    """Connect to Sphinx."""
    app.connect("build-finished", write)
