// What does not fit is refused with the field, the rule and the value; afterwards everything still works.

import assert from 'node:assert/strict';
import test from 'node:test';
import { layers, randomInputs, scope, withModel } from './support.js';

const names = layers.map(({ name }) => name).join(', ');
const DIMENSION = 'an integer from 1 to 2147483647';
const FORMATS = 'one of float32, float16, bfloat16, int8';
const MASK = 'a Uint8Array (1 = may attend) or a Float32Array (added to the scores)';
const linearFields = 'batch_size, seq_len, hidden_size, bias, dtype, output';

const linear = { layer: 'linear_scorer' };
const config = { layer: 'linear_scorer', batch_size: 2, seq_len: 3, hidden_size: 4 };
const { hidden_states } = randomInputs(config);
const { data, shape } = hidden_states;

class Config { layer = 'linear_scorer'; }
const ownProto = (text) => JSON.parse(`{"layer": "linear_scorer", ${text}}`);
const detached = new Float32Array(24);
structuredClone(detached.buffer, { transfer: [detached.buffer] });
const longer = Object.defineProperty(new Float32Array(3), 'length', { value: 24 });
const renamed = Object.assign(new Float64Array(24), { constructor: null });
const mask = (bytes, size = [2, 3]) => ({ hidden_states, mask: { data: bytes, shape: size } });

const estimate = (...args) => () => scope.estimate(...args);
const create = (...args) => () => scope.create(...args);
const randn = (...args) => () => scope.randn(...args);
const pytorch = (...args) => () => scope.pytorch(...args);
const forward = (...args) => () => withModel(config, (model) => model.forward(...args));
const load = (change) => () => withModel(config, (model) => model.loadStateDict({ ...model.stateDict(), ...change }));
const loadOnly = (state) => () => withModel(config, (model) => model.loadStateDict(state));

/** A value of seq_len, and how the message shows it. */
const values = [
  [NaN, 'NaN'],
  [2.5, '2.5'],
  [1 / 3, '0.3333333333333333'],
  [1e-7, '1e-7'],
  [0.000001, '0.000001'],
  [5e-324, '5e-324'],
  [123456789.125, '123456789.125'],
  [0, '0'],
  [-0, '-0'],
  [-1, '-1'],
  [2 ** 31, '2147483648'],
  [2 ** 32 + 3, '4294967299'],
  [2 ** 53, '9007199254740992'],
  [2 ** 69, '590295810358705700000'],
  [1e21, '1e+21'],
  [1.7976931348623157e308, '1.7976931348623157e+308'],
  [Infinity, 'Infinity'],
  [-Infinity, '-Infinity'],
  ['2', '"2"'],
  ['', '""'],
  [' 2', '" 2"'],
  [true, 'true'],
  [null, 'null'],
  [5n, '5n'],
  [10n ** 100n, `1${'0'.repeat(59)}…n`],
  [[], 'an array'],
  [[2], 'an array'],
  [{}, 'an object'],
  [{ valueOf: () => 2 }, 'an object'],
  [Object.create(null), 'an object'],
  [new Proxy({}, {}), 'an object'],
  [Object.create({}), 'an object that inherits from another'],
  [() => 2, 'a function'],
  [class {}, 'a function'],
  [Symbol('2'), 'a symbol'],
  [new Number(2), 'an instance of Number'],
  [new Date(0), 'an instance of Date'],
  [new Map(), 'an instance of Map'],
  [new Config(), 'an instance of Config'],
  [Promise.resolve(2), 'an instance of Promise'],
  [new Float32Array(1), 'a Float32Array'],
  [new Int8Array(1), 'an Int8Array'],
  [new BigInt64Array(1), 'a BigInt64Array'],
  [new DataView(new ArrayBuffer(1)), 'an instance of DataView']
].map(([value, shown]) => [estimate({ ...linear, seq_len: value }), 'seq_len', `seq_len must be ${DIMENSION}, got ${shown}`]);

/** What stands where a config does, and how the message shows it. */
const notConfigs = [
  [undefined, 'undefined'],
  [null, 'null'],
  [1, '1'],
  ['linear_scorer', '"linear_scorer"'],
  [7n, '7n'],
  [Symbol('config'), 'a symbol'],
  [() => linear, 'a function'],
  [[linear], 'an array'],
  [new Map([['layer', 'linear_scorer']]), 'an instance of Map'],
  [new Config(), 'an instance of Config'],
  [new (class {})(), 'an object that inherits from another'],
  [Object.create(linear), 'an object that inherits from another'],
  [Object.assign(Object.create({ seq_len: 3 }), linear), 'an object that inherits from another'],
  [Object.assign(Object.create(Object.create(null)), linear), 'an object that inherits from another'],
  [{ __proto__: { seq_len: 3 }, layer: 'linear_scorer' }, 'an object that inherits from another'],
  [new Float32Array(3), 'a Float32Array']
].map(([value, shown]) => [estimate(value), 'config', `config must be a plain object, got ${shown}`]);

/** A key that no layer has, and how the message quotes it. */
const unknownKeys = [
  ['num_heads', '"num_heads"'],
  ['attn_dim', '"attn_dim"'],
  ['constructor', '"constructor"'],
  ['toString', '"toString"'],
  ['hasOwnProperty', '"hasOwnProperty"'],
  ['valueOf', '"valueOf"'],
  ['', '""'],
  ['0', '"0"'],
  ['🙂', '"🙂"'],
  ['größe', '"größe"'],
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ['a\nb\tc\rd\0e\x7f', '"a\\nb\\tc\\rd\\u0000e\\u007f"'],
  ['line\u2028 paragraph\u2029', '"line\\u2028 paragraph\\u2029"'],
  ['\ud800', '"\\ud800"'],
  ['a\udc00b', '"a\\udc00b"'],
  ['k'.repeat(60), `"${'k'.repeat(60)}"`],
  ['k'.repeat(61), `"${'k'.repeat(60)}…"`],
  ['é'.repeat(1e5), `"${'é'.repeat(60)}…"`],
  ['🙂'.repeat(1e5), `"${'🙂'.repeat(60)}…"`]
].map(([key, quoted]) => [
  estimate({ ...linear, [key]: 1 }), key.isWellFormed?.() ?? true ? key : null,
  `linear_scorer has no field ${quoted}; its fields are ${linearFields}`
]);

/** A key that is nearly a field's. */
const misspeltKeys = [
  ['hiden_size', 'hidden_size'],
  ['hiddenSize', 'hidden_size'],
  ['Hidden_Size', 'hidden_size'],
  ['batchsize', 'batch_size'],
  ['seq_length', 'seq_len'],
  ['seqlen', 'seq_len'],
  ['dtypes', 'dtype'],
  ['Bias', 'bias']
].map(([key, near]) => [
  estimate({ ...linear, [key]: 1 }), key, `linear_scorer has no field "${key}", did you mean ${near}?`
]);

const cases = [
  ...values,
  ...notConfigs,
  ...unknownKeys,
  ...misspeltKeys,

  // The layer.
  [estimate({}), 'layer', `layer is missing; it must be one of ${names}`],
  [estimate({ layer: undefined }), 'layer', `layer is missing; it must be one of ${names}`],
  [estimate({ layer: null }), 'layer', `layer must be one of ${names}, got null`],
  [estimate({ layer: 0 }), 'layer', `layer must be one of ${names}, got 0`],
  [estimate({ layer: ['linear_scorer'] }), 'layer', `layer must be one of ${names}, got an array`],
  [estimate({ layer: new String('linear_scorer') }), 'layer', `layer must be one of ${names}, got an instance of String`],
  [estimate({ layer: 'rnn' }), 'layer', `layer must be one of ${names}, got "rnn"`],
  [estimate({ layer: '__proto__' }), 'layer', `layer must be one of ${names}, got "__proto__"`],
  [estimate({ layer: 'linear_scorer\0' }), 'layer', `layer must be one of ${names}, got "linear_scorer\\u0000", did you mean linear_scorer?`],
  [estimate({ layer: 'additve_scorer' }), 'layer', `layer must be one of ${names}, got "additve_scorer", did you mean additive_scorer?`],

  // Own keys that objects usually inherit.
  [estimate(ownProto('"__proto__": 1')), '__proto__', `linear_scorer has no field "__proto__"; its fields are ${linearFields}`],
  [estimate(ownProto('"__proto__": {"seq_len": 3}')), '__proto__', `linear_scorer has no field "__proto__"; its fields are ${linearFields}`],

  // Booleans and choices.
  [estimate({ ...linear, bias: 1 }), 'bias', 'bias must be true or false, got 1'],
  [estimate({ ...linear, bias: 'true' }), 'bias', 'bias must be true or false, got "true"'],
  [estimate({ ...linear, bias: new Boolean(false) }), 'bias', 'bias must be true or false, got an instance of Boolean'],
  [estimate({ ...linear, dtype: 'fp16' }), 'dtype', `dtype must be ${FORMATS}, got "fp16"`],
  [estimate({ ...linear, dtype: 'Float32' }), 'dtype', `dtype must be ${FORMATS}, got "Float32"`],
  [estimate({ ...linear, dtype: '\ud800x' }), 'dtype', `dtype must be ${FORMATS}, got "\\ud800x"`],
  [estimate({ ...linear, dtype: 'x'.repeat(1e6) }), 'dtype', `dtype must be ${FORMATS}, got "${'x'.repeat(60)}…"`],
  [estimate({ ...linear, dtype: 16 }), 'dtype', `dtype must be ${FORMATS}, got 16`],
  [estimate({ ...linear, output: ['pooled'] }), 'output', 'output must be one of scores, weights, pooled, got an array'],

  // Rules between fields.
  [estimate({ layer: 'multihead_attention', num_heads: 7 }), 'num_heads', 'num_heads must divide hidden_size (768), got 7'],

  // Options.
  [create(config, { seed: NaN }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got NaN'],
  [create(config, { seed: 0.5 }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got 0.5'],
  [create(config, { seed: -1 }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got -1'],
  [create(config, { seed: 2 ** 53 }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got 9007199254740992'],
  [create(config, { seed: 1n }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got 1n'],
  [create(config, { seed: null }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got null'],
  [create(config, { sed: 1 }), 'sed', 'create has no option "sed", did you mean seed?'],
  [create(config, 1), 'options', 'options must be a plain object, got 1'],
  [create(config, null), 'options', 'options must be a plain object, got null'],
  [create({ ...config, seq_len: 0 }), 'seq_len', `seq_len must be ${DIMENSION}, got 0`],
  [pytorch(config, { self_check: 0 }), 'self_check', 'self_check must be true or false, got 0'],
  [pytorch(config, { check: false }), 'check', 'pytorch has no option "check"; its options are self_check'],
  [forward({ hidden_states }, { need_weights: 0 }), 'need_weights', 'need_weights must be true or false, got 0'],
  [forward({ hidden_states }, { need_weight: true }), 'need_weight', 'forward has no option "need_weight", did you mean need_weights?'],
  [forward({ hidden_states }, { round: 'half' }), 'round', `round must be ${FORMATS}, got "half"`],
  [forward({ hidden_states }, { reference: 'yes' }), 'reference', 'reference must be true or false, got "yes"'],
  [forward({ hidden_states }, []), 'options', 'options must be a plain object, got an array'],

  // Too large for memory, refused before it is allocated. The first: 4 bytes for each hidden state, two
  // copies of each parameter, output and weight, each score and mask element.
  [create({ ...linear, batch_size: 1024, seq_len: 4096, hidden_size: 4096 }), undefined,
    'the layer must need at most 3758096384 bytes to run, got 68820172808'],
  [create({ layer: 'additive_scorer', batch_size: 2 ** 31 - 1, seq_len: 2 ** 31 - 1, hidden_size: 2 ** 31 - 1, attn_dim: 2 ** 31 - 1 }), undefined,
    'the layer must need at most 3758096384 bytes to run, got 118842243752949762290836570124'],

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
  [randn([2, , 3]), 'shape', 'shape must hold integers from 1 to 2147483647, got undefined'],
  [randn([1e5, 1e5]), 'shape', 'shape must have at most 939524096 elements, got (100000, 100000)'],
  [randn(new Array(64).fill(2 ** 31 - 1)), 'shape', `shape must have at most 939524096 elements, got (${new Array(64).fill(2 ** 31 - 1).join(', ')})`],
  [randn(new Array(65).fill(1)), 'shape', 'shape must have at most 64 dimensions, got 65'],
  [randn(new Array(2 ** 32 - 1)), 'shape', 'shape must have at most 64 dimensions, got 4294967295'],
  [randn([2], { seed: '0' }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got "0"'],
  [randn([2], { seeds: 0 }), 'seeds', 'randn has no option "seeds", did you mean seed?'],

  // Which inputs.
  [forward(), 'inputs', 'inputs must be a plain object, got undefined'],
  [forward(null), 'inputs', 'inputs must be a plain object, got null'],
  [forward([hidden_states]), 'inputs', 'inputs must be a plain object, got an array'],
  [forward(data), 'inputs', 'inputs must be a plain object, got a Float32Array'],
  [forward(new Map([['hidden_states', hidden_states]])), 'inputs', 'inputs must be a plain object, got an instance of Map'],
  [forward(Object.create({ hidden_states })), 'inputs', 'inputs must be a plain object, got an object that inherits from another'],
  [forward({}), 'hidden_states', 'hidden_states is missing; it must have shape (2, 3, 4)'],
  [forward({ hidden_states: undefined }), 'hidden_states', 'hidden_states is missing; it must have shape (2, 3, 4)'],
  [forward({ hidden_state: hidden_states }), 'hidden_state', 'forward has no input "hidden_state", did you mean hidden_states?'],
  [forward({ hidden_states, query: hidden_states }), 'query', 'forward has no input "query"; its inputs are hidden_states, mask'],
  [forward({ hidden_states, toString: hidden_states }), 'toString', 'forward has no input "toString"; its inputs are hidden_states, mask'],
  [forward({ hidden_states, 'a"\n': 1 }), 'a"\n', 'forward has no input "a\\"\\n"; its inputs are hidden_states, mask'],

  // What a tensor is.
  [forward({ hidden_states: null }), 'hidden_states', 'hidden_states must be a tensor {data, shape}, got null'],
  [forward({ hidden_states: 5 }), 'hidden_states', 'hidden_states must be a tensor {data, shape}, got 5'],
  [forward({ hidden_states: [1, 2] }), 'hidden_states', 'hidden_states must be a tensor {data, shape}, got an array'],
  [forward({ hidden_states: data }), 'hidden_states', 'hidden_states must be a tensor {data, shape}, got a Float32Array'],
  [forward({ hidden_states: () => hidden_states }), 'hidden_states', 'hidden_states must be a tensor {data, shape}, got a function'],
  [forward({ hidden_states: {} }), 'hidden_states', 'hidden_states.data must be a Float32Array, got undefined'],
  [forward({ hidden_states: { shape } }), 'hidden_states', 'hidden_states.data must be a Float32Array, got undefined'],
  [forward({ hidden_states: { data } }), 'hidden_states', 'hidden_states.shape must be an array of integers, got undefined'],
  [forward({ hidden_states: { data: null, shape } }), 'hidden_states', 'hidden_states.data must be a Float32Array, got null'],
  [forward({ hidden_states: { data: [...data], shape } }), 'hidden_states', 'hidden_states.data must be a Float32Array, got an array'],
  [forward({ hidden_states: { data: new Float64Array(24), shape } }), 'hidden_states', 'hidden_states.data must be a Float32Array, got a Float64Array'],
  [forward({ hidden_states: { data: renamed, shape } }), 'hidden_states', 'hidden_states.data must be a Float32Array, got a Float64Array'],
  [forward({ hidden_states: { data: new Int32Array(24), shape } }), 'hidden_states', 'hidden_states.data must be a Float32Array, got an Int32Array'],
  [forward({ hidden_states: { data: new Uint8Array(24), shape } }), 'hidden_states', 'hidden_states.data must be a Float32Array, got a Uint8Array'],
  [forward({ hidden_states: { data: data.buffer, shape } }), 'hidden_states', 'hidden_states.data must be a Float32Array, got an instance of ArrayBuffer'],
  [forward({ hidden_states: { data: Object.create(Float32Array.prototype), shape } }), 'hidden_states',
    'hidden_states.data must be a Float32Array, got an instance of Float32Array'],
  [forward({ hidden_states: { data: longer, shape } }), 'hidden_states', 'hidden_states.data must have 24 elements, got 3'],
  [forward({ hidden_states: { data: detached, shape } }), 'hidden_states', 'hidden_states.data must have 24 elements, got 0'],
  [forward({ hidden_states: { data: data.subarray(1), shape } }), 'hidden_states', 'hidden_states.data must have 24 elements, got 23'],
  [forward({ hidden_states: { data: new Float32Array(25), shape } }), 'hidden_states', 'hidden_states.data must have 24 elements, got 25'],

  // Shapes of tensors.
  [forward({ hidden_states: { data, shape: [3, 2, 4] } }), 'hidden_states', 'hidden_states.shape must be (2, 3, 4), got (3, 2, 4)'],
  [forward({ hidden_states: { data, shape: [6, 4] } }), 'hidden_states', 'hidden_states.shape must be (2, 3, 4), got (6, 4)'],
  [forward({ hidden_states: { data, shape: [24] } }), 'hidden_states', 'hidden_states.shape must be (2, 3, 4), got (24,)'],
  [forward({ hidden_states: { data, shape: [] } }), 'hidden_states', 'hidden_states.shape must be (2, 3, 4), got ()'],
  [forward({ hidden_states: { data, shape: [2, 3, 4, 1] } }), 'hidden_states', 'hidden_states.shape must be (2, 3, 4), got (2, 3, 4, 1)'],
  [forward({ hidden_states: { data, shape: ['2', 3, 4] } }), 'hidden_states', 'hidden_states.shape must be (2, 3, 4), got ("2", 3, 4)'],
  [forward({ hidden_states: { data, shape: [2.5, 3, NaN] } }), 'hidden_states', 'hidden_states.shape must be (2, 3, 4), got (2.5, 3, NaN)'],
  [forward({ hidden_states: { data, shape: [2, null, [4]] } }), 'hidden_states', 'hidden_states.shape must be (2, 3, 4), got (2, null, an array)'],
  [forward({ hidden_states: { data, shape: '234' } }), 'hidden_states', 'hidden_states.shape must be an array of integers, got "234"'],
  [forward({ hidden_states: { data, shape: new Int32Array(shape) } }), 'hidden_states', 'hidden_states.shape must be an array of integers, got an Int32Array'],
  [forward({ hidden_states: { data, shape: new Array(1e6).fill(1) } }), 'hidden_states', 'hidden_states.shape must have at most 64 dimensions, got 1000000'],

  // Masks.
  [forward({ hidden_states, mask: null }), 'mask', 'mask must be a tensor {data, shape}, got null'],
  [forward(mask([true, true, true, false, false, false])), 'mask', `mask.data must be ${MASK}, got an array`],
  [forward(mask(new Int8Array(6))), 'mask', `mask.data must be ${MASK}, got an Int8Array`],
  [forward(mask(new Uint8ClampedArray(6))), 'mask', `mask.data must be ${MASK}, got a Uint8ClampedArray`],
  [forward(mask(new Float64Array(6))), 'mask', `mask.data must be ${MASK}, got a Float64Array`],
  [forward(mask(new Uint8Array(5))), 'mask', 'mask.data must have 6 elements, got 5'],
  [forward(mask(new Uint8Array(6), [3, 2])), 'mask', 'mask.shape must be (2, 3), got (3, 2)'],
  [forward(mask(new Uint8Array(6), [2, 3, 1])), 'mask', 'mask.shape must be (2, 3), got (2, 3, 1)'],
  [forward(mask(Uint8Array.of(1, 1, 2, 0, 0, 0))), 'mask', 'mask.data must hold only 0 and 1, got 2 at index 2'],
  [forward(mask(Uint8Array.of(1, 1, 0, 0, 0, 255))), 'mask', 'mask.data must hold only 0 and 1, got 255 at index 5'],
  [forward(mask(Float32Array.of(0, NaN, 0, 0, 0, 0))), 'mask', 'mask.data must hold neither NaN nor Infinity, got NaN at index 1'],
  [forward(mask(Float32Array.of(0, 0, 0, 0, 0, Infinity))), 'mask', 'mask.data must hold neither NaN nor Infinity, got Infinity at index 5'],

  // State dicts.
  [loadOnly(undefined), 'state dict', 'state dict must be a plain object, got undefined'],
  [loadOnly(null), 'state dict', 'state dict must be a plain object, got null'],
  [loadOnly(new Map()), 'state dict', 'state dict must be a plain object, got an instance of Map'],
  [loadOnly({}), 'score.weight', 'score.weight is missing from the state dict'],
  [load({ 'score.bias': undefined }), 'score.bias', 'score.bias is missing from the state dict'],
  [load({ 'score.bias': null }), 'score.bias', 'score.bias must be a tensor {data, shape}, got null'],
  [load({ 'score.bias': { data: new Float64Array(1), shape: [1] } }), 'score.bias', 'score.bias.data must be a Float32Array, got a Float64Array'],
  [load({ 'score.bias': { data: new Uint8Array(1), shape: [1] } }), 'score.bias', 'score.bias.data must be a Float32Array, got a Uint8Array'],
  [load({ 'score.weight': { data: new Float32Array(4), shape: [4] } }), 'score.weight', 'score.weight.shape must be (1, 4), got (4,)'],
  [load({ 'score.wieght': hidden_states }), 'score.wieght', 'the layer has no parameter "score.wieght", did you mean score.weight?'],
  [load({ 'decoder.layers.0.weight': hidden_states }), 'decoder.layers.0.weight',
    'the layer has no parameter "decoder.layers.0.weight"; its parameters are score.weight, score.bias'],
  [load({ toString: hidden_states }), 'toString', 'the layer has no parameter "toString"; its parameters are score.weight, score.bias']
];

/** Held against what the same calls gave before anything went wrong. */
const answers = () => withModel(config, (model) => ({
  estimate: scope.estimate(config),
  results: model.forward({ hidden_states }),
  state: model.stateDict(),
  source: scope.pytorch(config),
  random: scope.randn([3])
}));
const before = answers();

for (const [call, field, message] of cases) {
  test(`refused: ${message.slice(0, 160)}`, () => {
    assert.throws(call, (error) => {
      assert.ok(error instanceof RangeError, String(error));
      assert.equal(error.message, message);
      if (field !== null) assert.equal(error.field, field === '' ? undefined : field);
      return true;
    });
  });
}

test('there are at least 60 of them, and each message is one line', () => {
  assert.ok(cases.length >= 60, String(cases.length));
  for (const [, , message] of cases) assert.doesNotMatch(message, /[\0-\x1f\u2028\u2029]/u);
});

test('after all of them the module still gives right answers', () => {
  for (const [call] of cases) assert.throws(call, RangeError);
  assert.deepEqual(answers(), before);
});

const mine = new TypeError('mine');
for (const [claim, call, expected] of [
  ['a getter in a config', estimate({ ...linear, get seq_len() { throw mine; } }), mine],
  ['a getter in a tensor', forward({ hidden_states: { get data() { throw mine; }, shape } }), mine],
  ['a getter in a shape', forward({ hidden_states: { data, shape: [2, 3, { get a() { throw mine; } }] } }), null],
  ['a getter in a state dict', loadOnly({ get 'score.weight'() { throw mine; } }), mine],
  ['a proxy', estimate(new Proxy({ ...linear }, { ownKeys() { throw mine; } })), mine],
  ['a proxy that inherits', estimate(new Proxy({ ...linear }, { getPrototypeOf() { throw mine; } })), mine]
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
    assert.equal(thrown(estimate({ ...linear, get seq_len() { throw value; } })), value);
  }
  assert.deepEqual(answers(), before);
});

test('a revoked proxy is the engine\'s TypeError', () => {
  const { proxy, revoke } = Proxy.revocable({ ...linear }, {});
  revoke();
  for (const call of [estimate(proxy), estimate({ ...linear, seq_len: proxy }), forward({ hidden_states: proxy })]) {
    assert.throws(call, TypeError);
  }
  assert.deepEqual(answers(), before);
});

test('each value is read once: a getter that changes its mind changes nothing', () => {
  let reads = 0;
  const tensor = { get data() { return reads++ === 0 ? data : new Float32Array(99); }, shape };
  withModel(config, (model) => {
    assert.deepEqual(model.forward({ hidden_states: tensor }), before.results);
  });
  assert.equal(reads, 1);
});

test('an object without a prototype, a transparent proxy, and one with symbols or hidden keys are configs', () => {
  for (const object of [
    Object.assign(Object.create(null), linear),
    new Proxy({ ...linear }, {}),
    { ...linear, [Symbol('note')]: 1 },
    Object.defineProperty({ ...linear }, 'note', { value: 1, enumerable: false }),
    Object.freeze({ ...linear, seq_len: undefined })
  ]) {
    assert.equal(scope.estimate(object).parameters, 769);
  }
});

test('a polluted Object.prototype adds no field', () => {
  Object.prototype.seq_len = 5;
  try {
    assert.equal(scope.estimate(linear).config.seq_len, 128);
  } finally {
    delete Object.prototype.seq_len;
  }
});
