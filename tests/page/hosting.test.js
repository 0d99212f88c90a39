import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { project } from '../../tools/folders.js';
import { serveAsStart } from './hosts.js';
import { LIVE, figure, goOffline, openPage, seeEverything } from './open-page.js';
import { dist } from './server.js';

const manual = readFileSync(join(project, 'docs/pages.md'), 'utf8');

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

test('nothing goes to another host, and the Content-Security-Policy refuses nothing', async () => {
  for (const file of ['', 'run/', 'models/', 'guide/']) {
    site = await openPage({ file, live: file !== 'guide/' });
    await seeEverything(site.page);
    assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] }, file);
    await site.close();
  }
  site = await openPage({ search: '#compare' });
  await site.page.locator('.growth svg').first().hover();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

test('isolated, the run has threads', async () => {
  site = await openPage({ file: 'run/', isolated: true });
  await seeEverything(site.page);
  assert.match(await site.page.locator('.build').innerText(), /, \d+ threads?$/);
  assert.doesNotMatch(await site.page.locator('.build').innerText(), /not cross-origin isolated/);
});

test('below a sub-path and without isolation everything works, with one thread and the reason', async () => {
  site = await openPage({ file: 'run/', isolated: false, path: '/some/where/' });
  await seeEverything(site.page);
  assert.match(await site.page.locator('.build').innerText(), /1 thread\b.*not cross-origin isolated/s);
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

test('after the first visit the page works without a network, run included', async () => {
  site = await openPage({ context: { serviceWorkers: 'allow' } });
  const { page } = site;
  await goOffline(site);
  await page.goto(`${site.site.url}?layer=additive_scorer&hidden_size=64&attn_dim=16`);
  await page.waitForSelector(LIVE, { state: 'attached' });
  assert.equal(await figure(page, 'parameters'), '1,057');
  await seeEverything(page);
  for (const door of ['Run', 'Models', 'Guide']) {
    await page.click(`.doors >> text=${door}`);
    await page.waitForURL(new RegExp(`/${door.toLowerCase()}/`));
    await seeEverything(page);
  }
});

/**
 * An answer as it is sent. Node's fetch() would decompress it.
 * @param {string} url @param {Record<string, string>} headers
 * @returns {Promise<{ headers: import('node:http').IncomingHttpHeaders, bytes: Buffer }>}
 */
const answerOf = (url, headers) =>
  new Promise((resolve, reject) => {
    get(url, { headers }, async (answer) => resolve({ headers: answer.headers, bytes: await buffer(answer) })).on(
      'error',
      reject
    );
  });

test('npm start sends pages, scripts and .wasm compressed as the browser takes them, and has it keep what has a hash', async () => {
  const host = await serveAsStart();
  const wasm = readdirSync(join(dist, 'assets')).find((name) => /^simd-[\w-]{8}\.wasm$/.test(name));
  /** @type {[string, string, RegExp][]} address, file, type */
  const files = [
    [`assets/${wasm}`, `assets/${wasm}`, /^application\/wasm$/],
    ['run/?layer=decoder', 'run/index.html', /^text\/html/],
    ['service-worker.js', 'service-worker.js', /^text\/javascript/],
    ['no/such/page', '404.html', /^text\/html/]
  ];
  /** Percent that are left of the .wasm, by encoding, as the manual says. */
  const said = /gzip leaves (?<gzip>\d+) % of it, brotli (?<br>\d+) %/.exec(manual)?.groups ?? {};
  try {
    for (const [address, file, type] of files) {
      const whole = readFileSync(join(dist, file));
      for (const [accepted, encoding, decompress] of /** @type {const} */ ([
        ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
        ['gzip, br;q=0', 'gzip', gunzipSync],
        ['identity', undefined, (/** @type {Buffer} */ bytes) => bytes]
      ])) {
        const { headers, bytes } = await answerOf(host.url + address, { 'Accept-Encoding': accepted });
        assert.equal(headers['content-encoding'], encoding, address);
        assert.equal(headers.vary, 'Accept-Encoding', address);
        assert.match(headers['content-type'] ?? '', type, address);
        assert.match(headers['cache-control'] ?? '', /^assets/.test(address) ? /immutable/ : /^no-cache$/);
        assert.equal(headers['cross-origin-embedder-policy'], 'require-corp', address);
        assert.ok(decompress(bytes).equals(whole), `${address}, ${accepted}`);
        if (encoding) assert.ok(bytes.length < whole.length / 2, address);
        if (encoding && file.endsWith('.wasm')) {
          const percent = (100 * bytes.length) / whole.length;
          assert.ok(Math.abs(percent - Number(said[encoding])) < 1, `${encoding} leaves ${percent} %`);
        }
      }
    }
    const { bytes } = await answerOf(`${host.url}assets/${wasm}`, { 'Accept-Encoding': 'br', Range: 'bytes=0-3' });
    assert.equal(bytes.toString('latin1'), '\0asm');
    site = await openPage({ live: false });
    await site.page.goto(`${host.url}?layer=additive_scorer&hidden_size=64&attn_dim=16`);
    await site.page.waitForSelector(LIVE, { state: 'attached' });
    assert.equal(await figure(site.page, 'parameters'), '1,057');
    assert.equal(await site.page.evaluate(() => crossOriginIsolated), true);
  } finally {
    await host.close();
  }
});
