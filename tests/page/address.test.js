import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { LIVE, figure, openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

test('a link holds the whole configuration', async () => {
  site = await openPage({
    search:
      '?layer=additive_scorer&batch_size=4&seq_len=10&hidden_size=512&attn_dim=64&bias=false&dtype=bfloat16&output=scores&seed=7'
  });
  assert.equal(await figure(site.page, 'parameters'), '32,832');
  assert.equal(await figure(site.page, 'output_shape'), '[4, 10, 1]');
  await site.page.click('.doors >> text=Run');
  assert.equal(await site.page.inputValue('input[name=seed]'), '7');
  assert.equal(await site.page.isChecked('input[name=dtype][value=bfloat16]'), true);
});

test('back undoes one edit at a time, forward does it again', async () => {
  site = await openPage();
  const { page } = site;
  await page.locator('#field-hidden_size').press('ControlOrMeta+a');
  await page.keyboard.type('1024', { delay: 5 });
  await page.keyboard.press('Tab');
  await page.uncheck('#field-bias');
  assert.equal(await figure(page, 'parameters'), '1,024');
  await page.goBack();
  assert.equal(await figure(page, 'parameters'), '1,025');
  await page.goBack();
  assert.equal(await figure(page, 'parameters'), '769');
  await page.goForward();
  assert.equal(await figure(page, 'parameters'), '1,025');
});

test('a link with a wrong value says so at the field, and shows a result all the same', async () => {
  site = await openPage({ search: '?layer=linear_scorer&hidden_size=-3&colour=red' });
  assert.equal(
    await site.page.locator('#error-hidden_size').innerText(),
    'hidden_size must be an integer from 1 to 2147483647, got -3'
  );
  assert.equal(await figure(site.page, 'parameters'), '769');
  assert.equal(await leftOut(), 'linear_scorer has no field "colour". It was left out.');
});

/** What the page says above the answer. */
const leftOut = () => site.page.locator('.head .stale-note').first().innerText();

test('a misspelt field of a link is named above the answer, with the one that is near, until something is changed', async () => {
  site = await openPage({ search: '?hiden_size=4' });
  const { page } = site;
  assert.equal(await leftOut(), 'linear_scorer has no field "hiden_size", did you mean hidden_size? It was left out.');
  assert.equal(await figure(page, 'parameters'), '769');
  const box = await page.locator('.head .stale-note').boundingBox();
  assert.ok(box && box.y + box.height < 800, 'in sight without scrolling');
  await page.fill('#field-seq_len', '64');
  assert.equal(await page.locator('.head .stale-note').count(), 0);
});

test('a link that gives a field of another layer says that this one has none, and back says it again', async () => {
  site = await openPage({ search: '?layer=linear_scorer&attn_dim=64&widht=3' });
  const said = 'linear_scorer has no field "attn_dim". linear_scorer has no field "widht". They were left out.';
  assert.equal(await leftOut(), said);
  await site.page.uncheck('#field-bias');
  assert.equal(await site.page.locator('.head .stale-note').count(), 0);
  await site.page.goBack();
  assert.equal(await leftOut(), said);
});

test('a link to an unknown layer names those that exist', async () => {
  site = await openPage({ search: '?layer=magic' });
  assert.match(
    await site.page.locator('#error-layer').innerText(),
    /^layer must be one of linear_scorer, .*, got "magic"$/
  );
});

test('beside an unknown layer only what no layer has is left out', async () => {
  site = await openPage({ search: '?layer=magic&attn_dim=64&colour=red' });
  assert.equal(await leftOut(), 'linear_scorer has no field "colour". It was left out.');
});

for (const [search, message] of [
  ['mask=zzz', 'mask must be a mask that was painted for this layer with these sizes, got "zzz".'],
  ['inputs=__proto__', 'inputs must be one of words, random, marker, pair, sorted, ramp, own, got "__proto__".'],
  ['tensor=queues', 'tensor must be a result of this layer or a tensor between its steps, got "queues".'],
  ['__proto__=1', 'self_attention has no field "__proto__".']
])
  test(`a link with ${search} says that it was left out and why, and the rest of it is taken`, async () => {
    for (const file of ['run/', '']) {
      site = await openPage({ file, search: `?layer=self_attention&hidden_size=48&seq_len=7&${search}` });
      assert.equal(await site.page.locator('.stale-note').innerText(), `${message} It was left out.`);
      assert.equal(await site.page.inputValue('#field-seq_len'), '7');
      if (file) await site.close();
    }
  });

test('what a link says of masks, inputs and tensors is taken where it fits', async () => {
  site = await openPage({
    file: 'run/',
    search: '?layer=self_attention&batch_size=1&seq_len=2&hidden_size=8&inputs=pair&tensor=output'
  });
  assert.equal(await site.page.locator('.stale-note').count(), 0);
});

const PIN = 'layer=additive_scorer&seq_len=512';
const withPin = (/** @type {string} */ pin) => `?layer=additive_scorer&seq_len=5120&pin=${encodeURIComponent(pin)}`;

test('what is pinned is in the link, and opening it anew holds the figures against the same', async () => {
  site = await openPage({ search: '?layer=additive_scorer&seq_len=512' });
  const { page } = site;
  await page.click('.pin-button');
  await page.waitForURL(/&pin=layer%3Dadditive_scorer%26/);
  await page.fill('#field-seq_len', '5120');
  await page.press('#field-seq_len', 'Tab');
  await page.waitForURL(/seq_len=5120/);
  const other = await site.context.newPage();
  await other.goto(page.url());
  await other.waitForSelector(LIVE, { state: 'attached' });
  assert.match(await changeOf(other), /^×\s10, pinned 1\.63\sG$/);
});

/** What is said below the MACs. @param {import('playwright-core').Page} page */
const changeOf = (page) => page.locator('[data-figure="macs"] .figure-change').innerText();

test('back takes the pin off again, forward sets it, and a preset leaves it', async () => {
  site = await openPage();
  const { page } = site;
  await page.click('.pin-button');
  assert.equal(await changeOf(page), 'same as pinned');
  await page.goBack();
  assert.equal(await page.locator('.figure-change').count(), 0);
  await page.goForward();
  await page.waitForSelector('.figure-change');
  await page.getByRole('button', { name: 'BERT base, additive' }).click();
  await page.waitForURL(/layer=additive_scorer.*&pin=layer%3Dlinear_scorer/);
  await page.click('.pin-button');
  await page.waitForURL((url) => !url.searchParams.has('pin'));
});

for (const [pin, message] of /** @type {const} */ ([
  [
    'layer=linear_scorer&seq_len=0',
    'The pinned configuration: seq_len must be an integer from 1 to 2147483647, got 0. It was left out.'
  ],
  [
    `${PIN}&hiden_size=4`,
    /^The pinned configuration: additive_scorer has no field "hiden_size", did you mean hidden_size\? It was left out\.$/
  ],
  ['<b>%%', /^The pinned configuration: .*\. It was left out\.$/]
])) {
  test(`a link whose pin is ${pin} says that it was left out and why, and shows its own layer`, async () => {
    site = await openPage({ search: withPin(pin) });
    const said = await leftOut();
    if (typeof message === 'string') assert.equal(said, message);
    else assert.match(said, message);
    assert.equal(await site.page.inputValue('#field-seq_len'), '5120');
    assert.equal(await site.page.locator('.figure-change').count(), 0);
    assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
  });
}
