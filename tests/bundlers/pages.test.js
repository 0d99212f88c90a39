// The module in pages that let it do less, or load it from elsewhere: one built by Vite, and the inline module bare.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isolation } from '../../tools/headers.js';
import { listen } from '../loopback.js';
import { installPacked, installTools, makeProject } from '../packed.js';
import { closeBrowser, page, use, wrongWith } from './browser.js';
import { vite } from './tools.js';

/** @type {string} */
let packed;
/** @type {string} */
let dist;
/** @type {string} the path of the built script */
let script;

before(async () => {
  const [made, tools] = await Promise.all([installPacked(), installTools('tests/bundlers')]);
  packed = made;
  const { files, build } = vite('vite');
  dist = await build(makeProject(tools, 'pages', packed, files), join(tools, 'node_modules'));
  script = `/assets/${readdirSync(join(dist, 'assets')).find((name) => /^index-.*\.js$/.test(name))}`;
});

after(async () => {
  await closeBrowser();
  rmSync(packed, { recursive: true, force: true });
});

const shared = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };
const inline = () => readFileSync(join(packed, 'node_modules/attnscope/web/lib/inline.js'));
const inlinePage = (
  /** @type {string} */ from
) => `<!doctype html><html lang="en"><title>A page</title><script type="module">
  import { open } from '${from}';
  window.opening = open();</script></html>`;

/**
 * Serves what was built, and opens it.
 * @param {{ headers?: Record<string, string>, answer?: (path: string) => import('../loopback.js').Response | null |
 *   undefined }} options
 *   answer: in place of a file; null for 404
 * @param {(url: string) => Promise<any>} [look]
 */
async function visit({ headers = isolation, answer = () => undefined }, look = use) {
  const site = await listen(async (path) => {
    const given = answer(path);
    if (given === null) throw new Error('404');
    const name = path === '/' ? '/index.html' : path;
    return given ?? { headers, type: extname(name), body: readFileSync(join(dist, name)) };
  });
  try {
    return await look(site.url);
  } finally {
    await site.close();
  }
}

const withPolicy = (/** @type {string} */ policy) => ({ headers: { ...isolation, 'Content-Security-Policy': policy } });
const isThread = (/** @type {string} */ path) => /thread-[^/]*\.js$/.test(path);
const html = { headers: isolation, type: '.html', body: page('./main.js') };

describe('where threads cannot start, one runs at once, and the reason says why:', () => {
  const cases = /** @type {[string, Parameters<typeof visit>[0], RegExp][]} */ ([
    [
      'their file is missing',
      { answer: (path) => (isThread(path) ? null : undefined) },
      /the server answers HTTP 404 for the worker http.*thread-/
    ],
    [
      'their file is a page',
      { answer: (path) => (isThread(path) ? html : undefined) },
      /the server sends the worker http.*thread-.* as text\/html/
    ],
    [
      'the policy forbids workers',
      withPolicy("worker-src 'none'"),
      /the page's Content-Security-Policy \(worker-src\) forbids the worker http/
    ],
    [
      'the policy allows no Trusted Types',
      withPolicy("require-trusted-types-for 'script'; trusted-types 'none'"),
      /requires Trusted Types.*the policy "attnscope"/
    ],
    [
      'their file comes without the header of isolation',
      {
        answer: (path) =>
          isThread(path) ? { headers: {}, type: '.js', body: readFileSync(join(dist, path)) } : undefined
      },
      /sends the worker http.* without the header Cross-Origin-Embedder-Policy: require-corp/
    ]
  ]);
  for (const [why, options, reason] of cases) {
    test(why, async () => {
      const seen = await visit(options);
      assert.equal(seen.build.threads, 1);
      assert.equal(seen.build.name.endsWith('-threads'), false);
      assert.match(seen.build.reason, /^one thread, because no others could be started: /);
      assert.match(seen.build.reason, reason); // and not that time was up
      assert.equal(wrongWith({ ...seen, build: { ...seen.build, threads: 2, reason: '' } }, true), '');
    });
  }
});

test('with a strict policy threads run', async () => {
  const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
  assert.equal(wrongWith(await visit(withPolicy(policy)), true), '');
});

test('with Trusted Types threads run, if the page allows the policy "attnscope"', async () => {
  assert.equal(
    wrongWith(await visit(withPolicy("require-trusted-types-for 'script'; trusted-types attnscope")), true),
    ''
  );
});

test('from another origin threads run', async () => {
  await visit({ headers: shared }, async (cdn) => {
    const seen = await visit({
      answer: (path) => (path === '/' ? { headers: isolation, type: '.html', body: page(cdn + script) } : undefined)
    });
    assert.equal(wrongWith(seen, true), '');
  });
});

for (const isolated of [true, false]) {
  test(`the inline module runs bare, ${isolated ? 'with threads' : 'with one thread where the page is not isolated'}`, async () => {
    const headers = isolated ? isolation : {};
    const seen = await visit({
      answer: (path) =>
        path === '/'
          ? { headers, type: '.html', body: inlinePage('./inline.js') }
          : { headers, type: '.js', body: inline() }
    });
    assert.equal(wrongWith(seen, isolated), '');
  });
}

test('the inline module runs from another origin, with threads', async () => {
  await visit({ answer: () => ({ headers: shared, type: '.js', body: inline() }) }, async (cdn) => {
    const seen = await visit({
      answer: () => ({ headers: isolation, type: '.html', body: inlinePage(`${cdn}/inline.js`) })
    });
    assert.equal(wrongWith(seen, true), '');
  });
});

test('the inline module opens itself in a worker', async () => {
  const source = inlinePage('./inline.js').replaceAll('open }', 'openInWorker }').replace('open()', 'openInWorker()');
  const seen = await visit(
    {
      answer: (path) =>
        path === '/'
          ? { headers: isolation, type: '.html', body: source }
          : { headers: isolation, type: '.js', body: inline() }
    },
    (url) =>
      use(url, async () => {
        const scope = await /** @type {any} */ (window).opening;
        const model = await scope.create({ layer: 'linear_scorer', batch_size: 1, seq_len: 2, hidden_size: 4 });
        const { output } = await model.forward({ hidden_states: await scope.randn([1, 2, 4]) });
        return { shape: output.shape, threads: scope.build.threads, reason: scope.build.reason };
      })
  );
  assert.deepEqual(seen, { shape: [1, 4], threads: 2, reason: '', errors: [] });
});

test('a .wasm that is not there is an error with its address, the status, and what to do', async () => {
  for (const [answer, why] of /** @type {[any, RegExp][]} */ ([
    [null, /the server answers HTTP 404/],
    [html, /it is no WebAssembly, but text\/html/]
  ])) {
    const seen = visit({ answer: (path) => (path.endsWith('.wasm') ? answer : undefined) });
    await assert.rejects(seen, ({ message }) => {
      assert.match(message, /http:\/\/localhost:\d+\/assets\/relaxed-threads-[^/]*\.wasm could not be loaded: /);
      assert.match(message, why);
      assert.match(message, /import attnscope\/inline/);
      return true;
    });
  }
});
