"""The ledger itself: rows of a pass, in order, and the table a learner reads."""

from dataclasses import dataclass, field
from typing import Any

from attn_helpers.ledger.axes import Sizes
from attn_helpers.ledger.source import Axes

_WIDEST = 64  # of a source line in the table


@dataclass(frozen=True)
class Row:
    """One tensor of a pass. Its axes and their sizes go together."""

    name: str
    axes: Axes  # "B", "H·d", …; "…" where the code leaves an axis open
    sizes: tuple[int, ...]
    function: str
    file: str
    line: int
    source: str  # the line that made it; "" for what came in
    depth: int  # 0: said by the function that was recorded, 1: by one that it called, …
    bytes: int
    flops: int = 0  # of all matrix products since the row above
    times: int = 1  # how often the line made one, alike in shape; their flops are summed
    rule: str = ""  # of the flops, as a product of letters, where it is known

    @property
    def numbers(self) -> int:
        """How many numbers it holds."""
        count = 1
        for size in self.sizes:
            count *= size
        return count

    def shape(self) -> str:
        """ "(B 2, H 2, T 4, d 4)"; an axis without a letter is its size alone."""
        named = zip(self.axes, self.sizes, strict=True)
        inside = ", ".join(str(n) if axis in ("…", str(n)) else f"{axis} {n}" for axis, n in named)
        return f"({inside})"


@dataclass(frozen=True)
class Ledger:
    """A pass as tensors with named axes.

    rows            in the order in which they were made
    sizes           letter → size, for the whole pass
    parameters      numbers the model learns; 0 for a plain function
    flops           of all matrix products, as PyTorch counts them: a multiplication and an addition are 2.
                    Softmax, tanh, sums and biases are not counted: they are a lower power of the sizes
    cache_bytes     of what is kept for the steps to come: keys and values, and without attention the context
    contradictions  comments and docstrings that do not hold, in words
    unread          shapes in comments that cannot be read, in words
    trouble         why the pass ended early, in words
    output          what the pass gave; None if it ended early
    """

    title: str
    rows: tuple[Row, ...]
    sizes: Sizes
    parameters: int = 0
    flops: int = 0
    cache_bytes: int = 0
    contradictions: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    trouble: str = ""
    output: Any = field(default=None, repr=False, compare=False)
    rules: dict[str, str] = field(default_factory=dict)  # letter or sum → how it follows from other letters
    checked: frozenset[tuple[str, int]] = field(default=frozenset(), repr=False)  # (file, line) of each shape

    def __repr__(self) -> str:
        sums = f"{self.parameters} parameters, {self.flops} FLOPs"
        return f"Ledger({self.title}: {len(self.rows)} rows, {sums})"

    def __getitem__(self, name: str) -> Row:
        """The first row of this name. Raises KeyError, with the names there are."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"the ledger has no row {name!r}; it has {', '.join(row.name for row in self.rows)}")

    def __str__(self) -> str:
        letters = ", ".join(f"{name} = {size}" for name, size in self.sizes.items())
        lines = [f"{self.title}: {letters}", *_columns([_HEAD, *map(_cells, self.rows)])]
        return "\n".join([*lines, self._sums(), *(f"! {said}" for said in self.said)])

    @property
    def said(self) -> tuple[str, ...]:
        """All that went wrong, in words: what does not hold, what cannot be read, why the pass ended."""
        return (*self.contradictions, *self.unread, *([self.trouble] if self.trouble else []))

    def _sums(self) -> str:
        kept = f"kept for later steps {self.cache_bytes} bytes"
        return f"parameters {self.parameters}, FLOPs {self.flops}, {kept}"


_HEAD = ("tensor", "shape", "numbers", "FLOPs", "made by")


def _cells(row: Row) -> tuple[str, ...]:
    times = f" ×{row.times}" if row.times > 1 else ""
    source = row.source if len(row.source) <= _WIDEST else row.source[: _WIDEST - 1] + "…"
    flops = str(row.flops) if row.flops else ""
    made = f"{row.file}:{row.line}  {source}" if source else "what comes in"
    return "  " * row.depth + row.name, row.shape() + times, str(row.numbers), flops, made


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    sides = (str.ljust, str.ljust, str.rjust, str.rjust, str.ljust)
    return [
        "  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)).rstrip()
        for row in rows
    ]
