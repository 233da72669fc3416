// @ts-check
// A curve drawn over bins, without a page: where bins stand, what a pen sets, how far off the curve is.

/** @typedef {[low: number, high: number]} Bin both ends belong to it */
/** @typedef {(number | null)[]} Drawn a share for each bin, null where nothing is drawn yet */
/** @typedef {[name: string, mean: number[], low: number[], high: number[], about: string]} Series */
/** @typedef {{width: number, height: number}} Size */

const PAD = { left: 52, right: 10, top: 42, bottom: 96 };

/** @param {Bin} bin */
export const centre = ([low, high]) => (low + high) / 2;

/** @param {Bin} bin */
export const nameOf = ([low, high]) => (low === high ? `${low}` : `${low}–${high}`);

/** @param {number} share */
const rounded = (share) => Math.round(100 * Math.min(1, Math.max(0, share))) / 100;

/** The bin that a place on the axis belongs to; the first or the last beyond the ends.
 * @param {Bin[]} bins @param {number} place */
export function binAt(bins, place) {
  const found = bins.findIndex(([, high], i) => place < (high + (bins[i + 1]?.[0] ?? Infinity)) / 2);
  return found < 0 ? bins.length - 1 : found;
}

/** From places and shares to px and back. @param {Bin[]} bins @param {Size} size */
export function chartOf(bins, { width, height }) {
  const [first, last] = [bins[0][0], bins[bins.length - 1][1]];
  const { left, top } = PAD;
  const [right, bottom] = [width - PAD.right, height - PAD.bottom];
  const unit = (right - left) / (last - first || 1);
  const x = (/** @type {number} */ place) => left + unit * (place - first);
  const y = (/** @type {number} */ share) => bottom - share * (bottom - top);
  const place = (/** @type {number} */ px) => first + (px - left) / unit;
  const share = (/** @type {number} */ py) => (bottom - py) / (bottom - top);
  const at = (/** @type {number} */ i, /** @type {number} */ value) => [x(centre(bins[i])), y(value)];
  /** From where to where a bin reaches, px. @param {number} i */
  const span = (i) => [i ? x((bins[i - 1][1] + bins[i][0]) / 2) : left, i < bins.length - 1 ? x((bins[i][1] + bins[i + 1][0]) / 2) : right];
  return { left, right, top, bottom, x, y, place, share, at, span };
}

/** What is drawn after the pen went from one point to another. A bin takes the height at which the pen passed its
 * middle; before that, the pen's own. Past the middle only a pen that goes straight up or down still moves it, else
 * every slope would drag the bins behind it along.
 * @param {Drawn} drawn @param {Bin[]} bins @param {number[] | null} from place and share @param {number[]} to @returns {Drawn} */
export function drawTo(drawn, bins, from, [place, share]) {
  const under = binAt(bins, place);
  return drawn.map((old, i) => {
    const middle = centre(bins[i]);
    if (from && (middle - from[0]) * (middle - place) < 0)
      return rounded(from[1] + ((share - from[1]) * (middle - from[0])) / (place - from[0]));
    const leaves = from && Math.abs(place - from[0]) > 0.05 && Math.abs(middle - place) > Math.abs(middle - from[0]);
    return i === under && !(leaves && old !== null) ? rounded(share) : old;
  });
}

/** The last value that is drawn. @param {Drawn} drawn */
export const lastOf = (drawn) => drawn.reduce((last, value) => value ?? last, null);

/** One bin's value moved by the keyboard; an empty bin starts from its nearest neighbour to the left, else at half.
 * @param {Drawn} drawn @param {number} i @param {number} by @returns {Drawn} */
export function nudged(drawn, i, by) {
  const start = drawn[i] ?? lastOf(drawn.slice(0, i)) ?? 0.5;
  return drawn.map((old, j) => (j === i ? rounded(start + by) : old));
}

/** How far the drawn curve lies above a measured one, in each bin, and on average without the sign.
 * @param {Drawn} drawn @param {number[]} mean */
export function compare(drawn, mean) {
  const off = drawn.map((value, i) => (value === null ? null : value - mean[i]));
  const known = off.filter((value) => value !== null);
  const average = known.reduce((sum, value) => sum + Math.abs(value), 0) / (known.length || 1);
  return { off, average };
}

/** @param {number[]} values */
export const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
