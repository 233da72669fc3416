"""Pictures of cells carry words and measures into the page."""

import sys
from pathlib import Path

import pytest
from docutils import nodes
from docutils.utils import new_document
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "book/_ext"))
from book_theme import figures


@pytest.fixture
def page(tmp_path):
    """A cell's output as myst-nb hands it over: a picture and its text; beside it a picture of the prose."""
    Image.new("RGB", (1440, 640)).save(tmp_path / "a.png")
    document = new_document("page")
    bundle = nodes.container("", nb_element="mime_bundle")
    picture = nodes.image(uri="a.png", width="720")
    words = nodes.literal_block("", "Figure: two bars, the second longer.\n")
    for mime, child in (("image/png", picture), ("text/plain", words)):
        bundle += nodes.container("", child, mime_type=mime)
    document += [bundle, nodes.image(uri="b.png", alt="as it was")]
    figures.describe(document, tmp_path)
    return list(document.findall(nodes.image))


def test_a_picture_takes_its_words_and_its_proportions(page):
    """A screen reader hears what is seen, not a file name; the page does not jump when the file arrives."""
    assert page[0]["alt"] == "two bars, the second longer."
    assert (page[0]["width"], page[0]["height"]) == ("720", "320px")
    assert page[0]["loading"] == "lazy"


def test_other_pictures_stay_as_they_are(page):
    assert page[1].attributes.get("alt") == "as it was"
    assert "loading" not in page[1]


def test_measures_become_attributes():
    """As a style they would fix the height on a narrow screen and distort the picture."""
    context = {"body": '<img alt="x" src="a.png" style="width: 720px; height: 320px;" />'}
    figures.as_attributes(None, "page", "page.html", context, None)
    assert context["body"] == '<img alt="x" src="a.png" width="720" height="320" />'
