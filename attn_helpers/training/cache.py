"""Trained models on the reader's disk: written whole or not at all, and checked when read.

The folder is the system's cache folder, or the one named by the variable ATTN_HELPERS_CACHE.
"""

import contextlib
import hashlib
import io
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

import platformdirs
import torch

_DIGEST = hashlib.sha256().digest_size


def folder() -> Path:
    """Where models are kept."""
    named = os.environ.get("ATTN_HELPERS_CACHE")
    return Path(named) if named else platformdirs.user_cache_path("attn_helpers")


def load(name: str) -> dict[str, Any] | None:
    """What was kept under this name; None when nothing is, or, with a word, when it is damaged."""
    path = folder() / name
    try:
        whole = path.read_bytes()
        if hashlib.sha256(whole[_DIGEST:]).digest() != whole[:_DIGEST]:
            raise ValueError("it is not what was written")
        content: dict[str, Any] = torch.load(io.BytesIO(whole[_DIGEST:]), weights_only=True)
        return content
    except (FileNotFoundError, NotADirectoryError):
        return None
    except Exception as error:  # whatever is wrong with the file, there is a way on: train again
        warnings.warn(f"the kept model {name} cannot be used ({error}): training again", stacklevel=3)
        return None


def save(name: str, content: dict[str, Any]) -> None:
    """Keep tensors, numbers, strings, lists and dicts. A folder that cannot be written costs a word only.

    The file is written beside its place and then moved there in one step, so that a reader, another
    process or an interruption never meets half of it.
    """
    buffer = io.BytesIO()
    torch.save(content, buffer)
    payload = buffer.getvalue()
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder(), prefix=f"{name}.", delete=False) as file:
            beside = Path(file.name)
            try:
                file.write(hashlib.sha256(payload).digest() + payload)
                file.close()
                beside.replace(folder() / name)
            finally:
                with contextlib.suppress(OSError):
                    beside.unlink(missing_ok=True)
    except OSError as error:
        warnings.warn(f"the trained model could not be kept ({error})", stacklevel=3)
