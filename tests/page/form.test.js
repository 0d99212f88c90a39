import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { formatBytes } from '../../web/plain/format.js';
import { figure, openPage } from './open-page.js';

const scope = await open({ threads: 1 });

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
/** @type {import('playwright-core').Page} */
let page;
beforeEach(async () => {
  site = await openPage();
  page = site.page;
});
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

test('the page opens with the default result', async () => {
  assert.equal(await figure(page, 'parameters'), '769');
  assert.equal(await figure(page, 'output_shape'), '[32, 768]');
  assert.match(await page.locator('[data-figure="macs"]').innerText(), /= 6,291,456/);
});

test('the headline shows the peak of a step of training, and what is kept between steps', async () => {
  const config = { layer: /** @type {const} */ ('additive_scorer'), batch_size: 64, seq_len: 512 };
  const training = { loss: /** @type {const} */ ('mse_loss') };
  const { memory } = scope.estimate(config, { training }).training;
  await page.goto(`${site.site.url}?layer=additive_scorer&batch_size=64&seq_len=512`);
  const headline = page.locator('[data-figure="memory"]');
  await page.waitForSelector('[data-figure="memory"]:has-text("between steps")');
  assert.match(await headline.innerText(), /^Peak memory to infer\n/);
  assert.equal(
    await headline.locator('.figure-more').innerText(),
    `A training step with Adam: ${formatBytes(memory.peak)} at its peak, ${formatBytes(memory.kept)} between steps`
  );
  assert.match(
    await page.locator('.memory').innerText(),
    /Inference, at its peak[^]*Training, kept from forward to backward[^]*A step of training with Adam, at its peak/
  );
  await page.selectOption('#field-layer', 'mean_pooling');
  assert.match(await headline.locator('.figure-more').innerText(), /Training: none, there is nothing to learn$/);
  assert.doesNotMatch(await page.locator('.memory').innerText(), /A step of training/);
  await page.selectOption('#field-layer', 'linear_scorer');
});

test('in 16 bits the headline says so of training, and what mixed precision takes with 16 bytes a parameter', async () => {
  const config = { layer: /** @type {const} */ ('additive_scorer'), dtype: /** @type {const} */ ('bfloat16') };
  const { parameters, training } = scope.estimate(config, { training: { loss: 'mse_loss' } });
  const { peak, kept } = training.memory;
  const mixed = { peak: peak + 8 * parameters, kept: 16 * parameters };
  await page.goto(`${site.site.url}?layer=additive_scorer&dtype=bfloat16`);
  await page.waitForSelector('[data-figure="memory"]:has-text("all in bfloat16")');
  const more = page.locator('[data-figure="memory"] .figure-more');
  assert.equal(
    await more.innerText(),
    `A training step with Adam: ${formatBytes(mixed.peak)} in mixed precision (16 bytes a parameter), ${formatBytes(peak)} all in bfloat16\nBetween steps, and why`
  );
  await more.locator('summary').click();
  assert.equal(
    (await more.locator('details').innerText()).split('\n').at(-1),
    `Between steps: ${formatBytes(mixed.kept)} in mixed precision, ${formatBytes(kept)} all in bfloat16. ` +
      'Mixed precision keeps a copy of the weights and both moments of Adam in float32: 16 bytes a parameter instead of 8 (ZeRO).'
  );
  assert.equal(kept, 8 * parameters);
});

test('bias off takes the bias away', async () => {
  await page.uncheck('#field-bias');
  assert.equal(await figure(page, 'parameters'), '768');
});

test('an invalid field shows its message beside it, and the last good result stays, marked', async () => {
  await page.fill('#field-hidden_size', '2.5');
  const box = page.locator('#field-hidden_size');
  assert.equal(await box.getAttribute('aria-invalid'), 'true');
  const described = (await box.getAttribute('aria-describedby'))?.split(' ')[0];
  assert.equal(
    await page.locator(`#${described}`).innerText(),
    'hidden_size must be an integer from 1 to 2147483647, got 2.5'
  );
  assert.equal(await figure(page, 'parameters'), '769');
  assert.match(
    await page.locator('.stale-note').innerText(),
    /last valid values: batch_size 32, seq_len 128, hidden_size 768/
  );
  await page.fill('#field-hidden_size', '1024');
  assert.equal(await figure(page, 'parameters'), '1,025');
  assert.equal(await page.locator('.stale-note').count(), 0);
});

test('every invalid field has its own message', async () => {
  await page.fill('#field-batch_size', '0');
  await page.fill('#field-seq_len', 'many');
  assert.equal(
    await page.locator('#error-batch_size').innerText(),
    'batch_size must be an integer from 1 to 2147483647, got 0'
  );
  assert.equal(
    await page.locator('#error-seq_len').innerText(),
    'seq_len must be an integer from 1 to 2147483647, got "many"'
  );
});

test('Enter goes to the invalid field, or to the answer', async () => {
  await page.fill('#field-seq_len', '');
  await page.press('#field-hidden_size', 'Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'field-seq_len');
  await page.fill('#field-seq_len', '4096');
  await page.press('#field-seq_len', 'Enter');
  assert.equal(await figure(page, 'output_shape'), '[32, 768]');
  assert.match(page.url(), /seq_len=4096/);
});

test('a slider takes sensible values, the number box every value', async () => {
  const slider = page.locator('[data-field="hidden_size"] .slider');
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.inputValue('#field-hidden_size'), '1024');
  await page.fill('#field-hidden_size', '777');
  assert.equal(await figure(page, 'parameters'), '778');
  await page.fill('#field-hidden_size', '4,096');
  assert.equal(await figure(page, 'parameters'), '4,097');
});

test('a preset is a complete configuration', async () => {
  await page.fill('#field-batch_size', '7');
  await page.getByRole('button', { name: 'BERT base, additive' }).click();
  assert.equal(await figure(page, 'parameters'), '98,561');
  assert.equal(await page.inputValue('#field-batch_size'), '32');
  assert.equal(await page.getByRole('button', { name: 'BERT base, additive' }).getAttribute('aria-pressed'), 'true');
});

test('a published model sizes the layer, a number format sets its bytes', async () => {
  await page.goto(`${site.site.url}models/?layer=linear_scorer`);
  await page.getByRole('button', { name: 'size the layer on Llama-3-8B' }).click();
  assert.equal(await figure(page, 'parameters'), '4,097');
  assert.equal(await page.inputValue('#field-seq_len'), '8192');
  await page.click('.doors >> text=Run');
  await page.getByRole('button', { name: 'INT8', exact: true }).click();
  await page.click('.doors >> text=Calculator');
  await page.waitForURL(/\/\?layer=linear_scorer.*dtype=int8/);
  await page.waitForSelector('.memory .bar-none');
  assert.match(await page.locator('.memory').innerText(), /int8 is a format for inference/);
});

test('the largest values of every field give a result or a message, and the page goes on', async () => {
  const layers = await page
    .locator('#field-layer option')
    .evaluateAll((options) => options.map((option) => /** @type {HTMLOptionElement} */ (option).value));
  for (const layer of layers) {
    await page.selectOption('#field-layer', layer);
    await page
      .locator('.options:not([open]) summary')
      .evaluateAll((list) => list.forEach((summary) => /** @type {HTMLElement} */ (summary).click()));
    for (const box of await page.locator('.form .number').all()) await box.fill('2147483647');
    const answers = (await page.locator('.stale-note').count()) === 0;
    assert.ok(answers || (await page.locator('.form .field-error').allInnerTexts()).join().length > 0, layer);
  }
  await page.getByRole('button', { name: 'BERT base, linear' }).click();
  assert.equal(await figure(page, 'parameters'), '769');
});

test('every layer of the registry has a form and a result', async () => {
  const names = await page
    .locator('#field-layer option')
    .evaluateAll((options) => options.map((option) => /** @type {HTMLOptionElement} */ (option).value));
  for (const name of names) {
    await page.selectOption('#field-layer', name);
    assert.match(String(await page.locator('attnscope-code pre').textContent()), /class \w+\(nn\.\w+\)/, name);
    assert.equal(await page.locator('.stale-note').count(), 0, name);
  }
});
