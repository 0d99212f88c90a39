import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { LIVE, figure, isLive, openPage } from './open-page.js';

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

test('a name of a model without the fields of its file names nothing, and the page says so', async () => {
  site = await openPage({ search: '?layer=decoder&model=GPT-5' });
  assert.equal(await leftOut(), 'model "GPT-5" comes without the fields of its config.json. It was left out.');
  assert.doesNotMatch(await site.page.innerText('.head'), /the whole decoder/);
});

for (const [search, name, batch] of [
  ['?model=Mistral-7B', 'Mistral-7B', '1'],
  ['?batch_size=4', 'Llama-3-8B', '4']
])
  test(`an address of the models’ page that names no layer is about a published model: ${search}`, async () => {
    site = await openPage({ file: 'models/', search });
    const { page } = site;
    assert.ok((await page.innerText('#answer-title')).includes(name));
    assert.equal(await page.inputValue('#field-batch_size'), batch);
    assert.equal(await page.locator('.stale-note').count(), 0);
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

test('a fragment that is none stays where it is', async () => {
  site = await openPage({ search: '?layer=dense#nowhere' });
  await site.page.waitForTimeout(300);
  assert.match(site.page.url(), /\/\?layer=dense#nowhere$/);
  assert.match(await site.page.innerText('h1'), /calculator/);
});

for (const [file, search, part] of [
  ['', '?layer=linear_scorer&hidden_size=64&hidden_size=128', '.head .stale-note'],
  ['labs/five-mistakes/', '?seed=64&seed=128', '.stale-note'],
  ['labs/attention-or-dense/', '?task=peak_day&steps=64&steps=128', '[data-left-out]'],
  ['train/', '?task=recall&seed=64&seed=128', '[data-repeated]']
])
  test(`of a name that an address has twice the last value counts, and the page says so: /${file}`, async () => {
    site = await openPage({ file, search, live: false });
    await site.page.waitForSelector(part);
    assert.match(await site.page.innerText(part), /(hidden_size|seed|steps)=64 stands before another \1\b/);
    const name = /(\w+)=128/.exec(search)?.[1];
    const field = file.startsWith('labs/') ? `input[name=${name}]` : `#field-${name}`;
    assert.equal(await site.page.inputValue(field), '128');
  });

for (const [file, search, box] of [
  ['', '', '#field-hidden_size'],
  ['models/', '', 'input[name=context]'],
  ['labs/five-mistakes/', '', '#setting-seed'],
  ['labs/attention-or-dense/', '', '#setting-steps'],
  ['train/', '?task=recall', '#field-hidden_size']
])
  test(`a million digits are refused, and are neither in the address nor in the message: /${file} ${box}`, async () => {
    site = await openPage({ file, search, live: false });
    const { page } = site;
    const error = page.locator(`[id^="error-${box.replace(/^.*(field-|setting-|name=)|\]$/g, '')}"]`);
    await page.waitForFunction(isLive);
    await page.locator(box).fill('7'.repeat(1e6));
    await error.filter({ hasText: 'must be' }).waitFor();
    assert.ok((await error.innerText()).length < 200, await error.innerText());
    await page.locator(box).blur();
    assert.ok(page.url().length < 2000, `${page.url().length}`);
    const again = await page.reload();
    assert.equal(again?.status(), 200);
  });

test('a number beyond all numbers is quoted as it was typed', async () => {
  site = await openPage({ search: '?layer=linear_scorer&hidden_size=1e999&seed=1e999' });
  assert.match(await site.page.innerText('#error-hidden_size'), /, got "1e999"$/);
  await site.page.fill('#field-seq_len', '-1e400');
  assert.match(await site.page.innerText('#error-seq_len'), /, got "-1e400"$/);
});
