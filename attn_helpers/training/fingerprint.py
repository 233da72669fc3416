"""Hashes that say whether a stored result still belongs to the code and the data at hand.

Comments, docstrings and blank lines do not count: a better sentence must not cost an hour of training.
"""

import ast
import hashlib
import importlib.util
import inspect
import io
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from pathlib import Path

from torch import nn

from attn_helpers.corpus.pairs import Pair

_PACKAGE = "attn_helpers"
_CHANGE_NO_NUMBER = {
    f"{_PACKAGE}.{name}" for name in ("expect", "sharpness", "training.cache", "training.fingerprint", "twin")
}


def code_hash(modules: Iterable[str], extra: Iterable[str] = ()) -> str:
    """SHA-256 of the named modules and of all they import from this package, and of extra sources.

    modules  full names: "attn_helpers.seq2seq"
    """
    todo, sources = list(modules), {}
    while todo:
        name = todo.pop()
        if name not in sources and name not in _CHANGE_NO_NUMBER and (path := _path(name)):
            text = path.read_text(encoding="utf-8")
            sources[name] = bare(text)
            todo += _imports(text)
    return _digest([*(f"{name}\n{sources[name]}" for name in sorted(sources)), *map(bare, extra)])


def model_code_hash(model: nn.Module, *modules: str) -> str:
    """The same for every class that the model is made of, a class of the reader's own notebook too."""
    classes = {type(part) for part in model.modules() if not type(part).__module__.startswith("torch.")}
    ours = {cls.__module__ for cls in classes if cls.__module__.startswith(_PACKAGE)}
    try:
        own = [inspect.getsource(cls) for cls in classes if cls.__module__ not in ours]
    except (OSError, TypeError):
        raise ValueError("the model's source cannot be read, so nothing can be kept: cache=False") from None
    return code_hash([*ours, *modules], sorted(map(textwrap.dedent, own)))


def data_hash(pairs: Iterable[Pair]) -> str:
    """SHA-256 of sentences and links, in order."""
    return _digest(
        repr([sorted(part) if isinstance(part, frozenset) else part for part in astuple(pair)])
        for pair in pairs
    )


def bare(source: str) -> str:
    """Python source without comments, docstrings and blank lines; the same on every version of Python."""
    lines = source.splitlines()
    for first, last in _docstrings(ast.parse(source)):
        lines[first - 1 : last] = [""] * (last - first + 1)
    for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _docstrings(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """First and last line of every docstring, and of any other bare string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            yield node.lineno, node.end_lineno or node.lineno


def _imports(source: str) -> Iterator[str]:
    """Names in this package that a source imports; those that are functions are no modules and fall away."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PACKAGE):
            yield from (str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names))


def _path(name: str) -> Path | None:
    """The file of a module; None for what is none, and for the package's own front door."""
    try:
        spec = importlib.util.find_spec(name) if name != _PACKAGE else None
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec and spec.origin else None


def _digest(parts: Iterable[str]) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part.encode()).digest())
    return total.hexdigest()
