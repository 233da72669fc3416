// @ts-check
// TrainingReplay: guess when a word finds its source, then drag through the training.
import { makeRamp } from "./canvas.js";
import { action } from "./controls.js";
import { nearest } from "./replay.js";
import { curves, lookAtReplay, sentence, sliders, thumbAt } from "./replay_picture.js";
import { readable } from "./tokens.js";
import { makeRender } from "./view.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./replay_picture.js").Look} Look */

const TRAITS =
  "at reached row guess title hint note query_tokens key_tokens language _steps _curves _halves _settles _crossing _gold _payload _shape";
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches; // then Play goes step by step
const TICK = 140; // ms between two snapshots of Play

/** Colours are computed, so they do not follow the theme by themselves. @param {any} view */
function colour(view) {
  const { root, scope } = view;
  if (!view.theme) {
    const watch = new MutationObserver(view.redraw);
    watch.observe(root, { attributeFilter: ["data-theme"] });
    scope.signal.addEventListener("abort", () => {
      watch.disconnect();
      clearInterval(view.playing);
    });
  }
  const theme = root.dataset.theme + getComputedStyle(root).getPropertyValue("--w0"); // before the root is on the page: no colours yet
  if (view.theme !== theme) view.ramp = makeRamp(root);
  view.theme = theme;
}

/** The question, and then the answer. @param {Look} it @returns {string[]} */
function told({ state, words, queries, keys, row, settled, known, steps, guess, reached, last }) {
  const name = readable(queries[row]);
  if (!known) return [state.title || words.title(name), state.hint || words.hint];
  const when = settled === null ? words.never(name)
    : guess === null ? words.plain(name, `${steps[settled]}`)
    : guess === settled ? words.exact(name, `${steps[settled]}`)
    : words.early(name, `${steps[settled]}`, `${steps[guess]}`);
  const [crossed, one, other] = state._crossing;
  const link = (/** @type {number[]} */ [t, s]) => `${readable(queries[t])} → ${readable(keys[s])}`;
  const more = crossed !== undefined && crossed <= reached ? words.crossed(link(one), link(other), `${steps[crossed]}`) : "";
  const halves = state._halves.map((/** @type {number} */ i) => `${steps[i]}`);
  return [when, reached === last ? `${more} ${words.fall(halves[0], halves[1])}`.trim() : more || state.hint || words.hint];
}

/** The chosen row in figures. @param {Look} it */
function readOut({ state, words, queries, keys, row, now, at, steps }) {
  const { top, weights, words: count } = now.rows[row];
  const [loss, aer] = state._curves.map((/** @type {number[]} */ values) => values[at]);
  const link = `${readable(queries[row])} → ${readable(keys[top])} ${number(weights[top])}`;
  return [words.step(`${steps[at]}`), link, words.words(number(count, 1)), words.judged(number(loss), `${Math.round(100 * aer)}`)].join(" · ");
}

/** @param {any} state @param {any} view @returns {Kid[]} */
function tree(state, view) {
  colour(view);
  const it = lookAtReplay(state, view);
  const { words, at, last } = it;
  const [title, hint] = told(it);
  return [
    ["div.r-told", ["p.title", title], ["p.hint", hint]],
    ["div.r-body", ["div.r-left", curves(it), ...sliders(it)], sentence(it)],
    ["div.r-foot",
      ["p.r-read", readOut(it)],
      ["div.r-acts", action("play", view.playing ? words.pause : calm() ? words.next : words.play, at < last || !!view.playing), action("start", words.start, at > 0), action("end", words.reveal, at < last)]],
    ["p.r-note", state.note],
  ];
}

/** What a screen reader hears some time after a change. @param {any} state @param {any} view */
function spoken(state, view) {
  const it = lookAtReplay(state, view);
  return it.known ? `${told(it).join(" ")} ${readOut(it)}` : readOut(it);
}

/** One snapshot further; at the last one it rests. @param {any} view */
function forward(view) {
  const { at, _steps } = view.state;
  if (at < _steps.length - 1) view.set({ at: at + 1, reached: Math.max(view.state.reached, at + 1) });
  if (at + 1 >= _steps.length - 1) stop(view);
}

/** @param {any} view */
function stop(view) {
  clearInterval(view.playing);
  view.playing = 0;
  view.redraw();
}

/** @type {Record<string, (view: any) => void>} */
const ACTS = {
  play: (view) => {
    if (view.playing) stop(view);
    else if (calm()) forward(view);
    else {
      view.playing = setInterval(view.guard(() => forward(view)), TICK);
      view.redraw();
    }
  },
  start: (view) => {
    stop(view);
    view.set({ at: 0 });
  },
  end: (view) => {
    stop(view);
    view.set({ at: view.state._steps.length - 1, reached: view.state._steps.length - 1 });
  },
};

/** @type {Record<string, number>} */
const MOVES = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5, Home: -1e6, End: 1e6 };

/** @param {any} view @param {string} name at or guess @param {number} to */
function move(view, name, to) {
  const { _steps, reached } = view.state;
  const i = Math.max(0, Math.min(_steps.length - 1, to));
  if (view.playing) stop(view);
  view.set(name === "at" ? { at: i, reached: Math.max(reached, i) } : { guess: i });
}

const actions = {
  click: (/** @type {any} */ { target }, /** @type {any} */ view) => {
    const act = target.closest("[data-act]")?.dataset.act;
    if (act) ACTS[act](view);
  },
  input: (/** @type {any} */ { target }, /** @type {any} */ view) => {
    const { name, value, type } = target;
    if (type === "radio") return view.set({ row: Number(value), guess: null });
    const { _steps } = view.state;
    const far = _steps.map((/** @type {any} */ _, /** @type {number} */ i) => Math.abs(thumbAt(_steps, i) - Number(value)));
    move(view, name, far.indexOf(Math.min(...far)));
  },
  keydown: (/** @type {any} */ event, /** @type {any} */ view) => {
    const { target, key, ctrlKey, altKey, metaKey } = event;
    if (target.type !== "range" || !(key in MOVES) || ctrlKey || altKey || metaKey) return;
    event.preventDefault(); // a key goes to the next snapshot, not to the next thousandth of the track
    const { at, guess, _steps } = view.state;
    move(view, target.name, (target.name === "at" ? at : (guess ?? Math.floor(_steps.length / 2))) + MOVES[key]);
  },
  pointerdown: (/** @type {any} */ { target, clientX, button }, /** @type {any} */ view) => {
    const pic = target.closest("[data-pic]");
    if (!pic || button) return;
    const { axis, steps } = lookAtReplay(view.state, view);
    move(view, "at", nearest(clientX - pic.getBoundingClientRect().left, steps, axis));
  },
};

const render = makeRender({ name: "training-replay", traits: TRAITS.split(" "), tree, spoken, actions });
export default { render };
