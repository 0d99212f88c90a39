// The numbers that every runtime is given.

import { randomNumbers } from '../random.js';
import { lengthOf } from '../../web/plain/workloads.js';

/**
 * @typedef {import('../../web/plain/workloads.js').Workload} Workload
 *
 * @typedef {object} Data
 * @property {Record<string, Float32Array>} inputs
 * @property {Record<string, Float32Array>} weights
 */

/**
 * The numbers of a workload, the same in every process: inputs of variance 1, weights that keep it so.
 * @param {Workload} workload
 * @returns {Data}
 */
export function dataOf({ inputs, weights }) {
  const next = randomNumbers(1);
  const uniform = (/** @type {number[]} */ shape, /** @type {number} */ deviation) => {
    const width = 2 * Math.sqrt(3) * deviation;
    return Float32Array.from({ length: lengthOf(shape) }, () => (next() - 0.5) * width);
  };
  const each = (/** @type {Record<string, number[]>} */ shapes, /** @type {(shape: number[]) => number} */ deviation) =>
    Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, uniform(shape, deviation(shape))]));
  return { inputs: each(inputs, () => 1), weights: each(weights, (shape) => 1 / Math.sqrt(shape[shape.length - 1])) };
}
