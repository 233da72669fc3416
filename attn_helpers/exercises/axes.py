"""Exercise: find the softmax that runs along the wrong axis. Chapter 1."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

AXES = {"batch": 0, "queries": 1, "keys": 2}
_NAMES = '"batch", "queries" or "keys"'
_HINTS = {
    "keys": "so its rows are not shared out whole. Look at weights.sum(dim=…) for each dim",
    "queries": "so its columns do not sum to 1. After a transpose, dim=1 is no longer the queries",
    "batch": "so the sentences do not compete. Look at weights.sum(dim=…) for each dim",
}


def name_axes(programs: object, answer: object) -> str:
    """One line: whether each program's axis is named right, else which is not, and what to look at."""
    if not isinstance(programs, Mapping) or not isinstance(answer, Mapping):
        return 'not yet: hand over programs and answer, two dicts with the same letters: {"A": …}'
    for letter, program in programs.items():
        if trouble := _trouble(program, answer.get(letter)):
            return f"not yet: {letter}: {trouble}"
    right = " and ".join(str(letter) for letter in programs if answer[letter] == "keys")
    return (
        f"✓ each axis is named. Every query shares out one unit among its keys in: {right or 'none of them'}."
    )


def _trouble(program: Callable[[Tensor], Tensor], named: object) -> str:
    """What is wrong with the name of one program's axis, in words; empty when nothing is."""
    if named is None:
        return f"no answer yet: {_NAMES}?"
    if not isinstance(named, str) or named not in AXES:
        return f"{named!r} is no axis here: say {_NAMES}"
    try:
        weights = program(torch.randn((2, 3, 5), generator=torch.Generator().manual_seed(0)))
        found = [name for name, axis in AXES.items() if _sums_to_one(weights, axis)]
    except (Exception, SystemExit) as error:  # the programs stand in the reader's cell
        return f"the program stopped with {type(error).__name__}: {error}"
    if named in found:
        return ""
    sums = ", ".join(f"{total:.2f}" for total in weights.sum(AXES[named]).flatten()[:3])
    return f"summed over the {named} its weights give {sums}, …, not 1: {_HINTS[named]}"


def _sums_to_one(weights: Tensor, axis: int) -> bool:
    totals = weights.sum(axis)
    return torch.allclose(totals, torch.ones_like(totals), atol=1e-5)
