// What a map says of the cell that is pointed at, or else of all its numbers.

import { formatSigned } from '../../plain/format.js';
import { sumText } from './numbers.js';

/**
 * The sum of the cell's row is said where it does not stand beside it.
 * @param {Pick<import('./heat-map.js').HeatMap,
 *   'drawn' | 'grid' | 'cell' | 'mask' | 'words' | 'sums' | 'spread' | 'layout'>} map
 */
export function readout({ drawn, grid, cell, mask, words, sums, spread, layout }) {
  if (!drawn || !grid) return '';
  const { axes, weights } = drawn;
  if (!cell) return weights ? `uniform would be ${formatSigned(1 / grid.columns)}` : spread;
  const { row, column } = cell;
  const at = row * grid.columns + column;
  const closed = mask && !mask[at] ? ', masked' : '';
  const sum = sums && !layout?.sums ? `; its row sums to ${sumText(sums[row])}` : '';
  return `${placeText(axes, words, cell)}: ${formatSigned(grid.data[at])}${closed}${sum}`;
}

/**
 * `query 3 (cat), key 1 (the)`.
 * @param {readonly string[]} axes @param {import('./layout.js').Words} words @param {import('./moved.js').Cell} cell
 */
export function placeText(axes, words, { row, column }) {
  const [down, across] = [named(row, words.rows), named(column, words.columns)];
  return axes.length > 1 ? `${axes.at(-2)} ${down}, ${axes.at(-1)} ${across}` : `${axes[0]} ${across}`;
}

/** @param {number} index @param {readonly string[] | null} words */
const named = (index, words) => (words ? `${index} (${words[index]})` : String(index));

/** `Weights of batch 0, head 3`. @param {import('./drawn.js').Drawn} drawn @param {readonly number[]} lead */
export function captionOf({ name, axes, planes }, lead) {
  const of = planes?.names[lead.at(-1) ?? 0] ?? lead.map((at, index) => `${axes[index]} ${at}`).join(', ');
  const title = name.includes('.') ? name : `${name[0].toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`; // of a parameter
  return `${title}${of ? ` of ${of}` : ''}`;
}
