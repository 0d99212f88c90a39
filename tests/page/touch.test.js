import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const HEADS = '?layer=multihead_attention&batch_size=2&seq_len=10&hidden_size=128&num_heads=8';
const SIZE = 10;

/** @param {import('playwright-core').BrowserContextOptions} [context] @param {string} [search] */
async function ran(context = PHONE, search = HEADS) {
  site = await openPage({ file: 'run/', search, context: { reducedMotion: 'reduce', ...context } });
  const { page } = site;
  await page.locator('#run').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-run="fresh"] canvas.heat');
  await page.locator('canvas.heat').evaluate((canvas) => canvas.scrollIntoView({ block: 'center' }));
  return page;
}

/**
 * The middle of a cell, on the screen.
 * @param {import('playwright-core').Page} page
 * @param {number} row
 * @param {number} column
 */
async function at(page, row, column) {
  const { x, y, width, height } = /** @type {{ x: number, y: number, width: number, height: number }} */ (
    await page.locator('canvas.heat').boundingBox()
  );
  return { x: x + ((column + 0.5) * width) / SIZE, y: y + ((row + 0.5) * height) / SIZE };
}

/** @param {import('playwright-core').Page} page @param {number} row @param {number} column */
async function tap(page, row, column) {
  const { x, y } = await at(page, row, column);
  await page.touchscreen.tap(x, y);
}

/** One finger from cell to cell. @param {import('playwright-core').Page} page @param {[number, number][]} cells */
async function drag(page, cells) {
  const session = await page.context().newCDPSession(page);
  const send = (/** @type {any} */ type, /** @type {any[]} */ touchPoints) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints });
  const points = await Promise.all(cells.map(([row, column]) => at(page, row, column)));
  await send('touchStart', [points[0]]);
  for (let index = 1; index < points.length; index += 1) {
    const [from, to] = [points[index - 1], points[index]];
    for (let step = 1; step <= 8; step += 1)
      await send('touchMove', [{ x: from.x + ((to.x - from.x) * step) / 8, y: from.y + ((to.y - from.y) * step) / 8 }]);
  }
  await send('touchEnd', []);
}

const readout = (/** @type {import('playwright-core').Page} */ page) => page.locator('#heat-readout').innerText();

/** Rows and columns of masked cells. @param {import('playwright-core').Page} page */
const masked = (page) =>
  page
    .locator('attnscope-heat-map')
    .evaluate(
      (/** @type {any} */ map, size) =>
        Array.from(map.mask ?? []).flatMap((open, cell) => (open ? [] : [[Math.floor(cell / size), cell % size]])),
      SIZE
    );

/**
 * The weight of a cell of the plane that is shown, as the page writes it.
 * @param {import('playwright-core').Page} page
 * @param {number} row
 * @param {number} column
 */
const weight = (page, row, column) =>
  page
    .locator('attnscope-heat-map')
    .evaluate((/** @type {any} */ map, cell) => Number(map.grid.data[cell].toPrecision(3)), row * SIZE + column);

/** @param {import('playwright-core').Page} page @param {'Inspect' | 'Paint'} name */
const choose = (page, name) => page.getByRole('radio', { name }).check();

test('a tap on a cell says its value, which stays when the finger is lifted, and masks nothing', async () => {
  const page = await ran();
  await tap(page, 3, 7);
  assert.equal(await readout(page), `query 3, key 7: ${await weight(page, 3, 7)}`);
  await tap(page, 9, 0);
  assert.equal(await readout(page), `query 9, key 0: ${await weight(page, 9, 0)}`);
  await drag(page, [
    [5, 1],
    [5, 8]
  ]);
  assert.equal(await readout(page), `query 5, key 8: ${await weight(page, 5, 8)}`);
  assert.deepEqual(await masked(page), []);
});

test('what a tap says moves no cell away from below the finger', async () => {
  const page = await ran();
  await choose(page, 'Paint');
  const before = await at(page, 0, 0);
  await tap(page, 9, 9);
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[99] === 0
  );
  assert.deepEqual(await at(page, 0, 0), before);
});

test('with Paint chosen a tap masks the cell and says so, and a second one opens it', async () => {
  const page = await ran();
  await choose(page, 'Paint');
  await tap(page, 3, 7);
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[37] === 0
  );
  assert.deepEqual(await masked(page), [[3, 7]]);
  assert.equal(await readout(page), 'query 3, key 7: 0, masked');
  assert.equal(await page.getByRole('radio', { name: 'Paint' }).isChecked(), true);
  await tap(page, 3, 7);
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[37] > 0
  );
  assert.deepEqual(await masked(page), []);
  await choose(page, 'Inspect');
  await tap(page, 2, 2);
  assert.equal(await readout(page), `query 2, key 2: ${await weight(page, 2, 2)}`);
  assert.deepEqual(await masked(page), []);
});

test('a finger that paints goes up and down without scrolling the page; one that inspects scrolls it', async () => {
  const page = await ran();
  const top = () => page.evaluate(() => Math.round(scrollY));
  const before = await top();
  await choose(page, 'Paint');
  await drag(page, [
    [8, 4],
    [1, 4]
  ]);
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[84] === 0
  );
  assert.deepEqual(
    await masked(page),
    Array.from({ length: 8 }, (_, index) => [index + 1, 4])
  );
  assert.equal(await top(), before);
  await choose(page, 'Inspect');
  await drag(page, [
    [9, 6],
    [0, 6]
  ]);
  await page.waitForFunction((start) => scrollY > start + 50, before);
  assert.equal((await masked(page)).length, 8);
});

test('a second finger neither paints nor moves what the first one points at', async () => {
  const page = await ran();
  await choose(page, 'Paint');
  const session = await page.context().newCDPSession(page);
  const [first, second] = [
    { ...(await at(page, 1, 1)), id: 1 },
    { ...(await at(page, 8, 8)), id: 2 }
  ];
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [first] });
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [first, second] });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[11] === 0
  );
  assert.deepEqual(await masked(page), [[1, 1]]);
});

test('beside a touch screen a mouse says the value below it and paints, whatever is chosen for touch', async () => {
  const page = await ran({ viewport: { width: 1280, height: 800 }, hasTouch: true });
  assert.equal(await page.getByRole('radio', { name: 'Inspect' }).isChecked(), true);
  const [from, to] = [await at(page, 2, 2), await at(page, 2, 4)];
  await page.mouse.move(from.x, from.y);
  assert.equal(await readout(page), `query 2, key 2: ${await weight(page, 2, 2)}`);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[24] === 0
  );
  assert.deepEqual(await masked(page), [
    [2, 2],
    [2, 3],
    [2, 4]
  ]);
});

test('the switch stands where a touch screen is and a mask can be painted, and nowhere else', async () => {
  const page = await ran({ viewport: { width: 1280, height: 800 } });
  assert.equal(await page.locator('.heat-touch').count(), 0);
  await site.close();
  const phone = await ran();
  assert.equal(await phone.locator('.heat-touch input').count(), 2);
  await phone.click('input[name=drawn][value=output]');
  assert.equal(await phone.locator('.heat-touch').count(), 0);
  assert.match(await phone.locator('#heat-help').innerText(), /^Touch a cell for its value\. By keyboard/);
});
