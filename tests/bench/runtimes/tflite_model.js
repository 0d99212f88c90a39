// Writes .tflite models: as much of the format (TensorFlow Lite's schema.fbs) as the benchmark's graphs need.

/**
 * @typedef {{ shape: number[], values?: Float32Array | Int32Array }} TfTensor
 * @typedef {[field: number, kind: 'flag' | 'number' | 'integers', value: any]} Setting
 * @typedef {{ operator: keyof typeof operators, inputs: number[], output: number, settings: Setting[] }} TfStep
 */

/** Each operator's number, and the number of its options in the union of all options; 0: it has none. */
const operators = {
  ADD: [0, 11],
  CONCATENATION: [2, 10],
  FULLY_CONNECTED: [9, 8],
  LOGISTIC: [14, 0],
  MUL: [18, 21],
  RESHAPE: [22, 17],
  SOFTMAX: [25, 9],
  TANH: [28, 0],
  TRANSPOSE: [39, 26],
  SUB: [41, 28],
  SLICE: [65, 0],
  BATCH_MATMUL: [126, 101]
};

export class TfliteGraph {
  /** @type {TfTensor[]} */
  #tensors = [];
  /** @type {TfStep[]} */
  #steps = [];
  /** @type {number[]} */
  #inputs = [];

  /** @param {number[]} shape */
  input(shape) {
    this.#inputs.push(this.constant(undefined, shape));
    return this.#tensors.length - 1;
  }

  /** @param {Float32Array | Int32Array | undefined} values @param {number[]} shape */
  constant(values, shape) {
    return this.#tensors.push({ shape, values }) - 1;
  }

  /** @param {number[]} values */
  integers(values) {
    return this.constant(Int32Array.from(values), [values.length]);
  }

  /**
   * @param {keyof typeof operators} operator
   * @param {number[]} inputs
   * @param {number[]} shape the output's
   * @param {Setting[]} [settings]
   */
  step(operator, inputs, shape, settings = []) {
    const output = this.constant(undefined, shape);
    this.#steps.push({ operator, inputs, output, settings });
    return output;
  }

  /** @param {number} tensor */
  shape(tensor) {
    return this.#tensors[tensor].shape;
  }

  /**
   * x Wᵀ + b with W of (out, in).
   * @param {number} x (rows, in)
   * @param {Float32Array} weight
   * @param {Float32Array} [bias]
   */
  linear(x, weight, bias) {
    return this.sharedLinear(this.shape(x)[1], weight, bias)(x);
  }

  /**
   * A linear layer that several steps use.
   * @param {number} features
   * @param {Float32Array} weight (out, features)
   * @param {Float32Array} [bias]
   * @returns {(x: number) => number} of (rows, features)
   */
  sharedLinear(features, weight, bias) {
    const out = weight.length / features;
    const constants = [this.constant(weight, [out, features]), ...(bias ? [this.constant(bias, [out])] : [])];
    return (x) => this.step('FULLY_CONNECTED', [x, ...constants], [this.shape(x)[0], out]);
  }

  /** Of two tensors of one shape. @param {'ADD' | 'MUL' | 'SUB'} operator @param {number} a @param {number} b */
  binary(operator, a, b) {
    return this.step(operator, [a, b], this.shape(a));
  }

  /** @param {'LOGISTIC' | 'TANH'} operator @param {number} x */
  activation(operator, x) {
    return this.step(operator, [x], this.shape(x));
  }

  /** A part of a matrix. @param {number} x @param {number[]} begin @param {number[]} shape */
  slice(x, begin, shape) {
    return this.step('SLICE', [x, this.integers(begin), this.integers(shape)], shape);
  }

  /**
   * Matrices of as many columns, one below the other. XNNPACK joins only a few at once.
   * @param {number[]} parts
   * @returns {number}
   */
  stack(parts) {
    const MOST = 4;
    if (parts.length === 1) return parts[0];
    const joined = [];
    for (let i = 0; i < parts.length; i += MOST) {
      const group = parts.slice(i, i + MOST);
      const rows = group.reduce((sum, part) => sum + this.shape(part)[0], 0);
      joined.push(group.length > 1 ? this.step('CONCATENATION', group, [rows, this.shape(group[0])[1]]) : group[0]);
    }
    return this.stack(joined);
  }

  /** @param {number} x @param {number[]} shape */
  reshape(x, shape) {
    return this.step('RESHAPE', [x, this.integers(shape)], shape, [[0, 'integers', shape]]);
  }

  /** @param {number} x @param {number[]} order */
  transpose(x, order) {
    return this.step(
      'TRANSPOSE',
      [x, this.integers(order)],
      order.map((axis) => this.shape(x)[axis])
    );
  }

  /** Over the last dimension. @param {number} x */
  softmax(x) {
    return this.step('SOFTMAX', [x], this.shape(x), [[0, 'number', 1]]);
  }

  /**
   * Batched.
   * @param {number} a
   * @param {number} b
   * @param {{ transposed?: boolean }} [options] whether b is (.., out, in)
   */
  matmul(a, b, { transposed = false } = {}) {
    const shape = [...this.shape(a).slice(0, -1), this.shape(b).slice(transposed ? -2 : -1)[0]];
    return this.step('BATCH_MATMUL', [a, b], shape, [[1, 'flag', transposed]]);
  }

  /**
   * @param {any} flatbuffers the package
   * @param {number[]} outputs
   * @returns {Uint8Array}
   */
  model(flatbuffers, outputs) {
    const writer = new Writer(flatbuffers);
    const codes = [...new Set(this.#steps.map(({ operator }) => operator))];
    const buffers = [writer.table([])]; // buffer 0 stands for none
    const tensors = this.#tensors.map(({ shape, values }, i) => {
      const buffer = values ? buffers.push(writer.table([[0, 'offset', writer.bytes(values)]])) - 1 : 0;
      return writer.table([
        [0, 'offset', writer.integers(shape)],
        [1, 'byte', values instanceof Int32Array ? 2 : 0],
        [2, 'integer', buffer],
        [3, 'offset', writer.text(`t${i}`)]
      ]);
    });
    const steps = this.#steps.map((step) => writer.step(step, codes.indexOf(step.operator)));
    const subgraph = writer.table([
      [0, 'offset', writer.tables(tensors)],
      [1, 'offset', writer.integers(this.#inputs)],
      [2, 'offset', writer.integers(outputs)],
      [3, 'offset', writer.tables(steps)]
    ]);
    const codeTables = codes.map((name) => {
      const [code] = operators[name];
      return writer.table([
        [0, 'byte', Math.min(code, 127)],
        [2, 'integer', 1],
        [3, 'integer', code]
      ]);
    });
    return writer.finish(
      writer.table([
        [0, 'integer', 3],
        [1, 'offset', writer.tables(codeTables)],
        [2, 'offset', writer.tables([subgraph])],
        [4, 'offset', writer.tables(buffers)]
      ])
    );
  }
}

/** FlatBuffers are written from the inside out: what a table points to comes before it. */
class Writer {
  /** @param {any} flatbuffers */
  constructor(flatbuffers) {
    this.builder = new flatbuffers.Builder(2 ** 20);
  }

  /** @param {[field: number, kind: 'byte' | 'integer' | 'number' | 'offset', value: number][]} fields */
  table(fields) {
    const { builder } = this;
    const NEVER = -1; // a default that no value has: every field is written
    const write = {
      byte: (/** @type {number} */ field, /** @type {number} */ value) => builder.addFieldInt8(field, value, NEVER),
      integer: (/** @type {number} */ field, /** @type {number} */ value) => builder.addFieldInt32(field, value, NEVER),
      number: (/** @type {number} */ field, /** @type {number} */ value) =>
        builder.addFieldFloat32(field, value, NEVER),
      offset: (/** @type {number} */ field, /** @type {number} */ value) => builder.addFieldOffset(field, value, 0)
    };
    builder.startObject(Math.max(-1, ...fields.map(([field]) => field)) + 1);
    for (const [field, kind, value] of fields) write[kind](field, value);
    return builder.endObject();
  }

  /** @param {number[]} offsets */
  tables(offsets) {
    this.builder.startVector(4, offsets.length, 4);
    for (const offset of [...offsets].reverse()) this.builder.addOffset(offset);
    return this.builder.endVector();
  }

  /** @param {number[]} values */
  integers(values) {
    this.builder.startVector(4, values.length, 4);
    for (const value of [...values].reverse()) this.builder.addInt32(value);
    return this.builder.endVector();
  }

  /** At once, not byte by byte as the builder would. @param {Float32Array | Int32Array} values */
  bytes(values) {
    const { builder } = this;
    builder.startVector(1, values.byteLength, 16);
    builder.space -= values.byteLength;
    builder.bb.bytes().set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), builder.space);
    return builder.endVector();
  }

  /** @param {string} text */
  text(text) {
    return this.builder.createString(text);
  }

  /** @param {TfStep} step @param {number} code */
  step({ operator, inputs, output, settings }, code) {
    const kinds = /** @type {const} */ ({ flag: 'byte', number: 'number', integers: 'offset' });
    const [, optionsType] = operators[operator];
    const lists = [this.integers(inputs), this.integers([output])];
    /** @type {[number, 'byte' | 'number' | 'offset', number][]} */
    const fields = settings.map(([field, kind, value]) => [
      field,
      kinds[kind],
      kind === 'integers' ? this.integers(value) : Number(value)
    ]);
    /** @type {[number, 'byte' | 'offset', number][]} */
    const options = optionsType
      ? [
          [3, 'byte', optionsType],
          [4, 'offset', this.table(fields)]
        ]
      : [];
    return this.table([[0, 'integer', code], [1, 'offset', lists[0]], [2, 'offset', lists[1]], ...options]);
  }

  /** @param {number} model */
  finish(model) {
    this.builder.finish(model, 'TFL3');
    return this.builder.asUint8Array();
  }
}
