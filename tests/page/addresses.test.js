// Addresses as people type them, on each kind of host: without the slash, with an ending, and with nothing behind them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { violations } from './axe.js';
import { newContext } from './browser.js';
import { hosts, serveAs, serveAsStart } from './hosts.js';

/** @type {[string, () => ReturnType<typeof serveAs>][]} */
const servers = [
  ...Object.entries(hosts).flatMap(([name, host]) =>
    ['/', '/some/where/'].map(
      (path) =>
        /** @type {[string, () => ReturnType<typeof serveAs>]} */ ([
          `a host that ${name}, at ${path}`,
          () => serveAs({ host, path })
        ])
    )
  ),
  ['npm start', serveAsStart]
];

const PAGES = [
  'train',
  'speed',
  'labs',
  'run',
  'models',
  'guide',
  'guide/api',
  'labs/tutorial/3',
  'train.html',
  'Run/'
];

for (const [name, start] of servers) {
  test(`${name}: an address without its slash leads to its page, with query and fragment, once`, async () => {
    const { page, site, documents, close } = await visit(start);
    for (const address of PAGES) {
      documents.length = 0;
      const folder = address.toLowerCase().replace(/\.html|\/$/, '');
      await page.goto(`${site.url}${address}?x=1&y=2#main`).catch(isInterrupted);
      await page.waitForURL(`${site.url}${folder}/?x=1&y=2#main`);
      await page.waitForLoadState('load');
      assert.ok(await page.locator('.doors').isVisible(), address);
      assert.equal(await page.locator('.missing').count(), 0, address);
      assert.ok(documents.length <= 3, `${address}: ${documents.join(' ')}`);
    }
    await close();
  });

  test(`${name}: an unknown address gets a page that names it, in the site's look, and leads on`, async () => {
    const { page, site, close } = await visit(start);
    for (const address of ['labz', 'labs/mask%20s', 'a/b/c/d.html', 'guide/nothing/']) {
      const answer = await page.goto(site.url + address);
      assert.equal(answer?.status(), 404, address);
      await page.waitForSelector('.theme:not([hidden])', { state: 'attached' });
      assert.equal(await page.innerText('h1'), 'There is no page here');
      const { pathname } = new URL(site.url + address);
      assert.equal(await page.innerText('.missing-address'), decodeURIComponent(pathname));
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).margin), '0px', address);
      await page.waitForFunction(() => document.fonts.check('15px "Geist Variable"'));
      const links = await page.locator('.door-cards a, .doors a').evaluateAll(hrefs);
      const doors = ['', 'run/', 'models/', 'labs/', 'guide/'].map((door) => site.url + door);
      assert.deepEqual(links, [...doors, ...doors], address);
      assert.equal(await page.locator('.doors [aria-current]').count(), 0, address);
      assert.match(String(await page.getAttribute('link[rel=icon]', 'href')), /^data:image\/svg\+xml,/);
    }
    await page.click('.door-cards >> text=Models');
    await page.waitForURL(`${site.url}models/`);
    await close();
  });
}

test('the page for unknown addresses has no violation of axe, fits a phone, and says as much without JavaScript', async () => {
  for (const [colorScheme, width] of /** @type {const} */ ([
    ['light', 320],
    ['dark', 1280]
  ])) {
    const { page, site, close } = await visit(serveAsStart, { colorScheme, viewport: { width, height: 800 } });
    await page.goto(`${site.url}${'long-'.repeat(60)}`);
    await page.waitForSelector('.theme:not([hidden])', { state: 'attached' });
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await close();
  }
  const { page, site, close } = await visit(serveAsStart, { javaScriptEnabled: false });
  await page.goto(`${site.url}labz`);
  assert.equal(await page.locator('.door-cards a:visible').count(), 5);
  await close();
});

const hrefs = (/** @type {Element[]} */ links) => links.map((link) => /** @type {HTMLAnchorElement} */ (link).href);

/** A page that is sent on before it has loaded. @param {Error} error */
function isInterrupted(error) {
  if (!/interrupted by another navigation|ERR_ABORTED/.test(error.message)) throw error;
}

/**
 * @param {() => ReturnType<typeof serveAs>} start
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
async function visit(start, options) {
  const site = await start();
  const context = await newContext({ serviceWorkers: 'block', ...options });
  const page = await context.newPage();
  /** Addresses of what was opened. @type {string[]} */
  const documents = [];
  page.on('request', (request) => request.isNavigationRequest() && documents.push(request.url()));
  /** @type {Promise<void> | undefined} */
  let closing;
  const close = () => (closing ??= context.close().then(() => site.close()));
  after(close);
  return { page, site, documents, close };
}
