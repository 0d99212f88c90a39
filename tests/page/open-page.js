// One page of the built site, with everything that must not happen on it written down.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownPlace, sharedPlace } from './browser.js';
import { LIVE, dist } from './server.js';

export { LIVE };

/**
 * The pages of a file share a context and a server, where they ask for the same and for nothing of the server. A page
 * that a service worker may take over, as one that goes offline, says so: `context: { serviceWorkers: 'allow' }`.
 * @typedef {{ foreign: string[], errors: string[], violations: string[] }} Problems
 * @param {import('./server.js').Hosting & { search?: string, file?: string, live?: boolean,
 *   context?: import('playwright-core').BrowserContextOptions }} [options] `live: false` does not wait for the module
 */
export async function openPage({ search = '', file = '', live = true, context: asked = {}, ...hosting } = {}) {
  const options = { permissions: ['clipboard-read', 'clipboard-write'], ...asked };
  const own = Object.keys(hosting).length > 0 || asked.serviceWorkers === 'allow';
  const place = own ? await ownPlace(hosting, options) : await sharedPlace(options);
  const { context, site } = place;
  const page = await context.newPage();
  const { problems, stop } = await watch(page, site.url);
  await page.goto(site.url + file + search);
  if (live) await page.waitForSelector(LIVE, { state: 'attached' });
  /** @type {Promise<void> | undefined} */
  let closing;
  const close = () => {
    stop();
    return (closing ??= place.close());
  };
  return { page, context, site, shared: !own, problems, close };
}

/**
 * Waits until something holds. Playwright's `waitForFunction` takes the promise of an async function for a yes.
 * @param {() => boolean | Promise<boolean>} holds @param {string} text what it waits for
 */
export async function until(holds, text) {
  const latest = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > latest) throw new Error(`in vain waited for: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** In the page: whether each element that is no part of another has replaced its static content. */
export const isLive = () => {
  const elements = [...document.querySelectorAll('*')].filter(({ localName }) => localName.startsWith('attnscope-'));
  return elements
    .filter((element) => !elements.some((other) => other !== element && other.contains(element)))
    .every((element) => /** @type {any} */ (element).hasUpdated);
};

/** The modules of a page; the script before the first paint is none. */
export const MODULES = /\/assets\/(?!before-paint)[^/]*\.js$/;
export const CORES = /\.wasm$/;

/**
 * Has requests for files wait until they are let in.
 * @param {import('playwright-core').Page} page @param {RegExp} files
 * @returns {Promise<() => void>} lets them in
 */
export async function holdBack(page, files) {
  /** @type {() => void} */
  let letIn = () => {};
  const opened = new Promise((resolve) => {
    letIn = () => resolve(undefined);
  });
  await page.route(files, (route) => opened.then(() => route.continue()).catch(() => {}));
  return letIn;
}

/**
 * Ends the site's server once the service worker answers for it, and has kept all of it.
 * @param {Pick<Awaited<ReturnType<typeof openPage>>, 'page' | 'site'> & { shared?: boolean }} opened with
 *   `context: { serviceWorkers: 'allow' }`
 */
export async function goOffline({ page, site, shared = false }) {
  if (shared) throw new Error("a page that goes offline is opened with context: { serviceWorkers: 'allow' }");
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.reload();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const files = ['doors', 'others'].flatMap(listed);
  await until(async () => (await kept(page)).length === files.length + 1, 'all files and one build of the core kept');
  await site.close();
}

/** Files in a list of service-worker.js. @param {string} list @returns {string[]} */
function listed(list) {
  const text = readFileSync(join(dist, 'service-worker.js'), 'utf8');
  return JSON.parse(new RegExp(`^const ${list} = (.*);$`, 'm').exec(text)?.[1] ?? '[]');
}

/** Addresses of all files that are kept for the page's site. @param {import('playwright-core').Page} page */
export const kept = (page) =>
  page.evaluate(async () => {
    const opened = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const requests = await Promise.all(opened.map((cache) => cache.keys()));
    return requests.flat().map(({ url }) => url);
  });

/**
 * Writes down what must not happen, in all pages of the context.
 * @param {import('playwright-core').Page} page @param {string} url
 */
async function watch(page, url) {
  /** @type {Problems} */
  const problems = { foreign: [], errors: [], violations: [] };
  const { host } = new URL(url);
  const context = page.context();
  const noteForeign = (/** @type {import('playwright-core').Request} */ request) => {
    const to = new URL(request.url());
    if (/^https?:|^wss?:/.test(to.protocol) && to.host !== host) problems.foreign.push(request.url());
  };
  context.on('request', noteForeign);
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
  return { problems, stop: () => context.off('request', noteForeign) };
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

/**
 * The tab in which something is, if it is in one: static HTML has the panels below each other, without tabs.
 * @param {import('playwright-core').Page} page @param {string} part
 */
export async function openTabOf(page, part) {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('attnscope-calculator')].every(
      (calculator) => /** @type {any} */ (calculator).hasUpdated
    )
  );
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
