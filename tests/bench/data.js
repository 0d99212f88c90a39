// The numbers that every runtime is given.

import { randomNumbers } from '../random.js';
import { lengthOf } from '../../web/plain/workloads.js';

/**
 * @typedef {import('./workloads.js').Workload} Workload
 * @typedef {import('./trainings.js').Training} Training
 * @typedef {Workload | Training} Job what is timed
 *
 * @typedef {object} Data
 * @property {Record<string, Float32Array>} inputs
 * @property {Record<string, Float32Array>} weights
 * @property {Record<string, Int32Array>} ids none where the job has none
 */

/** @param {Job} job @returns {job is Training} */
export const isTraining = (job) => 'training' in job;

/**
 * The numbers of a job, the same in every process: inputs of variance 1, weights that keep it so.
 * @param {Job} job
 * @returns {Data}
 */
export function dataOf(job) {
  const next = randomNumbers(1);
  const uniform = (/** @type {number[]} */ shape, /** @type {number} */ deviation) => {
    const width = 2 * Math.sqrt(3) * deviation;
    return Float32Array.from({ length: lengthOf(shape) }, () => (next() - 0.5) * width);
  };
  const weight = (/** @type {string} */ name, /** @type {number[]} */ shape) => {
    const values = uniform(shape, 1 / Math.sqrt(shape[shape.length - 1]));
    return isNormWeight(name) ? values.map((value) => 1 + value) : values;
  };
  /** @type {<T, R>(entries: Record<string, T>, make: (name: string, what: T) => R) => Record<string, R>} */
  const each = (entries, make) =>
    Object.fromEntries(Object.entries(entries).map(([name, what]) => [name, make(name, what)]));
  return {
    inputs: each(job.inputs, (_, shape) => uniform(shape, 1)),
    weights: each(job.weights, weight),
    ids: each(isTraining(job) ? job.ids : {}, (_, { shape, limit }) =>
      Int32Array.from({ length: lengthOf(shape) }, () => Math.floor(next() * limit))
    )
  };
}

/** @param {string} name */
const isNormWeight = (name) => /norm\d*\.weight$/.test(name);
