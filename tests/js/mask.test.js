import assert from "node:assert/strict";
import { test } from "node:test";
import cases from "../fixtures/mask_lab.json" with { type: "json" };
import { compute, maskOf, openedOf, sameForAll, weigh } from "../../attn_helpers/widgets/js/mask.js";
import { codeOf } from "../../attn_helpers/widgets/js/mask_cards.js";
import { maskWords } from "../../attn_helpers/widgets/js/mask_words.js";

const BREAKAGES = ["no_mask", "flipped", "after_softmax", "half", "finite"];

/** Both NaN (null in the fixture), or near. */
const near = (mine, right) => (right === null ? Number.isNaN(mine) : Math.abs(mine - right) <= 1e-9 * Math.max(1, Math.abs(right)));

test("mask, scores, weights, leaked mass and output agree with Python to 1e-9", () => {
  assert.equal(cases.length, 64);
  for (const { state, ...right } of cases) {
    const mine = compute(state);
    assert.deepEqual(mine.mask, right.mask);
    for (const name of ["scores", "weights", "leaked", "output"]) {
      const [a, b] = [mine[name].flat(9), right[name].flat(9)];
      assert.equal(a.length, b.length);
      a.forEach((x, i) => { assert.ok(near(x, b[i]), `${name}[${i}] is ${x}, not ${b[i]}: ${JSON.stringify(state)}`); });
    }
  }
});

test("an empty row is 0, wherever it comes from, and a forbidden weight exactly 0", () => {
  assert.deepEqual(weigh("none", "float16", [3, 4], [false, false]), [0, 0]);
  assert.deepEqual(weigh("none", "float16", [3, 1e300], [true, false]), [1, 0]);
  assert.deepEqual(weigh("flipped", "float16", [3, 4], [true, true]), [0, 0]);
});

test("only float16 turns an empty row into NaN", () => {
  const row = (type) => weigh("half", type, [3, 4], [false, false]);
  assert.ok(row("float16").every(Number.isNaN));
  assert.deepEqual(row("bfloat16"), [0.5, 0.5]);
  assert.deepEqual(row("float32"), [0.5, 0.5]);
});

test("a click turns one entry over, whatever lengths and order say", () => {
  const state = { query_tokens: [["a", "b"]], key_tokens: [["a", "b"]], lengths: [1], causal: true, flips: [[0, 0, 1], [0, 1, 0]] };
  assert.deepEqual(maskOf(state), [[[true, true], [false, false]]]);
});

test("the future that was opened: above the diagonal, no padding, and only where it was hidden", () => {
  const state = { query_tokens: [["a", "b", "c"]], key_tokens: [["a", "b", "c"]], lengths: [2], causal: true };
  const opened = (traits) => openedOf({ ...state, ...traits });
  assert.deepEqual(opened({ flips: [] }), []);
  assert.deepEqual(opened({ flips: [[0, 0, 1]] }), [[0, 0, 1]]);
  assert.deepEqual(opened({ flips: [[0, 1, 0], [0, 1, 1]] }), []); // the past, closed
  assert.deepEqual(opened({ flips: [[0, 0, 2], [0, 2, 2], [0, 0, 1]] }), [[0, 0, 1]]); // padding, ahead and behind
  assert.deepEqual(opened({ causal: false, flips: [[0, 0, 1]] }), []);
});

test("the cards: a mask of keys where it says all, else one entry for each query", () => {
  const padded = [[[true, false], [true, false]]];
  const causal = [[[true, false], [true, true]]];
  assert.ok(sameForAll(padded));
  assert.ok(!sameForAll(causal));
  const [keep, drop] = codeOf("none", "float16", padded);
  assert.match(keep, /\n {4}\[\[True, False\]\]\]\)\n/);
  assert.match(drop, /\n {4}\[False, True\]\]\)\n.*attention\(\n.*\n {4}key_padding_mask=drop\)$/);
  const [both, other] = codeOf("none", "float16", causal);
  assert.match(both, /\n {4}\[\[True, False\],\n {5}\[True, True\]\]\]\)\n/);
  assert.match(other, /\n {4}\[\[False, True\],\n {5}\[False, False\]\]\]\)\n[\s\S]* attn_mask=drop\)$/);
});

test("every fault has its words and its line of code", () => {
  const words = maskWords("constructor");
  assert.equal(words, maskWords("en"));
  for (const name of BREAKAGES) {
    assert.ok(words.kinds[name]);
    if (name !== "half") assert.ok(words.why[name]);
    assert.match(codeOf(name, "float32", [[[true]]])[0], /^[\s\S]*weights = /);
  }
  assert.deepEqual(Object.keys(words.kinds), BREAKAGES);
  assert.match(codeOf("half", "bfloat16", [[[true]]])[0], /torch\.bfloat16[\s\S]*torch\.bfloat16/);
});
