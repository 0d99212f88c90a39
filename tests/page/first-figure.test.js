// A page asks for its files in the order in which its first figure needs them: a slow line carries all of them at once.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { CORES, LIVE, MODULES, holdBack, kept, openPage, until } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
/** Lets in what still waits. */
let letIn = () => {};
afterEach(() => {
  letIn();
  return site.close();
});

const BEFORE_PAINT = /\/before-paint-[^/]*\.js$/;
const STYLES = /\.css$/;
const FONTS = /\.woff2$/;
/** What draws curves of runs, with Plot. */
const CURVES = /\/curves-[^/]*\.js$/;

/**
 * Opens a page whose files `held` wait until they are let in.
 * @param {string} address @param {RegExp} held
 * @param {import('playwright-core').BrowserContextOptions & { withoutRelaxed?: boolean, isolated?: boolean }} [options]
 */
async function opened(address, held, { withoutRelaxed = false, isolated = true, ...context } = {}) {
  site = await openPage({ file: 'icon.svg', live: false, isolated, context });
  const { page } = site;
  letIn = await holdBack(page, held);
  if (withoutRelaxed) await page.addInitScript(refuseRelaxed);
  /** @type {string[]} */
  const asked = [];
  site.context.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(site.site.url + address, { waitUntil: 'commit' });
  return { page, of: (/** @type {RegExp} */ files) => asked.filter((path) => files.test(path)) };
}

/** Makes the page's engine one without relaxed SIMD, whose instructions begin with these bytes. */
function refuseRelaxed() {
  const { validate } = WebAssembly;
  WebAssembly.validate = (bytes) => {
    const text = new Uint8Array(/** @type {ArrayBuffer} */ (bytes)).join();
    return !/\b253,1[2-9]\d,2\b/.test(text) && validate(bytes);
  };
}

test('while the script before the first paint is on its way, the styles and the modules are, too', async () => {
  for (const file of ['', 'run/', 'train/', 'labs/masks/', 'guide/']) {
    const { of } = await opened(file, BEFORE_PAINT, { serviceWorkers: 'block' });
    await until(() => of(STYLES).length > 0 && of(MODULES).length > 0, file);
    assert.equal(of(BEFORE_PAINT).length, 1, file);
    letIn();
    await site.close();
  }
});

for (const [build, engine] of /** @type {const} */ ([
  ['relaxed-threads', {}],
  ['relaxed', { isolated: false }],
  ['simd-threads', { withoutRelaxed: true }],
  ['simd', { withoutRelaxed: true, isolated: false }]
]))
  test(`the core is on its way before any module runs, as the build that the page opens: ${build}`, async () => {
    const { page, of } = await opened('', MODULES, { serviceWorkers: 'block', ...engine });
    await until(() => of(CORES).length > 0, 'no .wasm');
    letIn();
    await page.waitForSelector(LIVE, { state: 'attached' });
    assert.equal(of(CORES).length, 1);
    assert.match(of(CORES)[0], new RegExp(`/${build}-[\\w-]{8}\\.wasm$`));
    assert.deepEqual(site.problems.violations, []);
  });

/** Whether the three layers of the lab's first screen learn, each in a worker. */
const isLearning = () => /** @type {any} */ (document.querySelector('attnscope-minute'))?.learned?.length === 3;

test('a page and its workers take one build of the core, with threads and without', async () => {
  for (const [file, isReady] of /** @type {const} */ ([
    ['run/', () => document.querySelector('[data-run="fresh"]') !== null],
    ['labs/attention-or-dense/', isLearning]
  ])) {
    const { page, of } = await opened(file, BEFORE_PAINT, { serviceWorkers: 'block' });
    letIn();
    await page.waitForFunction(isReady);
    assert.ok(of(CORES).length > 1, file);
    assert.equal(new Set(of(CORES)).size, 1, file);
    await site.close();
  }
});

test('curves are drawn after the first view, and those of a lab when they come near', async () => {
  const train = await opened('train/', CORES, { serviceWorkers: 'block' });
  await train.page.waitForSelector('.theme:not([hidden])', { state: 'attached' });
  assert.deepEqual(train.of(CURVES), []);
  letIn();
  await train.page.waitForSelector('[data-chart=loss] svg');
  await site.close();
  const { page, of } = await opened('labs/attention-or-dense/', BEFORE_PAINT, { serviceWorkers: 'block' });
  letIn();
  await page.waitForFunction(isLearning);
  assert.deepEqual(of(CURVES), []);
  await page.locator('.contest-curves').scrollIntoViewIfNeeded();
  await until(() => of(CURVES).length > 0, 'the module that draws curves');
});

test('a page that opens no core at once loads none', async () => {
  for (const file of ['guide/', 'labs/']) {
    const { page, of } = await opened(file, BEFORE_PAINT, { serviceWorkers: 'block' });
    letIn();
    await page.waitForSelector('html[data-fonts]', { state: 'attached' });
    assert.deepEqual(of(CORES), [], file);
    await site.close();
  }
});

test('fonts and the files for offline use come after the figure; the next page has the fonts from the start', async () => {
  const { page, of } = await opened('', CORES, { serviceWorkers: 'allow' });
  await page.waitForLoadState('load');
  await page.waitForSelector('.theme:not([hidden])', { state: 'attached' });
  const isKept = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistration()) !== undefined);
  assert.deepEqual(of(FONTS), []);
  assert.equal(await isKept(), false);
  letIn();
  await page.waitForSelector(LIVE, { state: 'attached' });
  await page.waitForSelector('html[data-fonts]', { state: 'attached' });
  assert.equal(new Set(of(FONTS)).size, 2);
  await until(async () => (await kept(page)).some((address) => CORES.test(address)), 'the core is kept');
  const cores = (await kept(page)).filter((address) => CORES.test(address));
  assert.deepEqual(
    cores.map((address) => new URL(address).pathname),
    [...new Set(of(CORES))]
  );
  const next = await site.context.newPage();
  await next.goto(`${site.site.url}guide/`, { waitUntil: 'commit' });
  await next.waitForSelector('body');
  assert.equal(await next.evaluate(() => document.documentElement.dataset.fonts), '');
});

test('where a visitor saves data, nothing is kept for offline use', async () => {
  const { page } = await opened('guide/', BEFORE_PAINT, { serviceWorkers: 'allow' });
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } });
  });
  await page.goto(`${site.site.url}labs/`, { waitUntil: 'commit' });
  letIn();
  await page.waitForSelector('html[data-fonts]', { state: 'attached' }); // put on after the worker is registered
  assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()) === undefined), true);
});

test('a host that sends no policy gets the one of the page', async () => {
  site = await openPage({ isolated: false, context: { serviceWorkers: 'block' } });
  const { page, problems } = site;
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.documentElement.dataset.ran = ""';
    document.head.append(script);
  });
  assert.equal(await page.locator('html[data-ran]').count(), 0);
  assert.match(problems.violations.join(), /^script-src-elem inline/);
});
