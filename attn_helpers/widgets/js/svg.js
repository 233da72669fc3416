// @ts-check
// Words for what pictures are made of; each is a spec for `patch`.

/** @typedef {import("./dom.js").Spec} Spec */
/** @typedef {import("./dom.js").Kid} Kid */
/** @typedef {number[]} Point */

/** @param {string} head @param {Point} from @param {Point} to @returns {Spec} */
export const line = (head, [x1, y1], [x2, y2]) => [`line.${head}`, { x1, y1, x2, y2 }];

/** @param {string} head @param {Point} at @param {number} r @returns {Spec} */
export const disc = (head, [cx, cy], r) => [`circle.${head}`, { cx, cy, r }];

/** @param {string} head @param {number[]} box x, y, width, height @returns {Spec} */
export const rect = (head, [x, y, width, height]) => [`rect.${head}`, { x, y, width, height }];

/** Straight from point to point, for `d`. @param {Point[]} points */
export const through = (points) => (points.length ? `M${points.map((p) => p.map((x) => x.toFixed(1))).join("L")}` : "");

/** @param {string} head @param {string} d @returns {Spec} */
export const stroke = (head, d) => [`path.${head}`, { d }];

/** Words on a picture. @param {string} head @param {(number | null)[]} at px @param {Kid[]} say @returns {Spec} */
export const note = (head, at, ...say) => [`span.note.${head}`, { at }, ...say];

/** @param {string} name @param {Kid[]} drawn @param {Kid[]} over labels and handles @returns {Spec} */
export const picture = (name, drawn, ...over) => [
  `div.pic.pic-${name}`,
  { "data-pic": name },
  ["svg", { "aria-hidden": "true" }, ...drawn],
  ...over,
];
