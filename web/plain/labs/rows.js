// What there is to say of rows of weights, each of which is a softmax.

/** @typedef {{ data: Float32Array, shape: number[] }} Tensor */

/** The rows of the last dimension, uncopied. @param {Tensor} tensor */
export function rowsOf({ data, shape }) {
  const length = shape.at(-1) ?? 1;
  return Array.from({ length: data.length / length }, (_, row) => data.subarray(row * length, (row + 1) * length));
}

/** @param {ArrayLike<number>} values */
export const sum = (values) => Array.from(values).reduce((total, value) => total + value, 0);

/** @param {ArrayLike<number>} values */
export const mean = (values) => sum(values) / values.length;

/** @param {ArrayLike<number>} values */
export function deviation(values) {
  const middle = mean(values);
  return Math.sqrt(mean(Array.from(values, (value) => (value - middle) ** 2)));
}

/** In nats: 0 where one key has all of the weight, log of the number of keys where all have the same. */
export const entropy = (/** @type {Float32Array} */ row) =>
  -sum(Array.from(row, (weight) => (weight > 0 ? weight * Math.log(weight) : 0)));

/** As how many keys of the same weight a row reads. @param {Float32Array} row */
export const keysRead = (row) => Math.exp(entropy(row));

/** @param {Float32Array} row */
export const largest = (row) => row.reduce((a, b) => Math.max(a, b), -Infinity);

/** @param {Float32Array} row */
export const placeOfLargest = (row) => row.indexOf(largest(row));

/**
 * How much a row moves with its scores: the derivatives of all weights by their own scores, w(1 − w), together. 0 where
 * one key has all of the weight.
 * @param {Float32Array} row
 */
export const slope = (row) => sum(row.map((weight) => weight * (1 - weight)));

/** @param {Float32Array} row */
export function softmax(row) {
  const top = largest(row);
  const powers = row.map((score) => Math.exp(score - top));
  const total = sum(powers);
  return powers.map((power) => power / total);
}

/**
 * The largest difference of two tensors of one shape.
 * @param {{ data: Float32Array }} one
 * @param {{ data: Float32Array }} other
 */
export const farthest = ({ data: one }, { data: other }) =>
  one.reduce((most, value, at) => Math.max(most, Math.abs(value - other[at])), 0);

/**
 * Scores q · k of one head: (queries, features) by (keys, features).
 * @param {Float32Array} query
 * @param {Float32Array} key
 * @param {number} features
 */
export function dotProducts(query, key, features) {
  const [queries, keys] = [query.length / features, key.length / features];
  const scores = new Float32Array(queries * keys);
  for (let t = 0; t < queries; t += 1) {
    for (let s = 0; s < keys; s += 1) {
      let total = 0;
      for (let d = 0; d < features; d += 1) total += query[t * features + d] * key[s * features + d];
      scores[t * keys + s] = total;
    }
  }
  return scores;
}
