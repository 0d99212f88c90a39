// Inputs, tensors and weights that do not fit are refused with their name, the rule and the value.

import assert from 'node:assert/strict';
import test from 'node:test';
import { answers, config, estimate, forward, hidden_states, linear, randint, randn, testRefusals } from './refusals.js';
import { randomInputs, withModel } from './support.js';

const MASK = 'a Uint8Array (1 = may attend) or a Float32Array (added to the scores)';
const { data, shape } = hidden_states;

const detached = new Float32Array(24);
structuredClone(detached.buffer, { transfer: [detached.buffer] });
const longer = Object.defineProperty(new Float32Array(3), 'length', { value: 24 });
const renamed = Object.assign(new Float64Array(24), { constructor: null });
const mask = (bytes, size = [2, 3]) => ({ hidden_states, mask: { data: bytes, shape: size } });

const load = (change) => () => withModel(config, (model) => model.loadStateDict({ ...model.stateDict(), ...change }));
const loadOnly = (state) => () => withModel(config, (model) => model.loadStateDict(state));

/** Other layers, with some of their inputs changed. */
const changed = (layer) => (change) => () =>
  withModel(layer, (model) => model.forward({ ...randomInputs(layer), ...change }));
const attend = changed({
  layer: 'transformer_decoder_layer',
  batch_size: 2,
  seq_len: 5,
  kv_len: 3,
  hidden_size: 16,
  num_heads: 8,
  intermediate_size: 4
});
const decode = changed({
  layer: 'decoder',
  batch_size: 1,
  seq_len: 2,
  past_len: 4,
  vocab_size: 5,
  hidden_size: 4,
  num_layers: 2,
  num_heads: 1,
  intermediate_size: 3
});
const classifier = changed({
  layer: 'attention_classifier',
  batch_size: 2,
  seq_len: 3,
  vocab_size: 5,
  hidden_size: 4,
  num_heads: 2
});
const classify = (ids, size = [2, 3]) => classifier({ tokens: { data: ids, shape: size } });

const before = answers();

testRefusals([
  // Shapes of randn.
  [randn(), 'shape', 'shape must be an array of integers, got undefined'],
  [randn(3), 'shape', 'shape must be an array of integers, got 3'],
  [randn('3'), 'shape', 'shape must be an array of integers, got "3"'],
  [randn({ length: 1, 0: 3 }), 'shape', 'shape must be an array of integers, got an object'],
  [randn(new Int32Array([3])), 'shape', 'shape must be an array of integers, got an Int32Array'],
  [randn([0]), 'shape', 'shape must hold integers from 1 to 2147483647, got 0'],
  [randn([2, -1]), 'shape', 'shape must hold integers from 1 to 2147483647, got -1'],
  [randn([1.5]), 'shape', 'shape must hold integers from 1 to 2147483647, got 1.5'],
  [randn([NaN]), 'shape', 'shape must hold integers from 1 to 2147483647, got NaN'],
  [randn(['2']), 'shape', 'shape must hold integers from 1 to 2147483647, got "2"'],
  [randn([[2]]), 'shape', 'shape must hold integers from 1 to 2147483647, got an array'],
  [randn([2n]), 'shape', 'shape must hold integers from 1 to 2147483647, got 2n'],
  [randn([2 ** 31]), 'shape', 'shape must hold integers from 1 to 2147483647, got 2147483648'],
  // eslint-disable-next-line no-sparse-arrays -- a hole is what is refused
  [randn([2, , 3]), 'shape', 'shape must hold integers from 1 to 2147483647, got undefined'],
  [randn([1e5, 1e5]), 'shape', 'shape must have at most 939524096 elements, got (100000, 100000)'],
  [
    randn(new Array(64).fill(2 ** 31 - 1)),
    'shape',
    `shape must have at most 939524096 elements, got (${new Array(64).fill(2 ** 31 - 1).join(', ')})`
  ],
  [randn(new Array(65).fill(1)), 'shape', 'shape must have at most 64 dimensions, got 65'],
  [randn(new Array(2 ** 32 - 1)), 'shape', 'shape must have at most 64 dimensions, got 4294967295'],
  [randn([2], { seed: '0' }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got "0"'],
  [randn([2], { seeds: 0 }), 'seeds', 'randn has no option "seeds", did you mean seed?'],

  [randint(), 'high', 'high must be an integer from 1 to 2147483648, got undefined'],
  [randint(0, [2]), 'high', 'high must be an integer from 1 to 2147483648, got 0'],
  [randint(2 ** 31 + 1, [2]), 'high', 'high must be an integer from 1 to 2147483648, got 2147483649'],
  [randint(1.5, [2]), 'high', 'high must be an integer from 1 to 2147483648, got 1.5'],
  [randint([2]), 'high', 'high must be an integer from 1 to 2147483648, got an array'],
  [randint(2), 'shape', 'shape must be an array of integers, got undefined'],
  [randint(2, [0]), 'shape', 'shape must hold integers from 1 to 2147483647, got 0'],
  [randint(2, [2], { seed: -1 }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got -1'],
  [randint(2, [2], { high: 3 }), 'high', 'randint has no option "high"; its options are seed'],

  // Which inputs.
  [forward(), 'inputs', 'inputs must be a plain object, got undefined'],
  [forward(null), 'inputs', 'inputs must be a plain object, got null'],
  [forward([hidden_states]), 'inputs', 'inputs must be a plain object, got an array'],
  [forward(data), 'inputs', 'inputs must be a plain object, got a Float32Array'],
  [
    forward(new Map([['hidden_states', hidden_states]])),
    'inputs',
    'inputs must be a plain object, got an instance of Map'
  ],
  [
    forward(Object.create({ hidden_states })),
    'inputs',
    'inputs must be a plain object, got an object that inherits from another'
  ],
  [forward({}), 'hidden_states', 'hidden_states is missing; it must have shape (2, 3, 4)'],
  [forward({ hidden_states: undefined }), 'hidden_states', 'hidden_states is missing; it must have shape (2, 3, 4)'],
  [
    forward({ hidden_state: hidden_states }),
    'hidden_state',
    'forward has no input "hidden_state", did you mean hidden_states?'
  ],
  [
    forward({ hidden_states, query: hidden_states }),
    'query',
    'forward has no input "query"; its inputs are hidden_states, mask'
  ],
  [
    forward({ hidden_states, toString: hidden_states }),
    'toString',
    'forward has no input "toString"; its inputs are hidden_states, mask'
  ],
  [
    classifier({ position_ids: { data: new Int32Array(6), shape: [2, 3] } }),
    'position_ids',
    'forward has no input "position_ids": positions count from the start of each sequence, so padding goes to its end; ' +
      'its inputs are tokens, mask'
  ],
  [forward({ hidden_states, 'a"\n': 1 }), 'a"\n', 'forward has no input "a\\"\\n"; its inputs are hidden_states, mask'],

  // What a tensor is.
  [forward({ hidden_states: null }), 'hidden_states', 'hidden_states must be a tensor {data, shape}, got null'],
  [forward({ hidden_states: 5 }), 'hidden_states', 'hidden_states must be a tensor {data, shape}, got 5'],
  [forward({ hidden_states: [1, 2] }), 'hidden_states', 'hidden_states must be a tensor {data, shape}, got an array'],
  [
    forward({ hidden_states: data }),
    'hidden_states',
    'hidden_states must be a tensor {data, shape}, got a Float32Array'
  ],
  [
    forward({ hidden_states: () => hidden_states }),
    'hidden_states',
    'hidden_states must be a tensor {data, shape}, got a function'
  ],
  [forward({ hidden_states: {} }), 'hidden_states', 'hidden_states.data must be a Float32Array, got undefined'],
  [forward({ hidden_states: { shape } }), 'hidden_states', 'hidden_states.data must be a Float32Array, got undefined'],
  [
    forward({ hidden_states: { data } }),
    'hidden_states',
    'hidden_states.shape must be an array of integers, got undefined'
  ],
  [
    forward({ hidden_states: { data: null, shape } }),
    'hidden_states',
    'hidden_states.data must be a Float32Array, got null'
  ],
  [
    forward({ hidden_states: { data: [...data], shape } }),
    'hidden_states',
    'hidden_states.data must be a Float32Array, got an array'
  ],
  [
    forward({ hidden_states: { data: new Float64Array(24), shape } }),
    'hidden_states',
    'hidden_states.data must be a Float32Array, got a Float64Array'
  ],
  [
    forward({ hidden_states: { data: renamed, shape } }),
    'hidden_states',
    'hidden_states.data must be a Float32Array, got a Float64Array'
  ],
  [
    forward({ hidden_states: { data: new Int32Array(24), shape } }),
    'hidden_states',
    'hidden_states.data must be a Float32Array, got an Int32Array'
  ],
  [
    forward({ hidden_states: { data: new Uint8Array(24), shape } }),
    'hidden_states',
    'hidden_states.data must be a Float32Array, got a Uint8Array'
  ],
  [
    forward({ hidden_states: { data: data.buffer, shape } }),
    'hidden_states',
    'hidden_states.data must be a Float32Array, got an instance of ArrayBuffer'
  ],
  [
    forward({ hidden_states: { data: Object.create(Float32Array.prototype), shape } }),
    'hidden_states',
    'hidden_states.data must be a Float32Array, got an instance of Float32Array'
  ],
  [
    forward({ hidden_states: { data: longer, shape } }),
    'hidden_states',
    'hidden_states.data must have 24 elements, got 3'
  ],
  [
    forward({ hidden_states: { data: detached, shape } }),
    'hidden_states',
    'hidden_states.data must have 24 elements, got 0'
  ],
  [
    forward({ hidden_states: { data: data.subarray(1), shape } }),
    'hidden_states',
    'hidden_states.data must have 24 elements, got 23'
  ],
  [
    forward({ hidden_states: { data: new Float32Array(25), shape } }),
    'hidden_states',
    'hidden_states.data must have 24 elements, got 25'
  ],

  // Shapes of tensors.
  [
    forward({ hidden_states: { data, shape: [2, 4, 3] } }),
    'hidden_states',
    'hidden_states.shape must be (2, 3, 4), got (2, 4, 3)'
  ],
  [
    forward({ hidden_states: { data, shape: [6, 4] } }),
    'hidden_states',
    'hidden_states.shape must be (2, 3, 4), got (6, 4)'
  ],
  [
    forward({ hidden_states: { data, shape: [24] } }),
    'hidden_states',
    'hidden_states.shape must be (2, 3, 4), got (24,)'
  ],
  [forward({ hidden_states: { data, shape: [] } }), 'hidden_states', 'hidden_states.shape must be (2, 3, 4), got ()'],
  [
    forward({ hidden_states: { data, shape: [2, 3, 4, 1] } }),
    'hidden_states',
    'hidden_states.shape must be (2, 3, 4), got (2, 3, 4, 1)'
  ],
  [
    forward({ hidden_states: { data, shape: ['2', 3, 4] } }),
    'hidden_states',
    'hidden_states.shape must be (2, 3, 4), got ("2", 3, 4)'
  ],
  [
    forward({ hidden_states: { data, shape: [2.5, 3, NaN] } }),
    'hidden_states',
    'hidden_states.shape must be (2, 3, 4), got (2.5, 3, NaN)'
  ],
  [
    forward({ hidden_states: { data, shape: [2, null, [4]] } }),
    'hidden_states',
    'hidden_states.shape must be (2, 3, 4), got (2, null, an array)'
  ],
  [
    forward({ hidden_states: { data, shape: '234' } }),
    'hidden_states',
    'hidden_states.shape must be an array of integers, got "234"'
  ],
  [
    forward({ hidden_states: { data, shape: new Int32Array(shape) } }),
    'hidden_states',
    'hidden_states.shape must be an array of integers, got an Int32Array'
  ],
  [
    forward({ hidden_states: { data, shape: new Array(1e6).fill(1) } }),
    'hidden_states',
    'hidden_states.shape must have at most 64 dimensions, got 1000000'
  ],

  // Masks.
  [forward({ hidden_states, mask: null }), 'mask', 'mask must be a tensor {data, shape}, got null'],
  [forward(mask([true, true, true, false, false, false])), 'mask', `mask.data must be ${MASK}, got an array`],
  [forward(mask(new Int8Array(6))), 'mask', `mask.data must be ${MASK}, got an Int8Array`],
  [forward(mask(new Uint8ClampedArray(6))), 'mask', `mask.data must be ${MASK}, got a Uint8ClampedArray`],
  [forward(mask(new Float64Array(6))), 'mask', `mask.data must be ${MASK}, got a Float64Array`],
  [forward(mask(new Uint8Array(5))), 'mask', 'mask.data must have 6 elements, got 5'],
  [forward(mask(new Uint8Array(6), [3, 2])), 'mask', 'mask.shape must broadcast to (2, 3), got (3, 2)'],
  [forward(mask(new Uint8Array(6), [2, 3, 1])), 'mask', 'mask.shape must broadcast to (2, 3), got (2, 3, 1)'],
  [forward(mask(Uint8Array.of(1, 1, 2, 0, 0, 0))), 'mask', 'mask.data must hold only 0 and 1, got 2 at index 2'],
  [forward(mask(Uint8Array.of(1, 1, 0, 0, 0, 255))), 'mask', 'mask.data must hold only 0 and 1, got 255 at index 5'],
  [
    forward(mask(Float32Array.of(0, NaN, 0, 0, 0, 0))),
    'mask',
    'mask.data must hold neither NaN nor Infinity, got NaN at index 1'
  ],
  [
    forward(mask(Float32Array.of(0, 0, 0, 0, 0, Infinity))),
    'mask',
    'mask.data must hold neither NaN nor Infinity, got Infinity at index 5'
  ],

  // Masks that only hide.
  ...[-1, -9999, -9983, -1e-30, 0.5, 1e9, Infinity, NaN].map((number) => [
    classifier({ mask: { data: Float32Array.of(0, number, -1e9), shape: [3] } }),
    'mask',
    'mask.data must hold 0 to keep or at most -10000 to hide, as this mask can do nothing else, ' +
      `got ${Math.fround(number)} at index 1`
  ]),
  [
    classifier({ mask: { data: Uint16Array.of(0, 0, 0xbc00), shape: [3], dtype: 'float16' } }),
    'mask',
    'mask.data must hold 0 to keep or at most -10000 to hide, as this mask can do nothing else, got -1 at index 2'
  ],
  [
    classifier({ mask: { data: new Int32Array(3), shape: [3] } }),
    'mask',
    'mask.data must be a Uint8Array (1 = keep) or a Float32Array (0 = keep, -10000 and below = hide), got an Int32Array'
  ],

  // Masks of more dimensions, and a second one.
  [
    attend({ mask: { data: new Uint8Array(25).fill(1), shape: [5, 5, 1] } }),
    'mask',
    'mask.shape must broadcast to (2, 8, 5, 5), got (5, 5, 1)'
  ],
  [
    attend({ mask: { data: new Uint8Array(40), shape: [8, 5] } }),
    'mask',
    'mask.shape must broadcast to (2, 8, 5, 5), got (8, 5)'
  ],
  [
    attend({ mask: { data: new Uint8Array(50), shape: [2, 5, 5] } }),
    'mask',
    'mask.shape must broadcast to (2, 8, 5, 5), got (2, 5, 5)'
  ],
  [
    attend({ mask: { data: new Uint8Array(400), shape: [1, 2, 8, 5, 5] } }),
    'mask',
    'mask.shape must broadcast to (2, 8, 5, 5), got (1, 2, 8, 5, 5)'
  ],
  [
    attend({ mask: { data: new Uint8Array(0), shape: [0, 5] } }),
    'mask',
    'mask.shape must broadcast to (2, 8, 5, 5), got (0, 5)'
  ],
  [
    attend({ mask: { data: new Uint8Array(5), shape: [5.5] } }),
    'mask',
    'mask.shape must broadcast to (2, 8, 5, 5), got (5.5,)'
  ],
  [attend({ mask: { data: new Uint8Array(4), shape: [5] } }), 'mask', 'mask.data must have 5 elements, got 4'],
  [attend({ mask: { data: new Int32Array(5), shape: [5] } }), 'mask', `mask.data must be ${MASK}, got an Int32Array`],
  [
    attend({ memory_mask: { data: new Uint8Array(5), shape: [5] } }),
    'memory_mask',
    'memory_mask.shape must broadcast to (2, 8, 5, 3), got (5,)'
  ],
  [attend({ memory: undefined }), 'memory', 'memory is missing; it must have shape (2, 3, 16)'],
  [attend({ memory_msk: {} }), 'memory_msk', 'forward has no input "memory_msk", did you mean memory_mask?'],

  // Token ids.
  [classify(Int32Array.of(0, 1, 2, 3, 4, 5)), 'tokens', 'tokens.data must hold integers from 0 to 4, got 5 at index 5'],
  [
    classify(Int32Array.of(0, -1, 2, 3, 4, 0)),
    'tokens',
    'tokens.data must hold integers from 0 to 4, got -1 at index 1'
  ],
  [
    classify(Int32Array.of(2147483647, 0, 0, 0, 0, 0)),
    'tokens',
    'tokens.data must hold integers from 0 to 4, got 2147483647 at index 0'
  ],
  [classify(new Float32Array(6)), 'tokens', 'tokens.data must be an Int32Array, got a Float32Array'],
  [classify(new Uint8Array(6)), 'tokens', 'tokens.data must be an Int32Array, got a Uint8Array'],
  [classify(new Uint32Array(6)), 'tokens', 'tokens.data must be an Int32Array, got a Uint32Array'],
  [classify(new BigInt64Array(6)), 'tokens', 'tokens.data must be an Int32Array, got a BigInt64Array'],
  [classify([0, 1, 2, 3, 4, 0]), 'tokens', 'tokens.data must be an Int32Array, got an array'],
  [classify(new Int32Array(5)), 'tokens', 'tokens.data must have 6 elements, got 5'],
  [classify(new Int32Array(6), [1, 2, 3]), 'tokens', 'tokens.shape must be (2, 3), got (1, 2, 3)'],
  [classify(new Int32Array(6), [6]), 'tokens', 'tokens.shape must be (2, 3), got (6,)'],

  // The cache of a layer with a past.
  [decode({ past_values: undefined }), 'past_values', 'past_values is missing; it must have shape (2, 1, 1, 4, 4)'],
  [
    decode({ past_key: { data: new Float32Array(32), shape: [2, 1, 1, 4, 4] } }),
    'past_key',
    'forward has no input "past_key", did you mean past_keys?'
  ],
  [
    decode({ past_keys: { data: new Float32Array(16), shape: [1, 1, 4, 4] } }),
    'past_keys',
    'past_keys.shape must be (2, 1, 1, 4, 4), got (1, 1, 4, 4)'
  ],

  // State dicts.
  [loadOnly(undefined), 'state dict', 'state dict must be a plain object, got undefined'],
  [loadOnly(null), 'state dict', 'state dict must be a plain object, got null'],
  [loadOnly(new Map()), 'state dict', 'state dict must be a plain object, got an instance of Map'],
  [loadOnly({}), 'score.weight', 'score.weight is missing from the state dict'],
  [load({ 'score.bias': undefined }), 'score.bias', 'score.bias is missing from the state dict'],
  [load({ 'score.bias': null }), 'score.bias', 'score.bias must be a tensor {data, shape}, got null'],
  [
    load({ 'score.bias': { data: new Float64Array(1), shape: [1] } }),
    'score.bias',
    'score.bias.data must be a Float32Array, got a Float64Array'
  ],
  [
    load({ 'score.bias': { data: new Uint8Array(1), shape: [1] } }),
    'score.bias',
    'score.bias.data must be a Float32Array, got a Uint8Array'
  ],
  [
    load({ 'score.weight': { data: new Float32Array(4), shape: [4] } }),
    'score.weight',
    'score.weight.shape must be (1, 4), got (4,)'
  ],
  [
    load({ 'score.wieght': hidden_states }),
    'score.wieght',
    'the layer has no parameter "score.wieght", did you mean score.weight?'
  ],
  [
    load({ 'decoder.layers.0.weight': hidden_states }),
    'decoder.layers.0.weight',
    'the layer has no parameter "decoder.layers.0.weight"; its parameters are score.weight, score.bias'
  ],
  [
    load({ toString: hidden_states }),
    'toString',
    'the layer has no parameter "toString"; its parameters are score.weight, score.bias'
  ]
]);

const mine = new TypeError('mine');
for (const [claim, call, expected] of [
  [
    'a getter in a config',
    estimate({
      ...linear,
      get seq_len() {
        throw mine;
      }
    }),
    mine
  ],
  [
    'a getter in a tensor',
    forward({
      hidden_states: {
        get data() {
          throw mine;
        },
        shape
      }
    }),
    mine
  ],
  [
    'a getter in a shape',
    forward({
      hidden_states: {
        data,
        shape: [
          2,
          3,
          {
            get a() {
              throw mine;
            }
          }
        ]
      }
    }),
    null
  ],
  [
    'a getter in a state dict',
    loadOnly({
      get 'score.weight'() {
        throw mine;
      }
    }),
    mine
  ],
  [
    'a proxy',
    estimate(
      new Proxy(
        { ...linear },
        {
          ownKeys() {
            throw mine;
          }
        }
      )
    ),
    mine
  ],
  [
    'a proxy that inherits',
    estimate(
      new Proxy(
        { ...linear },
        {
          getPrototypeOf() {
            throw mine;
          }
        }
      )
    ),
    mine
  ]
]) {
  test(`the error of ${claim} comes out as it was thrown, and the module goes on`, () => {
    assert.throws(call, (error) => (expected ? error === expected : error.name === 'RangeError'));
    assert.deepEqual(answers(), before);
  });
}

test('even what is no error comes out as it was thrown', () => {
  const thrown = (call) => {
    try {
      call();
    } catch (error) {
      return error;
    }
    return assert.fail('nothing was thrown');
  };
  for (const value of [5, 'text', undefined]) {
    assert.equal(
      thrown(
        estimate({
          ...linear,
          get seq_len() {
            throw value;
          }
        })
      ),
      value
    );
  }
  assert.deepEqual(answers(), before);
});

test("a revoked proxy is the engine's TypeError", () => {
  const { proxy, revoke } = Proxy.revocable({ ...linear }, {});
  revoke();
  for (const call of [estimate(proxy), estimate({ ...linear, seq_len: proxy }), forward({ hidden_states: proxy })]) {
    assert.throws(call, TypeError);
  }
  assert.deepEqual(answers(), before);
});

test('each value is read once: a getter that changes its mind changes nothing', () => {
  let reads = 0;
  const tensor = {
    get data() {
      return reads++ === 0 ? data : new Float32Array(99);
    },
    shape
  };
  withModel(config, (model) => {
    assert.deepEqual(model.forward({ hidden_states: tensor }), before.results);
  });
  assert.equal(reads, 1);
});
