// What npm publishes, installed into an empty folder as a user would, and used there.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { run } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { node24 } from '../../tools/toolchain.js';
import { installPacked } from '../packed.js';

/** Those that a page loads. */
const builds = ['simd', 'simd-threads', 'relaxed', 'relaxed-threads'];

/** @type {string} */
let folder;
/** @type {string[]} */
let files;
/** @type {number} */
let archiveBytes;

before(async () => {
  folder = await installPacked();
  const archive = join(folder, /** @type {string} */ (readdirSync(folder).find((name) => name.endsWith('.tgz'))));
  archiveBytes = statSync(archive).size;
  files = (await run('tar', ['-tf', archive]))
    .trim()
    .split('\n')
    .map((name) => name.replace('package/', ''));
});

after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * @param {string} name
 * @param {string} code
 */
function runThere(name, code) {
  writeFileSync(join(folder, name), code);
  return run(process.execPath, [name], { cwd: folder });
}

test('it holds the five builds, the element, the types, the licences and the picture of the README, and nothing of the site or the tests', () => {
  for (const name of [...builds, 'reference']) assert.ok(files.includes(`web/lib/core/${name}.wasm`), name);
  for (const name of [
    'package.json',
    'README.md',
    'LICENSE',
    'THIRD-PARTY-LICENSES.md',
    'docs/page.png',
    'docs/javascript.md',
    'web/lib/index.js',
    'web/lib/inline.js',
    'web/lib/thread.js',
    'web/lib/types/index.d.ts',
    'web/lib/types/core/core.d.ts',
    'element/index.js',
    'element/index.d.ts',
    'element/LICENSES.md'
  ]) {
    assert.ok(files.includes(name), name);
  }
  const others =
    /^(web\/lib|element)\/|^docs\/(page\.png|\w+\.md)$|^(package\.json|README\.md|LICENSE|THIRD-PARTY-LICENSES\.md|CHANGELOG\.md)$/;
  assert.deepEqual(
    files.filter((name) => !others.test(name)),
    []
  );
});

/** @param {string} name */
const textOf = (name) => readFileSync(join(folder, 'node_modules', 'attnscope', name), 'utf8');

test('each file that package.json names is there', () => {
  const described = JSON.parse(textOf('package.json'));
  /** @param {unknown} value @returns {string[]} */
  const targets = (value) =>
    typeof value === 'string' ? [value] : Object.values(/** @type {object} */ (value)).flatMap(targets);
  const { main, types, unpkg, jsdelivr, exports } = described;
  for (const name of targets({ main, types, unpkg, jsdelivr, exports }))
    assert.ok(files.includes(name.replace('./', '')), name);
  for (const key of ['homepage', 'repository', 'bugs', 'license', 'engines']) assert.ok(described[key], key);
});

test('each file that the README and docs/ show or link to is there, and the README begins with how to install it', () => {
  for (const name of files.filter((file) => /^(README|docs\/\w+)\.md$/.test(file))) {
    const links = [...textOf(name).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) =>
      posix.join(posix.dirname(name), target)
    );
    assert.deepEqual(
      links.filter((target) => !files.includes(target)),
      [],
      name
    );
  }
  assert.match(textOf('README.md'), /^# attnscope\n\n[^\n]+\n\n```sh\nnpm install attnscope\n/);
});

test('each licence of others is there with its text', () => {
  const licences = textOf('THIRD-PARTY-LICENSES.md');
  for (const name of ['xtensor', 'xtl', 'xsimd', 'Emscripten', 'musl', 'LLVM', 'wasm-feature-detect'])
    assert.match(licences, new RegExp(name));
  for (const text of [
    'Redistribution and use in source and binary forms',
    'Permission is hereby granted',
    'Apache License'
  ])
    assert.ok(licences.includes(text), text);
});

const installed = () => join(folder, 'node_modules', 'attnscope', 'web', 'lib');
const gzipped = (/** @type {string | Uint8Array} */ content) => gzipSync(content, { level: 9 }).length;

test('it is small: five builds as files, four inside one file, and the element, compressed', () => {
  const LARGEST = 3.5e6; // without optimization it would be several times as large
  assert.ok(archiveBytes < LARGEST, `${archiveBytes} bytes`);
});

test('a page loads at most 300 kB of WebAssembly, compressed, and 308 kB where it has threads', () => {
  for (const name of builds) {
    const largest = name.endsWith('threads') ? 308_000 : 300_000; // what runs threads takes 8 kB
    const bytes = gzipped(readFileSync(join(installed(), 'core', `${name}.wasm`)));
    assert.ok(bytes <= largest, `${name}: ${bytes} bytes`);
  }
});

/**
 * Bytes of what a page loads of the library, minified and compressed.
 * @param {string} name
 * @param {string} code of the page
 */
async function pageBytes(name, code) {
  const input = join(folder, name);
  writeFileSync(input, code);
  const bundle = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, target: 'es2022', rollupOptions: { input, preserveEntrySignatures: 'strict' } }
  });
  const { output } = /** @type {import('vite').Rolldown.RolldownOutput} */ (bundle);
  const bytes = new Map(
    output
      .filter(({ fileName }) => /\.js$/.test(fileName))
      .map((file) => [
        file.fileName.replace(/^assets\/|-[\w-]{8}\.js$/g, ''), // a hash may have hyphens
        gzipped(file.type === 'chunk' ? file.code : file.source)
      ])
  );
  return {
    page: bytes.get(name.replace('.js', '')) ?? NaN,
    worker: bytes.get('worker') ?? NaN,
    thread: bytes.get('thread') ?? NaN
  };
}

test('and at most 45 kB of JavaScript, minified and compressed, whether the module runs in the page or in a worker', async () => {
  // With the JavaScript of the core with threads and that of the one without. To load one of them when it is known
  // which, a worker would have to be an ES module; Vite makes another format by default, which cannot load a part of
  // itself later.
  const LARGEST = 45_000;
  const THREAD = 20_000; // what each thread reads once more, from the cache
  const inPage = await pageBytes(
    'page.js',
    "export { Attnscope, Model, ResidentTensor, fromHuggingFace, open } from 'attnscope';"
  );
  const inWorker = await pageBytes('in-worker.js', "export { openInWorker } from 'attnscope';");
  assert.ok(inPage.page <= LARGEST, `${inPage.page} bytes`);
  assert.ok(inWorker.page + inWorker.worker <= LARGEST, `${inWorker.page} + ${inWorker.worker} bytes`);
  for (const { thread } of [inPage, inWorker]) assert.ok(thread <= THREAD, `${thread} bytes`);
});

test('it brings one package with it', () => {
  assert.deepEqual(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['attnscope', 'wasm-feature-detect']
  );
});

const use = `
    import { open } from 'attnscope';
    const scope = await open();
    const config = { layer: 'additive_scorer', batch_size: 32, seq_len: 128, hidden_size: 768, attn_dim: 128 };
    const model = scope.create(config, { seed: 0 });
    const { output, weights } = model.forward({ hidden_states: scope.randn([32, 128, 768], { seed: 1 }) });
    const sum = weights.data.subarray(0, 128).reduce((total, weight) => total + weight, 0);
    console.log(scope.estimate(config).parameters, output.shape, weights.shape, sum.toFixed(5));
    model.dispose();`;
const used = '98561 [ 32, 768 ] [ 32, 128 ] 1.00000\n';

test('it sizes and runs a layer, and the program ends by itself', async () => {
  assert.equal(await runThere('use.js', use), used);
});

test('so it does on Node 24, with relaxed SIMD', async () => {
  const tools = await node24();
  const copy = join(project, 'build', 'package'); // where a Node of another system sees it
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const name of ['package.json', 'node_modules'])
    cpSync(join(folder, name), join(copy, name), { recursive: true });
  writeFileSync(join(copy, 'use.js'), `${use}\nconsole.log(scope.build.name.split('-')[0]);`);
  assert.equal(await tools.run(tools.node, ['use.js'], { cwd: copy }), `${used}relaxed\n`);
});

test('the build with the reference loops is in the package, but not in the inline module, which says so', async () => {
  const tried = (/** @type {string} */ from) => `
    import { open } from '${from}';
    const scope = await open({ build: 'reference' });
    const model = scope.create({ layer: 'linear_scorer', batch_size: 1, seq_len: 2, hidden_size: 3 });
    const { weights } = model.forward({ hidden_states: scope.randn([1, 2, 3]) }, { reference: true });
    console.log(weights.shape);`;
  assert.equal(await runThere('reference.js', tried('attnscope')), '[ 1, 2 ]\n');
  await assert.rejects(
    runThere('inline.js', tried('attnscope/inline')),
    /attnscope\/inline does not have the build "reference" inside: import attnscope, or name the folder that has reference\.wasm by wasmUrl/
  );
});

test('it works in a worker', async () => {
  writeFileSync(
    join(folder, 'worker.js'),
    `
    import { parentPort } from 'node:worker_threads';
    import { open } from 'attnscope';
    const scope = await open({ threads: 1 });
    parentPort.postMessage(scope.estimate({ layer: 'linear_scorer', hidden_size: 768 }).parameters);`
  );
  const printed = await runThere(
    'start.js',
    `
    import { Worker } from 'node:worker_threads';
    new Worker(new URL('worker.js', import.meta.url)).once('message', console.log);`
  );
  assert.equal(printed, '769\n');
});

test('its types are found, and refuse a wrong field', async () => {
  writeFileSync(
    join(folder, 'use.ts'),
    `
    import { open } from 'attnscope';
    const scope = await open();
    const parameters: number = scope.estimate({ layer: 'linear_scorer', hidden_size: 8 }).parameters;
    // @ts-expect-error
    scope.estimate({ layer: 'linear_scorer', hiden_size: parameters });`
  );
  const options = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom'];
  const tsc = join(project, 'node_modules/typescript/bin/tsc');
  for (const module of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler']
  ]) {
    assert.equal(await run(process.execPath, [tsc, ...options, ...module, 'use.ts'], { cwd: folder }), '');
  }
});

test('its element can be imported twice where there is no DOM, and does nothing there', async () => {
  assert.equal(
    await runThere(
      'element.js',
      `
    import 'attnscope/element';
    const again = await import('attnscope/element');
    await import(import.meta.resolve('attnscope/element') + '?again');
    console.log(Object.keys(again), typeof customElements);`
    ),
    '[] undefined\n'
  );
});

test('its element names the licence of each package that is inside', () => {
  const text = readFileSync(join(folder, 'node_modules/attnscope/element/LICENSES.md'), 'utf8');
  for (const name of ['lit', 'lit-html', '@observablehq/plot', 'd3-array', 'highlight.js', 'wasm-feature-detect']) {
    assert.match(text, new RegExp(`^## ${name} - [\\d.]+ \\([\\w-.]+\\)$`, 'm'));
  }
});
