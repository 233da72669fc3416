// @ts-check
// Every word ShapeLedger shows or speaks, by language.

/** @typedef {string} S a number or name, ready to be shown */

/** Digits in groups of three. @param {number | null} n */
const whole = (n) => (n === null || !Number.isFinite(n) ? "–" : `${n}`.replace(/\B(?=(\d{3})+$)/g, "\u2009"));

const english = {
  whole,
  title: "Follow one axis through the whole pass.",
  hint: "Point at a letter, or choose one below; change a size and watch every shape follow.",
  ask: (/** @type {S} */ source) => `What shape does ${source} give?`,
  askHint: "Choose its axes, from the outer to the inner one.",
  lit: (/** @type {S} */ letter, /** @type {S} */ about, /** @type {number} */ rows, /** @type {number} */ all) =>
    [letter, about && ` counts ${about}`, `: in ${rows} of ${all} rows.`].join(""),
  letters: /** @type {Record<string, string>} */ ({
    B: "items of a batch", H: "heads", T: "queries", S: "keys", m: "a token's numbers (d_model)", d: "a head's numbers for a query or key",
    v: "a head's numbers for a value", E: "an embedding's numbers", V: "words of a vocabulary", L: "layers",
    f: "hidden units of the feed-forward network", t: "words written before",
    h: "a state's numbers", c: "a context's numbers", a: "hidden units of the additive score",
  }),
  cracked: (/** @type {number} */ m, /** @type {number} */ h, /** @type {number} */ each, /** @type {number} */ rest) =>
    `d_model ${m} does not split into ${h} heads: ${m} = ${h}·${each} + ${rest}.`,
  wayOut: (/** @type {number[]} */ widths, /** @type {number[]} */ heads) =>
    [`Every head needs the same width. Take d_model ${widths.join(" or ")}`, heads.length && `, or ${heads.join(" or ")} heads`, "."].filter(Boolean).join(""),
  unfit: (/** @type {S} */ axis, /** @type {S} */ size) => `The axis ${axis} would be ${size} long: no whole number.`,
  unfitHint: "Change one of its letters.",
  left: (/** @type {number} */ rest) => `${rest} left`,
  never: "never made",

  answers: /** @type {Record<string, string>} */ ({
    right: "Right: tokens and heads have changed places.",
    before: "That is before the transpose.",
    keys: "S counts keys; these rows are the queries'.",
    whole: "That axis is still whole: each head has d = m / H of it.",
    alien: "One of these axes is not in the tensor.",
    twice: "One axis stands there twice: each axis appears once.",
    batch: "The batch stays first: only axes 1 and 2 change places.",
    turned: "Each head's matrix is turned over too: only tokens and heads change places.",
    order: "The right axes in another order.",
  }),
  why: "Now each head holds a (T, d) matrix of its own, and one product serves them all.",
  other: { right: "So it is.", before: "That is the row above, before this line." },
  mine: "you said",
  back: "take back",
  skip: "show it",
  again: "guess again",
  empty: "not chosen yet",
  palette: "axes to choose from",

  flops: "FLOPs, of all matrix products (a multiplication and an addition: 2)",
  parameters: "parameters",
  cache: "bytes kept for later steps (keys and values)",
  row: (/** @type {S} */ numbers, /** @type {S} */ bytes) => `${numbers} numbers, ${bytes} bytes`,
  rowFlops: (/** @type {S} */ flops, /** @type {S} */ rule) => [`${flops} FLOPs`, rule && ` = ${rule}`].join(""),
  noFlops: "no matrix product",
  asRecorded: "counted at the recorded sizes only",
  into: "what comes in",
  inside: (/** @type {S} */ name) => `inside ${name}`,
  times: (/** @type {number} */ n) => `×${n}`,
  more: (/** @type {number} */ n) => `and ${whole(n)} more`,
  short: /** @type {Record<string, string>} */ ({ m: "d_model", H: "heads", B: "batch", T: "queries", S: "keys" }),
  moreSizes: "more sizes",
  less: (/** @type {S} */ letter) => `${letter}: one less`,
  plus: (/** @type {S} */ letter) => `${letter}: one more`,
  light: (/** @type {S} */ letter) => `light the axis ${letter}`,

  landing: "Whose numbers land in which head?",
  ways: { whole: "view, then transpose", view: "view only" },
  moreHeads: (/** @type {number} */ n) => `and ${whole(n)} more heads`,
  head: (/** @type {number} */ n) => `head ${n}`,
  token: (/** @type {number} */ t, /** @type {number} */ from, /** @type {number} */ to) => `token ${t}: ${[...new Set([from, to])].join("–")}`,
  tokens: "row by row: of which token, which of its numbers",
  fine: "Row t of every head is token t.",
  scrambled: (/** @type {S} */ shape) => `The same shape ${shape}, no error, and the rows are other tokens'.`,
  lucky: "With one head or one token nothing can be scrambled.",
  said: (/** @type {S} */ name, /** @type {S} */ shape, /** @type {S} */ numbers) => `${name}: ${shape}, ${numbers} numbers`,
};

const LEDGER_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language @returns {typeof english} */
export const ledgerWords = (language) => (Object.hasOwn(LEDGER_WORDS, language) ? LEDGER_WORDS[language] : english);
