// Nothing that a visitor looks at jumps while a page becomes live, and what a page no longer shows it does not keep.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { LIVE, openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

/** Half of what Web Vitals call good for a whole visit. */
const SEEN = 0.05;
/** What a page shows, or holds, once it is live. */
const READY = /** @type {Record<string, string | (() => boolean)>} */ ({
  'run/': '[data-run="fresh"]',
  'labs/attention-or-dense/': () =>
    /** @type {any} */ (document.querySelector('attnscope-minute'))?.learned.length === 3 &&
    Boolean(/** @type {any} */ (document.querySelector('attnscope-contest'))?.entry)
});

for (const [width, height] of [
  [390, 844],
  [1280, 800],
  [1920, 1080]
])
  test(`${width} pixels wide, no page shifts its layout when it becomes live`, async () => {
    for (const file of [
      ...['', 'run/', 'models/', 'labs/masks/', 'labs/kv-cache/', 'labs/attention-or-dense/'],
      ...['guide/', 'guide/embedding/']
    ]) {
      site = await openPage({ live: false, file: 'icon.svg', context: { viewport: { width, height } } });
      const { page } = site;
      await page.addInitScript(() => {
        const seen = /** @type {any} */ (window);
        seen.shifted = [];
        new PerformanceObserver((list) => seen.shifted.push(...list.getEntries())).observe({
          type: 'layout-shift',
          buffered: true
        });
      });
      await page.goto(site.site.url + file);
      const ready = READY[file] ?? (file.startsWith('labs') || file.startsWith('guide') ? '.theme' : LIVE);
      if (typeof ready === 'string') await page.waitForSelector(ready, { state: 'attached' });
      else await page.waitForFunction(ready);
      await page.waitForLoadState('networkidle');
      const shifts = await page.evaluate(
        () =>
          new Promise((resolve) =>
            requestAnimationFrame(() =>
              requestAnimationFrame(() =>
                resolve(
                  /** @type {any} */ (window).shifted.map((/** @type {any} */ { value, sources }) => ({
                    value,
                    of: sources.map((/** @type {any} */ { node }) => node?.className)
                  }))
                )
              )
            )
          )
      );
      assert.deepEqual(
        /** @type {{ value: number }[]} */ (shifts).filter(({ value }) => value > SEEN),
        [],
        file
      );
      await site.close();
    }
  });

/** Keys of `Memory.getDOMCounters` of Chromium's protocol. */
const COUNTED = /** @type {const} */ (['nodes', 'jsEventListeners']);
const LAYERS = ['decoder', 'linear_scorer', 'multihead_attention', 'dense'];

for (const tab of ['cost', 'pytorch'])
  test(`changes of layer leave nothing behind, with ${tab} open`, async () => {
    site = await openPage();
    const { page } = site;
    await page.click(`[data-tab=${tab}]`);
    const protocol = await site.context.newCDPSession(page);
    await protocol.send('HeapProfiler.enable');
    const round = async () => {
      for (const layer of LAYERS) {
        await page.selectOption('#field-layer', layer);
        await page.waitForFunction(
          (name) => /** @type {any} */ (document.querySelector('attnscope-calculator')).config.layer === name,
          layer
        );
      }
    };
    const counted = async () => {
      await protocol.send('HeapProfiler.collectGarbage');
      const counters = await protocol.send('Memory.getDOMCounters');
      return COUNTED.map((name) => counters[name]);
    };
    await round();
    await round();
    const before = await counted();
    for (let rounds = 0; rounds < 5; rounds++) await round();
    const after = await counted();
    assert.ok(after[0] - before[0] <= 50, `nodes: ${before[0]}, then ${after[0]}`);
    assert.ok(after[1] - before[1] <= 2, `listeners: ${before[1]}, then ${after[1]}`);
  });
