// What stands around and in the cells of a heat map: labels, numbers, row sums, the scale, the table.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { openPage } from './open-page.js';
import { pixelsOf } from './screen.js';

/** @typedef {import('playwright-core').Page} Page */

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/** @param {string} search @param {import('playwright-core').BrowserContextOptions} [context] */
async function ran(search, context) {
  site = await openPage({ file: 'run/', search, context: { reducedMotion: 'reduce', ...context } });
  await site.page.locator('#run').scrollIntoViewIfNeeded();
  await site.page.waitForSelector('[data-run="fresh"] .heat-labels.columns');
  return site.page;
}

const PHONE = { viewport: { width: 390, height: 844 } };
const FOUR = '?layer=scaled_dot_product_attention&batch_size=2&num_heads=1&seq_len=4&head_dim=4';
const TEN = '?layer=multihead_attention&batch_size=2&seq_len=10&hidden_size=128&num_heads=8';
const LONG = '?layer=self_attention&batch_size=1&seq_len=130&hidden_size=16';

/** @param {Page} page @param {'columns' | 'rows' | 'sums'} which */
const labels = (page, which) => page.locator(`.heat-labels.${which} text`).allTextContents();

/** What the map draws in its cells. @param {Page} page @returns {Promise<string[]>} */
const numbers = (page) =>
  page.locator('attnscope-heat-map').evaluate((/** @type {any} */ map) => map.numbers?.texts ?? []);

/** @param {Page} page @returns {Promise<number[]>} */
const values = (page) =>
  page.locator('attnscope-heat-map').evaluate((/** @type {any} */ map) => Array.from(map.grid.data));

/** @param {Page} page */
const box = async (page) =>
  /** @type {{ width: number, height: number }} */ (await page.locator('canvas.heat').boundingBox());

/** By key, since what is above it may move while a run ends. @param {Page} page */
async function openTable(page) {
  await page.locator(`${TABLE} summary`).press('Enter');
  await page.waitForSelector(`${TABLE} tbody tr`);
}

const indices = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => String(index));

test('a 4 × 4 matrix is a compact square with every label, every number and every row sum', async () => {
  const page = await ran(FOUR);
  assert.deepEqual(await box(page).then(({ width, height }) => [width, height]), [192, 192]);
  assert.deepEqual(await labels(page, 'columns'), indices(4));
  assert.deepEqual(await labels(page, 'rows'), indices(4));
  assert.deepEqual(await labels(page, 'sums'), ['sum', '1', '1', '1', '1']);
  assert.deepEqual(
    await numbers(page),
    (await values(page)).map((value) => value.toFixed(3))
  );
});

for (const context of [{ viewport: { width: 1280, height: 800 } }, PHONE]) {
  test(`the numbers are in the picture, and labels stand beside their cells, ${context.viewport.width} wide`, async () => {
    const page = await ran(TEN, context);
    const { width, height } = await box(page);
    assert.equal(width, height);
    assert.equal((await numbers(page)).length, 100);
    const picture = await pixelsOf(page.locator('canvas.heat'));
    const each = picture.width / 10;
    const cell = new Set();
    for (let y = 0; y < each; y += 1)
      for (let x = 0; x < each; x += 1)
        cell.add(String(picture.at(Math.floor(3 * each + x), Math.floor(5 * each + y))));
    assert.ok(cell.size > 4, 'a cell has more than one colour: there are digits in it');
    const heat = /** @type {any} */ (await page.locator('canvas.heat').boundingBox());
    for (const [which, at] of /** @type {const} */ ([
      ['columns', 7],
      ['rows', 7]
    ])) {
      const label = /** @type {any} */ (await page.locator(`.heat-labels.${which} text`).nth(at).boundingBox());
      const [middle, wanted] =
        which === 'columns'
          ? [label.x + label.width / 2, heat.x + (7.5 * width) / 10]
          : [label.y + label.height / 2, heat.y + (7.5 * height) / 10];
      assert.ok(Math.abs(middle - wanted) < 2, `${which}: ${middle}, not ${wanted}`);
    }
  });
}

test('the row and the column that are pointed at stand out, also where they have no label otherwise', async () => {
  const page = await ran(LONG);
  assert.ok(!(await labels(page, 'rows')).includes('33'));
  await page.locator('canvas.heat').focus();
  for (let time = 0; time < 33; time += 1) await page.keyboard.press('ArrowDown');
  assert.deepEqual(await page.locator('.heat-labels .here').allTextContents(), ['0', '33']);
  assert.match(await page.locator('#heat-readout').innerText(), /^query 33, key 0: 0\.\d+; its row sums to 1$/);
  assert.equal(await page.locator('.heat-sums').innerText(), 'Every row sums to 1.');
});

test('the sum of a row without an open cell is 0, and it stands out', async () => {
  const page = await ran(FOUR);
  const heat = page.locator('canvas.heat');
  await heat.scrollIntoViewIfNeeded();
  const { x, y, width, height } = /** @type {any} */ (await heat.boundingBox());
  const at = (/** @type {number} */ column) =>
    /** @type {const} */ ([x + ((column + 0.5) * width) / 4, y + (2.5 * height) / 4]);
  await page.mouse.move(...at(0));
  await page.mouse.down();
  await page.mouse.move(...at(3), { steps: 4 });
  await page.mouse.up();
  await page.waitForSelector('.heat-labels .off');
  assert.deepEqual(await labels(page, 'sums'), ['sum', '1', '1', '0', '1']);
  assert.deepEqual(await page.locator('.heat-labels .off').allTextContents(), ['0']);
  assert.match(await page.locator('.heat-legend').innerText(), /masked/);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  test(`of a signed output the scale has 0 in its middle, blue below and orange above, ${colorScheme}`, async () => {
    const page = await ran(FOUR, { colorScheme });
    assert.equal(await page.locator('.ramp-zero').count(), 0);
    await page.click('input[name=drawn][value=output]');
    const [low, zero, high] = await page.locator('.ramp span').allInnerTexts();
    assert.equal(zero, '0');
    assert.equal(low, `−${high}`);
    assert.equal(await page.locator('.heat-labels.sums').count(), 0);
    assert.match(await page.locator('#heat-readout').innerText(), /^mean −?\d.*, standard deviation \d/);
    const bar = await pixelsOf(page.locator('.ramp-bar'));
    const scale = bar.row(Math.floor(bar.height / 2));
    const [first, middle, last] = [scale[3], scale[Math.floor(bar.width / 2)], scale[bar.width - 4]];
    assert.ok(first[2] > first[0] + 60 && last[0] > last[2] + 60, `${first} to ${last}`);
    assert.ok(Math.max(...middle) - Math.min(...middle) < 12, `0 has no colour, not ${middle}`);
    assert.equal(middle[0] > 128, colorScheme === 'light');
    const cells = await values(page);
    const { at, width, height } = await pixelsOf(page.locator('canvas.heat'));
    cells.forEach((value, index) => {
      if (Math.abs(value) < Number(high) / 4) return;
      const corner = at(
        Math.floor(((index % 4) + 0.15) * (width / 4)),
        Math.floor((Math.floor(index / 4) + 0.15) * (height / 4))
      );
      assert.equal(corner[0] > corner[2], value > 0, `${value} is ${corner}`);
    });
  });
}

test('the scale stays that of the theme when it changes', async () => {
  const page = await ran(FOUR, { colorScheme: 'light' });
  await page.click('input[name=drawn][value=output]');
  const zero = async () => {
    const bar = await pixelsOf(page.locator('.ramp-bar'));
    return bar.at(Math.floor(bar.width / 2), Math.floor(bar.height / 2))[0];
  };
  assert.ok((await zero()) > 200);
  await page.locator('.theme input[value=dark]').check();
  assert.ok((await zero()) < 80);
});

const TABLE = 'attnscope-plane-table';

test('the table has every row and column of the plane that is seen, its row sums, and says what is masked', async () => {
  const page = await ran(TEN);
  assert.equal(await page.locator(`${TABLE} td`).count(), 0);
  await openTable(page);
  assert.equal(await page.locator(`${TABLE} tbody tr`).count(), 10);
  assert.deepEqual(await page.locator(`${TABLE} thead th`).allInnerTexts(), ['query ↓ key →', ...indices(10), 'sum']);
  await page.getByRole('radio', { name: 'head 5', exact: true }).click();
  assert.equal(await page.locator(`${TABLE} summary`).innerText(), 'Weights of batch 0, head 5 as a table');
  const cells = (await page.locator(`${TABLE} td:not(.sum)`).allInnerTexts()).map(Number);
  (await values(page)).forEach((value, at) => assert.ok(Math.abs(value - cells[at]) < 6e-4 * value, `cell ${at}`));
  assert.deepEqual(await page.locator(`${TABLE} td.sum`).allInnerTexts(), new Array(10).fill('1'));
  assert.equal(await page.locator(`${TABLE} .scroller`).evaluate((box) => box.scrollHeight > box.clientHeight), false);
  await page.click('[data-action="causal"]');
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).grid.data[1] === 0
  );
  assert.deepEqual(await page.locator(`${TABLE} td.masked`).allTextContents(), new Array(45).fill('0, masked'));
});

test('of many rows and columns the table has a page at a time, and every page can be chosen', async () => {
  const page = await ran(LONG);
  await openTable(page);
  const corner = () =>
    page.locator(TABLE).evaluate((table) => {
      const texts = (/** @type {string} */ selector) =>
        [...table.querySelectorAll(selector)].map((cell) => cell.textContent);
      return [texts('tbody th').at(0), texts('tbody th').at(-1), texts('thead th').at(1), texts('thead th').at(-2)];
    });
  assert.deepEqual(await corner(), ['0', '99', '0', '63']);
  await page.getByLabel('Rows').selectOption({ label: '100 to 129' });
  await page.getByLabel('Columns').selectOption({ label: '128 to 129' });
  assert.deepEqual(await corner(), ['100', '129', '128', '129']);
  const last = await page.locator(`${TABLE} tbody tr`).last().locator('td').nth(1).innerText();
  assert.equal(last, await values(page).then((all) => Number(all.at(-1)).toPrecision(4)));
});

for (const [colorScheme, context] of /** @type {const} */ ([
  ['light', PHONE],
  ['dark', {}]
])) {
  test(`axe finds nothing with the table of a masked plane open, and nothing is too wide, ${colorScheme}`, async () => {
    const page = await ran(TEN, { colorScheme, ...context });
    await page.click('[data-action="causal"]');
    await openTable(page);
    await page.waitForSelector(`${TABLE} td.masked`);
    assert.deepEqual(await violations(page), []);
    const width = page.viewportSize()?.width;
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.goto(`${site.site.url}run/${LONG}`);
    await page.waitForSelector('.run-controls');
    await page.locator('#run').scrollIntoViewIfNeeded();
    await openTable(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  });
}

test('pointing and painting at 512 × 512 draw a few things, not each cell, and neither writes the table anew', async () => {
  const page = await ran('?layer=self_attention&batch_size=1&seq_len=512&hidden_size=16');
  await openTable(page);
  const { most, anew } = await page.locator('attnscope-heat-map').evaluate(async (/** @type {any} */ map) => {
    const canvas = map.querySelector('canvas.heat');
    canvas.setPointerCapture = () => {};
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const send = (/** @type {string} */ type, /** @type {number} */ share) =>
      canvas.dispatchEvent(
        new PointerEvent(type, {
          ...{ pointerId: 1, isPrimary: true, pointerType: 'mouse', bubbles: true },
          clientX: left + width * share,
          clientY: top + height * share
        })
      );
    let anew = 0;
    new MutationObserver((list) => (anew += list.length)).observe(map.querySelector('attnscope-plane-table tbody'), {
      childList: true,
      subtree: true,
      characterData: true
    });
    let drawn = 0;
    const context = canvas.getContext('2d');
    for (const name of ['clearRect', 'drawImage', 'fillRect', 'fillText', 'lineTo', 'putImageData', 'strokeRect']) {
      const draw = context[name];
      context[name] = (/** @type {any[]} */ ...given) => {
        drawn += 1;
        draw.apply(context, given);
      };
    }
    let most = 0;
    for (const down of [false, true]) {
      if (down) send('pointerdown', 0.1);
      for (let move = 0; move < 30; move += 1) {
        await new Promise(requestAnimationFrame);
        drawn = 0;
        send('pointermove', 0.1 + move / 50);
        await map.updateComplete;
        most = Math.max(most, drawn);
      }
    }
    map.stroke = null;
    return { most, anew };
  });
  assert.ok(most > 0 && most < 500, `${most} calls for one move over 262,144 cells`);
  assert.equal(anew, 0);
});

test('a map that was moved within the page still follows its width and the theme', async () => {
  const page = await ran(TEN, { colorScheme: 'light' });
  const state = () =>
    page.locator('attnscope-heat-map').evaluate((/** @type {any} */ map) => [map.room, String(map.masked)]);
  const [room, masked] = await state();
  await page.locator('attnscope-run').evaluate((run) => run.parentElement?.append(run));
  await page.setViewportSize({ width: 1000, height: 800 });
  await page.locator('.theme input[value=dark]').check();
  await page.waitForFunction(
    ([before, grey]) => {
      const map = /** @type {any} */ (document.querySelector('attnscope-heat-map'));
      return map.room < before && String(map.masked) !== grey;
    },
    /** @type {const} */ ([Number(room), String(masked)])
  );
});
