// What attnscope alone takes on this machine: `npm run bench -- --ours`. Medians of many calls after a warm-up; nothing
// here passes or fails.

import os from 'node:os';
import { open } from '../../web/lib/index.js';
import { median } from '../../web/plain/timing.js';
import { dataOf } from './data.js';
import { train } from './runtimes/attnscope.js';
import { flopsOf, trainings } from './trainings.js';

const batch = { batch_size: 32, seq_len: 128, hidden_size: 768 };
/** @type {import('../../web/lib/index.js').Config[]} */
const configs = [
  { layer: 'linear_scorer', ...batch },
  { layer: 'additive_scorer', ...batch },
  { layer: 'multihead_attention', ...batch },
  // BERT base
  {
    layer: 'encoder',
    batch_size: 1,
    seq_len: 128,
    hidden_size: 768,
    num_layers: 12,
    num_heads: 12,
    intermediate_size: 3072
  }
];

const WARM_UP = 300; // milliseconds, in which the engine replaces its first code by its fast one

/** @type {import('../../web/lib/index.js').Format[]} */
const formats = ['float32', 'float16', 'bfloat16', 'int8'];

/**
 * The median of `runs` timings of `work`, each of `calls` calls, in microseconds a call.
 * @param {() => void} work
 * @param {{runs: number, calls: number}} how
 */
function timeOf(work, { runs, calls }) {
  const once = () => {
    const start = performance.now();
    for (let call = 0; call < calls; call++) work();
    return ((performance.now() - start) / calls) * 1000;
  };
  const warm = performance.now() + WARM_UP;
  for (let run = 0; run < 3 || performance.now() < warm; run++) once();
  return median(Array.from({ length: runs }, once));
}

/**
 * @param {import('../../web/lib/index.js').Attnscope} scope
 * @param {import('../../web/lib/index.js').Config} config
 */
function forwardTime(scope, config) {
  const model = scope.create(config, { seed: 0 });
  const required = scope.estimate(config).inputs.filter(({ optional }) => !optional);
  const inputs = Object.fromEntries(
    required.map(({ name, shape, limit }) => [
      name,
      limit ? { data: new Int32Array(shape.reduce((a, b) => a * b)), shape } : scope.randn(shape, { seed: 1 })
    ])
  );
  const time = timeOf(() => model.forward(inputs), { runs: 21, calls: 1 });
  model.dispose();
  return time;
}

/**
 * A thousand configs, each another one, in milliseconds.
 * @param {import('../../web/lib/index.js').Attnscope} scope
 */
function sweepTime(scope) {
  /** @type {import('../../web/lib/index.js').Config[]} */
  const sweep = Array.from({ length: 1000 }, (_, i) => ({ layer: 'linear_scorer', ...batch, seq_len: 1 + i }));
  const sweeps = timeOf(() => sweep.forEach((config) => scope.estimate(config)), { runs: 11, calls: 1 });
  return sweeps / 1000;
}

/**
 * The linear scorer with its input in the core: milliseconds, bytes/s, and its share of what reading as much reaches.
 * @param {import('../../web/lib/index.js').Attnscope} scope @param {number[]} shape of the hidden states
 */
function residentTime(scope, shape) {
  const [batch_size, seq_len, hidden_size] = shape;
  const model = scope.create({ layer: 'linear_scorer', batch_size, seq_len, hidden_size });
  const { data } = scope.randn(shape, { seed: 1 });
  const hidden_states = scope.tensor(data, shape);
  const time = timeOf(() => model.forward({ hidden_states }, { need_weights: false }), { runs: 41, calls: 1 }) / 1000;
  const peaks = Array.from({ length: 3 }, () => scope.measurePeaks({ read_bytes: data.byteLength }).bytes_per_second);
  const rate = (data.byteLength / time) * 1000;
  hidden_states.dispose();
  model.dispose();
  return { time, rate, share: rate / Math.max(...peaks) };
}

/**
 * A dense layer of 512 x 768 x 768 with its weights in a format: GFLOP/s, and the relative error of its output.
 * @param {import('../../web/lib/index.js').Attnscope} scope @param {import('../../web/lib/index.js').Format} storage
 */
function formatTime(scope, storage) {
  const model = scope.create(
    { layer: 'dense', batch_size: 1, seq_len: 512, hidden_size: 768, out_features: 768, activation: 'none' },
    { storage }
  );
  const { data, shape } = scope.randn([1, 512, 768], { seed: 1 });
  const hidden_states = scope.tensor(data, shape);
  const time = timeOf(() => model.forward({ hidden_states }, { resident: true }).output.dispose(), {
    runs: 41,
    calls: 1
  });
  const error = model.forward({ hidden_states }, { compare: true }).rounding_error?.relative ?? 0;
  hidden_states.dispose();
  model.dispose();
  return { rate: (2 * 512 * 768 * 768) / time / 1000, error };
}

/**
 * Decoding with a KV cache: milliseconds a token, after 512 others, of a decoder with 113 million weights.
 * @param {import('../../web/lib/index.js').Attnscope} scope @param {import('../../web/lib/index.js').Format} storage
 */
function decodingTime(scope, storage) {
  const [seq_len, vocab_size] = [512, 1000];
  const model = scope.create(
    {
      layer: 'decoder',
      seq_len,
      vocab_size,
      hidden_size: 768,
      num_layers: 12,
      num_heads: 12,
      intermediate_size: 3072
    },
    { storage }
  );
  const step = (/** @type {number} */ count) =>
    model.step({ tokens: scope.randint(vocab_size, [1, count], { seed: 1 }) }, { need_weights: false });
  step(seq_len);
  const time = timeOf(() => step(1), { runs: 31, calls: 1 }) / 1000;
  model.dispose();
  return time;
}

/**
 * Layers whose call is most of their work: their results stay in the core, where their inputs are.
 * @type {[string, import('../../web/lib/index.js').Config][]}
 */
const small = [
  ['dense 1 x 8 x 8', dense(1, 8)],
  ['dense 16 x 32 x 32', dense(16, 32)],
  ['dense 64 x 64 x 64', dense(64, 64)],
  ['linear scorer 4 x 16 x 64', { layer: 'linear_scorer', batch_size: 4, seq_len: 16, hidden_size: 64 }],
  ['additive scorer 4 x 16 x 64', { layer: 'additive_scorer', batch_size: 4, seq_len: 16, hidden_size: 64 }],
  [
    'attention 4 x 32, S 32',
    { layer: 'scaled_dot_product_attention', batch_size: 1, num_heads: 4, seq_len: 32, head_dim: 32 }
  ],
  ['multi-head layer 16 x 64', multihead(16, 64)],
  ['multi-head layer 64 x 128', multihead(64, 128)],
  [
    'encoder layer 64 x 128',
    {
      layer: 'transformer_encoder_layer',
      batch_size: 1,
      seq_len: 64,
      hidden_size: 128,
      num_heads: 4,
      intermediate_size: 512
    }
  ],
  ['multi-head layer 128 x 256', multihead(128, 256)]
];

/** @param {number} seq_len @param {number} hidden_size @returns {import('../../web/lib/index.js').Config} */
function dense(seq_len, hidden_size) {
  return { layer: 'dense', batch_size: 1, seq_len, hidden_size, out_features: hidden_size, activation: 'none' };
}

/** @param {number} seq_len @param {number} hidden_size @returns {import('../../web/lib/index.js').Config} */
function multihead(seq_len, hidden_size) {
  return { layer: 'multihead_attention', batch_size: 1, seq_len, hidden_size, num_heads: 4 };
}

/**
 * A call of forward, with inputs that are in the core and results that stay there.
 * @param {import('../../web/lib/index.js').Attnscope} scope
 * @param {import('../../web/lib/index.js').Config} config
 */
function smallCall(scope, config) {
  const model = scope.create(config);
  const inputs = Object.fromEntries(
    scope
      .estimate(config)
      .inputs.filter(({ optional }) => !optional)
      .map(({ name, shape }) => [name, scope.tensor(scope.randn(shape, { seed: 1 }).data, shape)])
  );
  return () => model.forward(inputs, { need_weights: false, resident: true }).output.dispose();
}

/**
 * A step of training, or forward and backward where there is nothing to train.
 * @param {import('../../web/lib/index.js').Attnscope} scope
 * @param {import('./trainings.js').Training} training
 */
function trainingCall(scope, training) {
  return train(scope, training, dataOf(training)).run;
}

const ROUNDS = 5;

/**
 * Each call's time in microseconds, of several that take turns: so a slow minute meets all.
 * @param {(() => unknown)[]} works
 * @param {{ runs: number, calls: number }} how of each turn
 */
function timesInTurns(works, { runs, calls }) {
  const time = (/** @type {() => unknown} */ work) => {
    const start = performance.now();
    for (let call = 0; call < calls; call++) work();
    return ((performance.now() - start) / calls) * 1000;
  };
  for (const work of works) {
    const warm = performance.now() + WARM_UP;
    for (let run = 0; run < 2 || performance.now() < warm; run++) work();
  }
  /** @type {number[][]} */
  const times = works.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    works.forEach((work, i) => {
      work(); // the numbers of the one before have left the cache
      for (let run = 0; run < runs; run++) times[i].push(time(work));
    });
  }
  return times.map(median);
}

console.log(`Node ${process.versions.node}, ${os.cpus()[0]?.model.trim()}, ${os.availableParallelism()} cores`);
for (const threads of [1, 2]) {
  const scope = await open({ threads });
  console.log(`\n${scope.build.name}, ${threads} thread${threads > 1 ? 's' : ''}`);
  sweepTime(scope); // while the engine compiles it once more, optimized
  for (const config of configs) {
    const estimate = timeOf(() => void scope.estimate(config), { runs: 21, calls: 200 });
    const forward = forwardTime(scope, config);
    const rate = scope.estimate(config).flops / forward / 1000;
    console.log(
      `${config.layer.padEnd(20)} estimate ${estimate.toFixed(1).padStart(5)} µs   ` +
        `forward ${(forward / 1000).toFixed(2).padStart(7)} ms   ${rate.toFixed(1).padStart(6)} GFLOP/s`
    );
  }
  console.log(`${'1,000 linear_scorer'.padEnd(20)} estimate ${sweepTime(scope).toFixed(1).padStart(5)} ms`);
  for (const shape of [
    [32, 128, 768],
    [8, 2048, 768]
  ]) {
    const { time, rate, share } = residentTime(scope, shape);
    console.log(
      `linear_scorer ${shape.join(' x ')}, input in the core: ${time.toFixed(2)} ms, ${(rate / 1e9).toFixed(1)} GB/s, ${(100 * share).toFixed(0)} % of reading`
    );
  }
  for (const storage of formats) {
    const { rate, error } = formatTime(scope, storage);
    console.log(
      `dense 512 x 768 x 768 in ${storage.padEnd(8)} ${rate.toFixed(1).padStart(6)} GFLOP/s, relative error ${error.toExponential(1)}`
    );
    console.log(
      `decoder 12 x 768 in ${storage.padEnd(8)} ${decodingTime(scope, storage).toFixed(1).padStart(6)} ms a token after 512`
    );
  }
}

const scopes = [await open({ threads: 1 }), await open({ threads: 2 })];
console.log('\nforward of small layers, inputs and results in the core, one thread and two in turns');
for (const [name, config] of small) {
  const [one, two] = timesInTurns(
    scopes.map((scope) => smallCall(scope, config)),
    { runs: 21, calls: 20 }
  );
  const { flops } = scopes[0].estimate(config);
  console.log(
    `${name.padEnd(28)} ${(flops / 1e6).toFixed(flops < 1e4 ? 6 : 2).padStart(9)} MFLOP ${one.toFixed(1).padStart(7)} µs, two threads ${two.toFixed(1).padStart(7)} µs, ${(one / two).toFixed(2)} times as fast`
  );
}
console.log('\nsteps of training, inputs in the core, one thread and two in turns');
for (const training of trainings.filter(({ sizes: { S } }) => S <= 2048)) {
  const [one, two] = timesInTurns(
    scopes.map((scope) => trainingCall(scope, training)),
    { runs: 1, calls: 1 }
  );
  const rate = (/** @type {number} */ time) => `${(flopsOf(scopes[0], training) / time / 1000).toFixed(1)} GFLOP/s`;
  console.log(
    `${training.name.padEnd(46)} ${(one / 1000).toFixed(1).padStart(8)} ms ${rate(one)}, two threads ${(two / 1000).toFixed(1).padStart(8)} ms ${rate(two)}, ${(one / two).toFixed(2)} times as fast`
  );
}
