// What a run needs, and the largest that fits. The core refuses by the same count.

/**
 * @typedef {import('../lib/index.js').Attnscope} Scope
 * @typedef {{ bytes: number, fits: boolean, refusal?: string, offers: { field: string, value: number }[] }} Needs
 *   `refusal`: of a field that no run may have; `offers`: where it does not fit, the largest value of a size with which
 *   it does
 */

/**
 * Bytes that a run takes, Infinity for more than can be counted; and why the core runs no layer of this config,
 * whatever the memory, '' where it does.
 * @param {Scope} scope @param {any} config
 */
function tried(scope, config) {
  try {
    return { bytes: scope.runBytes(config), refusal: '' };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { bytes: Infinity, refusal: /** @type {any} */ (error).field ? error.message : '' };
  }
}

/** Bytes that a run takes; Infinity where there is none. @param {Scope} scope @param {any} config */
export const runBytes = (scope, config) => tried(scope, config).bytes;

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

/** @param {Scope} scope @param {any} config @returns {Needs} */
export function needsOf(scope, config) {
  const { bytes, refusal } = tried(scope, config);
  const fits = bytes <= scope.memoryLimit;
  const offers = SHRINKING.filter((field) => !fits && config[field] > 1)
    .map((field) => ({ field, value: largestThatFits(scope, config, field) }))
    .filter(({ value }) => value > 0);
  return { bytes, fits, refusal, offers };
}
