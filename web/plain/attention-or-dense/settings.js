// What can be set in the lab "Attention or dense", how it stands in a link, and the plan that it makes.

import { initialValues, readSettings, settingsOf as shown } from '../labs/settings.js';
import { valuesIn } from '../search.js';
import { BATCH } from './batch.js';
import { entrantOf } from './entrants.js';
import { sourceOf } from './source.js';
import { taskNamed, tasks } from './tasks.js';
import { variantNamed } from './variants.js';

/**
 * @typedef {import('../labs/settings.js').Setting} Setting
 * @typedef {import('./tasks.js').Task} Task
 * @typedef {import('./tasks.js').Values} Values
 * @typedef {import('../tables/table.js').Table} Table
 * @typedef {import('./trial.js').Change} Change
 * @typedef {import('./entrants.js').Entrant} Entrant
 *
 * @typedef {object} Plan plain data, all that a run depends on: its JSON is the key of the run
 * @property {string} task
 * @property {Values} values of the task's own settings
 * @property {string[]} variants their names, 1 to 6
 * @property {number} samples
 * @property {number} steps
 * @property {number} lr
 * @property {number} batch
 * @property {number} seeds how many
 * @property {number} first_seed
 * @property {number | null} budget about how many parameters each is given; null for as many as it has
 * @property {Change[]} changes of the rate, in the order of their steps
 * @property {{ name: string, checksum: string } | null} file
 *
 * @typedef {{ plan: Plan | null, errors: Record<string, string>, variants: Entrant[] }} Checked `plan`: null where
 *   something is wrong; `variants`: those that fit
 */

export const MOST_VARIANTS = 6;
const MOST_SEEDS = 10;
const MOST_STEPS = 10_000;
const MOST_SAMPLES = 100_000;
const LARGEST_RATE = 10;

/** A task's own settings. @param {Task} task @param {Table | null} table @param {Values} entered */
const ownSettings = (task, table, entered) =>
  'columns' in task && task.columns ? [...task.settings, ...task.columns(table, entered)] : task.settings;

/**
 * As many as the task opens with, or as a file has.
 * @param {Task} task @param {Table | null} table @param {Values} entered
 */
function samplesOf(task, table, entered) {
  const { samples } = task.defaults;
  if (!table || !task.file) return samples;
  try {
    return Math.min(samples, sourceOf(task, initialValues(ownSettings(task, table, entered)), table).most);
  } catch (error) {
    if (error instanceof RangeError) return samples; // what is wrong is said when the plan is checked
    throw error;
  }
}

/**
 * The settings of a task: its own, and those that all have.
 * @param {Task} task @param {Table | null} [table] of a task that needs one
 * @param {Values} [entered] what the settings of a table depend on
 * @returns {Setting[]}
 */
export const settingsOf = (task, table = null, entered = {}) => [
  ...ownSettings(task, table, entered),
  {
    ...{ name: 'samples', label: 'Examples to train on', kind: 'integer', initial: samplesOf(task, table, entered) },
    ...{ min: BATCH, max: MOST_SAMPLES, stops: [100, 300, 1000, 3000] }
  },
  { name: 'steps', label: 'Steps', kind: 'integer', initial: task.defaults.steps, min: 1, max: MOST_STEPS },
  { name: 'lr', label: 'Learning rate', kind: 'number', initial: task.defaults.lr, above: 0, max: LARGEST_RATE },
  { name: 'seeds', label: 'Seeds', kind: 'integer', initial: task.defaults.seeds ?? 5, min: 1, max: MOST_SEEDS },
  { name: 'first_seed', label: 'First seed', kind: 'integer', initial: 0, min: 0, max: 2 ** 20 },
  {
    ...{ name: 'budget', label: 'Parameters of each', kind: 'integer', initial: null },
    ...{ min: 20, max: 100_000, optional: true }
  }
];

/** Beside a task's settings. */
const LISTS = ['variants', 'changes'];
const FILE = ['file', 'checksum'];

/**
 * What an address asks for.
 * @param {string} search
 * @returns {{ values: Record<string, any>, errors: Record<string, string>, strangers: string[] }} in the place of what
 *   is wrong stands the task's default; `strangers`: what the task has no setting for
 */
export function readAddress(search) {
  const entered = valuesIn(search);
  const task = taskNamed(entered.task) ?? tasks[0];
  const settings = settingsOf(task);
  const { values, errors } = readSettings(settings, entered, initialValues(settings));
  if (entered.task !== undefined && entered.task !== task.name) errors.task = taskError(entered.task);
  const lists = { variants: [...task.variants], changes: /** @type {Change[]} */ ([]) };
  for (const name of /** @type {const} */ (['variants', 'changes'])) {
    const { list, error } = readers[name](entered[name] ?? lists[name]);
    if (error) errors[name] = error;
    else lists[name] = /** @type {any} */ (list);
  }
  const known = ['task', ...LISTS, ...(task.file ? FILE : []), ...settings.map(({ name }) => name)];
  const file = task.file ? { file: entered.file ?? '', checksum: entered.checksum ?? '' } : {};
  return {
    values: { task: task.name, ...values, ...lists, ...file },
    errors,
    strangers: Object.keys(entered).filter((name) => !known.includes(name))
  };
}

/** @param {unknown} given */
const taskError = (given) => `task must be one of ${tasks.map(({ name }) => name).join(', ')}, got "${given}"`;

const readers = {
  /** @param {unknown} given names, or a text of them @returns {{ list?: string[], error?: string }} */
  variants(given) {
    const list = Array.isArray(given) ? given.map(String) : String(given).split(',').filter(Boolean);
    const stranger = list.find((name) => !variantNamed(name));
    if (stranger !== undefined) return { error: `variants must be names of variants, got "${stranger}"` };
    const again = list.find((name, at) => list.indexOf(name) < at);
    if (again !== undefined) return { error: `variants must be different ones, got ${again} twice` };
    if (list.length < 1 || list.length > MOST_VARIANTS)
      return { error: `variants must be 1 to ${MOST_VARIANTS} names, got ${list.length}` };
    return { list };
  },
  /** @param {unknown} given changes, or a text of them @returns {{ list?: Change[], error?: string }} */
  changes(given) {
    const list = Array.isArray(given)
      ? given
      : String(given)
          .split(',')
          .filter(Boolean)
          .map((part) => {
            const [step, lr] = part.split(':').map(Number);
            return { step, lr };
          });
    const isRight = list.every(
      ({ step, lr }, at) =>
        Number.isInteger(step) && step > (at > 0 ? list[at - 1].step : 0) && lr > 0 && lr <= LARGEST_RATE
    );
    if (!isRight) {
      const got = Array.isArray(given) ? changesText(list) : given;
      return {
        error: `changes must be steps with their rates, later ones behind, as 300:0.01,600:0.001, got "${got}"`
      };
    }
    return { list: list.map(({ step, lr }) => ({ step, lr })) };
  }
};

/** @param {readonly Change[]} changes */
const changesText = (changes) => changes.map(({ step, lr }) => `${step}:${lr}`).join(',');

/**
 * What was entered, as a plan, or what is wrong with it. Data of a task that has some must have been loaded.
 * @param {import('./budget.js').Sizer} scope
 * @param {Record<string, any>} entered as readAddress() gives it, or as it is typed
 * @param {Table | null} [table] of a task that needs one
 * @returns {Checked}
 */
export function checkPlan(scope, entered, table = null) {
  const task = taskNamed(entered.task);
  if (!task) return { plan: null, errors: { task: taskError(entered.task) }, variants: [] };
  const settings = settingsOf(task, table, entered);
  const { values, errors } = readSettings(settings, entered, initialValues(settings));
  const variants = readers.variants(entered.variants ?? task.variants);
  const changes = readers.changes(entered.changes ?? []);
  if (variants.error) errors.variants = variants.error;
  if (changes.error) errors.changes = changes.error;
  if (Object.keys(errors).length > 0) return { plan: null, errors, variants: [] };
  const { samples, steps, lr, seeds, first_seed, budget } = values;
  const own = Object.fromEntries(
    shown(ownSettings(task, table, entered), values).map(({ name }) => [name, values[name]])
  );
  /** @type {Plan} */
  const plan = {
    ...{ task: task.name, values: own, variants: /** @type {string[]} */ (variants.list), samples, steps, lr },
    ...{ batch: BATCH, seeds, first_seed, budget, changes: /** @type {Change[]} */ (changes.list) },
    file: table && task.file ? { name: table.name, checksum: table.checksum } : null
  };
  return checkedPlan(scope, plan, table);
}

/** @param {import('./budget.js').Sizer} scope @param {Plan} plan @param {Table | null} table @returns {Checked} */
function checkedPlan(scope, plan, table) {
  /** @type {Record<string, string>} */
  const errors = {};
  const task = /** @type {Task} */ (taskNamed(plan.task));
  const source = attempt(() => sourceOf(task, plan.values, table), errors, task.file ? 'file' : 'task');
  if (!source) return { plan: null, errors, variants: [] };
  if (plan.samples > source.most)
    errors.samples = `samples must be at most ${source.most}, as many as there are to train on, got ${plan.samples}`;
  const late = plan.changes.find(({ step }) => step >= plan.steps);
  if (late) errors.changes = `changes must be at steps before the last one, ${plan.steps}, got ${late.step}`;
  const variants = plan.variants.flatMap(
    (name) => attempt(() => entrantOf(scope, source, plan.batch, plan.budget, name), errors, 'variants') ?? []
  );
  return { plan: Object.keys(errors).length === 0 ? plan : null, errors, variants };
}

/**
 * What is refused is said at its field, or at this one.
 * @template T @param {() => T} work @param {Record<string, string>} errors @param {string} field @returns {T | null}
 */
function attempt(work, errors, field) {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const own = /** @type {{ field?: string }} */ (error).field;
    const at = (field !== 'variants' && own) || field;
    errors[at] = [errors[at], error.message].filter(Boolean).join(' ');
    return null;
  }
}

/** The whole plan in an address, but for the rows of a file. @param {Plan} plan */
export function searchOf(plan) {
  const { task, values, variants, samples, steps, lr, seeds, first_seed, budget, changes, file } = plan;
  const search = new URLSearchParams({ task, variants: variants.join(',') });
  for (const [name, value] of Object.entries({ ...values, samples, steps, lr, seeds, first_seed, budget }))
    if (value !== null) search.set(name, String(value));
  if (changes.length > 0) search.set('changes', changesText(changes));
  if (file) {
    search.set('file', file.name);
    search.set('checksum', file.checksum);
  }
  return `?${search}`;
}

/** By what a contest is known. @param {Plan} plan */
export const keyOf = (plan) => JSON.stringify(plan);

/**
 * All that a run of one variant with one seed depends on, besides those two: with the same course it is the same to the
 * bit, whatever it is compared with.
 * @param {Plan} plan
 */
export const courseOf = ({ variants: _, seeds: __, first_seed: ___, ...course }) => JSON.stringify(course);

/** By what a run is known in its course. @param {string} variant @param {number} seed */
export const runKey = (variant, seed) => `${variant} ${seed}`;

/** @param {Pick<Plan, 'seeds' | 'first_seed'>} plan */
export const seedsOf = ({ seeds, first_seed }) => Array.from({ length: seeds }, (_, at) => first_seed + at);

/** All runs of a plan. @param {Plan} plan */
export const runsOf = (plan) => plan.variants.flatMap((variant) => seedsOf(plan).map((seed) => ({ variant, seed })));

/** Whether a run is part of a plan. @param {Plan} plan @param {string} variant @param {number} seed */
export const hasRun = ({ variants, first_seed, seeds }, variant, seed) =>
  variants.includes(variant) && seed >= first_seed && seed < first_seed + seeds;
