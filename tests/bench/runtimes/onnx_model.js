// Writes ONNX models: as much of the format (onnx.proto) as the benchmark's graphs need.

/** @typedef {Uint8Array | number[]} Bytes */

const FLOAT = 1;
const INT32 = 6;
const INT64 = 7;

/** @param {number} value a whole number from 0 on */
function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}

/** @param {Bytes[]} parts */
function join(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// One field of a message: its number and wire type, then its value.
const integer = (/** @type {number} */ field, /** @type {number} */ value) => [...varint(field * 8), ...varint(value)];
const bytes = (/** @type {number} */ field, /** @type {Bytes} */ value) =>
  join([varint(field * 8 + 2), varint(value.length), value]);
const text = (/** @type {number} */ field, /** @type {string} */ value) =>
  bytes(field, new TextEncoder().encode(value));
const message = (/** @type {number} */ field, /** @type {Bytes[]} */ fields) => bytes(field, join(fields));

/** @param {string} name @param {number | number[]} value */
function attribute(name, value) {
  const [kind, fields] = Array.isArray(value) ? [7, value.map((one) => integer(8, one))] : [2, [integer(3, value)]];
  return message(5, [text(1, name), ...fields, integer(20, kind)]);
}

/** @param {number} field @param {string} name @param {number[]} shape */
function valueInfo(field, name, shape) {
  const sizes = shape.map((size) => message(1, [integer(1, size)]));
  return message(field, [text(1, name), message(2, [message(1, [integer(1, FLOAT), message(2, sizes)])])]);
}

/** Microsoft's operators, which onnxruntime adds to ONNX's own. */
export const MICROSOFT = 'com.microsoft';

export class OnnxGraph {
  /** @type {Bytes[]} */
  #fields = [];
  #names = 0;

  /** @param {string} name @param {number[]} shape */
  input(name, shape) {
    this.#fields.push(valueInfo(11, name, shape));
    return name;
  }

  /** @param {Float32Array | Int32Array | BigInt64Array} values @param {number[]} shape */
  constant(values, shape) {
    const name = this.#newName();
    const type = values instanceof Float32Array ? FLOAT : values instanceof Int32Array ? INT32 : INT64;
    const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.#fields.push(
      message(5, [...shape.map((size) => integer(1, size)), integer(2, type), text(8, name), bytes(9, raw)])
    );
    return name;
  }

  /** A shape or axes. @param {number[]} values */
  integers(values) {
    return this.constant(BigInt64Array.from(values.map(BigInt)), [values.length]);
  }

  /**
   * @param {string} operator
   * @param {string[]} inputs
   * @param {Record<string, number | number[]>} [attributes]
   * @param {string} [domain]
   * @returns {string} the output's name
   */
  step(operator, inputs, attributes = {}, domain = '') {
    const output = this.#newName();
    this.#fields.push(
      message(1, [
        ...inputs.map((input) => text(1, input)),
        text(2, output),
        text(3, `step_${output}`),
        text(4, operator),
        ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
        text(7, domain)
      ])
    );
    return output;
  }

  /** x W + b with W of (in, out). @param {string} x @param {Float32Array} weight @param {Float32Array} bias */
  linear(x, weight, bias) {
    const product = this.step('MatMul', [x, this.constant(weight, [weight.length / bias.length, bias.length])]);
    return this.step('Add', [product, this.constant(bias, [bias.length])]);
  }

  /** @param {string} output @param {number[]} shape @param {number} [opset] */
  model(output, shape, opset = 17) {
    const graph = [...this.#fields, text(2, 'graph'), valueInfo(12, output, shape)];
    const opsets = [
      ['', opset],
      [MICROSOFT, 1]
    ].map(([domain, version]) => message(8, [text(1, String(domain)), integer(2, Number(version))]));
    const irVersion = opset >= 23 ? 11 : 8; // the first that knows the opset
    return join([integer(1, irVersion), message(7, graph), ...opsets]);
  }

  #newName() {
    return `t${this.#names++}`;
  }
}
