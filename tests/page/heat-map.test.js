import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, test } from 'node:test';
import { configOf } from '../../web/plain/fields.js';
import { open } from '../../web/lib/index.js';
import { openPage } from './open-page.js';
import { valuesIn } from '../../web/plain/search.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/** @param {string} search @param {import('playwright-core').BrowserContextOptions} [context] */
async function ran(search, context) {
  site = await openPage({ file: 'run/', search, context });
  await site.page.locator('#run').scrollIntoViewIfNeeded();
  await site.page.waitForSelector('[data-run="fresh"] canvas.heat');
  return site.page;
}

/** What the heat map shows. @param {import('playwright-core').Page} page */
const shown = (page) =>
  page.locator('attnscope-heat-map').evaluate((/** @type {any} */ map) => ({
    lead: map.lead,
    low: map.grid.low,
    high: map.grid.high,
    first: Array.from(map.grid.data.subarray(0, 4))
  }));

/** @param {import('playwright-core').Page} page @param {number[]} lead */
const plane = (page, lead) =>
  page.locator('attnscope-heat-map').evaluate((/** @type {any} */ map, index) => {
    const { data, shape } = map.drawn.tensor;
    const cells = shape.at(-1) * shape.at(-2);
    const number = index.reduce(
      (/** @type {number} */ at, /** @type {number} */ value, /** @type {number} */ dimension) =>
        at * shape[dimension] + value,
      0
    );
    return Array.from(data.subarray(number * cells, number * cells + 4));
  }, lead);

const HEADS = '?layer=multihead_attention&batch_size=2&seq_len=16&hidden_size=48&num_heads=12';

const DECODER =
  '?layer=decoder&batch_size=2&seq_len=8&vocab_size=50&hidden_size=16&num_layers=2&num_heads=4&intermediate_size=8';
const LOOKUP = '?layer=bahdanau_attention&seq_len=8&kv_len=6&hidden_size=16&attn_dim=4';

test('every head stands beside the one that is large, on one scale, and can be chosen by pointer and by key', async () => {
  const page = await ran(HEADS);
  const thumbnails = page.locator('attnscope-small-multiples label');
  assert.equal(await thumbnails.count(), 12);
  assert.equal(
    await page.locator('attnscope-small-multiples legend').innerText(),
    'Every head, counted from 0, on one scale'
  );
  await page.getByRole('radio', { name: 'head 3', exact: true }).click();
  assert.deepEqual((await shown(page)).lead, [0, 3]);
  assert.deepEqual((await shown(page)).first, await plane(page, [0, 3]));
  const { low, high } = await shown(page);
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await shown(page), { lead: [0, 4], low, high, first: await plane(page, [0, 4]) });
  const all = await page
    .locator('attnscope-heat-map')
    .evaluate((/** @type {any} */ map) => Math.max(...map.drawn.tensor.data.subarray(0, 12 * 256)));
  assert.deepEqual([low, high], [0, all]);
});

test('each picture is drawn, and no two heads are alike', async () => {
  const page = await ran(HEADS);
  const pictures = await page
    .locator('attnscope-small-multiples canvas')
    .evaluateAll((list) => list.map((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL()));
  assert.equal(new Set(pictures).size, 12);
});

test('the batch selector shows the heads of another sequence', async () => {
  const page = await ran(HEADS);
  const before = await page
    .locator('attnscope-small-multiples canvas')
    .first()
    .evaluate((/** @type {any} */ canvas) => canvas.toDataURL());
  await page.locator('.heat-axis input').fill('1');
  await page.keyboard.press('Tab');
  assert.deepEqual((await shown(page)).lead, [1, 0]);
  assert.deepEqual((await shown(page)).first, await plane(page, [1, 0]));
  assert.notEqual(
    await page
      .locator('attnscope-small-multiples canvas')
      .first()
      .evaluate((/** @type {any} */ canvas) => canvas.toDataURL()),
    before
  );
});

test('a pointer on the large map colours no picture anew, and says the value below it', async () => {
  const page = await ran(HEADS);
  const coloured = () =>
    page.locator('attnscope-small-multiples').evaluate((/** @type {any} */ element) => element.coloured);
  const before = await coloured();
  const heat = page.locator('canvas.heat');
  await heat.scrollIntoViewIfNeeded();
  const box = /** @type {{ x: number, y: number, width: number, height: number }} */ (await heat.boundingBox());
  for (let step = 0; step < 16; step += 1)
    await page.mouse.move(box.x + ((step + 0.5) * box.width) / 16, box.y + box.height / 32);
  assert.match(await page.locator('#heat-readout').innerText(), /^query 0, key 15: 0\.\d+$/);
  assert.equal(await coloured(), before);
});

test('a cell that is masked is masked in every head and every sequence', async () => {
  const page = await ran(HEADS);
  await page.locator('canvas.heat').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Space');
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[15] === 0
  );
  const others = await page
    .locator('attnscope-heat-map')
    .evaluate((/** @type {any} */ map) =>
      Array.from({ length: 24 }, (_, index) => map.drawn.tensor.data[index * 256 + 15])
    );
  assert.deepEqual(others, new Array(24).fill(0));
  assert.match(await page.locator('.same pre').innerText(), /mask\[0, 15:16\] = False|lengths = torch\.tensor/);
});

test('where the largest mask has heads, the one that is painted has none', async () => {
  const page = await ran(`${DECODER}&past_len=4`);
  await page.locator('canvas.heat').focus();
  await page.keyboard.press('Space');
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[0] === 0
  );
  assert.equal(await page.locator('attnscope-run [role=alert]').count(), 0);
  assert.equal(await page.locator('attnscope-small-multiples label').count(), 4);
});

test('token ids are drawn below their limit, and PyTorch draws the same', async () => {
  const page = await ran(`${DECODER}&seed=6`);
  const values = (await page.locator('[data-values]').innerText()).trim().split(/\s+/).map(Number);
  const scope = await open({ threads: 1 });
  const model = scope.create(
    /** @type {any} */ (
      configOf(/** @type {any} */ (scope.layers().find(({ name }) => name === 'decoder')), valuesIn(DECODER))
    ),
    { seed: 6 }
  );
  const { data } = model.forward({ tokens: scope.randint(50, [2, 8], { seed: 7 }) }).output;
  model.dispose();
  assert.ok(values.length === 6 && values.every((value, at) => Math.abs(value - data[at]) < 1e-5), String(values));
  assert.match(
    await page.locator('.same pre').innerText(),
    /module = Decoder\(\)[^\n]*\ntorch\.manual_seed\(7\)\ntokens = torch\.randint\(50, \(2, 8\)\)/
  );
});

test('weights without heads stand beside each other by sequence', async () => {
  const page = await ran(`${LOOKUP}&batch_size=3`);
  assert.equal(
    await page.locator('attnscope-small-multiples legend').innerText(),
    'Every batch, counted from 0, on one scale'
  );
  await page.getByRole('radio', { name: 'batch 2' }).click();
  assert.deepEqual((await shown(page)).first, await plane(page, [2]));
});

test('of more planes than fit, those around the chosen one stand beside it', async () => {
  const page = await ran(`${LOOKUP}&batch_size=70`);
  assert.equal(await page.locator('attnscope-small-multiples label').count(), 64);
  await page.locator('.heat-axis input').fill('69');
  await page.keyboard.press('Tab');
  assert.equal(
    await page.locator('attnscope-small-multiples legend').innerText(),
    'batch 64 to 69 of 70, counted from 0, on one scale'
  );
  assert.equal(await page.getByRole('radio', { name: 'batch 69' }).isChecked(), true);
  assert.deepEqual((await shown(page)).first, await plane(page, [69]));
});

test('a layer without weights shows what it returns, and nothing can be painted on it', async () => {
  const page = await ran('?layer=dense&batch_size=2&seq_len=3&hidden_size=8&out_features=16');
  assert.match(await page.locator('.run-shown > h3').innerText(), /^Output\s+2 × 3 × 16, what the layer returns/);
  assert.equal(await page.locator('[data-action="pad"]').count(), 0);
  await page.locator('canvas.heat').focus();
  await page.keyboard.press('Space');
  assert.match(await page.locator('#heat-readout').innerText(), /^position 0, feature 0: -?\d/);
});

test('a pooling layer takes a mask, which is painted by itself', async () => {
  const page = await ran('?layer=max_pooling&batch_size=2&seq_len=4&hidden_size=8');
  const values = () => page.locator('[data-values]').innerText();
  assert.match(await page.locator('.run-shown > h3').innerText(), /^Output\s+2 × 8/);
  const before = await values();
  await page.click('input[name=drawn][value=mask]');
  await page.locator('canvas.heat').focus();
  for (let column = 0; column < 3; column += 1) {
    await page.keyboard.press('Space');
    await page.waitForSelector(`.same pre:has-text("0:${column + 1}] = False")`);
    await page.keyboard.press('ArrowRight');
  }
  assert.notEqual(await values(), before);
  const [last] = await page
    .locator('attnscope-run')
    .evaluate(async (/** @type {any} */ panel) => [Array.from(panel.result.outcome.output.data.subarray(0, 8))]);
  const scope = await open({ threads: 1 });
  assert.deepEqual(last, Array.from(scope.randn([2, 4, 8], { seed: 1 }).data.subarray(24, 32)));
});

test('each mask of a layer is painted on the weights that it hides', async () => {
  const page = await ran(
    '?layer=transformer_decoder_layer&batch_size=2&seq_len=6&kv_len=4&hidden_size=8&num_heads=2&intermediate_size=8'
  );
  const weights = (/** @type {string} */ name) =>
    page
      .locator('attnscope-run')
      .evaluate(
        (/** @type {any} */ panel, wanted) =>
          panel.result.outcome.drawn.find((/** @type {any} */ one) => one.name === wanted).tensor.data[3],
        name
      );
  await page.click('input[name=drawn][value=cross_weights]');
  assert.match(await page.locator('.heat-axis').innerText(), /query ↓ 6\s+key → 4/);
  assert.ok((await weights('cross_weights')) > 0);
  await page.click('[data-action="pad"]');
  await page.waitForSelector('.same pre:has-text("memory_mask=memory_mask")');
  assert.equal(await weights('cross_weights'), 0);
  await page.click('input[name=drawn][value=weights]');
  assert.equal(await page.isDisabled('[data-action="clear-mask"]'), true);
  await page.click('[data-action="causal"]');
  await page.waitForSelector('.same pre:has-text("mask=mask, memory_mask=memory_mask")');
});

test('the encoder shows its weights, its output and what its pooler makes', async () => {
  const page = await ran(
    '?layer=encoder&seq_len=6&vocab_size=50&hidden_size=16&num_layers=2&num_heads=2&intermediate_size=8'
  );
  assert.deepEqual(
    await page
      .locator('input[name=drawn]')
      .evaluateAll((list) => list.map((input) => /** @type {any} */ (input).value)),
    ['weights', 'output', 'pooled']
  );
  assert.match(await page.locator('.run-shown > h3').innerText(), /of the last of 2 layers/);
  await page.click('input[name=drawn][value=pooled]');
  assert.match(await page.locator('.run-shown > h3').innerText(), /^Pooled\s+1 × 16/);
});

test('the file has the plane that is seen', async () => {
  const page = await ran(HEADS);
  await page.getByRole('radio', { name: 'head 5' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'weights.csv' }).click()
  ]);
  const rows = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  assert.equal(rows.length, 16);
  assert.deepEqual(rows[0].split(',').slice(0, 4).map(Number), await plane(page, [0, 5]));
});

for (const [width, height] of [
  [390, 844],
  [1280, 800]
]) {
  test(`64 heads fit ${width} wide`, async () => {
    const page = await ran('?layer=multihead_attention&batch_size=1&seq_len=8&hidden_size=64&num_heads=64', {
      viewport: { width, height }
    });
    assert.equal(await page.locator('attnscope-small-multiples label').count(), 64);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  });
}
