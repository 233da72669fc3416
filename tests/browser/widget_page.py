"""A page with nothing but widgets and a stand-in for the model, so that views are tested without a host."""

import base64
import json

MODEL = """
const revive = (value) => {  // bytes arrive as the DataView that front ends give
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
    paper = "#14171A" if theme == "dark" else "#FCFBF8"
    return f"""<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8">
<title>widgets</title><meta name="viewport" content="width=device-width">
<style>body {{ margin: 0; background: {paper} }} main {{ padding: {padding}px }}</style>
<style>{widgets[0]._css}</style><style>{style}</style>
{body}<main></main><script type="module">const page = {page};{MODEL}</script></html>"""


def _bytes(value):
    return {"$bytes": base64.b64encode(value).decode()}
