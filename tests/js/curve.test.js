import assert from "node:assert/strict";
import { test } from "node:test";
import { average, binAt, chartOf, compare, drawTo, lastOf, nameOf, nudged } from "../../attn_helpers/widgets/js/curve.js";
import { dotted, edgeOf, fromBox, labelSpots } from "../../attn_helpers/widgets/js/curve_labels.js";
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

// As measured in chapter 3: four curves that fall together, one that stays up, and a reader's line.
const FELL = [[0.82, 0.39, 0.11, 0.02, 0, 0], [0.93, 0.71, 0.47, 0.17, 0.03, 0], [0.87, 0.55, 0.28, 0.06, 0.01, 0], [0.74, 0.3, 0.09, 0.01, 0, 0]];
const CLIFF = [...FELL, [0.95, 0.88, 0.85, 0.83, 0.73, 0.62], [0.98, 0.95, 0.85, 0.74, 0.6, 0.42]];
const WIDTHS = [92, 112, 130, 120, 80, 124];

for (const [size, scale] of [[{ width: 700, height: 460 }, 1], [{ width: 342, height: 380 }, 0.88], [{ width: 288, height: 380 }, 0.88]])
  test(`six names beside six curves, ${size.width} px wide, whatever has been revealed`, () => {
    const chart = chartOf(BINS, size);
    for (let shown = 1; shown <= 6; shown++) {
      for (const turned of [false, true]) {
        const pick = (all) => (turned ? all.slice(0, shown).reverse() : all.slice(0, shown));
        const lines = pick(CLIFF).map((shares) => shares.map((share, i) => chart.at(i, share)));
        const widths = pick(WIDTHS).map((width) => width * scale);
        const spots = labelSpots(lines, widths, chart);
        spots.forEach(({ at: [x, y], to }, i) => {
          assert.ok(x - widths[i] / 2 >= chart.left && x + widths[i] / 2 <= size.width && y > 24 && y < chart.bottom, `${i} is inside`);
          for (let j = 0; j < i; j++) {
            const [ox, oy] = spots[j].at;
            assert.ok(Math.abs(x - ox) >= (widths[i] + widths[j]) / 2 || Math.abs(y - oy) >= 19, `${i} and ${j} of ${shown}`);
          }
          const from = (line) => Math.min(...dotted(line).map((point) => fromBox(point, [x, y], widths[i] / 2)));
          if (!to) assert.ok(from(lines[i]) <= 20, `${i} of ${shown} is beside its curve`);
          if (to) assert.ok(Math.min(...dotted(lines[i]).map(([px, py]) => Math.hypot(px - to[0], py - to[1]))) < 1e-6, "a leader ends on its own curve");
          if (!to && size.width > 300) for (const [j, other] of lines.entries()) assert.ok(j === i || from(other) >= from(lines[i]), `${i} of ${shown} is not taken for ${j}: ${[x, y, from(lines[i]), from(other)]}`);
        });
      }
    }
  });

test("one point, equal curves and a name wider than the chart have a place too", () => {
  const chart = chartOf(BINS, { width: 342, height: 380 });
  const same = CLIFF[0].map((share, i) => chart.at(i, share));
  const spots = labelSpots([same, same, [same[0]], []], [60, 60, 900, 40], chart);
  assert.equal(spots[3], null); // nothing is drawn: nothing is named
  for (const spot of spots.slice(0, 3)) assert.ok(spot.at.every(Number.isFinite));
  assert.notDeepEqual(spots[0].at, spots[1].at);
});

test("a leader starts at the edge of its name", () => {
  assert.deepEqual(edgeOf({ at: [100, 50], to: [100, 150] }, 40), [100, 60]);
  assert.deepEqual(edgeOf({ at: [100, 50], to: [0, 50] }, 40), [77, 50]);
});

test("points carry their sign, a true minus, and no sign at nought", () => {
  const { points, percent } = curveWords("en");
  assert.deepEqual([0.413, -0.07, 0.001, -0.001].map(points), ["+41", "−7", "0", "0"]);
  assert.equal(percent(0.996), "100 %");
  assert.equal(curveWords("constructor"), curveWords("en"));
  assert.equal(nameOf([7, 9]), "7–9");
  assert.equal(nameOf([7, 7]), "7");
});
