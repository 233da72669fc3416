// @ts-check
// Where the names of curves stand, without a page: beside their own curve, off the others, and off each other.
import { along } from "./geometry.js";

/** @typedef {number[]} Point */
/** @typedef {{at: Point, to: Point | null}} Spot middle of the name; where its leader ends, if it needs one */
/** @typedef {{left: number, right: number, top: number, bottom: number}} Frame */

const [HALF, APART, NEAR] = [10, 7, 16]; // half a name's height; curves can be told apart; no leader needed

/** @param {Point} a @param {Point} b */
const between = ([ax, ay], [bx, by]) => Math.sqrt((ax - bx) ** 2 + (ay - by) ** 2);

/** How far a point lies from a box around a middle; 0 inside. @param {Point} point @param {Point} at @param {number} half its width */
export const fromBox = ([px, py], [x, y], half) =>
  between([Math.max(0, Math.abs(px - x) - half), Math.max(0, Math.abs(py - y) - HALF)], [0, 0]);

/** On which side of a line from a to b a point lies. @param {Point} a @param {Point} b @param {Point} p */
const side = ([ax, ay], [bx, by], [px, py]) => Math.sign((bx - ax) * (py - ay) - (by - ay) * (px - ax));

/** How often a leader crosses a curve. @param {Point} from @param {Point} to @param {Point[]} line */
const crossings = (from, to, line) =>
  line.slice(1).filter((b, i) => side(from, to, line[i]) * side(from, to, b) < 0 && side(line[i], b, from) * side(line[i], b, to) < 0).length;

/** Points along a curve, a few px apart. @param {Point[]} line */
export const dotted = (line) => (line.length === 1 ? line : line.slice(1).flatMap((to, i) => along([line[i], to]).map(([x, y]) => [x + 3, y + 3])));

/** The points at which a curve runs alone; all of it, where it never does. @param {Point[]} own @param {Point[]} others */
function alone(own, others) {
  const free = own.filter((point) => others.every((other) => between(point, other) > APART));
  return free.length ? free : own;
}

/** Places to try: a grid over the chart. @param {number} half @param {Frame} chart */
function places(half, { left, right, top, bottom }) {
  /** @type {Point[]} */
  const all = [];
  for (let y = top - 4; y <= bottom - HALF - 2; y += 9) for (let x = left + half + 4; x <= right - half + 4; x += 12) all.push([x, y]);
  return all.length ? all : [[(left + right) / 2, (top + bottom) / 2]];
}

/** A place for each name; the first chooses first.
 * @param {Point[][]} lines px @param {number[]} widths of the names, px; 0: no name @param {Frame} chart
 * @returns {(Spot | null)[]} */
export function labelSpots(lines, widths, chart) {
  const dots = lines.map(dotted);
  /** @type {{at: Point, half: number}[]} */
  const taken = [];
  /** @type {Point[]} */
  const leaders = [];
  /** @type {(Spot | null)[]} */
  const spots = lines.map(() => null);
  for (const i of [...lines.keys()].filter((i) => widths[i] && lines[i].length)) {
    const half = widths[i] / 2 + 3;
    const strangers = lines.filter((_, j) => j !== i);
    const others = dots.filter((_, j) => j !== i).flat();
    const anchors = alone(dots[i], others);
    const cost = (/** @type {Point} */ at, /** @type {number} */ price) => {
      if (taken.some((box) => Math.abs(box.at[0] - at[0]) < box.half + half && Math.abs(box.at[1] - at[1]) < 2 * HALF + 2)) return 1e4;
      const to = nearest(anchors, at, half);
      const far = fromBox(to, at, half);
      if (far >= price) return far; // it cannot win any more
      const way = far > NEAR ? along([to, at]).filter((point) => fromBox(point, at, half) > 0) : [];
      const hits = (/** @type {Point[]} */ points) => points.filter((point) => fromBox(point, at, half) < 3).length;
      const crossed = way.length ? strangers.reduce((sum, line) => sum + crossings(to, at, line), 0) : 0;
      const through = way.filter((point) => taken.some((box) => fromBox(point, box.at, box.half) < 4)).length;
      // Close to a stranger it would be read as that one's name.
      const stranger = others.reduce((least, other) => Math.min(least, fromBox(other, at, half)), Infinity);
      const strange = Math.max(0, NEAR - stranger) + (!way.length && stranger < far + 4 ? 200 : 0);
      return 40 * (through + hits(leaders)) + 6 * hits(dots[i]) + 8 * hits(others) + 12 * crossed + strange + far;
    };
    const at = least(places(half, chart), cost);
    const to = nearest(anchors, at, half);
    const far = fromBox(to, at, half) > NEAR;
    spots[i] = { at, to: far ? to : null };
    taken.push({ at, half });
    if (far) leaders.push(...along([to, at]));
  }
  return spots;
}

/** @type {{about: string, spots: (Spot | null)[]}} */
let last = { about: "", spots: [] };

/** `labelSpots`, worked out anew only when something has moved. @param {Point[][]} lines @param {number[]} widths @param {Frame} chart */
export function spotsOf(lines, widths, { left, right, top, bottom }) {
  const about = JSON.stringify([lines, widths, left, right, top, bottom]);
  if (last.about !== about) last = { about, spots: labelSpots(lines, widths, { left, right, top, bottom }) };
  return last.spots;
}

/** @param {Point[]} points @param {Point} at @param {number} half */
const nearest = (points, at, half) => least(points, (point) => fromBox(point, at, half));

/** The first of those that cost least. @template T @param {T[]} all @param {(one: T, price: number) => number} cost */
function least(all, cost) {
  let [best, price] = [all[0], Infinity];
  for (const one of all) {
    const now = cost(one, price);
    if (now < price) [best, price] = [one, now];
  }
  return best;
}

/** Where a leader leaves the name: at the edge of its box. @param {Spot} spot @param {number} width @returns {Point} */
export function edgeOf({ at, to }, width) {
  const [dx, dy] = [(to?.[0] ?? 0) - at[0], (to?.[1] ?? 0) - at[1]];
  const share = Math.min(1, (width / 2 + 3) / Math.abs(dx || 1e-9), HALF / Math.abs(dy || 1e-9));
  return [at[0] + share * dx, at[1] + share * dy];
}
