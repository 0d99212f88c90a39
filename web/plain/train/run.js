// A training run: its data, its trainer, and what it is found to do.

import { accuracyOf, answersOf } from './batch.js';
import { Random } from './random.js';
import { taskOf } from './settings.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('./batch.js').Batch} Batch
 * @typedef {import('./history.js').Point} Point
 * @typedef {import('./settings.js').Plan} Plan
 */

const HELD_OUT = { attention_classifier: 128, decoder: 64 };
const STREAMS = { training: 1, heldOut: 2 };

export class Run {
  /** @param {Scope} scope @param {Plan} plan */
  constructor(scope, { task, settings, config, options }) {
    this.trainer = scope.trainer(config, { ...options, seed: settings.seed });
    this.task = taskOf(task);
    this.settings = settings;
    this.random = new Random(settings.seed, STREAMS.training);
    this.heldOut = this.task.draw(new Random(settings.seed, STREAMS.heldOut), settings, HELD_OUT[this.task.layer]);
    /** The example whose attention is shown. @type {Batch} */
    this.example = { tokens: firstOf(this.heldOut.tokens), labels: firstOf(this.heldOut.labels) };
    /** The last that it was trained on, or the first that it will be. */
    this.batch = this.#draw();
    this.step = 0;
    this.gradientNorm = 0;
  }

  #draw() {
    return this.task.draw(this.random, this.settings, this.settings.batch_size);
  }

  next() {
    if (this.step > 0 && !this.task.fixed) this.batch = this.#draw();
    this.gradientNorm = this.trainer.step(this.#inputs(this.batch)).gradient_norm;
    this.step += 1;
  }

  /** @returns {Point} */
  look() {
    const seen = this.#evaluate(this.batch);
    const held = this.#evaluate(this.heldOut);
    const { data, shape } = held.weights;
    const [count, ...plane] = shape;
    const [, ...rows] = this.heldOut.labels.shape;
    const answers = answersOf(held.output.data, held.output.shape.at(-1));
    return {
      step: this.step,
      loss: seen.loss,
      accuracy: seen.accuracy,
      held_loss: held.loss,
      held_accuracy: held.accuracy,
      gradient_norm: this.gradientNorm,
      seen: {
        weights: { data: data.slice(0, data.length / count), shape: plane },
        said: answers.slice(0, rows[0] ?? 1)
      }
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

/** @param {import('./batch.js').Ids} ids */
const firstOf = ({ data, shape: [count, ...rest] }) => ({
  data: data.slice(0, data.length / count),
  shape: [1, ...rest]
});
