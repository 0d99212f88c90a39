// The labs: one question a page, with a live figure.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { chapters, contest, questions } from '../../web/plain/labs/list.js';
import { violations } from './axe.js';
import { LIVE, openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const SEED = 'seed must be an integer from 0 to 4294967295';
const LABS = [...questions, ...chapters];

/** Answers, that is: its controls do something. */
const ANSWERS = '.lab-links button';

/** @param {string} name @param {Partial<Parameters<typeof openPage>[0]>} [options] */
async function opened(name, { search = '', ...options } = {}) {
  site = await openPage({ file: `labs/${name}/`, search, live: false, ...options });
  if (options.context?.javaScriptEnabled !== false) await site.page.waitForSelector(ANSWERS);
  return site.page;
}

/** @param {import('playwright-core').Page} page */
const notice = (page) => page.innerText('.lab-notice');

/** @param {import('playwright-core').Page} page @param {string} name @param {string} value */
const choose = (page, name, value) => page.locator(`input[name="${name}"][value="${value}"]`).check({ force: true });

test('the bars of a mistake and of what is right are on one scale', async () => {
  const page = await opened('five-mistakes', { context: { javaScriptEnabled: false } }); // all five, as they are built
  const mistakes = await page.locator('.mistake').evaluateAll((all) =>
    all.map((mistake) =>
      [...mistake.querySelectorAll('.bars li')].map((bar) => ({
        height: Number.parseFloat(bar.querySelector('rect')?.getAttribute('height') ?? ''),
        value: Math.abs(Number(bar.textContent?.replaceAll(',', '')))
      }))
    )
  );
  assert.equal(mistakes.length, 5);
  for (const bars of mistakes) {
    const tallest = bars.reduce((one, other) => (other.value > one.value ? other : one));
    for (const { height, value } of bars) {
      const wanted = Math.max(1, (value / tallest.value) * tallest.height); // none is lower than 1 %, to be seen
      assert.ok(Math.abs(height - wanted) < 0.5, `${value} is ${height} % high beside ${JSON.stringify(tallest)}`);
    }
  }
});

for (const { name, question } of LABS) {
  test(`${name} opens with its sentence and its figure, as it stands there without JavaScript`, async () => {
    const before = await opened(name, { context: { javaScriptEnabled: false } });
    assert.ok((await before.innerText('h1')).includes(question));
    const said = await notice(before);
    assert.ok((await before.innerText('.lab-figure')).length > 20);
    await site.close();
    const page = await opened(name);
    assert.equal(await notice(page), said);
    assert.match(await page.title(), /attnscope/);
    assert.ok((await page.getAttribute('meta[name=description]', 'content'))?.length);
    const picture = (await page.getAttribute('meta[property="og:image"]', 'content')) ?? '';
    assert.match(picture, new RegExp(`preview/labs-${name.split('/')[0]}\\.jpg$`));
  });

  test(`axe finds nothing at ${name}, and nothing is wider than a phone`, async () => {
    for (const [colorScheme, width] of /** @type {const} */ ([
      ['dark', 390],
      ['light', 1440]
    ])) {
      const page = await opened(name, {
        context: { colorScheme, viewport: { width, height: 844 }, reducedMotion: 'reduce' }
      });
      assert.deepEqual(await violations(page), []);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      if (width === 390) await site.close();
    }
  });
}

for (const [name, setting, value, said] of /** @type {const} */ ([
  ['five-mistakes', 'mistake', 'mask', /of the weight lies on 3 positions of padding/],
  ['one-head-or-eight', 'heads', '1', /^One head of 66,048 parameters/],
  ['why-sqrt-d', 'scale', 'sqrt', /^Divided by √64 = 8/],
  ['masks', 'mask', 'empty', /sees no key/],
  ['positions', 'position', 'none', /attention does not notice their order/],
  ['kv-cache', 'kv_heads', '1', /for 384.B that are kept\.$/],
  ['linear-or-additive', 'wanted', 'both', /one direction is enough for “this and that”/],
  ['tutorial/4', 'heads', '1', /one head has 200 weights/]
])) {
  test(`${name} says something else when ${setting} is ${value}, and so does its link`, async () => {
    const page = await opened(name);
    const before = await notice(page);
    await choose(page, setting, value);
    await page.waitForFunction((text) => document.querySelector('.lab-notice')?.textContent !== text, before);
    const after = await notice(page);
    assert.match(after, said);
    const link = page.url();
    assert.equal(new URL(link).searchParams.get(setting), value);
    await page.goBack();
    await page.waitForFunction((text) => document.querySelector('.lab-notice')?.textContent === text, before);
    await page.goto('about:blank');
    await page.goto(link);
    await page.waitForSelector(ANSWERS);
    assert.equal(await notice(page), after);
  });
}

test('what a link asks for and cannot have is said, and what is typed wrong too, while the figure stays', async () => {
  const page = await opened('why-sqrt-d', { search: '?d=0&colour=red' });
  assert.equal(
    await page.innerText('.stale-note'),
    'The link is not followed in all: d must be an integer from 1 to 1024, got 0; this lab has no setting colour.'
  );
  const before = await notice(page);
  await page.fill('#setting-d', '5000');
  assert.equal(await page.innerText('#error-d'), 'd must be an integer from 1 to 1024, got 5000');
  assert.equal(await page.getAttribute('#setting-d', 'aria-invalid'), 'true');
  assert.equal(await notice(page), before);
  await page.fill('#setting-d', '256');
  assert.equal(await page.locator('#error-d').count(), 0);
  assert.match(await notice(page), /vectors of 256 numbers/);
});

for (const { name, setting, text, said } of [
  { name: 'masks', setting: 'row', text: '-1', said: 'row must be an integer from 0 to 7, got -1' },
  { name: 'kv-cache', setting: 'tokens', text: '-1', said: 'tokens must be an integer from 1 to 16, got -1' },
  { name: 'linear-or-additive', setting: 'seed', text: '0.5', said: `${SEED}, got 0.5` },
  { name: 'five-mistakes', setting: 'seed', text: '-1', said: `${SEED}, got -1` },
  { name: 'tutorial/4', setting: 'seed', text: 'two', said: `${SEED}, got "two"` }
])
  test(`${name} dims what is of the last valid values while ${setting} is ${text}, and says so`, async () => {
    const page = await opened(name);
    const before = await notice(page);
    const dimmed = page.locator('.lab-notice.stale, .lab-figure.stale');
    assert.equal(await dimmed.count(), 0);
    await page.fill(`#setting-${setting}`, text);
    assert.equal(await page.innerText(`#error-${setting}`), said);
    assert.equal(await page.innerText('.stale-note[role=status]'), 'This is of the last valid values.');
    assert.equal(await dimmed.count(), 2);
    assert.equal(await notice(page), before);
    await page.fill(`#setting-${setting}`, '1');
    await page.waitForSelector('.stale-note', { state: 'detached' });
    assert.equal(await dimmed.count(), 0);
  });

test('the layer of a figure opens in the calculator and in the run page', async () => {
  for (const [open, path] of [
    ['calculator', '/'],
    ['run', '/run/']
  ]) {
    const page = await opened('why-sqrt-d', { search: '?d=32' });
    await page.click(`[data-open=${open}]`);
    await page.waitForURL((url) => url.pathname === path && url.searchParams.get('head_dim') === '32');
    await page.waitForSelector(LIVE, { state: 'attached' });
    assert.equal(await page.inputValue('#field-layer'), 'scaled_dot_product_attention');
    assert.equal(await page.inputValue('#field-head_dim'), '32');
    if (open === 'calculator') await site.close();
  }
});

test('the list leads to every lab, and each lab to the next, to the end of the tutorial', async () => {
  site = await openPage({ file: 'labs/', live: false });
  const { page } = site;
  const cards = await page
    .locator('.lab-cards a')
    .evaluateAll((all) => all.map((link) => new URL(/** @type {HTMLAnchorElement} */ (link).href).pathname));
  assert.deepEqual(cards, [
    ...[contest, ...questions].map(({ name }) => `/labs/${name}/`),
    '/labs/tutorial/',
    '/train/'
  ]);
  await page.goto(`${site.site.url}labs/${contest.name}/`);
  for (const { name } of LABS) {
    await page.click('.lab-ways [rel=next]');
    await page.waitForURL((url) => url.pathname === `/labs/${name}/`);
  }
  assert.equal(await page.locator('.lab-ways [rel=next]').count(), 0);
  await page.click('.lab-ways [rel=prev]');
  await page.waitForURL((url) => url.pathname === '/labs/tutorial/5/');
  await page.click('.lab-ways [rel=next]');
  await page.click('.lab-ways >> text=Watch an induction head appear');
  await page.waitForURL((url) => url.pathname === '/train/');
  await page.goto(site.site.url);
  await page.click('.entries >> text=Watch an induction head appear');
  await page.waitForURL((url) => url.pathname === '/train/');
});

test('a layer that one comes with goes back to the calculator', async () => {
  site = await openPage({ search: '?layer=additive_scorer&hidden_size=64' });
  const { page } = site;
  await page.click('.doors a[href*="labs/"]');
  await page.waitForURL((url) => url.pathname === '/labs/' && url.searchParams.has('from'));
  await page.click(`.lab-cards a[href*="${questions[0].name}"]`);
  await page.waitForSelector(ANSWERS);
  await page.click('.brand');
  await page.waitForURL((url) => url.pathname === '/' && url.searchParams.get('hidden_size') === '64');
  await page.waitForSelector(LIVE, { state: 'attached' });
  assert.equal(await page.inputValue('#field-layer'), 'additive_scorer');
});
