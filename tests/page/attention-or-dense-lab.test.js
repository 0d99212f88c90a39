// The lab "Attention or dense" below its first screen: up to six layers on a task, and what came of them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { OVER_LSTM } from '../../web/plain/attention-or-dense/variants.js';
import { violations } from './axe.js';
import { Lab, SMALL, done, played, scoreOf } from './contest-lab.js';

const lab = new Lab();

test('without JavaScript the first task says what should happen, and its layers stand there with their sizes', async () => {
  const page = await lab.static();
  assert.match(await page.innerText('[data-before]'), /^On one day, another in each example/);
  assert.equal(await page.locator('.contest-table tbody tr').count(), 6);
  assert.match(await page.innerText('.contest-table [data-variant=linear]'), /27/);
});

test('on a phone the scores are in sight, with the sizes under the names', async () => {
  const page = await lab.opened(SMALL, { context: { viewport: { width: 390, height: 844 } } });
  const room = await page
    .locator('[aria-label=Variants]')
    .evaluate((scroller) => scroller.clientWidth - scroller.scrollWidth);
  assert.equal(room, 0);
  assert.match(await page.innerText('.contest-table [data-variant=linear]'), /27\u00a0parameters, 496\u00a0MACs/);
});

test('what a link asks for and cannot have is said, and so is what is typed wrong', async () => {
  const page = await lab.opened('?task=peak_day&steps=0&colour=red');
  assert.match(
    await page.innerText('[data-left-out]'),
    /steps must be an integer from 1 to 10000, got 0; this task has no setting colour/
  );
  await page.fill('#setting-lr', 'fast');
  assert.match(await page.innerText('#error-lr'), /^lr must be a number above 0, up to 10, got "fast"$/);
  assert.equal(await page.getAttribute('.contest [data-action=play]', 'aria-disabled'), 'true');
});

test('layers are chosen, six at most, and one that does not fit says why', async () => {
  const page = await lab.opened('?task=births');
  await page.click('.contest-chooser summary');
  assert.match(await page.innerText('.contest-chooser li:has([value=heads])'), /Does not fit: its 2 heads/);
  assert.equal(await page.isDisabled('.contest-chooser [value=heads]'), true);
  assert.equal(await page.isDisabled('.contest-chooser [value=mean]'), true, 'there are six');
  await page.uncheck('.contest-chooser [value=flat]');
  await page.check('.contest-chooser [value=mean]');
  assert.equal(await page.locator('.contest-table [data-variant=mean]').count(), 1);
  assert.match(new URL(page.url()).searchParams.get('variants') ?? '', /mean$/);
});

test('layers over an LSTM are one press away, and so are those with which the task opens', async () => {
  const page = await lab.opened('?task=which_day');
  await page.click('.contest-chooser summary');
  const names = () =>
    page.$$eval('.contest-table [data-variant]', (rows) => rows.map((row) => row.getAttribute('data-variant')));
  const before = await names();
  await page.click('text=Over an LSTM');
  await page.waitForSelector('.contest-table [data-variant=lstm]');
  assert.deepEqual(await names(), OVER_LSTM);
  assert.equal(new URL(page.url()).searchParams.get('variants'), OVER_LSTM.join());
  assert.equal(await page.getAttribute('text=Over an LSTM', 'aria-pressed'), 'true');
  await page.click('text=As the task opens');
  await page.waitForSelector('.contest-table [data-variant=position]');
  assert.deepEqual(await names(), before);
});

test('the tanh of a time-step layer is a switch', async () => {
  const page = await lab.opened('?task=which_day&variants=timestep,flat');
  await page.selectOption('.contest-tanh', 'timestep_none');
  await page.waitForSelector('.contest-table [data-variant=timestep_none]');
  assert.equal(new URL(page.url()).searchParams.get('variants'), 'timestep_none,flat');
});

test('a step at a time, then on, and from the beginning', async () => {
  const page = await lab.opened();
  await page.click('.contest [data-action=step]');
  await page.waitForSelector('.contest-progress[data-step="1"]');
  await page.click('.contest [data-action=step]');
  await page.waitForSelector('.contest-progress[data-step="2"]');
  await played(page);
  assert.equal(await page.getAttribute('.contest-progress', 'data-step'), '40');
  await page.click('.contest [data-action=reset]');
  await page.waitForSelector('.contest-progress[data-step="0"]');
});

test('every two layers are compared in one matrix, and their sentences name its numbers', async () => {
  const page = await lab.opened('?task=peak_day&variants=linear,additive,dense,flat&samples=300&steps=60&seeds=3');
  await played(page);
  assert.equal(await page.locator('.differences [data-pair]').count(), 6);
  const interval = (await page.locator('.differences [data-pair] small').allInnerTexts()).join(' ');
  assert.match(interval, /[+−]?\d+\.\d to [+−]?\d+\.\d/);
  assert.match(await page.innerText('#contest-method'), /paired t over 3 seeds\. All 6 intervals hold together/);
});

test('a question of the title runs by a press, with the scores that it names, and leads to the guide', async () => {
  const page = await lab.opened('');
  const question = page.locator('[data-question=why-tanh]');
  await question.locator('[data-action=run-question]').click();
  await page.waitForURL(/task=which_day&variants=timestep%2Ctimestep_none%2Cflat/);
  await done(page);
  for (const variant of ['timestep', 'timestep_none'])
    assert.equal(
      (await scoreOf(page, variant)).replaceAll(/\s/g, ''),
      (await question.locator(`[data-side=${variant}] dd`).innerText()).replaceAll(/\s/g, '')
    );
  await question.locator('text=In the guide').click();
  await page.waitForURL(/guide\/#why-tanh$/);
  assert.match(await page.innerText('#why-tanh'), /^Why the tanh\?/);
});

test('layers speak of letters where steps are letters, and what a task foretells follows its rule', async () => {
  const page = await lab.opened(
    '?task=first_names&variants=dense,transformer,flat&budget=500&samples=300&steps=5&seeds=1'
  );
  const row = (/** @type {string} */ name) => page.innerText(`.contest-table [data-variant=${name}] th`);
  assert.match(await row('dense'), /Dense on each letter/);
  assert.match(await row('flat'), /one weight for each number of each letter A linear layer stands in front, 1 wide\./);
  await played(page);
  await page.waitForSelector('[data-looks="1"] .day-bars');
  assert.match(await page.innerText('[data-looks="1"]'), /from each letter to each: see the tensors/);
  await page.selectOption('.tensor-controls select >> nth=0', 'transformer');
  await page.waitForFunction(() => /weights/.test(document.querySelector('select[name=tensor]')?.textContent ?? ''));
  await page.locator('input[name=looks-of][value=own]').check({ force: true });
  assert.match((await page.textContent('.looks-head')) ?? '', /of the lead of the class that it says, in logits/);
  await page.selectOption('#contest-task', 'which_day');
  await page.waitForSelector('[data-before]:has-text("Yesterday and five days ago decide, the rest is noise")');
  await page.locator('input[value=rise]').check({ force: true });
  await page.waitForSelector('[data-before]:has-text("one head cannot subtract a day from another")');
});

test('what each looks at is drawn alike for all, averaged and for one example', async () => {
  const page = await lab.opened();
  await played(page);
  await page.locator('input[name=looks-of][value=all]').check({ force: true });
  await page.waitForSelector('[data-looks="1"] .day-bars');
  assert.equal(await page.locator('[data-looks="0"] .day-bars').count(), 3);
  assert.equal(await page.locator('[data-looks="1"] .day-bars').count(), 2, 'a dense layer has no weights');
  assert.match(await page.innerText('[data-looks="0"]'), /on the days that decide/);
  await page.locator('input[name=looks-of][value=one]').check({ force: true });
  await page.waitForSelector('[data-looks="0"] .marked');
  const about = await page.innerText('.looks-about');
  assert.match(about, /^Example 1, right is class [01]$/);
  await page.click('[data-action=example-after]');
  await page.waitForFunction((before) => document.querySelector('.looks-about')?.textContent !== before, about);
});

test('any tensor and its gradient are drawn', async () => {
  const page = await lab.opened();
  await page.click('.contest [data-action=step]');
  await page.waitForSelector('[data-tensor-step="1"]');
  const names = await page.locator('select[name=tensor] option').allInnerTexts();
  assert.ok(names.length > 5, names.join());
  await page.locator('input[name=tensor-gradient]').check();
  await page.waitForFunction(() =>
    document.querySelector('[data-tensor-step]')?.textContent?.startsWith('The gradient of the loss')
  );
  await page.selectOption('select[name=tensor]', 'features');
  await page.waitForFunction(() =>
    document.querySelector('[data-tensor-step]')?.textContent?.includes('the right class')
  );
  await page.click('.contest [data-action=step]');
  await page.waitForSelector('[data-tensor-step="2"]');
});

test('a word of one’s own is read letter by letter, and each layer says what it makes of it', async () => {
  const page = await lab.opened('?task=first_names&variants=linear_position,flat&steps=30&seeds=1');
  await played(page);
  await page.locator('input[name=looks-of][value=own]').check({ force: true });
  await page.fill('#looks-text', 'Anna');
  await page.waitForFunction(
    () => document.querySelectorAll('[data-looks="0"] .looks-words:first-of-type span').length >= 4
  );
  assert.match(await page.innerText('[data-looks="1"]'), /says (women|men)’s names, \d+/);
});

test('rules that are no layers stand beside the layers of births', async () => {
  const page = await lab.opened('?task=births&variants=flat,position&steps=20&seeds=1');
  await played(page);
  await page.waitForSelector('[data-opponent]');
  assert.match(await page.innerText('.contest-table .opponent:last-child'), /Least squares[\s\S]*7\.19/);
});

test('scores and curves are downloaded as tables, once there are some', async () => {
  const page = await lab.opened();
  for (const table of ['scores', 'curves']) {
    assert.equal(await page.getAttribute(`[data-action=${table}-csv]`, 'aria-disabled'), 'true', table);
  }
  await played(page);
  const linesOf = async (/** @type {string} */ table) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click(`[data-action=${table}-csv][aria-disabled=false]`)
    ]);
    assert.equal(download.suggestedFilename(), `peak_day-${table}.csv`);
    return readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
  };
  const [head, ...scores] = await linesOf('scores');
  assert.match(head, /^variant,parameters,macs,seed,score,decisive,/);
  assert.deepEqual(
    scores.map((line) => line.split(',').slice(0, 2).join()),
    ['linear,27', 'linear,27', 'flat,482', 'flat,482']
  );
  const [columns, ...points] = await linesOf('curves');
  assert.equal(columns, 'variant,seed,step,loss,held_loss,score');
  assert.equal(points.length, 2 * 2 * 41);
});

test('the script of PyTorch’s is there, with the losses that were found here', async () => {
  const page = await lab.opened();
  await played(page);
  await page.click('summary:has-text("The script")');
  await page.waitForSelector('.contest pre code');
  assert.match(await page.innerText('.contest pre code'), /torch\.optim\.Adam/);
});

test('axe finds nothing after a run, and nothing is wider than a phone', async () => {
  for (const [colorScheme, width] of /** @type {const} */ ([
    ['dark', 390],
    ['light', 1440]
  ])) {
    const page = await lab.opened(SMALL, {
      context: { colorScheme, viewport: { width, height: 844 }, reducedMotion: 'reduce' }
    });
    await played(page);
    await page.waitForSelector('[data-tensor-step="40"]');
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }
});

test('long names of layers are no wider than the smallest phone', async () => {
  const page = await lab.opened('?task=which_day&variants=timestep,timestep_none,flat&seeds=2&steps=20', {
    context: { viewport: { width: 320, height: 700 } }
  });
  await played(page);
  await page.waitForSelector('[data-tensor-step="20"]');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
});
