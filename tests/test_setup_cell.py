"""The set-up cell in other people's environments: it installs what is missing and replaces nothing."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
import setup_cell
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from book_theme import colab  # noqa: E402

GITHUB = "https://github.com/someone/some-book"
KEPT = {"torch": "2.11.0+cu128", "numpy": "2.1.3", "ipywidgets": "7.7.1", "traitlets": "5.7.1"}
COLAB = {
    **KEPT,
    "anywidget": "0.9.21",
    "matplotlib": "3.10.0",
    "pillow": "11.3.0",
    "tqdm": "4.67.3",
    "platformdirs": "4.3.8",  # brought by jupyter_core
}
NEWER = dict.fromkeys(COLAB, "99.0")
RUN = """
import json, pathlib, sys
from importlib.metadata import version
said = None
try:
    exec(pathlib.Path(sys.argv[1]).read_text("utf8"))
    said = sys.modules["attn_helpers"].__file__
except Exception as error:
    said = f"{type(error).__name__}: {error}"
print(json.dumps([said, {name: version(name) for name in sys.argv[2:]}]))
"""


def test_the_cell_names_the_address_of_the_configuration(tmp_path):
    """Readers install from this book's repository at its branch, or from nowhere: never from a stranger's."""
    config = tmp_path / "_config.yml"
    for url, branch, source in [
        ("", "main", ""),
        (GITHUB, "main", f"git+{GITHUB}@main"),
        (GITHUB + ".git/", "v1", f"git+{GITHUB}@v1"),
        (GITHUB + "/", "", f"git+{GITHUB}@main"),
    ]:
        config.write_text(f"repository:\n  url: {url!r}\n  branch: {branch!r}\n")
        assert f'SOURCE, VERSION = "{source}", "' in setup_cell.text(config)
    config.write_text("title: no repository at all\n")
    assert colab.NOTHING in setup_cell.text(config)


def test_the_cell_is_placed_once_after_the_title():
    """Storing a notebook again must not move the cell, double it, or lose what it printed."""
    notebook = new_notebook(cells=[new_markdown_cell("# Title"), new_code_cell("import torch")])
    once = setup_cell.placed(notebook)
    assert [cell.source[:8] for cell in once.cells] == ["# Title", "# Finds ", "import t"]
    assert len(notebook.cells) == 2
    once.cells[1].outputs = [nbformat.v4.new_output("stream", text="attn_helpers 0.1.0\n")]
    assert setup_cell.placed(once) == once
    once.cells[1].source = "an older text"
    once.cells.reverse()
    assert [cell.id for cell in setup_cell.placed(once).cells].count("set-up") == 1
    assert setup_cell.placed(once).cells[1].source == setup_cell.text()


def write_files(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf8")


def stand_in(name, version):
    """The files of a package that has a name, a version, and nothing else."""
    info = f"{name}-{version}.dist-info"
    return {
        f"{name}/__init__.py": "",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": f"{name}/__init__.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n",
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return colab.build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def world(tmp_path):
    """world(here, offered) → run(cell) in an environment with these packages, pip offering those."""

    def make(here, offered):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
        site = next((tmp_path / "venv").rglob("site-packages"))
        shutil.copytree(Path(pytest.importorskip("pip").__file__).parent, site / "pip")
        for name, version in here.items():
            write_files(site, stand_in(name, version))
        (tmp_path / "index").mkdir()
        for name, version in offered.items():
            with zipfile.ZipFile(tmp_path / "index" / f"{name}-{version}-py3-none-any.whl", "w") as archive:
                for file, text in stand_in(name, version).items():
                    archive.writestr(file, text)
        return run

    def run(cell, names=(), **settings):
        """What the cell led to (where attn_helpers lies, or the error) and the versions afterwards."""
        write_files(tmp_path, {"cell.py": cell, "run.py": RUN})
        (tmp_path / "empty").mkdir(exist_ok=True)
        python = tmp_path / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        environ = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "PYTHON"))}
        environ |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "index"), **settings}
        command = [python, tmp_path / "run.py", tmp_path / "cell.py", *names]
        done = subprocess.run(
            command, cwd=tmp_path / "empty", env=environ, capture_output=True, text=True, check=True
        )
        return (*json.loads(done.stdout.splitlines()[-1]), done.stdout + done.stderr)

    return make


@pytest.fixture
def carrying(wheel):
    """The set-up cell of the copy for Colab, taken from a notebook that was made for it."""
    notebook = json.loads(nbformat.writes(setup_cell.placed(new_notebook(cells=[new_markdown_cell("# T")]))))
    colab.carry(notebook, wheel)
    nbformat.validate(nbformat.from_dict(notebook))
    return "".join(notebook["cells"][1]["source"])


def test_without_an_address_the_cell_says_what_to_do(world):
    """A reader with the bare file learns in one line how to go on, not only that a module is missing."""
    said, _, words = world(COLAB, {})(setup_cell.TEXT.format(source="", version="1"))
    assert "make lab" in said
    assert "Colab" in said
    assert "\n" not in said
    assert "pip" not in words


@pytest.mark.parametrize("offered", [{}, NEWER], ids=["without network", "with newer versions on offer"])
def test_the_copy_for_colab_brings_the_package_and_changes_nothing(world, carrying, offered, tmp_path):
    """R160, R161, R163, R166: on Colab's versions, in an empty folder, the wheel alone is added."""
    said, after, words = world(COLAB, offered)(carrying, COLAB)
    assert Path(said).is_relative_to(tmp_path / "venv"), words
    assert after == COLAB
    assert f"attn_helpers {setup_cell.__version__}\n" in words


def test_pip_reports_no_other_package(world, carrying, tmp_path):
    """R160: asked what it would do, pip names attn_helpers and nothing of what Colab has."""
    settings = {"PIP_DRY_RUN": "1", "PIP_REPORT": str(tmp_path / "report.json")}
    world(COLAB, NEWER)(carrying, **settings)
    report = json.loads((tmp_path / "report.json").read_text("utf8"))
    assert [item["metadata"]["name"] for item in report["install"]] == ["attn-helpers"]


def test_what_is_missing_is_added(world, carrying):
    """A host without anywidget gets it, and keeps the rest."""
    here = {name: version for name, version in COLAB.items() if name != "anywidget"}
    said, after, words = world(here, NEWER)(carrying, COLAB)
    assert said.endswith("__init__.py"), words
    assert after == {**COLAB, "anywidget": "99.0"}


@pytest.mark.parametrize("name", ["torch", "numpy", "ipywidgets"])
def test_a_package_that_is_too_old_is_reported_not_replaced(world, carrying, name):
    """R160: replacing what a kernel has loaded breaks it in odd ways; a refusal can be understood."""
    here = {**COLAB, name: "1.0"}
    said, after, words = world(here, NEWER)(carrying, COLAB)
    assert said.startswith("CalledProcessError")
    assert after == here
    assert f"{name}==1.0" in words


def test_another_version_is_named(world, tmp_path):
    """R167: who runs an old copy against a new package reads so, instead of meeting odd errors."""
    run = world(COLAB, {})
    site = next((tmp_path / "venv").rglob("site-packages"))
    write_files(site, {"attn_helpers/__init__.py": "__version__ = '3.0'"})
    _, _, words = run(setup_cell.TEXT.format(source="", version="2.0"))
    assert "attn_helpers 3.0; this notebook is for 2.0\n" in words
