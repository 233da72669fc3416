// @ts-check
// All that is to be seen of a MuseumRoom, worked out once for each drawing.
import { step } from "./ramp.js";
import { cellsOf, readRow } from "./decode.js";
import { apart, caughtBy, lossChart } from "./museum.js";
import { museumWords } from "./museum_words.js";
import { readable, widthOf } from "./tokens.js";
import { number } from "./words.js";

/** @typedef {ReturnType<typeof lookAtExhibit>} Look */

/** @param {any} state traits @param {any} view pointer, sizes, colours */
export function lookAtExhibit(state, view) {
  const { _room, _payload, _shape, query_tokens, key_tokens, shown, fault, guesses } = state;
  const [, , queries, keys] = _shape;
  const words = museumWords(state.language);
  const exhibit = _room.exhibits[shown];
  const { numbers, right } = _room;
  const cells = cellsOf(_payload, _shape, fault ? shown + 1 : 0, 0);
  const guess = guesses[shown]; // null: not asked yet, −1: shown without one
  const runs = fault ? exhibit : right;
  return {
    state: { ...state, gold: [[], []], predict: null, guess: null }, // as grid.js asks for them
    view, words, cells, queries, keys, exhibit, numbers, right, runs, guess,
    revealed: guess !== null,
    row: view.point?.row ?? state.row,
    column: null,
    caught: caughtBy(exhibit.values, numbers),
    lines: apart(exhibit.lines[0], exhibit.lines[1]),
    masked: () => false,
    hidden: null,
    link: () => -1,
    endRows: new Set([queries - 1]),
    endColumns: new Set([keys - 2, keys - 1]),
    of: "",
    colour: (/** @type {number} */ weight) => view.ramp.css[step(weight)],
    on: (/** @type {number} */ weight) => view.ramp.on[step(weight)],
    said: (/** @type {number} */ i, /** @type {number} */ j) => words.cell(query_tokens[i], key_tokens[j], number(cells[i * keys + j])),
    reading: readRow(cells, keys, state.row),
    chart: lossChart([right.loss, exhibit.loss], _room.steps, view.size("loss")),
    ...sizesOf(state, view, keys),
  };
}

/** Sizes in px of the grid. @param {any} state @param {any} view @param {number} keys */
function sizesOf({ _pitch, query_tokens }, view, keys) {
  const width = view.width || 912;
  const narrow = width < 640;
  const pitch = _pitch[narrow ? 1 : 0];
  const font = `16px ${view.font}`;
  const widest = Math.max(...query_tokens.map((/** @type {string} */ token) => widthOf(readable(token), font)));
  const label = Math.ceil(Math.min(110, Math.max(narrow ? 48 : 60, widest))) + 15;
  const room = (narrow ? width : width / 2 - 12) - label;
  const cell = Math.min(60, Math.max(narrow ? 44 : 24, Math.floor((room + 2) / keys) - 2));
  return { width, narrow, pitch, size: 16, font, label, cell, upright: cell >= 40, dense: false, columnSize: 13, gap: 4 };
}
