// Where contests are kept: the browser's IndexedDB. Each by its plan, with a name, resumed to the bit.

import { FORMAT, packed, parted } from '../../plain/attention-or-dense/kept.js';
import { Database, answer } from '../shared/database.js';

/**
 * @typedef {import('../../plain/attention-or-dense/kept.js').Entry} Entry
 * @typedef {import('./contest.js').Kept} Kept
 * @typedef {Record<'list' | 'contents', IDBObjectStore>} Stores
 */

const STORES = ['list', 'contents'];
const database = new Database('attnscope-attention-or-dense', 1, STORES, (made) => {
  made.createObjectStore('list', { keyPath: 'key' });
  made.createObjectStore('contents');
});

/** @param {IDBObjectStore} list @returns {Promise<Entry[]>} */
const all = (list) => answer(list.getAll());

/** All that are kept, the last first. @returns {Promise<Entry[]>} */
export const keptContests = () =>
  database.during('readonly', async (/** @type {Stores} */ { list }) => parted(await all(list)).kept);

/**
 * Keeps a contest as it is, in the place of an earlier state of the same plan; the oldest ones are forgotten.
 * @param {Kept} kept @param {string} [name] the one before stays where none is given
 * @returns {Promise<Entry>}
 * @throws {RangeError} where it is too large
 */
export function keepContest(kept, name) {
  const { entry, content } = packed(kept, name ?? '', Date.now());
  return database.during('readwrite', async (/** @type {Stores} */ { list, contents }) => {
    const before = /** @type {Entry | undefined} */ (await answer(list.get(entry.key)));
    const own = { ...entry, name: name ?? before?.name ?? '' };
    list.put(own);
    contents.put(content, entry.key);
    for (const { key } of parted(await all(list)).forgotten) forget({ list, contents }, key);
    return own;
  });
}

/**
 * What a contest goes on from.
 * @param {Entry} entry
 * @returns {Promise<Kept>}
 * @throws {RangeError} where it is gone, or was kept by another version of the page
 */
export async function keptContest({ key, format }) {
  if (format !== FORMAT)
    throw new RangeError('This run was kept by another version of the page, and cannot be opened.');
  const content = await database.during('readonly', (/** @type {Stores} */ { contents }) => answer(contents.get(key)));
  if (!content) throw new RangeError('This run is not kept any more: it was forgotten, perhaps in another tab.');
  return content;
}

/** @param {string} key @param {string} name */
export const nameContest = (key, name) =>
  database.during('readwrite', async (/** @type {Stores} */ { list }) => {
    const entry = /** @type {Entry | undefined} */ (await answer(list.get(key)));
    if (entry) list.put({ ...entry, name });
  });

/** @param {string} key */
export const forgetContest = (key) =>
  database.during('readwrite', async (/** @type {Stores} */ stores) => forget(stores, key));

/** @param {Stores} stores @param {string} key */
function forget({ list, contents }, key) {
  list.delete(key);
  contents.delete(key);
}
