// @ts-check
// Ribbons between two lines of words: width = weight; the selected query in ink, the others pale.
import { range } from "./decode.js";
import { figure, foot, ink, pair, sumAndWords } from "./readout.js";
import { readable, widthOf, word } from "./tokens.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./heatmap_look.js").Look} Look */

const HEIGHT = 128;

/** Centres of words spread over a line, first and last at its edges. @param {number[]} wide @param {number} width */
export function spread(wide, width) {
  const total = wide.reduce((sum, w) => sum + w, 0);
  let x = wide.length > 1 ? 0 : (width - total) / 2;
  return wide.map((w) => {
    x += w + (width - total) / Math.max(1, wide.length - 1);
    return x - (width - total) / Math.max(1, wide.length - 1) - w / 2;
  });
}

/** Where the words of both lines stand, and how large they are. @param {Look} it */
function places(it) {
  const { state, cells, queries, keys, local } = it;
  // The end of the sentence takes a place only where a row gives it enough to be seen.
  const upper = range(keys).filter((k) => !it.endColumns.has(k) || range(queries).some((q) => cells[q * keys + k] >= 0.05));
  const names = [upper.map((k) => state.key_tokens[k]), [...state.query_tokens]];
  const wide = (/** @type {number} */ size) =>
    names.map((line) => line.map((token) => size / 2 + widthOf(readable(token).slice(0, 24), `640 ${size}px ${local.sans}`)));
  const needs = (/** @type {number[][]} */ lines) => Math.max(...lines.map((line) => line.reduce((sum, w) => sum + w, 0)));
  const most = it.narrow ? 28 : 42;
  const size = Math.max(15, Math.min(most, Math.floor((most * it.width) / needs(wide(most)))));
  const lines = wide(size);
  const width = Math.max(it.width, needs(lines));
  const long = needs([lines[0]]) < needs([lines[1]]) ? lines[1] : lines[0];
  const [top, bottom] = lines.map((line) => (line.length === long.length ? long : line)) // equally many stand in columns
    .map((line) => spread(line.map((w) => w - size / 2), width));
  return { size, width, upper, top, bottom };
}

/** Both lines of words, the ribbons, one line of figures. @param {Look} it @returns {Spec[]} */
export function ribbons(it) {
  const { size, width, upper, top, bottom } = places(it);
  const { state, words, row, reading, hidden, local } = it;
  const open = row !== null && row === hidden;
  const line = (/** @type {string} */ label, /** @type {Spec[]} */ kids) => [
    "div.h-words", { role: "listbox", "aria-label": label, "aria-orientation": "horizontal", "data-lm-suppress-shortcuts": "true" }, ...kids,
  ];
  const key = (/** @type {number} */ k, /** @type {number} */ i) => {
    const yours = row === state.predict && k === (open ? local.point?.column : state.guess);
    const said = reading ? number(reading.weights[k]) : open ? words.unknown : "";
    return [
      `div.h-place${yours ? ".h-yours" : open ? ".h-open" : ""}${it.endColumns.has(k) ? ".h-end" : ""}`,
      {
        role: "option", "aria-selected": `${it.column === k}`, tabindex: (it.column === null ? i === 0 : it.column === k) ? 0 : -1,
        "aria-label": words.weight(state.key_tokens[k], said), "data-list": i, "data-cell": row === null ? null : `${row},${k}`,
        style: `left:${top[i].toFixed(1)}px;${ink(reading?.weights[k] ?? 0.2)}`,
      },
      word(state.key_tokens[k], "h-plain"),
    ];
  };
  const query = (/** @type {number} */ q) => [
    `div.h-place.h-query${row === q ? ".h-shown" : ""}${it.endRows.has(q) ? ".h-end" : ""}`,
    { role: "option", "aria-selected": `${state.row === q}`, tabindex: q === (row ?? 0) ? 0 : -1, "data-list": q, "data-name": q, style: `left:${bottom[q].toFixed(1)}px` },
    word(state.query_tokens[q], "h-plain"),
  ];
  return [
    [
      "div.h-scroll",
      [
        "div.h-ribbons",
        { style: `width:${Math.round(width)}px;font-size:${size}px` },
        line(words.keys, upper.map(key)),
        ["svg.h-bands", { width: Math.round(width), height: HEIGHT, "aria-hidden": "true" }, ...bands(it, upper, top, bottom)],
        line(words.queries, range(it.queries).map(query)),
      ],
    ],
    [
      "div.h-strip",
      pair(it), ["b.h-figure", reading && figure(it)], ...(reading ? sumAndWords(it) : [hidden === null && words.point, ""]).map((text) => ["span", text]),
      ["div.h-foot", ...foot(it)],
    ],
  ];
}

/** Pale ones first, the selected row on top. @param {Look} it @param {number[]} upper @param {number[]} top
 * @param {number[]} bottom @returns {Spec[]} */
function bands(it, upper, top, bottom) {
  const others = it.keys * it.queries > 1600 ? [] : range(it.queries).filter((q) => q !== it.row);
  return [...others, ...(it.row === null ? [] : [it.row])].flatMap((q) =>
    upper.flatMap((k, i) => {
      const weight = it.cells[q * it.keys + k];
      if (q === it.hidden || weight < 0.01 || it.masked(q, k)) return [];
      const [a, b] = [top[i].toFixed(1), bottom[q].toFixed(1)];
      const stroke = q === it.row ? it.colour(weight, 0.25) : it.colour(weight / 4, 0.12);
      const d = `M${a},0C${a},${HEIGHT / 2} ${b},${HEIGHT / 2} ${b},${HEIGHT}`;
      return [["path", { d, stroke, fill: "none", "stroke-width": Math.max(1, 36 * weight), "data-cell": `${q},${k}` }]];
    }),
  );
}
