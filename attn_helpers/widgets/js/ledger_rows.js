// @ts-check
// ShapeLedger's rows: a name, its axes, its boxes, the line that made it.
import { axisLetters } from "./axes.js";
import { boxesOf, mistakeOf, reckon, sideOf, unitOf } from "./ledger.js";
import { ledgerWords } from "./ledger_words.js";
import { line, picture, rect } from "./svg.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */
/** @typedef {ReturnType<typeof lookAtLedger>} LedgerLook */

/** @type {Record<string, string>} */
const ROLES = { T: "q", t: "q", S: "k", v: "v" };

/** A size; what would be a fraction is no size. @param {number} n */
const sizeText = (n) => (Number.isInteger(n) ? `${n}` : "?");

/** The class that gives a letter its colour. @param {string} letter */
export const hue = (letter) => (ROLES[letter.replace(/′/g, "")] ? `.${ROLES[letter.replace(/′/g, "")]}` : "");

/** The traits, and all that follows from them. @param {Record<string, any>} state @param {View} view */
export function lookAtLedger(state, view) {
  const { _book: book, sizes, axis, row, blank, guess, view_only } = state;
  const made = reckon(book, sizes);
  const { rows, crack } = made;
  const words = ledgerWords(state.language);
  const asked = blank !== null && blank < rows.length ? blank : -1;
  const open = asked >= 0 && guess.length < rows[asked].axes.length && crack < 0; // the shape is still to be guessed
  const pointed = view.hover.startsWith("axis ") ? view.hover.slice(5) : "";
  const shapes = rows.filter((r) => r.fits).map((r) => r.dims);
  const unit = unitOf(shapes, view.size("row 0").width, 76);
  const mistake = asked >= 0 && !open && guess.length ? mistakeOf(guess, book.rows, asked) : "";
  return { ...made, state, view, book, sizes, words, axis: pointed || axis, pinned: axis, row, asked, open, guess, unit, mistake, viewOnly: view_only };
}

/** A shape in letters and sizes. @param {string[]} axes @param {number[]} dims */
export const shapeText = (axes, dims) => ["(", axes.map((axis, i) => (axis === "…" || axis === `${dims[i]}` ? dims[i] : `${axis} ${dims[i]}`)).join(", "), ")"].join("");

/** The line without the name that stands at the left already. @param {{name: string, source: string}} row */
export const madeBy = ({ name, source }) => (source.startsWith(name) ? source.slice(name.length).match(/^(?:: \w+)? = (.+)/)?.[1] ?? source : source);

/** One axis in letters, each lit and touched by itself. @param {string} axis @param {string} lit @returns {Kid[]} */
export function letters(axis, lit) {
  return axis.split(/([A-Za-z_]\w*′*)/).map((part) =>
    /^[A-Za-z_]/.test(part) ? [`b.l-letter${hue(part)}${part === lit ? ".l-lit" : ""}`, { "data-axis": part }, part] : part,
  );
}

/** @param {LedgerLook} it @param {number} i @returns {Spec} */
function shape({ rows, axis, asked, open, guess, crack, words }, i) {
  const { axes, dims } = rows[i];
  if (crack >= 0 && i > crack) return ["span.l-shape.l-never", words.never];
  if (open && i === asked) {
    return ["span.l-shape.l-slots", ...axes.map((_, n) => [`span.l-slot${guess[n] ? ".l-given" : ""}`, guess[n] ?? "?"])];
  }
  return ["span.l-shape", ...axes.map((name, n) => ["span.l-axis", ...(name === "…" || name === `${dims[n]}` ? [] : letters(name, axis)), ` ${sizeText(dims[n])}`])];
}

/** The boxes of a tensor; the side that the lit axis runs along is drawn thick. @param {LedgerLook} it @param {number} i @returns {Kid[]} */
function boxes({ rows, axis, unit, sizes }, i) {
  const { axes, dims } = rows[i];
  const side = axis ? sideOf(axes, axis) : "";
  const pieces = (axes.at(-1) ?? "").includes("·") ? (sizes[axisLetters(axes.at(-1) ?? "")[0]] ?? 1) : 1;
  const [down, across] = [-2, -1].map((n) => hue(axisLetters(axes.at(n) ?? "").at(-1) ?? ""));
  const edge = (/** @type {string} */ here, /** @type {string} */ own) => `l-edge${side === here ? hue(axis) : own}${side === here ? ".l-lit" : ""}`;
  const whole = Number.isInteger((dims.at(-1) ?? 1) / pieces) ? pieces : 1;
  return boxesOf(dims, unit).boxes.flatMap(([x, y, width, height]) => [
    rect(`l-box${side === "count" ? ".l-counted" : ""}${side === "count" ? hue(axis) : ""}`, [x, y, width, height]),
    ...Array.from({ length: whole - 1 }, (_, n) => line("l-cut", [x + (width * (n + 1)) / whole, y], [x + (width * (n + 1)) / whole, y + height])),
    line(edge("across", across), [x, y], [x + width, y]),
    line(edge("down", down), [x, y], [x, y + height]),
  ]);
}

/** The box that cracks: as many pieces as heads, and what is left over. @param {LedgerLook} it @returns {{drawn: Kid[], over: Kid[], height: number}} */
function cracked({ sizes, unit, words, crack, rows, view }) {
  const { m, H } = sizes;
  if (m === undefined || H === undefined) return { drawn: [], over: [["span.note.l-left", { at: [0, 10] }, rows[crack].dims.map(sizeText).join(" × ")]], height: 20 };
  const [each, rest, height] = [Math.floor(m / H), m % H, Math.max(26, (sizes.T ?? 3) * unit)];
  const size = Math.max(1, Math.min(Math.max(7, unit), (view.size("row 0").width - 76 - 5 * H) / m)); // "2 left" stands behind
  const tilt = (/** @type {number} */ n) => (n % 2 ? 3 : 0);
  const drawn = Array.from({ length: H }, (_, n) => each > 0 && rect("l-box", [1 + n * (each * size + 5), 1 + tilt(n), each * size, height]));
  const x = 6 + H * (each * size + 5);
  return { drawn: [...drawn, rect("l-box.l-rest", [x, 5, rest * size, height])], over: [["span.note.l-left", { at: [x + rest * size + 8, 5 + height / 2] }, words.left(rest)]], height: height + 8 };
}

/** @param {LedgerLook} it @param {number} i @returns {Spec} */
export function ledgerRow(it, i) {
  const { rows, row, crack, open, asked, words, unit, axis } = it;
  const { name, source, times, depth, inside, dims, axes } = rows[i];
  const hidden = open && i === asked;
  const gone = crack >= 0 && i > crack;
  const broken = i === crack ? cracked(it) : null;
  const layout = rows[i].fits ? boxesOf(dims, unit) : null;
  const height = gone ? 10 : hidden ? 30 : (broken ?? layout)?.height ?? 20;
  const more = layout?.more && !hidden && !gone ? [["span.note.l-more", { at: [layout.end + 8, height / 2] }, words.more(layout.more)]] : [];
  const touched = axis && axes.some((one) => axisLetters(one).includes(axis));
  const classes = `${i === row ? ".l-on" : ""}${gone ? ".l-gone" : ""}${axis && !touched ? ".l-pale" : ""}${i === crack ? ".l-bad" : ""}`;
  return [`li.l-row${classes}`, { "data-row": i, "data-depth": depth },
    inside && ["p.l-inside", words.inside(inside)],
    ["div.l-what",
      ["button.l-name", { type: "button", "data-pick": i, tabindex: i === row ? 0 : -1, "aria-current": i === row ? "true" : null }, name],
      times > 1 && ["span.l-times", words.times(times)],
      shape(it, i)],
    ["div.l-boxes", { style: `height:${Math.ceil(height)}px` },
      picture(`row ${i}`, hidden ? [rect("l-unknown", [1, 1, 46, 26])] : gone ? [] : broken ? broken.drawn : boxes(it, i), ...(broken ? broken.over : more))],
    ["code.l-source", source ? madeBy(rows[i]) : words.into]];
}
