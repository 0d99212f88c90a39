// Floats of 16 bits, and tensors as other libraries hold them.

import assert from 'node:assert/strict';
import test from 'node:test';
import { hidden_states, testRefusals } from './refusals.js';
import { randomInputs, randomTensor, scope, smallConfigs, variants, withModel } from './support.js';

const all = Uint16Array.from({ length: 65536 }, (_, bits) => bits);

/** What 16 bits are, digit by digit. */
const plainly = {
  float16(bits) {
    const sign = bits & 0x8000 ? -1 : 1,
      exponent = (bits >> 10) & 31,
      fraction = bits & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
  },
  bfloat16(bits) {
    const sign = bits & 0x8000 ? -1 : 1,
      exponent = (bits >> 7) & 255,
      fraction = bits & 127;
    if (exponent === 255) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? (128 + fraction) * 2 ** (exponent - 134) : fraction * 2 ** -133);
  }
};
const formats = Object.keys(plainly);

function assertExact(actual, bits, format) {
  assert.equal(actual.length, bits.length);
  const wrong = bits.findIndex((one, i) => !Object.is(actual[i], plainly[format](one)));
  assert.equal(wrong, -1, `${format} 0x${bits[wrong]?.toString(16)} is ${actual[wrong]}`);
}

/** The upper 16 bits of each number. */
const halved = ({ data, shape }) => ({
  data: Uint16Array.from(new Uint32Array(data.buffer), (word) => word >>> 16),
  shape,
  dtype: 'bfloat16'
});
const widened = ({ data, shape, dtype }) => ({ data: Float32Array.from(data, plainly[dtype]), shape });

for (const { name, scope: on } of variants) {
  for (const format of formats) {
    test(`${name}: each of the 65,536 values of ${format} is widened exactly, NaN to NaN`, () => {
      const tensor = on.tensor(all, [256, 256], { dtype: format });
      assert.ok(tensor.data instanceof Float32Array);
      assertExact(tensor.data, all, format);
      assert.deepEqual(tensor.shape, [256, 256]);
      tensor.dispose();
    });

    test(`${name}: so are weights of ${format}, in parts of any length`, () => {
      for (const length of [1, 7, 65535, 65536, 65537, 140000]) {
        const bits = Uint16Array.from({ length }, (_, i) => i * 31);
        withModel(
          { layer: 'linear_scorer', batch_size: 1, seq_len: 1, hidden_size: length, bias: false },
          (model) => {
            model.loadStateDict({ 'score.weight': { data: bits, shape: [1, length], dtype: format } });
            assertExact(model.stateDict()['score.weight'].data, bits, format);
          },
          { on }
        );
      }
    });
  }

  test(`${name}: inputs, masks and weights of 16 bits give what the same numbers in 32 give`, () => {
    for (const config of [...smallConfigs, { layer: 'linear_scorer', batch_size: 3, seq_len: 70, hidden_size: 1000 }]) {
      const inputs = Object.entries(randomInputs(config, { mask: true }));
      const halves = Object.fromEntries(
        inputs.map(([key, value]) => [key, value.data instanceof Float32Array ? halved(value) : value])
      );
      const floats = Object.fromEntries(
        inputs.map(([key, value]) => [key, halves[key].dtype ? widened(halves[key]) : value])
      );
      withModel(
        config,
        (model) => {
          const state = Object.fromEntries(
            Object.entries(model.stateDict()).map(([key, value]) => [key, halved(value)])
          );
          model.loadStateDict(state);
          assert.deepEqual(model.forward(halves), model.forward(floats), config.layer);
          assert.deepEqual(model.forward(halves, { progress() {} }), model.forward(floats), config.layer);
          for (const [key, value] of Object.entries(model.stateDict())) assert.deepEqual(value, widened(state[key]));
        },
        { on }
      );
    }
  });
}

test('a float mask may have 16 bits, and -Infinity hides there too', () => {
  const config = { layer: 'linear_scorer', batch_size: 1, seq_len: 3, hidden_size: 4 };
  const inputs = randomInputs(config);
  withModel(config, (model) => {
    const given = { data: Uint16Array.of(0, 0xfc00, 0x3c00), shape: [3], dtype: 'float16' };
    const expected = model.forward({ ...inputs, mask: { data: Float32Array.of(0, -Infinity, 1), shape: [3] } });
    assert.deepEqual(model.forward({ ...inputs, mask: given }), expected);
    assert.equal(expected.weights.data[1], 0);
  });
});

test("bits are read where they lie: in a part of a buffer, in shared memory, in a class of the caller's", () => {
  class Own extends Uint16Array {
    get buffer() {
      throw new Error('not to be asked');
    }
  }
  const bits = Uint16Array.of(0x3c00, 0xc000, 0x7bff);
  const within = new Uint16Array(9);
  within.set(bits, 5);
  const shared = new Uint16Array(new SharedArrayBuffer(6));
  shared.set(bits);
  for (const data of [bits, within.subarray(5, 8), shared, new Own(bits)]) {
    const tensor = scope.tensor(data, [3], { dtype: 'float16' });
    assert.deepEqual([...tensor.data], [1, -2, 65504]);
    tensor.dispose();
  }
});

if ('Float16Array' in globalThis) {
  // Node has it from 24 on
  test('a Float16Array is what it says', () => {
    const data = new globalThis.Float16Array(all.buffer.slice());
    const tensor = scope.tensor(data, [65536]);
    assertExact(tensor.data, all, 'float16');
    tensor.dispose();
    withModel({ layer: 'linear_scorer', hidden_size: 65536, bias: false }, (model) => {
      for (const said of [{}, { dtype: 'float16' }]) {
        model.loadStateDict({ 'score.weight': { data, shape: [1, 65536], ...said } });
        assertExact(model.stateDict()['score.weight'].data, all, 'float16');
      }
      assert.throws(() => model.loadStateDict({ 'score.weight': { data, shape: [1, 65536], dtype: 'bfloat16' } }), {
        name: 'RangeError',
        message: 'score.weight.dtype must be float16 for a Float16Array, got "bfloat16"'
      });
    });
  });
}

const config = { layer: 'linear_scorer', batch_size: 2, seq_len: 3, hidden_size: 4 };
const { data, shape } = hidden_states;
const bits = new Uint16Array(24);
const run = (tensor) => withModel(config, (model) => model.forward({ hidden_states: tensor }));

test("onnxruntime's dims are a shape, its type float16 a dtype", () => {
  class Tensor {
    // as onnxruntime-common's: getters on the prototype
    #data;
    constructor(type, data, dims) {
      Object.assign(this, { type, dims });
      this.#data = data;
    }
    get data() {
      return this.#data;
    }
    get size() {
      return this.#data.length;
    }
  }
  const expected = run(hidden_states);
  assert.deepEqual(run({ data, dims: shape }), expected);
  assert.deepEqual(run(new Tensor('float32', data, shape)), expected);
  const half = halved(randomTensor(shape)).data;
  assert.deepEqual(run(new Tensor('float16', half, shape)), run({ data: half, shape, dtype: 'float16' }));
  withModel(
    { layer: 'decoder', seq_len: 3, vocab_size: 9, hidden_size: 8, num_layers: 1, num_heads: 2, intermediate_size: 4 },
    (model) => {
      const ids = Int32Array.of(1, 2, 3);
      const whole = model.forward({ tokens: { data: ids, shape: [1, 3] } });
      assert.deepEqual(model.forward({ tokens: new Tensor('int32', ids, [1, 3]) }), whole);
      assert.deepEqual(model.step({ tokens: new Tensor('int32', ids, [1, 3]) }).output.shape, whole.output.shape);
    }
  );
});

test('where there is a shape, dims and type are other things', () => {
  assert.deepEqual(run({ data, shape, dims: 3, type: 'float16' }), run(hidden_states));
});

test("each property of another library's tensor is read once", () => {
  const reads = [];
  const tensor = new Proxy(
    { data, dims: shape, strides: [12, 4, 1], offset: 0 },
    {
      get(target, key) {
        reads.push(key);
        return target[key];
      }
    }
  );
  assert.deepEqual(run(tensor), run(hidden_states));
  assert.equal(new Set(reads).size, reads.length, String(reads));
});

test('a view in row-major order without gaps is taken, however its strides are said', () => {
  const expected = run(hidden_states);
  for (const strides of [
    { stride: [12, 4, 1], offset: 0 },
    { strides: [12, 4, 1] },
    { strides: Int32Array.of(12, 4, 1) },
    { strides: null, offset: undefined }
  ]) {
    assert.deepEqual(run({ data, shape, dtype: 'float32', ...strides }), expected);
  }
  const one = { layer: 'linear_scorer', batch_size: 1, seq_len: 3, hidden_size: 4 };
  withModel(one, (model) => {
    const narrow = { data: data.slice(0, 12), shape: [1, 3, 4] };
    assert.deepEqual(
      model.forward({ hidden_states: { ...narrow, strides: [99, 4, 1] } }),
      model.forward({ hidden_states: narrow }),
      'of a dimension of 1 no stride counts'
    );
  });
});

const given = (tensor) => () => run({ data, shape, ...tensor });
const load = (tensor) => () =>
  withModel(config, (model) => model.loadStateDict({ ...model.stateDict(), 'score.weight': tensor }));
const tokens = (ids) => () =>
  withModel({ layer: 'attention_classifier', batch_size: 2, seq_len: 3 }, (model) => model.forward({ tokens: ids }));
const resident =
  (...args) =>
  () =>
    scope.tensor(...args);

testRefusals([
  [
    given({ strides: [1, 2, 6] }),
    'hidden_states',
    'hidden_states.strides must be (12, 4, 1), row-major without gaps, got (1, 2, 6)'
  ],
  [
    given({ stride: [12, 1, 3] }),
    'hidden_states',
    'hidden_states.stride must be (12, 4, 1), row-major without gaps, got (12, 1, 3)'
  ],
  [
    given({ strides: Int32Array.of(24, 8, 2) }),
    'hidden_states',
    'hidden_states.strides must be (12, 4, 1), row-major without gaps, got (24, 8, 2)'
  ],
  [
    given({ strides: [-12, 4, 1] }),
    'hidden_states',
    'hidden_states.strides must be (12, 4, 1), row-major without gaps, got (-12, 4, 1)'
  ],
  [
    given({ strides: [12, 4] }),
    'hidden_states',
    'hidden_states.strides must be (12, 4, 1), row-major without gaps, got (12, 4)'
  ],
  [
    given({ strides: [48, 16, 4] }),
    'hidden_states',
    'hidden_states.strides must be (12, 4, 1), row-major without gaps, got (48, 16, 4)'
  ],
  [
    given({ strides: new Array(1e6).fill(1) }),
    'hidden_states',
    'hidden_states.strides must be (12, 4, 1), row-major without gaps, got an array'
  ],
  [
    given({ strides: { length: 3, 0: 12, 1: 4, 2: 1 } }),
    'hidden_states',
    'hidden_states.strides must be (12, 4, 1), row-major without gaps, got an object'
  ],
  [() => run(Buffer.alloc(96)), 'hidden_states', 'hidden_states must be a tensor {data, shape}, got a Uint8Array'],
  [given({ strides: 4 }), 'hidden_states', 'hidden_states.strides must be (12, 4, 1), row-major without gaps, got 4'],
  [
    given({ stride() {} }),
    'hidden_states',
    'hidden_states.stride must be (12, 4, 1), row-major without gaps, got a function'
  ],
  [
    given({ shape: undefined, dims: shape, strides: [1, 2, 6] }),
    'hidden_states',
    'hidden_states.strides must be (12, 4, 1), row-major without gaps, got (1, 2, 6)'
  ],
  [given({ strides: [12, 4, 1], offset: 5 }), 'hidden_states', 'hidden_states.offset must be 0, got 5'],
  [given({ offset: '0' }), 'hidden_states', 'hidden_states.offset must be 0, got "0"'],
  [
    load({ data: new Float32Array(4), shape: [1, 4], strides: [1, 2] }),
    'score.weight',
    'score.weight.strides must be (4, 1), row-major without gaps, got (1, 2)'
  ],
  [
    load({ data: new Float32Array(4), shape: [4], strides: [2] }),
    'score.weight',
    'score.weight.strides must be (1,), row-major without gaps, got (2,)'
  ],
  [
    given({ shape: undefined, dims: [2, 4, 3] }),
    'hidden_states',
    'hidden_states.shape must be (2, 3, 4), got (2, 4, 3)'
  ],
  [given({ shape: undefined, dims: 3 }), 'hidden_states', 'hidden_states.shape must be an array of integers, got 3'],
  [
    given({ shape: [2.5, 3, 4], strides: [12, 4, 1] }),
    'hidden_states',
    'hidden_states.shape must be (2, 3, 4), got (2.5, 3, 4)'
  ],

  [
    given({ data: bits }),
    'hidden_states',
    'hidden_states.data must be a Float32Array, got a Uint16Array without dtype float16 or bfloat16'
  ],
  [
    given({ data: bits, dtype: 'half' }),
    'hidden_states',
    'hidden_states.dtype must be float16 or bfloat16 for a Uint16Array, got "half"'
  ],
  [
    given({ data: bits, dtype: 'float32' }),
    'hidden_states',
    'hidden_states.dtype must be float16 or bfloat16 for a Uint16Array, got "float32"'
  ],
  [
    given({ data: bits, dtype: 16 }),
    'hidden_states',
    'hidden_states.dtype must be float16 or bfloat16 for a Uint16Array, got 16'
  ],
  [
    given({ data: bits, shape: undefined, dims: shape, type: 'uint16' }),
    'hidden_states',
    'hidden_states.dtype must be float16 or bfloat16 for a Uint16Array, got "uint16"'
  ],
  [
    given({ dtype: 'bfloat16' }),
    'hidden_states',
    'hidden_states.dtype must be float32 for a Float32Array, got "bfloat16"'
  ],
  [
    given({ data: bits.subarray(1), dtype: 'float16' }),
    'hidden_states',
    'hidden_states.data must have 24 elements, got 23'
  ],
  [
    tokens({ data: new Uint16Array(6), shape: [2, 3], dtype: 'float16' }),
    'tokens',
    'tokens.data must be an Int32Array, got a Uint16Array'
  ],
  [
    tokens({ data: new Uint16Array(6), shape: [2, 3] }),
    'tokens',
    'tokens.data must be an Int32Array, got a Uint16Array without dtype float16 or bfloat16'
  ],
  [
    () =>
      withModel(config, (model) =>
        model.forward({ hidden_states, mask: { data: Uint16Array.of(0, 0x7fc0, 0), shape: [3], dtype: 'bfloat16' } })
      ),
    'mask',
    'mask.data must hold neither NaN nor Infinity, got NaN at index 1'
  ],
  [
    resident(bits, [24]),
    'data',
    'data must be a Float32Array, a Uint8Array or an Int32Array, got a Uint16Array without dtype float16 or bfloat16'
  ],
  [resident(bits, [24], { dtype: 'int8' }), 'dtype', 'dtype must be one of float16, bfloat16, or null, got "int8"'],
  [resident(bits, [24], { type: 'float16' }), 'type', 'tensor has no option "type", did you mean dtype?'],
  [resident(bits, [23], { dtype: 'float16' }), 'data', 'data must have 23 elements, got 24'],
  [resident(data, [24], { dtype: 'float16' }), 'dtype', 'dtype must be left out for a Float32Array, got "float16"'],
  [
    resident(Int32Array.of(1), [1], { dtype: 'bfloat16' }),
    'dtype',
    'dtype must be left out for an Int32Array, got "bfloat16"'
  ]
]);
