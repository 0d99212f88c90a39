import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openForm, openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/** @param {string} search @param {import('playwright-core').BrowserContextOptions} [context] */
async function opened(search, context) {
  site = await openPage({ search, context });
  return site.page;
}

test('the picker lists every layer below its group, scorers first, and says what the chosen one is', async () => {
  const page = await opened('');
  const groups = await page
    .locator('#field-layer optgroup')
    .evaluateAll((list) => list.map((group) => /** @type {any} */ (group).label));
  assert.deepEqual(groups, ['Scorers', 'Pooling', 'Recurrent', 'Attention', 'Transformer']);
  const titles = await page.locator('#field-layer option').allInnerTexts();
  assert.equal(titles[0].trim(), 'Linear scorer');
  assert.equal(titles.at(-1)?.trim(), 'Decoder');
  assert.match(await page.locator('.layer-summary').innerText(), /^One linear layer gives each position a score/);
  await page.focus('#field-layer');
  await page.keyboard.press('End');
  assert.equal(await page.inputValue('#field-layer'), 'decoder');
  assert.equal(
    await page.locator('.layer-summary').innerText(),
    'A causal language model: embeddings, a stack of decoder layers and a head over the vocabulary.'
  );
});

test('an empty optional field is the default, a number takes decimals: in the form, the address and the JSON', async () => {
  const page = await opened('?layer=decoder');
  const exported = async () => {
    await page.click('[data-export="json"]');
    await page.waitForSelector('.exports .said:has-text("Copied")');
    return JSON.parse(await page.evaluate(() => navigator.clipboard.readText())).config;
  };
  await page.click('.options summary');
  assert.equal(await page.getAttribute('#field-window', 'placeholder'), 'default');
  assert.deepEqual([await page.inputValue('#field-window'), await page.inputValue('#field-norm_eps')], ['', '1e-5']);
  await page.fill('#field-window', '4');
  await page.fill('#field-scale', '0.25');
  await page.press('#field-scale', 'Tab');
  await page.waitForURL(/window=4&scale=0\.25/);
  assert.deepEqual([(await exported()).window, (await exported()).scale, (await exported()).head_dim], [4, 0.25, null]);
  assert.match(await page.locator('.options summary').innerText(), /29 fields, 2 changed/);
  await page.fill('#field-window', '');
  await page.press('#field-window', 'Tab');
  await page.waitForFunction(() => !location.search.includes('window'));
  assert.equal((await exported()).window, null);
  assert.equal(await page.locator('.stale-note').count(), 0);
});

test('a wrong value among the options opens them, and Enter goes there', async () => {
  const page = await opened('?layer=decoder&norm_eps=7');
  assert.equal(await page.isVisible('#field-norm_eps'), true);
  assert.equal(await page.locator('#error-norm_eps').innerText(), 'norm_eps must be a number from 0 to 1, got 7');
  assert.match(await page.locator('.options summary').innerText(), /1 wrong/);
  await page.press('#field-hidden_size', 'Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'field-norm_eps');
  await page.fill('#field-norm_eps', '0.5');
  assert.equal(await page.isVisible('#field-norm_eps'), true);
  assert.equal(await page.locator('.stale-note').count(), 0);
});

test('what a field means is said at the foot of the form, for who points at it and who is in it', async () => {
  const page = await opened('?layer=decoder');
  await page.focus('#field-past_len');
  assert.equal(
    (await page.locator('.form-about').innerText()).trim(),
    "past_len Positions already in the KV cache, before this call's."
  );
  await page.hover('[data-field="vocab_size"] label');
  assert.match(await page.locator('.form-about').innerText(), /^vocab_size /);
  await page.hover('h1');
  assert.match(await page.locator('.form-about').innerText(), /^past_len /);
  await page.locator('#field-past_len').blur();
  assert.equal(await page.locator('.form-about').innerText(), '');
});

for (const [width, height] of [
  [390, 844],
  [1280, 800]
]) {
  test(`all fields of a decoder fit ${width} wide, and nothing covers what is in focus`, async () => {
    const page = await opened('?layer=decoder', { viewport: { width, height }, reducedMotion: 'reduce' });
    await openForm(page);
    await page.click('.options summary');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.focus('#field-layer');
    for (let count = 0; count < 60; count += 1) {
      await page.keyboard.press('Tab');
      const covered = await page.evaluate(() => {
        const { activeElement: element } = document;
        if (!element?.closest('.field')) return false;
        const { left, top, width, height } = element.getBoundingClientRect();
        const corners = [top + 1, top + height - 1].map((y) => document.elementFromPoint(left + width / 2, y));
        return corners.some((hit) => !hit?.closest('.field')) && element.id;
      });
      assert.equal(covered, false);
    }
  });
}
