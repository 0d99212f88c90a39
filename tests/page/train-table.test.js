// The training page on a table of the reader's own.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { goOffline, openPage } from './open-page.js';

/** @typedef {import('playwright-core').Page} Page */

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/** @param {string} [search] @param {Parameters<typeof openPage>[0]} [options] */
async function opened(search = '?task=table', options) {
  site = await openPage({ file: 'train/', search, live: false, ...options });
  await live(site.page);
  return site.page;
}

/** @param {Page} page */
const live = (page) =>
  page.waitForFunction(() => /** @type {any} */ (document.querySelector('attnscope-train'))?.hasUpdated);

/** @param {Page} page @param {string} name @param {string | number[]} content */
const choose = (page, name, content) =>
  page.setInputFiles('#field-file', { name, mimeType: 'text/csv', buffer: Buffer.from(/** @type {any} */ (content)) });

/** Names and parts of the columns, and the cells of the first rows. @param {Page} page */
const firstRows = (page) =>
  page
    .locator('[data-first-rows] tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => /** @type {HTMLElement} */ (cell).innerText.replace('\n', ' ')))
    );

/** @param {Page} page @param {string} text */
const reported = (page, text) => page.waitForSelector(`[data-report]:has-text("${text}")`);

/** @param {Page} page */
async function played(page) {
  await page.click('[data-action="play"]');
  await page.waitForSelector('attnscope-train [role=status]:has-text("Paused.")', { state: 'attached' });
}

/** @param {Page} page @param {string} action */
async function downloaded(page, action) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[data-action="${action}"]`)]);
  return { name: download.suggestedFilename(), text: (await readFile(await download.path())).toString('latin1') };
}

const REVIEWS = `text,label\n${Array.from({ length: 40 }, (_, at) => `"a ${at % 2 ? 'good' : 'bad'} day, number ${at}",${at % 2 ? 'up' : 'down'}\n`).join('')}`;
const BAD = `${REVIEWS},up\nlonely\n"open,up\n`;
const QUICK = 'pause_every=20&hidden_size=16&batch_size=8';

test('a newcomer tries an example, which is learned, can be taken away, and has a link', async () => {
  const page = await opened();
  assert.equal(await page.innerText('[data-missing]'), 'Choose a file, or try an example.');
  assert.equal(await page.getAttribute('[data-action="play"]', 'aria-disabled'), 'true');
  assert.equal(await page.locator('[data-action="save-example"]').count(), 0);
  await page.click('[data-example-table="example-reviews.csv"]');
  await reported(page, '600 rows used and 0 left out: 480 to train on, 120 held out.');
  await page.waitForURL(/file=example-reviews\.csv&checksum=[\da-f]{8}&form=text&header=true&text_column=text/);
  assert.equal(await page.locator('[data-missing]').count(), 0);
  const { name, text } = await downloaded(page, 'save-example');
  assert.equal(name, 'example-reviews.csv');
  assert.match(text, /^text,label\n"The /);
  await played(page);
  assert.ok(parseInt(await page.innerText('[data-figure="accuracy"] .figure-value'), 10) >= 90);
  assert.match(await page.innerText('[data-figure="accuracy"]'), /guessing: 4\d\s%/);
  assert.match(await page.innerText('[data-example]'), /^It reads the \w+ was .*the class is (\w+); .* says \1\.$/);
  const weights = await downloaded(page, 'weights');
  assert.equal(weights.name, 'table-500.safetensors');
  assert.match(weights.text, /\\"classes\\":\[\\"negative\\",\\"positive\\"\]/);
  await page.reload();
  await live(page);
  await reported(page, '600 rows used');
  assert.equal(await page.getAttribute('[data-action="play"]', 'aria-disabled'), 'false');
});

test('numbers become tokens by ranges, said on the page, and the number of columns is the length', async () => {
  const page = await opened(`?task=table&${QUICK}`);
  await page.click('[data-example-table="example-boxes.csv"]');
  await reported(page, '800 rows used');
  assert.match(await page.innerText('.train-file'), /This layer takes tokens, not numbers: each column is a position/);
  assert.equal(await page.locator('#field-seq_len').count(), 0);
  await played(page);
  assert.match(await page.innerText('[data-example]'), /^It reads height_cm \d width_cm \d depth_cm \d weight_g \d:/);
  await page.fill('#field-bins', '1');
  assert.equal(await page.innerText('#error-bins'), 'bins must be an integer from 2 to 256, got 1');
});

test('bad rows are listed with line and reason, the others are used', async () => {
  const page = await opened(`?task=table&${QUICK}`);
  await choose(page, 'mine.csv', BAD);
  await reported(page, '40 rows used and 3 left out: 32 to train on, 8 held out. 2 labels: down (20), up (20).');
  await page.click('[data-bad] summary');
  assert.deepEqual(await page.locator('[data-bad] tbody tr').allInnerTexts(), [
    '42\tthe text is empty',
    '43\t1 column, where the first row has 2',
    '44\ta quotation mark opens here, and none closes it'
  ]);
  await played(page);
  assert.equal(await page.innerText('[data-figure="step"] .figure-value'), '20');
});

test('labels are counted, and one that looks misspelt is asked about: merged, undone, kept', async () => {
  const page = await opened(`?task=table&${QUICK}`);
  await choose(
    page,
    'mine.csv',
    `${REVIEWS.replaceAll(',up', ',positive').replaceAll(',down', ',negative')}fine,postive\n`
  );
  await reported(page, '3 labels: negative (20), positive (20), postive (1).');
  assert.equal(
    await page.innerText('[data-alike="postive"] p'),
    'The label postive (one row) looks like positive (20 rows). Is it the same? Until you say so, it is a label of its own.'
  );
  await page.click('[data-answer="merge"]');
  await reported(page, '2 labels: negative (20), positive (21).');
  assert.match(await page.innerText('[data-answered="postive"]'), /^postive \(one row\) is read as positive\./);
  await page.waitForURL(/labels=%7B%22postive%22%3A%22positive%22%7D/);
  await page.click('[data-labels] summary');
  assert.deepEqual(await page.locator('[data-labels] tbody th').allInnerTexts(), ['positive', 'negative']);
  await page.click('[data-answered] .link');
  await page.click('[data-alike="postive"] [data-answer="keep"]');
  assert.match(await page.innerText('[data-answered="postive"]'), /is kept as a label of its own\./);
  await reported(page, '3 labels');
  await played(page);
});

test('a text is as long as the longest, also in other units', async () => {
  const page = await opened('?task=table');
  await page.click('[data-example-table="example-reviews.csv"]');
  await reported(page, '600 rows used');
  const words = Number(await page.inputValue('#field-seq_len'));
  assert.match(await page.innerText('.train-file'), new RegExp(`The longest text has ${words} words; none is cut\\.`));
  await page.check('input[name=tokens][value=characters]');
  await page.waitForURL(/tokens=characters/);
  const characters = Number(await page.inputValue('#field-seq_len'));
  assert.ok(characters > 3 * words, `${characters} characters, ${words} words`);
  await page.fill('#field-seq_len', '10');
  await page.waitForSelector('.train-file:has-text("600 of 600 are longer than seq_len, 10, and are cut there")');
});

test('mostly unknown words are said before and after a training, and characters are offered', async () => {
  const page = await opened(`?task=table&${QUICK}`);
  const row = (/** @type {number} */ at) => `今天w${at} 天气v${at} u${at} t${at},${at % 2 ? 'up' : 'down'}`;
  await choose(page, 'mine.csv', ['text,label', ...Array.from({ length: 40 }, (_, at) => row(at))].join('\n'));
  await reported(page, '40 rows used');
  const warning = page.locator('.train-file [data-mostly-unknown]');
  assert.match(
    await warning.innerText(),
    /^\d\d\u202f% of the held-out words are \[unk\]: .* Split texts into characters$/
  );
  assert.match(await page.innerText('.train-file'), /found by this browser \(Intl\.Segmenter\)/);
  assert.equal(await page.locator('[data-mostly-unknown]').count(), 1);
  await played(page);
  await page.waitForSelector('section[aria-labelledby="learned-title"] [data-mostly-unknown]');
  await page.click('section[aria-labelledby="learned-title"] [data-action="smaller-tokens"]');
  await page.waitForURL(/tokens=characters/);
  assert.equal(await warning.count(), 0);
  await played(page);
  assert.equal(await page.locator('[data-mostly-unknown]').count(), 0);
});

test('a file that is of no use is refused in one sentence, and everything stays', async () => {
  const page = await opened(`?task=table&${QUICK}`);
  await choose(page, 'mine.csv', REVIEWS);
  await reported(page, '40 rows used');
  await played(page);
  const url = page.url();
  for (const [name, content, message] of /** @type {[string, string | number[], RegExp][]} */ ([
    ['photo.png', [0x89, 0x50, 0, 0], /^photo\.png is no text but binary data$/],
    ['old.csv', [0xba, 0xc3, 0xb3, 0xd4, 0x2c, 0x62], /^old\.csv is not in UTF-8/],
    ['one.csv', 'text,label\nx,a\ny,a\nz,a\n', /^every usable row of one\.csv has the label a/],
    ['empty.csv', 'text,label\n,a\n', /^empty\.csv has no usable row; .* Line 2: the text is empty\.$/],
    ['large.csv', Array(10 * 2 ** 20 + 1).fill(0x61), /^large\.csv has .*; at most .* are read$/]
  ])) {
    await choose(page, name, content);
    await page.waitForSelector(`#error-file:has-text("${name}")`);
    assert.match(await page.innerText('#error-file'), message);
    assert.equal(page.url(), url);
    assert.match(await page.innerText('.train-name'), /^mine\.csv$/);
    assert.equal(await page.innerText('[data-figure="step"] .figure-value'), '20');
    assert.equal(await page.locator('[data-stale]').count(), 0);
  }
  await page.click('[data-action="play"]');
  await page.waitForSelector('[data-figure="step"] .figure-value:text-is("40")');
});

test('a link says which file is missing; the file brings the same run, another of its name is told apart', async () => {
  const page = await opened(`?task=table&${QUICK}`);
  await choose(page, 'mine.csv', REVIEWS);
  await reported(page, '40 rows used');
  await page.fill('#field-seed', '5');
  await page.check('input[name=tokens][value=characters]');
  await page.waitForURL(/tokens=characters.*seed=5/);
  await played(page);
  const loss = () =>
    page.evaluate(() => /** @type {any} */ (document.querySelector('attnscope-train')).player.run.history.last.loss);
  const before = await loss();
  const url = page.url();
  await page.reload();
  await live(page);
  assert.equal(await page.innerText('[data-missing]'), 'Continue opens mine.csv, which is kept with the run.');
  assert.equal(await page.getAttribute('[data-action="play"]', 'aria-disabled'), 'true');
  assert.equal(await page.inputValue('#field-seed'), '5');
  await choose(page, 'mine.csv', REVIEWS);
  await reported(page, '40 rows used');
  assert.equal(page.url(), url);
  await played(page);
  assert.equal(await loss(), before);
  await page.goto(url);
  await live(page);
  await choose(page, 'mine.csv', BAD);
  await reported(page, 'This is not the mine.csv of the link: what is in it differs.');
  await reported(page, '3 left out');
});

test('back leads to the file before, and to the task before', async () => {
  const page = await opened('?task=recall');
  await page.selectOption('#field-task', 'table');
  await page.waitForURL(/task=table/);
  await choose(page, 'one.csv', REVIEWS);
  await page.waitForURL(/file=one\.csv/);
  await choose(page, 'two.csv', BAD);
  await page.waitForURL(/file=two\.csv/);
  await page.goBack();
  await page.waitForSelector('.train-name:text-is("one.csv")');
  await page.selectOption('#field-task', 'recall');
  await page.waitForURL(/task=recall/);
  assert.equal(await page.locator('.train-file').count(), 0);
  await page.selectOption('#field-task', 'table');
  await page.waitForSelector('.train-name:text-is("two.csv")'); // the last that was opened
});

test('a file can be dropped', async () => {
  const page = await opened();
  const transfer = await page.evaluateHandle(
    (text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'dropped.tsv'));
      return data;
    },
    REVIEWS.replaceAll(/,(?=up|down|label)/g, '\t')
  );
  await page.dispatchEvent('.train-file', 'dragover', { dataTransfer: transfer });
  await page.waitForSelector('.train-file.over');
  await page.dispatchEvent('.train-file', 'drop', { dataTransfer: transfer });
  await reported(page, '40 rows used');
  assert.equal(await page.locator('.train-file.over').count(), 0);
  assert.equal(await page.innerText('.train-name'), 'dropped.tsv');
});

test('the first row can be said to be no names, and other columns are chosen', async () => {
  const page = await opened();
  await choose(page, 'mine.csv', REVIEWS);
  await reported(page, '40 rows used');
  assert.equal(await page.isChecked('input[name=header][value=true]'), true);
  assert.deepEqual(await firstRows(page), [
    ['text text', 'label label'],
    ['a bad day, number 0', 'down'],
    ['a good day, number 1', 'up'],
    ['a bad day, number 2', 'down']
  ]);
  assert.equal(await page.innerText('[data-reasons]'), 'Label: label, by its name. Text: text, by its name.');
  await page.check('input[name=header][value=false]');
  await page.waitForURL(/header=false&text_column=column\+1&label_column=column\+2/);
  await reported(page, '41 rows used');
  assert.deepEqual((await firstRows(page)).slice(0, 2), [
    ['column 1 text', 'column 2 label'],
    ['text', 'label']
  ]);
  assert.equal(
    await page.innerText('[data-reasons]'),
    'Label: column 2, as it has the fewest different values, 3. Text: column 1, as its cells are the longest.'
  );
  await page.check('input[name=header][value=true]');
  await reported(page, '40 rows used');
});

test('a file of pandas and one of Excel are read as they were meant, and shown before anything is trained', async () => {
  const page = await opened(`?task=table&${QUICK}`);
  const pandas = Array.from(
    { length: 40 },
    (_, at) => `${at},a ${at % 2 ? 'good' : 'bad'} day,${at % 2 ? 'up' : 'down'}`
  );
  await choose(page, 'pandas.csv', [',text,label', ...pandas].join('\n'));
  await reported(page, '40 rows used and 0 left out');
  assert.deepEqual((await firstRows(page)).slice(0, 2), [
    ['column 1 not used', 'text text', 'label label'],
    ['0', 'a bad day', 'down']
  ]);
  const excel = Array.from({ length: 40 }, (_, at) => `${at},5;${at % 7};${at % 2 ? 'rauf' : 'runter'}`);
  const text = ['sep=;', 'Größe;Preis in €;Klasse', ...excel].join('\r\n');
  await choose(page, 'excel.csv', [...Buffer.from(text.replace('€', '\x80'), 'latin1')]); // as Windows-1252 has it
  await reported(page, 'The file is not in UTF-8 and is read as Latin-1 (Windows-1252). Numbers have a decimal comma.');
  await reported(page, '40 rows used and 0 left out');
  assert.deepEqual((await firstRows(page)).slice(0, 2), [
    ['Größe number', 'Preis in € number', 'Klasse label'],
    ['0,5', '0', 'runter']
  ]);
  assert.equal(await page.innerText('[data-reasons]'), 'Label: Klasse, as it has the fewest different values, 2.');
  await played(page);
});

test('of many columns the first are shown, and those of the text and the label', async () => {
  const page = await opened(`?task=table&${QUICK}`);
  const names = Array.from({ length: 30 }, (_, at) => `n${at}`);
  const rows = Array.from({ length: 40 }, (_, at) => [...names.map((_, column) => at * column), at % 2].join());
  await choose(page, 'wide.csv', [[...names, 'label'].join(), ...rows].join('\n'));
  await reported(page, '40 rows used');
  assert.deepEqual((await firstRows(page))[0], [...names.slice(0, 8).map((name) => `${name} number`), 'label label']);
  await page.waitForSelector('.train-file:has-text("22 more columns.")');
});

test('nothing of the reader of tables is loaded before a table is read, and it works without a network', async () => {
  /** @type {string[]} */
  const loaded = [];
  site = await openPage({
    file: 'train/',
    search: `?task=table&${QUICK}`,
    live: false,
    context: { serviceWorkers: 'block' }
  });
  const { page } = site;
  page.on('request', (request) => loaded.push(request.url()));
  await page.reload();
  await live(page);
  await page.waitForSelector('[data-missing]');
  assert.deepEqual(
    loaded.filter((url) => /papaparse/.test(url)),
    []
  );
  await choose(page, 'mine.csv', REVIEWS);
  await reported(page, '40 rows used');
  assert.equal(loaded.filter((url) => /papaparse/.test(url)).length, 1);
});

test('without a network a table is read and trained on', async () => {
  site = await openPage({ file: 'train/', live: false, context: { serviceWorkers: 'allow' } });
  await goOffline(site);
  const { page } = site;
  await page.goto(`${site.site.url}train/?task=table&${QUICK}`);
  await live(page);
  await choose(page, 'mine.csv', REVIEWS);
  await reported(page, '40 rows used');
  await played(page);
});

test('the norm of each gradient is shown at each moment, by names of the state dict, and is in the CSV', async () => {
  const page = await opened(`?task=marker&${QUICK}`);
  assert.equal(await page.locator('[data-gradient]').count(), 0);
  await played(page);
  const names = await page.locator('[data-gradient] code').allInnerTexts();
  assert.ok(names.includes('mha.query_proj.weight') && names.includes('fc.bias'), names.join());
  const norms = (await page.locator('[data-gradient] .num').allInnerTexts()).map((text) =>
    Number(text.replace(',', ''))
  );
  const [total, ...others] = norms;
  assert.ok(Math.abs(Math.hypot(...others) / total - 1) < 0.01, `${others} and ${total}`);
  assert.equal(
    await page.innerText('[data-gradient=""] .num'),
    await page.innerText('[data-figure="gradient"] .figure-value')
  );
  const widths = await page
    .locator('[data-gradient] rect')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  const order = (/** @type {number[]} */ values) => values.map((_, at) => at).sort((a, b) => norms[b] - norms[a]);
  assert.deepEqual(
    widths.toSorted((a, b) => b - a),
    order(widths).map((at) => widths[at])
  );
  await page.focus('#moment');
  await page.keyboard.press('Home');
  await page.waitForSelector('[data-moment="0"]');
  assert.match(
    await page.innerText('section[aria-labelledby="gradients-title"]'),
    /Before the first step there are none/
  );
  const { text } = await downloaded(page, 'run');
  const [head, first, ...rest] = text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  assert.deepEqual(
    head.slice(6),
    names.map((name) => `gradient_norm.${name}`)
  );
  assert.ok(first.slice(6).every((cell) => cell === ''));
  assert.ok(rest.every((cells) => cells.slice(6).every((cell) => Number(cell) > 0)));
});

for (const [colorScheme, width, height] of /** @type {const} */ ([
  ['light', 390, 844],
  ['dark', 1280, 800]
])) {
  test(`by keyboard, axe finds nothing with a table and with a bad file, ${colorScheme}, ${width} wide`, async () => {
    const page = await opened(`?task=table&${QUICK}`, {
      context: { colorScheme, viewport: { width, height }, reducedMotion: 'reduce' }
    });
    assert.deepEqual(await violations(page), []);
    await page.focus('#field-task');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'field-file');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await reported(page, '600 rows used');
    await choose(page, 'a-table-with-quite-a-long-name-that-no-phone-has-room-for.csv', BAD);
    await reported(page, '3 left out');
    await page.click('[data-bad] summary');
    await played(page);
    assert.deepEqual(await violations(page), []);
    await choose(page, 'photo.png', [0, 1, 2]);
    await page.waitForSelector('#error-file');
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  });
}
