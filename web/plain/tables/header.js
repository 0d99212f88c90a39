// Whether the first row of a table names its columns: by evidence over all columns, each of which compares its first
// cell with those below. A proposal, which the reader can change.

import { contentOf, isCount } from './content.js';
import { isMissing, numberIn } from './numbers.js';

/**
 * @typedef {import('./table.js').Table} Table
 *
 * @typedef {object} Column
 * @property {number} at
 * @property {string} cell the first
 * @property {number} number that it is, NaN for none
 * @property {string[]} cells below it, but for empty ones
 * @property {boolean} areNumbers whether nearly all of those are numbers
 * @property {boolean} countRows whether they count the rows
 */

/** Rows that are looked at. */
const LOOKED_AT = 1000;
const LONGEST_NAME = 60;
/** Words that name a column, in English and in data sets. */
const NAMES =
  /^(id|index|idx|label|class|target|category|sentiment|species|kind|type|x|y|text|sentence|review|message|comment|content|body|title|tweet|name|date|time|age|v\d+|unnamed: \d+)s?$/i;
const YEARS = { first: 1800, last: 2100 };

/** @param {Table} table */
export function hasHeader({ rows: [{ cells: first }, ...rest], decimal }) {
  if (rest.length === 0) return false;
  const below = rest.slice(0, LOOKED_AT);
  const columns = first.map((text, at) => {
    const cell = text.trim();
    const { filled, values, numbers } = contentOf(below, at, decimal);
    const countRows = values.length === below.length && isCount(values);
    return { at, cell, number: numberIn(cell, decimal), cells: filled, areNumbers: numbers, countRows };
  });
  const areNames = areNamesInOrder(columns, (at) => below.map(({ cells }) => numberIn(cells[at] ?? '', decimal)));
  const sum = columns.reduce((all, column) => all + vote(column, areNames), areNames ? 2 : 0);
  return sum === 0 ? columns.every(({ cell, number }) => cell !== '' && Number.isNaN(number)) : sum > 0;
}

/**
 * How much a column speaks for names in the first row, or, below 0, against them.
 * @param {Column} column @param {boolean} areNames whether numbers of the first row are names
 * @returns {number}
 */
function vote({ cell, number, cells, areNumbers, countRows }, areNames) {
  const isNumber = !Number.isNaN(number);
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
 * @param {readonly Column[]} columns @param {(at: number) => number[]} below the numbers of a column, NaN for none
 */
function areNamesInOrder(columns, below) {
  const named = columns.filter(({ number, areNumbers }) => areNumbers && !Number.isNaN(number));
  const names = named.map(({ number }) => number);
  const isOrdered = isCount(names) && names.length > 2;
  const areYears = names.length > 1 && new Set(names).size === names.length && names.every(isYear);
  if (!isOrdered && !areYears) return false;
  const numbers = named.map(({ at }) => below(at));
  const rows = numbers[0].map((_, row) => numbers.map((column) => column[row]).filter((one) => !Number.isNaN(one)));
  const isLike = isOrdered ? isCount : (/** @type {number[]} */ row) => row.every(isYear);
  return rows.filter(isLike).length < rows.length / 10;
}

const isYear = (/** @type {number} */ number) =>
  Number.isInteger(number) && number >= YEARS.first && number <= YEARS.last;
