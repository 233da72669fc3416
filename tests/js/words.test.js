import assert from "node:assert/strict";
import { test } from "node:test";
import { number, small, wordsOf } from "../../attn_helpers/widgets/js/words.js";

test("numbers: two decimals, no leading zero, a true minus, no minus zero", () => {
  const pairs = [[0.842, ".84"], [-0.1414, "−.14"], [1.867, "1.87"], [0, ".00"], [-0.001, ".00"], [-1.2, "−1.20"], [10.5, "10.50"]];
  for (const [x, text] of pairs) assert.equal(number(x), text);
  assert.equal(number(1, 3), "1.000");
});

test("a large number stays short", () => {
  const pairs = [[9999.4, "9999.40"], [10000, "1.0e4"], [2.1e6, "2.1e6"], [-2e12, "−2.0e12"]];
  for (const [x, text] of pairs) assert.equal(number(x), text);
});

test("keys that tie are counted", () => {
  const { ties } = wordsOf("en");
  assert.deepEqual(ties(3, false), ["Three keys share the lead."]);
  assert.deepEqual(ties(4, true), ["All four keys share alike."]);
  assert.deepEqual(ties(12, false), ["12 keys share the lead."]);
});

test("a tiny gradient is not shown as nothing", () => {
  assert.equal(small(0.0000753), ".0001");
  assert.equal(small(0.0656), ".07");
  assert.equal(small(0.362), ".36");
});

test("an unknown language falls back to English", () => {
  assert.equal(wordsOf("xx"), wordsOf("en"));
  assert.equal(wordsOf("constructor").reset, "Reset");
});

test("a token goes through sentences untouched", () => {
  const say = wordsOf("en");
  const token = ["bdi", "<s>"];
  for (const parts of [say.wins(token, token), say.why(token, token, token), say.tie(token, token), say.finds(token, token, true)]) {
    assert.ok(parts.filter((part) => part === token).length >= 2);
    assert.ok(parts.every((part) => part === token || typeof part === "string"));
  }
});
