// @ts-check
// ScoreExplorer: arrows → scores → weights → output, and what many dimensions do to them.
import { max, min, round } from "./attn.js";
import { dragging, nudge } from "./controls.js";
import { chart, dimensionsPanel, dimensionsTold } from "./score_dims.js";
import { mapOf } from "./score_pictures.js";
import { look, NEAR, planePanel } from "./score_plane.js";
import { makeRender } from "./view.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").State} State */

const traits = [
  "query", "query_token", "key_tokens", "key_vectors", "value_vectors", "target", "score", "temperature", "challenge",
  "predict", "expected",
  "width", "divisor", "guess", "reach", "panels", "language", "_start", "_sharpness",
];

/** Where the second panel starts. @param {State} state */
const first = ({ _sharpness }) => ({ width: _sharpness.widths[0], divisor: "1", guess: null, reach: 0 });

/** @param {State} state @param {State} start */
const differs = (state, start) => Object.keys(start).some((name) => `${state[name]}` !== `${start[name]}`);

/** @param {State} state @param {View} view */
const tree = (state, view) => [
  state.panels !== "dimensions" && planePanel(state, view, differs(state, state._start)),
  state.panels !== "plane" && dimensionsPanel(state, view, differs(state, first(state))),
];

/** What a screen reader hears some time after a change: of the panel that was touched.
 * @param {State} state @param {View} view */
function spoken(state, view) {
  if (state.panels === "dimensions" || Object.keys(first(state)).some((name) => name in view.changed)) {
    return dimensionsTold(state, view);
  }
  const { say, tell, output, pending, query_token } = look(state, view);
  if (pending) return `${say.asks(query_token).join("")} ${say.choose.join("")}`;
  return `${say.output} ${tell(output)}`;
}

/** Change traits; while the challenge is on, keep how close to the hull's edge the output ever came.
 * @param {View} view @param {State} changes @param {boolean} [settle] */
function change(view, changes, settle) {
  const { challenge } = view.state;
  const { edge } = look({ ...view.state, ...changes }, view);
  view.set({ ...(challenge !== null && { challenge: min(challenge, edge) }), ...changes }, settle);
}

/** The map of the picture a handle lies on. @param {string} id such as "query" or "key_vectors.2" @param {View} view */
function mapFor(id, view) {
  const name = /^value/.test(id) ? "output" : "plane";
  return mapOf(name, view.state, view.size(name));
}

/** What a handle moves: a vector, or the guess as a height. @param {string} id @param {State} state @returns {number[]} */
const placeOf = (id, state) =>
  id === "guess" ? [0, state.guess ?? 0.5] : id.split(".").reduce((/** @type {any} */ part, name) => part[name], state);

/** Put it there, to two decimals and inside its picture. @param {string} id @param {number[]} to @param {View} view */
function put(id, to, view) {
  const { low, high } = id === "guess" ? { low: [0, 0], high: [1, 1] } : mapFor(id, view);
  const at = to.map((x, axis) => round(100 * min(high[axis], max(low[axis], x))) / 100);
  const [trait, i] = id.split(".");
  change(view, { [trait]: i ? view.state[trait].with(i, at) : trait === "guess" ? at[1] : at });
}

/** @param {KeyboardEvent} event @param {View} view */
function keydown(event, view) {
  const id = /** @type {HTMLElement} */ (event.target).dataset.handle;
  const by = event.key === "Home" ? [0, 0] : nudge(event);
  if (!id || !by) return;
  event.preventDefault();
  const [x, y] = placeOf(id, event.key === "Home" ? view.state._start : view.state);
  put(id, [x + by[0], y + by[1]], view);
}

/** @param {Event} event @param {View} view */
function input({ target }, view) {
  const { name, value } = /** @type {HTMLInputElement} */ (target);
  const { _sharpness, reach } = view.state;
  const width = _sharpness.widths[value];
  if (name === "temperature") change(view, { temperature: 2 ** (Number(value) / 8 - 2) });
  else if (name === "width") view.set({ width, reach: max(reach, width) });
  else change(view, { [name.split(" ")[0]]: value }, true);
}

/** @type {Record<string, (state: State, view: View) => State>} */
const acts = {
  reset: ({ _start }) => ({ ..._start, challenge: null }),
  again: first,
  hide: () => ({ predict: true, expected: null, challenge: null }),
  show: () => ({ predict: false }),
  challenge: (state, view) => {
    const { challenge, edge, told } = look(state, view);
    const start = max(edge, 2 * NEAR); // however near it is already, the reader shall try first
    return { challenge: challenge === null ? start : told ? null : 0 };
  },
};

/** @param {MouseEvent} event @param {View} view */
function click(event, view) {
  const { act, choice } = /** @type {HTMLElement} */ (/** @type {Element} */ (event.target).closest("[data-act],[data-choice]"))?.dataset ?? {};
  if (act) change(view, acts[act](view.state, view), true);
  else if (choice) change(view, { expected: Number(choice) }, true);
  point(event, view);
}

/** What the pointer or the focus rests on stands out. @param {Event} event @param {View} view */
function point({ type, target }, view) {
  if (view.held) return;
  const on = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-part],[data-hover],[data-handle]"));
  const { part = "", hover, handle } = type === "pointerleave" ? {} : { ...on?.dataset };
  view.root.dataset.part = part;
  view.hover = hover ?? handle ?? "";
  view.redraw();
}

const actions = {
  ...dragging((id, at, view) =>
    put(id, id === "guess" ? [0, chart(view.size("curve")).shareAt(at[1])] : mapFor(id, view).back(at), view)),
  keydown, input, click, pointerover: point, focusin: point, pointerleave: point,
};

export default { render: makeRender({ name: "score-explorer", traits, tree, spoken, actions }) };
