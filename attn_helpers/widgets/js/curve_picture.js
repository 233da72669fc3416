// @ts-check
// DrawnCurve's picture: axes, the reader's line with its pens, measured curves with their bands, and the table beside.
import { average, chartOf, compare, nameOf } from "./curve.js";
import { edgeOf, spotsOf } from "./curve_labels.js";
import { curveWords } from "./curve_words.js";
import { textWidth } from "./dom.js";
import { disc, line, note, picture, rect, stroke, through } from "./svg.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./curve.js").Series} Series */
/** @typedef {ReturnType<typeof lookAtCurve>} Look */

const KEYS = { "data-lm-suppress-shortcuts": "true" }; // JupyterLab would swallow the arrows

/** The traits, and all that follows from them. @param {Record<string, any>} state @param {View} view */
export function lookAtCurve(state, view) {
  const { bins, drawn, series, revealed, chosen, cursor } = state;
  /** @type {Series[]} */
  const shown = series.slice(0, revealed);
  const pointed = view.hover === "" ? null : Number(view.hover);
  const pinned = chosen !== null && chosen < revealed ? chosen : revealed - 1;
  const on = pointed !== null && pointed < revealed ? pointed : pinned; // the curve that is compared
  const words = curveWords(state.language);
  const chart = chartOf(bins, view.size("drawn"));
  return {
    state, words, chart, bins, drawn, series, shown, revealed, pinned, on, cursor, view,
    across: state.xlabel || words.across,
    empty: /** @type {number[]} */ (drawn.flatMap((/** @type {any} */ value, /** @type {number} */ i) => (value === null ? [i] : []))),
    against: on < 0 ? null : compare(drawn, shown[on][1]),
  };
}

/** Points of a curve, px; what is not drawn is left out. @param {Look} it @param {(number | null)[]} values */
const pointsOf = ({ chart }, values) => values.flatMap((value, i) => (value === null ? [] : [chart.at(i, value)]));

/** The line that the reader drew, in the pieces between empty bins. @param {Look} it */
function pieces({ drawn, chart }) {
  /** @type {number[][][]} */
  const all = [[]];
  drawn.forEach((/** @type {number | null} */ value, /** @type {number} */ i) => {
    if (value === null) all.push([]);
    else all[all.length - 1].push(chart.at(i, value));
  });
  return all.map(through).join("");
}

/** Percentages on the left, lengths below: the ends of the bins. @param {Look} it @returns {{drawn: Kid[], over: Kid[]}} */
function axes({ chart, bins, across, words, state }) {
  const { left, right, bottom, x, y } = chart;
  const stops = [bins[0][0], ...bins.map((/** @type {number[]} */ bin) => bin[1])].filter((stop, i, all) => stop !== all[i - 1]);
  const levels = [0.25, 0.5, 0.75, 1];
  return {
    drawn: [
      ["g", ...levels.map((level) => line("grid", [left, y(level)], [right, y(level)]))],
      line("axis", [left, bottom], [right, bottom]),
      ["g", ...stops.map((stop) => line("axis", [x(stop), bottom], [x(stop), bottom + 5]))],
    ],
    over: [
      note("caption", [left, 14], state.ylabel || words.up),
      ...[0, 0.5, 1].map((level) => note("d-level", [left - 10, y(level)], level === 1 ? words.percent(1) : `${100 * level}`)),
      ...stops.map((stop) => note("tick", [x(stop), bottom + 18], `${stop}`)),
      note("d-across", [right, bottom + 39], across),
    ],
  };
}

/** Curves are told apart without colours: those belong to query, key and value. @param {Look} it @param {number} i */
const lookOf = ({ on }, i) => (i === on ? "d-on" : `d-dash-${i % 4}`);

/** A measured curve: straight from point to point, its interval as a band. @param {Look} it @param {number} i */
function measured(it, i) {
  const [, mean, low, high] = it.shown[i];
  const points = pointsOf(it, mean);
  return [
    `g.d-curve.${lookOf(it, i)}`,
    stroke("d-band", `${through([...pointsOf(it, high), ...pointsOf(it, low).reverse()])}Z`),
    stroke("d-way", through(points)),
    ...points.map((at) => disc("d-dot", at, i === it.on ? 5 : 3)),
  ];
}

/** How far off the reader's line is in each bin. @param {Look} it @returns {Kid[]} */
const offsets = ({ against, chart, words, bins }) =>
  against === null ? [] : [
    ...bins.map((/** @type {any} */ _, /** @type {number} */ i) =>
      note("d-off.you", [chart.at(i, 0)[0], chart.bottom + 63], against.off[i] === null ? "" : words.points(against.off[i] ?? 0))),
    note("d-offrow.you", [chart.left, chart.bottom + 84], words.offRow),
  ];

/** A pen for each bin, one of them within reach of Tab. @param {Look} it @param {number} i @returns {Spec} */
function penOf({ drawn, chart, bins, cursor, across, words }, i) {
  const value = drawn[i];
  const [x, y] = chart.at(i, value ?? 0.5);
  return [
    `div.d-pen${value === null ? ".d-unset" : ""}${i === cursor ? ".d-here" : ""}`,
    {
      role: "slider", tabindex: i === cursor ? 0 : -1, "data-pen": i, ...KEYS, at: [x, y],
      "aria-label": words.bin(nameOf(bins[i]), across), "aria-valuemin": 0, "aria-valuemax": 100,
      "aria-valuenow": Math.round(100 * (value ?? 0.5)), "aria-valuetext": value === null ? words.empty : words.percent(value),
    },
  ];
}

/** What is still to be drawn, and the pens. @param {Look} it @returns {{drawn: Kid[], over: Kid[]}} */
function drawing(it) {
  const { chart, empty, bins, drawn, words, revealed } = it;
  if (revealed) return { drawn: [], over: [] };
  const begun = empty.length < bins.length;
  const next = empty.find((i) => i > 0 && drawn[i - 1] !== null) ?? empty[0];
  const told = begun ? words.keep : words.start;
  const from = next === undefined ? 0 : begun ? chart.span(next)[0] : chart.at(0, 0)[0] + 14;
  const at = [Math.min(from + 12, chart.right - textWidth(told, fontOf(it.view)) - 4), chart.y(next ? (drawn[next - 1] ?? 0.5) : 0.5)];
  const shade = empty.map((i) => {
    const [from, to] = chart.span(i);
    return rect("d-empty", [from, chart.top, to - from, chart.bottom - chart.top]);
  });
  return {
    drawn: begun ? shade : [],
    over: [
      next !== undefined && note("d-keep.you", at, told),
      ...bins.map((/** @type {any} */ _, /** @type {number} */ i) => penOf(it, i)),
    ],
  };
}

/** Of names on the picture. @param {View} view */
const fontOf = (view) => `640 ${view.size("drawn").width < 500 ? 13 : 15}px ${getComputedStyle(view.root).fontFamily}`;

/** Each curve has its name beside it, with a line to it from further off. @param {Look} it @returns {{drawn: Kid[], over: Kid[]}} */
function names(it) {
  const { on, shown, chart, words, drawn, revealed, view } = it;
  if (!revealed) return { drawn: [], over: [] };
  const yours = shown.length;
  const lines = [...shown.map(([, mean]) => pointsOf(it, mean)), pointsOf(it, drawn)];
  const most = 0.6 * (chart.right - chart.left);
  const texts = [...shown.map(([name]) => name), words.yours];
  const widths = texts.map((name) => Math.min(most, textWidth(name, fontOf(view)) + 2)); // in bold: a name never moves when chosen
  const spots = spotsOf(lines, widths, chart);
  return {
    drawn: spots.map((spot, i) => spot?.to && line("d-leader", edgeOf(spot, widths[i]), spot.to)),
    over: spots.map((spot, i) => spot && note(`d-name${i === yours ? ".you" : i === on ? ".d-strong" : ""}`, [...spot.at, widths[i]], texts[i])),
  };
}

/** @param {Look} it @returns {Spec} */
export function chartPicture(it) {
  const { on, shown, revealed } = it;
  const [ground, hand, named] = [axes(it), drawing(it), names(it)];
  const order = shown.map((_, i) => i).filter((i) => i !== on).concat(revealed ? [on] : []); // the compared one on top
  const [head, given, ...parts] = picture(
    "drawn",
    [
      ["g", ...hand.drawn],
      ...ground.drawn,
      ["g", ...order.map((i) => measured(it, i))],
      stroke(`d-yours${revealed ? ".d-done" : ""}`, pieces(it)),
      ["g", ...named.drawn],
    ],
    ...ground.over, ...offsets(it), ...named.over, ...hand.over,
  );
  return [`${head}${revealed ? "" : ".d-open"}`, given, ...parts];
}

/** A sample of a curve's line. @param {Look} it @param {number} i @returns {Spec} */
const sample = (it, i) => ["svg.d-sample", { "aria-hidden": "true" }, [`g.d-curve.${lookOf(it, i)}`, stroke("d-way", "M0,8H36")]];

/** What has been revealed, with its mean over the bins; a row is a choice of what to compare with.
 * @param {Look} it @returns {Spec} */
const table = (it) => [
  "div.d-table",
  { role: "radiogroup", "aria-label": it.words.compare },
  ["div.d-head", ["span", it.words.revealed], ["span", it.words.mean]],
  ...it.shown.map(([name, mean], i) => [
    `label.d-row${i === it.on ? ".d-strong" : ""}`,
    { "data-hover": i },
    ["input", { type: "radio", name: `chosen ${it.view.serial}`, value: i, ...KEYS, checked: i === it.pinned }],
    sample(it, i),
    ["span.d-label", name],
    ["b", it.words.percent(average(mean))],
  ]),
];

/** What stands beside the picture: explanation, table, what to do next. @param {Look} it @returns {Spec} */
export function beside(it) {
  const { state, words, series, revealed, empty, bins } = it;
  const next = series[revealed];
  const ready = !empty.length;
  const why = !series.length ? words.nothing : ready ? "" : words.whole(empty.map((i) => nameOf(bins[i])).join(", "));
  return [
    "div.d-beside",
    !revealed && state.about && ["p.d-about", state.about],
    revealed > 0 && table(it),
    ["div.d-acts",
      next && ["button.d-reveal", { type: "button", "data-act": "reveal", ...KEYS, "aria-disabled": ready ? null : "true" }, words.reveal(next[0])],
      ["button.action", { type: "button", "data-act": "again", ...KEYS, hidden: empty.length < bins.length ? null : "" }, words.again]],
    !revealed && ["p.d-why", why],
  ];
}

