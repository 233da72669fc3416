// @ts-check
// MaskLab: scores → mask → weights of a batch of sentences, and five ways to get the mask wrong.
import { max, min } from "./attn.js";
import { action, segments, token } from "./controls.js";
import { codeOf } from "./mask_cards.js";
import { asThey, isShort, lookAt, readOut, said, sentence } from "./mask_grids.js";
import { leakPanel, leakSaid } from "./mask_leak.js";
import { makeRender } from "./view.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./mask_grids.js").Look} Look */

const traits = [
  "query_tokens", "key_tokens", "query_vectors", "key_vectors", "value_vectors", "lengths", "causal", "flips",
  "breakage", "float_type", "cell", "predict", "guess", "language", "_lengths_before", "leak_guess", "_leak",
];

const TYPES = ["float16", "bfloat16", "float32"];

/** What broke, as the row that is looked at tells it. @param {Look} it @returns {Kid[]} */
function broken({ words, q, state, b, empty, row: { allowed, weights, leaked, sum } }) {
  if (Number.isNaN(sum)) return words.notNumbers(q);
  if (leaked > 1e-9) {
    const takers = weights.flatMap((weight, s) => (!allowed[s] && weight > 0 ? [s] : []));
    const taker = takers.length === 1 ? token(state.key_tokens[b][takers[0]], "k") : words.many(takers.length);
    return words.leaks(q, number(leaked), taker);
  }
  if (isShort(sum, allowed)) return sum > 0 ? words.lost(q, number(sum)) : words.nothing(q);
  if (state.breakage === "half" || state.breakage === "finite") return words.unhurtFill;
  return empty ? words.unhurtEmpty : words.unhurt;
}

/** The question over the picture, and what to touch. @param {Look} it @returns {[Kid[], string]} */
function question(it) {
  const { words, state, predict, breakage, mask, empty, q, guessed, opened } = it;
  if (breakage === "after_softmax" && empty) return [broken(it), words.whyEmpty];
  if (breakage !== "none") {
    const why = /** @type {Record<string, string>} */ ({ ...words.why, ...(state.causal && words.whyAhead) });
    return [broken(it), why[breakage === "half" ? state.float_type : breakage] ?? words.holds(state.float_type)];
  }
  if (predict) return [words.predict, words.predictHint];
  const closed = mask.flat(2).filter((may) => !may).length;
  const hit = state.guess.filter((/** @type {number[]} */ [b, t, s]) => !mask[b][t][s]).length;
  if (guessed.size) return [words.found(hit, closed, guessed.size - hit), words.touch];
  if (empty) return [words.empty(q), words.emptyHint];
  if (opened && state._leak.steps) {
    const [b, t, s] = opened;
    const [say, hint] = s === t + 1 ? [words.next, words.nextHint] : [words.later, words.laterHint];
    return [say(token(state.query_tokens[b][t], "q"), token(state.key_tokens[b][s], "k")), hint];
  }
  if (state.flips.length) return [words.yours, words.touch];
  if (state.causal) return [words.ahead, state._leak.steps ? words.openOne : words.touch];
  return [closed ? words.ask : words.allowed, words.touch];
}

/** Whether a fault, and nobody since, took all keys from the last sentence. @param {Record<string, any>} state */
const wasEmptied = ({ lengths, _lengths_before: before }) => before.length > 0 && `${before.with(-1, 0)}` === `${lengths}`;

/** @param {Look} it @param {string} serial @returns {Spec} */
function controls({ words, state, predict, breakage }, serial) {
  const [isBroken, isHalf] = [breakage !== "none", breakage === "half"];
  const isSquare = state.query_tokens[0].length === state.key_tokens[0].length;
  return [
    "div.m-foot",
    ["div.m-controls",
      isSquare && ["div.m-order", ["span.name", words.hide], segments("order", serial, words.hide, words.orders, state.causal ? "causal" : "padding")],
      ["div.m-actions",
        action("undo", words.undo, state.flips.length > 0),
        !isBroken && action(predict ? "look" : "guess", predict ? words.look : words.guess),
        !predict && action(isBroken ? "mend" : "break", isBroken ? words.mend : words.break)]],
    ["div.m-breaks",
      isBroken && segments("breakage", serial, words.breakages, words.kinds, breakage),
      isHalf && segments("float_type", serial, words.type, asThey(TYPES), state.float_type),
      wasEmptied(state) && ["span.name", words.emptied(words.nth(state.lengths.length))]],
  ];
}

/** @param {Look} it @returns {Spec} */
function cards({ words, breakage, predict, state, mask }) {
  const isBroken = breakage !== "none";
  const code = codeOf(breakage, state.float_type, mask);
  const emptyRow = mask.flat().some((row) => !row.includes(true));
  return [
    "div.m-panel",
    { hidden: predict ? "" : null }, // it would tell
    ["p.title", isBroken ? words.codeBroken : words.code],
    ["p.hint", !isBroken && emptyRow ? words.nanCard : isBroken ? "" : words.codeHint],
    ["div.m-cards",
      ...code.map((text, i) => ["div.m-card",
        [`p.m-caption${isBroken && !i ? ".m-wrong" : ""}`, (isBroken ? words.cardsBroken : words.cards)[i]],
        ["pre", ["code", ...text.split(/(False|True)/).map((part) => (!isBroken && part === ["False", "True"][i] ? ["b", part] : part))]]])],
  ];
}

/** @param {Record<string, any>} state @param {View} view @returns {Kid[]} */
function tree(state, view) {
  const it = lookAt(state, view);
  const { words, pinned } = it;
  const [title, hint] = question(it);
  const batch = state.key_tokens.map((/** @type {any} */ _, /** @type {number} */ b) => b);
  const names = Object.fromEntries(batch.map((/** @type {number} */ b) => [b, words.nth(b + 1)]));
  return [
    ["div.m-told", ["p.title", ...title], ["p.hint", hint]],
    ["div.m-body",
      ["div.m-batch",
        batch.length > 1 && ["div.m-which", segments("sentence", view.serial, words.sentences, names, `${pinned[0]}`)],
        ...batch.map((/** @type {number} */ b) => sentence(it, b, view.serial))],
      readOut(it)],
    controls(it, view.serial),
    it.opened && state._leak.steps && it.breakage === "none" && !it.predict ? leakPanel(it, view) : cards(it),
  ];
}

/** What a screen reader hears some time after a change. @param {Record<string, any>} state @param {View} view */
function spoken(state, view) {
  const it = lookAt(state, { hover: "" });
  if ("leak_guess" in view.changed) return leakSaid(it);
  const cell = said(it, "weights", it.b, it.t, it.s);
  return it.predict ? cell : it.words.said(cell, number(it.row.leaked), number(it.row.sum, 3));
}

/** Change traits. A guess belongs to one mask; what was set by hand belongs to one length and order.
 * @param {View} view @param {Record<string, any>} changes */
function change(view, changes) {
  const { predict } = view.state;
  const stale = !predict && ["lengths", "causal", "flips", "breakage"].some((name) => name in changes);
  view.set({ ...(stale && { guess: [] }), ...changes }, true);
}

/** Add a place, or take it away. @param {number[][]} places @param {number[]} place */
const toggled = (places, place) => {
  const rest = places.filter((other) => `${other}` !== `${place}`);
  return rest.length < places.length ? rest : [...places, place];
};

/** Choose a cell; in the mask turn it over, in hidden weights mark it. @param {string} stage @param {number[]} cell @param {View} view */
function choose(stage, cell, view) {
  const { flips, guess, predict } = view.state;
  if (stage === "mask" && !predict) change(view, { cell, flips: toggled(flips, cell) });
  else if (stage === "weights" && predict) change(view, { cell, guess: toggled(guess, cell) });
  else change(view, { cell });
}

/** The cell an event is about. @param {Event} event @returns {{stage: string, place: number[]} | null} */
function cellAt({ target }) {
  const found = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-cell]"));
  const [stage, ...place] = found?.dataset.cell?.split(",") ?? [""];
  return stage ? { stage, place: place.map(Number) } : null;
}

/** A fault that bites in an empty row alone empties the last sentence; the next one gives its keys back.
 * @param {Record<string, any>} state @param {string} breakage */
function faulty(state, breakage) {
  const { lengths, _lengths_before } = state;
  const needsEmptyRow = breakage === "half" || breakage === "finite";
  if (needsEmptyRow && !lengths.includes(0)) return { breakage, lengths: lengths.with(-1, 0), _lengths_before: lengths };
  return { breakage, ...(!needsEmptyRow && wasEmptied(state) && { lengths: _lengths_before, _lengths_before: [] }) };
}

/** @type {Record<string, (state: Record<string, any>) => Record<string, any>>} */
const ACTS = {
  undo: () => ({ flips: [] }),
  guess: () => ({ predict: true, guess: [] }),
  look: () => ({ predict: false }),
  forget: () => ({ leak_guess: "" }),
  break: () => ({ breakage: "no_mask" }),
  mend: (state) => faulty(state, "none"),
};

/** @param {Event} event @param {View} view */
function click(event, view) {
  const { act } = /** @type {HTMLElement} */ (event.target).dataset;
  const at = cellAt(event);
  if (act) change(view, ACTS[act](view.state));
  else if (at) choose(at.stage, at.place, view);
  if (act === "forget") view.focus("[name^=leak_guess]");
}

/** What a choice among words changes. @param {Record<string, any>} state @param {string} trait @param {string} value */
function chosen(state, trait, value) {
  const { lengths, cell, flips } = state;
  const [name, b] = trait.split(".");
  if (name === "lengths") {
    const others = flips.filter((/** @type {number[]} */ place) => place[0] !== Number(b));
    return { lengths: lengths.with(b, Number(value)), flips: others, _lengths_before: [] };
  }
  if (name === "order") return { causal: value === "causal", flips: [] };
  if (name === "sentence") return { cell: [Number(value), cell[1], cell[2]] };
  return name === "breakage" ? faulty(state, value) : { [name]: value };
}

/** @param {Event} event @param {View} view */
function input({ target }, view) {
  const { name, value } = /** @type {HTMLInputElement} */ (target);
  const [trait] = name.split(" ");
  change(view, chosen(view.state, trait, value));
  if (trait === "leak_guess") view.focus("[data-act=forget]");
}

/** @type {Record<string, number[]>} */
const WAYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -99], End: [0, 99] };

/** Arrows go from cell to cell of one grid; Space and Enter choose. @param {KeyboardEvent} event @param {View} view */
function keydown(event, view) {
  const at = cellAt(event);
  const way = WAYS[event.key];
  if (!at || event.ctrlKey || event.altKey || event.metaKey || !(way || event.key === " " || event.key === "Enter")) return;
  event.preventDefault();
  if (!way) return choose(at.stage, at.place, view);
  const [b, t, s] = at.place;
  const to = (/** @type {number} */ from, /** @type {number} */ by, /** @type {any[]} */ all) => min(all.length - 1, max(0, from + by));
  const cell = [b, to(t, way[0], view.state.query_tokens[b]), to(s, way[1], view.state.key_tokens[b])];
  view.hover = "";
  /** @type {HTMLElement | null} */ (view.root.querySelector(`[data-cell="${at.stage},${cell}"]`))?.focus();
  view.set({ cell });
}

/** A row under the pointer shows its numbers. @param {Event} event @param {View} view */
function point(event, view) {
  const hover = event.type === "pointerleave" ? "" : (cellAt(event)?.place.join() ?? "");
  if (hover === view.hover) return;
  view.hover = hover;
  view.redraw();
}

const actions = { keydown, input, click, pointerover: point, pointerleave: point };

export default { render: makeRender({ name: "mask-lab", traits, tree, spoken, actions }) };
