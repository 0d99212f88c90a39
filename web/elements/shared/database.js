// A database of this browser, IndexedDB: work with its stores, of which all is written or nothing.

/** @typedef {Record<string, IDBObjectStore>} Stores */

export class Database {
  #name;
  #version;
  #upgrade;
  #stores;

  /**
   * @param {string} name @param {number} version @param {readonly string[]} stores
   * @param {(database: IDBDatabase) => void} upgrade makes the stores
   */
  constructor(name, version, stores, upgrade) {
    this.#name = name;
    this.#version = version;
    this.#stores = stores;
    this.#upgrade = upgrade;
  }

  /**
   * Does something with the stores; all of it is written, or nothing.
   * @template T
   * @param {'readonly' | 'readwrite'} mode
   * @param {(stores: any) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async during(mode, work) {
    const database = await this.#opened();
    try {
      const transaction = database.transaction(this.#stores, mode);
      const complete = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error ?? new DOMException('the browser gave up', 'AbortError'));
      });
      complete.catch(() => {}); // where `work` has failed already
      const stores = Object.fromEntries(this.#stores.map((name) => [name, transaction.objectStore(name)]));
      const result = await work(stores).catch((error) => {
        abort(transaction);
        throw error;
      });
      await complete;
      return result;
    } finally {
      database.close();
    }
  }

  /** @returns {Promise<IDBDatabase>} */
  async #opened() {
    if (typeof indexedDB === 'undefined') throw new DOMException('it has no IndexedDB', 'NotSupportedError');
    const request = indexedDB.open(this.#name, this.#version);
    request.onupgradeneeded = () => this.#upgrade(request.result);
    return answer(request);
  }
}

/** One that has failed is aborted already. @param {IDBTransaction} transaction */
function abort(transaction) {
  try {
    transaction.abort();
  } catch (error) {
    if (/** @type {Error} */ (error).name !== 'InvalidStateError') throw error;
  }
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
export const answer = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
