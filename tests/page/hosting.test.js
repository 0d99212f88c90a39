import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { LIVE, figure, goOffline, openPage, seeEverything } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

test('nothing goes to another host, and the Content-Security-Policy refuses nothing', async () => {
  for (const file of ['', 'run/', 'models/', 'guide/']) {
    site = await openPage({ file, live: file !== 'guide/' });
    await seeEverything(site.page);
    assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] }, file);
    await site.close();
  }
  site = await openPage({ search: '#compare' });
  await site.page.locator('.growth svg').first().hover();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

test('isolated, the run has threads', async () => {
  site = await openPage({ file: 'run/', isolated: true });
  await seeEverything(site.page);
  assert.match(await site.page.locator('.build').innerText(), /, \d+ threads?$/);
  assert.doesNotMatch(await site.page.locator('.build').innerText(), /not cross-origin isolated/);
});

test('below a sub-path and without isolation everything works, with one thread and the reason', async () => {
  site = await openPage({ file: 'run/', isolated: false, path: '/some/where/' });
  await seeEverything(site.page);
  assert.match(await site.page.locator('.build').innerText(), /1 thread\b.*not cross-origin isolated/s);
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

test('after the first visit the page works without a network, run included', async () => {
  site = await openPage({ context: { serviceWorkers: 'allow' } });
  const { page } = site;
  await goOffline(site);
  await page.goto(`${site.site.url}?layer=additive_scorer&hidden_size=64&attn_dim=16`);
  await page.waitForSelector(LIVE, { state: 'attached' });
  assert.equal(await figure(page, 'parameters'), '1,057');
  await seeEverything(page);
  for (const door of ['Run', 'Models', 'Guide']) {
    await page.click(`.doors >> text=${door}`);
    await page.waitForURL(new RegExp(`/${door.toLowerCase()}/`));
    await seeEverything(page);
  }
});
