// What a trained layer looks at: its attention weights, and for every layer, dense ones too, how its answer hangs on
// each day.

import { gradientTimesInput } from './gradients.js';

/** @typedef {import('./trial.js').Trial} Trial */
/** @typedef {import('./tasks.js').Tensor} Tensor */
/** @typedef {import('./tasks.js').Examples} Examples */

/**
 * @typedef {object} Looks a number for each day; of texts, where days are words or letters, they are counted from the
 *   end: the last number is that of the last one of each text
 * @property {number[] | null} weights the share of attention, averaged over examples and heads; null where there is
 *   none
 * @property {number[]} gradients the share of |gradient · input|: that of the right class's logit less that of the
 *   others, or of the number
 * @property {number[]} lost how much of the held-out score is lost when the day is blank, as a share, or as an error
 *   in %
 * @property {number | null} decisive the share of attention on the days that decide; null where nobody knows them
 * @property {number | null} largest the largest weight of an example, averaged
 */

/** @param {Trial} trial @returns {Looks} */
export function looksOf(trial) {
  const { heldOut } = trial;
  const { score, weights } = trial.evaluate();
  const lengths = lengthsOf(heldOut.inputs);
  const byExample = weights ? overHeads(weights) : null;
  return {
    weights: byExample ? shares(averageByDay(byExample, lengths)) : null,
    gradients: shares(averageByDay(gradients(trial), lengths)),
    lost: lostByDay(trial, score, lengths),
    decisive: byExample && heldOut.days.some((days) => days.length > 0) ? decisiveShare(byExample, heldOut.days) : null,
    largest: byExample ? largestWeight(byExample) : null
  };
}

/** @typedef {{ values: Float64Array, steps: number }} ByExample a number for each step of each example */

/**
 * The mean of all heads.
 * @param {{ data: Float32Array, shape: number[] }} weights (examples, …, days) @returns {ByExample}
 */
export function overHeads({ data, shape }) {
  const steps = shape.at(-1) ?? 1;
  const rows = data.length / shape[0] / steps;
  const values = new Float64Array(shape[0] * steps);
  data.forEach((weight, place) => {
    const example = Math.floor(place / (rows * steps));
    values[example * steps + (place % steps)] += weight / rows;
  });
  return { values, steps };
}

/** @param {Trial} trial @returns {ByExample} */
const gradients = (trial) => gradientTimesInput(trial, trial.heldOut);

/** How many steps of each example are not padding; null where all are. @param {Record<string, Tensor>} inputs */
export function lengthsOf({ mask }) {
  if (!mask) return null;
  const steps = mask.shape[1];
  return Array.from({ length: mask.shape[0] }, (_, example) => {
    const own = mask.data.subarray(example * steps, (example + 1) * steps);
    return /** @type {any} */ (own).reduce((/** @type {number} */ count, /** @type {number} */ one) => count + one, 0);
  });
}

/** Where the looks have a step of an example. @param {number[] | null} lengths @param {number} steps */
const shiftOf = (lengths, steps) => (/** @type {number} */ example) => (lengths ? steps - lengths[example] : 0);

/** Over examples: padding counts nothing. @param {ByExample} byExample @param {number[] | null} lengths */
function averageByDay({ values, steps }, lengths) {
  const shift = shiftOf(lengths, steps);
  const sums = new Array(steps).fill(0);
  values.forEach((value, place) => {
    const day = (place % steps) + shift(Math.floor(place / steps));
    if (day < steps) sums[day] += value;
  });
  return sums.map((sum) => (sum * steps) / values.length);
}

/** @param {readonly number[]} values */
export function shares(values) {
  const total = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => (total > 0 ? value / total : 0));
}

/** @param {ByExample} byExample @param {readonly number[][]} days */
function decisiveShare({ values, steps }, days) {
  const sum = days.reduce(
    (total, own, example) => own.reduce((of, day) => of + values[example * steps + day], total),
    0
  );
  return sum / days.length;
}

/** @param {ByExample} byExample */
function largestWeight({ values, steps }) {
  let sum = 0;
  for (let begin = 0; begin < values.length; begin += steps) sum += Math.max(...values.subarray(begin, begin + steps));
  return (sum * steps) / values.length;
}

/** @param {Trial} trial @param {number} score with all days @param {number[] | null} lengths */
function lostByDay(trial, score, lengths) {
  const { heldOut } = trial;
  const steps = stepsOf(heldOut.inputs);
  const shift = shiftOf(lengths, steps);
  const sign = heldOut.labels instanceof Int32Array ? 1 : -1; // an error grows
  return Array.from({ length: steps }, (_, place) => {
    const inputs = blanked(heldOut.inputs, (example) => place - shift(example));
    return sign * (score - trial.evaluate({ ...heldOut, inputs }).score);
  });
}

/** @param {Record<string, Tensor>} inputs */
export const stepsOf = ({ features, tokens }) => (tokens ?? features).shape[1];

/**
 * Inputs with one step of each example blank: all its features, or its vector, are 0.
 * @param {Record<string, Tensor>} inputs @param {(example: number) => number} stepOf which one, none where it is
 *   below 0
 * @returns {Record<string, Tensor>}
 */
export function blanked(inputs, stepOf) {
  const name = inputs.tokens ? 'tokens' : 'features';
  const { data, shape } = inputs[name];
  const length = data.length / shape[0];
  const width = length / shape[1];
  const blank = data.slice();
  for (let example = 0; example < shape[0]; example += 1) {
    const step = stepOf(example);
    if (step >= 0) blank.fill(0, example * length + step * width, example * length + (step + 1) * width);
  }
  return { ...inputs, [name]: { data: blank, shape } };
}
