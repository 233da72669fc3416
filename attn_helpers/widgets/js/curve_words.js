// @ts-check
// Every word DrawnCurve shows or speaks, by language.

/** @typedef {string} S a number or name, ready to be shown */

/** @param {S} name */
const first = (name) => name.replace(/^./u, (letter) => letter.toUpperCase());

const english = {
  title: "How often is a whole sentence right, as sentences grow? Draw it.",
  hint: "Press at the left and pull across, or use the arrow keys. Nothing is shown before you commit.",
  across: "words in the sentence",
  up: "sentences exactly right",
  percent: (/** @type {number} */ share) => `${Math.round(100 * share)} %`,
  points: (/** @type {number} */ off) => {
    const points = Math.round(100 * off);
    return points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0";
  },

  start: "draw here",
  keep: "keep drawing",
  reveal: (/** @type {S} */ name) => `Reveal: ${name}`,
  whole: (/** @type {S} */ bins) => `Ready when all is drawn. Still empty: ${bins}.`,
  nothing: "Nothing to compare with was given.",
  again: "Draw again",
  bin: (/** @type {S} */ bin, /** @type {S} */ axis) => `${bin} ${axis}`,
  empty: "not drawn",

  close: (/** @type {S} */ name, /** @type {number} */ points) => `${first(name)}: you were right to ${points} points.`,
  far: (/** @type {S} */ name, /** @type {number} */ points) => `${first(name)}: you were ${points} points off on average.`,
  yours: "what you drew",
  offRow: "your line above (+) or below (−), in points",
  revealed: "revealed one by one",
  mean: "mean",
  compare: "compare your line with",
  said: (/** @type {S} */ title, /** @type {S[]} */ bins, /** @type {S} */ end) => [`${title} ${bins.join("; ")}`, end].filter(Boolean).join(". "),
  interval: (/** @type {S} */ mean, /** @type {S} */ low, /** @type {S} */ high) => `${mean} (interval ${low} to ${high})`,
  saidBin: (/** @type {S} */ bin, /** @type {S} */ yours, /** @type {S} */ measured) => `${bin}: you ${yours}, measured ${measured}`,
};

const CURVE_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language @returns {typeof english} */
export const curveWords = (language) => (Object.hasOwn(CURVE_WORDS, language) ? CURVE_WORDS[language] : english);
