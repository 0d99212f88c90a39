// The lab "Attention or dense" as it looks: what is refused dims what stays, and nothing breaks, jumps or is cut.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lab, played, scoreOf } from './contest-lab.js';

const lab = new Lab();

/** @param {import('playwright-core').Page} page */
const isDimmed = (page) => page.locator('section.stale:has(#contest-variants)').count();

test('a value that is refused before any run leaves the layers there, dimmed, and its field is named', async () => {
  const page = await lab.opened('?task=peak_day');
  const rows = page.locator('.contest-table tbody tr');
  assert.equal(await rows.count(), 6);
  assert.equal(await isDimmed(page), 0);
  await page.fill('#setting-steps', '-1');
  await page.waitForSelector('#error-steps');
  assert.equal(await page.innerText('#error-steps'), 'steps must be an integer from 1 to 10000, got -1');
  assert.equal(await rows.count(), 6);
  assert.equal(await isDimmed(page), 1);
  assert.equal(await page.locator('select[name=script-variant] option').count(), 6);
  assert.equal(await page.innerText('.contest-settings summary'), 'Settings 6 fields, 1 wrong');
  assert.equal(
    await page.innerText('[data-refused][role=status]'),
    'Wrong: Steps. Play and One step wait until it is right. These layers are of the last valid values.'
  );
  await page.fill('#setting-lr', 'fast');
  assert.equal(await page.innerText('.contest-settings summary'), 'Settings 6 fields, 2 wrong');
  await page.fill('#setting-lr', '0.03');
  await page.fill('#setting-steps', '40');
  await page.waitForSelector('[data-refused]', { state: 'detached' });
  assert.equal(await isDimmed(page), 0);
  assert.equal(await page.innerText('.contest-settings summary'), 'Settings 6 fields');
});

test('a value that is refused after a run promises no button, and the scores stay', async () => {
  const page = await lab.opened();
  await played(page);
  const score = await scoreOf(page, 'linear');
  await page.fill('#setting-steps', '-1');
  await page.waitForSelector('#error-steps');
  assert.equal(await page.locator('[data-stale]').count(), 0);
  assert.equal(
    await page.innerText('[data-refused]'),
    'Wrong: Steps. Play and One step wait until it is right. These runs are of the settings before.'
  );
  assert.equal(await scoreOf(page, 'linear'), score);
  assert.equal(await isDimmed(page), 1);
});

test('layers of a task that is not chosen any more do not stay', async () => {
  const page = await lab.opened('?task=peak_day');
  await page.selectOption('#contest-task', 'file');
  await page.waitForSelector('#field-file', { state: 'attached' });
  assert.equal(await page.locator('.contest-table').count(), 0);
  assert.equal(await isDimmed(page), 0);
});

test('before Play the curves are a low line of text, from Play on they have their place', async () => {
  const page = await lab.opened();
  const curves = page.locator('.contest-curves');
  await curves.scrollIntoViewIfNeeded();
  await page.waitForLoadState('networkidle');
  assert.equal(await curves.innerText(), 'The curves appear with Play.');
  assert.equal(await curves.locator('svg').count(), 0);
  assert.ok((await curves.evaluate((place) => place.clientHeight)) < 60);
  await played(page);
  await page.waitForSelector('.contest-curves .plot svg');
  assert.ok((await curves.locator('.plot').evaluate((place) => place.clientHeight)) >= 230);
  await page.click('.contest [data-action=reset]');
  await page.waitForFunction(
    () => document.querySelector('.contest-curves')?.textContent?.trim() === 'The curves appear with Play.'
  );
});

for (const width of [320, 390, 1440])
  test(`at ${width} pixels the bars of a layer stand on one line, and so do the headings`, async () => {
    const page = await lab.opened('?task=peak_day&samples=300&steps=20&seeds=2', {
      context: { viewport: { width, height: 844 } }
    });
    await played(page);
    for (const mode of ['all', 'one']) {
      await page.locator(`input[name=looks-of][value=${mode}]`).check({ force: true });
      await page.waitForSelector('[data-looks="5"] .day-bars');
      const lines = await page.$$eval('.looks-row', (rows) =>
        rows.map((row) => [
          ...new Set(
            [...row.querySelectorAll('.day-bars, [role=columnheader] b')].map((part) =>
              Math.round(part.getBoundingClientRect().top)
            )
          )
        ])
      );
      assert.equal(lines.length, 7);
      for (const [at, tops] of lines.entries()) assert.equal(tops.length, 1, `${mode}, row ${at}: ${tops.join()}`);
    }
  });

test('on the smallest phone no number breaks from its unit, and what is said of a layer goes on below its score', async () => {
  const page = await lab.opened('?task=peak_day&samples=300&steps=20&seeds=3', {
    context: { viewport: { width: 320, height: 640 } }
  });
  await played(page);
  const said = await page.textContent('.contest-table [data-variant=linear] small');
  assert.match(said ?? '', /27\u00a0parameters, 496\u00a0MACs, above\u00a090\u00a0% in\u00a0\d\u00a0of\u00a03/);
  assert.match(said ?? '', /15 days: \d+\.\d\u00a0±\u00a0\d+\.\d\u202f%; 60 days: /);
  const edges = await page.$$eval('.contest-table [data-variant]', (rows) =>
    rows.map((row) => {
      const box = (/** @type {string} */ part) =>
        /** @type {Element} */ (row.querySelector(part)).getBoundingClientRect();
      return { said: box('th small'), score: box('[data-score]') };
    })
  );
  for (const { said: below, score } of edges) assert.ok(Math.abs(below.right - score.right) <= 1, `${below.right}`);
  const head = await page.locator('.differences thead').evaluate((row) => row.getBoundingClientRect().height);
  assert.ok(head < 75, `the head of the differences is ${head} pixels high`);
  assert.equal(
    await page.locator('[aria-label=Variants]').evaluate((scroller) => scroller.scrollWidth - scroller.clientWidth),
    0
  );
});

test('words of one’s own stand below the bars where they have room, and else not at all', async () => {
  const page = await lab.opened('?task=first_names&variants=linear_position&steps=10&samples=300&seeds=1', {
    context: { viewport: { width: 320, height: 844 } }
  });
  await played(page);
  const heightOf = async (/** @type {string} */ text) => {
    await page.locator('input[name=looks-of][value=own]').check({ force: true });
    await page.fill('#looks-text', text);
    const count = `[data-looks="0"] .looks-words:first-of-type > :nth-child(${text.length})`;
    await page.waitForSelector(`${count}:last-child`, { state: 'attached' });
    return page
      .locator('[data-looks="0"] .looks-words')
      .first()
      .evaluate((line) => line.clientHeight);
  };
  assert.equal(await heightOf('Annabelle'), 17);
  assert.equal(await heightOf('Annabellemaria'), 0);
});
