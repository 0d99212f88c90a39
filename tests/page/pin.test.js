// A configuration that is pinned, to hold others against.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { badLabels } from './labels.js';
import { openPage, openTabOf } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const ROBERTA = 'layer=additive_scorer&batch_size=64&seq_len=512&hidden_size=768&attn_dim=128&dtype=float16';
const PINNED = `?${ROBERTA.replace('512', '5120')}&pin=${encodeURIComponent(ROBERTA)}`;

/** @param {string} search @param {import('playwright-core').BrowserContextOptions} [context] */
async function drawn(search, context) {
  site = await openPage({ search, context: { reducedMotion: 'reduce', ...context } });
  const { page } = site;
  await openTabOf(page, '#compare');
  await page.waitForSelector('.growth svg');
  return page;
}

/** @param {import('playwright-core').Page} page */
const changes = async (page) =>
  Object.fromEntries(
    await page
      .locator('.figure:has(.figure-change)')
      .evaluateAll((figures) =>
        figures.map((one) => [
          /** @type {HTMLElement} */ (one).dataset.figure,
          one.querySelector('.figure-change')?.textContent?.replace(/\s/g, ' ')
        ])
      )
  );

test('ten times the length is one number below each figure', async () => {
  site = await openPage({ search: `?${ROBERTA}` });
  const { page } = site;
  assert.deepEqual(await changes(page), {});
  await page.getByRole('button', { name: 'Pin this' }).first().click();
  assert.match(await page.locator('.pin-line').innerText(), /^Pinned\. Change a field/);
  await page.fill('#field-seq_len', '5120');
  assert.deepEqual(await changes(page), {
    parameters: 'same as pinned',
    macs: '× 10, pinned 3.25 G',
    output_shape: 'same as pinned',
    memory: '× 9.97, pinned 64.19 MiB'
  });
  assert.match(await page.locator('.pin-line').innerText(), /^Pinned\. Changed since: seq_len 512 → 5,120/);
  await page.fill('#field-seq_len', 'long');
  assert.equal((await changes(page)).macs, '× 10, pinned 3.25 G', 'that of the last valid values');
  await page.fill('#field-seq_len', '5120');
  await page.getByRole('button', { name: 'Unpin' }).first().click();
  assert.deepEqual(await changes(page), {});
});

test('the pin is a card and a row of the comparison, and the others are held against it', async () => {
  const page = await drawn(PINNED);
  const card = page.locator('.pin-card');
  assert.match(
    await card.innerText(),
    /Additive scorer, batch_size 64, seq_len 512, hidden_size 768, attn_dim 128[^]*seq_len 512 → 5,120[^]*×\s10[^]*3\.25\sG → 32\.51\sG/
  );
  const chart = page.locator('[data-chart="alternatives"] svg');
  const columns = chart.locator('[aria-label="column label"] text');
  assert.deepEqual(await columns.allTextContents(), ['ratio to pinned', 'MACs']);
  const table = page.locator('.alternatives tbody');
  await page.locator('attnscope-charts > details.twin summary').click();
  assert.match(await table.locator('tr', { hasText: /^Pinned/ }).innerText(), /^Pinned\s+3,250,585,600\s+same/);
  assert.match(await table.locator('tr.fits').innerText(), /32,505,856,000\s+×\s10/);
  const names = page.locator('[data-chart="hidden_size"] svg [aria-label="curve label"] text');
  assert.ok((await names.allTextContents()).includes('Pinned'), 'a curve of its own');
  assert.equal(
    await page
      .locator('[data-chart="seq_len"] svg path[stroke-dasharray], [data-chart="seq_len"] svg [stroke-dasharray="4,3"]')
      .count(),
    0,
    'on this curve there is only its ring'
  );
});

test('pinned and present are copied side by side with their ratios, as Markdown and as CSV', async () => {
  site = await openPage({ search: PINNED });
  const { page } = site;
  const copied = async (/** @type {string} */ kind) => {
    await page.click(`[data-export="${kind}"]`);
    await page.waitForSelector('.pin-line .said:has-text("Copied")', { state: 'attached' });
    return (await page.evaluate(() => navigator.clipboard.readText())).replaceAll('\u202f', ' ');
  };
  const markdown = await copied('comparison');
  assert.match(markdown, /^\*\*Additive scorer\*\* beside the pinned \*\*Additive scorer\*\*$/m);
  assert.match(
    markdown,
    /^The same in both: batch_size 64, hidden_size 768, attn_dim 128, .*dtype float16, output pooled$/m
  );
  for (const row of [
    '| seq_len | 512 | 5,120 |',
    '| MACs | 3,250,585,600 | 32,505,856,000 | × 10 |',
    '| Parameters | 98,561 | 98,561 | same |'
  ])
    assert.ok(markdown.split('\n').includes(row), row);
  assert.match(markdown, /^\| Peak to train with Adam \| .* MiB \| .* × 9\.\d+ \|$/m);
  assert.match(markdown, /^http.*seq_len=5120.*&pin=layer%3Dadditive_scorer/m);
  const rows = (await copied('comparison-csv')).split(/\r?\n/).map((line) => line.split(','));
  assert.deepEqual(rows[0], ['kind', 'name', 'unit', 'pinned', 'now', 'ratio']);
  assert.deepEqual(
    rows.find(([, name]) => name === 'seq_len'),
    ['field', 'seq_len', '', '512', '5120', '']
  );
  assert.deepEqual(
    rows.find(([, name]) => name === 'macs'),
    ['figure', 'macs', 'MACs', '3250585600', '32505856000', '10']
  );
  const step = rows.find(([, name]) => name === 'step') ?? [];
  assert.equal(Number(step[5]), Number(step[4]) / Number(step[3]));
});

test('training memory has its ratio to that of the pin, in the headline and in the card', async () => {
  const page = await drawn(PINNED);
  const said = (await page.innerText('[data-figure="memory"] .figure-more')).replace(/\s/g, ' ');
  assert.match(said, /all in float16 \(× 9\.\d+, pinned [\d.]+ MiB\)/);
  assert.match(
    (await page.innerText('.pin-card')).replace(/\s/g, ' '),
    /Peak to train with Adam × 9\.\d+ [\d.]+ MiB → [\d.]+ (Mi|Gi)B/
  );
});

test('with the keyboard: pin, go back to it, pin another, unpin; the focus stays', async () => {
  const page = await drawn(`?${ROBERTA}`);
  const panel = page.locator('attnscope-charts');
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
  const seqLen = (/** @type {string} */ value) =>
    page.waitForFunction(
      (wanted) => /** @type {any} */ (document.querySelector('#field-seq_len')).value === wanted,
      value
    );
  await panel.getByRole('button', { name: 'Pin this' }).press('Enter');
  await page.waitForSelector('.pin-card');
  assert.equal(await focused(), 'Unpin');
  const back = page.getByRole('button', { name: 'Back to it' });
  assert.equal(await back.getAttribute('aria-disabled'), 'true');
  await page.fill('#field-seq_len', '1024');
  await page.waitForSelector('.pin-card button[aria-disabled=false]');
  await back.press('Enter');
  await seqLen('512');
  await page.waitForSelector('.pin-card button[aria-disabled=true]');
  assert.equal(await focused(), 'Back to it');
  await page.fill('#field-seq_len', '2048');
  await page.waitForSelector('.pin-card button[aria-disabled=false]');
  await page.getByRole('button', { name: 'Pin this instead' }).press('Enter');
  await page.waitForURL(/pin=[^&]*seq_len%3D2048/);
  await page.waitForSelector('.pin-card button[aria-disabled=true]');
  assert.equal(await focused(), 'Pin this instead');
  await panel.getByRole('button', { name: 'Unpin' }).press('Enter');
  await page.waitForFunction(() => !document.querySelector('.pin-card'));
  assert.equal(await focused(), 'Pin this');
});

test('a KV cache is held against that of the pin, and a layer without one is not', async () => {
  const decoder = 'layer=grouped_query_attention&seq_len=1024&past_len=0';
  site = await openPage({ search: `?${decoder.replace('1024', '2048')}&pin=${encodeURIComponent(decoder)}` });
  const { page } = site;
  assert.match((await changes(page)).kv_cache, /^× 2, pinned /);
  assert.equal((await changes(page)).kv_cache_token, 'same as pinned');
  await page.selectOption('#field-layer', 'linear_scorer');
  assert.deepEqual(Object.keys(await changes(page)), ['parameters', 'macs', 'output_shape', 'memory']);
});

for (const [colorScheme, width] of /** @type {const} */ ([
  ['light', 390],
  ['dark', 1280]
])) {
  test(`axe finds nothing, nothing is too wide and no label covers another with a pin, ${colorScheme}, ${width} wide`, async () => {
    const page = await drawn(PINNED, { colorScheme, viewport: { width, height: 844 } });
    for (const twin of await page.locator('attnscope-charts details.twin summary').all()) await twin.click();
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    for (const metric of ['macs', 'parameters', 'inference', 'training']) {
      await page.locator(`input[name=metric][value=${metric}]`).check();
      await page.locator('attnscope-charts').evaluate((/** @type {any} */ panel) => panel.updateComplete);
      assert.deepEqual(await badLabels(page), [], metric);
    }
  });
}
