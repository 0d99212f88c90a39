// What a visitor meets before the module is there, and what becomes of it then.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { CHAPTERS } from '../../web/pages/moved.js';
import { CORES, LIVE, figure, holdBack, openPage } from './open-page.js';
import { dist } from './server.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

/** A page that waits for the module until it is let in. @param {string} address */
async function waiting(address) {
  site = await openPage({ live: false, context: { serviceWorkers: 'block', reducedMotion: 'reduce' } });
  const { page } = site;
  await page.goto('about:blank');
  const open = await holdBack(page, CORES);
  await page.goto(site.site.url + address);
  const letIn = async () => {
    open();
    if (!address.startsWith('guide/')) await page.waitForSelector(LIVE, { state: 'attached' });
  };
  return { page, letIn };
}

/** @param {import('playwright-core').Page} page */
const colourOfFigures = (page) =>
  page
    .locator('.figure-value')
    .first()
    .evaluate((value) => getComputedStyle(value).color);

test('until the module is there, the page of a link says that it shows the default layer, and greys it', async () => {
  const { page, letIn } = await waiting('?layer=additive_scorer&hidden_size=512');
  assert.equal(
    await page.locator('.linked-note').innerText(),
    'This is the default layer. The one that the link asks for comes when the module has loaded.'
  );
  assert.equal(await page.inputValue('#field-layer'), 'linear_scorer');
  const waitingColour = await colourOfFigures(page);
  await letIn();
  assert.equal(await page.locator('.linked-note').count(), 0);
  assert.equal(await figure(page, 'parameters'), '65,793');
  assert.notEqual(await colourOfFigures(page), waitingColour);
});

test('without a link there is nothing to say', async () => {
  const { page, letIn } = await waiting('');
  assert.equal(await page.locator('.linked-note').isVisible(), false);
  const waitingColour = await colourOfFigures(page);
  await letIn();
  assert.equal(await colourOfFigures(page), waitingColour);
});

test('what is changed in the form before the module is there stays: a layer, a size, a switch, a format', async () => {
  const { page, letIn } = await waiting('');
  await page.selectOption('#field-layer', 'additive_scorer');
  await page.fill('#field-hidden_size', '256');
  await page.uncheck('#field-bias');
  await page.check('input[name=dtype][value=bfloat16]');
  await letIn();
  assert.equal(await page.inputValue('#field-layer'), 'additive_scorer');
  assert.equal(await page.isChecked('#field-bias'), false);
  assert.equal(await page.isChecked('input[name=dtype][value=bfloat16]'), true);
  assert.equal(await figure(page, 'parameters'), (256 * 128 + 128).toLocaleString('en-US'));
  const { searchParams } = new URL(page.url());
  assert.deepEqual(
    ['layer', 'hidden_size', 'bias', 'dtype'].map((name) => searchParams.get(name)),
    ['additive_scorer', '256', 'false', 'bfloat16']
  );
});

test('what a link has too much is still named when something was typed meanwhile', async () => {
  const { page, letIn } = await waiting('?hiden_size=4');
  await page.fill('#field-seq_len', '64');
  await letIn();
  assert.match(await page.locator('.head .stale-note').innerText(), /"hiden_size"/);
  assert.equal(await page.inputValue('#field-seq_len'), '64');
});

/** As when a panel above is drawn, in a browser that keeps nothing in place. */
function growAbove() {
  document.documentElement.style.overflowAnchor = 'none';
  const panel = document.createElement('div');
  panel.style.height = '400px';
  document.body.prepend(panel);
}

for (const [id, folder] of Object.entries({
  compare: '',
  steps: '',
  run: 'run/',
  models: 'models/',
  'kv-cache': 'models/'
})) {
  test(`an old link to #${id} of another layer leads there, and the next Tab goes on from there`, async () => {
    const { page, letIn } = await waiting(`?layer=decoder#${id}`);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000); // the place is kept for some seconds: they do not pass
    await letIn();
    const { pathname, search } = new URL(page.url());
    assert.deepEqual([pathname, search.startsWith('?layer=decoder')], [`/${folder}`, true]);
    assert.equal(await page.inputValue('#field-layer'), 'decoder');
    const top = () => page.locator(`#${id}`).evaluate((element) => element.getBoundingClientRect().top);
    const arrived = () =>
      page.waitForFunction((id) => {
        const { top } = /** @type {Element} */ (document.getElementById(id)).getBoundingClientRect();
        return top > 0 && top < 200;
      }, id);
    await arrived();
    await page.clock.runFor(1000);
    await page.evaluate(growAbove);
    await arrived();
    assert.ok((await top()) > 0 && (await top()) < 200, String(await top()));
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate((id) => document.getElementById(id)?.contains(document.activeElement), id), true);
  });
}

test('whoever types while the module comes types on', async () => {
  const { page, letIn } = await waiting('');
  await page.focus('#field-hidden_size');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('10');
  await letIn();
  await page.keyboard.type('24');
  assert.equal(await page.inputValue('#field-hidden_size'), '1024');
  assert.equal(await figure(page, 'parameters'), '1,025');
});

test('a visitor who has moved meanwhile stays where he is', async () => {
  const { page, letIn } = await waiting('?layer=decoder#steps');
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await page.focus('#field-layer');
  await page.keyboard.press('Tab');
  const focused = () => page.evaluate(() => document.activeElement?.id);
  const before = await focused();
  await letIn();
  await page.clock.runFor(1000); // frames among it: what the page does once it is live is done
  assert.equal(await focused(), before);
  assert.equal(
    await page.locator(`#${before}`).evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }),
    true
  );
});

test('an old link to a chapter of the guide leads there', async () => {
  const { page } = await waiting('#precision');
  await page.waitForURL(/\/guide\/#precision$/);
});

test('each chapter of the guide has its old links', async () => {
  const guide = await readFile(join(dist, 'guide/index.html'), 'utf8');
  const chapters = [...guide.matchAll(/<section id="([^"]+)"><h2>/g)].map(([, id]) => id);
  assert.ok(chapters.length > 15);
  assert.deepEqual(CHAPTERS, chapters);
});

for (const [old, now] of [
  ['train.html?task=recall&seed=3#train', 'train/?task=recall'],
  ['speed.html?runs=1', 'speed/?runs=1'],
  ['?layer=decoder#formats', 'run/?layer=decoder']
]) {
  test(`${old} leads to ${now}`, async () => {
    const { page } = await waiting(old);
    await page.waitForURL((url) => url.href.includes(`/${now}`));
  });
}
