// @ts-check
// Every word TrainingReplay shows or speaks, by language. A sentence is a list, so that a token keeps its element.

/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {Kid[]} Say */

/** @param {number} n */
const steps = (n) => `${n} step${n === 1 ? "" : "s"}`;

const english = {
  title: (/** @type {Kid} */ q, /** @type {Say} */ k) => ["When will ", q, " look at ", ...k, "?"],
  open: (/** @type {Kid} */ q) => ["Where does ", q, " look as the training goes on?"],
  answer: (/** @type {Kid} */ q, /** @type {Say} */ k, /** @type {number} */ step) => [q, " looks at ", ...k, ` from step ${step} on.`],
  or: " or ",
  ask: (/** @type {Say} */ k) => ["Guess when ", ...k, " wins for good: set the purple mark. Then drag the step."],
  asked: (/** @type {number} */ step) => [["span.r-said", `You say step ${step}.`], " Now drag the step, or press Play."],
  look: ["Drag the step, or press Play."],
  never: (/** @type {Say} */ k) => [" It never settles on ", ...k, "."],
  right: ["span.r-said", "You said so, to the snapshot."],
  off: (/** @type {number} */ step, /** @type {number} */ by) => ["span.r-said", `You said ${step}: ${steps(Math.abs(by))} too ${by > 0 ? "late" : "early"}.`],
  unasked: "Seen without a guess.",
  half: (/** @type {number} */ loss, /** @type {number} */ aer) => [
    "Half of the fall: ", ["b", `loss at step ${loss}`], ", ", ["b", `AER at step ${aer}`], ". ",
    loss === aer ? "Both at one snapshot." : `The ${loss < aer ? "loss" : "AER"} is there ${steps(Math.abs(aer - loss))} earlier.`,
  ],

  curves: { loss: "loss, nats per word", aer: "AER", entropy: "words looked at" },
  judged: (/** @type {number} */ n) => (n > 1 ? `Curves: ${n} other sentences.` : "Curves: this sentence alone."),
  halfAt: (/** @type {number} */ step) => `half-way ${step}`,
  crossing: (/** @type {number} */ step) => `crossing appears ${step}`,
  axis: "step",
  step: (/** @type {number} */ step, /** @type {number} */ last) => `step ${step} of ${last}`,
  slider: "training step",
  guess: "your guess",
  unset: "not set",
  drag: "your guess: drag",
  yours: (/** @type {number} */ step) => `you ${step}`,
  truth: (/** @type {number} */ step) => `measured ${step}`,

  play: "Play",
  pause: "Pause",
  next: "Next snapshot",
  again: "Play again",
  show: ["Show the answer"],
  another: (/** @type {Kid} */ q) => ["Guess for ", q],
  which: "attention of",

  links: ["sure link", "possible link"],
  ghost: "strongest at the end",
  map: (/** @type {string} */ of, /** @type {number} */ queries, /** @type {number} */ keys) =>
    `${of}Attention weights: ${queries} target words (rows), ${keys} source words (columns)`,
  corner: "queries down, keys across",
  cell: (/** @type {string} */ q, /** @type {string} */ k, /** @type {string} */ weight) => `${q}, ${k}: ${weight}`,
  weight: (/** @type {string} */ k, /** @type {string} */ weight) => `${k} ${weight}`,
  readsAs: (/** @type {Kid} */ q) => [q, "reads"],
  point: "",
  guessed: "guess",
  said: (/** @type {string} */ step, /** @type {string} */ cell, /** @type {string} */ loss, /** @type {string} */ aer, /** @type {string} */ looks) =>
    `${step}. ${cell}. Loss ${loss}, AER ${aer}, words looked at ${looks}.`,
};

const REPLAY_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language */
export const replayWords = (language) => (Object.hasOwn(REPLAY_WORDS, language) ? REPLAY_WORDS[language] : english);
