// In the reader's own colours, which the browser forces upon the page: what is drawn, and what is chosen.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { VISIBLE, ground, openForced, visible } from './forced.js';
import { openTabOf } from './open-page.js';
import { contrast, differing, pixelsOf } from './screen.js';

/** @type {Awaited<ReturnType<typeof openForced>>['site']} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/** @param {'light' | 'dark'} scheme @param {string} [file] */
async function opened(scheme, file) {
  const { site: own, ...rest } = await openForced(scheme, undefined, file);
  site = own;
  return rest;
}

/** @param {import('playwright-core').Page} page @param {string} selector */
async function backgroundOf(page, selector) {
  const { at, height } = await pixelsOf(page.locator(selector).first());
  return at(4, Math.floor(height / 2));
}

/** @param {import('playwright-core').Page} page @param {string[]} groups */
async function assertChosen(page, groups) {
  for (const group of groups) {
    const [chosen, other] = [
      await backgroundOf(page, `${group}:checked + span`),
      await backgroundOf(page, `${group}:not(:checked) + span`)
    ];
    assert.ok(contrast(chosen, other) >= VISIBLE, `${group}: ${chosen}, ${other}`);
  }
}

const SCHEMES = /** @type {const} */ (['light', 'dark']);

for (const scheme of SCHEMES) {
  test(`swatches, bars, tracks and curves are seen on the ground, ${scheme}`, async () => {
    const { page, ground } = await opened(scheme);
    const slider = await pixelsOf(page.locator('.slider').first());
    assert.ok(visible(slider.row(Math.floor(slider.height / 2)), ground) > 0.8, 'the track of a slider');
    const kept = page.locator('.memory .bar-row', { hasText: 'kept from forward to backward' });
    const colours = [];
    for (const swatch of await kept.locator('.swatch').all()) {
      const { at, row, width, height } = await pixelsOf(swatch);
      assert.ok(visible(row(0).slice(2, -2), ground) > 0.9, 'the edge of a swatch');
      colours.push(String(at(Math.floor(width / 2), Math.floor(height / 2))));
    }
    assert.equal(colours.length, 4);
    assert.equal(new Set(colours).size, 4, 'the swatches of a legend differ');
    const bar = await pixelsOf(kept.locator('.bar'));
    const drawn = new Set(bar.row(Math.floor(bar.height / 2)).map(String));
    for (const colour of colours) assert.ok(drawn.has(colour), `the bar has the swatch's ${colour}`);
    await openTabOf(page, '#timeline');
    for (const selector of ['.timeline .life', '.timeline .peak .column']) {
      const { at, width, height } = await pixelsOf(page.locator(selector).first());
      assert.ok(contrast(at(Math.floor(width / 2), height - 2), ground) >= VISIBLE, selector);
    }
    await openTabOf(page, '#compare');
    const chart = page.locator('[data-chart="seq_len"] .plot');
    await chart.scrollIntoViewIfNeeded();
    const { column, width } = await pixelsOf(chart);
    assert.ok(visible(column(Math.floor(width * 0.8)), ground) > 0, 'a curve');
  });

  test(`the heat map, its scale and its masked cells keep their colours, ${scheme}`, async () => {
    const { page } = await opened(scheme, 'run/');
    const { row, width, height } = await pixelsOf(page.locator('.ramp-bar'));
    const scale = row(Math.floor(height / 2));
    assert.ok(contrast(scale[3], scale[width - 4]) > 7, 'the ends of the scale');
    await page.locator('canvas.heat').focus();
    await page.keyboard.press('Space');
    await page.waitForFunction(
      () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[0] === 0
    );
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const map = await pixelsOf(page.locator('canvas.heat'));
    const cell = map.at(Math.floor(map.width / 20), Math.floor(map.height / 20));
    assert.equal(Math.max(...cell) - Math.min(...cell) < 20, true, `a masked cell is grey, not ${cell}`);
  });

  test(`what is chosen in a run differs from what is not, ${scheme}`, async () => {
    const { page } = await opened(scheme, 'run/');
    await assertChosen(page, ['input[name=drawn]']);
    const edge = async (/** @type {string} */ state) =>
      (await pixelsOf(page.locator(`.multiples input${state} ~ canvas`).first(), 6)).row(2).slice(8, -8);
    const ring = visible(await edge(':checked'), await ground(page));
    assert.ok(
      ring > 0.9 && visible(await edge(':not(:checked)'), await ground(page)) < 0.1,
      'the chosen picture has a ring'
    );
  });

  test(`what is chosen differs from what is not, ${scheme}`, async () => {
    const { page } = await opened(scheme);
    await assertChosen(page, ['input[name=dtype]', 'input[name=theme]']);
    await openTabOf(page, '#compare');
    await assertChosen(page, ['input[name=metric]']);
    await page.locator('attnscope-charts details.twin summary').last().click();
    const rowEdge = async (/** @type {string} */ selector) =>
      visible((await pixelsOf(page.locator(selector).first())).column(0), await ground(page));
    assert.ok(
      (await rowEdge('attnscope-charts details[open] tr.fits')) > 0.9 &&
        (await rowEdge('attnscope-charts details[open] tbody tr:not(.fits)')) < 0.5,
      'a row of a table'
    );
    const on = await pixelsOf(page.locator('.switch').first());
    await page.locator('.switch').first().click();
    const off = await pixelsOf(page.locator('.switch').first());
    assert.ok(differing(on, off) > on.all.length * 0.2, 'a switch on and off');
    await page.getByRole('button', { name: 'Eight heads' }).click();
    const [pressed, free] = [
      await backgroundOf(page, '.chip[aria-pressed=true]'),
      await backgroundOf(page, '.chip[aria-pressed=false]')
    ];
    assert.ok(contrast(pressed, free) >= VISIBLE, `chips: ${pressed}, ${free}`);
  });
}
