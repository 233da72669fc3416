// @ts-check
// The three pictures of ScoreExplorer's plane: arrows, bars, hull.
import { abs, hull, hypot, max, min, norm, shadow } from "./attn.js";
import { handle, token } from "./controls.js";
import { textWidth } from "./dom.js";
import { along, direction, legible, placeLabels, plane, ramp, ticks } from "./geometry.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./geometry.js").Vector} Vector */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./geometry.js").Size} Size */
/** @typedef {import("./geometry.js").Plane} Plane */
/** @typedef {import("./score_plane.js").Look} Look traits, and all that follows from them */
/** @typedef {{id: string, role: string, text: string, vector: Vector, at: Vector, strong: boolean}} Tip */

/** From vectors to px and back, for drawing and for dragging. @param {string} name plane or output
 * @param {any} traits @param {Size} size */
export const mapOf = (name, { _start, query, key_vectors, value_vectors }, size) =>
  name === "plane"
    ? plane([_start.query, ..._start.key_vectors], [query, ...key_vectors], size, [0.65, 0.35, 0.35, 0.56])
    : plane(_start.value_vectors, value_vectors, size, [0.45, 0.45, 0.47, 0.44]);

/** @param {string} head @param {Vector[]} ends @returns {Spec} */
export const line = (head, [[x1, y1], [x2, y2]]) => [`line.${head}`, { x1, y1, x2, y2 }];
/** @param {string} head @param {Vector} at @param {number} r @returns {Spec} */
export const disc = (head, [cx, cy], r) => [`circle.${head}`, { cx, cy, r }];
/** @param {string} head @param {Box} box @param {string} [style] @returns {Spec} */
export const rect = (head, [x, y, width, height], style) => [`rect.${head}`, { x, y, width, height, rx: 2, style }];
/** Words on a picture. @param {string} head @param {(number | null)[]} at px @param {Kid[]} say @returns {Spec} */
export const note = (head, at, ...say) => [`span.note.${head}`, { at }, ...say];
/** A line through points, for `d`. @param {Vector[]} points @param {string} [between] */
export const path = (points, between = "L") => `M${points.map((p) => p.map((x) => x.toFixed(1))).join(between)}`;
/** @param {string} name @param {Kid[]} drawn @param {Kid[]} over labels and handles @returns {Spec} */
export const picture = (name, drawn, ...over) => [
  `div.pic.pic-${name}`,
  { "data-pic": name },
  ["svg", { "aria-hidden": "true" }, ...drawn],
  ...over,
];

/** Hairlines at whole numbers, and the origin. @param {Plane} map @param {Size} size @returns {Spec} */
function grid({ at, back }, { width, height }) {
  const [[x0, y0], [x1, y1]] = [back([0, height]), back([width, 0])];
  const step = 2 ** Math.ceil(Math.log2((x1 - x0) / 6));
  const upright = ticks(x0, x1, step).map((x) => `M${at([x, 0])[0]},0V${height}`);
  const level = ticks(y0, y1, step).map((y) => `M0,${at([0, y])[1]}H${width}`);
  return ["g", ["path.grid", { d: upright.concat(level).join("") }], disc("origin", at([0, 0]), 3)];
}

/** @param {Look} it @param {Plane} map @param {string} role @param {string} trait @returns {Tip[]} */
const tipsOf = (it, map, role, trait) =>
  it[trait].map((/** @type {Vector} */ vector, /** @type {number} */ i) => ({
    id: `${trait}.${i}`,
    role,
    text: it.key_tokens[i],
    vector,
    at: map.at(vector),
    strong: i === it.chosen,
  }));

/** @param {Vector} from @param {Tip} tip @returns {Spec} */
function arrow(from, { at, role, strong }) {
  const thick = role === "q" ? 5.5 : strong ? 2.8 : 1.9;
  const [x, y] = direction(from, at);
  const long = min(hypot(at[0] - from[0], at[1] - from[1]), 5 + 2.2 * thick);
  const back = (/** @type {number} */ far, /** @type {number} */ side) => [
    at[0] - long * (x * far + y * side),
    at[1] - long * (y * far - x * side),
  ];
  return [
    `g.arrow.${role}`,
    { "stroke-width": thick },
    line("shaft", [from, back(0.8, 0)]),
    ["path", { d: path([at, back(1, 0.42), back(1, -0.42)]) }],
  ];
}

/** Is the tip so near to an earlier one that it can hardly be taken? @param {Tip[]} tips @param {number} i */
const crowded = (tips, i) => tips.slice(0, i).some(({ at: [x, y] }) => hypot(x - tips[i].at[0], y - tips[i].at[1]) < 24);

/** Tokens beside their tips, leaning away from `center` and off the lines, and a handle on each tip, or on the
 * token of a crowded one; the word for the output finds its place among them.
 * @param {Look} it @param {Size} size @param {Vector} center @param {Tip[]} tips
 * @param {Vector[][]} lines @param {Vector} [output] px @returns {Kid[]} */
function named({ font, say, tell }, size, center, tips, lines, output) {
  const wanted = tips.map(({ at, text, role }) => ({
    at,
    away: direction(center, at),
    width: min(size.width * 0.45, textWidth(text || "␣", `600 16px ${font}`) + (role === "q" ? 23 : 3)),
    gap: role === "q" ? 18 : 12,
  }));
  const own = output && { at: output, away: [-1, -0.3], width: 6 + textWidth(say.output, `600 15px ${font}`), gap: 13 };
  const spots = [...tips.map(({ at }) => at), ...(output ? [output] : [])];
  const taken = [...spots.map(([x, y]) => [x - 10, y - 10, 20, 20]), ...lines.flatMap(along)];
  const boxes = placeLabels(own ? [...wanted, own] : wanted, taken, size);
  const readable = legible(boxes, boxes.map((_, i) => tips[i]?.role === "q" || tips[i]?.strong !== false));
  return [
    own && note("label.out", boxes[tips.length], say.output),
    ...tips.map(({ text, role, strong }, i) =>
      note(`label.${role}${strong ? ".strong" : ""}${readable[i] ? "" : ".gone"}`, boxes[i], token(text, role))),
    ...tips.map(({ id, role, text, vector, at: [x, y] }, i) => {
      const [left, top, width] = crowded(tips, i) ? boxes[i] : [x, y - 10, 0];
      const at = [x, y, null, null, left + width / 2 - x, top + 10 - y];
      return handle(role, id, at, say[role] + text, tell(vector), (100 * x) / size.width);
    }),
  ];
}

/** One query, its keys: arrows with tips to drag; dotted, the chosen key's shadow on the query or, for the
 * cosine, the angle between them. @param {Look} it */
export function planePicture(it) {
  const { query, score } = it;
  const size = it.size("plane");
  const map = mapOf("plane", it, size);
  const zero = map.at([0, 0]);
  const keys = tipsOf(it, map, "k", "key_vectors");
  const asker = { id: "query", role: "q", text: it.query_token, vector: query, at: map.at(query), strong: true };
  const tips = [asker, ...keys];
  const key = keys[it.chosen] ?? asker; // no key stands out while a guess is asked for
  const { length, foot } = shadow(key.vector, query);
  const end = map.at(foot);
  const dotted = /dot/.test(score) && !it.pending ? [[length > norm(query) ? asker.at : zero, end], [key.at, end]] : [];
  const arc = [query, key.vector].map((v) => map.at(v.map((/** @type {number} */ x) => (40 * x) / (norm(v) || 1) / map.unit)));
  const sweep = `A40,40 0 0 ${query[0] * key.vector[1] > query[1] * key.vector[0] ? 0 : 1} `;
  return picture(
    "plane",
    [
      grid(map, size),
      ["g", ...tips.map((tip) => arrow(zero, tip))],
      ["g", ...keys.map(({ at, strong }, i) => disc("halo.k", at, strong || !crowded(tips, i + 1) ? 11 : 0))],
      disc("halo.q", asker.at, 16),
      ["g", ...dotted.map((ends, i) => line(`dots.${"qk"[i]}`, ends)), dotted[0] && disc("foot", end, 3.2)],
      score === "cosine" && !it.pending && ["path.dots.k", { d: path(arc, sweep) }],
    ],
    ...named(it, size, zero, tips, [...tips.map((tip) => [zero, tip.at]), ...dotted]),
  );
}

/** Where the columns of the bars stand, px. @param {Look} it */
export function columns({ size, key_tokens, scores, font }) {
  const { width } = size("bars");
  const tokens = key_tokens.map((/** @type {string} */ text) => textWidth(text, `600 16px ${font}`) + 3);
  const label = min(width * 0.3, max(40, ...tokens));
  const axis = width * 0.75 - 40;
  const written = max(...scores.map((s) => textWidth(number(s), `600 16px ${font}`)));
  return { label, from: label + 10, zero: label + 40, axis, full: width * 0.25, room: max(8, axis - label - 64 - written) };
}

/** Scores and weights of every key, one row each. @param {Look} it */
export function barsPicture(it) {
  const { scores, weights, key_tokens } = it;
  const { label, zero, axis, full, room } = columns(it);
  const tall = 24 + 18 * scores.length; // what the rows need at least
  const height = max(it.size("bars").height, tall) - 24;
  const pitch = min(52, height / scores.length);
  const thick = min(22, pitch * 0.6);
  const unit = min(34, room / max(...scores, 1e-9), -28 / min(...scores, -1e-9));
  const middle = (/** @type {number} */ i) => height / 2 + (i - (scores.length - 1) / 2) * pitch;
  const on = (/** @type {number} */ i) => (i === it.chosen ? ".on" : "");
  const bar = (head = "", i = 0, x = 0, wide = 0, style = "") => rect(head, [x, middle(i) - thick / 2, wide, thick], style);
  const rule = (head = "", x = 0) => line(head, [[x, 4], [x, height - 4]]);
  const say = (i = 0, x = 0, value = 0) => note(`number${on(i)}`, [x + 8, middle(i)], number(value));
  const name = (/** @type {string} */ title, /** @type {number} */ i) => [
    `${it.pending ? "button" : "span"}.rowlabel${it.predict && i === it.expected ? ".mine" : ""}`,
    { title, at: [null, null, label], ...(it.pending && { type: "button", "data-choice": i }) },
    token(title, "k"),
  ];
  const shown = (/** @type {any[]} */ parts) => (it.pending ? [] : parts);
  const [head, given, ...drawn] = picture(
    "bars",
    [
      ["g.step-1", ...shown(scores).map((s, i) => bar(`score${on(i)}`, i, zero + min(0, s) * unit, abs(s) * unit))],
      ["g.step-2", ...shown(weights).map((w, i) => bar("weight", i, axis, w * full, `fill:${ramp(w)}`))],
      rule("axis", zero),
      rule("axis", axis),
      rule("grid", axis + full),
    ],
    ...[0, 1].map((w) => note("tick", [axis + w * full, height + 12], `${w}`)),
    ...key_tokens.map((title, i) => [
      `div.row${on(i)}`,
      { "data-hover": `key_vectors.${i}`, at: [0, middle(i) - pitch / 2, null, pitch] },
      name(title, i),
    ]),
    ...shown(scores).map((s, i) => say(i, zero + max(0, s * unit), s)),
    ...shown(weights).map((w, i) => say(i, axis + full, w)),
  );
  return [head, { ...given, style: `min-height:${tall}px` }, ...drawn];
}

/** The output among its values: a weighted mean inside their hull. @param {Look} it */
export function outputPicture(it) {
  const { value_vectors, pending } = it;
  const weights = pending ? value_vectors.map(() => 0.5) : it.weights;
  const size = it.size("output");
  const map = mapOf("output", it, size);
  const point = map.at(it.output);
  const corners = hull(value_vectors).map(map.at);
  const center = map.at([0, 1].map((axis) => value_vectors.reduce((sum, v) => sum + v[axis], 0) / value_vectors.length));
  const tips = tipsOf(it, map, "v", "value_vectors");
  const spokes = pending ? [] : tips.map((tip) => [point, tip.at]);
  return picture(
    "output",
    [
      grid(map, size),
      ["path.hull", { d: `${path(corners)}Z` }],
      ["g.step-3", ...spokes.map((s, i) => ["path.spoke", { d: path(s), "stroke-width": max(1, 18 * weights[i]) }])],
      ["g", ...tips.map((tip, i) => disc("dot-v", tip.at, 6 + 5 * weights[i]))],
      ["g.step-3", !pending && disc("dot-o", point, 8.5)],
    ],
    ...named(it, size, center, tips, spokes, pending ? undefined : point),
  );
}
