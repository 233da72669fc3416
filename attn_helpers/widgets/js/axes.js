// @ts-check
// What an axis such as H·d, 3h, E + c or m / H comes to. Python twin: attn_helpers/ledger/axes.py.

/** @typedef {Record<string, number>} Sizes letter → how many */

const WORD = /[A-Za-z_]\w*′*/g;

/** A sum of products, for letters of known size; NaN where one has none.
 * @param {string} axis @param {Sizes} sizes @returns {number} */
export function axisValue(axis, sizes) {
  return axis.split("+").reduce((sum, product) => {
    let [value, below] = [1, 1];
    for (const [, sign, word] of product.matchAll(/([·/]?)\s*(\d+|[A-Za-z_]\w*′*)/g)) {
      const factor = /^\d/.test(word) ? Number(word) : (sizes[word] ?? Number.NaN);
      if (sign === "/") below *= factor;
      else value *= factor;
    }
    return sum + value / below;
  }, 0);
}

/** The letters of an axis, each once. @param {string} axis @returns {string[]} */
export const axisLetters = (axis) => [...new Set(axis.match(WORD) ?? [])];

/** All letters, those that follow from others too. @param {Sizes} sizes @param {Record<string, string>} rules @returns {Sizes} */
export const withRules = (sizes, rules) => ({
  ...sizes,
  ...Object.fromEntries(Object.keys(rules).map((name) => [name, axisValue(rules[name], sizes)])),
});

/** What each of the heads gets of a width, and what is left over. @param {number} width @param {number} heads */
export const shareOut = (width, heads) => ({ each: Math.floor(width / heads), rest: width % heads });

/** Of which token, from which number on, each row of a head comes: after `view` alone, or with the transpose.
 * @param {number} tokens @param {number} heads @param {number} each @param {boolean} viewOnly
 * @returns {{token: number, from: number}[][]} heads × tokens */
export function landings(tokens, heads, each, viewOnly) {
  const all = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => i);
  return all(heads).map((head) =>
    all(tokens).map((row) => {
      const at = viewOnly ? head * tokens + row : row * heads + head; // the piece's place in memory
      return { token: Math.floor(at / heads), from: (at % heads) * each };
    }),
  );
}
