import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { LIVE, openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
before(async () => {
  site = await openPage();
});
after(() => site.close());

const COUNTS = ['Parameters', 'MACs', 'Other ops'];

/** The figures of each column of counts, and the total under it. @param {string} search */
async function columns(search) {
  await site.page.goto(site.site.url + search);
  await site.page.waitForSelector(LIVE, { state: 'attached' });
  return site.page.locator('table.steps').evaluate((table, names) => {
    const head = [...table.querySelectorAll('thead th')].map((cell) => cell.textContent?.trim());
    // The first text of a cell is of all repetitions; what is small below it is of one.
    const value = (/** @type {Element} */ cell) =>
      Number((cell.firstChild?.textContent?.trim() || cell.textContent || '').replaceAll(',', '').replace('–', '0'));
    const cells = (/** @type {string} */ part, /** @type {number} */ at) =>
      [...table.querySelectorAll(`${part} tr:not(.call-name)`)].map((row) => value(row.children[at]));
    return names.map((name) => ({
      name,
      figures: cells('tbody', head.indexOf(name)),
      total: cells('tfoot', head.indexOf(name) - 1)[0]
    }));
  }, COUNTS);
}

test('every total of the step table is the sum of its column, shared and unread parameters too', async () => {
  const { layers } = await open({ threads: 1 }).then((scope) => ({ layers: scope.layers() }));
  for (const search of [...layers.map(({ name }) => `?layer=${name}`), '?layer=decoder&tie_embeddings=true']) {
    for (const { name, figures, total } of await columns(search)) {
      assert.equal(
        figures.reduce((sum, figure) => sum + figure, 0),
        total,
        `${name} of ${search}`
      );
    }
  }
});

test('outputs have no total, as they are not all alive at once', async () => {
  await columns('?layer=additive_scorer');
  const total = site.page.locator('table.steps tfoot tr').locator('td').nth(3);
  assert.equal(await total.innerText(), '–');
});

test('a head that is tied to its embedding says so in place of parameters of its own', async () => {
  await columns('?layer=decoder&tie_embeddings=true');
  assert.match(await site.page.locator('table.steps tbody tr').last().innerText(), /–\s*those of model\.embed_tokens/);
});

test('below each shape the table says what its dimensions go over', async () => {
  const { page, site: served } = site;
  await page.goto(`${served.url}?layer=multihead_attention`);
  await page.waitForSelector(LIVE, { state: 'attached' });
  const shape = page.locator('table.steps tr').filter({ hasText: 'dot' }).first().locator('.shape');
  assert.deepEqual((await shape.innerText()).split('\n'), ['[32, 12, 128, 128]', 'batch, head, query, key']);
});

test('steps that PyTorch has as one call stand under its name', async () => {
  await columns('?layer=recurrent_encoder&cell=gru');
  const rows = await site.page.locator('table.steps tbody tr').allInnerTexts();
  assert.equal(rows[0].trim(), 'nn.GRU, one call of PyTorch');
  assert.equal(rows.filter((row) => row.includes('nn.GRU')).length, 1);
  assert.equal(await site.page.locator('table.steps tbody tr.call').count(), rows.length - 1);
  await columns('?layer=linear_scorer');
  assert.equal(await site.page.locator('.call-name').count(), 0);
});
