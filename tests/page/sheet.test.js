// The answer in one line, the form as a sheet on a phone, the tabs, and the layer that travels from page to page.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { LIVE, openPage } from './open-page.js';
import { pages } from './server.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const phone = { viewport: { width: 390, height: 844 }, reducedMotion: /** @type {const} */ ('reduce') };

/** @param {string} selector */
const box = async (selector) => /** @type {any} */ (await site.page.locator(selector).first().boundingBox());

test('the answer in one line shows when the answer is out of sight, and follows edits', async () => {
  site = await openPage({ context: { viewport: { width: 1440, height: 600 }, reducedMotion: 'reduce' } });
  const { page } = site;
  const line = page.locator('.strip-line');
  assert.equal(await line.isVisible(), false);
  await page.locator('#steps').scrollIntoViewIfNeeded();
  await line.waitFor({ state: 'visible' });
  await page.fill('#field-hidden_size', '1024');
  assert.match(await line.innerText(), /1,025\s+parameters/);
  await page.evaluate(() => scrollTo(0, 0));
  await line.waitFor({ state: 'hidden' });
});

test('on a phone the form is a sheet below the answer, which stays in sight; nothing covers a field', async () => {
  site = await openPage({ context: phone });
  const { page } = site;
  assert.equal(await page.locator('#field-hidden_size').isVisible(), false);
  await page.click('.sheet-button');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'layer-form');
  const [strip, sheet, bar] = [await box('.strip-line'), await box('.rail'), await box('.doors')];
  assert.ok(strip.y >= 49 && strip.y + strip.height <= sheet.y + 1, JSON.stringify([strip, sheet]));
  assert.ok(sheet.y + sheet.height <= bar.y + 1, JSON.stringify([sheet, bar]));
  await page.fill('#field-hidden_size', '1024');
  assert.match(await page.innerText('.strip-line'), /1,025\s+parameters/);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#field-hidden_size').isVisible(), false);
  assert.ok(await page.evaluate(() => document.activeElement?.classList.contains('sheet-button')));
});

test('the door "Size a layer" leads into the form, on a phone too', async () => {
  site = await openPage({ context: phone });
  await site.page.click('.entries >> text=Size a layer');
  await site.page.locator('#field-layer').waitFor();
  await site.page.waitForFunction(() => document.activeElement?.id === 'field-layer');
});

test('tabs are chosen by click, keys and address', async () => {
  site = await openPage();
  const { page } = site;
  const chosen = () => page.locator('[role=tab][aria-selected=true]').innerText();
  assert.equal(await chosen(), 'Cost');
  await page.click('[data-tab=compare]');
  assert.equal(new URL(page.url()).hash, '#compare');
  await page.keyboard.press('ArrowRight');
  assert.equal(await chosen(), 'PyTorch');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'tab-pytorch');
  await page.keyboard.press('ArrowRight');
  assert.equal(await chosen(), 'Cost');
  await page.keyboard.press('End');
  assert.equal(await chosen(), 'PyTorch');
  await page.reload();
  await page.waitForSelector(LIVE, { state: 'attached' });
  assert.equal(await chosen(), 'PyTorch');
  for (const tab of await page.locator('[role=tab]').all()) {
    const panel = await tab.getAttribute('aria-controls');
    assert.equal(await page.locator(`#${panel}`).isVisible(), (await tab.getAttribute('aria-selected')) === 'true');
  }
});

test('the layer travels from page to page, by way of training too', async () => {
  site = await openPage({ search: '?layer=additive_scorer&hidden_size=64&attn_dim=16&seq_len=8&batch_size=2' });
  const { page } = site;
  await page.click('.doors >> text=Run');
  await page.waitForURL(/\/run\/\?layer=additive_scorer.*hidden_size=64/);
  await page.waitForSelector(LIVE, { state: 'attached' });
  assert.equal(await page.inputValue('#field-attn_dim'), '16');
  await page.click('.subnav >> text=Train');
  await page.waitForURL(/\/train\/\?.*from=layer%3Dadditive_scorer/);
  await page.selectOption('#field-task', { index: 2 });
  await page.waitForURL(/from=layer%3Dadditive_scorer/);
  await page.click('.doors >> text=Guide');
  await page.waitForURL(/\/guide\/\?layer=additive_scorer/);
  await page.click('.doors >> text=Calculator');
  await page.waitForSelector(LIVE, { state: 'attached' });
  assert.equal(await page.inputValue('#field-hidden_size'), '64');
});

test('each page has a title, a description and a picture of its own', async () => {
  const seen = [];
  site = await openPage({ live: false });
  for (const file of pages) {
    await site.page.goto(site.site.url + file);
    seen.push(
      await site.page.evaluate(() =>
        ['title', 'meta[name=description]', 'meta[property="og:title"]'].map((selector) => {
          const element = /** @type {any} */ (document.querySelector(selector));
          return element.content ?? element.textContent;
        })
      )
    );
    const status = await site.page.evaluate(
      async () => (await fetch(/** @type {any} */ (document.querySelector('meta[property="og:image"]')).content)).status
    );
    assert.equal(status, 200, file);
  }
  for (const at of [0, 1]) assert.equal(new Set(seen.map((texts) => texts[at])).size, seen.length);
  for (const [title, , shared] of seen) assert.equal(title, shared);
});
