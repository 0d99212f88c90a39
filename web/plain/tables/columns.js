// The columns of a table: their names, and what their cells hold.

import { contentOf, isCount } from './content.js';
import { splitters } from './words.js';

/**
 * @typedef {import('./table.js').Table} Table
 *
 * @typedef {object} Column
 * @property {string} name
 * @property {number} at
 * @property {boolean} numbers whether nearly all cells are numbers, but for those that are missing
 * @property {boolean} countsRows whether it is an index: its numbers count the rows, or name each of them
 * @property {boolean} empty whether most of its cells are empty or missing
 * @property {number} different how many different values it has
 * @property {number} length of a cell in letters, on average
 * @property {boolean} namesRows whether each row has a word of its own, as a name or a key
 */

/** Rows that say what a column holds. */
const LOOKED_AT = 1000;
/** Names of an index, whose numbers may come in any order, and of a column that must count the rows to be an index. */
const INDEX_NAMES = /^(unnamed: 0|id|index|idx)$/i;
const COUNT_NAMES = /^(column 1|row|nr\.?|no\.?|#)$/i;

/**
 * The names of the columns, each different.
 * @param {Table} table @param {boolean} header whether the first row has them
 */
export function columnNames({ rows: [{ cells }] }, header) {
  /** @type {Set<string>} */
  const names = new Set();
  cells.forEach((cell, at) => {
    const name = (header && cell.trim()) || `column ${at + 1}`;
    let own = name;
    for (let count = 2; names.has(own); count += 1) own = `${name} (${count})`;
    names.add(own);
  });
  return [...names];
}

/** Columns by table, with its first row as names or without: every change of a setting asks again. */
const found = /** @type {Record<string, WeakMap<Table, Column[]>>} */ ({ true: new WeakMap(), false: new WeakMap() });

/** @param {Table} table @param {boolean} header @returns {readonly Column[]} */
export function columnsOf(table, header) {
  const known = found[String(header)];
  const columns = known.get(table) ?? columnNames(table, header).map((name, at) => columnOf(table, header, name, at));
  known.set(table, columns);
  return columns;
}

/** @param {Table} table @param {boolean} header @param {string} name @param {number} at @returns {Column} */
function columnOf({ rows, decimal }, header, name, at) {
  const looked = rows.slice(Number(header), LOOKED_AT);
  const { filled, known, values, numbers } = contentOf(looked, at, decimal);
  const different = new Set(filled).size;
  return {
    ...{ name, at, numbers },
    countsRows: values.length === looked.length && isIndex(name, values),
    empty: 2 * known.length < looked.length,
    different: numbers ? new Set(known).size : different,
    length: filled.reduce((sum, cell) => sum + cell.length, 0) / Math.max(1, filled.length),
    namesRows: different === looked.length && filled.every((cell) => splitters.words(cell).length === 1)
  };
}

/** @param {string} name @param {readonly number[]} values */
const isIndex = (name, values) =>
  (COUNT_NAMES.test(name) && isCount(values)) ||
  (INDEX_NAMES.test(name) && new Set(values).size === values.length && values.every(Number.isInteger));

/**
 * The columns of numbers, but for the label, an index, and those that are mostly empty.
 * @param {Table} table @param {boolean} header @param {number} label
 */
export const numberColumns = (table, header, label) =>
  columnsOf(table, header).flatMap((column) =>
    column.at !== label && column.numbers && !column.countsRows && !column.empty ? [column.at] : []
  );

/** Why a column is not among those of numbers; '' where its content says so. @param {Column} column */
export function whyUnused({ countsRows, empty }) {
  if (countsRows) return 'numbers the rows';
  return empty ? 'mostly empty' : '';
}
