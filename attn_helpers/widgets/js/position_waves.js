// @ts-check
// PositionWaves: sinusoids as stripes and clock hands, how alike any two positions are, and what shuffled words change.
import { max, min, round } from "./attn.js";
import { action, dragging, segments } from "./controls.js";
import { COLLIDE, change, wholeTurns } from "./waves.js";
import { wavesBeside, wavesOrders } from "./waves_beside.js";
import { lookAtWaves, wavesPicture } from "./waves_picture.js";
import { makeRender } from "./view.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./waves_picture.js").WavesLook} WavesLook */

const traits = ["positions", "width", "base", "position", "pair", "challenge", "predict", "guess", "order", "title", "hint", "language", "_answers"];
const STOPS = /** @type {Record<string, number[]>} */ ({ width: [2, 4, 8, 16, 32, 64], base: [10, 100, 1000, 10000], positions: [16, 32, 64, 128] });

/** The question, or what happened, and a line about it. @param {WavesLook} it @param {View} view @returns {[string, string]} */
function told({ state, words, position, far, alike, twins, guess, predict, width }, view) {
  const most = alike[twins[0]];
  const apart = Math.abs(position - twins[0]);
  if (predict) return [words.predict(position, far), words.predictHint];
  if (guess !== null) return [words.guessed(number(guess), number(alike[far])), alike[far] > 0.3 ? words.plateau : words.movedHint];
  if (state.challenge && most >= COLLIDE) {
    const whole = wholeTurns(apart);
    return [words.met(position, twins[0], number(most, 4)), whole ? words.turns(apart, whole, number(apart / (2 * Math.PI), 3), width === 2) : words.alike];
  }
  if (state.challenge) return [words.challenge, words.challengeHint(number(COLLIDE, 4))];
  if ("position" in view.changed) return [state.title || words.moved, state.hint || words.movedHint];
  return [state.title || words.title, state.hint || words.hint(position)];
}

/** Numbers to choose one from; one that Python set stands among them. @param {WavesLook} it @param {string} trait @param {string} serial @returns {Spec} */
function choice({ state, words }, trait, serial) {
  const stops = [...new Set([...STOPS[trait], state[trait]])].sort((a, b) => a - b);
  const label = /** @type {Record<string, any>} */ (words)[trait];
  return ["div.w-choice", ["span.name", label], segments(trait, serial, label, Object.fromEntries(stops.map((n) => [`${n}`, `${n}`])), `${state[trait]}`)];
}

/** @param {WavesLook} it @param {string} serial @returns {Spec} */
const controls = (it, serial) => [
  "div.w-controls",
  choice(it, "width", serial),
  ["details.w-fold", ["summary", it.words.more], choice(it, "base", serial), choice(it, "positions", serial)],
  ["div.w-actions",
    it.predict ? action("leave", it.words.leave) : action("challenge", it.state.challenge ? it.words.stop : it.words.start),
    !it.state.challenge && action(it.predict ? "look" : "first", it.predict ? it.words.look : it.words.first, !it.predict || it.guess !== null)],
];

/** @param {Record<string, any>} state @param {View} view @returns {Kid[]} */
function tree(state, view) {
  const it = lookAtWaves(state, view);
  const [title, hint] = told(it, view);
  return [
    ["div.w-told", ["p.title", title], ["p.hint", hint]],
    ["div.w-body", wavesPicture(it), wavesBeside(it)],
    controls(it, view.serial),
    wavesOrders(state, view, it.words),
  ];
}

/** What a screen reader hears some time after a change. @param {Record<string, any>} state @param {View} view */
function spoken(state, view) {
  const it = lookAtWaves(state, view);
  const { words, position, twins, alike, predict, pair } = it;
  if ("order" in view.changed) {
    const { _answers, order } = state;
    const [none, some] = ["none", "sinusoids"].map((kind) => number(change(_answers[kind][0], _answers[kind][order])));
    return words.read(_answers.orders[order].map((/** @type {number} */ i) => _answers.words[i]).join(" "), none, some);
  }
  if ("pair" in view.changed && pair >= 0) {
    const [sine, cosine] = it.table[position].slice(2 * pair);
    return `${words.clock(pair)}. ${words.hand(position, number(sine), number(cosine))}`;
  }
  return `${told(it, view).join(" ")} ${predict ? "" : words.at(position, twins, number(alike[twins[0]]))}`;
}

/** Change traits, and what must fit them; a guess belongs to one curve. @param {View} view @param {Record<string, any>} changes */
function move(view, changes) {
  const { position, positions, pair, width, predict, guess } = { ...view.state, ...changes };
  const stale = !predict && guess !== null && ["position", "positions", "width", "base"].some((name) => name in changes);
  view.set({
    ...changes,
    ...(position >= positions && { position: positions - 1 }),
    ...(pair !== null && pair >= width / 2 && { pair: width / 2 - 1 }),
    ...(stale && { guess: null }),
  });
}

/** Where in the picture an event is, px. @param {MouseEvent} event @returns {number[] | null} */
function spot({ target, clientX, clientY }) {
  const found = /** @type {Element} */ (target).closest('[data-pic="waves"]');
  if (!found) return null;
  const { left, top } = found.getBoundingClientRect();
  return [clientX - left, clientY - top];
}

const rounded = (/** @type {number} */ x) => round(100 * x) / 100;

/** @type {Record<string, (state: Record<string, any>) => Record<string, any>>} */
const ACTS = {
  challenge: ({ challenge }) => ({ challenge: !challenge, guess: null }),
  first: () => ({ predict: true, guess: null }),
  leave: () => ({ predict: false, guess: null }),
  look: () => ({ predict: false }),
  shuffle: ({ order, _answers }) => ({ order: (order + 7) % _answers.orders.length || 7 }), // comes by every order
  back: () => ({ order: 0 }),
};

/** Where to go on from, when an action takes itself away. @type {Record<string, string>} */
const NEXT = { first: "[data-handle=guess]", leave: "[data-act=first]" };

/** @param {MouseEvent} event @param {View} view */
function click(event, view) {
  const { act, handle } = /** @type {HTMLElement} */ (event.target).dataset;
  const at = spot(event);
  if (act) move(view, ACTS[act](view.state));
  if (act && NEXT[act]) view.focus(NEXT[act]);
  else if (at && !handle) {
    const { places, predict } = lookAtWaves(view.state, view);
    const pair = places.pairAt(at[0]);
    if (predict && at[0] > places.middle) move(view, { guess: rounded(places.alikeAt(at[0])) });
    else move(view, pair < 0 ? { position: places.rowAt(at[1]) } : { pair, position: places.rowAt(at[1]) });
  }
}

/** @type {Record<string, number>} */
const KEYS = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1, PageUp: -8, PageDown: 8, Home: -999, End: 999 };

/** Arrows move the position as the rows lie, and the guess along its axis. @param {KeyboardEvent} event @param {View} view */
function keydown(event, view) {
  const { key, ctrlKey, altKey, metaKey } = event;
  const { handle } = /** @type {HTMLElement} */ (event.target).dataset;
  if (!handle || !(key in KEYS) || ctrlKey || altKey || metaKey) return;
  event.preventDefault();
  const { position, positions, guess } = view.state;
  const rise = key === "ArrowUp" || key === "ArrowDown" ? -KEYS[key] : KEYS[key];
  if (handle === "guess") move(view, { guess: rounded(max(-1, min(1, (guess ?? 0.5) + 0.05 * rise))) });
  else move(view, { position: max(0, min(positions - 1, position + KEYS[key])) });
}

/** @param {Event} event @param {View} view */
function input({ target }, view) {
  const { name, value } = /** @type {HTMLInputElement} */ (target);
  move(view, { [name.split(" ")[0]]: Number(value) });
}

/** The row and the pair under the pointer. @param {PointerEvent} event @param {View} view */
function point(event, view) {
  const at = event.type === "pointerleave" || view.held ? null : spot(event);
  const { places } = lookAtWaves(view.state, view);
  const inside = at && at[1] > places.top && at[1] < places.bottom && at[0] > places.left - 8;
  const hover = inside ? `${places.rowAt(at[1])} ${places.pairAt(at[0])}` : "";
  if (hover === view.hover) return;
  view.hover = hover;
  view.redraw();
}

const { pointermove, ...drags } = dragging((id, [x, y], view) => {
  const { places } = lookAtWaves(view.state, view);
  view.hover = "";
  move(view, id === "guess" ? { guess: rounded(places.alikeAt(x)) } : { position: places.rowAt(y) });
});

const actions = {
  ...drags, click, keydown, input, pointerleave: point,
  pointermove: (/** @type {PointerEvent} */ event, /** @type {View} */ view) => (view.held ? pointermove(event, view) : point(event, view)),
};

export default { render: makeRender({ name: "position-waves", traits, tree, spoken, actions }) };
