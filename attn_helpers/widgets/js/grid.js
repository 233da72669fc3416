// @ts-check
// The grid: rows are queries, columns are keys. Small ones have an element per cell, large ones one canvas.
import { range } from "./decode.js";
import { word } from "./tokens.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./heatmap_look.js").Look} Look */

/** @param {Look} it @returns {Spec} */
export function grid(it) {
  const { words, queries, keys, label, cell, pitch, gap, size, dense } = it;
  const style = `--label:${label}px;--cell:${cell}px;--height:${pitch - gap}px;--gap:${gap}px;--keys:${keys};--size:${size}px`;
  const about = {
    role: "grid", style, "data-lm-suppress-shortcuts": "true", // JupyterLab would swallow the arrows
    "aria-label": words.map(it.of, queries, keys), "aria-rowcount": queries + 1, "aria-colcount": keys + 1,
  };
  return [`div.h-grid${dense ? ".h-dense" : it.upright ? "" : ".h-turned"}`, about, ...(dense ? canvasParts(it) : rows(it))];
}

/** The one cell that Tab reaches. @param {Look} it */
const tabStop = ({ local: { at }, queries, keys, row, column }) =>
  at && at.row < queries && at.column < keys ? at : { row: row ?? 0, column: column ?? 0 };

/** @param {Look} it @param {number} k */
const columnName = (it, k) =>
  word(it.state.key_tokens[k], `k${it.endColumns.has(k) ? ".h-end" : ""}${it.column === k ? ".h-on" : ""}`, it.upright ? it.cell + 1 : 88, it.font);
/** @param {Look} it @param {number} q */
const rowName = (it, q) =>
  word(it.state.query_tokens[q], `q${it.endRows.has(q) ? ".h-end" : ""}${it.state.row === q ? ".h-on" : ""}`, it.label - 14, it.font);

/** @param {Look} it @returns {Spec[]} */
function rows(it) {
  const stop = tabStop(it);
  const columns = range(it.keys);
  const arrow = (/** @type {string} */ role, /** @type {string} */ way) => [`span.${role}`, { "aria-hidden": "true" }, ["b.h-badge", role], way];
  return [
    [
      "div.h-head",
      { role: "row" },
      ["div.h-corner", { role: "columnheader", "aria-label": it.words.corner }, arrow("q", "↓"), arrow("k", "→")],
      ...columns.map((k) => ["div.h-column", { role: "columnheader", "data-column": k }, columnName(it, k)]),
    ],
    ...range(it.queries).map((q) => {
      const pinned = it.state.row === q;
      return [
        `div.h-row${pinned ? ".h-pinned" : ""}${it.row === q ? ".h-shown" : ""}`,
        { role: "row", "aria-selected": `${pinned}` },
        ["div.h-name", { role: "rowheader", "data-name": q }, rowName(it, q)],
        ...columns.map((k) => cellOf(it, q, k, stop.row === q && stop.column === k)),
        ["div.h-outline", { "aria-hidden": "true" }],
      ];
    }),
  ];
}

/** @param {Look} it @param {number} q @param {number} k @param {boolean} stop @returns {Spec} */
function cellOf(it, q, k, stop) {
  const { state, words, local } = it;
  const weight = it.cells[q * it.keys + k];
  const [masked, hidden] = [it.masked(q, k), q === it.hidden];
  const yours = q === state.predict && k === (hidden ? local.point?.row === q && local.point.column : state.guess);
  const kind = state.gold.findIndex((/** @type {number[][]} */ links) => links.some((link) => link[0] === q && link[1] === k));
  const figure = hidden ? yours && it.cell >= 44 && words.guess : !masked && it.row === q && it.cell >= 30 && number(weight);
  return [
    `div.h-cell${masked ? ".h-masked" : hidden ? ".h-hidden" : ""}${yours ? ".h-yours" : ""}`,
    {
      role: "gridcell", tabindex: stop ? 0 : -1, "data-cell": `${q},${k}`,
      "aria-label": [it.said(q, k), words.links[kind], yours && !hidden && words.yours].filter(Boolean).join(", "),
      style: masked || hidden ? "" : `background:${it.colour(weight)};color:${it.on(weight)}`,
    },
    figure && ["span.h-figure", figure],
    kind >= 0 && it.cell >= 14 && [`span.h-mark.h-gold-${kind}`],
  ];
}

/** One canvas, labels thinned out, a crosshair; a reader of screens meets the one cell that is looked at.
 * @param {Look} it @returns {Spec[]} */
function canvasParts(it) {
  const { wide, high } = canvasSize(it);
  const [across, down] = [wide / it.keys, high / it.queries];
  const on = it.row !== null;
  const { row, column } = on ? { row: it.row ?? 0, column: it.column ?? 0 } : tabStop(it);
  /** Every n-th label, and the one looked at instead of its neighbours.
   * @param {number} count @param {number} pitch @param {number} now @param {(i: number, look: string) => Spec} make */
  const labels = (count, pitch, now, make) => [
    ...range(count).filter((i) => i % Math.ceil(15 / pitch) === 0 && !(on && Math.abs(i - now) * pitch < 15)).map((i) => make(i, "")),
    on && make(now, ".h-now"),
  ];
  const box = [column * across, row * down, across, down];
  const pinned = it.state.row === row;
  return [
    ["div.h-aboves", { "aria-hidden": "true" }, ...labels(it.keys, across, column, (k, look) => [`div.h-above${look}`, { at: [(k + 0.5) * across] }, columnName(it, k)])],
    ["div.h-lefts", { "aria-hidden": "true" }, ...labels(it.queries, down, row, (q, look) => [`div.h-left${look}`, { at: [null, (q + 0.5) * down] }, rowName(it, q)])],
    [
      "div.h-map",
      { role: "row", "aria-rowindex": row + 2, "data-map": "", at: [null, null, wide, high] },
      ["canvas", { "data-canvas": "map", "aria-hidden": "true", at: [null, null, wide, high] }],
      on && [`div.h-band${pinned ? ".h-pinned" : ""}`, { at: [-3, box[1] - 2, wide + 6, down + 4] }],
      on && ["div.h-line", { at: [box[0], -4, across, high + 8] }],
      ["div.h-at", { role: "gridcell", tabindex: 0, "data-cell": `${row},${column}`, "aria-colindex": column + 2, "aria-selected": `${pinned}`, "aria-label": it.said(row, column), at: box }],
    ],
    ["div.h-scale", { "aria-hidden": "true" }, "0", ["canvas", { "data-canvas": "scale" }], `1 ${it.words.scale}`],
  ];
}

/** CSS px of the large map: a whole number of device pixels per cell where there is one for each. @param {Look} it */
export function canvasSize({ local: { scale }, cell, keys, pitch, queries }) {
  const whole = (/** @type {number} */ size, /** @type {number} */ count) =>
    Math.round(size * scale >= count ? Math.floor((size * scale) / count + 1e-6) * count : size * scale) / scale;
  return { wide: whole(cell * keys, keys), high: whole(pitch * queries, queries) };
}
