"""Measure the built book and the package on this machine; write attn_helpers/data/bench.json.

usage: python tools/bench.py [--only SECTION …] [--sizes S M L XL] [--lighthouse RUNS]

`make bench` builds the book first. Sections that are not measured stay as they are in the file. Times are
medians of five fresh loads, beside an empty page measured in the same run; compare the two, not the numbers
of two machines. What was not measured, or not drawn within a minute, is null.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bench_decode
import bench_heatmaps
import bench_pages
import bench_train
from bench_contestants import SIZES

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "attn_helpers/data/bench.json"
RUNS = bench_pages.RUNS
SECTIONS = ("draw", "pages", "import", "train", "transformer", "decode")


def processor_ms(program: str) -> float:
    """Median processor time of a fresh Python that runs a program."""
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", program], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime))
    return round(statistics.median(times), 1)


def imports() -> dict[str, float]:
    """What `import attn_helpers` costs beyond the bare interpreter, and beside numpy."""
    bare = processor_ms("pass")
    here, numpy = (round(processor_ms(f"import {name}") - bare, 1) for name in ("attn_helpers", "numpy"))
    return {"bare": bare, "attn_helpers": here, "numpy": numpy, "ratio": round(here / numpy, 3)}


def meta() -> dict[str, Any]:
    """What the numbers depend on."""
    names = ("attn_helpers", "anywidget", "numpy", "torch")
    versions = {name: importlib.metadata.version(name) for name in names}
    versions |= {"python": platform.python_version()}
    machine = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} processors"
    return {"machine": machine, "runs": RUNS, "versions": versions}


def measured(section: str, work: Callable[[], dict[str, Any]], result: dict[str, Any]) -> None:
    """Measure a section; its numbers, and when and on how busy a machine they came, go into the table."""
    before = os.getloadavg()[0]
    for name, part in work().items():
        if name in ("draw", "draw_cpu", "interact"):  # one size or widget at a time
            result[name] = {**(result.get(name) or {}), **part}
        else:
            result[name] = part
    now = {
        "date": datetime.date.today().isoformat(),
        "load": [round(before, 1), round(os.getloadavg()[0], 1)],
    }
    result["meta"].setdefault("measured", {})[section] = now


def main() -> None:
    """Measure what is asked for, in one run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="sections to measure")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=[*SIZES], help="of the section draw")
    # One run alone scatters by ten points on a busy machine.
    what = "Lighthouse runs a page, of which the median counts; 0 skips it (it takes minutes and needs npm)"
    parser.add_argument("--lighthouse", type=int, default=3, metavar="RUNS", help=what)
    asked = parser.parse_args()
    known = json.loads(OUT.read_text("utf8")) if OUT.exists() else {}
    result = {"train": None, "decode": None, **known, "meta": {**known.get("meta", {}), **meta()}}
    works: dict[str, Callable[[], dict[str, Any]]] = {
        "draw": lambda: bench_heatmaps.measure(asked.sizes),
        "pages": lambda: bench_pages.measure(asked.lighthouse),
        "import": lambda: {"import": imports()},
        "train": lambda: {"train": bench_train.measure()},
        "transformer": lambda: {"transformer": bench_train.measure_transformer()},
        "decode": lambda: {"decode": bench_decode.measure()},
    }
    for section in asked.only:
        measured(section, works[section], result)
    if "pages" in asked.only:
        result["meta"]["lighthouse_runs"] = asked.lighthouse
        bench_pages.table(result)
    OUT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf8")
    print(f"written to {OUT.relative_to(ROOT)}; processor ms to import: {result['import']}")


if __name__ == "__main__":
    main()
