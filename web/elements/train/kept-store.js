// Where runs are kept: the browser's IndexedDB. The worker writes what a run goes on from, which may be large; the page
// reads the list.

import { FORMAT, bytesIn, isFurther, keyOf, parted, tableKey, tooLarge } from '../../plain/train/kept.js';
import { Database, answer } from '../shared/database.js';

/**
 * @typedef {import('../../plain/train/kept.js').Kept} Kept
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {import('../../plain/train/run.js').RunState} RunState
 * @typedef {import('./session.js').Job} Job
 * @typedef {{ state: RunState, points: Point[] }} Content
 */

const NAME = 'attnscope-train';
const VERSION = 1;
/** The list; what the runs of it go on from; and rows of files, which several runs may share. */
const STORES = ['runs', 'states', 'tables'];

const database = new Database(NAME, VERSION, STORES, (made) => {
  made.createObjectStore('runs', { keyPath: 'key' });
  made.createObjectStore('states');
  made.createObjectStore('tables');
});

/**
 * @template T @param {'readonly' | 'readwrite'} mode @param {(stores: Stores) => Promise<T>} work @returns
 *   {Promise<T>}
 */
const during = (mode, work) => database.during(mode, work);

/** All kept runs, the last first. @returns {Promise<Kept[]>} */
export const keptRuns = () =>
  during('readonly', async ({ runs }) => parted(await answer(/** @type {IDBRequest<Kept[]>} */ (runs.getAll()))).kept);

/**
 * Keeps a run, unless one of the same plan that is kept is further on.
 * @param {Job} job @param {Content} content @param {{ search: string, file: string }} facts
 * @returns {Promise<Kept>} what is kept now
 */
export function keepRun({ plan, table }, { state, points }, facts) {
  const key = keyOf(plan);
  const bytes = bytesIn([state, points]) + (table?.bytes ?? 0);
  const wrong = tooLarge(bytes);
  if (wrong) throw new RangeError(wrong);
  const last = /** @type {Point} */ (points.at(-1));
  /** @type {Kept} */
  const kept = {
    ...{ key, format: FORMAT, task: plan.task, ...facts, table: tableKey(table) },
    ...{ step: state.step, accuracy: last.held_accuracy, bytes, time: Date.now() }
  };
  return during('readwrite', async (stores) => {
    const { runs, states, tables } = stores;
    const before = await answer(/** @type {IDBRequest<Kept | undefined>} */ (runs.get(key)));
    if (before && !isFurther(before, state.step)) return before;
    runs.put(kept);
    states.put({ state, points }, key);
    if (table && !(await answer(tables.getKey(kept.table)))) tables.put(table, kept.table);
    for (const old of parted(await answer(runs.getAll())).forgotten) await remove(stores, old.key);
    return kept;
  });
}

/**
 * What a run goes on from.
 * @param {string} key
 * @returns {Promise<Content>}
 */
export async function keptContent(key) {
  const content = await during('readonly', ({ states }) => answer(states.get(key)));
  if (!content) throw new RangeError('This run is not kept any more: it was forgotten, perhaps in another tab.');
  return content;
}

/**
 * The rows of its file, null for made data.
 * @param {Kept} run
 * @returns {Promise<import('../../plain/tables/table.js').Table | null>}
 */
export const keptTable = async ({ table }) =>
  (table && (await during('readonly', ({ tables }) => answer(tables.get(table))))) || null;

/** @param {string} key */
export const forgetRun = (key) => during('readwrite', (stores) => remove(stores, key));

/** With its rows, if no other run is trained on them. @param {Stores} stores @param {string} key */
async function remove({ runs, states, tables }, key) {
  const all = /** @type {Kept[]} */ (await answer(runs.getAll()));
  const table = all.find((one) => one.key === key)?.table;
  runs.delete(key);
  states.delete(key);
  if (table && !all.some((one) => one.key !== key && one.table === table)) tables.delete(table);
}

/** @typedef {Record<'runs' | 'states' | 'tables', IDBObjectStore>} Stores */
