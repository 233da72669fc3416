import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { hatch, paintTile } from "../../attn_helpers/widgets/js/canvas.js";
import { step } from "../../attn_helpers/widgets/js/ramp.js";
import { alignmentError, cellsOf, errorOf, isMasked, readRow } from "../../attn_helpers/widgets/js/decode.js";
import { escaped, tag } from "../../attn_helpers/widgets/js/export.js";
import { heatWords } from "../../attn_helpers/widgets/js/heatmap_words.js";
import { spread } from "../../attn_helpers/widgets/js/ribbons.js";
import { elide, readable } from "../../attn_helpers/widgets/js/tokens.js";

const HOSTILE = JSON.parse(readFileSync(new URL("../fixtures/hostile_tokens.json", import.meta.url), "utf8"));
const floats = (...numbers) => {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  for (const [i, x] of numbers.entries()) view.setFloat32(4 * i, x, true);
  return view;
};
// The running pair: le looks at its noun; black and cat cross.
const PAIR = Float64Array.from([0.32, 0.18, 0.48, 0.02, 0.04, 0.12, 0.84, 0, 0, 0.99, 0.01, 0, 0, 0.02, 0, 0.98]);
const GOLD = [[[0, 0], [1, 2], [2, 1], [3, 3]], [[0, 2]]];
const NONE = new Set();

test("one head is read where it lies, rows are queries", () => {
  const payload = floats(...Array.from({ length: 2 * 3 * 5 * 7 }, (_, i) => i));
  const cells = cellsOf(payload, [2, 3, 5, 7], 1, 2);
  assert.equal(cells.length, 35);
  assert.equal(cells[0], ((1 * 3 + 2) * 5 + 0) * 7);
  assert.equal(cells[4 * 7 + 6], 2 * 3 * 5 * 7 - 1);
  assert.equal(cellsOf(payload, [2, 3, 5, 7], 1, 2), cells); // read once
});

test("a mean is over heads, over layers, or over both", () => {
  const payload = floats(1, 2, 3, 4, 5, 6); // 2 layers, 3 heads, one cell
  assert.equal(cellsOf(payload, [2, 3, 1, 1], 0, "mean")[0], 2);
  assert.equal(cellsOf(payload, [2, 3, 1, 1], "mean", 1)[0], 3.5);
  assert.equal(cellsOf(payload, [2, 3, 1, 1], "mean", "mean")[0], 3.5);
});

test("a row in figures: sum, strongest key, e to the entropy of its shares", () => {
  const row = readRow(Float64Array.from([1, 0, 0, 0, 0.25, 0.25, 0.25, 0.25]), 4, 1);
  assert.deepEqual([row.sum, row.top], [1, 0]);
  assert.ok(Math.abs(row.words - 4) < 1e-12);
  assert.equal(readRow(Float64Array.from([0, 1]), 2, 0).words, 1);
  assert.equal(readRow(Float64Array.from([0, 0]), 2, 0).words, 0); // looks at nothing, not at one word
  assert.ok(Math.abs(readRow(Float64Array.from([0.5, 0.5]), 2, 0).words - readRow(Float64Array.from([2, 2]), 2, 0).words) < 1e-12);
});

test("AER counts sure and possible links, and names what is not sure", () => {
  const error = alignmentError(PAIR, 4, GOLD, NONE, NONE);
  assert.deepEqual(error.counts, [3, 4, 4, 4]);
  assert.equal(error.rate, 0.125);
  assert.equal(error.sureRate, 0.25); // le's noun counts as wrong
  assert.deepEqual(error.odd, [0, 2]);
  assert.equal(error.isLink(error.odd), true);
});

test("AER is worked out once for each map, and anew for other links", () => {
  const first = errorOf(PAIR, 4, GOLD, NONE, NONE);
  assert.equal(errorOf(PAIR, 4, structuredClone(GOLD), NONE, NONE), first);
  assert.equal(errorOf(PAIR, 4, [[[0, 1]], []], NONE, NONE).rate, 1);
  assert.deepEqual(errorOf(PAIR, 4, GOLD, NONE, new Set([2])).counts, [3, 3, 4, 3]);
});

test("AER: perfect, all wrong, no links, ends of sentences", () => {
  const eye = Float64Array.from([1, 0, 0, 1]);
  assert.equal(alignmentError(eye, 2, [[[0, 0], [1, 1]], []], NONE, NONE).rate, 0);
  assert.equal(alignmentError(eye, 2, [[[0, 1], [1, 0]], []], NONE, NONE).rate, 1);
  assert.equal(alignmentError(eye, 2, [[], [[0, 0], [1, 1]]], NONE, NONE).rate, 0); // merely possible links are no errors
  assert.deepEqual(alignmentError(eye, 2, [[[0, 0], [1, 1]], []], new Set([1]), new Set([1])).counts, [1, 1, 1, 1]);
  const toEnd = Float64Array.from([0.3, 0.7]); // the end is strongest, but does not count: the next best is taken
  assert.equal(alignmentError(toEnd, 2, [[[0, 0]], []], NONE, new Set([1])).rate, 0);
  assert.equal(alignmentError(new Float64Array(2), 2, [[], []], NONE, NONE).rate, 1); // nothing to divide by, no NaN
});

test("masks: one bit a cell, the highest first", () => {
  const bits = new DataView(Uint8Array.from([0b10000001, 0b01000000]).buffer);
  assert.deepEqual([0, 1, 6, 7, 8, 9].map((i) => isMasked(bits, i)), [true, false, false, true, false, true]);
  assert.equal(isMasked(new DataView(new ArrayBuffer(0)), 3), false);
  assert.equal(isMasked(null, 3), false);
});

const RAMP = { packed: Uint32Array.from({ length: 258 }, (_, i) => i), paper: 256, hatch: 257 };

test("a tile enlarges cells evenly and stays inside its place", () => {
  const pixels = new Uint32Array(6 * 4).fill(999);
  paintTile(pixels, 6, { cells: Float64Array.from([0, 1, 0.5, 0]), x: 1, width: 4, height: 4 }, 2, 2, RAMP, null);
  const rows = [0, 6, 12, 18].map((i) => [...pixels.subarray(i, i + 6)]);
  assert.deepEqual(rows, [[999, 0, 0, 255, 255, 999], [999, 0, 0, 255, 255, 999], [999, 128, 128, 0, 0, 999], [999, 128, 128, 0, 0, 999]]);
});

test("below one pixel per cell the largest weight shows, in both directions", () => {
  for (let at = 0; at < 100; at++) {
    const cells = new Float64Array(100);
    cells[at] = 1;
    const across = new Uint32Array(7);
    paintTile(across, 7, { cells, x: 0, width: 7, height: 1 }, 1, 100, RAMP, null);
    assert.ok(across.includes(255), `column ${at}`);
    const down = new Uint32Array(7);
    paintTile(down, 1, { cells, x: 0, width: 1, height: 7 }, 100, 1, RAMP, null);
    assert.ok(down.includes(255), `row ${at}`);
  }
});

test("a hidden row is blank, also where it shares pixels with others", () => {
  const pixels = new Uint32Array(2);
  paintTile(pixels, 1, { cells: Float64Array.from([0, 1, 0, 0]), x: 0, width: 1, height: 2 }, 4, 1, RAMP, 1);
  assert.deepEqual([...pixels], [0, 0]);
});

test("the hatch covers masked cells and nothing else", () => {
  const pixels = new Uint32Array(20 * 20).fill(7);
  const bits = new DataView(Uint8Array.from([0b01000000]).buffer); // upper right of 2 × 2
  hatch(pixels, { width: 20, height: 20 }, 2, 2, RAMP, bits, 1);
  const inside = (i) => i % 20 >= 10 && i < 200;
  assert.ok(pixels.every((p, i) => (p === 7) === !inside(i)));
  assert.ok(pixels.includes(RAMP.hatch) && pixels.includes(RAMP.paper));
});

test("weights above 1 keep the last colour", () => {
  assert.deepEqual([0, 0.5, 1, 1.25].map(step), [0, 128, 255, 255]);
});

test("tokens: markers and bytes readable, all else as it is (R108)", () => {
  const pairs = [["Ġthe", "␣the"], ["▁cat", "␣cat"], ["##ing", "-ing"], ["ĠcafÃ©", "␣café"], ["áĪħ", "ህ"], ["á", "á"], ["Ã©", "Ã©"], ["ĠÃ", "ĠÃ"]];
  for (const [raw, shown] of [...pairs, [" ", "␣"], ["", "␣"], ["##", "##"], ["▁", "▁"], ["Ċ", "↵"]]) assert.equal(readable(raw), shown);
  for (const token of HOSTILE.filter((t) => t.trim() && !/^(##|Ġ|▁)/.test(t))) assert.equal(readable(token), token);
});

test("a cut never goes through a letter, and keeps both ends", () => {
  const width = (text) => [...new Intl.Segmenter().segment(text)].length;
  assert.equal(elide("internationalisation", 10, width), "inter…tion");
  assert.equal(elide("cat", 3, width), "cat");
  assert.equal(elide("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 3, width), "👩‍👩‍👧…👩‍👩‍👧");
  assert.equal(elide("abc", 0, width), "a…"); // something is always left
});

test("words are spread to both edges", () => {
  assert.deepEqual(spread([10, 20, 10], 100), [5, 50, 95]);
  assert.deepEqual(spread([10], 100), [50]);
});

test("XML holds every hostile token and no control character (R119)", () => {
  for (const token of [...HOSTILE, "\u0000\u0008", "\ud800"]) {
    const text = escaped(token);
    assert.ok(!/[<>"']|&(?!#\d+;)/.test(text), token);
    assert.ok([...text].every((c) => c >= " " || "\t\n\r".includes(c)), token);
  }
  assert.equal(escaped("a<b&c"), "a&#60;b&#38;c");
  assert.equal(tag("g", { id: '"x' }, "y"), '<g id="&#34;x">y</g>');
});

test("which layer and head is said, a mean never silently (R087)", () => {
  const words = heatWords("en");
  assert.equal(words.of([words.one("layer", "3"), words.meanOf(8, "head")]), "Layer 3, mean of 8 heads. ");
  assert.equal(words.of([]), "");
  for (const language of ["xx", "constructor", "__proto__"]) assert.equal(heatWords(language), words);
});
