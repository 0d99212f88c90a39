import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { badLabels } from './labels.js';
import { figure, goOffline, openPage } from './open-page.js';
import { SMALL, atStep, live, paused, played, press } from './training.js';

/** @typedef {import('playwright-core').Page} Page */

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/** More steps than a test waits for. */
const LONG = 'hidden_size=32&pause_every=100000';

/** @param {string} [search] @param {Parameters<typeof openPage>[0]} [options] */
async function opened(search = `?task=recall&${SMALL}`, options) {
  site = await openPage({ file: 'train/', search, live: false, ...options });
  await live(site.page);
  return site.page;
}

/** The points of the run. @param {Page} page @returns {Promise<any[]>} */
const points = (page) =>
  page.evaluate(() =>
    /** @type {any} */ (document.querySelector('attnscope-train')).player.run.history.points.map(
      (/** @type {any} */ { seen, ...point }) => ({ ...point, seen: seen && [...seen.weights.data.slice(0, 50)] })
    )
  );

/** @param {Page} page @param {string} action */
async function downloaded(page, action) {
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, action)]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

test('without JavaScript the page shows its tasks and settings, and says that nothing has run', async () => {
  site = await openPage({ file: 'train/', live: false, context: { javaScriptEnabled: false } });
  const { page } = site;
  assert.match(await page.innerText('noscript'), /needs JavaScript/);
  assert.equal(await page.inputValue('#field-hidden_size'), '32');
  assert.equal(await page.locator('#field-task option').count(), 5);
  assert.match(await page.innerText('attnscope-train'), /Nothing has run yet/);
});

/** Where each of these stands, in pixels of the page. @param {Page} page */
const places = (page) =>
  page.evaluate(() =>
    ['[data-action="play"]', '[data-chart="accuracy"] .plot', '[data-chart="loss"] .plot', 'canvas.heat'].map(
      (name) => {
        const { x, y, width, height } = /** @type {Element} */ (document.querySelector(name)).getBoundingClientRect();
        return { name, x, y, width, height };
      }
    )
  );

for (const [width, height, foot] of /** @type {const} */ ([
  [1440, 900, 0],
  [390, 844, 56]
])) {
  test(`at ${width} × ${height} the first view has Play, the curves' axes and the map of an untrained layer, and nothing moves when it plays`, async () => {
    const page = await opened('?task=recall', { context: { viewport: { width, height } } });
    for (const chart of ['accuracy', 'loss']) await page.waitForSelector(`[data-chart="${chart}"] svg`);
    await page.waitForFunction(() => document.querySelector('canvas.heat')?.clientHeight);
    const before = await places(page);
    for (const { name, x, y, width: wide, height: high } of before) {
      assert.ok(wide > 30 && high > 20, `${name} is ${wide} × ${high}`);
      assert.ok(x >= 0 && x + wide <= width, `${name} from ${x} to ${x + wide}`);
      assert.ok(y >= 0 && y + high <= height - foot, `${name} from ${y} to ${y + high}`);
    }
    for (const axis of ['rows', 'columns']) {
      const words = await page.locator(`.heat-labels.${axis} text`).allTextContents();
      assert.equal(words.length, 24);
      assert.ok(
        words.every((word) => /^[A-Z]$/.test(word)),
        `letters stay letters: ${words}`
      );
    }
    assert.deepEqual(await badLabels(page), []);
    await press(page, 'step');
    await page.waitForSelector('[data-moment="1"]');
    assert.deepEqual(await places(page), before);
  });
}

test('a button shows it fail with one layer, and another one leads back', async () => {
  const page = await opened();
  await press(page, 'contrast');
  await paused(page);
  assert.equal(await page.inputValue('#field-num_layers'), '1');
  assert.equal(await page.locator('.multiples input').count(), 2);
  await press(page, 'contrast');
  await page.waitForFunction(() => document.querySelectorAll('.multiples input').length === 4);
  await paused(page);
  assert.match(await page.innerText('[data-action="contrast"]'), /fail with one layer/);
  await page.selectOption('#field-task', 'marker');
  await page.waitForSelector('[data-action="contrast"]', { state: 'detached' });
});

test('one step at a time, as often as it is pressed; then a new beginning', async () => {
  const page = await opened();
  for (let count = 0; count < 3; count += 1) await press(page, 'step');
  await atStep(page, 3);
  await page.waitForSelector('[data-moment="3"]');
  const before = await points(page);
  await press(page, 'reset');
  assert.equal(await figure(page, 'step'), '0');
  assert.match(await page.innerText('[data-learned]'), /Nothing has run yet/);
  for (let count = 0; count < 3; count += 1) await press(page, 'step');
  await atStep(page, 3);
  await page.waitForSelector('[data-moment="3"]');
  assert.deepEqual((await points(page)).at(-1), before.at(-1));
});

test('while it plays it can be paused and goes on, and the page answers in between', async () => {
  const page = await opened(`?task=recall&${LONG}`);
  await press(page, 'play');
  // A page that trained by itself would answer nothing before the end.
  /** @type {Set<string>} */
  const seen = new Set();
  while (seen.size < 5) seen.add(await figure(page, 'step'));
  assert.ok(page.workers().length > 0, 'it trains in a worker');
  await press(page, 'play');
  await paused(page);
  const step = Number((await figure(page, 'step')).replace(',', ''));
  assert.equal((await points(page)).at(-1).step, step);
  await press(page, 'play');
  await page.waitForFunction(
    (last) =>
      Number(document.querySelector('[data-figure="step"] .figure-value')?.textContent?.replace(',', '')) > last,
    step
  );
  await press(page, 'reset');
  assert.equal(await figure(page, 'step'), '0');
});

test('the same link gives the same run, wherever it was paused, and another seed another one', async () => {
  const page = await opened();
  await played(page);
  const first = await points(page);
  await page.reload();
  await live(page);
  for (let count = 0; count < 2; count += 1) await press(page, 'step');
  await atStep(page, 2);
  await played(page);
  assert.deepEqual(await points(page), first);
  await page.fill('#field-seed', '1');
  await page.waitForURL(/seed=1/); // it follows after the edit
  assert.equal(await page.locator('[data-stale]').count(), 1);
  await played(page);
  assert.equal(await page.locator('[data-stale]').count(), 0);
  assert.notDeepEqual(await points(page), first);
});

test('the slider goes back in time: attention and answers are those of then, and the last moment follows the run', async () => {
  const page = await opened();
  await played(page);
  const shown = () =>
    page.evaluate(() =>
      String(/** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data.slice(0, 50))
    );
  const now = await shown();
  await page.focus('#moment');
  await page.keyboard.press('Home');
  await page.waitForSelector('[data-moment="0"]');
  assert.notEqual(await shown(), now);
  assert.match(await page.innerText('.train-hits'), /after step 0/);
  await page.keyboard.press('End');
  await page.waitForSelector('[data-moment="20"]');
  assert.equal(await shown(), now);
  await page.locator('.multiples input').nth(1).check();
  await page.locator('canvas.heat').focus();
  assert.match(await page.innerText('#heat-readout'), /^query 0 \([A-Z]\), key 0 \([A-Z]\): 1$/);
  const words = await page.locator('[data-example] tr').first().locator('td').allInnerTexts();
  for (const axis of ['columns', 'rows'])
    assert.deepEqual(await page.locator(`.heat-labels.${axis} text`).allTextContents(), words);
  await press(page, 'play');
  await page.waitForSelector('[data-moment="40"]');
});

test('what is not possible is refused beside its field, and neither the run nor what was entered is lost', async () => {
  const page = await opened();
  await played(page);
  await page.fill('#field-hidden_size', '15');
  assert.equal(await page.innerText('#error-num_heads'), 'num_heads must divide hidden_size (15), got 2');
  assert.equal(await page.getAttribute('[data-action="play"]', 'aria-disabled'), 'true');
  await page.click('[data-action="play"]', { force: true });
  assert.equal(await figure(page, 'step'), '20');
  await page.waitForURL(/hidden_size=15/); // it follows after the edit
  await page.fill('#field-hidden_size', '16');
  assert.equal(await page.locator('.field-error:visible').count(), 0);
  assert.equal(await page.locator('[data-stale]').count(), 0);
  await press(page, 'play');
  await atStep(page, 40);
  await page.fill('#field-lr', 'quick');
  assert.equal(await page.innerText('#error-lr'), 'optimizer.lr must be a number from 0 to 1000000, got "quick"');
  assert.equal(await page.getAttribute('#field-lr', 'aria-invalid'), 'true');
  await page.reload();
  await live(page);
  assert.equal(await page.inputValue('#field-lr'), 'quick');
  assert.match(await page.innerText('#error-lr'), /got "quick"/);
});

test('a run whose loss leaves the range of numbers stops with the reason, and stays', async () => {
  const page = await opened('?task=marker&optimizer=sgd&lr=1e6');
  await press(page, 'play');
  await page.waitForSelector('.train-control [role=alert]');
  assert.match(await page.innerText('.train-control [role=alert]'), /finite/);
  assert.equal(await page.innerText('[data-action="play"]'), 'Play');
  assert.ok(Number(await figure(page, 'step')) > 0, 'the steps before');
  assert.ok((await points(page)).length > 0);
});

test('a layer that needs more memory than there is says so, and which sizes fit', async () => {
  const page = await opened('?task=recall&hidden_size=4096&batch_size=64');
  assert.match(await page.innerText('[data-needs]'), /needs [\d.]+\sGiB; 3\.5\sGiB is the limit/);
  assert.equal(await page.getAttribute('[data-action="play"]', 'aria-disabled'), 'true');
  const [, largest] = /hidden_size that fits, ([\d,]+)/.exec(await page.innerText('[data-fit="hidden_size"]')) ?? [];
  await page.click('[data-fit="hidden_size"]');
  await page.waitForSelector('[data-needs]', { state: 'detached' });
  assert.equal(await page.inputValue('#field-hidden_size'), largest.replace(',', ''));
  assert.equal(await page.getAttribute('[data-action="play"]', 'aria-disabled'), 'false');
});

test('figures beside a run are those of the run, also when the settings are others', async () => {
  const page = await opened();
  await played(page);
  const memory = await page.innerText('[data-figure="memory"]');
  await page.fill('#field-hidden_size', '64');
  await page.waitForSelector('[data-stale]');
  assert.equal(await page.innerText('[data-figure="memory"]'), memory);
  assert.equal(await page.locator('.stale [data-figure="memory"]').count(), 1, 'dimmed');
});

test('what the address says and the page does not know is said, not left out in silence', async () => {
  const page = await opened('?task=chess');
  assert.match(await page.innerText('#error-task'), /task must be one of recall, .* got chess/);
  await page.goto(`${site.site.url}train/?task=recall&hidden_sise=64`);
  await live(page);
  assert.match(await page.innerText('[data-strangers]'), /hidden_sise/);
});

test('a task has settings of its own, and back leads to the one before', async () => {
  const page = await opened(`?task=recall&${SMALL}`);
  await page.selectOption('#field-task', 'marker');
  await page.waitForURL(/task=marker/); // it follows after the edit
  assert.equal(await page.inputValue('#field-seq_len'), '8');
  assert.equal(await page.locator('#field-dropout').count(), 1);
  assert.equal(await page.locator('#field-num_layers').count(), 0);
  assert.equal(await page.inputValue('#field-seed'), '0', 'the seed is not emptied');
  await page.goBack();
  await page.waitForSelector('#field-num_layers');
  assert.equal(await page.inputValue('#field-seq_len'), '12');
  assert.equal(await page.inputValue('#field-task'), 'recall');
});

for (const [task, least] of /** @type {const} */ ([
  ['recall', 90],
  ['marker', 90]
])) {
  test(`${task} is learned with the default settings, and the page says so`, async () => {
    const page = await opened(`?task=${task}`);
    await played(page);
    const reached = parseInt(await figure(page, 'accuracy'), 10);
    assert.ok(reached >= least, `${reached} %`);
    assert.match(await page.innerText('[data-learned]'), /has learned the rule/);
    if (task === 'marker') {
      const [, wanted, said] = /is (\w).*says (\w)/.exec(await page.innerText('[data-example]')) ?? [];
      assert.equal(said, wanted);
    }
  });
}

test('weights and the run can be taken away', async () => {
  const page = await opened();
  await played(page);
  const weights = await downloaded(page, 'weights');
  assert.equal(weights.name, 'recall-20.safetensors');
  const length = Number(weights.bytes.readBigUInt64LE(0));
  const { __metadata__: metadata, ...header } = JSON.parse(weights.bytes.subarray(8, 8 + length).toString());
  assert.equal(metadata.layer, 'decoder');
  assert.deepEqual(header['model.embed_tokens.weight'].shape, [26, 16]);
  assert.equal(weights.bytes.length, 8 + length + /** @type {any} */ (Object.values(header).at(-1)).data_offsets[1]);
  const run = await downloaded(page, 'run');
  assert.equal(run.name, 'recall.csv');
  const lines = run.bytes.toString().trim().split('\r\n');
  assert.match(
    lines[0],
    /^step,loss,accuracy,held_loss,held_accuracy,gradient_norm,gradient_norm\.model\.embed_tokens\.weight,/
  );
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(',')[0]),
    ['0', '5', '10', '15', '20']
  );
  assert.equal(lines[1].split(',')[5], '', 'no gradient before the first step');
});

for (const [colorScheme, width, height] of /** @type {const} */ ([
  ['light', 390, 844],
  ['dark', 1280, 800]
])) {
  test(`axe finds nothing before, with something wrong, and after, and nothing is wider than the screen, ${colorScheme}, ${width} wide`, async () => {
    const page = await opened(undefined, {
      context: { colorScheme, viewport: { width, height }, reducedMotion: 'reduce' }
    });
    assert.deepEqual(await violations(page), []);
    await page.locator('[data-action="play"]').focus();
    await page.keyboard.press('Enter');
    await paused(page);
    assert.ok(await page.locator('[data-action="play"]').evaluate((button) => button === document.activeElement));
    await page.click('.train-table summary');
    await page.waitForSelector('.train-table tbody tr');
    assert.deepEqual(await violations(page), []);
    await page.waitForSelector('[data-chart="loss"] svg');
    assert.deepEqual(await badLabels(page), []);
    if (width < 850) await page.click('.train-settings summary');
    await page.fill('#field-batch_size', 'many');
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  });
}

test('from the calculator to the training page, which works without a network', async () => {
  site = await openPage({ context: { serviceWorkers: 'allow' } });
  const { page } = site;
  await page.click('.doors >> text=Run');
  await page.click('.subnav >> text=Train');
  await live(page);
  assert.equal(await page.locator('.subnav [aria-current=page]').innerText(), 'Train');
  await goOffline(site);
  await page.goto(`${site.site.url}train/?task=recall&${SMALL}`);
  await live(page);
  await played(page);
  assert.equal(await figure(page, 'step'), '20');
});
