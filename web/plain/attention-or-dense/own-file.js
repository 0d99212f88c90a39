// A table of the reader's own: each row a text, or numbers, with its class.

import { formatCount } from '../format.js';
import { columnNames } from '../tables/columns.js';
import { labelledRows } from '../tables/labelled-rows.js';
import { proposed } from '../tables/proposal.js';
import { spacelessText, splitters } from '../tables/words.js';
import { refusal } from '../refusal.js';
import { BATCH } from './batch.js';
import { numberSource } from './number-source.js';
import { textSource } from './text-source.js';

/**
 * @typedef {import('../tables/table.js').Table} Table
 * @typedef {import('../labs/settings.js').Setting} Setting
 * @typedef {import('./source.js').Source} Source
 * @typedef {import('./tasks.js').Values} Values
 */

/** @type {Record<string, (text: string) => string[]>} */
const SPLITTERS = { words: splitters.words, letters: splitters.characters };

const MOST_ROWS = 20_000;
const LONGEST = 64;

/**
 * @param {string} name @param {string} label @param {string} initial @param {readonly string[]} values @returns
 *   {Setting}
 */
const choice = (name, label, initial, values) => ({
  ...{ name, label, kind: 'choice', initial },
  choices: values.map((value) => ({ value, text: value }))
});

/** A setting of a file that is not there yet. @param {string} name @param {string} label @returns {Setting} */
const unknown = (name, label) => ({ name, label, kind: 'text', initial: '', pattern: /^/, rule: '' });

const NAMES = /** @type {const} */ ([
  ['form', 'Each row has'],
  ['header', 'The first row names the columns'],
  ['label_column', 'Column of the class'],
  ['text_column', 'Column of the text'],
  ['tokens', 'A text is split into'],
  ['labels', 'Answers about labels']
]);

/** @type {import('./tasks.js').HeldTask} */
export const ownFile = {
  name: 'file',
  title: 'A file of your own',
  before:
    'Each row of a CSV or TSV file is an example with a class: a text, word by word or letter by letter, or a row of numbers, of which each column is a step, from the oldest to the newest. Nobody knows beforehand what will be found.',
  from: 'It is read here and goes nowhere.',
  file: true,
  settings: [],
  columns,
  defaults: { samples: 1000, steps: 300, lr: 0.01 },
  variants: ['mean', 'linear', 'additive', 'timestep_none', 'dense', 'flat'],
  source
};

/**
 * @param {Table | null} table @param {Values} entered its header decides the names of the columns
 * @returns {Setting[]}
 */
function columns(table, { header }) {
  if (!table) return NAMES.map(([name, label]) => unknown(name, label));
  const found = proposed(table, { header });
  const names = columnNames(table, found.header);
  const titles = Object.fromEntries(NAMES);
  const isText = (/** @type {import('./tasks.js').Values} */ { form }) => form === 'text';
  return [
    choice('form', titles.form, found.form, ['text', 'numbers']),
    choice('header', titles.header, String(found.header), ['true', 'false']),
    choice('label_column', titles.label_column, found.label_column, names),
    { ...choice('text_column', titles.text_column, found.text_column, names), when: isText },
    { ...choice('tokens', titles.tokens, 'words', Object.keys(SPLITTERS)), when: isText },
    { ...unknown('labels', titles.labels), when: ({ labels }) => labels !== '' }
  ];
}

/**
 * What was last made of a table: other settings are changed far more often.
 * @type {WeakMap<Table, { key: string, source: Source }>}
 */
const made = new WeakMap();

/** @param {Values} values @param {Table | null} table @returns {Source} */
function source(values, table) {
  if (!table) throw refusal('file', 'Choose a CSV or TSV file first.');
  const key = JSON.stringify(values);
  const last = made.get(table);
  if (last?.key === key) return last.source;
  const fresh = sourceOfTable(values, table);
  made.set(table, { key, source: fresh });
  return fresh;
}

/** @param {Values} values @param {Table} table @returns {Source} */
function sourceOfTable(values, table) {
  if (table.rows.length > MOST_ROWS)
    throw refusal(
      'file',
      `${table.name} has ${formatCount(table.rows.length)} rows; at most ${formatCount(MOST_ROWS)} are trained on here`
    );
  const settings = { ...values, header: values.header === 'true' };
  const { rows, columns: names, found } = labelledRows(settings, table);
  const { classes } = found;
  if (rows.length < 2 * BATCH)
    throw refusal(
      'file',
      `${table.name} has ${rows.length} usable rows; at least ${2 * BATCH} are needed, two batches`
    );
  const labelOf = new Map(classes.map((name, at) => [name, at]));
  const labelled = rows.map((row) => ({ ...row, label: labelOf.get(row.label) ?? 0 }));
  const read =
    values.form === 'text'
      ? textSource({
          ...{ rows: labelled, classes, unit: values.tokens, split: SPLITTERS[values.tokens] },
          ...{ longest: LONGEST, asks: 'A text of your own' }
        })
      : numberSource({ rows: labelled, classes, names });
  const said = [spaceless(values, rows), read.said].filter(Boolean).join(' ');
  return { ...read, report: { ...found, said, unknown: '' } };
}

/** @param {Values} values @param {readonly import('../tables/labelled-rows.js').Usable[]} rows */
const spaceless = ({ form, tokens }, rows) =>
  form === 'text' && tokens === 'words' ? spacelessText(rows.map(({ text }) => text)) : '';
