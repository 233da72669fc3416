"""What the wheel brings: everything, built from an sdist, used where the repository is unknown."""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.slow
READ = {"capture_output": True, "text": True}

EVERY_WIDGET = """
import json, attn_helpers
GIVEN = {"AttentionHeatmap": ([[1.0]], ["le"], ["the"])}  # what has no default
from attn_helpers import widgets
from attn_helpers.widgets.base import AttnWidget
classes = [c for c in vars(widgets).values() if isinstance(c, type) and issubclass(c, AttnWidget)]
made = {c.__name__: c(*GIVEN.get(c.__name__, ())) for c in classes if c is not AttnWidget}
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel built from an sdist, as an index would hand it out."""
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(out.glob("*.whl"))


@pytest.fixture
def empty(wheel, tmp_path):
    """A fresh environment with our wheel; what it depends on is lent, so that nothing is downloaded."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        "-q",
        wheel,
    ]
    subprocess.run(install, check=True)
    where = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], **READ)
    site = Path(where.stdout.strip())
    # A path lent through a .pth is only searched: the editable install within it stays unseen.
    (site / "lent.pth").write_text(sysconfig.get_path("purelib"), encoding="utf8")
    return python, site / "attn_helpers"


def run(python, source, folder):
    """Run a program away from the repository."""
    return subprocess.run([python, "-c", source], cwd=folder, **READ)


def test_wheel_holds_every_file_of_the_package(wheel):
    """A script or table that the wheel forgets is missed only by those who installed it."""
    folders = (path for path in (ROOT / "attn_helpers").rglob("*") if path.is_file())
    ours = {p.relative_to(ROOT).as_posix() for p in folders if "__pycache__" not in p.parts}
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == ours
    assert {Path(name).suffix for name in packed} >= {".py", ".js", ".css", ".json", ".typed"}


def test_every_widget_works_from_the_wheel(empty, tmp_path):
    """Each widget finds its script and its style without the repository."""
    python, package = empty
    done = run(python, EVERY_WIDGET, tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert Path(found["home"]).parent == package
    assert "ScoreExplorer" in found["widgets"]
    assert min(size for sizes in found["widgets"].values() for size in sizes) > 200


def test_a_lost_script_is_named_in_python(empty, tmp_path):
    """Otherwise the reader meets a riddle in the browser's console."""
    python, package = empty
    done = run(python, LOSE_EACH, tmp_path)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said.keys() == {path.name for kind in ("js", "css") for path in package.glob(f"widgets/{kind}/*")}
    asked = "".join(path.read_text(encoding="utf8") for path in package.glob("widgets/*.py"))
    named = {name for name in said if f'"{name}"' in asked}
    assert len(named) > 5
    assert [name for name in named if name not in said[name]] == []


def test_sdist_leaves_nothing_else_behind(wheel):
    """The sdist carries the licence and the package, not the book or the tests."""
    with tarfile.open(next(wheel.parent.glob("*.tar.gz"))) as sdist:
        tops = {name.split("/")[1] for name in sdist.getnames()}
    assert {"LICENSE", "README.md", "attn_helpers", "pyproject.toml"} <= tops
    assert not tops & {"book", "notebooks", "tests", ".github"}
