// @ts-check
// Colours of weights as a table, and many cells on one canvas, pooled below one pixel per cell.
import { isMasked } from "./decode.js";

/** 256 colours; `on`: black or white, whichever contrasts more
 * @typedef {{packed: Uint32Array, css: string[], on: string[], paper: number, hatch: number}} Ramp */
/** @typedef {{cells: Float64Array, x: number, width: number, height: number}} Tile in device px */

// sRGB ↔ cone responses (Ottosson 2020). OKLab is linear in their cube roots, so these are mixed like OKLab.
const TO_CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]];
const FROM_CONES = [[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965], [-0.0041960863, -0.7034186147, 1.707614701]];
const times = (/** @type {number[][]} */ rows, /** @type {number[]} */ v) => rows.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
const linear = (/** @type {number} */ c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const gamma = (/** @type {number} */ c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);

/** The nine stops of tokens.css with 256 colours between them in OKLab, where equal steps look equal. Computed
 * here: to ask the browser for 256 mixed colours takes longer than all other drawing.
 * @param {HTMLElement} root whose theme it is @returns {Ramp} */
export function makeRamp(root) {
  const style = getComputedStyle(root);
  const token = (/** @type {string} */ name) => (style.getPropertyValue(name).match(/\w\w/g) ?? []).map((hex) => linear(Number.parseInt(hex, 16) / 255));
  const stops = Array.from({ length: 9 }, (_, i) => times(TO_CONES, token(`--w${i}`)).map(Math.cbrt));
  const packed = new Uint32Array(258);
  const bytes = new Uint8Array(packed.buffer); // red, green, blue, alpha: the order a canvas wants
  /** @type {string[]} */
  const on = [];
  const css = Array.from(packed, (_, i) => {
    const stop = Math.min(7, Math.floor(i / 31.875));
    const mixed = () => times(FROM_CONES, stops[stop].map((c, j) => (c + (i / 31.875 - stop) * (stops[stop + 1][j] - c)) ** 3));
    const rgb = i < 256 ? mixed() : token(["--paper", "--hatch"][i - 256]);
    on.push(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2] < 0.1791 ? "#fff" : "#000"); // both contrasts are 4.58 there
    bytes.set([...rgb.map((c) => Math.round(255 * gamma(Math.max(0, Math.min(1, c))))), 255], 4 * i);
    return `rgb(${bytes.subarray(4 * i, 4 * i + 3).join()})`;
  });
  return { packed, css, on, paper: packed[256], hatch: packed[257] };
}

/** Keep `view.ramp` that of the theme: colours are computed, so they do not follow it by themselves. @param {any} view */
export function keepRamp(view) {
  const { root } = view;
  if (!view.theme) {
    const watch = new MutationObserver(view.redraw);
    watch.observe(root, { attributeFilter: ["data-theme"] });
    view.scope.signal.addEventListener("abort", () => watch.disconnect());
  }
  const style = getComputedStyle(root);
  const theme = root.dataset.theme + style.getPropertyValue("--w0"); // before the root is on the page: no colours yet
  if (view.theme !== theme) view.ramp = makeRamp(root);
  Object.assign(view, { theme, sans: style.fontFamily });
}

/** Place of a weight in the table. @param {number} weight */
export const step = (weight) => Math.round(255 * Math.min(1, weight));

/** Where each pixel's cells begin: every cell falls on at least one pixel, and on one alone below a pixel per cell.
 * @param {number} count cells @param {number} size pixels */
function edges(count, size) {
  const whole = size < count ? Math.ceil : Math.floor;
  return Int32Array.from({ length: size + 1 }, (_, i) => whole((i * count) / size));
}

/** Colour a tile; a pixel over several cells shows their largest weight.
 * @param {Uint32Array} pixels @param {number} stride pixels in a line @param {Tile} tile
 * @param {number} queries @param {number} keys @param {Ramp} ramp @param {number | null} hidden row */
export function paintTile(pixels, stride, { cells, x, width, height }, queries, keys, ramp, hidden) {
  const [rows, columns] = [edges(queries, height), edges(keys, width)];
  const most = new Float64Array(width);
  for (let i = 0; i < height; i++) {
    const start = i * stride + x;
    if (i && rows[i] === rows[i - 1]) {
      pixels.copyWithin(start, start - stride, start - stride + width); // the same row of cells once more
      continue;
    }
    most.fill(0);
    for (let q = rows[i]; q < Math.max(rows[i] + 1, rows[i + 1]); q++) if (q !== hidden) pool(most, cells, q * keys, columns);
    for (let j = 0; j < width; j++) pixels[start + j] = ramp.packed[step(most[j])];
  }
}

/** Raise each pixel of a line to the largest of its cells. @param {Float64Array} most @param {Float64Array} cells
 * @param {number} first of the row @param {Int32Array} columns */
function pool(most, cells, first, columns) {
  for (let j = 0; j < most.length; j++) {
    let k = first + columns[j];
    const end = first + columns[j + 1];
    do if (cells[k] > most[j]) most[j] = cells[k];
    while (++k < end);
  }
}

/** Hatch what is masked: 45 degrees, a line every 5 px. @param {Uint32Array} pixels @param {Tile} tile
 * @param {number} queries @param {number} keys @param {Ramp} ramp @param {DataView} bits @param {number} scale */
export function hatch(pixels, { width, height }, queries, keys, ramp, bits, scale) {
  for (let i = 0; i < pixels.length; i++) {
    const [x, y] = [i % width, Math.floor(i / width)];
    if (isMasked(bits, Math.floor((y * queries) / height) * keys + Math.floor((x * keys) / width)))
      pixels[i] = (x + height - y) % Math.round(7 * scale) < scale ? ramp.hatch : ramp.paper;
  }
}

/** What a canvas shows: drawn again only when one of these is another. @type {WeakMap<Element, any[]>} */
const painted = new WeakMap();

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height device px @param {any[]} inputs
 * @param {(pixels: Uint32Array) => void} fill @returns {CanvasRenderingContext2D | null} a pen, if painted anew */
export function repaint(canvas, width, height, inputs, fill) {
  const now = [width, height, ...inputs];
  if (painted.get(canvas)?.every((x, i) => x === now[i]) || !width || !height) return null;
  painted.set(canvas, now);
  canvas.width = width;
  canvas.height = height;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = pen.createImageData(width, height);
  fill(new Uint32Array(image.data.buffer));
  pen.putImageData(image, 0, 0);
  return pen;
}
