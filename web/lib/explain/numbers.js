// Numbers of tensors by their place.

import { ResidentTensor } from '../tensor.js';

/** @typedef {{ data: ArrayLike<number>, shape: readonly number[] }} Numbers */

/** @param {Numbers} tensor @param {readonly number[]} place of each dimension */
export const numberAt = ({ data, shape }, place) =>
  data[place.reduce((index, at, dimension) => index * shape[dimension] + at, 0)];

/** The numbers along the last dimension. @param {Numbers} tensor @param {readonly number[]} place of the others */
export function rowAt(tensor, place) {
  const length = /** @type {number} */ (tensor.shape.at(-1));
  return Array.from({ length }, (_, last) => numberAt(tensor, [...place, last]));
}

/**
 * The number of a tensor that broadcasts, where its last dimensions are those of `place`.
 * @param {Numbers} tensor @param {readonly number[]} place
 */
export function broadcastAt(tensor, place) {
  const last = place.slice(place.length - tensor.shape.length);
  return numberAt(
    tensor,
    last.map((at, dimension) => (tensor.shape[dimension] === 1 ? 0 : at))
  );
}

/** What forward() was given, as numbers. @param {any} given that forward() has taken @returns {Numbers} */
export function numbersOf(given) {
  if (given instanceof ResidentTensor) return { data: given.data, shape: given.shape };
  const { data, shape = given.dims, dtype = given.type } = given;
  if (!(data instanceof Uint16Array)) return { data, shape };
  return { data: Float32Array.from(data, dtype === 'bfloat16' ? fromBfloat16 : fromFloat16), shape };
}

/**
 * What a mask adds to scores. @param {any} given that forward() has taken
 * @param {{ only_hides?: true }} input that takes the mask @returns {Numbers}
 */
export function addedBy(given, { only_hides: onlyHides }) {
  const { data, shape } = numbersOf(given);
  if (data instanceof Uint8Array) return { data: Float32Array.from(data, (seen) => (seen ? 0 : -Infinity)), shape };
  return { data: onlyHides ? Float32Array.from(data, (number) => (number === 0 ? 0 : -Infinity)) : data, shape };
}

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** @param {number} bits */
function fromBfloat16(bits) {
  word[0] = bits << 16;
  return float[0];
}

/** @param {number} bits */
function fromFloat16(bits) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}
