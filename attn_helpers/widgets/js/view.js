// @ts-check
// The life of a view, the same for every widget: draw, follow the model, answer the reader, leave no trace.
import { followTheme, patch } from "./dom.js";
import { wordsOf } from "./words.js";

/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {Record<string, any>} State trait name → value */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {{get(name: string): any, set(name: string, value: any): void, save_changes(): void,
 *   on(name: string, fn: () => void): void, off(name: string, fn: () => void): void}} Model */
/** What a drawing may look at besides the traits: where the pointer is, how large each picture is.
 * @typedef {{hover: string | null, held: any, settle: boolean, sizes: Record<string, Size>,
 *   serial: string, font: string}} Local */
/** @typedef {{root: HTMLElement, local: Local, state: () => State, set: (changes: State) => void,
 *   settle: (changes: State) => void, redraw: () => void}} View */
/** @typedef {{name: string, traits: string[], tree: (state: State, local: Local) => Kid[],
 *   spoken: (state: State, local: Local) => string,
 *   actions: Record<string, (event: any, view: View) => void>}} Recipe */

/** Turn a recipe into an anywidget `render`. @param {Recipe} recipe */
export function makeRender(recipe) {
  return (/** @type {{model: Model, el: HTMLElement}} */ { model, el }) => {
    const scope = new AbortController();
    const parts = frameOf(el, recipe.name);
    const { root, stage, alert, live } = parts;
    /** @type {Local} */
    const local = {
      hover: null,
      held: null,
      settle: false,
      sizes: {},
      serial: Math.random().toString(36).slice(2), // names the radio groups of this view
      font: "monospace",
    };
    const state = () => Object.fromEntries(recipe.traits.map((name) => [name, model.get(name)]));
    const guard = makeGuard(alert, () => wordsOf(model.get("language")));
    let frame = 0;
    let unsaved = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let speech;

    const draw = guard("draw", () => {
      root.toggleAttribute("data-held", Boolean(local.held));
      root.toggleAttribute("data-settle", local.settle);
      patch(stage, recipe.tree(state(), local));
    });
    const save = guard("save", () => {
      if (unsaved) model.save_changes();
      unsaved = false;
    });
    const tick = () => {
      frame = 0;
      save();
      draw();
    };
    const redraw = () => {
      frame ||= requestAnimationFrame(tick); // many changes, one drawing: the latest wins
    };
    const measure = () => {
      local.font = getComputedStyle(root).getPropertyValue("--mono") || "monospace";
      for (const picture of stage.querySelectorAll("[data-pic]")) {
        const size = { width: picture.clientWidth, height: picture.clientHeight };
        if (size.width && size.height) local.sizes[picture.getAttribute("data-pic") ?? ""] = size;
      }
    };
    const set = (/** @type {State} */ changes) => {
      for (const [name, value] of Object.entries(changes)) model.set(name, value);
      unsaved = true;
      redraw();
      clearTimeout(speech);
      speech = setTimeout(
        guard("speech", () => {
          live.textContent = recipe.spoken(state(), local);
        }),
        500,
      );
    };
    const moved = (/** @type {boolean} */ settle) => (/** @type {State} */ changes) => {
      local.settle = settle;
      set(changes);
    };
    const view = { root, local, state, set: moved(false), settle: moved(true), redraw };

    const follow = followTheme(root, el, scope.signal);
    draw();
    measure();
    draw();
    const resized = new ResizeObserver(
      guard("resize", () => {
        follow();
        measure();
        draw();
      }),
    );
    resized.observe(root);
    for (const name of recipe.traits) model.on(`change:${name}`, redraw);
    for (const [type, act] of Object.entries(recipe.actions)) {
      const listener = guard(type, (/** @type {Event} */ event) => act(event, view));
      root.addEventListener(type, listener, { signal: scope.signal });
    }

    return () => {
      for (const name of recipe.traits) model.off(`change:${name}`, redraw);
      scope.abort();
      resized.disconnect();
      cancelAnimationFrame(frame);
      clearTimeout(speech);
      save();
      root.remove();
    };
  };
}

/** @param {HTMLElement} el @param {string} name */
function frameOf(el, name) {
  const make = (/** @type {string} */ tag, /** @type {Record<string, string>} */ attributes) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const root = make("div", { class: `attn attn-${name}` });
  const alert = make("p", { class: "attn-error", role: "alert" });
  const stage = make("div", { class: "attn-stage" });
  const live = make("p", { class: "attn-unseen", "aria-live": "polite" });
  root.append(alert, stage, live);
  el.append(root);
  return { root, alert, stage, live };
}

/** Wrap callbacks: what one throws is said inside the widget, and unsaid when it works again.
 * @param {HTMLElement} alert @param {() => any} words */
function makeGuard(alert, words) {
  /** @type {Map<string, string>} */
  const troubles = new Map();
  const show = () => {
    const [message] = troubles.values();
    alert.textContent = message ? words().trouble(message) : "";
  };
  return (/** @type {string} */ owner, /** @type {(...given: any[]) => void} */ work) =>
    (/** @type {any[]} */ ...given) => {
      try {
        work(...given);
        if (troubles.delete(owner)) show();
      } catch (error) {
        console.error(error);
        troubles.set(owner, error instanceof Error ? error.message : String(error));
        show();
      }
    };
}
