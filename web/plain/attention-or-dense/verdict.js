// What the scores of some variants over some seeds say, in sentences: which differences exceed the noise.

import { comparePairs, deviation, exceedsNoise, leastDifference, mean } from './statistics.js';

/**
 * @typedef {import('./score.js').Score} Score
 * @typedef {import('./statistics.js').Comparison} Comparison
 *
 * @typedef {object} Scored
 * @property {string} title
 * @property {readonly number[]} scores one a seed: shares of right answers, or errors in %
 * @property {readonly number[]} [parts] of an error: its squares, averaged over seeds, by month
 *
 * @typedef {{ title: string, seeds: readonly { seed: number, score: number | null, parts: readonly number[] | null
 *   }[] }}
 *   Ran a variant of a contest
 * @typedef {{ title: string, score: number, parts: readonly number[] | null }} Rule an opponent that is no layer
 */

/** Where a run of a made task counts as solved. */
export const SOLVED = 0.9;
/** A spread above this, of accuracies, is that of runs of which some are stuck: no test of means has a meaning then. */
const STUCK = 0.03;
/** A smaller difference is no win, however sure it is: a point of accuracy, a tenth of one of an error. */
const LEAST = { accuracy: 0.01, error: 0.1 };

const kinds = {
  accuracy: {
    number: (/** @type {number} */ share) => (100 * share).toFixed(1),
    lead: (/** @type {string} */ one, /** @type {string} */ other, /** @type {string} */ by) =>
      `${one} is ahead of ${other} by ${by} points, more than the noise.`
  },
  error: {
    number: (/** @type {number} */ percent) => percent.toFixed(2),
    lead: (/** @type {string} */ one, /** @type {string} */ other, /** @type {string} */ by) =>
      `${one} is ahead of ${other}: its error is lower by ${by} points, more than the noise.`
  }
};

/** @param {readonly number[]} scores */
export const isStuck = (scores) => scores.length > 1 && deviation(scores) > STUCK;

/** @param {readonly number[]} scores @param {number} [least] */
export const solvedText = (scores, least = SOLVED) =>
  `solved in ${scores.filter((score) => score > least).length} of ${scores.length}`;

/** `93.4 ± 0.7 %`, of one run `93.4 %`. @param {readonly number[]} scores @param {Score['kind']} [kind] */
export function scoreText(scores, kind = 'accuracy') {
  const { number } = kinds[kind];
  const spread = scores.length > 1 ? ` ± ${number(deviation(scores))}` : '';
  return `${number(mean(scores))}${spread}\u202f%`;
}

/**
 * What the runs that are done say: those of seeds of which every variant is done.
 * @param {readonly Ran[]} variants @param {Pick<Score, 'kind' | 'solved'>} score @param {readonly Rule[]} [rules]
 * @returns {string[]} sentences, none before there is a seed
 */
export function verdictOf(variants, score, rules = []) {
  const seeds = (variants[0]?.seeds ?? []).flatMap((_, at) =>
    variants.every((one) => one.seeds[at].score !== null) ? [at] : []
  );
  if (seeds.length === 0) return [];
  const ran = variants.map(({ title, seeds: own }) => ({
    title,
    scores: seeds.map((at) => /** @type {number} */ (own[at].score)),
    ...partsOf(seeds.map((at) => own[at].parts))
  }));
  const fixed = rules.map(({ title, score: one, parts }) => ({ title, scores: [one], ...partsOf([parts]) }));
  return score.kind === 'error' ? overMonths([...ran, ...fixed]) : verdict(ran, score.solved);
}

/** The mean of each part. @param {readonly (readonly number[] | null)[]} runs @returns {{ parts?: number[] }} */
function partsOf(runs) {
  const known = runs.flatMap((parts) => (parts ? [parts] : []));
  if (known.length === 0) return {};
  return { parts: known[0].map((_, part) => mean(known.map((parts) => parts[part]))) };
}

/**
 * Of accuracies: differences over seeds.
 * @param {readonly Scored[]} variants all of the same seeds
 * @param {number | null} [solved] where a run counts as solved; null where none can be stuck
 * @returns {string[]} sentences
 */
export function verdict(variants, solved = SOLVED) {
  const seeds = variants[0]?.scores.length ?? 0;
  if (variants.length < 2 || seeds === 0) return [];
  if (seeds === 1) return ['One seed says nothing about noise: run at least three.'];
  const isOut = (/** @type {Scored} */ { scores }) => solved !== null && isStuck(scores);
  const stuck = variants.filter(isOut);
  const steady = variants.filter((one) => !isOut(one));
  return [...stuckSentences(stuck, solved ?? SOLVED), ...steadySentences(steady, seeds)];
}

/** @param {readonly Scored[]} stuck @param {number} solved */
function stuckSentences(stuck, solved) {
  return stuck.map(
    ({ title, scores }) =>
      `${title}: some runs get stuck, so their mean says little; it is ${solvedText(scores, solved)}.`
  );
}

/** @param {readonly Scored[]} steady @param {number} seeds */
function steadySentences(steady, seeds) {
  if (steady.length < 2) return [];
  const ordered = [...steady].sort((a, b) => mean(b.scores) - mean(a.scores));
  const pairs = comparePairs(ordered.map(({ scores }) => scores));
  return [...standings(ordered, pairs, 'accuracy'), blindness(ordered, pairs.length, seeds)];
}

/**
 * Of errors on the same data: differences over the months of the test, since seeds have only the noise of the weights.
 * @param {readonly Scored[]} variants
 */
function overMonths(variants) {
  const ordered = variants.filter(({ parts }) => parts).sort((a, b) => mean(a.scores) - mean(b.scores));
  if (ordered.length < 2) return [];
  const months = ordered.map(({ parts = [] }) => parts);
  const pairs = comparePairs(months);
  return [
    ...standings(ordered, pairs, 'error'),
    `The data are the same for every seed, so this is judged over the ${months[0].length} months of the test: their mean squares, pair by pair.`
  ];
}

/**
 * Who is ahead of whom.
 * @param {readonly Scored[]} ordered the best first @param {readonly Comparison[]} pairs @param {Score['kind']} kind
 */
function standings(ordered, pairs, kind) {
  const [best] = ordered;
  const { number, lead } = kinds[kind];
  const differenceTo = (/** @type {Scored} */ other) => Math.abs(mean(best.scores) - mean(other.scores));
  const isBehind = ordered.map(
    (other, at) =>
      at > 0 &&
      differenceTo(other) >= LEAST[kind] &&
      pairs.some((pair) => pair.first === 0 && pair.second === at && exceedsNoise(pair))
  );
  const first = isBehind.indexOf(true) < 0 ? ordered.length : isBehind.indexOf(true);
  const level = ordered.slice(0, first);
  const unsure = ordered.filter((_, at) => at > first && !isBehind[at]);
  return [
    ...(level.length > 1 ? [`${listed(level)} are level: what lies between them is within the noise.`] : []),
    ...ordered
      .filter((_, at) => isBehind[at])
      .map((other) => lead(best.title, other.title, number(differenceTo(other)))),
    ...(unsure.length > 0 ? [`Of ${listed(unsure)} these seeds do not tell whether ${best.title} is ahead.`] : [])
  ];
}

/** @param {readonly Scored[]} ordered @param {number} pairs @param {number} seeds */
function blindness(ordered, pairs, seeds) {
  const spreads = ordered.flatMap(({ scores }, first) =>
    ordered.slice(first + 1).map((other) => deviation(scores.map((score, seed) => score - other.scores[seed])))
  );
  const least = leastDifference(seeds, pairs, mean(spreads));
  return `${seeds} seeds cannot tell differences below about ${kinds.accuracy.number(least)} points.`;
}

/** @param {readonly Scored[]} variants */
function listed(variants) {
  const titles = variants.map(({ title }) => title);
  return titles.length === 1 ? titles[0] : `${titles.slice(0, -1).join(', ')} and ${titles.at(-1)}`;
}
