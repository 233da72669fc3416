import assert from "node:assert/strict";
import { test } from "node:test";
import { alikeTo, COLLIDE, change, farFrom, lowOf, placesOf, ratesOf, tableOf, twinsOf, wholeTurns } from "../../attn_helpers/widgets/js/waves.js";
import { wavesWords } from "../../attn_helpers/widgets/js/waves_words.js";
import fixtures from "../fixtures/position_waves.json" with { type: "json" };

const close = (got, want) => {
  assert.equal(got.length, want.length);
  for (const [i, x] of got.entries()) assert.ok(Math.abs(x - want[i]) <= 1e-9, `${i}: ${x}, not ${want[i]}`);
};

test("table, cosines and twins are those that Python computes", () => {
  for (const { positions, width, base, position, ...want } of fixtures) {
    const table = tableOf(positions, width, base);
    assert.equal(table.length, positions);
    close(ratesOf(width, base), want.rates);
    close(table[position], want.row);
    close(table[positions - 1], want.last);
    close(alikeTo(table, position), want.similarity);
    assert.deepEqual(twinsOf(alikeTo(table, position), position), want.twins);
  }
});

test("the curve travels and keeps its shape", () => {
  const table = tableOf(64, 32, 10000);
  const [here, there] = [alikeTo(table, 8), alikeTo(table, 20)];
  close(there.slice(12), here.slice(0, 52));
});

test("the axis holds every cosine, wherever the position", () => {
  for (const [width, base] of [[2, 10000], [4, 10], [8, 100], [32, 10000]]) {
    const table = tableOf(64, width, base);
    const low = lowOf(table);
    for (let p = 0; p < 64; p++) assert.ok(Math.min(...alikeTo(table, p)) >= low - 1e-12);
  }
  assert.equal(lowOf(tableOf(64, 32, 10000)), 0);
  assert.equal(lowOf(tableOf(64, 2, 10000)), -1);
});

test("44 words are seven turns, and two numbers collide there", () => {
  assert.deepEqual([44, 6, 1, 22, 63].map(wholeTurns), [7, 0, 0, 0, 0]);
  const table = tableOf(64, 2, 10000);
  assert.ok(alikeTo(table, 0)[44] >= COLLIDE);
  assert.match(wavesWords("en").turns(44, 7, "7.003", true), /^44 words are 7\.003 turns of the only hand, as good as 7\.$/);
});

test("pixels and places are each other's inverse, for every size", () => {
  for (const [width, positions, pairs] of [[708, 64, 16], [342, 64, 16], [272, 128, 32], [342, 2, 1]]) {
    const places = placesOf({ width, height: 480 }, positions, pairs, -1);
    for (let p = 0; p < positions; p++) assert.equal(places.rowAt(places.y(p)), p);
    for (let i = 0; i < pairs; i++) assert.equal(places.pairAt(places.left + (i + 0.5) * places.across), i);
    for (const alike of [-1, -0.25, 0, 0.6, 1]) assert.ok(Math.abs(places.alikeAt(places.x(alike)) - alike) < 1e-12);
    assert.equal(places.pairAt(places.start), -1);
    assert.deepEqual([places.rowAt(-99), places.rowAt(9999)], [0, positions - 1]);
    assert.ok(places.end < width && places.middle < places.start);
  }
});

test("the guess asks for the farther end", () => {
  assert.deepEqual([0, 8, 31, 32, 63].map((p) => farFrom(p, 64)), [63, 63, 63, 0, 0]);
});

test("the largest change is one number", () => {
  assert.equal(change([1, -2, 3], [1, 2, 2]), 4);
  assert.equal(change([1], [1]), 0);
});
