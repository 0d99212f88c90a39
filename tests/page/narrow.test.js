// At 320 pixels, which is also a window of 1,280 at 400 %, and with figures of any size: nothing is cut.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

const LARGE = '?layer=decoder&hidden_size=8192&num_layers=80&intermediate_size=28672&batch_size=64&seq_len=131072';
const HUGE =
  '?layer=additive_scorer&batch_size=2147483647&seq_len=2147483647&hidden_size=2147483647&attn_dim=2147483647';

for (const width of [320, 390, 1440])
  for (const [name, search] of [
    ['the default', ''],
    ['a large model', LARGE],
    ['the largest layer', HUGE]
  ])
    test(`${name}, ${width} pixels wide: the figures are whole, in the strip too`, async () => {
      site = await openPage({ search, context: { viewport: { width, height: 800 } } });
      const { page } = site;
      assert.deepEqual(await page.locator('.figure-value').evaluateAll(cutOff), []);
      await page.locator('.foot').scrollIntoViewIfNeeded();
      await page.waitForSelector('.strip.over .strip-line');
      assert.deepEqual(await page.locator('.strip-figures > :not(.strip-layer)').evaluateAll(cutOff), []);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    });

/** Texts of elements of which something is outside of the boxes around them. @param {Element[]} elements */
function cutOff(elements) {
  return elements
    .filter((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { left, right } = range.getBoundingClientRect();
      const around = /** @type {Element} */ (element.parentElement).getBoundingClientRect();
      return left < around.left - 1 || right > around.right + 1 || around.width === 0;
    })
    .map(({ textContent }) => textContent);
}

test('on a phone the name of a model, the pages of the guide and the code of the tutorial are whole', async () => {
  const context = { viewport: { width: 320, height: 800 } };
  site = await openPage({ file: 'models/', context });
  const { page } = site;
  const name = await page.locator('.strip-layer.model').evaluateAll(cutBelow);
  assert.deepEqual(name, []);
  await page.goto(`${site.site.url}speed/`);
  const right = await page
    .locator('.subnav a')
    .evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().right)));
  assert.ok(right <= 320, `a page of the guide ends at ${right}`);
  for (const chapter of [1, 2, 3, 4, 5, 6]) {
    await page.goto(`${site.site.url}labs/tutorial/${chapter}/`);
    await page.waitForSelector('attnscope-heat-map canvas');
    assert.deepEqual(
      await page.locator('.printed').evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth)),
      [0, 0],
      `chapter ${chapter}`
    );
  }
});

test('on a phone the letters of the example and the norms of the gradients are in sight', async () => {
  site = await openPage({ file: 'train/', live: false, context: { viewport: { width: 390, height: 800 } } });
  const { page } = site;
  await page.click('[data-action=step][aria-disabled=false]');
  await page.waitForSelector('.train-gradients');
  const ends = await page
    .locator('.train-tokens tr, .train-gradients tr')
    .evaluateAll((rows) => Math.max(...rows.map((row) => row.getBoundingClientRect().right)));
  assert.ok(ends <= 390, `a row ends at ${ends}`);
});

/** Texts of elements of which something is above or below the line around them. @param {Element[]} elements */
function cutBelow(elements) {
  return elements
    .filter((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const around = /** @type {Element} */ (element.closest('.strip-line')).getBoundingClientRect();
      return top < around.top + 2 || bottom > around.bottom - 2;
    })
    .map(({ textContent }) => textContent);
}

for (const width of [320, 390])
  test(`figures of a training stand beside their keys, and none on another, ${width} pixels wide`, async () => {
    site = await openPage({
      file: 'train/',
      search: '?task=recall&pause_every=1',
      live: false,
      context: { viewport: { width, height: 700 } }
    });
    const { page } = site;
    await page.click('[data-action=step][aria-disabled=false]');
    await page.waitForSelector('[data-figure=step]:has-text("not timed yet")');
    assert.doesNotMatch(await page.innerText('[data-figure=step]'), /not yet under way/);
    await page.locator('[data-figure=accuracy] .figure-value').evaluate((value) => {
      value.textContent = '100\u202f%'; // as it is when all is learned
    });
    const boxes = await page.locator('[data-figure=accuracy] > *').evaluateAll((parts) =>
      parts.map((part) => {
        const range = document.createRange();
        range.selectNodeContents(part);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        return { left, right, top, bottom };
      })
    );
    for (const [at, one] of boxes.entries())
      for (const other of boxes.slice(at + 1))
        assert.ok(
          one.right <= other.left ||
            other.right <= one.left ||
            one.bottom <= other.top + 1 ||
            other.bottom <= one.top + 1,
          JSON.stringify([one, other])
        );
  });
