// After a training the layer is asked: a text of one's own, and held-out examples, wrong ones first.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { openPage } from './open-page.js';

/** @typedef {import('playwright-core').Page} Page */

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/**
 * Opens the page, trains up to its pause, and asks what stands in the box at first.
 * @param {string} search @param {Parameters<typeof openPage>[0]} [options]
 */
async function trained(search, options) {
  site = await openPage({ file: 'train/', search, live: false, ...options });
  const { page } = site;
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('attnscope-train'))?.hasUpdated);
  await page.waitForSelector('[data-action="play"][aria-disabled=false]');
  assert.match(await page.innerText('section[aria-labelledby="ask-title"]'), /Once a run has begun/);
  await play(page);
  assert.equal(await page.locator('attnscope-train-ask attnscope-heat-map').count(), 0, 'nobody has asked yet');
  await page.click('[data-action="ask"]');
  await page.waitForSelector('[data-answer] .train-answer');
  return page;
}

/** @param {Page} page */
async function play(page) {
  await page.click('[data-action="play"]');
  await page.waitForSelector('attnscope-train [role=status]:has-text("Paused.")', { state: 'attached' });
}

/** @param {Page} page @param {string} text */
async function ask(page, text) {
  await page.fill('#ask-text', text);
  await page.press('#ask-text', 'Enter');
}

/** @param {Page} page */
const mapShape = (page) =>
  page.evaluate(
    () => /** @type {any} */ (document.querySelector('attnscope-train-ask attnscope-heat-map')).drawn.tensor.shape
  );

/** @param {Page} page */
const mapWords = (page) =>
  page.evaluate(
    () => /** @type {any} */ (document.querySelector('attnscope-train-ask attnscope-heat-map')).drawn.words
  );

test('a decoder continues letters, with where it looks, and says anew after more training', async () => {
  const page = await trained('?task=recall&hidden_size=16&seq_len=12&batch_size=8&pause_every=20');
  await ask(page, 'abcab');
  await page.waitForSelector('[data-continued] td:text-is("A")');
  const tokens = await page.locator('[data-continued] tr').first().locator('td').allInnerTexts();
  assert.equal(tokens.length, 12);
  assert.deepEqual(tokens.slice(0, 5), ['A', 'B', 'C', 'A', 'B']);
  assert.equal(await page.locator('[data-continued] td.hit').count(), 7);
  assert.match(await page.innerText('.train-answer'), /^It continues with [A-Z]{7}\.$/);
  assert.match(await page.innerText('#ask-title'), /after step 20$/);
  assert.deepEqual((await mapShape(page)).slice(-2), [12, 12]);
  assert.deepEqual((await mapWords(page)).slice(0, 5), ['A', 'B', 'C', 'A', 'B']);
  await page.waitForSelector('attnscope-train-ask .explain:not(.stale)');
  assert.match(
    await page.locator('attnscope-train-ask .explain-place').innerText(),
    /^query \d+ \(\w\), key \d+ \(\w\) layer \d, head \d$/
  );
  await play(page);
  await page.waitForSelector('#ask-title:has-text("after step 40")');
  await ask(page, 'abc1');
  await page.waitForSelector('#error-ask:text-is("The layer knows the letters A to Z, and not “1”.")');
  assert.match(await page.innerText('.train-answer'), /^It continues with/, 'the last answer stays');
  await page.click('[data-action="reset"]');
  await page.waitForSelector('section[aria-labelledby="ask-title"]:has-text("Once a run has begun")');
});

test('a classifier of a table says plainly which words it does not know, and looks at those of the text', async () => {
  const page = await trained('?task=table&file=example-reviews.csv&hidden_size=16&pause_every=20');
  await ask(page, 'The soup was zesty');
  await page.waitForSelector('[data-unknown]');
  assert.equal(
    await page.innerText('[data-unknown]'),
    'The vocabulary of the training rows lacks “zesty”: the layer reads it as [unk].'
  );
  assert.match(await page.innerText('.train-answer'), /^It says (positive|negative), with a probability of \d+\s%\.$/);
  assert.equal(await page.locator('.train-classes tr').count(), 2);
  assert.deepEqual((await mapShape(page)).slice(-2), [4, 4]);
  assert.deepEqual(await mapWords(page), ['the', 'soup', 'was', 'zesty']);
  await ask(page, 'the soup '.repeat(40));
  await page.waitForSelector('[data-left]');
  assert.match(
    await page.innerText('[data-left]'),
    /^The last \d+ tokens are left out: the layer reads no more than seq_len\.$/
  );
  await ask(page, '   ');
  await page.waitForSelector('#error-ask:text-is("Type a text first: there is no word in it.")');
});

test('held-out examples are stepped through, wrong ones first, with prediction, truth, confidence and heat map', async () => {
  const page = await trained('?task=marker&hidden_size=16&batch_size=8&pause_every=60');
  await page.check('input[name=ask-mode][value=held]');
  await page.waitForSelector('[data-held]');
  const wrong = Number(await page.getAttribute('[data-wrong]', 'data-wrong'));
  assert.ok(wrong > 0 && wrong < 128, `${wrong} wrong`);
  assert.equal(await page.getAttribute('[data-action="before"]', 'aria-disabled'), 'true');
  /** @type {string[]} */
  const kinds = [];
  for (let at = 0; at <= wrong; at += 1) {
    await page.waitForSelector(`[data-place="${at}"]`);
    const [said, truth, confidence] = await page.locator('.train-verdict dd').allInnerTexts();
    const kind = String(await page.getAttribute('[data-held]', 'data-held'));
    assert.equal(said.replace(' (wrong)', '').trim() === truth, kind === 'right');
    assert.match(confidence, /^\d+\s%$/);
    kinds.push(kind);
    assert.equal((await mapWords(page)).join(' '), await page.innerText('.train-read'));
    await page.click('[data-action="after"]');
  }
  assert.deepEqual(kinds, [...Array(wrong).fill('wrong'), 'right']);
  await page.waitForSelector(`[data-place="${wrong + 1}"]`);
  await page.click('[data-action="before"]');
  await page.waitForSelector(`[data-place="${wrong}"]`);
});

test('a layer whose scores are not finite any more says so', async () => {
  site = await openPage({ file: 'train/', search: '?task=marker&optimizer=sgd&lr=1e6', live: false });
  const { page } = site;
  await page.waitForSelector('[data-action="play"][aria-disabled=false]');
  await page.click('[data-action="play"]');
  await page.waitForSelector('.train-control [role=alert]');
  await page.click('[data-action="ask"]');
  await page.waitForSelector('.train-answer:has-text("not finite any more")');
});

for (const [colorScheme, width, height] of /** @type {const} */ ([
  ['light', 390, 844],
  ['dark', 1280, 800]
])) {
  test(`by keyboard, axe finds nothing in what is asked and answered, ${colorScheme}, ${width} wide`, async () => {
    const page = await trained('?task=recall&hidden_size=16&seq_len=24&batch_size=8&pause_every=20', {
      context: { colorScheme, viewport: { width, height }, reducedMotion: 'reduce' }
    });
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.focus('input[name=ask-mode][value=own]');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('[data-held]');
    await page.focus('[data-action="after"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-place="1"]');
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.check('input[name=ask-mode][value=own]');
    await ask(page, '?');
    await page.waitForSelector('#error-ask');
    assert.deepEqual(await violations(page), []);
  });
}

test('Ask the layer opens on the head that the page shows above: layers and heads are counted from 0 in both', async () => {
  const page = await trained('?task=recall&hidden_size=16&seq_len=12&batch_size=8&pause_every=20');
  const shown = (/** @type {string} */ place) =>
    page.locator(`${place} attnscope-small-multiples`).evaluate((small) => ({
      legend: small.querySelector('legend')?.textContent,
      chosen: small.querySelector('input:checked')?.getAttribute('aria-label'),
      names: [...small.querySelectorAll('label span')].map((name) => name.textContent)
    }));
  const above = await shown('.train-map');
  assert.deepEqual(await shown('attnscope-train-ask'), above);
  assert.equal(above.chosen, 'layer 1, head 0');
  assert.match(String(above.legend), /counted from 0/);
  assert.match(await page.innerText('#about-task'), /a head of layer 1 \(layers and heads are counted from 0\)/);
});
