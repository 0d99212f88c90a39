// One variant with one seed: its data, its trainer, and what it is found to do. The same seed gives every variant the
// same examples in the same order.

import { drawsOf } from './tasks/draws.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('./tasks.js').MadeTask} Task
 * @typedef {import('./tasks.js').Values} Values
 * @typedef {import('./tasks.js').Examples} Examples
 * @typedef {import('./tasks.js').Tensor} Tensor
 * @typedef {{ task: Task, values: Values, samples: number, steps: number, lr: number, batch: number }} Plan what all
 *   trials share
 */

export const BATCH = 64;
export const HELD_OUT = 2000;

/** The streams of random numbers of a seed: as many as any task asks for lie between two of them. */
const APART = 100;
const PARTS = { training: 0, held_out: 1, order: 2 };
const A_SEED = 2 ** 20;

/** @param {number} seed @param {keyof typeof PARTS} part */
export const streamOf = (seed, part) => seed * A_SEED + PARTS[part] * APART;

/**
 * @param {Scope} scope @param {Plan} plan @param {number} seed
 * @param {'training' | 'held_out'} part @param {number} count
 */
export const examplesOf = (scope, { task, values }, seed, part, count) =>
  task.draw(drawsOf(scope, streamOf(seed, part)), count, values);

/**
 * The config of a variant's layer.
 * @param {Plan} plan @param {import('./variants.js').Variant} variant
 */
export const configOf = ({ task, values, batch }, variant) => ({
  ...baseOf(task, values),
  batch_size: batch,
  ...variant.fields
});

/** What all variants of a task share. @param {Task} task @param {Values} values */
export const baseOf = (task, values) => ({
  layer: 'sequence_classifier',
  batch_size: BATCH,
  seq_len: Number(values.days ?? task.days),
  input_size: task.features,
  num_classes: task.classes
});

export class Trial {
  /**
   * @param {Scope} scope @param {Plan} plan @param {import('./variants.js').Variant} variant @param {number} seed
   */
  constructor(scope, plan, variant, seed) {
    this.scope = scope;
    this.plan = plan;
    this.seed = seed;
    this.training = examplesOf(scope, plan, seed, 'training', plan.samples);
    this.heldOut = examplesOf(scope, plan, seed, 'held_out', HELD_OUT);
    this.config = configOf(plan, variant);
    this.trainer = scope.trainer(/** @type {any} */ (this.config), {
      seed,
      loss: 'cross_entropy',
      optimizer: { name: 'adam', lr: plan.lr }
    });
    this.step = 0;
    /** The examples of the epoch that are not used yet. @type {number[]} */
    this.left = [];
    this.epoch = 0;
  }

  /** One update, by the next examples of a fresh order in each epoch; the last short batch of one is dropped. */
  next() {
    const { batch } = this.plan;
    if (this.left.length < batch) this.left = this.#order();
    const { loss } = this.trainer.step(this.#batchOf(this.left.splice(0, batch)));
    this.step += 1;
    return loss;
  }

  /** A permutation of the training examples: integers are drawn, and sorted. */
  #order() {
    const { samples } = this.plan;
    const stream = streamOf(this.seed, 'order') + this.epoch;
    const keys = this.scope.randint(2 ** 31, [samples], { seed: stream }).data;
    this.epoch += 1;
    return Array.from(keys, (_, index) => index).sort((a, b) => Number(keys[a]) - Number(keys[b]) || a - b);
  }

  /** @param {readonly number[]} chosen */
  #batchOf(chosen) {
    const { inputs, labels } = this.training;
    const rows = Object.entries(inputs).map(([name, tensor]) => [name, rowsOf(tensor, chosen)]);
    return {
      ...Object.fromEntries(rows),
      labels: { data: Int32Array.from(chosen, (n) => labels[n]), shape: [chosen.length] }
    };
  }

  /** The share of examples that it says right, and the loss on them. @param {Examples} [examples] */
  evaluate({ inputs, labels } = this.heldOut) {
    const results = /** @type {any} */ (
      this.trainer.evaluate({ ...inputs, labels: { data: labels, shape: [labels.length] } })
    );
    return { loss: results.loss, accuracy: accuracyOf(results.output.data, labels), weights: results.weights ?? null };
  }

  dispose() {
    this.trainer.dispose();
  }
}

/**
 * Some rows of a tensor's first dimension.
 * @param {Tensor} tensor @param {readonly number[]} chosen @returns {Tensor}
 */
export function rowsOf({ data, shape: [, ...rest] }, chosen) {
  const length = rest.reduce((product, size) => product * size, 1);
  const rows = /** @type {typeof data} */ (new /** @type {any} */ (data.constructor)(chosen.length * length));
  chosen.forEach((row, place) =>
    rows.set(/** @type {any} */ (data.subarray(row * length, (row + 1) * length)), place * length)
  );
  return { data: rows, shape: [chosen.length, ...rest] };
}

/** @param {Float32Array} scores of each class @param {Int32Array} labels */
function accuracyOf(scores, labels) {
  const classes = scores.length / labels.length;
  let right = 0;
  labels.forEach((label, row) => {
    const own = scores.subarray(row * classes, (row + 1) * classes);
    right += Number(own.every((score, one) => one === label || score < own[label]));
  });
  return right / labels.length;
}
