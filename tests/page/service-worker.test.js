// The service worker by itself: which files it asks for, in which order, and when. offline.test.js has it in a browser.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { coresOf } from '../../web/pages/build/plugins.js';

const SITE = 'https://example.org/site/';
const DOORS = ['./', './assets/door.js'];
const OTHERS = ['./assets/a.js', './assets/b.js', './labs/', './speed/'];
const CORES = { relaxed: './assets/relaxed.wasm', simd: './assets/simd.wasm' };

/** A version of the worker, filled in as the build does. @param {string} version */
const source = (version) =>
  readFileSync(new URL('../../web/pages/build/service-worker.js', import.meta.url), 'utf8')
    .replace("'VERSION'", `'${version}'`)
    .replace("['DOORS']", JSON.stringify(DOORS))
    .replace("['OTHERS']", JSON.stringify(OTHERS))
    .replace("{ name: 'CORES' }", JSON.stringify(CORES));

const addressOf = (/** @type {Request | string} */ request) => (typeof request === 'string' ? request : request.url);
const nameOf = (/** @type {string} */ address) => address.replace(SITE, './');

/** The caches of an origin. */
function cacheStorage() {
  /** @type {Map<string, Map<string, Response>>} */
  const all = new Map();
  const open = (/** @type {string} */ name) => {
    const files = all.get(name) ?? new Map();
    all.set(name, files);
    return { put: async (/** @type {string} */ address, /** @type {Response} */ answer) => files.set(address, answer) };
  };
  return {
    all,
    open: async (/** @type {string} */ name) => open(name),
    keys: async () => [...all.keys()],
    delete: async (/** @type {string} */ name) => all.delete(name),
    match: async (/** @type {Request | string} */ request, { cacheName = '' } = {}) =>
      [...all]
        .filter(([name]) => !cacheName || name === cacheName)
        .map(([, files]) => files.get(addressOf(request))?.clone())
        .find(Boolean),
    /** What a version has kept, by file. @param {string} version */
    kept: (version) => [...(all.get(version)?.keys() ?? [])].map(nameOf)
  };
}

/**
 * A worker with a network that notes what it is asked for.
 * @param {{ caches?: ReturnType<typeof cacheStorage>, version?: string, missing?: string[] }} [options]
 */
function started({ caches = cacheStorage(), version = 'v1', missing = [] } = {}) {
  /** @type {Record<string, (event: any) => void>} */
  const listeners = {};
  const state = { asked: /** @type {string[]} */ ([]), atOnce: 0, most: 0, offline: false };
  const fetch = async (/** @type {Request | string} */ request) => {
    if (state.offline) throw new TypeError('Failed to fetch');
    const file = nameOf(new URL(addressOf(request), SITE).href);
    state.asked.push(file);
    state.most = Math.max(state.most, ++state.atOnce);
    await new Promise((resolve) => setTimeout(resolve, 1));
    state.atOnce -= 1;
    return missing.includes(file) ? new Response('', { status: 404 }) : new Response(file);
  };
  const self = {
    location: new URL('service-worker.js', SITE),
    clients: { claim: async () => {} },
    skipWaiting: async () => {},
    addEventListener: (/** @type {string} */ kind, /** @type {any} */ listener) => (listeners[kind] = listener)
  };
  new Function('self', 'caches', 'fetch', source(version))(self, caches, fetch);
  /** @param {string} kind @param {object} [event] @returns {Promise<any>} what the worker lets the event wait for */
  const send = (kind, event) => {
    /** @type {any} */
    let work;
    const take = (/** @type {unknown} */ promise) => (work = promise);
    listeners[kind]({ ...event, waitUntil: take, respondWith: take });
    return work;
  };
  return { caches, state, missing, send };
}

const shown = { data: { core: 'simd', loaded: [`${SITE}labs/`, `${SITE}assets/b.js`, 'https://example.org/other'] } };

test('a build of the core is known by its name, whatever the hash of its file', () => {
  const files = ['assets/relaxed-threads-a-B_cD-e.wasm', 'assets/simd-CizJMJ3J.wasm'];
  assert.deepEqual(coresOf(['index.html', ...files]), [
    ['relaxed-threads', files[0]],
    ['simd', files[1]]
  ]);
});

test('installing asks for what the doors need, and for no core', async () => {
  const { caches, state, send } = started();
  await send('install');
  assert.deepEqual(state.asked, DOORS);
  assert.deepEqual(caches.kept('v1').sort(), [...DOORS].sort());
});

test('after a figure it keeps the one core, then the files of the page, then the others, one after another', async () => {
  const { state, send } = started();
  await send('install');
  Object.assign(state, { asked: [], most: 0 });
  await Promise.all([send('message', shown), send('message', shown)]); // of two pages
  assert.deepEqual(state.asked, [CORES.simd, './assets/b.js', './labs/', './assets/a.js', './speed/']);
  assert.equal(state.most, 1);
});

test('while a page waits for an answer it asks for nothing', async () => {
  const { state, send } = started();
  await send('install');
  state.asked = [];
  const request = { url: `${SITE}data.csv`, method: 'GET', mode: 'cors' };
  const answer = send('fetch', { request });
  const rest = send('message', shown);
  await answer;
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(state.asked, ['./data.csv']);
  await rest;
  assert.equal(state.asked.length, 1 + 1 + OTHERS.length);
});

test('a file that does not come is asked for again after the next figure', async () => {
  const { caches, state, missing, send } = started({ missing: ['./assets/a.js'] });
  await send('install');
  await send('message', shown);
  assert.equal(caches.kept('v1').includes('./assets/a.js'), false);
  assert.equal(caches.kept('v1').length, DOORS.length + OTHERS.length);
  missing.pop();
  state.asked = [];
  await send('message', shown);
  assert.deepEqual(state.asked, ['./assets/a.js']);
});

test('where a file of the doors does not come, nothing is installed', async () => {
  await assert.rejects(
    started({ missing: ['./assets/door.js'] }).send('install'),
    /door\.js could not be kept: HTTP 404/
  );
});

test('a new version takes over files with a hash, asks for pages anew, and drops the old version in the end', async () => {
  const { caches, send } = started();
  await send('install');
  await send('message', shown);
  const next = started({ caches, version: 'v2' });
  await next.send('install');
  await next.send('activate');
  assert.deepEqual([...caches.all.keys()], ['v1', 'v2']);
  await next.send('message', shown);
  assert.deepEqual(next.state.asked, ['./', './labs/', './speed/']);
  assert.deepEqual([...caches.all.keys()], ['v2']);
  assert.equal(caches.kept('v2').length, DOORS.length + OTHERS.length + 1);
});

test('without a network a page is what was kept, and what leads nowhere is told so', async () => {
  const { caches, state, send } = started();
  await send('install');
  const cache = await caches.open('v1');
  await cache.put(`${SITE}404.html`, new Response('nowhere'));
  const request = { url: `${SITE}labs/nothing`, method: 'GET', mode: 'navigate' };
  state.offline = true;
  const answer = await send('fetch', { request });
  assert.deepEqual([answer.status, await answer.text()], [404, 'nowhere']);
  const door = await send('fetch', { request: { ...request, url: SITE } });
  assert.equal(await door.text(), './');
});
