// @ts-check
// Every word AttentionHeatmap shows or speaks, by language. A sentence is a list, so that a token keeps its element.

/** @typedef {import("./dom.js").Kid} Kid */

const english = {
  title: (/** @type {Kid} */ q) => (q ? ["Where does ", q, " look?"] : ["Which token looks where?"]),
  reads: "What does it read?",
  // grid, grid on a phone, ribbons, ribbons on a phone
  hints: [
    "Point at a row; click to keep it. Each row is one query, shared out over the keys.",
    "Tap a row. Each row is one query.",
    "Point at a word below.",
    "Tap a word below.",
  ],
  swipe: " Swipe for more.",
  layer: "layer",
  head: "head",
  mean: "mean",
  of: (/** @type {any[]} */ parts) => parts.join(", ").replace(/^./, (c) => c.toUpperCase()) + (parts.length ? ". " : ""),
  one: (/** @type {string} */ what, /** @type {string} */ name) => `${what} ${name}`,
  meanOf: (/** @type {number} */ n, /** @type {string} */ what) => `mean of ${n} ${what}s`,
  map: (/** @type {string} */ of, /** @type {number} */ queries, /** @type {number} */ keys) =>
    `${of}Attention weights: ${queries} quer${queries === 1 ? "y" : "ies"} (rows), ${keys} key${keys === 1 ? "" : "s"} (columns)`,
  corner: "queries down, keys across",
  cell: (/** @type {string} */ q, /** @type {string} */ k, /** @type {string} */ weight) => `${q}, ${k}: ${weight}`,
  weight: (/** @type {string} */ k, /** @type {string} */ weight) => `${k} ${weight}`,
  hidden: "hidden",
  guess: "guess",
  yours: "your guess",
  masked: "masked",
  links: ["sure link", "possible link", "masked"],
  queries: "queries",
  keys: "keys",
  readsAs: (/** @type {Kid} */ q) => [q, "reads"],
  scale: "weight",
  point: "Point at a row to see its numbers.",
  whole: "every row is shared out whole",
  notWhole: "this row does not sum to 1",
  looksAt: (/** @type {string} */ n) => `looks at ${n} words`,
  looksAtNothing: "looks at nothing",
  entropy: "e to the entropy of the row",
  empty: "this query may attend to nothing",
  rule: (/** @type {number[]} */ [sure, may, links, all]) => `1 − (${sure} + ${may}) ÷ (${links} + ${all})`,
  counted: "How it is counted",
  ruleSaid: [
    "L: the strongest source word per target word, end of sentence left out. sure: the sure links. possible: these and the possible ones. ",
    "AER = 1 − (|L ∩ sure| + |L ∩ possible|) ÷ (|L| + |sure|); 0 is perfect.",
  ],
  sureOnly: (/** @type {string} */ rate) => `With sure links alone: ${rate}.`,
  each: (/** @type {string} */ what, /** @type {string[]} */ rates) => `By ${what}: ${rates.join(" · ")}.`,
  goldShown: ["Hide gold links"],
  goldHidden: ["Show gold links"],
  odd: (/** @type {Kid} */ q, /** @type {Kid} */ k, /** @type {boolean} */ possible) =>
    [": ", q, " looks at ", k, possible ? ", possible but not sure" : ", no link"],
  hide: ["Hide a row and guess it"],
  hideThis: (/** @type {Kid} */ q) => ["Hide ", q, " and guess"],
  show: ["Show it without a guess"],
  choose: (/** @type {Kid} */ q) => ["What does ", q, " read most? Choose the word you expect."],
  said: (/** @type {Kid} */ k, /** @type {string} */ weight) => ["You said ", k, `: ${weight}. `],
  reality: (/** @type {Kid} */ q, /** @type {Kid} */ k, /** @type {string} */ weight) => [q, " reads ", k, ` most: ${weight}.`],
  more: "More",
  asRibbons: ["Show as ribbons"],
  asGrid: ["Show as grid"],
  svg: ["Save as SVG"],
  png: ["Save as PNG"],
  spoken: (/** @type {string} */ cell, /** @type {string[]} */ rest) => `${cell}. ${rest.join(", ")}.`,
};

const HEAT_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language */
export const heatWords = (language) => (Object.hasOwn(HEAT_WORDS, language) ? HEAT_WORDS[language] : english);
