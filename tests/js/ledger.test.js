import assert from "node:assert/strict";
import { test } from "node:test";
import { axisLetters, axisValue, landings, shareOut, withRules } from "../../attn_helpers/widgets/js/axes.js";
import { boxesOf, boxOf, mistakeOf, reckon, sideOf, unitOf, waysOut } from "../../attn_helpers/widgets/js/ledger.js";
import { ledgerWords } from "../../attn_helpers/widgets/js/ledger_words.js";
import fixtures from "../fixtures/shape_ledger.json" with { type: "json" };

const [{ book }] = fixtures;
const SIZES = { B: 2, T: 4, m: 8, S: 5, H: 2 };
const row = (name) => book.rows.findIndex((one) => one.name === name);

test("shapes, FLOPs, bytes and parameters are those that Python counts", () => {
  for (const { book, cases } of fixtures) {
    for (const { sizes, dims, row_flops: flops, bytes, ...totals } of cases) {
      const { rows, crack, totals: mine } = reckon(book, sizes);
      assert.equal(crack, -1);
      assert.deepEqual(rows.map((one) => one.dims), dims);
      assert.deepEqual(mine, totals);
      if (flops) assert.deepEqual(rows.map((one) => one.flops), flops);
      if (bytes) assert.deepEqual(rows.map((one) => one.bytes), bytes);
    }
  }
});

test("an axis is a sum of products, as in Python", () => {
  const sizes = { h: 5, E: 7, c: 2, H: 3, d: 4, directions: 2 };
  const wanted = { "3h": 15, "E + c": 9, "H·d": 12, "h / directions": 2.5, "2·H·d + 3·c": 30, 1: 1 };
  for (const [axis, value] of Object.entries(wanted)) assert.equal(axisValue(axis, sizes), value, axis);
  assert.ok(Number.isNaN(axisValue("q", sizes)));
  assert.deepEqual(axisLetters("2·H·d + 3·c"), ["H", "d", "c"]);
  assert.deepEqual(axisLetters("h′ / directions"), ["h′", "directions"]);
  assert.equal(withRules({ m: 10, H: 4 }, { d: "m / H" }).d, 2.5);
});

test("a width that does not split cracks at the split, and nothing comes after", () => {
  const { rows, crack, totals } = reckon(book, { ...SIZES, m: 10, H: 4 });
  assert.equal(crack, row("q_cut"));
  assert.deepEqual(rows[crack - 1].dims, [2, 4, 10]);
  assert.deepEqual(totals, { parameters: null, flops: null, cache: null });
  const { each, rest } = shareOut(10, 4);
  assert.equal(ledgerWords("en").cracked(10, 4, each, rest), "d_model 10 does not split into 4 heads: 10 = 4·2 + 2.");
  assert.deepEqual(waysOut(10, 4), { widths: [8, 12], heads: [2, 5, 10] });
  for (let m = 1; m <= 40; m++) {
    for (let h = 1; h <= 9; h++) {
      const { widths, heads } = waysOut(m, h);
      assert.ok(widths.every((n) => n > 0 && n % h === 0) && heads.every((n) => m % n === 0));
    }
  }
});

test("a recorded pass at other sizes keeps its shapes and says nothing of its FLOPs", () => {
  const other = fixtures[1].book;
  const sizes = { ...fixtures[1].cases[0].sizes, h: 20 };
  const { rows, totals } = reckon(other, sizes);
  assert.deepEqual(rows.find(({ name }) => name === "inputs").dims, [2, 4, 60]);
  assert.equal(totals.flops, null);
  assert.ok(rows.every(({ flops }) => flops === null));
});

test("a wrong shape is called by what it mistakes", () => {
  const at = row("q_heads");
  const named = (guess) => mistakeOf(guess, book.rows, at);
  const table = { "B,H,T,d": "right", "B,T,H,d": "before", "B,H,S,d": "keys", "B,H,T,m": "whole", "B,T,H,H·d": "whole", "B,H,T,v": "alien", "B,T,T,d": "twice", "H,B,T,d": "batch", "B,H,d,T": "turned" };
  for (const [guess, name] of Object.entries(table)) assert.equal(named(guess.split(",")), name, guess);
  for (const name of Object.values(table)) assert.ok(ledgerWords("en").answers[name].length > 10);
  const letters = ["B", "T", "H", "d"]; // every order has a name, and one alone is right
  const orders = letters.flatMap((a) => letters.flatMap((b) => letters.flatMap((c) => letters.map((d) => [a, b, c, d]))));
  assert.equal(orders.filter((guess) => named(guess) === "right").length, 1);
  assert.ok(orders.every((guess) => ledgerWords("en").answers[named(guess)]));
});

/** What PyTorch's view does: rows of m numbers, read on in memory. */
function viewed(tokens, heads, each) {
  const memory = Array.from({ length: tokens * heads * each }, (_, i) => i);
  return Array.from({ length: heads }, (_, h) => Array.from({ length: tokens }, (_, t) => memory[(h * tokens + t) * each]));
}

test("whose numbers land where: every size, also as many heads as tokens", () => {
  for (let tokens = 1; tokens <= 6; tokens++) {
    for (let heads = 1; heads <= 6; heads++) {
      const each = 3;
      const plain = viewed(tokens, heads, each);
      landings(tokens, heads, each, true).forEach((rows, h) => {
        rows.forEach(({ token, from }, t) => {
          assert.equal(token * heads * each + from, plain[h][t]);
        });
      });
      landings(tokens, heads, each, false).forEach((rows, h) => {
        rows.forEach(({ token, from }, t) => {
          assert.deepEqual([token, from], [t, h * each]);
        });
      });
      const strange = landings(tokens, heads, each, true).flat().some(({ token }, i) => token !== i % tokens);
      assert.equal(strange, heads > 1 && tokens > 1);
    }
  }
});

test("boxes are in proportion and stay within their place", () => {
  const shapes = reckon(book, { ...SIZES, T: 9, B: 3 }).rows.map(({ dims }) => dims);
  for (const width of [150, 204, 340]) {
    const unit = unitOf(shapes, width, 76);
    for (const dims of shapes) {
      const { boxes, more, end } = boxesOf(dims, unit);
      const { count, down, across } = boxOf(dims);
      assert.equal(boxes.length + more, count);
      assert.ok(end <= width || unit === 0.4, `${dims}: ${end}`);
      for (const [, , w, h] of boxes) if (h > 2) assert.ok(Math.abs(w / h - across / down) < 1e-9 || w === 2);
    }
  }
  assert.deepEqual(boxOf([7]), { count: 1, down: 1, across: 7 });
});

test("the lit axis is found along, down or beside", () => {
  const axes = ["B", "T", "H·d"];
  assert.deepEqual(["B", "T", "H", "d", "S"].map((letter) => sideOf(axes, letter)), ["count", "down", "across", "across", ""]);
});
