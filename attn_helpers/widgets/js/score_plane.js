// @ts-check
// ScoreExplorer, first panel: one query and its keys in the plane, until the output lies among the values.
import { argmax, attend, cosine, dot, edgeDistance, hull, max, min, norm, round, shadow } from "./attn.js";
import { action, segments, slider, token } from "./controls.js";
import { barsPicture, columns, outputPicture, planePicture } from "./score_pictures.js";
import { scoreWords } from "./score_words.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./view.js").View} View */
/** What a picture may show. @typedef {import("./attn.js").Attention & {say: any, key_tokens: string[],
 *   query: number[], key_vectors: number[][], value_vectors: number[][], lead: number, chosen: number,
 *   hovered: number | null, font: string, edge: number, told: boolean,
 *   size: (name: string) => import("./geometry.js").Size, tell: (at: number[]) => string,
 *   [trait: string]: any}} Look */

/** So near to the hull's edge, two decimals tell the output hardly apart from it. */
export const NEAR = 0.05;

/** @param {number[]} xs */
const numbers = (xs) => xs.map((x) => number(x));

/** The traits, and all that the first panel shows because of them.
 * @param {Record<string, any>} state @param {View} view @returns {Look} */
export function look(state, view) {
  const { query, key_tokens, key_vectors, value_vectors, score, temperature, challenge, predict, expected } = state;
  const { scores, weights, output } = attend(score, query, key_vectors, value_vectors, temperature);
  const lead = argmax(weights);
  const [trait, i] = view.hover.split("."); // such as key_vectors.2
  const hovered = trait === "key_vectors" && i in key_tokens ? Number(i) : null;
  const pending = predict && !(expected in key_tokens); // nothing may give the answer away
  const chosen = pending ? -1 : (hovered ?? lead); // whose row, arrow and numbers stand out
  const say = scoreWords(state.language);
  const { font, held } = view;
  return /** @type {any} */ ({
    ...state, scores, weights, output, lead, hovered, chosen, pending, say, font, held,
    value: trait === "value_vectors" && key_tokens[i],
    edge: max(0, edgeDistance(output, hull(value_vectors))),
    told: challenge !== null && challenge <= NEAR, // near enough to the edge to hear why it never leaves
    size: (/** @type {string} */ name) => view.size(name),
    tell: (/** @type {number[]} */ at) =>
      pending ? numbers(at).join(", ") : say.tip(numbers(at).join(", "), chosen === lead, key_tokens[chosen], number(weights[chosen])),
  });
}

/** The question over the picture follows what the numbers say. @param {Look} it @returns {Kid[]} */
function question({ say, query_token, key_tokens, target, lead, weights, score, pending }) {
  const q = token(query_token, "q");
  if (pending) return say.asks(q);
  const key = (/** @type {number} */ i) => token(key_tokens[i], "k");
  const near = min(0.005, weights[lead] / 20); // what two decimals can hardly tell apart
  const ahead = weights.flatMap((/** @type {number} */ w, /** @type {number} */ i) => (weights[lead] - w < near ? [i] : []));
  if (ahead.length > 2) return say.ties(ahead.length, ahead.length === weights.length);
  if (ahead.length > 1) return say.tie(...ahead.map(key));
  if (!(target in key_tokens)) return say.wins(q, key(lead));
  return target === lead ? say.finds(q, key(target), score === "cosine") : say.why(q, key(target), key(lead));
}

/** Below it: what to touch, or how the score under the pointer is made. @param {Look} it @returns {Kid[]} */
function hint({ say, query, query_token, key_tokens, key_vectors, scores, weights, score, challenge, told, hovered, held, value, pending, predict, expected, lead }) {
  if (pending) return say.choose;
  if (predict && hovered === null && value === false && challenge === null) {
    const key = (/** @type {number} */ i) => token(key_tokens[i], "k");
    const said = ["span.you", ...say.said(key(expected), number(weights[expected]))];
    return expected === lead ? [said] : [said, ...say.reality(token(query_token, "q"), key(lead), number(weights[lead]))];
  }
  if (challenge !== null && (hovered === null || held)) return told ? say.never : say.tryIt;
  if (value !== false) return say.valueMoves(token(value, "v"));
  if (hovered === null) return say.touch;
  const key = key_vectors[hovered];
  return say.made(score, token(key_tokens[hovered], "k"), {
    length: number(norm(query)),
    shadow: number(shadow(key, query).length),
    dot: number(dot(query, key)),
    score: number(scores[hovered]),
    angle: round((Math.acos(max(-1, min(1, cosine(query, key)))) * 180) / Math.PI),
    q: numbers(query),
    k: numbers(key),
  });
}

/** o = Σᵢ softmaxᵢ(score / τ) vᵢ in the colours of its terms; pointing at one lights up its part. @param {Look} it @returns {Spec} */
function formula({ score, temperature }) {
  const term = (/** @type {string} */ letter, role = letter, index = "i") =>
    [`i.term.${role}`, { "data-part": letter }, letter, ["sub", index]];
  const [o, q, k, v] = [term("o", "v", ""), term("q", "q", ""), term("k"), term("v")];
  const inner = {
    dot: [q, "·", k],
    scaled_dot: [q, "·", k, " / √", ["i", "d"]],
    cosine: [q, "·", k, " / ‖", q, "‖‖", k, "‖"],
    additive: ["1", ["sup", "⊤"], " tanh(", q, " + ", k, ")"],
  }[/** @type {"dot"} */ (score)];
  const cooled = temperature === 1 ? [] : [" / ", ["i", "τ"]];
  return ["p.formula", o, " = Σ", ["sub", ["i", "i"]], " softmax", ["sub", ["i", "i"]], "(", ...inner, ...cooled, ") ", v];
}

/** @param {string} look @param {string} title @param {Kid[]} below @param {number[]} [at] @returns {Spec} */
const head = (look, title, below, at) => [
  `div.head${look}`, { at }, ["p.headline", ["strong", title], ["span.flow"]], ["p.under", ...below],
];

/** @param {Look} it @param {string} serial @param {boolean} changed @returns {Spec} */
function controls({ say, score, temperature, challenge, told, predict, pending }, serial, changed) {
  const step = round(8 * (Math.log2(temperature) + 2)); // from ¼ to 4, eight steps a doubling
  return [
    "div.controls",
    segments("score", serial, say.score, say.kinds, score),
    ["div.temperature",
      ["span.name", say.temperature],
      ["div.scale",
        ...["¼", "½", "1", "2", "4"].map((stop, i) => ["span.note.tick", { style: `left:${25 * i}%` }, stop]),
        slider("temperature", 32, step, say.temperature, number(temperature))]],
    ["div.actions",
      !pending && action("challenge", challenge === null ? say.challenge : told ? say.done : say.giveUp),
      pending ? action("show", say.show) : !predict && challenge === null && action("hide", say.hide),
      action("reset", say.reset, changed)],
  ];
}

/** @param {Record<string, any>} state @param {View} view @param {boolean} changed @returns {Spec} */
export function planePanel(state, view, changed) {
  const it = look(state, view);
  const { say, challenge, edge } = it;
  const { from, axis, full } = columns(it);
  const [q, k, v] = ["q", "k", "v"].map((letter) => [`b.${letter}`, letter]);
  const sum = number(it.weights.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b), 3);
  const below = challenge === null || it.pending ? [say.mean, v] : [say.edge(number(edge), number(min(challenge, edge)))];
  return [
    "div.panel.plane",
    ["div.top", ["p.title", ...question(it)], formula(it)],
    ["p.hint", ...hint(it)],
    ["div.cells", { style: `--reach:${round(from + 8)}px` },
      ["div.cell", head(".reaching", say.drag, say.arrows(it.key_tokens.length, q, k)), planePicture(it)],
      ["div.cell",
        head(".part", say.scores, [it.score === "additive" ? say.untrained : say.fit], [from, 0, axis - from - 14]),
        head(".part", say.weights, [it.pending ? say.hidden : say.softmax + sum], [axis, 0, full + 40]),
        barsPicture(it)],
      ["div.cell.last", head("", say.output, below), outputPicture(it)],
      controls(it, view.serial, changed)],
  ];
}
