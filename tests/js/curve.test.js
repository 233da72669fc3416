import assert from "node:assert/strict";
import { test } from "node:test";
import { average, binAt, chartOf, compare, drawTo, labelSpot, lastOf, nameOf, nudged } from "../../attn_helpers/widgets/js/curve.js";
import { curveWords } from "../../attn_helpers/widgets/js/curve_words.js";

const BINS = [[1, 6], [7, 9], [10, 12], [13, 16], [17, 20], [21, 29]];
const NONE = BINS.map(() => null);

test("px and back, at the ends and in between", () => {
  for (const size of [{ width: 700, height: 460 }, { width: 342, height: 380 }]) {
    const { x, y, place, share, left, right, top, bottom } = chartOf(BINS, size);
    assert.deepEqual([x(1), x(29), y(0), y(1)], [left, right, bottom, top]);
    for (const value of [1, 3.5, 17, 29]) assert.ok(Math.abs(place(x(value)) - value) < 1e-9);
    for (const value of [0, 0.37, 1]) assert.ok(Math.abs(share(y(value)) - value) < 1e-9);
  }
});

test("bins reach half way to their neighbours, without gaps", () => {
  const { span, left, right } = chartOf(BINS, { width: 700, height: 460 });
  const ends = BINS.map((_, i) => span(i));
  assert.equal(ends[0][0], left);
  assert.equal(ends[5][1], right);
  for (let i = 1; i < 6; i++) assert.equal(ends[i][0], ends[i - 1][1]);
  assert.deepEqual([-4, 1, 6.4, 6.6, 9.4, 20.6, 99].map((place) => binAt(BINS, place)), [0, 0, 0, 1, 1, 5, 5]);
});

test("a pen sets the bin below it, and what it passed on the way", () => {
  assert.deepEqual(drawTo(NONE, BINS, null, [2, 0.913]), [0.91, null, null, null, null, null]);
  const pulled = drawTo([0.9, null, null, null, null, null], BINS, [3.5, 0.9], [25, 0.04]);
  const slope = (0.04 - 0.9) / (25 - 3.5);
  assert.deepEqual(pulled, [0.9, 8, 11, 14.5, 18.5, 25].map((at, i) => (i ? Math.round(100 * (0.9 + slope * (at - 3.5))) / 100 : 0.9)));
  const back = drawTo(pulled, BINS, [25, 0.04], [11, 0.5]); // to the left as to the right
  assert.deepEqual(back, [...pulled.slice(0, 2), 0.5, 0.39, 0.25, pulled[5]]);
  assert.deepEqual(drawTo(NONE, BINS, null, [25, 7])[5], 1); // never above 100 %
  assert.deepEqual(drawTo(NONE, BINS, null, [25, -7])[5], 0);
  assert.deepEqual(NONE, BINS.map(() => null)); // the old line is left as it was
});

test("a slope does not drag along what lies behind it; a pen that goes up or down does", () => {
  const steps = Array.from({ length: 44 }, (_, i) => [3.5 + i / 2, 1 - i / 43]);
  const drawn = steps.reduce((line, to, i) => drawTo(line, BINS, steps[i - 1] ?? null, to), NONE);
  drawn.forEach((share, i) => { assert.ok(Math.abs(share - (1 - ([3.5, 8, 11, 14.5, 18.5, 25][i] - 3.5) / 21.5)) < 0.011); });
  assert.equal(drawTo([0.5, 0.5, 0.5, 0.5, 0.5, 0.5], BINS, [9, 0.5], [9.02, 0.7])[1], 0.7);
});

test("the keyboard starts from the neighbour on the left", () => {
  assert.deepEqual(nudged([0.9, 0.6, null], 2, 0), [0.9, 0.6, 0.6]);
  assert.deepEqual(nudged([0.9, null, null], 2, -0.02), [0.9, null, 0.88]);
  assert.deepEqual(nudged([null, null, null], 0, 0.02), [0.52, null, null]);
  assert.deepEqual(nudged([0.99, null, null], 0, 0.1), [1, null, null]);
  assert.equal(lastOf([0.9, null, 0, null]), 0);
});

test("how far off: signed in each bin, without the sign on average, empty bins not counted", () => {
  const { off, average: mean } = compare([1, 0.5, null], [0.4, 0.75, 0.2]);
  assert.deepEqual(off, [0.6, -0.25, null]);
  assert.equal(mean, 0.425);
  assert.deepEqual(compare([null], [0.5]), { off: [null], average: 0 });
  assert.equal(average([0.5, 0, 0.1]), 0.6 / 3);
});

test("a name does not lie on a curve", () => {
  const chart = { left: 50, right: 600, top: 40, bottom: 360 };
  const across = [[100, 100], [250, 100], [400, 100], [550, 100]];
  const other = [[100, 130], [250, 130], [400, 130], [550, 130]];
  const [x, y] = labelSpot(across, [across, other], 80, chart);
  assert.equal(y, 80); // above: below it lies the other one
  assert.ok(x - 40 >= chart.left && x + 40 <= chart.right);
  assert.equal(labelSpot(other, [across, other], 80, chart)[1], 150);
});

test("points carry their sign, a true minus, and no sign at nought", () => {
  const { points, percent } = curveWords("en");
  assert.deepEqual([0.413, -0.07, 0.001, -0.001].map(points), ["+41", "−7", "0", "0"]);
  assert.equal(percent(0.996), "100 %");
  assert.equal(curveWords("constructor"), curveWords("en"));
  assert.equal(nameOf([7, 9]), "7–9");
  assert.equal(nameOf([7, 7]), "7");
});
