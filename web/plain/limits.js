// What a run needs, and the largest that fits. The core refuses by the same count.

/**
 * @typedef {import('../lib/index.js').Attnscope} Scope
 * @typedef {{ bytes: number, fits: boolean, refusal?: string, offers: { field: string, value: number }[] }} Needs
 *   `refusal`: of a field that no run may have; `offers`: where it does not fit, the largest value of a size with which
 *   it does
 */

/** Bytes that a run takes; Infinity for more than can be counted. @param {Scope} scope @param {any} config */
export function runBytes(scope, config) {
  try {
    return scope.runBytes(config);
  } catch (error) {
    if (error instanceof RangeError) return Infinity;
    throw error;
  }
}

/**
 * The largest number below `high` that fits, where all smaller ones do too, or 0 when not even 1 does.
 * @param {number} high @param {(value: number) => boolean} fits
 */
export function largestBelow(high, fits) {
  let low = 0;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The largest value of one size with which the run fits, or 0 when not even 1 does.
 * @param {Scope} scope @param {any} config @param {string} field
 */
export const largestThatFits = (scope, config, field) =>
  largestBelow(config[field], (value) => runBytes(scope, { ...config, [field]: value }) <= scope.memoryLimit);

const SHRINKING = ['batch_size', 'seq_len', 'num_layers'];

/**
 * Why the core runs no layer of this config, whatever the memory; '' where it does.
 * @param {Scope} scope @param {any} config
 */
function refusalOf(scope, config) {
  try {
    scope.runBytes(config);
  } catch (error) {
    if (/** @type {any} */ (error).field) return /** @type {Error} */ (error).message;
  }
  return '';
}

/** @param {Scope} scope @param {any} config @returns {Needs} */
export function needsOf(scope, config) {
  const bytes = runBytes(scope, config);
  const fits = bytes <= scope.memoryLimit;
  const offers = SHRINKING.filter((field) => !fits && config[field] > 1)
    .map((field) => ({ field, value: largestThatFits(scope, config, field) }))
    .filter(({ value }) => value > 0);
  return { bytes, fits, refusal: Number.isFinite(bytes) ? '' : refusalOf(scope, config), offers };
}
