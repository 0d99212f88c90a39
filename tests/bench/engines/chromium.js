// Runtimes in Chromium, each in a worker of a page of its own, and each page in a profile of its own: so every runtime
// has a process for itself. A worker, because there a page computes what takes longer than a frame, and threads may
// wait.

import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { launch } from '../../chromium.js';
import { listen } from '../../loopback.js';
import { project } from '../../../tools/folders.js';
import { isolation } from '../../../tools/headers.js';
import { addresses } from '../runtimes/addresses.js';
import { valueOf, within } from './engine.js';

/**
 * @typedef {import('./engine.js').Order} Order
 * @typedef {import('./engine.js').Runner} Runner
 * @typedef {import('playwright-core').Page} Page
 */

const SERVED = /^\/(web|tests|node_modules)\//;
const WORKER = '/tests/bench/engines/chromium-worker.js';

/** @returns {Promise<import('./engine.js').Engine>} */
export async function chromium() {
  const site = await listen(respond);
  const browser = await launch();
  return {
    version: `Chromium ${browser.version()}`,
    start: (runtime, threads) => new ChromiumRunner(browser, site.url, runtime, threads),
    close: async () => {
      await browser.close();
      await site.close();
    }
  };
}

/** An empty page, and the checkout's files. @param {string} path */
async function respond(path) {
  if (path === '/') return { headers: isolation, type: '.html', body: '<!doctype html><title>benchmark</title>' };
  if (!SERVED.test(path)) throw new Error(`${path} is not served`);
  const file = join(project, normalize(path));
  const body = await readFile(file);
  return { headers: isolation, type: extname(file), body: /\.m?js$/.test(file) ? resolved(String(body)) : body };
}

/** Workers have no import maps, so packages are imported by their addresses. @param {string} module */
function resolved(module) {
  return module.replace(/(\bfrom\s*)(['"])([@\w][\w@/.-]*)\2/g, (all, from, _, name) =>
    addresses[name] ? `${from}'${addresses[name]}'` : all
  );
}

/** @implements {Runner} */
class ChromiumRunner {
  /** @type {Promise<Page>} */
  #page;

  /**
   * @param {import('playwright-core').Browser} browser
   * @param {string} url
   * @param {string} runtime
   * @param {number} threads
   */
  constructor(browser, url, runtime, threads) {
    this.#page = openPage(browser, url, `${WORKER}?${new URLSearchParams({ runtime, threads: String(threads) })}`);
    this.#page.catch(() => {}); // the next order fails, and says so
  }

  /** @param {Order} order @param {number} limit milliseconds */
  async ask(order, limit) {
    const answer = this.#page.then((page) => page.evaluate(askWorker, order));
    answer.catch(() => {}); // when it comes too late
    return valueOf(await within(answer, order, limit));
  }

  async end() {
    await this.#page.then(
      (page) => page.context().close(),
      () => {}
    );
  }
}

/** @param {import('playwright-core').Browser} browser @param {string} url @param {string} worker */
async function openPage(browser, url, worker) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.evaluate((address) => {
    /** @type {any} */ (window).worker = new Worker(address);
  }, worker);
  return page;
}

/** In the page. @param {Order} order @returns {Promise<import('../orders.js').Answer>} */
function askWorker(order) {
  /** @type {Worker} */
  const worker = /** @type {any} */ (window).worker;
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => resolve({ error: message });
    worker.postMessage(order);
  });
}
