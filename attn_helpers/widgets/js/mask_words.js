// @ts-check
// Every word MaskLab shows or speaks, by language. A sentence is a list, so that a token keeps its own element.

/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {string} S a number or name, ready to be shown */

const english = {
  // the question over the picture, and below it what to touch or what happened
  ask: ["Padding takes no weight. What happens if we forget?"],
  allowed: ["Every key may be read, so every key takes weight."],
  ahead: ["No query may read a later key."],
  yours: ["Your own mask: each row shares out over what is left."],
  empty: (/** @type {Kid} */ q) => [q, " may read nothing: its weights are 0, its output is 0."],
  touch: "Change a length, or click a cell of the mask. Hatched keys are forbidden.",
  emptyHint: "A row without a key has no opinion. Not 1/n each, and not NaN.",
  predict: ["Which weights will be 0? Mark them in the last grid."],
  predictHint: "Click a cell, or go there with the arrows and press Space. Then look.",
  found: (/** @type {number} */ hit, /** @type {number} */ all, /** @type {number} */ extra) => [
    `You marked ${hit} of ${all} empty cells${extra ? ", and some that take weight" : ""}.`,
  ],
  leaks: (/** @type {Kid} */ q, /** @type {S} */ share, /** @type {Kid} */ k) => [q, ` gives ${share} of its weight to `, k, "."],
  many: (/** @type {number} */ n) => `${n} forbidden keys`,
  unhurt: ["No harm in this row. Choose one with a hatched key."],
  unhurtFill: ["No harm yet. Set a length to 0."],
  lost: (/** @type {Kid} */ q, /** @type {S} */ sum) => [q, ` hands out only ${sum}.`],
  nothing: (/** @type {Kid} */ q) => [q, " is left with nothing: what it may read is hidden."],
  notNumbers: (/** @type {Kid} */ q) => [q, " has no weights any more: NaN."],
  why: {
    no_mask: "Zeros score 0, and e⁰ is 1. Each row still sums to 1: only the leaked mass tells.",
    flipped: "True was read as “drop”. Each row still sums to 1 or 0: only the leaked mass tells.",
    after_softmax: "Zeroed after the softmax, the rest stays as small as it was. Nothing leaks: only Σ tells.",
    finite: "With −1e6 everywhere the scores are equal, so padding shares out evenly. Σ looks legal; the leak tells.",
    float16: "float16 ends at 65504: −1e9 turns into −∞ (masked_fill refuses it), and a row of −∞ into NaN.",
    bfloat16: "bfloat16 can hold −1e9. But in an empty row all scores become equal: padding shares out evenly.",
    float32: "float32 can hold −1e9. But in an empty row all scores become equal: padding shares out evenly.",
  },

  // the grids
  stages: { scores: "scores", mask: "mask", weights: "weights" },
  about: { scores: "q·k ÷ √d", mask: "True = may attend", weights: "softmax of what is left" },
  grid: (/** @type {S} */ stage, /** @type {number} */ b) => `${stage}, sentence ${b}`,
  sentence: "sentence",
  length: "length",
  lengthOf: (/** @type {number} */ b) => `length of sentence ${b}`,
  order: "who may read whom",
  orders: { padding: "padding", causal: "padding and future" },
  query: "query",
  sum: "Σ",
  at: (/** @type {S} */ q, /** @type {S} */ k) => `query ${q}, key ${k}: `,
  score: "score ",
  weight: "weight ",
  may: "allowed",
  mayNot: "masked",
  hidden: "hidden",
  marked: "you expect 0",
  yourCell: "you expected 0",
  byHand: "set by hand",
  rowSum: (/** @type {S} */ sum) => `row sum ${sum}`,

  // the numbers beside it
  leaked: "leaked mass",
  onForbidden: (/** @type {Kid} */ q) => ["what ", q, " gives to forbidden keys"],
  whole: "the row is shared out whole",
  emptyRow: "nothing to share out to",
  short: "the row should sum to 1",
  output: "output",
  mean: (/** @type {Kid} */ v) => ["the values ", v, " by these weights"],
  said: (/** @type {S} */ cell, /** @type {S} */ leak, /** @type {S} */ sum) => `${cell}. Leaked mass ${leak}, row sum ${sum}.`,

  // actions
  break: "Break it",
  mend: "Mend it",
  guess: "Guess first",
  look: "Look",
  undo: "Undo my cells",
  breakages: "what is wrong",
  kinds: { no_mask: "no mask", flipped: "upside down", after_softmax: "after softmax", half: "−1e9, half", finite: "−1e6" },
  type: "stored in",
  types: { float16: "float16", bfloat16: "bfloat16", float32: "float32" },

  // code
  code: "One grid, two conventions",
  codeHint: ["True keeps in one, drops in the other."],
  codeBroken: "The line that breaks it",
  cards: ["True = may attend", "True = drop"],
  cardsBroken: ["What was written", "What is right"],
  nanCard: "In an empty row MultiheadAttention answers NaN when it also returns the weights. Ours are 0.",
};

const MASK_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language @returns {typeof english} */
export const maskWords = (language) => MASK_WORDS[language] ?? english;
