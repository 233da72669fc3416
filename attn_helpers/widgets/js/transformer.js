// @ts-check
// A trained Transformer, without a page: node runs it too. Python twin: attn_helpers.transformer; the weights come
// out of widgets/model_payload.py. Letters: S source words, t target words so far, m width, H heads.
import { softmax } from "./attn.js";
import { layerNorm, matmul, plus } from "./linear.js";

/** @typedef {import("./linear.js").Matrix} Matrix */
/** @typedef {{layout: any, weights: Record<string, Matrix>}} Net */
/** Keys and values of some words, a row of m numbers each.
 * @typedef {{keys: Float64Array[], values: Float64Array[]}} Cache */
/** What stands still and what grows: the source's keys and values of every layer, those of the words so far.
 * @typedef {{source: Cache[], past: Cache[]}} State */
/** Rows to read with instead, by number of the head; null leaves a head alone. @typedef {(number[] | null)[] | null | undefined} Forced */

/** The matrices of a block, by what they do. @param {Net} net @param {string} name */
const part = ({ weights }, name) => (/** @type {string} */ what) => weights[`${name}.${what}`];

/** √m E[word] + PE[position] of words that begin at a position. @param {Net} net @param {string} side
 * @param {number[]} ids @param {number} first @returns {Float64Array} (n, m) */
function embed({ layout, weights }, side, ids, first) {
  const { columns: m, data } = weights[`${side}.embedding.weight`];
  const learned = weights[`${side}.embedding.places.table.weight`];
  if (learned && first + ids.length > learned.rows) throw new Error(`a sentence of ${first + ids.length} words is longer than the ${learned.rows} positions learned`);
  return Float64Array.from({ length: ids.length * m }, (_, i) => {
    const [word, column] = [Math.floor(i / m), i % m];
    const place = first + word;
    const angle = place * 10000 ** (-(column - (column % 2)) / m);
    const wave = column % 2 ? Math.cos(angle) : Math.sin(angle);
    const position = { sinusoids: wave, none: 0, learned: learned?.data[place * m + column] }[/** @type {string} */ (layout.positions)] ?? 0;
    return Math.sqrt(m) * data[ids[word] * m + column] + position;
  });
}

/** @param {Float64Array} x (n, m) @param {number} n @returns {Float64Array[]} */
const rowsOf = (x, n) => Array.from({ length: n }, (_, i) => x.subarray((i * x.length) / n, ((i + 1) * x.length) / n));

/** Keys and values of n words for an attention. @param {Net} net @param {string} name @param {Float64Array} x @param {number} n */
function project(net, name, x, n) {
  const of = part(net, name);
  const made = (/** @type {string} */ w) => rowsOf(matmul(x, n, of(`${w}.weight`), of(`${w}.bias`)), n);
  return { keys: made("W_k"), values: made("W_v") };
}

/** Where one head looks: softmax(q·k / √d) over as many keys as there are. @param {Float64Array} query
 * @param {Float64Array[]} keys @param {number} from @param {number} d the head's numbers are from … from + d − 1 */
function lookWith(query, keys, from, d) {
  const scores = keys.map((key) => {
    let sum = 0;
    for (let i = from; i < from + d; i++) sum += query[i] * key[i];
    return sum / Math.sqrt(d);
  });
  return softmax(scores);
}

/** n queries look at what a cache holds. @param {Net} net @param {string} name @param {Float64Array} x (n, m)
 * @param {number} n @param {Cache} cache @param {number} heads @param {Forced} [forced]
 * @returns {{found: Float64Array, rows: number[][][]}} (n, m), and the weights (n, H, S) */
function attention(net, name, x, n, { keys, values }, heads, forced) {
  const of = part(net, name);
  const queries = rowsOf(matmul(x, n, of("W_q.weight"), of("W_q.bias")), n);
  const d = queries[0].length / heads;
  const mixed = new Float64Array(x.length);
  const rows = queries.map((query, i) =>
    Array.from({ length: heads }, (_, head) => {
      const weights = forced?.[head] ?? lookWith(query, keys, head * d, d);
      const start = i * query.length;
      weights.forEach((weight, s) => {
        for (let j = head * d; j < (head + 1) * d; j++) mixed[start + j] += weight * values[s][j];
      });
      return weights;
    }),
  );
  return { found: matmul(mixed, n, of("W_o.weight"), of("W_o.bias")), rows };
}

/** A block with its detour: x + block(norm(x)), or, norms last, norm(x + block(x)).
 * @param {Net} net @param {string} name of what goes around @param {Float64Array} x
 * @param {(read: Float64Array) => Float64Array} block */
function around(net, name, x, block) {
  const of = part(net, `${name}.norm`);
  const norm = (/** @type {Float64Array} */ rows) => layerNorm(rows, of("weight"), of("bias"));
  return net.layout.norm === "pre" ? plus(x, block(norm(x))) : norm(plus(x, block(x)));
}

/** W_2 relu(W_1 x + b_1) + b_2, and around it. @param {Net} net @param {string} layer @param {Float64Array} x @param {number} n */
function feedForward(net, layer, x, n) {
  const of = part(net, `${layer}.feed_forward`);
  return around(net, `${layer}.around_feed_forward`, x, (read) => {
    const inner = matmul(read, n, of("0.weight"), of("0.bias")).map((value) => Math.max(0, value));
    return matmul(inner, n, of("3.weight"), of("3.bias"));
  });
}

/** Norms that come first leave the last layer's output without one. @param {Net} net @param {string} side @param {Float64Array} x */
function lastNorm({ layout, weights }, side, x) {
  return layout.norm === "pre" ? layerNorm(x, weights[`${side}.norm.weight`], weights[`${side}.norm.bias`]) : x;
}

/** Read a sentence, end included: every layer's keys and values for the decoder. @param {Net} net @param {number[]} ids
 * @returns {State} */
export function readSource(net, ids) {
  const [n, { layers, heads }] = [ids.length, net.layout];
  let x = embed(net, "encoder", ids, 0);
  for (let number = 0; number < layers; number++) {
    const layer = `encoder.stack.${number}`;
    x = around(net, `${layer}.around_attention`, x, (read) => attention(net, `${layer}.attention`, read, n, project(net, `${layer}.attention`, read, n), heads).found);
    x = feedForward(net, layer, x, n);
  }
  const states = lastNorm(net, "encoder", x);
  const each = Array.from({ length: layers }, (_, number) => number);
  return {
    source: each.map((number) => project(net, `decoder.stack.${number}.cross`, states, n)),
    past: each.map(() => ({ keys: [], values: [] })),
  };
}

/** One word further: read a word, say what the next may be. @param {Net} net @param {State} state @param {number} id
 * @param {Forced} [forced] rows of the cross-attention, layer after layer
 * @returns {{state: State, logits: Float64Array, rows: number[][]}} rows: where each head of each layer looked */
export function writeWord(net, { source, past }, id, forced) {
  const { heads } = net.layout;
  let x = embed(net, "decoder", [id], past[0].keys.length);
  /** @type {number[][]} */
  const rows = [];
  const longer = past.map((before, number) => {
    const layer = `decoder.stack.${number}`;
    let seen = before;
    x = around(net, `${layer}.around_attention`, x, (read) => {
      const now = project(net, `${layer}.attention`, read, 1);
      seen = { keys: [...before.keys, ...now.keys], values: [...before.values, ...now.values] };
      return attention(net, `${layer}.attention`, read, 1, seen, heads).found;
    });
    x = around(net, `${layer}.around_cross`, x, (read) => {
      const looked = attention(net, `${layer}.cross`, read, 1, source[number], heads, forced?.slice(number * heads, (number + 1) * heads));
      rows.push(...looked.rows[0]);
      return looked.found;
    });
    x = feedForward(net, layer, x, 1);
    return seen;
  });
  const logits = matmul(lastNorm(net, "decoder", x), 1, net.weights["decoder.output.weight"], net.weights["decoder.output.bias"]);
  return { state: { source, past: longer }, logits, rows };
}
