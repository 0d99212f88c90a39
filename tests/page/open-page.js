// One page of the built site, with everything that must not happen on it written down.

import { newContext } from './browser.js';
import { serve } from './server.js';

/** What a calculator has once it answers, and its static HTML has not. */
export const LIVE = '.sheet-button';

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
  if (live) await page.waitForSelector(LIVE, { state: 'attached' });
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
 * @param {Pick<Awaited<ReturnType<typeof openPage>>, 'page' | 'site'>} opened
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

/** What shows that a part has loaded. */
const LOADED = [
  ['#compare', '[data-chart="alternatives"] svg'],
  ['#run', '[data-run="fresh"]'],
  ['#pytorch', '.hljs-keyword']
];

/**
 * Opens the tabs that there are and scrolls from top to bottom, so that everything that loads when it is seen has
 * loaded; the first tab is open then.
 * @param {import('playwright-core').Page} page
 */
export async function seeEverything(page) {
  for (const [part, loaded] of LOADED) {
    if ((await page.locator(part).count()) === 0) continue;
    await openTabOf(page, part);
    await page.locator(part).scrollIntoViewIfNeeded();
    await page.waitForSelector(loaded);
  }
  const first = page.locator('[role=tab]').first();
  if (await first.count()) await first.click();
}

/** The tab in which something is, if it is in one. @param {import('playwright-core').Page} page @param {string} part */
export async function openTabOf(page, part) {
  const panel = await page
    .locator(part)
    .first()
    .evaluate((element) => element.closest('.tab')?.getAttribute('aria-labelledby'));
  if (panel) await page.click(`#${panel}`);
}

/** Where the form is a sheet, opens it. @param {import('playwright-core').Page} page */
export async function openForm(page) {
  const button = page.locator('.sheet-button[aria-expanded=false]');
  if (await button.isVisible()) await button.click();
}
