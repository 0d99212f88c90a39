// A run in its worker, seen from the page.

import { openInWorker } from '../../lib/index.js';

/**
 * @typedef {import('../../plain/train/settings.js').Plan} Plan
 * @typedef {{ plan: Plan, table: import('../../plain/train/table.js').Table | null }} Job what a run is made of
 * @typedef {import('./worker.js').Begun} Begun
 * @typedef {import('./worker.js').Progress} Progress
 * @typedef {import('./worker.js').Slice} Slice
 */

export class Session {
  #ending = new AbortController();
  #scope;

  constructor() {
    this.#scope = openInWorker({
      worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
      threads: 1, // layers as small as these gain nothing from more, and the numbers do not depend on the machine's
      signal: this.#ending.signal
    });
  }

  /** @param {Job} job @returns {Promise<Begun>} */
  async begin(job) {
    return (await this.#scope).call('begin', job);
  }

  /** @param {Slice} slice @returns {Promise<Progress>} */
  async train(slice) {
    return (await this.#scope).call('train', slice);
  }

  /** @returns {Promise<Record<string, { data: Float32Array, shape: number[] }>>} */
  async weights() {
    return (await this.#scope).call('weights');
  }

  /** Ends the worker, whatever it does; what waits is rejected with an AbortError. */
  dispose() {
    this.#ending.abort(new DOMException('the run was ended', 'AbortError'));
  }
}
