// What a figure is beside another one, in a few letters: an alternative's beside this layer's, the present beside the
// pinned.

import { formatShort } from './format.js';

const THIN = '\u202f';
const DIGITS = 3;

/**
 * A ratio as the site writes it: `× 3.11`, `× 1,030`, `× 0.0155`, with three significant digits, and as a decimal
 * whether it is above or below one.
 * @param {number} ratio
 */
export const ratioText = (ratio) => `×${THIN}${ratioDigits(ratio)}`;

/** @param {number} ratio */
function ratioDigits(ratio) {
  const rounded = Number(ratio.toPrecision(DIGITS));
  return rounded < 1000 ? String(rounded) : formatShort(rounded);
}

/**
 * How many times another figure it is: `× 3.11`, `same`, `≈ same` where three digits show no difference, a dash where
 * there is no ratio.
 * @param {number | null} value
 * @param {number | null} other
 */
export function timesText(value, other) {
  if (value === null || other === null) return '–';
  if (value === other) return 'same';
  if (other === 0) return '–';
  const ratio = value / other;
  return Number(ratio.toPrecision(DIGITS)) === 1 ? '≈ same' : ratioText(ratio);
}

/** Nearer to 1 than this, a ratio says less than the difference. */
const NEAR = 0.1;

/**
 * What became of a figure: `× 10`, `same`, or the difference where a ratio says little or nothing: `+ 128`,
 * `− 12.4 M`. '' where one of them is missing.
 * @param {number | null} now
 * @param {number | null} before
 * @param {(value: number) => string} short how such a figure is written
 */
export function changeText(now, before, short) {
  if (now === null || before === null) return '';
  if (now === before) return 'same';
  const ratio = now / before;
  if (before !== 0 && now !== 0 && Math.abs(ratio - 1) >= NEAR) return ratioText(ratio);
  return `${now > before ? '+' : '−'}${THIN}${short(Math.abs(now - before))}`;
}

/**
 * The same as a line below the figure, with what it is held against: `× 10, pinned 3.25 G`.
 * @param {number | null} now
 * @param {number | null} before
 * @param {(value: number) => string} short
 */
export function changeLine(now, before, short) {
  const change = changeText(now, before, short);
  if (before === null || change === '') return '';
  return change === 'same' ? 'same as pinned' : `${change}, pinned ${short(before)}`;
}
