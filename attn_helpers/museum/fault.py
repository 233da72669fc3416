"""A fault that can be switched on in the book's own code, and the line that it changes. Chapter 3.

The faulty twin of a function is the same function with one line written otherwise; a test compares them, so
what the page prints is what ran.
"""

import difflib
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from attn_helpers.training.fingerprint import bare

Function = Callable[..., Any]


@dataclass(frozen=True)
class Fault:
    """One function of the package, and its faulty twin.

    owner     the class or module that the function is part of
    function  its name there
    twin      what stands in its place while the fault is on
    trains    whether training runs through the function; if not, the fault acts on trained models alone
    """

    owner: type | ModuleType
    function: str
    twin: Function
    trains: bool = True

    @contextmanager
    def on(self) -> Iterator[None]:
        """Inside, the package has the fault, for every model at once; afterwards it is right again.

        For one thread: another that runs meanwhile would meet the fault as well.
        """
        right = vars(self.owner)[self.function]
        setattr(self.owner, self.function, self.twin)
        try:
            yield
        finally:
            setattr(self.owner, self.function, right)

    @property
    def place(self) -> str:
        """Where the function is to be found: attention_seq2seq.AttentionDecoder.attend."""
        module = getattr(self.owner, "__module__", None)
        parts = (module, self.owner.__name__) if module else (self.owner.__name__,)
        return ".".join((*parts, self.function)).removeprefix("attn_helpers.")

    def lines(self) -> tuple[list[str], list[str]]:
        """The lines that differ: as the package has them, and as the twin has them, without comments.

        Raises RuntimeError while the fault is on.
        """
        if vars(self.owner)[self.function] is self.twin:
            raise RuntimeError("the fault is on: leave `with fault.on()` before you compare")
        marks = list(difflib.ndiff(_body(vars(self.owner)[self.function]), _body(self.twin)))
        right, wrong = ([line[2:].strip() for line in marks if line.startswith(mark)] for mark in "-+")
        return right, wrong


def _body(function: Function) -> list[str]:
    """The lines of a function below its head, dedented, without comments and docstring."""
    tree = bare(textwrap.dedent(inspect.getsource(function))).splitlines()
    head = next(i for i, line in enumerate(tree) if line.endswith(":") and not line.endswith("(:"))
    return tree[head + 1 :]
