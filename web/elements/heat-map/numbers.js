// The numbers in the cells of a small map, and the sums of rows of weights.

import { formatSigned } from '../../plain/format.js';

/** @typedef {import('./raster.js').Grid} Grid */
/** @typedef {{ texts: string[], size: number }} Numbers a text for each cell, in pixels of CSS */

/** Of more cells no number is read any more. */
const MOST_CELLS = 400;
const SIZES = [13, 12, 11, 10];
/** Around a text in its cell. */
const [BESIDE, ABOVE] = [3, 2];
const MOST_DECIMALS = 6;

/**
 * The most exact texts that fit the cells; null where none do.
 * @param {Grid} grid
 * @param {{ width: number, height: number }} cell
 * @param {(text: string) => number} widthOf in its own size
 * @returns {Numbers | null}
 */
export function numbersOf(grid, cell, widthOf) {
  if (grid.rows * grid.columns > MOST_CELLS) return null;
  for (const write of writers(grid)) {
    const texts = Array.from(grid.data, write);
    const widest = Math.max(...texts.map(widthOf));
    const size = SIZES.find((one) => widest * one + 2 * BESIDE <= cell.width && one + 2 * ABOVE <= cell.height);
    if (size) return { texts, size };
  }
  return null;
}

/**
 * Three digits of the scale's largest number, or two, or two without the 0 before the point: equally many decimals in
 * every cell.
 * @param {Grid} grid @returns {((value: number) => string)[]}
 */
function writers({ data, high }) {
  if (data.every((value) => Number.isInteger(value) || !Number.isFinite(value))) return [(value) => written(value, 0)];
  const places = Math.ceil(Math.log10(high));
  const [three, two] = [3, 2].map((digits) => Math.max(0, digits - places));
  const all = [
    { decimals: three, bare: false },
    { decimals: two, bare: false },
    { decimals: two, bare: true }
  ];
  return all
    .filter(({ decimals }) => decimals <= MOST_DECIMALS)
    .map(
      ({ decimals, bare }) =>
        (value) =>
          bare ? written(value, decimals).replace('0.', '.') : written(value, decimals)
    );
}

/**
 * A whole number without decimals: so that a weight that is 0 differs from one that is nearly 0.
 * @param {number} value @param {number} decimals
 */
function written(value, decimals) {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 ? '−' : '';
  if (!Number.isFinite(value)) return `${sign}∞`;
  return sign + (Number.isInteger(value) ? String(Math.abs(value)) : Math.abs(value).toFixed(decimals));
}

/** Of finite numbers. @param {Grid} grid */
export const rowSums = ({ data, rows, columns }) =>
  Array.from({ length: rows }, (_, row) =>
    data.subarray(row * columns, (row + 1) * columns).reduce((a, b) => (Number.isFinite(b) ? a + b : a), 0)
  );

/** Three decimals, which hides what float32 rounds. @param {number} sum */
export const sumText = (sum) => formatSigned(Math.round(sum * 1000) / 1000);

/** A mean of less than so many deviations is what rounding leaves of 0. */
const NOTHING = 1e-5;

/** Of finite numbers. @param {Grid} grid */
export function spreadText({ data }) {
  const values = data.filter(Number.isFinite);
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length);
  if (!values.length) return '';
  const center = Math.abs(mean) < NOTHING * deviation ? 0 : mean;
  return `mean ${formatSigned(center)}, standard deviation ${formatSigned(deviation)}`;
}

/** What there is to say of all rows together. @param {readonly number[]} sums */
export function sumsText(sums) {
  const texts = sums.map(sumText);
  if (texts.every((text) => text === '1')) return 'Every row sums to 1.';
  const others = texts.filter((text) => text !== '1').length;
  const [least, most] = [Math.min(...sums), Math.max(...sums)].map(sumText);
  return least === most
    ? `Every row sums to ${least}.`
    : `Rows sum to between ${least} and ${most}; ${others} of ${sums.length} not to 1.`;
}
