"""The package as a wheel, and two environments to use it in: one like ours, one like Colab's."""

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from filelock import FileLock
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
COLAB = Path(__file__).with_name("colab.txt")
OURS = ("PYTHONPATH", "JUPYTER", "IPYTHON", "MPLBACKEND")  # variables that would lead back to the repository


def python_of(venv):
    """The interpreter of an environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def site_of(python):
    """Where an interpreter's own packages lie."""
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip())


def call(*command, **options):
    """Run a program; what it said is the failure."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def run(python, source, folder):
    """Run a program that knows nothing of the repository, in a folder of its own; returns what it printed."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return call(python, "-c", source, cwd=folder, env=clean)


def environment(folder, lender, *wheels):
    """An environment holding these wheels and nothing else; the packages of `lender` are lent.

    A path lent through a .pth is only searched: .pth files within it, such as that of an editable install,
    are not followed. So what is not in a wheel is missing.
    """
    call(sys.executable, "-m", "venv", "--without-pip", folder)
    python = python_of(folder)
    if wheels:
        options = ["--no-deps", "--no-index", "--disable-pip-version-check", "-q"]
        call(sys.executable, "-m", "pip", "--python", python, "install", *options, *wheels)
    (site_of(python) / "lent.pth").write_text(str(lender), encoding="utf8")
    return python


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A folder for what all processes of this run make once."""
    here = tmp_path_factory.getbasetemp()
    return here.parent if "PYTEST_XDIST_WORKER" in os.environ else here


@pytest.fixture(scope="session")
def wheel(shared):
    """A wheel built from an sdist, as an index would hand it out; the sdist lies beside it."""
    out = shared / "dist"
    with FileLock(shared / "dist.lock"):
        if not out.exists():
            call(sys.executable, "-m", "build", "--no-isolation", "--outdir", shared / "building", ROOT)
            (shared / "building").rename(out)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="session")
def wheel_venv(shared, wheel):
    """The interpreter of an environment with our wheel and the exact versions of .venv; not to be changed."""
    folder = shared / "wheel-venv"
    with FileLock(shared / "wheel-venv.lock"):
        if not folder.exists():
            python = environment(folder, sysconfig.get_path("purelib"), wheel)
            call(python, "-m", "ipykernel", "install", "--sys-prefix")
    return python_of(folder)


def needed(name):
    """A distribution and all that it needs here, by name."""
    found, ahead = set(), [name]
    while ahead:
        if (current := ahead.pop()) not in found:
            found.add(current)
            wanted = map(Requirement, importlib.metadata.requires(current) or ())
            ahead += [one.name for one in wanted if not one.marker or one.marker.evaluate({"extra": ""})]
    return found


def lend(name, site):
    """Put a distribution of .venv into another environment without a second copy of its bytes."""
    for file in importlib.metadata.files(name) or ():
        source, target = Path(file.locate()), site / file
        if ".." in file.parts or target.exists() or not source.exists():
            continue  # a command, or what the other environment holds already
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)


@pytest.fixture(scope="session")
def colab_venv():
    """The interpreter of an environment with pip and Colab's versions, without attn_helpers; not to be changed.

    To install something in it, take `colab_copy`. Made once and kept in .venv/colab: half a minute with the
    package index at hand.
    """
    folder = Path(sys.prefix) / "colab"
    torch = importlib.metadata.version("torch")
    made_of = f"{COLAB.read_text('utf8')}{torch}{sys.version}{folder}"
    stamp, mark = folder / "ready", hashlib.sha256(made_of.encode()).hexdigest()
    with FileLock(folder.with_suffix(".lock")):
        if not stamp.is_file() or stamp.read_text() != mark:
            call(sys.executable, "-m", "venv", "--clear", folder)
            call(python_of(folder), "-m", "pip", "install", "-q", "--no-deps", "-r", COLAB)
            for name in needed("torch"):
                lend(name, site_of(python_of(folder)))
            call(python_of(folder), "-m", "pip", "check")
            stamp.write_text(mark)
    return python_of(folder)


@pytest.fixture
def colab_copy(colab_venv, tmp_path):
    """The interpreter of an environment like Colab's that a test may install into."""
    return environment(tmp_path / "colab", site_of(colab_venv))
