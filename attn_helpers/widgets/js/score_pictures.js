// @ts-check
// The three pictures of ScoreExplorer's plane: arrows, bars, hull.
import { hull, norm, shadow } from "./attn.js";
import { handle, token } from "./controls.js";
import { textWidth } from "./dom.js";
import { along, gridLines, placeLabels, plane, ramp } from "./geometry.js";
import { number } from "./words.js";

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {import("./geometry.js").Vector} Vector */
/** @typedef {import("./geometry.js").Size} Size */
/** @typedef {ReturnType<typeof import("./score_plane.js").look>} Look all that is to be seen, computed once */

const PAD = { plane: [0.65, 0.35, 0.35, 0.56], output: [0.45, 0.45, 0.47, 0.44] };

/** The map from vectors to px, for drawing and for dragging. @param {"plane" | "output"} picture
 * @param {any} state @param {Size} size */
export function mapOf(picture, { _start, query, key_vectors, value_vectors }, size) {
  const now = picture === "plane" ? [query, ...key_vectors] : value_vectors;
  const first = picture === "plane" ? [_start.query, ..._start.key_vectors] : _start.value_vectors;
  return plane(first, now, size, PAD[picture]);
}

/** @param {string} tag @param {Record<string, any>} attributes @returns {Spec} */
const shape = (tag, attributes) => [tag, attributes];
/** @param {Vector} a @param {Vector} b @param {string} look @returns {Spec} */
const line = (a, b, look) =>
  shape("line", { x1: a[0].toFixed(1), y1: a[1].toFixed(1), x2: b[0].toFixed(1), y2: b[1].toFixed(1), class: look });
/** @param {Vector} at @param {number} r @param {string} look @returns {Spec} */
const disc = (at, r, look) =>
  shape("circle", { cx: at[0].toFixed(1), cy: at[1].toFixed(1), r: r.toFixed(1), class: look });

/** @param {string} name @param {Kid[]} drawn @param {Kid[]} over labels and handles @returns {Spec} */
export const picture = (name, drawn, over) => [
  "div",
  { class: `attn-pic attn-pic-${name}`, "data-pic": name },
  ["svg", { "aria-hidden": "true" }, ...drawn],
  ...over,
];

/** @param {any} map @param {Size} size @returns {Spec[]} */
function grid(map, size) {
  const { xs, ys } = gridLines(map, size);
  return [
    ...xs.map((x) => line([x, 0], [x, size.height], "attn-grid")),
    ...ys.map((y) => line([0, y], [size.width, y], "attn-grid")),
  ];
}

/** @param {Vector} from @param {Vector} to @param {number} thick @param {string} look @returns {Spec} */
function arrow(from, to, thick, look) {
  const way = [to[0] - from[0], to[1] - from[1]];
  const length = norm(way) || 1;
  const head = Math.min(length, 5 + 2.2 * thick);
  const [ux, uy] = [way[0] / length, way[1] / length];
  const neck = [to[0] - ux * head, to[1] - uy * head];
  const wide = head * 0.42;
  const points = [to, [neck[0] - uy * wide, neck[1] + ux * wide], [neck[0] + uy * wide, neck[1] - ux * wide]];
  const path = points.map((p) => p.map((x) => x.toFixed(1)).join(",")).join(" ");
  return [
    "g",
    { class: `attn-arrow ${look}`, "stroke-width": thick },
    line(from, [to[0] - ux * head * 0.8, to[1] - uy * head * 0.8], ""),
    shape("polygon", { points: path }),
  ];
}

/** Token labels beside their tips, cut off where there is no room.
 * @param {{text: string, tip: Vector, away: Vector, role: string, strong: boolean, gap: number, before?: string}[]} tips
 * @param {any[]} taken @param {Size} size @param {string} font @returns {Spec[]} */
function labels(tips, taken, size, font) {
  const wide = tips.map(({ text, before = "" }) =>
    Math.min(size.width * 0.45, 4 + textWidth(before + (text.trim() ? text : "␣"), `600 16px ${font}`)),
  );
  const boxes = placeLabels(tips.map((tip, i) => ({ ...tip, width: wide[i] })), taken, size);
  return tips.map(({ text, role, strong, before }, i) => [
    "span",
    {
      class: `attn-label attn-${role} ${strong ? "attn-strong" : ""}`,
      style: `left:${boxes[i].x.toFixed(1)}px;top:${boxes[i].y.toFixed(1)}px;width:${wide[i].toFixed(1)}px`,
    },
    before,
    token(text, role),
  ]);
}

/** @param {Vector} from @param {Vector} to */
const direction = (from, to) => {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  return [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
};

/** Dotted: the shadow of a key on the query; for the cosine, the angle between them.
 * @param {Look} it @param {any} map @returns {Kid[]} */
function measure(it, map) {
  const { query, key_vectors, score } = it.state;
  const key = key_vectors[it.chosen];
  if (score === "additive" || !norm(query) || !norm(key)) return [null, null, null];
  if (score === "cosine") {
    const [a, b] = [query, key].map((v) => map.at(v.map((x) => (x / norm(v)) * (34 / map.unit))));
    const sweep = query[0] * key[1] - query[1] * key[0] > 0 ? 0 : 1;
    return [shape("path", { d: `M${a} A34,34 0 0 ${sweep} ${b}`, class: "attn-dots attn-line-k" }), null, null];
  }
  const foot = map.at(shadow(key, query).foot);
  const from = map.at(shadow(key, query).length > norm(query) ? query : [0, 0]);
  return [
    line(from, foot, "attn-dots attn-line-q"),
    line(map.at(key), foot, "attn-dots attn-line-k"),
    disc(foot, 3.2, "attn-foot"),
  ];
}

/** One query, its keys: arrows with tips to drag. @param {Look} it @param {Size} size @param {string} font */
export function planePicture(it, size, font) {
  const { query, query_token, key_tokens, key_vectors } = it.state;
  const map = mapOf("plane", it.state, size);
  const zero = map.at([0, 0]);
  const [tip, tips] = [map.at(query), key_vectors.map(map.at)];
  const apart = tips.map((/** @type {Vector} */ p) => Math.hypot(p[0] - tip[0], p[1] - tip[1]) > 16);
  const said = { low: map.low[0], high: map.high[0] };
  const named = [
    { text: query_token, before: "q ", tip, away: direction(zero, tip), role: "q", strong: true, gap: 18 },
    ...tips.map((/** @type {Vector} */ p, /** @type {number} */ i) => ({
      text: key_tokens[i], tip: p, away: direction(zero, p), role: "k", strong: i === it.chosen, gap: 13,
    })),
  ];
  const taken = [
    ...[tip, ...tips].map((p) => ({ x: p[0] - 10, y: p[1] - 10, width: 20, height: 20 })),
    ...[tip, ...tips].flatMap((p) => along(zero, p)),
  ];
  return picture("plane", [
    ["g", {}, ...grid(map, size)],
    arrow(zero, tip, 5.5, "attn-arrow-q"),
    ["g", {}, ...tips.map((/** @type {Vector} */ p, /** @type {number} */ i) =>
      arrow(zero, p, i === it.chosen ? 2.8 : 1.9, `attn-arrow-k ${i === it.chosen ? "attn-on" : ""}`))],
    ["g", {}, ...tips.map((/** @type {Vector} */ p, /** @type {number} */ i) =>
      disc(p, 11, `attn-halo-k ${apart[i] || i === it.hoveredKey ? "" : "attn-gone"}`))],
    disc(tip, 16, "attn-halo-q"),
    ...measure(it, map),
    disc(zero, 3, "attn-origin"),
  ], [
    ...labels(named, taken, size, font),
    ...tips.map((/** @type {Vector} */ p, /** @type {number} */ i) =>
      handle(`k${i}`, "k", p, { label: it.words.key(key_tokens[i]), text: it.tell(key_vectors[i]), now: key_vectors[i][0], ...said })),
    handle("q", "q", tip, { label: it.words.query(query_token), text: it.tell(query), now: query[0], ...said }),
  ]);
}

/** Where the columns of the bars stand, px. @param {Size} size @param {string[]} tokens @param {string} font */
export function columns(size, tokens, font) {
  const longest = Math.max(...tokens.map((text) => textWidth(text, `16px ${font}`)));
  const label = Math.min(size.width * 0.3, Math.max(40, longest + 2));
  const full = size.width * 0.25;
  const axis = size.width - full - 44;
  return { label, scores: label + 12, zero: label + 12 + 36, axis, full, room: axis - label - 48 - 58 };
}

/** Scores and weights of every key, one row each. @param {Look} it @param {Size} size @param {string} font */
export function barsPicture(it, size, font) {
  const { key_tokens } = it.state;
  const { scores, weights } = it.attention;
  const at = columns(size, key_tokens, font);
  const height = size.height - 24;
  const pitch = Math.min(52, height / scores.length);
  const thick = Math.min(22, pitch * 0.6);
  const unit = Math.min(34, at.room / Math.max(...scores, 1e-9), 34 / Math.max(...scores.map((s) => -s), 1e-9));
  const middle = (/** @type {number} */ i) => height / 2 + (i - (scores.length - 1) / 2) * pitch;
  const bar = (/** @type {number} */ x, /** @type {number} */ wide, /** @type {number} */ i, /** @type {Record<string, string>} */ more) =>
    shape("rect", { x: x.toFixed(1), y: (middle(i) - thick / 2).toFixed(1), width: wide.toFixed(1), height: thick.toFixed(1), rx: "2", ...more });
  const text = (/** @type {number} */ x, /** @type {number} */ i, /** @type {string} */ words) => /** @type {Spec} */ ([
    "span",
    { class: `attn-value ${i === it.chosen ? "attn-strong" : ""}`, style: `left:${x.toFixed(1)}px;top:${middle(i).toFixed(1)}px` },
    words,
  ]);
  const tick = (/** @type {number} */ x, /** @type {string} */ words) => /** @type {Spec} */ ([
    "span", { class: "attn-tick", style: `left:${x.toFixed(1)}px;top:${(height + 12).toFixed(1)}px` }, words,
  ]);
  const on = (/** @type {number} */ i) => (i === it.chosen ? "attn-on" : "");
  return picture("bars", [
    ["g", { class: "attn-stage-1" }, ...scores.map((s, i) =>
      bar(at.zero + Math.min(0, s) * unit, Math.abs(s) * unit, i, { class: `attn-score ${on(i)}` }))],
    ["g", { class: "attn-stage-2" }, ...weights.map((w, i) =>
      bar(at.axis, w * at.full, i, { class: "attn-weight", style: `fill:${ramp(w)}` }))],
    line([at.zero, 4], [at.zero, height - 4], "attn-axis"),
    line([at.axis, 4], [at.axis, height - 4], "attn-axis"),
    line([at.axis + at.full, 4], [at.axis + at.full, height - 4], "attn-grid"),
  ], [
    tick(at.axis, "0"),
    tick(at.axis + at.full, "1"),
    ...key_tokens.map((/** @type {string} */ name, /** @type {number} */ i) => /** @type {Spec} */ ([
      "div",
      { class: `attn-row ${on(i)}`, "data-hover": `k${i}`, style: `top:${(middle(i) - pitch / 2).toFixed(1)}px;height:${pitch.toFixed(1)}px` },
      ["span", { class: "attn-rowlabel", title: name, style: `width:${at.label.toFixed(1)}px` }, token(name, "k")],
    ])),
    ...scores.map((s, i) => text(at.zero + Math.max(0, s * unit) + 8, i, number(s))),
    ...weights.map((w, i) => text(at.axis + at.full + 9, i, number(w))),
  ]);
}

/** The output among its values: a weighted mean inside their hull. @param {Look} it @param {Size} size @param {string} font */
export function outputPicture(it, size, font) {
  const { key_tokens, value_vectors } = it.state;
  const { weights, output } = it.attention;
  const map = mapOf("output", it.state, size);
  const [point, points] = [map.at(output), value_vectors.map(map.at)];
  const corners = hull(value_vectors).map(map.at);
  const center = [0, 1].map((axis) => corners.reduce((sum, c) => sum + c[axis], 0) / corners.length);
  const path = corners.map((c) => c.map((x) => x.toFixed(1)).join(",")).join(" ");
  const named = points.map((/** @type {Vector} */ p, /** @type {number} */ i) => ({
    text: key_tokens[i], tip: p, away: direction(center, p), role: "v", strong: i === it.chosen, gap: 11,
  }));
  const taken = [point, ...points].map((p) => ({ x: p[0] - 10, y: p[1] - 10, width: 20, height: 20 }));
  const over = labels(named, [...taken, ...points.flatMap((/** @type {Vector} */ p) => along(point, p))], size, font);
  const own = textWidth(it.words.output, "600 14px sans-serif") + 8;
  const lines = points.flatMap((/** @type {Vector} */ p) => along(point, p));
  const [box] = placeLabels([{ tip: point, away: [-1, -0.4], width: own, gap: 13 }], [...taken, ...lines], size);
  return picture("output", [
    ["g", {}, ...grid(map, size)],
    shape("polygon", { points: path, class: "attn-hull" }),
    disc(map.at([0, 0]), 2.5, "attn-origin"),
    ["g", { class: "attn-stage-3" }, ...points.map((/** @type {Vector} */ p, /** @type {number} */ i) =>
      shape("path", {
        d: `M${point.map((x) => x.toFixed(1))}L${p.map((x) => x.toFixed(1))}`,
        class: "attn-spoke",
        "stroke-width": Math.max(1, 18 * weights[i]).toFixed(1),
      }))],
    ["g", {}, ...points.map((/** @type {Vector} */ p, /** @type {number} */ i) => disc(p, 6 + 5 * weights[i], "attn-dot-v"))],
    ["g", { class: "attn-stage-3" }, disc(point, 8.5, "attn-dot-o")],
  ], [
    ...over,
    ["span", { class: "attn-label attn-outlabel", style: `left:${box.x.toFixed(1)}px;top:${box.y.toFixed(1)}px;width:${own.toFixed(1)}px` }, it.words.output],
    ...points.map((/** @type {Vector} */ p, /** @type {number} */ i) =>
      handle(`v${i}`, "v", p, {
        label: it.words.value(key_tokens[i]), text: it.tell(value_vectors[i]), now: value_vectors[i][0],
        low: map.low[0], high: map.high[0],
      })),
  ]);
}
