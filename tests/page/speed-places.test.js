// Measurements on the speed page where it is not isolated, under axe, and without a network.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { badLabels } from './labels.js';
import { goOffline, openPage } from './open-page.js';
import { assertCells, cells, measure, measured, measuredAll, openSpeed } from './speed-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site?.close());

/** @param {Parameters<typeof openSpeed>[0]} [options] */
async function opened(options) {
  site = await openSpeed(options);
  return site.page;
}

test('a page that is not isolated says so and what to do, and measures with one thread, below a sub-path too', async () => {
  const page = await opened({ isolated: false, path: '/some/where/' });
  await page.waitForSelector('[data-lacking]');
  assert.match(
    await page.innerText('[data-lacking]'),
    /one thread, because the page is not cross-origin isolated: serve it with the headers Cross-Origin-Opener-Policy/
  );
  await measure(page);
  assertCells(await cells(page), measured);
  assert.match(await page.innerText('.build'), /, 1 thread$/);
  assert.equal(await page.locator('input[name=threads]').count(), 0);
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const SCREENS = /** @type {const} */ ([
  ['light', 390, 844],
  ['dark', 1280, 800]
]);

test('axe finds nothing on the speed page before and after, no label covers another, and nothing is wider than the screen', async () => {
  const page = await opened({ context: { reducedMotion: 'reduce' } });
  const everywhere = async (/** @type {(width: number) => Promise<void>} */ look) => {
    for (const [colorScheme, width, height] of SCREENS) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await look(width);
    }
  };
  const noViolations = async () => assert.deepEqual(await violations(page), []);
  await everywhere(noViolations);
  await page.locator('[data-action="measure"]').focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('[data-chart="roofline"] svg');
  await noViolations();
  await measuredAll(page);
  await everywhere(async (width) => {
    await noViolations();
    await page.waitForFunction(() => document.documentElement.scrollWidth === innerWidth);
    assert.deepEqual(await badLabels(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  });
});

test('after a visit to the calculator the speed page works without a network', async () => {
  site = await openPage({ context: { serviceWorkers: 'allow' } });
  const { page } = site;
  await goOffline(site);
  await page.goto(`${site.site.url}speed/?runs=1`);
  await measure(page);
  assertCells(await cells(page), measured);
});
