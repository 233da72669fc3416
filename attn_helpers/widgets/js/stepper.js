// @ts-check
// Seq2SeqStepper: one step of an encoder-decoder at a time, [c; y] → state → word.
import { lookAtStep } from "./stepper_look.js";
import { panel, told } from "./stepper_panel.js";
import { strips } from "./stepper_strips.js";
import { feedAt } from "./trace.js";
import { makeRender } from "./view.js";
import { number } from "./words.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./dom.js").Kid} Kid */

const traits = [
  "pairs", "target_words", "sentence", "position", "feeds", "predict", "guess", "language", "_payload", "_layout", "_ids",
];

/** @param {Record<string, any>} state @param {View} view @returns {Kid[]} */
function tree(state, view) {
  const it = lookAtStep(state, view);
  const [title, hint] = told(it);
  return [
    ["div.s-told", ["p.title", ...title], ["p.hint", ...hint]],
    strips(it),
    ...panel(it),
  ];
}

/** The words of a sentence without their elements. @param {any} kid @returns {string} */
const plain = (kid) => (Array.isArray(kid) ? kid.slice(kid[1]?.constructor === Object ? 2 : 1).map(plain).join("") : kid || "");

/** What a screen reader hears some time after a change. @param {Record<string, any>} state @param {View} view */
function spoken(state, view) {
  const it = lookAtStep(state, view);
  const title = told(it)[0].map(plain).join("");
  if (it.asking || !it.now) return title;
  return it.words.spoken(title, it.now.gold === null ? "–" : number(it.now.goldP), it.off, it.steps.length);
}

/** Go to a step, and keep it in sight. @param {number} to @param {View} view @param {Record<string, any>} [more] */
function go(to, view, more) {
  const { all, position } = lookAtStep(view.state, view);
  const next = Math.min(all.length, Math.max(0, to));
  if (next === position && !more) return;
  view.set({ position: next, predict: false, guess: null, ...more }, true);
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const scroll = view.root.querySelector(".attn-s-scroll");
      const stop = /** @type {HTMLElement | null} */ (view.root.querySelector(".attn-s-stop.attn-s-now"));
      if (scroll && stop && scroll.scrollWidth > scroll.clientWidth) scroll.scrollLeft = stop.offsetLeft - scroll.clientWidth / 2;
    }),
  );
}

/** @param {Event} event @param {View} view */
function click({ target }, view) {
  const { position, predict } = view.state;
  const found = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-act],[data-guess],[data-step]"));
  const { act, guess, step } = found?.dataset ?? {};
  if (guess !== undefined) go(position + 1, view, { guess: Number(guess) });
  else if (step !== undefined) go(Number(step), view);
  else if (act === "forward") go(position + 1, view);
  else if (act === "back") predict ? view.set({ predict: false }, true) : go(position - 1, view);
  else if (act === "guess") view.set({ predict: true, guess: null }, true);
}

/** What is fed from this step on; the steps before keep what they were fed. @param {View} view @param {string} feed */
function feedOn(view, feed) {
  const { feeds, position } = view.state;
  const kept = Array.from({ length: position - 1 }, (_, t) => feedAt(feeds, t));
  view.set({ feeds: [...kept, feed], guess: null }, true);
}

/** @param {Event} event @param {View} view */
function input({ target }, view) {
  const { name, value } = /** @type {HTMLInputElement} */ (target);
  if (name.startsWith("feed")) feedOn(view, value);
  else view.set({ sentence: Number(value), position: 0, feeds: ["gold"], predict: false, guess: null }, true);
}

/** @type {Record<string, number>} */
const MOVES = { ArrowLeft: -1, ArrowRight: 1, Home: -999, End: 999 };

/** Arrows go from step to step; one beyond the last makes it. @param {KeyboardEvent} event @param {View} view */
function keydown(event, view) {
  const { step } = /** @type {HTMLElement} */ (event.target).dataset;
  const { key, ctrlKey, altKey, metaKey } = event;
  if (step === undefined || ctrlKey || altKey || metaKey || !(key in MOVES || key === "Enter" || key === " ")) return;
  event.preventDefault();
  const to = key in MOVES ? view.state.position + MOVES[key] : Number(step);
  go(key === "Home" ? 1 : to, view);
  view.save();
  view.draw();
  /** @type {HTMLElement | null} */ (view.root.querySelector('.attn-s-stop[tabindex="0"]'))?.focus();
}

const actions = { click, input, keydown };

export default { render: makeRender({ name: "stepper", traits, tree, spoken, actions }) };
