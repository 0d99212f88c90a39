// Arithmetic of the benchmark: other orders, how far two results are apart.

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
