"""A fault as a reader makes one: as `fault.Fault`, and checked when it is made."""

import inspect
from dataclasses import dataclass

from attn_helpers.museum import fault


@dataclass(frozen=True)
class Fault(fault.Fault):
    """A function and its faulty twin, see `fault.Fault`.

    Raises TypeError for an owner that is no class or module and for a twin that is no function, ValueError
    for a name that the owner does not define itself.
    """

    def __post_init__(self) -> None:
        if not (inspect.isclass(self.owner) or inspect.ismodule(self.owner)):
            raise TypeError(f"owner must be a class or a module, got {type(self.owner).__name__}")
        if not callable(vars(self.owner).get(self.function)):
            raise ValueError(
                f"function must be one that {self.owner.__name__} itself defines, got {self.function!r}"
            )
        if not callable(self.twin):
            raise TypeError(f"twin must be a function, got {type(self.twin).__name__}")
