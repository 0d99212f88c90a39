// How values cross between a page and its worker. The core judges them over there and must meet what it would have met
// here, but a copied message turns instances into plain objects and cannot hold functions: those cross as a
// description.

import { coreTensor } from '../inputs.js';
import { refusal } from '../options.js';
import { isPlain, show } from '../values.js';
import { handleOf } from './worker-tensor.js';

/** @typedef {import('./calls.js').Calls} Calls */

/** Marks the description of what cannot cross. */
const STRANGER = 'attnscope:stranger';
/** Marks what stays in the worker. */
const HANDLE = 'attnscope:handle';

const DEPTH = 4; // the class weights of a loss in a trainer's options; nothing that is taken is deeper
const MOST = 65536; // names of parameters or tensors; of a longer array only its length matters, to a message

/** The arguments of one call, as they are sent. Each value is read once, and typed arrays are copied. */
export class Parcel {
  #calls;
  #given;
  /** Buffers that change hands: the copies, and those that the caller gives away. @type {Set<ArrayBuffer>} */
  #buffers = new Set();

  /**
   * @param {Calls} calls the worker's, whose tensors may be among the arguments
   * @param {ArrayBuffer[]} [given] buffers that are not copied
   */
  constructor(calls, given = []) {
    this.#calls = calls;
    this.#given = new Set(given);
  }

  /** What postMessage() is to transfer. @throws {RangeError} for a buffer that was given away and is of no argument */
  get buffers() {
    for (const buffer of this.#given) {
      if (!this.#buffers.has(buffer)) throw refusal('transfer', 'transfer must hold only buffers of the arguments');
    }
    return [...this.#buffers];
  }

  /**
   * @param {unknown} value
   * @param {number} [depth]
   * @returns {unknown}
   */
  pack(value, depth = DEPTH) {
    if (typeof value === 'function' || typeof value === 'symbol') return { [STRANGER]: typeof value };
    if (typeof value !== 'object' || value === null) return value;
    if (ArrayBuffer.isView(value)) return this.#packArray(value);
    if (Array.isArray(value)) {
      if (depth === 0 || value.length > MOST) return { [STRANGER]: 'array', length: value.length };
      return Array.from(value, (item) => this.pack(item, depth - 1));
    }
    if (!isPlain(value)) return { [STRANGER]: 'instance', name: classNameOf(value) };
    return depth === 0 ? {} : mapped(value, (item) => this.pack(item, depth - 1));
  }

  /** Tensors by name. @param {unknown} tensors */
  packTensors(tensors) {
    return isPlain(tensors) ? mapped(tensors, (tensor, name) => this.#packTensor(tensor, name)) : this.pack(tensors);
  }

  /** A tensor may be an instance of anything. @param {any} tensor @param {string} name */
  #packTensor(tensor, name) {
    if (typeof tensor !== 'object' || tensor === null || Array.isArray(tensor) || ArrayBuffer.isView(tensor))
      return this.pack(tensor);
    const handle = handleOf(this.#calls, name, tensor);
    if (handle !== undefined) return { [HANDLE]: handle };
    const { shape, data, dtype } = coreTensor(name, tensor);
    return { data: this.pack(data), shape: this.pack(shape), ...(dtype !== undefined && { dtype: this.pack(dtype) }) };
  }

  /** @param {any} array a typed array, of whatever subclass */
  #packArray(array) {
    if (this.#given.has(array.buffer)) {
      this.#buffers.add(array.buffer);
      return array;
    }
    const Kind = /** @type {any} */ (globalThis)[Reflect.get(typedArray, Symbol.toStringTag, array)];
    if (!Kind) return array; // a DataView, which nothing takes
    const copy = Reflect.get(typedArray, 'length', array) ? new Kind(array) : new Kind(0); // a detached one cannot be read
    this.#buffers.add(copy.buffer);
    return copy;
  }
}

const typedArray = Object.getPrototypeOf(Float32Array.prototype);

/**
 * @param {Record<string, unknown>} object
 * @param {(value: unknown, key: string) => unknown} change
 */
export const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

/** As the core finds it, without calling accessors. @param {object} instance @returns {string} '' for none */
function classNameOf(instance) {
  const own = (/** @type {object} */ object, /** @type {string} */ key) =>
    Object.getOwnPropertyDescriptor(object, key)?.value;
  const constructor = own(Object.getPrototypeOf(instance), 'constructor');
  const name = typeof constructor === 'function' ? own(constructor, 'name') : '';
  return typeof name === 'string' ? name : '';
}

/**
 * In the worker: the arguments as they were, with what is held here under a handle.
 * @param {any} value
 * @param {(handle: number) => unknown} held
 * @returns {any}
 */
export function unpack(value, held) {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((item) => unpack(item, held));
  if (Object.hasOwn(value, HANDLE)) return held(value[HANDLE]);
  if (Object.hasOwn(value, STRANGER)) return strangerOf(value);
  return mapped(value, (item) => unpack(item, held));
}

/** Something of which messages say the same. @param {any} description */
function strangerOf({ [STRANGER]: kind, name, length }) {
  if (kind === 'function') return () => {};
  if (kind === 'symbol') return Symbol();
  if (kind === 'array') return Object.assign([], { length });
  return Object.create({ constructor: Object.defineProperty(() => {}, 'name', { value: name }) });
}

/**
 * The buffers of the typed arrays of a result, which nobody else has.
 * @param {unknown} value
 * @param {number} [depth]
 * @returns {ArrayBuffer[]}
 */
export function buffersOf(value, depth = 3) {
  if (ArrayBuffer.isView(value)) return value.buffer instanceof ArrayBuffer ? [value.buffer] : [];
  if (depth === 0 || !isPlain(value)) return [];
  return Object.values(value).flatMap((item) => buffersOf(item, depth - 1));
}

/**
 * @typedef {{ type: string, name: string, message: string, stack?: string, own: Record<string, unknown>,
 *   cause?: PackedError }} PackedError
 */

/** @param {unknown} error @returns {PackedError} */
export function packError(error) {
  if (!(error instanceof Error)) return packError(new Error(`${show(error)} was thrown, which is no Error`));
  const { name, message, stack, cause } = error;
  const own = Object.entries(error).filter(([, value]) => Object(value) !== value && typeof value !== 'symbol');
  const packed = { type: typeOf(error), name, message, stack, own: Object.fromEntries(own) };
  return cause instanceof Error ? { ...packed, cause: packError(cause) } : packed;
}

/** Errors that are the same class on both sides. @type {Record<string, any>} */
const classes = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  RuntimeError: WebAssembly.RuntimeError
};

/** @param {Error} error */
function typeOf(error) {
  if (error instanceof DOMException) return 'DOMException';
  return Object.keys(classes).find((type) => error instanceof classes[type]) ?? 'Error';
}

/** @param {PackedError} packed @returns {Error} */
export function unpackError({ type, name, message, stack, own, cause }) {
  if (type === 'DOMException') return Object.assign(new DOMException(message, name), own);
  const error = new (classes[type] ?? Error)(message, cause && { cause: unpackError(cause) });
  const hidden = { configurable: true, writable: true, enumerable: false };
  Object.defineProperty(error, 'stack', { value: stack, ...hidden }); // where it was thrown says more than where it arrived
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name, ...hidden });
  return Object.assign(error, own);
}

/**
 * In the worker: what stands for a model or a tensor that stays there.
 * @param {number} handle
 * @param {Record<string, unknown>} facts
 */
export const handleMessage = (handle, facts) => ({ [HANDLE]: handle, ...facts });

/** @param {unknown} value @returns {number | undefined} the handle in a result, if it is one */
export const handleIn = (value) =>
  isPlain(value) && Object.hasOwn(value, HANDLE) ? /** @type {number} */ (value[HANDLE]) : undefined;
