// What the columns of a table hold: names, numbers, a label, a text. Found by names and by content, as a proposal that
// the reader can change.

import { splitters } from './words.js';

/** @typedef {import('./table.js').Table} Table */

const LABEL_NAMES = /^(label|class|target|category|sentiment|species|kind|type|y)s?$/i;
const TEXT_NAMES = /^(text|sentence|review|message|comment|content|body|title|tweet)s?$/i;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** So many rows say what a column holds. */
const LOOKED_AT = 1000;
/** A column is one of numbers if so many of its cells are. */
const MOSTLY = 0.9;
const LONGEST_NAME = 60;

/** A cell as a number, NaN where it is none. @param {string} cell */
export const numberIn = (cell) => (NUMBER.test(cell.trim()) ? Number(cell) : NaN);

/**
 * The names of the columns, each different.
 * @param {Table} table @param {boolean} header whether the first row has them
 */
export function columnNames({ rows: [{ cells }] }, header) {
  /** @type {string[]} */
  const names = [];
  cells.forEach((cell, at) => {
    const name = (header && cell.trim()) || `column ${at + 1}`;
    let own = name;
    for (let count = 2; names.includes(own); count += 1) own = `${name} (${count})`;
    names.push(own);
  });
  return names;
}

/**
 * Whether the first row names columns: no cell is empty, long, a number, or found again below.
 * @param {Table} table
 */
function hasHeader({ rows: [{ cells: first }, ...rest] }) {
  if (rest.length === 0 || new Set(first).size < first.length) return false;
  const seen = rest.slice(0, LOOKED_AT);
  return first.every(
    (cell, at) =>
      cell.trim() !== '' &&
      cell.length <= LONGEST_NAME &&
      Number.isNaN(numberIn(cell)) &&
      !seen.some(({ cells }) => cells[at] === cell)
  );
}

/** What a column holds. @param {Table} table @param {boolean} header @param {number} at */
function contentOf({ rows }, header, at) {
  const cells = rows.slice(Number(header), LOOKED_AT).flatMap(({ cells }) => cells[at]?.trim() || []);
  const count = Math.max(1, cells.length);
  return {
    numbers: cells.filter((cell) => !Number.isNaN(numberIn(cell))).length >= MOSTLY * count && cells.length > 0,
    different: new Set(cells).size,
    length: cells.reduce((sum, cell) => sum + cell.length, 0) / count
  };
}

/**
 * The columns whose cells are numbers, but for the label.
 * @param {Table} table @param {boolean} header @param {number} label
 */
export const numberColumns = (table, header, label) =>
  columnNames(table, header).flatMap((_, at) => (at !== label && contentOf(table, header, at).numbers ? [at] : []));

/**
 * The settings that fit a table, where others are not given.
 * @param {Table} table
 * @param {{ header?: unknown, form?: unknown, label_column?: unknown, text_column?: unknown }} [given]
 */
export function proposed(table, given = {}) {
  const header = given.header === undefined || given.header === '' ? hasHeader(table) : String(given.header) === 'true';
  const names = columnNames(table, header);
  const columns = names.map((name, at) => ({ name, at, ...contentOf(table, header, at) }));
  const named = (/** @type {unknown} */ name) => columns.find((column) => column.name === name);
  const label = named(given.label_column) ?? labelOf(columns);
  const others = columns.filter(({ at }) => at !== label.at);
  const texts = others.filter(({ numbers }) => !numbers);
  const text = named(given.text_column) ?? textOf(texts.length ? texts : others) ?? label;
  const isText =
    others.length === 0 || texts.some(({ name, different }) => TEXT_NAMES.test(name) || different > label.different);
  const form = ['text', 'numbers'].includes(String(given.form)) ? String(given.form) : isText ? 'text' : 'numbers';
  return { header, form, label_column: label.name, text_column: text.name };
}

/** So many tokens are taken of a text at most, unless the reader says otherwise: attention costs their square. */
export const LONGEST_PROPOSED = 128;

/**
 * The settings that a table brings along: those of its columns, and as many tokens as its longest text has.
 * @param {Table} table
 * @param {Record<string, unknown>} [given]
 * @returns {Record<string, unknown>}
 */
export function fitted(table, given = {}) {
  const columns = proposed(table, given);
  const isGiven = given.seq_len !== undefined && given.seq_len !== '';
  if (columns.form !== 'text' || isGiven) return columns;
  const longest = longestOf(table, columns, String(given.tokens));
  return { ...columns, seq_len: Math.max(1, Math.min(LONGEST_PROPOSED, longest)) };
}

/** @param {Table} table @param {ReturnType<typeof proposed>} columns @param {string} unit */
function longestOf(table, { header, text_column: name }, unit) {
  const at = columnNames(table, header).indexOf(name);
  const split = splitters[/** @type {keyof typeof splitters} */ (unit)] ?? splitters.words;
  return table.rows
    .slice(Number(header))
    .reduce((longest, { cells }) => Math.max(longest, split(cells[at] ?? '').length), 0);
}

/** Other settings of these make texts of another length. */
const DECIDE_LENGTH = ['form', 'header', 'text_column', 'tokens'];

/**
 * What follows from a change of settings.
 * @param {Table} table @param {Record<string, unknown>} values before it @param {Record<string, unknown>} patch
 * @returns {Record<string, unknown>}
 */
export function following(table, values, patch) {
  const labels = 'label_column' in patch || 'header' in patch ? { labels: '' } : {};
  if (!DECIDE_LENGTH.some((name) => name in patch)) return labels;
  const known = 'header' in patch ? patch : { ...values, ...patch };
  return { ...fitted(table, { tokens: values.tokens, ...known, seq_len: patch.seq_len }), ...labels };
}

/** @typedef {{ name: string, at: number } & ReturnType<typeof contentOf>} Column */

/** By its name, or else the column of the fewest different cells; the last of several. @param {Column[]} columns */
function labelOf(columns) {
  const few = columns.filter(({ different }) => different > 1);
  const by = few.length ? few : columns;
  const least = Math.min(...by.map(({ different }) => different));
  return (
    columns.find(({ name }) => LABEL_NAMES.test(name)) ??
    /** @type {Column} */ (by.findLast(({ different }) => different === least))
  );
}

/** By its name, or else the column of the longest cells. @param {Column[]} columns */
const textOf = (columns) =>
  columns.find(({ name }) => TEXT_NAMES.test(name)) ??
  columns.toSorted((one, other) => other.length - one.length).at(0);
