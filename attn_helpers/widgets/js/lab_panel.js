// @ts-check
// Around TranslationLab's maps: question, actions on rows, the sentence to type, both outputs and how usual that is.
import { segments } from "./controls.js";
import { isLast, OURS } from "./lab_look.js";
import { nearest, wordsKnown } from "./reading.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./lab_look.js").Look} Look */
/** @typedef {import("./lab_look.js").Model} Model */

/** @param {string} act @param {Kid[]} say @param {Record<string, any>} [more] @returns {Spec} */
const button = (act, say, more = {}) => ["button.action", { type: "button", "data-act": act, ...OURS, ...more }, ...say];

/** The word that all models have at a step, if they agree. @param {Look} it @param {number} t @param {boolean} [old] */
function wordOfAll({ models, wordAt }, t, old = false) {
  const found = new Set(models.map((/** @type {Model} */ model) => wordAt(model, t, old)).filter(Boolean));
  return found.size === 1 ? [...found][0] : "";
}

/** What takes back: all of several changes, or the last. @param {Look} it @returns {Kid[]} */
const back = ({ words, state }) => [state.operations.length > 1 && button("reset", [words.reset]), button("undo", [["span.lab-back", { "aria-hidden": "true" }, "↩ "], words.undo], state._past.length ? {} : { "aria-disabled": "true", title: words.undoNothing })];

/** The question, or what was done. @param {Look} it @returns {Kid[]} */
function title(it) {
  const { state, words, asking, q } = it;
  const operation = asking ? state.challenge : state.operations[state.operations.length - 1];
  if (!operation) return state.title ? [state.title] : words.title;
  const [a, b] = operation.rows.map((/** @type {number} */ t) => q(wordOfAll(it, t, true) || words.step(t + 1)));
  return (asking ? words.asks : words.did)[/** @type {"swap"} */ (operation.kind)](a, b);
}

/** What became of one model's translation. @param {Look} it @param {Model} model @returns {string} */
export function became({ words, state }, { outcome, changed, before, after }) {
  if (!state.operations.length) return "";
  if (!outcome) return words.absent;
  const { own, more, ...plain } = words.outcomes;
  if (state.operations.length > 1 && outcome !== "nothing") return more(changed?.size ?? 0, before?.ids.length ?? 0, after?.ids.length ?? 0);
  if (outcome === "own") return own((changed?.size ?? 0) > 1 || state.operations.at(-1).kind === "swap");
  return outcome === "more" ? more(changed?.size ?? 0, before?.ids.length ?? 0, after?.ids.length ?? 0) : plain[outcome];
}

/** Is what was done what the reader was asked about? @param {any} state */
const isAnswer = ({ challenge, guess, operations }) => guess !== null && operations.length === 1 && JSON.stringify(operations[0]) === JSON.stringify(challenge);

/** @param {Look} it @returns {Spec} */
export function told(it) {
  const { state, words, asking, models, many } = it;
  const options = optionsOf(it);
  const last = state.operations[state.operations.length - 1];
  const count = state.operations.length;
  const now = last && [count > 1 ? words.afterAll(count) : words.again(Math.min(...last.rows) + 1), ...(many ? models.map((/** @type {Model} */ model) => `${model.name}: ${became(it, model)} `) : [became(it, models[0])])];
  const said = isAnswer(state) && ["span.lab-said", words.said(options[state.guess] ?? ""), " "];
  return [
    "div.lab-top",
    ["div.lab-told", ["p.title", ...title(it)], ["p.hint", said, ...(asking ? [words.askHint] : now || [state.hint || (many ? words.hintMany : words.hint)])]],
    ...(it.narrow ? [] : back(it)),
  ];
}

/** What may be expected of the challenge. @param {Look} it @returns {Record<string, string>} */
function optionsOf({ words, state }) {
  const { trade, nothing, own, more } = words.options;
  return state.challenge?.kind === "swap" ? { trade, nothing, more: words.broken } : { nothing, own, more };
}

/** Which heads are shown and operated on. @param {Look} it @returns {Kid} */
function heads({ models, words, state, view }) {
  const model = models.find((/** @type {Model} */ { shape: [l, h] }) => l * h > 1);
  if (!model) return false;
  const [layers, count] = model.shape;
  const names = Array.from({ length: layers * count }, (_, i) => [`${Math.floor(i / count)},${i % count}`, words.headName(Math.floor(i / count), i % count)]);
  return ["div.lab-heads", ["span.name", words.heads(model.name)], segments("head", view.serial, words.heads(model.name), { all: words.all(layers * count), ...Object.fromEntries(names) }, `${state.head ?? "all"}`)];
}

/** What can be done to the row in sight. @param {Look} it @returns {Spec} */
function acts(it) {
  const { words, state, models, asking, dense } = it;
  if (asking) return ["div.lab-acts", ...Object.entries(optionsOf(it)).map(([name, word]) => ["button.action.lab-option", { type: "button", "data-guess": name, ...OURS }, word]), ["span.lab-space"], button("show", [words.show])];
  const { row } = state;
  const steps = Math.max(...models.map((/** @type {Model} */ model) => model.rows?.length ?? 0));
  const isThere = row !== null && row < steps;
  const last = state.operations[state.operations.length - 1];
  const on = (/** @type {string} */ kind) => ({ "aria-pressed": `${isThere && isLast(state, kind)}`, "aria-disabled": isThere ? null : "true" });
  const near = (/** @type {number} */ t) => wordOfAll(it, t) || words.step(t + 1);
  return [
    "div.lab-acts",
    ["span.name", isThere ? words.rows(last?.kind === "swap" && last.rows.includes(row) ? last.rows.map((/** @type {number} */ t) => t + 1) : [row + 1]) : words.none],
    button("zero", [words.act.zero], on("zero")),
    button("uniform", [words.act.uniform], on("uniform")),
    isThere && row > 0 && button("up", [words.act.up(near(row - 1))]),
    isThere && row + 1 < steps && button("down", [words.act.down(near(row + 1))]),
    !dense && button("bars", [words.act.bars], { "aria-pressed": `${isThere && state.bars}`, "aria-disabled": isThere ? null : "true" }),
    ["span.lab-space"],
    button("type", [words.type]),
    ...(it.narrow ? back(it) : []), // where the thumb is: the question may be out of sight
  ];
}

/** The sentence, to be typed or taken. @param {Look} it @returns {Spec} */
function entry(it) {
  const { state, words, view, narrow } = it;
  const known = wordsKnown(state._words[0]);
  const id = `l${view.serial.slice(2)}`;
  return [
    "div.lab-entry",
    ["div.lab-acts", ["input.lab-text", { type: "text", "aria-label": words.sentence, autocomplete: "off", autocapitalize: "off", spellcheck: "false", id, value: state.text, ...OURS }], button("done", [words.done]), ...(narrow ? back(it) : [])],
    ["p.name", words.examples],
    ["div.lab-list", ...state.examples.map((/** @type {string} */ sentence) => button("take", [sentence], { "data-text": sentence }))],
    ["details.lab-more", ["summary", words.known(known.length)],
      ["div.lab-list", ...[...known].sort((a, b) => a.localeCompare(b, "en")).map((word) => button("add", [word], { "data-text": word }))]],
  ];
}

/** What is odd about the sentence, in words. @param {Look} it @returns {Spec} */
function notice(it) {
  const { words, state, tokens, typed, unknown, models } = it;
  /** @type {Kid[]} */
  const said = [];
  if (it.away) return ["div.lab-notice", { role: "status" }, ...words.python];
  if (!tokens.length) said.push(...words.empty);
  if (typed > tokens.length) said.push(...words.cut(tokens.length, typed));
  if (state.longest && tokens.length > state.longest) said.push(...words.long(state.longest));
  const endless = models.find((/** @type {Model} */ model) => model.ready && !model.after?.ended);
  if (endless) said.push(...words.endless(endless.after?.ids.length ?? 0));
  if (unknown.length === 1) said.push(...words.notKnown(["bdi.token.k.strange", unknown[0]]));
  if (unknown.length > 1) said.push(...words.manyUnknown(unknown.length));
  const near = unknown.map((word) => [word, nearest(word, wordsKnown(state._words[0]))]);
  const offers = near.filter(([, other]) => other).slice(0, 4);
  if (offers.length) said.push(words.near, ...offers.flatMap(([word, other]) => [button("replace", [unknown.length > 1 && `${word} → `, ["bdi.token.k", `${other}`]], { "data-word": word, "data-text": other, "aria-label": words.take(`${other}`, `${word}`) }), " "]));
  else if (unknown.length) said.push(words.noneNear);
  return ["div.lab-notice", { role: "status" }, ...said];
}

/** @param {Look} it @returns {Spec} */
export const control = (it) => ["div.lab-control", /** @type {any} */ (it.view).typing ? entry(it) : acts(it), heads(it), notice(it)];

/** A sentence with what has changed in it underlined. @param {Look} it @param {number[]} ids @param {Set<number>} [changed] @returns {Kid[]} */
const sentence = ({ target }, ids, changed) => ids.flatMap((id, i) => [i ? " " : "", ["bdi", { class: changed?.has(i) ? "attn-lab-changed" : "" }, target(id)]]);

/** How often the last operation changes other sentences. @param {Look} it @param {Model} model @returns {Kid[]} */
function usual({ state, words }, model) {
  const last = state.operations[state.operations.length - 1];
  if (!last || !model.outcome) return ["div.lab-rate"];
  const many = model.shape[0] * model.shape[1] > 1;
  const name = last.head && many ? last.head.map((/** @type {number} */ i) => i + 1).join(".") : "all";
  const far = last.kind === "swap" && Math.abs(last.rows[0] - last.rows[1]) !== 1;
  const counted = state._rates[model.m]?.[name]?.[last.kind === "set" ? "one" : last.kind];
  const isWhole = last.kind !== "set" || Math.max(...(last.weights ?? [])) > 0.95;
  if (state.operations.length > 1) return ["div.lab-rate", words.one];
  if (!counted || far || !isWhole) return ["div.lab-rate", words.unmeasured];
  const share = (100 * counted.changed) / counted.of;
  const what = words.kinds[/** @type {"zero"} */ (last.kind)](name === "all" ? "" : words.ofHead(last.head[0], last.head[1]));
  return ["div.lab-rate", ["div.lab-share", { "aria-hidden": "true" }, ["div.lab-part", { style: `width:${share.toFixed(1)}%` }]], ["span", ...words.rate(what, share.toFixed(0), counted.of)]];
}

/** As trained above, changed below, and how usual that is. @param {Look} it @param {Model} model @returns {Spec} */
function output(it, model) {
  const { words, state, many } = it;
  const { before, after, changed, logP = [0, 0], delta = 0, ready, name } = model;
  const isDone = state.operations.length > 0;
  const long = Math.max(before?.ids.length ?? 0, after?.ids.length ?? 0) > (many ? 8 : 10) ? ".lab-small" : "";
  const line = (/** @type {string} */ look, /** @type {string} */ label, /** @type {Kid[]} */ say, /** @type {Kid[]} */ figures) => [`div.lab-line${look}`, ["span.lab-label", label], [`span.lab-said-so${long}`, { lang: "fr" }, ...say], ["span.lab-figures", ...figures]];
  return [
    "div.lab-output",
    many && ["p.lab-name", name],
    line("", words.trained, ready ? sentence(it, before?.ids ?? []) : [], [ready && words.logP(number(logP[0]))]),
    line(isDone ? ".lab-mine" : ".lab-void", words.change, isDone && ready ? sentence(it, after?.ids ?? [], changed) : [words.noChange], isDone && ready ? [words.logP(number(logP[1])), " ", ["b", words.delta(number(delta))]] : []),
    ["div.lab-line.lab-usual", ["span.lab-label", words.usual], usual(it, model)],
  ];
}

/** @param {Look} it @returns {Spec} */
export const outputs = (it) => ["div.lab-outputs", ...it.models.map((/** @type {Model} */ model) => output(it, model))];
