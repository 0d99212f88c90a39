import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { toMarkdown } from '../../web/plain/exports.js';
import { Store } from '../../web/plain/store.js';
import { openPage, openTabOf, seeEverything } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
const scope = await open({ threads: 1 });
/** @type {import('../../web/lib/index.js').Config} */
const config = { layer: 'additive_scorer', seq_len: 50 };
before(async () => {
  site = await openPage({ search: '?layer=additive_scorer&seq_len=50' });
});
after(() => site.close());
/** Of a test alone. @type {Awaited<ReturnType<typeof openPage>> | undefined} */
let own;
afterEach(() => own?.close());

/** @param {string} kind */
async function copied(kind) {
  await site.page.click(`[data-export="${kind}"]`);
  await site.page.waitForSelector('.exports .said:has-text("Copied")');
  return site.page.evaluate(() => navigator.clipboard.readText());
}

test('JSON is the estimate', async () => {
  assert.deepEqual(JSON.parse(await copied('json')), scope.estimate(config));
});

test('CSV has a row for each step', async () => {
  const [head, ...rows] = (await copied('csv')).trimEnd().split(/\r?\n/);
  const { steps } = scope.estimate(config);
  assert.equal(
    head,
    'name,op,part,inputs,output,shape,repeat,places,parameters,macs,elementwise,bytes_moved,saved_bytes,pytorch'
  );
  assert.equal(rows.length, steps.length);
  assert.ok(
    rows[0].startsWith(
      'project,linear,project,hidden_states project.weight project.bias,projected,32 50 128,1,1,98432,'
    )
  );
  assert.ok(rows[4].endsWith('score_row.softmax(dim=-1)'));
});

test('Markdown has the headline figures and a link', async () => {
  const text = await copied('markdown');
  assert.match(text, /\| parameters \| 98,561 \|/);
  assert.match(text, /\?layer=additive_scorer&batch_size=32&seq_len=50/);
});

test('Markdown has what is pinned beside each figure', () => {
  const store = new Store(scope, { ...config, seq_len: 500, pin: 'layer=additive_scorer&seq_len=50' });
  const text = toMarkdown(store.estimate, '', store).replaceAll('\u202f', ' ');
  assert.match(text, /^Pinned: \*\*additive_scorer\*\*: batch_size 32, seq_len 50,/m);
  assert.match(text, /^\| MACs \| 158,720,000 \| 1,587,200,000 \| × 10 \|$/m);
});

test('the link leads to the same configuration', async () => {
  assert.equal(new URL(await copied('link')).searchParams.get('seq_len'), '50');
});

for (const width of [390, 1280]) {
  test(`what was copied is said in the button, and no button moves, ${width} wide`, async () => {
    own = await openPage({ search: '?layer=additive_scorer', context: { viewport: { width, height: 844 } } });
    const { page } = own;
    const places = () =>
      page.locator('.exports button:visible, #pytorch .actions button:visible').evaluateAll((buttons) =>
        buttons.map((button) => {
          const { left, top, width, height } = button.getBoundingClientRect();
          const group = /** @type {Element} */ (button.closest('.exports, .panel')).getBoundingClientRect();
          return [left - group.left, top - group.top, width, height].map(Math.round).join(' ');
        })
      );
    await seeEverything(page);
    for (const [name, part] of [
      ['Copy Markdown', '.exports'],
      ['Copy PyTorch', '#pytorch']
    ]) {
      await openTabOf(page, part);
      const button = page.getByRole('button', { name });
      await button.scrollIntoViewIfNeeded();
      const before = await places();
      await button.click();
      await page.waitForSelector('.copied');
      assert.equal(
        await page.locator('.copied').evaluate((shown) =>
          [...shown.children]
            .filter((text) => getComputedStyle(text).opacity === '1')
            .map((text) => text.textContent)
            .join()
        ),
        'Copied'
      );
      assert.deepEqual(await places(), before, name);
      await page.waitForSelector('.copied', { state: 'detached' });
      assert.deepEqual(await places(), before, name);
    }
  });
}

test('a browser that refuses to copy is quoted, and no button moves', async () => {
  own = await openPage({ search: '?layer=additive_scorer' });
  const { page } = own;
  const lefts = () =>
    page
      .locator('.exports button')
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().left));
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
    document.execCommand = () => false;
  });
  const before = await lefts();
  await page.click('[data-export="json"]');
  await page.waitForSelector('.exports .said:has-text("the browser did not allow copying")');
  assert.deepEqual(await lefts(), before);
});

const code = {
  shown: () => site.page.locator('attnscope-code pre').textContent(),
  async copied() {
    await site.page.getByRole('button', { name: 'Copy PyTorch' }).click();
    await site.page.waitForSelector('attnscope-code .said:has-text("Copied")');
    return site.page.evaluate(() => navigator.clipboard.readText());
  },
  async downloaded() {
    const [download] = await Promise.all([
      site.page.waitForEvent('download'),
      site.page.getByRole('button', { name: /^Download/ }).click()
    ]);
    assert.equal(download.suggestedFilename(), 'additive_scorer.py');
    return readFile(await download.path(), 'utf8');
  }
};

test('PyTorch is shown, copied and downloaded as the class alone, and with its self-check by a switch', async () => {
  const { page } = site;
  await openTabOf(page, '#pytorch');
  const check = page.getByRole('switch', { name: 'With self-check' });
  const alone = scope.pytorch(config, { self_check: false });
  const address = page.url();
  assert.equal(await check.isChecked(), false);
  for (const [checked, text] of /** @type {[boolean, string][]} */ ([
    [false, alone],
    [true, scope.pytorch(config)],
    [false, alone]
  ])) {
    await check.setChecked(checked);
    assert.equal(await code.shown(), text);
    assert.equal(await code.copied(), text);
    assert.equal(await code.downloaded(), text);
    assert.equal(await page.locator('#pytorch-title .panel-note').innerText(), `${text.split('\n').length - 1} lines`);
  }
  assert.equal(page.url(), address);
});

test('the preset of a batch of texts has code that takes a mask, which a switch and a link carry', async () => {
  own = await openPage({ search: '?layer=dense' });
  const { page } = own;
  const shown = () => page.locator('attnscope-code pre').textContent();
  const mask = page.getByRole('switch', { name: 'With mask' });
  await openTabOf(page, '#pytorch');
  assert.equal(await mask.count(), 0);
  await page.getByRole('button', { name: 'RoBERTa base, additive' }).click();
  const values = /** @type {const} */ ({ batch_size: 64, seq_len: 512, hidden_size: 768, attn_dim: 128 });
  const roberta = /** @type {const} */ ({ layer: 'additive_scorer', ...values, dtype: 'float16' });
  assert.equal(await shown(), scope.pytorch(roberta, { self_check: false, mask: true }));
  assert.equal(await mask.isChecked(), true);
  await page.getByText('of [64, 512] hides the padding of a batch by mask=attention_mask.bool().').waitFor();
  await page.reload();
  await openTabOf(page, '#pytorch');
  assert.equal(await mask.isChecked(), true);
  await mask.uncheck();
  assert.equal(await shown(), scope.pytorch(roberta, { self_check: false }));
  await page.getByText('padding takes its share of every sum').waitFor();
  assert.equal(new URL(page.url()).searchParams.has('code'), false);
  await page.goBack();
  await mask.and(page.locator(':checked')).waitFor();
});

test('the first visit has the code of the preset that it shows, and a link decides for itself', async () => {
  const shown = async (/** @type {string} */ search) => {
    own = await openPage({ search });
    const { page } = own;
    await openTabOf(page, '#pytorch');
    const text = await page.locator('attnscope-code pre').textContent();
    const said = await page.locator('.stale-note').allInnerTexts();
    await own.close();
    return { takes: text?.includes('mask=None'), said: said.join('') };
  };
  assert.deepEqual(await shown(''), { takes: true, said: '' });
  assert.deepEqual(await shown('?layer=linear_scorer'), { takes: false, said: '' });
  assert.deepEqual(await shown('?layer=dense&code=masks'), {
    takes: false,
    said: 'code must be left out for a layer without masks, got "masks". It was left out.'
  });
});

test('the switch says what it adds, takes the keyboard, keeps the focus and outlives an edit', async () => {
  const { page } = site;
  await openTabOf(page, '#pytorch');
  const check = page.getByRole('switch', { name: 'With self-check', description: /inputs from a seed.*MISMATCH/ });
  await check.focus();
  await page.keyboard.press('Space');
  assert.equal(await check.isChecked(), true);
  assert.ok(await check.evaluate((box) => box.matches(':focus-visible')));
  await page.fill('#field-seq_len', '60');
  await page.waitForFunction(() =>
    document.querySelector('attnscope-code pre')?.textContent?.includes('(32, 60, 768)')
  );
  assert.equal(await code.shown(), scope.pytorch({ ...config, seq_len: 60 }));
  await page.fill('#field-seq_len', '50');
  await check.uncheck();
});
