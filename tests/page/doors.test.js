// Links of the site take along what was chosen, also where nothing on the page is live yet.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { CORES, LIVE, MODULES, figure, holdBack, openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
/** Lets in what still waits. */
let letIn = () => {};
afterEach(() => {
  letIn();
  return site.close();
});

/** A page whose files wait until they are let in. @param {string} address @param {RegExp} files */
async function waiting(address, files) {
  // A server and a context of its own, which end with all that still waits in them.
  site = await openPage({ file: 'guide/', live: false, isolated: true, context: { serviceWorkers: 'block' } });
  const { page } = site;
  letIn = await holdBack(page, files);
  await page.goto(site.site.url + address, { waitUntil: 'commit' });
  return { page, letIn };
}

for (const files of [MODULES, CORES])
  test(`a door that is clicked at once after a choice waits for it: without ${files}`, async () => {
    const { page, letIn } = await waiting('run/?layer=linear_scorer', files);
    await page.getByRole('button', { name: 'INT8', exact: true }).click();
    await page.click('.doors >> text=Calculator', { noWaitAfter: true });
    letIn();
    await page.waitForURL(/\/\?layer=linear_scorer.*dtype=int8/);
    await page.waitForSelector('.memory .bar-none');
  });

test('what is typed before the page is live goes along as well', async () => {
  const { page, letIn } = await waiting('?layer=linear_scorer', CORES);
  await page.fill('#field-hidden_size', '1024');
  await page.click('.doors >> text=Run', { noWaitAfter: true });
  letIn();
  await page.waitForURL(/\/run\/\?layer=linear_scorer.*hidden_size=1024/);
});

test('where nothing was chosen a door waits for nothing, and takes the layer along without any module', async () => {
  const { page } = await waiting('?layer=decoder', MODULES);
  await page.click('.doors >> text=Guide', { noWaitAfter: true });
  await page.waitForURL(/\/guide\/\?layer=decoder$/, { waitUntil: 'commit' });
});

test('clicks on the static page are done in their order when it is live', async () => {
  const { page, letIn } = await waiting('', CORES);
  await page.getByRole('button', { name: 'BERT base, linear' }).click();
  await page.getByRole('button', { name: 'BERT base, additive' }).click();
  letIn();
  await page.waitForSelector(LIVE, { state: 'attached' });
  assert.equal(await figure(page, 'parameters'), '98,561');
});

for (const [address, shown] of [
  ['train/?task=recall&hidden_size=16&seq_len=12&batch_size=8', '[data-figure=step] .figure-value:text-is("2")'],
  ['labs/attention-or-dense/?task=peak_day&variants=linear,flat&samples=300', '.contest-progress[data-step="2"]']
])
  test(`presses on the static page of ${address} are done when it is live, each of them`, async () => {
    const { page, letIn } = await waiting(address, CORES);
    const step = page.getByRole('button', { name: 'One step' });
    await step.click();
    await step.click();
    letIn();
    await page.waitForSelector(shown);
  });

test('a measurement that is asked for on the static page begins when it is live, once', async () => {
  // As many runs of each layer as a user's: with `?runs=1` the measurement can end before it is cancelled.
  const { page, letIn } = await waiting('speed/', MODULES);
  await page.click('[data-action=measure]');
  await page.click('[data-action=measure]');
  letIn();
  await page.click('[data-action=cancel]');
  await page.waitForSelector('[role=alert]:has-text("Cancelled.")');
});

test('a measurement is cancelled while what draws it still loads, too', async () => {
  const { page, letIn } = await waiting('speed/', /roofline-[^/]*\.js/);
  await page.click('[data-action=measure]');
  await page.click('[data-action=cancel]');
  letIn();
  await page.waitForSelector('[role=alert]:has-text("Cancelled.")');
});

test('a nudge on the static first screen of a lab is done when its layers learn', async () => {
  const { page, letIn } = await waiting('labs/attention-or-dense/', CORES);
  const up = page.locator('[data-nudge=price]').getByRole('button', { name: 'up by 1' });
  const before = Number(await page.inputValue('#minute-price'));
  await up.click();
  await up.click();
  letIn();
  await page.waitForFunction(
    (wanted) => Math.abs(Number(/** @type {any} */ (document.querySelector('#minute-price')).value) - wanted) < 0.01,
    before + 2
  );
});

test('a theme that is chosen in one tab is that of the others', async () => {
  site = await openPage({ file: 'guide/', live: false });
  const other = await site.context.newPage();
  await other.goto(`${site.site.url}labs/`);
  const theme = () => document.documentElement.dataset.theme ?? 'auto';
  for (const name of ['Dark', 'Light', 'Auto']) {
    await site.page.getByRole('radio', { name }).check();
    await other.waitForFunction(
      (wanted) => (document.documentElement.dataset.theme ?? 'auto') === wanted,
      name.toLowerCase()
    );
    assert.equal(await other.getByRole('radio', { name }).isChecked(), true);
    assert.equal(await site.page.evaluate(theme), name.toLowerCase());
  }
});
