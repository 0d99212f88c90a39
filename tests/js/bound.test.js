import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { boundOf, readBytesFor, settledPeaks } from '../../web/plain/bound.js';
import { neededBy, visibleShare } from '../../web/plain/needed.js';

/** @type {import('../../web/lib/index.js').Attnscope} */
let scope;
before(async () => {
  scope = await open({ threads: 1 });
});

const MIB = 2 ** 20;
const peaks = (gflops = 50, gbytes = 20) => ({ flops_per_second: gflops * 1e9, bytes_per_second: gbytes * 1e9 });
/** A scorer that reads 100 MB, and takes 5 ms for it. */
const needed = { flops: 50e6, bytes: 100e6 };
const measured = { call: 10e-6, before: peaks(), after: peaks(), least: 7e-3 };

/** @param {ReturnType<typeof boundOf>} bound */
const secondsOf = (bound) => ('none' in bound ? NaN : bound.seconds);

test('the bound is what any call takes and the slower of arithmetic and memory, at the larger of two rates', () => {
  const after = peaks(60, 25);
  assert.deepEqual(boundOf(needed, { ...measured, after }), {
    seconds: 10e-6 + 100e6 / 25e9,
    call: 10e-6,
    work: 100e6 / 25e9,
    by: 'memory traffic',
    rate: '25 GB/s'
  });
  const compute = boundOf({ flops: 300e6, bytes: 5e6 }, { ...measured, after });
  assert.deepEqual(compute, { seconds: 10e-6 + 5e-3, call: 10e-6, work: 5e-3, by: 'arithmetic', rate: '60 GFLOP/s' });
});

test('no bound is above the fastest run: then there is no figure', () => {
  for (const least of [1e-3, 4.9e-3, 5.005e-3]) {
    assert.deepEqual(boundOf(needed, { ...measured, least }), {
      none: 'a run was faster than what was measured allows, so that the measurement was too low'
    });
  }
  assert.ok(secondsOf(boundOf(needed, { ...measured, least: 5.1e-3 })) <= 5.1e-3);
});

test('a rate that went from 9.8 to 59.9 GB/s bounds nothing, whichever came first', () => {
  for (const [one, other] of [
    [9.8, 59.9],
    [59.9, 9.8]
  ])
    assert.deepEqual(boundOf(needed, { ...measured, before: peaks(50, one), after: peaks(50, other), least: 1 }), {
      none: 'what this machine reaches in memory traffic went from 9.8 GB/s to 59.9 GB/s while it was measured'
    });
});

test('a rate that does not set the bound may change, and so may all where a call itself takes longer', () => {
  const bound = boundOf(needed, { ...measured, before: peaks(20, 20) });
  assert.equal(secondsOf(bound), 10e-6 + 5e-3);
  const small = boundOf({ flops: 1e3, bytes: 1e3 }, { ...measured, before: peaks(20, 5) });
  assert.equal(secondsOf(small), 10e-6 + 1e3 / 50e9);
});

test('what fits a cache is not bound by the rate of memory', () => {
  const inCache = boundOf({ flops: 0, bytes: 3 * MIB }, measured);
  assert.equal(secondsOf(inCache), 10e-6);
  const beyond = boundOf({ flops: 0, bytes: 5 * MIB }, measured);
  assert.equal(secondsOf(beyond), 10e-6 + (5 * MIB) / 20e9);
  assert.deepEqual([1, 5 * MIB, 2 ** 40].map(readBytesFor), [4 * MIB, 5 * MIB, 64 * MIB]);
});

test('what a machine reaches is measured until it is no longer more, as cold code is slow', () => {
  const measure = (/** @type {ReturnType<typeof peaks>[]} */ ...ones) => {
    let count = 0;
    const settled = settledPeaks(() => ones[count++]);
    return [settled, count];
  };
  assert.deepEqual(measure(peaks(0.077, 9), peaks(68, 31), peaks(69, 30)), [peaks(69, 31), 3]);
  assert.deepEqual(measure(peaks(68, 31), peaks(40, 12)), [peaks(68, 31), 2]);
  const rising = [1, 2, 4, 8, 16, 32].map((factor) => peaks(factor, factor));
  assert.deepEqual(measure(...rising), [peaks(16, 16), 5]);
});

test('a clock that is too coarse for a rate gives no bound', () => {
  for (const before of [peaks(50, NaN), peaks(50, 0), peaks(Infinity, Infinity)])
    assert.deepEqual(boundOf(needed, { ...measured, before }), {
      none: 'the clock of this browser is too coarse to measure what this machine reaches'
    });
});

/** @param {any} config */
const estimateOf = (config) => scope.estimate({ ...config, dtype: 'float32' });

test('without a mask all products count, and the bytes of what goes in and of their weights', () => {
  const dense = estimateOf({ layer: 'dense', batch_size: 2, seq_len: 4, hidden_size: 8, out_features: 16 });
  assert.deepEqual(neededBy(dense, 0), { flops: dense.flops, bytes: 4 * (2 * 4 * 8 + dense.parameters) });
  for (const { name } of scope.layers()) {
    const estimate = estimateOf({ layer: name });
    const { flops, bytes } = neededBy(estimate, 1);
    assert.equal(flops, estimate.flops, name);
    assert.ok(bytes <= 4 * estimate.parameters + estimate.memory.inputs, name);
  }
});

test('of what a mask can hide only the visible share counts, and of tables nothing', () => {
  const [batch_size, seq_len, num_heads, head_dim] = [2, 8, 3, 4];
  const attention = { layer: 'scaled_dot_product_attention', batch_size, seq_len, kv_len: 8, num_heads, head_dim };
  const elements = 3 * batch_size * num_heads * seq_len * head_dim;
  const estimate = estimateOf(attention);
  assert.deepEqual(neededBy(estimate, 0.25), { flops: estimate.flops / 4, bytes: elements });
  const layer = estimateOf({ layer: 'multihead_attention', batch_size, seq_len, hidden_size: 12, num_heads });
  const projected = layer.steps.filter(({ op }) => op === 'linear').reduce((sum, { macs }) => sum + 2 * macs, 0);
  assert.equal(neededBy(layer, 0).flops, projected);
  const scorer = estimateOf({ layer: 'additive_scorer', batch_size, seq_len, hidden_size: 8, attn_dim: 4 });
  assert.equal(neededBy(scorer, 0.5).flops, scorer.flops / 2);
  const encoder = estimateOf({ layer: 'encoder' });
  const table = encoder.steps.find(({ op }) => op === 'embedding')?.parameters ?? NaN;
  assert.ok(neededBy(encoder, 1).bytes <= 4 * (encoder.parameters - table) + encoder.memory.inputs);
});

test('the visible share is found in the weights of a run, and is 0 where they are not all there', () => {
  const config = {
    layer: 'scaled_dot_product_attention',
    batch_size: 1,
    num_heads: 1,
    seq_len: 4,
    kv_len: 4,
    head_dim: 2
  };
  const share = (/** @type {any} */ config) => {
    const model = scope.create(config);
    const inputs = Object.fromEntries(
      model.inputs
        .filter(({ optional }) => !optional)
        .map(({ name, shape }, seed) => [name, scope.randn(shape, { seed })])
    );
    const results = /** @type {any} */ (model.forward(inputs));
    model.dispose();
    return visibleShare(results, scope.estimate(config).results);
  };
  assert.equal(share(config), 1);
  assert.equal(share({ ...config, is_causal: true }), 10 / 16);
  assert.equal(share({ ...config, is_causal: true, window: 2 }), 7 / 16);
  assert.equal(share({ layer: 'mean_pooling', batch_size: 1, seq_len: 4, hidden_size: 2 }), 0);
  const { results } = scope.estimate({ layer: 'encoder', num_layers: 2 });
  const weights = { data: Float32Array.of(1) };
  assert.equal(visibleShare({ weights }, results), 0);
});
