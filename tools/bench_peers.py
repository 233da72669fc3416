"""Pages of other attention visualisers, for `make bench`; bench_contestants.py makes .venv-peers for it.

usage: .venv-peers/bin/python tools/bench_peers.py FOLDER SIZE …

Reads weights-<size>.npy (L, H, T, S) and tokens-<size>.json; writes <peer>-<size>.html, each as the peer
itself would show it in a notebook, and peers.json with what a test of speed must know: when it is drawn
(`done`, a JavaScript expression) and what a reader does there (`acts`: hover, head, layer). An act is a
function of a counter and, where the answer comes late, an expression that tells when it is there.
Scripts that a page would ask of another host come from FOLDER/lib instead.
"""

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

Page = dict[str, Any]


def fire(element: str, event: str, options: str = "") -> str:
    """An event as the browser would send it, bubbling."""
    kind = "MouseEvent" if event.startswith(("mouse", "click")) else "Event"
    return f"{element}.dispatchEvent(new {kind}('{event}', {{bubbles: true, {options}}}))"


def local(html: str) -> str:
    """Libraries from the folder lib instead of another host."""
    return re.sub(r"https://[^\s\"']+/(require|d3|jquery)\.min", r"./lib/\1.min", html)


def bertviz_head(weights: Any, tokens: list[str]) -> Page:
    """Head view: one layer at a time, lines between two columns of words."""
    import torch
    from bertviz import head_view  # type: ignore[import-not-found]

    html = head_view([torch.from_numpy(a)[None] for a in weights], tokens, html_action="return").data
    words = "document.querySelectorAll('#left > g:nth-child(2) > g')"
    boxes = "document.querySelectorAll('#attention + g rect')"
    choose = "const s = document.querySelector('#layer'); s.value = (i + 1) % L;"
    acts = {
        "hover": [f"(i) => {fire(words + '[i % T]', 'mouseover')}"],
        "head": [f"(i) => {fire(boxes + '[i % H]', 'click')}"],
        "layer": [f"(i) => {{ {choose} {fire('s', 'change')} }}"],
    }
    return {"html": local(html), "done": "!!document.querySelector('#attention + g rect')", "acts": acts}


def circuitsvis(weights: Any, tokens: list[str]) -> Page:
    """All heads as small maps, one of them large; the mouse chooses it."""
    from circuitsvis.utils.render import render_local  # type: ignore[import-not-found]

    layers, heads, size, _ = weights.shape
    names = [f"L{layer}H{head}" for layer in range(layers) for head in range(heads)]
    flat = weights.reshape(-1, size, size)
    html = render_local(
        "AttentionHeads", attention=flat, tokens=tokens, attentionHeadNames=names, maskUpperTri=False
    )
    filled = "(c) => c.width && c.getContext('2d').getImageData(c.width >> 1, c.height >> 1, 1, 1).data[3]"
    canvases = "[...document.querySelectorAll('canvas')]"
    few = f"((c) => c.length > L * H && [c[0], c.at(-2), c.at(-1)].every({filled}))({canvases})"
    at = (
        "clientX: r.left + r.width * (.3 + .02 * (i % 24)), clientY: r.top + r.height * (.2 + .02 * (i % 24))"
    )
    title = "document.querySelectorAll('h4')[(i + 1) % (L * H)]"
    big = f"const c = {canvases}.at(-1), r = c.getBoundingClientRect();"
    acts = {
        "hover": [f"(i) => {{ {big} {fire('c', 'mousemove', at)} }}"],
        "head": [
            f"(i) => {fire(title + '.parentNode.parentNode', 'mouseover')}",
            f"(i) => [...document.querySelectorAll('h2')].at(-1).textContent === {title}.textContent",
        ],
    }
    return {"html": html, "done": few, "acts": acts}


def plotly(weights: Any, tokens: list[str]) -> Page:
    """A heatmap for each layer and head, one colour axis."""
    import plotly as package  # type: ignore[import-not-found]
    from plotly import graph_objects
    from plotly.subplots import make_subplots  # type: ignore[import-not-found]

    layers, heads = weights.shape[:2]
    figure = make_subplots(layers, heads, horizontal_spacing=0.004, vertical_spacing=0.004)
    for layer, head in np.ndindex(layers, heads):
        figure.add_trace(
            graph_objects.Heatmap(z=weights[layer, head], coloraxis="coloraxis"), layer + 1, head + 1
        )
    figure.update_layout(width=960, height=max(160, 110 * layers)).update_xaxes(visible=False)
    figure.update_yaxes(visible=False, autorange="reversed")
    script = Path(package.__file__).parent / "package_data/plotly.min.js"
    html = f'<script src="./lib/plotly.min.js"></script>{figure.to_html(False, include_plotlyjs=False)}'
    images = "[...document.querySelectorAll('.heatmaplayer image')]"
    done = f"{images}.length === L * H && {images}.every((x) => x.getAttribute('href'))"
    where = (
        "{clientX: r.left + r.width * (.1 + .03 * i % .8), clientY: r.top + r.height * (.2 + .02 * i % .7)}"
    )
    drag = "document.querySelectorAll('.nsewdrag')[i % (L * H)]"
    hover = f"(i) => {{ const d = {drag}, r = d.getBoundingClientRect(), at = {where};"
    hover += f" {fire('d', 'mouseover', '...at')}; {fire('d', 'mousemove', '...at')} }}"
    acts = {"hover": [hover, "() => !!document.querySelector('.hoverlayer .hovertext')"]}
    return {"html": html, "done": done, "acts": acts, "lib": str(script)}


def attnview(weights: Any, tokens: list[str]) -> Page:
    """One row of one head at a time, as bars."""
    from attnview import AttentionStudy  # type: ignore[import-not-found]
    from attnview.api import render_html  # type: ignore[import-not-found]
    from attnview.model import AttentionPattern  # type: ignore[import-not-found]

    layers = tuple(AttentionPattern.from_data(a, tokens=tokens) for a in weights)
    html = render_html(AttentionStudy(layers=layers, layer_names=tuple(f"L{i}" for i in range(len(layers)))))
    step = "const b = document.querySelector('#next');"
    choose = (
        "const s = document.querySelector('#{0}'); s.value = s.options[(i + 1) % s.options.length].value;"
    )
    acts = {
        "hover": [f"(i) => {{ {step} (b.disabled ? document.querySelector('#previous') : b).click() }}"],
        **{
            name: [f"(i) => {{ {choose.format(name)} {fire('s', 'change')} }}"]
            for name in ("head", "layer")
            if f'id="{name}"' in html
        },
    }
    return {"html": html, "done": "document.querySelectorAll('#weights tr').length === S", "acts": acts}


PEERS = {"bertviz-head": bertviz_head, "circuitsvis": circuitsvis, "plotly": plotly, "attnview": attnview}


def main() -> None:
    """Write every page of every size there is."""
    folder, about = Path(sys.argv[1]), {}
    for size in sys.argv[2:]:
        tokens = json.loads((folder / f"tokens-{size}.json").read_text("utf8"))
        for peer, build in PEERS.items():
            page = build(np.load(folder / f"weights-{size}.npy"), tokens)
            html = page.pop("html")
            if "<html" not in html[:500].lower():
                html = f'<!doctype html><html><head><meta charset="utf-8"></head><body>{html}</body></html>'
            (folder / f"{peer}-{size}.html").write_text(html, encoding="utf8")
            if "lib" in page:
                shutil.copy(page.pop("lib"), folder / "lib")
            about[f"{peer}-{size}"] = page
    (folder / "peers.json").write_text(json.dumps(about, indent=1), encoding="utf8")


if __name__ == "__main__":
    main()
