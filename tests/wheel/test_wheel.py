"""What the wheel brings: everything, built from an sdist, used where the repository is unknown."""

import json
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import nbformat
import pytest

from tests.wheel.venvs import ROOT, environment, run, site_of

pytestmark = pytest.mark.slow
CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))

EVERY_WIDGET = """
import json, attn_helpers
from attn_helpers.attention_seq2seq import AttentionDecoder
from attn_helpers.corpus import Vocabulary
from attn_helpers.seq2seq import Decoder, Encoder, Seq2Seq
from attn_helpers.trained import load_replay
model, words = Seq2Seq(Encoder(5, 2, 3), Decoder(5, 2, 3)), Vocabulary(["a"])
GIVEN = {  # what has no default
    "AttentionHeatmap": ([[1.0]], ["le"], ["the"]),
    "Seq2SeqStepper": (model, [(["a"], ["a"])], (words, words)),
    "TrainingReplay": (load_replay("bahdanau-bidirectional"),),
    "TranslationLab": (Seq2Seq(Encoder(5, 2, 4), AttentionDecoder(5, 2, 4)), (words, words)),
}
from attn_helpers import widgets
made = {name: getattr(widgets, name)(*GIVEN.get(name, ())) for name in widgets.__all__}
print(json.dumps({"home": attn_helpers.__file__,
                  "widgets": {name: [len(str(w._esm)), len(str(w._css))] for name, w in made.items()}}))
"""

# Takes away each script and style in turn, as if never installed, and says what Python says then.
LOSE_EACH = """
import json, pathlib, sys
from attn_helpers import widgets
home, said = pathlib.Path(widgets.__file__).parent, {}
for lost in [*home.glob("js/*"), *home.glob("css/*")]:
    for name in [name for name in sys.modules if name.startswith("attn_helpers")]:
        del sys.modules[name]
    kept = lost.rename(home / "kept")
    try:
        from attn_helpers.widgets import ScoreExplorer
        ScoreExplorer()
        said[lost.name] = "nothing"
    except FileNotFoundError as error:
        said[lost.name] = str(error)
    kept.rename(lost)
print(json.dumps(said))
"""

# Runs a notebook in the folder where this runs; its last cell, added here, says where everything came from.
RUN = """
import json, pathlib, sys, nbclient, nbformat
book = nbformat.read(sys.argv[1], as_version=4)
book.cells.append(nbformat.v4.new_code_cell("import json, sys, attn_helpers\\n"
    "print(json.dumps([sys.executable, attn_helpers.__file__, *sys.path]))"))
nbclient.NotebookClient(book, timeout=600, startup_timeout=600, kernel_name="python3",
                        resources={"metadata": {"path": str(pathlib.Path.cwd())}}).execute()
nbformat.write(book, sys.argv[2])
print(book.cells[-1].outputs[0].text.strip())
"""


def test_wheel_holds_every_file_of_the_package(wheel):
    """A script or table that the wheel forgets is missed only by those who installed it."""
    folders = (path for path in (ROOT / "attn_helpers").rglob("*") if path.is_file())
    ours = {p.relative_to(ROOT).as_posix() for p in folders if "__pycache__" not in p.parts}
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == ours
    assert {Path(name).suffix for name in packed} >= {".py", ".js", ".css", ".json", ".typed"}


def test_sdist_leaves_nothing_else_behind(wheel):
    """The sdist carries the licence and the package, not the book or the tests."""
    with tarfile.open(next(wheel.parent.glob("*.tar.gz"))) as sdist:
        tops = {name.split("/")[1] for name in sdist.getnames()}
    assert {"LICENSE", "README.md", "attn_helpers", "pyproject.toml"} <= tops
    assert not tops & {"book", "notebooks", "tests", ".github"}


def test_every_widget_works_from_the_wheel(wheel_venv, tmp_path):
    """R168: each widget finds its script and its style without the repository."""
    found = json.loads(run(wheel_venv, EVERY_WIDGET, tmp_path))
    assert Path(found["home"]).parent == site_of(wheel_venv) / "attn_helpers"
    assert "ScoreExplorer" in found["widgets"]
    assert min(size for sizes in found["widgets"].values() for size in sizes) > 200


def test_a_lost_script_is_named_in_python(wheel, tmp_path):
    """R169: otherwise the reader meets a riddle in the browser's console."""
    python = environment(tmp_path / "venv", sysconfig.get_path("purelib"), wheel)
    package = site_of(python) / "attn_helpers"
    said = json.loads(run(python, LOSE_EACH, tmp_path))
    assert said.keys() == {path.name for kind in ("js", "css") for path in package.glob(f"widgets/{kind}/*")}
    asked = "".join(path.read_text(encoding="utf8") for path in package.glob("widgets/*.py"))
    named = {name for name in said if f'"{name}"' in asked}
    assert len(named) > 5
    assert [name for name in named if name not in said[name]] == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_runs_from_the_wheel_alone(wheel_venv, tmp_path, path):
    """R166: a file that only the repository has is missed by every reader who installed the package."""
    folder = tmp_path / "empty"
    folder.mkdir()
    said = run(wheel_venv, RUN, folder, path, tmp_path / "done.ipynb")
    executable, package, *searched = json.loads(said.splitlines()[-1])
    assert Path(executable) == wheel_venv
    assert Path(package).parent == site_of(wheel_venv) / "attn_helpers"
    assert str(ROOT) not in searched
    done = nbformat.read(tmp_path / "done.ipynb", as_version=4)
    outputs = [output for cell in done.cells for output in cell.get("outputs", [])]
    assert any("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in outputs)
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    assert list(folder.iterdir()) == []
