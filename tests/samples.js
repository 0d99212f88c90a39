// Values to try of a layer's field. What a field says of itself decides, so that a new one needs no row here.

/** @typedef {import('../web/lib/types.js').Field} Field */

/** Whether a value is in a field's range. @param {Field} field @param {number} value */
export const inRange = ({ min = -Infinity, max = Infinity, above_min }, value) =>
  (above_min ? value > min : value >= min) && value <= max;

/**
 * The samples of an integer or a number, or else a few numbers around its default that are in its range, the default
 * last.
 * @param {Field} field
 * @returns {number[]}
 */
export function samplesOf(field) {
  if (field.samples) return field.samples;
  const middle = Number(field.default ?? Math.max(field.min ?? 1, 1));
  const around = field.type === 'integer' ? [middle + 1, middle + 2] : [2 * middle, middle / 2];
  return [...around, middle].filter((value) => inRange(field, value));
}
