// A table file: its bytes as rows of text, each with the line on which it begins, and the rows that cannot be read.

import { formatBytes } from '../format.js';
import { crc32 } from '../checksum.js';

/**
 * @typedef {{ line: number, cells: string[] }} Row
 * @typedef {{ line: number, reason: string }} BadRow
 * @typedef {{ name: string, bytes: number, checksum: string, rows: Row[], bad: BadRow[] }} Table plain data
 */

export const LARGEST_FILE = 10 * 2 ** 20;
/** Reading goes on behind a row with wrong quotation marks; of more, the file is taken to be of another kind. */
const MOST_QUOTE_ERRORS = 200;

const NO_QUOTES_END = 'a quotation mark opens here, and none closes it';
const WRONG_QUOTES = 'a quotation mark within a quoted cell is not written twice';

/**
 * CSV as RFC 4180 has it, in UTF-8; the cells may be set apart by tabs, semicolons or bars too.
 * @param {string} name of the file
 * @param {Uint8Array} bytes
 * @returns {Promise<Table>}
 * @throws {RangeError} for what is no table, with the reason
 */
export async function readTable(name, bytes) {
  checkSize(name, bytes.length);
  const { default: papa } = await import('papaparse');
  const rows = rowsOf(papa, name, textOf(name, bytes));
  if (rows.good.length === 0) throw new RangeError(`${name} has no rows`);
  return { name, bytes: bytes.length, checksum: crc32(bytes), rows: rows.good, bad: rows.bad };
}

/** @param {string} name @param {number} size in bytes */
export function checkSize(name, size) {
  if (size > LARGEST_FILE)
    throw new RangeError(`${name} has ${formatBytes(size)}; at most ${formatBytes(LARGEST_FILE)} are read`);
}

/** Line ends as `\n`. @param {string} name @param {Uint8Array} bytes */
function textOf(name, bytes) {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new RangeError(`${name} is in UTF-16; save it as UTF-8`);
  if (bytes.includes(0)) throw new RangeError(`${name} is no text but binary data`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r\n?/g, '\n');
  } catch (error) {
    throw new RangeError(`${name} is not in UTF-8; save it in that encoding`, { cause: error });
  }
}

/** @param {import('papaparse')} papa @param {string} name @param {string} text */
function rowsOf(papa, name, text) {
  /** @type {Row[]} */
  const good = [];
  /** @type {BadRow[]} */
  const bad = [];
  const place = { line: 1, at: 0 };
  const delimiter = delimiterOf(papa, name, text);
  while (place.at < text.length) {
    const wrong = readOn(papa, text.slice(place.at), delimiter, (cells) => {
      if (cells.length > 1 || cells[0] !== '') good.push({ line: place.line, cells });
      place.line += 1 + cells.reduce((count, cell) => count + linesIn(cell), 0);
    });
    if (!wrong) break;
    bad.push({ line: place.line, reason: wrong });
    if (bad.length > MOST_QUOTE_ERRORS)
      throw new RangeError(`${name} has more than ${MOST_QUOTE_ERRORS} rows with unbalanced quotation marks`);
    place.at = startOf(text, (place.line += 1));
  }
  return { good, bad };
}

const FIRST_ROWS = 20;

/**
 * What sets cells apart, found by the first rows.
 * @param {import('papaparse')} papa @param {string} name @param {string} text
 */
const delimiterOf = (papa, name, text) =>
  /\.(tsv|tab)$/i.test(name)
    ? '\t'
    : papa.parse(text, { preview: FIRST_ROWS, skipEmptyLines: true, newline: '\n' }).meta.delimiter;

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
