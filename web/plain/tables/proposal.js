// The settings that fit a table, found by names and content: a proposal with its reasons, which the reader can change.

import { columnNames, columnsOf } from './columns.js';
import { hasHeader } from './header.js';
import { MOST_CLASSES } from './labelled-rows.js';
import { splitters } from './words.js';

/**
 * @typedef {import('./table.js').Table} Table
 * @typedef {import('./columns.js').Column} Column
 * @typedef {{ header?: unknown, form?: unknown, label_column?: unknown, text_column?: unknown }} Given settings as an
 *   address has them
 * @typedef {{ column: Column, why: string }} Choice `why`: the reason, as the end of a sentence
 */

/** Names of labels, the surest first. */
const LABEL_NAMES = ['label', 'target', 'class', 'category', 'sentiment', 'species', 'kind', 'type', 'y'];
const TEXT_NAMES = /^(text|sentence|review|message|comment|content|body|title|tweet)s?$/i;
/** A column of more different numbers is measured, and no class. */
const MOST_NUMBERS = 20;

/** Whether the first row names the columns, as it is given or found. @param {Table} table @param {Given} given */
const headerOf = (table, { header }) =>
  header === undefined || header === '' ? hasHeader(table) : String(header) === 'true';

/**
 * The settings that fit a table, where others are not given.
 * @param {Table} table @param {Given} [given]
 */
export function proposed(table, given = {}) {
  const header = headerOf(table, given);
  const columns = columnsOf(table, header);
  const named = (/** @type {unknown} */ name) => columns.find((column) => column.name === name);
  const label = named(given.label_column) ?? labelOf(columns).column;
  const { others, texts } = besides(columns, label.name);
  const text = named(given.text_column) ?? textOf(texts, others)?.column ?? label;
  const isText =
    !others.some(({ numbers, empty }) => numbers && !empty) ||
    texts.some(
      ({ name, different, namesRows }) => TEXT_NAMES.test(name) || (different > label.different && !namesRows)
    );
  const form = ['text', 'numbers'].includes(String(given.form)) ? String(given.form) : isText ? 'text' : 'numbers';
  return { header, form, label_column: label.name, text_column: text.name };
}

/**
 * Why these columns were proposed: '' for a column that the reader has chosen.
 * @param {Table} table @param {Given} settings
 * @returns {{ label: string, text: string }}
 */
export function reasonsOf(table, settings) {
  const columns = columnsOf(table, headerOf(table, settings));
  const label = labelOf(columns);
  const { others, texts } = besides(columns, settings.label_column);
  const text = textOf(texts, others);
  return {
    label: label.column.name === settings.label_column ? label.why : '',
    text: text && text.column.name === settings.text_column ? text.why : ''
  };
}

/**
 * The columns that examples can be read from, and those of them that hold texts.
 * @param {readonly Column[]} columns @param {unknown} label
 */
function besides(columns, label) {
  const others = columns.filter(({ name, countsRows }) => name !== label && !countsRows);
  return { others, texts: others.filter(({ numbers, empty }) => !numbers && !empty) };
}

/**
 * The column of the surest name, or else of the fewest different values, the last of several. Mostly empty columns, an
 * index and many numbers are no classes.
 * @param {readonly Column[]} columns @returns {Choice}
 */
function labelOf(columns) {
  const few = columns.filter(
    ({ different, numbers, countsRows, empty }) =>
      different <= (numbers ? MOST_NUMBERS : MOST_CLASSES) && !countsRows && !empty
  );
  const able = few.filter(({ different }) => different > 1);
  const byName = [able, few].flatMap((from) =>
    LABEL_NAMES.flatMap((own) => from.filter(({ name }) => isName(name, own)))
  );
  if (byName.length) return { column: byName[0], why: 'by its name' };
  const some = columns.filter(({ different }) => different > 1);
  const from = [able, some, columns].find(({ length }) => length > 0) ?? [];
  const least = Math.min(...from.map(({ different }) => different));
  const column = /** @type {Column} */ (from.findLast(({ different }) => different === least));
  return { column, why: `as it has the fewest different values, ${least}` };
}

/** Also in capitals and in the plural. @param {string} name @param {string} wanted */
function isName(name, wanted) {
  const small = name.toLowerCase();
  return small === wanted || small === `${wanted}s`;
}

/**
 * The column of a text's name, or else of the longest cells.
 * @param {readonly Column[]} texts @param {readonly Column[]} others where there is none @returns {Choice | null}
 */
function textOf(texts, others) {
  const byName = texts.find(({ name }) => TEXT_NAMES.test(name));
  if (byName) return { column: byName, why: 'by its name' };
  const [column] = (texts.length ? texts : others).toSorted((one, other) => other.length - one.length);
  return column ? { column, why: 'as its cells are the longest' } : null;
}

/** Tokens that are taken of a text at most, unless the reader says otherwise: attention costs their square. */
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
 * Columns have other names after a change of the header, and other columns other labels.
 * @param {Table} table @param {Record<string, unknown>} patch
 * @returns {Record<string, unknown>} settings that change with it
 */
export function columnsAfter(table, patch) {
  if ('header' in patch) return { ...proposed(table, patch), labels: '' };
  return 'label_column' in patch ? { labels: '' } : {};
}

/**
 * What follows from a change of settings.
 * @param {Table} table @param {Record<string, unknown>} values before it @param {Record<string, unknown>} patch
 * @returns {Record<string, unknown>}
 */
export function following(table, values, patch) {
  const columns = columnsAfter(table, patch);
  if (!DECIDE_LENGTH.some((name) => name in patch)) return columns;
  const known = 'header' in patch ? patch : { ...values, ...patch };
  return { ...columns, ...fitted(table, { tokens: values.tokens, ...known, seq_len: patch.seq_len }) };
}
