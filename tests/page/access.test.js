import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { LIVE, figure, openForm, openPage, seeEverything } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

for (const file of ['', 'run/', 'models/']) {
  for (const [colorScheme, width, height] of /** @type {const} */ ([
    ['light', 390, 844],
    ['dark', 1280, 800]
  ])) {
    test(`axe finds nothing at /${file} with many fields, heads and repeated steps, ${colorScheme}, ${width} wide`, async () => {
      site = await openPage({
        file,
        search: '?layer=decoder&norm_eps=0.5&num_heads=4',
        context: { colorScheme, viewport: { width, height }, reducedMotion: 'reduce' }
      });
      await seeEverything(site.page);
      await openForm(site.page);
      await site.page.locator('.options summary').click();
      assert.deepEqual(await violations(site.page), []);
      await site.page.fill('#field-norm_eps', '7');
      assert.deepEqual(await violations(site.page), []);
    });
  }
}

const SMALL = 'batch_size=2&seq_len=6&hidden_size=16';

for (const [search, colorScheme, width] of /** @type {const} */ ([
  [`?layer=transformer_decoder_layer&${SMALL}&kv_len=4&num_heads=2&intermediate_size=8`, 'light', 1280],
  [`?layer=transformer_decoder_layer&${SMALL}&kv_len=4&num_heads=2&intermediate_size=8`, 'dark', 390],
  [`?layer=max_pooling&${SMALL}`, 'dark', 1280],
  [`?layer=latent_attention&${SMALL}&num_heads=2&past_len=3`, 'light', 390]
])) {
  test(`axe finds nothing at ${search}, ${colorScheme}, ${width} wide, with a mask painted`, async () => {
    site = await openPage({
      file: 'run/',
      search,
      context: { colorScheme, viewport: { width, height: 844 }, reducedMotion: 'reduce' }
    });
    await seeEverything(site.page);
    await site.page.click('[data-action="pad"]');
    await site.page.waitForSelector('.same pre:has-text("torch.arange")');
    assert.deepEqual(await violations(site.page), []);
    assert.equal(await site.page.evaluate(() => document.documentElement.scrollWidth), width);
  });
}

test('with the keyboard alone: change the layer, a size, a switch and a choice, reach the answer, and run', async () => {
  site = await openPage();
  const { page } = site;
  const press = (/** @type {string} */ key) => page.keyboard.press(key);
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: element } = document;
      const { action, tab } = /** @type {any} */ (element)?.dataset ?? {};
      return `${element?.id} ${element?.getAttribute('name')} ${element?.getAttribute('href')} ${tab} ${action}`;
    });
  const tabTo = async (/** @type {RegExp} */ wanted) => {
    for (let count = 0; count < 120; count += 1) {
      if (wanted.test(await focused())) return;
      await press('Tab');
    }
    assert.fail(`Tab never reaches ${wanted}`);
  };
  await tabTo(/^field-layer /);
  await press('ArrowDown');
  assert.equal(await figure(page, 'parameters'), '98,561');
  await tabTo(/^field-attn_dim /);
  await press('ArrowUp');
  assert.equal(await page.inputValue('#field-attn_dim'), '129');
  await press('Shift+ArrowDown');
  assert.equal(await page.inputValue('#field-attn_dim'), '119');
  await tabTo(/^field-bias /);
  await press('Space');
  assert.equal(await page.isChecked('#field-bias'), false);
  await tabTo(/dtype/);
  await press('ArrowRight');
  assert.equal(await page.isChecked('input[name=dtype][value=float16]'), true);
  await tabTo(/ cost /);
  await press('ArrowRight');
  await press('End');
  assert.ok(await page.locator('#pytorch').isVisible());
  await page.locator('.brand').focus();
  await tabTo(/run\//);
  await press('Enter');
  await page.waitForURL(/\/run\/\?layer=additive_scorer.*attn_dim=119/);
  await page.waitForSelector(LIVE, { state: 'attached' });
  await tabTo(/ run$/);
  await press('Enter');
  await page.waitForSelector('[data-run="fresh"]');
});

test('the theme switch overrides the system and is remembered', async () => {
  site = await openPage({ context: { colorScheme: 'light' } });
  const background = () => site.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await background();
  await site.page.locator('.theme input[value=dark]').check();
  const dark = await background();
  assert.notEqual(dark, light);
  await site.page.reload();
  assert.equal(await background(), dark);
});
