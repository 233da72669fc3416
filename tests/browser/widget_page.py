"""A page with nothing but widgets and a stand-in for the model, so that views are tested without a host."""

import base64
import json
from contextlib import contextmanager

MODEL = """
const revive = (value) => {  // bytes arrive as the DataView that front ends give
  if (Array.isArray(value)) return value.map(revive);
  if (!value?.$bytes && value?.$bytes !== "") return value;
  return new DataView(Uint8Array.from(atob(value.$bytes), (c) => c.charCodeAt(0)).buffer);
};
class Model {  // what a front end gives to a widget: traits that tell when they change
  constructor(state) {
    this.state = Object.fromEntries(Object.entries(state).map(([name, value]) => [name, revive(value)]));
    this.listeners = []; this.saves = 0; this.refused = {};
  }
  get(name) { if (this.refused[name]) throw new Error(this.refused[name]); return this.state[name]; }
  set(name, value) {
    if (JSON.stringify(this.state[name]) === JSON.stringify(value)) return;
    this.state[name] = revive(JSON.parse(JSON.stringify(value)));
    for (const [event, fn] of [...this.listeners]) if (event === `change:${name}`) fn();
  }
  save_changes() { this.saves += 1; }
  on(event, fn) { this.listeners.push([event, fn]); }
  off(event, fn) { this.listeners = this.listeners.filter(([e, f]) => e !== event || f !== fn); }
}
const address = URL.createObjectURL(new Blob([page.esm], { type: "text/javascript" }));
const found = (await import(address)).default;
const widget = typeof found === "function" ? await found() : found;
window.models = page.states.map((state) => new Model(state));
window.views = [];
window.show = (model, place) => {
  const el = document.createElement("div");
  el.className = "view";
  (place ?? document.querySelector("main")).append(el);
  const view = { el, close: widget.render({ model, el }) };
  window.views.push(view);
  return view;
};
for (const model of window.models) window.show(model);
window.ready = true;
"""


def widget_page(*widgets, theme="light", body="", padding=24, style=""):
    """HTML showing one view of each widget, all of one class; window.models and window.views hold them."""
    hidden = {"_esm", "_css", "_anywidget_id", "layout", "tabbable", "tooltip", "comm"}
    states = [{k: v for k, v in w.get_state().items() if k not in hidden} for w in widgets]
    page = json.dumps({"esm": widgets[0]._esm, "states": states}, default=_bytes).replace("<", "\\u003c")
    return f"""<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8">
<title>widgets</title><meta name="viewport" content="width=device-width">
<style>body {{ margin: 0; background: #FCFBF8 }} [data-theme=dark] body {{ background: #14171A }}
main {{ padding: {padding}px }}</style>
<style>{widgets[0]._css}</style><style>{style}</style>
{body}<main></main><script type="module">const page = {page};{MODEL}</script></html>"""


def _bytes(value):
    return {"$bytes": base64.b64encode(value).decode()}


@contextmanager
def mounting(browser, default, *, width=1008, height=900, padding=24):
    """mount(*widgets, …) → page with one view each; at the end its console must have been clean.

    default  makes the widget of a mount() without any; padding: px, or a function of the window's width
    Options of mount are those of `widget_page` and of the browser's context; `spoilt` expects errors.
    """
    contexts, errors = [], []
    size = {"width": width, "height": height}

    def mount(*widgets, spoilt=False, **options):
        window = {name: options.pop(name, size[name]) for name in size}
        edge = padding(window["width"]) if callable(padding) else padding
        looks = {name: options.pop(name) for name in ("theme", "body", "padding", "style") if name in options}
        context = browser.new_context(viewport=window, **options)
        contexts.append(context)
        page = context.new_page()
        if not spoilt:
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.set_content(widget_page(*(widgets or [default()]), **{"padding": edge, **looks}))
        page.wait_for_function("window.ready")
        settle(page)
        return page

    yield mount
    for context in contexts:
        context.close()
    assert errors == []


def settle(page):
    """Wait until what was changed is drawn."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def trait(page, name, model=0):
    """A trait of a model, as the page has it."""
    return page.evaluate(f"window.models[{model}].get('{name}')")
