import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { figure, goOffline, openPage, seeEverything } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

test('nothing goes to another host, and the Content-Security-Policy refuses nothing', async () => {
  site = await openPage();
  await seeEverything(site.page);
  await site.page.locator('.growth svg').first().hover();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

test('isolated, the run has threads', async () => {
  site = await openPage({ isolated: true });
  await seeEverything(site.page);
  assert.match(await site.page.locator('.build').innerText(), /, \d+ threads?$/);
  assert.doesNotMatch(await site.page.locator('.build').innerText(), /not cross-origin isolated/);
});

test('below a sub-path and without isolation everything works, with one thread and the reason', async () => {
  site = await openPage({ isolated: false, path: '/some/where/' });
  await seeEverything(site.page);
  assert.match(await site.page.locator('.build').innerText(), /1 thread\b.*not cross-origin isolated/s);
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

test('after the first visit the page works without a network, run included', async () => {
  site = await openPage();
  const { page } = site;
  await goOffline(site);
  await page.goto(`${site.site.url}?layer=additive_scorer&hidden_size=64&attn_dim=16`);
  await page.waitForSelector('.run-controls');
  assert.equal(await figure(page, 'parameters'), '1,057');
  await seeEverything(page);
});
