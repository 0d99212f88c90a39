// Trains off the page's thread, in slices: between two of them the page says whether there is a next one.

import { serve } from '../../lib/worker/serve.js';
import { accuracyOf, answersOf } from '../../plain/train/batch.js';
import { everyAt } from '../../plain/train/history.js';
import { Random } from '../../plain/train/random.js';
import { taskOf } from '../../plain/train/settings.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('../../plain/train/batch.js').Batch} Batch
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {import('../../plain/train/settings.js').Plan} Plan
 * @typedef {{ step: number, points: Point[], gradient_norm: number }} Progress
 * @typedef {{ example: Batch, parameters: number, progress: Progress }} Begun
 * @typedef {{ most: number, seconds: number, look?: boolean }} Slice `most`: steps; `look`: a point at its end
 */

const HELD_OUT = 64;
const STREAMS = { training: 1, heldOut: 2 };

/** @type {Run | null} */
let run = null;

class Run {
  /** @param {Scope} scope @param {Plan} plan */
  constructor(scope, { task, settings, config, options }) {
    this.trainer = scope.trainer(config, { ...options, seed: settings.seed });
    this.task = taskOf(task);
    this.settings = settings;
    this.random = new Random(settings.seed, STREAMS.training);
    this.heldOut = this.task.draw(new Random(settings.seed, STREAMS.heldOut), settings, HELD_OUT);
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

  /** @param {Batch} batch @returns {Record<string, import('../../plain/train/batch.js').Ids>} */
  #inputs({ tokens, labels }) {
    return this.settings.loss === 'next_token' ? { tokens } : { tokens, labels };
  }
}

/** @param {Scope} scope @param {Plan} plan @returns {Begun} */
function begin(scope, plan) {
  run?.trainer.dispose();
  run = null;
  run = new Run(scope, plan);
  const { parameters } = scope.estimate(plan.config, { steps: false });
  return { example: first(run.heldOut), parameters, progress: { step: 0, points: [run.look()], gradient_norm: 0 } };
}

/** The held-out example whose attention is shown. @param {Batch} batch @returns {Batch} */
const first = ({ tokens, labels }) => ({ tokens: row(tokens), labels: row(labels) });

/** @param {import('../../plain/train/batch.js').Ids} ids */
const row = ({ data, shape: [count, ...rest] }) => ({ data: data.slice(0, data.length / count), shape: [1, ...rest] });

/**
 * Some steps, at least one unless none is asked for.
 * @param {Scope} scope @param {Slice} slice @returns {Progress}
 */
function train(scope, { most, seconds, look = false }) {
  if (!run) throw new Error('no run has begun');
  const points = [];
  const end = performance.now() + 1000 * seconds;
  for (let count = 0; count < most; count += 1) {
    run.next();
    if (run.step % everyAt(run.step) === 0) points.push(run.look());
    if (performance.now() >= end) break;
  }
  if (look && points.at(-1)?.step !== run.step) points.push(run.look());
  return { step: run.step, points, gradient_norm: run.gradientNorm };
}

/** @returns {Record<string, import('../../lib/index.js').Tensor>} */
function weights() {
  if (!run) throw new Error('no run has begun');
  return run.trainer.model.stateDict();
}

serve({ begin, train, weights });
