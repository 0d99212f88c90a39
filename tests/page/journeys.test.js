// One journey through each door of the site: a layer is sized, run and trained, labs answer, a model is read, the guide
// leads to a layer, and another page embeds the element. Working without a network is in hosting.test.js.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { project } from '../../tools/folders.js';
import { published } from '../torch/families.js';
import { LIVE, figure, openPage } from './open-page.js';
import { SMALL as LAYER, assertClose, config, expected, weights } from './run-values.js';
import { SMALL, atStep, played, press } from './training.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/** @param {string} file @param {string} [search] */
async function opened(file, search) {
  site = await openPage({ file, search, live: ['', 'run/', 'models/'].includes(file) });
  return site.page;
}

test('changing a field changes the figures, the steps and the chart at once', async () => {
  const page = await opened('');
  await page.click('[data-tab=compare]');
  const drawing = page.locator('[data-chart="alternatives"] svg');
  const before = await drawing.innerHTML();
  await page.selectOption('#field-layer', 'additive_scorer');
  assert.equal(await figure(page, 'parameters'), '98,561');
  await page.fill('#field-attn_dim', '64');
  assert.equal(await figure(page, 'parameters'), '49,281');
  assert.match(String(await page.locator('.steps tbody').textContent()), /\[32, 128, 64\]/);
  await page.waitForFunction(
    (old) => document.querySelector('[data-chart="alternatives"] svg')?.innerHTML !== old,
    before
  );
});

test('the address follows the form, and opening it anew gives the same', async () => {
  const page = await opened('');
  await page.selectOption('#field-layer', 'additive_scorer');
  await page.fill('#field-hidden_size', '1024');
  await page.press('#field-hidden_size', 'Tab');
  await page.waitForURL(/hidden_size=1024/);
  const other = await site.context.newPage();
  await other.goto(page.url());
  await other.waitForSelector(LIVE, { state: 'attached' });
  assert.equal(await figure(other, 'parameters'), await figure(page, 'parameters'));
});

test('a run shows time, speed and bound, and the values that the module gives for the seed', async () => {
  const page = await opened('run/', `${LAYER}&seed=3`);
  await page.locator('#run').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-run="fresh"]');
  await page.waitForSelector('[data-speed="measured"]');
  for (const fact of ['time', 'speed']) assert.match(await page.locator(`[data-fact="${fact}"] b`).innerText(), /\d/);
  const { output, weights: wanted } = await expected(config, 3);
  const shown = (await page.locator('[data-values]').innerText()).trim().split(/\s+/).map(Number);
  assertClose(shown, output.data.subarray(0, 6));
  assertClose(await weights(page), /** @type {any} */ (wanted).data);
  assert.match(
    await page.locator('.same pre').innerText(),
    /^import torch\n.*class AdditiveScorer.*\ntorch\.manual_seed\(3\)\nmodule = AdditiveScorer\(\)[^\n]*\ntorch\.manual_seed\(4\)\nhidden_states = torch\.randn\(4, 16, 32\)\n/s
  );
});

test('training plays up to the step where it pauses, with curves, figures, attention and a sentence', async () => {
  const page = await opened('train/', `?task=recall&${SMALL}`);
  await played(page);
  assert.equal(await figure(page, 'step'), '20');
  assert.match(await figure(page, 'accuracy'), /^\d+\s%$/);
  assert.match(await figure(page, 'gradient'), /^[\d.]+$/);
  assert.match(await figure(page, 'memory'), /^[\d.]+\s*[KM]iB$/);
  assert.match(await page.innerText('[data-figure="step"]'), /steps a second/);
  assert.match(await page.innerText('[data-learned]'), /^After 20 steps/);
  await page.waitForSelector('[data-chart="loss"] svg');
  for (const chart of ['accuracy', 'loss']) assert.equal(await page.locator(`[data-chart="${chart}"] svg`).count(), 1);
  assert.equal(await page.locator('.multiples input').count(), 4, 'the heads of both layers');
  assert.match(await page.innerText('.train-hits'), /^\d+ of the \d+ tokens that can be known are right after step 20/);
  await page.click('.train-table summary');
  await page.waitForSelector('.train-table tbody th >> nth=1'); // it is drawn once it is open
  assert.deepEqual(await page.locator('.train-table tbody th').allInnerTexts(), ['0', '20']);
  await press(page, 'play');
  await atStep(page, 40);
});

test('a mask of a lab is painted by keyboard and stands in the link', async () => {
  const page = await opened('labs/masks/');
  await page.waitForSelector('.lab-links button'); // its controls do something
  await page.locator('input[name=mask][value=none]').check({ force: true });
  await page.locator('canvas.heat').focus();
  await page.keyboard.press('Space');
  await page.waitForFunction(() => document.querySelector('.lab-notice')?.textContent?.startsWith('1 of 64'));
  await page.waitForURL(
    ({ searchParams }) => searchParams.get('mask') === 'painted' && searchParams.get('cells') === '7fffffffffffffff'
  );
});

test('layers compete in a lab, which gives each layer a score with its spread, curves, and differences with their intervals', async () => {
  const page = await opened(
    'labs/attention-or-dense/',
    '?task=peak_day&variants=linear,flat&samples=300&steps=40&lr=0.003&seeds=3'
  );
  await page.click('.contest [data-action=play]');
  await page.waitForSelector('.contest-progress:has-text("6 of 6 runs are done")');
  for (const variant of ['linear', 'flat'])
    assert.match(
      await page.innerText(`.contest-table [data-variant=${variant}] [data-score]`),
      /^\d+\.\d ± \d+\.\d.%$/
    );
  assert.match(await page.innerText('.contest-progress'), /^6 of 6 runs are done, 3 seeds of 40 steps each$/);
  assert.ok((await page.locator('.verdicts li').count()) > 0);
  assert.match(await page.innerText('[data-pair]'), /^[+−]?\d+\.\d\s+[+−]\d+\.\d to [+−]?\d+\.\d/);
  const curves = () => page.locator('.contest-curves svg').textContent();
  await page.waitForSelector('.contest-curves svg');
  assert.match((await curves()) ?? '', /%/);
  await page.locator('input[name=curve][value=loss]').check({ force: true });
  await page.waitForFunction(() => !document.querySelector('.contest-curves svg')?.textContent?.includes('%'));
});

test('a pasted config.json of a model fills the form, and the answer follows', async () => {
  const page = await opened('models/');
  await page.fill('#import-text', JSON.stringify(published['Llama-3-8B']));
  assert.equal(await page.innerText('#import-error'), '');
  assert.equal(await page.inputValue('#field-layer'), 'decoder');
  assert.equal(await page.inputValue('#field-hidden_size'), '4096');
  assert.equal(await page.inputValue('#field-num_kv_heads'), '8');
  assert.match((await page.locator('.answer > .hidden[role=status]').textContent()) ?? '', /^8,030,261,248 parameters/);
  await page.waitForURL(/\?layer=decoder&.*intermediate_size=14336&.*dtype=bfloat16/);
  assert.equal(
    await page.innerText('#import [role=status]'),
    'The form was filled from this llama model: 14 keys used, 3 defaulted, 9 ignored.'
  );
});

test('a link of the guide leads to its layer, with the defaults of what it leaves out', async () => {
  const page = await opened('guide/');
  await page.locator('#time-steps a.fill').first().click();
  await page.waitForSelector(LIVE, { state: 'attached' });
  assert.equal(await page.inputValue('#field-layer'), 'timestep_attention');
  assert.equal(await figure(page, 'parameters'), '38');
  assert.equal(await page.isChecked('input[name=dtype][value=float32]'), true);
});

test('the element works in a page with a strict Content-Security-Policy, and leaves the address alone', async () => {
  const host = `<!doctype html><html lang="en"><title>A post</title><link rel="icon" href="data:,"><h1>A post about attention</h1><attnscope-calculator layer="additive_scorer" hidden_size="256"></attnscope-calculator><script type="module" src="element/index.js"></script></html>`;
  site = await openPage({ page: host, file: 'host.html', folder: project, isolated: true, live: false });
  const { page } = site;
  await page.waitForSelector('.figures');
  assert.equal(await figure(page, 'parameters'), '33,025');
  await page.fill('#field-hidden_size', '512');
  assert.equal(await figure(page, 'parameters'), '65,793');
  assert.equal(new URL(page.url()).search, '');
  await page.locator('#run').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-run="fresh"]');
});
