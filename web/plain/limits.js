// What a run needs, and the largest that fits. The core refuses by the same count.

/** @typedef {any} Scope */

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
