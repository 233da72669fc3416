// @ts-check
// What TranslationLab shows, computed from its traits: words read, translations before and after, places in px.
import { token } from "./controls.js";
import { netOf } from "./gru.js";
import { labWords } from "./lab_words.js";
import { idsOf, END, tokenize, UNKNOWN } from "./reading.js";
import { fits, logPOf, operate } from "./translate.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./translate.js").Operation} Operation */
/** @typedef {import("./translate.js").Written} Written */
/** @typedef {ReturnType<typeof lookAtLab>} Look */
/** @typedef {ReturnType<typeof lookAtModel>} Model */

export const OURS = { "data-lm-suppress-shortcuts": "true" }; // JupyterLab would swallow the arrows
const MOST = 60; // words that are read
const NARROW = 640;
export const DENSE = 26; // px; narrower cells become a band without figures

/** Is the last operation this one, on the row and the heads in sight? @param {any} state @param {string} kind */
export function isLast({ operations, row, head }, kind) {
  const last = operations[operations.length - 1];
  return last?.kind === kind && last.rows.includes(row) && `${last.head}` === `${head}`;
}

/** Whether Python's own translations are of this sentence and these operations. @param {any} state */
const isAbout = ({ _sheets, text, operations }) => _sheets?.text === text && JSON.stringify(_sheets.operations) === JSON.stringify(operations);

/** As trained, and now; null while there is neither a model in the page nor Python's word.
 * @param {any} state @param {number[]} ids @param {number} m @returns {Written[] | null} */
function writtenBy(state, ids, m) {
  if (isAbout(state)) return state._sheets.made[m];
  const payload = state._payloads?.[m];
  if (state.engine === "python" || !payload?.byteLength) return null;
  const net = netOf(payload, state._layouts[m]);
  return [operate(net, ids, []).written, operate(net, ids, state.operations).written];
}

/** Places that differ: one by one in sentences of a length, else those outside of a longest common part.
 * @param {number[]} before @param {number[]} after @returns {Set<number>} of `after` */
export function changedPlaces(before, after) {
  const all = after.map((_, i) => i);
  if (before.length === after.length) return new Set(all.filter((i) => before[i] !== after[i]));
  const common = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i][j] = before[i] === after[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const places = new Set(all);
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) {
      places.delete(j);
      i++;
      j++;
    } else if (common[i + 1][j] >= common[i][j + 1]) i++;
    else j++;
  }
  return places;
}

/** What became of a translation: "nothing", "trade" places, "own" rows' words alone, "more".
 * @param {number[]} before @param {number[]} after @param {Operation[]} operations @returns {"nothing" | "trade" | "own" | "more"} */
export function outcomeOf(before, after, operations) {
  if (`${before}` === `${after}`) return "nothing";
  const [{ kind, rows }] = operations;
  const [a, b] = rows;
  const traded = before.map((id, i) => (i === a ? before[b] : i === b ? before[a] : id));
  if (operations.length === 1 && kind === "swap" && `${traded}` === `${after}`) return "trade";
  const theirs = new Set(operations.flatMap((one) => one.rows));
  const isOwn = before.length === after.length && [...changedPlaces(before, after)].every((i) => theirs.has(i));
  return isOwn ? "own" : "more";
}

/** Which lists of a step are shown: one head's, or the mean of all. @param {number[][]} row @param {[number, number]} shape
 * @param {[number, number] | null} head */
function shown(row, [layers, heads], head) {
  if (head && layers * heads > 1) return row[head[0] * heads + head[1]] ?? row[0];
  return row[0].map((_, s) => row.reduce((sum, list) => sum + list[s], 0) / row.length);
}

/** One model: its translations, rows as shown, what of them was operated on.
 * @param {any} state @param {number[]} ids @param {number} m */
function lookAtModel(state, ids, m) {
  const { operations, head, names, _layouts } = state;
  const shape = /** @type {[number, number]} */ (_layouts[m].shape);
  const isShown = head && head[0] < shape[0] && head[1] < shape[1] ? head : null;
  const both = writtenBy(state, ids, m);
  if (!both) return { m, name: names[m], shape, head: isShown, ready: false };
  const [before, after] = both;
  /** @type {Map<number, Operation>} */
  const touched = new Map();
  for (const operation of operations) if (fits(operation, after.rows) || fits(operation, before.rows)) for (const t of operation.rows) touched.set(t, operation);
  const logP = [before, after].map(logPOf);
  return {
    m, name: names[m], shape, head: isShown, ready: true, before, after, touched,
    rows: after.rows.map((row) => shown(row, shape, isShown)),
    rowsBefore: before.rows.map((row) => shown(row, shape, isShown)),
    changed: changedPlaces(before.ids, after.ids),
    outcome: operations.length && touched.size ? outcomeOf(before.ids, after.ids, operations) : null,
    logP, delta: logP[1] - logP[0],
  };
}

/** Room for the parts of a map, px. @param {number} width of the map's place @param {number} columns @param {boolean} narrow @param {boolean} many */
function measures(width, columns, narrow, many) {
  const compact = narrow || many || columns > 24;
  const [gutter, arrow, word] = narrow ? [36, 18, 78] : many ? [56, 30, 96] : [68, 48, 112];
  const probability = narrow ? 36 : compact ? 40 : 196;
  const room = width - gutter - arrow - word - probability;
  const cell = Math.max(8, Math.min(96, Math.floor(room / columns) - 2));
  const long = columns > 9;
  return { gutter, arrow, word, compact, probability, cell, height: narrow ? 44 : long ? 32 : many ? 44 : 54, gap: long ? 4 : 8 };
}

/** The traits, and all that follows from them. @param {any} state @param {View} view */
export function lookAtLab(state, view) {
  const words = labWords(state.language);
  const typed = tokenize(state.text);
  const tokens = typed.slice(0, MOST);
  const [sourceNames, targetNames] = state._words;
  const ids = idsOf(tokens, sourceNames);
  const models = state.names.map((/** @type {string} */ _, /** @type {number} */ m) => lookAtModel(state, ids, m));
  const width = view.width || 960;
  const narrow = width < NARROW;
  const many = models.length > 1;
  const half = measures((width - 48) / 2, ids.length, narrow, many);
  const beside = many && width >= 860 && half.cell >= DENSE; // else one below the other, with figures and bars
  const room = beside ? half : measures(width, ids.length, narrow, many);
  const longest = Math.max(...ids.map((_, s) => (tokens[s] ?? words.end).length)) * 9.7; // px, about
  return {
    state, view, words, tokens, ids, models, narrow, many, beside, typed: typed.length,
    ...room, turned: longest > room.cell + 2, head: Math.min(120, Math.ceil(0.9 * longest) + 8), dense: room.cell < DENSE,
    source: [...tokens, words.end],
    unknown: [...new Set(tokens.filter((_, s) => ids[s] === UNKNOWN))],
    isEnd: (/** @type {number} */ s) => s === tokens.length,
    target: (/** @type {number} */ id) => (id === END ? words.end : id === UNKNOWN ? words.unknown : targetNames[id]),
    q: (/** @type {string} */ word) => token(word, word === words.end ? "q.lab-end" : "q"),
    /** The word that a model's translation has at a step. @param {Model} model @param {number} t @param {boolean} [old] */
    wordAt: (model, t, old = false) => {
      const written = old ? model.before : model.after;
      if (!written) return "";
      const id = written.ids[t] ?? (t === written.ids.length && written.ended ? END : null);
      return id === null ? "" : id === END ? words.end : id === UNKNOWN ? words.unknown : targetNames[id];
    },
    away: false, // Python has not answered for a while
    asking: !!state.challenge && !state._asked && !state.operations.length,
  };
}
