// Pages under fingers: what is to be touched is large enough, bars leave room, tables show that they go on.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { isLive, openPage } from './open-page.js';
import { pages } from './server.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/** @param {string} file @param {number} width @param {number} height @param {string} [search] */
async function touched(file, width, height, search = '') {
  const context = { viewport: { width, height }, hasTouch: true, isMobile: true };
  site = await openPage({ file, search, live: false, context });
  await site.page.waitForFunction(isLive);
  return site.page;
}

/**
 * Controls of less than 44 pixels, with the label around each: those of the page but for links in sentences, and the
 * link that is seen with a keyboard alone.
 */
function small() {
  const inSentence = (/** @type {Element} */ element) =>
    getComputedStyle(element).display === 'inline' &&
    [...(element.parentElement?.childNodes ?? [])].some((node) => node !== element && node.textContent?.trim());
  return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].flatMap((element) => {
    const box = element.getBoundingClientRect();
    const isThere = element.checkVisibility({ visibilityProperty: true }) && box.width > 2 && box.bottom > 0;
    if (!isThere || element.matches('.skip, .hidden') || inSentence(element)) return [];
    const label = element.closest('label')?.getBoundingClientRect() ?? box;
    const [width, height] = [Math.max(box.width, label.width), Math.max(box.height, label.height)];
    const name = `${element.localName}.${element.className} ${element.textContent?.trim().slice(0, 20)}`;
    return width < 43.5 || height < 43.5 ? [`${name}: ${width.toFixed()} × ${height.toFixed()}`] : [];
  });
}

/** Choices of a row whose text is wider than they are, and what fades downwards by less than a line that goes on. */
const spoilt = () => [
  ...[...document.querySelectorAll('.segments label')]
    .filter((label) => label.scrollWidth > label.clientWidth + 1 && label.checkVisibility())
    .map((label) => `cut: ${label.textContent?.trim()}`),
  ...[...document.querySelectorAll('.code, .scroller, .numbers-scroll, .tabs')]
    .filter((element) => element.scrollHeight - element.clientHeight < 12)
    .filter((element) => getComputedStyle(element).getPropertyValue('--fade-down') === '36px')
    .map((element) => `faded: ${element.className} ${element.scrollHeight - element.clientHeight}`)
];

for (const file of pages)
  test(`/${file}: nothing is cut or faded that does not go on, at 320 pixels under a finger and at 1,440 under a mouse`, async () => {
    const page = await touched(file, 320, 700);
    assert.deepEqual(await page.evaluate(spoilt), []);
    await site.close();
    site = await openPage({ file, live: false, context: { viewport: { width: 1440, height: 900 } } });
    await site.page.waitForFunction(isLive);
    assert.deepEqual(await site.page.evaluate(spoilt), []);
  });

for (const file of pages)
  test(`/${file}: every control is 44 pixels high and wide under a finger, and none leads out of the page`, async () => {
    const page = await touched(file, 390, 844);
    assert.deepEqual(await page.evaluate(small), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  });

for (const [width, height] of [
  [844, 390],
  [320, 256]
])
  for (const file of ['', 'train/', 'labs/attention-or-dense/', 'guide/', 'models/'])
    test(`/${file}: bars that stay take at most a fifth of ${width} × ${height}`, async () => {
      const page = await touched(file, width, height);
      await page.evaluate(() => scrollTo({ top: 600, behavior: 'instant' }));
      const taken = await page.evaluate(() =>
        [...document.querySelectorAll('body *')]
          .filter((element) => ['fixed', 'sticky'].includes(getComputedStyle(element).position))
          .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('table'))
          .map((element) => element.getBoundingClientRect())
          .reduce((sum, { top, bottom }) => sum + Math.max(0, Math.min(innerHeight, bottom) - Math.max(0, top)), 0)
      );
      assert.ok(taken > 0 && taken <= height / 5, `${taken} of ${height}`);
    });

test('a table that scrolls sideways fades on each side where it goes on', async () => {
  const page = await touched('', 390, 844);
  const table = page.locator('.scroller:has(.steps)');
  const fades = (/** @type {string} */ start, /** @type {string} */ end) =>
    page.waitForFunction(
      ([back, aside]) => {
        const style = getComputedStyle(/** @type {Element} */ (document.querySelector('.scroller:has(.steps)')));
        return style.getPropertyValue('--fade-back') === back && style.getPropertyValue('--fade-aside') === aside;
      },
      [start, end]
    );
  assert.ok(await table.evaluate((element) => element.scrollWidth > element.clientWidth));
  await fades('0px', '36px');
  await table.evaluate((element) => element.scrollTo({ left: element.scrollWidth / 4, behavior: 'instant' }));
  await fades('36px', '36px');
  await table.evaluate((element) => element.scrollTo({ left: 9999, behavior: 'instant' }));
  await fades('36px', '0px');
  await table.evaluate((element) => element.scrollTo({ left: 0, behavior: 'instant' }));
  await fades('0px', '36px');
  await page.setViewportSize({ width: 1280, height: 844 });
  await fades('0px', '0px');
});

test('no cell is explained before a touch, and at 320 pixels its products are whole', async () => {
  const search = '?layer=multihead_attention&batch_size=2&seq_len=6&hidden_size=32&num_heads=2';
  const page = await touched('run/', 320, 700, search);
  await page.locator('#run').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-run="fresh"] canvas.heat');
  assert.equal(await page.locator('attnscope-explanation').count(), 0);
  await page.getByText('Touch a cell for the numbers that make it').waitFor();
  const map = page.locator('canvas.heat');
  await map.scrollIntoViewIfNeeded();
  const box = await map.boundingBox();
  assert.ok(box);
  await page.touchscreen.tap(box.x + box.width / 4, box.y + box.height / 4);
  await page.waitForSelector('.explain .explain-table');
  const cut = await page
    .locator('.explain .scroller')
    .evaluateAll((all) => all.map((element) => element.scrollWidth - element.clientWidth));
  assert.deepEqual(
    cut,
    cut.map(() => 0)
  );
});

test('the slider over the moments of a training is wide at 320 pixels', async () => {
  const page = await touched('train/', 320, 700, '?task=recall');
  const width = await page.locator('#moment').evaluate((slider) => slider.getBoundingClientRect().width);
  assert.ok(width > 120, `${width}`);
});

test('on a phone the guide is a list of chapters to open, and a link to one opens it', async () => {
  const page = await touched('guide/', 390, 844);
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  assert.ok((await height()) < 3000, `${await height()}`);
  const open = () => page.locator('details.chapter[open]').count();
  assert.equal(await open(), 0);
  await page.getByRole('heading', { name: 'Parameters and cost' }).click();
  assert.equal(await open(), 1);
  await page.goto(`${site.site.url}guide/#precision`);
  await page.waitForFunction(() => {
    const { top } = /** @type {Element} */ (document.querySelector('#precision')).getBoundingClientRect();
    return top >= 0 && top < 120 && document.querySelector('#precision details.chapter[open]');
  });
  await page.goto('about:blank');
  await page.goto(`${site.site.url}guide/api/`);
  await page.waitForFunction(() => document.querySelectorAll('details.chapter:not([open])').length > 3);
  await page.setViewportSize({ width: 1280, height: 844 });
  await page.waitForFunction(() => document.querySelectorAll('details.chapter:not([open])').length === 0);
});

for (const file of ['', 'models/', 'run/'])
  test(`/${file}: on a phone on its side the form is a sheet below the figures, and Done is in reach`, async () => {
    const page = await touched(file, 844, 390);
    await page.tap('.sheet-button');
    await page.waitForSelector('.rail.open');
    await page.waitForTimeout(300);
    const [strip, sheet] = await page.evaluate(() =>
      ['.strip-line', '.rail'].map((name) => {
        const { top, bottom } = /** @type {Element} */ (document.querySelector(name)).getBoundingClientRect();
        return { top, bottom };
      })
    );
    assert.ok(strip.top >= 0 && strip.bottom <= sheet.top + 1, JSON.stringify([strip, sheet]));
    await page.tap('.sheet-button'); // refused by Playwright where something covers it
    await page.waitForSelector('.rail:not(.open)', { state: 'attached' });
  });

for (const [file, width, height] of /** @type {const} */ ([
  ['', 390, 844],
  ['run/', 320, 256],
  ['labs/attention-or-dense/', 320, 256],
  ['labs/masks/', 390, 500],
  ['guide/', 390, 844]
]))
  test(`/${file}: what Tab leads to is not below the doors, at ${width} × ${height}`, async () => {
    const context = { viewport: { width, height }, reducedMotion: /** @type {const} */ ('reduce') };
    site = await openPage({ file, live: false, context });
    const { page } = site;
    await page.waitForFunction(isLive);
    const hidden = [];
    for (let press = 0; press < 40; press += 1) {
      await page.keyboard.press('Tab');
      hidden.push(
        ...(await page.evaluate(() => {
          const element = document.activeElement;
          const doors = /** @type {Element} */ (document.querySelector('.doors')).getBoundingClientRect();
          if (!element || element === document.body || element.closest('.doors, .top')) return [];
          const { top, bottom } = element.getBoundingClientRect();
          const isBelow = bottom > doors.top + 1 && (top > 0 || top >= doors.top);
          return isBelow && bottom - top < doors.top - 120
            ? [`${element.localName} ${element.textContent?.trim()}`]
            : [];
        }))
      );
    }
    assert.deepEqual(hidden, []);
  });

test('texts of buttons are in their middle, and a switch that is on is as large as one that is off', async () => {
  const page = await touched('', 390, 844, '?layer=self_attention');
  const off = await page.evaluate(() =>
    [...document.querySelectorAll('.button')]
      .filter((button) => button.checkVisibility())
      .flatMap((button) => {
        const range = document.createRange();
        range.selectNodeContents(button.querySelector('span:first-child') ?? button);
        const [text, box] = [range.getBoundingClientRect(), button.getBoundingClientRect()];
        const distance = Math.abs(text.top + text.height / 2 - box.top - box.height / 2);
        return text.height && distance > 2 ? [`${button.textContent?.trim()}: ${distance}`] : [];
      })
  );
  assert.deepEqual(off, []);
  await page.tap('.sheet-button');
  const clips = await page
    .locator('.form .switch')
    .evaluateAll((all) => [...new Set(all.map((element) => getComputedStyle(element).backgroundClip))]);
  assert.deepEqual(clips, ['padding-box']);
  assert.ok(await page.locator('.form .switch:checked').count());
});
