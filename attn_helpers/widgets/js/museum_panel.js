// @ts-check
// The parts of MuseumRoom: exhibits to choose from, two lines of code, the loss, what is said, the numbers.
import { action } from "./controls.js";
import { isFine, spelled } from "./museum.js";
import { line, note, picture, stroke, through } from "./svg.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./museum_look.js").Look} Look */

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;

/** One of several, by radio. @param {string} head @param {string} name @param {number} value @param {boolean} checked
 * @param {Kid[]} say @returns {Spec} */
const choice = (head, name, value, checked, ...say) => [`label.segment${head}`, ["input", { type: "radio", name, value: `${value}`, checked }], ...say];

/** @param {Look} it @returns {Spec} */
export const exhibits = ({ state, words, view }) => [
  "div.segments.u-exhibits",
  { role: "radiogroup", "aria-label": words.rooms },
  ...state._room.exhibits.map((/** @type {any} */ { short }, /** @type {number} */ i) => {
    const seen = state.guesses[i] !== null && i !== state.shown;
    return choice(seen ? ".u-seen" : "", `shown ${view.serial}`, i, i === state.shown, ["span", short, seen && ["span.unseen", `, ${words.seen}`]]);
  }),
];

/** The two lines; the one that is chosen runs. @param {Look} it @returns {Spec} */
export const code = ({ state, words, lines, exhibit, view }) => [
  "div.u-lines",
  ["p.u-where", ...words.where(exhibit.place)],
  ["div.u-pair", { role: "radiogroup", "aria-label": words.lines },
    ...lines.map(([before, own, after], i) => choice(
      i ? ".u-wrong" : ".u-right", `fault ${view.serial}`, i, !!i === state.fault,
      ["span.u-line", ["span.u-tag", words.sides[i]], ["code.u-code", before, ["b", own], after]]))],
];

/** The curve of the line that runs; beside it the other's, once the answer is told. @param {Look} it @returns {Spec} */
export function loss(it) {
  const { chart, state, words, exhibit, right, revealed } = it;
  const { left, right: end, most, x, y, points, ticks } = chart;
  const both = [right.loss, exhibit.loss];
  const told = both.map((values) => words.curve(number(values[0]), number(values[values.length - 1])));
  const on = Number(state.fault);
  const drawn = [0, most].map((level) => line(level ? "grid" : "axis", [left, y(level)], [end, y(level)]));
  drawn.push(stroke("u-other", revealed ? through(points(both[1 - on])) : ""), stroke(`u-runs${on ? ".u-bad" : ""}`, through(points(both[on]))));
  const last = state._room.steps;
  const over = [
    ...[0, most].map((level) => note("u-level", [left - 8, y(level)], `${level}`)),
    ...[0, last / 2, last].map((stop) => note(`tick${stop === last ? ".u-last" : ""}`, [x(stop), ticks], stop ? `${stop}` : `${words.steps} 0`)),
  ];
  const keys = told.map((say, i) => (revealed || i === on) && [`span.u-key${i === on ? ".u-now" : ""}${i ? ".u-bad" : ""}`, words.curves[i], " ", [i === on ? "b" : "span", say]]);
  const same = revealed && !exhibit.trains && ["span.u-key", words.same];
  return [
    "div.u-loss",
    ["p.u-name", words.loss],
    ["div", { role: "img", "aria-label": words.picture(last, words.curves[on], told[on]) }, picture("loss", drawn, ...over)],
    ["p.u-keys", ...keys, same],
  ];
}

/** What the model writes by itself, and in whose company the map was made. @param {Look} it @returns {Spec} */
export const says = ({ words, runs }) => [
  "div.u-says",
  ["p.u-beside", words.beside],
  ["p.u-writes", words.says, " ", ["bdi.token.u-said", runs.said.join(" ")], !runs.ended && words.cut],
];

/** The numbers: buttons before the guess, values after it. @param {Look} it @returns {Spec} */
export function numbers(it) {
  const { words, revealed, guess, exhibit, right } = it;
  const named = (/** @type {any} */ n) => [["b.u-short", n.short], ["span.u-about", n.says]];
  const cells = (/** @type {any} */ n, /** @type {number} */ i) => {
    if (!revealed) return [["button.u-pick", { type: "button", "data-guess": i }, ...named(n)]];
    const ok = isFine(exhibit.values[i], n);
    return [
      ["div.u-pick", ...named(n)],
      ["span.u-value", ["span.unseen", words.about(words.head[1])], spelled(right.values[i])],
      [`span.u-value${ok ? "" : ".u-bad"}`, ["span.unseen", words.about(words.head[2])], spelled(exhibit.values[i])],
      [`span.u-verdict${ok ? "" : ".u-bad"}`, ok ? words.fine : words.caught],
    ];
  };
  return [
    "div.u-numbers",
    ["p.u-head", { "aria-hidden": "true" }, ...(revealed ? words.head.map((word) => ["span", word]) : [["span", words.choose]])],
    ["ol.u-list", ...it.numbers.map((/** @type {any} */ n, /** @type {number} */ i) => [
      `li.u-number${revealed ? ".u-told" : ""}${i === guess ? ".u-yours" : ""}`, ...cells(n, i), i === guess && ["span.unseen", words.yours]])],
  ];
}

/** How the guess fared. @param {Look} it @returns {string} */
export function verdict({ words, guess, caught, exhibit, numbers: all }) {
  const own = all[exhibit.number].short;
  if (guess === null) return words.ask;
  if (guess < 0) return words.shown(own);
  if (guess === exhibit.number) return words.hit(own);
  return caught.includes(guess) ? words.also(all[guess].short, own) : words.missed(all[guess].short, own);
}

/** @param {Look} it @returns {Spec} */
export function foot(it) {
  const { state, words, revealed, exhibit, right } = it;
  const others = state._room.exhibits;
  const next = others[(state.shown + 1) % others.length];
  const told = revealed ? [["p.u-because", exhibit.because], ["p.u-exact", words.exact(percent(right.exact), percent(exhibit.exact))]] : [];
  return ["div.u-foot", ...told, ["div.u-acts", revealed ? others.length > 1 && action("next", words.next(next.short)) : action("show", words.show)]];
}
