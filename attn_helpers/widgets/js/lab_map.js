// @ts-check
// TranslationLab's map: source words are the heads of its columns, a row ends in the word that it writes.
import { step } from "./ramp.js";
import { DENSE, OURS } from "./lab_look.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./lab_look.js").Look} Look */
/** @typedef {import("./lab_look.js").Model} Model */

const UNHEARD = { "aria-hidden": "true" };
const LEAST = 0.005; // weights below are shown as 0, so as nothing

/** @param {number[]} weights */
const top = (weights) => weights.indexOf(Math.max(...weights));

/** @param {Look} it @returns {Spec} */
function head(it) {
  const { words, source, isEnd, unknown } = it;
  const column = (/** @type {string} */ word, /** @type {number} */ s) => [
    `div.lab-column${isEnd(s) ? ".lab-end" : ""}${unknown.includes(word) && !isEnd(s) ? ".lab-unknown" : ""}`,
    { title: unknown.includes(word) && !isEnd(s) ? words.column(word) : word },
    [`bdi.token.k${word.trim() ? "" : ".blank"}`, word],
  ];
  return [
    `div.lab-head${it.turned ? ".lab-turned" : ""}`,
    UNHEARD,
    ["div.lab-gutter"],
    ["div.lab-cells", ...source.map(column)],
    ["div.lab-arrow"],
    ["div.lab-word", words.writes],
    ["div.lab-chance", ...(it.compact ? [words.probable] : it.state.operations.length ? words.tick : words.probability)],
  ];
}

/** A cell: its weight as colour, in figures where the row is looked at, and what was there before an operation.
 * @param {Look} it @param {Model} model @param {number} t @param {number} s @returns {Spec} */
function cell(it, { rows = [], rowsBefore = [], touched }, t, s) {
  const { view, words, state, cell: width } = it;
  const weight = rows[t][s];
  const isTold = (state.row === t || touched?.has(t)) && width >= DENSE;
  const before = touched?.has(t) && rowsBefore[t];
  const was = before && top(before) === s && Math.abs(before[s] - weight) >= LEAST ? number(before[s]) : "";
  const ramp = /** @type {any} */ (view).ramp;
  return [
    `div.lab-cell${was ? ".lab-was" : ""}`,
    { title: `${it.source[s]} ${number(weight)}`, style: `background:${ramp.css[step(weight)]};color:${ramp.on[step(weight)]}` },
    was && width >= 44 && ["span.lab-before", width >= 72 ? words.was(was) : was],
    isTold && weight >= LEAST && ["span.lab-figure", number(weight)],
  ];
}

/** A bar to drag, in the row that is being set. @param {Look} it @param {Model} model @param {number} t @param {number} s @returns {Spec} */
function bar(it, { rows = [], m }, t, s) {
  const { view, words, source, cell: width } = it;
  const weight = rows[t][s];
  const colour = /** @type {any} */ (view).ramp.css[step(Math.max(0.12, weight))];
  return [
    "div.lab-bar",
    {
      role: "slider", tabindex: 0, "data-bar": s, "data-model": m, "aria-label": words.bar(source[s]), ...OURS,
      "aria-valuenow": Math.round(100 * weight), "aria-valuetext": number(weight), "aria-orientation": "vertical",
    },
    ["div.lab-level", { style: `height:${(100 * weight).toFixed(1)}%;background:${colour}` }],
    width >= DENSE && ["span.lab-figure", number(weight)],
  ];
}

/** Many narrow cells as one band. @param {Look} it @param {number[]} weights @returns {Spec} */
function band({ view, cell: width }, weights) {
  const ramp = /** @type {any} */ (view).ramp;
  const stops = weights.map((w, s) => `${ramp.css[step(w)]} ${s * (width + 2)}px ${(s + 1) * (width + 2) - 1}px, var(--paper) 0 ${(s + 1) * (width + 2)}px`);
  return ["div.lab-band", { style: `width:${weights.length * (width + 2)}px;background:linear-gradient(to right, ${stops.join(", ")})` }];
}

/** How probable the word was; a tick where the word of this step was before. @param {Look} it @param {Model} model @param {number} t @returns {Spec} */
function chance({ compact, state }, { before, after }, t) {
  const p = Math.exp(after?.log_probs[t] ?? 0);
  const was = before?.log_probs[t];
  if (compact) return ["div.lab-chance", ["b.lab-p", number(p)]];
  return [
    "div.lab-chance",
    ["div.lab-track", ["div.lab-fill", { style: `width:${(100 * p).toFixed(1)}%` }], was !== undefined && state.operations.length > 0 && ["div.lab-tick", { style: `left:${(100 * Math.exp(was)).toFixed(1)}%` }]],
    ["b.lab-p", number(p)],
  ];
}

/** What is heard of a row. @param {Look} it @param {Model} model @param {number} t */
export function rowSaid({ words, source, wordAt }, model, t) {
  const { rows = [], after } = model;
  const strong = rows[t].map((w, s) => [w, s]).filter(([w]) => w >= 0.05).sort((a, b) => b[0] - a[0]).slice(0, 3);
  const reads = strong.map(([w, s]) => `${source[s]} ${number(w)}`).join(", ") || words.nothing;
  return words.rowSaid(t + 1, wordAt(model, t), reads, number(Math.exp(after?.log_probs[t] ?? 0)));
}

/** @param {Look} it @param {Model} model @param {number} t @param {number} stop the row that Tab reaches @returns {Spec} */
function row(it, model, t, stop) {
  const { state, words, q, wordAt, dense } = it;
  const { touched, changed, rows = [], m } = model;
  const isOn = state.row === t;
  const isSet = isOn && state.bars && !dense;
  const word = wordAt(model, t);
  const cells = isSet ? rows[t].map((_, s) => bar(it, model, t, s)) : dense ? [band(it, rows[t])] : rows[t].map((_, s) => cell(it, model, t, s));
  const heard = { role: "radio", tabindex: t === stop ? 0 : -1, "aria-checked": `${isOn}`, "aria-label": rowSaid(it, model, t), "data-step": t, "data-model": m, ...OURS };
  return [
    `div.lab-row${trades(it, model).includes(t) ? ".lab-trading" : ""}${isOn ? ".lab-on" : ""}${touched?.has(t) ? ".lab-touched" : ""}${isSet ? ".lab-set" : ""}`,
    { "data-row": t },
    ["div.lab-gutter", heard, words.step(t + 1)],
    ["div.lab-cells", isSet ? { role: "group", "aria-label": words.rows([t + 1]) } : UNHEARD, ...cells],
    ["div.lab-arrow", UNHEARD],
    [`div.lab-word${changed?.has(t) ? ".lab-changed" : ""}`, { ...UNHEARD, title: word }, q(word)],
    chance(it, model, t),
  ];
}

/** Rows that have traded last, from top to bottom. @param {Look} it @param {Model} model @returns {number[]} */
function trades({ state, narrow }, { touched }) {
  const last = state.operations[state.operations.length - 1];
  return last?.kind === "swap" && touched?.has(last.rows[0]) && !narrow ? [...last.rows].sort((a, b) => a - b) : [];
}

/** Which rows trade, as an arrow between them. @param {Look} it @param {Model} model @returns {Kid} */
function bracket(it, model) {
  const [first, second] = trades(it, model);
  if (first === undefined) return false;
  const { height, gap, gutter } = it;
  const far = (second - first) * (height + gap);
  const bow = `M20,4C-2,4 -2,${far + 4} 20,${far + 4}M15,-1L21,4L15,9M15,${far - 1}L21,${far + 4}L15,${far + 9}`;
  return ["svg.lab-trade", { ...UNHEARD, at: [gutter - 34, first * (height + gap) + height / 2 - 4, 32, far + 8] }, ["path", { d: bow }]];
}

/** @param {Look} it @param {Model} model @returns {Spec} */
export function map(it, model) {
  const { words, state, many, source } = it;
  const { name, rows = [], ready } = model;
  const sizes = { gutter: it.gutter, cell: it.cell, arrow: it.arrow, word: it.word, chance: it.probability, height: it.height, gap: it.gap, head: it.head, figure: it.cell < 40 ? 12 : it.cell < 60 ? 13 : 15 };
  const style = Object.entries(sizes).map(([part, px]) => `--${part}:${px}px`).join(";");
  const stop = state.row !== null && state.row < rows.length ? state.row : 0;
  return [
    "section.lab-model",
    { "aria-label": name || null, style },
    many && ["p.lab-name", name],
    ["div.lab-scroll",
      head(it),
      ready
        ? ["div.lab-rows", { role: "radiogroup", "aria-label": words.map(name ? `${name}: ` : "") }, ["div.lab-inner", ...rows.map((_, t) => row(it, model, t, stop)), bracket(it, model)]]
        : ["div.lab-rows", ["p.lab-waiting", { style: `width:${source.length * (it.cell + 2)}px` }, state.engine === "python" ? "" : words.waiting]]],
  ];
}
