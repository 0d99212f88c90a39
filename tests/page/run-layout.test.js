// What a run opens with, in which order it stands there, and that nothing moves when the page becomes live.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

const MOST_SHIFT = 0.02;

for (const [width, height] of [
  [390, 844],
  [1440, 900]
])
  test(`nothing that is seen moves while the page becomes live and runs, ${width} wide`, async () => {
    site = await openPage({ live: false, context: { viewport: { width, height } } });
    const { page } = site;
    await page.addInitScript(() => {
      /** @type {any} */ (window).shifted = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) /** @type {any} */ (window).shifted += /** @type {any} */ (entry).value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(`${site.site.url}run/`);
    await page.waitForSelector('[data-run="fresh"]');
    await page.waitForSelector('[data-speed="measured"]');
    const shifted = await page.evaluate(
      () =>
        new Promise((resolve) =>
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(/** @type {any} */ (window).shifted)))
        )
    );
    assert.ok(shifted < MOST_SHIFT, `a shift of ${shifted}`);
  });

test('a run opens with four words, whose positions are marked, heat map first and speed below', async () => {
  site = await openPage({ file: 'run/' });
  const { page } = site;
  await page.waitForSelector('[data-run="fresh"]');
  assert.equal(await page.locator('select[name="inputs"]').inputValue(), 'words');
  assert.deepEqual(await page.locator('.heat-marks.over text').allTextContents(), ['A', 'B', 'C', 'D']);
  assert.equal(await page.locator('.heat-marks.beside').count(), 0);
  const marks = (await page.locator('.heat-marks.over').boundingBox()) ?? { x: NaN, width: NaN };
  const map = (await page.locator('canvas.heat').boundingBox()) ?? { x: NaN, width: NaN };
  assert.deepEqual([marks.x, marks.width], [map.x, map.width]);
  const row = await page
    .locator('attnscope-heat-map')
    .evaluate((heat) => Array.from(/** @type {any} */ (heat).drawn.tensor.data.subarray(0, 128)));
  const distinct = [0, 32, 64, 96].map((from) => new Set(row.slice(from, from + 32)).size);
  assert.deepEqual(distinct, [1, 1, 1, 1]);
  const tops = [];
  for (const part of ['canvas.heat', '.run-speed', '.same'])
    tops.push((await page.locator(part).boundingBox())?.y ?? NaN);
  assert.deepEqual(
    tops,
    [...tops].sort((a, b) => a - b)
  );
});

test('of attention both queries and keys are marked; a pattern without places marks nothing', async () => {
  const search = '?layer=self_attention&batch_size=1&seq_len=8&hidden_size=8';
  site = await openPage({ file: 'run/', search });
  const { page } = site;
  await page.waitForSelector('[data-run="fresh"]');
  for (const side of ['over', 'beside'])
    assert.deepEqual(await page.locator(`.heat-marks.${side} text`).allTextContents(), ['A', 'B', 'C', 'D'], side);
  await page.selectOption('select[name="inputs"]', 'marker');
  await page.waitForFunction(() => document.querySelector('.heat-marks.over')?.textContent === 'marker');
  await page.selectOption('select[name="inputs"]', 'random');
  await page.waitForSelector('.heat-marks', { state: 'detached' });
  await page.waitForSelector('[data-run="fresh"]');
  assert.equal(new URL(page.url()).searchParams.get('inputs'), 'random');
});

test('numbers are there before their speed is measured, and painting does not wait for it', async () => {
  site = await openPage({ file: 'run/', search: '?layer=linear_scorer&batch_size=2&seq_len=8&hidden_size=4' });
  const { page } = site;
  await page.waitForSelector('[data-run="fresh"]');
  const panel = await page.evaluateHandle(() => {
    const panel = /** @type {any} */ (document.querySelector('attnscope-run'));
    const { time } = panel.engine;
    panel.count = 0;
    panel.engine.time = (/** @type {any} */ report) => {
      panel.count += 1;
      return time.call(panel.engine, report);
    };
    return panel;
  });
  await page.click('[data-action="pad"]');
  await page.waitForFunction((panel) => panel.result.masks.mask?.includes(0), panel);
  await page.click('[data-action="clear-mask"]');
  await page.waitForFunction((panel) => !panel.result.masks.mask && panel.timing.speed, panel);
  assert.equal(await panel.evaluate((panel) => panel.count), 2);
  assert.equal(await page.locator('attnscope-run [role=alert]').count(), 0);
});

test('a layer that does not run by itself says what it takes, and that the button starts it', async () => {
  site = await openPage({ file: 'run/', search: '?layer=multihead_attention' });
  assert.match(
    await site.page.locator('.run-empty').innerText(),
    /^Not run yet\s+It takes [\d.]+\sMiB of memory in this browser and may take a while: Run it starts it, and it can be cancelled\.$/
  );
});
