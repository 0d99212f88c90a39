// Numbers that somebody types or pastes beside the heat map of a run.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

const ATTENTION =
  '?layer=scaled_dot_product_attention&batch_size=2&num_heads=1&seq_len=2&kv_len=3&head_dim=2&inputs=own';
const NUMBERS = '&numbers=query:1,0;0,1|key:1,2;3,4;5,6|value:1,0;0,1;1,1';

/** @param {string} search */
async function opened(search) {
  site = await openPage({ file: 'run/', search });
  await site.page.waitForSelector('attnscope-numbers');
  return site.page;
}

/** @param {import('playwright-core').Page} page @param {string} name @param {number} row @param {number} column */
const cell = (page, name, row, column) =>
  page.getByRole('textbox', { name: `${name}, position ${row}, feature ${column}`, exact: true });

/**
 * Every number of an input, as its cells have them.
 * @param {import('playwright-core').Page} page @param {string} name
 */
const cells = (page, name) =>
  page
    .locator(`attnscope-numbers:has([aria-label^="${name},"]) td input`)
    .evaluateAll((inputs) => inputs.map((input) => /** @type {HTMLInputElement} */ (input).value));

/** As a spreadsheet does. @param {import('playwright-core').Locator} locator @param {string} text */
const paste = (locator, text) =>
  locator.evaluate((input, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', text);
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

/** A run that stays under way. @param {import('playwright-core').Page} page */
const runsForever = (page) =>
  page.evaluate(() => {
    const panel = /** @type {any} */ (document.querySelector('attnscope-run'));
    panel.engine.run = () => new Promise(() => {});
    panel.start();
  });

/** @param {import('playwright-core').Page} page */
const reports = (page) =>
  page.evaluate(async () => {
    const panel = /** @type {any} */ (document.querySelector('attnscope-run'));
    panel.progress = { stage: 'Running', done: Math.random() };
    await panel.updateComplete;
  });

test('what is typed and pasted into several inputs while a run is under way is kept, and runs', async () => {
  const page = await opened(ATTENTION + NUMBERS);
  await runsForever(page);
  await cell(page, 'query', 0, 0).fill('7');
  await reports(page);
  await cell(page, 'query', 0, 1).focus();
  await page.keyboard.type('2');
  await reports(page);
  await paste(cell(page, 'key', 1, 0), '8\t9\n10\t11');
  await reports(page);
  await cell(page, 'value', 2, 1).fill('-0.5');
  await reports(page);
  assert.deepEqual(await cells(page, 'query'), ['7', '2', '0', '1']);
  assert.deepEqual(await cells(page, 'key'), ['1', '2', '8', '9', '10', '11']);
  assert.deepEqual(await cells(page, 'value'), ['1', '0', '0', '1', '1', '-0.5']);
  await page.waitForFunction(() => location.search.includes('-0.5'));
  assert.equal(new URL(page.url()).searchParams.get('numbers'), 'query:7,2;0,1|key:1,2;8,9;10,11|value:1,0;0,1;1,-0.5');
  await page.reload();
  await page.waitForSelector('[data-run="fresh"]');
  assert.deepEqual(await cells(page, 'query'), ['7', '2', '0', '1']);
  const python = await page.locator('.same pre').innerText();
  assert.match(python, /\nquery = torch\.tensor\(\[\[7\.0, 2\.0\], \[0\.0, 1\.0\]\]\)\.expand\(2, 1, 2, 2\)\n/);
  assert.match(python, /\nvalue = torch\.tensor\(\[\[1\.0, 0\.0\], \[0\.0, 1\.0\], \[1\.0, -0\.5\]\]\)/);
});

test('own numbers begin with those of the seed, beside the heat map that they make', async () => {
  const page = await opened(ATTENTION);
  await page.waitForSelector('[data-run="fresh"]');
  assert.equal((await cells(page, 'key')).filter((text) => Number.isFinite(Number(text)) && text !== '').length, 6);
  const left = async (/** @type {string} */ selector) =>
    (await page.locator(selector).first().boundingBox()) ?? { x: NaN, y: NaN, width: NaN, height: NaN };
  const [grid, map] = [await left('table.numbers'), await left('canvas.heat')];
  assert.ok(grid.x + grid.width < map.x, `${grid.x} + ${grid.width}, ${map.x}`);
  assert.ok(grid.y < map.y + map.height && map.y < grid.y + grid.height + 200, `${grid.y}, ${map.y}`);
});

test('arrow keys and Enter move from cell to cell, within a text first', async () => {
  const page = await opened(ATTENTION + NUMBERS);
  const here = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await cell(page, 'query', 0, 0).focus();
  for (const [key, label] of [
    ['ArrowRight', 'query, position 0, feature 1'],
    ['ArrowDown', 'query, position 1, feature 1'],
    ['ArrowDown', 'query, position 1, feature 1'],
    ['ArrowLeft', 'query, position 1, feature 0'],
    ['ArrowUp', 'query, position 0, feature 0'],
    ['Enter', 'query, position 1, feature 0']
  ]) {
    await page.keyboard.press(key);
    assert.equal(await here(), label, key);
  }
  await page.keyboard.type('12');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await here(), 'query, position 1, feature 0');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  assert.equal(await here(), 'query, position 1, feature 1');
  assert.equal(await page.locator('table.numbers').first().locator('input[tabindex="0"]').count(), 1);
});

test('numbers are typed as in a spreadsheet: Tab to the next cell, Enter to where the next line begins', async () => {
  const page = await opened(ATTENTION + NUMBERS);
  const { keyboard } = page;
  await cell(page, 'key', 0, 0).focus();
  for (const [number, key] of ['1 Tab', '2 Tab', '3 Tab', '4 Tab', '5 Tab', '6 Enter'].map((pair) => pair.split(' '))) {
    await keyboard.type(number);
    await keyboard.press(key);
  }
  await keyboard.type('7');
  assert.deepEqual(await cells(page, 'key'), ['1', '2', '3', '4', '5', '7'], 'the last cell is chosen as a whole');
  await cell(page, 'key', 0, 0).focus();
  for (const [number, key] of ['11 Tab', '12 Enter', '13 Tab', '14 Enter', '15 Tab', '16 Tab'].map((pair) =>
    pair.split(' ')
  )) {
    await keyboard.type(number);
    await keyboard.press(key);
  }
  assert.deepEqual(await cells(page, 'key'), ['11', '12', '13', '14', '15', '16'], 'row by row');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  assert.equal(await focused(), 'value, position 0, feature 0', 'Tab leads from the last cell to the next input');
  await keyboard.press('Shift+Tab');
  assert.equal(await focused(), 'key, position 2, feature 1', 'and back');
  await cell(page, 'value', 2, 1).focus();
  await keyboard.press('Tab');
  assert.equal((await focused()).startsWith('value,'), false, 'behind the last input it leaves');
  await cell(page, 'key', 0, 0).focus();
  for (const number of ['1', '2', '3', '4', '5', '6']) {
    await keyboard.type(number);
    await keyboard.press('Enter');
  }
  assert.deepEqual(await cells(page, 'key'), ['1', '4', '2', '5', '3', '6'], 'column by column');
  await cell(page, 'key', 1, 0).focus();
  await keyboard.press('Shift+Tab');
  await keyboard.type('9');
  assert.deepEqual(await cells(page, 'key'), ['1', '9', '2', '5', '3', '6']);
  await keyboard.press('Escape');
  await keyboard.press('Tab');
  assert.equal((await focused()).startsWith('key,'), false, 'Escape, then Tab leaves from any cell');
});

test('a cell that is no number is marked with the message, nothing runs with it, and the button leads to it', async () => {
  const page = await opened(ATTENTION + NUMBERS);
  await page.waitForSelector('[data-run="fresh"]');
  await cell(page, 'key', 2, 1).fill('six');
  await page.waitForSelector('[data-run="stale"]');
  assert.equal(await cell(page, 'key', 2, 1).getAttribute('aria-invalid'), 'true');
  assert.equal(
    await page.locator('#numbers-error-key').innerText(),
    'key, position 2, feature 1 must be a number, got "six"'
  );
  assert.equal(await page.locator('[aria-invalid="true"]').count(), 1);
  await page.click('[data-action="run"]');
  assert.equal(await cell(page, 'key', 2, 1).evaluate((input) => input === document.activeElement), true);
  await cell(page, 'key', 2, 1).fill('6.5');
  await page.waitForSelector('[data-run="fresh"]');
  assert.equal(await page.locator('#numbers-error-key').innerText(), '');
});

test('a block that does not fit is refused with its sizes, and no cell changes', async () => {
  const page = await opened(ATTENTION + NUMBERS);
  await paste(cell(page, 'query', 1, 0), '1\t2\n3\t4');
  assert.equal(
    await page.locator('#numbers-error-query').innerText(),
    'query: a block of 2 × 2 does not fit from position 1, feature 0 on, where there is room for 1 × 2; nothing was pasted'
  );
  assert.deepEqual(await cells(page, 'query'), ['1', '0', '0', '1']);
});

test('numbers that have not as many rows as the layer are a text with the reason, until they are made to fit', async () => {
  const page = await opened(ATTENTION + NUMBERS.replace('query:1,0;0,1', 'query:1,0;0,1;5,x'));
  const text = page.getByRole('textbox', { name: 'query', exact: true });
  assert.equal(await text.inputValue(), '1, 0\n0, 1\n5, x');
  assert.equal(
    await page.locator('#numbers-error-query').innerText(),
    'query must have 2 rows of 2 numbers, got 3 rows of 2'
  );
  await page.click('[data-action="fit"]');
  assert.deepEqual(await cells(page, 'query'), ['1', '0', '0', '1']);
  await page.waitForSelector('[data-run="fresh"]');
});

test('many columns are a text, which stays as it is typed while a run is under way', async () => {
  const page = await opened('?layer=linear_scorer&batch_size=1&seq_len=2&hidden_size=20&inputs=own');
  await runsForever(page);
  const text = page.getByRole('textbox', { name: 'hidden_states', exact: true });
  const typed = `${'1\t'.repeat(19)}2\n${'3   '.repeat(20)}`;
  await text.fill(typed);
  await reports(page);
  assert.equal(await text.inputValue(), typed);
  assert.equal(await page.locator('#numbers-error-hidden_states').innerText(), '');
  await text.fill('');
  await reports(page);
  assert.equal(await text.inputValue(), '');
  assert.equal(
    await page.locator('#numbers-error-hidden_states').innerText(),
    'hidden_states must have 2 rows of 20 numbers, and is empty'
  );
});

test('a layer too large for numbers by hand says so, and offers one that is small enough', async () => {
  site = await openPage({ file: 'run/', search: '?layer=multihead_attention&inputs=own' });
  const { page } = site;
  assert.match(
    await page.locator('.numbers-large').innerText(),
    /^hidden_states has 128 positions of 768 features\. By hand there can be 16 of 64 at the most, so it is drawn at random\./
  );
  await page.click('[data-action="small"]');
  await page.waitForSelector('[data-run="fresh"]');
  assert.equal((await cells(page, 'hidden_states')).length, 16);
});
