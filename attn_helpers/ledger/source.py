"""Reads shapes off source text: comments behind a line, such as # (B, T, S), and the lines of a docstring."""

import ast
import io
import linecache
import re
import tokenize
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from attn_helpers.ledger.axes import terms

_SHAPE = re.compile(r"\s*(?:(?:,|→|and)\s*)?(?:the\s+)?(?:(\w+)\s+)?\(([^()]+)\)")
_UNREAD = re.compile(r"[\w\s·/+*^%−-]+(?:,[\w\s·/+*^%−-]+)+")  # looks like a shape, whatever its signs
_RETURNS = re.compile(r"^\s*returns\s+(.*)$", re.MULTILINE)

Axes = tuple[str, ...]


class Shape(NamedTuple):
    """One shape that a text claims."""

    name: str  # of the tensor, where the text says it
    axes: Axes


class Statement(NamedTuple):
    """Lines that are executed as one, what they assign, and what their comment claims."""

    first: int
    last: int
    kind: str  # "assign", "return", "for", or "" where nothing is claimed
    targets: tuple[str, ...]
    shapes: tuple[Shape, ...]
    text: str
    unread: str = ""  # a shape in the comment that this module cannot read: "(B, d - 1)"


class Function(NamedTuple):
    """What a docstring claims."""

    arguments: tuple[Shape, ...]
    returns: tuple[Shape, ...]


class Source(NamedTuple):
    """A file: the statement of each line, the function of each first line, the fields of each class."""

    statements: dict[int, Statement]
    functions: dict[int, Function]
    fields: dict[str, dict[str, tuple[Axes, int]]]  # class → field → its shape, and the line that says it


def shapes_of(text: str) -> tuple[Shape, ...]:
    """The shapes a comment begins with: "(L, B, h) and c (B, c)" → two. After an arrow, what comes out."""
    found, at = list[Shape](), 0
    while match := _SHAPE.match(text, at):
        shape = _axes(match[2])
        if shape is None:
            break
        if "→" in match[0] and found:
            found.pop()
        found.append(Shape(match[1] or "", shape))
        at = match.end()
    return tuple(found)


def unread_in(text: str) -> str:
    """What `shapes_of` stops at in a comment, if it looks like a shape: "(B, d - 1)"; else ""."""
    at = 0
    while match := _SHAPE.match(text, at):
        if _axes(match[2]) is None:
            short = all(len(word) < 3 for word in re.findall(r"\w+", match[2]))
            alone = not re.search(r"\w\s+\w", match[2])
            return f"({match[2]})" if short and alone and _UNREAD.fullmatch(match[2]) else ""
        at = match.end()
    return ""


def _axes(inside: str) -> Axes | None:
    """The axes between two parentheses; None if they are words."""
    axes = tuple(axis.strip() for axis in inside.rstrip(",").split(","))
    for axis in axes[axes[0] in ("...", "…") :]:
        try:
            terms(axis.removesuffix(" or 1"))
        except ValueError:
            return None
        if re.search(r"[A-Za-z_]\s+[A-Za-z_]", axis.removesuffix(" or 1")):
            return None  # "see below" is no product
    return axes


def short_name(file: str) -> str:
    """A file's name; a notebook's cells have none that stays the same."""
    return "cell" if "ipykernel" in file or file.startswith("<") else Path(file).name


@lru_cache(maxsize=256)
def read(filename: str) -> Source | None:
    """What a file claims; a cell of a notebook is a file too. None if there is no text of it."""
    text = "".join(linecache.getlines(filename))
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, tokenize.TokenError):
        return None
    comments = {t.start[0]: t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT}
    lines = text.splitlines()
    found = Source({}, {}, {})
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            for line in range(node.lineno, _header(node) + 1):  # the innermost comes last
                found.statements[line] = _statement(node, comments, lines)
        if isinstance(node, ast.FunctionDef):
            found.functions[min([node.lineno, *(d.lineno for d in node.decorator_list)])] = _function(node)
        if isinstance(node, ast.ClassDef):
            found.fields[node.name] = dict(_fields(node, comments))
    return found


def _fields(node: ast.ClassDef, comments: dict[int, str]) -> Iterator[tuple[str, tuple[Axes, int]]]:
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            for shape in shapes_of(comments.get(part.lineno, ""))[:1]:
                yield part.target.id, (shape.axes, part.lineno)


def _header(node: ast.stmt) -> int:
    """The last line that belongs to a statement itself, not to what it governs."""
    body = getattr(node, "body", None)
    return body[0].lineno - 1 if body else node.end_lineno or node.lineno


def _statement(node: ast.stmt, comments: dict[int, str], lines: list[str]) -> Statement:
    last = _header(node)
    said = [comments[line] for line in range(node.lineno, last + 1) if line in comments]
    shapes = shapes_of(said[-1]) if said else ()
    text = " ".join(re.split(r"\s+#", lines[line - 1])[0].strip() for line in range(node.lineno, last + 1))
    kind, targets = "", ()  # type: str, tuple[str, ...]
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        kind, targets = "assign", tuple(_targets(node.targets[0]))
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For):
        kind = "for" if isinstance(node, ast.For) else "assign"
        targets = tuple(_targets(node.target))
    elif isinstance(node, ast.Return):
        kind = "return"
    unread = unread_in(said[-1]) if said else ""
    return Statement(node.lineno, last, kind, targets, shapes, text, unread)


def _targets(node: ast.expr) -> Iterator[str]:
    """Names that an assignment fills, in order; "" where it is no plain name."""
    if isinstance(node, ast.Tuple | ast.List):
        for part in node.elts:
            yield from _targets(part)
    else:
        yield node.id if isinstance(node, ast.Name) else ""


def _function(node: ast.FunctionDef) -> Function:
    said = ast.get_docstring(node) or ""
    args = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    # "the queries (B, T, h)" speaks of `query`; keys may be what is made of `key`
    words = {name: f"{name}|{name[:-1]}ies" if name[-1] == "y" else name for name in args}
    found = {n: re.search(rf"\b(?:{word})\s+\(([^()]+)\)(?!\s+or\b)", said) for n, word in words.items()}
    shapes = {name: _axes(match[1]) for name, match in found.items() if match}
    returned = _RETURNS.search(said)
    arguments = tuple(Shape(name, axes) for name, axes in shapes.items() if axes)
    return Function(arguments, shapes_of(returned[1]) if returned else ())
