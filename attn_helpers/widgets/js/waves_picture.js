// @ts-check
// PositionWaves' picture: on the left the table, a row for each position; on the right how alike each row is.
import { max, min, round } from "./attn.js";
import { handle } from "./controls.js";
import { disc, line, note, picture, rect, stroke, through } from "./svg.js";
import { alikeTo, farFrom, lowOf, placesOf, ratesOf, tableOf, twinsOf } from "./waves.js";
import { wavesWords } from "./waves_words.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */
/** @typedef {ReturnType<typeof lookAtWaves>} WavesLook */

/** The traits, and all that follows from them. `view.hover` is "row pair" of the pointer, −1 for no pair.
 * @param {Record<string, any>} state @param {View} view */
export function lookAtWaves(state, view) {
  const { positions, width, base, predict, guess } = state;
  const position = min(state.position, positions - 1); // for the moment between two traits
  const table = tableOf(positions, width, base);
  const alike = alikeTo(table, position);
  const [row, pair] = (view.hover || "-1 -1").split(" ").map(Number);
  const low = lowOf(table);
  return {
    state, table, alike, position, positions, width, predict, guess, low,
    words: wavesWords(state.language),
    rates: ratesOf(width, base),
    twins: twinsOf(alike, position),
    far: farFrom(position, positions),
    row: row >= 0 && row < positions && row !== position ? row : -1, // the other row under the pointer
    pair: pair >= 0 && pair < width / 2 ? pair : state.pair === null ? -1 : min(state.pair, width / 2 - 1),
    places: placesOf(view.size("waves"), positions, width / 2, low),
  };
}

const TONES = 16;
/** Paper for −1, ink for 1. @param {number} tone */
const toneOf = (tone) => `fill:color-mix(in oklab, var(--w${min(8, (tone >> 1) + 1)}) ${tone % 2 ? 50 : 0}%, var(--w${tone >> 1}))`;

/** @type {{key: string, made: Spec[]}} */
let stripesMade = { key: "", made: [] };

/** All cells of a tone are one path: they are many, and stay while the position moves. @param {WavesLook} it */
function stripes({ table, places, state }) {
  const { left, top, across, air, pitch } = places;
  const key = [table.length, state.width, state.base, left, top, across, pitch].join();
  if (key === stripesMade.key) return stripesMade.made;
  const cell = (across - air) / 2;
  const paths = Array.from({ length: TONES + 1 }, () => "");
  table.forEach((values, p) => {
    values.forEach((value, j) => {
      const x = left + (j >> 1) * across + (j % 2) * cell;
      paths[round(((value + 1) / 2) * TONES)] += `M${x.toFixed(2)} ${(top + p * pitch).toFixed(2)}h${cell.toFixed(2)}v${pitch.toFixed(2)}h-${cell.toFixed(2)}z`;
    });
  });
  stripesMade = { key, made: paths.map((d, tone) => ["path.w-tone", { d, style: toneOf(tone) }]) };
  return stripesMade.made;
}

/** A small dial over each pair, if there is room. @param {WavesLook} it @returns {Kid[]} */
function dials({ rates, position, places }) {
  const { left, top, across, air } = places;
  if (across < 17) return [];
  const r = min(11, (across - air) / 2 - 1);
  return rates.flatMap((rate, i) => {
    const [x, y] = [left + i * across + (across - air) / 2, top - 18];
    return [disc("w-dial", [x, y], r), line("w-hand", [x, y], [x + r * Math.sin(position * rate), y - r * Math.cos(position * rate)])];
  });
}

/** @param {WavesLook} it @returns {Kid[]} */
function table(it) {
  const { places, position, row, pair } = it;
  const { left, middle, top, bottom, y, pitch, across, air } = places;
  const frame = (/** @type {number} */ p) => [left - 3, y(p) - max(pitch, 4) / 2 - 2, middle - left - air + 6, max(pitch, 4) + 4];
  return [
    ["g", ...stripes(it)],
    ["g", ...dials(it)],
    ["g", pair >= 0 && rect("w-pair", [left + pair * across - 1.5, top - 2, across - air + 3, bottom - top + 4])],
    ["g", row >= 0 && rect("w-other", frame(row))],
    rect("w-halo", frame(position)),
    rect("w-chosen", frame(position)),
    ...[0, TONES].map((tone) => ["rect.w-swatch", { x: middle - 78 + (tone && 50), y: bottom + 27, width: 12, height: 12, style: toneOf(tone) }]),
  ];
}

/** Where the axis of cosines has a mark. @param {number} low */
const levelsOf = (low) => [...new Set([low, 0, 0.5, 1])];

/** @param {WavesLook} it @returns {Kid[]} */
function curve({ places, alike, position, twins, row, far, predict, guess, low }) {
  const { start, middle, top, bottom, x, y, pitch } = places;
  const points = alike.map((a, p) => [x(a), y(p)]);
  const [px, py] = points[position];
  return [
    ["g", ...levelsOf(low).map((at) => line("grid", [x(at), top], [x(at), bottom]))],
    line("axis", [start, bottom], [x(1), bottom]),
    line("w-across", [middle, py], [px, py]),
    ["g", row >= 0 && line("w-across", [middle, y(row)], [predict ? start : points[row][0], y(row)])],
    stroke("w-curve", predict ? "" : through(points)),
    ["g", ...(predict || pitch < 5 ? [] : points.map((at) => disc("w-dot", at, 1.8)))],
    ["g", ...(predict ? [] : twins.map((q) => disc("w-twin", points[q], 5)))],
    ["g", !predict && row >= 0 && disc("w-at", points[row], 4.5)],
    ["g", guess !== null && line("w-guessed", [x(max(low, guess)), y(far)], [predict ? x(max(low, guess)) : points[far][0], y(far)])],
    ["g", guess !== null && disc("w-yours", [x(max(low, guess)), y(far)], 8)],
    disc("w-peak", [px, py], 6.5),
  ];
}

/** @param {WavesLook} it @returns {Kid[]} */
function labels({ places, words, width, positions, position, alike, row, predict, guess, far, low }) {
  const { left, middle, top, bottom, start, end, x, y } = places;
  const step = [1, 2, 4, 8, 16, 32, 64].find((n) => positions / n <= 9) ?? 64;
  const marks = Array.from({ length: Math.ceil(positions / step) }, (_, i) => i * step);
  const narrow = middle - left < 240;
  return [
    width > 2 && note("w-level", [left, bottom + 14], words.fast),
    width > 2 && note("w-level.w-last", [middle - 4, bottom + 14], words.slow),
    !narrow && note("w-level", [left, bottom + 33], words.columns(width)),
    note("w-level", [middle - 62, bottom + 33], "−1"),
    note("w-level", [middle - 12, bottom + 33], "1"),
    note("w-head", [narrow ? left - 2 : 0, narrow ? top - 18 : 8], narrow ? words.short(width) : words.rows),
    note("w-head", [start, narrow ? top - 18 : 8], words.curve(position)),
    ...marks.map((p) => Math.abs(y(p) - y(position)) > 15 && note("w-level.w-last", [left - 30, y(p)], `${p}`)),
    ...levelsOf(low).map((at) => note("tick", [x(at), bottom + 14], number(at, at % 1 ? 1 : 0))),
    row >= 0 && note("w-level.w-strong", [min(end - 34, (predict ? start : x(alike[row])) + 10), y(row)], predict ? `${row}` : number(alike[row])),
    guess !== null && note("w-level.you", [min(end - 30, x(max(low, guess)) + 14), y(far) + (far ? -16 : 16)], words.yours),
  ];
}

/** The whole picture. The handles come first: they keep their focus. @param {WavesLook} it @returns {Spec} */
export function wavesPicture(it) {
  const { places, words, position, positions, alike, twins, predict, guess, far, low } = it;
  const { left, x, y } = places;
  const text = predict ? words.hidden(position) : words.at(position, twins, number(alike[twins[0]]));
  const mine = guess === null ? words.unset : number(guess);
  return picture(
    "waves",
    [["g", ...table(it)], ["g", ...curve(it)]],
    handle("w-grip", "position", [left - 26, y(position)], words.handle, text, (100 * position) / (positions - 1)),
    predict && handle(`w-mark${guess === null ? ".w-unset" : ""}`, "guess", [x(guess === null ? (1 + low) / 2 : max(low, guess)), y(far)], words.guess, mine, 50 * ((guess ?? 0) + 1)),
    ["div.w-grab", { "data-handle": "peak", at: [x(1), y(position)] }],
    note("w-number", [left - 26, y(position)], `${position}`),
    ...labels(it),
  );
}
