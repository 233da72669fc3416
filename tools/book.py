"""Build the book from scratch and say where it is; any warning or failing cell is a failure.

usage: python tools/book.py [folder]

From scratch, because pages kept from an older attn_helpers would lie: Sphinx looks at a page's own text only.
Shown are progress, warnings and the words of a failing cell; the whole log is kept in build/book.log.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent
PROGRESS = re.compile(r"(?:reading sources|writing output)\.\.\. \[|Executed notebook|WARNING|ERROR|SEVERE")
NOISE = re.compile(r"IPKernelApp")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
OPENS = re.compile(
    r"(?:Sphinx|Extension|Theme|Configuration) error|Exception occurred|An error occurred while"
)
CLOSES = re.compile(r"^(?:Traceback \(most recent|The above exception)|The full traceback has been saved")


class Reader:
    """Decides line by line what of Jupyter Book's output a person wants to read."""

    def __init__(self) -> None:
        self.inside = False  # an error's own words

    def wants(self, line: str) -> bool:
        """Whether to show a line."""
        if OPENS.search(line):
            self.inside = True
        elif CLOSES.search(line):
            self.inside = False
        return self.inside or bool(PROGRESS.search(line) and not NOISE.search(line))


def build(folder: Path) -> int:
    """Build the book of a folder into its _build; returns Jupyter Book's exit code."""
    shutil.rmtree(folder / "_build", ignore_errors=True)
    log = folder / "build/book.log"
    log.parent.mkdir(exist_ok=True)
    command = [f"{BIN}/jupyter-book", "build", ".", "-W", "-n", "--keep-going"]
    quiet = {"TQDM_DISABLE": "1", **os.environ}  # on a page a progress bar is a hundred lines
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=quiet,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf8",
    )
    reader = Reader()
    assert process.stdout is not None
    with log.open("w", encoding="utf8") as file:
        for line in (COLOUR.sub("", coloured) for coloured in process.stdout):
            file.write(line)
            if reader.wants(line):
                print(line, end="", flush=True)
    return process.wait()


def main() -> None:
    """Build, then say where the book is or that there is none."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    print("book: notebooks run, pages are written (a minute or two)", flush=True)
    if build(folder):
        sys.exit("The book is not in order: what is wrong stands above, every detail in build/book.log.")
    home = folder / "_build/html"
    print(f"The book is here: {(home / 'index.html').as_uri()}")
    serve = shlex.join([os.path.relpath(sys.executable), "-m", "http.server", "-d", os.path.relpath(home)])
    print(f"To serve it:      {serve}   and open http://localhost:8000")


if __name__ == "__main__":
    main()
