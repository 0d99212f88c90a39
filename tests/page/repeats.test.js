import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { macFormula, parameterFormula } from '../../web/elements/formulas.js';
import { figure, openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>> | null} */
let site = null;
afterEach(() => site?.close());

/** @param {string} search */
async function opened(search) {
  site = await openPage({ search, fakes: true });
  return site.page;
}

/** @param {import('playwright-core').Page} page @param {string} kind */
async function copied(page, kind) {
  await page.click(`[data-export="${kind}"]`);
  await page.waitForSelector('.exports .said:has-text("Copied")');
  return page.evaluate(() => navigator.clipboard.readText());
}

test('a repeated step shows how often, what all repetitions cost, and what one does', async () => {
  const page = await opened('?layer=fake_decoder');
  const [project, , output] = await page.locator('.steps tbody tr').all();
  assert.match(await project.locator('th').innerText(), /^project × 12\s/);
  assert.deepEqual((await project.locator('td').nth(1).innerText()).split('\n'), ['3,264', '12 × 272']);
  assert.deepEqual((await project.locator('td').nth(2).innerText()).split('\n'), ['49,152', '12 × 4,096']);
  assert.match(await output.locator('th').innerText(), /^output\s/);
  assert.equal(await output.locator('small').count(), 0);
  assert.equal(await page.locator('.steps tfoot td').first().innerText(), '3,264');
  assert.match(await page.locator('.timeline thead th').nth(2).innerText(), /^project\s+× 12$/);
  assert.match(await page.locator('#timeline-title').innerText(), /repeated steps stand once/);
});

test('the formulas count every repetition', async () => {
  const page = await opened('?layer=fake_decoder');
  assert.equal(await page.locator('[data-figure="parameters"] .figure-formula').innerText(), '12 × (16 × 16 + 16) = 3,264');
  assert.equal(await page.locator('[data-figure="macs"] .figure-formula').innerText(), 'project 12 × (2 × 8 × 16 × 16) = 49,152');
});

test('the KV cache stands among the figures, for a token, a sequence and the batch', async () => {
  const page = await opened('?layer=fake_decoder&past_len=56&batch_size=3&window=16');
  assert.match(await figure(page, 'kv_cache_token'), /^1\.5\s?KiB$/);
  assert.match(await figure(page, 'kv_cache_sequence'), /^96\s?KiB$/);
  assert.match(await figure(page, 'kv_cache'), /^288\s?KiB$/);
  assert.equal(await page.locator('[data-figure="kv_cache_sequence"] .figure-formula').innerText(), '64 positions; windowed layers keep the last 16');
  await page.selectOption('#field-layer', 'linear_scorer');
  assert.equal(await page.locator('[data-figure^="kv_cache"]').count(), 0);
});

test('CSV has one repetition and its number, Markdown all of them and the cache, without what is not given', async () => {
  const page = await opened('?layer=fake_decoder');
  const [head, first] = (await copied(page, 'csv')).split(/\r?\n/);
  const cells = Object.fromEntries(head.split(',').map((name, at) => [name, first.split(',')[at]]));
  assert.deepEqual([cells.repeat, cells.parameters], ['12', '272']);
  const markdown = await copied(page, 'markdown');
  assert.match(markdown, /\| project × 12 \| \[2, 8, 16\] \| 3,264 \| 49,152 \|/);
  assert.match(markdown, /\| KV cache, a token \| 1\.5\sKiB \|/);
  assert.doesNotMatch(markdown, /null/);
});

/** @param {number} count of steps with two parameters each, all of other shapes */
const many = (count) => /** @type {any} */ ({
  parameters: 2 * count, macs: 9 * count,
  parts: { project: { parameters: 2 * count - 4, macs: 9 * count }, combine: { parameters: 4, macs: 0 }, normalize: { parameters: 0, macs: 0 } },
  steps: Array.from({ length: count }, (_, at) => ({ name: `step_${at}`, shape: [1, at + 2], parameters: 2, macs: 9 })),
});

test('a layer of many different steps is summed by its parts', () => {
  assert.equal(macFormula(many(8)), 'project 72 = 72');
  assert.equal(parameterFormula({ ...many(8), steps: many(8).steps.map((/** @type {any} */ step, /** @type {number} */ at) => ({ ...step, parameters: at })), parameters: 28 }),
    'project 12 + combine 4 = 28');
});

test('parameters that two steps share are not added up twice', () => {
  assert.equal(parameterFormula({ ...many(2), parameters: 2, parts: { project: { parameters: 2, macs: 18 } } }), 'project 2 = 2');
});

test('a layer without matrix products says so', () => {
  assert.equal(macFormula({ ...many(1), macs: 0, steps: [{ shape: [1], macs: 0, parameters: 0 }] }), 'No matrix product: only element by element');
});
