// @ts-check
// Sinusoidal positions in the browser, float64, without a page: node runs it too. Python twin: attn_helpers.positions.
import { dot, max, min, round } from "./attn.js";

/** @typedef {number[][]} Table (L, d) one row per position */

export const COLLIDE = 0.9995; // so alike, two positions are one for any model
const SAME = 1e-9; // cosines that differ by less are one number: 7 and 9 are equally near to 8

/** How far each pair's hand turns from one word to the next, in radians. @param {number} width @param {number} base */
export const ratesOf = (width, base) => Array.from({ length: width / 2 }, (_, i) => base ** ((-2 * i) / width));

/** Sine and cosine in turn, fast pairs first. @param {number} positions @param {number} width @param {number} base @returns {Table} */
export function tableOf(positions, width, base) {
  const rates = ratesOf(width, base);
  return Array.from({ length: positions }, (_, p) => rates.flatMap((rate) => [Math.sin(p * rate), Math.cos(p * rate)]));
}

/** Cosine of one row with every row. A pair of sine and cosine has length 1, so each row has √(d/2).
 * @param {Table} table @param {number} position */
export const alikeTo = (table, position) => table.map((row) => dot(row, table[position]) / (row.length / 2));

/** The other positions that look most like this one. @param {number[]} alike @param {number} position */
export function twinsOf(alike, position) {
  const others = alike.map((x, q) => (q === position ? Number.NEGATIVE_INFINITY : x));
  const most = max(...others);
  return others.flatMap((x, q) => (x > most - SAME ? [q] : []));
}

/** Where the axis of cosines begins: it must not depend on the position, or the curve would not keep its shape.
 * @param {Table} table */
export function lowOf(table) {
  const least = min(...alikeTo(table, 0));
  return least >= 0 ? 0 : least >= -0.5 ? -0.5 : -1;
}

/** Whole turns of the fastest hand, if so many words bring it back where it was; else 0. @param {number} words */
export function wholeTurns(words) {
  const turns = words / (2 * Math.PI);
  return Math.abs(turns - round(turns)) < 0.02 ? round(turns) : 0;
}

/** The end of the table that is farther away: the reader guesses how alike it is. @param {number} position @param {number} positions */
export const farFrom = (position, positions) => (2 * position < positions ? positions - 1 : 0);

/** How much any logit differs between two orders of the words. @param {number[]} a @param {number[]} b */
export const change = (a, b) => max(...a.map((x, i) => Math.abs(x - b[i])));

/** Where things stand on the picture, px: rows are positions, on the left their numbers, on the right the curve.
 * @param {{width: number, height: number}} size @param {number} positions @param {number} pairs @param {number} low */
export function placesOf({ width, height }, positions, pairs, low) {
  const [top, bottom, left, end] = [44, height - 44, 56, width - 18];
  const gap = min(48, 0.09 * width);
  const middle = left + 0.54 * (end - left - gap);
  const [pitch, across] = [(bottom - top) / positions, (middle - left) / pairs];
  const air = across >= 12 ? 3 : across >= 5 ? 1 : 0; // between pairs
  const start = middle + gap;
  const bound = (/** @type {number} */ n, /** @type {number} */ count) => max(0, min(count - 1, Math.floor(n)));
  return {
    top, bottom, left, middle, start, end, pitch, across, air,
    y: (/** @type {number} */ p) => top + (p + 0.5) * pitch,
    rowAt: (/** @type {number} */ y) => bound((y - top) / pitch, positions),
    pairAt: (/** @type {number} */ x) => (x < left || x > middle ? -1 : bound((x - left) / across, pairs)),
    x: (/** @type {number} */ alike) => start + ((alike - low) / (1 - low)) * (end - start),
    alikeAt: (/** @type {number} */ x) => low + max(0, min(1, (x - start) / (end - start))) * (1 - low),
  };
}
