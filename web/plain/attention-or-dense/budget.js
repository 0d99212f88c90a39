// Layers of about the same number of parameters: the width of each is solved by the estimate.

import { widened } from './variants.js';

/** @typedef {import('./variants.js').Variant} Variant */
/** @typedef {Pick<import('../../lib/index.js').Attnscope, 'estimate'>} Sizer */

const WIDEST = 2 ** 16;

/**
 * The variant with about so many parameters. Widths go in steps of the heads that share them.
 * @param {Sizer} scope
 * @param {Record<string, any>} base the config that all variants share
 * @param {Variant} variant
 * @param {number} budget parameters
 * @returns {{ variant: Variant, parameters: number }}
 */
export function matched(scope, base, variant, budget) {
  const wide = widened(variant);
  const { fields, width } = wide;
  const divisor = width === 'hidden_size' ? headsOf(fields) : 1;
  const made = (/** @type {number} */ size) => ({ ...fields, [String(width)]: size * divisor });
  const count = (/** @type {number} */ size) => sizeOf(scope, { ...base, ...made(size) }).parameters;
  let [low, high] = [1, 1];
  while (count(high) < budget && high * divisor < WIDEST) high *= 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (count(middle) < budget) low = middle;
    else high = middle;
  }
  const distance = (/** @type {number} */ size) => Math.abs(count(size) - budget);
  const size = distance(low) <= distance(high) ? low : high;
  return { variant: { ...wide, fields: made(size) }, parameters: count(size) };
}

/** How many heads share the features. @param {Record<string, any>} fields */
const headsOf = ({ pooling, encoder, num_heads }) =>
  pooling === 'multihead' || encoder === 'transformer' ? num_heads : 1;

/** @param {Sizer} scope @param {Record<string, any>} config @returns {{ parameters: number, macs: number }} */
export const sizeOf = (scope, config) => scope.estimate(/** @type {any} */ (config), { steps: false });
