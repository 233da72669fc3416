"""The first code cell of every notebook: it finds attn_helpers, or installs it, and prints the version.

The text stands here alone. `make notebooks` puts it into each notebook after the title, with the address of
_config.yml; a test compares. In the book it is folded, and a copy for Colab may carry the package itself.
"""

import copy
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]
from nbformat.v4 import new_code_cell

from attn_helpers import __version__

ROOT = Path(__file__).resolve().parent.parent
ID = "set-up"
METADATA = {
    "tags": ["hide-cell"],
    "jupyter": {"source_hidden": True},
    "mystnb": {"code_prompt_show": "Set-up", "code_prompt_hide": "Set-up"},
}
# Exact versions of what is there keep pip from replacing it: it refuses instead, and changes nothing.
TEXT = """\
# Finds attn_helpers, or installs it; torch, numpy, ipywidgets and traitlets stay as they are.
import subprocess, sys
from importlib import metadata, util
SOURCE, VERSION = "{source}", "{version}"
if not util.find_spec("attn_helpers"):
    if not SOURCE:
        raise ModuleNotFoundError("no attn_helpers: start with `make lab`, or use the download for Colab")
    stay = [name for name in ("torch", "numpy", "ipywidgets", "traitlets") if util.find_spec(name)]
    stay = [f"{{name}}=={{metadata.version(name)}}" for name in stay]
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", SOURCE, *stay], check=True)
from attn_helpers import __version__ as found
print("attn_helpers", found if found == VERSION else f"{{found}}; this notebook is for {{VERSION}}")"""


def address(repository: dict[str, str]) -> str:
    """What pip installs from: the repository of _config.yml; nothing while it has no address."""
    url = (repository.get("url") or "").strip().rstrip("/").removesuffix(".git")
    return f"git+{url}@{repository.get('branch') or 'main'}" if url else ""


def text(config: Path = ROOT / "_config.yml") -> str:
    """The cell's text."""
    repository = yaml.safe_load(config.read_text(encoding="utf8")).get("repository") or {}
    return TEXT.format(source=address(repository), version=__version__)


def placed(notebook: Any) -> Any:
    """The notebook with this cell after its title; outputs that were stored are kept."""
    notebook = copy.deepcopy(notebook)
    old = [cell for cell in notebook["cells"] if cell.get("id") == ID]
    cell = old[0] if old else new_code_cell(id=ID)
    cell.update(source=text(), metadata=copy.deepcopy(METADATA))
    notebook["cells"] = [other for other in notebook["cells"] if other.get("id") != ID]
    notebook["cells"].insert(1, cell)
    return notebook
