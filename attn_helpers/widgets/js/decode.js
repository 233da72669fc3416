// @ts-check
// Weights out of their payload, and what can be read off them; without a page. Python twin: widgets/payload.py.

/** @typedef {[layers: number, heads: number, queries: number, keys: number]} Shape */
/** @typedef {number | "mean"} Choice which layer or head */

const EXACT_CELLS = 65536; // up to here float32, beyond it one float32 scale per row and uint16 shares of it

/** @param {number} n @returns {number[]} 0 … n − 1 */
export const range = (n) => [...Array(n).keys()];

/** @type {WeakMap<DataView, Record<string, Float64Array>>} */
const memo = new WeakMap();

/** The weights of a layer and a head, or their mean, row by row: (T · S). Read once, then remembered.
 * @param {DataView} payload @param {Shape} shape @param {Choice} layer @param {Choice} head @returns {Float64Array} */
export function cellsOf(payload, shape, layer, head) {
  if (!memo.has(payload)) memo.set(payload, {});
  const known = memo.get(payload) ?? {};
  known[`${shape} ${layer} ${head}`] ??=
    layer === "mean" || head === "mean" ? mean(payload, shape, layer, head) : oneHead(payload, shape, layer, head);
  return known[`${shape} ${layer} ${head}`];
}

/** Bytes are little-endian on every machine, and may start anywhere in their buffer.
 * @param {DataView} payload @param {Shape} shape @param {number} layer @param {number} head */
function oneHead(payload, [layers, heads, queries, keys], layer, head) {
  const cells = new Float64Array(queries * keys);
  const rows = layers * heads * queries;
  const first = (layer * heads + head) * queries;
  if (rows * keys <= EXACT_CELLS) return cells.map((_, i) => payload.getFloat32(4 * (first * keys + i), true));
  for (let row = 0, i = 0; row < queries; row++) {
    const scale = payload.getFloat32(4 * (first + row), true) / 65535;
    const start = 4 * rows + 2 * (first + row) * keys;
    for (let key = 0; key < keys; key++) cells[i++] = scale * payload.getUint16(start + 2 * key, true);
  }
  return cells;
}

/** @param {DataView} payload @param {Shape} shape @param {Choice} layer @param {Choice} head */
function mean(payload, shape, layer, head) {
  const layers = layer === "mean" ? range(shape[0]) : [layer];
  const heads = head === "mean" ? range(shape[1]) : [head];
  const sum = new Float64Array(shape[2] * shape[3]);
  for (const l of layers)
    for (const h of heads) {
      const cells = cellsOf(payload, shape, l, h);
      for (let i = 0; i < sum.length; i++) sum[i] += cells[i];
    }
  return sum.map((x) => x / (layers.length * heads.length));
}

/** One row in figures: its weights, their sum, the strongest key, e to the entropy of its shares.
 * @param {Float64Array} cells @param {number} keys @param {number} row */
export function readRow(cells, keys, row) {
  const weights = cells.subarray(row * keys, (row + 1) * keys);
  const sum = weights.reduce((total, w) => total + w, 0);
  const entropy = weights.reduce((total, w) => (w > 0 ? total - (w / sum) * Math.log(w / sum) : total), 0);
  return { weights, sum, top: topOf(weights), words: sum > 0 ? Math.exp(entropy) : 0 };
}

/** @param {Float64Array} weights @param {Set<number>} [except] columns that do not count */
const topOf = (weights, except) =>
  weights.reduce((top, w, i) => (except?.has(i) || (top >= 0 && w <= weights[top]) ? top : i), -1);

/** @type {WeakMap<Float64Array, Record<string, any>>} */
const compared = new WeakMap();

/** `alignmentError`, worked out once for each map and its links, as the pointer moves over it.
 * @param {Float64Array} cells @param {number} keys @param {number[][][]} gold
 * @param {Set<number>} endRows @param {Set<number>} endColumns @returns {ReturnType<typeof alignmentError>} */
export function errorOf(cells, keys, gold, endRows, endColumns) {
  const about = JSON.stringify([keys, gold, [...endRows], [...endColumns]]);
  const known = compared.get(cells);
  if (known?.about === about) return known.error;
  const error = alignmentError(cells, keys, gold, endRows, endColumns);
  compared.set(cells, { about, error });
  return error;
}

/** Alignment error rate 1 − (|A∩S| + |A∩P|) / (|A| + |S|): A is the strongest key of each query, S the sure
 * links, P these and the possible ones; ends of sentences count on neither side (Och and Ney 2003).
 * `sureRate` takes P = S.
 * @param {Float64Array} cells @param {number} keys @param {number[][][]} gold sure and possible [query, key]
 * @param {Set<number>} endRows @param {Set<number>} endColumns */
export function alignmentError(cells, keys, gold, endRows, endColumns) {
  const [sure, may] = gold.map((links) => links.filter(([q, k]) => !endRows.has(q) && !endColumns.has(k)).map(String));
  const isSure = (/** @type {any} */ link) => sure.includes(`${link}`);
  const isLink = (/** @type {any} */ link) => isSure(link) || may.includes(`${link}`);
  const rows = range(cells.length / keys).map((q) => readRow(cells, keys, q));
  const tops = rows.map(({ weights }) => topOf(weights, endColumns));
  const links = tops.flatMap((k, q) => (rows[q].weights[k] > 0 && !endRows.has(q) ? [[q, k]] : []));
  const counts = [links.filter(isSure).length, links.filter(isLink).length, links.length, sure.length];
  const odd = links.find((link) => !isSure(link)); // to be named
  const rate = 1 - (counts[0] + counts[1]) / (counts[2] + counts[3] || 1);
  return { rate, sureRate: 1 - (2 * counts[0]) / (counts[2] + counts[3] || 1), counts, odd, isLink };
}

/** Is this pair masked? One bit a cell, the highest first. @param {DataView | null} bits @param {number} i */
export const isMasked = (bits, i) => !!bits?.byteLength && ((bits.getUint8(i >> 3) >> (7 - (i & 7))) & 1) === 1;
