import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

/** @param {string} [file] */
async function opened(file = '') {
  site = await openPage({ file, live: false, context: { javaScriptEnabled: false } });
}

test('without JavaScript the page shows the figures that the module computes', async () => {
  await opened();
  const scope = await open({ threads: 1 });
  const estimate = scope.estimate({ layer: 'linear_scorer' });
  const text = await site.page.innerText('attnscope-calculator');
  assert.ok(text.includes(estimate.parameters.toLocaleString('en-US')), 'parameters');
  assert.ok(text.includes(estimate.macs.toLocaleString('en-US')), 'macs');
  assert.ok(text.includes(`[${estimate.output_shape.join(', ')}]`), 'output shape');
  for (const step of estimate.steps) assert.ok(text.includes(step.pytorch), step.name);
});

test('without JavaScript the form shows the layer and the options whose figures stand beside it', async () => {
  await opened();
  const scope = await open({ threads: 1 });
  const { page } = site;
  const { config } = scope.estimate({ layer: 'linear_scorer' });
  const shown = await page
    .locator('.form')
    .evaluate((form) => Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (form))));
  assert.deepEqual(shown, {
    ...Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)])),
    bias: 'on'
  });
  assert.equal(await page.locator('.form [selected="false"], .form [checked="false"]').count(), 0);
  assert.match(await page.innerText('noscript'), /default layer, whatever its address asks for/);
  assert.equal(await page.locator('.linked-note').isVisible(), false);
});

test('without JavaScript the PyTorch class is there, with its mask and without its self-check', async () => {
  await opened();
  const scope = await open({ threads: 1 });
  const source = await site.page.locator('attnscope-code pre').textContent();
  assert.equal(source, scope.pytorch({ layer: 'linear_scorer' }, { self_check: false, mask: true }));
  assert.equal(await site.page.getByRole('switch', { name: 'With self-check' }).isChecked(), false);
  assert.equal(await site.page.getByRole('switch', { name: 'With mask' }).isChecked(), true);
});

test('without JavaScript the guide can be read, with figures that were asked from the module', async () => {
  await opened('guide/');
  const text = await site.page.innerText('.guide');
  for (const figure of ['769', '768', '98,561', '98,432', '4,096 elements', '3,145,728'])
    assert.ok(text.includes(figure), figure);
  assert.equal(await site.page.locator('#mistakes li').count(), 5);
});

test('without JavaScript the published models and the number formats are there', async () => {
  await opened('models/');
  assert.equal(await site.page.locator('#models tbody tr').count(), 9);
  assert.match(await site.page.innerText('[data-figure=parameters]'), /8\.03\s*G/);
  await site.close();
  await opened('run/');
  assert.equal(await site.page.locator('#formats tbody tr').count(), 6);
});

test('the memory bar is drawn without JavaScript', async () => {
  await opened();
  const widths = await site.page
    .locator('.memory .bar')
    .first()
    .locator('rect')
    .evaluateAll((rects) => rects.map((rect) => parseFloat(rect.getAttribute('width') ?? '0')));
  assert.equal(widths.length, 3);
  assert.ok(widths.every((width) => width > 0));
});
