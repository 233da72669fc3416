// @ts-check
// ScoreExplorer, second panel: what more dimensions do to the weights, and which divisor keeps them still.
import { argmax, max, softmax } from "./attn.js";
import { action, handle, segments, slider } from "./controls.js";
import { ramp } from "./geometry.js";
import { disc, line, note, path, picture, rect } from "./score_pictures.js";
import { scoreWords, small } from "./score_words.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./geometry.js").Size} Size */
/** @typedef {"1" | "sqrt" | "d"} Divisor */
/** @typedef {ReturnType<typeof measured>} Measured */

const DIVIDE = { 1: () => 1, sqrt: Math.sqrt, d: (/** @type {number} */ d) => d };

/** All that the panel shows, computed from the traits. @param {Record<string, any>} state @param {View} view */
function measured({ _sharpness, width, divisor, reach, guess, language }, view) {
  const { widths, top, gradient, draw, meta } = _sharpness;
  const index = max(0, widths.indexOf(width));
  const weights = (/** @type {number} */ i, /** @type {Divisor} */ by) =>
    softmax(draw.dots[i].map((/** @type {number} */ x) => x / DIVIDE[by](widths[i])));
  return {
    say: scoreWords(language),
    widths: /** @type {number[]} */ (widths),
    last: widths.length - 1,
    index,
    reached: max(index, widths.indexOf(reach)), // a curve stays where it has been drawn
    divisor: /** @type {Divisor} */ (divisor),
    guess: /** @type {number | null} */ (guess),
    curves: /** @type {Record<Divisor, number[]>} */ (top),
    top: /** @type {number} */ (top[divisor][index]),
    gradient: /** @type {number} */ (gradient[divisor][index]),
    draws: meta.draws,
    weights: weights(index, divisor),
    ghost: index ? weights(0, divisor) : [], // where these bars started
    size: (/** @type {string} */ name) => view.size(name),
  };
}

/** Title and explanation: what the numbers say, and what to do next. @param {Measured} it */
function told({ say, widths, curves, divisor, guess, index, last, reached, top }) {
  const [d, end, shown, name] = [widths[index], widths[last], number(top), say.divisors[divisor]];
  const plain = divisor === "1";
  if (plain && !reached) return [say.give(end), guess === null ? say.guessFirst : say.guessMade(number(guess), end)];
  const change = top - curves[1][0]; // against the start, undivided
  if (plain && reached === last) {
    const said = guess === null ? "" : say.expected(number(guess));
    return [top > 0.995 ? say.takesAll(d) : say.onTheWay(d, shown), said + say.pick];
  }
  if (plain || !index || change > 0.08) return [(plain ? "" : `${name}: `) + say.onTheWay(d, shown), say.dragOn(end)];
  return change < -0.08 ? [say.flattens(name, d, shown), say.tryOther] : [say.holds(name, d, widths[0]), say.compare];
}

/** A chart of shares from 0 to 1: where a share lies, and what a height stands for.
 * @param {Size} size @param {number} left @param {number} right */
export function chart({ height }, left = 0, right = 0) {
  const bottom = height - 44;
  const y = (/** @type {number} */ share) => bottom - share * (height - 64);
  const across = (/** @type {string} */ head, /** @type {number} */ share) => line(head, [[left, y(share)], [right, y(share)]]);
  const shareAt = (/** @type {number} */ px) => (bottom - px) / (height - 64);
  return { bottom, y, shareAt, lines: ["g", across("grid", 1), across("grid", 0.5), across("axis", 0)] };
}

/** Eight weights of one draw; dashed, where they started under the same divisor. @param {Measured} it */
function barsChart({ say, weights, ghost, widths, size }) {
  const left = 26;
  const { width } = size("dims");
  const { bottom, y, lines } = chart(size("dims"), left, width);
  const pitch = (width - left) / weights.length;
  const bar = (/** @type {string} */ head, /** @type {number} */ i, /** @type {number} */ w, style = "") =>
    rect(head, [left + (i + 0.1) * pitch, y(w), 0.8 * pitch, bottom - y(w)], style);
  const best = argmax(weights);
  return picture(
    "dims",
    [
      lines,
      ["g.step-2", ...weights.map((w, i) => bar("weight", i, w, `fill:${ramp(w)}`))],
      ["g", ...ghost.map((w, i) => bar("ghost", i, w))],
    ],
    ...["0", ".5", "1"].map((w) => note("tick.left", [left - 10, y(Number(w))], w)),
    note("above.strong", [left + (best + 0.5) * pitch, y(max(weights[best], ghost[best] ?? 0)) - 3], number(weights[best])),
    note("caption", [left, bottom + 31], say.bars(weights.length) + (ghost.length ? say.ghost(widths[0]) : "")),
  );
}

/** Medians against d: the axis is the slider. @param {Measured} it */
function curveChart({ say, widths, last, index, reached, divisor, guess, curves, top, draws, size }) {
  const [left, right] = [18, size("curve").width - 62];
  const { bottom, y, lines } = chart(size("curve"), left, right);
  const x = (/** @type {number} */ i) => left + ((right - left) * i) / last;
  const open = !reached; // a guess can still be made
  const asked = open || guess !== null;
  const mark = [right, y(guess ?? 0.5)];
  const said = guess === null ? say.noGuess : number(guess);
  const shown = /** @type {Divisor[]} */ (["1", "d", "sqrt"]).filter((by) => by === divisor || (divisor !== "1" && reached > 1));
  const ends = shown.map((by) => [x(reached) + 12, y(curves[by][reached])]);
  const on = (/** @type {Divisor} */ by, /** @type {string} */ look) => (by === divisor ? look : "");
  return picture(
    "curve",
    [
      lines,
      ["g", ...widths.map((_, i) => line("axis", [[x(i), bottom], [x(i), bottom + 5]]))],
      asked && line("dots.you", [[right, y(1)], [right, bottom]]),
      ["g", ...shown.map((by) => [
        `path.curve${on(by, ".on")}`,
        { d: path(curves[by].slice(0, reached + 1).map((share, i) => [x(i), y(share)])) },
      ])],
      disc("dot", [x(index), y(top)], 5),
      open && ["path.way", { d: `M${left + 17},${bottom}h22m-7,-5l7,5l-7,5` }],
      asked && !open && disc("ring.you", mark, 8),
    ],
    note("caption", [left, 2], say.median(draws)),
    ...shown.map((by, i) => reached > 1 && note(`end${on(by, ".strong")}`, ends[i], say.divisors[by])),
    ...widths.map((w, i) => (i === index || [0, 2, 5, last].includes(i)) &&
      note(`tick${i === index ? ".strong" : ""}`, [x(i), bottom + 31], i ? `${w}` : `d = ${w}`)),
    asked && note("yours.you", [right - 16, mark[1]], open ? say.yourGuess : say.youSaid(said)),
    open && handle(`you${guess === null ? ".unset" : ""}`, "guess", mark, say.guess(widths[last]), said, 100 * (guess ?? 0.5)),
    slider("width", last, index, say.width, `d = ${widths[index]}`, [left - 10, bottom, right - left + 20]),
  );
}

/** The panel in words. @param {Record<string, any>} state @param {View} view */
export function dimensionsTold(state, view) {
  const it = measured(state, view);
  const { say, top, gradient } = it;
  return `${told(it)[0]} ${say.top}: ${number(top)}; ${say.gradient}: ${small(gradient)}`;
}

/** @param {Record<string, any>} state @param {View} view @param {boolean} changed @returns {Spec} */
export function dimensionsPanel(state, view, changed) {
  const it = measured(state, view);
  const { say, divisor, top, gradient } = it;
  const [title, hint] = told(it);
  const reading = (name = "", value = "", means = "") =>
    ["p.reading", ["span.name", name], " ", ["b", value], means && ["span.means", means]];
  return [
    "div.panel.dims",
    ["p.title", title],
    ["p.hint", hint],
    ["div.cells",
      barsChart(it),
      curveChart(it),
      ["div.readings",
        reading(say.top, number(top)),
        reading(say.gradient, small(gradient), say.moves),
        segments("divisor", view.serial, say.divisor, say.divisors, divisor),
        action("again", say.again, changed)]],
  ];
}
