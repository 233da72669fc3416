"""Fill .venv with exactly the packages of a requirements file; the Makefile calls this.

usage: python3 tools/environment.py requirements.txt [TORCH_INDEX]

Needs the standard library only. With TORCH_INDEX the pinned torch comes from that package index first,
everything else from the usual one. Writes .venv/ready (or .venv/ready-tests) when all went well.
"""

import collections
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
EVERY = 40  # without a terminal: one line of progress for so many packages


def works() -> bool:
    """Whether .venv was made for this folder and its Python still runs."""
    probe = f"import pip, sys; assert sys.prefix == {str(VENV)!r}"
    try:
        return subprocess.run([PYTHON, "-c", probe], capture_output=True).returncode == 0
    except OSError:
        return False


def make_venv() -> None:
    """Make .venv, or stop with the one line that says what is missing."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        sys.exit(
            f"Python {version} cannot make environments, venv or ensurepip is missing: on Debian and Ubuntu "
            f"run 'apt install python{version}-venv', or name another Python: make PYTHON=python3.12"
        )
    print(f"environment 1/3: Python {version} in .venv", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)


def pip(what: str, *arguments: str) -> None:
    """Run pip install; show one moving line, and pip's own words only when it fails."""
    print(what, flush=True)
    command = [str(PYTHON), "-m", "pip", "install", "--progress-bar=off", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    tail: collections.deque[str] = collections.deque(maxlen=20)
    seen = 0
    assert process.stdout is not None
    for line in process.stdout:
        tail.append(line)
        seen += line.startswith(("Collecting", "Requirement already"))
        progress(line.strip(), seen)
    if sys.stdout.isatty():
        print("\r\033[K", end="", flush=True)
    if process.wait():
        said = [line for line in tail if line.startswith("ERROR")] or tail
        sys.exit("".join(said) + f"failed: {what}. pip says why above; make starts here again.")


def progress(line: str, seen: int) -> None:
    """Say how far pip is: rewriting one line on a terminal, sparingly in a log."""
    if not line.startswith(("Collecting", "Downloading", "Installing", "Building")):
        return
    line = line.partition(" (from")[0][:60]
    if sys.stdout.isatty():
        print(f"\r\033[K  {seen} packages, {line}", end="", flush=True)
    elif line.startswith("Installing") or (seen % EVERY == 0 and line.startswith("Collecting")):
        print(f"  {seen} packages, {line} …", flush=True)


def pinned(requirements: Path, name: str) -> str:
    """The line of a requirements file that pins one package."""
    lines = requirements.read_text(encoding="utf8").splitlines()
    return next(line.split(";")[0].strip() for line in lines if line.startswith(f"{name}=="))


def main() -> None:
    """Make .venv where needed, then bring it to the requirements."""
    requirements = Path(sys.argv[1])
    index = sys.argv[2] if len(sys.argv) > 2 else ""
    if not works():
        make_venv()
    if index:
        torch = pinned(ROOT / "requirements.txt", "torch")
        pip(f"environment 2/3: {torch} from {index}", "--no-deps", "--index-url", index, torch)
    pip(f"environment 2/3: {requirements} (minutes at first, then seconds)", "-r", str(requirements))
    if requirements.parent == Path("."):
        pip("environment 3/3: attn_helpers", "--no-deps", "--no-build-isolation", "--editable", ".")
    stamp = VENV / ("ready-tests" if "tests" in requirements.parts else "ready")
    stamp.write_text(str(ROOT), encoding="utf8")


if __name__ == "__main__":
    main()
