// @ts-check
// Every word TrainingReplay shows or speaks, by language.

/** @typedef {string} S a number or name, ready to be shown */

const english = {
  title: (/** @type {S} */ word) => `When does ${word} find its word for good?`,
  hint: "Set your guess, in purple, on the axis of steps. Then drag the lower slider through the training.",
  early: (/** @type {S} */ word, /** @type {S} */ step, /** @type {S} */ guess) => `${word} was right from step ${step} on; you said ${guess}.`,
  exact: (/** @type {S} */ word, /** @type {S} */ step) => `${word} was right from step ${step} on, just as you said.`,
  plain: (/** @type {S} */ word, /** @type {S} */ step) => `${word} was right from step ${step} on.`,
  never: (/** @type {S} */ word) => `${word} had not settled when the training ended.`,
  fall: (/** @type {S} */ loss, /** @type {S} */ aer) => `The loss was half-way down at step ${loss}, the alignments at step ${aer}.`,
  curves: ["loss, nats per word", "AER, share of links wrong", "entropy, nats"],
  steps: "steps of training, on a logarithmic scale",
  half: (/** @type {S} */ step) => `half-way ${step}`,
  crossing: "crossing",
  crossed: (/** @type {S} */ one, /** @type {S} */ other, /** @type {S} */ step) => `${one} and ${other} cross from step ${step} on.`,
  guess: "your guess",
  moment: "moment of the training",
  step: (/** @type {S} */ step) => `step ${step}`,
  unset: "not set",
  rows: "which word to ask about",
  looks: (/** @type {S} */ word, /** @type {S} */ at, /** @type {S} */ weight) => `${word} looks most at ${at}, ${weight}`,
  words: (/** @type {S} */ count) => `looks at ${count} words`,
  judged: (/** @type {S} */ loss, /** @type {S} */ aer) => `loss ${loss} · AER ${aer} %`,
  play: "Play",
  pause: "Pause",
  next: "Next snapshot",
  start: "Back to the start",
  reveal: "Show the end",
  ghost: "dashed: strongest at the end · dot: sure link · ring: possible link",
};

const REPLAY_WORDS = /** @type {Record<string, typeof english>} */ ({ en: english });

/** @param {string} language @returns {typeof english} */
export const replayWords = (language) => (Object.hasOwn(REPLAY_WORDS, language) ? REPLAY_WORDS[language] : english);
