// The rows of a table that examples are made of, each a text or numbers with its label; the others with their reason.

import { checkChoice, refusal } from '../refusal.js';
import { shortened } from '../search.js';
import { columnsOf, numberColumns, whyUnused } from './columns.js';
import { alikeIn, answersIn, countsOf, readAs } from './labels.js';
import { isMissing, numberIn } from './numbers.js';

/**
 * @typedef {import('./table.js').Table} Table
 * @typedef {import('./table.js').BadRow} BadRow
 * @typedef {Record<string, any>} Settings of the columns, and the answers about labels
 * @typedef {{ label: string, text: string, numbers: number[] }} Usable a row, of which one of the two is empty
 *
 * @typedef {object} Found
 * @property {number} used rows
 * @property {BadRow[]} bad rows that are left out
 * @property {string[]} others columns that are not used
 * @property {string[]} classes
 * @property {number[]} counts rows of each class
 * @property {import('./labels.js').Alike[]} alike labels that may be misspelt, which is to be asked
 * @property {{ label: string, into: string, count: number }[]} answered what the reader has said of labels
 *
 * @typedef {Found & { said: string, unknown: string, split?: Split }} Report what a page says of the rows; `said`: how
 *   they become tokens; `unknown`: a sentence where most held-out tokens are [unk], or ''
 * @typedef {{ training: number, heldOut: number }} Parts
 * @typedef {Parts & { looked: number, counts: Parts[] }} Split rows of both parts, of all classes and of each;
 *   `looked`: held-out rows that are looked at
 */

export const MOST_CLASSES = 100;
export const FORMS = ['text', 'numbers'];

/**
 * The usable rows of a table with their labels.
 * @param {Settings} settings those of its columns, and the answers about labels @param {Table} table
 * @returns {{ rows: Usable[], columns: string[], found: Found }} `columns`: names of those that a row is read from
 * @throws {RangeError} naming the setting to change
 */
export function labelledRows(settings, table) {
  checkChoice('form', settings.form, FORMS);
  checkChoice('header', settings.header, ['true', 'false']);
  const isText = settings.form === 'text';
  const all = columnsOf(table, settings.header);
  const names = all.map(({ name }) => name);
  if (names.length === 1) throw refusal('', `${table.name} has only one column; a label needs one of its own`);
  const label = columnOf(names, 'label_column', settings);
  const columns = isText ? [columnOf(names, 'text_column', settings)] : numberColumns(table, settings.header, label);
  if (columns.includes(label))
    throw refusal('text_column', `text_column and label_column must be different columns, both are ${names[label]}`);
  if (columns.length === 0) throw refusal('form', `no column of ${table.name} but the label is one of numbers`);
  const { good: written, bad } = usable(table, settings, names, label, columns);
  const labels = labelsOf(written, settings);
  const rows = written.map((row) => ({ ...row, label: labels.readAs(row.label) }));
  const classes = classesOf(rows, all[label], table.name);
  const others = all.filter(({ at }) => at !== label && !columns.includes(at));
  const counts = countsOf(rows.map(({ label: name }) => name));
  const found = {
    ...{ used: rows.length, bad, classes, alike: labels.alike, answered: labels.answered },
    others: others.map((column) => unusedText(column, isText)),
    counts: classes.map((name) => counts.get(name) ?? 0)
  };
  return { rows, columns: columns.map((at) => names[at]), found };
}

/** @param {string[]} names @param {'text_column' | 'label_column'} field @param {Settings} settings */
function columnOf(names, field, settings) {
  checkChoice(field, settings[field], names);
  return names.indexOf(settings[field]);
}

/** @param {import('./columns.js').Column} column @param {boolean} isText */
function unusedText(column, isText) {
  const why = isText ? '' : whyUnused(column);
  return why ? `${column.name} (${why})` : column.name;
}

/**
 * The rows that an example can be made of, and what is wrong with the others.
 * @param {Table} table @param {Settings} settings
 * @param {string[]} names @param {number} label @param {number[]} columns
 */
function usable(table, { header, form }, names, label, columns) {
  /** @type {Usable[]} */
  const good = [];
  const bad = [...table.bad];
  const isText = form === 'text';
  for (const { line, cells } of table.rows.slice(Number(header))) {
    const numbers = isText ? [] : columns.map((at) => numberIn(cells[at] ?? '', table.decimal));
    const reason =
      wrongCount(cells.length, names.length) ||
      (cells[label].trim() === '' && 'the label is empty') ||
      (isText && cells[columns[0]].trim() === '' && 'the text is empty') ||
      wrongNumber(numbers, (at) => ({ name: names[columns[at]], cell: cells[columns[at]] }));
    if (reason) bad.push({ line, reason });
    else good.push({ label: cells[label].trim(), text: isText ? cells[columns[0]] : '', numbers });
  }
  bad.sort((one, other) => one.line - other.line);
  if (good.length < 2) throw refusal('', tooFew(table.name, good.length, bad));
  return { good, bad };
}

/** @param {number} count @param {number} wanted */
const wrongCount = (count, wanted) =>
  count !== wanted && `${count === 1 ? '1 column' : `${count} columns`}, where the first row has ${wanted}`;

/** @param {number[]} numbers @param {(at: number) => { name: string, cell: string }} cellOf */
function wrongNumber(numbers, cellOf) {
  const wrong = numbers.findIndex((number) => !Number.isFinite(number));
  if (wrong < 0) return '';
  const { name, cell } = cellOf(wrong);
  if (cell.trim() === '') return `${name} is empty`;
  if (isMissing(cell)) return `${name} is missing: ${cell.trim()}`;
  return `${name} is ${Number.isNaN(numbers[wrong]) ? 'not a number' : 'too large'}: ${short(cell)}`;
}

const SHOWN = 30;

/** @param {string} cell */
const short = (cell) => shortened(cell, SHOWN);

/** @param {string} name @param {number} count @param {BadRow[]} bad */
function tooFew(name, count, [first]) {
  const why = first ? ` Line ${first.line}: ${first.reason}.` : '';
  return `${name} has ${count === 0 ? 'no usable row' : 'only one usable row'}; at least two are needed.${why}`;
}

/**
 * What the reader has said of labels, and what is to be asked.
 * @param {Usable[]} rows as they are written @param {Settings} settings
 */
function labelsOf(rows, settings) {
  const answers = answersIn(settings.labels);
  const counts = countsOf(rows.map(({ label }) => label));
  const answered = Object.entries(answers).flatMap(([label, into]) =>
    counts.has(label) ? [{ label, into, count: counts.get(label) ?? 0 }] : []
  );
  return { readAs: readAs(answers, counts), alike: alikeIn(counts, answers), answered };
}

/** @param {Usable[]} rows @param {import('./columns.js').Column} column @param {string} name of the file */
function classesOf(rows, column, name) {
  const classes = [...new Set(rows.map(({ label }) => label))].sort();
  if (classes.length === 1)
    throw refusal(
      'label_column',
      `every usable row of ${name} has the label ${short(classes[0])}: there is nothing to tell apart`
    );
  if (classes.length > MOST_CLASSES)
    throw refusal(
      'label_column',
      `${column.name} has ${classes.length} different ${column.numbers ? 'numbers' : 'labels'}; at most ${MOST_CLASSES} can be told apart`
    );
  return classes;
}
