// A training run: its data, its trainer, and what it is found to do.

import { seenIn, weightsOfLayers } from './attention.js';
import { accuracyOf, checksumOf } from './batch.js';
import { Random } from '../random.js';
import { taskOf } from './settings.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('./batch.js').Batch} Batch
 * @typedef {import('./history.js').Point} Point
 * @typedef {import('./settings.js').Plan} Plan
 *
 * @typedef {object} RunState plain data: all that a run goes on from, with the same bits
 * @property {number} step
 * @property {number} gradientNorm
 * @property {Record<string, number>} gradients the norm of each, in the last step
 * @property {number} random the generator of the data
 * @property {Batch} batch the last that it was trained on
 * @property {string} data a checksum of what was drawn first: the same settings have always made the same data
 * @property {import('../../lib/index.js').TrainerState} trainer
 */

/** Of random numbers, each from the same seed. */
export const STREAMS = { training: 1, heldOut: 2 };

export class Run {
  /** @param {Scope} scope @param {Plan} plan @param {import('../tables/table.js').Table | null} [table] */
  constructor(scope, { task, settings, config, options }, table = null) {
    const { fixed, data } = taskOf(task);
    this.trainer = scope.trainer(config, { ...options, seed: settings.seed });
    this.config = config;
    this.data = data(settings, table);
    this.fixed = fixed;
    this.settings = settings;
    this.random = new Random(settings.seed, STREAMS.training);
    this.heldOut = this.data.draw(new Random(settings.seed, STREAMS.heldOut), this.data.held, 'held_out');
    /** The example whose attention is shown. @type {Batch} */
    this.example = firstExample(this.heldOut);
    this.weights = weightsOfLayers(scope, config);
    /** The last that it was trained on, or the first that it will be. */
    this.batch = this.#draw();
    this.drawn = checksumOf(this.heldOut, this.batch);
    this.step = 0;
    this.gradientNorm = 0;
    /** The norm of each gradient, of a run that has been resumed and not gone on yet. */
    this.resumed = /** @type {Record<string, number> | null} */ (null);
  }

  /** @returns {RunState} */
  state() {
    const { step, gradientNorm, batch, drawn: data } = this;
    const trainer = this.trainer.stateDict();
    return { step, gradientNorm, gradients: this.#norms(), random: this.random.state, batch, data, trainer };
  }

  /**
   * Goes on from what state() has given, of a run of the same plan and table.
   * @param {RunState} state
   * @throws {RangeError} where the data or the layer were others; everything is then as it was
   */
  resume({ step, gradientNorm, gradients, random, batch, data, trainer }) {
    if (data !== this.drawn)
      throw new RangeError('this run was kept by another version of the page, which made other data of these settings');
    this.trainer.loadStateDict(trainer);
    this.random.state = random;
    Object.assign(this, { step, gradientNorm, batch, resumed: gradients });
  }

  #draw() {
    return this.data.draw(this.random, this.settings.batch_size, 'training');
  }

  next() {
    if (this.step > 0 && !this.fixed) this.batch = this.#draw();
    this.gradientNorm = this.trainer.step(this.#inputs(this.batch)).gradient_norm;
    this.resumed = null;
    this.step += 1;
  }

  /** @returns {Point} */
  look() {
    const { weights, said } = seenIn(this.trainer.model, this.weights, { tokens: this.example.tokens });
    const seen = this.#evaluate(this.batch);
    const held = this.#evaluate(this.heldOut);
    return {
      step: this.step,
      loss: seen.loss,
      accuracy: seen.accuracy,
      held_loss: held.loss,
      held_accuracy: held.accuracy,
      gradient_norm: this.step === 0 ? null : this.gradientNorm,
      gradients: this.#norms(),
      seen: { weights, said }
    };
  }

  /** Before the first step there are none. */
  #norms() {
    return this.resumed ?? (this.step === 0 ? {} : normsOf(this.trainer.gradients()));
  }

  /** @param {Batch} batch @returns {any} */
  #evaluate(batch) {
    const results = this.trainer.evaluate(this.#inputs(batch));
    return { ...results, accuracy: accuracyOf(results.output.data, batch.labels.data) };
  }

  /**
   * What a training step takes.
   * @param {Batch} batch @returns {Record<string, import('./batch.js').Ids | import('./batch.js').Mask>}
   */
  #inputs({ tokens, labels, mask }) {
    if (this.settings.loss === 'next_token') return { tokens };
    return mask ? { tokens, labels, mask } : { tokens, labels };
  }
}

/** @param {Record<string, { data: Float32Array }>} tensors @returns {Record<string, number>} */
const normsOf = (tensors) =>
  Object.fromEntries(
    Object.entries(tensors).map(([name, { data }]) => {
      let squares = 0;
      for (const value of data) squares += value * value;
      return [name, Math.sqrt(squares)];
    })
  );

/** Without what fills it up. @param {Batch} batch @returns {Batch} */
export function firstExample({ tokens, labels, mask }) {
  const first = firstOf(tokens);
  const count = mask ? mask.data.subarray(0, first.data.length).filter(Boolean).length : first.data.length;
  return { tokens: { data: first.data.slice(0, count), shape: [1, count] }, labels: firstOf(labels) };
}

/** @param {import('./batch.js').Ids} ids */
const firstOf = ({ data, shape: [count, ...rest] }) => ({
  data: data.slice(0, data.length / count),
  shape: [1, ...rest]
});
