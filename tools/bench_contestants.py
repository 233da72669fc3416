"""Pages for bench_heatmaps.py: the same weights shown by AttentionHeatmap, by others, and by nobody.

A contestant is its page and what a test of speed must know of it: `done`, a JavaScript expression that tells
when all is drawn, and `acts`, what a reader does there (hover, head, layer), each a function of a counter
and, where the answer comes late, an expression that tells when it is there.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from ipywidgets.embed import dependency_state  # type: ignore[import-untyped]

from attn_helpers.widgets import AttentionHeatmap

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "build/bench/heatmaps"
PEERS = ROOT / ".venv-peers"
SIZES = {"S": (1, 8, 16), "M": (4, 8, 64), "L": (12, 12, 128), "XL": (1, 8, 512)}  # layers, heads, tokens
WORDS = ["the", "cat", "sat", "on", "a", "mat", "where", "tokens", "attend", "to", "keys"]
LIBRARIES = {  # that bertviz would ask of another host
    "require": ("requirejs@2.3.8", "requirejs/require.js"),
    "d3": ("d3@5.16.0", "d3/dist/d3.min.js"),
    "jquery": ("jquery@3.7.1", "jquery/dist/jquery.min.js"),
}

# Labels, colour bar and controls are there, and each canvas, painted in the same task, has its size.
OUR_DONE = """document.querySelector('.attn-h-foot button')
  && document.querySelector('.attn-h-name, .attn-h-left')
  && document.querySelectorAll('input[type=radio]').length === (L > 1) * (L + 1) + (H > 1) * (H + 1)
  && (document.querySelector('.attn-h-scale') || document.querySelectorAll('.attn-h-cell').length === T * S)
  && [...document.querySelectorAll('canvas')].every((c) => c.height > 40 && c.width !== 300)"""
# Looked at later, since reading pixels takes time: no canvas has an empty place.
OUR_PROOF = """[...document.querySelectorAll('canvas')].every((c) => [...Array(9).keys()].every((i) =>
  c.getContext('2d').getImageData(4, Math.floor(c.height * i / 9), 1, 1).data[3] === 255))"""
OVER = """(i) => {
  const { x, y, width, height } = document.querySelector('.attn-h-map, .attn-h-grid').getBoundingClientRect();
  const at = { bubbles: true, clientX: x + width * (.3 + .4 * ((37 * i) % 101) / 101),
               clientY: y + height * (.3 + .4 * ((61 * i) % 101) / 101) };
  (document.elementFromPoint(at.clientX, at.clientY)?.closest('[data-cell],[data-map]')
    ?? document.querySelector('[data-map],[data-cell]')).dispatchEvent(new PointerEvent('pointermove', at));
}"""
CHOOSE = "(i) => document.querySelector(`[data-choose={0}][data-value='${{(i + 1) % {1}}}']`).click()"


def contestants(sizes: list[str]) -> dict[str, dict[str, Any]]:
    """`blank`, `here` and every peer at these sizes: "<who>-<size>" → done, acts; their pages lie in HOME."""
    (HOME / "lib").mkdir(parents=True, exist_ok=True)
    for size in sizes:
        make_weights(size)
        (HOME / f"blank-{size}.html").write_text("<!doctype html><meta charset=utf-8><p>x", encoding="utf8")
    found = {f"blank-{size}": {"done": "true", "acts": {"hover": ["(i) => {}"]}} for size in sizes}
    return found | {f"here-{size}": our_page(size) for size in sizes} | peer_pages(sizes)


def make_weights(size: str) -> None:
    """Random rows that sum to 1, the same for all, and tokens that repeat."""
    layers, heads, tokens = SIZES[size]
    scores = 1.5 * np.random.default_rng(0).normal(size=(layers, heads, tokens, tokens))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    np.save(HOME / f"weights-{size}.npy", (powers / powers.sum(axis=-1, keepdims=True)).astype(np.float32))
    words = [WORDS[i % len(WORDS)] for i in range(tokens)]
    (HOME / f"tokens-{size}.json").write_text(json.dumps(words), encoding="utf8")


def our_page(size: str) -> dict[str, Any]:
    """The widget as the book's static host shows it; large buffers lie in files of their own."""
    sys.path.insert(0, str(ROOT / "book/_ext"))
    from static_widgets import host_script  # type: ignore[import-not-found]
    from static_widgets.state import page_state  # type: ignore[import-not-found]

    words = json.loads((HOME / f"tokens-{size}.json").read_text("utf8"))
    widget = AttentionHeatmap(np.load(HOME / f"weights-{size}.npy"), words, words)
    page = page_state(dependency_state([widget], drop_defaults=False), {widget.model_id: 1}, {})
    for name, text in {**page.files, "host.js": host_script()}.items():
        (HOME / name).write_text(text, encoding="utf8")
    head = "".join(f'<link rel="stylesheet" href="{style}.css">' for style in page.styles)
    head += "".join(f'<script defer src="{name}.js"></script>' for name in (page.modules[0], "host"))
    view = '<div class="attn-view" data-attn="AttentionHeatmap" data-state="waiting" data-model="1"></div>'
    view += f'<script type="application/json" id="attn-state">{page.json}</script>'
    html = f'<!doctype html><html lang="en"><meta charset="utf-8">{head}<body>{view}</body></html>'
    (HOME / f"here-{size}.html").write_text(html, encoding="utf8")
    counts = dict(zip(("layer", "head"), SIZES[size], strict=False))
    acts = {name: [CHOOSE.format(name, count)] for name, count in counts.items() if count > 1}
    return {"done": OUR_DONE, "proof": OUR_PROOF, "acts": {"hover": [OVER], **acts}}


def peer_pages(sizes: list[str]) -> dict[str, Any]:
    """What the others show, made in an environment of their own."""
    python = PEERS / "bin/python"
    ready, wanted = PEERS / "ready", (ROOT / "tools/peers.txt").read_text("utf8")
    if not ready.exists() or ready.read_text("utf8") != wanted:
        print("fetching the other visualisers into .venv-peers (minutes) …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
        quiet = ["-q", "--progress-bar=off", "-r", str(ROOT / "tools/peers.txt")]
        subprocess.run([python, "-m", "pip", "install", *quiet], check=True)
        ready.write_text(wanted, encoding="utf8")
    (HOME / "package.json").write_text('{"private": true}')  # or npm would use the project's own
    for name, (package, file) in LIBRARIES.items():
        if not (HOME / f"lib/{name}.min.js").exists():
            npm = [f"{Path(sys.executable).parent}/npm", "install", "--no-audit", "--no-fund", package]
            subprocess.run(npm, cwd=HOME, check=True, capture_output=True)
            shutil.copy(HOME / "node_modules" / file, HOME / f"lib/{name}.min.js")
    subprocess.run([python, ROOT / "tools/bench_peers.py", HOME, *sizes], check=True)
    return dict(json.loads((HOME / "peers.json").read_text("utf8")))
