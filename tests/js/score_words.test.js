import assert from "node:assert/strict";
import { test } from "node:test";
import { scoreWords, small } from "../../attn_helpers/widgets/js/score_words.js";

test("keys that tie are counted", () => {
  const { ties } = scoreWords("en");
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
  assert.equal(scoreWords("xx"), scoreWords("en"));
  assert.equal(scoreWords("constructor").reset, "Reset");
});

test("a token goes through sentences untouched", () => {
  const say = scoreWords("en");
  const token = ["bdi", "<s>"];
  for (const parts of [say.wins(token, token), say.why(token, token, token), say.tie(token, token), say.finds(token, token, true)]) {
    assert.ok(parts.filter((part) => part === token).length >= 2);
    assert.ok(parts.every((part) => part === token || typeof part === "string"));
  }
});
