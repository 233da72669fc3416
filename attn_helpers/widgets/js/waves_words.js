// @ts-check
// Every word PositionWaves shows or speaks, by language.

/** @typedef {string} S a number or name, ready to be shown */

const list = (/** @type {number[]} */ all) => (all.length > 2 ? `${all.slice(0, 2).join(", ")} and ${all.length - 2} more` : all.join(" and "));

const english = {
  title: "How alike are two positions?",
  hint: (/** @type {number} */ p) => `Drag position ${p} up and down. Point at a pair of stripes to see its clock hand.`,
  moved: "The curve travels, and keeps its shape.",
  movedHint: "Only the distance counts: every hand has turned by the same angle, wherever one starts.",
  predict: (/** @type {number} */ p, /** @type {number} */ q) => `How alike are positions ${p} and ${q}, far apart?`,
  predictHint: "Say it by the ring: click right of the stripes, or drag it. Then look.",
  guessed: (/** @type {S} */ mine, /** @type {S} */ real) => `You said ${mine}; it is ${real}.`,
  plateau: "The slow hands have hardly moved: they lift the whole curve to a plateau. The fast ones make the peak.",
  challenge: "Make two positions collide.",
  challengeHint: (/** @type {S} */ most) => `The nearest twin must reach ${most}. Fewer numbers are fewer hands to tell positions apart.`,
  met: (/** @type {number} */ p, /** @type {number} */ q, /** @type {S} */ alike) => `Positions ${p} and ${q} collide: ${alike}.`,
  turns: (/** @type {number} */ words, /** @type {number} */ whole, /** @type {S} */ exact, /** @type {boolean} */ alone) =>
    `${words} words are ${exact} turns of the ${alone ? "only" : "fastest"} hand, as good as ${whole}${alone ? "" : "; no other hand tells them apart"}.`,
  alike: "No hand has moved enough to tell them apart.",

  rows: "position",
  columns: (/** @type {number} */ d) => `${d} numbers: sin, cos in turn`,
  short: (/** @type {number} */ d) => `${d} numbers`,
  fast: "fast",
  slow: "slow",
  curve: (/** @type {number} */ p) => `cosine with ${p}`,
  yours: "you",
  handle: "position",
  guess: "your guess of the cosine",
  unset: "not set",
  at: (/** @type {number} */ p, /** @type {number[]} */ twins, /** @type {S} */ alike) => `position ${p}; nearest ${twins.length > 1 ? "twins" : "twin"} ${list(twins)}, cosine ${alike}`,
  hidden: (/** @type {number} */ p) => `position ${p}; the curve is hidden`,

  twin: "nearest twin",
  twins: (/** @type {number} */ p, /** @type {number[]} */ twins) => `${list(twins)} ${twins.length > 1 ? "look" : "looks"} most like ${p}`,
  mean: "on average, over all positions",
  two: (/** @type {number} */ p, /** @type {number} */ q, /** @type {S} */ alike) => `${p} and ${q}: ${alike}, ${Math.abs(p - q)} apart`,
  clock: (/** @type {number} */ i) => `pair ${i}: numbers ${2 * i} and ${2 * i + 1}`,
  rate: (/** @type {S} */ rate, /** @type {S} */ words) => `turns ${rate} rad a word, once round in ${words} words`,
  hand: (/** @type {number} */ p, /** @type {S} */ sine, /** @type {S} */ cosine) => `at ${p}: across (sine) ${sine}, up (cosine) ${cosine}`,
  noClock: "Choose a pair of stripes: its hand turns with the position.",
  pair: "pair of numbers",

  width: "numbers (m)",
  more: "base and length",
  base: "base",
  positions: "positions",
  start: "Challenge: make two collide",
  stop: "Leave the challenge",
  first: "Guess first",
  leave: "Leave the guess",
  look: "Look",

  orders: "Now shuffle the words. Which model notices?",
  ordersHint: (/** @type {number} */ n) => `Two tiny Transformers have learned from all ${n} orders of these words to say, in French, which comes first.`,
  none: "without positions",
  sinusoids: "with sinusoids",
  largest: "largest change of a logit",
  shuffle: "Shuffle the words",
  back: "As it was",
  sentence: "the source",
  same: (/** @type {S} */ word) => `Without positions: the same logits in every order, but for rounding. With them: ${word} comes first.`,
  logits: (/** @type {S} */ name, /** @type {S[]} */ all) => `${name}: logits ${all.join(", ")}`,
  read: (/** @type {S} */ words, /** @type {S} */ none, /** @type {S} */ some) => `${words}. Largest change of a logit without positions ${none}, with sinusoids ${some}.`,
};

const WAVES_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language @returns {typeof english} */
export const wavesWords = (language) => (Object.hasOwn(WAVES_WORDS, language) ? WAVES_WORDS[language] : english);
