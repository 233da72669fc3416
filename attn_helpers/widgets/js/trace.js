// @ts-check
// What a decoder does, step by step: the word it reads, what it would write, how that compares with the gold word.
// Without a page. Python twin: Seq2SeqStepper.steps.
import { softmax } from "./attn.js";
import { advance, begin, encode } from "./gru.js";

/** @typedef {import("./gru.js").Net} Net */
/** @typedef {import("./gru.js").Memory} Memory */
/** `own` is what it would write itself, `rank` of the gold word counts from 1; gold is null past the gold sentence's end.
 * @typedef {import("./gru.js").Step & {reads: number, p: number[], best: number[], own: number, gold: number | null,
 *   goldP: number, rank: number, off: boolean}} Traced */

export const [PAD, BOS, EOS, UNK] = [0, 1, 2, 3];
export const BEST = 5; // words shown of each step
export const BEYOND = 6; // steps that it may go on after the gold sentence has ended

/** @param {number} n @returns {number[]} 0 … n − 1 */
export const range = (n) => [...Array(n).keys()];

/** Which word is fed after step t: the last choice holds on. @param {string[]} feeds @param {number} t */
export const feedAt = (feeds, t) => feeds[Math.min(t, feeds.length - 1)] ?? "gold";

/** Its choices, best first: a decoder never says padding or begin. @param {number[]} p */
export function ranked(p) {
  const ids = [...p.keys()].filter((id) => id !== PAD && id !== BOS);
  return ids.sort((a, b) => p[b] - p[a] || a - b);
}

/** @param {import("./gru.js").Step} step @param {number} reads @param {number | null} gold @returns {Traced} */
function traced(step, reads, gold) {
  const p = softmax(step.logits);
  const order = ranked(p);
  const rank = gold === null ? 0 : order.indexOf(gold) + 1;
  const goldP = gold === null ? 0 : p[gold];
  return { ...step, reads, p, best: order.slice(0, BEST), own: order[0], gold, goldP, rank, off: order[0] !== gold };
}

/** Walk until the end of sentence is fed, or so many steps are made. @param {Net} net @param {Memory} memory
 * @param {number[]} gold with its end of sentence @param {string[]} feeds @param {number} most */
export function walk(net, memory, gold, feeds, most) {
  /** @type {Traced[]} */
  const steps = [];
  let hidden = begin(net, memory);
  let reads = BOS;
  while (reads !== EOS && steps.length < Math.min(most, gold.length + BEYOND)) {
    const t = steps.length;
    const step = traced(advance(net, memory, hidden, reads), reads, gold[t] ?? null);
    steps.push(step);
    hidden = step.hidden;
    reads = feedAt(feeds, t) === "gold" && step.gold !== null ? step.gold : step.own;
  }
  return steps;
}

/** @type {WeakMap<Net, Map<string, any>>} */
const kept = new WeakMap();

/** Encoder's memory and all steps of a sentence on these feeds; computed once, then remembered.
 * @param {Net} net @param {number[]} source @param {number[]} gold @param {string[]} feeds
 * @returns {{memory: Memory, steps: Traced[]}} */
export function traceOf(net, source, gold, feeds) {
  const known = kept.get(net) ?? new Map();
  kept.set(net, known);
  const name = [source, gold, feeds].join("|");
  if (known.size > 64) known.clear();
  if (!known.has(name)) {
    const memory = encode(net, source);
    known.set(name, { memory, steps: walk(net, memory, gold, feeds, Infinity) });
  }
  return known.get(name);
}

/** Words to guess from at a step: its best and the gold word, by the alphabet, so that none stands out.
 * @param {Traced} step @param {string[]} words */
export function choices({ best, gold }, words) {
  const ids = new Set(gold === null ? best : [...best, gold]);
  return [...ids].sort((a, b) => words[a].localeCompare(words[b], "fr"));
}

