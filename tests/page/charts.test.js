import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alternatives, comparison } from '../../web/plain/alternatives.js';
import { logTicks } from '../../web/plain/ticks.js';
import { Store } from '../../web/plain/store.js';
import { isSize, sliderStops } from '../../web/plain/fields.js';
import { readSearch } from '../../web/elements/calculator/url.js';
import { open } from '../../web/lib/index.js';
import { badLabels } from './labels.js';
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
      assert.ok(
        rows.some(({ config }) => config.layer === layer),
        layer
      );
    }
    const { rows: compared, series: grown } = comparison(store);
    assert.deepEqual(compared, rows);
    assert.ok(grown.length >= 3 && grown.every(({ points }) => points.some(({ current }) => current)));
  });
}

/** @param {string} search @param {string} layer */
const rowOf = (search, layer) => alternatives(opened(search)).find(({ config }) => config.layer === layer)?.config;

test('every alternative has a label that begins as the others do, whatever the layer', () => {
  for (const { name } of scope.layers()) {
    const labels = alternatives(opened(`?layer=${name}`)).map(({ label }) => label);
    assert.ok(labels.length > 1, name);
    assert.deepEqual(
      labels.filter((label) => !/^[A-Z]/.test(label)),
      [],
      name
    );
  }
});

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
  const labels = alternatives(opened('?layer=additive_scorer&attn_dim=300')).map(({ label, current }) =>
    current ? `[${label}]` : label
  );
  assert.deepEqual(labels.slice(4, 7), ['Additive, 256', '[Additive, 300]', 'Additive, 512']);
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
        await page
          .waitForFunction(
            (count) =>
              document.querySelectorAll('[data-chart="alternatives"] svg [aria-label="y-axis tick label"] text')
                .length === count,
            wanted,
            { timeout: 5000 }
          )
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
    await page.waitForFunction(() =>
      document.querySelector('attnscope-charts details:last-child table tr.fits')?.textContent?.includes('1,001')
    );
  } finally {
    await site.close();
  }
});

test('the ticks of a log axis are powers, other round values where few powers lie, and never more than have room', () => {
  assert.deepEqual(logTicks([30, 5e6], 9, 10), [100, 1000, 1e4, 1e5, 1e6]);
  assert.deepEqual(logTicks([30, 5e6], 3, 10), [100, 1e4, 1e6]);
  assert.deepEqual(logTicks([1, 4096], 5, 2), [1, 8, 64, 512, 4096]);
  assert.deepEqual(logTicks([30, 400], 5, 10), [50, 100, 200]);
  assert.deepEqual(logTicks([2.1, 4.9], 3, 10), [3, 4]);
  assert.deepEqual(logTicks([3.1, 3.9], 4, 2), [3.25, 3.5, 3.75]);
  assert.deepEqual(
    logTicks([1001, 1009], 4, 10, (value) => String(Math.round(value / 10))),
    [1002, 1006]
  );
});

/**
 * A configuration of a layer whose sizes are drawn from the sliders' stops.
 * @param {any} layer
 * @param {() => number} random from 0 to 1
 */
function drawnConfig({ name, fields }, random) {
  for (;;) {
    const sizes = fields.filter(isSize).map((/** @type {any} */ field) => {
      const stops = sliderStops(field);
      return [field.name, stops[Math.floor(random() * stops.length)]];
    });
    const config = { layer: name, ...Object.fromEntries(sizes) };
    if (opened(`?${new URLSearchParams(/** @type {any} */ (config))}`).valid) return config;
  }
}

const METRICS = ['macs', 'parameters', 'inference', 'training'];
const FLAT = { layer: 'multihead_attention', batch_size: 2, seq_len: 10, hidden_size: 128, num_heads: 8 };

for (const width of [390, 1920]) {
  test(`no label of a chart covers another, says the same or is cut off, ${width} wide`, async () => {
    let state = width;
    const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
    const configs = [FLAT, ...scope.layers().flatMap((layer) => [{ layer: layer.name }, drawnConfig(layer, random)])];
    const site = await openPage({ context: { viewport: { width, height: 900 }, reducedMotion: 'reduce' } });
    const { page } = site;
    try {
      await page.locator('#compare').scrollIntoViewIfNeeded();
      await page.waitForSelector('[data-chart="alternatives"] svg');
      for (const config of configs) {
        await page.evaluate(
          (values) => /** @type {any} */ (document.querySelector('attnscope-calculator')).fill(values),
          config
        );
        for (const metric of METRICS) {
          await page.locator('attnscope-charts').evaluate(async (/** @type {any} */ panel, key) => {
            panel.querySelector(`input[name=metric][value=${key}]`).click();
            await /** @type {any} */ (document.querySelector('attnscope-calculator')).updateComplete;
            await panel.updateComplete;
          }, metric);
          assert.deepEqual(await badLabels(page), [], `${metric} of ${JSON.stringify(config)}`);
        }
      }
    } finally {
      await site.close();
    }
  });
}

for (const [width, search, columns] of /** @type {const} */ ([
  [390, '?layer=multihead_attention', 1],
  [1024, '?layer=multihead_attention', 2],
  [1280, '?layer=linear_scorer', 3],
  [1440, '?layer=multihead_attention', 2],
  [1600, '?layer=multihead_attention', 2],
  [1920, '?layer=multihead_attention', 2],
  [1920, '?layer=linear_scorer', 3]
])) {
  test(`each chart is shown as large as it is drawn, ${columns} in every row, ${width} wide, ${search}`, async () => {
    const site = await openPage({ search, context: { viewport: { width, height: 900 }, reducedMotion: 'reduce' } });
    const { page } = site;
    try {
      await page.locator('#compare').scrollIntoViewIfNeeded();
      await page.waitForSelector('.growth svg');
      const charts = await page.locator('attnscope-charts .plot').evaluateAll((plots) =>
        plots.map((plot) => {
          const svg = /** @type {SVGElement} */ (plot.querySelector('svg'));
          return {
            drawn: Number(svg.getAttribute('width')),
            shown: svg.getBoundingClientRect().width,
            room: plot.getBoundingClientRect().width
          };
        })
      );
      for (const { drawn, shown, room } of charts) {
        assert.equal(shown, drawn);
        assert.ok(room - shown < 1 && room >= shown, `${shown} of ${room}`);
      }
      const tops = await page
        .locator('.growth figure')
        .evaluateAll((figures) => figures.map((figure) => figure.getBoundingClientRect().top));
      assert.deepEqual(
        [...new Set(tops)].map((top) => tops.filter((other) => other === top).length),
        new Array(tops.length / columns).fill(columns)
      );
    } finally {
      await site.close();
    }
  });
}
