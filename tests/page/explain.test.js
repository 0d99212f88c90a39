import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { exact, linesOf } from '../../web/plain/explained.js';
import { open } from '../../web/lib/index.js';
import { violations } from './axe.js';
import { openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const SIZE = 6;
const HEADS = `?layer=multihead_attention&batch_size=2&seq_len=${SIZE}&hidden_size=32&num_heads=2&inputs=random`;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** @typedef {import('playwright-core').Page} Page */

/** @param {string} file @param {string} [search] @param {import('playwright-core').BrowserContextOptions} [context] */
async function explained(file, search = '', context) {
  site = await openPage({ file, search, live: file === 'run/', context: { reducedMotion: 'reduce', ...context } });
  const { page } = site;
  if (file === 'run/') await page.locator('#run').scrollIntoViewIfNeeded();
  await page.waitForSelector(context?.hasTouch ? 'canvas.heat' : '.explain');
  await page.locator('canvas.heat').evaluate((canvas) => canvas.scrollIntoView({ block: 'center' }));
  return page;
}

/**
 * The middle of a cell.
 * @param {Page} page @param {number} row @param {number} column
 * @returns {Promise<[number, number]>}
 */
async function at(page, row, column) {
  const box = /** @type {any} */ (await page.locator('canvas.heat').boundingBox());
  return [box.x + ((column + 0.5) * box.width) / SIZE, box.y + ((row + 0.5) * box.height) / SIZE];
}

/** Waits until this cell is explained. @param {Page} page @param {number} query @param {number} key */
const shows = (page, query, key) => page.waitForSelector(`.explain[data-cell="query ${query}, key ${key}"]`);

/** Label and result of each line. @param {Page} page */
const lines = (page) =>
  page
    .locator('.explain-lines li')
    .evaluateAll((all) => all.map((line) => [line.getAttribute('data-line'), line.querySelector('b')?.textContent]));

/** The weights of head 0 in one row. @param {number} query */
async function rowOf(query) {
  const each = await Promise.all(Array.from({ length: SIZE }, (_, key) => right({ query, key })));
  return each.map(({ weight }) => weight);
}

/** @param {{ query: number, key: number, head?: number, batch?: number }} cell */
async function right(cell) {
  const scope = await open();
  const model = scope.create({
    layer: 'multihead_attention',
    batch_size: 2,
    seq_len: SIZE,
    hidden_size: 32,
    num_heads: 2
  });
  const explanation = model.explain({ hidden_states: scope.randn([2, SIZE, 32], { seed: 1 }) }, cell);
  scope.dispose();
  return explanation;
}

test('the cell that is pointed at is explained with the numbers of the run, line by line', async () => {
  const page = await explained('run/', HEADS);
  await page.mouse.move(...(await at(page, 3, 1)));
  await shows(page, 3, 1);
  const answer = await right({ query: 3, key: 1 });
  assert.deepEqual(
    await lines(page),
    linesOf(answer).map(({ name, value }) => [name, value])
  );
  const products = await page
    .locator('.explain-body:has(.explain-lines) tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim())));
  assert.deepEqual(
    products.slice(0, -1),
    answer.products
      .slice(0, 5)
      .map(({ feature, left, right: key, product }) => [
        String(feature),
        ...[left.value, key.value, product].map(exact)
      ])
  );
  assert.equal(products.at(-1)?.[0], '11 smaller ones together');
  await page.click('[data-list=products] summary');
  await page.waitForSelector('[data-list=products] tbody tr');
  assert.equal(await page.locator('[data-list=products] tbody tr').count(), 16);
});

test('the first cell that is explained is the second largest of the last row, with the reason for the maximum', async () => {
  const page = await explained('run/', HEADS);
  const weights = await rowOf(SIZE - 1);
  const [, second] = [...weights].sort((a, b) => b - a);
  await shows(page, SIZE - 1, weights.indexOf(second));
  const [exponential, why] = await page.evaluate(() =>
    ['[data-line=exponential] b', '[data-line=max] .explain-why'].map(
      (part) => document.querySelector(part)?.textContent
    )
  );
  assert.ok(Number(exponential) < 1, exponential);
  assert.match(String(why), /no exponential is above 1 .* the weights stay the same/);
});

test('a row of one key is explained at that key', async () => {
  const page = await explained(
    'run/',
    '?layer=grouped_query_attention&batch_size=1&seq_len=1&hidden_size=16&num_heads=2&num_kv_heads=1'
  );
  await shows(page, 0, 0);
});

test('a click pins, pointing elsewhere leaves the pin, arrow keys move it, Escape lets it go', async () => {
  const page = await explained('run/', HEADS);
  await page.mouse.click(...(await at(page, 3, 1)));
  const pin = page.locator('[data-action=pin]');
  await shows(page, 3, 1);
  assert.equal(await pin.getAttribute('aria-pressed'), 'true');
  await page.mouse.move(...(await at(page, 5, 2)));
  await page.waitForFunction(() => document.querySelector('#heat-readout')?.textContent?.startsWith('query 5, key 2'));
  await shows(page, 3, 1);
  assert.match(await page.locator('.explain [role=status]').innerText(), /^Pinned\. query 3, key 1: Sum, /);
  await page.mouse.move(...(await at(page, 3, 1)));
  await page.locator('canvas.heat').press('ArrowRight');
  await shows(page, 3, 2);
  await page.keyboard.press('Escape');
  assert.equal(await pin.getAttribute('aria-pressed'), 'false');
  await page.mouse.move(...(await at(page, 0, 0)));
  await shows(page, 0, 0);
});

test('by keyboard alone: arrow keys explain, Enter pins and lets go', async () => {
  const page = await explained('run/', HEADS);
  const canvas = page.locator('canvas.heat');
  await canvas.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await shows(page, 1, SIZE - 1);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('[data-action=pin]').getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('[data-action=pin]').getAttribute('aria-pressed'), 'false');
});

test('a click masks nothing, a drag masks, and a hidden cell says why it has no weight', async () => {
  const page = await explained('run/', HEADS);
  const masked = () =>
    page.locator('attnscope-heat-map').evaluate((/** @type {any} */ map) => map.mask?.indexOf(0) ?? -1);
  await page.mouse.click(...(await at(page, 2, 2)));
  assert.equal(await masked(), -1);
  await page.mouse.click(...(await at(page, 2, 2)));
  await page.mouse.move(...(await at(page, 1, 1)));
  await page.mouse.down();
  await page.mouse.move(...(await at(page, 1, 3)), { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(
    () => document.querySelector('[data-line=mask] code')?.textContent === 'the mask hides it',
    null
  );
  assert.equal(await masked(), SIZE + 1);
  assert.deepEqual(
    (await lines(page)).filter(([name]) => ['exponential', 'weight'].includes(String(name))),
    [
      ['exponential', '0'],
      ['weight', '0']
    ]
  );
});

test('nothing else on the page moves while cells are pointed at', async () => {
  const page = await explained('run/', HEADS);
  const below = () => page.locator('#heat-help').evaluate((help) => help.getBoundingClientRect().top + window.scrollY);
  const before = await below();
  for (const [row, column] of [
    [0, 0],
    [2, 5],
    [5, 3]
  ]) {
    await page.mouse.move(...(await at(page, row, column)));
    await shows(page, row, column);
    assert.equal(await below(), before);
  }
});

test('on a phone a touch explains the cell below the map, and nothing is cut off', async () => {
  const page = await explained('run/', HEADS, PHONE);
  await page.touchscreen.tap(...(await at(page, 4, 2)));
  await shows(page, 4, 2);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(wide, 390);
  const cut = await page
    .locator('.explain-lines b, .explain-lines code')
    .evaluateAll((all) =>
      all
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
        .map((one) => one.textContent)
    );
  assert.deepEqual(cut, []);
});

test('scores between the steps are explained too, and what is neither weights nor scores is not', async () => {
  const page = await explained('run/', `${HEADS}&tensor=masked_scores`);
  assert.ok(await page.locator('.explain').isVisible());
  await page.selectOption('select[name=tensor]', 'query_heads');
  await page.waitForSelector('attnscope-explanation', { state: 'detached' });
});

test('the training page explains a weight of the layer before its run', async () => {
  site = await openPage({ file: 'train/', search: '?task=recall', live: false });
  const { page } = site;
  await page.waitForSelector('.explain:not(.stale)');
  const shown = await page
    .locator('.train-map attnscope-heat-map')
    .evaluate((/** @type {any} */ map) => map.grid.data[map.told.cell.row * map.grid.columns + map.told.cell.column]);
  const weight = await page.locator('[data-line=weight] b').innerText();
  assert.ok(Math.abs(Number(weight) - shown) < 1e-5, `${weight}, the map has ${shown}`);
});

test('the training page explains a weight of the layer as it is, and says of an earlier moment that it cannot', async () => {
  site = await openPage({ file: 'train/', search: '?task=recall', live: false, context: { reducedMotion: 'reduce' } });
  const { page } = site;
  for (let step = 0; step < 2; step += 1) await page.click('[data-action=step]');
  await page.waitForSelector('[data-moment="2"]');
  await page.waitForSelector('.explain:not(.stale)');
  assert.match(await page.locator('.explain-place').innerText(), /^query 23 \(\w\), key \d+ \(\w\) layer 1, head 0$/);
  await page.locator('#moment').fill('0');
  await page.waitForSelector('.explain.stale');
  await page.waitForFunction(() =>
    document.querySelector('.explain-place')?.textContent?.includes('the layer has learned on since step 0')
  );
  await page.locator('#moment').press('End');
  await page.waitForSelector('.explain:not(.stale)');
});

for (const lab of [
  'masks',
  'positions',
  'one-head-or-eight',
  'why-sqrt-d',
  'kv-cache',
  'tutorial/1',
  'tutorial/5/?show=weights'
])
  test(`the heat map of labs/${lab} explains its cells, and axe finds nothing`, async () => {
    const [file, search = ''] = lab.split('?');
    const page = await explained(`labs/${file.endsWith('/') ? file : `${file}/`}`, search && `?${search}`);
    const shown = await page
      .locator('attnscope-heat-map')
      .evaluate((/** @type {any} */ map) => map.grid.data[map.told.cell.row * map.grid.columns + map.told.cell.column]);
    const weight = await page.locator('[data-line=weight] b').innerText();
    assert.ok(Math.abs(Number(weight.replace('−', '-')) - shown) < 1e-5, `${weight}, the map has ${shown}`);
    assert.deepEqual(await violations(page), []);
  });

for (const colorScheme of /** @type {const} */ (['light', 'dark']))
  test(`axe finds nothing on Run with an explanation and its lists open, ${colorScheme}`, async () => {
    const page = await explained('run/', HEADS, { colorScheme });
    for (const list of ['products', 'keys', 'value']) await page.click(`[data-list=${list}] summary`);
    assert.deepEqual(await violations(page), []);
  });
