"""A front end, and the kernel behind it, as the tests see them."""

import time
from dataclasses import dataclass

import pytest
from jupyter_client import BlockingKernelClient

PATIENCE = 90  # seconds; only a machine that is very busy needs them


def until(look, what):
    """Wait until look() is true; `what` was hoped for."""
    end = time.monotonic() + PATIENCE
    while not (seen := look()):
        if time.monotonic() > end:
            pytest.fail(f"waited {PATIENCE} s in vain: {what() if callable(what) else what}", pytrace=False)
        time.sleep(0.02)
    return seen


@dataclass
class Host:
    """A front end with the notebook open, and a second line to its kernel."""

    name: str
    page: object
    kernel: BlockingKernelClient

    def ask(self, expression):
        """What an expression is in Python, as text."""
        reply = self.kernel.execute(
            "", user_expressions={"it": f"repr({expression})"}, reply=True, timeout=PATIENCE
        )
        seen = reply["content"]["user_expressions"]["it"]
        assert seen["status"] == "ok", seen
        return seen["data"]["text/plain"].strip("'\"")

    def tell(self, code):
        """Run code in the kernel, as a cell would."""
        reply = self.kernel.execute(code, reply=True, timeout=PATIENCE)
        assert reply["content"]["status"] == "ok", reply["content"]

    def python_has(self, expression, value):
        """Wait until an expression is `value`, compared as Python writes it."""
        seen = []
        until(
            lambda: seen.append(self.ask(expression)) or seen[-1] == value,
            lambda: f"{expression} is {seen[-1]}, not {value}",
        )

    def command(self, name, **options):
        """Run a command of the front end, as its menu does."""
        self.page.evaluate("([name, options]) => jupyterapp.commands.execute(name, options)", [name, options])
