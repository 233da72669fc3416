// @ts-check
// ShapeLedger: every tensor of a pass, its axes by name, at any sizes; one shape to fill in, one split to break.
import { axisLetters, landings, shareOut } from "./axes.js";
import { action, segments } from "./controls.js";
import { waysOut } from "./ledger.js";
import { hue, ledgerRow, letters, lookAtLedger, madeBy, shapeText } from "./ledger_rows.js";
import { makeRender } from "./view.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./ledger_rows.js").LedgerLook} LedgerLook */

const traits = ["_book", "sizes", "axis", "row", "blank", "guess", "view_only", "title", "hint", "language"];
const LARGEST = 64;

/** The question, or what happened. @param {LedgerLook} it @returns {[string, string]} */
function told(it) {
  const { state, words, crack, sizes, rows, asked, open, mistake, book } = it;
  if (crack >= 0) {
    const { each, rest } = shareOut(sizes.m, sizes.H);
    if (book.heads && rest) {
      const ways = waysOut(sizes.m, sizes.H);
      return [words.cracked(sizes.m, sizes.H, each, rest), words.wayOut(ways.widths, ways.heads)];
    }
    const at = rows[crack].dims.findIndex((n) => !Number.isInteger(n));
    return [words.unfit(rows[crack].axes[at], rows[crack].dims[at].toFixed(1)), words.unfitHint];
  }
  if (open) return [state.title || words.ask(madeBy(rows[asked])), state.hint || words.askHint];
  if (mistake) {
    const other = /** @type {Record<string, string>} */ (words.other)[mistake];
    return [(!book.heads && other) || words.answers[mistake], `${rows[asked].name}: ${shapeText(rows[asked].axes, rows[asked].dims)}. ${book.heads ? words.why : ""}`];
  }
  if (it.axis) {
    const count = it.rows.filter(({ axes }) => axes.some((one) => axisLetters(one).includes(it.axis))).length;
    return [state.title || words.title, words.lit(it.axis, words.letters[it.axis.replace(/′/g, "")] ?? "", count, rows.length)];
  }
  return [state.title || words.title, state.hint || words.hint];
}

/** The axes to choose a shape from. @param {LedgerLook} it @returns {Spec} */
function answer({ rows, asked, open, words, guess, mistake, axis }) {
  if (asked < 0) return ["div.l-answer"];
  const choice = [...new Set(rows.flatMap(({ axes }) => axes))].filter((one) => one !== "…");
  if (!open) return ["div.l-answer", mistake && ["span.l-mine", words.mine, " ", ["b", `(${guess.join(", ")})`]], action("again", words.again)];
  return ["div.l-answer", { role: "group", "aria-label": words.palette },
    ...choice.map((one) => ["button.l-chip", { type: "button", "data-choose": one }, ...letters(one, axis)]),
    action("back", words.back, guess.length > 0), action("skip", words.skip)];
}

/** @param {LedgerLook} it @param {string} letter @returns {Spec} */
const stepper = ({ sizes, words, pinned, axis, book }, letter) => [
  "div.l-step", { role: "group", "aria-label": letter },
  [`button.l-light${hue(letter)}${axis === letter ? ".l-lit" : ""}`, { type: "button", "data-axis": letter, "data-light": letter, "aria-pressed": `${pinned === letter}`, "aria-label": words.light(letter) }, letter],
  book.heads && ["span.l-about", words.short[letter]],
  ["button.l-by", { type: "button", "data-step": `${letter} -1`, "aria-label": words.less(letter), "aria-disabled": sizes[letter] <= 1 ? "true" : null }, "−"],
  ["output.l-count", `${sizes[letter]}`],
  ["button.l-by", { type: "button", "data-step": `${letter} 1`, "aria-label": words.plus(letter), "aria-disabled": sizes[letter] >= LARGEST ? "true" : null }, "+"],
];

/** @param {LedgerLook} it @returns {Spec} */
function controls(it) {
  const names = Object.keys(it.sizes);
  const first = it.book.heads ? ["m", "H"] : names.slice(0, 3);
  const rest = names.filter((name) => !first.includes(name));
  return ["div.l-controls",
    ...first.map((name) => stepper(it, name)),
    rest.length > 0 && ["details.l-fold", ["summary", it.words.moreSizes], ["div.l-controls", ...rest.map((name) => stepper(it, name))]]];
}

/** Whose numbers are in which head. @param {LedgerLook} it @param {string} serial @returns {Kid} */
function landing({ book, sizes, words, viewOnly, crack, open }, serial) {
  if (!book.heads || crack >= 0 || open) return null;
  const { T, H, m } = sizes;
  const each = m / H;
  const heads = landings(T, H, each, viewOnly);
  const [most, longest] = [heads.length > 4 ? 2 : 4, 6];
  const strange = heads.some((rows) => rows.some(({ token }, t) => token !== t));
  const verdict = !viewOnly ? words.fine : strange ? words.scrambled(`(T ${T}, d ${each})`) : words.lucky;
  return ["section.l-landing",
    ["p.l-ask", words.landing],
    segments("way", serial, words.landing, words.ways, viewOnly ? "view" : "whole"),
    ["p.l-small", words.tokens],
    ["div.l-heads", ...heads.slice(0, most).map((rows, h) => ["div.l-head", ["p.l-small", words.head(h)],
      ["ol.l-pieces", ...rows.slice(0, longest).map(({ token, from }, t) => [`li.l-piece${token === t ? "" : ".l-wrong"}`, words.token(token, from, from + each - 1)]),
        rows.length > longest && ["li.l-small", words.more(rows.length - longest)]]]),
      heads.length > most && ["p.l-small", words.moreHeads(heads.length - most)]],
    [`p.l-verdict${strange ? ".l-wrong" : ""}`, verdict]];
}

/** @param {LedgerLook} it @param {string} serial @returns {Spec} */
function readOut(it, serial) {
  const { rows, row, totals, words, open, asked, crack } = it;
  const at = rows[row];
  const known = !(open && row === asked) && (crack < 0 || row < crack);
  const flops = at.flops ? words.rowFlops(words.whole(at.flops), at.rule) : at.flops === null ? words.asRecorded : words.noFlops;
  return ["aside.l-read",
    ["p.l-number", words.whole(totals.flops)], ["p.l-small", totals.flops === null && crack < 0 ? words.asRecorded : words.flops],
    ["p.l-fact", ["b", words.whole(totals.parameters)], ` ${words.parameters}`],
    ["p.l-fact", ["b", words.whole(totals.cache)], ` ${words.cache}`],
    ["div.l-detail", ["b.l-strong", at.name], ["p", known ? words.row(words.whole(at.numbers), words.whole(at.bytes)) : open ? words.empty : "–"], ["p", known ? flops : ""], ["p.l-where", at.where]],
    landing(it, serial)];
}

/** @param {Record<string, any>} state @param {View} view @returns {Kid[]} */
function tree(state, view) {
  const it = lookAtLedger(state, view);
  const [title, hint] = told(it);
  return [
    ["div.l-told", [`p.title${it.crack >= 0 ? ".l-wrong" : ""}`, title], ["p.hint", hint]],
    it.book.said.length > 0 && ["ul.l-said", ...it.book.said.map((/** @type {string} */ line) => ["li.l-wrong", line])],
    answer(it),
    controls(it),
    ["div.l-body", ["ol.l-rows", ...it.rows.map((_, i) => ledgerRow(it, i))], readOut(it, view.serial)],
  ];
}

/** What a screen reader hears some time after a change. @param {Record<string, any>} state @param {View} view */
function spoken(state, view) {
  const it = lookAtLedger(state, view);
  const { rows, row, words, crack, open, asked, mistake } = it;
  const { name, axes, dims, numbers } = rows[row];
  if (crack >= 0 || mistake || (open && row === asked) || "axis" in view.changed) return told(it).join(" ");
  return words.said(name, shapeText(axes, dims), words.whole(numbers));
}

/** @param {number} by @param {string} letter @param {View} view */
function resize(by, letter, view) {
  const { sizes } = view.state;
  const size = Math.min(Math.max(LARGEST, sizes[letter]), Math.max(1, sizes[letter] + by));
  if (size !== sizes[letter]) view.set({ sizes: { ...sizes, [letter]: size } });
}

/** @param {MouseEvent} event @param {View} view */
function click(event, view) {
  const near = (/** @type {string} */ name) => /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(`[data-${name}]`))?.dataset[name];
  const { guess, axis, blank } = view.state;
  const [act, choice, step, lit, row] = ["act", "choose", "step", "axis", "row"].map(near);
  if (choice !== undefined || act === "skip") view.lead("[data-act=again]", event);
  else if (act === "again" || (act === "back" && guess.length === 1)) view.lead("[data-choose]", event);
  if (choice !== undefined) view.set({ guess: [...guess, choice], row: blank }, true);
  else if (act === "back") view.set({ guess: guess.slice(0, -1) });
  else if (act === "again") view.set({ guess: [], row: blank });
  else if (act === "skip") view.set({ guess: view.state._book.rows[blank].axes, row: blank }, true);
  else if (step !== undefined) resize(Number(step.split(" ")[1]), step.split(" ")[0], view);
  else if (lit !== undefined) view.set({ axis: axis === lit ? "" : lit, ...(row !== undefined && { row: Number(row) }) });
  else if (row !== undefined) view.set({ row: Number(row) });
}

/** Arrows change a size, or go from row to row. @param {KeyboardEvent} event @param {View} view */
function keydown(event, view) {
  const { key, ctrlKey, altKey, metaKey, target } = event;
  const { step, light, pick } = /** @type {HTMLElement} */ (target).dataset;
  const up = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[key] ?? 0;
  if (ctrlKey || altKey || metaKey) return;
  if (pick !== undefined && (up || key === "Home" || key === "End")) {
    event.preventDefault();
    const last = view.state._book.rows.length - 1;
    const row = key === "Home" ? 0 : key === "End" ? last : Math.min(last, Math.max(0, Number(pick) - up * (/Up|Down/.test(key) ? 1 : -1)));
    view.set({ row });
    /** @type {HTMLElement | null} */ (view.root.querySelector(`[data-pick="${row}"]`))?.focus();
  } else if (up && (step ?? light) !== undefined) {
    event.preventDefault();
    resize(up, (step ?? light ?? "").split(" ")[0], view);
  }
}

/** @param {Event} event @param {View} view */
function input({ target }, view) {
  view.set({ view_only: /** @type {HTMLInputElement} */ (target).value === "view" }, true);
}

/** A letter under the pointer or the focus is lit everywhere. @param {Event} event @param {View} view */
function point({ type, target }, view) {
  const gone = type === "pointerleave" || type === "focusout";
  const letter = gone ? "" : (/** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-axis]"))?.dataset.axis ?? "");
  const hover = letter && `axis ${letter}`;
  if (hover === view.hover) return;
  view.hover = hover;
  view.redraw();
}

const actions = { click, keydown, input, pointerover: point, pointerleave: point, focusin: point, focusout: point };

export default { render: makeRender({ name: "shape-ledger", traits, tree, spoken, actions }) };
