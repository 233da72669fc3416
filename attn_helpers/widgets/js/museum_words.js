// @ts-check
// Every word MuseumRoom shows or speaks, by language. What stands beside an exhibit comes with its data.

/** @typedef {import("./dom.js").Kid} Kid */

const english = {
  rooms: "exhibits",
  ask: "Which number catches it?",
  choose: "Choose one; what was measured is then shown.",
  lines: "the line that runs",
  sides: ["right", "faulty"],
  where: (/** @type {string} */ place) => ["In ", ["code.u-code", place], ", one line is written in two ways. Choose which one runs."],
  loss: "loss, nats per word",
  curve: (/** @type {string} */ first, /** @type {string} */ last) => `${first} → ${last}`,
  curves: ["right line", "faulty line"],
  same: "Training does not run through this line.",
  steps: "step",
  picture: (/** @type {number} */ steps, /** @type {string} */ side, /** @type {string} */ fall) => `Loss over ${steps} steps of training, ${side}: ${fall}`,
  map: (/** @type {string} */ of, /** @type {number} */ queries, /** @type {number} */ keys) =>
    `${of}Attention weights: ${queries} target words (rows), ${keys} places of the source, the last one padding (columns)`,
  corner: "queries down, keys across",
  cell: (/** @type {string} */ q, /** @type {string} */ k, /** @type {string} */ weight) => `${q}, ${k}: ${weight}`,
  guess: "",
  yours: "your choice",
  beside: "The sentence in a batch, beside three that are one word longer.",
  says: "By itself it writes",
  cut: " …",
  head: ["number", "right line", "faulty line", ""],
  caught: "catches it",
  fine: "looks fine",
  unseen: "?",
  about: (/** @type {string} */ number) => `${number}:`,
  hit: (/** @type {string} */ number) => `You said so: caught by “${number}”.`,
  also: (/** @type {string} */ yours, /** @type {string} */ number) => `Caught by “${yours}”, as you said, and by “${number}”.`,
  missed: (/** @type {string} */ yours, /** @type {string} */ number) => `“${yours}” looks fine. Caught by “${number}”.`,
  shown: (/** @type {string} */ number) => `Caught by “${number}”.`,
  exact: (/** @type {string} */ right, /** @type {string} */ wrong) => `Test sentences translated word for word: ${right}, with the fault ${wrong}.`,
  show: "Show the answer",
  next: (/** @type {string} */ name) => `Next: ${name}`,
  seen: "seen",
  runs: (/** @type {string} */ side, /** @type {string} */ last, /** @type {string} */ said) => `The ${side} line runs. Loss at the end ${last}. It writes: ${said}.`,
  number: (/** @type {string} */ name, /** @type {string} */ value) => ` ${name}: ${value}.`,
};

const MUSEUM_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language */
export const museumWords = (language) => (Object.hasOwn(MUSEUM_WORDS, language) ? MUSEUM_WORDS[language] : english);
