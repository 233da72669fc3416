// @ts-check
// Ribbons between two lines of words: width = weight; the selected query in ink, the others pale.
import { range } from "./decode.js";
import { againstGold, figure, foot, pair, sumAndWords } from "./readout.js";
import { ink } from "./sentence.js";
import { readable, widthOf, word } from "./tokens.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./heatmap_look.js").Look} Look */

const HEIGHT = 128;
const total = (/** @type {number[]} */ line) => line.reduce((sum, w) => sum + w, 0);

/** Centres of words spread over a line, first and last at its edges. @param {number[]} wide @param {number} width */
export function spread(wide, width) {
  const gap = (width - total(wide)) / Math.max(1, wide.length - 1);
  return wide.map((w, i) => (wide.length > 1 ? total(wide.slice(0, i)) + i * gap + w / 2 : width / 2));
}

/** Where the words of both lines stand, and how large they are. @param {Look} it */
function places({ state, cells, queries, keys, view, endColumns, narrow, width: room }) {
  // The end of the sentence takes a place only where a row gives it enough to be seen.
  const upper = range(keys).filter((k) => !endColumns.has(k) || range(queries).some((q) => cells[q * keys + k] >= 0.05));
  const wide = (/** @type {number} */ size) =>
    [upper.map((k) => state.key_tokens[k]), state.query_tokens].map((line) =>
      line.map((/** @type {string} */ token) => size / 2 + widthOf(readable(token).slice(0, 24), `640 ${size}px ${view.sans}`)),
    );
  const most = narrow ? 28 : 42;
  const size = Math.max(15, Math.min(most, Math.floor((most * room) / Math.max(...wide(most).map(total)))));
  const lines = wide(size);
  const longest = total(lines[0]) < total(lines[1]) ? lines[1] : lines[0];
  const width = Math.round(Math.max(room, total(longest)));
  const [top, bottom] = lines
    .map((line) => (line.length === longest.length ? longest : line)) // equally many words stand in columns
    .map((line) => spread(line.map((/** @type {number} */ w) => w - size / 2), width));
  const nearest = Math.min(...[top, bottom].flatMap((line) => line.slice(1).map((x, i) => x - line[i])), 48);
  return { size, width, upper, top, bottom, thick: 0.75 * nearest }; // px of a weight of 1
}

/** Both lines of words, the ribbons, one line of figures. @param {Look} it @returns {Spec[]} */
export function ribbons(it) {
  const { size, width, upper, top, bottom, thick } = places(it);
  const { state, words, row, reading, hidden, view, column } = it;
  const open = row !== null && row === hidden;
  const line = (/** @type {string} */ label, /** @type {Spec[]} */ kids) => [
    "div.h-words", { role: "listbox", "aria-label": label, "aria-orientation": "horizontal" }, ...kids,
  ];
  const key = (/** @type {number} */ k, /** @type {number} */ i) => {
    const yours = row === state.predict && k === (open ? view.point?.column : state.guess);
    const kind = row === null ? -1 : it.link(row, k);
    const said = reading ? number(reading.weights[k]) : open ? words.hidden : "";
    return [
      `div.h-place${yours ? ".h-yours" : open ? ".h-open" : ""}${it.endColumns.has(k) ? ".h-end" : ""}`,
      {
        role: "option", "aria-selected": `${column === k}`, tabindex: k === (upper.includes(column ?? -1) ? column : upper[0]) ? 0 : -1,
        "aria-label": [words.weight(state.key_tokens[k], said), words.links[kind]].filter(Boolean).join(", "), "data-list": i, "data-cell": row === null ? null : `${row},${k}`,
        style: `left:${top[i]}px;${ink(reading?.weights[k] ?? 0.2)}`,
      },
      word(state.key_tokens[k], "h-plain"),
      kind >= 0 && [`span.h-mark.h-gold-${kind}`],
    ];
  };
  const query = (/** @type {number} */ q) => [
    `div.h-place.h-query${row === q ? ".h-shown" : ""}${it.endRows.has(q) ? ".h-end" : ""}`,
    { role: "option", "aria-selected": `${state.row === q}`, tabindex: q === (row ?? 0) ? 0 : -1, "data-list": q, "data-name": q, at: [bottom[q]] },
    word(state.query_tokens[q], "h-plain"),
  ];
  const others = it.keys * it.queries > 1600 ? [] : range(it.queries).filter((q) => q !== row);
  const bands = [...others, ...(row === null ? [] : [row])].flatMap((q) => // pale ones first, the selected row on top
    upper.flatMap((k, i) => {
      const weight = it.cells[q * it.keys + k];
      if (q === hidden || weight < 0.01 || it.masked(q, k)) return [];
      const stroke = q === row ? it.colour(weight, 0.25) : it.colour(weight / 4, 0.12);
      const d = `M${top[i]} 0C${top[i]} ${HEIGHT / 2} ${bottom[q]} ${HEIGHT / 2} ${bottom[q]} ${HEIGHT}`;
      return [["path", { d, stroke, fill: "none", "stroke-width": Math.max(1, thick * weight), "data-cell": `${q},${k}` }]];
    }),
  );
  const svg = ["svg.h-bands", { width, height: HEIGHT, "aria-hidden": "true" }, ...bands];
  const words2 = [line(words.keys, upper.map(key)), svg, line(words.queries, range(it.queries).map(query))];
  const error = it.gold.flat().length ? againstGold(it) : null;
  return [
    ["div.h-scroll", ["div.h-ribbons", { style: `width:${width}px;font-size:${size}px` }, ...words2]],
    ["div.h-strip", pair(it), ["b.h-figure", reading && figure(it)], ...sumAndWords(it).map((text) => ["span", text]), foot(it)],
    ...(error ? [["div.h-fact", ["b", `AER ${error.rate}`], ["span", ...error.soft]]] : []),
  ];
}
