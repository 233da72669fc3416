// @ts-check
// Tokens as readers want to see them. The raw token always stays in the tooltip.
import { textWidth } from "./dom.js";

// The 256 bytes as byte-level tokenizers spell them: printable ones as themselves, the rest from U+0100 on.
const BYTES = new Map();
for (let b = 0, next = 256; b < 256; b++)
  BYTES.set(String.fromCharCode((b > 32 && b < 127) || (b > 160 && b !== 173) ? b : next++), b);

/** "Ġthe" and "▁the" begin with a space, "##ing" goes on; byte-level letters become the letters they stand for.
 * @param {string} token */
export function readable(token) {
  if (/^##./u.test(token)) return `-${token.slice(2)}`;
  const letters = [...token];
  let text = token;
  if (letters.some((c) => c > "ÿ") && letters.every((c) => BYTES.has(c))) {
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(letters, (c) => BYTES.get(c)));
    } catch {} // part of a letter: shown as it is
  }
  return text.replace(/\n/g, "↵").replace(/^\s*$|^[\s▁]+(?=.)/u, (spaces) => "␣".repeat(spaces.length || 1));
}

/** The text, its middle left out if it is too wide. @param {string} text @param {number} room
 * @param {(text: string) => number} width */
export function elide(text, room, width) {
  let shown = text;
  if (width(text) <= room) return text;
  const letters = Array.from(new Intl.Segmenter().segment(text), (part) => part.segment);
  for (let kept = letters.length - 1; kept > 0 && width(shown) > room; kept--)
    shown = `${letters.slice(0, Math.ceil(kept / 2)).join("")}…${letters.slice(letters.length - Math.floor(kept / 2)).join("")}`;
  return shown;
}

/** @type {Map<string, number>} */
const widths = new Map();

/** Width in px, measured once. @param {string} text @param {string} font */
export function widthOf(text, font) {
  const name = font + text;
  if (widths.size > 9999) widths.clear();
  if (!widths.has(name)) widths.set(name, textWidth(text, font));
  return widths.get(name) ?? 0;
}

/** A token, readable, cut to the room there is; raw in the tooltip. @param {string} raw @param {string} look its
 * classes @param {number} [room] px @param {string} [font] @returns {import("./dom.js").Spec} */
export const word = (raw, look, room, font = "") => [
  `bdi.token.${look}`,
  { title: raw },
  room ? elide(readable(raw), room, (text) => widthOf(text, font)) : elide(readable(raw), 24, (text) => text.length),
];
