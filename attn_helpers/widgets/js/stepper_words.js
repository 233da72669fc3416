// @ts-check
// Every word Seq2SeqStepper shows or speaks, by language. A sentence is a list, so that a token keeps its own element.

/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {string} S a number or name, ready to be shown */

const english = {
  names: ["⟨pad⟩", "⟨start⟩", "⟨end⟩", "⟨unknown⟩"], // of the four numbers that are no words

  // the question, and what to make of it
  ask: (/** @type {Kid} */ q) => ["After ", q, ": which word does the decoder write next?"],
  askHint: "Click the word you expect. All it has: c, its own state, and the word just fed.",
  writes: (/** @type {Kid} */ reads, /** @type {Kid} */ own) => ["It reads ", reads, " and writes ", own, "."],
  off: (/** @type {Kid} */ reads, /** @type {Kid} */ own, /** @type {Kid} */ gold) => ["It reads ", reads, " and writes ", own, "; gold is ", gold, "."],
  over: (/** @type {Kid} */ own) => ["The gold sentence is over, yet it writes ", own, "."],
  begin: ["Nothing is written yet. Take the first step."],
  same: (/** @type {number} */ n) => `c is the same at every step: the whole sentence in ${n} numbers.`,
  mixed: (/** @type {Kid} */ k, /** @type {S} */ weight) => ["c is mixed anew at each step: here most of it is ", k, `, ${weight}.`],
  anew: (/** @type {number} */ n) => `c is mixed anew at each step, out of ${n} states.`,
  uniform: (/** @type {number} */ n) => `c is the plain mean of ${n} states, at every step.`,
  strayed: ["It reads a word of its own that gold does not have there."],
  said: (/** @type {Kid} */ q) => ["You expected ", q, ". "],

  // the picture
  encoder: "the encoder reads",
  decoder: "the decoder writes",
  reads: "reads",
  state: "state",
  writesRow: "writes",
  looks: "weight",
  context: "c",
  wireState: "initial state",
  wireContext: "context c",
  step: (/** @type {number} */ t, /** @type {S} */ reads, /** @type {S} */ own) => `step ${t}: reads ${reads}, writes ${own}`,
  next: (/** @type {number} */ t) => `step ${t}: not made yet`,
  strips: "steps of the decoder",

  // the bars and numbers
  bars: (/** @type {number} */ n, /** @type {number} */ t) => `step ${t}: its ${n} best words`,
  options: "which word comes next?",
  gold: "gold",
  rank: (/** @type {number} */ rank) => `gold, rank ${rank}`,
  yours: "you",
  barSaid: (/** @type {S} */ word, /** @type {S} */ p, /** @type {S} */ marks) => [`${word} ${p}`, marks].filter(Boolean).join(", "),
  goldP: (/** @type {Kid} */ q) => ["probability of the gold word ", q],
  noGold: ["the gold sentence is over"],
  offCount: (/** @type {number} */ off, /** @type {number} */ n) => [["b", `${off} of ${n}`], " words off gold"],
  feed: "then feed it",
  feeds: { gold: "gold: ", own: "its own: " },
  spoken: (/** @type {S} */ title, /** @type {S} */ p, /** @type {number} */ off, /** @type {number} */ n) =>
    `${title} Gold word: probability ${p}. ${off} of ${n} words off gold.`,

  // actions
  forward: "Next word",
  ended: "The sentence has ended.",
  limit: "It would go on without end.",
  back: "Back",
  guess: "Guess first",
  show: "Just show it",
  again: "Start over",
  sentences: "another sentence",
};

const STEPPER_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language @returns {typeof english} */
export const stepperWords = (language) => (Object.hasOwn(STEPPER_WORDS, language) ? STEPPER_WORDS[language] : english);
