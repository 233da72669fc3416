// @ts-check
// MuseumRoom: faults one can switch on. The loss falls all the same; the reader says which number catches it.
import { keepRamp } from "./ramp.js";
import { grid } from "./grid.js";
import { spelled } from "./museum.js";
import { lookAtExhibit } from "./museum_look.js";
import { code, exhibits, foot, loss, numbers, says, verdict } from "./museum_panel.js";
import { makeRender } from "./view.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Kid} Kid */

const TRAITS = "_room _payload _shape _pitch query_tokens key_tokens shown fault guesses row title language";

/** The number that catches the fault, large, once it is told. @param {any} it */
const large = ({ words, revealed, exhibit, numbers: all, runs, state }) => {
  const { short } = all[exhibit.number];
  const value = revealed ? spelled(runs.values[exhibit.number]) : words.unseen;
  return ["div.u-read", [`p.u-large${revealed ? (state.fault ? ".u-bad" : "") : ".u-you"}`, value], ["p.u-which", revealed ? short : words.ask]];
};

/** @param {any} state @param {any} view @returns {Kid[]} */
function tree(state, view) {
  keepRamp(view);
  const it = lookAtExhibit(state, view);
  view.it = it;
  return [
    [
      `div.museum${it.narrow ? ".h-narrow" : ""}`,
      exhibits(it),
      ["div.u-told", ["p.title", state.title || it.exhibit.title], ["p.hint", it.exhibit.fine]],
      code(it),
      ["div.u-body", ["div.u-plot", ["div.h-scroll", grid(/** @type {any} */ (it))], says(it)], ["div.u-side", large(it), loss(it)]],
      ["p.u-ask", verdict(it)],
      numbers(it),
      foot(it),
    ],
  ];
}

/** What a screen reader hears some time after a change. @param {any} state @param {any} view */
function spoken(state, view) {
  const it = lookAtExhibit(state, view);
  const { words, runs, exhibit, numbers: all, revealed } = it;
  if ("guesses" in view.changed) return `${verdict(it)} ${revealed ? exhibit.because : ""}`;
  if ("shown" in view.changed) return `${exhibit.title} ${exhibit.fine}`;
  if ("row" in view.changed) return it.said(state.row, it.reading.top);
  const told = revealed ? words.number(all[exhibit.number].short, spelled(runs.values[exhibit.number])) : "";
  return words.runs(words.sides[Number(state.fault)], number(runs.loss[runs.loss.length - 1]), runs.said.join(" ")) + told;
}

/** @param {number} guess @param {any} view */
const answer = (guess, view) => view.set({ guesses: view.state.guesses.with(view.state.shown, guess) }, true);

/** Another exhibit: its fault is on, as one meets it. @param {number} shown @param {any} view */
const visit = (shown, view) => view.set({ shown, fault: true }, true);

/** @type {Record<string, (view: any) => void>} */
const ACTS = {
  show: (view) => answer(-1, view),
  next: (view) => visit((view.state.shown + 1) % view.state._room.exhibits.length, view),
};

/** Which row of the map an element belongs to. @param {any} target @returns {number | undefined} */
function rowOf(target) {
  const { cell, name } = target.closest?.("[data-cell],[data-name]")?.dataset ?? {};
  return cell ? Number(cell.split(",")[0]) : name && Number(name);
}

/** @param {number | undefined} row @param {any} view */
function point(row, view) {
  if (row === view.point?.row) return;
  view.point = row === undefined ? null : { row };
  view.redraw();
}

/** @type {Record<string, [down: number, right: number]>} */
const WAYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -1e6], End: [0, 1e6] };

/** @param {any} event @param {any} view */
function keydown(event, view) {
  const { key, target } = event;
  const { cell } = target.dataset;
  if (event.ctrlKey || event.altKey || event.metaKey || !cell) return;
  if (key === "Enter" || key === " ") view.set({ row: rowOf(target) }, true);
  else if (key in WAYS) {
    const { queries, keys } = view.it;
    const within = (/** @type {number} */ i, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, i));
    const [row, column] = cell.split(",").map((/** @type {string} */ part, /** @type {number} */ i) => within(Number(part) + WAYS[key][i], i ? keys : queries));
    view.at = { row, column };
    view.root.querySelector(`[data-cell="${row},${column}"]`)?.focus();
    point(row, view);
  } else return;
  event.preventDefault();
}

const actions = {
  keydown,
  pointermove: (/** @type {any} */ event, /** @type {any} */ view) => point(event.pointerType === "touch" ? undefined : rowOf(event.target), view),
  pointerleave: (/** @type {any} */ _, /** @type {any} */ view) => point(undefined, view),
  focusout: (/** @type {any} */ event, /** @type {any} */ view) => rowOf(event.relatedTarget ?? view.root) === undefined && point(undefined, view),
  click: (/** @type {any} */ { target }, /** @type {any} */ view) => {
    const { act, guess } = target.closest("[data-act],[data-guess]")?.dataset ?? {};
    const row = rowOf(target);
    if (act) ACTS[act](view);
    else if (guess) answer(Number(guess), view);
    else if (row !== undefined) view.set({ row }, true);
  },
  input: (/** @type {any} */ { target }, /** @type {any} */ view) => {
    if (target.name.startsWith("shown")) visit(Number(target.value), view);
    else view.set({ fault: target.value === "1" }, true);
  },
};

export default { render: makeRender({ name: "museum-room", traits: TRAITS.split(" "), tree, spoken, actions }) };
