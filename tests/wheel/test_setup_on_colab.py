"""The copy of a chapter that carries the package, on Colab's versions, in a folder without anything else."""

import json
import os
import sys
from pathlib import Path

import nbformat
import pytest
import setup_cell

from tests.wheel.venvs import OURS, ROOT, call

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from book_theme import colab

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
KEPT = {"torch", "numpy", "ipywidgets", "traitlets"}
VERSIONS = (
    "import json, importlib.metadata as m; print(json.dumps({d.name: d.version for d in m.distributions()}))"
)
WHERE = "import attn_helpers; print(attn_helpers.__file__)"
pytestmark = pytest.mark.slow


@pytest.fixture
def here(colab_copy, tmp_path):
    """here(*arguments) → what that Python prints, offline, in an empty folder, knowing nothing of our own."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith((*OURS, "PIP_"))}
    (tmp_path / "empty").mkdir()

    def python(*arguments, **settings):
        settings = {"PIP_NO_INDEX": "1", **settings}
        return call(colab_copy, *arguments, cwd=tmp_path / "empty", env=environ | settings)

    return python


def carrying(path, wheel):
    """The copy for Colab of a notebook."""
    notebook = json.loads(nbformat.writes(setup_cell.placed(nbformat.read(path, as_version=4))))
    colab.carry(notebook, wheel)
    return notebook


def test_pip_reports_the_package_alone(here, wheel, tmp_path):
    """R160, R161, R163: with and without the cell's own care, nothing that Colab has would be replaced."""
    cell = "".join(carrying(CHAPTERS[0], wheel)["cells"][1]["source"]).split("from attn_helpers")[0]
    (tmp_path / "cell.py").write_text(cell, encoding="utf8")
    report = str(tmp_path / "report.json")
    for arguments, settings in [
        ([str(tmp_path / "cell.py")], {"PIP_DRY_RUN": "1", "PIP_REPORT": report}),
        (["-m", "pip", "install", "--dry-run", "--report", report, str(wheel)], {}),
    ]:
        here(*arguments, **settings)
        planned = json.loads(Path(report).read_text("utf8"))["install"]
        assert [item["metadata"]["name"] for item in planned] == ["attn-helpers"]
        Path(report).unlink()


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_runs_whole(here, wheel, tmp_path, path):
    """R166: the copy alone, on a machine like Colab's, runs to its last cell and changes no version."""
    before = json.loads(here("-c", VERSIONS))
    assert before.keys() >= KEPT
    (tmp_path / "empty" / "chapter.ipynb").write_text(json.dumps(carrying(path, wheel)), encoding="utf8")
    command = ["-m", "nbconvert", "--execute", "--to", "notebook", "--output", "done", "chapter.ipynb"]
    here(*command, "--ExecutePreprocessor.timeout=600")
    after = json.loads(here("-c", VERSIONS))
    added = {name.replace("_", "-"): version for name, version in after.items() if name not in before}
    assert added == {"attn-helpers": setup_cell.__version__}
    assert {name: after[name] for name in before} == before
    assert Path(here("-c", WHERE).strip()).is_relative_to(tmp_path)
    assert "jupyter.widget-view" in (tmp_path / "empty" / "done.ipynb").read_text("utf8")
