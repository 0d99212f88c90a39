// Published models as the page has them, the presets, and the table of caches.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fromHuggingFace, open } from '../../web/lib/index.js';
import { Store } from '../../web/plain/store.js';
import { cacheKinds } from '../../web/elements/calculator/cache-kinds.js';
import { presetGroups, presetValues } from '../../web/elements/models/presets.js';
import { published } from '../../web/plain/published.js';
import { published as files } from '../torch/families.js';
import { openPage } from './open-page.js';

const scope = await open({ threads: 1 });
const store = new Store(scope);

/** Each built by transformers 5.12 on the meta device and counted. @type {Record<string, number>} */
const TOTALS = {
  'BERT base': 109482240,
  'BERT large': 335141888,
  DistilBERT: 66362880,
  'RoBERTa base': 124645632,
  'GPT-2': 124439808,
  'Llama-3-8B': 8030261248
};

for (const { name, file } of published) {
  test(`${name} is read as its own config.json is, and has as many parameters as the model`, () => {
    const config = presetValues(store, /** @type {any} */ (fromHuggingFace(file).config));
    assert.deepEqual(config, presetValues(store, /** @type {any} */ (fromHuggingFace(files[name]).config)));
    if (TOTALS[name]) assert.equal(scope.estimate(/** @type {any} */ (config)).parameters, TOTALS[name]);
  });
}

for (const { title, values } of presetGroups.flatMap(({ presets }) => presets)) {
  test(`the preset ${title} is a configuration that the core takes and this page can run`, () => {
    const config = /** @type {any} */ (presetValues(store, values));
    assert.deepEqual(scope.estimate(config).config, config);
    assert.ok(scope.runBytes(config) <= scope.memoryLimit);
  });
}

test('a cache keeps what the kind of attention says', () => {
  const [own, grouped, window, single, latent] = cacheKinds(
    new Store(scope, { layer: 'multihead_attention', hidden_size: 4096, num_heads: 32, dtype: 'bfloat16' }),
    { context: 8192, sequences: 1 }
  ).map(({ cache }) => [cache.bytes_per_token, cache.bytes_per_sequence]);
  assert.deepEqual(
    [own, grouped, window, single, latent],
    [
      [2 * 32 * 128 * 2, 2 * 32 * 128 * 2 * 8192],
      [2 * 8 * 128 * 2, 2 * 8 * 128 * 2 * 8192],
      [2 * 8 * 128 * 2, 2 * 8 * 128 * 2 * 1024],
      [2 * 128 * 2, 2 * 128 * 2 * 8192],
      [(512 + 64) * 2, (512 + 64) * 2 * 8192]
    ]
  );
});

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
/** @type {import('playwright-core').Page} */
let page;
before(async () => {
  site = await openPage({ file: 'models/', search: '?layer=linear_scorer' });
  page = site.page;
});
after(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

test('a click on a model fills the form with all of it; what is too large to run is still sized', async () => {
  await page.getByRole('button', { name: 'Llama-3-8B', exact: true }).click();
  assert.equal(await page.inputValue('#field-layer'), 'decoder');
  assert.match(await page.locator('[data-figure="parameters"] .figure-formula').innerText(), /= 8,030,261,248$/);
  assert.equal(await page.locator('#models tr.fits th').innerText(), 'Llama-3-8B');
});

test('what is too large to run is said on the page that runs it', async () => {
  await page.click('.doors >> text=Run');
  assert.equal(await page.isDisabled('[data-action="run"]'), true);
  assert.match(
    await page.locator('.needs').innerText(),
    /^This run needs [\d.]+\sGiB; 3\.5\sGiB is the limit here\. The figures above hold all the same\./
  );
});

test('a choice brings its answer into view', async () => {
  await page.goto(`${site.site.url}models/`);
  // The page may become live meanwhile, which puts another element there.
  await page.locator('#kv-cache').evaluate((element) => element.scrollIntoView());
  await page.getByRole('button', { name: 'Multi-query', exact: true }).click();
  await page.waitForFunction(() => {
    const { top, bottom } = /** @type {Element} */ (document.querySelector('.answer')).getBoundingClientRect();
    return top >= 0 && top < innerHeight && bottom > 0;
  });
});

test('the cache of the chosen model is said for a context and a number of sequences, which are in the link', async () => {
  await page.goto(`${site.site.url}models/`);
  await page.fill('input[name=context]', '32768');
  await page.fill('input[name=sequences]', '2');
  assert.match(
    await page.innerText('[data-cache-own]'),
    /^8\sGiB for Llama-3-8B: 128\sKiB a token, 4\sGiB a sequence of 32,768 positions, 2 sequences\. With 14\.96\sGiB of parameters/
  );
  await page.press('input[name=sequences]', 'Tab');
  await page.waitForURL(/context=32768.*sequences=2/);
  await page.fill('input[name=context]', '0');
  assert.match(await page.innerText('#error-context'), /^context must be an integer from 1 to 2,147,483,647, got "0"$/);
  assert.match(await page.innerText('[data-cache-own]'), /8,192 positions/);
});

test('a model ends where its positions end, and its parameters stay those that it has', async () => {
  await page.goto(`${site.site.url}models/`);
  await page.fill('input[name=context]', '32768');
  assert.equal(
    await page.innerText('[data-beyond]'),
    'Llama-3-8B ends at 8,192 positions by its config.json: a cache of 32,768 takes this, but the model is not made for it.'
  );
  await page.getByRole('button', { name: 'GPT-2', exact: true }).click();
  assert.match(
    await page.innerText('[data-cache-own]'),
    /^72\sMiB for GPT-2: 72\sKiB a token, 72\sMiB a sequence of 1,024 positions\. With 474\.7\sMiB of parameters/
  );
  assert.equal(
    await page.innerText('[data-beyond]'),
    'GPT-2 ends at 1,024 positions, each of which has a vector of its own: the cache is that of 1,024, not of 32,768.'
  );
  await page.fill('input[name=context]', '1024');
  assert.equal(await page.locator('[data-beyond]').count(), 0);
});

test('the answer, the strip and the panels name the model until another field than lengths and format is changed', async () => {
  await page.goto(`${site.site.url}models/`);
  await page.waitForSelector('.sheet-button', { state: 'attached' });
  const names = async () => [
    await page.locator('#answer-title').evaluate((title) => title.childNodes[2]?.textContent?.trim()),
    await page.locator('.strip-layer').textContent(),
    await page.locator('#kv-cache-title').evaluate((title) => title.firstChild?.textContent?.trim())
  ];
  const model = ['Llama-3-8B', 'Llama-3-8B'];
  assert.deepEqual((await names()).slice(0, 2), model);
  assert.match(await page.innerText('#kv-cache-title'), /^KV cache of Llama-3-8B/);
  assert.match(await page.innerText('#kinds-title'), /in the sizes of Llama-3-8B/);
  await page.fill('#field-seq_len', '1024');
  await page.fill('#field-batch_size', '4');
  assert.deepEqual((await names()).slice(0, 2), model);
  await page.fill('#field-num_layers', '31');
  assert.equal(await page.locator('.strip-layer').textContent(), 'Decoder');
  assert.match(await page.innerText('#kv-cache-title'), /^KV cache of Decoder/);
});

test('another model keeps the batch and the length that were chosen, as far as it is made for them', async () => {
  await page.goto(`${site.site.url}models/`);
  await page.waitForSelector('.sheet-button', { state: 'attached' });
  await page.fill('#field-batch_size', '4');
  await page.fill('#field-seq_len', '2048');
  await page.getByRole('button', { name: 'Mistral-7B', exact: true }).click();
  assert.deepEqual(
    [await page.inputValue('#field-batch_size'), await page.inputValue('#field-seq_len')],
    ['4', '2048']
  );
  await page.getByRole('button', { name: 'BERT base', exact: true }).click();
  assert.deepEqual([await page.inputValue('#field-batch_size'), await page.inputValue('#field-seq_len')], ['4', '512']);
  assert.equal(
    await page.innerText('.answer .stale-note'),
    'BERT base ends at 512 positions: it is sized at 512 of them, not at 2,048.'
  );
});

test('a kind of cache is taken for one step of decoding, and runs', async () => {
  await page.goto(`${site.site.url}models/?layer=multihead_attention&hidden_size=128&num_heads=1`);
  await page.getByRole('button', { name: 'Latent', exact: true }).click();
  assert.equal(await page.inputValue('#field-past_len'), '8191');
  await page.fill('#field-past_len', '20');
  await page.press('#field-past_len', 'Tab');
  await page.waitForURL(/past_len=20/);
  await page.click('.doors >> text=Run');
  await page.click('[data-action="run"]');
  await page.waitForSelector('[data-run="fresh"]');
  assert.match(await page.locator('.same pre').innerText(), /past_latent = torch\.randn\(1, 20, 512\)/);
});

test('every link of the guide is a configuration that the core takes', async () => {
  await page.goto(`${site.site.url}guide/`);
  const links = await page
    .locator('.guide a.fill')
    .evaluateAll((list) => list.map((link) => /** @type {HTMLAnchorElement} */ (link).search));
  assert.ok(links.length > 15, String(links.length));
  for (const search of links) {
    const { errors, leftOut } = new Store(scope, Object.fromEntries(new URLSearchParams(search)));
    assert.deepEqual({ errors, leftOut }, { errors: {}, leftOut: [] }, search);
  }
});
