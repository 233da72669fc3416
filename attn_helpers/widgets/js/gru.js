// @ts-check
// A trained encoder-decoder of GRUs, without a page: node runs it too. Python twin: attn_helpers.seq2seq and
// attention_seq2seq; the weights come out of widgets/model_payload.py. No softmax over words here: see trace.js.
import { scoreKeys, softmax } from "./attn.js";
import { affine } from "./linear.js";

/** @typedef {number[]} Vector */
/** @typedef {import("./linear.js").Matrix} Matrix */
/** @typedef {{tensors: [name: string, rows: number, columns: number][], layers: number, directions: number,
 *   kind?: "transformer", score: "none" | "uniform" | "additive" | "bilinear" | import("./attn.js").Score}} Layout */
/** @typedef {{layout: Layout, weights: Record<string, Matrix>}} Net */
/** What an encoder has read: a state for each word, of the last layer; the last state of every layer.
 * @typedef {{states: Vector[], final: Vector[], keys: Vector[]}} Memory */
/** @typedef {{hidden: Vector[], context: Vector, weights: number[] | null, logits: Vector}} Step */

/** @type {WeakMap<DataView, Net>} */
const unpacked = new WeakMap();

/** Weights out of their bytes; read once, then remembered. Bytes may start anywhere in their buffer.
 * @param {DataView} payload @param {Layout} layout @returns {Net} */
export function netOf(payload, layout) {
  const known = unpacked.get(payload);
  if (known) return known;
  /** @type {Record<string, Matrix>} */
  const weights = {};
  let scale = 0;
  let share = 4 * layout.tensors.reduce((sum, [, rows]) => sum + rows, 0);
  for (const [name, rows, columns] of layout.tensors) {
    const data = new Float32Array(rows * columns);
    for (let row = 0, i = 0; row < rows; row++, scale += 4) {
      const unit = payload.getFloat32(scale, true);
      for (let column = 0; column < columns; column++, i++, share += 2) data[i] = (unit * payload.getInt16(share, true)) / 32767;
    }
    weights[name] = { rows, columns, data };
  }
  const net = { layout, weights };
  unpacked.set(payload, net);
  return net;
}

/** A row of a matrix, such as the embedding of a word. @param {Matrix} matrix @param {number} row */
const rowOf = ({ columns, data }, row) => [...data.subarray(row * columns, (row + 1) * columns)];

/** W x + b, in float64. @param {Matrix} matrix (rows, columns) @param {Vector} x (columns)
 * @param {Matrix} [bias] (1, rows) @returns {Vector} */
const timesVector = (matrix, x, bias) => Array.from(affine(x, matrix, bias));

const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x));

/** One step of a GRU, gates in PyTorch's order r, z, n: h' = (1 − z) n + z h.
 * @param {Net} net @param {string} rnn "encoder.rnn" or "decoder.rnn" @param {string} layer such as "l0" or "l0_reverse"
 * @param {Vector} x @param {Vector} hidden @returns {Vector} */
function gru({ weights }, rnn, layer, x, hidden) {
  const part = (/** @type {string} */ kind, /** @type {Vector} */ from) =>
    timesVector(weights[`${rnn}.weight_${kind}_${layer}`], from, weights[`${rnn}.bias_${kind}_${layer}`]);
  const [fromInput, fromState] = [part("ih", x), part("hh", hidden)];
  const n = hidden.length;
  return hidden.map((h, i) => {
    const reset = sigmoid(fromInput[i] + fromState[i]);
    const keep = sigmoid(fromInput[n + i] + fromState[n + i]);
    return (1 - keep) * Math.tanh(fromInput[2 * n + i] + reset * fromState[2 * n + i]) + keep * h;
  });
}

/** Read a sentence, end of sentence included. With two directions each state is [forward; backward].
 * @param {Net} net @param {number[]} ids @returns {Memory} */
export function encode(net, ids) {
  const { layout, weights } = net;
  let inputs = ids.map((id) => rowOf(weights["encoder.embedding.weight"], id));
  const final = [];
  for (let layer = 0; layer < layout.layers; layer++) {
    const ways = ["", "_reverse"].slice(0, layout.directions).map((way) => {
      const order = way ? [...inputs].reverse() : inputs;
      let hidden = new Array(weights[`encoder.rnn.weight_hh_l${layer}${way}`].columns).fill(0);
      const states = order.map((x) => (hidden = gru(net, "encoder.rnn", `l${layer}${way}`, x, hidden)));
      return way ? states.reverse() : states;
    });
    final.push(ways.flatMap((states, i) => states[i ? 0 : states.length - 1]));
    inputs = inputs.map((_, t) => ways.flatMap((states) => states[t]));
  }
  const forKeys = weights["decoder.additive.key_weight"] ?? weights["decoder.bilinear"];
  const keys = forKeys ? inputs.map((state) => timesVector(forKeys, state)) : inputs;
  return { states: inputs, final, keys };
}

/** The decoder's states before the first word: the encoder's last ones, over a bridge where widths differ.
 * @param {Net} net @param {Memory} memory @returns {Vector[]} */
export const begin = ({ weights }, { final }) =>
  final.map((state, layer) => {
    const bridge = weights[`decoder.bridge.${layer}.0.weight`];
    return bridge ? timesVector(bridge, state, weights[`decoder.bridge.${layer}.0.bias`]).map(Math.tanh) : state;
  });

/** Where to look with the state before the step. @param {Net} net @param {Memory} memory @param {Vector} query */
function look({ layout, weights }, { keys }, query) {
  if (layout.score === "none") return null;
  if (layout.score === "uniform") return keys.map(() => 1 / keys.length);
  if (layout.score === "bilinear") return softmax(scoreKeys("dot", query, keys));
  if (layout.score !== "additive") return softmax(scoreKeys(layout.score, query, keys));
  const asked = timesVector(weights["decoder.additive.query_weight"], query);
  const value = weights["decoder.additive.value_weight"].data;
  return softmax(keys.map((key) => key.reduce((sum, k, i) => sum + value[i] * Math.tanh(asked[i] + k), 0)));
}

/** One word further: read a word, say what the next may be. @param {Net} net @param {Memory} memory
 * @param {Vector[]} hidden of every layer @param {number} id @param {number[] | null} [forced] weights to read with
 * instead @returns {Step} */
export function advance(net, memory, hidden, id, forced) {
  const { weights } = net;
  const looked = forced ?? look(net, memory, hidden[hidden.length - 1]);
  const last = memory.final[memory.final.length - 1];
  const mix = (/** @type {number[]} */ shares) => last.map((_, i) => shares.reduce((sum, share, s) => sum + share * memory.states[s][i], 0));
  const context = looked ? mix(looked) : last;
  /** @type {Vector} */
  let x = [...rowOf(weights["decoder.embedding.weight"], id), ...context];
  const moved = hidden.map((state, layer) => (x = gru(net, "decoder.rnn", `l${layer}`, x, state)));
  const logits = timesVector(weights["decoder.output.weight"], x, weights["decoder.output.bias"]);
  return { hidden: moved, context, weights: looked, logits };
}
