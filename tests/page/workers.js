// Workers that a page starts, so that a test can end them as a browser does that takes back their memory.

/** A script for the page, before all others: `workers` are those that it has started. */
export function remembersWorkers() {
  const { Worker: Original } = window;
  /** @type {Worker[]} */
  const workers = [];
  const remember = class extends Original {
    /** @param {string | URL} address @param {WorkerOptions} [options] */
    constructor(address, options) {
      super(address, options);
      workers.push(this);
    }
  };
  Object.assign(window, { workers, Worker: remember });
}

/** Ends them, without an event. @param {import('playwright-core').Page} page */
export const endWorkers = (page) =>
  page.evaluate(() => {
    for (const worker of /** @type {any} */ (window).workers) worker.terminate();
  });
