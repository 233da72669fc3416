// @ts-check
// TrainingReplay: how attention forms. The reader guesses when a word is found, then drags through the training.
import { keepRamp } from "./ramp.js";
import { grid } from "./grid.js";
import { nearest } from "./replay.js";
import { curvesPicture, figureOf } from "./replay_curves.js";
import { lookAtReplay } from "./replay_look.js";
import { acts, calm, figure, foot, nextRow, picker, told } from "./replay_panel.js";
import { sentence } from "./sentence.js";
import { makeRender } from "./view.js";

/** @typedef {import("./dom.js").Kid} Kid */

const TRAITS = "_payload _shape _curves _gold _pitch names query_tokens key_tokens shown position row guess revealed title hint language";
const BEAT = 140; // ms for a snapshot when playing

/** @param {any} state @param {any} view @returns {Kid[]} */
function tree(state, view) {
  keepRamp(view);
  const it = lookAtReplay(state, view);
  view.it = it;
  const [title, hint] = told(it);
  return [
    [
      `div.replay${it.narrow ? ".h-narrow" : ""}${it.beside ? ".r-beside" : ""}`,
      ["div.r-told", ["p.title", ...title], ["p.hint", ["strong.strong", it.of], ...hint]],
      picker(it),
      ["div.r-body", ["div.h-plot", ["div.h-scroll", grid(it), sentence(it)]], ["div.r-side", figure(it), curvesPicture(it), acts(it)]],
      foot(it),
    ],
  ];
}

/** What a screen reader hears some time after a change. @param {any} state @param {any} view */
function spoken(state, view) {
  const it = lookAtReplay(state, view);
  const { words, steps, position, row, column, curves, changed } = { ...it, changed: view.changed };
  const plain = (/** @type {Kid[]} */ kids) => kids.flat().filter((/** @type {any} */ kid) => typeof kid === "string" && !/^(bdi|span)\./.test(kid)).join("");
  if (changed.guess !== undefined && changed.position === undefined) return plain(told(it)[1]);
  const [loss, aer, looks] = curves.map((/** @type {any} */ curve) => figureOf(curve.name, curve.values[position]));
  const answer = changed.revealed && it.answer !== null ? `${words.truth(steps[it.answer])}. ` : "";
  return answer + words.said(words.step(steps[position], steps[steps.length - 1]), it.said(row, column), loss, aer, looks);
}

/** Go to a snapshot; the answer is told when it is reached. @param {number} to @param {any} view @param {boolean} [glide] */
function go(to, view, glide = false) {
  const { answer, revealed, steps } = lookAtReplay(view.state, view);
  const position = Math.min(steps.length - 1, Math.max(0, to));
  const there = !revealed && position >= (answer ?? steps.length - 1);
  view.set(there ? { position, revealed: true } : { position }, glide);
}

/** @param {any} view */
function stop(view) {
  clearInterval(view.playing);
  view.playing = 0;
}

/** One snapshot after the other, or, for those who want no motion, the next one. @param {any} view */
function play(view) {
  const last = view.state._shape[0] - 1;
  if (view.playing) {
    stop(view);
    return view.redraw();
  }
  if (view.state.position === last) return go(0, view, true);
  if (calm()) return go(view.state.position + 1, view);
  const beat = view.guard(() => {
    go(view.state.position + 1, view, true);
    if (view.state.position === last) stop(view);
  });
  view.playing = setInterval(beat, BEAT);
  view.scope.signal.addEventListener("abort", () => stop(view));
  beat();
}

/** @type {Record<string, (view: any) => void>} */
const ACTS = {
  play,
  show: (view) => view.set({ revealed: true, position: view.it.answer ?? view.it.steps.length - 1 }, true),
  another: (view) => view.set({ row: nextRow(view.it), guess: null, revealed: false, position: 0 }, true),
};

/** Ask about another row: what was guessed was not about it. @param {number} row @param {any} view */
const ask = (row, view) => row !== view.state.row && view.set({ row, guess: null }, true);

/** Set the cursor or the guess. @param {string} move @param {number} to @param {any} view */
function move(move, to, view) {
  if (move === "position") return go(to, view);
  view.set({ guess: Math.min(view.state._shape[0] - 1, Math.max(0, to)) });
}

/** @param {PointerEvent} event @param {any} view */
function follow({ clientX }, view) {
  const { element, what } = view.held;
  const { steps, chart } = view.it;
  move(what, nearest(steps, chart, clientX - element.getBoundingClientRect().left), view);
}

/** Anywhere on the curves moves the cursor; below the axis it is the guess. @param {PointerEvent} event @param {any} view */
function pointerdown(event, view) {
  const element = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-pic]"));
  if (event.button || !element) return;
  event.preventDefault(); // no text is selected
  stop(view);
  const { chart, revealed, answer } = view.it;
  const below = event.clientY - element.getBoundingClientRect().top > (chart.bottom + chart.guess) / 2;
  const what = below && !revealed && answer !== null ? "guess" : "position";
  element.setPointerCapture(event.pointerId);
  view.held = { element, what, pointerId: event.pointerId };
  /** @type {HTMLElement | null} */ (element.querySelector(`[data-move=${what}]`))?.focus({ preventScroll: true });
  follow(event, view);
}

/** @param {PointerEvent} event @param {any} view */
function pointermove(event, view) {
  if (view.held?.pointerId === event.pointerId) return follow(event, view);
  const row = event.pointerType === "touch" ? undefined : rowOf(event.target);
  point(row, view);
}

/** @param {PointerEvent} event @param {any} view */
function lostpointercapture(event, view) {
  if (view.held?.pointerId !== event.pointerId) return;
  view.held = null;
  view.redraw();
}

/** Which row of the map an element belongs to. @param {any} target @returns {number | undefined} */
function rowOf(target) {
  const { cell, name } = target.closest("[data-cell],[data-name]")?.dataset ?? {};
  return cell ? Number(cell.split(",")[0]) : name && Number(name);
}

/** Read a row without asking about it. @param {number | undefined} row @param {any} view */
function point(row, view) {
  if (row === view.point?.row) return;
  view.point = row === undefined ? null : { row };
  view.redraw();
}

/** @type {Record<string, number>} */
const MOVES = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5, Home: -1e6, End: 1e6 };
/** @type {Record<string, [down: number, right: number]>} */
const WAYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -1e6], End: [0, 1e6] };

/** @param {any} event @param {any} view */
function keydown(event, view) {
  const { key, target } = event;
  const { move: what, cell } = target.dataset;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (what && key in MOVES) {
    stop(view);
    const { position, guess, _shape } = view.state;
    move(what, (what === "guess" ? (guess ?? Math.floor(_shape[0] / 2)) : position) + MOVES[key], view);
  } else if (cell && (key === "Enter" || key === " ")) ask(rowOf(target) ?? 0, view);
  else if (cell && key in WAYS) {
    const [, , queries, keys] = view.state._shape;
    const within = (/** @type {number} */ i, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, i));
    const [row, column] = cell.split(",").map((/** @type {string} */ part, /** @type {number} */ i) => within(Number(part) + WAYS[key][i], i ? keys : queries));
    view.at = { row, column };
    view.root.querySelector(`[data-cell="${row},${column}"]`)?.focus();
    point(row, view);
  } else return;
  event.preventDefault();
}

const actions = {
  pointerdown, pointermove, lostpointercapture, keydown,
  pointerleave: (/** @type {Event} */ _, /** @type {any} */ view) => point(undefined, view),
  focusout: (/** @type {any} */ event, /** @type {any} */ view) => rowOf(event.relatedTarget ?? view.root) === undefined && point(undefined, view),
  click: (/** @type {any} */ { target }, /** @type {any} */ view) => {
    const act = target.closest("[data-act]")?.dataset.act;
    const row = rowOf(target);
    if (act && act !== "play") stop(view);
    if (act) ACTS[act](view);
    else if (row !== undefined) ask(row, view);
  },
  input: (/** @type {any} */ { target }, /** @type {any} */ view) => view.set({ shown: Number(target.value) }, true),
};

export default { render: makeRender({ name: "training-replay", traits: TRAITS.split(" "), tree, spoken, actions }) };
