// Tensors of other libraries, as the core takes them: in row-major order, with `data`, `shape` and, of 16 bits,
// `dtype`.

import { refusal } from './options.js';
import { coreOf } from './tensor.js';
import { isPlain, show } from './values.js';

/**
 * Tensors by name, resident ones as `core` knows them. What is no plain object is for the core to refuse.
 * @param {import('./open-core.js').OpenCore} core
 * @param {unknown} tensors
 * @returns {any}
 */
export function coreTensors(core, tensors) {
  if (!isPlain(tensors)) return tensors;
  return Object.fromEntries(
    Object.entries(tensors).map(([name, value]) => [name, coreTensor(name, coreOf(core, name, value))])
  );
}

const MOST = 64; // dimensions, as in the core

/** Properties that say more than `data` and `shape`; a tensor without them goes to the core as it is. */
const FURTHER = ['dims', 'dtype', 'stride', 'strides', 'offset'];

/**
 * A tensor with no more than `data`, `shape` and `dtype`.
 * @param {string} name for messages
 * @param {any} value what is no tensor is for the core to refuse
 * @returns {any}
 */
export function coreTensor(name, value) {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || !FURTHER.some((key) => key in value))
    return value;
  let { shape, dtype } = value; // each property once: it may be a getter
  if (shape === undefined) {
    // onnxruntime's tensors have dims and type
    shape = value.dims;
    dtype ??= value.type;
  }
  const { data, stride, strides, offset } = value;
  // The core knows what 16 bits may be.
  if ((dtype ?? 'float32') !== 'float32' && Object.prototype.toString.call(data) === '[object Float32Array]') {
    throw refusal(name, `${name}.dtype must be float32 for a Float32Array, got ${show(dtype)}`);
  }
  checkOrder(name, 'stride', stride, shape);
  checkOrder(name, 'strides', strides, shape);
  if ((offset ?? 0) !== 0) throw refusal(name, `${name}.offset must be 0, got ${show(offset)}`);
  return { data, shape, dtype };
}

/**
 * A view whose last dimension is not the fastest, or that leaves elements out, would be read wrong.
 * @param {string} name
 * @param {'stride' | 'strides'} key
 * @param {any} strides from one index of a dimension to the next, in elements, where the tensor says it
 * @param {unknown} shape
 */
function checkOrder(name, key, strides, shape) {
  if (strides === undefined || strides === null || !isShape(shape)) return;
  const expected = rowMajor(shape);
  const given = isList(strides) ? Array.from(strides) : null;
  // The stride of a dimension with a single index is never used.
  if (given?.length === shape.length && shape.every((size, i) => size === 1 || given[i] === expected[i])) return;
  const got = given ? tuple(given) : show(strides);
  throw refusal(name, `${name}.${key} must be ${tuple(expected)}, row-major without gaps, got ${got}`);
}

/** @param {any} value @returns {value is ArrayLike<unknown>} */
function isList(value) {
  return (Array.isArray(value) || ArrayBuffer.isView(value)) && /** @type {any} */ (value).length <= MOST;
}

/** @param {number[]} shape */
function rowMajor(shape) {
  const strides = shape.map(() => 1);
  for (let i = shape.length - 2; i >= 0; i--) strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/** As PyTorch and the core print a shape. @param {unknown[]} values */
function tuple(values) {
  return `(${values.map(show).join(', ')}${values.length === 1 ? ',' : ''})`;
}

/** The core refuses others. @param {unknown} shape @returns {shape is number[]} */
function isShape(shape) {
  return Array.isArray(shape) && shape.length <= MOST && shape.every((size) => Number.isInteger(size) && size > 0);
}
