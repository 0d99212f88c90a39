// A worker from the page's side: opened on first use, and anew after a cancel.

import { openInWorker } from '../../lib/index.js';

/** @typedef {import('../../lib/index.js').WorkerScope} WorkerScope */

/**
 * @template Job, Outcome, Progress
 */
export class Engine {
  #open;
  #opening;
  /** @type {Promise<WorkerScope> | null} */
  #scope = null;
  #ending = new AbortController();
  /** @type {object | null} */
  #running = null;

  /**
   * @param {() => Worker} open makes a worker that serves a task `run`
   * @param {Progress} opening what is reported while the module opens
   */
  constructor(open, opening) {
    this.#open = open;
    this.#opening = opening;
  }

  /**
   * Rejects with an AbortError when it is cancelled, with a RangeError when the core refuses.
   * @param {Job} job
   * @param {(progress: Progress) => unknown} report the worker can wait for it
   * @returns {Promise<Outcome>}
   */
  async run(job, report) {
    this.cancel();
    const running = {};
    this.#running = running;
    try {
      report(this.#opening);
      this.#scope ??= openInWorker({ worker: this.#open, signal: this.#ending.signal });
      const scope = await this.#scope;
      return await scope.call('run', job, { progress: report });
    } catch (error) {
      // the next run has a worker that works
      if (this.#running === running && !(error instanceof RangeError)) this.dispose();
      throw error;
    } finally {
      if (this.#running === running) this.#running = null;
    }
  }

  /** Stops what runs, at once; nothing when nothing runs. */
  cancel() {
    if (this.#running) this.dispose();
  }

  /** Ends the worker; what runs is rejected. */
  dispose() {
    this.#ending.abort(new DOMException('cancelled', 'AbortError'));
    this.#ending = new AbortController();
    this.#scope = null;
    this.#running = null;
  }
}
