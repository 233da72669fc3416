// @ts-check
// Words and figures around the picture: question, layers and heads, inked sentence, read-out, actions.
import { cellsOf, errorOf, range } from "./decode.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./heatmap_look.js").Look} Look */

/** The question and what to touch, or what the guess came to. @param {Look} it @returns {Kid[]} */
export function heading(it) {
  const { state, words, hidden, reading, narrow, row } = it;
  const ribbons = state.view === "ribbons";
  const [before, after] = state.title.split("{query}"); // the token follows what is pinned
  const q = it.q(state.row ?? row);
  const title = state.title && (q || !after) ? [before, after && q, after] : ribbons ? [words.reads] : words.title(q);
  let advice = [(narrow && state.hint_narrow) || state.hint || words.hints[(ribbons ? 2 : 0) + (narrow ? 1 : 0)], " "];
  if (ribbons) advice.push(["strong.strong", ...title]);
  if (hidden !== null) advice = [...words.choose(it.q(hidden)), it.cut && !ribbons && words.swipe];
  else if (reading && state.predict === row) {
    const { weights, top } = reading;
    advice = [["span.h-said", ...words.said(it.k(state.guess), number(weights[state.guess]))]];
    if (state.guess !== top) advice.push(...words.reality(it.q(row), it.k(top), number(weights[top])));
  } else if (it.cut && !ribbons) advice.push(words.swipe);
  return [!ribbons && ["p.title", ...title], ["p.hint", ["strong.strong", it.of], ...advice]];
}

/** A row of thumbnails for layers, one for heads, with the mean as a choice of its own.
 * @param {Look} it @param {"layer" | "head"} trait @returns {Kid} */
export function picker({ state, words, view }, trait) {
  const count = state._shape[trait === "layer" ? 0 : 1];
  const thumb = (/** @type {string} */ label, /** @type {number} */ i) => {
    const value = i < count ? i : "mean";
    const about = { type: "radio", name: view.serial + trait, "data-choose": trait, "data-value": value };
    return ["label.h-thumb", ["input", { ...about, "aria-label": words.one(words[trait], label), checked: value === state[trait] }], ["span", label]];
  };
  const labels = [...state[`${trait}_labels`], words.mean];
  const thumbs = ["div.h-thumbs", { role: "radiogroup", "aria-label": words[trait] }, ["canvas", { "data-canvas": trait, "aria-hidden": "true" }], ...labels.map(thumb)];
  return count > 1 && ["div.h-picker", { "data-skip": "" }, ["span.h-trait", words[trait]], thumbs];
}

/** chat → cat @param {Look} it @returns {Spec} */
export const pair = ({ row, column, q, k }) => ["p.h-pair", ...(row === null ? [] : [q(row), " → ", k(column)])];

/** The weight in sight. @param {Look} it */
export const figure = ({ reading, row, column, masked }) =>
  reading && column !== null && !masked(row ?? 0, column) ? number(reading.weights[column]) : "–";

/** @param {Look} it @returns {[string, string]} */
export const sumAndWords = ({ reading, words, hidden }) =>
  reading ? [`Σ ${number(reading.sum, 3)}`, reading.sum ? words.looksAt(reading.words.toFixed(1)) : words.looksAtNothing] : ["", hidden === null ? words.point : ""];

/** The alignment error rate of the map in sight, what it is made of, and folded: its rule, sure links alone, each head.
 * @param {Look} it @returns {{rate: string, soft: Kid[]}} */
export function againstGold(it) {
  const { state, words } = it;
  const about = (/** @type {Float64Array} */ cells) => errorOf(cells, it.keys, it.gold, it.endRows, it.endColumns);
  const { rate, sureRate, counts, odd, isLink } = about(it.cells);
  const tail = odd && odd[0] !== it.hidden ? words.odd(it.q(odd[0]), it.k(odd[1]), isLink(odd)) : [];
  /** @param {"layer" | "head"} trait @param {number} count */
  const each = (trait, count) => {
    const labels = state[`${trait}_labels`];
    const of = (/** @type {number} */ i) => about(cellsOf(state._payload, state._shape, trait === "layer" ? i : state.layer, trait === "head" ? i : state.head));
    return count > 1 && ["p", words.each(words[trait], range(count).map((i) => `${labels[i]}: ${number(of(i).rate, 3)}`))];
  };
  const fold = ["details.h-rule", { "data-skip": "" }, ["summary", words.counted], ["p", ...words.ruleSaid], ["p", words.sureOnly(number(sureRate, 3))],
    each("layer", state._shape[0]), each("head", state._shape[1])];
  return { rate: number(rate, 3), soft: [words.rule(counts), ...tail, fold] };
}

/** Weight, sum, how many words, and how well the links are met. @param {Look} it @returns {Spec} */
export function readOut(it) {
  const { reading, words } = it;
  const fact = (/** @type {string} */ strong, /** @type {Kid[]} */ soft) => ["div.h-fact", ["b", strong], ["span", ...soft]];
  const [sum, count] = sumAndWords(it);
  /** @type {Kid[]} */
  let facts = [fact("", [count]), null]; // the error rate keeps its place, and its fold the focus
  if (reading) facts = [fact(sum, [Math.abs(reading.sum - 1) < 0.005 ? words.whole : reading.sum ? words.notWhole : words.empty]), fact(count, [words.entropy])];
  if (it.hidden === null && it.gold.flat().length) {
    const { rate, soft } = againstGold(it);
    facts.push(fact(`AER ${rate}`, soft));
  }
  return ["div.h-read", pair(it), ["p.h-number", figure(it)], ...facts];
}

/** Which row to hide next: the one after the selected, if it has weights. @param {Look} it */
export const nextRow = ({ state, queries, keys, cells, endRows }) =>
  range(queries)
    .map((i) => ((state.row ?? -1) + 1 + i) % queries)
    .find((q) => !endRows.has(q) && cells.subarray(q * keys, (q + 1) * keys).some((w) => w > 0)) ?? null;

/** Guess, legend of the marks, and what is rarely wanted. @param {Look} it @returns {Spec} */
export function foot(it) {
  const { state, words, hidden } = it;
  const isGrid = state.view === "grid";
  const act = (/** @type {string} */ name, /** @type {Kid[]} */ label) => ["button.action", { type: "button", "data-act": name }, ...label];
  const next = nextRow(it);
  const legend = [it.gold[0].length, it.gold[1].length, isGrid && state._masked?.byteLength];
  return [
    "div.h-foot",
    ["div", { "data-skip": "" }, hidden !== null ? act("show", words.show) : next !== null && act("hide", isGrid ? words.hide : words.hideThis(it.q(next)))],
    ...legend.map((n, i) => n > 0 && ["div.h-key", [`span.h-mark.h-gold-${i}`], words.links[i]]),
    ["details.h-more", { "data-skip": "" }, ["summary", words.more], !it.dense && act("view", isGrid ? words.asRibbons : words.asGrid),
      state.gold.flat().length > 0 && act("gold", state.show_gold ? words.goldShown : words.goldHidden), act("svg", words.svg), act("png", words.png)],
  ];
}
