import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { alternatives, comparison, growing, ranked } from '../../web/plain/comparison.js';
import { metrics } from '../../web/plain/metrics.js';
import { published } from '../../web/plain/published.js';
import { logTicks } from '../../web/plain/ticks.js';
import { Store } from '../../web/plain/store.js';
import { isSize, sliderStops } from '../../web/plain/fields.js';
import { fromHuggingFace, open } from '../../web/lib/index.js';
import { badLabels } from './labels.js';
import { figure, openPage, openTabOf } from './open-page.js';
import { valuesIn } from '../../web/plain/search.js';

/** Of the test under way, if it has one. @type {Awaited<ReturnType<typeof openPage>> | undefined} */
let site;
afterEach(() => site?.close());

const scope = await open({ threads: 1 });
const opened = (/** @type {string} */ search) => new Store(scope, valuesIn(search));

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

const MACS = metrics[0];
const PARAMETERS = metrics[1];

test('rows go from the least to the largest, with how many times this layer each is', () => {
  const rows = ranked(alternatives(opened('?layer=additive_scorer&batch_size=64&seq_len=512')), MACS);
  assert.deepEqual(
    rows.map(({ value }) => value),
    rows.map(({ value }) => value).sort((a, b) => Number(a) - Number(b))
  );
  const timesOf = (/** @type {string} */ label) => rows.find((row) => row.label === label)?.times;
  assert.equal(timesOf('Additive, 128'), 'same');
  assert.equal(timesOf('Additive, 1024'), '×\u202f7.95');
  assert.equal(timesOf('Linear'), '×\u202f0.0155');
});

test('what is pinned is a row, of its own or one of the others, and then the others are held against it', () => {
  const store = opened('?layer=additive_scorer&seq_len=512');
  store.pin();
  assert.deepEqual(
    alternatives(store).flatMap(({ label, current, pinned }) => (pinned ? [[label, current]] : [])),
    [['Additive, 128', true]]
  );
  store.set({ attn_dim: 256 });
  assert.deepEqual(
    alternatives(store).flatMap(({ label, current, pinned }) => (pinned ? [[label, current]] : [])),
    [['Additive, 128', false]]
  );
  store.set({ seq_len: 5120 });
  const rows = ranked(alternatives(store), MACS);
  assert.deepEqual(
    rows.flatMap(({ label, pinned, times }) => (pinned ? [[label, times]] : [])),
    [['Pinned', 'same']]
  );
  assert.equal(rows.find(({ label }) => label === 'Additive, 128')?.times, '×\u202f10');
});

test('beside a layer grow the baselines and the pin, with the same sizes under their own names', () => {
  const store = opened('?layer=additive_scorer&hidden_size=768');
  store.pin();
  store.set({ seq_len: 256 });
  const series = comparison(store).series;
  const lineOf = (/** @type {string} */ field, /** @type {string} */ label) =>
    series.find((one) => one.field === field)?.lines.find((line) => line.label === label);
  assert.deepEqual(
    series[0].lines.map(({ label, coincides }) => [label, coincides]),
    [
      ['Linear', false],
      ['Dot product', false],
      ['Multi-head', false],
      ['Pinned', true]
    ]
  );
  assert.equal(lineOf('hidden_size', 'Pinned')?.coincides, false);
  const dot = lineOf('hidden_size', 'Dot product')?.points.find(({ value }) => value === 1024);
  assert.deepEqual([dot?.config.num_heads, dot?.config.head_dim, dot?.config.seq_len], [16, 64, 256]);
  const still = lineOf('attn_dim', 'Multi-head')?.points.map(({ estimate }) => estimate.macs) ?? [];
  assert.ok(still.length > 5 && new Set(still).size === 1, 'one that has not the size stays as it is');
});

test('a size that a baseline cannot take has no point, never one at a default', () => {
  const store = opened('?layer=multihead_attention&hidden_size=768&num_heads=12');
  const grown = comparison(store).series.find(({ field }) => field === 'hidden_size');
  const dot = grown?.lines.find(({ label }) => label === 'Dot product');
  assert.ok(dot && dot.points.length > 5);
  for (const { value, config } of dot.points) assert.equal(Number(config.num_heads) * Number(config.head_dim), value);
});

test('sizes along which a figure does not change are told from those along which it grows', () => {
  const { series } = comparison(opened('?layer=additive_scorer'));
  const { grown, constant } = growing(series, PARAMETERS);
  assert.deepEqual(
    [grown.map(({ field }) => field), constant],
    [
      ['hidden_size', 'attn_dim'],
      ['seq_len', 'batch_size']
    ]
  );
});

test('every layer is drawn, nought included', async () => {
  site = await openPage({ search: '?layer=mean_pooling', context: { viewport: { width: 390, height: 844 } } });
  const { page } = site;
  await openTabOf(page, '#compare');
  for (const { name } of scope.layers()) {
    await page.selectOption('#field-layer', name, { force: true }); // the form's sheet is closed
    for (const metric of ['macs', 'parameters', 'inference', 'training']) {
      await page.locator(`input[name=metric][value=${metric}]`).check();
      const wanted = alternatives(opened(`?layer=${name}`)).length;
      await page
        .waitForFunction(
          (count) =>
            document.querySelectorAll('[data-chart="alternatives"] svg [aria-label="y-axis tick label"] text')
              .length === count,
          wanted
        )
        .catch(() => assert.fail(`${name}, ${metric}: not ${wanted} layers`));
    }
  }
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

test('charts that are out of sight wait, and are right when they are seen', async () => {
  site = await openPage({ search: '?layer=linear_scorer', context: { reducedMotion: 'reduce' } });
  const { page } = site;
  const rows = () => page.locator('attnscope-charts table tbody').last().textContent();
  await openTabOf(page, '#compare');
  await page.waitForSelector('[data-chart="alternatives"] svg');
  await page.click('[data-tab=cost]');
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attnscope-charts')).near === false);
  const before = await rows();
  await page.locator('#field-hidden_size').evaluate((/** @type {any} */ box) => {
    box.value = '1000';
    box.dispatchEvent(new Event('input', { bubbles: true }));
  });
  assert.equal(await rows(), before);
  await openTabOf(page, '#compare');
  await page.waitForFunction(() => document.querySelector('.alternatives tr.fits')?.textContent?.includes('1,001'));
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
    site = await openPage({ context: { viewport: { width, height: 900 }, reducedMotion: 'reduce' } });
    const { page } = site;
    await openTabOf(page, '#compare');
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
  });
}

for (const [width, search, rows] of /** @type {const} */ ([
  [390, '?layer=multihead_attention', [1, 1, 1]],
  [1024, '?layer=multihead_attention', [1, 1, 1]],
  [1280, '?layer=linear_scorer', [1, 2]],
  [1440, '?layer=additive_scorer', [2, 2]],
  [1440, '?layer=multihead_attention', [1, 2]],
  [1920, '?layer=multihead_attention', [3]],
  [1920, '?layer=additive_scorer', [2, 2]]
])) {
  test(`each chart is shown as large as it is drawn, ${rows} in the rows, ${width} wide, ${search}`, async () => {
    site = await openPage({ search, context: { viewport: { width, height: 900 }, reducedMotion: 'reduce' } });
    const { page } = site;
    await openTabOf(page, '#compare');
    await page.waitForSelector('.growth svg');
    const charts = await page.locator('attnscope-charts .plot').evaluateAll((plots) =>
      plots.map((plot) => {
        const svg = /** @type {SVGElement} */ (plot.querySelector('svg'));
        return {
          drawn: Number(svg.getAttribute('width')),
          shown: svg.getBoundingClientRect().width,
          height: svg.getBoundingClientRect().height,
          room: plot.getBoundingClientRect()
        };
      })
    );
    for (const { drawn, shown, height, room } of charts) {
      assert.equal(shown, drawn);
      assert.ok(room.width - shown < 1 && room.width >= shown, `${shown} of ${room.width}`);
      assert.ok(Math.abs(room.height - height) < 1, `${height} high, ${room.height} kept free`);
    }
    const tops = await page
      .locator('.growth figure')
      .evaluateAll((figures) => figures.map((figure) => figure.getBoundingClientRect().top));
    assert.deepEqual(
      [...new Set(tops)].map((top) => tops.filter((other) => other === top).length),
      rows
    );
  });
}

const ROBERTA = '?layer=additive_scorer&batch_size=64&seq_len=512&hidden_size=768&attn_dim=128';

/** A page with its charts drawn. @param {string} search @param {number} [width] */
async function drawnPage(search, width = 1280) {
  site = await openPage({ search, context: { viewport: { width, height: 900 }, reducedMotion: 'reduce' } });
  await openTabOf(site.page, '#compare');
  await site.page.waitForSelector('.growth svg');
  return site.page;
}

for (const width of [390, 1280]) {
  test(`a click anywhere on a row fills the form with that layer, and back undoes it, ${width} wide`, async () => {
    const page = await drawnPage(ROBERTA, width);
    const chart = page.locator('[data-chart="alternatives"] svg');
    const labels = chart.locator('[aria-label="y-axis tick label"] text');
    for (const [label, layer, dim] of [
      ['Multi-head', 'multihead_attention', null],
      ['Additive, 512', 'additive_scorer', '512']
    ]) {
      const text = labels.filter({ hasText: new RegExp(`^${label}$`) });
      await text.scrollIntoViewIfNeeded();
      const box = /** @type {{ x: number, y: number, height: number }} */ (await text.boundingBox());
      await page.mouse.click(box.x + (dim ? 3 : 240), box.y + box.height / 2);
      await page.waitForFunction(
        (name) => /** @type {any} */ (document.querySelector('#field-layer'))?.value === name,
        layer
      );
      if (dim) assert.equal(await page.inputValue('#field-attn_dim'), dim);
      assert.equal(await page.inputValue('#field-seq_len'), '512');
      await page.goBack();
      await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#field-attn_dim'))?.value === '128');
    }
    assert.equal(await figure(page, 'parameters'), '98,561');
  });
}

test('with the keyboard a name of the table does the same, and the focus goes with it', async () => {
  const page = await drawnPage(ROBERTA);
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.locator('attnscope-charts > details.twin summary').press('Enter');
  await page.getByRole('button', { name: 'Additive, 256', exact: true }).press('Enter');
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#field-attn_dim'))?.value === '256');
  await page.waitForFunction(() => document.activeElement?.closest('tr')?.className === 'fits');
  assert.equal(await focused(), 'Additive, 256');
  await page.locator('attnscope-charts').getByRole('button', { name: 'Multi-head', exact: true }).press('Enter');
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('#field-layer'))?.value === 'multihead_attention'
  );
  await page.waitForFunction(() => document.activeElement?.closest('tr')?.className === 'fits');
  assert.equal(await focused(), 'Multi-head');
  assert.match(await page.locator('.alternatives tr.fits').innerText(), /this layer.*same/s);
});

test('a size of the table of a curve goes into the form', async () => {
  const page = await drawnPage(ROBERTA);
  const curve = page.locator('[data-chart="seq_len"]');
  await curve.locator('summary').click();
  await curve.getByRole('button', { name: '1,024', exact: true }).click();
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#field-seq_len'))?.value === '1024');
  await page.waitForFunction(() => document.activeElement?.textContent === '1,024');
  assert.match(await curve.locator('tr.fits').innerText(), /^1,024.*same/s);
  assert.deepEqual((await curve.locator('thead th').allInnerTexts()).slice(1), [
    'This layer',
    'Ratio to now',
    'Linear',
    'Dot product',
    'Multi-head'
  ]);
});

test('each log axis says that it is one, each curve is named, and what does not grow is said', async () => {
  const page = await drawnPage(ROBERTA);
  const texts = (/** @type {string} */ chart, /** @type {string} */ label) =>
    page.locator(`[data-chart="${chart}"] svg [aria-label="${label}"] text`).allTextContents();
  assert.deepEqual(await texts('alternatives', 'x-axis label'), ['log scale']);
  assert.deepEqual(await texts('seq_len', 'x-axis label'), ['log scale']);
  assert.deepEqual(await texts('seq_len', 'y-axis label'), ['log scale']);
  assert.deepEqual((await texts('seq_len', 'curve label')).sort(), [
    'Dot product',
    'Linear',
    'Multi-head',
    'This layer'
  ]);
  assert.equal(await page.locator('[data-constant]').count(), 0);
  await page.locator('input[name=metric][value=parameters]').check();
  await page.waitForSelector('[data-constant]');
  assert.equal(
    await page.locator('[data-constant]').innerText(),
    'Parameters: 98,561 at every seq_len and batch_size.'
  );
  assert.deepEqual(
    await page.locator('.growth figure').evaluateAll((all) => all.map((one) => /** @type {any} */ (one).dataset.chart)),
    ['hidden_size', 'attn_dim']
  );
  assert.match(await page.locator('attnscope-charts').innerText(), /Parameters of Dot product: 0, for which/);
});

test('the charts name a published model where one is chosen, and another layer is called this layer again', async () => {
  const page = await drawnPage('?layer=linear_scorer&hidden_size=64');
  const labels = page.locator('[data-chart="seq_len"] svg [aria-label="curve label"] text');
  const rows = page.locator('[data-chart="alternatives"] svg [aria-label="y-axis tick label"] text');
  assert.ok((await labels.allTextContents()).includes('This layer'));
  const model = /** @type {any} */ (published.find(({ name }) => name === 'Llama-3-8B'));
  const config = Object.entries(fromHuggingFace(model.file).config).filter(([, value]) => value !== null);
  await page.goto(`${new URL(page.url()).origin}/?${new URLSearchParams(/** @type {any} */ (config))}`);
  await openTabOf(page, '#compare');
  await page.waitForSelector('.growth svg');
  assert.ok((await labels.allTextContents()).includes('Llama-3-8B'));
  assert.ok((await rows.allTextContents()).includes('Llama-3-8B'));
  assert.match(await page.innerText('[data-chart="alternatives"]'), /of Llama-3-8B and its alternatives/);
  assert.deepEqual(await badLabels(page), []);
});
