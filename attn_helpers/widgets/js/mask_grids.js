// @ts-check
// MaskLab's pictures: three grids for each sentence, and the numbers of the row that is looked at.
import { min } from "./attn.js";
import { segments, token } from "./controls.js";
import { compute, openedOf } from "./mask.js";
import { maskWords } from "./mask_words.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */
/** @typedef {ReturnType<typeof lookAt>} Look */
/** @typedef {"scores" | "mask" | "weights"} Stage */

const STAGES = /** @type {Stage[]} */ (["scores", "mask", "weights"]);

/** The traits, all that follows from them, and the row that is looked at. @param {Record<string, any>} state @param {{hover: string | null}} view */
export function lookAt(state, view) {
  const { query_tokens, key_tokens, cell, breakage, flips, guess, predict } = state;
  const shown = compute(state);
  const inside = (/** @type {number[]} */ [b, t, s]) => shown.mask[b]?.[t]?.[s] !== undefined;
  const hovered = (view.hover || "").split(",").map(Number);
  const [b, t, s] = [hovered, cell, [0, 0, 0]].find(inside) ?? cell;
  const has = (/** @type {number[][]} */ places) => new Set(places.map(String));
  const decodes = state._leak?.steps && state.causal && breakage === "none"; // then words to come are no business of a query
  const foreseen = shown.weights[b][t].reduce((sum, weight, key) => sum + (key > t ? weight : 0), 0);
  const row = { allowed: shown.mask[b][t], weights: shown.weights[b][t], leaked: decodes ? foreseen : shown.leaked[b][t], sum: shown.sums[b][t] };
  return {
    ...shown, row, state, b, t, s, breakage, predict,
    words: maskWords(state.language),
    pinned: inside(cell) ? cell : [0, 0, 0],
    hand: has(flips),
    decodes,
    opened: openedOf(state).at(-1), // the latest
    guessed: has(guess),
    empty: !row.allowed.includes(true),
    q: token(query_tokens[b][t], "q"),
    k: token(key_tokens[b][s], "k"),
  };
}

/** "0" is a weight that was never there, ".00" a small one. @param {number} weight */
const exact = (weight) => (weight === 0 ? "0" : number(weight));

/** A cell as a screen reader hears it. @param {Look} it @param {Stage} stage @param {number} b @param {number} t @param {number} s */
export function said(it, stage, b, t, s) {
  const { words, state, scores, mask, weights, hand, guessed, predict } = it;
  const where = words.at(state.query_tokens[b][t], state.key_tokens[b][s]);
  const place = `${[b, t, s]}`;
  const masked = !mask[b][t][s] && words.mayNot;
  const [byHand, yours] = [hand.has(place) && words.byHand, guessed.has(place) && words.marked];
  const what = {
    scores: [words.score + number(scores[b][t][s])],
    mask: predict ? [words.hidden] : [masked || words.may, byHand],
    weights: predict ? [words.hidden, yours] : [masked, words.weight + exact(weights[b][t][s]), yours],
  }[stage];
  return where + what.filter(Boolean).join(", ");
}

/** Colour of a weight on the nine-stop ramp, and of a number on it: whichever of black and white contrasts more.
 * @param {number} weight */
function ink(weight) {
  const stop = min(7, Math.floor(8 * weight));
  const part = 100 * (8 * weight - stop);
  const on = weight < 0.448 ? "var(--on-w-low)" : weight > 0.52 ? "var(--on-w-high)" : "#000";
  return `background:color-mix(in oklab,var(--w${stop + 1}) ${part.toFixed(1)}%,var(--w${stop}));color:${on}`;
}

/** What a cell looks like: its classes, the text in it, its colours. @param {Look} it @param {Stage} stage
 * @param {number} b @param {number} t @param {number} s @returns {[look: string, text: string, style?: string]} */
function face(it, stage, b, t, s) {
  const place = `${[b, t, s]}`;
  const allowed = it.mask[b][t][s];
  if (stage === "scores") return ["", number(it.scores[b][t][s])];
  const yours = it.guessed.has(place) ? ".m-yours" : "";
  if (it.predict) return stage === "mask" ? [".m-hidden", ""] : [`.m-hidden${yours}`, yours && "0"];
  if (stage === "mask") return [(allowed ? "" : ".m-hatch") + (it.hand.has(place) ? ".m-hand" : ""), allowed ? "True" : ""];
  const weight = it.weights[b][t][s];
  if (Number.isNaN(weight)) return [`.m-bad${yours}`, "NaN"];
  if (!allowed && weight === 0) return [`.m-hatch${yours}`, ""];
  const looked = b === it.b && t === it.t;
  return [(allowed ? "" : ".m-bad") + yours, looked || !allowed ? number(weight) : "", ink(min(1, weight))];
}

/** @param {Look} it @param {Stage} stage @param {number} b @param {number} t @param {number} s @returns {Spec} */
function cellOf(it, stage, b, t, s) {
  const [look, text, style] = face(it, stage, b, t, s);
  const [pb, pt, ps] = it.pinned;
  const stop = pb === b ? pt === t && ps === s : t + s === 0;
  return [
    `div.m-cell${look}`,
    {
      role: "gridcell", tabindex: stop ? 0 : -1, "data-cell": `${stage},${b},${t},${s}`,
      "aria-label": said(it, stage, b, t, s), "aria-selected": `${pb === b && pt === t && ps === s}`, style,
    },
    text,
  ];
}

/** Σ at the end of a row of weights. @param {Look} it @param {number} b @param {number} t @returns {Spec} */
function sumOf({ sums, mask, words, predict }, b, t) {
  const text = predict ? "" : number(sums[b][t]);
  return [`div.m-sum${!predict && isShort(sums[b][t], mask[b][t]) ? ".m-wrong" : ""}`, { role: "gridcell", "aria-label": words.rowSum + text }, text];
}

/** A row that may read something and does not hand out 1, or no number at all. @param {number} sum @param {boolean[]} allowed */
export const isShort = (sum, allowed) => Number.isNaN(sum) || (allowed.includes(true) && Math.abs(sum - 1) > 1e-6);

/** @param {Look} it @param {Stage} stage @param {number} b @returns {Spec} */
function grid(it, stage, b) {
  const { words, state } = it;
  const keys = state.key_tokens[b];
  const name = `${words.nth(b + 1)}, ${words.stages[stage]}`;
  const isWeights = stage === "weights";
  return [
    `div.m-stage.m-${stage}`,
    ["p.m-headline", ["strong", words.stages[stage]], ["span.m-flow"], ["span.m-about", words.about[stage]]],
    ["div.m-grid", { role: "grid", "aria-label": name, "aria-readonly": stage === "mask" ? null : "true" },
      ["div.m-line.m-heads", { role: "row" },
        ["div.m-name", { role: "none" }],
        ...keys.map((/** @type {string} */ key, /** @type {number} */ s) => [
          `div.m-key${s < state.lengths[b] ? "" : ".m-pad"}${b === it.b && s === it.s ? ".m-now" : ""}`, { role: "columnheader", title: key, style: `--long:${key.length}` }, token(key, "k")]),
        isWeights && ["div.m-sum", { role: "columnheader" }, words.sum]],
      ...state.query_tokens[b].map((/** @type {string} */ query, /** @type {number} */ t) => {
        const [on, kept] = [b === it.b && t === it.t, b === it.pinned[0] && t === it.pinned[1]];
        return [
          `div.m-line${kept ? ".m-kept" : ""}${on ? ".m-now" : ""}`, { role: "row" },
          ["div.m-name", { role: "rowheader", title: query }, token(query, "q")],
          ...keys.map((/** @type {string} */ _, /** @type {number} */ s) => cellOf(it, stage, b, t, s)),
          isWeights && sumOf(it, b, t),
        ];
      })],
  ];
}

/** Choices that are called what they are. @param {any[]} values @returns {Record<string, string>} */
export const asThey = (values) => Object.fromEntries(values.map((value) => [value, `${value}`]));

/** One sentence: its length, and the three grids in the order in which one makes the next.
 * @param {Look} it @param {number} b @param {string} serial @returns {Spec} */
export function sentence(it, b, serial) {
  const { words, state } = it;
  const nth = `${words.nth(b + 1)}, `;
  const stops = asThey([...state.key_tokens[b].keys(), state.key_tokens[b].length]);
  return [
    `div.m-item${b === it.pinned[0] ? ".m-here" : ""}`,
    ["div.m-length", ["span.name", ["span.m-nth", nth], words.length],
      segments(`lengths.${b}`, serial, nth + words.length, stops, `${state.lengths[b]}`)],
    ["div.m-stages", { style: `--keys:${state.key_tokens[b].length}` }, ...STAGES.map((stage) => grid(it, stage, b))],
  ];
}

/** @param {string} value @param {Kid[]} about @param {boolean} [wrong] @returns {Spec} */
const fact = (value, about, wrong) => ["p.m-fact", [`b.m-value${wrong ? ".m-wrong" : ""}`, value], ...about];

/** The numbers that catch a fault. @param {Look} it @returns {Spec} */
export function readOut(it) {
  const { words, q, k, b, t, s, empty, output, predict, decodes } = it;
  const { allowed, weights, leaked, sum } = it.row;
  const show = (/** @type {string} */ text) => (predict ? "?" : text);
  const short = !predict && isShort(sum, allowed);
  const leak = !predict && !(leaked < 1e-9);
  const at = show(`(${output[b][t].map((value) => number(value)).join(", ")})`);
  const about = Number.isNaN(sum) ? words.notANumber : short ? words.short : empty && !leak ? words.emptyRow : words.whole;
  return [
    "div.m-read",
    ["div.m-leak", ["p", words.leaked], [`p.m-number${leak ? ".m-wrong" : ""}`, show(number(leaked))],
      ["p.m-fact", ...(decodes ? words.onLater(q) : words.onForbidden(q))]],
    ["p.m-fact", ["span.m-pair", q, " → ", k], ["b.m-value", show((allowed[s] ? "" : `${words.mayNot}, `) + words.weight + exact(weights[s]))]],
    fact(`Σ ${show(number(sum, 3))}`, [predict ? "" : about], short),
    fact(`${words.output} ${at}`, words.mean(["b.v", "v"]), !predict && Number.isNaN(sum)),
  ];
}
