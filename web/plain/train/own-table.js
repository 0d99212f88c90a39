// A table of the reader's own: its usable rows as examples, some to train on and some held out.

import { Random } from '../random.js';
import { checkChoice, checkInteger, refusal } from '../refusal.js';
import { columnNames } from '../tables/columns.js';
import { FORMS, labelledRows } from '../tables/labelled-rows.js';
import { splitters, unknownText } from '../tables/words.js';
import { batchOf } from './batch.js';
import { tablePython } from './python.js';
import { binCoding, wordCoding } from './table-codings.js';
import { PADDING } from './tokens.js';

/**
 * @typedef {import('../fields.js').Field} Field
 * @typedef {import('../tables/table.js').Table} Table
 * @typedef {import('./tasks.js').Settings} Settings
 * @typedef {import('./tasks.js').Data} Data
 * @typedef {import('../tables/labelled-rows.js').Usable} Usable
 * @typedef {{ label: number } & import('./table-codings.js').Tokens} Coded
 * @typedef {import('./table-codings.js').Coding} Coding
 */

/** So many of the held-out rows are looked at, so that looking takes no longer than training. */
const MOST_HELD_OUT = 256;
const SPLIT_STREAM = 3; // of random numbers; a run draws from 1 and 2

const UNITS = Object.keys(splitters);
const MOST_WORDS = 50_000;
const MOST_BINS = 256;

/** @type {Record<'form' | 'header' | 'tokens' | 'vocabulary' | 'bins' | 'held_out', Field>} */
const FIELDS = {
  form: {
    name: 'form',
    type: 'choice',
    meaning: 'What a row has beside its label: a text, or numbers.',
    default: 'text',
    choices: FORMS
  },
  header: { name: 'header', type: 'boolean', meaning: 'Whether the first row names the columns.', default: true },
  tokens: { name: 'tokens', type: 'choice', meaning: 'What a text is split into.', default: 'words', choices: UNITS },
  vocabulary: {
    name: 'vocabulary',
    type: 'integer',
    meaning: 'How many words or characters, the most frequent ones, have a token of their own.',
    default: 2000,
    min: 1,
    max: MOST_WORDS
  },
  bins: {
    name: 'bins',
    type: 'integer',
    meaning: 'Into how many ranges the numbers of a column are divided, each of which is a token.',
    default: 8,
    min: 2,
    max: MOST_BINS
  },
  held_out: {
    name: 'held_out',
    type: 'number',
    meaning: 'Which share of the rows is held out, drawn by the seed.',
    default: 0.2,
    min: 0,
    max: 1
  }
};

/** @type {import('./tasks.js').Task} */
export const ownTable = {
  name: 'table',
  title: 'A table of your own',
  layer: 'attention_classifier',
  about:
    'Each row of a CSV or TSV file is an example: a text, or some numbers, with a label. The layer learns to tell the labels of rows that it has not seen.',
  defaults: { seq_len: 24, hidden_size: 64, num_heads: 4, dropout: 0.1, batch_size: 32, lr: 0.003 },
  file: true,
  shortest: 1,
  fields: ({ form, header }, table) => {
    const choices = table ? columnNames(table, String(header ?? true) === 'true') : [];
    /** @param {string} name @param {string} meaning @returns {Field} */
    const column = (name, meaning) => ({ name, type: 'choice', meaning, default: '', choices });
    const label = column('label_column', 'Which column has the label.');
    const parts =
      form === 'numbers'
        ? [label, FIELDS.bins]
        : [column('text_column', 'Which column has the text.'), label, FIELDS.tokens, FIELDS.vocabulary];
    return [FIELDS.form, FIELDS.header, ...parts, FIELDS.held_out];
  },
  decides: ({ form }) => (form === 'numbers' ? ['seq_len'] : []),
  data: (settings, table) => {
    if (!table) throw refusal('file', missing(settings));
    const key = JSON.stringify(
      Object.keys(FIELDS)
        .concat(COLUMNS, 'seed', 'labels')
        .map((name) => settings[name])
    );
    const last = made.get(table);
    const coded = last?.key === key ? last.coded : codedRows(settings, table);
    made.set(table, { key, coded });
    return dataOf(coded, settings);
  }
};

const COLUMNS = ['text_column', 'label_column'];

/**
 * What was last made of a table: other settings are changed far more often.
 * @type {WeakMap<Table, { key: string, coded: ReturnType<typeof codedRows> }>}
 */
const made = new WeakMap();

/** @param {Settings} settings */
const missing = ({ file }) =>
  file
    ? `This run is of the file ${file}, which no link can hold. Choose it here to go on.`
    : 'Choose a file, or try an example.';

/** @param {Settings} settings @param {Table} table */
function codedRows(settings, table) {
  check(settings);
  const { rows, columns, found } = labelledRows(settings, table);
  const { classes } = found;
  const { training, heldOut } = split(rows, settings);
  const isText = settings.form === 'text';
  const coding = isText ? wordCoding(training, settings) : binCoding(training, columns, settings, table.decimal ?? '.');
  const of = (/** @type {Usable[]} */ own) =>
    own.map((row) => ({ label: classes.indexOf(row.label), ...coding.code(row) }));
  return { training: of(training), heldOut: of(heldOut), found, coding };
}

/** @param {Settings} settings */
function check({ form, header, tokens, vocabulary, bins, held_out: share }) {
  checkChoice('form', form, FORMS);
  checkChoice('header', header, ['true', 'false']);
  if (form === 'text') {
    checkChoice('tokens', tokens, UNITS);
    checkInteger('vocabulary', vocabulary, 1, MOST_WORDS);
  } else checkInteger('bins', bins, 2, MOST_BINS);
  if (!(typeof share === 'number' && share > 0 && share < 1))
    throw refusal('held_out', `held_out must be a number above 0 and below 1, got ${JSON.stringify(share)}`);
}

/** @param {Usable[]} rows @param {Settings} settings */
function split(rows, { seed, held_out: share }) {
  const order = new Random(seed, SPLIT_STREAM).distinct(rows.length, rows.length).map((at) => rows[at]);
  const count = Math.min(rows.length - 1, Math.max(1, Math.round(share * rows.length)));
  return { heldOut: order.slice(0, count), training: order.slice(count) };
}

/** @param {ReturnType<typeof codedRows>} coded @param {Settings} settings @returns {Data} */
function dataOf({ training, heldOut, found, coding }, { seq_len: given, tokens: unit }) {
  const { classes } = found;
  const length = coding.config.seq_len ?? given;
  const parts = { training, held_out: heldOut };
  const isPadded = coding.config.seq_len === undefined;
  const held = Math.min(MOST_HELD_OUT, heldOut.length);
  const countOf = (/** @type {Coded[]} */ rows, /** @type {number} */ one) =>
    rows.filter(({ label }) => label === one).length;
  return {
    config: { ...coding.config, num_classes: classes.length },
    chance: chanceOf(training, heldOut, classes.length),
    held,
    draw: (random, count, part) => {
      const rows = parts[part];
      let at = 0;
      const next = () => (part === 'held_out' ? rows[at++] : rows[random.below(rows.length)]);
      return batchOf(count, () => {
        const { label, tokens, length: count } = next();
        const example = { tokens: tokens(length), labels: [label] };
        return isPadded ? { ...example, count: Math.min(count, length) } : example;
      });
    },
    python: () =>
      tablePython(
        { training: rowsOf(training, length), held_out: rowsOf(heldOut.slice(0, held), length) },
        { length, padding: isPadded ? PADDING : undefined }
      ),
    words: (tokens) => tokens.map((token) => coding.words[token]),
    classWord: (one) => classes[one],
    asks: coding.asks(length),
    padding: isPadded ? PADDING : undefined,
    facts: { ...coding.facts, classes },
    report: {
      ...found,
      split: {
        ...{ training: training.length, heldOut: heldOut.length, looked: held },
        counts: classes.map((_, at) => ({ training: countOf(training, at), heldOut: countOf(heldOut, at) }))
      },
      unknown: unknownText(unknownShare(heldOut, length), unit),
      said: coding.said(
        length,
        [...training, ...heldOut].map((row) => row.length)
      )
    }
  };
}

/** The share of tokens that are [unk]. @param {Coded[]} rows @param {number} length */
function unknownShare(rows, length) {
  const sum = (/** @type {(row: Coded) => number} */ count) => rows.reduce((all, row) => all + count(row), 0);
  return (
    sum((row) => row.unknown(length)) /
    Math.max(
      1,
      sum((row) => Math.min(row.length, length))
    )
  );
}

/** Without what fills them up. @param {Coded[]} rows @param {number} length */
const rowsOf = (rows, length) =>
  rows.map(({ tokens, length: count, label }) => ({ tokens: tokens(length).slice(0, Math.min(count, length)), label }));

/**
 * How often the label that is the most frequent in training is right.
 * @param {Coded[]} training @param {Coded[]} heldOut @param {number} classes
 */
function chanceOf(training, heldOut, classes) {
  const counts = Array(classes).fill(0);
  for (const { label } of training) counts[label] += 1;
  const likeliest = counts.indexOf(Math.max(...counts));
  return heldOut.filter(({ label }) => label === likeliest).length / heldOut.length;
}
