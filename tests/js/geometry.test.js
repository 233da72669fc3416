import assert from "node:assert/strict";
import { test } from "node:test";
import { along, legible, placeLabels, plane, ramp, ticks } from "../../attn_helpers/widgets/js/geometry.js";

const size = { width: 300, height: 210 };
const start = [[1, 0.8], [-0.6, 0.5], [2.4, 0.3]];
const pad = [0.5, 0.4, 0.3, 0.2];
const near = (a, b) => assert.ok(a.every((x, i) => Math.abs(x - b[i]) < 1e-9), `${a} is not ${b}`);

test("a place on the picture and back is the same vector", () => {
  const map = plane(start, start, size, pad);
  for (const v of [...start, [0, 0], [-1, 3]]) near(map.back(map.at(v)), v);
  near([map.at([1, 0])[0] - map.at([0, 0])[0]], [map.at([0, 0])[1] - map.at([0, 1])[1]]); // equal units
});

test("dragging inside moves nothing else: the map stands still", () => {
  const before = plane(start, start, size, pad);
  const after = plane(start, [[0.2, -0.2], ...start.slice(1)], size, pad);
  near(after.at([1, 1]), before.at([1, 1]));
});

test("a point that was set far outside is on the picture", () => {
  const far = [9, -7];
  const [x, y] = plane(start, [far, ...start.slice(1)], size, pad).at(far);
  assert.ok(x >= 0 && x <= size.width + 1e-9 && y >= 0 && y <= size.height + 1e-9);
});

test("ticks are whole steps between the ends", () => {
  assert.deepEqual(ticks(-1.25, 2.75, 1), [-1, 0, 1, 2]);
  assert.deepEqual(ticks(0.1, 0.9, 1), []);
  assert.deepEqual(ticks(-1, 1, 0.5), [-1, -0.5, 0, 0.5, 1]);
});

test("labels keep off each other, off the tips, off the lines, and on the picture", () => {
  const tips = [[150, 90], [143, 95], [60, 60]];
  const taken = [...tips.map(([x, y]) => [x - 10, y - 10, 20, 20]), ...along([[100, 120], [150, 90]])];
  const labels = tips.map((at) => ({ at, away: [0.7, -0.7], width: 60, gap: 14 }));
  const boxes = placeLabels(labels, taken, size);
  const apart = ([ax, ay, aw, ah], [bx, by, bw, bh]) => ax + aw <= bx || bx + bw <= ax || ay + ah <= by || by + bh <= ay;
  boxes.forEach((box, i) => {
    for (const other of [...taken, ...boxes.slice(i + 1)]) assert.ok(apart(box, other), `${box} covers ${other}`);
    assert.ok(box[0] >= 0 && box[0] + box[2] <= size.width);
  });
});

test("a label on another is left out, unless it must be read", () => {
  const boxes = [[0, 0, 60, 20], [10, 5, 60, 20], [100, 0, 60, 20], [58, 0, 60, 20]];
  assert.deepEqual(legible(boxes, [false, false, false, false]), [true, false, true, false]);
  assert.deepEqual(legible(boxes, [false, true, false, false]), [false, true, true, false]);
  assert.deepEqual(legible(boxes.map(([x, ...rest]) => [3 * x, ...rest]), Array(4).fill(false)), [true, false, true, true]);
});

test("the ramp has its stops where they belong, and low weights stay visible", () => {
  assert.equal(ramp(0.25), "color-mix(in oklab, var(--w3) 0.0%, var(--w2))");
  assert.equal(ramp(1), "color-mix(in oklab, var(--w8) 100.0%, var(--w7))");
  assert.equal(ramp(0), ramp(0.12));
  assert.equal(ramp(2), ramp(1));
});
