// @ts-check
// Every word a widget shows or speaks, by language. A sentence is a list, so that a token keeps its own element.

/** @typedef {import("./dom.js").Kid} Kid */

/** Two decimals without the leading zero, and a true minus sign. @param {number} x @param {number} [digits] */
export function number(x, digits = 2) {
  const text = Math.abs(x).toFixed(digits).replace(/^0\./, ".");
  return x < 0 && Number(text) > 0 ? `−${text}` : text;
}

/** A number that may be tiny keeps its first digit, up to four decimals. @param {number} x */
export function small(x) {
  const places = x > 0 && x < 0.00995 ? Math.ceil(-Math.log10(x) - 0.022) : 2;
  return places > 4 && x < 0.00005 ? "< .0001" : number(x, Math.min(4, places));
}

const COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const count = (/** @type {number} */ n) => COUNTS[n] ?? String(n);
const DIVISORS = { 1: "÷ 1", sqrt: "÷ √d", d: "÷ d" };

const en = {
  trouble: (/** @type {string} */ message) =>
    `This widget stumbled: ${message}. Reset it, or reload the page to start again.`,
  // plane
  only: (/** @type {Kid} */ q, /** @type {Kid} */ k) => [q, " has only ", k, " to look at."],
  wins: (/** @type {Kid} */ q, /** @type {Kid} */ k) => [k, " wins: ", q, " looks there most."],
  tie: (/** @type {Kid} */ a, /** @type {Kid} */ b) => [a, " and ", b, " share the lead."],
  finds: (/** @type {Kid} */ q, /** @type {Kid} */ k) => [q, " finds ", k, "."],
  findsByAngle: (/** @type {Kid} */ q, /** @type {Kid} */ k) => [q, " finds ", k, " by angle alone."],
  why: (/** @type {Kid} */ q, /** @type {Kid} */ k, /** @type {Kid} */ lead) =>
    [q, " ought to find ", k, ". Why does ", lead, " win?"],
  touch: "Point at a key to see how its score is made. Tips and dots can be dragged.",
  made: {
    dot: (/** @type {Kid} */ k, /** @type {any} */ n) =>
      [k, `: length of q ${n.length} × shadow of k ${n.shadow} = ${n.dot}`],
    scaled_dot: (/** @type {Kid} */ k, /** @type {any} */ n) =>
      [k, `: length of q ${n.length} × shadow of k ${n.shadow} = ${n.dot}, ÷ √2 = ${n.score}`],
    cosine: (/** @type {Kid} */ k, /** @type {any} */ n) =>
      [k, `: ${n.angle}° off the query, cos = ${n.score}. Lengths do not count.`],
    additive: (/** @type {Kid} */ k, /** @type {any} */ n) =>
      [k, `: tanh(${n.q[0]} + ${n.k[0]}) + tanh(${n.q[1]} + ${n.k[1]}) = ${n.score}`],
  },
  valueMoves: (/** @type {Kid} */ v) => ["A value such as ", v, " moves the output, never the weights."],
  drag: "Drag any arrow tip",
  arrows: (/** @type {number} */ n, /** @type {Kid} */ q, /** @type {Kid} */ k) =>
    ["one query ", q, `, ${count(n)} key${n === 1 ? "" : "s"} `, k],
  scores: "scores",
  fit: { dot: "length × shadow", scaled_dot: "fit of each key", cosine: "angle alone", additive: "untrained" },
  weights: "weights",
  softmax: (/** @type {string} */ sum) => `softmax, Σ ${sum}`,
  output: "output",
  mean: (/** @type {Kid} */ v) => ["weighted mean of the values ", v],
  query: (/** @type {string} */ text) => `query ${text}`,
  key: (/** @type {string} */ text) => `key ${text}`,
  value: (/** @type {string} */ text) => `value ${text}`,
  tip: (/** @type {string} */ place, /** @type {string} */ lead, /** @type {string} */ weight) =>
    `${place}; strongest key ${lead}, weight ${weight}`,
  score: "score",
  kinds: { dot: "dot", scaled_dot: "scaled dot", cosine: "cosine", additive: "additive" },
  temperature: "temperature",
  reset: "Reset",
  challenge: "Challenge: leave the hull",
  challengeOn: "Why can’t I?",
  challengeDone: "Done",
  tryIt: "Move any tip, or the temperature, until the output leaves the green hull.",
  edge: (/** @type {string} */ now, /** @type {string} */ best) => `${now} from the edge, closest ${best}`,
  never: "It never leaves: weights ≥ 0 that sum to 1 make a mean, and a mean stays among its values.",
  planePanel: "one query and its keys in the plane",
  live: (/** @type {string} */ name, /** @type {string} */ weight, /** @type {string} */ output) =>
    `${name}: weight ${weight}; output ${output}`,
  formula: (/** @type {"dot" | "scaled_dot" | "cosine" | "additive"} */ kind, /** @type {boolean} */ cooled) => {
    const inner = {
      dot: "q dot k i",
      scaled_dot: "q dot k i over root d",
      cosine: "q dot k i over the lengths of q and k i",
      additive: "the sum of tanh of q plus k i",
    }[kind];
    return `o = sum over i of softmax of ${inner}${cooled ? " over tau" : ""}, times v i`;
  },
  // many dimensions
  dimensionsPanel: "the weights of eight keys in many dimensions",
  dimensions: (/** @type {number} */ d) => `Now give every arrow ${d} numbers.`,
  guessFirst: "A plane cannot show it, bars can. Mark where you expect the top weight to end, then drag d.",
  guessFirstShort: "Mark your guess for the top weight, then drag d.",
  guessMade: (/** @type {string} */ guess, /** @type {number} */ d) =>
    `You expect a top weight of ${guess} at d = ${d}. Now drag d.`,
  onTheWay: (/** @type {number} */ d, /** @type {string} */ top) => `With ${d} numbers, the top key takes ${top}.`,
  onTheWayBy: (/** @type {string} */ divisor, /** @type {number} */ d, /** @type {string} */ top) =>
    `${divisor}: with ${d} numbers, the top key takes ${top}.`,
  dragOn: (/** @type {number} */ d) => `Drag on to d = ${d}.`,
  takesAll: (/** @type {number} */ d) => `With ${d} numbers, one key takes everything.`,
  expected: (/** @type {string} */ guess) => `You expected ${guess}. `,
  pick: "Now pick the divisor that keeps the bars as spread as they were.",
  holds: (/** @type {string} */ divisor, /** @type {number} */ d, /** @type {number} */ from) =>
    `${divisor} holds: at ${d} about as sharp as at ${from}.`,
  flattens: (/** @type {string} */ divisor, /** @type {number} */ d, /** @type {string} */ top) =>
    `${divisor} flattens: at ${d} the top key gets only ${top}.`,
  sharpens: (/** @type {string} */ divisor, /** @type {number} */ d, /** @type {string} */ top) =>
    `${divisor} at ${d}: the top key takes ${top}.`,
  compare: "÷ 1 lets one key take all and starves the gradient; ÷ d flattens every weight towards ⅛.",
  tryOther: "All weights drift to ⅛: no key stands out any more. Try another divisor.",
  bars: (/** @type {number} */ n) => `weights of ${count(n)} keys, one draw`,
  ghost: (/** @type {number} */ d) => `; dashed: d = ${d}`,
  median: (/** @type {number} */ n) => `top weight, median of ${n.toLocaleString("en")} draws`,
  yourGuess: "your guess",
  youSaid: (/** @type {string} */ guess) => `you said ${guess}`,
  guessLabel: (/** @type {number} */ d) => `your guess: the top weight at d = ${d}`,
  noGuess: "no guess yet",
  width: "width d of query and keys",
  divisor: "divide the dot product by",
  divisors: DIVISORS,
  top: "top weight",
  gradient: "softmax gradient",
  again: "Start over",
};

const LANGUAGES = /** @type {Record<string, typeof en>} */ ({ en });

/** The words of a language; English where there are none yet. @param {string} language */
export const wordsOf = (language) => LANGUAGES[language] ?? en;
