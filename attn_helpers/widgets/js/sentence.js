// @ts-check
// A row of weights as a sentence: each word inked by its weight.
import { range } from "./decode.js";
import { readable, widthOf, word } from "./tokens.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./heatmap_look.js").Look} Look */

/** The style of a word inked by its weight. @param {number} weight */
export function ink(weight) {
  const share = Math.min(1, weight) ** 0.6;
  return `color:color-mix(in oklab,var(--ink) ${100 * share}%,var(--ink-faint));font-weight:${Math.round(370 + 430 * share)}`;
}

/** The selected row as a sentence: under its columns where they are wide, else its strongest words in order.
 * @param {Look} it @returns {Spec} */
export function sentence(it) {
  const { state, words, reading, cell, label, upright, row, view } = it;
  const weights = [...(reading?.weights ?? [])];
  const most = it.narrow || !upright ? 21 : 30;
  const wide = state.key_tokens.map((/** @type {string} */ token) => widthOf(readable(token).slice(0, 24), `${most}px ${view.sans}`));
  let size = most;
  let shown = range(weights.length);
  if (upright) {
    const needs = wide.map((/** @type {number} */ w, /** @type {number} */ i) => (w + (wide[i + 1] ?? 0)) / 2); // neighbours keep apart
    size = Math.max(13, Math.min(most, Math.floor((most * (cell - 7)) / Math.max(...needs))));
  } else {
    let room = it.width - label - (it.beside ? 284 : 0);
    shown = shown
      .sort((a, b) => weights[b] - weights[a])
      .slice(0, 16)
      .filter((k) => {
        room -= 1.1 * wide[k] + 40;
        return room > 0 && weights[k] > 0;
      })
      .sort((a, b) => a - b);
  }
  const spelled = (/** @type {number} */ k, /** @type {number} */ i) => {
    const height = it.masked(row ?? 0, k) ? 0 : Math.max(1, 20 * weights[k]);
    const text = upright ? word(state.key_tokens[k], "h-plain", cell * 1.2, `${size}px ${view.sans}`) : word(state.key_tokens[k], "h-plain");
    return [
      `div.h-word${it.endColumns.has(k) ? ".h-end" : ""}`,
      { at: upright ? [null, null, cell] : null },
      !upright && k > (shown[i - 1] ?? -1) + 1 && ["span.h-jump", "…"],
      ["span.h-inked", { style: ink(weights[k]) }, text, ["span.h-bar", { style: `height:${height}px;background:${it.colour(weights[k], 0.12)}` }]],
    ];
  };
  return [
    `div.h-sentence${reading ? "" : ".gone"}`,
    {
      role: "img", style: `--label:${label}px;--font:${size}px`,
      "aria-label": shown.map((k) => words.weight(state.key_tokens[k], number(weights[k]))).join(", ") || words.point,
    },
    ["div.h-reads", ...words.readsAs(row !== null && word(state.query_tokens[row], "q", label - 14, `13px ${view.font}`))],
    ...shown.map(spelled),
  ];
}
