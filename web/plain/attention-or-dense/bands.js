// What the runs of a variant have in common at each step: the mean over its seeds, and how far they spread.

import { deviation, mean } from './statistics.js';

/**
 * @typedef {import('./points.js').Point} Point
 * @typedef {{ seed: number, points: readonly Point[], score: number | null, looks: import('./looks.js').Looks |
 *   null }} Run
 * @typedef {{ step: number, mean: number, low: number, high: number, seeds: number }} Spot `low` and `high`: a standard
 *   deviation from the mean
 */

/**
 * The spots of a curve, step by step, of as many seeds as have been there.
 * @param {readonly Run[]} seeds @param {'loss' | 'held_loss' | 'score'} field @returns {Spot[]}
 */
export function bandOf(seeds, field) {
  /** @type {Map<number, number[]>} */
  const byStep = new Map();
  for (const { points } of seeds)
    for (const point of points) byStep.set(point.step, [...(byStep.get(point.step) ?? []), point[field]]);
  return [...byStep]
    .sort(([one], [other]) => one - other)
    .map(([step, values]) => {
      const middle = mean(values);
      const spread = values.length > 1 ? deviation(values) : 0;
      return { step, mean: middle, low: middle - spread, high: middle + spread, seeds: values.length };
    });
}

/** The scores of the seeds that have made all their steps. @param {readonly Run[]} seeds */
export const scoresOf = (seeds) => seeds.flatMap(({ score }) => (score === null ? [] : [score]));

/**
 * What a variant looks at, averaged over the seeds that have finished; null before one has.
 * @param {readonly Run[]} seeds
 */
export function meanLooks(seeds) {
  const looks = seeds.flatMap((run) => run.looks ?? []);
  if (looks.length === 0) return null;
  const over = (/** @type {'gradients' | 'lost'} */ name) =>
    looks[0][name].map((_, day) => mean(looks.map((one) => one[name][day])));
  const weights = looks.flatMap((one) => (one.weights ? [one.weights] : []));
  return {
    weights: weights.length ? weights[0].map((_, day) => mean(weights.map((one) => one[day]))) : null,
    gradients: over('gradients'),
    lost: over('lost'),
    decisive: looks[0].decisive === null ? null : mean(looks.map((one) => Number(one.decisive)))
  };
}
