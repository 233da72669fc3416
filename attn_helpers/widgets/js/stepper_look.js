// @ts-check
// What Seq2SeqStepper shows, computed from its traits: steps made, the one in sight, words by number, places in px.
import { token } from "./controls.js";
import { netOf } from "./gru.js";
import { stepperWords } from "./stepper_words.js";
import { choices, EOS, feedAt, traceOf, UNK } from "./trace.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./trace.js").Traced} Traced */
/** @typedef {ReturnType<typeof lookAtStep>} Look */

export const OURS = { "data-lm-suppress-shortcuts": "true" }; // JupyterLab would swallow the arrows
const GUTTER = 54; // names of the rows
const LEAST = 56; // px of a column

/** The traits, and all that follows from them. @param {Record<string, any>} state @param {View} view */
export function lookAtStep(state, view) {
  const { pairs, target_words, feeds, predict, guess, _payload, _layout, _ids } = state;
  const at = Math.min(state.sentence, pairs.length - 1);
  const words = stepperWords(state.language);
  const [sourceIds, goldIds] = _ids[at];
  const { memory, steps: all } = traceOf(netOf(_payload, _layout), sourceIds, goldIds, feeds);
  const position = Math.min(state.position, all.length);
  const steps = all.slice(0, position);
  /** @type {Traced | undefined} */
  const now = steps[position - 1];
  const asking = predict && position < all.length;
  const name = (/** @type {number} */ id) => words.names[id] ?? target_words[id];
  const source = [...pairs[at][0], words.names[EOS]];
  const places = Math.max(source.length, goldIds.length, all.length);
  const width = view.size("strips").width - GUTTER;
  return {
    state, view, words, memory, all, steps, position, now, asking, source, name, places,
    shown: Math.max(goldIds.length, position), // columns of the decoder
    next: asking ? all[position] : undefined,
    ended: position >= all.length,
    options: asking ? choices(all[position], target_words) : [],
    guess: /** @type {number | null} */ (guess),
    feed: feedAt(feeds, position - 1),
    isTwoWay: _layout.directions === 2,
    isAttention: _layout.score !== "none",
    off: steps.filter((step) => step.off).length,
    q: (/** @type {number} */ id) => (id <= UNK ? ["bdi.token.s-special", name(id)] : token(name(id), "q")),
    k: (/** @type {number} */ s) => (s === source.length - 1 ? ["bdi.token.s-special", source[s]] : token(source[s], "k")),
    column: Math.min(150, Math.max(LEAST, Math.floor(width / places))),
  };
}

/** Middle of a column, px. @param {Look} it @param {number} i */
export const middleOf = ({ column }, i) => GUTTER + column * (i + 0.5);

/** Left end of a column, px. @param {Look} it @param {number} i */
export const leftOf = ({ column }, i) => GUTTER + column * i;

/** Of the whole picture, px: it may be wider than its place, which then scrolls. @param {Look} it */
export const widthOf = ({ column, places }) => GUTTER + column * places;
