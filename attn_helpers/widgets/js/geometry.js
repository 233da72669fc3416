// @ts-check
// Where things go on a picture. No page needed.
import { abs, hypot, max, min } from "./attn.js";

/** @typedef {number[]} Vector */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {number[]} Box x, y, width, height */
/** @typedef {{unit: number, at: (p: Vector) => Vector, back: (p: Vector) => Vector, low: Vector, high: Vector}} Plane */

/** Map the plane onto a picture, with equal units on both axes. It holds the points a widget started with, so
 * it stands still while one is dragged; only a point that comes from elsewhere widens it.
 * @param {Vector[]} start @param {Vector[]} now @param {Size} size @param {number[]} pad left right below above
 * @returns {Plane} */
export function plane(start, now, { width, height }, pad) {
  const [[x0, x1], [y0, y1]] = [0, 1].map((axis) => {
    const [first, last] = [start, now].map((points) => [0, ...points.map((p) => p[axis])]);
    const low = min(min(...first) - pad[2 * axis], ...last);
    return [low, max(max(...first) + pad[2 * axis + 1], ...last)];
  });
  const unit = min(width / (x1 - x0), height / (y1 - y0));
  const left = (width - unit * (x0 + x1)) / 2;
  const base = (height + unit * (y0 + y1)) / 2;
  const back = (/** @type {Vector} */ [px, py]) => [(px - left) / unit, (base - py) / unit];
  const at = (/** @type {Vector} */ [x, y]) => [left + unit * x, base - unit * y];
  return { unit, at, back, low: back([8, height - 8]), high: back([width - 8, 8]) };
}

/** Round steps between two ends. @param {number} low @param {number} high @param {number} step */
export const ticks = (low, high, step) =>
  Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => step * (Math.ceil(low / step) + i));

/** @param {Box} a @param {Box} b */
const overlap = ([ax, ay, aw, ah], [bx, by, bw, bh]) =>
  max(0, min(ax + aw, bx + bw) - max(ax, bx)) * max(0, min(ay + ah, by + bh) - max(ay, by));

/** Put a label beside each tip, where it covers least. Early labels choose first.
 * @param {{at: Vector, away: Vector, width: number, gap: number}[]} labels away: preferred direction
 * @param {Box[]} taken what must stay visible @param {Size} size @returns {Box[]} */
export function placeLabels(labels, taken, size) {
  const busy = [...taken];
  return labels.map(({ at, away, width, gap }) => {
    const options = ticks(0, 15, 1).map((i) => {
      const [x, y] = [Math.cos((i * Math.PI) / 8), Math.sin((i * Math.PI) / 8)];
      const far = max(abs(x), abs(y)); // the label goes round its tip on a rectangle
      const left = at[0] + (x / far) * (gap + width / 2) - width / 2;
      const box = [max(0, min(left, size.width - width)), at[1] + (y / far) * (gap + 10) - 10, width, 20];
      const outside = 20 * width - overlap(box, [0, -8, size.width, size.height + 16]);
      const hidden = busy.reduce((sum, other) => sum + overlap(box, other), 0);
      return { box, cost: 8 * outside + 2 * hidden - 60 * (x * away[0] + y * away[1]) - 30 * abs(y) };
    });
    const { box } = options.sort((a, b) => a.cost - b.cost)[0];
    busy.push(box, box, box); // words on words are worse than words on a line
    return box;
  });
}

/** Which labels can be read: those that must, then each that covers no other. @param {Box[]} boxes
 * @param {boolean[]} must @returns {boolean[]} */
export function legible(boxes, must) {
  const shown = boxes.filter((_, i) => must[i]);
  return boxes.map((box, i) => {
    const free = must[i] || shown.every((other) => overlap(box, other) < 0.12 * box[2] * box[3]);
    if (free && !must[i]) shown.push(box);
    return free;
  });
}

/** Small boxes along a line, so that labels keep off it. @param {Vector[]} line @returns {Box[]} */
export function along([[ax, ay], [bx, by]]) {
  const count = Math.ceil(hypot(bx - ax, by - ay) / 6) || 1; // a value may lie under the output
  return ticks(0, count, 1).map((i) => [ax + ((bx - ax) * i) / count - 3, ay + ((by - ay) * i) / count - 3, 6, 6]);
}

/** Direction from one point to another; none if they are the same. @param {Vector} from @param {Vector} to */
export function direction([ax, ay], [bx, by]) {
  const length = hypot(bx - ax, by - ay) || 1;
  return [(bx - ax) / length, (by - ay) / length];
}

/** Colour of a weight on the nine-stop ramp; low bars keep the colour of .12, so that they stay visible.
 * @param {number} weight */
export function ramp(weight) {
  const place = 8 * min(1, max(0.12, weight));
  const stop = min(7, Math.floor(place));
  return `color-mix(in oklab, var(--w${stop + 1}) ${(100 * (place - stop)).toFixed(1)}%, var(--w${stop}))`;
}
