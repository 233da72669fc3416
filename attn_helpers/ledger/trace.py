"""Follows a pass line by line, as a debugger does, and notes each tensor that the text describes.

The code that is followed is not touched, and pays nothing when nobody records.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from attn_helpers.ledger.axes import Sizes
from attn_helpers.ledger.source import Axes, Function, Shape, Source, Statement, read

PACKAGE = str(Path(__file__).parents[1])
KEPT = {"project", "start"}  # what they return is made once and kept for the steps to come


@dataclass
class Seen:
    """A tensor where a text gives its shape."""

    call: "Call"
    name: str
    axes: Axes
    tensor: Any  # Tensor, or a NumPy array
    line: int
    text: str
    shown: bool = True
    flops: int = 0  # of all matrix products since the one before

    @property
    def sizes(self) -> tuple[int, ...]:
        """How long its axes are."""
        return tuple(self.tensor.shape)


@dataclass
class Call:
    """One call of one function: within it a letter has one meaning."""

    function: str
    file: str
    source: Source
    depth: int
    caller: "Call | None" = None
    claims: list[Seen] = field(default_factory=list)
    sizes: Sizes = field(default_factory=dict)
    pending: Statement | None = None
    failed: bool = False


class Tracer:
    """What `sys.settrace` asks for: a function of each call, line and return."""

    def __init__(self, homes: set[str]) -> None:
        self.homes, self.checked = homes, set[tuple[str, int]]()
        self.calls, self.stack, self.seen, self.kept = list[Call](), list[Call](), list[Seen](), list[Any]()
        self.unread: dict[tuple[str, int], str] = {}  # shapes in comments that could not be read
        self.where: tuple[str, int, str] | None = None  # of the innermost line that failed
        self._error: BaseException | None = None
        self._counter, self._counted = FlopCounterMode(display=False), 0

    def __enter__(self) -> "Tracer":
        self._counter.__enter__()  # type: ignore[no-untyped-call]
        self._before = sys.gettrace()
        sys.settrace(self._enter)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, back: TracebackType | None
    ) -> None:
        sys.settrace(self._before)
        self._counter.__exit__(kind, error, back)  # type: ignore[no-untyped-call]

    @property
    def flops(self) -> int:
        """Of all matrix products so far, as PyTorch counts them."""
        return self._counter.get_total_flops()

    def _enter(self, frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        file = frame.f_code.co_filename
        if not (file.startswith(PACKAGE) or file in self.homes) or not (source := read(file)):
            return None
        outer = self.stack[-1] if self.stack else None
        call = Call(frame.f_code.co_name, file, source, len(self.stack), outer)
        self.calls.append(call)
        self.stack.append(call)
        about = source.functions.get(frame.f_code.co_firstlineno)
        for shape in about.arguments if about else ():
            for tensor in list(tensors_in(frame.f_locals.get(shape.name)))[:1]:
                self._note(call, shape, tensor, frame.f_code.co_firstlineno, "", shown=call.depth == 0)

        def follow(frame: FrameType, event: str, arg: Any) -> Callable[..., Any]:
            self._step(call, about, frame, event, arg)
            return follow

        return follow

    def _step(self, call: Call, about: Function | None, frame: FrameType, event: str, arg: Any) -> None:
        now = call.source.statements.get(frame.f_lineno)
        if now and now.unread:
            self.unread[call.file, now.first] = now.unread
        if event == "exception":
            call.failed = True
            refused = self.where is not None and self.where[2].startswith("raise ")
            if arg[1] is not self._error or refused:  # the first to see it; of a refusal, who asked
                self._error, self.where = arg[1], (call.file, frame.f_lineno, now.text if now else "")
        elif event == "line":
            done, call.pending = call.pending, now
            if done and done is not now and not call.failed and done.kind in ("assign", "for"):
                self._assigned(call, done, frame)
            call.failed = False
        elif event == "return":
            self.stack.pop()
            if not call.failed:
                self._returned(call, about, frame, arg)

    def _assigned(self, call: Call, done: Statement, frame: FrameType) -> None:
        place = 0
        for shape in done.shapes:
            if shape.name and shape.name not in done.targets:
                continue
            name = shape.name or (done.targets[place] if place < len(done.targets) else "")
            place += not shape.name
            for tensor in list(tensors_in(frame.f_locals.get(name)))[:1]:
                self._note(call, Shape(name, shape.axes), tensor, done.first, done.text)

    def _returned(self, call: Call, about: Function | None, frame: FrameType, value: Any) -> None:
        done = call.pending
        if call.function in KEPT and not any(outer.function in KEPT for outer in self.stack):
            fields = [name for name in getattr(value, "_fields", ()) if name != "hidden"]  # that one changes
            self.kept.append([getattr(value, name) for name in fields] or value)
        if done and done.kind == "return":
            shapes = done.shapes or (about.returns if about else ())
            for shape, tensor in zip(shapes, tensors_in(value), strict=False):
                name = shape.name or f"{call.function}()"
                self._note(call, Shape(name, shape.axes), tensor, done.first, done.text)
            self._fields(call, value, done)
        elif done and done.kind == "assign":
            self._assigned(call, done, frame)

    def _fields(self, call: Call, value: Any, done: Statement) -> None:
        """What a class such as `Memory` says of its fields."""
        kind = type(value)
        file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
        if not (isinstance(value, tuple) and hasattr(kind, "_fields") and file.startswith(PACKAGE)):
            return
        source = read(file)
        for name, (axes, line) in (source.fields.get(kind.__name__, {}) if source else {}).items():
            for tensor in list(tensors_in(getattr(value, name)))[:1]:
                self.checked.add((file, line))
                new = all(seen.tensor is not tensor for seen in self.seen)
                self._note(call, Shape(name, axes), tensor, done.first, done.text, shown=new)

    def _note(self, call: Call, shape: Shape, tensor: Any, line: int, text: str, shown: bool = True) -> None:
        """Note a tensor; of one that an inner call has named already, the outer name is shown."""
        seen = Seen(call, shape.name, shape.axes, tensor, line, text, shown)
        for inner in reversed(self.seen):
            if inner.tensor is tensor and inner.shown:
                if inner.call.depth > call.depth and shown:
                    inner.shown, seen.flops = False, inner.flops
                else:
                    seen.shown = seen.shown and inner.axes != shape.axes
                break
        total = self.flops
        seen.flops, self._counted = seen.flops + total - self._counted, total
        call.claims.append(seen)
        self.checked.add((call.file, line))
        self.seen.append(seen)


def tensors_in(value: Any) -> Iterator[Any]:
    """Tensors and arrays in a value, however its tuples and lists are nested, in order."""
    if isinstance(value, Tensor) or (hasattr(value, "shape") and isinstance(value.shape, tuple)):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from tensors_in(part)
