// The training page keeps a run in the browser: after a reload it goes on with the same bits.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { openPage } from './open-page.js';
import { endWorkers, remembersWorkers } from './workers.js';

/** @typedef {import('playwright-core').Page} Page */

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const SMALL = 'hidden_size=16&seq_len=12&batch_size=8';

/** @param {string} search @param {Parameters<typeof openPage>[0]} [options] */
async function opened(search, options) {
  site = await openPage({ file: 'train/', search, live: false, ...options });
  await live(site.page);
  return site.page;
}

/** @param {Page} page */
const live = (page) =>
  page.waitForFunction(() => /** @type {any} */ (document.querySelector('attnscope-train'))?.hasUpdated);

/** @param {Page} page @param {number} step */
const atStep = (page, step) => page.waitForSelector(`[data-figure="step"] .figure-value:text-is("${step}")`);

/** Plays until it pauses by itself, and the run is kept. @param {Page} page @param {number} step */
async function playedTo(page, step) {
  await page.click('[data-action="play"]');
  await page.waitForSelector('attnscope-train [role=status]:has-text("Paused.")', { state: 'attached' });
  await page.waitForSelector(`[data-kept-step="${step}"]`);
}

/** @param {Page} page */
async function reloaded(page) {
  await page.reload();
  await live(page);
}

/** Everything that has been recorded. @param {Page} page @returns {Promise<any[]>} */
const points = (page) =>
  page.evaluate(() =>
    /** @type {any} */ (document.querySelector('attnscope-train')).player.run.history.points.map(
      (/** @type {any} */ { seen, ...point }) => ({
        ...point,
        seen:
          seen &&
          JSON.stringify(seen, (_, value) => (ArrayBuffer.isView(value) ? [.../** @type {any} */ (value)] : value))
      })
    )
  );

/** The bytes of the weights. @param {Page} page */
const weights = (page) =>
  page.evaluate(async () =>
    JSON.stringify(await /** @type {any} */ (document.querySelector('attnscope-train')).player.weights(), (_, value) =>
      ArrayBuffer.isView(value) ? [.../** @type {any} */ (value)] : value
    )
  );

for (const search of [
  `?task=recall&${SMALL}`,
  `?task=marker&dropout=0.3&hidden_size=16&batch_size=8`,
  '?task=table&file=example-reviews.csv&dropout=0.3&hidden_size=16&batch_size=8'
]) {
  test(`10 steps, a reload and 10 more are 20 at a stretch, to the bit: ${search}`, async () => {
    const page = await opened(`${search}&pause_every=20`);
    if (search.includes('file=')) await page.waitForSelector('[data-report]:has-text("rows used")');
    await playedTo(page, 20);
    const straight = [await points(page), await weights(page)];
    await page.click('[data-action="forget"]');
    await page.waitForSelector('[data-kept]:has-text("you had it forgotten")');
    await page.fill('#field-pause_every', '10');
    await page.waitForURL(/pause_every=10/);
    await page.click('[data-action="reset"]');
    assert.equal(await page.locator('[data-action="continue"]').count(), 0);
    await playedTo(page, 10);
    await reloaded(page);
    await page.click('[data-kept-here] [data-action="continue"]');
    await atStep(page, 10);
    assert.match(await page.innerText('[data-learned]'), /^After 10 steps/);
    await playedTo(page, 20);
    assert.deepEqual([await points(page), await weights(page)], straight);
  });
}

test('a reload in the middle of a training goes on from what was kept last', async () => {
  const page = await opened('?task=recall&hidden_size=32&pause_every=100000');
  await page.click('[data-action="play"]');
  const step = Number(await (await page.waitForSelector('[data-kept-step]')).getAttribute('data-kept-step'));
  await reloaded(page);
  const text = await page.innerText('[data-kept-here]');
  const kept = Number(/step ([\d,]+)/.exec(text)?.[1].replace(',', ''));
  assert.ok(kept >= step, `${kept} of ${step}`);
  assert.match(text, /A run with these settings is kept in this browser: step [\d,]+, \d+\s%/);
  await page.click('[data-kept-here] [data-action="continue"]');
  await page.waitForFunction(
    (from) => Number(document.querySelector('[data-figure="step"] .figure-value')?.textContent) > from,
    kept
  );
  assert.equal(await page.innerText('[data-action="play"]'), 'Pause', 'it goes on by itself');
  await page.click('[data-action="play"]');
  assert.ok((await points(page)).some((point) => point.step === kept));
});

test('Play begins anew, and does not take the place of a run that is further on', async () => {
  const page = await opened(`?task=recall&${SMALL}&pause_every=20`);
  await playedTo(page, 20);
  const before = await points(page);
  await reloaded(page);
  await page.click('[data-action="step"]');
  await atStep(page, 1);
  await page.waitForSelector('[data-kept-step="20"]'); // still the one before
  await page.click('[data-action="reset"]');
  await page.click('[data-kept-here] [data-action="continue"]');
  await atStep(page, 20);
  assert.deepEqual(await points(page), before);
});

test('after a change of page a kept run of other settings is named with its own, and is gone on with in those', async () => {
  const page = await opened(`?task=recall&${SMALL}&seed=3&pause_every=20`);
  await playedTo(page, 20);
  await page.click('.doors >> text=Labs');
  await page.waitForURL(/labs/);
  await page.goto(`${site.site.url}train/?task=marker`);
  await live(page);
  await page.waitForSelector('[data-kept-others]');
  assert.equal(await page.locator('[data-kept-here]').count(), 0);
  await page.click('[data-kept-others] summary');
  assert.match(
    await page.innerText('[data-kept-run="recall"]'),
    /^Copy and recall\n.*, step 20, \d+\s% of the held-out data right/
  );
  await page.click('[data-kept-run="recall"] [data-action="continue"]');
  await atStep(page, 20);
  assert.equal(await page.inputValue('#field-seed'), '3');
  assert.match(page.url(), /task=recall.*seed=3/);
  await page.goBack();
  await page.waitForURL(/task=marker/);
});

test('a kept run on a file has its rows', async () => {
  const rows = Array.from({ length: 40 }, (_, at) => `"a ${at % 2 ? 'good' : 'bad'} day",${at % 2 ? 'up' : 'down'}\n`);
  const page = await opened('?task=table&hidden_size=16&batch_size=8&pause_every=20');
  await page.setInputFiles('#field-file', {
    name: 'mine.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`text,label\n${rows.join('')}`)
  });
  await page.waitForSelector('[data-report]:has-text("40 rows used")');
  await playedTo(page, 20);
  await reloaded(page);
  assert.match(await page.innerText('[data-missing]'), /mine\.csv/);
  await page.click('[data-kept-here] [data-action="continue"]');
  await atStep(page, 20);
  assert.equal(await page.innerText('.train-name'), 'mine.csv');
  await playedTo(page, 40);
  await page.click('[data-action="forget"]');
  await page.waitForSelector('[data-kept]:has-text("you had it forgotten")');
  const left = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('attnscope-train');
        opening.onsuccess = () => {
          const stores = [...opening.result.objectStoreNames];
          const transaction = opening.result.transaction(stores);
          const counts = stores.map((name) => transaction.objectStore(name).count());
          transaction.oncomplete = () => resolve(counts.map(({ result }) => result));
        };
      })
  );
  assert.deepEqual(left, [0, 0, 0], 'nothing is left of what was forgotten');
});

test('a run that another version has kept is told, and cannot go on', async () => {
  const page = await opened(`?task=recall&${SMALL}&pause_every=20`);
  await playedTo(page, 20);
  await change(page, 'runs', 'format', 0);
  await reloaded(page);
  await page.waitForSelector('[data-kept-here]:has-text("Another version of this page has kept it")');
  assert.equal(await page.locator('[data-action="continue"]').count(), 0);
  await change(page, 'runs', 'format', 1);
  await change(page, 'states', 'state.data', '00000000');
  await reloaded(page);
  await page.click('[data-action="continue"]');
  await page.waitForSelector('.train-control [role=alert]:has-text("kept by another version of the page")');
  assert.equal(await page.innerText('[data-figure="step"] .figure-value'), '0');
  await page.click('[data-action="step"]');
  await atStep(page, 1); // and the page goes on
});

/**
 * Writes another value into the one record of a store.
 * @param {Page} page @param {string} store @param {string} field @param {unknown} value
 */
const change = (page, store, field, value) =>
  page.evaluate(
    ([name, path, written]) =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open('attnscope-train');
        opening.onsuccess = () => {
          const transaction = opening.result.transaction([name], 'readwrite');
          const cursor = transaction.objectStore(name).openCursor();
          cursor.onsuccess = () => {
            const record = cursor.result?.value;
            const names = path.split('.');
            const last = /** @type {string} */ (names.pop());
            names.reduce((one, part) => one[part], record)[last] = written;
            cursor.result?.update(record);
          };
          transaction.oncomplete = () => {
            opening.result.close();
            resolve(null);
          };
          transaction.onabort = reject;
        };
      }),
    /** @type {[string, string, any]} */ ([store, field, value])
  );

for (const [what, script, message] of /** @type {[string, () => void, RegExp][]} */ ([
  [
    'a browser without storage',
    () => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }),
    /does not let the page keep anything \(NotSupportedError/
  ],
  [
    'denied storage',
    () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('access was denied', 'SecurityError');
      };
    },
    /does not let the page keep anything \(SecurityError: access was denied\)/
  ]
])) {
  test(`${what} is told, and training goes on`, async () => {
    site = await openPage({ live: false });
    const { page } = site;
    await page.addInitScript(script);
    await page.goto(`${site.site.url}train/?task=recall&${SMALL}&pause_every=20`);
    await live(page);
    assert.match(await page.innerText('[data-kept-problem]'), message);
    await page.click('[data-action="play"]');
    await page.waitForSelector('attnscope-train [role=status]:has-text("Paused.")', { state: 'attached' });
    await atStep(page, 20);
  });
}

test('a full storage is told, the run goes on, and is kept once there is room', async () => {
  const page = await opened(`?task=recall&${SMALL}&pause_every=20`);
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(site.site.url);
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
  await page.click('[data-action="play"]');
  await page.waitForSelector('[data-kept-problem]:has-text("This run is not kept: a reload ends it. The storage")');
  await atStep(page, 20);
  await session.send('Storage.overrideQuotaForOrigin', { origin });
  await playedTo(page, 40);
  assert.equal(await page.locator('[data-kept-problem]').count(), 0);
});

for (const [colorScheme, width, height] of /** @type {const} */ ([
  ['light', 390, 844],
  ['dark', 1280, 800]
])) {
  test(`by keyboard, axe finds nothing in what is kept, ${colorScheme}, ${width} wide`, async () => {
    const page = await opened(`?task=marker&hidden_size=16&batch_size=8&pause_every=20`, {
      context: { colorScheme, viewport: { width, height }, reducedMotion: 'reduce' }
    });
    await playedTo(page, 20);
    await page.goto(`${site.site.url}train/?task=recall&${SMALL}&pause_every=20`);
    await live(page);
    await playedTo(page, 20);
    await reloaded(page);
    await page.click('[data-kept-others] summary');
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.focus('[data-kept-here] [data-action="continue"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-kept-step="20"]');
    assert.ok(await page.locator('[data-action="play"]').evaluate((button) => button === document.activeElement));
    assert.deepEqual(await violations(page), []);
  });
}

for (const event of ['pagehide', 'visibilitychange'])
  test(`a training is kept as it is by then when the page is left: ${event}`, async () => {
    const page = await opened('?task=recall&hidden_size=32&pause_every=100000');
    await page.click('[data-action="play"]');
    await page.waitForSelector('[data-kept-step]'); // at once
    const step = await page.evaluate((name) => {
      const { player, keeper } = /** @type {any} */ (document.querySelector('attnscope-train'));
      keeper.tick = () => {}; // what keeps it now and then
      return new Promise((resolve) => {
        const later = setInterval(() => {
          if (player.step < 100) return;
          clearInterval(later);
          if (name === 'visibilitychange') Object.defineProperty(document, 'hidden', { get: () => true });
          (name === 'pagehide' ? window : document).dispatchEvent(new Event(name));
          resolve(player.step);
        }, 10);
      });
    }, event);
    await page.waitForFunction(
      (least) => Number(document.querySelector('[data-kept-step]')?.getAttribute('data-kept-step')) >= least,
      step
    );
  });

test('where something can be gone on with, Continue is the large button', async () => {
  const page = await opened(`?task=recall&${SMALL}&pause_every=20`);
  const large = () => page.locator('.train-control .button.primary').allInnerTexts();
  assert.deepEqual(await large(), ['Play']);
  await playedTo(page, 20);
  assert.deepEqual(await large(), ['Play']);
  await reloaded(page);
  await page.waitForSelector('[data-kept-here]');
  assert.deepEqual(await large(), ['Continue']);
  const [goOn, play] = await page.evaluate(() =>
    ['continue', 'play'].map((name) => document.querySelector(`[data-action=${name}]`)?.getBoundingClientRect())
  );
  assert.ok(goOn && play && goOn.width > play.width && goOn.bottom < play.top);
  assert.deepEqual(await violations(page), []);
  await page.click('[data-action="continue"]');
  await atStep(page, 20);
  assert.deepEqual(await large(), ['Play']);
});

test('a worker that is gone without a word is noticed, and the run goes on from what is kept', async () => {
  const page = await opened(`?task=recall&${SMALL}&pause_every=20`);
  await page.addInitScript(remembersWorkers);
  await reloaded(page);
  await playedTo(page, 20);
  await page.fill('#field-pause_every', '100000');
  await page.waitForURL(/pause_every=100000/);
  await endWorkers(page);
  await page.click('[data-action="play"]');
  await page.waitForSelector('[role=alert]:has-text("The worker has sent nothing for")', { timeout: 60_000 });
  await page.click('[data-kept-here] [data-action="continue"]');
  await atStep(page, 20);
  assert.equal(await page.locator('.train-control [role=alert]').count(), 0);
  await page.click('[data-action="step"]');
  await atStep(page, 21);
});
