// What a step refuses, or what goes wrong in the middle of one, leaves the KV cache as it was.

import assert from 'node:assert/strict';
import test from 'node:test';
import { LENGTH, decoder, grouped, inputOf, part } from './decoding.js';
import { FLOAT32_TOLERANCE, assertClose, randomInputs, scope, smallConfigs, withModel } from './support.js';

test('positions past the learned ones are refused, and those that are left can be stepped', () => {
  const config = { ...decoder, position: 'learned' };
  const [name, whole] = inputOf(config);
  withModel(config, (model) => {
    model.step({ [name]: whole });
    assert.throws(() => model.step({ [name]: part(whole, 0, 7) }), {
      name: 'RangeError',
      field: 'seq_len',
      message: 'past_len + seq_len must be at most max_positions (16) where position is learned, got 17'
    });
    assert.equal(model.pastLength, LENGTH);
    assert.deepEqual(model.step({ [name]: part(whole, 0, 6) }).output.shape, [2, 6, 17]);
  });
});

for (const config of smallConfigs.filter((one) => scope.estimate(one).kv_cache === null)) {
  test(`${config.layer} has no KV cache to step with`, () => {
    const message = `${config.layer} has no KV cache to step with`;
    withModel(config, (model) => {
      assert.throws(() => model.step(randomInputs(config)), { name: 'RangeError', message });
      assert.equal(model.pastLength, 0);
      model.clearCache();
      model.forward(randomInputs(config));
    });
  });
}

const ids = { data: Int32Array.of(1, 2, 3, 4), shape: [2, 2] };
const tokens = (data, shape) => ({ tokens: { data, shape } });
for (const [inputs, field, message, options] of [
  [undefined, 'inputs', 'inputs must be a plain object, got undefined'],
  [[ids], 'inputs', 'inputs must be a plain object, got an array'],
  [{}, 'tokens', 'tokens is missing; it must be like (2, 10)'],
  [{ tokens: null }, 'tokens', 'tokens must be a tensor {data, shape}, got null'],
  [{ token: ids }, 'tokens', 'tokens is missing; it must be like (2, 10)'],
  [{ tokens: ids, token: ids }, 'token', 'step has no input "token", did you mean tokens?'],
  [{ tokens: ids, past_keys: ids }, 'past_keys', 'step has no input "past_keys"; its inputs are tokens, mask'],
  [tokens(Float32Array.of(1, 2), [2, 1]), 'tokens', 'tokens.data must be an Int32Array, got a Float32Array'],
  [tokens(Int32Array.of(1, 17), [2, 1]), 'tokens', 'tokens.data must hold integers from 0 to 16, got 17 at index 1'],
  [tokens(Int32Array.of(-1, 0), [2, 1]), 'tokens', 'tokens.data must hold integers from 0 to 16, got -1 at index 0'],
  [tokens(Int32Array.of(1), [1, 1]), 'tokens', 'tokens.shape must be (2, 1), got (1, 1)'],
  [
    tokens(Int32Array.of(1, 2), [2]),
    'tokens',
    'tokens.shape must be like (2, 10) with any number of positions, got (2,)'
  ],
  [
    tokens(new Int32Array(0), [2, 0]),
    'tokens',
    'tokens.shape must be like (2, 10) with any number of positions, got (2, 0)'
  ],
  [
    tokens(Int32Array.of(1, 2), [2, 1.5]),
    'tokens',
    'tokens.shape must be like (2, 10) with any number of positions, got (2, 1.5)'
  ],
  [tokens(Int32Array.of(1, 2), 2), 'tokens', 'tokens.shape must be an array of integers, got 2'],
  [tokens(Int32Array.of(1, 2, 3), [2, 1]), 'tokens', 'tokens.data must have 2 elements, got 3'],
  [
    { tokens: ids, mask: { data: new Uint8Array(4), shape: [2, 2] } },
    'mask',
    'mask.shape must broadcast to (2, 4, 2, 5), got (2, 2)'
  ],
  [
    { tokens: ids, mask: { data: Uint8Array.of(1, 1, 1, 1, 7), shape: [5] } },
    'mask',
    'mask.data must hold only 0 and 1, got 7 at index 4'
  ],
  [{ tokens: ids }, 'need_weights', 'need_weights must be true or false, got 1', { need_weights: 1 }],
  [
    { tokens: ids },
    'reference',
    'step has no option "reference"; its options are need_weights, resident, progress',
    { reference: true }
  ]
]) {
  test(`a step is refused, and the cache stays: ${message}`, () => {
    withModel(decoder, (model) => {
      const [name, whole] = inputOf(decoder);
      const { output } = model.forward({ [name]: whole });
      model.step({ [name]: part(whole, 0, 3) });
      assert.throws(() => model.step(inputs, options), { name: 'RangeError', field, message });
      assert.equal(model.pastLength, 3);
      assertClose(model.step({ [name]: part(whole, 3, 5) }).output.data, part(output, 3, 5).data, FLOAT32_TOLERANCE);
    });
  });
}

test('a step that needs more than the memory limit is refused with its bytes, and the cache stays', () => {
  const config = { ...grouped, batch_size: 1, hidden_size: 1, num_heads: 1, num_kv_heads: 1, position: 'none' };
  withModel(config, (model) => {
    const states = (length) => ({ hidden_states: { data: new Float32Array(length).fill(1), shape: [1, length, 1] } });
    const first = model.step(states(2));
    for (const length of [31000, 66000]) {
      // the squares of the latter are more than 32 bits count
      const bytes = scope.runBytes({ ...config, seq_len: length, past_len: 2 });
      assert.throws(
        () => model.step(states(length)),
        (error) => {
          const rule =
            /^the layer must need at most (\d+) bytes to run with its attention weights, got (\d+); need_weights: false leaves them out$/;
          const [, limit, got] = error.message.match(rule) ?? [];
          assert.equal(Number(limit), scope.memoryLimit);
          assert.ok(Math.abs(got / bytes - 1) < 0.001, `${got}, and ${bytes} where the past is given`);
          return error instanceof RangeError;
        }
      );
    }
    assert.equal(model.pastLength, 2);
    model.clearCache();
    assert.deepEqual(model.step(states(2)), first);
  });
});

test('a getter that throws in the middle of a step leaves the cache, and its error comes out', () => {
  const mine = new TypeError('mine');
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (model) => {
    model.step({ [name]: part(whole, 0, 3) });
    for (const inputs of [
      {
        get tokens() {
          throw mine;
        }
      },
      {
        tokens: {
          get data() {
            throw mine;
          },
          shape: [2, 1]
        }
      },
      {
        tokens: ids,
        get mask() {
          throw mine;
        }
      }
    ]) {
      assert.throws(
        () => model.step(inputs),
        (error) => error === mine
      );
      assert.equal(model.pastLength, 3);
    }
  });
});

test('each input of a step is read once, before the cache is looked at', () => {
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (model) => {
    const first = model.step({ [name]: part(whole, 0, 2) });
    let reads = 0;
    const inputs = {
      get tokens() {
        reads++;
        model.clearCache();
        return part(whole, 0, 2);
      }
    };
    assert.deepEqual(model.step(inputs), first, 'as after the clearing');
    assert.equal(reads, 1);
    assert.equal(model.pastLength, 2);
    const tensor = {
      get data() {
        return reads++ === 1 ? part(whole, 2, 3).data : new Int32Array(99);
      },
      shape: [2, 1]
    };
    const expected = part(model.forward({ [name]: whole }).output, 2, 3);
    assertClose(model.step({ tokens: tensor }).output.data, expected.data, FLOAT32_TOLERANCE);
    assert.equal(reads, 2);
  });
});

test('a getter cannot dispose the model that steps, and a disposed one says so', () => {
  const model = scope.create(decoder);
  const inputs = {
    get tokens() {
      model.dispose();
      return ids;
    }
  };
  assert.throws(() => model.step(inputs), { name: 'Error', message: 'this model is in use and cannot be disposed' });
  assert.deepEqual(model.step({ tokens: ids }).output.shape, [2, 2, 17]);
  model.dispose();
  for (const use of [() => model.step({ tokens: ids }), () => model.pastLength, () => model.clearCache()]) {
    assert.throws(use, { name: 'Error', message: 'this model was disposed' });
  }
});
