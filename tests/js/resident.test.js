// Tensors that live in the core: the same numbers, without the copies.

import assert from 'node:assert/strict';
import test from 'node:test';
import { byReference } from './reference.js';
import {
  FLOAT32_TOLERANCE,
  asFloats,
  assertSame,
  configs,
  nameOf,
  randomInputs,
  randomTensor,
  scope,
  smallConfigs,
  variants,
  withModel
} from './support.js';
import { testRefusals } from './refusals.js';

const small = { layer: 'linear_scorer', batch_size: 2, seq_len: 3, hidden_size: 4 };

/** The same inputs in the core. @returns {Record<string, import('../../web/lib/index.js').ResidentTensor>} */
const moved = (inputs, on = scope) =>
  Object.fromEntries(Object.entries(inputs).map(([name, { data, shape }]) => [name, on.tensor(data, shape)]));
const disposeAll = (tensors) => Object.values(tensors).forEach((tensor) => tensor.dispose());
/** Results as copies. */
const copies = (results) =>
  Object.fromEntries(Object.entries(results).map(([name, { data, shape }]) => [name, { data, shape }]));

for (const { name, scope: on } of variants) {
  test(`${name}: resident inputs and results are the same bits as copied ones`, () => {
    for (const config of configs.filter((_, i) => i % 3 === 0)) {
      withModel(
        config,
        (model) => {
          const inputs = randomInputs(config, { mask: true });
          const resident = moved(inputs, on);
          const expected = model.forward(inputs);
          assert.deepEqual(model.forward(resident), expected, nameOf(config));
          const results = model.forward(resident, { resident: true });
          assert.deepEqual(copies(results), expected, nameOf(config));
          assert.deepEqual(copies(resident), inputs, 'inputs stay');
          disposeAll(resident);
          assert.deepEqual(copies(results), expected, 'results outlive their inputs');
          disposeAll(results);
        },
        { on }
      );
    }
  });
}

for (const { name, scope: on } of variants) {
  test(`${name}: a large input is pooled as it comes in, from wherever it lies`, () => {
    const config = { layer: 'linear_scorer', batch_size: 3, seq_len: 70, hidden_size: 1000 }; // three parts, the last ones short
    const { hidden_states, mask } = randomInputs(config, { mask: true });
    const { data, shape } = hidden_states;
    const within = new Float32Array(data.length + 5);
    within.set(data, 3);
    const shared = new Float32Array(new SharedArrayBuffer(data.byteLength));
    shared.set(data);
    class Own extends Float32Array {
      static get [Symbol.species]() {
        throw new Error('not to be asked');
      }
      get buffer() {
        throw new Error('not to be asked');
      }
    }
    withModel(
      config,
      (model) => {
        const resident = moved({ hidden_states, mask }, on);
        const expected = model.forward(resident);
        disposeAll(resident);
        for (const given of [data, within.subarray(3, 3 + data.length), shared, new Own(data)]) {
          assert.deepEqual(model.forward({ hidden_states: { data: given, shape }, mask }), expected);
        }
        assert.deepEqual(model.forward({ hidden_states, mask }, { progress() {} }), expected);
        const inputs = { hidden_states, mask };
        assertSame(model.forward(inputs), byReference(config, inputs), FLOAT32_TOLERANCE);
      },
      { on }
    );
  });
}

test('a mask of floats may live in the core', () => {
  for (const config of smallConfigs) {
    const inputs = randomInputs(config, { mask: true });
    if (!inputs.mask) continue;
    withModel(config, (model) => {
      const floats = moved({ mask: asFloats(inputs.mask) });
      assert.deepEqual(model.forward({ ...inputs, ...floats }), model.forward(inputs), nameOf(config));
      disposeAll(floats);
    });
  }
});

test('what one layer leaves in the core the next one takes', () => {
  const attention = { layer: 'multihead_attention', batch_size: 2, seq_len: 5, hidden_size: 8, num_heads: 2 };
  const pool = { layer: 'additive_scorer', batch_size: 2, seq_len: 5, hidden_size: 8, attn_dim: 3 };
  withModel(attention, (first) =>
    withModel(pool, (second) => {
      const inputs = randomInputs(attention);
      const between = first.forward(inputs, { need_weights: false, resident: true }).output;
      const copied = first.forward(inputs, { need_weights: false }).output;
      assert.deepEqual(second.forward({ hidden_states: between }), second.forward({ hidden_states: copied }));
      between.dispose();
    })
  );
});

test('steps take and leave resident tensors', () => {
  const config = {
    layer: 'decoder',
    batch_size: 2,
    seq_len: 3,
    vocab_size: 7,
    hidden_size: 8,
    num_layers: 2,
    num_heads: 2,
    intermediate_size: 5
  };
  withModel(config, (model) =>
    withModel(config, (other) => {
      for (let i = 0; i < 3; i++) {
        const inputs = { tokens: { data: Int32Array.of(i, 2, 3, i), shape: [2, 2] } };
        const resident = moved(inputs);
        const results = model.step(resident, { resident: true });
        assert.deepEqual(copies(results), other.step(inputs));
        disposeAll(resident);
        disposeAll(results);
      }
    })
  );
});

test('a model takes resident weights, and keeps its own', () => {
  withModel(small, (model) => {
    const state = Object.fromEntries(
      Object.entries(model.stateDict()).map(([name, { shape }], i) => [name, randomTensor(shape, i + 9)])
    );
    const resident = moved(state);
    model.loadStateDict(resident);
    disposeAll(resident);
    assert.deepEqual(model.stateDict(), state);
  });
});

test('the data are copied in and out', () => {
  for (const data of [Float32Array.of(0.5, -2, NaN), Uint8Array.of(0, 1, 255), Int32Array.of(-1, 2 ** 31 - 1, 3)]) {
    const before = data.slice();
    const tensor = scope.tensor(data, [3, 1]);
    data.fill(7);
    assert.deepEqual(tensor.data, before);
    tensor.data.fill(8);
    tensor.shape.push(9);
    assert.deepEqual(tensor.data, before);
    assert.deepEqual(tensor.shape, [3, 1]);
    tensor.dispose();
  }
});

test('a disposed tensor says so', () => {
  const tensor = scope.tensor(new Float32Array(24), [2, 3, 4]);
  tensor.dispose();
  tensor.dispose();
  const disposed = { message: 'this tensor was disposed' };
  assert.throws(() => tensor.data, disposed);
  assert.throws(() => tensor.shape, disposed);
  withModel(small, (model) => {
    assert.throws(() => model.forward({ hidden_states: tensor }), disposed);
    assert.equal(model.forward(randomInputs(small)).output.shape.length, 2);
  });
});

test('a getter of another input may dispose of a tensor', () => {
  withModel(small, (model) => {
    const hidden = scope.tensor(new Float32Array(24), [2, 3, 4]);
    const mask = {
      get data() {
        hidden.dispose();
        return Uint8Array.of(1, 1, 1);
      },
      shape: [3]
    };
    assert.equal(model.forward({ hidden_states: hidden, mask }).output.data.length, 8, 'read before');
    const second = scope.tensor(new Float32Array(24), [2, 3, 4]);
    const early = {
      get data() {
        second.dispose();
        return Uint8Array.of(1, 1, 1);
      },
      shape: [3]
    };
    assert.throws(() => model.forward({ mask: early, hidden_states: second }), {
      name: 'RangeError',
      message: 'hidden_states was disposed'
    });
  });
});

const tensor =
  (...args) =>
  () =>
    scope.tensor(...args);
const floats = new Float32Array(6);
const forward = (inputs, options) => () => withModel(small, (model) => model.forward(inputs, options));
const wrongShape = scope.tensor(new Float32Array(24), [2, 4, 3]);
const bytes = scope.tensor(new Uint8Array(24), [2, 3, 4]);
const hidden = scope.tensor(new Float32Array(24), [2, 3, 4]);
const badBytes = scope.tensor(Uint8Array.of(1, 2, 1), [3]);
const badFloats = scope.tensor(Float32Array.of(0, NaN, 0), [3]);

testRefusals([
  [tensor(), 'data', 'data must be a Float32Array, a Uint8Array or an Int32Array, got undefined'],
  [tensor([1, 2], [2]), 'data', 'data must be a Float32Array, a Uint8Array or an Int32Array, got an array'],
  [
    tensor(new Float64Array(6), [6]),
    'data',
    'data must be a Float32Array, a Uint8Array or an Int32Array, got a Float64Array'
  ],
  [
    tensor({ data: floats, shape: [6] }),
    'data',
    'data must be a Float32Array, a Uint8Array or an Int32Array, got an object'
  ],
  [tensor(floats), 'shape', 'shape must be an array of integers, got undefined'],
  [tensor(floats, [0]), 'shape', 'shape must hold integers from 1 to 2147483647, got 0'],
  [tensor(floats, [2, 4]), 'data', 'data must have 8 elements, got 6'],
  [tensor(floats, [2 ** 20, 2 ** 20]), 'shape', 'shape must have at most 939524096 elements, got (1048576, 1048576)'],
  [forward({ hidden_states: wrongShape }), 'hidden_states', 'hidden_states.shape must be (2, 3, 4), got (2, 4, 3)'],
  [forward({ hidden_states: bytes }), 'hidden_states', 'hidden_states.data must be a Float32Array, got a Uint8Array'],
  [forward({ hidden_states: hidden, mask: badBytes }), 'mask', 'mask.data must hold only 0 and 1, got 2 at index 1'],
  [
    forward({ hidden_states: hidden, mask: badFloats }),
    'mask',
    'mask.data must hold neither NaN nor Infinity, got NaN at index 1'
  ],
  [
    forward({ hidden_states: hidden, keys: hidden }),
    'keys',
    'forward has no input "keys"; its inputs are hidden_states, mask'
  ],
  [forward({ hidden_states: hidden }, { resident: 1 }), 'resident', 'resident must be true or false, got 1']
]);
