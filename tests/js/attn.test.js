import assert from "node:assert/strict";
import { test } from "node:test";
import cases from "../fixtures/attn_js.json" with { type: "json" };
import { argmax, attend, cosine, edgeDistance, hull, norm, shadow, softmax } from "../../attn_helpers/widgets/js/attn.js";
import { entropy } from "../../attn_helpers/widgets/js/spread.js";

/** Largest difference, relative where numbers are large. */
const difference = (mine, right) =>
  Math.max(...mine.map((x, i) => Math.abs(x - right[i]) / Math.max(1, Math.abs(right[i]))));

test("scores, weights and output agree with Python to 1e-9", () => {
  assert.ok(cases.length > 80);
  for (const { score, query, keys, values, temperature, ...right } of cases) {
    const mine = attend(score, query, keys, values, temperature);
    for (const name of ["scores", "weights", "output"]) {
      const off = difference(mine[name], right[name]);
      assert.ok(off <= 1e-9, `${score} ${name} of ${JSON.stringify(query)} at ${temperature}: off by ${off}`);
    }
  }
});

test("softmax: large scores do not overflow, weights sum to 1, temperature sharpens", () => {
  for (const scores of [[1e3, 1e3 - 1, -1e3], [-1e4, -1e4], [0], [710, 0, 3]]) {
    const weights = softmax(scores, 0.01);
    assert.ok(weights.every((w) => w >= 0 && w <= 1));
    assert.ok(Math.abs(weights.reduce((a, b) => a + b) - 1) < 1e-12);
  }
  assert.ok(softmax([1, 0], 0.5)[0] > softmax([1, 0], 1)[0]);
});

test("cosine of a zero vector is 0, as in Python", () => {
  assert.equal(cosine([0, 0], [1, 2]), 0);
  assert.equal(cosine([1, 2], [0, 0]), 0);
});

test("the shadow of a key on the query ends at a right angle", () => {
  const [query, key] = [[1, 0.8], [2.4, 0.3]];
  const { length, foot } = shadow(key, query);
  assert.ok(Math.abs((key[0] - foot[0]) * query[0] + (key[1] - foot[1]) * query[1]) < 1e-12);
  assert.ok(Math.abs(norm(foot) - length) < 1e-12);
  assert.deepEqual(shadow(key, [0, 0]), { length: 0, foot: [0, 0] });
});

/** A generator of numbers in -1 … 1 that is the same in every run. */
function* numbers(seed) {
  for (let x = seed; ; yield (x / 2147483647) * 2 - 1) x = (x * 48271) % 2147483647;
}

test("the hull holds every point, turns left at each corner, and ignores order and copies", () => {
  const next = numbers(11);
  for (const count of [3, 5, 7, 13]) {
    const points = Array.from({ length: count }, () => [next.next().value, next.next().value]);
    const corners = hull(points);
    for (const p of points) assert.ok(edgeDistance(p, corners) > -1e-12);
    for (const c of corners) assert.ok(points.includes(c));
    assert.deepEqual(hull([...points, ...points].reverse()), corners);
  }
});

test("a hull without area: one point, two points, points on a line", () => {
  assert.deepEqual(hull([[1, 2]]), [[1, 2]]);
  assert.deepEqual(hull([[0, 0], [2, 2], [1, 1]]), [[0, 0], [2, 2]]);
  for (const points of [[[1, 2]], [[1, 2], [1, 2]], [[0, 0], [2, 2]]]) assert.equal(edgeDistance(points[0], hull(points)), 0);
});

test("the distance to the edge has the right size, and a sign outside", () => {
  const square = hull([[0, 0], [4, 0], [4, 4], [0, 4]]);
  assert.equal(edgeDistance([1, 2], square), 1);
  assert.equal(edgeDistance([5, 2], square), -1);
});

test("whatever is dragged where, the output stays in the hull of the values", () => {
  const next = numbers(23);
  const pair = () => [3 * next.next().value, 3 * next.next().value];
  for (let i = 0; i < 200; i += 1) {
    const [query, keys, values] = [pair(), [pair(), pair(), pair(), pair()], [pair(), pair(), pair(), pair()]];
    const { output } = attend(["dot", "cosine", "additive"][i % 3], query, keys, values, 0.25);
    assert.ok(edgeDistance(output, hull(values)) > -1e-9);
  }
});

test("argmax takes the first of equals; entropy counts keys", () => {
  assert.equal(argmax([0.2, 0.4, 0.4]), 1);
  assert.ok(Math.abs(Math.exp(entropy([0.25, 0.25, 0.25, 0.25])) - 4) < 1e-12);
  assert.equal(entropy([1, 0]), 0);
});
