// What the scores of some variants over some seeds say, in sentences: which differences exceed the noise.

import { comparePairs, deviation, exceedsNoise, leastDifference, mean } from './statistics.js';

/** @typedef {{ title: string, scores: readonly number[] }} Scored `scores`: a share of right answers for each seed */

/** Where a run counts as solved. */
export const SOLVED = 0.9;
/** A spread above this is that of runs of which some are stuck: no test of means has a meaning then. */
const STUCK = 0.03;
/** A smaller difference is no win, however sure it is. */
const LEAST = 0.01;

const percent = (/** @type {number} */ share) => (100 * share).toFixed(1);

/** @param {readonly number[]} scores */
export const isStuck = (scores) => scores.length > 1 && deviation(scores) > STUCK;

/** @param {readonly number[]} scores */
export const solvedText = (scores) =>
  `solved in ${scores.filter((score) => score > SOLVED).length} of ${scores.length}`;

/** `93.4 ± 0.7 %`, of one run `93.4 %`. @param {readonly number[]} scores */
export const scoreText = (scores) =>
  scores.length > 1
    ? `${percent(mean(scores))} ± ${percent(deviation(scores))}\u202f%`
    : `${percent(mean(scores))}\u202f%`;

/** @param {readonly Scored[]} variants all of the same seeds @returns {string[]} sentences */
export function verdict(variants) {
  const seeds = variants[0]?.scores.length ?? 0;
  if (variants.length < 2 || seeds === 0) return [];
  if (seeds === 1) return ['One seed says nothing about noise: run at least three.'];
  const stuck = variants.filter(({ scores }) => isStuck(scores));
  const steady = variants.filter(({ scores }) => !isStuck(scores));
  return [...stuckSentences(stuck), ...steadySentences(steady, seeds)];
}

/** @param {readonly Scored[]} stuck */
function stuckSentences(stuck) {
  return stuck.map(
    ({ title, scores }) => `${title}: some runs get stuck, so their mean says little; it is ${solvedText(scores)}.`
  );
}

/** @param {readonly Scored[]} steady @param {number} seeds */
function steadySentences(steady, seeds) {
  if (steady.length < 2) return [];
  const ordered = [...steady].sort((a, b) => mean(b.scores) - mean(a.scores));
  const pairs = comparePairs(ordered.map(({ scores }) => scores));
  const wins = (/** @type {import('./statistics.js').Comparison} */ pair) =>
    exceedsNoise(pair) && Math.abs(pair.difference) >= LEAST;
  const behind = pairs.filter((pair) => pair.first === 0 && wins(pair)).map(({ second }) => second);
  const first = behind[0] ?? ordered.length;
  const level = ordered.slice(1, first).filter((_, place) => !behind.includes(place + 1));
  const sentences = [];
  if (level.length > 0)
    sentences.push(`${listed([ordered[0], ...level])} are level: what lies between them is within the noise.`);
  for (const second of behind) {
    const { difference } = /** @type {import('./statistics.js').Comparison} */ (
      pairs.find((pair) => pair.first === 0 && pair.second === second)
    );
    sentences.push(
      `${ordered[0].title} is ahead of ${ordered[second].title} by ${percent(difference)} points, more than the noise.`
    );
  }
  const unsure = ordered.slice(first).filter((one) => !behind.includes(ordered.indexOf(one)));
  if (unsure.length > 0)
    sentences.push(`Of ${listed(unsure)} these seeds do not tell whether ${ordered[0].title} is ahead.`);
  return [...sentences, blindness(ordered, pairs.length, seeds)];
}

/** @param {readonly Scored[]} ordered @param {number} pairs @param {number} seeds */
function blindness(ordered, pairs, seeds) {
  const spreads = ordered.flatMap(({ scores }, first) =>
    ordered.slice(first + 1).map((other) => deviation(scores.map((score, seed) => score - other.scores[seed])))
  );
  const least = leastDifference(seeds, pairs, mean(spreads));
  return `${seeds} seeds cannot tell differences below about ${percent(least)} points.`;
}

/** @param {readonly Scored[]} variants */
function listed(variants) {
  const titles = variants.map(({ title }) => title);
  return titles.length === 1 ? titles[0] : `${titles.slice(0, -1).join(', ')} and ${titles.at(-1)}`;
}
