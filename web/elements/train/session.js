// A run in its worker, seen from the page.

import { openInWorker } from '../../lib/index.js';
import { ONE_THREAD } from '../shared/one-thread.js';
import { Patience, WAITS } from '../shared/patience.js';

/**
 * @typedef {import('../../plain/train/settings.js').Plan} Plan
 * @typedef {{ plan: Plan, table: import('../../plain/tables/table.js').Table | null }} Job what a run is made of
 * @typedef {import('./worker.js').Begun} Begun
 * @typedef {import('./worker.js').Progress} Progress
 * @typedef {import('./worker.js').Slice} Slice
 */

export class Session {
  #ending = new AbortController();
  #patience = new Patience();
  #scope;

  constructor() {
    this.#scope = openInWorker({
      worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
      ...ONE_THREAD, // small layers gain nothing from more, and the numbers do not depend on the machine's threads
      signal: this.#ending.signal
    });
  }

  /** @param {Job} job @returns {Promise<Begun>} */
  begin(job) {
    return this.ask('begin', job);
  }

  /** Goes on with a run that was kept under a key. @param {Job & { key: string }} job @returns {Promise<Begun>} */
  resume(job) {
    return this.ask('resume', job);
  }

  /** @param {Slice} slice @returns {Promise<Progress>} */
  train(slice) {
    return this.#call('train', slice, WAITS.slice);
  }

  /** A task of the worker, after what it does. @param {string} task @param {unknown} [job] @returns {Promise<any>} */
  ask(task, job) {
    return this.#call(task, job, WAITS.task);
  }

  /** @param {string} task @param {unknown} job @param {number} least milliseconds that it may take */
  #call(task, job, least) {
    const called = this.#scope.then((scope) => scope.call(task, job));
    return /** @type {Promise<any>} */ (this.#patience.answer(called, least));
  }

  /** Ends the worker, whatever it does; what waits is rejected with an AbortError. */
  dispose() {
    this.#ending.abort(new DOMException('the run was ended', 'AbortError'));
  }
}
