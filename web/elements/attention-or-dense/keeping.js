// Where contests are kept: the browser's IndexedDB. Each is known by its plan; its runs by their course, variant and
// seed, so that contests share those that are the same.

import { isOpenable, packed, parted, unneeded } from '../../plain/attention-or-dense/kept.js';
import { courseOf } from '../../plain/attention-or-dense/settings.js';
import { Database, answer } from '../shared/database.js';

/**
 * @typedef {import('../../plain/attention-or-dense/kept.js').Entry} Entry
 * @typedef {import('../../plain/attention-or-dense/settings.js').Plan} Plan
 * @typedef {import('./contest.js').Kept} Kept
 * @typedef {Kept['runs'][0]} KeptRun
 * @typedef {Record<'list' | 'contents' | 'runs', IDBObjectStore>} Stores
 */

const STORES = ['list', 'contents', 'runs'];
const database = new Database('attnscope-attention-or-dense', 2, STORES, (made) => {
  const there = [...made.objectStoreNames];
  if (!there.includes('list')) made.createObjectStore('list', { keyPath: 'key' });
  if (!there.includes('contents')) made.createObjectStore('contents');
  made.createObjectStore('runs');
});

/**
 * All of the list; an entry of another form has only its names.
 * @param {IDBObjectStore} list @returns {Promise<Entry[]>}
 */
const all = async (list) =>
  /** @type {Entry[]} */ (await answer(list.getAll())).map((entry) =>
    isOpenable(entry) ? entry : { ...entry, plan: JSON.parse(entry.key), runs: {} }
  );

/** All that are kept, the last first. @returns {Promise<Entry[]>} */
export const keptContests = () =>
  database.during('readonly', async (/** @type {Stores} */ { list }) => parted(await all(list)).kept);

/**
 * Keeps a contest, in the place of an earlier state of the same plan; the oldest ones are forgotten.
 * @param {Omit<Kept, 'runs'>} contest
 * @param {readonly KeptRun[]} runs of it that have gone on since the last time; the others are kept as they were
 * @throws {RangeError} where they are too large
 */
export const keepContest = ({ plan, table, variants }, runs) =>
  database.during('readwrite', async (/** @type {Stores} */ stores) => {
    const entries = await all(stores.list);
    const { entry, runs: own } = packed(plan, runs, entries, Date.now());
    const others = entries.filter(({ key }) => key !== entry.key);
    const course = courseOf(plan);
    stores.list.put(entry);
    if (others.length === entries.length) stores.contents.put({ plan, table, variants }, entry.key);
    for (const kept of own) stores.runs.put(kept, [course, kept.variant, kept.run.seed]);
    const { forgotten, kept } = parted([...others, entry]);
    for (const old of forgotten) forget(stores, old, kept);
  });

/**
 * What a contest goes on from.
 * @param {Entry} entry
 * @returns {Promise<Kept>}
 * @throws {RangeError} where it is gone, or was kept by another version of the page
 */
export async function keptContest(entry) {
  if (!isOpenable(entry))
    throw new RangeError('This run was kept by another version of the page, and cannot be opened.');
  const content = await database.during('readonly', (/** @type {Stores} */ { contents }) =>
    answer(contents.get(entry.key))
  );
  if (!content) throw new RangeError('This run is not kept any more: it was forgotten, perhaps in another tab.');
  return { ...content, runs: await keptRuns(content.plan) };
}

/** The runs of a plan that are kept, of whichever contest. @param {Plan} plan @returns {Promise<KeptRun[]>} */
export function keptRuns(plan) {
  const { variants, first_seed: first, seeds } = plan;
  const course = courseOf(plan);
  return database.during('readonly', async (/** @type {Stores} */ { runs }) => {
    const found = await Promise.all(
      variants.map((variant) =>
        answer(runs.getAll(IDBKeyRange.bound([course, variant, first], [course, variant, first + seeds - 1])))
      )
    );
    return found.flat();
  });
}

/** @param {string} key @param {string} name */
export const nameContest = (key, name) =>
  database.during('readwrite', async (/** @type {Stores} */ { list }) => {
    const entry = /** @type {Entry | undefined} */ (await answer(list.get(key)));
    if (entry) list.put({ ...entry, name });
  });

/** @param {string} key */
export const forgetContest = (key) =>
  database.during('readwrite', async (/** @type {Stores} */ stores) => {
    const entries = await all(stores.list);
    const own = entries.find((one) => one.key === key);
    if (own)
      forget(
        stores,
        own,
        entries.filter((one) => one !== own)
      );
  });

/** @param {Stores} stores @param {Entry} entry @param {readonly Entry[]} others that stay */
function forget({ list, contents, runs }, entry, others) {
  list.delete(entry.key);
  contents.delete(entry.key);
  if (!isOpenable(entry)) return;
  for (const { variant, seed } of unneeded(entry, others)) runs.delete([courseOf(entry.plan), variant, seed]);
}
