import assert from "node:assert/strict";
import { test } from "node:test";
import fixture from "../fixtures/translation_lab.json" with { type: "json" };
import { netOf } from "../../attn_helpers/widgets/js/gru.js";
import { changedPlaces, outcomeOf } from "../../attn_helpers/widgets/js/lab_look.js";
import { affine, layerNorm, matmul } from "../../attn_helpers/widgets/js/linear.js";
import { idsOf, nearest, tokenize, wordsKnown } from "../../attn_helpers/widgets/js/reading.js";
import { changedRows, fits, headsOf, LIMIT, logPOf, operate, write } from "../../attn_helpers/widgets/js/translate.js";

const { cases, typed } = fixture;

/** The payload at an odd place of a larger buffer, as a host may give it. */
function viewOf(base64) {
  const bytes = Buffer.from(base64, "base64");
  const wide = new Uint8Array(bytes.length + 7);
  wide.set(bytes, 3);
  return new DataView(wide.buffer, 3, bytes.length);
}

const nets = Object.fromEntries(cases.map(({ name, payload, layout }) => [name, netOf(viewOf(payload), layout)]));

function near(mine, right, what, most = 1e-4) {
  assert.equal(mine.length, right.length, what);
  mine.forEach((x, i) => { assert.ok(Math.abs(x - right[i]) <= most, `${what}[${i}] is ${x}, not ${right[i]}`); });
}

test("translations, log p and rows agree with PyTorch, whatever is done to rows", () => {
  assert.equal(cases.length, 7);
  for (const { name, source, operations, written } of cases) {
    operations.forEach((done, i) => {
      const mine = operate(nets[name], source, done).written;
      const what = `${name}, ${JSON.stringify(done)}`;
      assert.deepEqual(mine.ids, written[i].ids, what);
      assert.equal(mine.ended, written[i].ended, what);
      near(mine.log_probs, written[i].log_probs, `${what}: log p`);
      near(mine.rows.flat(2), written[i].rows.flat(2), `${what}: rows`);
    });
    const said = written.map(({ ids, log_probs }) => `${ids} ${log_probs}`);
    assert.ok(new Set(said).size > 1, `${name}: no operation does anything`);
  }
});

test("what was made once is remembered, and a sentence is read once", () => {
  const net = nets.plain;
  const first = operate(net, [4, 5, 2], [{ kind: "zero", rows: [0], head: null, weights: null }]);
  assert.equal(operate(net, [4, 5, 2], [{ kind: "zero", rows: [0], head: null, weights: null }]), first);
  assert.notEqual(operate(net, [4, 6, 2], [{ kind: "zero", rows: [0], head: null, weights: null }]), first);
  assert.deepEqual(write(net, [4, 5, 2]), operate(net, [4, 5, 2], []).written);
});

test("it is cut at the limit, and log p is a sum", () => {
  const net = nets.gru;
  const bias = net.weights["decoder.output.bias"];
  const endless = { ...net, weights: { ...net.weights, "decoder.output.bias": { ...bias, data: bias.data.map((x, id) => (id === 2 ? -1e3 : x)) } } };
  const { ids, log_probs, rows, ended } = write(endless, [4, 2]);
  assert.deepEqual([ids.length, log_probs.length, rows.length, ended], [LIMIT, LIMIT, LIMIT, false]);
  assert.ok(ids.every((id) => id > 2));
  assert.equal(logPOf({ log_probs: [-1, -2.5] }), -3.5);
});

test("an operation that does not fit does nothing; the only head is meant whatever is said", () => {
  const rows = [[[0.5, 0.5]], [[0.25, 0.75]]];
  const given = (kind, steps, head = null, weights = null) => ({ kind, rows: steps, head, weights });
  assert.equal(changedRows(given("zero", [2]), rows, [1, 1]).size, 0);
  assert.equal(changedRows(given("set", [0], null, [1]), rows, [1, 1]).size, 0);
  assert.equal(fits(given("swap", [0, 1]), rows), true);
  assert.deepEqual([...changedRows(given("swap", [0, 1]), rows, [1, 1])], [[0, [[0.25, 0.75]]], [1, [[0.5, 0.5]]]]);
  assert.deepEqual([...changedRows(given("uniform", [1], [1, 1]), rows, [1, 1])], [[1, [[0.5, 0.5]]]]);
  const many = [[[1, 0], [0, 1], [0.5, 0.5], [0.2, 0.8]]];
  assert.deepEqual(changedRows(given("zero", [0], [1, 0]), many, [2, 2]).get(0), [null, null, [0, 0], null]);
  assert.deepEqual(headsOf({ layers: 1 }), [1, 1]);
  assert.deepEqual(headsOf({ kind: "transformer", layers: 2, heads: 3 }), [2, 3]);
});

test("blocked products are the plain ones, at every odd end; norms are PyTorch's", () => {
  for (const [n, k, m] of [[1, 3, 1], [3, 5, 7], [2, 4, 8], [5, 2, 6], [1, 7, 5]]) {
    const x = Float64Array.from({ length: n * k }, (_, i) => Math.sin(3 * i + 1));
    const data = Float32Array.from({ length: m * k }, (_, i) => Math.cos(i));
    const bias = { rows: 1, columns: m, data: Float32Array.from({ length: m }, (_, i) => i / 3) };
    const mine = matmul(x, n, { rows: m, columns: k, data }, bias);
    const right = Array.from({ length: n * m }, (_, i) => {
      const [row, column] = [Math.floor(i / m), i % m];
      return bias.data[column] + Array.from({ length: k }, (_, j) => x[row * k + j] * data[column * k + j]).reduce((a, b) => a + b);
    });
    near([...mine], right, `${n} ${k} ${m}`, 1e-12);
    near([...affine(x.subarray(0, k), { rows: m, columns: k, data })], right.slice(0, m).map((y, j) => y - bias.data[j]), "affine", 1e-12);
  }
  const unit = (value, n) => ({ rows: 1, columns: n, data: new Float32Array(n).fill(value) });
  near([...layerNorm(Float64Array.of(1, 2, 3, 5, 5, 5), unit(2, 3), unit(1, 3))], [1 - 2.449471, 1, 1 + 2.449471, 1, 1, 1], "norm", 1e-5);
});

test("a learned place that was never learned is said", () => {
  const net = nets["learned places"];
  assert.throws(() => write(net, [...new Array(64).fill(4), 2]), /a sentence of 65 words is longer than the 64 positions learned/);
});

test("text is cut into words as in Python", () => {
  assert.ok(typed.length > 40);
  for (const [text, tokens] of typed) assert.deepEqual(tokenize(text), tokens, JSON.stringify(text));
});

test("words have their numbers; none is taken for a special one", () => {
  const names = ["<pad>", "<bos>", "<eos>", "<unk>", "the", "cat"];
  assert.deepEqual(idsOf(["cat", "dog", "<eos>", "<pad>", "__proto__", "constructor"], names), [5, 3, 3, 3, 3, 3, 2]);
  assert.deepEqual(wordsKnown(names), ["the", "cat"]);
});

test("the nearest word is spelt most like it; the more frequent of two; none for another script", () => {
  const known = ["the", "that", "dog", "cat", "black", "a", "cats"];
  assert.equal(nearest("blakc", known), "black");
  assert.equal(nearest("catz", known), "cat");
  assert.equal(nearest("dag", known), "dog");
  for (const word of ["我们", "👩‍👩‍👧", "!", "qqqqqq", "猫", "éléphant"]) assert.equal(nearest(word, known), null, word);
  assert.equal(nearest("x".repeat(1e5), known), null);
});

test("what has changed: place by place, or outside of the longest common part", () => {
  assert.deepEqual([...changedPlaces([1, 2, 3, 4], [1, 3, 2, 4])], [1, 2]);
  assert.deepEqual([...changedPlaces([1, 2, 3, 4], [1, 3, 2, 3, 4])], [1]);
  assert.deepEqual([...changedPlaces([1, 2, 3, 4], [1, 4])], []);
  assert.deepEqual([...changedPlaces([], [7, 8])], [0, 1]);
});

test("the outcome of an operation has a name", () => {
  const swap = [{ kind: "swap", rows: [1, 2] }];
  const zero = [{ kind: "zero", rows: [1] }];
  const before = [1, 2, 3, 4];
  assert.equal(outcomeOf(before, [1, 2, 3, 4], swap), "nothing");
  assert.equal(outcomeOf(before, [1, 3, 2, 4], swap), "trade");
  assert.equal(outcomeOf(before, [1, 2, 2, 4], swap), "own");
  assert.equal(outcomeOf(before, [1, 3, 2, 9], swap), "more");
  assert.equal(outcomeOf(before, [1, 9, 3, 4], zero), "own");
  assert.equal(outcomeOf(before, [1, 3, 2, 4], zero), "more");
  assert.equal(outcomeOf(before, [1, 9, 3], zero), "more");
  assert.equal(outcomeOf(before, [1, 3, 2, 4], [...zero, ...swap]), "own");
});
