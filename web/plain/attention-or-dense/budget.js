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
  const divisor = width === 'hidden_size' && fields.pooling === 'multihead' ? fields.num_heads : heads(fields, width);
  const made = (/** @type {number} */ size) => ({ ...fields, [String(width)]: size * divisor });
  const count = (/** @type {number} */ size) => parametersOf(scope, { ...base, ...made(size) });
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

/** @param {Record<string, any>} fields @param {string | undefined} width */
const heads = (fields, width) => (width === 'hidden_size' && fields.encoder === 'transformer' ? fields.num_heads : 1);

/** @param {Sizer} scope @param {Record<string, any>} config */
export const parametersOf = (scope, config) => scope.estimate(/** @type {any} */ (config), { steps: false }).parameters;
