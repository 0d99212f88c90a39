// One page of the built site, with everything that must not happen on it written down.

import { newContext } from './browser.js';
import { serve } from './server.js';

/**
 * @typedef {{ foreign: string[], errors: string[], violations: string[] }} Problems
 * @param {import('./server.js').Hosting & { search?: string, file?: string, live?: boolean,
 *   context?: import('playwright-core').BrowserContextOptions }} [options] `live: false` does not wait for the module
 */
export async function openPage({ search = '', file = '', live = true, context: options, ...hosting } = {}) {
  const site = await serve(hosting);
  const context = await newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
  const page = await context.newPage();
  const problems = await watch(page, site.url);
  await page.goto(site.url + file + search);
  if (live) await page.waitForSelector('.run-controls');
  return {
    page,
    context,
    site,
    problems,
    close: async () => {
      await context.close();
      await site.close();
    }
  };
}

/**
 * Ends the site's server once the service worker answers for it.
 * @param {Awaited<ReturnType<typeof openPage>>} opened
 */
export async function goOffline({ page, site }) {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.reload();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await site.close();
}

/** @param {import('playwright-core').Page} page @param {string} url @returns {Promise<Problems>} */
async function watch(page, url) {
  /** @type {Problems} */
  const problems = { foreign: [], errors: [], violations: [] };
  const { host } = new URL(url);
  page.context().on('request', (request) => {
    const to = new URL(request.url());
    if (/^https?:|^wss?:/.test(to.protocol) && to.host !== host) problems.foreign.push(request.url());
  });
  page.on('pageerror', (error) => problems.errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.errors.push(message.text());
  });
  await page.exposeFunction('reportViolation', (/** @type {string} */ text) => problems.violations.push(text));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      /** @type {any} */ (window).reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
  });
  return problems;
}

/** A headline figure's large text. @param {import('playwright-core').Page} page @param {string} key */
export const figure = (page, key) => page.locator(`[data-figure="${key}"] .figure-value`).innerText();

/**
 * Scrolls from top to bottom, so that everything that loads when it is seen has loaded.
 * @param {import('playwright-core').Page} page
 */
export async function seeEverything(page) {
  await page.locator('#compare').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-chart="alternatives"] svg');
  await page.locator('#run').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-run="fresh"]');
  await page.locator('#pytorch').scrollIntoViewIfNeeded();
  await page.waitForSelector('.hljs-keyword');
  await page.locator('attnscope-mistakes').scrollIntoViewIfNeeded();
  await page.waitForSelector('attnscope-mistakes button');
}
