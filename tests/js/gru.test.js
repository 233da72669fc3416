import assert from "node:assert/strict";
import { test } from "node:test";
import cases from "../fixtures/seq2seq_stepper.json" with { type: "json" };
import { advance, begin, encode, netOf } from "../../attn_helpers/widgets/js/gru.js";
import { choices, EOS, feedAt, ranked, traceOf, walk } from "../../attn_helpers/widgets/js/trace.js";

/** The payload at an odd place of a larger buffer, as a host may give it. */
function viewOf(base64) {
  const bytes = Buffer.from(base64, "base64");
  const wide = new Uint8Array(bytes.length + 7);
  wide.set(bytes, 3);
  return new DataView(wide.buffer, 3, bytes.length);
}

const nets = Object.fromEntries(cases.map(({ name, payload, layout }) => [name, netOf(viewOf(payload), layout)]));

function near(mine, right, what) {
  assert.equal(mine.length, right.length, what);
  mine.forEach((x, i) => { assert.ok(Math.abs(x - right[i]) <= 1e-5, `${what}[${i}] is ${x}, not ${right[i]}`); });
}

test("states, logits and weights agree with PyTorch to 1e-5, for every kind of model", () => {
  assert.equal(cases.length, 11);
  for (const { name, source, fed, states, final, logits, hidden, weights } of cases) {
    const net = nets[name];
    const memory = encode(net, source);
    near(memory.states.flat(), states.flat(), `${name}: states`);
    near(memory.final.flat(), final.flat(), `${name}: final`);
    let now = begin(net, memory);
    fed.forEach((id, t) => {
      const step = advance(net, memory, now, id);
      now = step.hidden;
      near(step.logits, logits[t], `${name}: logits ${t}`);
      near(now[now.length - 1], hidden[t], `${name}: hidden ${t}`);
      if (weights) near(step.weights, weights[t], `${name}: weights ${t}`);
      else assert.equal(step.weights, null);
    });
  }
});

test("without attention c is the same at every step; with it, it is not", () => {
  for (const [name, same] of [["plain", true], ["uniform", true], ["additive", false]]) {
    const net = nets[name];
    const steps = walk(net, encode(net, [4, 5, 2]), [4, 5, 6, EOS], ["gold"], 4);
    assert.equal(steps.length, 4);
    const differs = Math.max(...steps[0].context.map((x, i) => Math.abs(x - steps[3].context[i])));
    assert.equal(differs < 1e-12, same, name);
  }
});

test("gold feeds gold, own feeds its own, and the last choice holds on", () => {
  const net = nets.plain;
  const memory = encode(net, [4, 5, 2]);
  const gold = [4, 5, 6, EOS];
  const forced = walk(net, memory, gold, ["gold"], 99);
  assert.deepEqual(forced.map((step) => step.reads), [1, 4, 5, 6]);
  assert.deepEqual(forced.map((step) => step.gold), gold);
  const walks = Object.values(nets).map((other) => walk(other, encode(other, [4, 5, 2]), gold, ["gold", "own"], 99));
  const long = walks.filter((steps) => steps.length > 3);
  assert.ok(long.length > 1, `${walks.map((steps) => steps.length)}`);
  for (const steps of long) assert.deepEqual(steps.slice(0, 4).map((step) => step.reads), [1, 4, steps[1].own, steps[2].own]);
  assert.deepEqual([0, 1, 7].map((t) => feedAt(["gold", "own"], t)), ["gold", "own", "own"]);
});

test("it ends at its own end of sentence, or six steps beyond gold", () => {
  const net = nets.plain;
  const memory = encode(net, [4, 5, 2]);
  const { logits } = advance(net, memory, begin(net, memory), 1);
  for (const wanted of [1, 4 + 6]) {
    const bias = net.weights["decoder.output.bias"];
    const spoilt = { ...net, weights: { ...net.weights, "decoder.output.bias": { ...bias, data: bias.data.map((x, id) => (id === EOS ? (wanted === 1 ? 1e3 : -1e3) : x)) } } };
    assert.equal(walk(spoilt, memory, [4, 5, 6, EOS], ["own"], 99).length, wanted);
  }
  assert.equal(logits.length, 11);
});

test("the gold word has its probability and its rank; padding and begin are never said", () => {
  const [step] = walk(nets.plain, encode(nets.plain, [4, 5, 2]), [4, EOS], ["gold"], 1);
  assert.ok(Math.abs(step.p.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
  assert.equal(step.goldP, step.p[4]);
  assert.equal(step.rank, 1 + step.p.filter((p, id) => id > 1 && p > step.p[4]).length);
  assert.deepEqual(ranked([0.5, 0.3, 0.1, 0.1]), [2, 3]);
  assert.equal(step.off, step.own !== 4);
});

test("words to guess from are in the order of the alphabet, the gold word among them", () => {
  const words = ["", "", "⟨end⟩", "", "d", "b", "a", "c", "f", "é"];
  assert.deepEqual(choices({ best: [8, 9], gold: 4 }, words), [4, 9, 8]); // é before f
  assert.deepEqual(choices({ best: [4, 5, 6], gold: 9 }, words), [6, 5, 4, 9]);
  assert.deepEqual(choices({ best: [4, 5, 6], gold: 5 }, words), [6, 5, 4]);
  assert.deepEqual(choices({ best: [4, 5], gold: null }, words), [5, 4]);
});

test("the same sentence and feeds are computed once; other feeds anew", () => {
  const net = nets.additive;
  const first = traceOf(net, [4, 2], [4, EOS], ["gold"]);
  assert.equal(traceOf(net, [4, 2], [4, EOS], ["gold"]), first);
  assert.notEqual(traceOf(net, [4, 2], [4, EOS], ["own"]), first);
  assert.notEqual(traceOf(net, [5, 2], [4, EOS], ["gold"]).steps[0].p[4], first.steps[0].p[4]);
});
