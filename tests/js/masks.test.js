// Masks: what is hidden, what is added, which shapes fit, and what follows for the weights.

import assert from 'node:assert/strict';
import test from 'node:test';
import { byReference, executors } from './reference.js';
import {
  FLOAT32_TOLERANCE,
  asFloats,
  assertClose,
  assertSame,
  bandOf,
  configOf,
  configs,
  expand,
  hasMask,
  layers,
  masksOf,
  nameOf,
  product,
  randomInputs,
  randomMask,
  randomTensor,
  rowsOf,
  scope,
  smallConfigs,
  variants,
  weightsIn,
  withModel
} from './support.js';

const pooled = { layer: 'additive_scorer', batch_size: 3, seq_len: 13, hidden_size: 10, attn_dim: 6 };
const scorers = layers.filter(({ group }) => group === 'scorers');

test('a row in which everything is hidden gives zeros, never NaN, in every build', () => {
  for (const { name, on, options } of executors) {
    for (const layer of scorers) {
      for (const seq_len of [1, 3, 4, 8, 9, 33]) {
        const attn_dim = layer.fields.some(({ name }) => name === 'attn_dim') ? 6 : undefined;
        const config = { ...pooled, layer: layer.name, seq_len, attn_dim };
        const inputs = randomInputs(config);
        const data = new Uint8Array(3 * seq_len).fill(1);
        data.fill(0, seq_len, 2 * seq_len);
        for (const mask of [{ data, shape: [3, seq_len] }, asFloats({ data, shape: [3, seq_len] })]) {
          const run = (model) => model.forward({ ...inputs, mask }, options);
          const { output, weights } = withModel(config, run, { on });
          const what = `${name}, ${layer.name}, seq_len ${seq_len}`;
          assert.deepEqual(rowsOf(output)[1], new Float32Array(10), what);
          assert.deepEqual(rowsOf(weights)[1], new Float32Array(seq_len), what);
          assert.ok(output.data.every(Number.isFinite) && weights.data.every(Number.isFinite));
        }
      }
    }
  }
});

test('a boolean mask is the float mask of 0 and -Infinity', () => {
  for (const config of configs.filter(hasMask)) {
    const inputs = randomInputs(config, { mask: true });
    const floats = Object.fromEntries(Object.keys(masksOf(config)).map((name) => [name, asFloats(inputs[name])]));
    withModel(config, (model) => {
      assert.deepEqual(model.forward(inputs), model.forward({ ...inputs, ...floats }), nameOf(config));
    });
  }
});

/** Whether a mask of this name keeps and hides, and is not added to scores. */
const onlyHides = (config, name) =>
  scope.estimate(config).inputs.some((input) => input.name === name && input.only_hides === true);

/** Numbers that hide: what PyTorch code writes for -Infinity. The lowest ones are those of torch.finfo. */
const HIDING = {
  '-Infinity': -Infinity,
  'finfo(float32).min': -3.4028234663852886e38,
  'finfo(bfloat16).min': -3.3895313892515355e38,
  'finfo(float16).min': -65504,
  '-1e9': -1e9,
  '-1e4': -1e4
};
/** The same in 16 bits, as far as a format has them. The bfloat16 of -1e4 is -9984. */
const HIDING_BITS = [
  ['float16', 0xfc00],
  ['float16', 0xfbff],
  ['float16', 0xf0e2],
  ['bfloat16', 0xff80],
  ['bfloat16', 0xff7f],
  ['bfloat16', 0xce6e],
  ['bfloat16', 0xc61c]
];

/** Each way in which the classifier encodes and pools. */
const classifiers = ['none', 'dense', 'transformer', 'lstm', 'gru', 'rnn_tanh'].flatMap((encoder) =>
  layers
    .find(({ name }) => name === 'sequence_classifier')
    .fields.find(({ name }) => name === 'pooling')
    .choices.map((pooling) => ({
      layer: 'sequence_classifier',
      batch_size: 3,
      seq_len: 7,
      input_size: 6,
      hidden_size: 8,
      num_heads: 2,
      intermediate_size: 9,
      activation: 'relu',
      encoder,
      pooling
    }))
);

/** A mask of bytes that hides about a third, but no row's first key. */
function maskWithFirst(shape, seed) {
  const mask = randomMask(shape, seed);
  return { shape, data: mask.data.map((byte, i) => (i % shape.at(-1) === 0 ? 1 : byte)) };
}

/** Results to which gradients can be given, each with one. */
const gradientsOf = (results) =>
  Object.fromEntries(Object.entries(results).map(([name, { shape }], i) => [name, randomTensor(shape, 50 + i)]));

test('a row that sees a key has one answer, forward and backward, whatever number hides the others', () => {
  for (const config of [...smallConfigs, ...classifiers].filter(hasMask)) {
    const inputs = randomInputs(config);
    const bytes = Object.fromEntries(
      Object.entries(masksOf(config)).map(([name, shape], i) => [name, maskWithFirst(shape, 20 + i)])
    );
    const hiddenBy = (number) =>
      Object.fromEntries(
        Object.entries(bytes).map(([name, { data, shape }]) => [
          name,
          { data: Float32Array.from(data, (byte) => (byte ? 0 : number)), shape }
        ])
      );
    const hiddenByBits = (dtype, bits) =>
      Object.fromEntries(
        Object.entries(bytes).map(([name, { data, shape }]) => [
          name,
          { data: Uint16Array.from(data, (byte) => (byte ? 0 : bits)), shape, dtype }
        ])
      );
    withModel(config, (model) => {
      const expected = model.forward({ ...inputs, ...bytes });
      const gradients = gradientsOf(expected);
      const expectedGradients = model.backward({ ...inputs, ...bytes }, gradients);
      const expectedReference = byReference(config, { ...inputs, ...bytes });
      for (const [number, value] of Object.entries(HIDING)) {
        const what = `${nameOf(config)}, hidden by ${number}`;
        const given = { ...inputs, ...hiddenBy(value) };
        assertSame(model.forward(given), expected, FLOAT32_TOLERANCE, what);
        assertSame(byReference(config, given), expectedReference, FLOAT32_TOLERANCE, what);
        const { inputs: byInputs, parameters } = model.backward(given, gradients);
        assertSame(byInputs, expectedGradients.inputs, FLOAT32_TOLERANCE, `${what}: gradients by inputs`);
        assertSame(parameters, expectedGradients.parameters, FLOAT32_TOLERANCE, `${what}: gradients by parameters`);
      }
      for (const [dtype, bits] of HIDING_BITS) {
        const what = `${nameOf(config)}, hidden by ${dtype} ${bits.toString(16)}`;
        assertSame(model.forward({ ...inputs, ...hiddenByBits(dtype, bits) }), expected, FLOAT32_TOLERANCE, what);
      }
    });
  }
});

test('masks of whole classifiers, of pooling and of recurrent layers only hide, those of attention and scorers are added', () => {
  const hiding = layers.filter(({ name }) =>
    scope.estimate({ layer: name }).inputs.some(({ only_hides: onlyHides }) => onlyHides)
  );
  assert.deepEqual(
    hiding.map(({ name }) => name),
    ['mean_pooling', 'max_pooling', 'recurrent_encoder', 'sequence_classifier', 'attention_classifier']
  );
});

test('a mask that only hides is read in one way by forward, explain, training and for tensors in the core', () => {
  const config = {
    layer: 'attention_classifier',
    vocab_size: 9,
    hidden_size: 8,
    num_heads: 2,
    batch_size: 2,
    seq_len: 5
  };
  const tokens = { data: Int32Array.of(1, 2, 3, 0, 0, 4, 5, 6, 7, 0), shape: [2, 5] };
  const labels = { data: Int32Array.of(0, 1), shape: [2] };
  const bytes = { data: Uint8Array.of(1, 1, 1, 0, 0, 1, 1, 1, 1, 0), shape: [2, 5] };
  const lowest = { data: Float32Array.from(bytes.data, (byte) => (byte ? 0 : -1e4)), shape: [2, 5] };
  withModel(config, (model) => {
    const resident = scope.tensor(lowest.data, [2, 5]);
    const expected = model.forward({ tokens, mask: bytes });
    assert.deepEqual(model.forward({ tokens, mask: resident }), expected);
    assert.deepEqual(resident.data, lowest.data, 'the tensor in the core stays as it was');
    resident.dispose();
    const cell = { query: 1, key: 4, head: 1 };
    const explained = model.explain({ tokens, mask: lowest }, cell);
    assert.deepEqual(explained, model.explain({ tokens, mask: bytes }, cell));
    assert.deepEqual([explained.masked.added, explained.masked.hidden_by], [-Infinity, ['mask']]);
  });
  const lossesWith = (mask) => {
    const trainer = scope.trainer({ ...config, dropout: 0.2 }, { seed: 1 });
    const losses = [0, 1, 2].map(() => {
      const between = { data: Float32Array.of(0, 0, 0, -1, 0), shape: [5] };
      assert.throws(() => trainer.step({ tokens, labels, mask: between }), /mask\.data must hold 0 to keep/);
      return [trainer.step({ tokens, labels, mask }).loss, trainer.evaluate({ tokens, labels, mask }).loss];
    });
    trainer.dispose();
    return losses;
  };
  assert.deepEqual(lossesWith(lowest), lossesWith(bytes), 'a refused mask changes nothing either');
});

/** Every shape that broadcasts to this one, but for itself. */
function narrower(shape) {
  const all = shape.reduce(
    (shapes, size) =>
      shapes.flatMap((one) =>
        size === 1
          ? [[...one, 1]]
          : [
              [...one, 1],
              [...one, size]
            ]
      ),
    [[]]
  );
  const shorter = shape.map((_, d) => shape.slice(d + 1));
  return [...all, ...shorter].filter((one) => String(one) !== String(shape));
}

for (const { name, on, options } of executors) {
  test(`${name}: a mask of every shape that broadcasts is the whole one that it stands for`, () => {
    for (const config of smallConfigs.filter(hasMask)) {
      const inputs = randomInputs(config);
      withModel(
        config,
        (model) => {
          for (const [name, whole] of Object.entries(masksOf(config))) {
            for (const shape of narrower(whole)) {
              const bytes = randomMask(shape, 5);
              for (const one of [bytes, onlyHides(config, name) ? asFloats(bytes) : randomTensor(shape, 6)]) {
                assert.deepEqual(
                  model.forward({ ...inputs, [name]: one }, options),
                  model.forward({ ...inputs, [name]: expand(one, whole) }, options),
                  `${nameOf(config)}, ${name} (${shape})`
                );
              }
            }
          }
        },
        { on }
      );
    }
  });
}

for (const { name: build, scope: on } of variants) {
  test(`${build}: weights are at least 0, those of hidden keys 0, and each row sums to 1 or sees nothing`, () => {
    for (const config of configs) {
      for (const mask of hasMask(config) ? [false, true] : [false]) {
        const inputs = randomInputs(config, { mask });
        const results = withModel(config, (model) => model.forward(inputs), { on });
        for (const { name, mask: maskName, tensor } of weightsIn(results)) {
          const what = `${nameOf(config)}${mask ? ', masked' : ''}: ${name}`;
          const heads = config.average_attn_weights ? scope.estimate(config).config.num_heads : 1;
          const shares = visible(config, name, tensor, mask ? overScores(inputs[maskName], tensor) : null, heads);
          rowsOf(tensor).forEach((row, r) => {
            assert.ok(
              row.every((weight, s) => (shares[r].keys[s] ? weight >= 0 : weight === 0)),
              `${what}, row ${r}: ${row}`
            );
            assertClose(
              [row.reduce((sum, weight) => sum + weight, 0)],
              [shares[r].sum],
              FLOAT32_TOLERANCE,
              `${what}, sum of row ${r}`
            );
          });
        }
      }
    }
  });
}

/** A mask as it hides weights: one of tokens is the same for all heads and queries. */
function overScores(mask, { shape }) {
  if (mask.shape.length === shape.length || shape.length < 4 || mask.shape.length !== 2) return mask;
  return expand({ data: mask.data, shape: [mask.shape[0], 1, 1, mask.shape[1]] }, shape);
}

/**
 * For each row of weights, which keys can have some, and what they sum to: of a mean over heads, the share that sees
 * anything.
 */
function visible(config, name, { shape }, mask, heads) {
  const [T, S] = shape.length > 2 ? shape.slice(-2) : [1, shape.at(-1)];
  const inBand = bandOf(config, name, [T, S]);
  const masks = mask && rowsOf(mask);
  const length = mask ? mask.shape.at(-1) : S; // keys without a place follow those that the mask covers
  return Array.from({ length: product(shape) / S }, (_, r) => {
    const batch = Math.floor(r / T);
    const rows = Array.from({ length: heads }, (_, h) =>
      Array.from(
        { length: S },
        (_, s) =>
          inBand(r % T, s) &&
          (!mask || s >= length || masks[heads > 1 ? (batch * heads + h) * T + (r % T) : r][s] === 1)
      )
    );
    return {
      keys: rows[0].map((_, s) => rows.some((row) => row[s])),
      sum: rows.filter((row) => row.includes(true)).length / heads
    };
  });
}

test('two dimensions are the last two axes, also where the batch is as long and (batch, key) would fit too', () => {
  const n = 4;
  for (const layer of layers) {
    const lengths = layer.fields.filter(({ name }) => ['batch_size', 'seq_len', 'kv_len'].includes(name));
    const config = configOf(layer, 1, Object.fromEntries(lengths.map(({ name }) => [name, n])));
    for (const { name, shape, axes } of scope.estimate(config).inputs.filter(({ optional }) => optional)) {
      const square = shape.slice(-2);
      if (square.some((size) => size !== n)) continue; // keys that the layer adds, or a cache, tell them apart
      const attends = axes.at(-1) === 'key';
      assert.deepEqual(axes.slice(-2), attends ? ['query', 'key'] : ['batch', 'position'], nameOf(config));
      const triangle = {
        data: Uint8Array.from({ length: n * n }, (_, i) => Number(i % n >= Math.floor(i / n))),
        shape: square
      };
      const keys = { data: triangle.data, shape: [n, ...shape.slice(1, -1).map(() => 1), n] };
      const inputs = randomInputs(config);
      withModel(config, (model) => {
        const actual = model.forward({ ...inputs, [name]: triangle });
        assert.deepEqual(actual, model.forward({ ...inputs, [name]: expand(triangle, shape) }), nameOf(config));
        const ofBatch = model.forward({ ...inputs, [name]: keys });
        if (attends) assert.notDeepEqual(actual, ofBatch, nameOf(config));
        else assert.deepEqual(actual, ofBatch, nameOf(config));
      });
    }
  }
});

test('a mask of ones, of zeros to add, or none at all is the same', () => {
  withModel(pooled, (model) => {
    const inputs = randomInputs(pooled);
    const without = model.forward(inputs);
    const shape = [3, 13];
    assert.deepEqual(model.forward({ ...inputs, mask: { data: new Uint8Array(39).fill(1), shape } }), without);
    assert.deepEqual(model.forward({ ...inputs, mask: { data: new Float32Array(39), shape } }), without);
    assert.deepEqual(model.forward({ ...inputs, mask: undefined }), without);
  });
});

test('a float mask is added to the scores', () => {
  const config = { ...pooled, output: 'scores' };
  const inputs = randomInputs(pooled);
  const mask = randomTensor([3, 13], 9);
  const scores = withModel(config, (model) => model.forward(inputs).output, { seed: 4 });
  const { weights } = withModel(pooled, (model) => model.forward({ ...inputs, mask }), { seed: 4 });
  rowsOf({ data: scores.data, shape: [3, 13] }).forEach((row, r) => {
    const powers = Array.from(row, (score, i) => Math.exp(score + rowsOf(mask)[r][i]));
    const sum = powers.reduce((total, power) => total + power, 0);
    assertClose(
      rowsOf(weights)[r],
      powers.map((power) => power / sum),
      FLOAT32_TOLERANCE
    );
  });
});

test('what is hidden changes nothing', () => {
  const inputs = randomInputs(pooled, { mask: true });
  const other = { data: inputs.hidden_states.data.slice(), shape: inputs.hidden_states.shape };
  inputs.mask.data.forEach((byte, position) => {
    if (!byte) other.data.fill(5, position * 10, position * 10 + 10);
  });
  withModel(pooled, (model) => {
    assert.deepEqual(model.forward({ ...inputs, hidden_states: other }), model.forward(inputs));
  });
});

test('tokens that the mask hides are as if the text had ended before them', () => {
  const config = { layer: 'attention_classifier', vocab_size: 9, hidden_size: 8, num_heads: 2, batch_size: 2 };
  const ids = { data: Int32Array.of(1, 2, 3, 0, 0, 4, 5, 6, 0, 0), shape: [2, 5] };
  const short = { data: Int32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] };
  const seen = Uint8Array.of(1, 1, 1, 0, 0);
  for (const { name, on, options } of executors) {
    for (const need_weights of [false, true]) {
      withModel(
        { ...config, seq_len: 5 },
        (model) => {
          const of = (inputs) => model.forward(inputs, { ...options, need_weights }).output;
          const { data } = of({ tokens: short });
          for (const shape of [[5], [1, 5]])
            assertClose(of({ tokens: ids, mask: { data: seen, shape } }).data, data, FLOAT32_TOLERANCE, name);
          const both = { data: Uint8Array.of(...seen, ...seen), shape: [2, 5] };
          assertClose(of({ tokens: ids, mask: both }).data, data, FLOAT32_TOLERANCE, name);
          assert.notDeepEqual(of({ tokens: ids }).data, data, 'without it they count');
        },
        { on }
      );
    }
  }
});
