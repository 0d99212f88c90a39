// Comparison of variants by their scores: the difference of each pair with its interval, and sentences on the best.

import { comparePairs, deviation, mean } from './statistics.js';

/**
 * @typedef {import('./score.js').Score} Score
 * @typedef {import('./statistics.js').Difference} Difference
 *
 * @typedef {object} SeedScore
 * @property {number | null} score a share of right answers, or an error in %; null before the run has made its steps
 * @property {readonly number[] | null} parts of an error: its squares by month
 * @property {string} [failure] why the run could not go on
 *
 * @typedef {{ title: string, seeds: readonly SeedScore[] }} Ran a variant of a contest
 * @typedef {{ title: string, score: number, parts: readonly number[] | null }} Rule an opponent that is no layer
 *
 * @typedef {object} Row
 * @property {string} title
 * @property {number | null} at index of the variant; null for a rule
 * @property {readonly number[]} scores by seed
 * @property {readonly number[]} values that are compared: the scores, or a number for each month
 * @property {boolean} isScattered whether its runs lie too far apart for their mean to be compared
 *
 * @typedef {'ahead' | 'alike' | 'open' | 'same' | 'scattered'} Status of a pair whose first row has the better mean.
 *   `ahead`: the interval lies on one side of 0. `alike`: it lies within the least difference that counts. `open`: the
 *   runs do not tell the two apart. `same`: each seed gives the same difference, which has no interval. `scattered`: no
 *   interval, because the runs of one row lie too far apart
 *
 * @typedef {object} Pair
 * @property {number} first index of its row
 * @property {number} second
 * @property {Status} status
 * @property {string} difference first − second, as it is printed: `+6.5`
 * @property {string} interval as it is printed: `+4.0 to +9.0`; '' where there is none
 *
 * @typedef {object} Comparison
 * @property {readonly Row[]} rows the best first
 * @property {readonly Pair[]} pairs every two rows; none of fewer than three values
 * @property {string} method how the intervals are made; '' without pairs
 * @property {readonly string[]} sentences
 */

/** Where a run of a made task counts as solved. */
export const SOLVED = 0.9;
/** Accuracies that spread further have some runs that are stuck: an interval of their mean has no meaning. */
const SCATTERED = 0.03;

/** The interval of two values is so wide that it says nothing. */
const LEAST_VALUES = 3;
const FEW = ['One seed says nothing', 'Two seeds say next to nothing'];

const THIN = '\u202f';

/**
 * @typedef {object} Kind of score, and how its differences are printed
 * @property {number} scale printed units of one unit of the score
 * @property {number} digits
 * @property {number} least the smallest difference that counts, in printed units
 * @property {string} leastText
 * @property {number} range the largest difference that there can be
 * @property {string} unit of a difference
 * @property {1 | -1} sign 1 where more is better
 * @property {string} over what the values of a row are taken over
 * @property {(count: number) => string} method
 */

/** @type {Record<Score['kind'], Kind>} */
const kinds = {
  accuracy: {
    ...{ scale: 100, digits: 1, least: 1, leastText: '1 point', range: 100, unit: 'points', sign: 1, over: 'seeds' },
    method: (count) => `in points, with the 95${THIN}% interval of a paired t over ${count} seeds`
  },
  error: {
    ...{ scale: 1, digits: 2, least: 0.1, leastText: '0.1 points', range: Infinity, unit: 'points of error', sign: -1 },
    over: 'months',
    method: (count) =>
      `in points of error: a lower error is better, with the 95${THIN}% interval of a paired t over the ${count} months of the test, because the data are the same for every seed`
  }
};

/** `93.4 ± 0.7 %`, of one run `93.4 %`. @param {readonly number[]} scores @param {Score['kind']} [kind] */
export function scoreText(scores, kind = 'accuracy') {
  const { scale, digits } = kinds[kind];
  const number = (/** @type {number} */ value) => (scale * value).toFixed(digits);
  const spread = scores.length > 1 ? ` ± ${number(deviation(scores))}` : '';
  return `${number(mean(scores))}${spread}${THIN}%`;
}

/**
 * Compares the variants that have runs of which none has failed, over the seeds that all of them have finished; of
 * errors also the rules.
 * @param {readonly Ran[]} variants @param {Pick<Score, 'kind' | 'solved' | 'shared'>} score
 * @param {readonly Rule[]} [rules]
 * @returns {Comparison | null} null where there are no two rows yet
 */
export function comparisonOf(variants, { kind: name, solved, shared }, rules = []) {
  const kind = kinds[name];
  const own = name === 'error' ? [...finished(variants, null), ...rules.map(ruleRow)] : finished(variants, solved);
  const rows = own
    .filter(({ values }) => values.length > 0)
    .sort((a, b) => kind.sign * (mean(b.scores) - mean(a.scores)));
  if (rows.length < 2) return null;
  const count = rows[0].values.length;
  if (count < LEAST_VALUES)
    return { rows, pairs: [], method: '', sentences: [`${FEW[count - 1]} about noise: run at least three.`] };
  const differences = comparePairs(
    rows.map(({ values }) => values),
    shared
  );
  const pairs = differences.map((difference) => pairOf(difference, rows, kind));
  return {
    ...{ rows, pairs },
    method: methodText(pairs.length, kind.method(count), shared),
    sentences: [...scatteredTexts(rows, solved ?? SOLVED), ...leaderTexts(rows, pairs, kind)]
  };
}

/**
 * Rows of variants. @param {readonly Ran[]} variants @param {number | null} solved null where no run can be stuck
 * @returns {Row[]}
 */
function finished(variants, solved) {
  const isSound = (/** @type {Ran} */ { seeds }) => seeds.length > 0 && !seeds.some(({ failure }) => failure);
  const sound = variants.map((variant, at) => ({ variant, at })).filter(({ variant }) => isSound(variant));
  const seeds = (sound[0]?.variant.seeds ?? []).flatMap((_, seed) =>
    sound.every(({ variant }) => variant.seeds[seed].score !== null) ? [seed] : []
  );
  return sound.map(({ variant: { title, seeds: runs }, at }) => {
    const scores = seeds.map((seed) => /** @type {number} */ (runs[seed].score));
    const parts = seeds.flatMap((seed) =>
      runs[seed].parts ? [/** @type {readonly number[]} */ (runs[seed].parts)] : []
    );
    const values = parts.length > 0 ? byMonth(mean(scores), meansOf(parts)) : scores;
    return { title, at, scores, values, isScattered: solved !== null && isScattered(scores) };
  });
}

/** @param {Rule} rule @returns {Row} */
const ruleRow = ({ title, score, parts }) => ({
  ...{ title, at: null, scores: [score], values: parts ? byMonth(score, parts) : [], isScattered: false }
});

/** The mean of each part. @param {readonly (readonly number[])[]} runs */
const meansOf = (runs) => runs[0].map((_, part) => mean(runs.map((parts) => parts[part])));

/**
 * A number for each month, with the error as their mean: by how much the month pulls at the root of the mean square.
 * The delta method: d√m = dm / (2 √m).
 * @param {number} error @param {readonly number[]} squares by month
 */
function byMonth(error, squares) {
  const whole = mean(squares) || 1;
  return squares.map((square) => (error / 2) * (1 + square / whole));
}

/** @param {readonly number[]} scores */
const isScattered = (scores) => scores.length > 1 && deviation(scores) > SCATTERED;

/** @param {Difference} difference @param {readonly Row[]} rows @param {Kind} kind @returns {Pair} */
function pairOf({ first, second, difference, interval }, rows, kind) {
  const { scale, digits, range } = kind;
  const pair = { first, second, difference: signed(scale * difference, digits), interval: '' };
  if (rows[first].isScattered || rows[second].isScattered) return { ...pair, status: 'scattered' };
  if (!interval) return { ...pair, status: 'same' };
  // Rounded outwards, and judged as it is printed: no reader finds a 0 where an interval is said to be above it.
  const [low, high] = [
    outwards(Math.max(-range, scale * interval.low), digits, Math.floor),
    outwards(Math.min(range, scale * interval.high), digits, Math.ceil)
  ];
  return {
    ...pair,
    interval: `${signed(low, digits)} to ${signed(high, digits)}`,
    status: statusOf(low, high, kind)
  };
}

/** @param {number} value @param {number} digits @param {(value: number) => number} round */
const outwards = (value, digits, round) => round(value * 10 ** digits) / 10 ** digits;

/** @param {number} low @param {number} high @param {Kind} kind @returns {Status} */
function statusOf(low, high, { least }) {
  if (low >= -least && high <= least) return 'alike';
  return low > 0 || high < 0 ? 'ahead' : 'open';
}

/** `+6.5`, `−0.54`, `0.0`. @param {number} value @param {number} digits */
function signed(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** @param {number} pairs @param {string} method @param {number} shared */
function methodText(pairs, method, shared) {
  const all = pairs === 1 ? '' : ` All ${pairs} intervals hold together (Bonferroni).`;
  const wider =
    shared > 0 ? ' Every seed splits the same rows, so the intervals are widened as Nadeau and Bengio do (2003).' : '';
  return `Column minus row, ${method}.${all}${wider}`;
}

/** @param {readonly Row[]} rows @param {number} solved */
const scatteredTexts = (rows, solved) =>
  rows
    .filter((row) => row.isScattered)
    .map(({ title, scores }) => {
      const [least, most] = [Math.min(...scores), Math.max(...scores)].map((score) => (100 * score).toFixed(1));
      const count = scores.filter((score) => score > solved).length;
      return `The runs of ${title} lie far apart, from ${least} to ${most}${THIN}%, so their mean is not compared: ${count} of ${scores.length} are above ${100 * solved}${THIN}%.`;
    });

/**
 * The best row that can be compared, beside each other one.
 * @param {readonly Row[]} rows @param {readonly Pair[]} pairs @param {Kind} kind
 */
function leaderTexts(rows, pairs, { leastText, unit, sign, over }) {
  const leader = rows.findIndex(({ isScattered: out }) => !out);
  const of = (/** @type {Status} */ status) => pairs.filter((pair) => pair.first === leader && pair.status === status);
  const named = (/** @type {readonly Pair[]} */ own) => listed(own.map(({ second }) => rows[second].title));
  const { title } = rows[leader] ?? {};
  const bare = (/** @type {string} */ text) => text.replaceAll(/[+−]/g, '');
  const [ahead, alike, open] = [of('ahead'), of('alike'), of('open')];
  const isEqual = (/** @type {Pair} */ { difference }) => Number(difference) === 0;
  const [equal, same] = [of('same').filter(isEqual), of('same').filter((pair) => !isEqual(pair))];
  const leads = ahead.map(({ second, difference, interval }, at) => {
    const bounds = bare(sign < 0 ? interval.split(' to ').reverse().join(' to ') : interval);
    return `${at === 0 ? 'ahead ' : ''}of ${rows[second].title} by ${bare(difference)}${at === 0 ? ` ${unit}` : ''} (${bounds})`;
  });
  return [
    ...(ahead.length ? [`${title} is ${listed(leads)}.`] : []),
    ...(alike.length ? [`${title} is alike to ${named(alike)}, to within ${leastText}.`] : []),
    ...(open.length ? [`These ${over} do not tell ${title} apart from ${named(open)}.`] : []),
    ...(equal.length
      ? [`${listed([title, ...equal.map(({ second }) => rows[second].title)])} have the same score in every run.`]
      : []),
    ...same.map((pair) => sameText(title, rows[pair.second].title, pair.difference, unit))
  ];
}

/** @param {string} one @param {string} other @param {string} difference @param {string} unit */
const sameText = (one, other, difference, unit) =>
  `${one} differs from ${other} by ${difference} ${unit} in every run: no noise can be estimated from that.`;

/** @param {readonly string[]} texts */
const listed = (texts) => (texts.length === 1 ? texts[0] : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`);
