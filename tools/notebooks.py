"""Run the notebooks and store their outputs in one normal form, so that a diff shows only what changed.

usage: python tools/notebooks.py [--check | --test] [notebook …]      (default: every notebook of notebooks/)

The set-up cell of setup_cell.py is put after the title. Stored are text and PNG. Dropped are widget views
(without a kernel they read "model not found"), their state, clocks and run numbers. A cell that writes to
stderr, or fails without the tag raises-exception, stops all. With --check nothing is run or written: a file
not in normal form fails. With --test all run again, and every text must come out as stored, save in cells
tagged nbval-ignore-output.
"""

import argparse
import copy
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import setup_cell
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
TIMEOUT = 600  # seconds a cell may take, seconds a kernel may need to start on a busy machine
KEPT = ("image/png", "image/svg+xml", "text/latex", "text/markdown", "text/plain")
KEPT_METADATA = ("tags", "jupyter", "mystnb")
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


def normal_output(output: dict[str, Any], count: int) -> dict[str, Any]:
    """One output without widget views, HTML, colours of a traceback or run numbers."""
    output = copy.deepcopy(output)
    if "data" in output:
        output["data"] = {mime: output["data"][mime] for mime in sorted(output["data"]) if mime in KEPT}
        output["metadata"] = {mime: v for mime, v in output["metadata"].items() if mime in output["data"]}
    if output["output_type"] == "execute_result":
        output["execution_count"] = count
    if output["output_type"] == "error":
        output["traceback"] = [f"{output['ename']}: {output['evalue']}"]  # frames hold paths of this machine
    return output


def merge_streams(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbouring pieces of one stream as one output: where the kernel cuts them is chance."""
    merged: list[dict[str, Any]] = []
    for output in outputs:
        if merged and output["output_type"] == "stream" and merged[-1].get("name") == output["name"]:
            merged[-1] = {**merged[-1], "text": merged[-1]["text"] + output["text"]}
        else:
            merged.append(output)
    return merged


def normal(notebook: dict[str, Any]) -> dict[str, Any]:
    """The normal form of a notebook; applying it twice changes nothing more."""
    notebook = copy.deepcopy(notebook)
    notebook.update(metadata=copy.deepcopy(METADATA), nbformat=4, nbformat_minor=5)
    count = 0
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{number:03d}" if not cell.get("id") else cell["id"]
        cell["metadata"] = {k: v for k, v in cell["metadata"].items() if k in KEPT_METADATA}
        if cell["cell_type"] != "code":
            continue
        count += 1
        cell["execution_count"] = count
        cell["outputs"] = merge_streams([normal_output(output, count) for output in cell["outputs"]])
    return notebook


def complaints(notebook: dict[str, Any]) -> list[str]:
    """Cells that wrote to stderr: readers would see a red block."""
    return [
        f"cell {number} wrote to stderr: {output['text'].strip()[:200]}"
        for number, cell in enumerate(notebook["cells"])
        for output in cell.get("outputs", [])
        if output.get("name") == "stderr"
    ]


def run(notebook: Any, folder: Path) -> Any:
    """Execute all cells in a fresh kernel, in the notebook's own folder."""
    client = NotebookClient(
        copy.deepcopy(notebook),
        timeout=TIMEOUT,
        startup_timeout=TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
        extra_arguments=["--log-level=ERROR"],
    )
    return client.execute()


def store(path: Path) -> list[str]:
    """Run one notebook and write it in normal form; return what must be mended."""
    try:
        done = normal(run(setup_cell.placed(nbformat.read(path, as_version=4)), path.parent))
    except CellExecutionError as error:
        return [str(error)]
    wrong = complaints(done)
    if not wrong:
        nbformat.write(nbformat.from_dict(done), path)
    return wrong


def check(path: Path) -> list[str]:
    """What `make notebooks` would change without running anything."""
    notebook = nbformat.read(path, as_version=4)
    wrong = complaints(notebook)
    if normal(setup_cell.placed(notebook)) != notebook:
        wrong.append("not in normal form: run 'make notebooks'")
    return wrong


def rerun(paths: list[Path]) -> int:
    """Let nbval execute the notebooks and compare every text; returns pytest's exit code.

    A warning that a dependency learned to give last night must not turn all chapters red, so none is shown.
    As many run at once as there are processors, each notebook in its own process.
    Not to be combined with coverage, under which nbval hangs.
    """
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-kernel-name=python3"]
    command += ["-n", "logical", "--dist", "loadfile"]
    command += [f"--nbval-cell-timeout={TIMEOUT}", "--nbval-kernel-startup-timeout=180"]
    command += [f"--nbval-sanitize-with={ROOT / 'tests/nbval_sanitize.cfg'}"]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    return subprocess.run([*command, *map(str, paths)], cwd=ROOT, env=environment).returncode


def main() -> None:
    """Treat every notebook named, or all of them; exit 1 if one needs mending."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="run and write nothing, only look")
    parser.add_argument("--test", action="store_true", help="run all, compare with what is stored")
    parser.add_argument("notebooks", nargs="*", type=Path, default=sorted(NOTEBOOKS.glob("*.ipynb")))
    options = parser.parse_args()
    if not options.notebooks:
        sys.exit(f"no notebooks in {NOTEBOOKS}")
    os.environ.setdefault("TQDM_DISABLE", "1")  # progress bars: their pieces differ from run to run
    if options.test:
        sys.exit(rerun(options.notebooks))
    failed = 0
    for number, path in enumerate(options.notebooks, 1):
        print(f"[{number}/{len(options.notebooks)}] {path.name} …", end=" ", flush=True)
        start = time.perf_counter()
        wrong = check(path) if options.check else store(path)
        print("; ".join(wrong) or f"well ({time.perf_counter() - start:.0f} s)", flush=True)
        failed += bool(wrong)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
