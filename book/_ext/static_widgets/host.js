// @ts-check
// Brings the widgets of a static page to life: no kernel, no other host, also from file://.
// __init__.py joins model.js and this file into one classic script; it runs deferred, when the page is parsed.
import { bytes, follow, Model, place } from "./model.js";

const HERE = /** @type {HTMLScriptElement} */ (document.currentScript).src;
const MARGIN = "600px 0px"; // how far outside the window a widget starts to load

const page = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("attn-state")).textContent);
const signal = new AbortController().signal; // never aborted: views stay as long as their page
const experimental = { invoke: () => Promise.reject(new Error(page.words.kernel)) };

const once = (/** @type {(key: string) => any} */ make) => {
  const made = new Map();
  return (/** @type {string} */ key) => made.get(key) ?? made.set(key, make(key)).get(key);
};

/** The text of a hashed file. Classic scripts register it, since fetch and modules do not work from file://. */
const load = once(
  (hash) =>
    new Promise((resolve, reject) => {
      const files = (self.attnFiles ??= {});
      if (hash in files) return resolve(files[hash]);
      const script = document.createElement("script");
      script.src = new URL(`${hash}.js`, HERE).href;
      script.onload = () => resolve(files[hash]);
      script.onerror = () => reject(new Error(`${script.src} could not be loaded`));
      document.head.append(script);
    }),
);

/** The widget a module exports, run from a blob URL, which may be imported from anywhere. */
const widgetOf = once(async (hash) => {
  const url = URL.createObjectURL(new Blob([await load(hash)], { type: "text/javascript" }));
  try {
    const { default: widget } = await import(url);
    return typeof widget === "function" ? await widget() : widget;
  } finally {
    URL.revokeObjectURL(url);
  }
});

const models = {};
for (const [id, { state, inline }] of Object.entries(page.models)) {
  models[id] = new Model(inline.reduce((all, { path, data }) => place(all, path, bytes(data)), state));
}
for (const [source, from, target, to, both] of page.links) {
  follow(models[source], from, models[target], to);
  if (both) follow(models[target], to, models[source], from);
}

/** The widget of a model, with its large buffers in place and `initialize` done: once, however many views. */
const prepare = once(async (id) => {
  const { module, later } = page.models[id];
  const [widget, ...texts] = await Promise.all([widgetOf(module), ...later.map(({ file }) => load(file))]);
  const model = models[id];
  later.forEach(({ path: [name, ...rest] }, i) => {
    const view = bytes(texts[i]);
    model.set(name, rest.length ? place(model.get(name), rest, view) : view);
  });
  await widget.initialize?.({ model: model.facade(), signal, experimental });
  return widget;
});

/** What stands in for a view that is not drawn: its picture or text, as markup of our own build. */
const still = (/** @type {HTMLElement} */ el) => el.querySelector("noscript")?.textContent ?? el.innerHTML;

async function show(/** @type {HTMLElement} */ el) {
  const before = still(el);
  try {
    const id = /** @type {string} */ (el.dataset.model);
    const widget = await prepare(id);
    el.replaceChildren();
    await widget.render({ model: models[id].facade(), el, signal, experimental });
    el.dataset.state = "ready";
    performance.mark("attn:ready");
  } catch (error) {
    console.error(`${el.dataset.attn}:`, error);
    const words = document.createElement("p");
    words.setAttribute("role", "alert");
    words.textContent = `${page.words.failed} (${error?.message ?? error}) ${page.words.download}`;
    el.innerHTML = before;
    el.prepend(words);
    el.dataset.state = "error";
  }
}

const waiting = () => document.querySelectorAll('.attn-view[data-state="waiting"]');
// A view in a closed <details> or a hidden tab has no box and so comes near only when it is opened.
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
  for (const el of waiting()) el.innerHTML = still(/** @type {HTMLElement} */ (el));
});
