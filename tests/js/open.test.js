// open(): which build runs, wrong options, and what an open module does to its process.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { relaxedSimd } from 'wasm-feature-detect';
import { Attnscope, Model, open } from '../../web/lib/index.js';
import { listen } from '../loopback.js';
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

test('with shared memory one thread runs in the build with threads, and computes the same', async () => {
  const config = { layer: 'additive_scorer', batch_size: 2, seq_len: 8, hidden_size: 16, attn_dim: 8 };
  const outputs = [];
  for (const sharedMemory of [false, true]) {
    const scope = await open({ threads: 1, sharedMemory });
    assert.equal(scope.build.name.endsWith('-threads'), sharedMemory);
    assert.equal(scope.build.threads, 1);
    const inputs = { hidden_states: scope.randn([2, 8, 16], { seed: 1 }) };
    outputs.push(scope.create(config, { seed: 3 }).forward(inputs).output.data);
    scope.dispose();
  }
  assert.deepEqual(outputs[1], outputs[0]);
});

test('where there is no room for shared memory, one thread runs without it, and the reason says so', async (t) => {
  class SmallMemory extends WebAssembly.Memory {
    constructor(descriptor) {
      if (descriptor.shared) throw new RangeError('WebAssembly.Memory(): could not allocate memory');
      super(descriptor);
    }
  }
  t.mock.method(WebAssembly, 'Memory', SmallMemory);
  for (const options of [{ threads: 1, sharedMemory: true }, { threads: 2 }]) {
    const { build } = await open(options);
    assert.equal(build.name.endsWith('-threads'), false);
    assert.equal(build.threads, 1);
    assert.match(build.reason, /^one thread, because no others could be started: WebAssembly\.Memory\(\): could not/);
  }
});

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
  const reason = hasRelaxed ? '' : 'plain SIMD, because this engine has no relaxed SIMD (Node has it from 22 on)';
  assert.equal(build.reason, reason);
});

test('the build is a record that cannot be changed', async () => {
  const { build } = await open({ threads: 1 });
  assert.throws(() => {
    build.threads = 9;
  }, TypeError);
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
const sharedMemory = (got) => `sharedMemory must be true or false, got ${got}`;
const build = (got) => `build must be one of simd, relaxed, reference, got ${got}`;
const wasmUrl = (got) => `wasmUrl must be a string or a URL, got ${got}`;
const unknown = (name, advice = '; its options are threads, sharedMemory, build, wasmUrl') =>
  `open has no option ${name}${advice}`;
for (const [options, message] of [
  [null, plain('null')],
  [1, plain('1')],
  ['simd', plain('"simd"')],
  [[], plain('an array')],
  [() => {}, plain('a function')],
  [new Map(), plain('an object')],
  [Object.create({ threads: 1 }), plain('an object')],
  [
    new (class {
      threads = 1;
    })(),
    plain('an object')
  ],
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
  [{ sharedMemory: 1 }, sharedMemory('1')],
  [{ sharedMemory: 'yes' }, sharedMemory('"yes"')],
  [{ sharedMemory: null }, sharedMemory('null')],
  [{ build: 'fast' }, build('"fast"')],
  [{ build: 'relaxed-threads' }, build('"relaxed-threads"')],
  [{ build: 'toString' }, build('"toString"')],
  [{ build: 'a "b"\n' }, build('"a \\"b\\"\\n"')],
  [{ build: null }, build('null')],
  [{ wasmUrl: 5 }, wasmUrl('5')],
  [{ wasmUrl: null }, wasmUrl('null')],
  [{ wasmUrl: {} }, wasmUrl('an object')],
  [{ thread: 2 }, unknown('"thread"', ', did you mean threads?')],
  [{ workers: 2 }, unknown('"workers"')],
  [{ toString: 1 }, unknown('"toString"')],
  [JSON.parse('{"__proto__": {"threads": 1}}'), unknown('"__proto__"')]
]) {
  test(`open refuses with: ${message}`, () => {
    const field = message.startsWith('options ') ? 'options' : Object.keys(options)[0];
    return assert.rejects(open(options), { name: 'RangeError', message, field });
  });
}

test('relaxed SIMD opens where the engine has it, and is refused where it has none', async () => {
  if (hasRelaxed) return assert.match((await open({ build: 'relaxed' })).build.name, /^relaxed/);
  await assert.rejects(open({ build: 'relaxed' }), {
    name: 'RangeError',
    message: 'build must be simd here, got "relaxed": this engine has no relaxed SIMD',
    field: 'build'
  });
});

test('the build with the reference loops has one thread, and the others refuse to run by them', async () => {
  const exact = await open({ build: 'reference' });
  assert.deepEqual(exact.build, { ...exact.build, name: 'reference', threads: 1, reason: '' });
  for (const more of [{ threads: 2 }, { sharedMemory: true }]) {
    await assert.rejects(open({ build: 'reference', ...more }), {
      name: 'RangeError',
      message: 'build "reference" has one thread and no sharedMemory',
      field: 'build'
    });
  }
  const output = { data: Float32Array.of(1, 0, 0, 1), shape: [1, 4] };
  const hidden_states = { data: Float32Array.of(1, 2, 3, 4), shape: [1, 1, 4] };
  for (const { scope } of variants) {
    const model = scope.create({ layer: 'linear_scorer', batch_size: 1, seq_len: 1, hidden_size: 4 });
    const before = model.forward({ hidden_states });
    for (const call of [
      () => model.forward({ hidden_states }, { reference: true }),
      () => model.forward({ hidden_states }, { reference: true, round: 'float16' }),
      () => model.backward({ hidden_states }, { output }, { reference: true })
    ]) {
      assert.throws(call, {
        name: 'RangeError',
        message:
          'reference must be false here, got true: the reference loops are in the build "reference", ' +
          "open({ build: 'reference' })",
        field: 'reference'
      });
    }
    assert.deepEqual(model.forward({ hidden_states }), before);
    model.dispose();
  }
  exact.dispose();
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
  test(`with threads ${threads}, a .wasm file that is not there is an error that names it, and only the error`, async (t) => {
    const print = t.mock.method(console, 'error', () => {});
    const file = `/no/such/folder/${name}.wasm`;
    await assert.rejects(open({ wasmUrl: '/no/such/folder', build: 'simd', threads }), {
      name: 'Error',
      message: `${file} could not be loaded: ENOENT: no such file or directory, open '${file}'`
    });
    assert.equal(print.mock.callCount(), 0);
  });
}

test('a .wasm of a server is loaded, and an error names its address and the status, or what came in its place', async () => {
  const site = await listen(async (path) => {
    if (path.startsWith('/gone')) throw new Error('404');
    if (path.startsWith('/page/')) return { headers: {}, type: '.html', body: '<!doctype html>' };
    return {
      headers: {},
      type: path.startsWith('/plain/') ? '.txt' : '.wasm',
      body: readFileSync(join(core, path.split('/').at(-1)))
    };
  });
  try {
    for (const folder of ['', '/plain']) {
      const scope = await open({ wasmUrl: site.url + folder, build: 'simd', threads: 1 });
      assert.equal(scope.estimate({ layer: 'linear_scorer' }).parameters, 769);
    }
    for (const [folder, why] of [
      ['page', 'it is no WebAssembly, but text/html; charset=utf-8'],
      ['gone', 'the server answers HTTP 404']
    ]) {
      const wasmUrl = `${site.url}/${folder}/`;
      await assert.rejects(open({ wasmUrl, build: 'simd', threads: 1 }), {
        message: `${wasmUrl}simd.wasm could not be loaded: ${why}`
      });
    }
  } finally {
    await site.close();
  }
});

const TIME_LIMIT = 30e3; // a start takes under a second; one that hangs takes for ever

/** What a script prints in a process of its own, if that ends by itself. */
async function printed(script, flags = [], from = library) {
  const folder = mkdtempSync(join(tmpdir(), 'attnscope-'));
  try {
    writeFileSync(join(folder, 'script.mjs'), `import { open } from ${JSON.stringify(from)};\n${script}`);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, join(folder, 'script.mjs')], {
      timeout: TIME_LIMIT
    });
    assert.equal(stderr, '');
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const threads of [1, 2, 4]) {
  test(`an open module with threads ${threads} does not keep its process alive`, async () => {
    assert.equal(
      await printed(`
      const scope = await open({ threads: ${threads} });
      const model = scope.create({ layer: 'linear_scorer', batch_size: 64 });
      const { output } = model.forward({ hidden_states: scope.randn([64, 128, 768]) });
      console.log(output.shape.join());
    `),
      '64,768\n'
    );
  });
}

test('what other code adds to Object.prototype is no option', async () => {
  assert.equal(
    await printed(`
    Object.prototype.threads = 3;
    Object.prototype.wasmUrl = '/no/such/folder';
    Object.prototype.progress = 5;
    const scope = await open({ threads: 1 });
    const config = { layer: 'linear_scorer', batch_size: 1, seq_len: 2, hidden_size: 4 };
    scope.create(config).forward({ hidden_states: scope.randn([1, 2, 4]) }, {});
    console.log(scope.build.threads);
    delete Object.prototype.threads;
    console.log((await open({})).build.threads === (await open()).build.threads);
  `),
    '1\ntrue\n'
  );
});

const saysWhy = `
  const scope = await open({ threads: 4 });
  const hidden_states = scope.randn([64, 128, 768]);
  console.log(scope.create({ layer: 'linear_scorer', batch_size: 64 }).forward({ hidden_states }).output.shape.join());
  console.log(scope.build.name.includes('threads'), scope.build.threads, scope.build.reason);
`;

test('where the file of threads is missing, one thread runs at once, and the reason says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attnscope-'));
  try {
    const own = fileURLToPath(new URL('../../web/lib/', import.meta.url));
    cpSync(own, join(folder, 'lib'), { recursive: true, filter: (name) => !name.endsWith('thread.js') });
    symlinkSync(join(own, '../../node_modules'), join(folder, 'node_modules'));
    const lines = (await printed(saysWhy, [], pathToFileURL(join(folder, 'lib/index.js')).href)).split('\n');
    assert.equal(lines[0], '64,768');
    assert.match(
      lines[1],
      /^false 1 one thread, because no others could be started: there is no file .*thread\.js(; plain SIMD|$)/
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const permission = ['--permission', '--experimental-permission'].find((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag)
);

test('where Node is not permitted to start threads, one runs at once, and the reason says so', async () => {
  const [shape, build] = (await printed(saysWhy, [permission, '--allow-fs-read=*', '--no-warnings'])).split('\n');
  assert.equal(shape, '64,768');
  assert.match(build, /^false 1 one thread, because no others could be started: .*restricted/);
});

test('a program that is an argument of Node has threads', async () => {
  const script = `import { open } from ${JSON.stringify(library)};\n${saysWhy}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: TIME_LIMIT
  });
  assert.match(stdout, /^64,768\ntrue 4 /);
});

test('a failed open does not keep its process alive', async () => {
  assert.equal(
    await printed(`
    await open({ wasmUrl: '/no/such/folder', threads: 4 }).catch((error) => console.log(error.name));
  `),
    'Error\n'
  );
});

for (const threads of [1, 2]) {
  test(`the module runs in a worker thread, with threads ${threads}`, async () => {
    const worker = new Worker(
      `
      const { parentPort } = require('node:worker_threads');
      import(${JSON.stringify(library)}).then(async ({ open }) => {
        const scope = await open({ threads: ${threads} });
        const config = { layer: 'additive_scorer', batch_size: 16, seq_len: 32, hidden_size: 64, attn_dim: 32 };
        const model = scope.create(config, { seed: 3 });
        const inputs = { hidden_states: scope.randn([16, 32, 64]) };
        parentPort.postMessage(model.forward(inputs).output.data);
      });
    `,
      { eval: true }
    );
    const output = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    await worker.terminate();
    const { scope } = variants.find(
      (variant) => variant.scope.build.threads === threads && variant.name.startsWith(builds.at(-1))
    );
    const model = scope.create(
      { layer: 'additive_scorer', batch_size: 16, seq_len: 32, hidden_size: 64, attn_dim: 32 },
      { seed: 3 }
    );
    assert.deepEqual(output, model.forward({ hidden_states: scope.randn([16, 32, 64]) }).output.data);
    model.dispose();
  });
}
