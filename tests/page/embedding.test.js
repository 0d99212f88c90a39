// <attnscope-calculator> in compact forms: some of its panels, several on a page, in the page's own style.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { project } from '../../tools/folders.js';
import { PANELS } from '../../web/elements/calculator/panels.js';
import { openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

/** @param {string} body @param {Partial<Parameters<typeof openPage>[0]>} [options] */
async function openHost(body, options) {
  const page = `<!doctype html><html lang="en"><title>A post</title><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width"><h1>A post</h1>${body}<script type="module" src="element/index.js"></script></html>`;
  site = await openPage({ page, file: 'host.html', folder: project, isolated: false, live: false, ...options });
  await site.page.waitForSelector('.calculator');
  return site.page;
}

/** @param {import('playwright-core').Page} page @param {string} selector */
const box = async (page, selector) => /** @type {any} */ (await page.locator(selector).first().boundingBox());

test('one card of 320 × 200 has the four figures, whole', async () => {
  const huge = 'batch_size="2147483647" seq_len="2147483647" hidden_size="2147483647"';
  for (const layer of [
    'linear_scorer"',
    'scaled_dot_product_attention" batch_size="1024" seq_len="131072"',
    'decoder" batch_size="65536" seq_len="131072"',
    `additive_scorer" ${huge} attn_dim="2147483647"`,
    'decoder"'
  ]) {
    const page = await openHost(
      `<div id="card" style="width: 320px"><attnscope-calculator panels="answer" layer="${layer}></attnscope-calculator></div>`
    );
    const { width, height } = await box(page, '#card');
    assert.equal(width, 320);
    assert.ok(height <= 200, `${layer} takes ${height}`);
    assert.equal(await page.locator('.stale-note').count(), 0, layer);
    const shown = page.locator('.figure-value:visible');
    assert.equal(await shown.count(), 4);
    const cut = await shown.evaluateAll(
      (values) => values.filter((value) => value.scrollWidth > value.clientWidth).length
    );
    assert.equal(cut, 0);
    assert.equal(await page.locator('form').count(), 0);
    if (layer !== 'decoder"') await site.close();
  }
});

test('there are the panels that are asked for, and no code of others is loaded', async () => {
  const page = await openHost('<attnscope-calculator panels="steps answer"></attnscope-calculator>');
  assert.equal(await page.locator('#steps').count(), 1);
  assert.equal(await page.locator('.answer').count(), 1);
  for (const gone of ['form', '#run', '#compare', '#pytorch', '#models', '#formats', '#import', '.chips'])
    assert.equal(await page.locator(gone).count(), 0, gone);
});

test('a word that names no panel is told, and the others are shown', async () => {
  const page = await openHost('<attnscope-calculator panels="anwser steps"></attnscope-calculator>');
  assert.deepEqual(await page.locator('.host-message').allInnerTexts(), [
    'there is no panel "anwser", did you mean answer?'
  ]);
  assert.equal(await page.locator('#steps').count(), 1);
});

test('where no word names a panel, that is told above everything else', async () => {
  const page = await openHost('<attnscope-calculator panels="bogus"></attnscope-calculator>');
  assert.match(
    await page.locator('.host-message').innerText(),
    /^there is no panel "bogus"; the panels are presets, form, answer, /
  );
  const [message, calculator] = [await box(page, '.host-message'), await box(page, '.calculator')];
  assert.ok(message.y + message.height <= calculator.y);
});

test('a card, which has no form, says itself what is wrong with a field', async () => {
  const page = await openHost('<attnscope-calculator panels="answer" hidden_size="0"></attnscope-calculator>');
  assert.match(
    await page.locator('.stale-note').innerText(),
    /^hidden_size must be an integer from 1 to 2147483647, got 0\. These figures are for the last valid values: /
  );
});

test('every panel can stand by itself', async () => {
  const page = await openHost('<attnscope-calculator></attnscope-calculator>');
  for (const panel of PANELS) {
    await page.locator('attnscope-calculator').evaluate((element, name) => element.setAttribute('panels', name), panel);
    await page.waitForFunction(() => {
      const element = /** @type {any} */ (document.querySelector('attnscope-calculator'));
      return !element.isUpdatePending && !element.shadowRoot.querySelector(':not(:defined)');
    });
    const { height } = await box(page, 'attnscope-calculator');
    assert.ok(height > 20, `${panel} takes ${height}`);
    assert.equal(await page.locator('.host-message').count(), 0);
  }
  assert.deepEqual(site.problems.errors, []);
});

test('tabs show one part at a time', async () => {
  const page = await openHost(
    '<attnscope-calculator tabs panels="answer memory steps timeline"></attnscope-calculator>'
  );
  assert.deepEqual(await page.locator('[role=tab]').allInnerTexts(), ['Cost', 'Tensors']);
  assert.ok(await page.locator('#steps').isVisible());
  await page.click('[data-tab=tensors]');
  assert.ok(await page.locator('#timeline').isVisible());
  assert.equal(await page.locator('#steps').isVisible(), false);
  assert.equal(new URL(page.url()).hash, '');
});

test('two elements on a page are of their own', async () => {
  const page = await openHost(
    '<attnscope-calculator id="a" panels="form answer" hidden_size="64"></attnscope-calculator><attnscope-calculator id="b" panels="answer" hidden_size="128"></attnscope-calculator>'
  );
  const figures = () => page.locator('[data-figure=parameters] .figure-value').allInnerTexts();
  await page.waitForFunction(() => document.querySelectorAll('attnscope-calculator').length === 2);
  await page.locator('#b .figure-value').first().waitFor();
  assert.deepEqual(await figures(), ['65', '129']);
  await page.locator('#a input[name=hidden_size]').fill('256');
  assert.deepEqual(await figures(), ['257', '129']);
});

test('a theme, custom properties and parts make it look like the page', async () => {
  const page = await openHost(
    `<style>attnscope-calculator { --panel: rgb(1, 2, 3); } attnscope-calculator::part(figure) { border-left: 7px solid rgb(4, 5, 6); }</style>
    <attnscope-calculator theme="dark" panels="answer"></attnscope-calculator>`,
    { context: { colorScheme: 'light' } }
  );
  const style = await page
    .locator('.figure')
    .first()
    .evaluate((element) => {
      const { backgroundColor, borderLeftWidth, color } = getComputedStyle(element);
      return { backgroundColor, borderLeftWidth, color };
    });
  assert.deepEqual(style, { backgroundColor: 'rgb(1, 2, 3)', borderLeftWidth: '7px', color: 'rgb(233, 238, 240)' });
  const padding = () =>
    page.locator('attnscope-calculator').evaluate((element) => getComputedStyle(element).paddingLeft);
  assert.equal(await padding(), '14px', 'a dark element in a light page has an inner margin');
  await page.locator('attnscope-calculator').evaluate((element) => element.removeAttribute('theme'));
  assert.equal(await padding(), '0px');
});

test('an unknown theme is told', async () => {
  const page = await openHost('<attnscope-calculator theme="drak" panels="answer"></attnscope-calculator>');
  assert.deepEqual(await page.locator('.host-message').allInnerTexts(), [
    'theme must be one of auto, light, dark, got "drak"'
  ]);
});
