import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alternatives, growth } from '../../web/elements/charts/alternatives.js';
import { Store } from '../../web/elements/state/store.js';
import { readSearch } from '../../web/elements/state/url.js';
import { open } from '../../web/lib/index.js';
import { openPage } from './open-page.js';

const scope = await open({ threads: 1 });
const opened = (/** @type {string} */ search) => new Store(scope, readSearch(search));

for (const { name } of scope.layers()) {
  test(`${name} stands among its alternatives, and grows along its sizes`, () => {
    const store = opened(`?layer=${name}`);
    const rows = alternatives(store);
    assert.equal(rows.filter(({ current }) => current).length, 1);
    assert.equal(rows.find(({ current }) => current)?.config.layer, name);
    assert.equal(new Set(rows.map(({ label }) => label)).size, rows.length);
    for (const layer of ['linear_scorer', 'additive_scorer', 'scaled_dot_product_attention', 'multihead_attention']) {
      assert.ok(rows.some(({ config }) => config.layer === layer), layer);
    }
    const grown = growth(store);
    assert.ok(grown.length >= 3 && grown.every(({ points }) => points.some(({ current }) => current)));
  });
}

/** @param {string} search @param {string} layer */
const rowOf = (search, layer) => alternatives(opened(search)).find(({ config }) => config.layer === layer)?.config;

test('an alternative has the same sizes, under the names that it has for them', () => {
  const sizes = '?layer=decoder&batch_size=3&seq_len=8&past_len=4&hidden_size=32&num_heads=4&dtype=bfloat16';
  const shared = { batch_size: 3, seq_len: 8, num_heads: 4, dtype: 'bfloat16' };
  const dot = rowOf(sizes, 'scaled_dot_product_attention');
  assert.deepEqual(dot, { ...dot, ...shared, kv_len: 12, head_dim: 8, num_kv_heads: null, is_causal: false });
  const heads = rowOf(sizes, 'multihead_attention');
  assert.deepEqual(heads, { ...heads, ...shared, hidden_size: 32, kv_len: null, bias: false });
});

test('what an alternative cannot take is left to its default', () => {
  const store = new Store(scope, { layer: 'timestep_attention', hidden_size: 128, output: 'weighted' });
  const rows = alternatives(store);
  assert.equal(rows.find(({ config }) => config.layer === 'linear_scorer')?.config.output, 'pooled');
  assert.equal(rows.find(({ config }) => config.layer === 'multihead_attention')?.config.num_heads, 2);
});

test('a width of its own stands where it belongs', () => {
  const labels = alternatives(opened('?layer=additive_scorer&attn_dim=300')).map(({ label, current }) => (current ? `[${label}]` : label));
  assert.deepEqual(labels.slice(4, 7), ['additive, 256', '[additive, 300]', 'additive, 512']);
});

test('layers of the same group are alternatives', () => {
  const labels = (/** @type {string} */ layer) => alternatives(opened(`?layer=${layer}`)).map(({ label }) => label);
  assert.ok(labels('multihead_attention').includes('Grouped-query attention'));
  assert.ok(!labels('linear_scorer').includes('Grouped-query attention'));
});

test('every layer is drawn, nought included', async () => {
  const site = await openPage({ search: '?layer=mean_pooling', context: { viewport: { width: 390, height: 844 } } });
  const { page } = site;
  try {
    await page.locator('#compare').scrollIntoViewIfNeeded();
    for (const { name } of scope.layers()) {
      await page.selectOption('#field-layer', name);
      for (const metric of ['macs', 'parameters', 'inference', 'training']) {
        await page.locator(`input[name=metric][value=${metric}]`).check();
        const wanted = alternatives(opened(`?layer=${name}`)).length;
        await page.waitForFunction((count) => document.querySelectorAll('[data-chart="alternatives"] svg [aria-label="y-axis tick label"] text').length === count, wanted, { timeout: 5000 })
          .catch(() => assert.fail(`${name}, ${metric}: not ${wanted} layers`));
      }
    }
    assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
  } finally {
    await site.close();
  }
});

test('charts that are out of sight wait, and are right when they are seen', async () => {
  const site = await openPage({ search: '?layer=linear_scorer', context: { reducedMotion: 'reduce' } });
  const { page } = site;
  const rows = () => page.locator('attnscope-charts table tbody').last().textContent();
  try {
    await page.locator('#compare').scrollIntoViewIfNeeded();
    await page.waitForSelector('[data-chart="alternatives"] svg');
    await page.locator('#guide').scrollIntoViewIfNeeded();
    await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attnscope-charts')).near === false);
    const before = await rows();
    await page.locator('#field-hidden_size').evaluate((/** @type {any} */ box) => {
      box.value = '1000';
      box.dispatchEvent(new Event('input', { bubbles: true }));
    });
    assert.equal(await rows(), before);
    await page.locator('#compare').scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector('attnscope-charts details:last-child table tr.fits')?.textContent?.includes('1,001'));
  } finally {
    await site.close();
  }
});
