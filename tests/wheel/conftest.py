"""The package as a wheel, and two environments to use it in: one like ours, one like Colab's."""

import hashlib
import importlib.metadata
import os
import sys
import sysconfig
from pathlib import Path

import pytest
from filelock import FileLock

from tests.wheel.venvs import COLAB, ROOT, call, environment, lend, needed, python_of, site_of


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


@pytest.fixture(scope="session")
def colab_venv():
    """The interpreter of an environment with pip and Colab's versions, without attn_helpers.

    To install something in it, take `colab_copy`. Made once and kept in .venv/colab: half a minute with the
    package index at hand.
    """
    folder = Path(sys.prefix) / "colab"
    torch = importlib.metadata.version("torch")
    lent = needed("torch")
    made_of = f"{COLAB.read_text('utf8')}{torch}{sorted(lent)}{sys.version}{folder}"
    stamp, mark = folder / "ready", hashlib.sha256(made_of.encode()).hexdigest()
    with FileLock(folder.with_suffix(".lock")):
        if not stamp.is_file() or stamp.read_text() != mark:
            call(sys.executable, "-m", "venv", "--clear", folder)
            call(python_of(folder), "-m", "pip", "install", "-q", "--no-deps", "-r", COLAB)
            # venv brings an older setuptools; half of each would not import
            call(python_of(folder), "-m", "pip", "uninstall", "-q", "-y", "setuptools")
            for name in lent:
                lend(name, site_of(python_of(folder)))
            call(python_of(folder), "-m", "pip", "check")
            stamp.write_text(mark)
    return python_of(folder)


@pytest.fixture
def colab_copy(colab_venv, tmp_path):
    """The interpreter of an environment like Colab's that a test may install into."""
    return environment(tmp_path / "colab", site_of(colab_venv))
