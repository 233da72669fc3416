// @ts-check
// A translation, word by word, whose rows of attention are operated on; any model behind one interface, without a
// page. Python twin: attn_helpers.operating.
import { advance, begin, encode } from "./gru.js";
import { readSource, writeWord } from "./transformer.js";

/** One of L · H lists of S weights for each step. @typedef {number[][]} Row */
/** Numbers of the words, the end not among them; log p of each step's word; (steps, L · H, S).
 * @typedef {{ids: number[], log_probs: number[], rows: Row[], ended: boolean}} Written */
/** @typedef {{kind: "zero" | "uniform" | "swap" | "set", rows: number[], head: [number, number] | null, weights: number[] | null}} Operation */
/** What a step is made to read with: a list for each head, or null where it is left alone.
 * @typedef {(number[] | null)[]} Forced */

const [BOS, EOS] = [1, 2]; // 0 is padding
export const LIMIT = 64; // steps

/** Both kinds of model: `start` reads the source; `step` reads a word and says logits, where it looked, what follows.
 * @type {Record<string, {start: (net: any, ids: number[]) => any, step: (net: any, state: any, id: number, forced?: Forced) => {state: any, logits: ArrayLike<number>, rows: Row}}>} */
export const MODELS = {
  gru: {
    start: (net, ids) => {
      const memory = encode(net, ids);
      return { memory, hidden: begin(net, memory) };
    },
    step: (net, { memory, hidden }, id, forced) => {
      const made = advance(net, memory, hidden, id, forced?.[0]);
      return { state: { memory, hidden: made.hidden }, logits: made.logits, rows: [made.weights ?? []] };
    },
  },
  transformer: { start: readSource, step: writeWord },
};

/** @param {any} layout */
const modelOf = (layout) => MODELS[layout.kind ?? "gru"];

/** (layers, heads) that look at the source. @param {any} layout @returns {[number, number]} */
export const headsOf = (layout) => (layout.kind === "transformer" ? [layout.layers, layout.heads] : [1, 1]);

/** The best word, and its log p among all; padding and begin are never said. @param {ArrayLike<number>} logits */
function best(logits) {
  let id = EOS;
  let peak = logits[0];
  for (let i = 1; i < logits.length; i++) {
    if (logits[i] > peak) peak = logits[i];
    if (i > BOS && (logits[i] > logits[id] || (logits[i] === logits[id] && i < id))) id = i;
  }
  let total = 0;
  for (let i = 0; i < logits.length; i++) total += Math.exp(logits[i] - peak);
  return { id, logP: logits[id] - peak - Math.log(total) };
}

/** Greedy translation of a sentence, its end included; where rows are forced, they are read with.
 * @param {any} net @param {number[]} source @param {Map<number, Forced>} [forced] @param {any} [begun] of this source
 * @returns {Written} */
export function write(net, source, forced, begun) {
  const model = modelOf(net.layout);
  let state = begun ?? model.start(net, source);
  /** @type {Written} */
  const written = { ids: [], log_probs: [], rows: [], ended: false };
  let id = BOS;
  for (let t = 0; t < LIMIT && id !== EOS; t++) {
    const made = model.step(net, state, id, forced?.get(t));
    const { id: word, logP } = best(made.logits);
    state = made.state;
    id = word;
    written.log_probs.push(logP);
    written.rows.push(made.rows);
    if (id !== EOS) written.ids.push(id);
  }
  return { ...written, ended: id === EOS };
}

/** Which heads are meant: all, or one; a model with one head has it meant whatever is said.
 * @param {[number, number] | null} head @param {[number, number]} shape */
const isMeant = (head, [layers, heads]) => (/** @type {number} */ i) => !head || layers * heads === 1 || i === head[0] * heads + head[1];

/** Whether its steps are there, and its weights as many as there are words. @param {Operation} operation @param {Row[]} rows */
export const fits = ({ rows: steps, weights }, rows) => Math.max(...steps) < rows.length && (weights ?? rows[0][0]).length === rows[0][0].length;

/** What an operation makes of the rows in sight; nothing where it does not fit: step → lists. @param {Operation} operation @param {Row[]} rows
 * @param {[number, number]} shape @returns {Map<number, Forced>} */
export function changedRows(operation, rows, shape) {
  const { kind, rows: steps, head, weights } = operation;
  if (!fits(operation, rows)) return new Map();
  const [first, last] = [steps[0], steps[steps.length - 1]];
  /** @type {Record<string, () => Row[]>} */
  const kinds = {
    zero: () => [rows[first].map((list) => list.map(() => 0))],
    uniform: () => [rows[first].map((list) => list.map(() => 1 / list.length))],
    swap: () => [rows[last], rows[first]],
    set: () => [rows[first].map(() => weights ?? [])],
  };
  const meant = isMeant(head, shape);
  return new Map(kinds[kind]().map((row, i) => [steps[i], row.map((list, h) => (meant(h) ? list : null))]));
}

/** @type {WeakMap<any, Map<string, any>>} */
const kept = new WeakMap();

/** Computed once for a model and a name, then remembered. @template T @param {any} net @param {string} name @param {() => T} make @returns {T} */
function remembered(net, name, make) {
  const known = kept.get(net) ?? new Map();
  kept.set(net, known);
  if (known.size > 200) known.clear();
  if (!known.has(name)) known.set(name, make());
  return known.get(name);
}

/** The translation after some operations, each done to the rows that those before it have left.
 * @param {any} net @param {number[]} source @param {Operation[]} operations
 * @returns {{written: Written, forced: Map<number, Forced>}} */
export function operate(net, source, operations) {
  return remembered(net, JSON.stringify([source, operations]), () => {
    const begun = remembered(net, `${source}`, () => modelOf(net.layout).start(net, source));
    if (!operations.length) return { written: write(net, source, undefined, begun), forced: new Map() };
    const before = operate(net, source, operations.slice(0, -1));
    const forced = new Map(before.forced);
    for (const [t, row] of changedRows(operations[operations.length - 1], before.written.rows, headsOf(net.layout)))
      forced.set(t, row.map((list, h) => list ?? before.forced.get(t)?.[h] ?? null));
    return { written: write(net, source, forced, begun), forced };
  });
}

/** How probable a translation was, its end included: log p. @param {Written} written */
export const logPOf = ({ log_probs }) => log_probs.reduce((sum, x) => sum + x, 0);
