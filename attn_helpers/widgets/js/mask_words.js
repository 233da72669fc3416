// @ts-check
// Every word MaskLab shows or speaks, by language. A sentence is a list, so that a token keeps its own element.

/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {string} S a number or name, ready to be shown */

const english = {
  // the question over the picture, and below it what to touch or what happened
  ask: ["Padding takes no weight. What happens if we forget?"],
  allowed: ["Every key may be read, so each takes weight."],
  ahead: ["No query may read a later key."],
  yours: ["Your own mask: each row shares over what is left."],
  empty: (/** @type {Kid} */ q) => [q, " may read nothing: its weights are 0, its output is 0."],
  touch: "Change a length, or click a cell of the mask. Hatched keys are forbidden.",
  emptyHint: "A row without a key has no opinion. Not 1/n each, and not NaN.",
  predict: ["Which weights will be 0? Mark them in the last grid."],
  predictHint: "Click cells, or use arrows and Space. Then look.",
  found: (/** @type {number} */ hit, /** @type {number} */ all, /** @type {number} */ extra) => [
    `You marked ${hit} of ${all} empty cells${extra ? ", and some that take weight" : ""}.`,
  ],
  leaks: (/** @type {Kid} */ q, /** @type {S} */ share, /** @type {Kid} */ k) => [q, ` gives ${share} of its weight to `, k, "."],
  many: (/** @type {number} */ n) => `${n} forbidden keys`,
  unhurt: ["No harm in this row. Choose another, or shorten a sentence."],
  unhurtFill: ["No harm in this row. Choose another, or set a length to 0."],
  unhurtEmpty: ["An empty row hides this fault: its weights would be 0 anyway."],
  lost: (/** @type {Kid} */ q, /** @type {S} */ sum) => [q, ` hands out only ${sum}.`],
  nothing: (/** @type {Kid} */ q) => [q, " is left with nothing: what it may read is hidden."],
  notNumbers: (/** @type {Kid} */ q) => [q, " has no weights any more: NaN."],
  why: {
    no_mask: "Zeros score 0, and e⁰ is 1. Each row still sums to 1: only the leaked mass tells.",
    flipped: "True was read as “drop”: words are hidden, padding is read. The leaked mass tells.",
    after_softmax: "Zeroed after the softmax, the rest stays as small as it was. Nothing leaks: only Σ tells.",
    finite: "In an empty row all scores become −1e6: padding shares out evenly. Σ looks legal; the leak tells.",
    float16: "float16 ends at 65504: −1e9 turns into −∞ (masked_fill refuses it), and a row of −∞ into NaN.",
  },
  whyAhead: { // where the future is hidden, too
    no_mask: "Nothing is hidden: each word sees those still to come. Each row still sums to 1: only the leaked mass tells.",
    flipped: "True was read as “drop”: the past is hidden, the future is read. The leaked mass tells.",
  },
  whyEmpty: "Choose a row that may read something, but not everything: there Σ falls short of 1.",
  emptied: (/** @type {S} */ nth) => `${nth} was emptied for this`,
  holds: (/** @type {S} */ type) => `${type} holds −1e9, but in an empty row all scores become equal: padding takes all.`,

  // the grids
  stages: { scores: "scores", mask: "mask", weights: "weights" },
  about: { scores: "q·k ÷ √d", mask: "True = may attend", weights: "softmax of what is left" },
  nth: (/** @type {number} */ n) => `sentence ${n}`,
  length: "length",
  sentences: "sentence",
  hide: "hide",
  orders: { padding: "padding", causal: "padding and future" },
  sum: "Σ",
  at: (/** @type {S} */ q, /** @type {S} */ k) => `query ${q}, key ${k}: `,
  score: "score ",
  weight: "weight ",
  may: "True, allowed",
  mayNot: "masked",
  hidden: "hidden",
  marked: "you expect 0",
  byHand: "set by hand",
  rowSum: "row sum ",

  // the numbers beside it
  leaked: "leaked mass",
  onForbidden: (/** @type {Kid} */ q) => ["what ", q, " gives to forbidden keys"],
  onLater: (/** @type {Kid} */ q) => ["what ", q, " gives to words not written yet"],
  whole: "the row is shared out whole",
  emptyRow: "nothing to share out to",
  short: "the row should sum to 1",
  notANumber: "not a number",
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
  kinds: { no_mask: "no mask", flipped: "upside down", after_softmax: "after softmax", half: "−1e9 as fill", finite: "−1e6 as fill" },
  type: "stored in",

  // the leak, in a decoder
  openOne: "Open one hatched cell above the diagonal. What will training make of it?",
  next: (/** @type {Kid} */ q, /** @type {Kid} */ k) => [q, " may now read ", k, ", the word it is asked for."],
  later: (/** @type {Kid} */ q, /** @type {Kid} */ k) => [q, " may now read ", k, ", which is not written yet."],
  nextHint: "In training all words are there at once, so the answer lies open. In use it is not there yet.",
  laterHint: "The word it is asked for is still hidden; but this one will not be there in use, either.",
  leakAsk: "Train with the diagonal above open, s ≤ t + 1. What does the loss do?",
  leakAbout: (/** @type {S} */ seeds) => `Two Transformers on the same sentences, ${seeds} seeds each; they differ in that one diagonal.`,
  leakGuess: "the loss, against the right mask",
  leakGuesses: { lower: "falls faster", same: "stays as it is", higher: "falls slower" },
  leakTold: (/** @type {S} */ mine, /** @type {boolean} */ hit) => `You said: it ${mine}. ${hit ? "So it does" : "It falls faster"}, and the model writes nonsense.`,
  leakAgain: "Guess again",
  axis: "loss per word in training, after so many batches",
  leaky: "one diagonal open",
  right: "right mask",
  told: "told all words before: loss on new sentences",
  alone: "writing alone: new sentences exactly right",
  makes: (/** @type {S} */ source) => `What each seed makes of “${source}”`,
  silent: "nothing at all",
  moreWords: "…",

  // code
  code: "One grid, two conventions",
  codeHint: "What True keeps in one, it drops in the other. Both give the grid above.",
  codeBroken: "The line that breaks it",
  cards: ["True = may attend", "nn.MultiheadAttention: True = drop"],
  cardsBroken: ["What was written", "What is right"],
  nanCard: "Empty row: MultiheadAttention returns NaN with its weights. Ours are 0.",
};

const MASK_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language @returns {typeof english} */
export const maskWords = (language) => (Object.hasOwn(MASK_WORDS, language) ? MASK_WORDS[language] : english);
