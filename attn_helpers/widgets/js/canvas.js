// @ts-check
// Many cells on one canvas, pooled below one pixel per cell.
import { isMasked } from "./decode.js";
import { step } from "./ramp.js";

/** @typedef {{cells: Float64Array, x: number, width: number, height: number}} Tile in device px */
/** @typedef {import("./ramp.js").Ramp} Ramp */

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
