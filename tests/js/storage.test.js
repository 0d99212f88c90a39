// Models that keep their weights in fewer bits.

import assert from 'node:assert/strict';
import test from 'node:test';
import { byReference, referenceScope } from './reference.js';
import {
  FLOAT32_TOLERANCE,
  assertClose,
  assertSame,
  configs,
  nameOf,
  randomInputs,
  randomTensor,
  scope,
  variants
} from './support.js';
import { testRefusals } from './refusals.js';

const formats = ['float16', 'bfloat16', 'int8'];
const attention = { layer: 'multihead_attention', batch_size: 2, seq_len: 40, hidden_size: 96, num_heads: 4 };
const decoder = {
  layer: 'decoder',
  batch_size: 2,
  seq_len: 3,
  vocab_size: 37,
  hidden_size: 64,
  num_layers: 2,
  num_heads: 4,
  num_kv_heads: 2,
  intermediate_size: 96
};

function withStored(config, storage, work, on = scope) {
  const model = on.create(config, { seed: 3, storage });
  try {
    return work(model);
  } finally {
    model.dispose();
  }
}

/** Rounded to bfloat16: the upper half of a float32, ties to even. */
function toBfloat16({ data, shape }) {
  const bits = new Uint32Array(data.slice().buffer).map(
    (word) => ((word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000) >>> 0
  );
  return { data: new Float32Array(bits.buffer), shape };
}

for (const { name, scope: on } of variants) {
  test(`${name}: a model in bfloat16 computes with rounded weights, those that its storage names`, () => {
    // A tied embedding is read twice: rounded by the head, in float32 by the embedding.
    const own = configs.filter((config, i) => i % 4 === 0 && !config.tie_embeddings);
    for (const config of [attention, ...own]) {
      const inputs = randomInputs(config, { mask: true });
      const run = (model) => ({ results: model.forward(inputs), formats: model.storage.parameters });
      const { results, formats } = withStored(config, 'bfloat16', run, on);
      const expected = withStored(
        config,
        'float32',
        (model) => {
          const state = model.stateDict();
          assert.deepEqual(Object.keys(formats), Object.keys(state), nameOf(config));
          const rounded = Object.keys(state).filter((key) => formats[key] === 'bfloat16');
          for (const key of rounded) state[key] = toBfloat16(state[key]);
          model.loadStateDict(state);
          return model.forward(inputs);
        },
        on
      );
      assertSame(results, expected, FLOAT32_TOLERANCE, nameOf(config));
    }
  });

  test(`${name}: every layer runs in every format, and tells how far it is off`, () => {
    const largest = new Map();
    for (const config of configs.filter((_, i) => i % 4 === 0)) {
      const inputs = randomInputs(config, { mask: true });
      const exact = withStored(config, 'float32', (model) => model.forward(inputs), on);
      for (const storage of formats) {
        withStored(
          config,
          storage,
          (model) => {
            const { rounding_error, ...results } = model.forward(inputs, { compare: true });
            const what = `${nameOf(config)}, ${storage}`;
            const differences = Array.from(exact.output.data, (value, i) => Math.abs(results.output.data[i] - value));
            assertClose([rounding_error.max_absolute], [Math.max(...differences)], 1e-5, what);
            const stored = Object.values(model.storage.parameters).filter((format) => format !== 'float32');
            assert.ok(rounding_error.max_absolute === 0 || stored.length > 0, `${what}: an error of no parameter`);
            if (stored.length > 0) {
              // One visible position has a weight of 1 whatever its score: other configs of the layer show an effect.
              const row = `${config.layer}, ${storage}`;
              largest.set(row, Math.max(largest.get(row) ?? 0, rounding_error.max_absolute));
            }
            assert.ok(
              stored.every((format) => format === storage),
              what
            );
            assert.deepEqual(model.forward(inputs), results, what);
          },
          on
        );
      }
    }
    const idle = [...largest].filter(([, error]) => error === 0).map(([row]) => row);
    assert.deepEqual(idle, [], 'layers that a storage format of their parameters changes nothing of');
  });
}

test('the reference loops read weights in float32, whatever their storage', () => {
  for (const config of configs.filter((_, i) => i % 4 === 0)) {
    const inputs = randomInputs(config, { mask: true });
    const exact = byReference(config, inputs, { seed: 3 });
    for (const storage of formats) {
      const run = (model) => model.forward(inputs, { reference: true });
      assert.deepEqual(withStored(config, storage, run, referenceScope), exact, `${nameOf(config)}, ${storage}`);
    }
  }
});

test('a model names the formats of its parameters and of its cache', () => {
  const storageOf = (config, storage) => withStored(config, storage, (model) => model.storage);
  assert.deepEqual(storageOf(attention, 'int8'), {
    parameters: {
      in_proj_weight: 'int8',
      in_proj_bias: 'float32',
      'out_proj.weight': 'int8',
      'out_proj.bias': 'float32'
    },
    cache: null
  });
  const scorer = { layer: 'linear_scorer', batch_size: 2, seq_len: 5, hidden_size: 8 };
  assert.deepEqual(storageOf(scorer, 'int8').parameters, { 'score.weight': 'float32', 'score.bias': 'float32' });
  const caches = ['float32', ...formats].map((storage) => storageOf(decoder, storage).cache);
  assert.deepEqual(caches, ['float32', 'float16', 'bfloat16', 'float32']);
  const { parameters } = storageOf({ ...decoder, tie_embeddings: true }, 'float16');
  assert.equal(parameters['model.embed_tokens.weight'], 'float16');
  assert.equal(storageOf(decoder, 'float16').parameters['model.embed_tokens.weight'], 'float32');
});

test('fewer bits err more, and none of them much', () => {
  const inputs = randomInputs(attention);
  const error = (storage) =>
    withStored(attention, storage, (model) => model.forward(inputs, { compare: true }).rounding_error.relative);
  const [half, brain, int8] = formats.map(error);
  assert.equal(error('float32'), 0);
  assert.ok(half > 0 && half < 2 ** -11, `float16 ${half}`);
  assert.ok(brain > half && brain < 2 ** -8, `bfloat16 ${brain}`);
  assert.ok(int8 > brain && int8 < 0.03, `int8 ${int8}`);
});

test('the cache of a decoder rests in the same format, and its steps stay near one pass', () => {
  const ids = Int32Array.from({ length: 12 }, (_, i) => (7 * i) % 37);
  const tokens = (t) => ({ tokens: { data: Int32Array.of(ids[t], ids[t + 6]), shape: [2, 1] } });
  const outputs = Object.fromEntries(
    ['float32', ...formats].map((storage) => [
      storage,
      withStored(decoder, storage, (model) => {
        const steps = Array.from({ length: 6 }, (_, t) => model.step(tokens(t)).output.data);
        model.clearCache();
        assert.deepEqual(model.step(tokens(0)).output.data, steps[0], storage);
        return steps.flatMap((step) => [...step]);
      })
    ])
  );
  const norm = (values) => Math.hypot(...values);
  for (const [storage, bound] of [
    ['float16', 2e-3],
    ['bfloat16', 2e-2],
    ['int8', 0.1]
  ]) {
    const relative = norm(outputs[storage].map((value, i) => value - outputs.float32[i])) / norm(outputs.float32);
    assert.ok(relative > 0 && relative < bound, `${storage}: ${relative}`);
  }
});

test('what a model was given it gives back, in whatever format it keeps it', () => {
  for (const storage of formats) {
    withStored(attention, storage, (model) => {
      const state = Object.fromEntries(
        Object.entries(model.stateDict()).map(([name, { shape }], i) => [name, randomTensor(shape, i + 1)])
      );
      model.loadStateDict(state);
      assert.deepEqual(model.stateDict(), state);
    });
  }
});

test('a row with NaN makes NaN in every format', () => {
  const dense = { layer: 'dense', batch_size: 1, seq_len: 3, hidden_size: 20, out_features: 9 };
  const inputs = randomInputs(dense);
  inputs.hidden_states.data[25] = NaN;
  for (const storage of formats) {
    const { data } = withStored(dense, storage, (model) => model.forward(inputs).output);
    const count = (row) => data.subarray(9 * row, 9 * row + 9).filter(Number.isNaN).length;
    assert.deepEqual([count(0), count(1), count(2)], [0, 9, 0], storage);
  }
});

test('fewer bits need fewer bytes', () => {
  const wide = { ...attention, hidden_size: 768 };
  const bytes = (storage) => scope.runBytes(wide, { storage });
  const weights = 4 * 768 * 768;
  const saves = (storage, each) => {
    const saved = (bytes('float32') - bytes(storage)) / (each * weights);
    assert.ok(saved > 0.9 && saved <= 1, `${storage}: ${saved}, but for what its products need besides`);
  };
  saves('float16', 2);
  saves('int8', 3);
  assert.equal(bytes('bfloat16'), bytes('float16'));
  assert.equal(bytes('float32'), scope.runBytes(wide));
});

test('to round or to compare takes a second set of weights', () => {
  const wide = { ...attention, hidden_size: 768 };
  const bytes = (options) => scope.runBytes(wide, options);
  const weights = 4 * 4 * 768 * 768;
  assert.ok(bytes({ storage: 'int8', compare: true }) - bytes({ storage: 'int8' }) > weights);
  assert.ok(bytes({ round: 'float16' }) - bytes({}) > 2 * weights);
});

test('an int8 product deeper than its sums can hold is made in parts', () => {
  const depth = 140_000; // 127² of them are more than 31 bits count
  const sizes = { batch_size: 1, seq_len: 1, hidden_size: 8, num_heads: 1, num_layers: 1, vocab_size: 3 };
  const config = { layer: 'encoder', ...sizes, intermediate_size: depth };
  const inputs = { tokens: { data: Int32Array.of(1), shape: [1, 1] } };
  const exact = withStored(config, 'float32', (model) => model.forward(inputs).output);
  withStored(config, 'int8', (model) => {
    const { output, rounding_error: error } = model.forward(inputs, { compare: true });
    assertClose(output.data, exact.data, 0.05);
    assert.ok(error.relative > 0 && error.relative < 0.02, `${error.relative}`);
  });
  const saved = scope.runBytes(config) - scope.runBytes(config, { storage: 'int8' });
  assert.ok(saved > 0.75 * 3 * 2 * 8 * depth, `${saved}: one weight in int8 saves at most half of it`);
});

const create = (options) => () => scope.create(attention, options);
testRefusals([
  [create({ storage: 'int4' }), 'storage', 'storage must be one of float32, float16, bfloat16, int8, got "int4"'],
  [create({ storage: 16 }), 'storage', 'storage must be one of float32, float16, bfloat16, int8, got 16'],
  [create({ dtype: 'int8' }), 'dtype', 'create has no option "dtype"; its options are seed, storage'],
  [
    () => withStored(attention, 'int8', (model) => model.forward(randomInputs(attention), { compare: 1 })),
    'compare',
    'compare must be true or false, got 1'
  ]
]);
