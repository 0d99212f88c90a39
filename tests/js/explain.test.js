// One attention weight with the numbers that it is made of: each line follows from the lines before.

import assert from 'node:assert/strict';
import test from 'node:test';
import { openInWorker } from '../../web/lib/index.js';
import { randomNumbers } from '../random.js';
import { testRefusals } from './refusals.js';
import {
  FLOAT32_TOLERANCE,
  configs,
  nameOf,
  randomInputs,
  randomTensor,
  scope,
  weightsIn,
  withModel
} from './support.js';

const attention = { layer: 'multihead_attention', batch_size: 2, seq_len: 4, hidden_size: 8, num_heads: 2 };
const grouped = {
  layer: 'grouped_query_attention',
  batch_size: 1,
  seq_len: 4,
  hidden_size: 8,
  num_heads: 2,
  num_kv_heads: 1
};
const stack = {
  layer: 'decoder',
  batch_size: 1,
  seq_len: 4,
  vocab_size: 11,
  hidden_size: 8,
  intermediate_size: 8,
  num_heads: 2,
  num_layers: 3
};

const near = (actual, expected, size, what) =>
  assert.ok(
    actual === expected || Math.abs(actual - expected) <= FLOAT32_TOLERANCE * Math.max(1, size, Math.abs(expected)),
    `${what} is ${actual}, not ${expected}`
  );
const total = (numbers) => numbers.reduce((sum, one) => sum + one, 0);
const magnitude = (numbers) => total(numbers.map(Math.abs));

const MADE = {
  tanh: ({ of: [x] }) => Math.tanh(x.value),
  sigmoid: ({ of: [x] }) => 1 / (1 + Math.exp(-x.value)),
  multiply: ({ of: [x, y] }) => x.value * y.value,
  pair_sum: ({ of: [x, y] }) => x.value + y.value,
  rotate: ({ of: [x, y], cos, sin }) => x.value * cos + y.value * sin
};
const LINES = {
  scale: (before, by) => before * by,
  softcap: (before, by) => by * Math.tanh(before / by),
  tanh: (before) => Math.tanh(before)
};

function checkMade(number, what) {
  if (!number.op) return;
  near(number.value, MADE[number.op](number), 1, `${what} ${number.tensor}`);
  number.of.forEach((one) => checkMade(one, what));
}

/** Every line by hand. */
function recompute(cell, what) {
  for (const { left, right, product } of cell.products) {
    assert.equal(product, left.value * right.value, what);
    checkMade(left, what);
    checkMade(right, what);
  }
  const sizes = cell.products.map(({ product }) => Math.abs(product));
  assert.deepEqual(
    sizes,
    [...sizes].sort((a, b) => b - a),
    `${what}: the largest products come first`
  );
  assert.deepEqual(
    cell.products.map(({ feature }) => feature).sort((a, b) => a - b),
    cell.products.map((_, feature) => feature)
  );
  near(cell.sum, total(cell.products.map(({ product }) => product)), total(sizes), `${what}: sum`);
  let value = cell.sum;
  for (const line of cell.lines) {
    const next = LINES[line.op]?.(value, line.by) ?? value + line.by;
    near(line.value, next, magnitude([value, line.by ?? 0]), `${what}: ${line.op}`);
    value = line.value;
  }
  assert.equal(cell.score, value, what);
  const { added, hidden_by: hidden, value: masked } = cell.masked;
  if (hidden.length > 0) assert.equal(masked, -Infinity, what);
  else near(masked, value + added, magnitude([value, added]), `${what}: masked`);
  const { scores, max, sum, visible } = cell.row;
  assert.equal(scores[cell.key], masked, what);
  assert.equal(max, Math.max(...scores), what);
  assert.equal(visible, scores.filter(Number.isFinite).length, what);
  const exponential = (score) => (visible === 0 ? 0 : Math.exp(score - max));
  near(sum, total(scores.map(exponential)), 0, `${what}: sum of exponentials`);
  near(cell.exponential, exponential(masked), 0, `${what}: exponential`);
  near(cell.weight, visible === 0 ? 0 : cell.exponential / sum, 0, `${what}: weight`);
  if (!cell.value) return;
  cell.value.added.forEach((one, i) => assert.equal(one, cell.weight * cell.value.features[i], what));
  assert.equal(cell.value.total.length, cell.value.added.length, what);
}

const hasWeights = (config) => scope.estimate(config).steps.some(({ op }) => op === 'softmax');

/** A cell of a softmax's output. */
function randomCell({ axes, shape }, next) {
  const size = (axis) => (axes.includes(axis) ? shape[axes.indexOf(axis)] : 0);
  const below = (most) => Math.floor(next() * most);
  return {
    key: below(shape.at(-1)),
    batch: below(size('batch')),
    ...(size('head') && { head: below(size('head')) }),
    ...(size('query') && { query: below(size('query')) })
  };
}

for (const name of new Set(configs.filter(hasWeights).map(({ layer }) => layer)))
  test(`${name}: each line of a cell follows from the lines before, and its weight is the run's`, () => {
    const next = randomNumbers(7);
    for (const config of configs.filter((one) => one.layer === name && hasWeights(one))) {
      const inputs = randomInputs(config, { mask: next() < 0.5 });
      withModel(config, (model) => {
        const { steps, tensors, results } = scope.estimate(config, { tensors: true });
        const isOneOfSeveral = results.filter(({ weights }) => weights).length > 1;
        for (const softmax of steps.filter(({ op }) => op === 'softmax')) {
          const at = randomCell(softmax, next);
          const cell = model.explain(inputs, { ...at, ...(isOneOfSeveral && { attention: softmax.output }) });
          const what = `${nameOf(config)}: ${JSON.stringify(at)}`;
          recompute(cell, what);
          const made = tensors[softmax.output].at(-1);
          if (cell.layer !== null && !made.includes(`.${cell.layer}.`)) continue; // of another kind of layer
          const { data, shape } = model.forward(inputs, { tensors: [made] }).tensors[made];
          const place = softmax.axes.map((axis) => (axis === 'position' ? at.key : at[axis]));
          const weight = data[place.reduce((index, one, d) => index * shape[d] + one, 0)];
          near(cell.weight, weight, 0, what);
        }
      });
    }
  });

test('the last layer of a stack is explained, or the one that is asked for', () => {
  withModel(stack, (model) => {
    const inputs = randomInputs(stack);
    const at = { query: 3, key: 1, head: 1 };
    const names = [0, 1, 2].map((layer) => `model.layers.${layer}.weights`);
    const { tensors, weights } = model.forward(inputs, { tensors: names });
    const place = 4 * (4 + 3) + 1;
    for (const layer of [0, 1, 2]) {
      const cell = model.explain(inputs, { ...at, layer });
      assert.equal(cell.layer, layer);
      near(cell.weight, tensors[names[layer]].data[place], 0, `layer ${layer}`);
    }
    const last = model.explain(inputs, at);
    assert.equal(last.layer, 2);
    near(last.weight, weights.data[place], 0, 'the last');
  });
});

test('layers with and without a window are counted together', () => {
  const mixed = { ...stack, num_layers: 4, window: 2, full_every: 2 };
  withModel(mixed, (model) => {
    const inputs = randomInputs(mixed);
    const why = [0, 1, 2, 3].map((layer) => model.explain(inputs, { query: 3, key: 0, layer }).masked.hidden_by);
    assert.deepEqual(why, [['window'], [], ['window'], []]);
  });
});

test('a hidden cell says why, and has the weight 0', () => {
  withModel(grouped, (model) => {
    const inputs = randomInputs(grouped);
    const mask = { data: Uint8Array.of(0, 1, 1, 1), shape: [4] };
    const why = (at, given = inputs) => {
      const { masked, weight, exponential } = model.explain(given, at);
      return [masked.hidden_by, masked.added, masked.value, exponential, weight];
    };
    assert.deepEqual(why({ query: 1, key: 2 }), [['future'], 0, -Infinity, 0, 0]);
    assert.deepEqual(why({ query: 1, key: 0 }, { ...inputs, mask }), [['mask'], -Infinity, -Infinity, 0, 0]);
    const none = { data: new Float32Array(4).fill(-Infinity), shape: [4] };
    assert.deepEqual(why({ query: 1, key: 2 }, { ...inputs, mask: none })[0], ['mask', 'future']);
  });
});

test('a row whose every key is hidden has weights of 0, a sum of 0, and adds nothing', () => {
  withModel(attention, (model) => {
    const mask = { data: new Uint8Array(4), shape: [4] };
    const cell = model.explain({ ...randomInputs(attention), mask }, { query: 2, key: 1 });
    assert.deepEqual(cell.row, { scores: Array(4).fill(-Infinity), max: -Infinity, sum: 0, visible: 0 });
    assert.deepEqual([cell.exponential, cell.weight], [0, 0]);
    assert.ok(cell.value.added.every((one) => one === 0));
    assert.ok(
      cell.products.some(({ product }) => product !== 0),
      'its features are told all the same'
    );
  });
});

test('keys that the layer appends are explained: the row of zeros has no product but 0', () => {
  const config = { ...attention, add_zero_attn: true, add_bias_kv: true };
  withModel(config, (model) => {
    const cell = model.explain(randomInputs(config), { query: 0, key: 5 });
    assert.ok(cell.products.every(({ product }) => product === 0));
    assert.equal(cell.row.scores.length, 6);
    assert.throws(() => model.explain(randomInputs(config), { query: 0, key: 6 }), { field: 'key' });
  });
});

test('what the layer averages over its heads is told of all of them', () => {
  const config = { ...attention, average_attn_weights: true };
  withModel(config, (model) => {
    const inputs = randomInputs(config);
    const cell = model.explain(inputs, { query: 1, key: 3, head: 1, batch: 1 });
    near(cell.averaged.mean, total(cell.averaged.weights) / 2, 0, 'mean');
    near(cell.averaged.mean, model.forward(inputs).weights.data[(4 + 1) * 4 + 3], 0, 'result');
    assert.equal(cell.averaged.weights[1], cell.weight);
  });
});

test('what all keys of a row add is the row of the output', () => {
  withModel(attention, (model) => {
    const inputs = randomInputs(attention);
    const cells = [0, 1, 2, 3].map((key) => model.explain(inputs, { query: 2, key, head: 1, batch: 1 }).value);
    cells[0].total.forEach((one, i) => near(one, total(cells.map(({ added }) => added[i])), 0, `${i}`));
  });
});

test('inputs of another batch and length, in 16 bits, resident, or with masks of other shapes, are explained', () => {
  withModel(attention, (model) => {
    const hidden_states = randomTensor([3, 7, 8]);
    const at = { query: 5, key: 6, head: 1, batch: 2 };
    const expected = model.explain({ hidden_states }, at);
    assert.equal(expected.row.scores.length, 7);
    const resident = scope.tensor(hidden_states.data, hidden_states.shape);
    assert.deepEqual(model.explain({ hidden_states: resident }, at), expected);
    resident.dispose();
    const half = {
      data: Uint16Array.from({ length: 7 }, (_, i) => (i === 6 ? 0xb800 : 0)),
      shape: [7],
      dtype: 'float16'
    };
    assert.equal(model.explain({ hidden_states, mask: half }, at).masked.added, -0.5);
    const brain = { data: half.data.map((bits) => bits && 0xbf00), dims: [7], dtype: 'bfloat16' };
    assert.equal(model.explain({ hidden_states, mask: brain }, at).masked.added, -0.5);
    const row = { data: Float32Array.of(0, 0, 0, 0, 0, -2, 0), shape: [7, 1] };
    assert.equal(model.explain({ hidden_states, mask: { ...row, shape: [7, 1] } }, at).masked.added, -2);
  });
});

test('the lower right corner is where causality is counted from, in inputs of any length', () => {
  const config = {
    layer: 'scaled_dot_product_attention',
    batch_size: 1,
    num_heads: 1,
    seq_len: 4,
    head_dim: 2,
    is_causal: true,
    causal_alignment: 'lower_right'
  };
  withModel(config, (model) => {
    const inputs = {
      query: randomTensor([1, 1, 2, 2]),
      key: randomTensor([1, 1, 5, 2]),
      value: randomTensor([1, 1, 5, 2])
    };
    const why = [2, 3, 4].map((key) => model.explain(inputs, { query: 0, key }).masked.hidden_by);
    assert.deepEqual(why, [[], [], ['future']]);
  });
});

test('a model that is trained is explained by its present weights', () => {
  const trainer = scope.trainer(attention, { loss: 'mse_loss', optimizer: { name: 'sgd', lr: 1 } });
  const inputs = randomInputs(attention);
  const at = { query: 1, key: 1 };
  const before = trainer.model.explain(inputs, at);
  trainer.step({ ...inputs, target: randomTensor([2, 4, 8], 5) });
  const after = trainer.model.explain(inputs, at);
  recompute(after, 'trained');
  assert.notEqual(after.score, before.score);
  trainer.dispose();
});

test('every result of weights can be named, and is the one that forward() returns', () => {
  const config = {
    layer: 'transformer_decoder_layer',
    batch_size: 1,
    seq_len: 3,
    hidden_size: 8,
    num_heads: 2,
    intermediate_size: 8
  };
  withModel(config, (model) => {
    const inputs = randomInputs(config);
    for (const { name, tensor } of weightsIn(model.forward(inputs))) {
      const cell = model.explain(inputs, { query: 2, key: 1, attention: name });
      assert.equal(cell.attention, name);
      near(cell.weight, tensor.data[2 * tensor.shape.at(-1) + 1], 0, name);
    }
    assert.equal(model.explain(inputs, { query: 2, key: 1 }).attention, 'weights');
  });
});

test('in a worker it is the same', async () => {
  const remote = await openInWorker({ build: scope.build.name, threads: 1 });
  const model = await remote.create(attention);
  const inputs = randomInputs(attention, { mask: true });
  const at = { query: 2, key: 1, head: 1, batch: 1 };
  assert.deepEqual(
    await model.explain(inputs, at),
    withModel(attention, (own) => own.explain(inputs, at))
  );
  await assert.rejects(model.explain(inputs, { query: 4, key: 1 }), { name: 'RangeError', field: 'query' });
  remote.dispose();
});

const asked = (config, at) => () => withModel(config, (model) => model.explain(randomInputs(config), at));
const linear = { layer: 'linear_scorer', batch_size: 1, seq_len: 2, hidden_size: 3 };
const cells = 'explain has no option "column"; its options are key, query, head, batch, layer, attention';

testRefusals([
  [asked(attention, undefined), 'options', 'options must be a plain object, got undefined'],
  [asked(attention, { query: 0 }), 'key', 'key must be an integer from 0 to 3, got undefined'],
  [asked(attention, { key: 0 }), 'query', 'query must be an integer from 0 to 3, got undefined'],
  [asked(attention, { query: 4, key: 0 }), 'query', 'query must be an integer from 0 to 3, got 4'],
  [asked(attention, { query: 0, key: 4 }), 'key', 'key must be an integer from 0 to 3, got 4'],
  [asked(attention, { query: 0, key: 0, head: 2 }), 'head', 'head must be an integer from 0 to 1, got 2'],
  [asked(attention, { query: 0, key: 0, batch: 2 }), 'batch', 'batch must be an integer from 0 to 1, got 2'],
  [asked(attention, { query: -1, key: 0 }), 'query', 'query must be an integer from 0 on, got -1'],
  [asked(attention, { query: 1.5, key: 0 }), 'query', 'query must be an integer from 0 on, got 1.5'],
  [asked(attention, { query: '1', key: 0 }), 'query', 'query must be an integer from 0 on, got "1"'],
  [asked(attention, { query: 0, key: NaN }), 'key', 'key must be an integer from 0 on, got NaN'],
  [asked(attention, { query: 0, key: 0, column: 1 }), 'column', cells],
  [asked(attention, { query: 0, keys: 0 }), 'keys', 'explain has no option "keys", did you mean key?'],
  [
    asked(attention, { query: 0, key: 0, layer: 0 }),
    'layer',
    'layer must be left out, for multihead_attention is no stack of layers, got 0'
  ],
  [asked(stack, { query: 0, key: 0, layer: 3 }), 'layer', 'layer must be at most 2, got 3'],
  [
    asked(attention, { query: 0, key: 0, attention: 'cross_weights' }),
    'attention',
    'attention must be weights, got "cross_weights"'
  ],
  [asked(attention, { query: 0, key: 0, attention: 1 }), 'attention', 'attention must be a name, got 1'],
  [
    asked(linear, { query: 0, key: 1 }),
    'query',
    'query must be left out, for the weights of linear_scorer have none, got 0'
  ],
  [
    asked(linear, { head: 0, key: 1 }),
    'head',
    'head must be left out, for the weights of linear_scorer have none, got 0'
  ],
  [
    asked({ layer: 'dense', batch_size: 1, seq_len: 2, hidden_size: 3 }, { key: 0 }),
    'layer',
    'layer must be one with attention weights to explain, got dense'
  ],
  [
    asked({ ...linear, output: 'scores' }, { key: 0 }),
    'layer',
    'layer must be one with attention weights to explain, got linear_scorer'
  ],
  [
    () => withModel(attention, (model) => model.explain(null, { query: 0, key: 0 })),
    'inputs',
    'inputs must be a plain object, got null'
  ],
  [
    () => withModel(attention, (model) => model.explain({}, { query: 0, key: 0 })),
    'hidden_states',
    'hidden_states is missing; it must have shape (2, 4, 8)'
  ],
  [
    () =>
      withModel(attention, (model) => model.explain({ hidden_states: randomTensor([2, 4, 7]) }, { query: 0, key: 0 })),
    'hidden_states',
    'hidden_states.shape must be (2, 4, 8), got (2, 4, 7)'
  ]
]);
