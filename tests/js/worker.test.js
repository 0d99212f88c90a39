// The module in a worker: the same answers and refusals as beside it, and what only a worker has.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  Attnscope,
  Model,
  ResidentTensor,
  Trainer,
  WorkerModel,
  WorkerScope,
  WorkerTensor,
  WorkerTrainer,
  openInWorker
} from '../../web/lib/index.js';
import { startWorker } from '../../web/lib/host.js';
import { config as small, hidden_states } from './refusals.js';
import { nameOf, randomInputs, randomTensor, scope, smallConfigs } from './support.js';

const library = new URL('../../web/lib/index.js', import.meta.url).href;
const tasks = () => new Worker(new URL('./workers/tasks.js', import.meta.url), { type: 'module' });

/** As the scope beside it is. */
const options = { build: 'simd', threads: 1 };
const remote = await openInWorker(options);
after(() => remote.dispose());

/** A second or so of work. */
const long = { layer: 'multihead_attention', batch_size: 1, seq_len: 4096, hidden_size: 512, num_heads: 16 };
const cached = {
  layer: 'grouped_query_attention',
  batch_size: 1,
  seq_len: 4,
  hidden_size: 8,
  num_heads: 2,
  num_kv_heads: 1
};
const longInputs = { hidden_states: randomTensor([1, 4096, 512]) };
const quickly = { need_weights: false };

/** @template T @param {() => Promise<T>} use */
async function withLong(use) {
  const model = await remote.create(long);
  try {
    return await use(model);
  } finally {
    await model.dispose();
  }
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The error that a call throws, or with which its promise is rejected. */
async function errorOf(call) {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}

/** What a user sees of an error. */
const facts = (error) => ({
  type: error.constructor.name,
  name: error.name,
  message: error.message,
  field: error.field
});

test('the worker has every method of the scope, of a model and of a tensor', () => {
  const namesOf = ({ prototype }) => Object.getOwnPropertyNames(prototype);
  for (const [here, there] of [
    [Attnscope, WorkerScope],
    [Model, WorkerModel],
    [ResidentTensor, WorkerTensor],
    [Trainer, WorkerTrainer]
  ]) {
    const known = [...namesOf(there), 'shape'];
    assert.deepEqual(
      namesOf(here).filter((name) => !known.includes(name)),
      [],
      there.name
    );
  }
  for (const { prototype } of [WorkerModel, WorkerTensor, WorkerTrainer]) {
    assert.ok(prototype[Symbol.dispose] && prototype[Symbol.asyncDispose]);
  }
});

test('what it says and draws is what the module says and draws', async () => {
  assert.deepEqual(remote.build, scope.build);
  assert.equal(remote.memoryLimit, scope.memoryLimit);
  assert.deepEqual(await remote.layers(), scope.layers());
  assert.deepEqual(await remote.formats(), scope.formats());
  for (const config of smallConfigs) {
    assert.deepEqual(await remote.estimate(config), scope.estimate(config), nameOf(config));
    assert.equal(await remote.pytorch(config, { self_check: false }), scope.pytorch(config, { self_check: false }));
    assert.equal(await remote.runBytes(config, { storage: 'int8' }), scope.runBytes(config, { storage: 'int8' }));
  }
  const many = [...Array(9).fill(smallConfigs).flat(), null, { layer: 'linear_scorer', seq_len: 0 }];
  assert.deepEqual(await remote.estimates(many), scope.estimates(many));
  assert.deepEqual(await remote.estimate(small, { steps: false }), scope.estimate(small, { steps: false }));
  assert.deepEqual(
    facts(await errorOf(() => remote.estimates(small))),
    facts(await errorOf(() => scope.estimates(small)))
  );
  assert.deepEqual(await remote.randn([2, 3], { seed: 4 }), scope.randn([2, 3], { seed: 4 }));
  assert.deepEqual(await remote.randint(9, [20]), scope.randint(9, [20]));
  assert.ok((await remote.measurePeaks({ read_bytes: 1 << 20 })).flops_per_second > 1e6);
});

test('every layer gives in the worker what it gives beside it', async () => {
  for (const config of smallConfigs) {
    const inputs = randomInputs(config, { mask: true });
    const here = scope.create(config, { seed: 3 });
    const there = await remote.create(config, { seed: 3 });
    assert.deepEqual([there.config, there.inputs], [here.config, here.inputs]);
    assert.deepEqual(await there.forward(inputs), here.forward(inputs), nameOf(config));
    assert.deepEqual(await there.forward(inputs, { round: 'bfloat16' }), here.forward(inputs, { round: 'bfloat16' }));
    assert.deepEqual(await there.stateDict(), here.stateDict());
    here.dispose();
    await there.dispose();
  }
});

test('a model steps, forgets and takes weights as beside it', async () => {
  const here = scope.create(cached);
  const there = await remote.create(cached, { seed: 9 });
  await there.loadStateDict(here.stateDict());
  for (const seed of [1, 2, 3]) {
    const inputs = { hidden_states: randomTensor([1, 2, 8], seed) };
    assert.deepEqual(await there.step(inputs), here.step(inputs));
  }
  assert.equal(await there.pastLength, 6);
  await there.clearCache();
  assert.equal(await there.pastLength, 0);
  here.dispose();
  await there.dispose();
});

test('calls are done in the order in which they are made, of several models in one worker too', async () => {
  const configs = smallConfigs.filter(({ layer }) => layer === 'linear_scorer' || layer === 'multihead_attention');
  const models = await Promise.all(configs.map((config) => remote.create(config)));
  const inputs = configs.map((config) => [1, 2, 3].map((seed) => randomInputs(config, { seed })));
  const order = [];
  const answers = await Promise.all(
    [0, 1, 2].flatMap((round) =>
      models.map(async (model, i) => {
        const results = await model.forward(inputs[i][round]);
        order.push([round, i]);
        return results;
      })
    )
  );
  assert.deepEqual(order, [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 1]
  ]);
  configs.forEach((config, i) => {
    const beside = scope.create(config);
    inputs[i].forEach((given, round) => assert.deepEqual(answers[2 * round + i], beside.forward(given)));
    beside.dispose();
  });
  await Promise.all(models.map((model) => model.dispose()));
});

test('tensors stay in the worker, and what one layer leaves there the next one takes', async () => {
  const state = randomTensor([2, 3, 4]);
  const tensor = await remote.tensor(state.data, state.shape);
  assert.deepEqual([tensor.shape, await tensor.data], [[2, 3, 4], state.data]);
  const attention = { layer: 'multihead_attention', batch_size: 2, seq_len: 3, hidden_size: 4, num_heads: 2 };
  const first = await remote.create(attention);
  const second = await remote.create(small);
  const { output, weights } = await first.forward({ hidden_states: tensor }, { resident: true });
  assert.ok(output instanceof WorkerTensor && weights instanceof WorkerTensor);
  const whole = await second.forward({ hidden_states: output });
  const [one, two] = [scope.create(attention), scope.create(small)];
  assert.deepEqual(whole, two.forward({ hidden_states: one.forward({ hidden_states: state }).output }));
  await Promise.all([tensor, output, weights, first, second].map((held) => held.dispose()));
  one.dispose();
  two.dispose();
});

test('inputs are copied, and a view of a large buffer takes no more than itself along', async () => {
  const model = await remote.create(small);
  const buffer = new ArrayBuffer(2 ** 28);
  const data = new Float32Array(buffer, 2 ** 20, 24);
  data.set(hidden_states.data);
  const before = process.memoryUsage().rss;
  const pending = model.forward({ hidden_states: { data, shape: [2, 3, 4] } });
  data.fill(7);
  const beside = scope.create(small);
  assert.deepEqual(await pending, beside.forward({ hidden_states }));
  assert.ok(process.memoryUsage().rss - before < 2 ** 27);
  assert.equal(buffer.byteLength, 2 ** 28);
  const shared = new Float32Array(new SharedArrayBuffer(96));
  shared.set(hidden_states.data);
  assert.deepEqual(
    await model.forward({ hidden_states: { data: shared, shape: [2, 3, 4] } }),
    beside.forward({ hidden_states })
  );
  beside.dispose();
  await model.dispose();
});

test('transfer empties what it lists, and nothing else', async () => {
  const model = await remote.create(small);
  const beside = scope.create(small);
  const data = hidden_states.data.slice();
  const mask = Uint8Array.of(1, 1, 0, 1, 1, 1);
  const expected = beside.forward({ hidden_states, mask: { data: mask, shape: [2, 3] } });
  const given = { hidden_states: { data, shape: [2, 3, 4] }, mask: { data: mask, shape: [2, 3] } };
  assert.deepEqual(await model.forward(given, { transfer: [data.buffer] }), expected);
  assert.deepEqual([data.length, mask.length], [0, 6]);
  const state = beside.stateDict();
  const [[name, { data: weight }], ...others] = Object.entries(state);
  await model.loadStateDict(state, { transfer: [weight.buffer] });
  assert.equal(weight.length, 0, name);
  for (const [other, { data: kept }] of others) assert.ok(kept.length > 0, other);
  const moved = Float32Array.of(1, 2);
  const tensor = await remote.tensor(moved, [2], { transfer: [moved.buffer] });
  assert.deepEqual([moved.length, await tensor.data], [0, Float32Array.of(1, 2)]);
  beside.dispose();
  await Promise.all([tensor.dispose(), model.dispose()]);
});

test('results come without a copy, on buffers that hold nothing else', async () => {
  const own = await openInWorker({
    ...options,
    worker: () => new Worker(new URL('./workers/counting.js', import.meta.url), { type: 'module' })
  });
  const model = await own.create(small);
  const { output, weights } = await model.forward({ hidden_states });
  const resident = await own.tensor(hidden_states.data, [2, 3, 4]);
  const arrays = [
    output,
    weights,
    await own.randn([5]),
    await own.randint(3, [4]),
    ...Object.values(await model.stateDict())
  ]
    .map(({ data }) => data)
    .concat(await resident.data);
  for (const data of arrays) assert.equal(data.byteLength, data.buffer.byteLength);
  assert.equal(
    await own.call('transferred'),
    arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
  );
  own.dispose();
});

class Foo {}
const bad = [
  [3],
  [null],
  [[]],
  [new Foo()],
  [Object.create({ layer: 'linear_scorer' })],
  [new Map()],
  [() => {}],
  [new Float32Array(2)],
  [{ layer: 'linear_scorrer' }],
  [{}],
  [{ layer: Symbol() }],
  [{ layer: () => {} }],
  [{ layer: ['linear_scorer'] }],
  [{ layer: {} }],
  [{ layer: new Foo() }],
  [{ layer: 'linear_scorer', seq_len: -0.5 }],
  [{ layer: 'linear_scorer', seq_len: NaN }],
  [{ layer: 'linear_scorer', seq_len: 2n }],
  [{ layer: 'linear_scorer', seq_len: Array(2 ** 32 - 1) }],
  [{ layer: 'linear_scorer', hiden_size: 3 }],
  [{ layer: 'linear_scorer', batch_size: 2 ** 30, seq_len: 2 ** 30 }, {}],
  [small, 3],
  [small, { sed: 1 }],
  [small, { seed: -1 }],
  [small, { storage: () => {} }]
];
const tensorOf = (data, shape = [2, 3, 4]) => ({ data, shape });
const badInputs = [
  [undefined],
  [3],
  [[]],
  [new Foo()],
  [{}],
  [{ hidden_states: 1 }],
  [{ hidden_states: [] }],
  [{ hidden_states: hidden_states.data }],
  [{ hidden_states: () => {} }],
  [{ hidden_states: tensorOf([1, 2]) }],
  [{ hidden_states: tensorOf(new Float64Array(24)) }],
  [{ hidden_states: tensorOf(new Float32Array(23)) }],
  [{ hidden_states: tensorOf(new DataView(new ArrayBuffer(96))) }],
  [{ hidden_states: tensorOf(new ArrayBuffer(96)) }],
  [{ hidden_states: tensorOf(new Foo()) }],
  [{ hidden_states: tensorOf(new Float32Array(24), new Int32Array(3)) }],
  [{ hidden_states: tensorOf(new Float32Array(24), [2, 3, '4']) }],
  [{ hidden_states: tensorOf(new Float32Array(24), Array(2 ** 32 - 1)) }],
  [{ hidden_states: tensorOf(new Float32Array(24), [2, [3], () => {}]) }],
  [{ hidden_states: new Map() }],
  [{ hidden_states, keys: hidden_states }],
  [{ hidden_states, mask: tensorOf(Uint8Array.of(1, 2, 1), [3]) }],
  [{ hidden_states: { ...hidden_states, strides: [1, 2, 6] } }],
  [{ hidden_states: { ...hidden_states, offset: 1 } }],
  [{ hidden_states: { ...hidden_states, dtype: 'float16' } }],
  [{ hidden_states: { data: new Uint16Array(24), shape: [2, 3, 4] } }],
  [{ hidden_states: { data: new Uint16Array(24), shape: [2, 3, 4], dtype: 'half' } }],
  [{ hidden_states: { data: hidden_states.data, dims: [24] } }],
  [{ hidden_states }, 3],
  [{ hidden_states }, []],
  [{ hidden_states }, { round: 'half' }],
  [{ hidden_states }, { need_weights: 1 }],
  [{ hidden_states }, { progress: 1 }],
  [{ hidden_states }, { progress: null }]
];

test('what the module refuses the worker refuses, with the same words and field', async () => {
  const here = scope.create(small);
  const there = await remote.create(small);
  const calls = [
    ...bad.flatMap((args) => ['estimate', 'create', 'runBytes', 'pytorch'].map((name) => [scope, remote, name, args])),
    ...badInputs.map((args) => [here, there, 'forward', args]),
    ...[[], [new Foo()], [{}], [{ a: 1 }], [() => {}]].map((args) => [here, there, 'loadStateDict', args]),
    ...[[{ hidden_states }], [{ hidden_states }, { round: 'float16' }]].map((args) => [here, there, 'step', args]),
    ...[[], [[2, 'x']], [[0]], [2], [Array(65).fill(1)], [[2], { seed: {} }], [[2], () => {}]].map((args) => [
      scope,
      remote,
      'randn',
      args
    ]),
    ...[
      [() => {}, [2]],
      [0, [2]]
    ].map((args) => [scope, remote, 'randint', args]),
    ...[
      [],
      [[1, 2], [2]],
      [new Float64Array(2), [2]],
      [() => {}, [2]],
      [new Float32Array(2)],
      [new Float32Array(2), [3]],
      [new Foo(), [2]],
      [new Uint16Array(2), [2]],
      [new Uint16Array(2), [2], { dtype: 'half' }],
      [new Float32Array(2), [2], { dtype: 'float16' }],
      [new Float32Array(2), [2], 3]
    ].map((args) => [scope, remote, 'tensor', args]),
    ...[[3], [{ read_byte: 3 }]].map((args) => [scope, remote, 'measurePeaks', args])
  ];
  let refused = 0;
  for (const [beside, inside, name, args] of calls) {
    let wanted;
    try {
      beside[name](...args);
      continue; // not every call takes a second argument
    } catch (error) {
      wanted = facts(error);
    }
    assert.deepEqual(facts(await errorOf(() => inside[name](...args))), wanted, name);
    refused++;
  }
  assert.ok(refused > 120, `${refused} refusals`);
  assert.deepEqual(await there.forward({ hidden_states }), here.forward({ hidden_states }));
  here.dispose();
  await there.dispose();
});

test('a detached array, a tensor that is an instance and a subclass are met as the module meets them', async () => {
  const here = scope.create(small);
  const there = await remote.create(small);
  const detached = () => {
    const data = new Float32Array(24);
    structuredClone(data, { transfer: [data.buffer] });
    return { hidden_states: tensorOf(data) };
  };
  assert.deepEqual(
    facts(await errorOf(() => there.forward(detached()))),
    facts(await errorOf(() => here.forward(detached())))
  );
  class Own extends Float32Array {}
  class Tensor {
    get data() {
      return new Own(hidden_states.data);
    }
    get shape() {
      return [2, 3, 4];
    }
  }
  assert.deepEqual(await there.forward({ hidden_states: new Tensor() }), here.forward({ hidden_states: new Tensor() }));
  const mask = { data: Buffer.from([1, 1, 0]), shape: [3] };
  assert.deepEqual(await there.forward({ hidden_states, mask }), here.forward({ hidden_states, mask }));
  const thrown = new Error('mine');
  assert.equal(
    await errorOf(() =>
      there.forward({
        get hidden_states() {
          throw thrown;
        }
      })
    ),
    thrown
  );
  here.dispose();
  await there.dispose();
});

test('floats of 16 bits and tensors of other libraries cross', async () => {
  const here = scope.create(small);
  const there = await remote.create(small);
  const bits = Uint16Array.from({ length: 24 }, (_, i) => 0x3c00 + 37 * i);
  const given = [
    { data: hidden_states.data, dims: [2, 3, 4], type: 'float32' },
    { ...hidden_states, stride: [12, 4, 1], offset: 0 },
    ...['float16', 'bfloat16'].map((dtype) => ({ data: bits, shape: [2, 3, 4], dtype })),
    ...(globalThis.Float16Array ? [{ data: new globalThis.Float16Array(hidden_states.data), shape: [2, 3, 4] }] : [])
  ];
  for (const tensor of given) {
    assert.deepEqual(await there.forward({ hidden_states: tensor }), here.forward({ hidden_states: tensor }));
    const { data, shape, dtype } = tensor;
    if (data !== bits) continue;
    const beside = scope.tensor(data, shape, { dtype });
    const inside = await remote.tensor(data, shape, { dtype });
    assert.deepEqual(await inside.data, beside.data);
    beside.dispose();
    await inside.dispose();
  }
  if (globalThis.Float16Array) {
    const inside = await remote.tensor(new globalThis.Float16Array([1.5, -2]), [2]);
    assert.deepEqual(await inside.data, Float32Array.of(1.5, -2));
    await inside.dispose();
  }
  here.dispose();
  await there.dispose();
});

for (const [wrong, field, message] of [
  [{ signal: 1 }, 'signal', 'signal must be an AbortSignal, got 1'],
  [{ signal: {} }, 'signal', 'signal must be an AbortSignal, got an object'],
  [{ transfer: 1 }, 'transfer', 'transfer must be an array of ArrayBuffers, got 1'],
  [{ transfer: [hidden_states.data] }, 'transfer', 'transfer must be an array of ArrayBuffers, got an array'],
  [{ transfer: [new ArrayBuffer(8)] }, 'transfer', 'transfer must hold only buffers of the arguments'],
  [{ progress: 1 }, 'progress', 'progress must be a function, got 1']
]) {
  test(`refused: ${message}`, async () => {
    const model = await remote.create(small);
    assert.deepEqual(facts(await errorOf(() => model.forward({ hidden_states }, wrong))), {
      type: 'RangeError',
      name: 'RangeError',
      message,
      field
    });
    assert.equal((await model.forward({ hidden_states })).output.data.length, 8);
    await model.dispose();
  });
}

for (const [wrong, field, message] of [
  [{ thread: 1 }, 'thread', 'openInWorker has no option "thread", did you mean threads?'],
  [
    { transferables: [] },
    'transferables',
    'openInWorker has no option "transferables"; its options are threads, sharedMemory, build, wasmUrl, worker, signal'
  ],
  [{ threads: 0 }, 'threads', 'threads must be an integer from 1 to 64, got 0'],
  [{ worker: 'file.js' }, 'worker', 'worker must be a function, got "file.js"'],
  [{ worker: () => 3 }, 'worker', 'worker must return a new Worker(…), of the global Worker in Node too, got 3'],
  [{ signal: 'now' }, 'signal', 'signal must be an AbortSignal, got "now"'],
  [3, 'options', 'options must be a plain object, got 3']
]) {
  test(`refused: ${message}`, async () => {
    assert.deepEqual(facts(await errorOf(() => openInWorker(wrong))), {
      type: 'RangeError',
      name: 'RangeError',
      message,
      field
    });
  });
}

test('errors of open() cross as they are', async () => {
  await assert.rejects(openInWorker({ ...options, wasmUrl: '/no/such/folder' }), {
    name: 'Error',
    message:
      "/no/such/folder/simd.wasm could not be loaded: ENOENT: no such file or directory, open '/no/such/folder/simd.wasm'"
  });
});

test('a run tells how far it is, and stops when progress returns false, or throws', async () => {
  await withLong(async (model) => {
    const told = [];
    const { output } = await model.forward(longInputs, {
      ...quickly,
      progress: (done) => {
        told.push(done);
      }
    });
    assert.ok(told.length > 2, `told ${told.length} times`);
    assert.ok(
      told.every((done, i) => done > (told[i - 1] ?? 0) && done <= 1),
      String(told)
    );
    await assert.rejects(model.forward(longInputs, { ...quickly, progress: () => false }), {
      name: 'AbortError',
      message: 'the run was stopped'
    });
    const mine = new TypeError('mine');
    assert.equal(
      await errorOf(() =>
        model.forward(longInputs, {
          ...quickly,
          progress() {
            throw mine;
          }
        })
      ),
      mine
    );
    assert.deepEqual((await model.forward(longInputs, quickly)).output, output);
  });
});

test('a signal that was aborted before stops a call before it begins', async () => {
  const model = await remote.create(small);
  const reason = new Error('no longer');
  const data = hidden_states.data.slice();
  const call = () =>
    model.forward({ hidden_states: tensorOf(data) }, { signal: AbortSignal.abort(reason), transfer: [data.buffer] });
  assert.equal(await errorOf(call), reason);
  assert.equal(data.length, 24, 'nothing was transferred');
  await model.dispose();
});

test('an abort while it runs rejects at once and ends the run, and the next call has the worker for itself', async () => {
  /** @type {{ attnscope: string, id: number }[]} */
  const answers = [];
  const own = await openInWorker({
    ...options,
    worker() {
      const worker = tasks();
      worker.addEventListener('message', ({ data }) => data.attnscope !== 'progress' && answers.push(data));
      return worker;
    }
  });
  try {
    const model = await own.create(long);
    const controller = new AbortController();
    let aborted = null;
    await new Promise((resolve) => {
      model.forward(longInputs, { ...quickly, signal: controller.signal, progress: resolve }).catch((error) => {
        aborted = error;
      });
    });
    controller.abort();
    await wait(0);
    assert.equal(aborted, controller.signal.reason);
    await own.estimate(small);
    const [run, next] = answers.slice(-2);
    assert.equal(run.attnscope, 'error', 'the run came to its end before the next call');
    assert.ok(next.attnscope !== 'error' && next.id > run.id, JSON.stringify(answers));
  } finally {
    own.dispose();
  }
});

test('an abort while it waits leaves a call undone', async () => {
  await withLong(async (model) => {
    const cache = await remote.create(cached);
    const controller = new AbortController();
    const first = model.forward(longInputs, quickly);
    const waiting = cache.step({ hidden_states: randomTensor([1, 2, 8]) }, { signal: controller.signal });
    controller.abort('enough');
    assert.equal(await errorOf(() => waiting), 'enough');
    await first;
    assert.equal(await cache.pastLength, 0);
    await cache.dispose();
  });
});

test('an abort afterwards does nothing', async () => {
  const model = await remote.create(small);
  const controller = new AbortController();
  const results = await model.forward({ hidden_states }, { signal: controller.signal });
  controller.abort();
  assert.deepEqual(await model.forward({ hidden_states }), results);
  await model.dispose();
});

test('where memory cannot be shared, an abort rejects at once too, and what waits is left undone', async () => {
  const { SharedArrayBuffer: shared } = globalThis;
  delete globalThis.SharedArrayBuffer;
  try {
    await withLong(async (model) => {
      const [running, waiting] = [new AbortController(), new AbortController()];
      const cache = await remote.create(cached);
      const progress = () => {
        running.abort();
        waiting.abort();
      };
      const run = errorOf(() => model.forward(longInputs, { ...quickly, signal: running.signal, progress }));
      // So that the step waits long enough on a busy machine.
      const others = [1, 2, 3].map(() => model.forward(longInputs, quickly));
      const step = errorOf(() => cache.step({ hidden_states: randomTensor([1, 2, 8]) }, { signal: waiting.signal }));
      assert.equal(await run, running.signal.reason);
      assert.equal(await step, waiting.signal.reason);
      await Promise.all(others);
      assert.equal(await cache.pastLength, 0);
      await cache.dispose();
    });
  } finally {
    globalThis.SharedArrayBuffer = shared;
  }
});

test('what an aborted call has made after all is freed', async () => {
  const { SharedArrayBuffer: shared } = globalThis;
  const large = { layer: 'dense', batch_size: 1, seq_len: 4096, hidden_size: 1, out_features: 4096, bias: false };
  const inputs = { hidden_states: randomTensor([1, 4096, 1]) };
  const own = await openInWorker(options);
  const model = await own.create(large);
  delete globalThis.SharedArrayBuffer; // so that the run ends in the background
  try {
    for (let i = 0; i < 70; i++) {
      // results of 64 MiB, where 4 GiB fit
      const controller = new AbortController();
      const pending = model.forward(inputs, { resident: true, signal: controller.signal });
      controller.abort();
      await assert.rejects(pending, { name: 'AbortError' });
      await own.estimate(small);
    }
    assert.deepEqual((await model.forward(inputs)).output.shape, [1, 4096, 4096]);
  } finally {
    globalThis.SharedArrayBuffer = shared;
    own.dispose();
  }
});

test('disposing waits for the calls before, and comes before those after', async () => {
  const model = await remote.create(small);
  const before = model.forward({ hidden_states });
  const disposed = model.dispose();
  assert.equal((await before).output.data.length, 8);
  await disposed;
  await model.dispose();
  for (const call of [
    () => model.forward({ hidden_states }),
    () => model.step({ hidden_states }),
    () => model.pastLength,
    () => model.clearCache(),
    () => model.stateDict(),
    () => model.loadStateDict({}),
    () => model.decode([1]).next()
  ]) {
    assert.deepEqual(facts(await errorOf(call)), {
      type: 'Error',
      name: 'Error',
      message: 'this model was disposed',
      field: undefined
    });
  }
  const tensor = await remote.tensor(hidden_states.data, [2, 3, 4]);
  await tensor.dispose();
  await assert.rejects(tensor.data, { message: 'this tensor was disposed' });
  const other = await remote.create(small);
  await assert.rejects(other.forward({ hidden_states: tensor }), { message: 'this tensor was disposed' });
  await other.dispose();
});

test('what the page forgets the worker frees', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attnscope-'));
  try {
    writeFileSync(
      join(folder, 'script.mjs'),
      `
      import { openInWorker } from ${JSON.stringify(library)};
      const scope = await openInWorker({ threads: 1 });
      const config = { layer: 'dense', batch_size: 1, seq_len: 1, hidden_size: 4096, out_features: 4096 };
      for (let i = 0; i < 100; i++) { // of 64 MiB each, where 3.5 GiB fit
        await scope.create(config);
        globalThis.gc();
        await new Promise(setImmediate);
      }
      console.log('done');`
    );
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', join(folder, 'script.mjs')]);
    assert.equal(stdout, 'done\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('disposing of the scope rejects what waits and what comes', async () => {
  const own = await openInWorker(options);
  const model = await own.create(long);
  const tensor = await own.tensor(hidden_states.data, [2, 3, 4]);
  const running = model.forward(longInputs, quickly);
  const waiting = own.estimate(small);
  own.dispose();
  own.dispose();
  const gone = { name: 'Error', message: 'this scope was disposed' };
  await assert.rejects(running, gone);
  await assert.rejects(waiting, gone);
  await assert.rejects(own.estimate(small), gone);
  await assert.rejects(model.forward(longInputs), gone);
  await assert.rejects(tensor.data, gone);
  await assert.rejects(own.call('run'), gone);
  await Promise.all([model.dispose(), tensor.dispose()]);
});

test('a tensor of another worker is refused by its name', async () => {
  const own = await openInWorker(options);
  const tensor = await own.tensor(hidden_states.data, [2, 3, 4]);
  const model = await remote.create(small);
  assert.deepEqual(facts(await errorOf(() => model.forward({ hidden_states: tensor }))), {
    type: 'RangeError',
    name: 'RangeError',
    field: 'hidden_states',
    message: 'hidden_states must be a tensor of this scope, got one of another: pass its {data, shape}'
  });
  await model.dispose();
  own.dispose();
});

test('a signal ends the worker while it opens, and later', async () => {
  const reason = new Error('not needed');
  assert.equal(await errorOf(() => openInWorker({ ...options, signal: AbortSignal.abort(reason) })), reason);
  const opening = new AbortController();
  const pending = openInWorker({ ...options, signal: opening.signal });
  opening.abort(reason);
  assert.equal(await errorOf(() => pending), reason);
  const later = new AbortController();
  const own = await openInWorker({ ...options, signal: later.signal });
  const model = await own.create(long);
  const running = model.forward(longInputs, quickly);
  later.abort(reason);
  assert.equal(await errorOf(() => running), reason);
  assert.equal(await errorOf(() => own.layers()), reason);
});

test("a worker of one's own has tasks that use the open module", async () => {
  const own = await openInWorker({ ...options, worker: tasks });
  assert.equal(await own.call('parameters', { config: small }), scope.estimate(small).parameters);
  assert.deepEqual(await own.estimate(small), scope.estimate(small));
  const told = [];
  const { output, left } = await own.call(
    'run',
    { config: long, seed: 1 },
    {
      progress: (value) => {
        told.push(value);
      }
    }
  );
  assert.deepEqual(output.shape, [1, 4096, 512]);
  assert.ok(told.length > 2 && told.every(({ stage, done }) => stage === 'Running' && done > 0 && done <= 1));
  assert.deepEqual(
    [left, (await own.call('run', { config: { ...long, seq_len: 8 }, seed: 1 })).left],
    [Float32Array.of(1, 2, 3), Float32Array.of(1, 2, 3)],
    'what is not transferred stays'
  );
  own.dispose();
});

test('a task waits until the page has taken what it tells, and stops when the page has enough', async () => {
  const own = await openInWorker({ ...options, worker: tasks });
  let taken = 0;
  const slowly = async (value) => {
    assert.equal(value, taken + 1);
    await wait(5);
    taken++;
  };
  assert.equal(await own.call('count', { to: 5 }, { progress: slowly }), 'counted to 5');
  assert.equal(taken, 5);
  assert.equal(await own.call('count', { to: 5 }), 'counted to 5', 'nobody listens');
  await assert.rejects(own.call('count', { to: 1e9 }, { progress: (value) => value < 3 }), { name: 'AbortError' });
  const controller = new AbortController();
  await assert.rejects(
    own.call(
      'count',
      { to: 1e9 },
      {
        progress: (value) => {
          if (value === 3) controller.abort();
        },
        signal: controller.signal
      }
    ),
    { name: 'AbortError' }
  );
  const running = own.call('run', { config: long, seed: 1 }, { signal: AbortSignal.timeout(50) });
  await assert.rejects(running, { name: 'TimeoutError' });
  assert.equal(await own.call('parameters', { config: small }), 5, 'the worker goes on');
  own.dispose();
});

test('errors of tasks cross with their class, cause and fields', async () => {
  const own = await openInWorker({ ...options, worker: tasks });
  const error = await errorOf(() => own.call('fails', { what: 'own' }));
  assert.ok(error instanceof TypeError && error.cause instanceof RangeError);
  assert.deepEqual([error.message, error.field, error.code, error.cause.message], ['mine', 'job', 7, 'its cause']);
  assert.match(error.stack, /tasks\.js/);
  await assert.rejects(own.call('fails', { what: 'string' }), {
    name: 'Error',
    message: '"no error" was thrown, which is no Error'
  });
  await assert.rejects(own.call('fails', { what: 'function' }), { name: 'DataCloneError' });
  await assert.rejects(
    own.call('fails', () => {}),
    { name: 'DataCloneError' }
  );
  await assert.rejects(own.call('toString'), {
    name: 'RangeError',
    field: 'name',
    message: 'the worker has no task "toString"; its tasks are parameters, count, run, fails, exit, later'
  });
  await assert.rejects(remote.call('run'), { message: 'the worker has no task "run"; it has none' });
  own.dispose();
});

test('a worker that ends by itself, or fails to start, says so', async () => {
  const own = await openInWorker({ ...options, worker: tasks });
  await assert.rejects(own.call('exit'), { message: 'the worker ended' });
  await assert.rejects(own.layers(), { message: 'the worker ended' });
  const other = await openInWorker({ ...options, worker: tasks });
  // The worker may end before its answer, or after some more.
  const answered = (call) => call.then(() => null).catch((error) => error);
  let ended = await answered(other.call('later', { ms: 0 }));
  while (ended === null) ended = await answered(other.layers());
  assert.equal(ended.message, 'the worker ended: too late');
  const start = (file) =>
    openInWorker({ worker: () => new Worker(new URL(`./workers/${file}`, import.meta.url), { type: 'module' }) });
  await assert.rejects(start('broken.js'), { message: 'this file is broken' });
  await assert.rejects(start('missing.js'), /there is no file .*missing\.js/);
  await assert.rejects(start('silent.js'), {
    message: `the worker ${new URL('./workers/silent.js', import.meta.url)} ended before it listened`
  });
});

/** Reasons of rejections that nobody takes during `work` and a moment after it. @param {() => Promise<void>} work */
async function untakenRejections(work) {
  /** @type {any[]} */
  const reasons = [];
  const note = (/** @type {any} */ reason) => reasons.push(reason);
  process.on('unhandledRejection', note);
  try {
    await work();
    await wait(0);
  } finally {
    process.off('unhandledRejection', note);
  }
  return reasons;
}

test('an error right after a worker began to listen does not stay behind as a rejection that nobody takes', async () => {
  const worker = /** @type {any} */ (new EventTarget());
  const { ready } = startWorker(() => worker);
  const untaken = await untakenRejections(async () => {
    worker.dispatchEvent(Object.assign(new Event('message'), { data: 'attnscope: ready' }));
    worker.dispatchEvent(Object.assign(new Event('error'), { message: 'too soon' }));
    assert.equal(await ready, worker);
  });
  assert.deepEqual(untaken, []);
});

test('an error of a worker that began to listen before garbage was collected is no rejection that nobody takes', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const worker = /** @type {any} */ (new EventTarget());
  const { ready } = startWorker(() => worker);
  const error = Object.assign(new Event('error', { cancelable: true }), { message: 'of its work' });
  const untaken = await untakenRejections(async () => {
    for (let i = 0; i < 2; i++) {
      await wait(0);
      collect();
    }
    worker.dispatchEvent(Object.assign(new Event('message'), { data: 'attnscope: ready' }));
    assert.equal(await ready, worker);
    worker.dispatchEvent(error);
  });
  assert.deepEqual([untaken, error.defaultPrevented], [[], false]);
});

for (const threads of [1, 2]) {
  test(`an idle worker with threads ${threads} keeps no process alive, and one that works does`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'attnscope-'));
    try {
      writeFileSync(
        join(folder, 'script.mjs'),
        `
        import { openInWorker } from ${JSON.stringify(library)};
        const scope = await openInWorker({ threads: ${threads} });
        const model = await scope.create({ layer: 'linear_scorer', batch_size: 64 });
        model.forward({ hidden_states: await scope.randn([64, 128, 768]) }).then(({ output }) => console.log(output.shape.join()));`
      );
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'script.mjs')], {
        timeout: 180e3
      });
      assert.deepEqual([stdout, stderr], ['64,768\n', '']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
