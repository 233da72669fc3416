// @ts-check
// Colours of weights as a table of 256.

/** 256 colours; `on`: black or white, whichever contrasts more
 * @typedef {{packed: Uint32Array, css: string[], on: string[], paper: number, hatch: number}} Ramp */

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
