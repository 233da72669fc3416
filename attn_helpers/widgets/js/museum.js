// @ts-check
// What can be read off an exhibit, without a page. Python twins: attn_helpers/museum/numbers.py, exhibit.py.

/** @typedef {{limit: number, least: boolean}} Bound the last value that is fine, and whether it is the least */
/** @typedef {{width: number, height: number}} Size */

const PAD = { left: 30, right: 8, top: 12, bottom: 30 };

/** Whether a model with this number passes. @param {number} value @param {Bound} bound */
export const isFine = (value, { limit, least }) => (least ? value >= limit : value <= limit);

/** Which of the numbers are no longer fine. @param {number[]} values @param {Bound[]} bounds */
export const caughtBy = (values, bounds) => values.flatMap((value, i) => (isFine(value, bounds[i]) ? [] : [i]));

/** Two lines, each cut where they part and where they meet again: [same, own, same].
 * @param {string} one @param {string} other @returns {[string[], string[]]} */
export function apart(one, other) {
  const least = Math.min(one.length, other.length);
  let [head, tail] = [0, 0];
  while (head < least && one[head] === other[head]) head++;
  while (tail < least - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  const cut = (/** @type {string} */ line) => [line.slice(0, head), line.slice(head, line.length - tail), line.slice(line.length - tail)];
  return [cut(one), cut(other)];
}

/** A training's losses, each the mean of equally many steps, on axes that begin at 0.
 * @param {number[][]} losses of the curves that share the chart @param {number} steps in all @param {Size} size */
export function lossChart(losses, steps, { width, height }) {
  const { left, top } = PAD;
  const [right, bottom] = [width - PAD.right, height - PAD.bottom];
  const most = Math.ceil(Math.max(...losses.flat())) || 1;
  const x = (/** @type {number} */ step) => left + ((right - left) * step) / steps;
  const y = (/** @type {number} */ loss) => bottom - ((bottom - top) * loss) / most;
  /** A mean stands in the middle of its steps. @param {number[]} loss */
  const points = (loss) => loss.map((value, i) => [x(((i + 0.5) * steps) / loss.length), y(value)]);
  return { left, right, top, bottom, most, x, y, points, ticks: bottom + 16 };
}

/** A number as it is read here: three decimals below 1, two above; a leading zero is left out.
 * @param {number} value */
export const spelled = (value) => (value < 0.9995 ? value.toFixed(3).replace(/^0/, "") : value.toFixed(2));
