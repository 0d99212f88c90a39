// open(): which build runs, wrong options, and what an open module does to its process.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { relaxedSimd } from 'wasm-feature-detect';
import { Attnscope, Model, open } from '../../web/lib/index.js';
import { builds, variants } from './support.js';

const library = new URL('../../web/lib/index.js', import.meta.url).href;
const core = fileURLToPath(new URL('../../web/lib/core/', import.meta.url));
const hasRelaxed = await relaxedSimd();

for (const build of builds) {
  for (const threads of [1, 2, 3]) {
    test(`build ${build} with threads ${threads} opens and says so`, async () => {
      const scope = await open({ build, threads });
      assert.ok(scope instanceof Attnscope);
      assert.equal(scope.build.name, threads > 1 ? `${build}-threads` : build);
      assert.equal(scope.build.threads, threads);
      assert.equal(scope.build.isolated, true);
      assert.equal(scope.estimate({ layer: 'linear_scorer' }).parameters, 769);
    });
  }
}

test('by default the fastest build opens, with at most 8 threads', async () => {
  for (const options of [undefined, {}, { threads: undefined, build: undefined, wasmUrl: undefined }]) {
    const { build } = await open(options);
    assert.equal(build.name.split('-')[0], hasRelaxed ? 'relaxed' : 'simd');
    assert.ok(build.threads >= 1 && build.threads <= 8, String(build.threads));
    assert.equal(build.name.endsWith('-threads'), build.threads > 1);
  }
});

test('the reason says what a faster build would need', async () => {
  const { build } = await open();
  const reason = hasRelaxed ? '' : 'plain SIMD, because this engine has no relaxed SIMD (Node has it from 24 on)';
  assert.equal(build.reason, reason);
});

test('the build is a record that cannot be changed', async () => {
  const { build } = await open({ threads: 1 });
  assert.throws(() => { build.threads = 9; }, TypeError);
});

test('two modules are independent', async () => {
  const [first, second] = await Promise.all([open({ threads: 1 }), open({ threads: 2 })]);
  const model = first.create({ layer: 'linear_scorer', batch_size: 1, seq_len: 2, hidden_size: 2 });
  const other = second.create({ layer: 'linear_scorer', batch_size: 1, seq_len: 2, hidden_size: 2 });
  other.dispose();
  assert.ok(model instanceof Model);
  assert.equal(model.stateDict()['score.weight'].data.length, 2);
  model.dispose();
});

test('create refuses more memory than the limit that the module names', () => {
  for (const { scope } of variants) assert.equal(scope.memoryLimit, 3.5 * 2 ** 30);
});

test('measurePeaks gives plausible speeds', () => {
  for (const { name, scope } of variants) {
    const { flops_per_second, bytes_per_second } = scope.measurePeaks();
    assert.ok(flops_per_second > 1e8 && flops_per_second < 1e13, `${name}: ${flops_per_second}`);
    assert.ok(bytes_per_second > 1e8 && bytes_per_second < 1e13, `${name}: ${bytes_per_second}`);
  }
});

const plain = (got) => `options must be a plain object, got ${got}`;
const threads = (got) => `threads must be an integer from 1 to 64, got ${got}`;
const build = (got) => `build must be one of simd, relaxed, got ${got}`;
const wasmUrl = (got) => `wasmUrl must be a string or a URL, got ${got}`;
const unknown = (name) => `open has no option ${name}; its options are threads, build, wasmUrl`;
for (const [options, message] of [
  [null, plain('null')],
  [1, plain('1')],
  ['simd', plain('"simd"')],
  [[], plain('an array')],
  [() => {}, plain('a function')],
  [new Map(), plain('an object')],
  [Object.create({ threads: 1 }), plain('an object')],
  [new (class { threads = 1; })(), plain('an object')],
  [{ threads: 0 }, threads('0')],
  [{ threads: -0 }, threads('-0')],
  [{ threads: -1 }, threads('-1')],
  [{ threads: 65 }, threads('65')],
  [{ threads: 1.5 }, threads('1.5')],
  [{ threads: NaN }, threads('NaN')],
  [{ threads: Infinity }, threads('Infinity')],
  [{ threads: '2' }, threads('"2"')],
  [{ threads: null }, threads('null')],
  [{ threads: true }, threads('true')],
  [{ threads: 2n }, threads('2n')],
  [{ threads: [2] }, threads('an array')],
  [{ threads: Object.create(null) }, threads('an object')],
  [{ threads: Symbol('2') }, threads('a symbol')],
  [{ build: 'fast' }, build('"fast"')],
  [{ build: 'relaxed-threads' }, build('"relaxed-threads"')],
  [{ build: 'toString' }, build('"toString"')],
  [{ build: 'a "b"\n' }, build('"a \\"b\\"\\n"')],
  [{ build: null }, build('null')],
  [{ wasmUrl: 5 }, wasmUrl('5')],
  [{ wasmUrl: null }, wasmUrl('null')],
  [{ wasmUrl: {} }, wasmUrl('an object')],
  [{ thread: 2 }, unknown('"thread"')],
  [{ toString: 1 }, unknown('"toString"')],
  [JSON.parse('{"__proto__": {"threads": 1}}'), unknown('"__proto__"')]
]) {
  test(`open refuses with: ${message}`, () => assert.rejects(open(options), { name: 'RangeError', message }));
}

test('relaxed SIMD opens where the engine has it, and is refused where it has none', async () => {
  if (hasRelaxed) return assert.match((await open({ build: 'relaxed' })).build.name, /^relaxed/);
  await assert.rejects(open({ build: 'relaxed' }), {
    name: 'RangeError',
    message: 'build must be simd here, got "relaxed": this engine has no relaxed SIMD'
  });
});

test('wasmUrl names the folder of the .wasm files, with or without a last slash, as a path or a URL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attnscope-'));
  try {
    cpSync(core, join(folder, 'wasm'), { recursive: true, filter: (name) => !name.endsWith('.mjs') });
    const path = join(folder, 'wasm');
    const url = pathToFileURL(path);
    for (const wasmUrl of [path, `${path}/`, url.href, url, new URL(`${url.href}/`)]) {
      for (const threads of [1, 2]) {
        const scope = await open({ wasmUrl, threads });
        assert.equal(scope.estimate({ layer: 'linear_scorer' }).parameters, 769, String(wasmUrl));
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

for (const threads of [1, 2]) {
  const name = threads > 1 ? 'simd-threads' : 'simd';
  test(`with threads ${threads}, a .wasm file that is not there is an error that names the folder, and only the error`, async (t) => {
    const print = t.mock.method(console, 'error', () => {});
    await assert.rejects(open({ wasmUrl: '/no/such/folder', build: 'simd', threads }), {
      name: 'Error',
      message: `${name}.wasm could not be loaded from /no/such/folder/: ENOENT: no such file or directory, open '/no/such/folder/${name}.wasm'`
    });
    assert.equal(print.mock.callCount(), 0);
  });
}

const TIME_LIMIT = 30e3; // a start takes under a second; one that hangs takes for ever

/** What a script prints in a process of its own, if that ends by itself. */
async function printed(script) {
  const folder = mkdtempSync(join(tmpdir(), 'attnscope-'));
  try {
    writeFileSync(join(folder, 'script.mjs'), `import { open } from ${JSON.stringify(library)};\n${script}`);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'script.mjs')], { timeout: TIME_LIMIT });
    assert.equal(stderr, '');
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const threads of [1, 2, 4]) {
  test(`an open module with threads ${threads} does not keep its process alive`, async () => {
    assert.equal(await printed(`
      const scope = await open({ threads: ${threads} });
      const model = scope.create({ layer: 'linear_scorer', batch_size: 64 });
      const { output } = model.forward({ hidden_states: scope.randn([64, 128, 768]) });
      console.log(output.shape.join());
    `), '64,768\n');
  });
}

test('a failed open does not keep its process alive', async () => {
  assert.equal(await printed(`
    await open({ wasmUrl: '/no/such/folder', threads: 4 }).catch((error) => console.log(error.name));
  `), 'Error\n');
});

for (const threads of [1, 2]) {
  test(`the module runs in a worker thread, with threads ${threads}`, async () => {
    const worker = new Worker(`
      const { parentPort } = require('node:worker_threads');
      import(${JSON.stringify(library)}).then(async ({ open }) => {
        const scope = await open({ threads: ${threads} });
        const config = { layer: 'additive_scorer', batch_size: 16, seq_len: 32, hidden_size: 64, attn_dim: 32 };
        const model = scope.create(config, { seed: 3 });
        const inputs = { hidden_states: scope.randn([16, 32, 64]) };
        parentPort.postMessage(model.forward(inputs).output.data);
      });
    `, { eval: true });
    const output = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    await worker.terminate();
    const { scope } = variants.find((variant) => variant.scope.build.threads === threads && variant.name.startsWith(builds.at(-1)));
    const model = scope.create({ layer: 'additive_scorer', batch_size: 16, seq_len: 32, hidden_size: 64, attn_dim: 32 }, { seed: 3 });
    assert.deepEqual(output, model.forward({ hidden_states: scope.randn([16, 32, 64]) }).output.data);
    model.dispose();
  });
}
