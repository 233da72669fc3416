"""The widgets' JavaScript: types, lint, its own tests in node, and numbers that agree with Python."""

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from attn_helpers.scoring import attend_numpy, score_numpy

ROOT = Path(__file__).parents[1]
FIXTURE = ROOT / "tests" / "fixtures" / "attn_js.json"
SCORES = ("dot", "scaled_dot", "cosine", "additive")


def attention_cases():
    """Inputs and what `attend_numpy` makes of them, for js/attn.js to reproduce; axes of distinct primes."""
    rng = np.random.default_rng(7)
    inputs = []
    for temperature in (0.01, 0.25, 1.0, 4.0, 100.0):
        for keys, width, value_width in ((1, 2, 3), (3, 2, 2), (7, 5, 3)):
            shapes = (width,), (keys, width), (keys, value_width)
            inputs.append((*(rng.normal(size=shape).round(3) for shape in shapes), temperature))
    plane = [[-0.6, 0.5], [2.4, 0.3], [0.9, 0.7], [0.3, -1.2]]
    values = [[-1.7, 0.7], [1.5, 1.3], [1.3, -1.1], [-1.1, -1.3]]
    inputs.append(([1.0, 0.8], plane, values, 1.0))  # what the book shows first
    inputs.append(([0.0, 0.0], plane, values, 1.0))  # a query that points nowhere
    inputs.append(([1.0, 0.8], [[0.0, 0.0], [1.0, 2.0]], values[:2], 1.0))  # a key that points nowhere
    inputs.append(([0.0, 0.0], [[0.0, 0.0]], values[:1], 1.0))
    inputs.append(([1.0, 0.8], [[1.0, 1.0]] * 3, values[:3], 1.0))  # no key is better
    inputs.append(
        ([30.0, 40.0], [[30.0, 40.0], [-30.0, 40.0], [29.0, 41.0]], values[:3], 0.01)
    )  # exp overflows
    inputs.append(([1e200, 0.0], [[1e-200, 1e-200], [1.0, 0.0]], values[:2], 1.0))  # squares overflow
    return [case(score, *given) for given in inputs for score in SCORES]


def case(score, query, key, value, temperature):
    """One input with scores, weights and output, all as plain lists."""
    output, weights = attend_numpy([query], key, value, score=score, temperature=temperature)
    lists = {"query": query, "keys": key, "values": value}
    lists |= {"scores": score_numpy([query], key, score)[0], "weights": weights[0], "output": output[0]}
    return {
        "score": score,
        "temperature": temperature,
        **{k: np.asarray(v).tolist() for k, v in lists.items()},
    }


def run(*command):
    """Run a tool in the repository; its words are the failure."""
    environment = {**os.environ, "NO_COLOR": "1", "FORCE_COLOR": "0"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def node():
    """The node of the environment, or of the machine."""
    beside = ROOT / ".venv" / "bin"
    found = shutil.which("node", path=os.pathsep.join([str(beside), os.environ.get("PATH", "")]))
    if found is None:
        pytest.fail("no node: pip install -r tests/requirements.txt brings one", pytrace=False)
    return found


def tool(name):
    """A command that npm installed."""
    path = ROOT / "node_modules" / ".bin" / name
    if not path.exists():
        pytest.fail(f"no {name}: run npm ci first (make test does)", pytrace=False)
    return path


def test_the_stored_fixture_is_what_python_says_today():
    """Python's formulas change and the browser goes on with the old ones."""
    stored, fresh = json.loads(FIXTURE.read_text("utf-8")), attention_cases()
    assert len(stored) == len(fresh), f"write it again: python {Path(__file__).name}"
    for old, new in zip(stored, fresh, strict=True):
        assert (old["score"], old["temperature"]) == (new["score"], new["temperature"])
        for name in ("query", "keys", "values", "scores", "weights", "output"):
            np.testing.assert_allclose(old[name], new[name], rtol=1e-12, atol=1e-14, err_msg=str(new))


def test_node_runs_the_modules_tests(node):
    """The browser's numbers drift from Python's, or its geometry and words break."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "js").glob("*.test.js"))
    assert files
    out = run(node, "--test", "--test-reporter=tap", *files)
    assert "# fail 0" in out
    assert "# pass 0" not in out


def test_types_hold(node):
    """A renamed function is called by its old name in a browser of a reader."""
    run(node, tool("tsc"))


def test_lint(node):
    """Slips that a linter knows."""
    run(node, tool("biome"), "lint", "--error-on-warnings")


def test_scripts_of_jupyterlab_stay_what_they_are(node):
    """They lie in .venv, below our package.json: called modules there, they fill `make lab` with errors."""
    run(node, Path(importlib.util.find_spec("jupyter_builder").origin).with_name("yarn.js"), "--version")


def test_npm_lock_names_no_registry():
    """The lock file sends a reader's npm to the registry of whoever wrote it."""
    assert "resolved" not in (ROOT / "package-lock.json").read_text("utf-8")


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(case) for case in attention_cases())
    FIXTURE.write_text(f"[\n{lines}\n]\n", "utf-8")
