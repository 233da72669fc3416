// @ts-check
// ScoreExplorer, first panel: one query and its keys in the plane, until the output lies among the values.
import { argmax, attend, cosine, dot, edgeDistance, hull, norm, shadow } from "./attn.js";
import { action, segments, slider, token } from "./controls.js";
import { barsPicture, columns, outputPicture, planePicture } from "./score_pictures.js";
import { number, wordsOf } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */

export const TEMPERATURE_STEPS = 32; // from ¼ to 4, eight steps a doubling
/** @param {number} step */
export const temperatureAt = (step) => 2 ** (step / 8 - 2);
/** @param {number} temperature */
const stepOf = (temperature) => Math.round(8 * (Math.log2(temperature) + 2));

/** All that the first panel shows, computed from the traits. @param {any} state @param {any} local */
export function look(state, local) {
  const { query, key_tokens, key_vectors, value_vectors, score, temperature } = state;
  if (new Set([key_tokens.length, key_vectors.length, value_vectors.length]).size > 1) {
    throw new Error("key_tokens, key_vectors and value_vectors need one entry for each key");
  }
  const words = wordsOf(state.language);
  const attention = attend(score, query, key_vectors, value_vectors, temperature);
  const lead = argmax(attention.weights);
  const rest = attention.weights.map((w, i) => (i === lead ? 0 : w));
  const hovered = /^k/.test(local.hover ?? "") ? Number(local.hover.slice(1)) : null;
  const hoveredKey = hovered !== null && hovered < key_tokens.length ? hovered : null;
  return {
    state,
    words,
    attention,
    lead,
    second: argmax(rest),
    tied: rest.length > 1 && attention.weights[lead] - Math.max(...rest) < 0.005,
    hoveredKey,
    chosen: hoveredKey ?? lead, // whose row, arrow and numbers stand out
    edge: edgeDistance(attention.output, hull(value_vectors)),
    tell: (/** @type {number[]} */ at) =>
      words.tip(at.map((x) => number(x)).join(", "), key_tokens[lead], number(attention.weights[lead])),
  };
}

/** @typedef {ReturnType<typeof look>} Look */

/** The question over the picture follows what the numbers say. @param {Look} it @returns {Kid[]} */
function question(it) {
  const { query_token, key_tokens, target, score } = it.state;
  const q = token(query_token, "q");
  const key = (/** @type {number} */ i) => token(key_tokens[i], "k");
  if (key_tokens.length === 1) return it.words.only(q, key(0));
  if (it.tied) return it.words.tie(key(it.lead), key(it.second));
  if (target === null || !(target in key_tokens)) return it.words.wins(q, key(it.lead));
  if (target !== it.lead) return it.words.why(q, key(target), key(it.lead));
  return score === "cosine" ? it.words.findsByAngle(q, key(target)) : it.words.finds(q, key(target));
}

/** One line below it: what to touch, or how the score under the pointer is made.
 * @param {Look} it @param {any} local @returns {Kid[]} */
function hint(it, local) {
  const { query, key_vectors, key_tokens, score, challenge } = it.state;
  if (challenge !== null && it.hoveredKey === null) return [challenge <= 0.05 ? it.words.never : it.words.tryIt];
  if (/^v/.test(local.hover ?? "")) return it.words.valueMoves(token(key_tokens[local.hover.slice(1)] ?? "", "v"));
  if (it.hoveredKey === null) return [it.words.touch];
  const key = key_vectors[it.hoveredKey];
  return it.words.made[/** @type {"dot"} */ (score)](token(key_tokens[it.hoveredKey], "k"), {
    length: number(norm(query)),
    shadow: number(shadow(key, query).length),
    dot: number(dot(query, key)),
    score: number(it.attention.scores[it.hoveredKey]),
    angle: ((Math.acos(Math.max(-1, Math.min(1, cosine(query, key)))) * 180) / Math.PI).toFixed(0),
    q: query.map((/** @type {number} */ x) => number(x)),
    k: key.map((/** @type {number} */ x) => number(x)),
  });
}

/** o = Σ softmax(score / τ) v, its terms in their colours; pointing at one lights up its part.
 * @param {Look} it @returns {Spec} */
function formula(it) {
  const { score, temperature } = it.state;
  const term = (/** @type {string} */ letter, /** @type {string} */ role, index = "") => /** @type {Spec} */ ([
    "i", { class: `attn-term attn-${role}`, "data-part": role }, letter, index && ["sub", {}, index],
  ]);
  const [o, q, k, v] = [term("o", "v"), term("q", "q"), term("k", "k", "i"), term("v", "v", "i")];
  o[1] = { class: "attn-term attn-v", "data-part": "o" };
  const inner = {
    dot: [q, "·", k],
    scaled_dot: [q, "·", k, " / √", ["i", {}, "d"]],
    cosine: [q, "·", k, " / ‖", q, "‖‖", k, "‖"],
    additive: ["1ᵀ tanh(", q, " + ", k, ")"],
  }[/** @type {"dot"} */ (score)];
  const cooled = temperature === 1 ? [] : [" / ", ["i", {}, "τ"]];
  return [
    "span",
    { class: "attn-formula", role: "math", "aria-label": it.words.formula(score, temperature !== 1) },
    o, " = Σ", ["sub", {}, ["i", {}, "i"]], " softmax(", ...inner, ...cooled, ") ", v,
  ];
}

/** @param {string} title @param {Kid[]} below @param {string} [look] @param {string} [style] @returns {Spec} */
const head = (title, below, look = "", style = undefined) => [
  "div",
  { class: `attn-head ${look}`, style },
  ["span", { class: "attn-headline" }, ["strong", {}, title], ["span", { class: "attn-flow" }]],
  ["span", { class: "attn-under" }, ...below],
];

/** @param {any} state @param {any} local @returns {Spec} */
export function planePanel(state, local) {
  const it = look(state, local);
  const { words } = it;
  const size = (/** @type {string} */ name, width = 296) => local.sizes[name] ?? { width, height: 216 };
  const at = columns(size("bars", 338), state.key_tokens, local.font);
  const sum = it.attention.weights.reduce((a, b) => a + b, 0);
  const { challenge } = state;
  const changed = ["query", "key_vectors", "value_vectors", "score", "temperature"].some(
    (name) => JSON.stringify(state[name]) !== JSON.stringify(state._start[name]),
  );
  const under =
    challenge === null
      ? words.mean(["b", { class: "attn-v" }, "v"])
      : [words.edge(number(it.edge), number(Math.min(challenge || it.edge, it.edge)))];
  const step = stepOf(state.temperature);
  return [
    "div",
    { class: "attn-panel attn-panel-plane", role: "group", "aria-label": words.planePanel },
    ["div", { class: "attn-top" }, ["p", { class: "attn-title" }, ...question(it)], formula(it)],
    ["p", { class: "attn-hint" }, ...hint(it, local)],
    ["div", { class: "attn-cells", style: `--reach:${(at.scores + 8).toFixed(0)}px` },
      ["div", { class: "attn-cell attn-cell-plane" },
        head(words.drag, words.arrows(state.key_tokens.length, ["b", { class: "attn-q" }, "q"], ["b", { class: "attn-k" }, "k"]), "attn-head-plane"),
        planePicture(it, size("plane"), local.font)],
      ["div", { class: "attn-cell attn-cell-bars" },
        ["div", { class: "attn-heads" },
          head(words.scores, [words.fit[/** @type {"dot"} */ (state.score)]], "", `left:${at.scores}px;width:${at.axis - at.scores - 14}px`),
          head(words.weights, [words.softmax(number(sum, 3))], "", `left:${at.axis}px;right:0`)],
        barsPicture(it, size("bars", 338), local.font)],
      ["div", { class: "attn-cell attn-cell-output" },
        head(words.output, under, "attn-head-last"),
        outputPicture(it, size("output", 246), local.font)],
      ["div", { class: "attn-cell attn-controls" },
        segments("score", local.serial, words.score, Object.entries(words.kinds), state.score),
        ["div", { class: "attn-temperature" },
          ["span", { class: "attn-name" }, words.temperature],
          ["div", { class: "attn-scale" },
            ...["¼", "½", "1", "2", "4"].map((stop, i) => /** @type {Spec} */ (["span", { class: "attn-stop", style: `left:${25 * i}%` }, stop])),
            slider("temperature", TEMPERATURE_STEPS, step, words.temperature, number(state.temperature))]],
        ["div", { class: "attn-actions" },
          action("reset", words.reset, changed),
          action("challenge", challenge === null ? words.challenge : challenge <= 0.05 ? words.challengeDone : words.challengeOn)]]],
  ];
}
