// @ts-check
// DrawnCurve: the reader draws a curve on empty axes; then the measured ones come, one by one.
import { binAt, drawTo, lastOf, nameOf, nudged } from "./curve.js";
import { beside, chartPicture, lookAtCurve } from "./curve_picture.js";
import { makeRender } from "./view.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./curve_picture.js").Look} Look */

const traits = ["bins", "series", "drawn", "revealed", "chosen", "cursor", "title", "hint", "about", "note", "xlabel", "ylabel", "conclusion", "language"];

/** The question, or what came out, and a line about it. @param {Look} it @returns {string[]} */
function told({ state, words, shown, on, against }) {
  if (!against) return [state.title || words.title, state.hint || words.hint];
  const [name, , , , about] = shown[on];
  const points = Math.round(100 * against.average);
  return [(points <= 5 ? words.close : words.far)(name, points), about];
}

/** @param {Record<string, any>} state @param {View} view @returns {Kid[]} */
function tree(state, view) {
  const it = lookAtCurve(state, view);
  const [title, hint] = told(it);
  return [
    ["div.d-told", ["p.title", title], ["p.hint", hint]],
    ["div.d-body", chartPicture(it), beside(it)],
    state.conclusion && ["p.d-end", it.revealed && it.revealed === state.series.length ? state.conclusion : ""],
    ["p.d-note", state.note],
  ];
}

/** What a screen reader hears some time after a change. @param {Record<string, any>} state @param {View} view */
function spoken(state, view) {
  const it = lookAtCurve(state, view);
  const { words, bins, drawn, shown, on, cursor } = it;
  const show = (/** @type {number | null} */ value) => (value === null ? words.empty : words.percent(value));
  if (on < 0) return `${words.bin(nameOf(bins[cursor]), it.across)}: ${show(drawn[cursor])}`;
  const each = bins.map((/** @type {any} */ bin, /** @type {number} */ i) => words.saidBin(nameOf(bin), show(drawn[i]), measuredAt(shown[on], i, it)));
  const end = shown.length === state.series.length ? state.conclusion : "";
  return words.said(told(it)[0], each, end);
}

/** A measured share and its interval, in words. @param {import("./curve.js").Series} series @param {number} i @param {Look} it */
const measuredAt = ([, mean, low, high], i, { words }) =>
  low[i] < high[i] ? words.interval(words.percent(mean[i]), words.percent(low[i]), words.percent(high[i])) : words.percent(mean[i]);

/** Where the pen is, as a place on the axis and a share. @param {PointerEvent} event @param {View} view */
function penAt({ clientX, clientY }, view) {
  const { left, top } = view.held.element.getBoundingClientRect();
  const { chart } = lookAtCurve(view.state, view);
  return [chart.place(clientX - left), chart.share(clientY - top)];
}

/** @param {number[] | null} from @param {number[]} to @param {View} view */
function drawOn(from, to, view) {
  const { drawn, bins } = view.state;
  view.held.last = to;
  view.set({ drawn: drawTo(drawn, bins, from, to), cursor: binAt(bins, to[0]) });
}

/** @param {PointerEvent} event @param {View} view */
function pointerdown(event, view) {
  const element = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-pic]"));
  if (event.button || !element || view.state.revealed) return;
  event.preventDefault(); // no text is selected
  element.setPointerCapture(event.pointerId);
  view.held = { element, pointerId: event.pointerId };
  drawOn(null, penAt(event, view), view);
}

/** @param {PointerEvent} event @param {View} view */
function pointermove(event, view) {
  if (view.held && view.held.pointerId === event.pointerId && view.held.element.isConnected) drawOn(view.held.last, penAt(event, view), view);
}

/** @param {PointerEvent} event @param {View} view */
function lostpointercapture(event, view) {
  if (view.held?.pointerId !== event.pointerId) return;
  view.held = null;
  /** @type {HTMLElement | null} */ (view.root.querySelector(`[data-pen="${view.state.cursor}"]`))?.focus({ preventScroll: true });
  view.redraw();
}

/** @type {Record<string, number>} */
const RISES = { ArrowUp: 0.02, ArrowDown: -0.02, PageUp: 0.1, PageDown: -0.1 };
/** @type {Record<string, number>} */
const MOVES = { ArrowLeft: -1, ArrowRight: 1, Home: -99, End: 99 };

/** Up and down set the bin's value; left and right go to the next bin, and take the line along to an empty one.
 * @param {KeyboardEvent} event @param {View} view */
function keydown(event, view) {
  const { key, shiftKey, ctrlKey, altKey, metaKey } = event;
  const at = /** @type {HTMLElement} */ (event.target).dataset.pen;
  if (at === undefined || ctrlKey || altKey || metaKey || !(key in RISES || key in MOVES)) return;
  event.preventDefault();
  const { drawn } = view.state;
  const i = Number(at);
  if (key in RISES) return view.set({ drawn: nudged(drawn, i, RISES[key] * (shiftKey ? 5 : 1)), cursor: i });
  const cursor = Math.min(drawn.length - 1, Math.max(0, i + MOVES[key]));
  const goesOn = key === "ArrowRight" && drawn[cursor] === null && lastOf(drawn.slice(0, cursor)) !== null;
  view.set({ cursor, ...(goesOn && { drawn: nudged(drawn, cursor, 0) }) });
  /** @type {HTMLElement | null} */ (view.root.querySelector(`[data-pen="${cursor}"]`))?.focus();
}

/** @param {Event} event @param {View} view */
function click({ target }, view) {
  const { act } = /** @type {HTMLElement} */ (target).dataset;
  const { revealed, drawn, series } = view.state;
  const blocked = /** @type {HTMLElement} */ (target).hasAttribute("aria-disabled");
  if (act === "reveal" && !blocked) {
    view.set({ revealed: revealed + 1, chosen: null }, true);
    // The button goes when nothing is left to reveal: the keyboard goes on in the table.
    if (revealed + 1 === series.length) requestAnimationFrame(() => /** @type {HTMLElement | null} */ (view.root.querySelector("input:checked"))?.focus());
  }
  if (act === "again") view.set({ revealed: 0, chosen: null, cursor: 0, drawn: drawn.map(() => null) });
}

/** @param {Event} event @param {View} view */
function input({ target }, view) {
  view.set({ chosen: Number(/** @type {HTMLInputElement} */ (target).value) }, true);
}

/** A row under the pointer shows its curve. @param {Event} event @param {View} view */
function point({ type, target }, view) {
  const row = type === "pointerleave" ? null : /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-hover]"));
  const hover = row?.dataset.hover ?? "";
  if (hover === view.hover) return;
  view.hover = hover;
  view.redraw();
}

const actions = { pointerdown, pointermove, lostpointercapture, keydown, click, input, pointerover: point, pointerleave: point };

export default { render: makeRender({ name: "drawn-curve", traits, tree, spoken, actions }) };
