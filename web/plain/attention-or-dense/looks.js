// What a trained layer looks at: its attention weights, and for every layer, dense ones too, how its answer hangs on
// each day.

import { BATCH, rowsOf } from './trial.js';

/** @typedef {import('./trial.js').Trial} Trial */
/** @typedef {import('./tasks.js').Tensor} Tensor */

/**
 * @typedef {object} Looks a number for each day
 * @property {number[] | null} weights the share of attention, averaged over examples and heads; null where there is
 *   none
 * @property {number[]} gradients the share of |gradient · input|, summed over features: that of the logit of class 1
 *   less that of class 0
 * @property {number[]} lost how much of the held-out accuracy is lost when the day is blank
 */

/** @param {Trial} trial @returns {Looks} */
export function looksOf(trial) {
  const { accuracy, weights } = trial.evaluate();
  return {
    weights: weights ? shares(averageByDay(weights)) : null,
    gradients: gradientShares(trial),
    lost: lostByDay(trial, accuracy)
  };
}

/** Over everything but the days. @param {{ data: Float32Array, shape: number[] }} weights (…, days) */
function averageByDay({ data, shape }) {
  const days = shape.at(-1) ?? 1;
  const sums = new Array(days).fill(0);
  data.forEach((weight, place) => (sums[place % days] += weight));
  return sums.map((sum) => sum / (data.length / days));
}

/** @param {readonly number[]} values */
function shares(values) {
  const total = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => (total > 0 ? value / total : 0));
}

/** @param {Trial} trial */
function gradientShares({ trainer, heldOut }) {
  const { features } = heldOut.inputs;
  const [count, days, width] = features.shape;
  const sums = new Array(days).fill(0);
  for (let start = 0; start < count; start += BATCH) {
    const part = rowsOf(features, range(start, Math.min(count, start + BATCH)));
    const examples = part.shape[0];
    const output = {
      data: Float32Array.from({ length: 2 * examples }, (_, place) => 2 * (place % 2) - 1),
      shape: [examples, 2]
    };
    const { inputs } = trainer.model.backward({ features: part }, { output });
    const gradient = inputs.features.data;
    gradient.forEach((value, place) => (sums[Math.floor(place / width) % days] += Math.abs(value * part.data[place])));
  }
  return shares(sums);
}

/** @param {number} begin @param {number} end */
const range = (begin, end) => Array.from({ length: end - begin }, (_, place) => begin + place);

/** @param {Trial} trial @param {number} accuracy with all days */
function lostByDay(trial, accuracy) {
  const { features } = trial.heldOut.inputs;
  const [, days, width] = features.shape;
  return range(0, days).map((day) => {
    const blank = features.data.slice();
    for (let place = day * width; place < blank.length; place += days * width) blank.fill(0, place, place + width);
    const blanked = { ...trial.heldOut, inputs: { features: { ...features, data: blank } } };
    return accuracy - trial.evaluate(blanked).accuracy;
  });
}
