// Which differences between variants exceed the noise: a paired t-test over seeds, corrected for the number of pairs.
// Student 1908; Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure".

/** @param {readonly number[]} values */
export const mean = (values) => values.reduce((total, value) => total + value, 0) / values.length;

/** The standard deviation of a sample: of one value NaN. @param {readonly number[]} values */
export function deviation(values) {
  const middle = mean(values);
  return Math.sqrt(values.reduce((total, value) => total + (value - middle) ** 2, 0) / (values.length - 1));
}

/**
 * How likely it is that |t| is at least this large where nothing differs. A finite sum for whole degrees of freedom:
 * Abramowitz and Stegun 1964, 26.7.3 and 26.7.4.
 * @param {number} t
 * @param {number} freedom degrees of it, at least 1
 */
export function pValue(t, freedom) {
  if (!Number.isFinite(t)) return 0;
  const angle = Math.atan(Math.abs(t) / Math.sqrt(freedom));
  const cosine = Math.cos(angle);
  const odd = freedom % 2 === 1;
  let term = odd ? cosine : 1;
  let total = freedom > 1 ? term : 0;
  for (let n = odd ? 3 : 2; n < freedom; n += 2) {
    term *= ((n - 1) / n) * cosine ** 2;
    total += term;
  }
  const within = odd ? (2 / Math.PI) * (angle + Math.sin(angle) * total) : Math.sin(angle) * total;
  return Math.max(0, 1 - within);
}

/** The |t| that a p-value belongs to. @param {number} p @param {number} freedom */
export function criticalT(p, freedom) {
  let [low, high] = [0, 1];
  while (pValue(high, freedom) > p) high *= 2;
  for (let turn = 0; turn < 100; turn += 1) {
    const middle = (low + high) / 2;
    if (pValue(middle, freedom) > p) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The p-values of several tests, each as large as it must be so that one false alarm among all is as rare as a test by
 * itself says.
 * @param {readonly number[]} values
 */
export function holm(values) {
  const order = values.map((_, index) => index).sort((a, b) => values[a] - values[b]);
  const corrected = values.map(() => 1);
  let least = 0;
  order.forEach((index, rank) => {
    least = Math.max(least, Math.min(1, values[index] * (values.length - rank)));
    corrected[index] = least;
  });
  return corrected;
}

/**
 * @typedef {object} Comparison of two variants, by scores that belong together seed by seed
 * @property {number} first its index
 * @property {number} second
 * @property {number} difference the mean of first − second
 * @property {number} t
 * @property {number} p corrected
 */

/**
 * Every pair of variants.
 * @param {readonly (readonly number[])[]} scores of each variant, one a seed, at least two
 * @returns {Comparison[]}
 */
export function comparePairs(scores) {
  const pairs = scores.flatMap((_, first) =>
    scores.slice(first + 1).map((_, more) => ({ first, second: first + 1 + more }))
  );
  const tests = pairs.map((pair) => ({ ...pair, ...pairedT(scores[pair.first], scores[pair.second]) }));
  const corrected = holm(tests.map(({ p }) => p));
  return tests.map((test, index) => ({ ...test, p: corrected[index] }));
}

/** @param {readonly number[]} one @param {readonly number[]} other */
function pairedT(one, other) {
  const differences = one.map((value, seed) => value - other[seed]);
  const difference = mean(differences);
  const spread = deviation(differences);
  const t = difference === 0 ? 0 : difference / (spread / Math.sqrt(differences.length));
  return { difference, t, p: pValue(t, differences.length - 1) };
}

const LEVEL = 0.05;
/** How far above the critical t a difference lies that is found four times in five, in standard normal units. */
const POWER = 0.8416;

/**
 * About the difference that so many seeds find four times in five, in the units of the spread.
 * @param {number} seeds at least 2
 * @param {number} pairs that are compared
 * @param {number} spread the standard deviation of a difference over seeds
 */
export const leastDifference = (seeds, pairs, spread) =>
  ((criticalT(LEVEL / pairs, seeds - 1) + POWER) * spread) / Math.sqrt(seeds);

/** Whether a comparison is more than noise. @param {Comparison} comparison */
export const exceedsNoise = ({ p }) => p < LEVEL;
