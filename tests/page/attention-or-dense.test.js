// The lab "Attention or dense": its first screen, where three layers learn and a nudge shows what moves.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { LIVE, openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const FILE = 'labs/attention-or-dense/';
/** Steps that each of the three makes. */
const TRAINED = '.minute-progress[data-step="1000"]';

/** @param {Partial<Parameters<typeof openPage>[0]>} [options] */
async function opened(options = {}) {
  site = await openPage({ file: FILE, live: false, ...options });
  return site.page;
}

/** Once the three have learned here. @param {Partial<Parameters<typeof openPage>[0]>} [options] */
async function trained(options) {
  const page = await opened(options);
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-minute'))?.learned.length === 3
  );
  await page.waitForSelector(TRAINED);
  return page;
}

/** @param {import('playwright-core').Page} page @param {string} variant @param {string} part */
const said = (page, variant, part) => page.innerText(`.minute-side[data-variant=${variant}] ${part}`);

const scoreOf = async (/** @type {import('playwright-core').Page} */ page, /** @type {string} */ variant) =>
  Number.parseFloat(await said(page, variant, '[data-figure=score]'));

test('without JavaScript the three layers stand there trained, with their scores and what they look at', async () => {
  const page = await opened({ context: { javaScriptEnabled: false } });
  assert.ok((await scoreOf(page, 'linear')) >= 91);
  assert.ok((await scoreOf(page, 'dense_linear')) <= 58);
  assert.ok((await scoreOf(page, 'flat')) <= 55);
  assert.match(await said(page, 'flat', '[data-figure=score]'), /guessing: (4[5-9]|5[0-5])\.\d.%/);
  assert.match(await said(page, 'flat', '[data-figure=answer]'), /^(yes|no)\s+logit [+−]/);
  assert.equal(await page.locator('.minute-side .share').count(), 90);
  assert.match(await said(page, 'linear', '.minute-sentence'), /of the weight is on day \d+, the peak/);
});

test('the first screen is whole without scrolling at 1440 × 900', async () => {
  const page = await trained({ context: { viewport: { width: 1440, height: 900 } } });
  await page.click('[data-try="2"]');
  const bottom = await page.locator('.minute').evaluate((panel) => panel.getBoundingClientRect().bottom);
  assert.ok(bottom <= 900, `it ends at ${bottom}`);
});

test('it trains by itself, and the scores of before and after stand apart', async () => {
  const page = await trained();
  assert.ok((await scoreOf(page, 'linear')) >= 91);
  await page.locator('input[name=minute-trained][value=false]').check({ force: true });
  await page.waitForSelector('.minute[data-trained=false]');
  assert.ok((await scoreOf(page, 'linear')) < 60);
  assert.match(await said(page, 'linear', '.minute-sentence'), /day \d+/);
});

test('a nudge of a volume moves the weights, a nudge of a price the answer, and the example can be put back', async () => {
  const page = await trained();
  const before = await page.locator('.minute-sentence').allInnerTexts();
  await page.click('[data-try="2"]');
  await page.waitForFunction((text) => document.querySelector('.minute-sentence')?.textContent !== text, before[0]);
  assert.match(await said(page, 'linear', '.minute-sentence'), /goes from .* all weights share 100/);
  assert.match(await said(page, 'dense_linear', '.minute-sentence'), /on any other day would do the same/);
  assert.match(await said(page, 'flat', '.minute-sentence'), /as in every other example/);
  assert.equal(await page.getAttribute('[data-try="2"]', 'aria-pressed'), 'true');
  assert.equal(await page.locator('.minute-side[data-variant=linear] .before').count(), 30);
  await page.click('[data-action=restore]');
  await page.waitForFunction((text) => document.querySelector('.minute-sentence')?.textContent === text, before[0]);
  assert.deepEqual(await page.locator('.minute-sentence').allInnerTexts(), before);
});

test('a day is chosen by click and by arrow keys, and nudged by buttons and sliders', async () => {
  const page = await trained();
  const chart = page.locator('.minute-side[data-variant=flat] svg');
  const { width } = await chart.evaluate((svg) => svg.getBoundingClientRect());
  await chart.click({ position: { x: (width * 7.5) / 30, y: 20 } });
  assert.equal(await page.innerText('.minute-which'), 'Day 8');
  await page.locator('.minute-day').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.innerText('.minute-which'), 'Day 9');
  const price = page.locator('[data-nudge=price] output');
  const value = async () => Number((await price.innerText()).replace('−', '-'));
  const first = await value();
  await page.click('[data-nudge=price] button:last-of-type');
  assert.ok(Math.abs((await value()) - first - 1) < 0.02);
  await page.locator('#minute-price').focus();
  await page.keyboard.press('ArrowLeft');
  assert.ok(Math.abs((await value()) - first - 0.95) < 0.06);
  assert.match(await said(page, 'dense_linear', '.minute-sentence'), /^The logit moves by/);
});

test('the next example is another one, as it was drawn', async () => {
  const page = await trained();
  const before = await page.innerText('.minute-truth');
  await page.click('[data-action=next]');
  assert.notEqual(await page.innerText('.minute-truth'), before);
  assert.match(await page.innerText('.minute-truth'), /^Example 2 of 64/);
  assert.equal(await page.getAttribute('[data-action=restore]', 'aria-disabled'), 'true');
});

test('axe finds nothing at the lab, and nothing is wider than a phone', async () => {
  for (const [colorScheme, width] of /** @type {const} */ ([
    ['dark', 390],
    ['light', 1440]
  ])) {
    const page = await trained({ context: { colorScheme, viewport: { width, height: 844 }, reducedMotion: 'reduce' } });
    await page.click('[data-try="2"]');
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    if (width === 390) await site.close();
  }
});

test('the calculator’s examples lead to the lab, and the lab back to the layer', async () => {
  site = await openPage({ search: '?layer=timestep_attention&seq_len=30' });
  const { page } = site;
  await page.click('.chip-group a.chip');
  await page.waitForURL((url) => url.pathname === `/${FILE}`);
  await page.click('.brand');
  await page.waitForURL((url) => url.pathname === '/' && url.searchParams.get('seq_len') === '30');
  await page.waitForSelector(LIVE, { state: 'attached' });
});

for (const [width, height] of [
  [320, 640],
  [320, 844],
  [390, 844]
])
  test(`on a phone of ${width} × ${height} pixels a nudge and its effect on every layer are in one view`, async () => {
    const page = await trained({ context: { viewport: { width, height }, hasTouch: true, isMobile: true } });
    const answers = page.locator('.minute-answers');
    assert.doesNotMatch(await answers.innerText(), /before/);
    await page.click('[data-try="0"]');
    await page.waitForSelector('.minute-answers:has-text("before")');
    const edge = (/** @type {string} */ part) => page.locator(part).evaluate((box) => box.getBoundingClientRect());
    const [top, bottom] = [(await edge('.minute-tries')).top, (await edge('.minute-answers')).bottom];
    const bars = (await edge('.doors')).height + 50; // the site's name above, its doors below
    assert.ok(bottom - top < height - bars, `${bottom - top} pixels`);
    const shown = await answers.locator('dt + dd').allInnerTexts();
    for (const [at, variant] of ['linear', 'dense_linear', 'flat'].entries()) {
      const [says, logit] = (await said(page, variant, '[data-figure=answer]')).split(/\s+logit |, /);
      assert.equal(shown[at], `${says} ${logit}`);
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  });
