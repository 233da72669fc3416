"""From the widget state that an executed notebook leaves behind to what its static page needs.

Plain data in, plain data out: neither Sphinx nor the file system is touched here.
"""

import base64
import hashlib
import json
import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

INLINE_BYTES = 32_768  # a larger buffer becomes a file of its own, loaded when its widget comes near

# Traits that every DOM widget has and no front end module reads.
_BACKGROUND = {
    *("_esm", "_css", "_anywidget_id", "_dom_classes", "layout", "tabbable", "tooltip"),
    *(f"_{kind}_{what}" for kind in ("model", "view") for what in ("module", "module_version", "name")),
    "_view_count",
}
_NOT_FINITE = {"nan", "inf", "-inf"}
_LINKS = {"LinkModel": True, "DirectionalLinkModel": False}  # name → both ways?

Model = dict[str, Any]  # one entry of the notebook's saved widget state


class NotFiniteError(ValueError):
    """A trait holds NaN or infinity, which JSON cannot carry."""


@dataclass
class PageState:
    """What one page needs: its state as JSON, and the hashed files that it shares with other pages."""

    json: str
    files: dict[str, str] = field(default_factory=dict)  # file name → content
    modules: list[str] = field(default_factory=list)  # hashes, in order of first use
    styles: list[str] = field(default_factory=list)


def is_anywidget(model: Model) -> bool:
    """Whether the model carries its own front end module and can thus live without a kernel."""
    return model.get("model_module") == "anywidget" and "_esm" in model["state"]


def class_name(model: Model) -> str:
    """Name of the widget's Python class, e.g. ``ScoreExplorer``."""
    return str(model["state"].get("_anywidget_id", "")).rpartition(".")[2]


def page_state(models: dict[str, Model], numbers: dict[str, int], words: dict[str, str]) -> PageState:
    """Collect what the page's live widgets need.

    models    model id → saved model, all of the notebook
    numbers   model id → its number on the page, for every model that has a view there
    words     the sentences the host may have to say

    Raises NotFiniteError naming class and trait when a value is NaN or infinite.
    """
    links = list(_links(models))
    for ends in links:  # a model without a view may still pass a value on from one view to another
        for model_id in (ends[0], ends[2]):
            numbers.setdefault(model_id, len(numbers) + 1)
    page = PageState("")
    entries = {str(number): _entry(models[model_id], page) for model_id, number in numbers.items()}
    numbered = [[str(numbers[a]), x, str(numbers[b]), y, both] for a, x, b, y, both in links]
    text = json.dumps({"models": entries, "links": numbered, "words": words}, separators=(",", ":"))
    page.json = text.replace("<", "\\u003c")  # no token can end the script or open a comment
    return page


def _entry(model: Model, page: PageState) -> dict[str, Any]:
    """One model as the host reads it; its code and large buffers go to the page's files."""
    saved = model["state"]
    state = {name: value for name, value in saved.items() if name not in _BACKGROUND}
    for name, value in state.items():
        _require_finite(value, f"{class_name(model)}.{name}")
    module = _register(unpacked(saved["_esm"]), page)
    if module not in page.modules:
        page.modules.append(module)
    if css := saved.get("_css"):
        style = _digest(css)
        page.files[f"{style}.css"] = css
        if style not in page.styles:
            page.styles.append(style)
    inline, later = [], []
    for buffer in model.get("buffers", []):
        path, data = buffer["path"], buffer["data"]
        if len(data) * 3 // 4 - data[-2:].count("=") > INLINE_BYTES:
            later.append({"path": path, "file": _register(data, page)})
        else:
            inline.append({"path": path, "data": data})
    return {"module": module, "state": state, "inline": inline, "later": later}


def unpacked(module: str) -> str:
    """The code inside a module that only inflates another: a server compresses files anyway, and to inflate
    and import a second time would delay the first sight of a widget by a frame or two."""
    code = re.match(r'const code=[^\n]*atob\("([^"]*)"\)[^\n]*DecompressionStream\("deflate"\)', module)
    return zlib.decompress(base64.b64decode(code[1])).decode() if code else module


def _links(models: dict[str, Model]) -> Iterator[tuple[str, str, str, str, bool]]:
    """The jslink and jsdlink models whose two ends can both live."""
    for model in models.values():
        both = _LINKS.get(model["model_name"])
        if both is None or not model["state"].get("source") or not model["state"].get("target"):
            continue
        (source, x), (target, y) = model["state"]["source"], model["state"]["target"]
        source, target = source.removeprefix("IPY_MODEL_"), target.removeprefix("IPY_MODEL_")
        if all(end in models and is_anywidget(models[end]) for end in (source, target)):
            yield source, x, target, y, both


def _register(text: str, page: PageState) -> str:
    """Make a classic script that registers the text under its hash; return the hash."""
    digest = _digest(text)
    page.files[f"{digest}.js"] = f'(self.attnFiles??={{}})["{digest}"]={json.dumps(text)};\n'
    return digest


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _require_finite(value: Any, where: str, among_words: bool = False) -> None:
    """Refuse NaN and infinity, also as the text that jupyter_client turns them into on the way here.

    The text "nan" counts as a word only in a list with other words, so that tokens may be called so.
    """
    as_text = isinstance(value, str) and value in _NOT_FINITE and not among_words
    if as_text or (isinstance(value, float) and not math.isfinite(value)):
        raise NotFiniteError(
            f"{where} is {value}, and no page can carry that: a widget needs finite numbers "
            "(None for a masked score, weights of zero for a query that may attend to nothing)"
        )
    if isinstance(value, dict):
        for key, item in value.items():
            _require_finite(item, f"{where}[{key!r}]")
    elif isinstance(value, list):
        words = any(isinstance(item, str) and item not in _NOT_FINITE for item in value)
        for i, item in enumerate(value):
            _require_finite(item, f"{where}[{i}]", words)
