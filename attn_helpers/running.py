"""How a model runs for a while: in which mode, on how many threads. Afterwards all is as it was."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def mode(model: nn.Module, *, train: bool) -> Iterator[None]:
    """Training mode (dropout on) or not."""
    before = model.training
    model.train(train)
    try:
        yield
    finally:
        model.train(before)


@contextmanager
def one_thread() -> Iterator[None]:
    """Sums are added in one order on every machine, and a busy machine is no hundred times slower.

    The book's models are small: a second thread saves a quarter of the time when it has a processor to
    itself, but each operation waits for it when it has not.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
