// @ts-check
// Brings the widgets of a static page to life: no kernel, no other host, also from file://.
// __init__.py joins model.js and this file into one classic script; it runs deferred, when the page is parsed.
import { bytes, follow, Model, place } from "./model.js";

/** @typedef {(string | number)[]} Path
 * @typedef {{path: Path, data: string}[]} Inline buffers that came with the page
 * @typedef {{path: Path, file: string}[]} Later buffers in files of their own
 * @typedef {{module: string, state: Record<string, any>, inline: Inline, later: Later}} Saved
 * @typedef {{initialize?: Function, render: Function}} Widget */

const HERE = /** @type {HTMLScriptElement} */ (document.currentScript).src;
const MARGIN = "600px 0px"; // how far outside the window a widget starts to load

const page = JSON.parse(document.getElementById("attn-state")?.textContent ?? "");
/** @type {Record<string, Saved>} */
const saved = page.models;
/** @type {Record<string, Model>} */
const models = {};
for (const [id, { state, inline }] of Object.entries(saved)) {
  models[id] = new Model(inline.reduce((all, { path, data }) => place(all, path, bytes(data)), state));
}
for (const [source, from, target, to, both] of page.links) {
  follow(models[source], from, models[target], to);
  if (both) follow(models[target], to, models[source], from);
}

const signal = new AbortController().signal; // never aborted: views stay as long as their page
const experimental = { invoke: () => Promise.reject(new Error(page.words.kernel)) };

/** The function, but each key is worked on once. @template T @param {(key: string) => Promise<T>} make */
function once(make) {
  /** @type {Map<string, Promise<T>>} */
  const made = new Map();
  return (/** @type {string} */ key) => {
    const result = made.get(key) ?? make(key);
    made.set(key, result);
    return result;
  };
}

/** The text of a hashed file. Classic scripts register it, since fetch and modules do not work from file://. */
const load = once(async (hash) => {
  /** @type {Record<string, string>} */
  const files = Reflect.get(self, "attnFiles") ?? {};
  if (hash in files) return files[hash];
  const script = document.createElement("script");
  script.src = new URL(`${hash}.js`, HERE).href;
  await new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${script.src} could not be loaded`));
    document.head.append(script);
  });
  return Reflect.get(self, "attnFiles")[hash];
});

/** The widget a module exports, run from a blob URL, which may be imported from anywhere. */
const widgetOf = once(async (hash) => {
  const url = URL.createObjectURL(new Blob([await load(hash)], { type: "text/javascript" }));
  try {
    const { default: widget } = await import(url);
    return /** @type {Promise<Widget>} */ (typeof widget === "function" ? widget() : widget);
  } finally {
    URL.revokeObjectURL(url);
  }
});

/** Put large buffers where they belong. @param {string} id @param {Later} buffers */
async function bring(id, buffers) {
  const texts = await Promise.all(buffers.map(({ file }) => load(file)));
  buffers.forEach(({ path: [name, ...rest] }, i) => {
    models[id].set(String(name), place(models[id].get(String(name)), rest, bytes(texts[i])));
  });
}

/** Buffers of traits that the widget names in `_late`: it is drawn without them. @param {string} id @param {boolean} late */
const buffersOf = (id, late) => saved[id].later.filter(({ path }) => late === (saved[id].state._late ?? []).includes(path[0]));

/** The reader's first sign of life: until then a page stays as light as it came. */
const touched = new Promise((resolve) => {
  const seen = new AbortController();
  /** @param {any} event */
  const sign = ({ type, movementX, movementY }) => {
    if (type === "pointermove" && !movementX && !movementY) return; // the page came to lie under a pointer at rest
    seen.abort();
    resolve(true);
  };
  for (const type of ["pointermove", "pointerdown", "keydown", "scroll"]) addEventListener(type, sign, { signal: seen.signal, capture: true });
});

/** What a widget that is drawn can wait for. */
const complete = once(async (id) => {
  const late = buffersOf(id, true);
  if (late.length) await touched;
  await bring(id, late);
});

/** The widget of a model, with its large buffers in place and `initialize` done: once, however many views. */
const prepare = once(async (id) => {
  const [widget] = await Promise.all([widgetOf(saved[id].module), bring(id, buffersOf(id, false))]);
  await widget.initialize?.({ model: models[id].facade(), signal, experimental });
  return widget;
});

/** What stands in for a view that is not drawn: its picture or text, as markup of our own build.
 * @param {Element} el */
const still = (el) => el.querySelector("noscript")?.textContent ?? el.innerHTML;

/** What a widget could not do, in words. @param {HTMLElement} el @param {any} error */
function complain(el, error) {
  console.error(`${el.dataset.attn}:`, error);
  const words = document.createElement("p");
  words.setAttribute("role", "alert");
  words.textContent = `${page.words.failed} (${error?.message ?? error}) ${page.words.download}`;
  el.prepend(words);
  el.dataset.state = "error";
}

/** @param {HTMLElement} el */
async function show(el) {
  const before = still(el);
  const id = String(el.dataset.model);
  try {
    const widget = await prepare(id);
    el.replaceChildren();
    await widget.render({ model: models[id].facade(), el, signal, experimental });
    el.dataset.state = "ready";
    performance.mark("attn:ready");
    complete(id).catch((error) => complain(el, error));
  } catch (error) {
    el.innerHTML = before;
    complain(el, error);
  }
}

const waiting = () => document.querySelectorAll('.attn-view[data-state="waiting"]');

// A view in a closed <details> or a hidden tab has no box, so it comes near only when it is opened.
const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      show(/** @type {HTMLElement} */ (target));
    }
  },
  { rootMargin: MARGIN },
);
for (const el of waiting()) near.observe(el);

// Paper gets the picture of what is not drawn yet: drawing takes longer than a print waits.
addEventListener("beforeprint", () => {
  for (const el of waiting()) el.innerHTML = still(el);
});
