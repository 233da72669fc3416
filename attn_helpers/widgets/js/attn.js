// @ts-check
// Attention in the browser, float64, without a page: node runs it too. Python twin: attn_helpers.attend_numpy.

/** @typedef {number[]} Vector */
/** @typedef {"dot" | "scaled_dot" | "cosine" | "additive"} Score */
/** @typedef {{scores: number[], weights: number[], output: Vector}} Attention */

export const { max, min, abs, hypot, round } = Math;

/** @param {Vector} a @param {Vector} b */
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** Length of a vector, without overflow on the way. @param {Vector} a */
export const norm = (a) => hypot(...a);

/** Cosine of the angle; a zero vector points nowhere and gets 0. @param {Vector} a @param {Vector} b */
export function cosine(a, b) {
  const unit = (/** @type {Vector} */ v) => v.map((x) => x / (norm(v) || 1));
  return dot(unit(a), unit(b));
}

/** One score per key. Additive: w tanh(W q + W k) before training, all W = I and w = 1.
 * @param {Score} kind @param {Vector} query @param {Vector[]} keys */
export function scoreKeys(kind, query, keys) {
  const rules = {
    dot: (/** @type {Vector} */ key) => dot(query, key),
    scaled_dot: (/** @type {Vector} */ key) => dot(query, key) / Math.sqrt(query.length),
    cosine: (/** @type {Vector} */ key) => cosine(query, key),
    additive: (/** @type {Vector} */ key) => key.reduce((sum, x, i) => sum + Math.tanh(x + query[i]), 0),
  };
  return keys.map(rules[kind]);
}

/** Weights that sum to 1. The largest score is taken off first, so that no exponential overflows.
 * @param {number[]} scores @param {number} [temperature] divides the scores */
export function softmax(scores, temperature = 1) {
  const scaled = scores.map((s) => s / temperature);
  const peak = max(...scaled);
  const powers = scaled.map((s) => Math.exp(s - peak));
  const total = powers.reduce((sum, p) => sum + p, 0);
  return powers.map((p) => p / total);
}

/** Score every key, turn scores into weights, blend the values by them.
 * @param {Score} kind @param {Vector} query @param {Vector[]} keys @param {Vector[]} values
 * @param {number} [temperature] @returns {Attention} */
export function attend(kind, query, keys, values, temperature = 1) {
  const scores = scoreKeys(kind, query, keys);
  const weights = softmax(scores, temperature);
  const output = values[0].map((_, axis) => dot(weights, values.map((v) => v[axis])));
  return { scores, weights, output };
}

/** @param {number[]} numbers */
export const argmax = (numbers) => numbers.indexOf(max(...numbers));

/** The shadow of a key on the query: its signed length, and where it ends.
 * @param {Vector} key @param {Vector} query */
export function shadow(key, query) {
  const size = norm(query) || 1;
  const length = dot(key, query) / size;
  return { length, foot: query.map((x) => (x / size) * length) };
}

/** Corners of the convex hull, counter-clockwise from the leftmost (Andrew's monotone chain).
 * @param {Vector[]} points in the plane */
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  /** @param {Vector[]} chain @param {Vector} p */
  const add = (chain, p) => {
    while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
    chain.push(p);
    return chain;
  };
  const halves = [sorted, [...sorted].reverse()].map((half) => half.reduce(add, /** @type {Vector[]} */ ([])));
  const corners = halves.flatMap((half) => half.slice(0, -1));
  return corners.length ? corners : sorted.slice(0, 1);
}

/** Above 0 where a → b → c turns left. @param {Vector} a @param {Vector} b @param {Vector} c */
const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/** How far a point inside the hull is from its nearest edge; below 0 if it were outside.
 * @param {Vector} point @param {Vector[]} corners of a hull, counter-clockwise */
export function edgeDistance(point, corners) {
  if (corners.length < 3) return 0;
  const distances = corners.map((a, i) => {
    const b = corners[(i + 1) % corners.length];
    return turn(a, b, point) / hypot(b[0] - a[0], b[1] - a[1]);
  });
  return min(...distances);
}
