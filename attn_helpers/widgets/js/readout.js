// @ts-check
// Words and figures around the picture: question, layers and heads, inked sentence, read-out, actions.
import { alignmentError, range } from "./decode.js";
import { readable, widthOf, word } from "./tokens.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./heatmap_look.js").Look} Look */

/** The question and what to touch, or what the guess came to. @param {Look} it @returns {Kid[]} */
export function heading(it) {
  const { state, words, hidden, reading, narrow } = it;
  const ribbons = state.view === "ribbons";
  const [before, after] = state.title.split("{query}"); // the token follows what is pinned
  const q = it.q(state.row ?? it.row);
  const title = !state.title || (after !== undefined && !q) ? (ribbons ? [words.reads] : words.title(q)) : [before, after !== undefined && q, after];
  let advice = [(narrow && state.hint_narrow) || state.hint || words.hints[(ribbons ? 2 : 0) + (narrow ? 1 : 0)]];
  if (hidden !== null) advice = words.choose(it.q(hidden));
  else if (reading && state.predict === it.row) {
    const { weights, top } = reading;
    advice = [["span.h-said", ...words.said(it.k(state.guess, "h-plain"), number(weights[state.guess]))], ...words.reality(it.q(it.row), it.k(top), number(weights[top]))];
  }
  const hint = ["p.hint", it.of && ["strong.strong", it.of], ...advice, ...(ribbons ? [" ", ["strong.strong", ...title]] : [])];
  return [!ribbons && ["p.title", ...title], hint];
}

/** A row of thumbnails for layers, one for heads, with the mean as a choice of its own.
 * @param {Look} it @param {"layer" | "head"} trait @returns {Kid} */
export function picker({ state, words, local }, trait) {
  const count = state._shape[trait === "layer" ? 0 : 1];
  const thumb = (/** @type {string} */ label, /** @type {number} */ i) => {
    const value = i < count ? i : "mean";
    const about = {
      type: "radio", name: local.serial + trait, "data-choose": trait, "data-value": value, "data-lm-suppress-shortcuts": "true",
      "aria-label": `${words[trait]} ${label}`, checked: value === state[trait],
    };
    return ["label.h-thumb", ["input", about], ["span", label]];
  };
  return count > 1 && [
    "div.h-picker",
    { "data-skip": "" },
    ["span.h-trait", { "aria-hidden": "true" }, words[trait]],
    ["div.h-thumbs", { role: "radiogroup", "aria-label": words[trait] }, ["canvas", { "data-canvas": trait, "aria-hidden": "true" }], ...[...state[`${trait}_labels`], words.mean].map(thumb)],
  ];
}

/** The style of a word inked by its weight. @param {number} weight */
export function ink(weight) {
  const share = Math.min(1, weight) ** 0.6;
  return `color:color-mix(in oklab,var(--ink) ${Math.round(100 * share)}%,var(--ink-faint));font-weight:${Math.round(370 + 430 * share)}`;
}

/** The selected row as a sentence: under its columns where they are wide, else its strongest words in order.
 * @param {Look} it @returns {Spec} */
export function sentence(it) {
  const { state, words, reading, cell, label, upright, row } = it;
  const most = it.narrow ? 21 : 30;
  const font = `420 ${most}px ${it.local.sans}`;
  const wide = upright ? state.key_tokens.map((/** @type {string} */ token) => widthOf(readable(token), font)) : [];
  const size = Math.max(15, Math.min(most, Math.floor((most * 1.1 * cell) / Math.max(...wide, 1)))); // words fit their columns
  const shown = reading ? (upright ? range(it.keys) : strongest(it, font)) : [];
  const spelled = (/** @type {number} */ k, /** @type {number} */ i) => {
    const weight = reading?.weights[k] ?? 0;
    const jump = !upright && k > (shown[i - 1] ?? -1) + 1;
    const height = it.masked(row ?? 0, k) ? 0 : Math.max(1.5, 20 * weight);
    return [
      `div.h-word${it.endColumns.has(k) ? ".h-end" : ""}`,
      { at: upright ? [null, null, cell] : null },
      jump && ["span.h-jump", "…"],
      ["span.h-inked", { style: ink(weight) }, word(state.key_tokens[k], "h-plain", upright ? cell * 1.12 : 0, `420 ${size}px ${it.local.sans}`), ["span.h-bar", { style: `height:${height}px;background:${it.colour(weight, 0.12)}` }]],
    ];
  };
  const said = reading ? shown.map((k) => words.weight(state.key_tokens[k], number(reading.weights[k]))).join(", ") : words.point;
  return [
    `div.h-sentence${reading ? "" : ".gone"}`,
    { role: "img", style: `--label:${label}px;--font:${size}px`, "aria-label": said },
    ["div.h-reads", ...words.readsAs(row !== null && word(state.query_tokens[row], "q", label - 15, `420 13px ${it.local.font}`))],
    ...shown.map(spelled),
  ];
}

/** As many of the strongest words as fit in a line, in the sentence's order. @param {Look} it @param {string} font */
function strongest({ reading, state, width, label, beside }, font) {
  const weights = reading?.weights ?? [];
  let room = width - label - (beside ? 284 : 0);
  return [...weights.keys()]
    .sort((a, b) => weights[b] - weights[a])
    .slice(0, 16)
    .filter((k) => {
      room -= widthOf(state.key_tokens[k].slice(0, 24), font) + 44;
      return room > 0 && weights[k] > 0;
    })
    .sort((a, b) => a - b);
}

/** chat → cat @param {Look} it @returns {Spec} */
export const pair = ({ row, column, q, k }) => ["p.h-pair", ...(row === null ? [] : [q(row), " → ", k(column)])];

/** The weight in sight. @param {Look} it */
export const figure = ({ reading, row, column, masked }) =>
  reading && column !== null && !masked(row ?? 0, column) ? number(reading.weights[column]) : "–";

/** @param {Look} it @returns {string[]} */
export const sumAndWords = ({ reading, words }) =>
  reading ? [`Σ ${number(reading.sum, 3)}`, reading.sum ? words.looksAt(reading.words.toFixed(1)) : words.looksAtNothing] : [];

/** Weight, sum, how many words, and how well the links are met. @param {Look} it @returns {Spec} */
export function readOut(it) {
  const { reading, words, state } = it;
  const fact = (/** @type {Kid} */ strong, /** @type {Kid[]} */ soft, title = "") => ["div.h-fact", { title: title || null }, ["b", strong], ["span", ...soft]];
  const facts = [];
  if (reading) {
    const [sum, count] = sumAndWords(it);
    facts.push(fact(sum, [Math.abs(reading.sum - 1) < 0.005 ? words.whole : reading.sum ? words.notWhole : words.empty]), fact(count, [words.entropy]));
  } else facts.push(fact("", [it.hidden === null && words.point]));
  if (reading && state.gold[0].length + state.gold[1].length) {
    const { rate, counts, odd, isLink } = alignmentError(it.cells, it.keys, state.gold, it.endRows, it.endColumns);
    const tail = odd && odd[0] !== it.hidden ? (isLink(odd) ? words.oddPossible : words.oddWrong)(it.q(odd[0]), it.k(odd[1])) : [];
    facts.push(fact(`AER ${number(rate, 3)}`, [words.rule(counts), ...tail], words.ruleSaid));
  }
  return ["div.h-read", pair(it), ["p.h-number", figure(it)], ...facts];
}

/** Which row to hide next: the one after the selected, if it has weights.
 * @param {{state: any, queries: number, keys: number, cells: Float64Array, endRows: Set<number>}} look */
export const nextRow = ({ state, queries, keys, cells, endRows }) =>
  range(queries)
    .map((i) => ((state.row ?? -1) + 1 + i) % queries)
    .find((q) => !endRows.has(q) && cells.subarray(q * keys, (q + 1) * keys).some((w) => w > 0)) ?? null;

/** Guess, legend of the marks, and what is rarely wanted. @param {Look} it @returns {Kid[]} */
export function foot(it) {
  const { state, words, hidden, dense } = it;
  const grid = state.view === "grid";
  const act = (/** @type {string} */ name, /** @type {Kid[]} */ label) => ["button.action", { type: "button", "data-act": name }, ...label];
  const next = nextRow(it);
  const legend = [state.gold[0].length, state.gold[1].length, state._masked?.byteLength];
  return [
    ["div", { "data-skip": "" }, hidden !== null ? act("show", words.show) : next !== null && act("hide", grid ? words.hide : words.hideThis(it.q(next)))],
    ...legend.map((n, i) => grid && n > 0 && ["div.h-key", [`span.h-mark.h-gold-${i}`], words.links[i]]),
    ["details.h-more", { "data-skip": "" }, ["summary", words.more], !dense && act("view", grid ? words.asRibbons : words.asGrid), act("svg", words.svg), act("png", words.png)],
  ];
}
