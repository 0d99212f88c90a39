// The benchmark's arithmetic and text. Nothing here needs a rival, or times anything.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { parseArguments, usage } from '../bench/arguments.js';
import { dataOf } from '../bench/data.js';
import { causalMask, headByHead, joined, reordered, swapped, transposed } from '../bench/layouts.js';
import { median } from '../../web/plain/timing.js';
import { difference, shuffled } from '../bench/numbers.js';
import { randomNumbers } from '../random.js';
import { hiddenStates } from '../bench/runtimes/cells.js';
import { losses, weightsOf } from '../bench/runtimes/trained.js';
import { ratioOf, remarks, rowOf, table } from '../bench/table.js';
import { flopsOf, trainings } from '../bench/trainings.js';
import { lengthOf } from '../../web/plain/workloads.js';
import { isRecurrent, workloads } from '../bench/workloads.js';
import { open } from '../../web/lib/index.js';

/** @typedef {import('../bench/contest.js').Entry} Entry */

const peaks = { flops_per_second: 50e9, bytes_per_second: 10e9 };

test('without arguments it runs everything and writes nothing', () => {
  assert.deepEqual(parseArguments([]), {
    arrival: false,
    build: 'relaxed',
    engines: ['node', 'chromium'],
    limits: false,
    ours: false,
    pytorch: false,
    json: null,
    only: ''
  });
});

test('arguments come in any order', () => {
  assert.deepEqual(parseArguments(['--only', 'S 512', '--engine', 'chromium', '--json', 'a.json']), {
    arrival: false,
    build: 'relaxed',
    engines: ['chromium'],
    limits: false,
    ours: false,
    pytorch: false,
    json: 'a.json',
    only: 'S 512'
  });
  assert.deepEqual(parseArguments(['--engine', 'both']), parseArguments([]));
  assert.equal(parseArguments(['--build', 'simd']).build, 'simd');
  assert.equal(parseArguments(['--ours']).ours, true);
  assert.equal(parseArguments(['--pytorch']).pytorch, true);
  assert.equal(parseArguments(['--limits']).limits, true);
  assert.equal(parseArguments(['--arrival']).arrival, true);
});

for (const [words, message] of /** @type {[string[], string][]} */ ([
  [['--jsn', 'a'], 'no argument --jsn'],
  [['fast'], 'no argument fast'],
  [['--engine', 'firefox'], '--engine must be one of node, chromium, both, got firefox'],
  [['--engine', 'toString'], '--engine must be one of node, chromium, both, got toString'],
  [['--build', 'scalar'], '--build must be one of relaxed, simd, got scalar'],
  [['--json'], '--json needs a value'],
  [['--only', '--json', 'a'], '--only needs a value'],
  [['--ours', '--only', 'S'], '--ours stands alone'],
  [['--json', 'a', '--limits'], '--limits stands alone']
])) {
  test(`${words.join(' ')} is refused, and the message says what there is`, () => {
    assert.throws(() => parseArguments(words), { message: `${message}\n\n${usage}` });
  });
}

test('npm run bench refuses a word that it does not know before it does anything', async () => {
  const { code, output } = await attempt(process.execPath, ['tests/bench/bench.js', '--fast'], { cwd: project });
  assert.deepEqual([code, output], [1, `no argument --fast\n\n${usage}\n`]);
});

test('a text that is in no name is refused with the names that there are', async () => {
  const { code, output } = await attempt(process.execPath, ['tests/bench/bench.js', '--only', 'convolution'], {
    cwd: project
  });
  const names = [...workloads, ...trainings].map(({ name }) => `  ${name}\n`).join('');
  assert.deepEqual([code, output], [1, `no workload's name contains convolution; there are\n${names}`]);
});

test('the median is the one in the middle, or the mean of two, in numbers and not in words', () => {
  assert.equal(median([10, 9, 100]), 10);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([7]), 7);
});

test('a shuffled list has the same members, and the given one stays', () => {
  const list = [1, 2, 3, 4, 5, 6];
  const other = shuffled(list, randomNumbers(1));
  assert.notDeepEqual(other, list);
  assert.deepEqual([...other].sort(), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(list, [1, 2, 3, 4, 5, 6]);
});

test('results differ by their largest difference over the largest magnitude expected', () => {
  assert.equal(difference([1, -8, 3], [1, -8, 3]), 0);
  assert.equal(difference([1, -8, 2], [1, -8, 3]), 1 / 8);
  assert.equal(difference([0, 0], [0, 0]), 0);
  assert.equal(difference([1], [0]), Infinity);
});

test('a result with NaN or of another length is infinitely far off', () => {
  assert.equal(difference([1, NaN], [1, 2]), Infinity);
  assert.equal(difference([1, 2], [1, NaN]), Infinity);
  assert.equal(difference([1], [1, 2]), Infinity);
});

test('a matrix transposed has its columns as rows', () => {
  assert.deepEqual([...transposed(Float32Array.of(1, 2, 3, 4, 5, 6), 2, 3)], [1, 4, 2, 5, 3, 6]);
});

test('heads go behind positions and back', () => {
  const tensor = Float32Array.from({ length: 12 }, (_, i) => i); // 2 heads, 3 positions, 2 features
  const last = swapped(tensor, 2, 3);
  assert.deepEqual([...last], [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]);
  assert.deepEqual(swapped(last, 3, 2), tensor);
});

test('joined tensors follow one another', () => {
  assert.deepEqual(joined([Float32Array.of(1, 2), Float32Array.of(3)]), Float32Array.of(1, 2, 3));
});

test('gates take another order, each with all of its rows', () => {
  assert.deepEqual([...reordered(Float32Array.of(1, 2, 3, 4, 5, 6), 'rzn', 'zrn')], [3, 4, 1, 2, 5, 6]);
});

test('the causal mask hides the later keys', () => {
  assert.deepEqual(
    Array.from(causalMask(3), (value) => value < 0),
    [false, true, true, false, false, true, false, false, false]
  );
});

test('head by head gives what all heads together give', async () => {
  const query = Float32Array.from({ length: 12 }, (_, i) => i);
  const result = await headByHead({ query, key: query }, 3, async (head) =>
    head.query.map((value, i) => value + head.key[i])
  );
  assert.deepEqual(
    result,
    query.map((value) => 2 * value)
  );
});

test('the ratio is of the best rival, above 1 where ours is faster', () => {
  /** @type {Entry[]} */
  const entries = [
    { runtime: 'ours', ms: 2 },
    { runtime: 'a', ms: 6 },
    { runtime: 'b', ms: 3 },
    { runtime: 'c', problem: 'wrong result' }
  ];
  assert.equal(ratioOf(entries), 1.5);
  assert.equal(ratioOf([...entries, { runtime: 'native', ms: 1, orientation: true }]), 1.5);
  assert.equal(ratioOf([entries[0], entries[3]]), null);
  assert.equal(ratioOf([{ runtime: 'ours', problem: 'wrong result' }, entries[1]]), null);
});

test('the table shows losses and failures as they are', () => {
  const workload = { ...workloads[0], name: 'product', flops: 1e9 };
  /** @type {Entry[]} */
  const first = [
    { runtime: 'ours', ms: 40 },
    { runtime: 'a', ms: 20 },
    { runtime: 'b', problem: 'wrong result (off by 0.5)', failed: { 'in steps': 'wrong result (off by 0.5)' } }
  ];
  /** @type {Entry[]} */
  const second = [
    { runtime: 'ours', ms: 5 },
    { runtime: 'a', problem: 'fails: no memory' },
    { runtime: 'b', ms: 123.4 }
  ];
  const rows = [rowOf(workload, first, peaks), rowOf({ ...workload, name: 'scorer', showsRate: false }, second, peaks)];
  assert.equal(
    table(rows),
    [
      'workload          ours             a             b  of peak  ratio',
      'product   40.0 ms   25  20.0 ms   50  wrong result     50 %   0.50',
      'scorer    5.00 ms              fails   123 ms         400 %  24.68'
    ].join('\n')
  );
  assert.deepEqual(remarks(rows), ['product: b, in steps: wrong result (off by 0.5)', 'scorer: a: fails: no memory']);
});

test('where reading takes longer than computing, the peak is that of reading', () => {
  const [row] = workloads.filter(({ kind }) => kind === 'linear scorer').map((workload) => rowOf(workload, [], peaks));
  assert.equal(row.leastTime.toFixed(2), '1.27'); // 32 x 128 x 768 floats at 10 GB/s
});

test('a causal workload counts half of the FLOPs of the same without a mask', () => {
  const flops = Object.fromEntries(workloads.map(({ name, flops }) => [name, flops]));
  assert.equal(flops['attention 12x64, S 512, causal'] * 2, flops['attention 12x64, S 512']);
  assert.equal(flops['attention 12x64, S 4096'], 4 * 4096 * 4096 * 768);
});

test('the numbers of a workload are the same each time, of its shapes, and differ', () => {
  const scorer = workloads.filter(({ kind }) => kind === 'additive scorer')[0];
  const { inputs, weights } = dataOf(scorer);
  assert.deepEqual(weights, dataOf(scorer).weights);
  for (const [name, shape] of Object.entries({ ...scorer.inputs, ...scorer.weights })) {
    assert.equal({ ...inputs, ...weights }[name].length, lengthOf(shape), name);
  }
  assert.notEqual(inputs.hidden_states[0], inputs.hidden_states[1]);
});

test('a workload has the weights and the FLOPs of its layer', async () => {
  const scope = await open({ threads: 1 });
  for (const workload of workloads.filter(({ sizes: { S } }) => S <= 2048)) {
    const { name, config, weights, flops } = workload;
    const model = scope.create(config);
    assert.deepEqual(shapesOf(model.stateDict()), weights, name);
    model.dispose();
    if (isRecurrent(workload)) assert.equal(flops, scope.estimate(config).flops, name);
  }
});

test('the cells that rivals run give what recurrent_encoder gives', async () => {
  const scope = await open({ threads: 1 });
  const ops = {
    keep: (/** @type {number} */ x) => x,
    add: (/** @type {number} */ a, /** @type {number} */ b) => a + b,
    sub: (/** @type {number} */ a, /** @type {number} */ b) => a - b,
    mul: (/** @type {number} */ a, /** @type {number} */ b) => a * b,
    sigmoid: (/** @type {number} */ x) => 1 / (1 + Math.exp(-x)),
    tanh: Math.tanh,
    sum: (/** @type {number[]} */ x, /** @type {number[]} */ h) => x.map((part, i) => part + h[i]),
    split: (/** @type {number[]} */ product) => product
  };
  for (const cell of /** @type {const} */ (['lstm', 'gru'])) {
    const model = scope.create({
      layer: 'recurrent_encoder',
      cell,
      batch_size: 1,
      seq_len: 3,
      input_size: 1,
      hidden_size: 1
    });
    const weights = model.stateDict();
    const product = (/** @type {string} */ side, /** @type {number} */ x) =>
      Array.from(
        weights[`weight_${side}_l0`].data,
        (weight, gate) => weight * x + weights[`bias_${side}_l0`].data[gate]
      );
    const data = Float32Array.of(0.5, -2, 3);
    const byInput = Array.from(data, (input) => product('ih', input));
    const byState = (/** @type {number} */ hidden) => product('hh', hidden);
    const expected = hiddenStates(ops, cell, byInput, byState, { hidden: 0, memory: 0 });
    const { output } = model.forward({ hidden_states: { data, shape: [1, 3, 1] } });
    assert.ok(difference(output.data, expected) < 1e-6, cell);
    model.dispose();
  }
});

test('a training has the weights and inputs of its layer, and what the loss is held against', async () => {
  const scope = await open({ threads: 1 });
  for (const { name, config, training, inputs, ids, weights } of trainings) {
    const model = scope.create(config);
    assert.deepEqual(shapesOf(model.stateDict()), weights, name);
    const own = model.inputs.filter(({ optional }) => !optional).map(({ name }) => name);
    const others = Object.keys({ ...inputs, ...ids }).filter((input) => !own.includes(input));
    assert.deepEqual(others.length, config.layer === 'decoder' ? 0 : 1, name);
    model.dispose();
    if (training) scope.estimate(config, { training });
  }
});

/** @param {Record<string, import('../../web/lib/index.js').Tensor>} state */
const shapesOf = (state) => Object.fromEntries(Object.entries(state).map(([name, { shape }]) => [name, [...shape]]));

test('a step of training counts its FLOPs by the estimate: those of the tutorial are 0.75 billion', async () => {
  const scope = await open({ threads: 1 });
  const flops = Object.fromEntries(trainings.map((training) => [training.kind, flopsOf(scope, training)]));
  assert.equal(flops.classifier, 752_074_752);
  assert.equal(flops.attention, 12 * 8192 * 8192 * 12 * 64);
  const { L, B, H, S, D } = trainings.filter(({ kind }) => kind === 'language model')[0].sizes;
  const all = scope.estimate(trainings.filter(({ kind }) => kind === 'language model')[0].config).flops * 3;
  assert.equal(all - flops['language model'], 12 * L * B * H * D * ((S * (S - 1)) / 2));
});

test('rivals get the weights of linear layers turned, and those of embeddings as they are', () => {
  for (const training of trainings.filter(({ kind }) => kind in losses)) {
    const data = dataOf(training);
    const made = weightsOf(training, data);
    assert.equal(
      Object.values(made).reduce((sum, [values]) => sum + values.length, 0),
      Object.values(data.weights).reduce((sum, values) => sum + values.length, 0),
      training.name
    );
    for (const [name, [values, shape]] of Object.entries(made)) assert.equal(values.length, lengthOf(shape), name);
  }
  const classifier = trainings.filter(({ kind }) => kind === 'classifier')[0];
  const { 'fc.weight': fc, 'embedding.weight': embedding } = weightsOf(classifier, dataOf(classifier));
  assert.deepEqual(
    [fc[1], embedding[1]],
    [
      [128, 2],
      [5000, 128]
    ]
  );
});

test('the rivals have exact versions, are no dependencies of the package, and their lock file names no addresses', () => {
  const read = (/** @type {string} */ name) => readFileSync(join(project, name), 'utf8');
  const { dependencies } = JSON.parse(read('tests/bench/package.json'));
  for (const version of Object.values(dependencies)) assert.match(version, /^\d+\.\d+\.\d+$/);
  const own = JSON.parse(read('package.json'));
  for (const name of Object.keys(dependencies))
    assert.ok(!(name in { ...own.dependencies, ...own.devDependencies }), name);
  assert.doesNotMatch(read('tests/bench/package-lock.json'), /"resolved":/);
});
