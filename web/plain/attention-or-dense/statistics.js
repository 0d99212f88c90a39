// Differences between variants with their intervals: a paired t over seeds, for all pairs at once. Student 1908,
// Bonferroni 1936.

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

/** The |t| of a p-value. @param {number} p @param {number} freedom */
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

/** The share of contests in which an interval may miss the true difference. */
const LEVEL = 0.05;
/** A smaller spread is rounding. */
const ROUNDING = 1e-9;

/**
 * @typedef {{ low: number, high: number }} Interval
 *
 * @typedef {object} Difference between two variants
 * @property {number} first its index
 * @property {number} second
 * @property {number} difference the mean of first − second
 * @property {Interval | null} interval of the true difference; null where the differences are all the same, and no
 *   spread can be estimated
 */

/**
 * The differences of all pairs of variants, with 95 % intervals: in 95 of 100 contests all of them hold the true
 * differences. Their t is Bonferroni's. Holm's is smaller where other pairs are clear; by Bonferroni's an interval
 * depends on its own pair and on the number of pairs alone, so that no other row can turn what is said of two.
 * @param {readonly (readonly number[])[]} values of each variant, at least two: seed by seed, or month by month
 * @param {number} [shared] held-out rows by training rows where each seed splits the same rows anew. Such scores are
 *   not independent, and the variance of their mean is s² (1 / n + shared): Nadeau and Bengio 2003, "Inference for the
 *   Generalization Error"
 * @returns {Difference[]}
 */
export function comparePairs(values, shared = 0) {
  const pairs = values.flatMap((_, first) =>
    values.slice(first + 1).map((_, more) => ({ first, second: first + 1 + more }))
  );
  if (pairs.length === 0) return [];
  const count = values[0].length;
  const reach = criticalT(LEVEL / pairs.length, count - 1) * Math.sqrt(1 / count + shared);
  return pairs.map(({ first, second }) => {
    const differences = values[first].map((value, at) => value - values[second][at]);
    const difference = mean(differences);
    const half = reach * deviation(differences);
    const interval = half > ROUNDING ? { low: difference - half, high: difference + half } : null;
    return { first, second, difference, interval };
  });
}
