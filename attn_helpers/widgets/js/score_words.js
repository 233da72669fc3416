// @ts-check
// Every word ScoreExplorer shows or speaks, by language. A sentence is a list, so that a token keeps its own element.
import { number } from "./words.js";

/** @typedef {import("./dom.js").Kid} Kid a token or a letter in its colour */
/** @typedef {string} S a number or name, ready to be shown */

/** Four decimals for a tiny number. @param {number} x */
export const small = (x) => number(x, x < 0.00995 ? 4 : 2);

const COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];
const count = (/** @type {number} */ n) => COUNTS[n] ?? `${n}`;

const english = {
  // the plane
  wins: (/** @type {Kid} */ q, /** @type {Kid} */ k) => [k, " wins: ", q, " looks there most."],
  tie: (/** @type {Kid} */ a, /** @type {Kid} */ b) => [a, " and ", b, " share the lead."],
  ties: (/** @type {number} */ n, /** @type {boolean} */ all) =>
    [all ? `All ${count(n)} keys share alike.` : `${count(n).replace(/^./, (c) => c.toUpperCase())} keys share the lead.`],
  finds: (/** @type {Kid} */ q, /** @type {Kid} */ k, /** @type {boolean} */ byAngle) =>
    [q, " finds ", k, byAngle ? " by angle alone." : "."],
  why: (/** @type {Kid} */ q, /** @type {Kid} */ k, /** @type {Kid} */ lead) =>
    [q, " ought to find ", k, ". Why does ", lead, " win?"],
  asks: (/** @type {Kid} */ q) => ["What does ", q, " read most?"],
  choose: ["Choose the key you expect. Until then its score, weight and output are hidden."],
  hidden: "hidden",
  said: (/** @type {Kid} */ k, /** @type {string} */ weight) => ["You said ", k, `: ${weight}. `],
  reality: (/** @type {Kid} */ q, /** @type {Kid} */ k, /** @type {string} */ weight) => [q, " reads ", k, ` most: ${weight}.`],
  yours: "your guess",
  choice: "keys to choose from",
  hide: "Hide the weights and guess",
  show: "Show it without a guess",
  touch: ["Point at a key to see how its score is made. Drag tips and dots."],
  made: (/** @type {string} */ score, /** @type {Kid} */ k, /** @type {any} */ n) => {
    const product = `: length of q ${n.length} × shadow of k ${n.shadow} = ${n.dot}`;
    return [k, {
      dot: product,
      scaled_dot: `${product}, ÷ √2 = ${n.score}`,
      cosine: `: ${n.angle}° off the query, cos ${n.angle}° = ${n.score}. Lengths do not count.`,
      additive: `: tanh(${n.q[0]} + ${n.k[0]}) + tanh(${n.q[1]} + ${n.k[1]}) = ${n.score}`,
    }[score]];
  },
  valueMoves: (/** @type {Kid} */ v) => ["A value such as ", v, " moves the output, never the weights."],
  drag: "Drag any arrow tip",
  arrows: (/** @type {number} */ n, /** @type {Kid} */ q, /** @type {Kid} */ k) =>
    ["one query ", q, `, ${count(n)} key${n === 1 ? "" : "s"} `, k],
  scores: "scores",
  fit: "fit of each key",
  untrained: "before training",
  weights: "weights",
  softmax: "softmax, Σ ",
  output: "output",
  mean: "weighted mean of the values ",
  q: "query ",
  k: "key ",
  v: "value ",
  tip: (/** @type {S} */ place, /** @type {boolean} */ leads, /** @type {S} */ name, /** @type {S} */ weight) =>
    `${place}; ${leads ? "strongest " : ""}key ${name}, weight ${weight}`,
  score: "score",
  kinds: { dot: "dot", scaled_dot: "scaled dot", cosine: "cosine", additive: "additive" },
  temperature: "temperature",
  challenge: "Challenge: leave the hull",
  giveUp: "Why can’t I?",
  done: "Done",
  tryIt: ["Move anything until the output leaves the hull."],
  edge: (/** @type {S} */ now, /** @type {S} */ best) => `${now} from the edge, closest ${best}`,
  never: ["It never leaves: weights ≥ 0 that sum to 1 make a mean, and a mean stays among its values."],

  // many dimensions
  give: (/** @type {number} */ d) => `Now give every arrow ${d} numbers.`,
  guessFirst: "A plane cannot show it, bars can. Mark where you expect the top weight to end, then drag d.",
  guessMade: (/** @type {S} */ guess, /** @type {number} */ d) =>
    `You expect ${guess} at d = ${d}. Now drag d.`,
  onTheWay: (/** @type {number} */ d, /** @type {S} */ top) => `With ${d} numbers, the top key takes ${top}.`,
  dragOn: (/** @type {number} */ d) => `Drag on to d = ${d}.`,
  takesAll: (/** @type {number} */ d) => `With ${d} numbers, one key takes everything.`,
  expected: (/** @type {S} */ guess) => `You expected ${guess}. `,
  pick: "Now pick the divisor that keeps the bars as spread as they were.",
  holds: (/** @type {S} */ divisor, /** @type {number} */ d, /** @type {number} */ from) =>
    `${divisor} holds: at ${d} about as sharp as at ${from}.`,
  flattens: (/** @type {S} */ divisor, /** @type {number} */ d, /** @type {S} */ top) =>
    `${divisor} flattens: at ${d} the top key gets only ${top}.`,
  compare: "÷ 1 lets one key take all and starves the gradient; ÷ d flattens every weight towards ⅛.",
  tryOther: "All weights drift towards ⅛: no key stands out. Try another divisor.",
  bars: (/** @type {number} */ n) => `weights of ${count(n)} keys, one draw`,
  ghost: (/** @type {number} */ d) => `; dashed: d = ${d}`,
  median: (/** @type {number} */ n) => `top weight, median of ${n.toLocaleString("en")} draws`,
  yourGuess: "your guess",
  youSaid: (/** @type {S} */ guess) => `you said ${guess}`,
  guess: (/** @type {number} */ d) => `your guess: the top weight at d = ${d}`,
  noGuess: "none",
  width: "width d",
  divisor: "divisor",
  divisors: { 1: "÷ 1", sqrt: "÷ √d", d: "÷ d" },
  top: "top weight, median",
  gradient: "gradient, median",
  moves: "how much the weights move when a score moves",
  reset: "Reset",
  again: "Start over",
};

/** The words of a language; English where there are none yet. @param {string} language @returns {typeof english} */
export const scoreWords = (language) => /** @type {any} */ ({ __proto__: null, en: english })[language] ?? english;
