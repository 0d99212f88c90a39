// A training run: its data, its trainer, and what it is found to do.

import { seenIn, weightsOfLayers } from './attention.js';
import { accuracyOf } from './batch.js';
import { Random } from './random.js';
import { taskOf } from './settings.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('./batch.js').Batch} Batch
 * @typedef {import('./history.js').Point} Point
 * @typedef {import('./settings.js').Plan} Plan
 */

const STREAMS = { training: 1, heldOut: 2 };

export class Run {
  /** @param {Scope} scope @param {Plan} plan @param {import('./table.js').Table | null} [table] */
  constructor(scope, { task, settings, config, options }, table = null) {
    const { fixed, data } = taskOf(task);
    this.trainer = scope.trainer(config, { ...options, seed: settings.seed });
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
    this.step = 0;
    this.gradientNorm = 0;
  }

  #draw() {
    return this.data.draw(this.random, this.settings.batch_size, 'training');
  }

  next() {
    if (this.step > 0 && !this.fixed) this.batch = this.#draw();
    this.gradientNorm = this.trainer.step(this.#inputs(this.batch)).gradient_norm;
    this.step += 1;
  }

  /** @returns {Point} */
  look() {
    const seen = this.#evaluate(this.batch);
    const held = this.#evaluate(this.heldOut);
    return {
      step: this.step,
      loss: seen.loss,
      accuracy: seen.accuracy,
      held_loss: held.loss,
      held_accuracy: held.accuracy,
      gradient_norm: this.step === 0 ? null : this.gradientNorm,
      gradients: this.step === 0 ? {} : normsOf(this.trainer.gradients()),
      seen: seenIn(this.trainer.model, this.weights, { tokens: this.example.tokens })
    };
  }

  /** @param {Batch} batch @returns {any} */
  #evaluate(batch) {
    const results = this.trainer.evaluate(this.#inputs(batch));
    return { ...results, accuracy: accuracyOf(results.output.data, batch.labels.data) };
  }

  /** @param {Batch} batch @returns {Record<string, import('./batch.js').Ids>} */
  #inputs({ tokens, labels }) {
    return this.settings.loss === 'next_token' ? { tokens } : { tokens, labels };
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

/** @param {Batch} batch @returns {Batch} */
export const firstExample = ({ tokens, labels }) => ({ tokens: firstOf(tokens), labels: firstOf(labels) });

/** @param {import('./batch.js').Ids} ids */
const firstOf = ({ data, shape: [count, ...rest] }) => ({
  data: data.slice(0, data.length / count),
  shape: [1, ...rest]
});
