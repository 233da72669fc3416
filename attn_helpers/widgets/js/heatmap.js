// @ts-check
// AttentionHeatmap: which token looks where, as a grid or as ribbons.
import { hatch, paintTile, repaint } from "./canvas.js";
import { cellsOf } from "./decode.js";
import { saveAs } from "./export.js";
import { grid } from "./grid.js";
import { lookAt } from "./heatmap_look.js";
import { keepRamp } from "./ramp.js";
import { foot, heading, nextRow, picker, readOut, sumAndWords } from "./readout.js";
import { ribbons } from "./ribbons.js";
import { sentence } from "./sentence.js";
import { makeRender } from "./view.js";

/** @typedef {import("./heatmap_look.js").Look} Look */
/** @typedef {{row: number, column: number | null}} Place */

const TRAITS =
  "_payload _shape _masked _dense _pitch query_tokens key_tokens layer head layer_labels head_labels row column predict guess gold show_gold end_token view title hint hint_narrow language";
const THUMB = 44;
const THUMB_PITCH = 52;

/** @param {any} state @param {any} view */
function tree(state, view) {
  view.paint ??= view.guard(() => paint(view)); // canvases are filled once they are there
  queueMicrotask(view.paint);
  keepRamp(view);
  view.scale = devicePixelRatio;
  const it = lookAt(state, view);
  view.it = it;
  const body = state.view === "ribbons" ? ribbons(it) : [["div.h-plot", [`div.h-scroll${it.cut ? ".h-cut" : ""}`, grid(it), !it.dense && sentence(it)], it.dense && sentence(it)], readOut(it)];
  const isGrid = body[0][0] === "div.h-plot";
  return [
    [
      `div.heat${isGrid && it.beside ? ".h-beside" : ""}${it.narrow ? ".h-narrow" : ""}`,
      { "data-picture": "" },
      ...heading(it),
      picker(it, "layer"),
      picker(it, "head"),
      ["div.h-body", ...body],
      isGrid && foot(it),
    ],
  ];
}

/** What the screen reader hears some time after a change. @param {any} state @param {any} view */
function spoken(state, view) {
  const it = lookAt(state, view);
  if (it.row === null) return "";
  return it.reading && it.column !== null ? it.words.spoken(it.said(it.row, it.column), sumAndWords(it)) : it.words.hidden;
}

/** Fill the canvases, where what they show has changed. @param {any} view */
function paint({ root, it }) {
  for (const canvas of root.querySelectorAll("canvas")) (canvas.dataset.canvas === "map" ? paintMap : paintThumbs)(canvas, it);
}

/** @param {HTMLCanvasElement} canvas @param {Look} it */
function paintMap(canvas, { state, view, queries, keys, cells, hidden, map, on, gold }) {
  const { width, height } = map;
  const tile = { cells, x: 0, width, height };
  const pen = repaint(canvas, width, height, [cells, hidden, view.ramp, state._masked, gold], (pixels) => {
    paintTile(pixels, width, tile, queries, keys, view.ramp, hidden);
    if (state._masked?.byteLength) hatch(pixels, tile, queries, keys, view.ramp, state._masked, view.scale);
  });
  if (!pen) return;
  const [wide, high] = [width / keys, height / queries];
  gold.forEach((/** @type {number[][]} */ links, /** @type {number} */ kind) => {
    for (const [q, k] of links) {
      if (q === hidden) continue;
      pen.beginPath(); // a dot for a sure link, a ring for a possible one
      pen.arc((k + 0.5) * wide, (q + 0.5) * high, Math.max(1, Math.min(12, wide, high) / 3), 0, 7);
      pen.fillStyle = pen.strokeStyle = on(cells[q * keys + k]);
      kind ? pen.stroke() : pen.fill();
    }
  });
}

/** All layers at this head, or all heads of this layer, and their mean: one canvas.
 * @param {HTMLCanvasElement} canvas @param {Look} it */
function paintThumbs(canvas, { state, view, queries, keys, hidden }) {
  const { _payload, _shape, layer, head } = state;
  const layers = canvas.dataset.canvas === "layer";
  const count = _shape[layers ? 0 : 1];
  const px = (/** @type {number} */ css) => Math.round(css * view.scale);
  const [stride, height] = [px(THUMB_PITCH * count + THUMB), px(THUMB)];
  canvas.style.width = `${stride / view.scale}px`;
  repaint(canvas, stride, height, [_payload, layers ? head : layer, hidden, view.ramp], (pixels) => {
    for (let i = 0; i <= count; i++) {
      const choice = i < count ? i : "mean";
      const cells = cellsOf(_payload, _shape, layers ? choice : layer, layers ? head : choice);
      paintTile(pixels, stride, { cells, x: px(THUMB_PITCH * i), width: height, height }, queries, keys, view.ramp, hidden);
    }
  });
}

/** The nearest whole number below `count`. @param {number} x @param {number} count */
const within = (x, count) => Math.min(count - 1, Math.max(0, Math.floor(x)));

/** Which cell, row or column an event is about. @param {any} event @param {any} view @returns {Place | null} */
function placeOf({ target, clientX, clientY }, { state }) {
  const [, , queries, keys] = state._shape;
  const map = clientX !== undefined && target.closest("[data-map]");
  if (map) {
    const { x, y, width, height } = map.getBoundingClientRect();
    return { row: within(((clientY - y) / height) * queries, queries), column: within(((clientX - x) / width) * keys, keys) };
  }
  const { cell, name, column } = target.closest("[data-cell],[data-name],[data-column]")?.dataset ?? {};
  if (cell) return { row: Number(cell.split(",")[0]), column: Number(cell.split(",")[1]) };
  if (name) return { row: Number(name), column: null };
  return column && state.row !== null ? { row: state.row, column: Number(column) } : null;
}

/** What the pointer or the focus rests on. @param {Place | null} place @param {any} view */
function point(place, view) {
  if (place?.row === view.point?.row && place?.column === view.point?.column) return;
  view.point = place;
  view.redraw();
}

/** Pin a place, unpin it, or take it as the guess. @param {Place} place @param {any} view */
function choose({ row, column }, view) {
  const { guess, predict, ...pinned } = view.state;
  if (row === predict && guess === null && column !== null) view.set({ guess: column, row, column: null }, true);
  else if (row === pinned.row && column === pinned.column) view.set({ row: null, column: null }, true);
  else view.set({ row, column }, true);
}

/** @type {Record<string, (view: any) => void>} */
const ACTS = {
  hide: (view) => {
    const row = nextRow(lookAt(view.state, view));
    view.point = null;
    view.at = { row, column: 0 }; // where Tab enters the grid
    view.set({ predict: row, guess: null, row, column: null }, true);
  },
  show: (view) => view.set({ predict: null }, true),
  gold: (view) => view.set({ show_gold: !view.state.show_gold }),
  view: (view) => view.set({ view: view.state.view === "grid" ? "ribbons" : "grid" }),
  svg: (view) => save(view, "svg"),
  png: (view) => save(view, "png"),
};

/** @param {any} view @param {string} kind */
function save(view, kind) {
  const { words, of, queries, keys } = lookAt(view.state, view);
  const failed = view.guard((/** @type {Error} */ error) => {
    throw error;
  });
  saveAs(view.root.querySelector("[data-picture]"), words.map(of, queries, keys), kind).catch(failed);
}

/** @type {Record<string, [down: number, right: number]>} */
const WAYS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  PageUp: [-10, 0], PageDown: [10, 0], Home: [0, -1e6], End: [0, 1e6],
};

/** Arrows go from cell to cell, in ribbons from word to word. @param {any} event @param {any} view */
function keydown(event, view) {
  const { target, key } = event;
  const place = placeOf(event, view);
  const way = WAYS[key];
  if (!place || event.ctrlKey || event.altKey || event.metaKey || !(way || ["Enter", " ", "Escape"].includes(key))) return;
  event.preventDefault();
  if (key === "Escape") view.set({ row: null, column: null, ...(view.state.guess === null && { predict: null }) }, true);
  else if (!way) choose(place, view);
  else if (target.dataset.list) {
    const words = target.parentElement.children;
    words[within(Number(target.dataset.list) + way[0] + way[1], words.length)].focus();
  } else {
    const [, , queries, keys] = view.state._shape;
    const to = { row: within(place.row + way[0], queries), column: within((place.column ?? 0) + way[1], keys) };
    view.at = to;
    view.root.querySelector(`[data-cell="${to.row},${to.column}"]`)?.focus();
    point(to, view);
    view.set({}); // changes nothing, but says where we are
  }
}

const actions = {
  keydown,
  pointermove: (/** @type {PointerEvent} */ event, /** @type {any} */ view) => event.pointerType === "touch" || point(placeOf(event, view), view),
  pointerleave: (/** @type {Event} */ _, /** @type {any} */ view) => point(null, view),
  focusin: (/** @type {any} */ event, /** @type {any} */ view) => event.target.matches(":focus-visible") && point(placeOf(event, view), view),
  focusout: (/** @type {any} */ event, /** @type {any} */ view) => view.root.contains(event.relatedTarget) || point(null, view),
  click: (/** @type {any} */ event, /** @type {any} */ view) => {
    const act = event.target.closest("[data-act]")?.dataset.act;
    const place = placeOf(event, view);
    if (act) ACTS[act](view);
    else if (place) choose(place, view);
  },
  change: (/** @type {any} */ event, /** @type {any} */ view) => {
    const { choose: trait, value } = event.target.dataset;
    if (trait) view.set({ [trait]: value === "mean" ? value : Number(value) });
  },
};

export default { render: makeRender({ name: "attention-heatmap", traits: TRAITS.split(" "), tree, spoken, actions }) };
