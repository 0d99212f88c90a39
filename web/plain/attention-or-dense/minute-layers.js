// The first minute of the lab: three layers learn one task, and are asked about the same days, before and after.

import { entrantOf } from './entrants.js';
import { BATCH } from './batch.js';
import { sourceOf } from './source.js';
import { deviation, mean } from './statistics.js';
import { peakDay } from './tasks/moving-day.js';
import { Trial } from './trial.js';
import { variantNamed } from './variants.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('./variants.js').Variant} Variant
 * @typedef {Record<string, import('../../lib/index.js').Tensor>} State of a layer's parameters
 * @typedef {{ step: number, score: number, state: State }} Snapshot `score`: the share right on held-out examples
 * @typedef {{ features: Float32Array, peak: number }} Example of 30 days: `peak` is the one that decides
 * @typedef {{ answer: number, shares: number[] }} Look `answer`: the logit of yes less that of no; `shares`: each day's
 *   part of what the layer looks at
 * @typedef {{ low: number, high: number }} Range
 * @typedef {{ elsewhere: Range, others: { mean: number, deviation: number, low: number, high: number } }} Compared
 *   by how much the same nudge moves the answer: on the other days, and in other examples
 */

/** From above. */
export const SIDES = ['linear', 'dense_linear', 'flat'].map((name) => /** @type {Variant} */ (variantNamed(name)));

export const SEED = 0;
export const DAYS = peakDay.days;
export const WIDTH = peakDay.features;
/** What the days are called by: the other features are noise. */
export const VOLUME = 0;
export const PRICE = 1;
/** So many held-out examples can be looked at. */
const SHOWN = 64;

/** @type {import('./settings.js').Plan} */
export const plan = {
  ...{ task: peakDay.name, values: { days: String(DAYS) }, variants: SIDES.map(({ name }) => name) },
  ...{ ...peakDay.defaults, batch: BATCH, seeds: 1, first_seed: SEED, budget: null, changes: [], file: null }
};
const source = sourceOf(peakDay, plan.values);

/** @param {Scope} scope @param {Variant} variant */
const entrant = (scope, { name }) => entrantOf(scope, source, BATCH, null, name);

/** A layer that learns. */
export class Learning {
  /** @param {Scope} scope @param {Variant} variant */
  constructor(scope, variant) {
    const data = source.examples(scope, SEED, plan.samples);
    this.trial = new Trial(scope, { ...plan, source }, entrant(scope, variant), SEED, data);
  }

  get done() {
    return this.trial.step >= plan.steps;
  }

  next() {
    this.trial.next();
  }

  /** @returns {Snapshot} */
  snapshot() {
    const { step, trainer } = this.trial;
    return { step, score: this.trial.evaluate().score, state: trainer.model.stateDict() };
  }

  /** The share right of who always says the more frequent answer. */
  get chance() {
    return source.chance({ training: this.trial.training, heldOut: this.trial.heldOut });
  }

  /** Some held-out examples. @returns {Example[]} */
  examples() {
    const { inputs, days } = this.trial.heldOut;
    const size = DAYS * WIDTH;
    const data = /** @type {Float32Array} */ (inputs.features.data);
    return days.slice(0, SHOWN).map(([peak], at) => ({ features: data.slice(at * size, (at + 1) * size), peak }));
  }

  dispose() {
    this.trial.dispose();
  }
}

/** @param {number} day @param {number} feature */
export const placeOf = (day, feature) => day * WIDTH + feature;

/** The same days with one number changed. @param {Float32Array} features @param {number} place @param {number} value */
export function changed(features, place, value) {
  const copy = features.slice();
  copy[place] = value;
  return copy;
}

/** The day whose volume is highest. @param {Float32Array} features */
export function peakOf(features) {
  const days = Array.from({ length: DAYS }, (_, day) => features[placeOf(day, VOLUME)]);
  return days.indexOf(Math.max(...days));
}

/** One of the three, that answers with the parameters that it is given. */
export class Asked {
  #model;
  /** @type {State | null} */
  #loaded = null;

  /** @param {Scope} scope @param {Variant} variant */
  constructor(scope, variant) {
    this.variant = variant;
    const { config, parameters } = entrant(scope, variant);
    this.parameters = parameters;
    this.#model = /** @type {any} */ (scope.create(/** @type {any} */ ({ ...config, batch_size: 1 }), { seed: SEED }));
  }

  /** @param {State} state */
  load(state) {
    if (this.#loaded !== state) this.#model.loadStateDict(state);
    this.#loaded = state;
  }

  /** @param {readonly Float32Array[]} rows examples @returns {number[]} */
  answers(rows) {
    const { output } = this.#forward(rows);
    return rows.map((_, row) => output.data[2 * row + 1] - output.data[2 * row]);
  }

  /** @param {readonly Float32Array[]} rows */
  #forward(rows) {
    return this.#model.forward({ features: tensorOf(rows) });
  }

  /** @param {Float32Array} features @returns {Look} */
  look(features) {
    const { output, weights } = this.#forward([features]);
    const answer = output.data[1] - output.data[0];
    return {
      answer,
      shares: weights ? Array.from(/** @type {Float32Array} */ (weights.data)) : this.#gradientShares(features)
    };
  }

  /** |gradient · input| of each day. @param {Float32Array} features */
  #gradientShares(features) {
    const output = { data: Float32Array.of(-1, 1), shape: [1, 2] };
    const { inputs } = this.#model.backward({ features: tensorOf([features]) }, { output });
    const sums = new Array(DAYS).fill(0);
    /** @type {Float32Array} */ (inputs.features.data).forEach((slope, place) => {
      sums[Math.floor(place / WIDTH)] += Math.abs(slope * features[place]);
    });
    const total = sums.reduce((sum, value) => sum + value, 0) || 1;
    return sums.map((value) => value / total);
  }

  /**
   * What a nudge does to the answer on other days and in other examples.
   * @param {Float32Array} features before it
   * @param {{ day: number, feature: number, by: number }} nudge
   * @param {readonly Example[]} examples others
   * @returns {Compared}
   */
  compare(features, { day, feature, by }, examples) {
    const days = Array.from({ length: DAYS }, (_, at) => at).filter((at) => at !== day);
    const moved = (/** @type {Float32Array} */ one, /** @type {number} */ at) => {
      const place = placeOf(at, feature);
      return changed(one, place, one[place] + by);
    };
    const [before, ...after] = this.answers([features, ...days.map((at) => moved(features, at))]);
    const plain = this.answers(examples.map((one) => one.features));
    const nudged = this.answers(examples.map((one) => moved(one.features, day)));
    const moves = plain.map((answer, at) => nudged[at] - answer);
    return {
      elsewhere: rangeOf(after.map((answer) => answer - before)),
      others: { ...rangeOf(moves), mean: mean(moves), deviation: deviation(moves) }
    };
  }

  dispose() {
    this.#model.dispose();
  }
}

/** @param {readonly number[]} values @returns {Range} */
const rangeOf = (values) => ({ low: Math.min(...values), high: Math.max(...values) });

/** @param {readonly Float32Array[]} rows */
function tensorOf(rows) {
  const data = new Float32Array(rows.length * DAYS * WIDTH);
  rows.forEach((row, at) => data.set(row, at * DAYS * WIDTH));
  return { data, shape: [rows.length, DAYS, WIDTH] };
}
