// The numbers: every build with one thread and with two, held against plain loops in double precision.

import assert from 'node:assert/strict';
import test from 'node:test';
import { runInNewContext } from 'node:vm';
import {
  FLOAT32_TOLERANCE, assertClose, configs, hasMask, nameOf, randomInputs, randomTensor, rowsOf, scope, variants, withModel
} from './support.js';

const pooled = { layer: 'additive_scorer', batch_size: 3, seq_len: 13, hidden_size: 10, attn_dim: 6 };
const small = { layer: 'linear_scorer', batch_size: 2, seq_len: 3, hidden_size: 4 };
const scorers = ['linear_scorer', 'additive_scorer'];

/** A boolean mask as the floats that are added to the scores. */
const asFloats = ({ data, shape }) => ({ data: Float32Array.from(data, (byte) => (byte ? 0 : -Infinity)), shape });

for (const { name, scope: on } of variants) {
  test(`${name}: forward agrees with the reference for every layer, size, bias and output, masked and not`, () => {
    for (const config of configs) {
      for (const mask of hasMask(config) ? [false, true] : [false]) {
        withModel(config, (model) => {
          const inputs = randomInputs(config, { mask });
          const actual = model.forward(inputs);
          const expected = model.forward(inputs, { reference: true });
          assert.deepEqual(Object.keys(actual), Object.keys(expected));
          for (const key of Object.keys(expected)) {
            const what = `${nameOf(config)}${mask ? ', masked' : ''}: ${key}`;
            assert.deepEqual(actual[key].shape, expected[key].shape, what);
            assertClose(actual[key].data, expected[key].data, FLOAT32_TOLERANCE, what);
          }
          assert.deepEqual(actual.output.shape, scope.estimate(config).output_shape, nameOf(config));
        }, { on, seed: 3 });
      }
    }
  });

  test(`${name}: two runs give the same bits`, () => {
    const config = { ...pooled, batch_size: 8, seq_len: 100 };
    withModel(config, (model) => {
      const inputs = randomInputs(config, { mask: true });
      assert.deepEqual(model.forward(inputs), model.forward(inputs));
    }, { on });
  });
}

test('every build and number of threads gives the same results', () => {
  const config = { layer: 'additive_scorer', batch_size: 5, seq_len: 130, hidden_size: 400, attn_dim: 37 };
  const inputs = randomInputs(config, { mask: true });
  const [first, ...others] = variants.map(({ name, scope: on }) => ({ name, ...withModel(config, (model) => model.forward(inputs), { on, seed: 7 }) }));
  for (const { name, output, weights } of others) {
    assertClose(output.data, first.output.data, FLOAT32_TOLERANCE, `${name}: output`);
    assertClose(weights.data, first.weights.data, FLOAT32_TOLERANCE, `${name}: weights`);
  }
});

test('weights are at least 0 and each row sums to 1', () => {
  for (const config of configs) {
    const { weights } = withModel(config, (model) => model.forward(randomInputs(config)));
    if (!weights) continue;
    for (const row of rowsOf(weights)) {
      assert.ok(row.every((weight) => weight >= 0), nameOf(config));
      assertClose([row.reduce((sum, weight) => sum + weight, 0)], [1], FLOAT32_TOLERANCE, `${nameOf(config)}: sum`);
    }
  }
});

test('a hidden position has weight 0, and the others of its row still sum to 1', () => {
  for (const config of configs.filter(hasMask)) {
    const inputs = randomInputs(config, { mask: true });
    const { weights } = withModel(config, (model) => model.forward(inputs));
    if (!weights) continue;
    const masks = rowsOf(inputs.mask);
    rowsOf(weights).forEach((row, r) => {
      const mask = masks[r % masks.length];
      assert.ok(row.every((weight, i) => mask[i] || weight === 0), nameOf(config));
      const sum = row.reduce((total, weight) => total + weight, 0);
      assertClose([sum], [mask.includes(1) ? 1 : 0], FLOAT32_TOLERANCE, `${nameOf(config)}: sum of row ${r}`);
    });
  }
});

test('a row in which everything is hidden gives zeros, never NaN, in every build', () => {
  for (const { name, scope: on } of variants) {
    for (const layer of scorers) {
      for (const seq_len of [1, 3, 4, 8, 9, 33]) {
        const config = { ...pooled, layer, seq_len, attn_dim: layer === 'additive_scorer' ? 6 : undefined };
        const inputs = randomInputs(config);
        const data = new Uint8Array(3 * seq_len).fill(1);
        data.fill(0, seq_len, 2 * seq_len);
        for (const mask of [{ data, shape: [3, seq_len] }, asFloats({ data, shape: [3, seq_len] })]) {
          for (const reference of [false, true]) {
            const { output, weights } = withModel(config, (model) => model.forward({ ...inputs, mask }, { reference }), { on });
            assert.deepEqual(rowsOf(output)[1], new Float32Array(10), `${name}, ${layer}, seq_len ${seq_len}`);
            assert.deepEqual(rowsOf(weights)[1], new Float32Array(seq_len), `${name}, ${layer}, seq_len ${seq_len}`);
            assert.ok(output.data.every(Number.isFinite) && weights.data.every(Number.isFinite));
          }
        }
      }
    }
  }
});

test('a boolean mask is the float mask of 0 and -Infinity', () => {
  for (const config of configs.filter(hasMask)) {
    const inputs = randomInputs(config, { mask: true });
    withModel(config, (model) => {
      assert.deepEqual(model.forward(inputs), model.forward({ ...inputs, mask: asFloats(inputs.mask) }), nameOf(config));
    });
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
    assertClose(rowsOf(weights)[r], powers.map((power) => power / sum), FLOAT32_TOLERANCE);
  });
});

test('what is hidden changes nothing', () => {
  const inputs = randomInputs(pooled, { mask: true });
  const other = { data: inputs.hidden_states.data.slice(), shape: inputs.hidden_states.shape };
  inputs.mask.data.forEach((byte, position) => { if (!byte) other.data.fill(5, position * 10, position * 10 + 10); });
  withModel(pooled, (model) => {
    assert.deepEqual(model.forward({ ...inputs, hidden_states: other }), model.forward(inputs));
  });
});

test('permuting the positions permutes the weights and leaves the pooled output', () => {
  for (const layer of scorers) {
    const config = { ...pooled, layer, attn_dim: layer === 'additive_scorer' ? 6 : undefined };
    const { hidden_states } = randomInputs(config);
    const order = [5, 0, 12, 3, 7, 1, 11, 9, 2, 10, 4, 8, 6];
    const rows = rowsOf(hidden_states);
    const moved = { data: Float32Array.from([0, 13, 26].flatMap((first) => order.flatMap((p) => [...rows[first + p]]))), shape: [3, 13, 10] };
    withModel(config, (model) => {
      const before = model.forward({ hidden_states });
      const after = model.forward({ hidden_states: moved });
      assertClose(after.output.data, before.output.data, FLOAT32_TOLERANCE, 'output');
      rowsOf(after.weights).forEach((row, r) => assertClose(row, order.map((p) => rowsOf(before.weights)[r][p]), FLOAT32_TOLERANCE, 'weights'));
    });
  }
});

test('the sequences of a batch do not see each other', () => {
  const inputs = randomInputs(pooled);
  const one = { data: inputs.hidden_states.data.subarray(130, 260), shape: [1, 13, 10] };
  const all = withModel(pooled, (model) => model.forward(inputs));
  const alone = withModel({ ...pooled, batch_size: 1 }, (model) => model.forward({ hidden_states: one }));
  assertClose(rowsOf(all.output)[1], alone.output.data, FLOAT32_TOLERANCE);
});

test('one position takes all the weight, and its hidden state is the output', () => {
  const config = { ...small, seq_len: 1 };
  const { hidden_states } = randomInputs(config);
  const { output, weights } = withModel(config, (model) => model.forward({ hidden_states }));
  assert.deepEqual(weights.data, Float32Array.of(1, 1));
  assert.deepEqual(output.data, hidden_states.data);
});

test('the weights of "pooled" are the output of "weights", and the softmax of "scores"', () => {
  const { hidden_states } = randomInputs(pooled);
  const run = (output) => withModel({ ...pooled, output }, (model) => model.forward({ hidden_states }), { seed: 5 });
  assertClose(run('weights').output.data, run('pooled').weights.data, FLOAT32_TOLERANCE);
  assert.deepEqual(Object.keys(run('weights')), ['output']);
  assert.deepEqual(run('scores').output.shape, [3, 13, 1]);
});

test('need_weights: false leaves the weights out and the output as it is', () => {
  for (const config of configs) {
    withModel(config, (model) => {
      const inputs = randomInputs(config);
      const { output } = model.forward(inputs);
      assert.deepEqual(model.forward(inputs, { need_weights: false }), { output }, nameOf(config));
    });
  }
});

test('scores far from 0 do not overflow the softmax', () => {
  for (const { name, scope: on } of variants) {
    const { hidden_states } = randomInputs(pooled);
    const large = { data: hidden_states.data.map((value) => 1e4 * value), shape: hidden_states.shape };
    withModel({ ...pooled, layer: 'linear_scorer', attn_dim: undefined }, (model) => {
      const { weights } = model.forward({ hidden_states: large });
      for (const row of rowsOf(weights)) assertClose([row.reduce((sum, weight) => sum + weight, 0)], [1], FLOAT32_TOLERANCE, name);
    }, { on });
  }
});

for (const [kind, value] of [['NaN', NaN], ['Infinity', Infinity]]) {
  test(`${kind} in one hidden state reaches the output of its sequence and no other`, () => {
    for (const { name, scope: on } of variants) {
      for (const layer of scorers) {
        const config = { ...pooled, layer, attn_dim: layer === 'additive_scorer' ? 6 : undefined };
        for (const position of [0, 1, 7, 8, 12]) {
          for (const reference of [false, true]) {
            const { hidden_states } = randomInputs(config);
            hidden_states.data[(13 + position) * 10] = value;
            const { output } = withModel(config, (model) => model.forward({ hidden_states }, { reference }), { on });
            const finite = rowsOf(output).map((row) => row.every(Number.isFinite));
            assert.deepEqual(finite, [true, false, true], `${name}, ${layer}, position ${position}, reference ${reference}`);
          }
        }
      }
    }
  });
}

test('NaN is not taken for a row in which everything is hidden', () => {
  for (const { name, scope: on } of variants) {
    for (const config of [small, { ...small, layer: 'additive_scorer', attn_dim: 2 }]) {
      const hidden_states = { data: new Float32Array(24).fill(NaN), shape: [2, 3, 4] };
      const { output, weights } = withModel(config, (model) => model.forward({ hidden_states }), { on });
      assert.ok([...output.data, ...weights.data].every(Number.isNaN), name);
    }
  }
});

test('data may be a view into a larger buffer, shared memory, a subclass, or from another realm', () => {
  withModel(small, (model) => {
    const { hidden_states: { data, shape } } = randomInputs(small);
    const expected = model.forward({ hidden_states: { data, shape } });
    const buffer = new ArrayBuffer(200);
    const view = new Float32Array(buffer, 8, 24);
    const shared = new Float32Array(new SharedArrayBuffer(96));
    const foreign = runInNewContext('new Float32Array(24)');
    class Own extends Float32Array {}
    for (const target of [view, shared, foreign, new Own(24)]) {
      target.set(data);
      assert.deepEqual(model.forward({ hidden_states: { data: target, shape } }), expected);
    }
    const bytes = Buffer.from([1, 1, 1, 1, 1, 1]);
    assert.deepEqual(model.forward({ hidden_states: { data, shape }, mask: { data: bytes, shape: [2, 3] } }), expected);
    const config = runInNewContext('({ layer: "linear_scorer" })');
    assert.equal(scope.estimate(config).parameters, 769);
  });
});

test('the same seed gives the same weights, another seed others, and 0 is the default', () => {
  const weightsOf = (options) => {
    const model = scope.create(pooled, options);
    try {
      return model.stateDict();
    } finally {
      model.dispose();
    }
  };
  assert.deepEqual(weightsOf({ seed: 1 }), weightsOf({ seed: 1 }));
  assert.notDeepEqual(weightsOf({ seed: 1 }), weightsOf({ seed: 2 }));
  assert.deepEqual(weightsOf(), weightsOf({ seed: 0 }));
  assert.deepEqual(weightsOf({}), weightsOf({ seed: -0 }));
  assert.deepEqual(weightsOf({ seed: 2 ** 32 + 3 }), weightsOf({ seed: 3 }), 'as in PyTorch, the low 32 bits count');
  assert.notDeepEqual(weightsOf({ seed: 2 ** 53 - 1 }), weightsOf({ seed: 0 }));
});

test('dtype changes estimates, not what runs', () => {
  const inputs = randomInputs(pooled);
  const run = (dtype) => withModel({ ...pooled, dtype }, (model) => model.forward(inputs));
  for (const dtype of ['float16', 'bfloat16', 'int8']) assert.deepEqual(run(dtype), run('float32'), dtype);
});

test('rounding reports the error that it makes', () => {
  for (const config of configs.filter(({ bias, output }) => bias !== false && (output ?? 'pooled') === 'pooled')) {
    withModel(config, (model) => {
      const inputs = randomInputs(config);
      const exact = model.forward(inputs).output.data;
      for (const round of ['float16', 'bfloat16', 'int8']) {
        const { output, rounding_error } = model.forward(inputs, { round });
        const differences = Array.from(exact, (value, i) => output.data[i] - value);
        const norm = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
        const what = `${nameOf(config)}, ${round}`;
        assertClose([rounding_error.max_absolute], [Math.max(...differences.map(Math.abs))], 1e-12, `${what}: max_absolute`);
        assertClose([rounding_error.relative], [norm(differences) === 0 ? 0 : norm(differences) / norm(Array.from(exact))], 1e-12, `${what}: relative`);
      }
    }, { seed: 1 });
  }
});

test('a format with fewer bits errs more', () => {
  const config = { ...pooled, hidden_size: 256, seq_len: 64 };
  withModel(config, (model) => {
    const error = (round) => model.forward(randomInputs(config), { round }).rounding_error.relative;
    assert.ok(0 < error('float16') && error('float16') < error('bfloat16') && error('bfloat16') < 2 ** -6, `${error('float16')}, ${error('bfloat16')}`);
    assert.ok(error('float16') < error('int8') && error('int8') < 2 ** -5, `${error('int8')}`);
    assert.equal(model.forward(randomInputs(config), { round: 'float32' }).rounding_error, undefined);
    assert.equal(model.forward(randomInputs(config)).rounding_error, undefined);
  });
});

test('values that a format holds are rounded to themselves', () => {
  const config = { ...small, bias: false };
  withModel(config, (model) => {
    model.loadStateDict({ 'score.weight': { data: Float32Array.of(1, -0.5, 2, 0.25), shape: [1, 4] } });
    const hidden_states = { data: Float32Array.from({ length: 24 }, (_, i) => (i % 7) / 4 - 1), shape: [2, 3, 4] };
    for (const round of ['float16', 'bfloat16']) {
      assert.deepEqual(model.forward({ hidden_states }, { round }).rounding_error, { max_absolute: 0, relative: 0 }, round);
    }
  });
});

test('randn has the shape that was asked for, the same numbers for a seed, and about a normal spread', () => {
  for (const shape of [[], [1], [15], [16], [17], [2, 3, 4], [33, 31]]) {
    const { data, shape: actual } = scope.randn(shape, { seed: 1 });
    assert.deepEqual(actual, shape);
    assert.equal(data.length, shape.reduce((count, size) => count * size, 1));
    assert.deepEqual(scope.randn(shape, { seed: 1 }).data, data);
    assert.notDeepEqual(scope.randn(shape, { seed: 2 }).data, data);
    assert.deepEqual(scope.randn(shape), scope.randn(shape, { seed: 0 }));
  }
  const { data } = scope.randn([100000]);
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
  const variance = data.reduce((sum, value) => sum + (value - mean) ** 2, 0) / data.length;
  const SPREAD = 0.02; // five standard deviations of the mean and of the variance of 100,000 normals
  assertClose([mean, variance], [0, 1], SPREAD);
});

test('randn begins as torch.manual_seed(0); torch.randn(2) does', () => {
  assertClose(scope.randn([2]).data, [1.5409960746765137, -0.293428897857666], 1e-6);
});

test('every build draws the same numbers', () => {
  for (const { scope: on } of variants) assert.deepEqual(on.randn([1000], { seed: 5 }), scope.randn([1000], { seed: 5 }));
});

