// @ts-check
// A training replay in numbers: places on a logarithmic axis, curves, what has happened by now. Without a page.
import { cellsOf, readRow } from "./decode.js";

/** @typedef {{width: number, height: number}} Size */

const GAP = 26; // px between curves, and above each for its name
const [LEFT, RIGHT, BOTTOM] = [44, 16, 34];

/** Where things stand on the picture of the curves. @param {number[]} steps @param {Size} size */
export function axisOf(steps, { width, height }) {
  const [left, right] = [LEFT, width - RIGHT];
  const last = Math.log1p(steps[steps.length - 1]) || 1;
  const x = (/** @type {number} */ step) => left + ((right - left) * Math.log1p(step)) / last;
  const tall = (height - BOTTOM) / 3;
  return { left, right, x, foot: height - BOTTOM, band: (/** @type {number} */ i) => ({ top: i * tall + GAP, bottom: (i + 1) * tall - 4 }) };
}

/** Round steps for the axis: 0, 10, 100, … and the last, none too near to it. @param {number[]} steps */
export function ticksOf(steps) {
  const last = steps[steps.length - 1];
  const tens = [10, 100, 1000, 10000, 1e5].filter((step) => step < 0.6 * last);
  return [...new Set([0, ...tens, last])];
}

/** Px of a curve's points within its band, from 0 at the bottom to its largest value.
 * @param {number[]} values @param {number[]} steps @param {ReturnType<typeof axisOf>} axis @param {number} i which band */
export function pointsOf(values, steps, axis, i) {
  const { top, bottom } = axis.band(i);
  const most = Math.max(...values) || 1;
  return values.map((value, n) => [axis.x(steps[n]), bottom - ((bottom - top) * value) / most]);
}

/** The snapshot nearest to a place, px. @param {number} at @param {number[]} steps @param {ReturnType<typeof axisOf>} axis */
export function nearest(at, steps, axis) {
  const far = steps.map((step) => Math.abs(axis.x(step) - at));
  return far.indexOf(Math.min(...far));
}

/** How the sentence looks in one snapshot: cells, and each row in figures; the end of sentence does not compete.
 * @param {DataView} payload @param {number[]} shape @param {number} at */
export function seen(payload, shape, at) {
  const [, , queries, keys] = shape;
  const cells = cellsOf(payload, /** @type {any} */ (shape), at, 0);
  const rows = Array.from({ length: queries }, (_, t) => {
    const read = readRow(cells, keys, t);
    const words = t < queries - 1 && keys > 1 ? read.weights.subarray(0, keys - 1) : read.weights;
    return { ...read, top: words.indexOf(Math.max(...words)) };
  });
  return { cells, rows };
}
