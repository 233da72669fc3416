"""An exhibit: a fault, what looks fine, the number that catches it, where people met it. Chapter 3."""

from dataclasses import dataclass
from typing import Any

from attn_helpers.museum.fault import Fault
from attn_helpers.museum.measure import RIGHT, table
from attn_helpers.museum.numbers import NUMBERS
from attn_helpers.museum.words import WORDS


@dataclass(frozen=True)
class Met:
    """A public report of the fault, in somebody's words turned into ours."""

    where: str  # owner/repository#number
    what: str

    @property
    def url(self) -> str:
        """The report's address."""
        repository, number = self.where.split("#")
        return f"https://github.com/{repository}/issues/{number}"


@dataclass(frozen=True)
class Exhibit:
    """What stands beside a fault.

    name     of the fault, and of its row in the stored table: "fault-…"
    short    a word or two, to choose it by
    title    the fault in a sentence
    fine     what looks fine although the fault is on
    because  what happens, and why the number sees it
    number   the name of the number that catches it; others may, too
    met      where people met it
    """

    name: str
    short: str
    title: str
    fine: str
    because: str
    number: str
    met: tuple[Met, ...]
    fault: Fault

    def __repr__(self) -> str:
        return f"Exhibit({self.short})"

    @property
    def row(self) -> dict[str, Any]:
        """What was measured with the fault on; `measure.table` says what is in it."""
        row: dict[str, Any] = table()[self.name]
        return row

    @property
    def caught_by(self) -> tuple[str, ...]:
        """All numbers that are no longer fine."""
        return tuple(name for name, value in self.row["numbers"].items() if not NUMBERS[name].fine(value))

    def _repr_markdown_(self) -> str:
        """The exhibit as a notebook shows it; the numbers are those that were measured."""
        right, wrong = (" ".join(lines) for lines in self.fault.lines())
        without, caught = table()[RIGHT], WORDS[self.number]
        first, last = self.row["loss"][0], self.row["loss"][-1]
        before, after = (row["numbers"][self.number] for row in (without, self.row))
        met = "".join(f"\n- [{met.where}]({met.url}): {met.what}" for met in self.met)
        return (
            f"**{self.title}** In `{self.fault.place}`:\n\n"
            f"```python\n# right\n{right}\n# faulty\n{wrong}\n```\n\n"
            f"*What looks fine.* {self.fine} The loss falls from {first:.2f} to {last:.2f}.\n\n"
            f"*What catches it.* {caught.says}: {before:.3f} without the fault, {after:.3f} with it. "
            f"{self.because}\n\n*Where people met it.*\n{met}\n"
        )
