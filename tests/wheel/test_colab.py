"""Every widget from the wheel on Colab's versions of ipywidgets, anywidget and traitlets."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from attn_helpers import widgets
from tests.wheel.venvs import COLAB, ROOT, environment, run, site_of

USE = Path(__file__).with_name("colab_widgets.py").read_text("utf8")
VIEW = "application/vnd.jupyter.widget-view+json"
MANAGER = {"colab": {"custom_widget_manager": {"url": "the manager's address"}}}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def seen(colab_venv, wheel, tmp_path_factory):
    """What colab_widgets.py saw."""
    folder = tmp_path_factory.mktemp("colab")
    python = environment(folder / "venv", site_of(colab_venv), wheel)
    return json.loads(run(python, USE, folder).splitlines()[-1]) | {"ours": str(site_of(python))}


def test_the_versions_are_colabs(seen):
    """All below would be shown for our own versions, which Colab does not have."""
    assert seen["versions"] == {"anywidget": "0.9.21", "ipywidgets": "7.7.1", "traitlets": "5.7.1"}
    assert Path(seen["home"]).is_relative_to(seen["ours"])


def test_colabs_versions_are_the_oldest_that_the_package_allows():
    """R163, R171: a bound above Colab's version replaces it there; one below promises what was never run."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
    wanted = {one.name: one.specifier for one in map(Requirement, project["dependencies"])}
    pins = dict(re.findall(r"^([\w-]+)==([\d.]+)", COLAB.read_text("utf8"), re.MULTILINE))
    assert [name for name in wanted if name != "torch" and not wanted[name].contains(pins[name])] == []
    for name in ("anywidget", "ipywidgets"):
        assert str(wanted[name]) == f">={pins[name]}"


def test_colabs_widget_manager_is_asked_for_once(seen):
    """R164: without it, Colab shows no widget and no error; with it each time, it loads anew."""
    assert seen["asked"] == 1


@pytest.mark.parametrize("kind", widgets.__all__)
def test_a_widget_is_made_changed_observed_and_shown(seen, kind):
    """R163, R164: a trait that old ipywidgets do not send, or a way to show the widget that shows none."""
    one = seen["seen"][kind]
    assert one["unsent"] == []
    assert one["unheard"] == []
    assert min(one["code"].values()) > 5000
    assert one["trouble"] == "ZeroDivisionError: no cat"
    for shown in [*one["shown"], one["last line"]]:
        assert shown == [[VIEW, "image/png", "text/plain"], MANAGER]
