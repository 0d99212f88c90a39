// The lab "Attention or dense": what is kept of its runs, which of them stay when settings change, and what a link has.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lab, done, live, played, scoreOf } from './contest-lab.js';
import { endWorkers, remembersWorkers } from './workers.js';

const lab = new Lab();

test('a link has the whole plan, and gives the same scores; back undoes', async () => {
  const page = await lab.opened();
  await page.fill('#setting-steps', '30');
  await page.locator('#setting-steps').blur();
  assert.equal(new URL(page.url()).searchParams.get('steps'), '30');
  await page.goBack();
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#setting-steps'))?.value === '40');
  await page.goForward();
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#setting-steps'))?.value === '30');
  await played(page);
  const link = page.url();
  const scores = await Promise.all(['linear', 'flat'].map((variant) => scoreOf(page, variant)));
  const again = await lab.opened(`${new URL(link).search}#run`);
  await done(again);
  assert.deepEqual(await Promise.all(['linear', 'flat'].map((variant) => scoreOf(again, variant))), scores);
});

test('a choice in the table stays before Play, which then makes only the runs that are new', async () => {
  const page = await lab.opened('?task=which_day&variants=timestep,position,flat&samples=300&steps=30&seeds=2');
  await played(page);
  const scores = await Promise.all(['timestep', 'position', 'flat'].map((variant) => scoreOf(page, variant)));
  await page.selectOption('.contest-tanh >> nth=0', 'timestep_none');
  await page.waitForSelector('.contest-table [data-variant=timestep_none]');
  assert.equal(await page.inputValue('.contest-tanh >> nth=0'), 'timestep_none');
  assert.equal(await scoreOf(page, 'timestep_none'), '–');
  assert.equal(await scoreOf(page, 'flat'), scores[2]);
  assert.equal(await page.innerText('[data-fresh]'), 'Play makes 2 new runs; the others stay.');
  assert.equal(await page.locator('[data-stale]').count(), 0);
  const link = page.url();
  await played(page);
  assert.match(await page.innerText('.contest-progress'), /^6 of 6 runs are done/);
  const after = await Promise.all(['timestep_none', 'position', 'flat'].map((variant) => scoreOf(page, variant)));
  assert.deepEqual(after.slice(1), scores.slice(1));
  // back: the runs that were made before are there again
  await page.selectOption('.contest-tanh >> nth=0', 'timestep');
  await played(page);
  assert.equal(await scoreOf(page, 'timestep'), scores[0]);
  // fewer seeds, or fewer layers: nothing is to be made
  await page.fill('#setting-seeds', '1');
  assert.match(await page.innerText('.contest-progress'), /^3 of 3 runs are done/);
  assert.equal(await page.getAttribute('.contest [data-action=play]', 'aria-disabled'), 'true');
  // and in another browser, all anew, they are the same
  const again = await lab.opened(`${new URL(link).search}#run`);
  await done(again);
  assert.deepEqual(
    await Promise.all(['timestep_none', 'position', 'flat'].map((variant) => scoreOf(again, variant))),
    after
  );
});

test('a reload in the middle goes on where it was, at most a few seconds before, and says so', async () => {
  const page = await lab.opened('?task=peak_day&variants=linear,flat&samples=3000&steps=1000&seeds=10');
  await page.click('.contest [data-action=play]');
  await page.waitForFunction(
    () => Number(document.querySelector('.contest-progress')?.textContent?.match(/^\d+/)?.[0]) >= 4
  );
  await page.waitForFunction(() => {
    const { keeper } = /** @type {any} */ (document.querySelector('attnscope-contest'));
    const runs = Object.values(keeper.entries[0]?.runs ?? {});
    return runs.filter(({ steps }) => steps === 1000).length >= 4;
  });
  await page.reload();
  await live(page);
  await page.waitForSelector('[data-resumed]');
  assert.equal(
    await page.innerText('[data-resumed]'),
    'These runs were kept in this browser. Play goes on with them. Reset begins anew.'
  );
  const finished = Number((await page.innerText('.contest-progress')).match(/^\d+/)?.[0]);
  assert.ok(finished >= 2, `${finished} are done, and two may have been about to be judged`);
  await page.fill('#setting-seeds', String(Math.min(10, Math.floor(finished / 2) + 2)));
  await played(page);
  assert.equal(await page.locator('[data-resumed]').count(), 0);
  const scores = await Promise.all(['linear', 'flat'].map((variant) => scoreOf(page, variant)));
  const link = page.url();
  const again = await lab.opened(new URL(link).search);
  await played(again);
  assert.deepEqual(await Promise.all(['linear', 'flat'].map((variant) => scoreOf(again, variant))), scores);
});

test('a run on a table of one’s own is there again after a reload, with its rows', async () => {
  const page = await lab.opened('?task=file');
  const row = (/** @type {number} */ at) => `day ${at} was fine,${at % 2 ? 'positive' : 'negative'}`;
  const text = ['text,label', ...Array.from({ length: 200 }, (_, at) => row(at))].join('\n');
  await page.setInputFiles('#field-file', { name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.waitForSelector('.train-name');
  await page.fill('#setting-steps', '20');
  await page.fill('#setting-seeds', '1');
  await played(page);
  const score = await scoreOf(page, 'mean');
  await page.waitForSelector('[data-kept]', { state: 'attached' });
  await page.waitForFunction(() => {
    const { keeper, contest } = /** @type {any} */ (document.querySelector('attnscope-contest'));
    return Object.keys(keeper.entries[0].runs).length === contest.variants.length;
  });
  await page.reload();
  await live(page);
  await page.waitForSelector('[data-resumed]');
  assert.equal(await scoreOf(page, 'mean'), score);
  assert.equal(await page.innerText('.train-name'), 'mine.csv');
  assert.equal(await page.locator('.contest [role=alert]').count(), 0);
});

test('a run that is forgotten while it goes on is not kept again', async () => {
  const page = await lab.opened('?task=peak_day&variants=linear,flat&samples=3000&steps=2000&seeds=5');
  await page.click('.contest [data-action=play]');
  await page.waitForSelector('[data-kept]', { state: 'attached' });
  await page.click('.contest-kept summary');
  await page.click('[data-kept-run] [data-action=forget]');
  await page.waitForSelector('[data-kept]', { state: 'detached' });
  await page.waitForTimeout(2500);
  await page.click('.contest [data-action=play]');
  await page.reload();
  await live(page);
  await page.waitForTimeout(300);
  assert.equal(await page.locator('[data-kept], [data-resumed]').count(), 0);
});

test('settings that change after a run leave its scores there, and say so', async () => {
  const page = await lab.opened();
  await played(page);
  const score = await scoreOf(page, 'linear');
  await page.fill('#setting-steps', '20');
  assert.match(await page.innerText('[data-stale]'), /The settings have changed since this run/);
  assert.equal(await scoreOf(page, 'linear'), score);
});

test('a run goes back to a moment and on at another rate, which its link has', async () => {
  const page = await lab.opened();
  await played(page);
  await page.selectOption('select[name=moment]', '20');
  await page.fill('input[name=fork-lr]', 'none');
  await page.click('[data-action=fork]');
  assert.match(await page.innerText('#error-fork'), /^the rate must be a number above 0, up to 10, got "none"$/);
  await page.fill('input[name=fork-lr]', '0.001');
  await page.click('[data-action=fork]');
  await page.waitForURL((url) => url.searchParams.get('changes') === '20:0.001');
  await done(page);
  const score = await scoreOf(page, 'linear');
  const link = page.url();
  const again = await lab.opened(`${new URL(link).search}#run`);
  await done(again);
  assert.equal(await scoreOf(again, 'linear'), score);
});

test('a run is kept in this browser, named, and opened after a reload', async () => {
  const page = await lab.opened();
  await played(page);
  const score = await scoreOf(page, 'linear');
  await page.waitForSelector('[data-kept]', { state: 'attached' });
  await page.click('.contest-kept summary');
  await page.fill('.contest-name', 'my first');
  await page.locator('.contest-name').blur();
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-contest')).keeper.entries[0]?.name === 'my first'
  );
  const plain = new URL('.', page.url()).href;
  await page.goto('about:blank');
  await page.goto(plain);
  await live(page);
  await page.click('.contest-kept summary');
  assert.equal(await page.inputValue('.contest-name'), 'my first');
  await page.click('[data-kept-run] [data-action=continue]');
  await done(page);
  assert.equal(await scoreOf(page, 'linear'), score);
  assert.equal(new URL(page.url()).searchParams.get('steps'), '40');
  await page.click('[data-kept-run] [data-action=forget]');
  await page.waitForSelector('[data-kept]', { state: 'detached' });
});

test('workers that are gone without a word are noticed, and Play goes on from what is kept', async () => {
  const page = await lab.opened('?task=peak_day&variants=linear,flat&samples=3000&steps=4000&seeds=2');
  await page.addInitScript(remembersWorkers);
  await page.reload();
  await live(page);
  await page.click('.contest [data-action=play]');
  await page.waitForFunction(
    () =>
      /** @type {any} */ (document.querySelector('attnscope-contest')).keeper.entries[0]?.runs['linear 0']?.steps > 0
  );
  await endWorkers(page);
  await page.waitForSelector('.contest [role=alert]:has-text("The worker has sent nothing for")', { timeout: 60_000 });
  const step = await page.evaluate(
    () => /** @type {any} */ (document.querySelector('attnscope-contest')).keeper.entries[0].runs['linear 0'].steps
  );
  await page.click('.contest [data-action=play]');
  await page.waitForFunction(
    (least) => /** @type {any} */ (document.querySelector('attnscope-contest')).contest.step > least,
    step
  );
  assert.equal(await page.locator('.contest [role=alert]').count(), 0);
});
