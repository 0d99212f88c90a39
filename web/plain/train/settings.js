// The settings of a training run: their fields, and what they make of the layer and the trainer.

import { parseField } from '../fields.js';
import { trainingNeeds } from './limits.js';
import { checkChoice, checkInteger, refusal } from '../refusal.js';
import { shortened } from '../search.js';
import { tasks } from './tasks.js';

/**
 * @typedef {import('../fields.js').Field} Field
 * @typedef {import('../fields.js').Layer} Layer
 * @typedef {import('../fields.js').Values} Values
 * @typedef {import('./tasks.js').Task} Task
 * @typedef {import('./tasks.js').Data} Data
 * @typedef {import('./tasks.js').Settings} Settings
 * @typedef {import('../tables/table.js').Table} Table
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {{ task: string, settings: Settings, config: any, options: any }} Plan plain data: all that a
 *   run depends on, but for its table
 * @typedef {import('../limits.js').Needs} Needs
 * @typedef {{ plan: Plan | null, data: Data | null, pauseEvery: number, parameters: number, needs: Needs,
 *   errors: Record<string, string> }} Checked `plan`: null where something is wrong, or too large; `data`: what the
 *   task made of the settings, where it could; `needs`: bytes at the peak of a step
 */

/** Fields of a layer that a run can have otherwise, and up to where a slider goes; a box takes what the layer takes. */
const REACHES = /** @type {Record<string, number>} */ ({
  hidden_size: 512,
  num_heads: 16,
  num_layers: 8,
  seq_len: 128,
  batch_size: 256,
  dropout: 0.999
});

const integer = /** @type {const} */ ({ type: 'integer', min: 1 });

/** @type {Field[]} */
const OWN = [
  {
    name: 'optimizer',
    type: 'choice',
    meaning: 'How gradients change the weights, with the defaults of torch.optim.',
    default: 'adam',
    choices: ['adam', 'adamw', 'rmsprop', 'sgd']
  },
  { name: 'lr', type: 'number', meaning: 'How far each update goes.', default: 0.003, min: 0, max: 1e6 },
  {
    name: 'loss',
    type: 'choice',
    meaning: 'Which positions count: those whose next token can be known, or all.',
    default: 'known',
    choices: ['known', 'next_token']
  },
  {
    name: 'seed',
    type: 'integer',
    meaning: 'Of the weights, the data and dropout: the same seed gives the same run.',
    default: 0,
    min: 0,
    optional: true
  },
  { ...integer, name: 'pause_every', meaning: 'Steps after which training pauses by itself.', default: 500, max: 1e5 }
];

/** @param {unknown} name */
export const taskOf = (name) => tasks.find((task) => task.name === name) ?? tasks[0];

/** What the address says of the file that a task needs. */
const OF_FILE = ['file', 'checksum', 'labels'];

/**
 * The fields of a task, its own values as defaults.
 * @param {Task} task @param {readonly Layer[]} layers
 * @param {Values} [values] of those fields on which others depend
 * @param {Table | null} [table]
 * @returns {Field[]}
 */
export function fieldsOf(task, layers, values = {}, table = null) {
  const layer = /** @type {Layer} */ (layers.find(({ name }) => name === task.layer));
  const decided = task.decides?.(values) ?? [];
  const sizes = Object.entries(REACHES).flatMap(([name, max]) => {
    const field = layer.fields.find((one) => one.name === name);
    return field && !decided.includes(name) ? [{ ...field, max }] : [];
  });
  const own = OWN.filter(({ name }) => name !== 'loss' || task.layer === 'decoder');
  return [...(task.fields?.(values, table) ?? []), ...sizes, ...own].map((field) => ({
    ...field,
    default: task.defaults[field.name] ?? field.default
  }));
}

/**
 * What was entered, as a plan, or what is wrong with it: the core's messages, and the tasks'.
 * @param {Scope} scope @param {readonly Layer[]} layers @param {Values} values
 * @param {Table | null} [table] of a task that needs one
 * @returns {Checked}
 */
export function checkSettings(scope, layers, values, table = null) {
  const task = taskOf(values.task);
  const fields = fieldsOf(task, layers, values, table);
  /** @type {Settings} */
  const given = Object.fromEntries(
    fields.map((field) => [field.name, parseField(field, values[field.name] ?? field.default) ?? field.default])
  );
  if (task.file) for (const name of OF_FILE) given[name] = values[name] || undefined; // as a link without it
  const { pause_every: pauseEvery, ...settings } = given;
  /** @type {Data | null} */
  let data = null;
  try {
    if (values.task !== undefined)
      checkChoice(
        'task',
        values.task,
        tasks.map(({ name }) => name)
      );
    checkInteger('pause_every', pauseEvery, 1, 1e5);
    checkInteger('seed', settings.seed, 0, Number.MAX_SAFE_INTEGER);
    if (settings.loss !== undefined) checkChoice('loss', settings.loss, ['known', 'next_token']);
    data = task.data(settings, table);
    const plan = planOf(task, settings, data);
    const { parameters } = /** @type {any} */ (estimateOf(scope, plan));
    if (settings.seq_len < task.shortest)
      throw refusal('seq_len', `seq_len must be at least ${task.shortest} for this task, got ${settings.seq_len}`);
    const needs = trainingNeeds(settings, scope.memoryLimit, (sizes) => bytesOf(scope, task, sizes, table));
    return { plan: needs.fits ? plan : null, data, pauseEvery, parameters, needs, errors: {} };
  } catch (error) {
    const { field, message } = /** @type {RangeError & { field?: string }} */ (error);
    if (!(error instanceof RangeError)) throw error;
    const name = NAMES[field ?? ''] ?? field;
    const known = name === 'task' || name === 'file' || fields.some((one) => one.name === name);
    return { ...unchecked, data, errors: { [known ? String(name) : '']: message } };
  }
}

/** Of no settings yet. @type {Checked} */
export const unchecked = {
  plan: null,
  data: null,
  pauseEvery: 0,
  parameters: 0,
  needs: { bytes: 0, fits: true, offers: [] },
  errors: {}
};

/** @param {Scope} scope @param {Plan} plan @returns {any} */
const estimateOf = (scope, { config, options }) => scope.estimate(config, { steps: false, training: options });

/** @param {Scope} scope @param {Task} task @param {Settings} settings @param {Table | null} table */
function bytesOf(scope, task, settings, table) {
  try {
    return estimateOf(scope, planOf(task, settings, task.data(settings, table))).training.memory.peak;
  } catch (error) {
    if (error instanceof RangeError) return Infinity;
    throw error;
  }
}

/** What an address says that this page has no setting for. @param {readonly Layer[]} layers @param {Values} values */
export function strangersIn(layers, values) {
  const task = taskOf(values.task);
  const known = ['task', FROM, ...OF_FILE, ...fieldsOf(task, layers, values).map(({ name }) => name)];
  return Object.keys(values).filter((name) => !known.includes(name));
}

/** The layer that one came from, which the address keeps for the way back. */
export const FROM = 'from';

/** The field to change, for what the core calls otherwise, and for what is made of it. */
const NAMES = /** @type {Record<string, string>} */ ({
  'optimizer.lr': 'lr',
  'optimizer.name': 'optimizer',
  intermediate_size: 'hidden_size',
  max_positions: 'seq_len',
  vocab_size: 'seq_len'
});

/** @param {Task} task @param {Settings} settings @param {Data} data @returns {Plan} */
function planOf(task, settings, data) {
  const { optimizer, lr, loss, seq_len, hidden_size } = settings;
  const sizes = Object.fromEntries(Object.entries(settings).filter(([name]) => name in REACHES));
  const of = task.layer === 'decoder' ? { intermediate_size: 2 * hidden_size, max_positions: seq_len } : {};
  return {
    task: task.name,
    settings,
    config: { layer: task.layer, ...sizes, ...data.config, ...of },
    options: {
      loss: loss === 'next_token' ? { name: 'cross_entropy', target: 'next_token' } : 'cross_entropy',
      optimizer: { name: optimizer, lr }
    }
  };
}

/**
 * The whole run in an address, but for a file: of that, by what it is known again.
 * @param {readonly Layer[]} layers @param {Values} values
 */
export function searchOf(layers, values) {
  const task = taskOf(values.task);
  const search = new URLSearchParams({ task: String(values.task ?? task.name) });
  for (const name of task.file ? OF_FILE : []) if (values[name]) search.set(name, String(values[name]));
  for (const field of fieldsOf(task, layers, values)) {
    const text = String(values[field.name] ?? field.default ?? '');
    search.set(field.name, field.type === 'choice' ? text : shortened(text));
  }
  return `?${search}`;
}
