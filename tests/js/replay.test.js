import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chartOf, crossing, halfWay, nearest, settles, strongest, ticksOf } from "../../attn_helpers/widgets/js/replay.js";
import { replayWords } from "../../attn_helpers/widgets/js/replay_words.js";

const CASES = JSON.parse(readFileSync(new URL("../fixtures/training_replay.json", import.meta.url), "utf8"));
const STEPS = [0, 8, 9, 30, 100, 353, 394, 1500];

test("where rows settle, where links cross, half of a fall: as Python reads them", () => {
  for (const { weights, sure, possible, loss, half, settles: when, crossing: cross } of CASES) {
    const keys = weights[0][0].length;
    const maps = weights.map((map) => Float64Array.from(map.flat()));
    assert.deepEqual(weights[0].map((_, row) => settles(maps, keys, row, [...sure, ...possible])), when);
    assert.equal(crossing(maps, keys, sure), cross);
    assert.equal(halfWay(loss), half);
  }
});

test("the end of sentence does not compete, the first of equals wins", () => {
  const cells = Float64Array.from([0.1, 0.2, 0.2, 0.5, 0.4, 0.1, 0.1, 0.4]);
  assert.equal(strongest(cells, 4, 0), 1);
  assert.equal(strongest(cells, 4, 1), 0);
});

test("steps to px and back, for any width", () => {
  for (const size of [{ width: 470, height: 386 }, { width: 288, height: 360 }]) {
    const chart = chartOf(STEPS, size);
    assert.deepEqual([chart.x(0), chart.x(1500)], [chart.left, chart.right]);
    for (const [i, step] of STEPS.entries()) assert.equal(nearest(STEPS, chart, chart.x(step)), i);
    assert.equal(nearest(STEPS, chart, -99), 0);
    assert.equal(nearest(STEPS, chart, 9999), STEPS.length - 1);
    for (let i = 1; i < STEPS.length; i++) assert.ok(chart.x(STEPS[i]) > chart.x(STEPS[i - 1]));
    const equal = chart.x(300 * 8) - chart.x(100 * 8) - (chart.x(900 * 8) - chart.x(300 * 8));
    assert.ok(Math.abs(equal) < 2); // far from 0 it is a logarithm
  }
});

test("three strips under each other, in order, above the axis", () => {
  const { strip, bottom, top } = chartOf(STEPS, { width: 470, height: 386 });
  const marks = [0, 1, 2].flatMap((i) => Object.values(strip(i)));
  assert.deepEqual(marks, [...marks].sort((a, b) => a - b));
  assert.ok(marks[0] > top && marks[8] < bottom);
});

test("a training whose only steps are 0 and 1, and one that never left 0, have an axis", () => {
  for (const steps of [[0, 1], [0, 0], [5, 6]]) {
    const { x, left, right } = chartOf(steps, { width: 470, height: 386 });
    for (const step of steps) assert.ok(x(step) >= left && x(step) <= right);
  }
});

test("ticks are round, apart, and end at the last step", () => {
  const { x } = chartOf(STEPS, { width: 470, height: 386 });
  const stops = ticksOf(1500, x, 36);
  assert.deepEqual(stops, [0, 10, 30, 100, 300, 1500]);
  for (let i = 1; i < stops.length; i++) assert.ok(x(stops[i]) - x(stops[i - 1]) >= 36);
  assert.deepEqual(ticksOf(1, x, 36), [0, 1]);
});

test("words say which came first", () => {
  const words = replayWords("xx");
  assert.equal(words, replayWords("constructor"));
  assert.match(words.half(253, 353).at(-1), /^The loss is there 100 steps earlier/);
  assert.match(words.half(353, 253).at(-1), /^The AER is there 100 steps earlier/);
  assert.match(words.half(353, 353).at(-1), /one snapshot/);
  assert.deepEqual([words.off(5, -3)[1], words.off(9, 1)[1]], ["You said 5: 3 steps too early.", "You said 9: 1 step too late."]);
});
