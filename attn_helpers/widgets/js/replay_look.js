// @ts-check
// All that is to be seen of a TrainingReplay, worked out once for each drawing.
import { step } from "./ramp.js";
import { cellsOf, range, readRow } from "./decode.js";
import { chartOf, crossing, halfWay, settles } from "./replay.js";
import { replayWords } from "./replay_words.js";
import { readable, widthOf, word } from "./tokens.js";
import { number } from "./words.js";

/** @typedef {ReturnType<typeof lookAtReplay>} Look */
/** @typedef {"loss" | "aer" | "entropy"} Curve */

/** @type {Curve[]} */
export const CURVES = ["loss", "aer", "entropy"];
const clamp = (/** @type {number} */ low, /** @type {number} */ x, /** @type {number} */ high) => Math.min(high, Math.max(low, x));

/** @type {WeakMap<DataView, Record<string, any>>} */
const factsBy = new WeakMap();

/** What does not depend on the cursor, read once: maps, pins, where each row settles.
 * @param {any} state traits */
function factsOf({ _payload, _shape, _curves, _gold, shown }) {
  if (!factsBy.has(_payload)) factsBy.set(_payload, {});
  const known = factsBy.get(_payload) ?? {};
  known[shown] ??= (() => {
    const [snapshots, , queries, keys] = _shape;
    const maps = range(snapshots).map((i) => cellsOf(_payload, _shape, i, shown));
    const curves = CURVES.map((name) => {
      const values = _curves[name][shown].map((/** @type {number} */ x) => (name === "entropy" ? Math.exp(x) : x));
      return { name, values, high: Math.max(...values), half: halfWay(_curves[name][shown]) };
    });
    const settled = range(queries).map((q) => settles(maps, keys, q, _gold.flat()));
    const last = range(queries).map((q) => readRow(maps[snapshots - 1], keys, q).top); // the end competes here
    return { maps, curves, settled, last, cross: crossing(maps, keys, _gold[0]) };
  })();
  return known[shown];
}

/** @param {any} state traits @param {any} view pointer, sizes, colours */
export function lookAtReplay(state, view) {
  const [, , queries, keys] = state._shape;
  const { query_tokens, key_tokens, position, guess, revealed, _gold } = state;
  const { steps } = state._curves;
  const words = replayWords(state.language);
  const facts = factsOf(state);
  const cells = facts.maps[position];
  const row = view.point?.row ?? state.row;
  const q = (/** @type {number} */ i) => word(query_tokens[i], "q");
  const k = (/** @type {number} */ i) => word(key_tokens[i], "k");
  const wanted = _gold.flat().filter((/** @type {number[]} */ link) => link[0] === row).map((/** @type {number[]} */ link) => link[1]);
  const final = facts.maps[steps.length - 1];
  const best = (/** @type {number[]} */ of) => of.reduce((top, i) => (final[row * keys + i] > final[row * keys + top] ? i : top), of[0]);
  const asked = _gold.flat().filter((/** @type {number[]} */ link) => link[0] === state.row);
  return {
    state: { ...state, gold: _gold, predict: null }, // as grid.js asks for them
    view, words, cells, queries, keys, row, steps, position, guess, revealed, q, k,
    ...facts,
    column: wanted.length ? best(wanted) : facts.last[row], // whose weight is the large number
    reading: readRow(cells, keys, row),
    answer: /** @type {number | null} */ (facts.settled[state.row]),
    /** The gold words of the row asked about, with "or" between them. */
    goal: asked.flatMap((/** @type {number[]} */ link, /** @type {number} */ i) => (i ? [words.or, k(link[1])] : [k(link[1])])),
    /** Pins appear when the cursor has passed them. @param {number | null} i */
    passed: (i) => i !== null && (revealed || i <= position),
    masked: () => false,
    hidden: null,
    link: (/** @type {number} */ i, /** @type {number} */ j) =>
      _gold.findIndex((/** @type {number[][]} */ pairs) => pairs.some((pair) => pair[0] === i && pair[1] === j)),
    endRows: new Set([queries - 1]),
    endColumns: new Set([keys - 1]),
    of: state.names[state.shown] ? `${state.names[state.shown]}. ` : "",
    colour: (/** @type {number} */ weight, least = 0) => view.ramp.css[step(Math.max(least, weight))],
    on: (/** @type {number} */ weight) => view.ramp.on[step(weight)],
    ghost: (/** @type {number} */ i, /** @type {number} */ j) => facts.last[i] === j,
    said: (/** @type {number} */ i, /** @type {number} */ j) => words.cell(query_tokens[i], key_tokens[j], number(cells[i * keys + j])),
    chart: chartOf(steps, view.size("curves")),
    ...measures(state, view, keys),
  };
}

/** Sizes in px of the grid. @param {any} state @param {any} view @param {number} keys */
function measures({ _pitch, query_tokens }, view, keys) {
  const width = view.width || 912;
  const narrow = width < 640;
  const pitch = _pitch[narrow ? 1 : 0];
  const size = pitch < 24 ? 13 : 16;
  const font = `${size}px ${view.font}`;
  const widest = Math.max(...query_tokens.map((/** @type {string} */ token) => widthOf(readable(token), font)));
  const label = Math.ceil(narrow ? clamp(48, widest, 96) : clamp(60, widest, 132)) + 15;
  const beside = !narrow && keys <= 8; // the curves, which then get the other half
  const room = (beside ? width / 2 - 4 : width) - label;
  const fair = Math.floor((room + 2) / keys) - 2;
  const cell = narrow ? clamp(44, fair, 57) : clamp(24, fair, 76);
  const upright = cell >= 40;
  return { width, narrow, beside, pitch, size, font, label, cell, upright, dense: false, columnSize: cell > 66 ? 16 : 13, gap: pitch < 24 ? 2 : pitch < 40 ? 4 : 8 };
}
