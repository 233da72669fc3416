"""How a reader takes a notebook away: always as a file, and to Colab or Binder by the book's own address."""

import base64
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
import setup_cell
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parent.parent
GITHUB = "https://github.com/someone/some-book"
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
pytestmark = pytest.mark.slow


class Links(HTMLParser):
    """Links of a page, by the words that name them."""

    def __init__(self, page):
        super().__init__()
        self.found, self.open = {}, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self.open = dict(attrs)
            self.found[self.open.get("title") or self.open["href"]] = self.open

    def elsewhere(self):
        """Links to other hosts, but for the licence."""
        return {a["href"] for a in self.found.values() if "//" in a["href"] and a["href"] != LICENCE}


def build(folder, url):
    """A book of one notebook with the real theme and this address; returns the links of its page."""
    shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("__pycache__"))
    config = (ROOT / "_config.yml").read_text("utf8")
    config, changed = re.subn(r"(?m)^  url: .*$", f'  url: "{url}"', config)
    assert changed == 1
    (folder / "_config.yml").write_text(config, encoding="utf8")
    (folder / "_toc.yml").write_text(yaml.safe_dump({"format": "jb-book", "root": "notebooks/00_page"}))
    (folder / "notebooks").mkdir()
    notebook = new_notebook(cells=[new_markdown_cell("# Page"), new_code_cell("6 * 7")])
    notebook = setup_cell.placed(notebook)
    notebook.cells[1].source = setup_cell.text(folder / "_config.yml")
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / "notebooks/00_page.ipynb")
    command = [sys.executable, ROOT / "tools/book.py", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return Links((folder / "_build/html/notebooks/00_page.html").read_text("utf8"))


def linked(folder, links, words):
    """The notebook behind the link of this name, which is offered as a download."""
    link = links.found[words]
    assert "download" in link
    return json.loads((folder / "_build/html/notebooks" / link["href"]).read_text("utf8"))


def test_without_an_address_the_page_hands_out_two_files(tmp_path):
    """The notebook as it is, and one for Colab that brings the package; no link leads to a stranger's."""
    links = build(tmp_path, "")
    assert links.elsewhere() == set()
    plain = linked(tmp_path, links, "Download this notebook")
    assert plain == json.loads((tmp_path / "notebooks/00_page.ipynb").read_text("utf8"))
    copy = linked(tmp_path, links, "Download this notebook for Colab, with all it needs")
    nbformat.validate(nbformat.from_dict(copy))
    source = "".join(copy["cells"][1]["source"])
    wheel = io.BytesIO(base64.b64decode(re.search(r'b64decode\("(.*?)"\)', source)[1]))
    assert "attn_helpers/widgets/js/heatmap.js" in zipfile.ZipFile(wheel).namelist()
    assert copy["cells"][2:] == plain["cells"][2:]


def test_with_an_address_the_page_leads_to_colab_and_binder(tmp_path):
    """Both open the book's own notebook, which installs from the same address; a file remains on offer."""
    links = build(tmp_path, GITHUB)
    there = f"{GITHUB.removeprefix('https://github.com/')}"
    assert links.elsewhere() == {
        f"https://colab.research.google.com/github/{there}/blob/main/notebooks/00_page.ipynb",
        f"https://mybinder.org/v2/gh/{there}/main?urlpath=lab/tree/notebooks/00_page.ipynb",
    }
    assert not any("for Colab" in name for name in links.found)
    plain = linked(tmp_path, links, "Download this notebook")
    assert f'"git+{GITHUB}@main"' in "".join(plain["cells"][1]["source"])
    assert not (tmp_path / "_build/html/_downloads").exists()
