// Which positions of what is drawn stand out, by the pattern of the inputs.

import { isNeeded } from '../../plain/inputs.js';
import { planeOf } from '../../plain/own-numbers.js';
import { patternOf } from '../../plain/patterns.js';
import { POSITIONS } from '../heat-map/drawn.js';

/**
 * @param {import('../heat-map/drawn.js').Drawn} drawn
 * @param {readonly import('../../plain/inputs.js').Input[]} inputs
 * @param {import('../../plain/inputs.js').Given} given
 * @returns {import('../heat-map/marks.js').Marks} none where tokens go in, which have no pattern
 */
export function marksOf({ axes, tensor: { shape } }, inputs, { pattern }) {
  const needed = inputs.filter(isNeeded);
  const lengths = needed.some(({ integer }) => integer) ? [] : needed.map((input) => planeOf(input.shape)[0]);
  const along = (/** @type {number} */ at) => {
    const length = shape.at(at) ?? 0;
    const has = POSITIONS.includes(axes.at(at) ?? '') && lengths.includes(length);
    return has ? (patternOf(pattern)?.marks(length) ?? []) : [];
  };
  return { rows: along(-2), columns: along(-1) };
}
