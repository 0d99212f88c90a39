// After a first visit every page works without a network, whatever the host says of what its answers depend on.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newContext } from './browser.js';
import { hosts, serveAs, serveAsStart } from './hosts.js';
import { LIVE, figure, goOffline, seeEverything } from './open-page.js';

/** @type {[string, () => ReturnType<typeof serveAs>][]} */
const servers = [
  ['npm start', serveAsStart],
  ...['Origin', 'Accept-Encoding', '*'].map(
    (vary) =>
      /** @type {[string, () => ReturnType<typeof serveAs>]} */ ([
        `Vary: ${vary}`,
        () => serveAs({ host: hosts['drops .html'], path: '/some/where/', vary })
      ])
  )
];

for (const [name, start] of servers) {
  test(`${name}: after the first visit every page is styled and live without a network`, async () => {
    const { page, site } = await visit(start);
    await page.goto(`${site.url}?layer=additive_scorer&hidden_size=64&attn_dim=16`);
    await page.waitForSelector(LIVE, { state: 'attached' });
    assert.equal(await figure(page, 'parameters'), '1,057');
    for (const door of ['run/', 'models/']) {
      await page.goto(site.url + door);
      await page.waitForSelector(LIVE, { state: 'attached' });
      await seeEverything(page);
    }
    for (const file of ['labs/', 'labs/masks/', 'guide/', 'guide/api/', 'speed/', 'train/']) {
      await page.goto(site.url + file);
      await page.waitForSelector('.theme:not([hidden])', { state: 'attached' });
      await page.waitForFunction(() => document.fonts.check('15px "Geist Variable"'));
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).margin), '0px', file);
    }
  });

  test(`${name}: without a network, too, a slash may be missing and what leads nowhere is named`, async () => {
    const { page, site } = await visit(start);
    await page.goto(`${site.url}run?layer=decoder#run`);
    await page.waitForURL(`${site.url}run/?layer=decoder#run`);
    await page.waitForSelector(LIVE, { state: 'attached' });
    await page.goto(`${site.url}labs/nothing`);
    await page.waitForSelector('.theme:not([hidden])', { state: 'attached' });
    assert.equal(await page.innerText('.missing-address'), `${new URL(site.url).pathname}labs/nothing`);
    await page.click('.door-cards >> text=Guide');
    await page.waitForURL(`${site.url}guide/`);
  });
}

/** Opens the first page, then takes the host away. @param {() => ReturnType<typeof serveAs>} start */
async function visit(start) {
  const site = await start();
  const context = await newContext();
  after(() => context.close());
  const page = await context.newPage();
  await page.goto(site.url);
  await page.waitForSelector(LIVE, { state: 'attached' });
  await goOffline({ page, site });
  return { page, site };
}
