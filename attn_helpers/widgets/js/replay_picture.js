// @ts-check
// TrainingReplay's two pictures: three curves over one axis of steps, and the sentence's weights at the cursor.
import { step } from "./canvas.js";
import { slider } from "./controls.js";
import { axisOf, pointsOf, seen, ticksOf } from "./replay.js";
import { replayWords } from "./replay_words.js";
import { disc, line, note, picture, stroke, through } from "./svg.js";
import { readable, word } from "./tokens.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {ReturnType<typeof lookAtReplay>} Look */

const KEYS = { "data-lm-suppress-shortcuts": "true" }; // JupyterLab would swallow the arrows
const END_LOOK = "r-end";

/** The traits, and all that follows from them. @param {Record<string, any>} state @param {any} view */
export function lookAtReplay(state, view) {
  const { _steps: steps, _payload, _shape, at, guess, row, _settles } = state;
  const last = steps.length - 1;
  const reached = Math.max(state.reached, at);
  const settled = _settles[row];
  return {
    state, view, steps, last, at, guess, row, settled, reached,
    queries: /** @type {string[]} */ (state.query_tokens), keys: /** @type {string[]} */ (state.key_tokens),
    words: replayWords(state.language),
    axis: axisOf(steps, view.size("curves")),
    now: seen(_payload, _shape, at),
    end: seen(_payload, _shape, last),
    known: reached >= (settled ?? last), // whether the answer has been in sight
  };
}

/** Beside its name, a curve's value at the cursor. @param {number} i @param {number} value */
const shown = (i, value) => (i === 1 ? `${Math.round(100 * value)} %` : number(value));

/** A curve up to where the reader has been. @param {Look} it @param {number} i @returns {{drawn: Kid[], over: Kid[]}} */
function curve(it, i) {
  const { state, steps, axis, at, reached, words } = it;
  const values = state._curves[i];
  const points = pointsOf(values, steps, axis, i);
  const { top, bottom } = axis.band(i);
  const half = state._halves[i];
  const most = Math.max(...values);
  const tight = points[half][0] > axis.right - 100; // the words go to the left of their mark
  return {
    drawn: [
      line("grid", [axis.left, top], [axis.right, top]),
      line("axis", [axis.left, bottom], [axis.right, bottom]),
      stroke("r-way", through(points.slice(0, reached + 1))),
      half <= reached ? line("r-half", [points[half][0], points[half][1] - 7], [points[half][0], points[half][1] + 7]) : ["g"],
      disc("r-dot", points[at], 5),
    ],
    over: [
      note("r-name", [axis.left, top - 12], words.curves[i]),
      note("r-level", [axis.left - 6, top], shown(i, most)),
      note("r-now", [axis.right, top - 12], shown(i, values[at])),
      half <= reached && note(`r-halfway${tight ? ".r-leftward" : ""}`, [points[half][0] + (tight ? -7 : 7), points[half][1] + (tight ? 8 : -8)], words.half(`${steps[half]}`)),
    ],
  };
}

/** @param {Look} it @returns {Spec} */
export function curves(it) {
  const { steps, axis, at, guess, state, reached, words } = it;
  const parts = [0, 1, 2].map((i) => curve(it, i));
  const here = axis.x(steps[at]);
  const [crossed] = state._crossing;
  const pin = crossed !== undefined && crossed <= reached;
  return picture(
    "curves",
    [
      ...parts.flatMap((part) => part.drawn),
      ["g", ...ticksOf(steps).map((step) => line("axis", [axis.x(step), axis.foot], [axis.x(step), axis.foot + 5]))],
      guess === null ? ["g"] : line("r-guess", [axis.x(steps[guess]), 14], [axis.x(steps[guess]), axis.foot]),
      pin ? line("r-pin", [axis.x(steps[crossed]), 14], [axis.x(steps[crossed]), axis.foot]) : ["g"],
      line("r-cursor", [here, 14], [here, axis.foot]),
    ],
    ...parts.flatMap((part) => part.over),
    ...ticksOf(steps).map((step) => note("tick", [axis.x(step), axis.foot + 16], `${step}`)),
    pin && note("r-crossing", [axis.x(steps[crossed]), 6], words.crossing),
  );
}

/** Guess and cursor, each a slider as wide as the axis. @param {Look} it @returns {Kid[]} */
export function sliders({ steps, at, guess, last, words, axis }) {
  const wide = [axis.left - 10, 22, axis.right - axis.left + 20];
  const stepAt = (/** @type {number} */ i) => words.step(`${steps[i]}`);
  return [
    ["div.r-slide.you",
      ["span.r-label", words.guess, ["b", guess === null ? "" : ` ${stepAt(guess)}`]],
      ["div.r-track", { style: `--from:${wide[0]}px;--wide:${wide[2]}px` },
        scaled(slider("guess", 1000, 0, words.guess, guess === null ? words.unset : stepAt(guess)), thumbAt(steps, guess ?? Math.round(last / 2)), guess === null)]],
    ["div.r-slide",
      ["span.r-label", words.moment, ["b", ` ${stepAt(at)}`]],
      ["div.r-track", { style: `--from:${wide[0]}px;--wide:${wide[2]}px` }, scaled(slider("at", 1000, 0, words.moment, stepAt(at)), thumbAt(steps, at), false)]],
    ["p.r-axis", words.steps],
  ];
}

/** Place of a snapshot on a slider of 1000, as on the axis. @param {number[]} steps @param {number} i */
export const thumbAt = (steps, i) => Math.round((1000 * Math.log1p(steps[i])) / (Math.log1p(steps[steps.length - 1]) || 1));

/** @param {Spec} spec @param {number} value @param {boolean} unset @returns {Spec} */
const scaled = ([head, given], value, unset) => [`${head}${unset ? ".r-unset" : ""}`, { ...given, value: `${value}`, ...KEYS }];

/** The weights of the sentence at the cursor: a table to look at, rows to choose from. @param {Look} it @returns {Spec} */
export function sentence(it) {
  const { queries, keys, words, view, row, now } = it;
  return [
    "div.r-map",
    { role: "radiogroup", "aria-label": words.rows, style: `--keys:${keys.length}` },
    ["div.r-line.r-top", ["span"], ...keys.map((key, s) => ["span.r-key", word(key, s === keys.length - 1 ? END_LOOK : "k", 0)])],
    ...queries.map((query, t) => {
      const isEnd = t === queries.length - 1;
      const { top, weights } = now.rows[t];
      const spoken = words.looks(readable(query), readable(keys[top]), number(weights[top]));
      return [
        `${isEnd ? "div" : "label"}.r-line${t === row ? ".r-on" : ""}`,
        isEnd ? ["span"] : ["input", { type: "radio", name: `row ${view.serial}`, value: t, checked: t === row, "aria-label": spoken, ...KEYS }],
        ["span.r-query", word(query, isEnd ? END_LOOK : "q", 0)],
        ...keys.map((_, s) => cell(it, t, s)),
      ];
    }),
    ["p.r-legend", words.ghost],
  ];
}

/** @param {Look} it @param {number} t @param {number} s @returns {Spec} */
function cell({ now, end, keys, view, state }, t, s) {
  const weight = now.cells[t * keys.length + s];
  const [sure, possible] = state._gold.map((/** @type {number[][]} */ links) => links.some(([q, k]) => q === t && k === s));
  const ghost = end.rows[t].top === s;
  return [
    `span.r-cell${ghost ? ".r-ghost" : ""}`,
    { "aria-hidden": "true", style: `background:${view.ramp.css[step(weight)]};color:${view.ramp.on[step(weight)]}` },
    number(weight),
    sure ? ["i.r-sure"] : possible ? ["i.r-possible"] : ["i"],
  ];
}
