// What a scope holds, and how it lets go: models and tensors that are disposed of or forgotten, and the scope itself.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import test from 'node:test';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { open } from '../../web/lib/index.js';
import { openInside } from './inside.js';
import { randomInputs, scope as shared } from './support.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const config = { layer: 'additive_scorer', batch_size: 2, seq_len: 3, hidden_size: 4, attn_dim: 2 };
const inputs = randomInputs(config);
const MiB = 2 ** 20;
/** Holds its weights twice, once packed. */
const large = { layer: 'dense', batch_size: 1, hidden_size: 4096, out_features: 4096, bias: false };
const LARGE_BYTES = 2 * 64 * MiB;

const threads = () => readdirSync('/proc/self/task').length;
const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Until it holds, or some seconds have passed. */
async function eventually(holds) {
  for (let tries = 0; tries < 200 && !holds(); tries++) await pause(25);
  assert.ok(holds(), String(holds));
}

test('models and tensors that are forgotten are freed', async () => {
  const { scope, memory } = await openInside({ threads: 1 });
  for (let round = 0; round < 60; round++) {
    scope.create(large);
    scope.tensor(new Float32Array(MiB), [MiB]);
    collect();
    await pause(0); // what is forgotten is freed between two tasks
  }
  assert.ok(memory.buffer.byteLength < 8 * LARGE_BYTES, `${memory.buffer.byteLength} bytes`);
  scope.dispose();
});

test('when there is no memory left, the error says what is alive, and all of it can be used again', async () => {
  const { scope, memory } = await openInside({ threads: 1 });
  const held = [scope.create(large), scope.create(large), scope.tensor(new Float32Array(MiB), [MiB])];
  memory.grow = () => {
    throw new RangeError('no more');
  };
  const most = new Float32Array(memory.buffer.byteLength / 4);
  const taken = () => scope.tensor(most, [most.length]);
  assert.throws(taken, {
    name: 'RangeError',
    message:
      'the engine has no memory left for this; alive are 2 models with 256 MiB and 1 tensor with 4 MiB: dispose() frees them'
  });
  held.pop()?.dispose();
  held.pop()?.dispose();
  assert.throws(taken, {
    message: 'the engine has no memory left for this; alive are 1 model with 128 MiB: dispose() frees them'
  });
  held.pop()?.dispose();
  assert.throws(taken, { message: 'the engine has no memory left for this' });
  for (let round = 0; round < 3; round++) scope.create(large).dispose();
  scope.dispose();
});

test('a disposed scope says so, and so do its models and tensors', async () => {
  const scope = await open({ threads: 1 });
  const model = scope.create(config);
  const tensor = scope.tensor(new Float32Array(2), [2]);
  const disposed = scope.create(config);
  disposed.dispose();
  scope.dispose();
  scope.dispose();
  const ofScope = { name: 'Error', message: 'this scope was disposed' };
  for (const call of [
    () => scope.layers(),
    () => scope.estimate(config),
    () => scope.pytorch(config),
    () => scope.runBytes(config),
    () => scope.create(config),
    () => scope.randn([1]),
    () => scope.randint(2, [1]),
    () => scope.measurePeaks(),
    () => scope.tensor(new Float32Array(1), [1])
  ])
    assert.throws(call, ofScope, String(call));
  const ofModel = { name: 'Error', message: 'the scope of this model was disposed' };
  for (const call of [
    () => model.forward(inputs),
    () => model.stateDict(),
    () => model.pastLength,
    () => disposed.clearCache()
  ]) {
    assert.throws(call, ofModel, String(call));
  }
  assert.throws(() => tensor.data, { name: 'Error', message: 'the scope of this tensor was disposed' });
  model.dispose();
  tensor.dispose();
  assert.deepEqual(model.config, shared.estimate(config).config);
});

test('`using` disposes of a scope', async () => {
  const scope = await open({ threads: 1 });
  scope[Symbol.dispose]?.();
  if (Symbol.dispose) assert.throws(() => scope.layers(), { message: 'this scope was disposed' });
  else scope.dispose();
});

test('a scope is not disposed of while it runs', async () => {
  const scope = await open({ threads: 1 });
  const inUse = { name: 'Error', message: 'this scope is in use and cannot be disposed' };
  const within = {
    get seq_len() {
      assert.throws(() => scope.dispose(), inUse);
      return 3;
    }
  };
  const { parameters } = scope.estimate({
    layer: 'linear_scorer',
    get seq_len() {
      return within.seq_len;
    }
  });
  assert.equal(parameters, 769);
  scope.dispose();
});

test('ten scopes of four threads end their threads and give their memory back', async () => {
  const before = threads();
  const scopes = await Promise.all(Array.from({ length: 10 }, () => open({ threads: 4 })));
  scopes.forEach((scope) => scope.create(config).forward(inputs));
  assert.ok(threads() >= before + 10, `${threads()} threads of ${before}`);
  scopes.forEach((scope) => scope.dispose());
  await eventually(() => threads() <= before);

  const resident = () => process.memoryUsage().rss;
  const large = new Float32Array(64 * MiB);
  const first = await open({ threads: 2 });
  first.tensor(large, [large.length]);
  first.dispose();
  await eventually(() => threads() <= before);
  collect();
  const most = resident() + large.byteLength;
  for (let round = 0; round < 5; round++) {
    const scope = await open({ threads: 2 });
    scope.tensor(large, [large.length]);
    scope.dispose();
    await eventually(() => threads() <= before);
    collect();
  }
  collect();
  await eventually(() => (collect(), resident() < most));
});

test('a tensor of another scope is refused by name', async () => {
  const other = await open({ threads: 1 });
  const hidden_states = other.tensor(inputs.hidden_states.data, inputs.hidden_states.shape);
  const model = shared.create(config);
  const refused = {
    name: 'RangeError',
    field: 'hidden_states',
    message: 'hidden_states must be a tensor of this scope, got one of another: pass its {data, shape}'
  };
  assert.throws(() => model.forward({ hidden_states }), refused);
  assert.deepEqual(
    model.forward({ hidden_states: { data: hidden_states.data, shape: hidden_states.shape } }),
    model.forward(inputs)
  );
  model.dispose();
  other.dispose();
});

test('a model says which layer it is, with the defaults filled in, and what it takes', () => {
  const model = shared.create(config);
  const { config: full, inputs: taken } = shared.estimate(config);
  assert.deepEqual(model.config, full);
  assert.deepEqual(model.inputs, taken);
  assert.ok(Object.isFrozen(model.config) && Object.isFrozen(model.inputs));
  assert.match(inspect(model), /^Model \{\s+config: \{\s+layer: 'additive_scorer',[^]*name: 'hidden_states'/);
  model.dispose();
});

test('an uncaught error is printed with a line that people can read', async () => {
  const { spawnSync } = await import('node:child_process');
  const library = new URL('../../web/lib/index.js', import.meta.url).href;
  const script = `import { open } from '${library}'; (await open({ threads: 1 })).estimate({ layer: 'linear_scorer', seq_len: 0 });`;
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8'
  });
  assert.equal(status, 1);
  assert.match(stderr, /RangeError: seq_len must be an integer from 1 to 2147483647, got 0\n/);
  assert.ok(stderr.length < 3000 && stderr.split('\n').every((line) => line.length < 200), stderr.slice(0, 2000));
});
