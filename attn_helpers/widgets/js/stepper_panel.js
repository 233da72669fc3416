// @ts-check
// Beside the strips of Seq2SeqStepper: five best words as bars, or words to guess from; read-outs; what to do next.
import { action, segments } from "./controls.js";
import { OURS } from "./stepper_look.js";
import { BOS } from "./trace.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./stepper_look.js").Look} Look */

/** The question over the picture, and a line about it. @param {Look} it @returns {[Kid[], Kid[]]} */
export function told(it) {
  const { words, now, next, q } = it;
  if (next) return [words.ask(q(next.reads)), [words.askHint]];
  if (!now) return [words.begin, [cause(it)].flat()];
  const [reads, own] = [q(now.reads), q(now.own)];
  const title = now.gold === null ? words.over(own) : now.off ? words.off(reads, own, q(now.gold)) : words.writes(reads, own);
  return [title, [it.guess !== null && ["span.s-said", ...words.said(q(it.guess))], ...[cause(it)].flat()]];
}

/** Where c comes from, or that the decoder has left the gold sentence. @param {Look} it @returns {Kid | Kid[]} */
function cause({ words, now, steps, position, memory, state, k }) {
  const before = steps[position - 2];
  if (now && now.reads !== BOS && before && now.reads !== before.gold) return words.strayed;
  if (state._layout.score === "none") return words.same(memory.final[memory.final.length - 1].length);
  if (state._layout.score === "uniform") return words.uniform(memory.states.length);
  if (!now?.weights) return words.anew(memory.states.length);
  const top = now.weights.indexOf(Math.max(...now.weights));
  return words.mixed(k(top), number(now.weights[top]));
}

/** One of the best words: its bar, and whether it is gold or the reader's guess.
 * @param {Look} it @param {number} id @param {number} rank from 1 @returns {Spec} */
function bar({ now, q, name, words, guess }, id, rank) {
  const p = now?.p[id] ?? 0;
  const isGold = id === now?.gold;
  const marks = [isGold && (rank > 5 ? words.rank(rank) : words.gold), id === guess && words.yours].filter(Boolean);
  return [
    `div.s-bar${rank === 1 ? ".s-top" : ""}${id === guess ? ".s-yours" : ""}`,
    { role: "listitem", "aria-label": words.barSaid(name(id), number(p), marks.join(", ")) },
    ["div.s-barword", { title: name(id) }, q(id)],
    ["div.s-track", ["div.s-fill", { style: `width:${(100 * p).toFixed(1)}%` }]],
    ["b.s-p", number(p)],
    ["span.s-marks", isGold && ["i.s-dot"], marks.join(", ")],
  ];
}

/** Five best words, and the gold word if it is not among them. @param {Look} it @returns {Spec} */
function bars(it) {
  const { now, words, position } = it;
  if (!now) return ["div.s-bars"];
  const extra = now.gold !== null && !now.best.includes(now.gold);
  return [
    "div.s-bars",
    ["p.s-heading", words.bars(now.best.length, position)],
    ["div", { role: "list", "aria-label": words.bars(now.best.length, position) },
      ...now.best.map((id, i) => bar(it, id, i + 1)),
      extra && bar(it, now.gold ?? 0, now.rank)],
  ];
}

/** Words to guess from. @param {Look} it @returns {Spec} */
const guesses = ({ options, q, name, words }) => [
  "div.s-bars",
  ["p.s-heading", words.options],
  ...options.map((id) => ["button.s-bar.s-option", { type: "button", "data-guess": id, ...OURS, "aria-label": name(id), title: name(id) }, ["span.s-barword", q(id)], ["span.s-track"]]),
];

/** @param {Look} it @returns {Spec} */
function readOut({ words, now, asking, q, off, steps }) {
  const known = now && now.gold !== null && !asking;
  return [
    "div.s-read",
    ["p.s-number", known ? number(now.goldP) : asking ? "?" : "–"],
    ["p.s-fact", ...(known ? words.goldP(q(now.gold ?? 0)) : now?.gold === null ? words.noGold : [""])],
    ["p.s-fact", ...words.offCount(off, steps.length)],
  ];
}

/** Gold or own word: what the next step is to read. @param {Look} it @returns {Kid} */
function feed(it) {
  const { words, now, asking, ended, view, name } = it;
  if (!now || asking || now.gold === null || (ended && now.own === now.gold)) return ["div.s-feed"];
  const labels = { gold: words.feeds.gold + name(now.gold), own: words.feeds.own + name(now.own) };
  return ["div.s-feed", ["span.name", words.feed], segments("feed", view.serial, words.feed, labels, it.feed)];
}

/** @param {Look} it @returns {Spec} */
function steering(it) {
  const { words, asking, ended, position, all } = it;
  const cut = ended && all[all.length - 1].own !== 2 && all[all.length - 1].gold === null;
  return [
    "div.s-steer",
    ["button.s-solid", { type: "button", "data-act": "forward", ...OURS, "aria-disabled": ended ? "true" : null }, asking ? words.show : words.forward],
    action("back", words.back, position > 0),
    action("guess", words.guess, !asking && !ended),
    ["span.s-why", ended ? (cut ? words.limit : words.ended) : ""],
  ];
}

/** Other sentences, folded. @param {Look} it @returns {Kid} */
const sentences = ({ state, words, view }) =>
  state.pairs.length > 1 && [
    "details.s-more",
    ["summary", words.sentences],
    segments("sentence", view.serial, words.sentences, Object.fromEntries(state.pairs.map((/** @type {any} */ [source], /** @type {number} */ i) => [i, source.join(" ")])), `${state.sentence}`),
  ];

/** @param {Look} it @returns {Kid[]} */
export const panel = (it) => [
  ["div.s-body", it.asking ? guesses(it) : bars(it), readOut(it)],
  ["div.s-foot", feed(it), steering(it)],
  sentences(it),
];
