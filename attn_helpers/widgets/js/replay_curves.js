// @ts-check
// TrainingReplay's curves: three strips over one axis of steps, which is the slider; below it the reader's guess.
import { textWidth } from "./dom.js";
import { CURVES } from "./replay_look.js";
import { ticksOf } from "./replay.js";
import { disc, line, note, picture, stroke, through } from "./svg.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./replay_look.js").Look} Look */

const KEYS = { "data-lm-suppress-shortcuts": "true" }; // JupyterLab would swallow the arrows

/** As it is read: two decimals, of counts of words one. @param {string} name @param {number} value */
export const figureOf = (name, value) => (name === "entropy" ? value.toFixed(1) : number(value));

/** A curve's height at a snapshot, px. @param {Look} it @param {number} i which curve @param {number} n */
function at(it, i, n) {
  const { high, low } = it.chart.strip(i);
  const { values, high: most } = it.curves[i];
  return [it.chart.x(it.steps[n]), low - ((low - high) * values[n]) / (most || 1)];
}

/** @param {Look} it @param {number} i @returns {{drawn: Kid[], over: Kid[]}} */
function strip(it, i) {
  const { chart, curves, position, revealed, passed, steps, words } = it;
  const { name, values, high: most, half } = curves[i];
  const { left, right } = chart;
  const { name: top, high, low } = chart.strip(i);
  const points = values.map((/** @type {number} */ _, /** @type {number} */ n) => at(it, i, n));
  const open = revealed || CURVES[i] === "loss"; // the loss is what everybody watches anyhow
  const said = words.halfAt(steps[half]);
  const [x, y] = points[half];
  const wide = textWidth(said, it.font.replace(/^\S+/, "13px"));
  const mark = x - wide - 10 > left ? [x - 10 - wide, Math.min(low - 8, y + 12)] : [x + 10, Math.max(high + 2, y - 12)]; // curves fall
  return {
    drawn: [
      line("grid", [left, high], [right, high]),
      line("grid", [left, low], [right, low]),
      stroke("r-future", open ? through(points) : ""),
      stroke("r-past", through(points.slice(0, position + 1))),
      ["g", passed(half) && disc("r-half", [x, y], 4.5)],
      disc("r-now", points[position], 4),
    ],
    over: [
      note("r-name", [left + 6, top], words.curves[CURVES[i]]),
      note("r-value", [right, top], figureOf(name, values[position])),
      note("r-level", [left - 8, high], figureOf(name, most)),
      note("r-level", [left - 8, low], "0"),
      passed(half) && note("r-mark", mark, said),
    ],
  };
}

/** @param {Look} it @returns {{drawn: Kid[], over: Kid[]}} */
function axis({ chart, steps, words }) {
  const { left, right, bottom, x, ticks } = chart;
  const stops = ticksOf(steps[steps.length - 1], x, 36);
  return {
    drawn: [line("axis", [left, bottom], [right, bottom]), ["g", ...stops.map((stop) => line("axis", [x(stop), bottom], [x(stop), bottom + 5]))]],
    over: [note("r-level", [left - 14, ticks], words.axis), ...stops.map((stop) => note("tick", [x(stop), ticks], `${stop}`))],
  };
}

/** Words over or below a place on the axis, kept inside. @param {Look} it @param {string} head @param {number} px
 * @param {number} y @param {string} say @returns {Spec} */
function centred(it, head, px, y, say) {
  const half = textWidth(say, `640 15px ${it.view.sans}`) / 2;
  return note(head, [Math.min(it.chart.right + 18 - half, Math.max(it.chart.left - 18 + half, px)), y], say);
}

/** Where the crossing appears, and the cursor. @param {Look} it @returns {{drawn: Kid[], over: Kid[]}} */
function pins(it) {
  const { chart, steps, position, cross, passed, words } = it;
  const shown = passed(cross);
  const px = shown ? chart.x(steps[cross]) : 0;
  const now = chart.x(steps[position]);
  return {
    drawn: [["g", shown && line("r-pin", [px, 20], [px, chart.bottom])], line("r-cursor", [now, chart.top - 4], [now, chart.bottom])],
    over: [shown && centred(it, "r-cross", px, 10, words.crossing(steps[cross]))],
  };
}

/** A handle on an axis of snapshots. @param {Look} it @param {string} head @param {string} move which trait
 * @param {number[]} at px @param {string} label @param {number} now @param {string} text @returns {Spec} */
const knob = ({ steps }, head, move, at, label, now, text) => [
  `div.r-knob.${head}`,
  {
    role: "slider", tabindex: 0, "data-move": move, at, ...KEYS,
    "aria-label": label, "aria-valuemin": 0, "aria-valuemax": steps.length - 1, "aria-valuenow": now, "aria-valuetext": text,
  },
];

/** The reader's mark, and, once it is told, what was measured. @param {Look} it @returns {{drawn: Kid[], over: Kid[]}} */
function guessing(it) {
  const { chart, steps, guess, revealed, answer, words, state } = it;
  if (answer === null) return { drawn: [], over: [] };
  const y = chart.guess;
  const px = chart.x(steps[guess ?? Math.floor(steps.length / 2)]);
  const told = chart.x(steps[answer]);
  const label = guess === null ? words.drag : words.yours(steps[guess]);
  const text = guess === null ? words.unset : words.step(steps[guess], steps[steps.length - 1]);
  return {
    drawn: [
      line("r-track", [chart.left, y], [chart.right, y]),
      ["g", revealed && guess !== null && line("r-gap", [px, y], [told, y])],
      ["g", revealed && disc("r-truth", [told, y], 6)],
      ["g", revealed && guess !== null && disc("r-yours", [px, y], 8)],
    ],
    over: [
      (guess !== null || !revealed) && centred(it, "r-word.you", px, y - 20, label),
      revealed && centred(it, "r-word", told, y + 21, words.truth(steps[answer])),
      !revealed && knob(it, `r-guess${guess === null ? ".r-unset" : ""}`, "guess", [px, y], words.guess, guess ?? 0, `${text}; ${state.query_tokens[state.row]}`),
    ],
  };
}

/** @param {Look} it @returns {Spec} */
export function curvesPicture(it) {
  const { chart, steps, position, words } = it;
  const parts = [axis(it), ...CURVES.map((_, i) => strip(it, i)), pins(it), guessing(it)];
  const text = words.step(steps[position], steps[steps.length - 1]);
  return picture(
    "curves",
    parts.map((part) => ["g", ...part.drawn]),
    knob(it, "r-step", "position", [chart.x(steps[position]), chart.bottom], words.slider, position, text), // first: it keeps its focus
    ...parts.flatMap((part) => part.over),
  );
}
