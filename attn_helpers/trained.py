"""Trained models that travel with the package: what a chapter or a widget shows without training. Chapter 3.

`make models` trains them by their recipes and writes data/trained/<row>.npz, with the replay of the training
beside. 16 bits a weight: no weight is off by more than its row's largest / 65534.
"""

from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from attn_helpers.ladder import RECIPES
from attn_helpers.replay import Replay
from attn_helpers.seq2seq import Seq2Seq

STEPS = 32767
Table = NDArray[np.generic]


def load_trained(name: str) -> Seq2Seq:
    """The model of a row of the ladder, seed 0, ready to be asked.

    Its words have the numbers of `ladder.vocabularies(corpus(0).train)`.
    Raises KeyError naming the models there are.
    """
    with as_file(_file(f"{name}.npz")) as path, np.load(path, allow_pickle=False) as file:
        shares = {key: file[key] for key in file.files if not key.startswith(("scale:", "meta:"))}
        scales = {key: file[f"scale:{key}"] for key in shares}
    words = [len(shares[f"{part}.embedding.weight"]) for part in ("encoder", "decoder")]
    model = RECIPES[name].build(words[0], words[1], seed=0)
    weights = {key: torch.from_numpy(_whole(shares[key], scales[key])) for key in shares}
    model.load_state_dict(
        {key: weights[key].reshape(value.shape) for key, value in model.state_dict().items()}
    )
    return model.eval()


def load_replay(name: str) -> Replay:
    """How that model learned: the running pair, and 100 validation sentences. Raises KeyError as above."""
    with as_file(_file(f"{name}.replay.npz")) as path:
        return Replay.load(path)


def save_trained(model: Seq2Seq, path: Path, **about: str) -> None:
    """Write a model's weights, row by row as one scale and 16-bit shares of it; `about` goes into the file.

    Raises ValueError for NaN or infinity.
    """
    arrays: dict[str, Table] = {f"meta:{key}": np.array(text) for key, text in about.items()}
    for key, value in model.state_dict().items():
        table = np.atleast_2d(value.detach().double().numpy())
        if not np.isfinite(table).all():
            raise ValueError(f"model must have finite weights, got NaN or infinity in {key}")
        scale = np.abs(table).max(axis=1, keepdims=True)
        arrays[key] = np.rint(table / np.where(scale == 0, 1, scale) * STEPS).astype("<i2")
        arrays[f"scale:{key}"] = scale.astype("<f4")
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]


def _whole(shares: Table, scale: Table) -> NDArray[np.float32]:
    return (scale.astype(np.float64) * shares.astype(np.float64) / STEPS).astype(np.float32)


def _file(name: str) -> Traversable:
    folder = files("attn_helpers").joinpath("data", "trained")
    if not (path := folder.joinpath(name)).is_file():
        there = sorted(p.name.partition(".")[0] for p in folder.iterdir() if p.name.endswith(".replay.npz"))
        raise KeyError(f"no trained model {name.partition('.')[0]!r}; there are {', '.join(there)}")
    return path
