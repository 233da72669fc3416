import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { apart, caughtBy, isFine, lossChart, spelled } from "../../attn_helpers/widgets/js/museum.js";
import { museumWords } from "../../attn_helpers/widgets/js/museum_words.js";

const CASES = JSON.parse(readFileSync(new URL("../fixtures/museum_room.json", import.meta.url), "utf8"));

test("which numbers catch a fault: as Python says, at the limit too", () => {
  for (const [i, values] of CASES.values.entries()) assert.deepEqual(caughtBy(values, CASES.bounds), CASES.caught[i]);
  assert.ok(!isFine(Number.NaN, { limit: 1, least: false }) && !isFine(Number.NaN, { limit: 1, least: true }));
});

test("two lines part once and meet again, and nothing of them is lost", () => {
  for (const { lines, cut } of CASES.lines) {
    const found = apart(lines[0], lines[1]);
    assert.deepEqual(found, cut);
    assert.deepEqual(found.map((parts) => parts.join("")), lines);
    assert.deepEqual([found[0][0], found[0][2]], [found[1][0], found[1][2]]);
  }
});

test("losses lie between the axes, in order, each mean in the middle of its steps", () => {
  for (const size of [{ width: 470, height: 210 }, { width: 288, height: 210 }]) {
    const losses = [[5.9, 2, 0.1], [5.2, 4.4, 0]];
    const { left, right, top, bottom, most, x, y, points } = lossChart(losses, 600, size);
    assert.equal(most, 6);
    assert.deepEqual([x(0), x(600), y(0), y(6)], [left, right, bottom, top]);
    assert.deepEqual(points(losses[0]).map(([px]) => px), [100, 300, 500].map(x));
    for (const loss of losses)
      for (const [px, py] of points(loss)) assert.ok(px > left && px < right && py >= top && py <= bottom);
    const heights = points(losses[0]).map(([, py]) => py);
    assert.deepEqual(heights, [...heights].sort((a, b) => a - b)); // a smaller loss stands lower
  }
  assert.equal(lossChart([[0, 0]], 2, { width: 300, height: 200 }).most, 1);
});

test("numbers are read alike, small and large", () => {
  assert.deepEqual([0, 2.4e-7, 0.2128, 0.99949, 0.9996, 1, 15.15].map(spelled), [".000", ".000", ".213", ".999", "1.00", "1.00", "15.15"]);
});

test("an unknown language is English, whatever its name", () => {
  assert.equal(museumWords("xx"), museumWords("constructor"));
  const words = museumWords("en");
  assert.match(words.hit("a"), /^You said so: caught by “a”\.$/);
  assert.match(words.also("a", "b"), /^Caught by “a”, as you said, and by “b”\.$/);
  assert.match(words.missed("a", "b"), /^“a” looks fine\. Caught by “b”\.$/);
});
