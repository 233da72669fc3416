// @ts-check
// The life of a view, the same for every widget: draw, follow the model, answer the reader, leave no trace.
import { followTheme, patch } from "./dom.js";
import { wordsOf } from "./words.js";

/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {Record<string, any>} State trait name → value */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {{get(name: string): any, set(name: string, value: any): void, save_changes(): void,
 *   on(name: string, fn: () => void): void, off(name: string, fn: () => void): void}} Model */
/** What a widget is: its traits, how they look, what a screen reader hears after a change, what events do.
 * @typedef {{name: string, traits: string[], tree: (state: State, view: View) => Kid[],
 *   spoken: (state: State, view: View) => string,
 *   actions: Record<string, (event: any, view: View) => void>}} Recipe */

/** Turn a recipe into an anywidget `render`. @param {Recipe} recipe */
export const makeRender = (recipe) => (/** @type {{model: Model, el: HTMLElement}} */ { model, el }) => {
  const view = new View(recipe, model, el);
  return () => view.close();
};

/** JupyterLab and Notebook would take arrows for shortcuts: they ask the focused element alone. @param {any} event */
const keepKeys = ({ target }) => target.setAttribute("data-lm-suppress-shortcuts", "true");

/** One view of a model. A drawing depends on the traits, and on what only the view can know. */
export class View {
  hover = ""; // what the pointer or the focus rests on
  /** @type {any} what is being dragged */
  held = null;
  settle = false; // bars may glide to their new length
  width = 0; // of the widget; 0 before it is on the page
  /** @type {Record<string, Size>} of the pictures, by name */
  sizes = {};
  font = ""; // of tokens
  serial = `${Math.random()}`; // tells the radio groups of this view from others
  root = document.createElement("div");
  scope = new AbortController(); // its end removes the listeners
  /** @type {Map<Function, string>} */
  troubles = new Map();
  frame = 0;
  /** @type {any} */
  speech = 0;
  unsaved = false;
  /** @type {State} what the reader changed last */
  changed = {};
  /** @type {[string, FocusOptions] | null} where the focus goes after the next drawing, if it is in this view */
  aim = null;

  /** Draw at once, so that a hidden tab is not blank, and again whenever something changes.
   * @param {Recipe} recipe @param {Model} model @param {HTMLElement} el */
  constructor(recipe, model, el) {
    const { root, scope } = this;
    this.recipe = recipe;
    this.model = model;
    root.className = `attn attn-${recipe.name}`;
    patch(root, [["p.error", { role: "alert" }], ["div.stage"], ["p.unseen", { "aria-live": "polite" }]]);
    el.append(root);
    const follow = followTheme(root, el, scope.signal);
    this.say = this.say.bind(this);
    this.say();
    this.draw = this.guard(() => {
      root.toggleAttribute("data-held", !!this.held);
      root.toggleAttribute("data-settle", this.settle);
      const [aim, here] = [this.aim, root.contains(/** @type {Document} */ (root.getRootNode()).activeElement)];
      this.aim = null;
      patch(root.children[1], recipe.tree(this.state, this));
      if (aim && here) /** @type {HTMLElement | null} */ (root.querySelector(aim[0]))?.focus(aim[1]);
    });
    const save = this.guard(() => this.save());
    this.redraw = () => {
      this.frame ||= requestAnimationFrame(() => {
        this.frame = 0; // many changes, one drawing: the latest wins
        save();
        this.draw();
      });
    };
    root.addEventListener("focusin", keepKeys, { signal: scope.signal });
    this.room = this.measure();
    this.draw();
    this.fit();
    this.resized = new ResizeObserver(
      this.guard(() => {
        follow();
        this.fit();
      }),
    );
    this.resized.observe(root);
    for (const name of recipe.traits) model.on(`change:${name}`, this.redraw);
    model.on("change:_trouble", this.say);
    for (const [type, act] of Object.entries(recipe.actions)) {
      root.addEventListener(type, this.guard((event) => act(event, this)), { signal: scope.signal });
    }
  }

  /** Say where the focus belongs after a drawing that takes away what has it; for a pointer nothing scrolls. @param {string} to @param {UIEvent} event */
  lead(to, { detail }) {
    this.aim = [to, { preventScroll: detail > 0 }];
  }

  /** @returns {State} */
  get state() {
    return Object.fromEntries(this.recipe.traits.map((name) => [name, this.model.get(name)]));
  }

  /** Change traits; `settle` when in one step. @param {State} changes @param {boolean} [settle] */
  set(changes, settle = false) {
    const { recipe, model, root } = this;
    for (const name in changes) model.set(name, changes[name]);
    this.changed = changes;
    this.settle = settle;
    this.unsaved = true;
    this.redraw();
    const speak = () => {
      root.children[2].textContent = recipe.spoken(this.state, this);
    };
    clearTimeout(this.speech);
    this.speech = setTimeout(this.guard(speak), 500);
  }

  /** Draw at once, and go on from here: what had the focus may be gone. @param {string} selector */
  focus(selector) {
    this.draw();
    /** @type {HTMLElement | null} */ (this.root.querySelector(selector))?.focus({ preventScroll: true });
  }

  save() {
    if (this.unsaved) this.model.save_changes();
    this.unsaved = false;
  }

  /** Of a picture, or a guess before it is on the page. @param {string} name @returns {Size} */
  size(name) {
    return this.sizes[name] ?? { width: 338, height: 240 };
  }

  /** Look how much room there is. */
  measure() {
    this.font = getComputedStyle(this.root).getPropertyValue("--mono");
    this.width = this.root.clientWidth || this.width;
    for (const picture of /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll("[data-pic]"))) {
      const { clientWidth: width, clientHeight: height, dataset } = picture;
      if (width) this.sizes[dataset.pic ?? ""] = { width, height };
    }
    return JSON.stringify([this.font, this.width, this.sizes]);
  }

  /** Draw again, if there is now more or less room than drawn for. */
  fit() {
    const room = this.measure();
    if (room !== this.room) this.draw();
    this.room = room;
  }

  /** What a callback throws is said inside the widget, and unsaid when it works again.
   * @template {any[]} T @param {(...given: T) => void} work */
  guard(work) {
    const { troubles } = this;
    return (/** @type {T} */ ...given) => {
      try {
        work(...given);
        if (!troubles.delete(work)) return;
      } catch (/** @type {any} */ error) {
        console.error(error);
        troubles.set(work, error?.message ?? `${error}`);
      }
      this.say();
    };
  }

  /** What failed, here or in Python, in words. */
  say() {
    const { troubles, model, root } = this;
    const words = wordsOf(model.get("language"));
    const [here] = troubles.values();
    const there = model.get("_trouble");
    root.children[0].textContent = here !== undefined ? words.trouble(here) : there ? words.python(there) : "";
  }

  close() {
    for (const name of this.recipe.traits) this.model.off(`change:${name}`, this.redraw);
    this.model.off("change:_trouble", this.say);
    this.scope.abort();
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.speech);
    this.save();
    this.root.remove();
  }
}
