// @ts-check
// ScoreExplorer: arrows → scores → weights → output, and what many dimensions do to them.
import { attend, edgeDistance, hull } from "./attn.js";
import { dragging, nudge } from "./controls.js";
import { dimensionsPanel, shareAt } from "./score_dims.js";
import { mapOf } from "./score_pictures.js";
import { look, planePanel, temperatureAt } from "./score_plane.js";
import { makeRender } from "./view.js";
import { number } from "./words.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").State} State */

const PLANE = ["query", "key_vectors", "value_vectors", "score", "temperature", "challenge"];
const DIMENSIONS = ["width", "divisor", "guess", "reach"];
const TRAITS = [
  ...PLANE, ...DIMENSIONS, "query_token", "key_tokens", "target", "panels", "_sharpness", "_start", "language",
];

/** @param {State} state @param {any} local */
const tree = (state, local) => [
  state.panels !== "dimensions" && planePanel(state, local),
  state.panels !== "plane" && dimensionsPanel(state, local),
];

/** What the screen reader hears some time after a change. @param {State} state @param {any} local */
function spoken(state, local) {
  const it = look(state, local);
  const name = state.key_tokens[it.chosen];
  return it.words.live(name, number(it.attention.weights[it.chosen]), it.attention.output.map((x) => number(x)).join(", "));
}

/** The closest the output ever came to the hull's edge, while the challenge is on. @param {State} state */
function closest(state) {
  if (state.challenge === null) return {};
  const { score, query, key_vectors, value_vectors, temperature } = state;
  const { output } = attend(score, query, key_vectors, value_vectors, temperature);
  return { challenge: Math.min(state.challenge, Math.max(0, edgeDistance(output, hull(value_vectors)))) };
}

/** @param {View} view @param {State} changes */
const change = (view, changes) => view.set({ ...changes, ...closest({ ...view.state(), ...changes }) });

/** Where a tip stands: q, or k and v with their number. @param {string} id @param {State} state */
function place(id, state) {
  if (id === "q") return { trait: "query", at: state.query };
  const [trait, i] = [id[0] === "k" ? "key_vectors" : "value_vectors", Number(id.slice(1))];
  return { trait, i, at: state[trait][i] };
}

/** Put a tip there, to two decimals and inside its picture. @param {string} id @param {number[]} to @param {View} view */
function move(id, to, view) {
  const state = view.state();
  const name = id[0] === "v" ? "output" : "plane";
  const { low, high } = mapOf(name, state, view.local.sizes[name]);
  const { trait, i, at } = place(id, state);
  const kept = to.map((x, axis) => Math.round(100 * Math.min(high[axis], Math.max(low[axis], x))) / 100);
  if (kept[0] === at[0] && kept[1] === at[1]) return;
  const all = i === undefined ? kept : state[trait].map((/** @type {number[]} */ v, /** @type {number} */ j) => (j === i ? kept : v));
  change(view, { [trait]: all });
}

/** @type {Record<string, (view: View) => State>} */
const ACTS = {
  reset: (view) => Object.fromEntries(PLANE.map((name) => [name, view.state()._start[name] ?? null])),
  again: (view) => ({ width: view.state()._sharpness.widths[0], divisor: "1", guess: null, reach: 0 }),
  challenge: (view) => {
    const state = view.state();
    if (state.challenge === null) return closest({ ...state, challenge: Infinity });
    return { challenge: state.challenge <= 0.05 ? null : 0 };
  },
};

const actions = {
  ...dragging((id, at, view) => {
    if (id === "guess") return view.set({ guess: shareAt(at[1], view.local.sizes.curve) });
    const name = id[0] === "v" ? "output" : "plane";
    move(id, mapOf(name, view.state(), view.local.sizes[name]).back(at), view);
  }),
  keydown: (/** @type {KeyboardEvent} */ event, /** @type {View} */ view) => {
    const id = /** @type {Element} */ (event.target).getAttribute("data-handle");
    const by = id && nudge(event, 0.05);
    const home = id && event.key === "Home";
    if (!id || !(by || home)) return;
    event.preventDefault();
    const state = view.state();
    if (id === "guess") {
      const now = state.guess ?? 0.5;
      const to = by ? Math.min(1, Math.max(0, now + (by[0] || by[1]))) : null;
      view.set({ guess: to === null ? null : Math.round(100 * to) / 100 });
      return;
    }
    const { at } = place(id, by ? state : state._start);
    if (at) move(id, by ? [at[0] + by[0], at[1] + by[1]] : at, view);
  },
  input: (/** @type {Event} */ event, /** @type {View} */ view) => {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const { slide } = input.dataset;
    if (slide === "temperature") change(view, { temperature: temperatureAt(Number(input.value)) });
    if (slide === "width") {
      const { _sharpness, reach } = view.state();
      const width = _sharpness.widths[Number(input.value)];
      view.set({ width, reach: Math.max(reach, width) });
    }
  },
  change: (/** @type {Event} */ event, /** @type {View} */ view) => {
    const { choose, value } = /** @type {HTMLInputElement} */ (event.target).dataset;
    if (choose) view.settle({ [choose]: value, ...(choose === "score" ? closest({ ...view.state(), score: value }) : {}) });
  },
  click: (/** @type {Event} */ event, /** @type {View} */ view) => {
    const act = /** @type {Element} */ (event.target).closest("[data-act]")?.getAttribute("data-act");
    if (act) view.settle(ACTS[act](view));
    point(event, view);
  },
  pointerover: point,
  focusin: point,
  pointerleave: (/** @type {Event} */ _, /** @type {View} */ view) => pick(null, view),
};

/** What the pointer or the focus rests on stands out. @param {Event} event @param {View} view */
function point(event, view) {
  const target = /** @type {Element} */ (event.target);
  view.root.dataset.part = target.closest("[data-part]")?.getAttribute("data-part") ?? "";
  const on = target.closest("[data-hover],[data-handle]");
  if (!view.local.held) pick(on?.getAttribute("data-hover") ?? on?.getAttribute("data-handle") ?? null, view);
}

/** @param {string | null} id @param {View} view */
function pick(id, view) {
  if (view.local.hover === id) return;
  view.local.hover = id;
  view.redraw();
}

export default { render: makeRender({ name: "score-explorer", traits: TRAITS, tree, spoken, actions }) };
