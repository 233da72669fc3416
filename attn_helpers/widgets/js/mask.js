// @ts-check
// Masks in the browser, float64, without a page: node runs it too. Python twins: attn_helpers.masks, mask_faults.py.
import { dot, scoreKeys, softmax } from "./attn.js";

/** @typedef {number[][][]} Numbers (B, T, S) or (B, T, 2) */
/** @typedef {boolean[][][]} Mask (B, T, S), true = may attend */
/** @typedef {Record<string, any>} State the traits of MaskLab */

/** @type {Record<string, number>} what each float type stores for −1e9 */
const STORED = { float16: Number.NEGATIVE_INFINITY, bfloat16: -998244352, float32: -1e9 };

/** Valid lengths, then the future, then what was turned over by hand. @param {State} state @returns {Mask} */
export const maskOf = ({ query_tokens, key_tokens, lengths, causal, flips }) =>
  query_tokens.map((/** @type {string[]} */ queries, /** @type {number} */ b) =>
    queries.map((_, t) =>
      key_tokens[b].map((/** @type {string} */ _, /** @type {number} */ s) => {
        const allowed = s < lengths[b] && !(causal && s > t);
        return flips.some((/** @type {number[]} */ place) => `${place}` === `${[b, t, s]}`) ? !allowed : allowed;
      }),
    ),
  );

/** Words of the future that were opened by hand; padding tells nothing. @param {State} state @returns {number[][]} */
export const openedOf = ({ causal, flips, lengths }) =>
  flips.filter((/** @type {number[]} */ [b, t, s]) => causal && t < s && s < lengths[b]);

/** q·k / √2 for every pair. @param {State} state @returns {Numbers} */
export const scoresOf = ({ query_vectors, key_vectors }) =>
  query_vectors.map((/** @type {number[][]} */ queries, /** @type {number} */ b) =>
    queries.map((query) => scoreKeys("scaled_dot", query, key_vectors[b])),
  );

/** Forbidden scores replaced by a number; nothing but −∞ becomes NaN, as in every library. @param {number[]} scores @param {boolean[]} allowed @param {number} fill */
const filled = (scores, allowed, fill) => softmax(scores.map((score, s) => (allowed[s] ? score : fill)));

/** The right way: weights over what is allowed; 0 where nothing is. @param {number[]} scores @param {boolean[]} allowed */
const masked = (scores, allowed) =>
  allowed.includes(true) ? filled(scores, allowed, Number.NEGATIVE_INFINITY) : scores.map(() => 0);

/** Weights of one row, right or broken. @param {string} breakage @param {string} floatType
 * @param {number[]} scores @param {boolean[]} allowed @returns {number[]} */
export function weigh(breakage, floatType, scores, allowed) {
  if (breakage === "no_mask") return softmax(scores);
  if (breakage === "flipped") return masked(scores, allowed.map((may) => !may));
  if (breakage === "after_softmax") return softmax(scores).map((weight, s) => (allowed[s] ? weight : 0));
  if (breakage === "half") return filled(scores, allowed, STORED[floatType]);
  if (breakage === "finite") return filled(scores, allowed, -1e6);
  return masked(scores, allowed);
}

/** @param {number[]} numbers */
const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

/** All that the widget shows. @param {State} state */
export function compute(state) {
  const mask = maskOf(state);
  const scores = scoresOf(state);
  const weights = scores.map((rows, b) => rows.map((row, t) => weigh(state.breakage, state.float_type, row, mask[b][t])));
  return {
    mask, scores, weights,
    sums: weights.map((rows) => rows.map(total)),
    leaked: weights.map((rows, b) => rows.map((row, t) => total(row.map((weight, s) => (mask[b][t][s] ? 0 : weight))))),
    output: weights.map((rows, b) =>
      rows.map((row) => [0, 1].map((axis) => dot(row, state.value_vectors[b].map((/** @type {number[]} */ value) => value[axis])))),
    ),
  };
}

/** Whether all queries of a sentence may read the same keys: then a mask of keys says it all. @param {Mask} mask */
export const sameForAll = (mask) => mask.every((rows) => rows.every((row) => `${row}` === `${rows[0]}`));
