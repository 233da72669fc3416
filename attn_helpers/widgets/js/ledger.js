// @ts-check
// A ledger at any sizes, without a page: shapes, sums, boxes in proportion, what a wrong answer mistakes.
import { axisLetters, axisValue, shareOut, withRules } from "./axes.js";

/** @typedef {import("./axes.js").Sizes} Sizes */
/** One line of the pass. @typedef {{name: string, axes: string[], open: number[], source: string, where: string, rule: string,
 *   flops: number, each: number, times: number, depth: number, inside: string}} Row */
/** @typedef {{title: string, rows: Row[], rules: Record<string, string>, recorded: Sizes, parameters: number, flops: number,
 *   cache: number, said: string[], heads: boolean}} Book */

const LEADING = 12; // boxes that are drawn of one tensor; of more, the number is written

/** A row at these sizes: how long its axes are; NaN or a fraction where they do not fit.
 * @param {Row} row @param {Sizes} sizes with those that follow */
export const dimsOf = (row, sizes) => row.axes.map((axis, i) => (axis === "…" ? row.open[i] : axisValue(axis, sizes)));

/** Everything that follows from the sizes. @param {Book} book @param {Sizes} sizes */
export function reckon(book, sizes) {
  const { parameters: weights, cache, ...letters } = book.rules;
  const all = withRules(sizes, letters);
  const same = Object.keys(book.recorded).every((name) => all[name] === book.recorded[name]);
  const ruled = weights !== undefined;
  const rows = book.rows.map((row) => {
    const dims = dimsOf(row, all);
    const numbers = dims.reduce((product, n) => product * n, 1);
    const flops = row.rule ? axisValue(row.rule, all) : ruled || same ? row.flops : null;
    return { ...row, dims, numbers, bytes: numbers * row.each, flops, fits: dims.every(Number.isInteger) };
  });
  const crack = rows.findIndex((row) => !row.fits);
  const sum = rows.reduce((total, row) => total + (row.flops ?? 0), 0);
  const totals = ruled
    ? { parameters: axisValue(weights, all), flops: sum, cache: axisValue(cache, all) }
    : { parameters: book.parameters, flops: same ? book.flops : null, cache: same ? book.cache : null };
  return { all, rows, crack, totals: crack < 0 ? totals : { parameters: null, flops: null, cache: null } };
}

/** Px for one number, the same in all rows, so that sides can be compared. @param {number[][]} shapes @param {number} width @param {number} height */
export function unitOf(shapes, width, height) {
  const units = shapes.map((dims) => {
    const { count, down, across } = boxOf(dims);
    const shown = Math.min(count, LEADING);
    const room = count > shown ? width - 84 : width - 16; // how many more is written behind
    return Math.min((room - 5 * shown) / (shown * across), height / down);
  });
  return Math.max(0.4, Math.min(9, ...units));
}

/** The last two axes are a box, those before say how many. @param {number[]} dims */
export function boxOf(dims) {
  const across = dims.at(-1) ?? 1;
  const down = dims.at(-2) ?? 1;
  return { count: dims.slice(0, -2).reduce((product, n) => product * n, 1), down, across };
}

/** Where the boxes of a tensor stand: groups, one for each item of the first axis, a little apart.
 * @param {number[]} dims @param {number} unit */
export function boxesOf(dims, unit) {
  const { count, down, across } = boxOf(dims);
  const group = dims.length > 3 ? count / dims[0] : 1;
  const size = [Math.max(2, across * unit), Math.max(2, down * unit)];
  let x = 1;
  const boxes = Array.from({ length: Math.min(count, LEADING) }, (_, i) => {
    if (i) x += size[0] + (i % group ? 4 : 9);
    return [x, 1, ...size];
  });
  return { boxes, more: count - boxes.length, end: x + size[0], height: size[1] + 2 };
}

/** Where an axis of this letter lies in a tensor: along a box, down a box, or from box to box; "" nowhere.
 * @param {string[]} axes @param {string} letter */
export function sideOf(axes, letter) {
  const at = axes.map((axis) => axisLetters(axis).includes(letter)).lastIndexOf(true);
  return at < 0 ? "" : at === axes.length - 1 ? "across" : at === axes.length - 2 ? "down" : "count";
}

/** What a wrong shape mistakes, by its name in the words. @param {string[]} guess @param {Row[]} rows @param {number} blank */
export function mistakeOf(guess, rows, blank) {
  const right = rows[blank].axes;
  const [mine, wanted] = [guess.join(), right.join()];
  if (mine === wanted) return "right";
  if (blank && mine === rows[blank - 1].axes.join()) return "before";
  const alien = guess.filter((axis) => !right.includes(axis));
  if (alien.includes("S")) return "keys";
  if (alien.some((axis) => axis === "m" || axis === "H·d")) return "whole";
  if (alien.length) return "alien";
  if (new Set(guess).size < guess.length) return "twice";
  if (guess[0] !== right[0]) return "batch";
  return guess.at(-1) !== right.at(-1) ? "turned" : "order";
}

/** Widths and numbers of heads nearby that go together. @param {number} width @param {number} heads */
export function waysOut(width, heads) {
  const near = (/** @type {number} */ n) => n > 0 && shareOut(n, heads).rest === 0;
  const below = width - (width % heads);
  const fits = Array.from({ length: width }, (_, i) => i + 1).filter((n) => width % n === 0 && n !== 1 && n <= 16);
  return { widths: [below, below + heads].filter(near), heads: fits.filter((n) => n !== heads).slice(0, 3) };
}
