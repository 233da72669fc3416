// @ts-check
// Beside PositionWaves' picture: the nearest twin, one pair's clock hand; below it the shuffled words.
import { argmax, max, min } from "./attn.js";
import { action, slider, token } from "./controls.js";
import { disc, line, note, picture } from "./svg.js";
import { change } from "./waves.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./waves_picture.js").WavesLook} WavesLook */

/** Three digits that count, as one would say them. @param {number} x */
const about = (x) => (x >= 1000 || x < 0.001 ? number(Number(x.toPrecision(2)), 4) : `${Number(x.toPrecision(3))}`.replace(/^0\./, "."));

/** @param {WavesLook} it @param {string} name @returns {Spec} */
function clock({ rates, pair, position, row, words, table }, name) {
  const tip = (/** @type {number} */ p) => [60 + 52 * Math.sin(p * rates[pair]), 60 - 52 * Math.cos(p * rates[pair])];
  if (pair < 0) return ["div.w-clock", ["p.w-small", words.noClock]];
  const [sine, cosine] = table[position].slice(2 * pair, 2 * pair + 2);
  return [
    "div.w-clock",
    picture(name,
      [disc("w-dial", [60, 60], 56), line("grid", [4, 60], [116, 60]), line("grid", [60, 4], [60, 116]), ["g", row >= 0 && line("w-ghost", [60, 60], tip(row))], line("w-hand", [60, 60], tip(position)), disc("w-hub", [60, 60], 4)],
      row >= 0 && note("w-level.w-tip", tip(row), `${row}`)),
    ["div.w-about", ["p.w-strong", words.clock(pair)], ["p.w-small", words.rate(about(rates[pair]), about((2 * Math.PI) / rates[pair]))], ["p.w-small", words.hand(position, number(sine), number(cosine))]],
  ];
}

/** @param {WavesLook} it @returns {Spec} */
export function wavesBeside(it) {
  const { words, alike, twins, position, predict, row, rates, pair } = it;
  const mean = alike.reduce((sum, x) => sum + x, 0) / alike.length;
  const shown = (/** @type {number} */ x) => (predict ? "?" : number(x));
  return [
    "aside.w-read",
    ["p.w-small", words.twin],
    ["p.w-big", predict ? "?" : number(alike[twins[0]], alike[twins[0]] > 0.995 ? 4 : 2)],
    ["p.w-small", predict ? "" : words.twins(position, twins)],
    ["p.w-fact", ["b", shown(mean)], ` ${words.mean}`],
    ["p.w-fact", row >= 0 ? words.two(position, row, shown(alike[row])) : ""],
    clock(it, "clock"),
    rates.length > 1 && ["div.w-scale", slider("pair", rates.length - 1, max(0, pair), words.pair, pair < 0 ? words.noClock : words.clock(pair))],
  ];
}

/** Logits of one model: a ring for the sentence as it is, a dot for the order that is read.
 * @param {Record<string, any>} state @param {View} view @param {string} kind @param {any} words @param {number[]} ends @returns {Spec} */
function answerOf({ _answers, order }, view, kind, words, [low, high]) {
  const [first, now] = [_answers[kind][0], _answers[kind][order]];
  const { width } = view.size(`orders-${kind}`);
  const [start, end] = [64, width - 52];
  const x = (/** @type {number} */ logit) => start + ((logit - low) / (high - low)) * (end - start);
  const y = (/** @type {number} */ i) => 18 + 34 * i;
  const best = argmax(now);
  const leads = now[best] - min(...now) > 0.5; // else nothing is said
  return [
    "div.w-model",
    ["p.w-strong", words[kind]],
    ["p.w-unseen", words.logits(words[kind], _answers.french.map((/** @type {string} */ word, /** @type {number} */ i) => `${word} ${number(now[i])}`))],
    picture(`orders-${kind}`,
      now.map((/** @type {number} */ logit, /** @type {number} */ i) => [
        "g",
        line("grid", [start, y(i)], [end, y(i)]),
        line("w-moved", [x(first[i]), y(i)], [x(logit), y(i)]),
        disc("w-before", [x(first[i]), y(i)], 7),
        disc("w-now", [x(logit), y(i)], 4.5),
      ]),
      ..._answers.french.flatMap((/** @type {string} */ word, /** @type {number} */ i) => [
        note(`w-word${leads && i === best ? ".w-strong" : ""}`, [0, y(i)], word),
        note(`w-logit${leads && i === best ? ".w-strong" : ""}`, [width, y(i)], number(now[i])),
      ])),
    ["p.w-small", ["b.w-large", number(change(first, now))], ` ${words.largest}`],
  ];
}

/** @param {Record<string, any>} state @param {View} view @param {any} words @returns {Kid} */
export function wavesOrders(state, view, words) {
  const { _answers, order } = state;
  if (!_answers.orders) return null;
  const every = [..._answers.none, ..._answers.sinusoids].flat();
  const ends = [min(...every), max(...every)];
  const read = _answers.orders[order];
  return [
    "section.w-orders",
    ["p.title", words.orders],
    ["p.hint", order ? words.same(_answers.french[read[0]]) : words.ordersHint(_answers.orders.length)],
    ["div.w-line",
      ["p.w-sentence", { "aria-label": words.sentence }, ...read.flatMap((/** @type {number} */ i) => [token(_answers.words[i], "k"), " "])],
      action("shuffle", words.shuffle), action("back", words.back, order > 0)],
    ["div.w-models", answerOf(state, view, "none", words, ends), answerOf(state, view, "sinusoids", words, ends)],
  ];
}
