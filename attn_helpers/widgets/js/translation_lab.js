// @ts-check
// TranslationLab: a trained model translates in the page; rows of its attention are operated on, and it goes on.
import { keepRamp } from "./ramp.js";
import { isLast, lookAtLab } from "./lab_look.js";
import { map, rowSaid } from "./lab_map.js";
import { became, control, outputs, told } from "./lab_panel.js";
import { tokenize } from "./reading.js";
import { makeRender } from "./view.js";

/** @typedef {import("./dom.js").Kid} Kid */

const TRAITS =
  "names text operations row head bars challenge guess examples engine title hint longest language _payloads _layouts _words _rates _sheets _past _asked".split(" ");
const KEPT = 50; // steps of undo
const SLOW = 500; // ms after which Python's silence is said

/** What there is to show. While Python translates, what it said before stays in sight. @param {any} state @param {any} view */
function sight(state, view) {
  const it = lookAtLab(state, view);
  const isAway = state.engine === "python" && it.models.some((/** @type {any} */ model) => !model.ready);
  if (!isAway) view.asked = 0;
  if (!isAway || !view.it) return it;
  if (!view.asked) setTimeout(() => view.root.isConnected && view.redraw(), SLOW);
  view.asked ||= performance.now();
  return { ...view.it, state: { ...view.it.state, text: state.text, _past: state._past }, away: performance.now() >= view.asked + SLOW };
}

/** @param {any} state @param {any} view @returns {Kid[]} */
function tree(state, view) {
  keepRamp(view);
  const it = sight(state, view);
  view.it = it;
  return [
    [
      `div.lab${it.narrow ? ".lab-narrow" : ""}${it.beside ? ".lab-beside" : ""}${it.many ? ".lab-many" : ""}${it.away ? ".lab-away" : ""}`,
      told(it),
      ["div.lab-models", ...it.models.map((/** @type {any} */ model) => map(it, model))],
      control(it),
      outputs(it),
    ],
  ];
}

/** What a screen reader hears some time after a change. @param {any} state @param {any} view */
function spoken(state, view) {
  const it = lookAtLab(state, view);
  const { changed } = view;
  const say = (/** @type {number[]} */ ids) => ids.map(it.target).join(" ");
  return it.models
    .filter((/** @type {any} */ model) => model.ready)
    .map((/** @type {any} */ model) => {
      const isDone = state.operations.length > 0;
      const row = changed.row !== undefined && changed.operations === undefined && state.row !== null && state.row < model.rows.length;
      if (row) return rowSaid(it, model, state.row);
      return `${it.words.spoken(model.name, say(model.before.ids), isDone ? say(model.after.ids) : "")} ${became(it, model)}`;
    })
    .join(" ");
}

/** Change something that can be undone. @param {any} view @param {Record<string, any>} changes @param {boolean} [goesOn] the same change goes on */
function change(view, changes, goesOn = false) {
  const { text, operations, guess, row, _past } = view.state;
  const past = goesOn ? _past : [..._past, { text, operations, guess, row }].slice(-KEPT);
  view.set({ ...changes, _past: past }, true);
}

/** @param {any} view */
function undo(view) {
  const { _past } = view.state;
  if (!_past.length) return;
  view.set({ ..._past[_past.length - 1], _past: _past.slice(0, -1) }, true);
}

/** Do something to the row in sight. @param {any} view @param {string} kind @param {number[]} rows @param {number[] | null} [weights] @param {boolean} [goesOn] */
function operateOn(view, kind, rows, weights = null, goesOn = false) {
  const { operations, head } = view.state;
  const kept = goesOn ? operations.slice(0, -1) : operations;
  change(view, { operations: [...kept, { kind, rows, head, weights }], guess: null }, goesOn);
}

/** Do it to the row in sight; pressed again, it is taken back. @param {any} view @param {string} kind */
function toggle(view, kind) {
  const { operations, row } = view.state;
  if (isLast(view.state, kind)) change(view, { operations: operations.slice(0, -1), guess: null });
  else operateOn(view, kind, [row]);
}

/** Another sentence: operations were done to the one before. @param {any} view @param {string} text @param {boolean} [goesOn] */
function retype(view, text, goesOn = false) {
  if (text !== view.state.text) change(view, { text, operations: [], guess: null, row: null }, goesOn);
}

/** @param {any} view @param {boolean} on */
function type(view, on) {
  view.typing = on;
  view.typed = false;
  view.draw();
  view.root.querySelector(on ? ".attn-lab-text" : "[data-act=type], [data-guess]")?.focus();
}

/** @param {string} text @param {string} word @param {string} other */
const replaced = (text, word, other) => tokenize(text).map((token) => (token === word ? other : token)).join(" ");

/** What was asked about is done; after that the reader is asked no more. @param {any} view @param {string | null} guess */
function answer(view, guess) {
  const { challenge } = view.state;
  change(view, { guess, operations: [challenge], row: challenge.rows[0], _asked: true });
}

/** @type {Record<string, (view: any, given: DOMStringMap) => void>} */
const ACTS = {
  undo,
  reset: (view) => change(view, { operations: [], guess: null }),
  show: (view) => answer(view, null),
  zero: (view) => toggle(view, "zero"),
  uniform: (view) => toggle(view, "uniform"),
  up: (view) => operateOn(view, "swap", [view.state.row - 1, view.state.row]),
  down: (view) => operateOn(view, "swap", [view.state.row, view.state.row + 1]),
  bars: (view) => view.set({ bars: !view.state.bars }),
  type: (view) => type(view, true),
  done: (view) => type(view, false),
  take: (view, { text }) => retype(view, text ?? ""),
  add: (view, { text }) => retype(view, `${view.state.text.trimEnd()} ${text}`.trim()),
  replace: (view, { word, text }) => retype(view, replaced(view.state.text, word ?? "", text ?? "")),
};

/** @param {any} event @param {any} view */
function click(event, view) {
  const found = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-act],[data-guess],[data-bar],[data-row]"));
  if (!found || found.getAttribute("aria-disabled")) return;
  const { act, guess, row } = found.dataset;
  if (guess || act === "show" || act === "reset") view.lead("[data-act=undo]", event);
  if (act === "replace") view.lead("[data-act=type], .attn-lab-text", event);
  if (act) ACTS[act](view, found.dataset);
  else if (guess) answer(view, guess);
  else if (row !== undefined) view.set({ row: Number(row), bars: view.state.bars && Number(row) === view.state.row }, true);
}

/** @param {Event} event @param {any} view */
function input({ target }, view) {
  const { name, value, type: kind } = /** @type {HTMLInputElement} */ (target);
  if (name.startsWith("head")) return view.set({ head: value === "all" ? null : value.split(",").map(Number) }, true);
  if (kind !== "text") return;
  retype(view, value, view.typed);
  view.typed = true;
}

/** A bar gets a weight, the others share the rest as they did. @param {any} view @param {DOMStringMap} bar @param {number} weight */
function setBar(view, { bar, model }, weight) {
  const { row } = view.state;
  const weights = view.it.models[Number(model)].rows[row];
  const at = Number(bar);
  const w = Math.min(1, Math.max(0, Math.round(100 * weight) / 100));
  const rest = weights.reduce((/** @type {number} */ sum, /** @type {number} */ x, /** @type {number} */ s) => (s === at ? sum : sum + x), 0);
  const next = weights.map((/** @type {number} */ x, /** @type {number} */ s) => (s === at ? w : rest > 1e-9 ? ((1 - w) * x) / rest : (1 - w) / (weights.length - 1)));
  operateOn(view, "set", [row], next.map((/** @type {number} */ x) => Math.min(1, Math.round(1e6 * x) / 1e6)), isLast(view.state, "set"));
}

/** @param {PointerEvent} event @param {any} view */
function pointerdown(event, view) {
  const element = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-bar]"));
  if (event.button || !element) return;
  event.preventDefault(); // no text is selected
  element.focus({ preventScroll: true });
  element.setPointerCapture(event.pointerId);
  view.held = { element, pointerId: event.pointerId };
  pointermove(event, view);
}

/** @param {PointerEvent} event @param {any} view */
function pointermove({ pointerId, clientY }, view) {
  if (view.held?.pointerId !== pointerId) return;
  const { element } = view.held;
  const { bottom, height } = element.getBoundingClientRect();
  setBar(view, element.dataset, (bottom - clientY) / height);
}

/** @param {PointerEvent} event @param {any} view */
function lostpointercapture(event, view) {
  if (view.held?.pointerId !== event.pointerId) return;
  view.held = null;
  view.redraw();
}

/** @type {Record<string, number>} */
const MOVES = { ArrowUp: -1, ArrowDown: 1, Home: -1e6, End: 1e6 };
/** @type {Record<string, number>} */
const SHARES = { ArrowUp: 0.05, ArrowRight: 0.05, ArrowDown: -0.05, ArrowLeft: -0.05, PageUp: 0.25, PageDown: -0.25, Home: -1, End: 1 };

/** Arrows go from row to row, and raise or lower a bar; Enter leaves the sentence, Escape the old one; Ctrl+Z undoes. @param {any} event @param {any} view */
function keydown(event, view) {
  const { key, target, ctrlKey, altKey, metaKey } = event;
  const { step, bar, model } = target.dataset;
  if ((ctrlKey || metaKey) && key === "z" && target.type !== "text") undo(view);
  else if (ctrlKey || altKey || metaKey) return;
  else if (bar !== undefined && key in SHARES) setBar(view, target.dataset, view.it.models[Number(model)].rows[view.state.row][bar] + SHARES[key]);
  else if (step !== undefined && (key in MOVES || key === "Enter" || key === " ")) {
    const { rows } = view.it.models[Number(model)];
    const row = Math.min(rows.length - 1, Math.max(0, Number(step) + (MOVES[key] ?? 0)));
    view.set({ row, bars: view.state.bars && row === view.state.row }, true);
    view.draw();
    view.root.querySelector(`[data-step="${row}"][data-model="${model}"]`)?.focus();
  } else if (target.type === "text" && (key === "Enter" || key === "Escape")) {
    if (key === "Escape" && view.typed) undo(view); // the sentence that stood there before
    type(view, false);
  } else return;
  event.preventDefault();
}

const actions = { click, input, pointerdown, pointermove, lostpointercapture, keydown };

export default { render: makeRender({ name: "translation-lab", traits: TRAITS, tree, spoken, actions }) };
