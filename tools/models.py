"""Train every row of the ladder over several seeds; write attn_helpers/data/ladder.json.

usage: python tools/models.py [ROW …] [--seeds N] [--jobs N] [--again]      (make models)

What is measured already, with the code, the data and the recipe of now, is kept: stop at any time and go on
later. Each (row, seed) trains on one thread, so the figures do not depend on the number of processors;
--jobs trains several at once.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from attn_helpers.corpus import Pair, Splits, batches, corpus
from attn_helpers.decoding import translate
from attn_helpers.ladder import RECIPES, vocabularies
from attn_helpers.metrics import BINS, alignment, bleu, exact_match, sum_alignments
from attn_helpers.seq2seq import Seq2Seq
from attn_helpers.training import code_hash, data_hash, fit, loss_per_token

OUT = Path(__file__).resolve().parent.parent / "attn_helpers/data/ladder.json"
MODULES = [f"attn_helpers.{room}" for room in ("seq2seq", "training", "decoding", "metrics")]
SHOWN = 200  # training sentences per bin that a trained model is asked to translate
Table = dict[str, Any]


@cache
def data() -> Splits:
    """The corpus of all rows."""
    return corpus(0)


@cache
def hashes() -> dict[str, str]:
    """What every row depends on: the common code, and the data."""
    splits = data()
    return {
        "code": code_hash(MODULES),
        "data": data_hash([*splits.train, *splits.test]),
    }


def key(name: str) -> str:
    """What one row depends on: its recipe, and the code of its own."""
    own = code_hash([module]) if (module := RECIPES[name].module) else ""
    return f"{RECIPES[name].hash()[:16]}{own[:16]}"


def config() -> str:
    """SHA-256 of all recipes."""
    return hashlib.sha256("".join(map(key, RECIPES)).encode()).hexdigest()


def fresh() -> Table:
    """A table without rows."""
    versions = {"torch": torch.__version__.split("+")[0], "python": sys.version.split()[0]}
    return {"meta": {**hashes(), "config": config(), "versions": versions, "threads": 1}, "rows": []}


def measured(path: Path = OUT) -> Table:
    """The table on disk, without what no longer belongs to code, data or recipes."""
    try:
        table: Table = json.loads(path.read_text(encoding="utf-8"))
        same = {name: table["meta"][name] for name in hashes()} == hashes()
        rows = [row for row in table["rows"] if row["name"] in RECIPES and row["key"] == key(row["name"])]
    except (OSError, ValueError, KeyError):
        return fresh()
    return {**table, "rows": rows} if same else fresh()


def train(name: str, seed: int, *, progress: bool = False) -> Table:
    """Train one row with one seed and judge it: the seed's entry, with the row's figures beside."""
    torch.set_num_threads(1)
    splits, recipe = data(), RECIPES[name]
    words = vocabularies(splits.train)
    model = recipe.build(len(words[0]), len(words[1]), seed)
    start = time.process_time()
    if fit(model, splits.train, words, recipe.settings(seed), progress=progress).interrupted:
        raise KeyboardInterrupt  # half-trained, it is no measurement
    seconds = time.process_time() - start
    parameters = sum(weight.numel() for weight in model.parameters())
    return {"name": name, "parameters": parameters, "seconds": seconds, "seed": judge(model, splits, seed)}


def judge(model: Seq2Seq, splits: Splits, seed: int) -> Table:
    """All that is measured on a trained model."""
    words = vocabularies(splits.train)
    said = [words[1].decode(found.tokens) for found in translate(model, splits.test, words)]
    seen = some_of_each_bin(splits.train)
    repeated = [words[1].decode(found.tokens) for found in translate(model, seen, words)]
    shares = exact_match(said, splits.test)
    scores = [bleu(one, pair.target) for one, pair in zip(said, splits.test, strict=True)]
    entry = {
        "seed": seed,
        "bins": {name: shares[name] for name in BINS},
        "overall": shares["overall"],
        "bleu": sum(scores) / len(scores),
        "aer": error_rate(model, splits.test),
        "aer_sure": error_rate(model, splits.test, sure_only=True),
        "loss": loss_per_token(model, splits.test, words),
        "train": exact_match(repeated, seen),
    }
    return {name: short(value) for name, value in entry.items()}


def short(value: Any) -> Any:
    """Six digits after the point say all there is to say."""
    if isinstance(value, dict):
        return {name: short(part) for name, part in value.items()}
    return round(value, 6) if isinstance(value, float) else value


def some_of_each_bin(pairs: list[Pair]) -> list[Pair]:
    """The first pairs of each bin of source length."""
    return [
        pair
        for low, high in BINS.values()
        for pair in [p for p in pairs if low <= len(p.source) <= high][:SHOWN]
    ]


@torch.no_grad()
def error_rate(model: Seq2Seq, pairs: list[Pair], *, sure_only: bool = False) -> float | None:
    """AER of the attention under teacher forcing; None where there is no attention."""
    found = []
    for batch in batches(pairs, *vocabularies(data().train), size=256):
        weights = model(batch.source, batch.source_lengths, batch.target_in).weights
        if weights is None:
            return None
        for row, i in enumerate(batch.rows.tolist()):
            shown = weights[row, : batch.target_lengths[row], : batch.source_lengths[row]]
            found.append(alignment(shown, pairs[i], sure_only=sure_only))
    return sum_alignments(found).error_rate


def add(table: Table, result: Table) -> None:
    """Put a seed's entry into its row; rows stand in the order of the recipes, seeds by number."""
    name, names = result["name"], list(RECIPES)
    row = next((row for row in table["rows"] if row["name"] == name), None)
    if row is None:
        row = {"name": name, "chapter": RECIPES[name].chapter, "key": key(name), "seeds": []}
        table["rows"].append(row)
    spent = row.get("seconds", 0.0) * len(row["seeds"]) + result["seconds"]
    row["seeds"] = sorted([*row["seeds"], result["seed"]], key=lambda entry: entry["seed"])
    row.update(parameters=result["parameters"], seconds=round(spent / len(row["seeds"]), 1))
    table["rows"].sort(key=lambda row: names.index(row["name"]))


def write(table: Table, path: Path = OUT) -> None:
    """All or nothing: written beside, then moved."""
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def main() -> None:
    """Train what is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(RECIPES)}; none: all")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true", help="forget what is measured")
    asked = parser.parse_args()
    if unknown := set(asked.rows) - set(RECIPES):
        parser.error(f"no row {', '.join(sorted(unknown))}; there are {', '.join(RECIPES)}")
    table = fresh() if asked.again else measured()
    table["meta"].update(fresh()["meta"])
    done = {(row["name"], entry["seed"]) for row in table["rows"] for entry in row["seeds"]}
    wanted = [(name, seed) for seed in range(asked.seeds) for name in asked.rows or RECIPES]
    train_all([each for each in wanted if each not in done], table, asked.jobs)


def train_all(todo: list[tuple[str, int]], table: Table, jobs: int) -> None:
    """Each in a process of its own; the file is written after each."""
    fresh_process = get_context("spawn")
    with ProcessPoolExecutor(jobs, fresh_process) as pool, tqdm(total=len(todo), desc="models") as bar:
        for future in as_completed([pool.submit(train, *each) for each in todo]):
            result = future.result()
            add(table, result)
            write(table)
            seed, overall = result["seed"]["seed"], result["seed"]["overall"]
            bar.write(f"{result['name']}, seed {seed}: overall {overall:.3f}, {result['seconds']:.0f} s")
            bar.update()


if __name__ == "__main__":
    main()
