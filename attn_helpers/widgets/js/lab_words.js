// @ts-check
// Every word TranslationLab shows or speaks, by language. A sentence is a list, so that a token keeps its own element.

/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {string} S a number or name, ready to be shown */

const sharedKinds = {
  zero: (/** @type {S} */ of) => `Zeroing a row${of}`,
  uniform: (/** @type {S} */ of) => `Making a row${of} uniform`,
  swap: (/** @type {S} */ of) => `Swapping two neighbouring rows${of}`,
  set: (/** @type {S} */ of) => `Giving a row${of} wholly to another word`,
};

const english = {
  end: "⟨end⟩",
  unknown: "⟨unknown⟩",

  // the question, and what came of it
  title: ["Take a word's row away. What does the translation lose?"],
  hint: "Pick a row, change what it reads with; the rest is written anew from there.",
  hintMany: "Pick a row, change what it reads with, in both at once; the rest is written anew from there.",
  asks: {
    swap: (/** @type {Kid} */ a, /** @type {Kid} */ b) => ["If ", a, " and ", b, " trade the rows they read with: what is written?"],
    zero: (/** @type {Kid} */ a) => ["If ", a, " may read nothing: what is written?"],
    uniform: (/** @type {Kid} */ a) => ["If ", a, " reads all words alike: what is written?"],
    set: (/** @type {Kid} */ a) => ["If ", a, " reads with another row: what is written?"],
  },
  did: {
    swap: (/** @type {Kid} */ a, /** @type {Kid} */ b) => ["Let ", a, " and ", b, " trade the rows they read with."],
    zero: (/** @type {Kid} */ a) => ["Let ", a, " read nothing."],
    uniform: (/** @type {Kid} */ a) => ["Let ", a, " read all words alike."],
    set: (/** @type {Kid} */ a) => ["Let ", a, " read with a row of yours."],
  },
  askHint: "Say what you expect, then see.",
  options: { trade: "the two words trade places", nothing: "nothing changes", own: "this word alone changes", more: "more words change" },
  show: "Just show it",
  broken: "it breaks: neither of the two",
  said: (/** @type {S} */ what) => `You said: ${what}.`,
  again: (/** @type {number} */ t) => `Written again from row ${t}: `,
  afterAll: (/** @type {number} */ n) => `After ${n} changes, against the translation as trained: `,
  outcomes: {
    trade: "the two words trade places.",
    nothing: "nothing changes.",
    own: (/** @type {boolean} */ two) => (two ? "neither: only words of these two rows change, and they do not trade." : "this word alone changes."),
    more: (/** @type {number} */ n, /** @type {number} */ before, /** @type {number} */ after) =>
      before === after ? (n === 1 ? "1 word is another now." : `${n} words are others now.`) : `it becomes a sentence of ${after} words, not ${before}.`,
  },
  absent: "this row is not there.",

  // the map
  map: (/** @type {S} */ of) => `${of}steps of the translation; arrows go from row to row`,
  step: (/** @type {number} */ t) => `t ${t}`,
  writes: "it writes",
  probability: ["with probability"],
  tick: ["probability ", ["span.lab-soft", "(tick: before)"]],
  probable: "p",
  was: (/** @type {S} */ weight) => `was ${weight}`,
  rowSaid: (/** @type {number} */ t, /** @type {S} */ word, /** @type {S} */ reads, /** @type {S} */ p) => `row ${t} writes ${word}, probability ${p}. It reads ${reads}.`,
  nothing: "nothing",
  bar: (/** @type {S} */ word) => `weight on ${word}`,
  column: (/** @type {S} */ word) => `${word}: unknown`,

  // what can be done
  rows: (/** @type {number[]} */ steps) => (steps.length > 1 ? `rows ${steps.join(" and ")}` : `row ${steps[0]}`),
  none: "pick a row",
  act: { zero: "zero", uniform: "uniform", up: (/** @type {S} */ w) => `swap with ${w} ↑`, down: (/** @type {S} */ w) => `swap with ${w} ↓`, bars: "drag the bars" },
  heads: (/** @type {S} */ of) => (of ? `heads of the ${of}` : "heads"),
  headName: (/** @type {number} */ layer, /** @type {number} */ head) => `layer ${layer}, head ${head}`,
  all: (/** @type {number} */ n) => `all ${n}, their mean shown`,
  undo: "Undo",
  reset: "As trained again",
  undoNothing: "Undo: nothing to undo yet",
  type: "Type another sentence",
  done: "Back to the rows",
  sentence: "sentence to translate",
  examples: "or take one of these",
  known: (/** @type {number} */ n) => `the ${n} words it knows: add one`,

  // what was typed
  notKnown: (/** @type {Kid} */ word) => [word, " is no word it knows. It reads ⟨unknown⟩, which it has never met either: what comes is a guess. "],
  manyUnknown: (/** @type {number} */ n) => [`${n} of these are no words it knows. It reads ⟨unknown⟩ for each, which it has never met either. `],
  near: "Nearest in spelling: ",
  noneNear: "No word it knows is spelt like it. ",
  take: (/** @type {S} */ word, /** @type {S} */ typed) => `take ${word} for ${typed}`,
  empty: ["No words: it reads the end of the sentence alone. Type some, or take a sentence."],
  cut: (/** @type {number} */ read, /** @type {number} */ n) => [`Only the first ${read} of ${n} words are read. `],
  long: (/** @type {number} */ most) => [`Longer than any sentence it has learned from; those had ${most} words at most. `],
  endless: (/** @type {number} */ n) => [`It has not ended after ${n} words, and was stopped. `],

  // the two outputs
  trained: "as trained",
  change: "your change",
  usual: "is this usual?",
  noChange: "none yet",
  logP: (/** @type {S} */ x) => `log p ${x}`,
  delta: (/** @type {S} */ x) => `Δ ${x}`,
  kinds: sharedKinds,
  ofHead: (/** @type {number} */ layer, /** @type {number} */ head) => ` of layer ${layer}, head ${head}`,
  rate: (/** @type {S} */ what, /** @type {S} */ share, /** @type {number} */ n) => [`${what} changed `, ["b", `${share} %`], ` of ${n} held-out sentences.`],
  one: "Measured for one change at a time, not for several.",
  unmeasured: "How often this changes other sentences has not been measured.",
  waiting: "The model is on its way to this page …",
  python: ["Python is translating. On a page without a kernel it never will: run the notebook."],
  spoken: (/** @type {S} */ name, /** @type {S} */ before, /** @type {S} */ after) => [name && `${name}:`, after ? `${before}. After your change: ${after}.` : `${before}.`].filter(Boolean).join(" "),
};

const LAB_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language @returns {typeof english} */
export const labWords = (language) => (Object.hasOwn(LAB_WORDS, language) ? LAB_WORDS[language] : english);
