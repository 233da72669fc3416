"""Train the models that travel with the package; write attn_helpers/data/trained/<row>.npz and .replay.npz.

usage: python tools/keep.py [--again]      (make models, after the ladder)

Seed 0 of the row, with the running pair and 100 validation sentences looked at on the way. What belongs to
the code, the data and the recipe of now is kept.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import models
import numpy as np
import torch

from attn_helpers.corpus import Pair, batches, hero
from attn_helpers.ladder import RECIPES, vocabularies
from attn_helpers.replay import Replay
from attn_helpers.running import mode
from attn_helpers.seq2seq import Seq2Seq
from attn_helpers.trained import save_trained
from attn_helpers.training import History, Snapshot, fit
from attn_helpers.training.record import snapshot

FOLDER = models.OUT.parent / "trained"
KEPT = ("bahdanau-bidirectional", "transformer")
JUDGED = 100  # validation sentences, spread over all lengths
LOOKS = 48  # more than `fit` takes: between steps 100 and 1000 everything happens


def stamp(name: str) -> str:
    """What a kept model depends on."""
    return f"{models.hashes()['code']}{models.hashes()['data']}{models.key(name)}"


def up_to_date(name: str) -> bool:
    """Whether the file at hand belongs to the code, the data and the recipe of now."""
    path = FOLDER / f"{name}.npz"
    if not path.exists():
        return False
    with np.load(path, allow_pickle=False) as file:
        return str(file["meta:stamp"]) == stamp(name)


def keep(name: str, folder: Path) -> None:
    """Train it, look on, and write both files."""
    torch.set_num_threads(1)
    splits = models.data()
    words = vocabularies(splits.train)
    recipe = RECIPES[name]
    model = recipe.build(len(words[0]), len(words[1]), seed=0)
    probes = [hero(), *splits.validation[:: len(splits.validation) // JUDGED]]
    history = watched(
        model, recipe.steps, probes, lambda: fit(model, splits.train, words, recipe.settings(0))
    )
    if history.interrupted:
        raise SystemExit("half-trained, it is no measurement")
    folder.mkdir(parents=True, exist_ok=True)
    save_trained(model, folder / f"{name}.npz", stamp=stamp(name))
    Replay.from_history(history, probes).save(folder / f"{name}.replay.npz", stamp=stamp(name))


def watched(model: Seq2Seq, steps: int, probes: list[Pair], train: Callable[[], History]) -> History:
    """Train, and look at the probes before a step whenever its number is one of LOOKS in equal ratios."""
    stops = {0, steps, *np.geomspace(8, steps, LOOKS).round().astype(int).tolist()}
    probe = next(batches(probes, *vocabularies(models.data().train), size=len(probes)))
    seen: list[Snapshot] = []
    done = 0

    def look(*_: object) -> None:
        nonlocal done
        if model.training:  # else it is a look itself
            if done in stops:
                with mode(model, train=False):
                    seen.append(snapshot(done, model, probe))
            done += 1

    hook = model.register_forward_pre_hook(look)
    history = train()
    hook.remove()
    with mode(model, train=False):
        seen.append(snapshot(done, model, probe))
    history.snapshots = seen
    return history


def main() -> None:
    """Train what is missing or stale."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--again", action="store_true")
    again = parser.parse_args().again
    for name in KEPT:
        if again or not up_to_date(name):
            print(f"training {name}, which travels with the package")
            keep(name, FOLDER)


if __name__ == "__main__":
    main()
