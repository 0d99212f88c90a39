// Every page of the built site opens: its elements are live, nothing is refused or asked of another host, and axe finds
// nothing. What a page answers is tested by the files of its subject; the page for unknown addresses is opened by
// addresses.test.js, as hosts send it.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { isLive, openPage } from './open-page.js';
import { pages } from './server.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

for (const file of pages)
  test(`/${file} opens live, without an error, and axe finds nothing`, async () => {
    site = await openPage({ file, live: false, context: { reducedMotion: 'reduce' } });
    const { page } = site;
    await page.waitForSelector('.theme:not([hidden])', { state: 'attached' });
    await page.waitForFunction(isLive);
    assert.deepEqual(await page.locator('[role=alert]:visible').allInnerTexts(), []);
    assert.deepEqual(await violations(page), []);
  });
