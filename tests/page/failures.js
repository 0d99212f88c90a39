// Tests that fail in a browser: each names screenshots of the pages that are open then, and after three of them the
// rest of the file is not tried.

import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { project } from '../../tools/folders.js';

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {import('node:test').TestContext & { error?: { cause?: unknown } | null }} Test `error`: null unless it has
 *   failed
 */

const FOLDER = 'build/failed';
/** How many tests of a file may fail before the rest of it is not tried: a broken page fails them all, slowly. */
const MOST_FAILED = 3;
/** Screenshots of a page that hangs would never come. */
const SCREENSHOT_MS = 5000;

/** Tests of this file that have been tried. @type {Test[]} */
const tried = [];

/** @param {() => Promise<Page[]>} openPages */
export function onFailure(openPages) {
  beforeEach((context) => {
    const test = /** @type {Test} */ (context);
    const failed = tried.filter(({ error }) => error).length;
    if (failed >= MOST_FAILED) throw new Error('not tried: three tests of this file have failed');
    tried.push(test);
  });
  // It comes before hooks of the file, which close its pages: this module is loaded first.
  afterEach(async (context) => {
    const test = /** @type {Test} */ (context);
    if (!test.error || !tried.includes(test)) return;
    const shots = await photograph(await openPages(), test.name);
    const { cause } = test.error;
    if (cause instanceof Error) cause.stack += shots.map((shot) => `\nscreenshot: ${shot}`).join('');
  });
}

/**
 * @param {Page[]} pages
 * @param {string} test its name
 * @returns {Promise<string[]>} what was written, or why it could not be
 */
async function photograph(pages, test) {
  await mkdir(join(project, FOLDER), { recursive: true });
  const file = basename(process.argv[1], '.test.js');
  const name = `${file}-${test.replaceAll(/[^\w]+/g, '-').slice(0, 100)}`;
  return Promise.all(
    pages.map(async (page, at) => {
      const path = `${FOLDER}/${name}${at ? `-${at + 1}` : ''}.png`;
      return page.screenshot({ path: join(project, path), timeout: SCREENSHOT_MS }).then(
        () => path,
        (error) => `none of ${page.url()}: ${error.message.split('\n')[0]}`
      );
    })
  );
}
