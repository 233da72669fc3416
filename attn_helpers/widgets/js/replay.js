// @ts-check
// What can be read off a replayed training, without a page. Python twin: attn_helpers/replay.py.

/** @typedef {number[][]} Links [query, key] */
/** @typedef {Float64Array[]} Maps one per snapshot, row by row: (T · S), ends of sentences last */
/** @typedef {{width: number, height: number}} Size */

const PAD = { left: 40, right: 22, top: 28, bottom: 104 };
const CAPTION = 26; // above each curve: its name and value

/** Strongest key of a row, the first of equals; the end of sentence, the last key, does not compete.
 * @param {Float64Array} cells @param {number} keys @param {number} row */
export function strongest(cells, keys, row) {
  let top = 0;
  for (let key = 1; key < keys - 1; key++) if (cells[row * keys + key] > cells[row * keys + top]) top = key;
  return top;
}

/** The first snapshot from which on all is right; null if the last is not. @param {boolean[]} right */
function fromThenOn(right) {
  const first = right.lastIndexOf(false) + 1;
  return first < right.length ? first : null;
}

/** From when on the row's strongest key is a gold link, for good. @param {Maps} maps @param {number} keys
 * @param {number} row @param {Links} gold @returns {number | null} */
export function settles(maps, keys, row, gold) {
  const wanted = gold.filter(([q]) => q === row).map(([, k]) => k);
  return fromThenOn(maps.map((cells) => wanted.includes(strongest(cells, keys, row))));
}

/** From when on two sure links that cross are both the strongest of their rows, for good: of all such pairs, the
 * first to stay. @param {Maps} maps @param {number} keys @param {Links} sure @returns {number | null} */
export function crossing(maps, keys, sure) {
  /** @type {number[]} */
  const found = [];
  for (const [t, s] of sure)
    for (const [u, r] of sure) {
      if (t >= u || s <= r) continue;
      const when = fromThenOn(maps.map((cells) => strongest(cells, keys, t) === s && strongest(cells, keys, u) === r));
      if (when !== null) found.push(when);
    }
  return found.length ? Math.min(...found) : null;
}

/** The first snapshot at which half of the whole fall, from the first to the lowest value, is behind a curve.
 * @param {number[]} values */
export const halfWay = (values) => values.findIndex((value) => value <= (values[0] + Math.min(...values)) / 2);

/** Steps on a logarithmic axis that begins at 0: ln(1 + step / first step that was looked at).
 * @param {number[]} steps rising @param {Size} size */
export function chartOf(steps, { width, height }) {
  const { left, top } = PAD;
  const [right, bottom] = [width - PAD.right, height - PAD.bottom];
  const unit = steps.find((step) => step > 0) ?? 1;
  const last = Math.log1p(steps[steps.length - 1] / unit) || 1;
  const x = (/** @type {number} */ step) => left + ((right - left) * Math.log1p(step / unit)) / last;
  const pitch = (bottom - 8 - top) / 3;
  /** Where the i-th curve has its name, its largest value and its 0. @param {number} i */
  const strip = (i) => ({ name: top + pitch * i + 11, high: top + pitch * i + CAPTION, low: top + pitch * (i + 1) - 4 });
  return { left, right, top, bottom, x, strip, ticks: bottom + 24, guess: bottom + 66 };
}

/** The snapshot nearest to a place on the axis. @param {number[]} steps @param {ReturnType<typeof chartOf>} chart
 * @param {number} px */
export function nearest(steps, { x }, px) {
  const far = steps.map((step) => Math.abs(x(step) - px));
  return far.indexOf(Math.min(...far));
}

/** Round numbers for an axis that ends at `last`: 0, then 1, 3, 10, 30 …, the end itself. @param {number} last
 * @param {(step: number) => number} x @param {number} least px between two */
export function ticksOf(last, x, least) {
  const kept = [0];
  for (let i = 0, stop = 1; stop < last; i++, stop = (i % 2 ? 3 : 1) * 10 ** Math.floor(i / 2))
    if (x(stop) - x(kept[kept.length - 1]) >= least && x(last) - x(stop) >= least) kept.push(stop);
  return [...kept, last];
}
