// Arithmetic of the benchmark: medians, how far two results are apart.

/**
 * Of an even count the mean of the two in the middle.
 * @param {number[]} values at least one
 */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The same values in another order.
 * @template T
 * @param {T[]} values
 * @param {() => number} random in [0, 1)
 */
export function shuffled(values, random) {
  const order = [...values];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/**
 * The largest difference of two results, relative to the largest magnitude that is expected. Infinity for results
 * of different lengths and for NaN.
 * @param {ArrayLike<number>} actual
 * @param {ArrayLike<number>} expected
 */
export function difference(actual, expected) {
  if (actual.length !== expected.length) return Infinity;
  let apart = 0;
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    const distance = Math.abs(actual[i] - expected[i]);
    if (Number.isNaN(distance)) return Infinity;
    apart = Math.max(apart, distance);
    largest = Math.max(largest, Math.abs(expected[i]));
  }
  return apart === 0 ? 0 : apart / largest;
}
