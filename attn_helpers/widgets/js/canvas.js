// @ts-check
// Colours of weights as a table, and many cells on one canvas, pooled below one pixel per cell.
import { isMasked } from "./decode.js";

/** @typedef {{packed: Uint32Array, css: string[], on: string[]}} Ramp 256 colours; `on`: black or white, whichever
 * contrasts more */
/** @typedef {{cells: Float64Array, x: number, width: number, height: number}} Tile in device px */

/** The nine stops of tokens.css with 256 colours between them in OKLab, where equal steps look equal.
 * @param {HTMLElement} probe an element of the theme, whose colour may be changed @returns {Ramp} */
export function makeRamp(probe) {
  const packed = new Uint32Array(256);
  const bytes = new Uint8Array(packed.buffer); // red, green, blue, alpha: the order a canvas wants
  const css = [];
  const on = [];
  for (let i = 0; i < 256; i++) {
    const stop = Math.min(7, Math.floor(i / 31.875));
    const mixed = `color-mix(in oklab, var(--w${stop + 1}) ${(i / 31.875 - stop) * 100}%, var(--w${stop}))`;
    probe.style.color = `color-mix(in srgb, ${mixed} 100%, #000)`;
    const rgb = (getComputedStyle(probe).color.match(/[\d.e-]+(?![a-z])/g) ?? []).map(Number); // color(srgb r g b)
    const light = rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    bytes.set([...rgb.slice(0, 3).map((c) => Math.round(255 * c)), 255], 4 * i);
    css.push(`rgb(${bytes.subarray(4 * i, 4 * i + 3).join()})`);
    on.push(0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] < 0.1791 ? "#fff" : "#000"); // both 4.58 there
  }
  probe.style.color = "";
  return { packed, css, on };
}

/** Place of a weight in the table. @param {number} weight */
export const step = (weight) => Math.round(255 * Math.min(1, weight));

/** Colour a tile; a pixel over several cells shows their largest weight.
 * @param {Uint32Array} pixels @param {number} stride pixels in a line @param {Tile} tile
 * @param {number} queries @param {number} keys @param {Uint32Array} colours @param {number | null} hidden row */
export function paintTile(pixels, stride, { cells, x, width, height }, queries, keys, colours, hidden) {
  const from = (/** @type {number} */ i, /** @type {number} */ size, /** @type {number} */ count) => Math.floor((i * size) / count);
  const to = (/** @type {number} */ i, /** @type {number} */ size, /** @type {number} */ count) =>
    size > count ? Math.ceil(((i + 1) * size) / count) : from(i, size, count) + 1;
  const lefts = Int32Array.from({ length: width }, (_, j) => from(j, keys, width));
  const rights = lefts.map((_, j) => to(j, keys, width));
  for (let i = 0; i < height; i++) {
    const [top, bottom] = [from(i, queries, height), to(i, queries, height)];
    const start = i * stride + x;
    if (i && queries <= height && top === from(i - 1, queries, height)) {
      pixels.copyWithin(start, start - stride, start - stride + width); // the same row of cells once more
      continue;
    }
    for (let j = 0; j < width; j++) {
      let most = 0;
      for (let q = top; q < bottom; q++)
        for (let k = q * keys + lefts[j]; k < q * keys + rights[j]; k++) if (cells[k] > most && q !== hidden) most = cells[k];
      pixels[start + j] = colours[step(most)];
    }
  }
}

/** What a canvas shows: drawn again only when one of these is another. @type {WeakMap<Element, any[]>} */
const drawn = new WeakMap();

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height device px @param {any[]} inputs
 * @param {(pixels: Uint32Array) => void} fill @param {(pen: CanvasRenderingContext2D) => void} [over] */
export function repaint(canvas, width, height, inputs, fill, over) {
  const now = [width, height, ...inputs];
  if (drawn.get(canvas)?.every((x, i) => x === now[i]) || !width || !height) return;
  drawn.set(canvas, now);
  Object.assign(canvas, { width, height });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = pen.createImageData(width, height);
  fill(new Uint32Array(image.data.buffer));
  pen.putImageData(image, 0, 0);
  over?.(pen);
}

/** Hatch what is masked: 45 degrees, a line every 5 px. @param {CanvasRenderingContext2D} pen @param {DataView} bits
 * @param {number} queries @param {number} keys @param {number} scale device px per CSS px
 * @param {string} paper @param {string} line */
export function hatch(pen, bits, queries, keys, scale, paper, line) {
  const { width, height } = pen.canvas;
  for (let i = 0; i < queries * keys; i++) {
    if (!isMasked(bits, i)) continue;
    const first = i;
    while ((i + 1) % keys && isMasked(bits, i + 1)) i++; // a run of masked cells
    const [q, k] = [Math.floor(i / keys), first % keys];
    pen.rect((k * width) / keys, (q * height) / queries, ((i - first + 1) * width) / keys, height / queries);
  }
  pen.save();
  pen.clip();
  Object.assign(pen, { fillStyle: paper, strokeStyle: line, lineWidth: scale });
  pen.fillRect(0, 0, width, height);
  pen.beginPath();
  for (let x = -height; x < width; x += 7 * scale) {
    pen.moveTo(x, 0);
    pen.lineTo(x + height, height);
  }
  pen.stroke();
  pen.restore();
}

/** Gold links, dots (sure) or rings (possible). @param {CanvasRenderingContext2D} pen @param {number[][]} links
 * @param {boolean} sure @param {(q: number, k: number) => string} colour @param {number} queries @param {number} keys */
export function marks(pen, links, sure, colour, queries, keys) {
  const [wide, high] = [pen.canvas.width / keys, pen.canvas.height / queries];
  for (const [q, k] of links) {
    pen.beginPath();
    pen.arc((k + 0.5) * wide, (q + 0.5) * high, Math.max(1, Math.min(8, wide, high) / 3), 0, 7);
    pen.fillStyle = pen.strokeStyle = colour(q, k);
    sure ? pen.fill() : pen.stroke();
  }
}
