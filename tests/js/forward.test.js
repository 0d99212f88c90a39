// The numbers: every build with one thread and with two, held against plain loops in double precision.

import assert from 'node:assert/strict';
import test from 'node:test';
import { runInNewContext } from 'node:vm';
import { byReference, executors } from './reference.js';
import {
  FLOAT32_TOLERANCE,
  assertClose,
  assertSame,
  configs,
  hasMask,
  nameOf,
  randomInputs,
  rowsOf,
  scope,
  smallConfigs,
  variants,
  withModel,
  withoutWeights
} from './support.js';

const pooled = { layer: 'additive_scorer', batch_size: 3, seq_len: 13, hidden_size: 10, attn_dim: 6 };
const small = { layer: 'linear_scorer', batch_size: 2, seq_len: 3, hidden_size: 4 };
const scorers = ['linear_scorer', 'additive_scorer'];

/** The config with the batch and the lengths that it has made longer, or null where its rules forbid that. */
function longer(config) {
  const { config: filled } = scope.estimate(config);
  const other = { ...config };
  for (const field of ['batch_size', 'seq_len', 'kv_len']) {
    if (typeof filled[field] === 'number') other[field] = filled[field] + 3;
  }
  try {
    scope.estimate(other);
    return other;
  } catch {
    return null;
  }
}

test('forward takes inputs of another batch and length, where no parameter has that size', () => {
  let taken = 0;
  for (const config of configs) {
    const other = longer(config);
    if (!other || config.past_len) continue; // the past of a cache has its own length
    const inputs = randomInputs(other, { mask: true });
    withModel(config, (model) => {
      const shapes = (one) => Object.entries(one.stateDict()).map(([name, { shape }]) => [name, shape]);
      withModel(other, (own) => {
        if (JSON.stringify(shapes(own)) !== JSON.stringify(shapes(model))) {
          assert.throws(() => model.forward(inputs), RangeError, nameOf(config));
          return;
        }
        const before = model.forward(randomInputs(config));
        assert.deepEqual(model.forward(inputs), own.forward(inputs), nameOf(config));
        assert.deepEqual(model.forward(randomInputs(config)), before, nameOf(config));
        ++taken;
      });
    });
  }
  assert.ok(taken > configs.length / 2, `${taken} of ${configs.length}`);
});

for (const { name, scope: on } of variants) {
  test(`${name}: forward agrees with the reference for every layer, size and field, masked and not`, () => {
    for (const config of configs) {
      for (const mask of hasMask(config) ? [false, true] : [false]) {
        withModel(
          config,
          (model) => {
            const inputs = randomInputs(config, { mask });
            const actual = model.forward(inputs);
            assertSame(
              actual,
              byReference(config, inputs, { seed: 3 }),
              FLOAT32_TOLERANCE,
              `${nameOf(config)}${mask ? ', masked' : ''}`
            );
            const { output_shape, results } = scope.estimate(config);
            assert.deepEqual(actual.output.shape, output_shape, nameOf(config));
            assert.deepEqual(
              results.map(({ name, shape }) => [name, shape]),
              Object.entries(actual).map(([name, { shape }]) => [name, shape]),
              nameOf(config)
            );
          },
          { on, seed: 3 }
        );
      }
    }
  });

  test(`${name}: two runs give the same bits`, () => {
    for (const config of [...smallConfigs, { ...pooled, batch_size: 8, seq_len: 100 }]) {
      withModel(
        config,
        (model) => {
          const inputs = randomInputs(config, { mask: true });
          assert.deepEqual(model.forward(inputs), model.forward(inputs), nameOf(config));
        },
        { on }
      );
    }
  });
}

test('every build and number of threads gives the same results', () => {
  for (const config of [
    ...smallConfigs,
    { layer: 'additive_scorer', batch_size: 5, seq_len: 130, hidden_size: 400, attn_dim: 37 }
  ]) {
    const inputs = randomInputs(config, { mask: true });
    const [first, ...others] = variants.map(({ scope: on }) =>
      withModel(config, (model) => model.forward(inputs), { on, seed: 7 })
    );
    others.forEach((one, i) => assertSame(one, first, FLOAT32_TOLERANCE, `${variants[i + 1].name}: ${nameOf(config)}`));
  }
});

test('the sequences of a batch do not see each other', () => {
  for (const config of smallConfigs) {
    const inputs = randomInputs(config);
    const second = Object.fromEntries(
      Object.entries(inputs).map(([name, { data, shape }]) => [
        name,
        { data: data.subarray(data.length / 2), shape: [1, ...shape.slice(1)] }
      ])
    );
    const { output } = withModel(config, (model) => model.forward(inputs));
    const alone = withModel({ ...config, batch_size: 1 }, (model) => model.forward(second).output);
    assertClose(output.data.subarray(output.data.length / 2), alone.data, FLOAT32_TOLERANCE, nameOf(config));
  }
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

test('need_weights: false leaves the weights out, and gives the same output', () => {
  for (const config of configs) {
    withModel(config, (model) => {
      const inputs = randomInputs(config);
      const without = model.forward(inputs, { need_weights: false });
      const expected = withoutWeights(model.forward(inputs));
      assert.deepEqual(Object.keys(without), Object.keys(expected), nameOf(config));
      for (const [name, { data, shape }] of Object.entries(expected)) {
        assert.deepEqual(without[name].shape, shape);
        assertClose(without[name].data, data, FLOAT32_TOLERANCE); // attention is made in other blocks
      }
    });
  }
});

for (const [kind, value] of [
  ['NaN', NaN],
  ['Infinity', Infinity]
]) {
  test(`${kind} in one hidden state reaches the output of its sequence and no other`, () => {
    for (const { name, on, options } of executors) {
      for (const layer of scorers) {
        const config = { ...pooled, layer, attn_dim: layer === 'additive_scorer' ? 6 : undefined };
        for (const position of [0, 1, 7, 8, 12]) {
          const { hidden_states } = randomInputs(config);
          hidden_states.data[(13 + position) * 10] = value;
          const { output } = withModel(config, (model) => model.forward({ hidden_states }, options), { on });
          const finite = rowsOf(output).map((row) => row.every(Number.isFinite));
          assert.deepEqual(finite, [true, false, true], `${name}, ${layer}, position ${position}`);
        }
      }
    }
  });
}

test('NaN in one number reaches the output of its sequence and no other, in every layer that takes numbers', () => {
  for (const { name, scope: on } of variants) {
    for (const config of smallConfigs) {
      const inputs = Object.values(randomInputs(config)).filter(({ data }) => data instanceof Float32Array);
      for (let i = 0; i < inputs.length; ++i) {
        const given = randomInputs(config);
        const { data } = Object.values(given)[i];
        data[data.length / 2] = NaN; // the first of the second sequence
        const { output } = withModel(config, (model) => model.forward(given), { on });
        const half = output.data.length / 2;
        const what = `${name}: ${nameOf(config)}, ${Object.keys(given)[i]}`;
        assert.ok(output.data.subarray(0, half).every(Number.isFinite), what);
        assert.ok(output.data.subarray(half).some(Number.isNaN), what);
      }
    }
  }
});

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
    const {
      hidden_states: { data, shape }
    } = randomInputs(small);
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

test('the same seed gives every layer the same outputs', () => {
  for (const config of smallConfigs) {
    const inputs = randomInputs(config);
    const run = (seed) => withModel(config, (model) => model.forward(inputs), { seed });
    assert.deepEqual(run(1), run(1), nameOf(config));
    if (scope.estimate(config).parameters > 0) assert.notDeepEqual(run(1).output, run(2).output, nameOf(config));
  }
});

test('the last token id takes the last row of the table, and its neighbours others', () => {
  const config = {
    layer: 'decoder',
    batch_size: 1,
    seq_len: 3,
    vocab_size: 70000,
    hidden_size: 2,
    num_heads: 1,
    head_dim: 2,
    num_layers: 1,
    intermediate_size: 1,
    position: 'none',
    norm: 'layer_norm'
  };
  withModel(config, (model) => {
    const state = model.stateDict();
    for (const [name, { data }] of Object.entries(state)) data.fill(name.endsWith('norm.weight') ? 1 : 0);
    state['model.embed_tokens.weight'].data[2 * 69999] = 1;
    state['lm_head.weight'].data[2 * 5] = 1;
    model.loadStateDict(state);
    const { output } = model.forward({ tokens: { data: Int32Array.of(69998, 69999, 0), shape: [1, 3] } });
    assertClose(
      rowsOf(output).map((row) => row[5]),
      [0, 1, 0],
      1e-3
    ); // the norm of (1, 0) is (1, -1)
  });
});

test('dtype changes estimates, not what runs', () => {
  for (const config of smallConfigs) {
    const inputs = randomInputs(config);
    const run = (dtype) => withModel({ ...config, dtype }, (model) => model.forward(inputs));
    for (const dtype of ['float16', 'bfloat16', 'int8'])
      assert.deepEqual(run(dtype), run('float32'), `${nameOf(config)}, ${dtype}`);
  }
});
