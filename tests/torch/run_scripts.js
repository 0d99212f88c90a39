// The scripts that the training page prints of its runs, before and after them: for every made task, and for tables
// whose rows are shorter and longer than the layer is.

import { exampleTables } from '../../web/plain/tables/example-tables.js';
import { fitted, proposed } from '../../web/plain/tables/proposal.js';
import { History, everyAt } from '../../web/plain/train/history.js';
import { Run } from '../../web/plain/train/run.js';
import { runScript } from '../../web/plain/train/script.js';
import { checkSettings, searchOf } from '../../web/plain/train/settings.js';
import { readTable } from '../../web/plain/tables/table.js';
import { tasks } from '../../web/plain/train/tasks.js';

/** @typedef {import('../../web/lib/index.js').Attnscope} Attnscope */
/** @typedef {import('../../web/plain/tables/table.js').Table} Table */

const STEPS = 20;

const small = { hidden_size: 16, batch_size: 8 };

/** @type {Record<string, unknown>[]} */
const VARIANTS = [
  { task: 'recall', ...small, loss: 'next_token', optimizer: 'adamw' },
  { task: 'recall', ...small, seq_len: 5, num_layers: 1, seed: 2 ** 32 + 7 },
  { task: 'brackets', ...small, optimizer: 'sgd', lr: 0.1, seed: 3 },
  { task: 'marker', ...small, optimizer: 'rmsprop', lr: 0.001, seed: 4 },
  { task: 'random', ...small, dropout: 0.3, seed: 5 }
];

/** @param {Attnscope} scope */
export async function runScripts(scope) {
  const made = tasks.filter(({ file }) => !file).map(({ name }) => ({ task: name }));
  const [reviews, boxes] = await Promise.all(exampleTables.map(({ name, text }) => read(name, text())));
  const texts = await read('texts.csv', `text,label\n${TEXTS.map(([text, label]) => `${text},${label}\n`).join('')}`);
  return [
    ...[...made, ...VARIANTS].map((values) => written(scope, values)),
    ...[reviews, boxes, texts].map((table) => written(scope, { ...small, ...ofTable(table) }, table)),
    written(scope, { ...small, ...ofTable(texts), seq_len: 3, dropout: 0 }, texts)
  ];
}

const TEXTS = [
  ['good', 'up'],
  ['a rather good day', 'up'],
  ['the day was good and so were we all', 'up'],
  ['so good', 'up'],
  ['bad', 'down'],
  ['a rather bad day', 'down'],
  ['the day was bad and so were we all', 'down'],
  ['so bad', 'down']
];

/** @param {string} name @param {string} text */
const read = (name, text) => readTable(name, new TextEncoder().encode(text));

/** @param {Table} table */
const ofTable = (table) => {
  const values = { task: 'table', file: table.name, checksum: table.checksum, ...proposed(table) };
  return { ...values, ...fitted(table, values) };
};

/**
 * A run and its scripts.
 * @param {Attnscope} scope @param {Record<string, unknown>} values @param {Table | null} [table]
 */
function written(scope, values, table = null) {
  const layers = scope.layers();
  const { plan, data, errors } = checkSettings(scope, layers, /** @type {any} */ (values), table);
  if (!plan || !data) throw new Error(JSON.stringify(errors));
  const run = new Run(scope, plan, table);
  const history = new History();
  history.add(run.look());
  while (run.step < STEPS) {
    run.next();
    if (run.step % everyAt(run.step) === 0) history.add(run.look());
  }
  run.trainer.dispose();
  return {
    title: searchOf(layers, /** @type {any} */ (values)).slice(1),
    dropout: plan.config.dropout > 0,
    before: runScript(scope, plan, data, { points: [], steps: 2 }),
    after: runScript(scope, plan, data, { points: history.points, steps: STEPS })
  };
}
