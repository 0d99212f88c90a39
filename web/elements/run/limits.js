// What a run needs, and the largest that fits.

/** @typedef {any} Scope */

/** Bytes that running this configuration takes: running is float32 whatever the number format. @param {Scope} scope @param {any} config */
export const runBytes = (scope, config) => scope.estimate({ ...config, dtype: 'float32' }).memory.inference_total;

/**
 * The largest value of one size with which the run fits, or 0 when not even 1 does.
 * @param {Scope} scope @param {any} config @param {string} field
 */
export function largestThatFits(scope, config, field) {
  let low = 0;
  let high = config[field];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (runBytes(scope, { ...config, [field]: middle }) <= scope.memoryLimit) low = middle;
    else high = middle;
  }
  return low;
}
