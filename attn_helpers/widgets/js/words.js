// @ts-check
// Every word that all widgets share, by language, and how numbers are written. Each widget has a file for its own.

/** @typedef {string} S a number or name, ready to be shown */

/** Two decimals without the leading zero, and a true minus sign; 2.1e6 for what is large.
 * @param {number} x @param {number} [digits] */
export function number(x, digits = 2) {
  const size = Math.abs(x);
  const text = size < 1e4 ? size.toFixed(digits).replace(/^0\./, ".") : size.toExponential(1).replace("+", "");
  return x < 0 && Number(text) > 0 ? `−${text}` : text;
}

const en = {
  trouble: (/** @type {S} */ what) => `Something failed: ${what}. Run the cell again, or reload the page.`,
  python: (/** @type {S} */ what) => `Python could not follow. ${what}`,
};

/** The words of a language; English where there are none yet. @param {string} language @returns {typeof en} */
export const wordsOf = (language) => /** @type {any} */ ({ __proto__: null, en })[language] ?? en;
