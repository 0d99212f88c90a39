// How a run of the training page is repeated: its link, and its script in PyTorch.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { openPage } from './open-page.js';

/** @typedef {import('playwright-core').Page} Page */

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/** @param {string} search */
async function opened(search) {
  site = await openPage({ file: 'train/', search, live: false });
  await live(site.page);
  return site.page;
}

/** @param {Page} page */
const live = (page) => page.waitForSelector('attnscope-train-repeat [data-export="script"]');

/** @param {Page} page */
async function played(page) {
  await page.click('[data-action="play"]');
  await page.waitForSelector('attnscope-train [role=status]:has-text("Paused.")', { state: 'attached' });
}

/** @param {Page} page @param {'link' | 'script'} kind */
async function copied(page, kind) {
  await page.click(`[data-export="${kind}"]`);
  await page.waitForSelector(`[data-export="${kind}"].copied`);
  return page.evaluate(() => navigator.clipboard.readText());
}

/** @param {Page} page */
async function downloaded(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-action="script"]')]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** @param {Page} page @returns {Promise<[number, number, number][]>} */
const losses = (page) =>
  page.evaluate(() =>
    /** @type {any} */ (document.querySelector('attnscope-train')).player.run.history.points.map(
      (/** @type {any} */ { step, loss, held_loss: held }) => [step, loss, held]
    )
  );

test('the link has all settings, and who opens it gets the same run', async () => {
  const page = await opened('?task=recall&hidden_size=16&batch_size=8&pause_every=20');
  await page.fill('#field-seed', '7');
  const before = await copied(page, 'link');
  await played(page);
  const link = await copied(page, 'link');
  assert.equal(link, before);
  assert.match(link, /\/train\/\?task=recall&.*hidden_size=16&.*lr=0\.003&.*seed=7&pause_every=20$/);
  const first = await losses(page);
  await page.goto(link);
  await live(page);
  await played(page);
  assert.deepEqual(await losses(page), first);
});

test('the script of a run has its settings and what it has found; it is copied, downloaded, and shown when it is opened', async () => {
  const page = await opened('?task=recall&hidden_size=16&batch_size=8&pause_every=20&seed=7&lr=0.01&optimizer=adamw');
  const before = await copied(page, 'script');
  for (const line of ['SEED = 7', 'STEPS = 20', 'BATCH_SIZE = 8', 'EXPECTED = {}'])
    assert.ok(before.includes(`${line}\n`));
  assert.ok(before.includes('torch.optim.AdamW(module.parameters(), lr=0.01)'));
  await played(page);
  const script = await copied(page, 'script');
  for (const [step, loss, held] of await losses(page)) {
    const [, one, other] = new RegExp(`\\n    ${step}: \\((\\S+), (\\S+)\\),`).exec(script) ?? [];
    assert.ok(Math.abs(Number(one) - loss) <= 1e-6 && Math.abs(Number(other) - held) <= 1e-6, `step ${step}`);
  }
  assert.deepEqual(await downloaded(page), { name: 'recall.py', text: script });
  assert.equal(await page.locator('.train-script .code').count(), 0);
  await page.click('.train-script summary');
  await page.waitForSelector('.train-script .code .hljs-keyword');
  assert.equal(await page.textContent('.train-script .code'), script);
  assert.deepEqual(await violations(page), []);
});

test('when settings have changed, link and script are still those of the run that is shown', async () => {
  const page = await opened('?task=marker&hidden_size=16&batch_size=8&pause_every=20');
  await played(page);
  const [link, script] = [await copied(page, 'link'), await copied(page, 'script')];
  await page.fill('#field-seed', '9');
  await page.waitForSelector('[data-stale]');
  assert.equal(await copied(page, 'link'), link);
  assert.equal(await copied(page, 'script'), script);
});

/** @param {Page} page @param {string} name @param {string} content */
const choose = (page, name, content) =>
  page.setInputFiles('#field-file', { name, mimeType: 'text/csv', buffer: Buffer.from(content) });

/** @param {number} count @param {string} more */
const table = (count, more = '') =>
  `text,label\n${Array.from({ length: count }, (_, at) => `a ${at % 2 ? 'good' : 'bad'} day${at % 3 ? '' : more},${at % 2 ? 'up' : 'down'}\n`).join('')}`;

test("a table's script has its rows and hides what fills them up; without the file there is none, and the reason is said", async () => {
  const page = await opened('?task=table&pause_every=20&hidden_size=16');
  assert.equal(await page.innerText('[data-no-script]'), 'There is no script: it needs the file.');
  assert.equal(await page.getAttribute('[data-export="script"]', 'aria-disabled'), 'true');
  await choose(page, 'days.csv', table(40, ' and a long one'));
  await page.waitForSelector('.train-script');
  assert.match(await page.innerText('[data-repeat-note]'), /^The link names days\.csv but does not hold it/);
  const script = await copied(page, 'script');
  assert.match(script, /padding_idx=0/);
  assert.match(script, /module\(batch\["tokens"\], mask=batch\["tokens"\] != 0\)/);
  assert.equal(script.match(/^ {4}\(\[[\d, ]+\], [01]\),$/gm)?.length, 40);
});

test('of a table too large to print there is no script, and the reason is said', async () => {
  const page = await opened('?task=table');
  await choose(page, 'many.csv', table(40_000, ' and many words'.repeat(6)));
  await page.waitForSelector('[data-no-script]:has-text("tokens")');
  assert.match(
    (await page.innerText('[data-no-script]')).replaceAll('\u202f', ' '),
    /^There is no script: the script would hold every row of this table, which are [\d, ]+ tokens; a table of at most 200.000 is printed\.$/
  );
  assert.equal(await page.getAttribute('[data-export="script"]', 'aria-disabled'), 'true');
});
