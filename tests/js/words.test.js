import assert from "node:assert/strict";
import { test } from "node:test";
import { number, wordsOf } from "../../attn_helpers/widgets/js/words.js";

test("numbers: two decimals, no leading zero, a true minus, no minus zero", () => {
  const pairs = [[0.842, ".84"], [-0.1414, "−.14"], [1.867, "1.87"], [0, ".00"], [-0.001, ".00"], [-1.2, "−1.20"], [10.5, "10.50"]];
  for (const [x, text] of pairs) assert.equal(number(x), text);
  assert.equal(number(1, 3), "1.000");
});

test("a large number stays short", () => {
  const pairs = [[9999.4, "9999.40"], [10000, "1.0e4"], [2.1e6, "2.1e6"], [-2e12, "−2.0e12"]];
  for (const [x, text] of pairs) assert.equal(number(x), text);
});

test("an unknown language falls back to English", () => {
  assert.equal(wordsOf("xx"), wordsOf("en"));
  assert.match(wordsOf("constructor").python("ValueError: no"), /^Python could not follow\. ValueError: no$/);
});
