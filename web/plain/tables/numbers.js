// Numbers as people write them in tables, and what they write where a number is missing.

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** Groups of three digits, set apart by points or spaces, in front of a decimal comma. */
const GROUPED = /^([+-]?\d{1,3})((?:[.\s]\d{3})+)(?=,|$)/;
const GROUPS_BY_COMMAS = /^[+-]?\d{1,3}(,\d{3})+$/;
const COMMA = /^[+-]?(\d+|\d{1,3}([.\s]\d{3})+),\d+$/;
const POINT = /^[+-]?(\d+|\d{1,3}(,\d{3})+)\.\d+$/;
/** As pandas.read_csv has them by default, and the question mark of many public tables. */
const MISSING = /^(|\?|-|--|\.|<na>|#?n\/?a|-?nan|null|none)$/i;

/** Letters that a number has at most. */
const LONGEST = 60;
/** Cells that show how numbers are written. */
const LOOKED_AT = 20_000;

/** @typedef {'.' | ','} Decimal what stands before the decimals of a number */

/**
 * A cell as a number, NaN where it is none.
 * @param {string} cell @param {Decimal} [decimal]
 */
export function numberIn(cell, decimal = '.') {
  if (cell.length > LONGEST) return NaN;
  const text = plain(cell);
  const written = decimal === ',' ? withPoint(text) : text;
  return NUMBER.test(written) ? Number(written) : NaN;
}

/** @param {string} cell */
export const isMissing = (cell) => MISSING.test(cell.trim());

/** ASCII for digits and signs of full width, and for the minus sign. @param {string} cell */
const plain = (cell) => (/[^ -~]/.test(cell) ? cell.normalize('NFKC').replace('−', '-') : cell).trim();

/** A number with a decimal comma, written with a point; '' where decimals have a point. @param {string} text */
function withPoint(text) {
  const written = text.replace(GROUPED, (_, first, groups) => first + groups.replace(/[.\s]/g, ''));
  return written.includes('.') ? '' : written.replace(',', '.');
}

/**
 * What stands before the decimals of a table's numbers. Behind semicolons a comma, unless more numbers have a point;
 * elsewhere a comma only where it cannot set thousands apart.
 * @param {readonly { cells: readonly string[] }[]} rows @param {string} delimiter between cells
 * @returns {Decimal}
 */
export function decimalOf(rows, delimiter) {
  if (delimiter === ',') return '.';
  const isComma = (/** @type {string} */ cell) =>
    COMMA.test(cell) && (delimiter === ';' || !GROUPS_BY_COMMAS.test(cell));
  let [commas, points, count] = [0, 0, 0];
  for (const { cells } of rows) {
    for (const cell of cells) {
      const text = cell.length > LONGEST ? '' : plain(cell);
      commas += Number(isComma(text));
      points += Number(POINT.test(text));
    }
    if ((count += cells.length) > LOOKED_AT) break;
  }
  return commas > points ? ',' : '.';
}
