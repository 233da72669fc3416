// @ts-check
// All that is to be seen of an AttentionHeatmap, worked out once for each drawing.
import { cellsOf, isMasked, readRow } from "./decode.js";
import { step } from "./ramp.js";
import { heatWords } from "./heatmap_words.js";
import { readable, widthOf, word } from "./tokens.js";
import { number } from "./words.js";

/** @typedef {ReturnType<typeof lookAt>} Look */

const clamp = (/** @type {number} */ low, /** @type {number} */ x, /** @type {number} */ high) => Math.min(high, Math.max(low, x));

const NO_LINKS = [[], []];

/** @param {any} state traits @param {any} view pointer, sizes, colours */
export function lookAt(state, view) {
  const [layers, heads, queries, keys] = state._shape;
  const { query_tokens, key_tokens, layer, head, end_token, guess, predict } = state;
  const words = heatWords(state.language);
  const cells = cellsOf(state._payload, state._shape, layer, head);
  const hidden = guess === null ? predict : null; // this row's weights are nowhere to be seen
  const { row, column } = view.point ?? state;
  const reading = row === null || row === hidden ? null : readRow(cells, keys, row);
  const ends = (/** @type {string[]} */ tokens) => new Set(tokens.flatMap((token, i) => (end_token && token === end_token ? i : [])));
  const masked = (/** @type {number} */ q, /** @type {number} */ k) => isMasked(state._masked, q * keys + k);
  const gold = state.show_gold ? state.gold : NO_LINKS;
  /** 0 where the pair is a sure link, 1 a possible one. @param {number} q @param {number} k @returns {number} */
  const link = (q, k) => (q === hidden ? -1 : gold.findIndex((/** @type {number[][]} */ pairs) => pairs.some((pair) => pair[0] === q && pair[1] === k)));
  const of = [
    layers > 1 && (layer === "mean" ? words.meanOf(layers, words.layer) : words.one(words.layer, state.layer_labels[layer])),
    heads > 1 && (head === "mean" ? words.meanOf(heads, words.head) : words.one(words.head, state.head_labels[head])),
  ];
  return {
    state, view, words, cells, queries, keys, hidden, row, reading, masked, gold, link,
    column: row === null ? null : (column ?? reading?.top ?? null),
    endRows: ends(query_tokens),
    endColumns: ends(key_tokens),
    of: words.of(of.filter(Boolean)), // which layer and head this is, wherever there is a choice
    q: (/** @type {number | null} */ q) => q !== null && word(query_tokens[q], "q"),
    k: (/** @type {number | null} */ k) => (k === null ? "?" : word(key_tokens[k], "k")),
    colour: (/** @type {number} */ weight, least = 0) => view.ramp.css[step(Math.max(least, weight))],
    on: (/** @type {number} */ weight) => view.ramp.on[step(weight)],
    /** What the cell of a pair says aloud. @param {number} q @param {number} k */
    said: (q, k) =>
      words.cell(query_tokens[q], key_tokens[k], masked(q, k) ? words.masked : q === hidden ? words.hidden : number(cells[q * keys + k])) +
      (link(q, k) < 0 ? "" : `, ${words.links[link(q, k)]}`),
    ...measures(state, view, queries, keys),
  };
}

/** Sizes in px. Heights follow from the number of queries alone, so that a page can keep the room free.
 * @param {any} state @param {any} view @param {number} queries @param {number} keys */
function measures({ _dense: dense, _pitch, query_tokens }, view, queries, keys) {
  const width = view.width || 912;
  const narrow = width < 640;
  const pitch = _pitch[narrow ? 1 : 0];
  const size = pitch < 24 ? 13 : 16;
  const font = `${size}px ${view.font}`;
  const widest = Math.max(...query_tokens.map((/** @type {string} */ token) => widthOf(readable(token), font)));
  const label = Math.ceil(narrow ? clamp(48, widest, 96) : clamp(70, widest, 132)) + 15;
  const beside = !narrow && (dense || keys <= 12); // the read-out, of 236 px
  const room = width - label - (beside ? 236 + clamp(24, width - 840, 72) : 0);
  const fair = Math.floor((room + 2) / keys) - 2;
  const cell = dense ? Math.min(24, room / keys) : narrow ? clamp(44, fair, 57) : clamp(8, fair, 102);
  const gap = pitch < 24 ? 2 : pitch < 40 ? 4 : 8;
  // The large map: cells of equally many device pixels, unless they are so small that much room would be lost.
  const whole = (/** @type {number} */ px, /** @type {number} */ count) =>
    Math.round(px >= 4 * count ? Math.floor(px / count + 1e-6) * count : px);
  const map = { width: whole(cell * keys * view.scale, keys), height: whole(pitch * queries * view.scale, queries) };
  const upright = !dense && cell >= 40; // names of columns; turned round otherwise
  const columnSize = upright && cell > 50 ? 16 : 13;
  const cut = narrow && !dense && keys * (cell + 2) - 2 > room; // some columns are out of sight
  return { cut, width, narrow, dense, pitch, size, columnSize, font, label, beside, room, cell, gap, map, upright };
}
