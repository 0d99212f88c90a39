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
  #timing = new AbortController();

  /**
   * @param {() => Worker} open makes a worker that serves a task `run`, and `time` where that is asked for
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
    this.#timing.abort(new DOMException('cancelled', 'AbortError'));
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

  /**
   * How long what ran last takes. The next run ends it, without ending the worker.
   * @param {(progress: Progress) => unknown} report
   * @returns {Promise<any>}
   */
  async time(report) {
    const scope = await this.#scope;
    this.#timing = new AbortController();
    return scope?.call('time', null, { progress: report, signal: this.#timing.signal });
  }

  /**
   * A further task of the worker, between runs.
   * @param {string} name @param {unknown} job
   * @returns {Promise<any>} null where a run is under way, and where one that began has ended the worker
   */
  async ask(name, job) {
    if (this.#running || !this.#scope) return null;
    try {
      return await (await this.#scope).call(name, job);
    } catch (error) {
      if (/** @type {Error} */ (error).name === 'AbortError') return null;
      throw error;
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
