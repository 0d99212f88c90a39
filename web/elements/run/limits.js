// What a run needs, and the largest that fits. The core refuses by the same count; a test holds the two together.

/** @typedef {any} Scope */

/** @param {readonly number[]} shape */
const elements = (shape) => shape.reduce((product, length) => product * length, 1);

/** Null where only the smaller format can still be counted. @param {Scope} scope @param {any} config */
function float32Estimate(scope, config) {
  try {
    return scope.estimate({ ...config, dtype: 'float32' });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Bytes that running this configuration takes, in float32 whatever its number format: every tensor as if it lived to the end,
 * parameters with their packed copy, results with the copy that leaves.
 * @param {Scope} scope @param {any} config
 */
export function runBytes(scope, config) {
  const estimate = float32Estimate(scope, config);
  if (!estimate) return Infinity;
  const { timeline, inputs, memory } = estimate;
  let bytes = 2 * memory.parameters + memory.output;
  for (const tensor of timeline) bytes += tensor.bytes;
  for (const { shape, optional } of inputs) if (optional) bytes += 4 * elements(shape);
  return bytes;
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
