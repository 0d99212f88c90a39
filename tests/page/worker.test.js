// The library itself in a page, as it is and without a bundler: what a worker is for.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { headers } from '../../tools/headers.js';
import { listen } from '../loopback.js';
import { newContext } from './browser.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const HOST = '<!doctype html><html lang="en"><title>A page</title></html>';
const BARE = "'wasm-feature-detect'"; // a page's import map says nothing to a worker, so the server gives the address

/** @param {string} path */
async function fileAt(path) {
  if (path === '/') return HOST;
  const body = await readFile(join(project, path));
  return path.endsWith('.js')
    ? body.toString().replace(BARE, "'/node_modules/wasm-feature-detect/dist/esm/index.js'")
    : body;
}

/** A page at the top of the repository. @param {{ isolated: boolean }} options */
async function openHost({ isolated }) {
  const { 'Content-Security-Policy': policy } = headers;
  const site = await listen(async (path) => ({
    headers: isolated ? headers : { 'Content-Security-Policy': policy },
    type: extname(path) || '.html',
    body: await fileAt(path)
  }));
  const context = await newContext();
  const page = await context.newPage();
  /** @type {string[]} */
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(site.url);
  after(async () => {
    await context.close();
    await site.close();
  });
  return { page, errors };
}

/** What the functions below share, in the page. */
const inPage = async () => {
  const path = '/web/lib/index.js'; // the server's, not the test's
  const { open, openInWorker } = await import(path);
  /** How often a timer of the page comes to its turn while `work` is done. @param {() => unknown} work */
  const turnsDuring = async (work) => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await work();
    clearInterval(timer);
    return turns;
  };
  Object.assign(window, { open, openInWorker, turnsDuring });
};

test('a long forward in a worker leaves the timers of the page alone', async () => {
  const { page, errors } = await openHost({ isolated: true });
  await page.evaluate(inPage);
  const measured = await page.evaluate(async () => {
    const { open, openInWorker, turnsDuring } = /** @type {any} */ (window);
    const heads = { layer: 'scaled_dot_product_attention', batch_size: 1, num_heads: 12, head_dim: 64 };
    const scopes = [await open({ threads: 1 }), await openInWorker({ threads: 1 })];
    const timed = async (/** @type {any} */ scope, /** @type {number} */ length) => {
      const model = await scope.create({ ...heads, seq_len: length, kv_len: length });
      const inputs = Object.fromEntries(
        await Promise.all(['query', 'key', 'value'].map(async (name) => [name, await scope.randn([1, 12, length, 64])]))
      );
      await model.forward(inputs, { need_weights: false });
      const start = performance.now();
      const turns = await turnsDuring(() => model.forward(inputs, { need_weights: false }));
      const whole = performance.now() - start;
      await model.dispose();
      return { turns, whole };
    };
    let length = 2048;
    while ((await timed(scopes[0], length)).whole < 1000) length *= 1.5;
    return { onPage: await timed(scopes[0], length), inWorker: await timed(scopes[1], length) };
  });
  const { onPage, inWorker } = measured;
  assert.equal(onPage.turns, 0, `on the page's own thread nothing else runs: ${JSON.stringify(measured)}`);
  assert.ok(inWorker.turns >= 5, JSON.stringify(measured));
  assert.deepEqual(errors, []);
});

for (const isolated of [true, false]) {
  test(`a run in a worker gives what the page gives, and an abort rejects at once, ${isolated ? 'isolated' : 'not isolated'}`, async () => {
    const { page, errors } = await openHost({ isolated });
    await page.evaluate(inPage);
    const seen = await page.evaluate(async () => {
      const { open, openInWorker } = /** @type {any} */ (window);
      const config = { layer: 'multihead_attention', batch_size: 1, seq_len: 3072, hidden_size: 256, num_heads: 16 };
      const small = { ...config, seq_len: 64 };
      const [beside, inside] = [await open({ threads: 1 }), await openInWorker()];
      const hidden_states = beside.randn([1, 64, 256]);
      const [here, there] = [beside.create(small), await inside.create(small)];
      const same =
        JSON.stringify(here.forward({ hidden_states }).output) ===
        JSON.stringify((await there.forward({ hidden_states })).output);
      const long = await inside.create(config);
      const inputs = { hidden_states: await inside.randn([1, 3072, 256]) };
      const controller = new AbortController();
      let told = 0;
      const aborted = await long
        .forward(inputs, {
          signal: controller.signal,
          need_weights: false,
          progress: () => {
            if (++told === 2) controller.abort();
          }
        })
        .catch((/** @type {any} */ error) => error.name);
      const refused = await inside
        .estimate({ layer: 'linear_scorer', hiden_size: 3 })
        .catch((/** @type {any} */ error) => [error instanceof RangeError, error.field]);
      const again = (await there.forward({ hidden_states })).output.data.length;
      inside.dispose();
      const gone = await inside.layers().catch((/** @type {any} */ error) => error.message);
      return { same, told, aborted, refused, again, gone, threads: inside.build.threads };
    });
    assert.equal(seen.same, true);
    assert.equal(seen.told, 2, 'it goes on for no further report');
    assert.equal(seen.aborted, 'AbortError');
    assert.deepEqual(seen.refused, [true, 'hiden_size']);
    assert.equal(seen.again, 64 * 256);
    assert.equal(seen.gone, 'this scope was disposed');
    assert.equal(seen.threads > 1, isolated);
    assert.deepEqual(errors, []);
  });
}

test('a worker that the page forbids, or that is not there, says why', async () => {
  const { page } = await openHost({ isolated: true });
  await page.evaluate(inPage);
  const message = await page.evaluate(() =>
    /** @type {any} */ (window)
      .openInWorker({ worker: () => new Worker('/no/such.js', { type: 'module' }) })
      .catch((/** @type {any} */ error) => error.message)
  );
  assert.match(message, /^the server answers HTTP 404 for the worker .*\/no\/such\.js$/);
});
