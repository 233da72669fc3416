"""Taking a chapter away, as it is or with the package inside; with a server and without."""

import json

import pytest

PLAIN = "Download this notebook"
COLAB = "For Colab"


@pytest.fixture(params=["http", "file"])
def chapter(request, book, serve, open_page):
    """A chapter's page, opened, and its name."""
    path = sorted(book.glob("notebooks/*.html"))[0]
    base = serve(book) if request.param == "http" else book.as_uri()
    page, record = open_page(f"{base}/notebooks/{path.name}")
    yield page, path.stem
    assert record.trouble() == []


def downloaded(page, name):
    """The file name and the notebook behind a link."""
    with page.expect_download() as download:
        page.get_by_role("link", name=name, exact=True).click()
    return download.value.suggested_filename, json.loads(download.value.path().read_text("utf8"))


def set_up(notebook):
    """The text of the set-up cell."""
    return next("".join(cell["source"]) for cell in notebook["cells"] if cell["id"] == "set-up")


def test_the_notebook_can_be_taken_away(chapter):
    """A click saves the file under its own name; a browser that showed it as text would not help anybody."""
    page, name = chapter
    file, notebook = downloaded(page, PLAIN)
    assert file == f"{name}.ipynb"
    assert set_up(notebook).startswith("# Finds attn_helpers")


def test_for_colab_it_carries_the_package(chapter):
    """While the book has no address, the second file is all that a reader has to upload.

    With an address there is a link instead: then take this test out, test_book_downloads.py holds both.
    """
    page, name = chapter
    file, notebook = downloaded(page, COLAB)
    assert file == f"{name}_colab.ipynb"
    assert "b64decode" in set_up(notebook)
