// A worker from the page's side: made on first use, and made anew after a cancel.

import { proxy, wrap } from 'comlink';

/**
 * @template Job, Outcome, Progress
 */
export class Engine {
  #open;
  /** @type {Worker | null} */
  #worker = null;
  /** @type {any} */
  #remote = null;
  /** @type {((reason: Error) => void) | null} */
  #reject = null;

  /** @param {() => Worker} open makes a worker that exposes `run` */
  constructor(open) {
    this.#open = open;
  }

  /**
   * Rejects with an AbortError when it is cancelled, with a RangeError when the core refuses.
   * @param {Job} job @param {(progress: Progress) => unknown} report the worker can wait for it @returns {Promise<Outcome>}
   */
  async run(job, report) {
    this.cancel();
    if (!this.#worker) this.#start();
    /** @type {Promise<never>} */
    const cancelled = new Promise((_, reject) => {
      this.#reject = reject;
    });
    try {
      return await Promise.race([this.#remote.run(job, proxy(report)), cancelled]);
    } finally {
      this.#reject = null;
    }
  }

  /** Stops what runs, at once; nothing when nothing runs. */
  cancel() {
    if (this.#reject) this.dispose();
  }

  /** Ends the worker; what runs is rejected. */
  dispose() {
    this.#reject?.(new DOMException('cancelled', 'AbortError'));
    this.#worker?.terminate();
    this.#worker = null;
    this.#reject = null;
  }

  #start() {
    this.#worker = this.#open();
    this.#worker.addEventListener('error', (event) => this.#reject?.(new Error(event.message || 'the worker could not be started')));
    this.#remote = wrap(this.#worker);
  }
}
