// Every page of the built site opens: its elements are live, nothing is refused or asked of another host, and axe finds
// nothing. What a page answers is tested by the files of its subject; the page for unknown addresses is opened by
// addresses.test.js, as hosts send it.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { openPage } from './open-page.js';
import { dist } from './server.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)index\.html$/.test(file))
  .map((file) => file.replace(/index\.html$/, ''))
  .sort();

for (const file of pages)
  test(`/${file} opens live, without an error, and axe finds nothing`, async () => {
    site = await openPage({ file, live: false, context: { reducedMotion: 'reduce' } });
    const { page } = site;
    await page.waitForSelector('.theme:not([hidden])', { state: 'attached' });
    await page.waitForFunction(isLive);
    assert.deepEqual(await page.locator('[role=alert]:visible').allInnerTexts(), []);
    assert.deepEqual(await violations(page), []);
  });

/** Whether each element that is no part of another has replaced its static content. */
const isLive = () => {
  const elements = [...document.querySelectorAll('*')].filter(({ localName }) => localName.startsWith('attnscope-'));
  return elements
    .filter((element) => !elements.some((other) => other !== element && other.contains(element)))
    .every((element) => /** @type {any} */ (element).hasUpdated);
};
