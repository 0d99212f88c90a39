// The lab "Attention or dense" below its first screen, opened and played by tests.

import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { openPage } from './open-page.js';

export const FILE = 'labs/attention-or-dense/';
/** A small contest. */
export const SMALL = '?task=peak_day&variants=linear,flat&samples=300&steps=40&lr=0.03&seeds=2';

/** The lab of a file's tests: one page at a time, in which nothing may be wrong when a test ends. */
export class Lab {
  constructor() {
    /** @type {Awaited<ReturnType<typeof openPage>> | null} */
    this.site = null;
    afterEach(async () => {
      const { site } = this;
      await site?.close();
      assert.deepEqual(site?.problems, { foreign: [], errors: [], violations: [] });
    });
  }

  /** The page as it is without scripts. */
  async static() {
    this.site = await openPage({ file: FILE, live: false, context: { javaScriptEnabled: false } });
    return this.site.page;
  }

  /**
   * A page in a browser that has kept nothing.
   * @param {string} [search] @param {Partial<Parameters<typeof openPage>[0]>} [options]
   */
  async opened(search = SMALL, options = {}) {
    await this.site?.close();
    this.site = await openPage({ file: FILE, search, live: false, ...options });
    await live(this.site.page);
    return this.site.page;
  }
}

/** @param {import('playwright-core').Page} page */
export const live = (page) =>
  page.waitForFunction(() => /** @type {any} */ (document.querySelector('attnscope-contest'))?.entry);

/** @param {import('playwright-core').Page} page */
export async function played(page) {
  await page.click('.contest [data-action=play]');
  await done(page);
}

/** Until all runs that are set are done. @param {import('playwright-core').Page} page */
export const done = (page) =>
  page.waitForFunction(() => {
    const [, count, all] = document.querySelector('.contest-progress')?.textContent?.match(/^(\d+) of (\d+)/) ?? [];
    const { contest } = /** @type {any} */ (document.querySelector('attnscope-contest'));
    return count !== undefined && count === all && !contest.playing;
  });

/** @param {import('playwright-core').Page} page @param {string} variant */
export const scoreOf = (page, variant) => page.innerText(`.contest-table [data-variant=${variant}] [data-score]`);
