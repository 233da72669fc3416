"""Environments that know nothing of the repository: how to make one, and how to run something in it."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
COLAB = Path(__file__).with_name("colab.txt")  # exact versions
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


def run(python, source, folder, *arguments):
    """Run a program that knows nothing of the repository, in a folder of its own; returns what it printed."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return call(python, "-c", source, *arguments, cwd=folder, env=clean)


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
