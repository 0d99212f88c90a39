// The lab "Attention or dense" on a table of one's own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lab, played, scoreOf } from './contest-lab.js';

const lab = new Lab();

test('a table of one’s own is read, and trained on', async () => {
  const page = await lab.opened('?task=file');
  assert.equal(await page.getAttribute('.contest [data-action=play]', 'aria-disabled'), 'true');
  await page.locator('[data-example-table]').first().click();
  await page.waitForSelector('.train-name');
  await page.fill('#setting-steps', '20');
  await page.fill('#setting-seeds', '1');
  await played(page);
  assert.match(await scoreOf(page, 'mean'), /^\d+\.\d.%$/);
});

test('rows of a table are counted, bad ones listed, and a label that looks misspelt is asked about', async () => {
  const page = await lab.opened('?task=file');
  const row = (/** @type {number} */ at) => `day ${at} was fine,${at % 2 ? 'positive' : 'negative'}`;
  const rows = Array.from({ length: 200 }, (_, at) => row(at));
  const text = ['text,label', ...rows, 'so fine,postive', 'lonely'].join('\n');
  await page.setInputFiles('#field-file', { name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const report = page.locator('[data-report]');
  await page.waitForSelector('[data-report]:has-text("201 rows used and 1 left out. 3 labels: ")');
  assert.match(await report.innerText(), /negative \(100\), positive \(100\), postive \(1\)\.$/);
  await page.click('[data-bad] summary');
  assert.deepEqual(await page.locator('[data-bad] tbody tr').allInnerTexts(), [
    '203\t1 column, where the first row has 2'
  ]);
  await page.click('[data-alike="postive"] [data-answer="merge"]');
  await page.waitForSelector('[data-report]:has-text("2 labels: negative (100), positive (101).")');
  await page.waitForURL(/labels=%7B%22postive%22%3A%22positive%22%7D/);
  assert.match(await page.innerText('[data-answered="postive"]'), /is read as positive\./);
  await page.check('input[name=text_column][value=text]');
  await page.waitForSelector('[data-report]:has-text("2 labels")');
  await page.check('input[name=header][value=false]');
  await page.waitForSelector('[data-report]:has-text("4 labels")');
  assert.equal(await page.locator('[data-answered]').count(), 0, 'answers go with their column');
});

test('mostly unknown words of a table are said, and letters are offered', async () => {
  const page = await lab.opened('?task=file');
  const row = (/** @type {number} */ at) => `w${at} v${at} u${at},${at % 2 ? 'up' : 'down'}`;
  const text = ['text,label', ...Array.from({ length: 200 }, (_, at) => row(at))].join('\n');
  await page.setInputFiles('#field-file', { name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.waitForSelector('[data-mostly-unknown]:has-text("100\u202f% of the held-out words are [unk]")');
  await page.click('[data-action="smaller-tokens"]');
  await page.waitForURL(/tokens=letters/);
  assert.equal(await page.locator('[data-mostly-unknown]').count(), 0);
});

test('the header of a table is proposed in sight, and its columns follow the answer', async () => {
  const page = await lab.opened('?task=file');
  const rows = Array.from({ length: 200 }, (_, at) => `${at},so good a day ${at},${at % 2 ? 'up' : 'down'}`);
  const file = { name: 'pandas.csv', mimeType: 'text/csv', buffer: Buffer.from([',text,label', ...rows].join('\n')) };
  await page.setInputFiles('#field-file', file);
  await page.waitForSelector('[data-first-rows]');
  const names = () => page.locator('[data-first-rows] thead th').allInnerTexts();
  assert.deepEqual(await names(), ['column 1\nnot used', 'text\ntext', 'label\nlabel']);
  assert.equal(await page.getAttribute('.contest [data-action=play]', 'aria-disabled'), 'false');
  await page.check('input[name=header][value=false]');
  await page.waitForSelector('th:has-text("column 3")');
  assert.deepEqual(await names(), ['column 1\nnot used', 'column 2\ntext', 'column 3\nlabel']);
  assert.equal(await page.isChecked('input[name=label_column][value="column 3"]'), true);
  assert.equal(await page.locator('.contest [role=alert]').count(), 0);
});

test('a text of one’s own that is longer than the layers read is said to be cut', async () => {
  const page = await lab.opened('?task=first_names&variants=mean&samples=300&steps=10&seeds=1');
  await played(page);
  await page.locator('input[name=looks-of][value=own]').check({ force: true });
  await page.fill('#looks-text', 'abcdefghijklmnopqrstuvwxyzab');
  await page.getByText('The layers read the first 15 letters; the last 13 letters are left out.').waitFor();
  await page.fill('#looks-text', 'abcdefghijklmnop');
  await page.getByText('The layers read the first 15 letters; the last letter is left out.').waitFor();
  await page.fill('#looks-text', 'maria');
  await page.getByText('left out').waitFor({ state: 'detached' });
});

test('a layer that fits one length says so once', async () => {
  const page = await lab.opened('?task=peak_day&variants=linear,flat&samples=300&steps=10&seeds=1');
  await played(page);
  const others = (/** @type {string} */ variant) => page.innerText(`[data-variant=${variant}] .contest-others`);
  assert.equal(await others('flat'), 'fits 30 days only');
  assert.match(await others('linear'), /^15 days: [\d.]+.%; 60 days: [\d.]+.%$/);
});

test('of a table with a text the label’s column is whole, and the text is cut', async () => {
  const page = await lab.opened('?task=file', { context: { viewport: { width: 1440, height: 900 } } });
  const word = (/** @type {number} */ at) => (at % 2 ? 'positive' : 'negative');
  const rows = Array.from({ length: 200 }, (_, at) => `${at},so good a day it was by the sea ${at},${word(at)}`);
  const text = [',text,sentiment', ...rows].join('\n');
  await page.setInputFiles('#field-file', { name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.waitForSelector('[data-first-rows]');
  const [room, label] = await page.locator('[aria-label="The first rows"]').evaluate((scroller) => {
    const cells = [...scroller.querySelectorAll('[data-part=label]')];
    return [scroller.scrollWidth - scroller.clientWidth, cells.map((cell) => cell.scrollWidth - cell.clientWidth)];
  });
  assert.equal(room, 0);
  assert.deepEqual(label, [0, 0, 0, 0]);
});
