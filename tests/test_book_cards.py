"""Questions to answer first and wrong beliefs: what a reader gets, and what an author is told."""

import re
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

ROOT = Path(__file__).parents[1]
EXT = ROOT / "book" / "_ext"
CONF = f"""
import sys
sys.path.insert(0, {str(EXT)!r})
from book_theme import cards, content
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "dollarmath", "tasklist"]
html_theme = "basic"
def setup(app):
    cards.setup(app)
    content.setup(app)
"""
PREDICT = """
:::{predict}

Which sum to 1?

- [ ] the *rows* of $K$
- [ ] the columns

---

The rows.

- plain point

:::
"""
MISCONCEPTION = """
:::{misconception} A column of $K$ *also* sums to 1

**How it shows.** The softmax runs along `dim=-2`.

**What is true.** Rows sum to 1.

:::
"""


@pytest.fixture
def build(tmp_path):
    """build(text) → (the page's article, the warnings)."""

    def make(text, builder="html"):
        (tmp_path / "conf.py").write_text(CONF)
        (tmp_path / "index.md").write_text("# Page\n" + text, encoding="utf8")
        said = StringIO()
        folders = [tmp_path, tmp_path, tmp_path / "out", tmp_path / "trees"]
        with docutils_namespace():
            Sphinx(*map(str, folders), builder, status=None, warning=said, freshenv=True).build()
        page = (tmp_path / f"out/index.{'html' if builder == 'html' else 'txt'}").read_text("utf8")
        return (page.split("<section", 1)[-1].split("</section>")[0], said.getvalue())

    return make


class Outline(HTMLParser):
    """(tag, attributes) of every opened element, and the path of tags above each text."""

    def __init__(self, page):
        super().__init__()
        self.path, self.opened, self.texts = [], [], {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.opened.append((tag, dict(attrs)))
        if tag != "input":
            self.path.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.opened.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.path.pop() == tag, "elements overlap"

    def handle_data(self, data):
        if data.strip():
            self.texts[data.strip()] = tuple(self.path)

    def all(self, tag):
        return [attrs for name, attrs in self.opened if name == tag]


def test_a_question_offers_guesses_and_folds_its_answer(build):
    """The reader must be able to choose with nothing but the browser, and not see the answer before."""
    page, said = build(PREDICT)
    assert said == ""
    outline = Outline(page)
    assert outline.texts["Which sum to 1?"][-2:] == ("div", "p")
    assert outline.texts["the columns"][-3:] == ("fieldset", "label", "span")
    assert outline.texts["rows"][-4:] == ("fieldset", "label", "span", "em")
    assert outline.texts["Your guess, then the answer"][-1] == "legend"
    assert outline.texts["Show the answer"][-2:] == ("details", "summary")
    assert outline.texts["The rows."][-2:] == ("details", "p")
    assert "details" in outline.texts["plain point"]
    assert not any("open" in fold for fold in outline.all("details"))
    assert [(b["type"], "disabled" in b) for b in outline.all("input")] == [("radio", False)] * 2


def test_each_question_has_guesses_of_its_own(build):
    """A guess in the second question must not take back the one in the first."""
    page, said = build(PREDICT + PREDICT)
    assert said == ""
    names = [button["name"] for button in Outline(page).all("input")]
    assert names[0] == names[1] != names[2] == names[3]


def test_a_question_alone_is_a_question(build):
    """Most answers come from the next cell: then nothing is folded and nothing is offered."""
    page, said = build(":::{predict}\n\nWhat will it *print*?\n\n- a plain point\n\n:::\n")
    assert said == ""
    outline = Outline(page)
    assert outline.texts["Predict"][-2:] == ("div", "p")
    assert outline.texts["a plain point"][-2:] == ("li", "p")
    assert outline.all("details") == outline.all("input") == []


def test_a_wrong_belief_says_so_before_it_says_what(build):
    """Read aloud or copied, the belief must not stand there as a fact."""
    page, said = build(MISCONCEPTION)
    assert said == ""
    title = re.search(r'<p class="admonition-title">(.*?)</p>', page)[1]
    assert re.sub("<.*?>", "", title).startswith("Misconception A column of ")
    outline = Outline(page)
    assert outline.texts["also"][-3:] == ("div", "p", "em")
    assert outline.texts["What is true."][-3:] == ("div", "p", "strong")
    assert "misconception" in outline.all("div")[0]["class"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (":::{predict}\n:::\n", "none given|missing"),
        (":::{predict}\n\nA?\n\n---\n\n:::\n", "answer after '---'"),
        (":::{predict}\n\nA?\n\n---\n\nB\n\n---\n\nC\n\n:::\n", "got 2"),
        (":::{predict}\n\nA?\n\n- [ ] one\n\n  more\n\n:::\n", "single line"),
        (MISCONCEPTION.replace("What is true", "Really"), "'How it shows', 'Really'"),
        (MISCONCEPTION.replace("**How it shows.** ", ""), r"got \['What is true'\]"),
        (MISCONCEPTION.replace("A column of $K$ *also* sums to 1", ""), "1 argument"),
    ],
)
def test_what_is_missing_is_said_with_its_line(build, text, words):
    """The build stops at warnings, so a half card is never published; its author learns where it stands."""
    _, said = build(text)
    assert re.search(words, said), said
    assert re.search(r"index\.md:\d+", said)


def test_on_plain_paper_everything_is_there(build):
    """Other outputs than web pages know neither folds nor buttons, and must lose nothing."""
    page, said = build(PREDICT + MISCONCEPTION, "text")
    assert said == ""
    for words in ("Which sum to 1?", "the columns", "The rows.", "Misconception", "Rows sum to 1."):
        assert words in page
