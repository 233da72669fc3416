"""`make book` tells the truth: pages follow the helper package, and a failing cell fails the build."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A book of one page with the real configuration, whose only cell asks a helper module."""
    folder = tmp_path_factory.mktemp("book")
    shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "_config.yml", folder)
    (folder / "_toc.yml").write_text(yaml.safe_dump({"format": "jb-book", "root": "notebooks/00_page"}))
    (folder / "notebooks").mkdir()
    notebook = new_notebook(
        cells=[new_markdown_cell("# Page"), new_code_cell("import helper; helper.answer()")]
    )
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / "notebooks/00_page.ipynb")
    return folder


def build(folder, answer):
    """Exit code, words and page of a build with a helper that gives this answer."""
    (folder / "notebooks/helper.py").write_text(f"def answer():\n    return {answer}\n")
    done = subprocess.run([sys.executable, ROOT / "tools/book.py", folder], capture_output=True, text=True)
    page = folder / "_build/html/notebooks/00_page.html"
    return (
        done.returncode,
        done.stdout + done.stderr,
        page.read_text(encoding="utf8") if page.exists() else "",
    )


def test_a_build_starts_from_scratch_and_says_where_the_book_is(folder):
    """Sphinx looks at a page's text only, so what an older helper package said would stay."""
    stale = folder / "_build/.doctrees/notebooks/old_page.doctree"
    stale.parent.mkdir(parents=True)
    stale.write_text("what an older package said")
    code, words, page = build(folder, "'forty-two'")
    assert code == 0, words
    assert not stale.exists()
    assert "forty-two" in page
    assert f"The book is here: {(folder / '_build/html/index.html').as_uri()}" in words


def test_a_failing_cell_fails_the_build_in_plain_words(folder):
    """Otherwise a traceback is published; and who builds must see the cell, not only a stack of Sphinx."""
    code, words, page = build(folder, "1 / 0")
    assert code != 0
    assert page == ""
    assert "helper.answer()" in words
    assert "ZeroDivisionError" in words
    assert "jupyter_book/cli" not in words


def test_a_warning_fails_the_build_and_is_shown(folder):
    """A broken link is found while building, not by a reader."""
    path = folder / "notebooks/00_page.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(new_markdown_cell("See {ref}`nowhere-at-all`."))
    nbformat.write(notebook, path)
    code, words, _ = build(folder, "1")
    assert code != 0
    assert "nowhere-at-all" in words
