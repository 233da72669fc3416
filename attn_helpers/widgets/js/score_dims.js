// @ts-check
// ScoreExplorer, second panel: what more dimensions do to the weights, and which divisor keeps them still.
import { argmax, softmax } from "./attn.js";
import { action, handle, segments, slider } from "./controls.js";
import { ramp } from "./geometry.js";
import { picture } from "./score_pictures.js";
import { number, small, wordsOf } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./geometry.js").Size} Size */
/** @typedef {"1" | "sqrt" | "d"} Divisor */

const TOP = 10; // px above and below both charts' area
const BOTTOM = 44;
const DIVIDE = { 1: () => 1, sqrt: Math.sqrt, d: (/** @type {number} */ d) => d };

/** What the panel shows, computed from the traits. @param {any} state */
export function measured({ _sharpness, width, divisor, reach, guess }) {
  const { widths, top, gradient, draw, meta } = _sharpness;
  const index = Math.max(0, widths.indexOf(width));
  const last = widths.length - 1;
  const weights = (/** @type {number} */ i, /** @type {Divisor} */ by) =>
    softmax(draw.dots[i].map((/** @type {number} */ x) => x / DIVIDE[by](widths[i])));
  return {
    widths, index, last, divisor, guess, draws: meta.draws,
    reached: Math.max(index, widths.indexOf(reach)), // the curve stays where it has been drawn
    weights: weights(index, divisor),
    ghost: weights(0, "1"),
    curves: /** @type {Record<Divisor, number[]>} */ (top),
    top: top[divisor][index],
    gradient: gradient[divisor][index],
    change: top[divisor][index] - top[1][0], // against the start: d = 2, undivided
  };
}

/** @typedef {ReturnType<typeof measured>} Measured */

/** Title and explanation. @param {Measured} it @param {any} words @returns {[string, string]} */
function told(it, words) {
  const { widths, index, last, divisor, guess } = it;
  const [d, end] = [widths[index], widths[last]];
  const top = number(it.top);
  if (it.reached === 0 && divisor === "1") {
    return [words.dimensions(end), guess === null ? words.guessFirst : words.guessMade(number(guess), end)];
  }
  const said = guess === null ? "" : words.expected(number(guess));
  if (divisor === "1") {
    if (it.reached < last) return [words.onTheWay(d, top), words.dragOn(end)];
    return [it.top >= 0.995 ? words.takesAll(d) : words.onTheWay(d, top), said + words.pick];
  }
  const name = words.divisors[divisor];
  if (index === 0) return [words.onTheWayBy(name, d, top), words.dragOn(end)];
  if (it.change < -0.08) return [words.flattens(name, d, top), words.tryOther];
  return [it.change > 0.08 ? words.sharpens(name, d, top) : words.holds(name, d, widths[0]), words.compare];
}

/** @param {Size} size */
const areaOf = ({ width, height }) => {
  const bottom = height - BOTTOM;
  return { width, bottom, at: (/** @type {number} */ share) => bottom - share * (bottom - 2 * TOP) };
};

/** The share that a height in px on a chart stands for. @param {number} y @param {Size} size */
export const shareAt = (y, size) => {
  const area = areaOf(size);
  const share = (area.bottom - y) / (area.bottom - 2 * TOP);
  return Math.round(100 * Math.min(1, Math.max(0, share))) / 100;
};

/** @param {string} look @param {number} x @param {number} y @param {string} words @returns {Spec} */
const note = (look, x, y, words) => [
  "span", { class: look, style: `left:${x.toFixed(1)}px;top:${y.toFixed(1)}px` }, words,
];
/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {string} look @returns {Spec} */
const ruled = (x1, y1, x2, y2, look) => ["line", { x1, y1: y1.toFixed(1), x2, y2: y2.toFixed(1), class: look }];

/** Eight weights of one draw; dashed, what they were at first. @param {Measured} it @param {any} words @param {Size} size */
function barsChart(it, words, size) {
  const area = areaOf(size);
  const left = 26;
  const pitch = (area.width - left) / it.weights.length;
  const bar = (/** @type {number} */ i, /** @type {number} */ w, /** @type {Record<string, any>} */ more) => /** @type {Spec} */ ([
    "rect", { x: (left + i * pitch + pitch * 0.1).toFixed(1), width: (pitch * 0.8).toFixed(1), y: area.at(w).toFixed(1), height: Math.max(0, area.bottom - area.at(w)).toFixed(1), rx: "2", ...more },
  ]);
  const best = argmax(it.weights);
  const moved = it.index > 0 || it.divisor !== "1";
  return picture("dims", [
    ...[1, 0.5].map((share) => ruled(left, area.at(share), area.width, area.at(share), "attn-grid")),
    ["g", { class: "attn-stage-2" }, ...it.weights.map((w, i) => bar(i, w, { class: "attn-weight", style: `fill:${ramp(w)}` }))],
    ["g", {}, ...it.ghost.map((w, i) => moved && bar(i, w, { class: "attn-ghost" }))],
    ruled(left, area.bottom, area.width, area.bottom, "attn-axis"),
  ], [
    ...[0, 0.5, 1].map((share) => note("attn-tick attn-tick-y", left - 10, area.at(share), number(share).replace(/\.?0+$/, "") || "0")),
    note("attn-above attn-strong", left + (best + 0.5) * pitch, area.at(Math.max(it.weights[best], moved ? it.ghost[best] : 0)) - 4, number(it.weights[best])),
    note("attn-caption", left, area.bottom + 31, words.bars(it.weights.length) + (moved ? words.ghost(it.widths[0]) : "")),
  ]);
}

/** Left and right end of the axis of d, px. @param {Size} size */
const axisOf = ({ width }) => [18, width - 62];

/** Medians against d: the axis is the slider. @param {Measured} it @param {any} words @param {Size} size */
function curveChart(it, words, size) {
  const area = areaOf(size);
  const [left, right] = axisOf(size);
  const xs = it.widths.map((/** @type {number} */ _, /** @type {number} */ i) => left + ((right - left) * i) / it.last);
  const path = (/** @type {Divisor} */ by) =>
    `M${it.curves[by].slice(0, it.reached + 1).map((share, i) => `${xs[i].toFixed(1)},${area.at(share).toFixed(1)}`).join("L")}`;
  const others = /** @type {Divisor[]} */ (["1", "sqrt", "d"]).filter((by) => by !== it.divisor && it.divisor !== "1");
  const open = it.reached === 0;
  const dot = [xs[it.index], area.at(it.top)];
  const d = it.widths[it.index];
  const end = (/** @type {Divisor} */ by) => xs[it.reached] + 12;
  const mark = area.at(it.guess ?? 0.5);
  const asks = it.guess !== null || open;
  const said = it.guess === null ? words.noGuess : number(it.guess);
  return picture("curve", [
    ...[1, 0.5].map((share) => ruled(left, area.at(share), right, area.at(share), "attn-grid")),
    ruled(left, area.bottom, right, area.bottom, "attn-axis"),
    ["g", {}, ...xs.map((/** @type {number} */ x) => ruled(x, area.bottom, x, area.bottom + 5, "attn-axis"))],
    asks && ruled(right, area.at(1), right, area.bottom, "attn-dots attn-line-you"),
    ["g", {}, ...others.map((by) => /** @type {Spec} */ (["path", { d: path(by), class: "attn-curve" }]))],
    ["path", { d: path(it.divisor), class: "attn-curve attn-on" }],
    ["circle", { cx: dot[0].toFixed(1), cy: dot[1].toFixed(1), r: "5", class: "attn-dot" }],
    asks && !open && ["circle", { cx: right, cy: mark.toFixed(1), r: "8", class: "attn-ring-you" }],
    open && ["path", { d: `M${left + 17},${area.bottom}h22m-7,-5l7,5l-7,5`, class: "attn-way" }],
  ], [
    note("attn-caption", left, 2, words.median(it.draws)),
    ...others.map((by) => note("attn-end", end(by), area.at(it.curves[by][it.reached]), words.divisors[by])),
    it.reached > 0 && note("attn-end attn-strong", end(it.divisor), area.at(it.curves[it.divisor][it.reached]), words.divisors[it.divisor]),
    ...it.widths.map((/** @type {number} */ w, /** @type {number} */ i) =>
      [0, 2, 5, it.last].includes(i) || i === it.index
        ? note(`attn-tick ${i === it.index ? "attn-strong" : ""} ${i !== it.index && Math.abs(i - it.index) === 1 && i !== it.last && i !== 0 ? "attn-gone" : ""}`,
          xs[i], area.bottom + 31, i === 0 ? `d = ${w}` : String(w))
        : null),
    asks && note(`attn-yours ${open ? "" : "attn-said"}`, right - 16, mark, open ? words.yourGuess : words.youSaid(said)),
    open && handle("guess", `you ${it.guess === null ? "attn-open" : ""}`, [right, mark], {
      label: words.guessLabel(it.widths[it.last]), text: said, now: it.guess ?? 0.5, low: 0, high: 1, vertical: true,
    }),
    slider("width", it.last, it.index, words.width, `d = ${d}`, `left:${left - 10}px;width:${right - left + 20}px;top:${area.bottom}px`),
  ]);
}

/** @param {any} state @param {any} local @returns {Spec} */
export function dimensionsPanel(state, local) {
  const words = wordsOf(state.language);
  const it = measured(state);
  const [title, hint] = told(it, words);
  const size = (/** @type {string} */ name) => local.sizes[name] ?? { width: 336, height: 250 };
  const changed = it.reached > 0 || it.guess !== null || it.divisor !== "1";
  const reading = (/** @type {string} */ name, /** @type {string} */ value) => /** @type {Spec} */ ([
    "p", { class: "attn-reading" }, ["span", { class: "attn-name" }, name], " ", ["b", {}, value],
  ]);
  return [
    "div",
    { class: "attn-panel attn-panel-dims", role: "group", "aria-label": words.dimensionsPanel },
    ["div", { class: "attn-top" }, ["p", { class: "attn-title" }, title]],
    ["p", { class: "attn-hint" }, hint],
    ["div", { class: "attn-cells" },
      barsChart(it, words, size("dims")),
      curveChart(it, words, size("curve")),
      ["div", { class: "attn-readings" },
        reading(words.top, number(it.top)),
        reading(words.gradient, small(it.gradient)),
        segments("divisor", local.serial, words.divisor, Object.entries(words.divisors), state.divisor),
        action("again", words.again, changed)]],
  ];
}
