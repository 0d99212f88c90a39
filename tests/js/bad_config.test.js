// Configs and options that do not fit are refused with the field, the rule and the value.

import assert from 'node:assert/strict';
import test from 'node:test';
import { config, create, estimate, forward, hidden_states, linear, pytorch, testRefusals } from './refusals.js';
import { layers, scope } from './support.js';

const names = layers.map(({ name }) => name).join(', ');
const fieldsOf = (name) =>
  layers
    .find((layer) => layer.name === name)
    .fields.map((field) => field.name)
    .join(', ');
const linearFields = fieldsOf('linear_scorer');
const DIMENSION = 'an integer from 1 to 2147483647';
const SHARE = 'a number from 0 to 0.999';
const FORMATS = 'one of float32, float16, bfloat16, int8';

class Config {
  layer = 'linear_scorer';
}
const ownProto = (text) => JSON.parse(`{"layer": "linear_scorer", ${text}}`);

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
].map(([value, shown]) => [
  estimate({ ...linear, seq_len: value }),
  'seq_len',
  `seq_len must be ${DIMENSION}, got ${shown}`
]);

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
  estimate({ ...linear, [key]: 1 }),
  (key.isWellFormed?.() ?? true) ? key : null,
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
  estimate({ ...linear, [key]: 1 }),
  key,
  `linear_scorer has no field "${key}", did you mean ${near}?`
]);

testRefusals([
  ...values,
  ...notConfigs,
  ...unknownKeys,
  ...misspeltKeys,
  [estimate({ layer: 'decoder', windows: 1 }), 'windows', 'decoder has no field "windows", did you mean window?'],
  [
    estimate({ layer: 'decoder', attention_groups: 1 }),
    'attention_groups',
    `decoder has no field "attention_groups"; its fields are ${fieldsOf('decoder')}`
  ],

  // The layer.
  [estimate({}), 'layer', `layer is missing; it must be one of ${names}`],
  [estimate({ layer: undefined }), 'layer', `layer is missing; it must be one of ${names}`],
  [estimate({ layer: null }), 'layer', `layer must be one of ${names}, got null`],
  [estimate({ layer: 0 }), 'layer', `layer must be one of ${names}, got 0`],
  [estimate({ layer: ['linear_scorer'] }), 'layer', `layer must be one of ${names}, got an array`],
  [
    estimate({ layer: new String('linear_scorer') }),
    'layer',
    `layer must be one of ${names}, got an instance of String`
  ],
  [estimate({ layer: 'rnn' }), 'layer', `layer must be one of ${names}, got "rnn"`],
  [estimate({ layer: '__proto__' }), 'layer', `layer must be one of ${names}, got "__proto__"`],
  [
    estimate({ layer: 'linear_scorer\0' }),
    'layer',
    `layer must be one of ${names}, got "linear_scorer\\u0000", did you mean linear_scorer?`
  ],
  [
    estimate({ layer: 'additve_scorer' }),
    'layer',
    `layer must be one of ${names}, got "additve_scorer", did you mean additive_scorer?`
  ],

  // Own keys that objects usually inherit.
  [
    estimate(ownProto('"__proto__": 1')),
    '__proto__',
    `linear_scorer has no field "__proto__"; its fields are ${linearFields}`
  ],
  [
    estimate(ownProto('"__proto__": {"seq_len": 3}')),
    '__proto__',
    `linear_scorer has no field "__proto__"; its fields are ${linearFields}`
  ],

  // Booleans and choices.
  [estimate({ ...linear, bias: 1 }), 'bias', 'bias must be true or false, got 1'],
  [estimate({ ...linear, bias: 'true' }), 'bias', 'bias must be true or false, got "true"'],
  [estimate({ ...linear, bias: new Boolean(false) }), 'bias', 'bias must be true or false, got an instance of Boolean'],
  [estimate({ ...linear, dtype: 'fp16' }), 'dtype', `dtype must be ${FORMATS}, got "fp16"`],
  [estimate({ ...linear, dtype: 'Float32' }), 'dtype', `dtype must be ${FORMATS}, got "Float32"`],
  [estimate({ ...linear, dtype: '\ud800x' }), 'dtype', `dtype must be ${FORMATS}, got "\\ud800x"`],
  [estimate({ ...linear, dtype: 'x'.repeat(1e6) }), 'dtype', `dtype must be ${FORMATS}, got "${'x'.repeat(60)}…"`],
  [estimate({ ...linear, dtype: 16 }), 'dtype', `dtype must be ${FORMATS}, got 16`],
  [
    estimate({ ...linear, output: ['pooled'] }),
    'output',
    'output must be one of scores, weights, pooled, got an array'
  ],

  // Numbers, and fields that may be null.
  [estimate({ layer: 'self_attention', dropout: 1 }), 'dropout', `dropout must be ${SHARE}, got 1`],
  [estimate({ layer: 'self_attention', dropout: -1e-9 }), 'dropout', `dropout must be ${SHARE}, got -1e-9`],
  [estimate({ layer: 'self_attention', dropout: NaN }), 'dropout', `dropout must be ${SHARE}, got NaN`],
  [estimate({ layer: 'self_attention', dropout: '0.1' }), 'dropout', `dropout must be ${SHARE}, got "0.1"`],
  [estimate({ layer: 'self_attention', dropout: null }), 'dropout', `dropout must be ${SHARE}, got null`],
  [
    estimate({ layer: 'decoder', full_every: 0 }),
    'full_every',
    'full_every must be an integer from 1 to 1024, or null, got 0'
  ],
  [
    estimate({ layer: 'decoder', full_every: 'null' }),
    'full_every',
    'full_every must be an integer from 1 to 1024, or null, got "null"'
  ],
  [estimate({ layer: 'decoder', window: 2.5 }), 'window', `window must be ${DIMENSION}, or null, got 2.5`],
  [
    estimate({ layer: 'decoder', scale: Infinity }),
    'scale',
    'scale must be a number above 0 and at most 1000000, or null, got Infinity'
  ],
  [
    estimate({ layer: 'decoder', rope_theta: 1e13 }),
    'rope_theta',
    'rope_theta must be a number from 1 to 1000000000000, got 10000000000000'
  ],
  [
    estimate({ layer: 'decoder', vocab_size: 2 ** 24 + 1 }),
    'vocab_size',
    'vocab_size must be an integer from 1 to 16777216, got 16777217'
  ],
  [estimate({ layer: 'decoder', bias: null }), 'bias', 'bias must be true or false, got null'],

  // Options.
  [create(config, { seed: NaN }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got NaN'],
  [create(config, { seed: 0.5 }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got 0.5'],
  [create(config, { seed: -1 }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got -1'],
  [
    create(config, { seed: 2 ** 53 }),
    'seed',
    'seed must be an integer from 0 to 9007199254740991, got 9007199254740992'
  ],
  [create(config, { seed: 1n }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got 1n'],
  [create(config, { seed: null }), 'seed', 'seed must be an integer from 0 to 9007199254740991, got null'],
  [create(config, { sed: 1 }), 'sed', 'create has no option "sed", did you mean seed?'],
  [create(config, 1), 'options', 'options must be a plain object, got 1'],
  [create(config, null), 'options', 'options must be a plain object, got null'],
  [create({ ...config, seq_len: 0 }), 'seq_len', `seq_len must be ${DIMENSION}, got 0`],
  [pytorch(config, { self_check: 0 }), 'self_check', 'self_check must be true or false, got 0'],
  [
    pytorch(config, { imports: ['import numpy'] }),
    'imports',
    'imports must be an array of "import functools", "import math", "import sys", "import torch", "import torch.nn.functional as F", "from torch import nn", "from torch.utils.checkpoint import checkpoint", "from torch.utils.flop_counter import FlopCounterMode", got "import numpy"'
  ],
  [pytorch(config, { check: false }), 'check', 'pytorch has no option "check"; its options are self_check, mask'],
  [forward({ hidden_states }, { need_weights: 0 }), 'need_weights', 'need_weights must be true or false, got 0'],
  [
    forward({ hidden_states }, { need_weight: true }),
    'need_weight',
    'forward has no option "need_weight", did you mean need_weights?'
  ],
  [forward({ hidden_states }, { round: 'half' }), 'round', `round must be ${FORMATS}, got "half"`],
  [forward({ hidden_states }, { reference: 'yes' }), 'reference', 'reference must be true or false, got "yes"'],
  [forward({ hidden_states }, []), 'options', 'options must be a plain object, got an array'],

  // Too large for memory, refused before it is allocated. The first: 4 bytes for each hidden state, two
  // copies of each parameter, each output and weight.
  [
    create({ ...linear, batch_size: 1024, seq_len: 4096, hidden_size: 4096 }),
    undefined,
    'the layer must need at most 3758096384 bytes to run, got 77330530308'
  ],
  [
    create({
      layer: 'additive_scorer',
      batch_size: 2 ** 31 - 1,
      seq_len: 2 ** 31 - 1,
      hidden_size: 2 ** 31 - 1,
      attn_dim: 2 ** 31 - 1
    }),
    undefined,
    'the layer must need at most 3758096384 bytes to run, got 39614081294025656909831340160'
  ]
]);

test('a layer refuses more heads than its width has room for, whichever field the config names', () => {
  for (const change of [{ num_heads: 7 }, { hidden_size: 767 }, { num_heads: 65536 }]) {
    const { hidden_size = 768, num_heads = 12 } = change;
    assert.throws(estimate({ layer: 'multihead_attention', ...change }), {
      name: 'RangeError',
      field: 'num_heads',
      message: `num_heads must divide hidden_size (${hidden_size}), got ${num_heads}`
    });
  }
});

test('null is what an optional field means when it is left out', () => {
  for (const { name, fields } of layers) {
    const nulls = Object.fromEntries(fields.filter(({ optional }) => optional).map((field) => [field.name, null]));
    assert.deepEqual(scope.estimate({ layer: name, ...nulls }), scope.estimate({ layer: name }), name);
  }
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
