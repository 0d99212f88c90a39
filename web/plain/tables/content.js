// What the cells of a column hold.

import { isMissing, numberIn } from './numbers.js';

/** A column is one of numbers if this share of its known cells are. */
const MOSTLY = 0.9;

/**
 * @param {import('./table.js').Table['rows']} rows @param {number} at the column
 * @param {import('./numbers.js').Decimal} [decimal]
 * @returns {{ filled: string[], known: string[], values: number[], numbers: boolean }} `filled`: cells that are not
 *   empty; `known`: those that are not missing; `values`: those that are numbers; `numbers`: whether nearly all are
 */
export function contentOf(rows, at, decimal) {
  const filled = rows.flatMap(({ cells }) => cells[at]?.trim() || []);
  const known = filled.filter((cell) => !isMissing(cell));
  const values = known.map((cell) => numberIn(cell, decimal)).filter((number) => !Number.isNaN(number));
  return { filled, known, values, numbers: known.length > 0 && values.length >= MOSTLY * known.length };
}

/** Whether numbers count on by one. @param {readonly number[]} numbers */
export const isCount = (numbers) =>
  numbers.length > 1 && numbers.every((number, at) => at === 0 || number === numbers[at - 1] + 1);
