// Whether the first row of a table names its columns: by evidence over all columns, each of which compares its first
// cell with those below. A proposal, which the reader can change.

import { isMissing, numberIn } from './numbers.js';

/** @typedef {import('./table.js').Table} Table */

/** Rows that are looked at. */
const LOOKED_AT = 1000;
const MOSTLY = 0.9;
const LONGEST_NAME = 60;
/** Words that name a column, in English and in data sets. */
const NAMES =
  /^(id|index|idx|label|class|target|category|sentiment|species|kind|type|x|y|text|sentence|review|message|comment|content|body|title|tweet|name|date|time|age|v\d+|unnamed: \d+)s?$/i;
const YEARS = { first: 1800, last: 2100 };

/** @param {Table} table */
export function hasHeader({ rows: [{ cells: first }, ...rest], decimal = '.' }) {
  if (rest.length === 0) return false;
  const below = rest.slice(0, LOOKED_AT);
  const numbers = first.map((cell) => numberIn(cell, decimal));
  const columns = first.map((cell, at) => ({ cell: cell.trim(), ...columnOf(below, at, decimal) }));
  const areNames = areNamesInOrder(
    numbers,
    below.map(({ cells }) => cells.map((cell) => numberIn(cell, decimal))),
    columns.map(({ areNumbers }) => areNumbers)
  );
  let sum = areNames ? 2 : 0;
  columns.forEach((column, at) => (sum += vote(column, !Number.isNaN(numbers[at]), areNames)));
  return sum === 0 ? numbers.every(Number.isNaN) && columns.every(({ cell }) => cell !== '') : sum > 0;
}

/** What stands below a column's first cell. @param {Table['rows']} rows @param {number} at @param {any} decimal */
function columnOf(rows, at, decimal) {
  const cells = rows.flatMap(({ cells }) => cells[at]?.trim() || []);
  const known = cells.filter((cell) => !isMissing(cell));
  const numbers = known.map((cell) => numberIn(cell, decimal)).filter((number) => !Number.isNaN(number));
  return {
    cells,
    areNumbers: known.length > 0 && numbers.length >= MOSTLY * known.length,
    countRows: isCount(numbers) && numbers.length === rows.length
  };
}

/** Whether numbers count on by one. @param {readonly number[]} numbers */
export const isCount = (numbers) =>
  numbers.length > 1 && numbers.every((number, at) => at === 0 || number === numbers[at - 1] + 1);

/**
 * How much a column speaks for names in the first row, or, below 0, against them.
 * @param {{ cell: string } & ReturnType<typeof columnOf>} column
 * @param {boolean} isNumber whether its first cell is a number @param {boolean} areNames whether such numbers are names
 */
function vote({ cell, cells, areNumbers, countRows }, isNumber, areNames) {
  if (cell === '') return countRows ? 2 : 0; // pandas gives its index no name
  if (areNumbers) {
    if (isNumber) return areNames ? 0 : -2;
    return isMissing(cell) ? -1 : 2;
  }
  if (cell.length > LONGEST_NAME) return -2;
  if (isNumber || cells.length === 0) return 0;
  return voteOfText(cell, cells);
}

/** @param {string} cell @param {readonly string[]} cells below it */
function voteOfText(cell, cells) {
  const different = new Set(cells).size;
  const often = cells.length / different;
  const found = cells.filter((one) => one === cell).length;
  const isValue = often >= 2 && found >= often / 2; // as often as other values of the column
  if (isValue) return -2;
  if (NAMES.test(cell)) return 2;
  if (often >= 2) return found > 0 ? 0 : 1;
  return voteOfSentence(cell, cells) || (found > 0 ? -1 : 0);
}

/**
 * In a column of sentences a name is a word, and a cell with spaces that is about as long as the others a sentence.
 * @param {string} cell @param {readonly string[]} cells
 */
function voteOfSentence(cell, cells) {
  const sentences = cells.filter((one) => /\s/.test(one)).length;
  if (sentences < cells.length / 2) return 0;
  if (!/\s/.test(cell)) return 1;
  const lengths = cells.map(({ length }) => length).sort((one, other) => one - other);
  return cell.length >= lengths[lengths.length >> 1] / 2 ? -1 : 0;
}

/**
 * Whether the numbers of the first row are names: years, or as pandas names columns that have none, 0, 1, 2, and the
 * rows below are not like that.
 * @param {readonly number[]} first @param {readonly (readonly number[])[]} rows @param {readonly boolean[]} areNumbers
 */
function areNamesInOrder(first, rows, areNumbers) {
  const ofColumns = (/** @type {readonly number[]} */ row) =>
    row.filter((number, at) => areNumbers[at] && !Number.isNaN(first[at]) && !Number.isNaN(number));
  const names = ofColumns(first);
  const isOrdered = isCount(names) && names.length > 2;
  const areYears = names.length > 1 && new Set(names).size === names.length && names.every(isYear);
  if (!isOrdered && !areYears) return false;
  const isLike = isOrdered ? isCount : (/** @type {number[]} */ row) => row.every(isYear);
  return rows.filter((row) => isLike(ofColumns(row))).length < rows.length / 10;
}

const isYear = (/** @type {number} */ number) =>
  Number.isInteger(number) && number >= YEARS.first && number <= YEARS.last;
