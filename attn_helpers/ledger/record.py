"""Runs a pass under the ledger's eyes and writes it down."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from attn_helpers.ledger.letters import full_axes, give_sizes, one_name_each, used
from attn_helpers.ledger.mismatch import explain
from attn_helpers.ledger.source import short_name
from attn_helpers.ledger.table import Ledger, Row
from attn_helpers.ledger.trace import Seen, Tracer, tensors_in
from attn_helpers.running import one_thread


def record(run: Callable[..., Any], *inputs: Any, **named: Any) -> Ledger:
    """Run a model or a function and note every tensor that its code describes, and the code it calls.

    run      a module or a function of this package, or your own: shapes are read off comments behind a line,
             such as `# (B, T, S)`, and off docstrings
    returns  a ledger; print it for a table

    A pass that fails on its shapes is no error here: the ledger ends where it ended, and `trouble` says why.
    Raises TypeError for what cannot be called.
    """
    if not callable(run):
        raise TypeError(f"run must be a model or a function, got {type(run).__name__}")
    trouble, output = "", None
    with Tracer({_file_of(run)}) as tracer:
        try:
            output = run(*inputs, **named)
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            trouble = _trouble(error, tracer.where)
    contradictions = give_sizes(tracer.calls)
    sizes, new = one_name_each(tracer.calls)
    rows = _rows([(one, new[id(one.call)]) for one in tracer.seen if one.shown])
    return Ledger(
        title=getattr(run, "__name__", type(run).__name__),
        rows=rows,
        sizes=used((row.axes for row in rows), sizes),
        parameters=_parameters(run),
        flops=tracer.flops,
        cache_bytes=cache_bytes(tracer.kept),
        contradictions=tuple(dict.fromkeys(contradictions)),
        unread=_unread(tracer),
        trouble=trouble,
        output=output,
        checked=frozenset(tracer.checked),
    )


def count_flops(run: Callable[..., Any], *inputs: Any, **named: Any) -> tuple[int, Any]:
    """FLOPs of all matrix products of a pass, as a ledger has them, and what the pass gave; no ledger.

    A hundred times quicker, since no line is followed.
    """
    with one_thread(), FlopCounterMode(display=False) as counter:
        output = run(*inputs, **named)
    return counter.get_total_flops(), output


def cache_bytes(*kept: Any) -> int:
    """Bytes of the float tensors in what is kept, such as keys and values; one kept twice counts once."""
    tensors = {id(t): t for t in tensors_in(kept) if isinstance(t, Tensor) and t.is_floating_point()}
    return sum(t.numel() * t.element_size() for t in tensors.values())


def _unread(tracer: Tracer) -> tuple[str, ...]:
    why = "is not read: an axis is a sum of products such as H·d, E + c or h / 2"
    return tuple(f"{short_name(file)}:{line} {one} {why}" for (file, line), one in tracer.unread.items())


def _parameters(run: Any) -> int:
    """Numbers that the model learns, or the model whose method it is; a plain function learns none."""
    model = run if isinstance(run, nn.Module) else getattr(run, "__self__", None)
    return sum(p.numel() for p in model.parameters()) if isinstance(model, nn.Module) else 0


def _file_of(run: Any) -> str:
    """Where the code that is run was written: the package, or a cell of the reader's."""
    function = run.forward if isinstance(run, nn.Module) else run
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code.co_filename if code else ""


def _trouble(error: Exception, where: tuple[str, int, str] | None) -> str:
    said = explain(error)
    if where is None:
        return said
    file, line, text = where
    return f"{said}\n  at {short_name(file)}:{line}  {text}"


def _rows(seen: list[tuple[Seen, dict[str, str]]]) -> tuple[Row, ...]:
    """A row for each tensor; what one line makes again and again, alike in shape, is one row."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one, new in seen:
        axes = full_axes(one, new)
        alike = (one.call.file, one.line, one.name, axes, one.sizes, one.call.depth)
        row = found.setdefault(alike, {"flops": 0, "times": 0, "made": one})
        row["flops"] += one.flops
        row["times"] += 1
    return tuple(_row(alike, **rest) for alike, rest in found.items())


def _row(alike: tuple[Any, ...], made: Seen, flops: int, times: int) -> Row:
    file, line, name, axes, sizes, depth = alike
    tensor = made.tensor
    size = tensor.nbytes
    function, source = made.call.function, made.text
    return Row(name, axes, sizes, function, short_name(file), line, source, depth, size, flops, times)
