// @ts-check
// Products of matrices for a model in the page: in float64, and blocked, which is several times as fast as one
// dot product after the other. Without a page.

/** @typedef {{rows: number, columns: number, data: Float32Array}} Matrix */

/** W x + b. Four rows of W at a time, so that each number of x is fetched once for four sums.
 * @param {ArrayLike<number>} x (columns) @param {Matrix} matrix (rows, columns) @param {Matrix} [bias] (1, rows)
 * @param {Float64Array} [out] @param {number} [from] of x @param {number} [to] where in `out` to write
 * @returns {Float64Array} (rows) */
export function affine(x, { rows, columns, data: w }, bias, out = new Float64Array(rows), from = 0, to = 0) {
  for (let j = 0; j < rows; j += 4) {
    const j1 = Math.min(j + 1, rows - 1); // beyond the last row it is computed again
    const j2 = Math.min(j + 2, rows - 1);
    const j3 = Math.min(j + 3, rows - 1);
    let s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    let a = from, p = j * columns, q = j1 * columns, r = j2 * columns, s = j3 * columns;
    for (const end = a + columns; a < end; a++, p++, q++, r++, s++) {
      const one = x[a];
      s0 += one * w[p]; s1 += one * w[q]; s2 += one * w[r]; s3 += one * w[s];
    }
    out[to + j3] = s3; out[to + j2] = s2; out[to + j1] = s1; out[to + j] = s0;
  }
  if (bias) for (let j = 0; j < rows; j++) out[to + j] += bias.data[j];
  return out;
}

/** X Wᵀ + b for n rows. Two rows of X meet four of W at a time; an odd last row comes alone.
 * @param {Float64Array} x (n, columns) @param {number} n @param {Matrix} matrix (rows, columns)
 * @param {Matrix} [bias] (1, rows) @returns {Float64Array} (n, rows) */
export function matmul(x, n, matrix, bias) {
  const { rows, columns, data: w } = matrix;
  const out = new Float64Array(n * rows);
  const pairs = n - (n % 2);
  for (let i = 0; i < pairs; i += 2) {
    for (let j = 0; j < rows; j += 4) {
      const j1 = Math.min(j + 1, rows - 1);
      const j2 = Math.min(j + 2, rows - 1);
      const j3 = Math.min(j + 3, rows - 1);
      let s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
      let a = i * columns, p = j * columns, q = j1 * columns, r = j2 * columns, s = j3 * columns;
      for (let b = a + columns, end = b; a < end; a++, b++, p++, q++, r++, s++) {
        const one = x[a], other = x[b], w0 = w[p], w1 = w[q], w2 = w[r], w3 = w[s];
        s0 += one * w0; s1 += one * w1; s2 += one * w2; s3 += one * w3;
        t0 += other * w0; t1 += other * w1; t2 += other * w2; t3 += other * w3;
      }
      const [top, low] = [i * rows, (i + 1) * rows];
      out[top + j3] = s3; out[top + j2] = s2; out[top + j1] = s1; out[top + j] = s0;
      out[low + j3] = t3; out[low + j2] = t2; out[low + j1] = t1; out[low + j] = t0;
    }
  }
  if (bias) for (let i = 0; i < pairs * rows; i++) out[i] += bias.data[i % rows];
  if (n % 2) affine(x, matrix, bias, out, pairs * columns, pairs * rows);
  return out;
}

/** Layer normalisation of n rows, as PyTorch's: the variance over all m, and 1e-5 below the root.
 * @param {Float64Array} x (n, m) @param {Matrix} gain (1, m) @param {Matrix} shift (1, m) @returns {Float64Array} */
export function layerNorm(x, { data: gain }, { data: shift }) {
  const m = gain.length;
  const out = new Float64Array(x.length);
  for (let start = 0; start < x.length; start += m) {
    const row = x.subarray(start, start + m);
    const mean = row.reduce((sum, value) => sum + value, 0) / m;
    const spread = Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / m + 1e-5);
    for (let i = 0; i < m; i++) out[start + i] = ((row[i] - mean) / spread) * gain[i] + shift[i];
  }
  return out;
}

/** @param {Float64Array} x @param {Float64Array} y */
export const plus = (x, y) => x.map((value, i) => value + y[i]);
