// One variant with one seed: its data, its trainer, and what it is found to do. The same seed gives every variant the
// same examples in the same order.

import { streamOf } from './made-source.js';
import { shuffled } from './shuffled.js';
import { accuracyOf, meanSquare, squaresByPart } from './score.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('./tasks.js').Examples} Examples
 * @typedef {import('./tasks.js').Tensor} Tensor
 * @typedef {import('./source.js').Source} Source
 * @typedef {import('./source.js').Data} Data
 * @typedef {{ step: number, lr: number }} Change from this step on the rate is another
 * @typedef {{ source: Source, samples: number, steps: number, lr: number, batch: number, changes: readonly Change[] }}
 *   Course what all trials share
 * @typedef {{ config: Record<string, any>, starts: Record<string, number> }} Entrant a variant's layer
 *
 * @typedef {object} TrialState plain data: all that a trial goes on from, with the same bits
 * @property {number} step
 * @property {number} epoch
 * @property {number[]} left
 * @property {{ sum: number, count: number }} losses
 * @property {import('../../lib/index.js').TrainerState} trainer
 */

/** The rate of the step after so many. @param {Pick<Course, 'lr' | 'changes'>} course @param {number} step */
export const rateAt = ({ lr, changes }, step) => changes.findLast((change) => change.step <= step)?.lr ?? lr;

export class Trial {
  /** @param {Scope} scope @param {Course} course @param {Entrant} entrant @param {number} seed @param {Data} data */
  constructor(scope, course, entrant, seed, data) {
    this.scope = scope;
    this.course = course;
    this.entrant = entrant;
    this.seed = seed;
    this.training = data.training;
    this.heldOut = data.heldOut;
    this.reader = data.reader;
    this.trainer = this.#trainer(rateAt(course, 0));
    start(this.trainer.model, entrant.starts);
    this.step = 0;
    /** The examples of the epoch that are not used yet. @type {number[]} */
    this.left = [];
    this.epoch = 0;
    /** Of the steps since they were last taken. */
    this.losses = { sum: 0, count: 0 };
  }

  /** @param {number} lr */
  #trainer(lr) {
    const { scope, course, entrant, seed } = this;
    const options = { seed, loss: course.source.loss, optimizer: { name: /** @type {const} */ ('adam'), lr } };
    return scope.trainer(/** @type {any} */ (entrant.config), options);
  }

  /** One update, by the next examples of a fresh order in each epoch; the last short batch of one is dropped. */
  next() {
    const { batch, changes } = this.course;
    if (changes.some(({ step }) => step === this.step)) this.#load(this.trainer.stateDict());
    if (this.left.length < batch) this.left = this.#order();
    const { loss } = this.trainer.step(this.#batchOf(this.left.slice(0, batch)));
    this.left = this.left.slice(batch);
    this.step += 1;
    this.losses.sum += loss;
    this.losses.count += 1;
    return loss;
  }

  /** The mean loss of the steps since it was last asked for; before the first step that of the first batch. */
  takeLoss() {
    const { sum, count } = this.losses;
    this.losses = { sum: 0, count: 0 };
    if (count > 0) return sum / count;
    if (this.left.length < this.course.batch) this.left = this.#order();
    return this.trainer.evaluate(this.#batchOf(this.left.slice(0, this.course.batch))).loss;
  }

  /** A permutation of the training examples: integers are drawn, and sorted. */
  #order() {
    const stream = streamOf(this.seed, 'order') + this.epoch;
    this.epoch += 1;
    return shuffled(this.scope, this.training.labels.length, stream);
  }

  /** @param {readonly number[]} chosen */
  #batchOf(chosen) {
    const { inputs, labels } = this.training;
    const rows = Object.entries(inputs).map(([name, tensor]) => [name, rowsOf(tensor, chosen)]);
    const own = rowsOf({ data: labels, shape: [labels.length] }, chosen).data;
    return { ...Object.fromEntries(rows), ...answersOf(own) };
  }

  /** Loss, score and results of examples, without dropout. @param {Examples} [examples] */
  evaluate(examples = this.heldOut) {
    const { inputs, labels, spread = 1 } = examples;
    const results = /** @type {any} */ (this.trainer.evaluate({ ...inputs, ...answersOf(labels) }));
    const { loss, output, weights = null } = results;
    return { loss, output, weights, score: scoreOf(output.data, labels, spread) };
  }

  /** The score, and the squared errors in each part of the time, where it has parts. */
  judged() {
    const { output, score } = this.evaluate();
    const { parts } = this.heldOut;
    return { score, parts: parts ? squaresByPart(output.data, this.heldOut.labels, parts) : null };
  }

  /** @returns {TrialState} */
  state() {
    const { step, epoch, left, losses } = this;
    return { step, epoch, left: [...left], losses: { ...losses }, trainer: this.trainer.stateDict() };
  }

  /** Goes on from what state() has given, of a trial of the same data and layer. @param {TrialState} state */
  resume({ step, epoch, left, losses, trainer }) {
    this.step = step;
    this.epoch = epoch;
    this.left = [...left];
    this.losses = { ...losses };
    this.#load(trainer);
  }

  /** A trainer with the rate of the next step. @param {import('../../lib/index.js').TrainerState} state */
  #load(state) {
    const lr = rateAt(this.course, this.step);
    const optimizer = { .../** @type {any} */ (state.options.optimizer), lr };
    const trainer = this.#trainer(lr);
    trainer.loadStateDict({ ...state, options: { ...state.options, optimizer } });
    this.trainer.dispose();
    this.trainer = trainer;
  }

  dispose() {
    this.trainer.dispose();
  }
}

/**
 * The share of right answers, or the error in %.
 * @param {Float32Array} said @param {Int32Array | Float32Array} right @param {number} spread
 */
const scoreOf = (said, right, spread) =>
  right instanceof Int32Array ? accuracyOf(said, right) : spread * Math.sqrt(meanSquare(said, right));

/**
 * The first number of some parameters.
 * @param {import('../../lib/index.js').Model<any>} model @param {Record<string, number>} starts
 */
export function start(model, starts) {
  if (Object.keys(starts).length === 0) return;
  const state = model.stateDict();
  for (const [name, value] of Object.entries(starts)) state[name].data[0] = value;
  model.loadStateDict(state);
}

/**
 * What a trainer takes of labels: classes, or numbers.
 * @param {Int32Array | Float32Array} labels @returns {Record<string, any>}
 */
const answersOf = (labels) =>
  labels instanceof Int32Array
    ? { labels: { data: labels, shape: [labels.length] } }
    : { target: { data: labels, shape: [labels.length, 1] } };

/**
 * Some rows of a tensor's first dimension.
 * @template {Tensor['data']} D
 * @param {{ data: D, shape: readonly number[] }} tensor @param {readonly number[]} chosen
 * @returns {{ data: D, shape: number[] }}
 */
export function rowsOf({ data, shape: [, ...rest] }, chosen) {
  const length = rest.reduce((product, size) => product * size, 1);
  const rows = /** @type {D} */ (new /** @type {any} */ (data.constructor)(chosen.length * length));
  chosen.forEach((row, place) =>
    rows.set(/** @type {any} */ (data.subarray(row * length, (row + 1) * length)), place * length)
  );
  return { data: rows, shape: [chosen.length, ...rest] };
}
