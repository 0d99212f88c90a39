// A table file: its bytes as rows of text, each with the line on which it begins, and the rows that cannot be read.

import { formatBytes } from '../format.js';
import { crc32 } from '../checksum.js';
import { decoded } from './encoding.js';
import { decimalOf } from './numbers.js';

/**
 * @typedef {{ line: number, cells: string[] }} Row
 * @typedef {{ line: number, reason: string }} BadRow
 *
 * @typedef {object} Table plain data
 * @property {string} name of the file
 * @property {number} bytes
 * @property {string} checksum
 * @property {Row[]} rows
 * @property {BadRow[]} bad
 * @property {import('./numbers.js').Decimal} [decimal] before the decimals of a number; a point where there is none
 * @property {string[]} [remarks] sentences on how the file was read, where that is not as usual
 */

export const LARGEST_FILE = 10 * 2 ** 20;
/** Reading goes on behind a row with wrong quotation marks; of more, the file is taken to be of another kind. */
const MOST_QUOTE_ERRORS = 200;

const NO_QUOTES_END = 'a quotation mark opens here, and none closes it';
const WRONG_QUOTES = 'a quotation mark within a quoted cell is not written twice';

/**
 * CSV as RFC 4180 and spreadsheets have it; the cells may be set apart by tabs, semicolons or bars too.
 * @param {string} name of the file
 * @param {Uint8Array} bytes
 * @returns {Promise<Table>}
 * @throws {RangeError} for what is no table, with the reason
 */
export async function readTable(name, bytes) {
  checkSize(name, bytes.length);
  const { default: papa } = await import('papaparse');
  const { text, remark } = decoded(name, bytes);
  const { good, bad, delimiter } = rowsOf(papa, name, text);
  if (good.length === 0) throw new RangeError(`${name} has no rows`);
  const decimal = decimalOf(good, delimiter);
  const remarks = [remark, nameless(good), decimal === ',' ? 'Numbers have a decimal comma.' : ''];
  return {
    ...{ name, bytes: bytes.length, checksum: crc32(bytes), rows: good, bad },
    ...{ decimal, remarks: remarks.filter(Boolean) }
  };
}

/**
 * R writes no name above the names of rows: the first row is then given an empty one.
 * @param {Row[]} rows @returns {string} a sentence on that, or ''
 */
function nameless([first, ...others]) {
  const wanted = first.cells.length + 1;
  if (wanted === 2 || others.length < 2 || others.some(({ cells }) => cells.length !== wanted)) return '';
  first.cells.unshift('');
  return 'The first row has one cell fewer than all others: the first column has no name.';
}

/** @param {string} name @param {number} size in bytes */
export function checkSize(name, size) {
  if (size > LARGEST_FILE)
    throw new RangeError(`${name} has ${formatBytes(size)}; at most ${formatBytes(LARGEST_FILE)} are read`);
}

/** @param {import('papaparse')} papa @param {string} name @param {string} text */
function rowsOf(papa, name, text) {
  /** @type {Row[]} */
  const good = [];
  /** @type {BadRow[]} */
  const bad = [];
  const [said = '', separator] = text.match(SEPARATOR) ?? [];
  const place = { line: said ? 2 : 1, at: said.length };
  const delimiter = separator ?? delimiterOf(papa, name, text);
  while (place.at < text.length) {
    const wrong = readOn(papa, text.slice(place.at), delimiter, (cells) => {
      if (cells.some((cell) => cell.trim() !== '')) good.push({ line: place.line, cells });
      place.line += 1 + cells.reduce((count, cell) => count + linesIn(cell), 0);
    });
    if (!wrong) break;
    bad.push({ line: place.line, reason: wrong });
    if (bad.length > MOST_QUOTE_ERRORS)
      throw new RangeError(`${name} has more than ${MOST_QUOTE_ERRORS} rows with unbalanced quotation marks`);
    place.at = startOf(text, (place.line += 1));
  }
  return { good, bad, delimiter };
}

/** The first line by which Excel is told, and tells others, how cells are set apart. */
const SEPARATOR = /^"?sep=([^\n"])"?\n/i;
const FIRST_ROWS = 20;
/** A comma comes last, as texts and numbers have commas too. */
const DELIMITERS = ['\t', ';', '|', ','];

/**
 * The character between cells: the most of the first rows have as many cells by it, and more than one.
 * @param {import('papaparse')} papa @param {string} name @param {string} text
 */
function delimiterOf(papa, name, text) {
  if (/\.(tsv|tab)$/i.test(name)) return '\t';
  const shares = DELIMITERS.map((delimiter) => {
    const { data } = papa.parse(text, { delimiter, preview: FIRST_ROWS, skipEmptyLines: true, newline: '\n' });
    return alikeShare(/** @type {string[][]} */ (data).map(({ length }) => length));
  });
  const best = Math.max(...shares);
  return best === 0 ? ',' : DELIMITERS[shares.indexOf(best)];
}

/** The share of rows that have the most frequent number of cells; 0 where that is one cell. @param {number[]} counts */
function alikeShare(counts) {
  const often = (/** @type {number} */ count) => counts.filter((one) => one === count).length;
  const usual = counts.toSorted((one, other) => often(other) - often(one) || other - one)[0];
  return usual > 1 ? often(usual) / counts.length : 0;
}

/**
 * Rows up to the first with wrong quotation marks.
 * @param {import('papaparse')} papa @param {string} text @param {string} delimiter
 * @param {(cells: string[]) => void} take
 * @returns {string} what is wrong, or ''
 */
function readOn(papa, text, delimiter, take) {
  let wrong = '';
  papa.parse(text, {
    delimiter,
    newline: '\n',
    step: ({ data, errors }, parser) => {
      const codes = errors.filter(({ type }) => type === 'Quotes').map(({ code }) => code);
      if (codes.length === 0) return take(/** @type {string[]} */ (data));
      wrong = codes.includes('MissingQuotes') ? NO_QUOTES_END : WRONG_QUOTES;
      parser.abort();
    }
  });
  return wrong;
}

/** @param {string} cell */
function linesIn(cell) {
  let count = 0;
  for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Where a line begins, counted from 1. @param {string} text @param {number} line */
function startOf(text, line) {
  let at = 0;
  for (let count = 1; count < line; count += 1) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}
