import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { ridgeOf, rowsOf } from '../../web/plain/measured.js';
import { leastBytes, pageWorkloads } from '../../web/plain/workloads.js';
import { open } from '../../web/lib/index.js';
import { openPage } from './open-page.js';
import { assertCells, cells, empty, measure, measured, measuredAll, openSpeed } from './speed-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site?.close());

/** @param {Parameters<typeof openSpeed>[0]} [options] */
async function opened(options) {
  site = await openSpeed(options);
  return site.page;
}

test('a layer that takes what its roof allows is on it, whichever of the two roofs that is', () => {
  const build = { name: 'relaxed', threads: 1, isolated: true, reason: '' };
  const peaks = { flops_per_second: 100e9, bytes_per_second: 10e9 };
  const timings = pageWorkloads.map((workload) => ({
    name: workload.name,
    runs: 1,
    seconds: Math.max(workload.flops / peaks.flops_per_second, leastBytes(workload) / peaks.bytes_per_second)
  }));
  const rows = rowsOf({ build, peaks, timings });
  assert.equal(ridgeOf(peaks), 10);
  for (const { workload, intensity, measured } of rows) {
    assert.equal(measured?.share, 1, workload.name);
    assert.equal(measured?.by, intensity < 10 ? 'memory traffic' : 'arithmetic', workload.name);
    assert.ok(
      Math.abs(
        /** @type {any} */ (measured).rate / Math.min(peaks.flops_per_second, intensity * peaks.bytes_per_second) - 1
      ) < 1e-12,
      workload.name
    );
  }
  assert.deepEqual(new Set(rows.map((row) => row.measured?.by)), new Set(['arithmetic', 'memory traffic']));
});

test('every layer of the list can run, on inputs of the shapes that the list says', async () => {
  const scope = await open({ threads: 1 });
  for (const { name, config, inputs, weights, output } of pageWorkloads) {
    const estimate = scope.estimate(config);
    assert.deepEqual(
      Object.fromEntries(estimate.inputs.filter(({ optional }) => !optional).map(({ name, shape }) => [name, shape])),
      inputs,
      name
    );
    assert.deepEqual(estimate.output_shape, output, name);
    assert.equal(
      estimate.parameters,
      Object.values(weights).reduce((sum, shape) => sum + shape.reduce((a, b) => a * b, 1), 0),
      name
    );
  }
});

test('before anything is measured, and without JavaScript, the page shows what it will measure and no figure of speed', async () => {
  site = await openPage({ file: 'speed/', live: false, context: { javaScriptEnabled: false } });
  assertCells(await cells(site.page), empty);
  assert.match(await site.page.innerText('attnscope-speed'), /Nothing is measured yet/);
  assert.match(await site.page.innerText('noscript'), /needs JavaScript/);
  assert.equal(await site.page.locator('[data-chart]').count(), 0);
});

test('a measurement, which a double click begins once, ends with every layer in the table and in the chart, with one thread and with all', async () => {
  const page = await opened();
  await page.dblclick('[data-action="measure"]');
  await page.waitForSelector('[data-action="cancel"]');
  await measuredAll(page);
  assert.equal(await page.locator('attnscope-speed [role=alert]').count(), 0, 'nothing is cancelled');
  assertCells(await cells(page), measured);
  assert.deepEqual(
    (await cells(page)).map((row) => row[5]),
    pageWorkloads.map(() => '1')
  );
  for (const figure of ['flops', 'bytes', 'ridge', 'best'])
    assert.match(
      await page.innerText(`[data-figure="${figure}"] .figure-value`),
      /^[\d.,]+\s*(GFLOP\/s|GB\/s|FLOP\/byte)$/
    );
  const threads = await page.evaluate(() => Math.min(navigator.hardwareConcurrency, 8));
  const parts = await page.evaluate(() => /** @type {any} */ (document.querySelector('attnscope-speed')).parts);
  assert.deepEqual(
    parts.map((/** @type {any} */ { build }) => build.threads),
    threads > 1 ? [1, threads] : [1]
  );
  for (const [index, { build }] of parts.entries()) {
    if (parts.length > 1) await page.locator(`input[name=threads][value="${build.threads}"]`).check();
    const rates = parts[index].timings.map(
      (/** @type {any} */ { seconds }, /** @type {number} */ at) => pageWorkloads[at].flops / seconds / 1e9
    );
    const shown = (await cells(page)).map((row) => Number(row[2].replaceAll(',', '')));
    shown.forEach((rate, at) =>
      assert.ok(Math.abs(rate / rates[at] - 1) < 0.01, `${pageWorkloads[at].name}: ${rate}, not ${rates[at]}`)
    );
    assert.equal(
      await page.locator('[data-chart="roofline"] svg [aria-label="dot"] path').count(),
      pageWorkloads.length
    );
  }
  assert.equal(await page.locator('.speed-legend li').count(), 6);
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

test('a measurement can be cancelled, what was measured stays, and the next one runs to its end', async () => {
  const page = await opened();
  const [worker] = await Promise.all([page.waitForEvent('worker'), page.click('[data-action="measure"]')]);
  await page.waitForSelector('tr[data-workload]:first-child td:nth-child(2):not(:has-text("–"))');
  assert.match(await page.innerText('.progress'), /^\d+ threads?: /);
  await Promise.all([worker.waitForEvent('close'), page.click('[data-action="cancel"]')]);
  assert.equal(await page.innerText('attnscope-speed [role=alert]'), 'Cancelled. What was measured before stays.');
  const rows = await cells(page);
  assert.match(rows[0][1], measured[0]);
  assert.match(rows[rows.length - 1][1], /^–$/);
  assert.ok(
    await page.locator('[data-action="measure"]').evaluate((button) => button === document.activeElement),
    'the button keeps the focus'
  );
  await measure(page);
  assert.equal(await page.locator('attnscope-speed [role=alert]').count(), 0);
  assertCells(await cells(page), measured);
});

test('a number of runs that is none is refused with its value', async () => {
  const page = await opened({ search: '?runs=many' });
  await page.click('[data-action="measure"]');
  assert.equal(await page.innerText('attnscope-speed [role=alert]'), 'runs must be an integer from 1 to 25, got many');
});

test('from the calculator to the speed page, and from a layer of it back to its estimate', async () => {
  site = await openPage();
  const { page } = site;
  await page.click('.foot >> text=How fast');
  await page.waitForSelector('attnscope-speed');
  assert.equal(await page.locator('.doors [aria-current]').innerText(), 'Guide');
  await page.click('tr[data-workload="attention 12x64, S 512, causal"] a');
  await page.waitForSelector('.sheet-button', { state: 'attached' });
  assert.equal(await page.inputValue('#field-layer'), 'scaled_dot_product_attention');
  assert.equal(await page.isChecked('#field-is_causal'), true);
  assert.equal(await page.inputValue('#field-seq_len'), '512');
});
