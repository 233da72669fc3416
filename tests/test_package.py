"""The package as a whole: light to import, and every name it offers is there."""

import json
import subprocess
import sys
from importlib import import_module

import pytest

import attn_helpers

HEAVY = {"torch", "numpy", "matplotlib", "ipywidgets", "anywidget"}


def fresh(code):
    """What a new interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def loaded_after(code):
    """Which heavy packages a new interpreter has loaded after this code."""
    return HEAVY & set(json.loads(fresh(f"{code}\nimport sys, json; print(json.dumps(list(sys.modules)))")))


def test_importing_the_package_loads_nothing_heavy():
    """Asking for the version must not cost two seconds of torch."""
    assert loaded_after("import attn_helpers; attn_helpers.__version__; dir(attn_helpers)") == set()


@pytest.mark.parametrize(
    ("name", "brings"), [("attend", "torch"), ("plots", "matplotlib"), ("widgets", "anywidget")]
)
def test_a_name_brings_what_it_needs(name, brings):
    """The first use loads the room; so the test above is able to fail."""
    assert brings in loaded_after(f"import attn_helpers; attn_helpers.{name}")


def test_the_twin_needs_no_torch():
    """The widgets' numbers come from NumPy alone."""
    assert loaded_after("import attn_helpers.twin") == {"numpy"}


def test_importing_costs_little_time():
    """At most 60 ms of processor time beyond the interpreter's own; threefold slack, best of several."""
    clock = "import time; print(time.process_time())"
    bare = min(float(fresh(clock)) for _ in range(5))
    with_package = min(float(fresh(f"import attn_helpers; {clock}")) for _ in range(5))
    assert with_package - bare < 3 * 0.060


@pytest.mark.parametrize("name", attn_helpers.__all__)
def test_every_public_name_is_there(name):
    """What dir() shows can be had."""
    assert getattr(attn_helpers, name) is not None
    assert name in dir(attn_helpers)


@pytest.mark.parametrize("room", attn_helpers._ROOMS)
def test_every_room_keeps_its_promises(room):
    """A module's __all__ holds no name that is not there."""
    module = import_module(f"attn_helpers.{room}")
    assert module is getattr(attn_helpers, room)
    for name in getattr(module, "__all__", ()):
        assert hasattr(module, name)


def test_an_unknown_name_says_what_there_is():
    """A typing error gets the list of names."""
    with pytest.raises(AttributeError, match=r"attn_helpers has no 'atend'; it offers .*attend.*scoring"):
        attn_helpers.atend  # noqa: B018
    with pytest.raises(ImportError):
        from attn_helpers import atend  # noqa: F401
