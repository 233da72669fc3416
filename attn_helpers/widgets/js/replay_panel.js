// @ts-check
// Words and figures around TrainingReplay's pictures: question or answer, read-out, actions, legend.
import { range } from "./decode.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./replay_look.js").Look} Look */

/** Those who want no motion go step by step. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The question, or the answer, and a line about it. @param {Look} it @returns {[Kid[], Kid[]]} */
export function told(it) {
  const { state, words, answer, revealed, guess, steps, goal, q } = it;
  const asked = q(state.row);
  if (answer === null) {
    const never = revealed && goal.length ? words.never(goal) : [];
    return [[state.title || words.open(asked)].flat(), [...[state.hint || words.look].flat(), ...never]];
  }
  if (!revealed) {
    const hint = guess === null ? state.hint || words.ask(goal) : words.asked(steps[guess]);
    return [[state.title || words.title(asked, goal)].flat(), [hint].flat()];
  }
  const off = guess === null ? words.unasked : guess === answer ? words.right : words.off(steps[guess], steps[guess] - steps[answer]);
  return [words.answer(asked, goal, steps[answer]), [off]];
}

/** @param {string} act @param {Kid[]} say @returns {Spec} */
const button = (act, say) => ["button.action", { type: "button", "data-act": act }, ...say];

/** The row to ask about next: one that settles. @param {Look} it */
export const nextRow = ({ state, settled, queries }) => range(queries).map((i) => (state.row + 1 + i) % queries).find((i) => settled[i] !== null && i !== state.row);

/** @param {Look} it @returns {Spec} */
export function acts(it) {
  const { words, revealed, answer, position, steps, view, q } = it;
  const next = nextRow(it);
  const atEnd = position === steps.length - 1;
  const play = view.playing ? words.pause : atEnd ? words.again : calm() ? words.next : words.play;
  const other = revealed || answer === null ? next !== undefined && button("another", words.another(q(next))) : button("show", words.show);
  return ["div.r-acts", button("play", [play]), other];
}

/** Which of several replays. @param {Look} it @returns {Kid} */
export const picker = ({ state, words, view }) =>
  state.names.length > 1 && [
    "div.r-pick",
    ["span", words.which],
    ["div.segments", { role: "radiogroup", "aria-label": words.which },
      ...state.names.map((/** @type {string} */ name, /** @type {number} */ i) => [
        "label.segment",
        ["input", { type: "radio", name: `shown ${view.serial}`, value: `${i}`, checked: i === state.shown }],
        ["span", name],
      ])],
  ];

/** The weight in sight, large, and when that is. @param {Look} it @returns {Spec} */
export const figure = ({ words, cells, keys, row, column, steps, position, q, k }) => [
  "div.r-read",
  ["p.r-number", number(cells[row * keys + column])],
  ["div", ["p.r-pair", q(row), " → ", k(column)], ["p.r-when", words.step(steps[position], steps[steps.length - 1])]],
];

/** @param {Look} it @returns {Spec} */
export function foot({ state, words, passed, curves, steps }) {
  const [loss, aer] = curves.map((/** @type {any} */ curve) => curve.half);
  const legend = state._gold.map((/** @type {any[]} */ links, /** @type {number} */ i) => links.length > 0 && ["span.h-key", [`span.h-mark.h-gold-${i}`], words.links[i]]);
  return [
    "div.r-foot",
    ["p.r-knees", ...(passed(Math.max(loss, aer)) ? words.half(steps[loss], steps[aer]) : [""])],
    ["p.r-legend", ...legend, ["span.h-key", ["span.r-ghost"], words.ghost], ["span", words.judged(state._curves.judged)]],
  ];
}
