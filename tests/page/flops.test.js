// Which FLOPs of a masked layer each page counts, and that it says so.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { intensityOf, pageWorkloads } from '../../web/plain/workloads.js';
import { formatShort } from '../../web/plain/format.js';
import { open } from '../../web/lib/index.js';
import { LIVE, openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const causal = /** @type {import('../../web/plain/workloads.js').Workload} */ (
  pageWorkloads.find(({ name }) => name === 'attention 12x64, S 512, causal')
);
const all = (await open({ threads: 1 })).estimate(causal.config).flops;
const grouped = (/** @type {number} */ count) => count.toLocaleString('en-US');

test('the calculator counts the scores that a mask hides, and says so; of a layer that takes no mask it says nothing of them', async () => {
  site = await openPage({
    search: `?${new URLSearchParams(/** @type {any} */ (causal.config))}`,
    context: { reducedMotion: 'reduce' }
  });
  const { page } = site;
  const more = page.locator('[data-figure="macs"] .figure-more');
  assert.equal(
    await more.innerText(),
    `${formatShort(all)} FLOPs at 2 a MAC, masked scores included, as PyTorch counts them`
  );
  await page.click('.doors >> text=Run');
  await page.waitForSelector('[data-speed="measured"]');
  assert.match(
    await page.locator('[data-fact="speed"]').innerText(),
    new RegExp(`${grouped(all)} FLOPs in that time, masked scores included, though a run may skip them`)
  );
  await page.goto(`${site.site.url}?layer=dense`);
  await page.waitForSelector(LIVE, { state: 'attached' });
  assert.match(await more.innerText(), /FLOPs at 2 a MAC, as PyTorch counts them$/);
});

test('the speed page counts half of a causal layer, says so beside its figures, and leads to the guide, which gives both figures', async () => {
  assert.equal(causal.flops, all / 2);
  site = await openPage({ file: 'speed/', live: false, context: { reducedMotion: 'reduce' } });
  const { page } = site;
  const cells = await page.locator(`tr[data-workload="${causal.name}"] td`).allInnerTexts();
  assert.equal(Number(cells[3]), intensityOf(causal));
  assert.match(
    await page.innerText('[data-convention]'),
    /^A causal layer counts half of its scores here, and all of them in the calculator\./
  );
  assert.match(
    await page.innerText('#measured'),
    /as PyTorch counts them, but for a causal layer, which counts half of its scores\./
  );
  await page.click('[data-convention] a');
  await page.waitForURL(/\/guide\//);
  const text = page.locator('#causal-flops');
  await text.evaluate(
    (paragraph) =>
      new Promise((resolve) =>
        new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && resolve(null)).observe(paragraph)
      )
  );
  assert.match(
    await text.innerText(),
    new RegExp(`${grouped(all)} for 12 causal heads at 512 positions.*counts half, here ${grouped(causal.flops)}`)
  );
});
