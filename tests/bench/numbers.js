// Arithmetic of the benchmark: random numbers, medians, how far two results are apart.

/**
 * Numbers in [0, 1) that are the same in every process (mulberry32).
 * @param {number} seed
 * @returns {() => number}
 */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6D2B79F5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
