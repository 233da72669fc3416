// @ts-check
// Seq2SeqStepper's picture: the encoder's strip above the decoder's, and two separate wires between them.
import { range } from "./trace.js";
import { ramp } from "./geometry.js";
import { leftOf, middleOf, OURS, widthOf } from "./stepper_look.js";
import { stroke, through } from "./svg.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./stepper_look.js").Look} Look */

const [WORD, STATE, LOOK, HANDED, BUS, CONTEXT, READS, MOVED, WRITES] = [0, 28, 64, 92, 120, 140, 168, 204, 248]; // tops, px
const [HIGH, LOW] = [32, 20]; // of a state, of c

/** Numbers from −1 to 1 as strokes up and down from a middle line: a state's fingerprint.
 * @param {number[]} numbers @param {number[]} box x, y, width, height */
function fingerprint(numbers, [x, y, width, height]) {
  const pitch = width / numbers.length;
  return numbers.map((value, i) => `M${(x + (i + 0.5) * pitch).toFixed(1)},${(y + height / 2).toFixed(1)}v${((-value * height) / 2).toFixed(1)}`).join("");
}

/** @param {string} head @param {Look} it @param {number} column @param {number} top @param {number} height @param {number[]} numbers @returns {Kid} */
function cellOf(head, it, column, top, height, numbers) {
  const box = [leftOf(it, column) + 4, top, it.column - 14, height];
  const [x, y, w, h] = box;
  return [`g.s-cell.${head}`, ["rect.s-box", { x, y, width: w, height: h, rx: 3 }], ["path.s-print", { d: fingerprint(numbers, box), "stroke-width": Math.max(0.4, Math.min(3, (0.7 * w) / numbers.length)) }]];
}

/** An arrow from place to place. @param {string} head @param {number[]} from @param {number[]} to @returns {Kid} */
function arrow(head, from, to) {
  const [dx, dy] = [Math.sign(to[0] - from[0]) * 4, Math.sign(to[1] - from[1]) * 4];
  const barb = through([[to[0] - dx - dy * 0.7, to[1] - dy - dx * 0.7], to, [to[0] - dx + dy * 0.7, to[1] - dy + dx * 0.7]]);
  return stroke(`s-arrow${head}`, `${through([from, to])}${barb}`);
}

/** @param {Look} it @returns {Kid[]} */
function encoder(it) {
  const { memory } = it;
  const shift = it.isTwoWay ? 6 : 0; // backward below forward
  const between = memory.states.slice(1).map((_, i) => {
    const [from, to] = [leftOf(it, i + 1) - 10, leftOf(it, i + 1) + 3];
    return ["g", arrow("", [from, STATE + HIGH / 2 - shift], [to, STATE + HIGH / 2 - shift]),
      shift > 0 && arrow("", [to + 1, STATE + HIGH / 2 + shift], [from + 1, STATE + HIGH / 2 + shift])];
  });
  return [["g", ...memory.states.map((numbers, i) => cellOf("s-read", it, i, STATE, HIGH, numbers))], ["g", ...between]];
}

/** The two ways from encoder to decoder: once at the start, and at every step. @param {Look} it @returns {Kid[]} */
function wires(it) {
  const { memory, position, isAttention, now } = it;
  const last = memory.states.length - 1;
  const from = STATE + HIGH;
  const right = middleOf(it, Math.max(0, position - 1));
  const ends = [middleOf(it, last) + 8, middleOf(it, it.shown - 1)];
  const first = it.isTwoWay ? [middleOf(it, 0) - 8, middleOf(it, 0) + 8] : []; // the backward half ends at the first word
  const handed = [[middleOf(it, last) - 8, from], [middleOf(it, last) - 8, HANDED], [42, HANDED], [42, MOVED + HIGH / 2], [leftOf(it, 0) + 3, MOVED + HIGH / 2]];
  const bus = isAttention ? "" : through([[ends[0], from], [ends[0], BUS], [middleOf(it, 0), BUS]]) + through([[ends[0], BUS], [ends[1], BUS]]);
  const looks = now?.weights?.map((weight, s) => {
    const x = middleOf(it, s);
    return ["path.s-beam", { d: through([[x, LOOK + 12], [x, BUS], [right, BUS], [right, CONTEXT]]), "stroke-width": Math.max(0.4, 9 * weight), "stroke-opacity": 0.15 + 0.85 * weight }];
  });
  const drops = range(it.shown).map((t) => !isAttention && arrow(`.s-c${t < position ? "" : ".s-later"}`, [middleOf(it, t), BUS], [middleOf(it, t), CONTEXT - 1]));
  return [
    stroke("s-wire.s-init", through(handed) + through(first.slice(0, 1).flatMap((x) => [[x, from], [x, HANDED]]))),
    stroke("s-wire.s-c", bus && bus + through(first.slice(1).flatMap((x) => [[x, from], [x, BUS]]))),
    ["g", ...(looks ?? [])],
    ["g", ...drops],
  ];
}

/** Steps still to come: c, where it is known beforehand, and an empty place for the state. @param {Look} it @returns {Kid[]} */
const later = (it) =>
  range(it.shown).slice(it.position).map((t) => [
    "g.s-later",
    cellOf(it.isAttention ? "s-void" : "s-given", it, t, CONTEXT, LOW, it.isAttention ? [] : it.memory.final[it.memory.final.length - 1]),
    cellOf("s-void", it, t, MOVED, HIGH, []),
  ]);

/** @param {Look} it @returns {Kid[]} */
function decoder(it) {
  const { steps, position } = it;
  return steps.flatMap((step, t) => {
    const now = t === position - 1 ? ".s-now" : "";
    const x = middleOf(it, t);
    return [
      [`g.s-step${now}`,
        ["g.s-join", cellOf("s-given", it, t, CONTEXT, LOW, step.context), arrow("", [x, READS + 24], [x, MOVED - 2])],
        ["g.s-move", cellOf("s-state", it, t, MOVED, HIGH, step.hidden[step.hidden.length - 1]),
          t > 0 && arrow("", [leftOf(it, t) - 10, MOVED + HIGH / 2], [leftOf(it, t) + 3, MOVED + HIGH / 2])],
        ["g.s-say", arrow("", [x, MOVED + HIGH], [x, WRITES - 2])]],
    ];
  });
}

/** A word in its column. @param {Look} it @param {string} head @param {number} column @param {number} top @param {Kid} kid @param {string} title @returns {Spec} */
const wordAt = (it, head, column, top, kid, title) => [`div.s-word.${head}`, { title, at: [leftOf(it, column) - 3, top, it.column] }, kid];

/** Words of both strips. @param {Look} it @returns {Kid[]} */
function labels(it) {
  const { source, k, q, name, steps, position, now, words, isAttention } = it;
  return [
    ...source.map((text, s) => wordAt(it, "s-source", s, WORD, k(s), text)),
    ...(now?.weights ?? []).map((weight, s) =>
      ["div.s-look", { at: [leftOf(it, s) + 4, LOOK, it.column - 14, 12], title: `${words.looks} ${number(weight)}` },
        ["span.s-ink", { style: `width:${(100 * weight).toFixed(1)}%;background:${ramp(weight)}` }]]),
    ...steps.flatMap(({ reads, own, gold, off }, t) => [
      wordAt(it, `s-in${t === position - 1 ? ".s-now" : ""}`, t, READS, q(reads), name(reads)),
      wordAt(it, `s-out${t === position - 1 ? ".s-now" : ""}`, t, WRITES, q(own), name(own)),
      off && gold !== null ? wordAt(it, "s-gold", t, WRITES + 24, ["span", ["i.s-dot"], q(gold)], `${words.gold}: ${name(gold)}`) : ["div.s-gold"],
    ]),
    ["span.s-name", { at: [0, STATE + HIGH / 2] }, words.state],
    isAttention && ["span.s-name", { at: [0, LOOK + 8] }, words.looks],
    ["span.s-name.s-strong", { at: [0, CONTEXT + LOW / 2] }, words.context],
    ["span.s-name", { at: [0, READS + 12] }, words.reads],
    ["span.s-name", { at: [0, MOVED + HIGH / 2] }, words.state],
    ["span.s-name", { at: [0, WRITES + 11] }, words.writesRow],
    ["span.s-tag", { at: [52, HANDED] }, words.wireState],
    !isAttention && ["span.s-tag", { at: [middleOf(it, 0) + 10, BUS] }, words.wireContext],
  ];
}

/** A place to click for each step, one of them within reach of Tab. @param {Look} it @returns {Kid[]} */
const stops = (it) =>
  Array.from({ length: Math.min(it.all.length, it.position + 1) }, (_, t) => {
    const step = it.steps[t];
    const here = t === Math.max(0, it.position - 1);
    return [
      `div.s-stop${t === it.position - 1 ? ".s-now" : ""}`,
      {
        role: "option", "aria-selected": `${t === it.position - 1}`, tabindex: here ? 0 : -1, "data-step": t + 1, ...OURS,
        at: [leftOf(it, t) - 1, CONTEXT - 6, it.column - 4, 304 - CONTEXT],
        "aria-label": step ? it.words.step(t + 1, it.name(step.reads), it.name(step.own)) : it.words.next(t + 1),
      },
    ];
  });

/** @param {Look} it @returns {Spec} */
export const strips = (it) => [
  "div.s-scroll", { "data-pic": "strips" },
  ["div.s-strips", { style: `width:${widthOf(it)}px`, role: "listbox", "aria-label": it.words.strips, "aria-orientation": "horizontal" },
    ["svg", { "aria-hidden": "true" }, ["g", ...encoder(it)], ["g", ...wires(it)], ["g", ...later(it)], ["g", ...decoder(it)]],
    ["div.s-over", { "aria-hidden": "true" }, ...labels(it)],
    ...stops(it)],
];

