// @ts-check
// What training makes of an opened future, as it was measured: first the reader's guess, then curves and translations.
import { max } from "./attn.js";
import { action, segments, token } from "./controls.js";
import { line, note, picture, stroke, through } from "./svg.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./mask_grids.js").Look} Look */

const KINDS = /** @type {const} */ (["right", "leaky"]);
const LONGEST = 6; // words of a translation that are shown

/** @param {Look} it @param {View} view @returns {Spec} */
function curves({ words, state: { _leak } }, view) {
  const { width, height } = view.size("leak");
  const [left, right, top, bottom] = [40, width - 16, 12, height - 30];
  const { steps } = _leak;
  const [low, high] = [1e-3, 10];
  const x = (/** @type {number} */ step) => left + (step / steps[steps.length - 1]) * (right - left);
  const y = (/** @type {number} */ loss) => bottom - (Math.log(max(low, loss) / low) / Math.log(high / low)) * (bottom - top);
  const way = (/** @type {number[]} */ losses) => through(losses.map((loss, i) => [x(steps[i]), y(loss)]));
  const [at, levels] = [steps.length >> 2, [10, 1, 0.1, 0.01, 0.001]];
  return picture("leak",
    [
      ...levels.map((loss) => line("grid", [left, y(loss)], [right, y(loss)])),
      ...KINDS.map((kind) => ["g", ..._leak[kind].train.map((/** @type {number[]} */ losses) => stroke(`m-${kind}`, way(losses)))]),
    ],
    ...levels.map((loss) => note("m-level", [left - 6, y(loss)], `${loss}`.replace(/^0/, ""))),
    ...[0, steps[(steps.length >> 1) - 1], steps[steps.length - 1]].map((step) => note("tick", [x(step), bottom + 16], `${step}`)),
    note("m-curve", [x(steps[at]) + 8, y(max(..._leak.right.train.map((/** @type {number[]} */ losses) => losses[at]))) - 16], words.right),
    note("m-curve.m-wrong", [left + 8, y(0.006)], words.leaky));
}

/** @param {Look} it @param {"right" | "leaky"} kind @returns {Spec} */
function translations({ words, state: { _leak } }, kind) {
  return [`div.m-said${kind === "leaky" ? ".m-wrongly" : ""}`,
    ["p.m-caption", words[kind]],
    ["ol", ..._leak[kind].said.map((/** @type {string[]} */ said) => ["li",
      ...(said.length ? said.slice(0, LONGEST).flatMap((word) => [token(word, "v"), " "]) : [words.silent]),
      said.length > LONGEST && words.moreWords])]];
}

/** What is measured, in numbers. @param {Look} it */
const figures = ({ words, state: { _leak } }) => [
  { about: words.told, right: number(_leak.right.loss, 3), leaky: number(_leak.leaky.loss, 3) },
  { about: words.alone, right: `${(100 * _leak.right.exact).toFixed(0)} %`, leaky: `${(100 * _leak.leaky.exact).toFixed(0)} %` },
];

/** The question, or what came out. @param {Look} it */
function verdict({ words, state: { leak_guess } }) {
  const guesses = /** @type {Record<string, string>} */ (words.leakGuesses);
  return leak_guess ? words.leakTold(guesses[leak_guess], leak_guess === "lower") : words.leakAsk;
}

/** The same for the ear. @param {Look} it */
export const leakSaid = (it) =>
  [verdict(it), ...(it.state.leak_guess ? figures(it).map(({ about, right, leaky }) => `${about}: ${right} ${it.words.right}, ${leaky} ${it.words.leaky}.`) : [])].join(" ");

/** @param {Look} it @param {View} view @returns {Spec} */
export function leakPanel(it, view) {
  const { words, state } = it;
  const { _leak, leak_guess } = state;
  return ["section.m-panel.m-replay",
    ["p.title", verdict(it)],
    ["p.hint", words.leakAbout(`${_leak.right.said.length}`)],
    !leak_guess && segments("leak_guess", view.serial, words.leakGuess, words.leakGuesses, ""),
    leak_guess && ["div.m-measured",
      ["div", ["p.m-caption", words.axis], curves(it, view)],
      ["div", ["p.m-caption", words.makes(_leak.pair[0].join(" "))], ["div.m-both", ...KINDS.map((kind) => translations(it, kind))]]],
    ...(leak_guess ? figures(it) : []).map(({ about, right, leaky }) => ["p.m-pairing", about, " ",
      ["span.m-part", ["b", right], ` ${words.right},`], " ", ["span.m-part", ["b.m-wrong", leaky], ` ${words.leaky}`]]),
    leak_guess && action("forget", words.leakAgain)];
}
