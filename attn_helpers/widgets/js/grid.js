// @ts-check
// The grid: rows are queries, columns are keys. Small ones have an element per cell, large ones one canvas.
import { range } from "./decode.js";
import { word } from "./tokens.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./heatmap_look.js").Look & {ghost?: (q: number, k: number) => boolean}} Look ghost: outlined cells */

const UNHEARD = { "aria-hidden": "true" };

/** @param {Look} it @returns {Spec} */
export function grid(it) {
  const { words, queries, keys, label, cell, pitch, gap, size, columnSize, dense } = it;
  const sizes = { label, cell, height: pitch - gap, gap, size, column: columnSize, figure: cell < 44 || pitch < 30 ? 12 : 15 };
  const style = Object.entries(sizes).map(([name, px]) => `--${name}:${px}px`);
  return [
    `div.h-grid${dense ? ".h-dense" : it.upright ? "" : ".h-turned"}`,
    {
      role: "grid", style: `--keys:${keys};${style.join(";")}`,
      "aria-label": words.map(it.of, queries, keys), "aria-rowcount": queries + 1, "aria-colcount": keys + 1,
    },
    ...(dense ? canvasParts(it) : rows(it)),
  ];
}

/** The one cell that Tab reaches. @param {Look} it */
const tabStop = ({ view: { at }, queries, keys, row, column }) =>
  at?.row < queries && at.column < keys ? at : { row: row ?? 0, column: column ?? 0 };

/** @param {Look} it @param {number} k */
const columnName = (it, k) =>
  word(it.state.key_tokens[k], `k${it.endColumns.has(k) ? ".h-end" : ""}${it.column === k ? ".h-on" : ""}`, it.upright ? it.cell + 1 : 76, `${it.columnSize}px ${it.view.font}`);
/** @param {Look} it @param {number} q */
const rowName = (it, q) =>
  word(it.state.query_tokens[q], `q${it.endRows.has(q) ? ".h-end" : ""}${it.state.row === q ? ".h-on" : ""}`, it.label - 14, it.font);

/** @param {Look} it @returns {Spec[]} */
function rows(it) {
  const stop = tabStop(it);
  const columns = range(it.keys);
  const arrow = (/** @type {string} */ role, /** @type {string} */ way) => [`span.${role}`, UNHEARD, ["b.h-badge", role], way];
  const head = [
    "div.h-head",
    { role: "row" },
    ["div.h-corner", { role: "columnheader" }, ["span.unseen", it.words.corner], arrow("q", "↓"), arrow("k", "→")],
    ...columns.map((k) => ["div.h-column", { role: "columnheader", "data-column": k }, columnName(it, k)]),
  ];
  const row = (/** @type {number} */ q) => [
    `div.h-row${it.state.row === q ? ".h-pinned" : ""}${it.row === q ? ".h-shown" : ""}`,
    { role: "row", "aria-selected": `${it.state.row === q}` },
    ["div.h-name", { role: "rowheader", "data-name": q }, rowName(it, q)],
    ...columns.map((k) => cellOf(it, q, k, stop.row === q && stop.column === k)),
    ["div.h-outline", UNHEARD],
  ];
  return [head, ...range(it.queries).map(row)];
}

/** @param {Look} it @param {number} q @param {number} k @param {boolean} stop @returns {Spec} */
function cellOf(it, q, k, stop) {
  const { state, words, view, cell } = it;
  const weight = it.cells[q * it.keys + k];
  const masked = it.masked(q, k);
  const hidden = q === it.hidden;
  const yours = q === state.predict && k === (hidden ? view.point?.row === q && view.point.column : state.guess);
  const kind = it.link(q, k);
  const figure = hidden ? yours && cell >= 44 && words.guess : !masked && it.row === q && cell >= 28 && number(weight);
  return [
    `div.h-cell${it.ghost?.(q, k) ? ".h-ghost" : ""}${masked ? ".h-masked" : hidden ? ".h-hidden" : ""}${yours ? ".h-yours" : ""}`,
    {
      role: "gridcell", tabindex: stop ? 0 : -1, "data-cell": `${q},${k}`, "aria-selected": q === state.row && q === it.row && k === it.column ? "true" : null,
      "aria-label": [it.said(q, k), yours && !hidden && words.yours].filter(Boolean).join(", "),
      style: masked || hidden ? "" : `background:${it.colour(weight)};color:${it.on(weight)}`,
    },
    figure && ["span.h-figure", figure],
    kind >= 0 && cell >= 14 && [`span.h-mark.h-gold-${kind}`],
  ];
}

/** One canvas, labels thinned out, a crosshair; a reader of screens meets the one cell that is looked at.
 * @param {Look} it @returns {Spec[]} */
function canvasParts(it) {
  const { map, view, keys, queries } = it;
  const [wide, high] = [map.width / view.scale, map.height / view.scale];
  const [across, down] = [wide / keys, high / queries];
  const on = it.row !== null;
  const { row, column } = on ? { row: it.row ?? 0, column: it.column ?? 0 } : tabStop(it);
  /** Every n-th label, and the one looked at instead of its neighbours. @param {string} look
   * @param {number} count @param {number} pitch @param {number} now @param {(i: number) => Spec} make */
  const labels = (look, count, pitch, now, make) => [
    `div.h-${look}s`,
    UNHEARD,
    ...range(count)
      .filter((i) => (on && i === now) || (i % Math.ceil(15 / pitch) === 0 && !(on && Math.abs(i - now) * pitch < 15)))
      .map((i) => [`div.h-${look}${on && i === now ? ".h-now" : ""}`, { at: look === "left" ? [null, (i + 0.5) * pitch] : [(i + 0.5) * pitch] }, make(i)]),
  ];
  const pinned = it.state.row === row;
  const here = { role: "gridcell", tabindex: 0, "data-cell": `${row},${column}`, "aria-colindex": column + 2, "aria-selected": `${pinned}`, "aria-label": it.said(row, column) };
  return [
    labels("above", keys, across, column, (k) => columnName(it, k)),
    labels("left", queries, down, row, (q) => rowName(it, q)),
    [
      "div.h-map",
      { role: "row", "aria-rowindex": row + 2, "data-map": "", at: [null, null, wide, high] },
      ["canvas", { "data-canvas": "map", ...UNHEARD, at: [null, null, wide, high] }],
      on && [`div.h-band${pinned ? ".h-pinned" : ""}`, { at: [-3, row * down - 2, wide + 6, down + 4] }],
      on && ["div.h-line", { at: [column * across, -4, across, high + 8] }],
      ["div.h-at", { ...here, at: [column * across, row * down, across, down] }],
    ],
    ["div.h-scale", UNHEARD, "0", ["div"], `1 ${it.words.scale}`],
  ];
}
