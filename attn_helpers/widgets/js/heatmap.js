// @ts-check
// AttentionHeatmap: which token looks where, as a grid or as ribbons.
import { hatch, makeRamp, marks, paintTile, repaint } from "./canvas.js";
import { cellsOf } from "./decode.js";
import { saveAs } from "./export.js";
import { canvasSize, grid } from "./grid.js";
import { lookAt } from "./heatmap_look.js";
import { foot, heading, nextRow, picker, readOut, sentence, sumAndWords } from "./readout.js";
import { ribbons } from "./ribbons.js";
import { makeRender } from "./view.js";

/** @typedef {import("./heatmap_look.js").Look} Look */
/** @typedef {{row: number, column: number | null}} Place */

const TRAITS = [
  "_payload", "_shape", "_masked", "_dense", "_pitch", "query_tokens", "key_tokens", "layer", "head", "layer_labels",
  "head_labels", "row", "column", "predict", "guess", "gold", "end_token", "view", "title", "hint", "hint_narrow", "language",
];
const THUMB = 44;
const THUMB_PITCH = 52;

/** @param {any} state @param {any} view */
function tree(state, view) {
  if (!view.ramp) themed(view);
  view.scale = devicePixelRatio;
  const it = lookAt(state, view);
  const isGrid = state.view === "grid";
  const body = isGrid
    ? [["div.h-plot", ["div.h-scroll", grid(it), !it.dense && sentence(it)], it.dense && sentence(it)], readOut(it)]
    : ribbons(it);
  return [
    [
      `div.heat${isGrid && it.beside ? ".h-beside" : ""}${it.narrow ? ".h-narrow" : ""}`,
      { "data-pic": "all" },
      ...heading(it),
      picker(it, "layer"),
      picker(it, "head"),
      ["div.h-body", ...body],
      isGrid && ["div.h-foot", ...foot(it)],
    ],
  ];
}

/** What the screen reader hears some time after a change. @param {any} state @param {any} view */
function spoken(state, view) {
  const it = lookAt(state, view);
  if (it.row === null) return "";
  return it.reading && it.column !== null ? it.words.spoken(it.said(it.row, it.column), ...sumAndWords(it)) : it.words.unknown;
}

/** Colours and letters of the theme, and again when it changes. @param {any} view */
function themed(view) {
  const { root, scope } = view;
  const look = () => Object.assign(view, { ramp: makeRamp(root), sans: getComputedStyle(root).fontFamily });
  look();
  const watch = new MutationObserver(() => {
    look();
    view.redraw();
  });
  watch.observe(root, { attributeFilter: ["data-theme"] });
  scope.signal.addEventListener("abort", () => watch.disconnect());
}

/** Fill the canvases, where what they show has changed. @param {any} view */
function after(view) {
  const it = lookAt(view.state, view);
  const style = getComputedStyle(view.root);
  for (const canvas of view.root.querySelectorAll("canvas")) {
    const kind = canvas.dataset.canvas;
    if (kind === "map") paintMap(canvas, it, style);
    else if (kind === "scale") repaint(canvas, 256, 1, [view.ramp], (pixels) => pixels.set(view.ramp.packed));
    else paintThumbs(canvas, it, kind === "layer");
  }
}

/** @param {HTMLCanvasElement} canvas @param {Look} it @param {CSSStyleDeclaration} style */
function paintMap(canvas, { state, local, queries, keys, cells, hidden, cell, pitch, on }, style) {
  const { wide, high } = canvasSize({ local, queries, keys, cell, pitch });
  const [width, height] = [Math.round(wide * local.scale), Math.round(high * local.scale)];
  const colour = (/** @type {number} */ q, /** @type {number} */ k) => on(cells[q * keys + k]);
  const over = (/** @type {CanvasRenderingContext2D} */ pen) => {
    const ink = (/** @type {string} */ name) => style.getPropertyValue(name);
    if (state._masked?.byteLength) hatch(pen, state._masked, queries, keys, local.scale, ink("--paper"), ink("--hatch"));
    state.gold.forEach((/** @type {number[][]} */ links, /** @type {number} */ i) => marks(pen, links, i === 0, colour, queries, keys));
  };
  const fill = (/** @type {Uint32Array} */ pixels) =>
    paintTile(pixels, width, { cells, x: 0, width, height }, queries, keys, local.ramp.packed, hidden);
  repaint(canvas, width, height, [cells, hidden, local.ramp, state._masked, state.gold], fill, over);
}

/** All layers at this head, or all heads of this layer, and their mean: one canvas.
 * @param {HTMLCanvasElement} canvas @param {Look} it @param {boolean} layers */
function paintThumbs(canvas, { state, local, queries, keys, hidden }, layers) {
  const { _payload, _shape, layer, head } = state;
  const count = _shape[layers ? 0 : 1];
  const px = (/** @type {number} */ css) => Math.round(css * local.scale);
  const [stride, height] = [px(THUMB_PITCH * count + THUMB), px(THUMB)];
  canvas.style.width = `${stride / local.scale}px`;
  repaint(canvas, stride, height, [_payload, layers ? head : layer, hidden, local.ramp], (pixels) => {
    for (let i = 0; i <= count; i++) {
      const choice = i < count ? i : "mean";
      const cells = cellsOf(_payload, _shape, layers ? choice : layer, layers ? head : choice);
      paintTile(pixels, stride, { cells, x: px(THUMB_PITCH * i), width: height, height }, queries, keys, local.ramp.packed, hidden);
    }
  });
}

/** Which cell, row or column an event is about. @param {any} event @param {any} view @returns {Place | null} */
function placeOf({ target, clientX, clientY, detail, type }, { state }) {
  const map = clientX !== undefined && target.closest("[data-map]");
  const [, , queries, keys] = state._shape;
  if (map) {
    const box = map.getBoundingClientRect();
    const at = (/** @type {number} */ share, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, Math.floor(share * count)));
    return { row: at((clientY - box.y) / box.height, queries), column: at((clientX - box.x) / box.width, keys) };
  }
  const { cell, name, column } = target.closest("[data-cell],[data-name],[data-column]")?.dataset ?? {};
  if (cell) return { row: Number.parseInt(cell), column: Number(cell.split(",")[1]) };
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
  if (row === predict && guess === null && column !== null) return view.set({ guess: column, row, column: null }, true);
  const again = row === pinned.row && column === pinned.column && column !== null;
  view.set(again ? { row: null, column: null } : { row, column }, true);
}

/** @type {Record<string, (view: any) => void>} */
const ACTS = {
  hide: (view) => {
    const row = nextRow(lookAt(view.state, view));
    view.point = null;
    view.set({ predict: row, guess: null, row, column: null }, true);
  },
  show: (view) => view.set({ predict: null, guess: null }, true),
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
  saveAs(/** @type {HTMLElement} */ (view.root.querySelector(".attn-heat")), words.map(of, queries, keys), kind).catch(failed);
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
  const move = (/** @type {number} */ from, /** @type {number} */ by, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, from + by));
  if (key === "Escape") view.set(view.state.row === null || view.state.guess === null ? { predict: null, row: null, column: null } : { row: null, column: null }, true);
  else if (!way) choose(place, view);
  else if (target.dataset.list) {
    const words = target.parentElement.children;
    words[move(Number(target.dataset.list), way[0] + way[1], words.length)].focus();
  } else {
    const [, , queries, keys] = view.state._shape;
    const to = { row: move(place.row, way[0], queries), column: move(place.column ?? 0, way[1], keys) };
    view.at = to;
    const cell = view.root.querySelector(`[data-cell="${to.row},${to.column}"]`);
    if (cell instanceof HTMLElement) cell.focus();
    point(to, view);
    view.set({}); // changes nothing, but says where we are
  }
}

const actions = {
  keydown,
  pointermove: (/** @type {PointerEvent} */ event, /** @type {any} */ view) => event.pointerType === "touch" || point(placeOf(event, view), view),
  pointerleave: (/** @type {Event} */ _, /** @type {any} */ view) => point(null, view),
  focusin: (/** @type {any} */ event, /** @type {any} */ view) => {
    if (event.target.matches(":focus-visible")) point(placeOf(event, view), view);
  },
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

export default { render: makeRender({ name: "attention-heatmap", traits: TRAITS, tree, spoken, after, actions }) };
