// Tensors between the steps, beside the results: every one of every layer, and what is refused.

import assert from 'node:assert/strict';
import test from 'node:test';
import { openInWorker } from '../../web/lib/index.js';
import { byReference } from './reference.js';
import {
  FLOAT32_TOLERANCE,
  alternatives,
  assertClose,
  configOf,
  configs,
  hasMask,
  layers,
  nameOf,
  randomInputs,
  randomTensor,
  scope,
  smallConfigs,
  variants,
  withModel
} from './support.js';
import { testRefusals } from './refusals.js';

const attention = { layer: 'multihead_attention', batch_size: 2, seq_len: 4, hidden_size: 8, num_heads: 2 };
const causal = { ...attention, is_causal: true };
const stack = {
  layer: 'decoder',
  batch_size: 2,
  seq_len: 3,
  vocab_size: 11,
  hidden_size: 12,
  num_layers: 3,
  num_heads: 2,
  intermediate_size: 7
};

/**
 * Every layer, and with each other value of each field: in sizes where no norm goes over two features, which would
 * enlarge the rounding of what comes before it.
 */
const broad = layers.flatMap((layer) => [
  configOf(layer, 3),
  configOf(layer, 5),
  ...layer.fields.flatMap((field) => alternatives(field).map((value) => configOf(layer, 3, { [field.name]: value })))
]);

/** By a name of the estimate the names that forward() takes. */
const tensorsOf = (config) => scope.estimate(config, { steps: false, tensors: true }).tensors;

/** The same numbers to `tolerance`, and the same ones hidden. */
function assertSameOrHidden(actual, expected, name) {
  assert.deepEqual(actual.shape, expected.shape, name);
  const hidden = ({ data }) => Array.from(data.keys()).filter((i) => data[i] === -Infinity);
  assert.deepEqual(hidden(actual), hidden(expected), name);
  const seen = ({ data }) => data.map((value) => (value === -Infinity ? 0 : value));
  assertClose(seen(actual), seen(expected), FLOAT32_TOLERANCE, name);
}

for (const { name, scope: on } of variants) {
  test(`${name}: all tensors of every layer are what the reference makes, and leave the results as they are`, () => {
    for (const config of broad) {
      const tensors = Object.values(tensorsOf(config)).flat();
      const inputs = randomInputs(config, { mask: hasMask(config) });
      withModel(
        config,
        (model) => {
          const { tensors: made, ...results } = model.forward(inputs, { tensors });
          const expected = byReference(config, inputs, { tensors });
          assert.deepEqual(Object.keys(made), tensors, nameOf(config));
          for (const one of tensors) assertSameOrHidden(made[one], expected.tensors[one], `${nameOf(config)}: ${one}`);
          for (const one of Object.keys(results))
            assertSameOrHidden(results[one], expected[one], `${nameOf(config)}: ${one}`);
        },
        { on }
      );
    }
  });
}

test('an estimate names what each step makes, as often as it is repeated, and what a softmax sees of its scores', () => {
  for (const config of configs) {
    const { steps, shapes, tensors } = scope.estimate(config, { tensors: true });
    const masked = Object.keys(tensors).filter((one) => !(one in shapes));
    const softmaxes = steps.filter(({ op }) => op === 'softmax');
    assert.deepEqual(
      new Set(Object.keys(tensors).filter((one) => !masked.includes(one))),
      new Set(Object.keys(shapes)),
      nameOf(config)
    );
    assert.deepEqual(
      masked,
      softmaxes.map(({ inputs: [scores] }) => scores.replace(/^(encoder_|(nope_)?(window_)?)/, '$1masked_')),
      nameOf(config)
    );
    for (const { output, repeat } of steps)
      assert.equal(tensors[output].length, repeat, `${nameOf(config)}: ${output}`);
    const all = Object.values(tensors).flat();
    assert.equal(new Set(all).size, all.length, nameOf(config));
    const { tensors: made } = withModel(config, (model) => model.forward(randomInputs(config), { tensors: all }));
    for (const [output, names] of Object.entries(tensors)) {
      for (const one of names) if (shapes[output]) assert.deepEqual(made[one].shape, shapes[output], one);
    }
  }
});

test('names of tensors are listed only where they are asked for', () => {
  assert.ok(!('tensors' in scope.estimate(stack)));
  assert.ok(!('tensors' in scope.estimate(stack, { tensors: false })));
  const [one] = scope.estimates([stack], { tensors: true });
  assert.deepEqual(one.tensors, tensorsOf(stack));
  assert.deepEqual(tensorsOf(stack).scores, [
    'model.layers.0.scores',
    'model.layers.1.scores',
    'model.layers.2.scores'
  ]);
  const mixed = tensorsOf({ ...stack, num_layers: 5, window: 2, full_every: 2 });
  assert.deepEqual(mixed.window_scores, ['model.layers.0.scores', 'model.layers.2.scores', 'model.layers.4.scores']);
  assert.deepEqual(mixed.scores, ['model.layers.1.scores', 'model.layers.3.scores']);
  const { training, tensors } = scope.estimate(stack, { tensors: true, training: { loss: 'mse_loss' } });
  assert.deepEqual([tensors, 'tensors' in training], [tensorsOf(stack), false]);
});

test('without the option there are no tensors, and the results are the same bits', () => {
  for (const config of smallConfigs) {
    withModel(config, (model) => {
      const inputs = randomInputs(config);
      const before = model.forward(inputs);
      assert.ok(!('tensors' in before), nameOf(config));
      assert.deepEqual(model.forward(inputs, { tensors: undefined }), before, nameOf(config));
      assert.deepEqual(model.forward(inputs, { tensors: [] }), { ...before, tensors: {} }, nameOf(config));
      model.forward(inputs, { tensors: Object.values(tensorsOf(config)).flat() });
      assert.deepEqual(model.forward(inputs), before, nameOf(config));
    });
  }
});

test('masked scores have -Infinity for what lies in the future, and for what a mask hides', () => {
  withModel(causal, (model) => {
    const inputs = randomInputs(causal);
    const options = { tensors: ['scores', 'masked_scores', 'weights'] };
    const { scores, masked_scores: masked, weights } = model.forward(inputs, options).tensors;
    for (let i = 0; i < masked.data.length; ++i) {
      const future = i % 4 > Math.floor(i / 4) % 4;
      assert.equal(masked.data[i], future ? -Infinity : scores.data[i], `${i}`);
      assert.equal(weights.data[i] === 0, future, `${i}`);
    }
    const mask = { data: Uint8Array.of(0, 1, 1, 1), shape: [4] };
    const hidden = model.forward({ ...inputs, mask }, options).tensors.masked_scores;
    assert.ok(hidden.data.every((score, i) => (i % 4 === 0 ? score === -Infinity : score === masked.data[i])));
  });
});

test('the weights of one option are those of the other, which may be false', () => {
  withModel(attention, (model) => {
    const inputs = randomInputs(attention);
    const results = model.forward(inputs, { tensors: ['weights', 'scores'], need_weights: false });
    assert.deepEqual(Object.keys(results), ['output', 'tensors']);
    const expected = model.forward(inputs);
    assertSameOrHidden(results.tensors.weights, expected.weights, 'weights');
    assertSameOrHidden(results.output, expected.output, 'output');
  });
});

test('queries are the rows of their heads: each has its own shape, in row-major order', () => {
  withModel(attention, (model) => {
    const tensors = ['projected_query', 'query_heads'];
    const { projected_query: rows, query_heads: heads } = model.forward(randomInputs(attention), { tensors }).tensors;
    assert.deepEqual(
      [rows.shape, heads.shape],
      [
        [2, 4, 8],
        [2, 2, 4, 4]
      ]
    );
    const at = (b, h, t, d) => rows.data[(b * 4 + t) * 8 + h * 4 + d];
    const expected = heads.data.map((_, i) => at(i >> 5, (i >> 4) & 1, (i >> 2) & 3, i & 3));
    assert.deepEqual(heads.data, expected);
  });
});

test('a name that is given twice, and that of a result, are as good as any', () => {
  withModel(attention, (model) => {
    const inputs = randomInputs(attention);
    const { output, tensors } = model.forward(inputs, { tensors: ['output', 'merged', 'output'] });
    assert.deepEqual(Object.keys(tensors), ['output', 'merged']);
    assert.deepEqual(tensors.output, output);
    assert.notEqual(tensors.output.data, output.data);
  });
});

test('inputs of another batch and length give tensors of theirs', () => {
  withModel(attention, (model) => {
    const { tensors } = model.forward({ hidden_states: randomTensor([1, 7, 8]) }, { tensors: ['masked_scores'] });
    assert.deepEqual(tensors.masked_scores.shape, [1, 2, 7, 7]);
  });
});

test('resident tensors are the same numbers, and are disposed of like results', () => {
  withModel(stack, (model) => {
    const inputs = randomInputs(stack);
    const options = { tensors: ['model.layers.1.scores', 'hidden_states'] };
    const expected = model.forward(inputs, options);
    const { output, weights, tensors } = model.forward(inputs, { ...options, resident: true });
    for (const one of options.tensors) {
      const { data, shape } = tensors[one];
      assert.deepEqual({ data, shape }, expected.tensors[one], one);
    }
    for (const one of [output, weights, ...Object.values(tensors)]) one.dispose();
    assert.throws(() => tensors.hidden_states.data, /was disposed/);
  });
});

test('rounded and compared runs have tensors too, and progress is told', () => {
  withModel(attention, (model) => {
    const inputs = randomInputs(attention);
    const tensors = ['scores'];
    const exact = model.forward(inputs, { tensors });
    const rounded = model.forward(inputs, { tensors, round: 'bfloat16' });
    assert.ok(rounded.rounding_error.relative > 0);
    assert.notDeepEqual(rounded.tensors, exact.tensors);
    assertClose(rounded.tensors.scores.data, exact.tensors.scores.data, 0.1);
    assert.deepEqual(model.forward(inputs, { tensors, compare: true }).tensors, exact.tensors);
    assert.deepEqual(model.forward(inputs, { tensors, progress: () => true }).tensors, exact.tensors);
  });
});

test('what runBytes says grows with the tensors, and decides what fits', () => {
  const wide = { ...attention, seq_len: 300 };
  const plain = scope.runBytes(wide, { need_weights: false });
  const scores = scope.runBytes(wide, { need_weights: false, tensors: ['scores'] });
  assert.ok(scores >= plain + 4 * 2 * 2 * 300 * 300, `${plain}, ${scores}`);
  const long = { layer: 'scaled_dot_product_attention', batch_size: 1, seq_len: 20000, num_heads: 4, head_dim: 8 };
  assert.ok(scope.runBytes(long, { need_weights: false }) < scope.memoryLimit);
  const needed = scope.runBytes(long, { need_weights: false, tensors: ['scores'] });
  withModel(long, (model) => {
    const message =
      `the layer must need at most ${scope.memoryLimit} bytes to run with the tensors that are asked for, got ` +
      `${needed}; fewer of them take less`;
    const inputs = randomInputs(long);
    assert.throws(() => model.forward(inputs, { need_weights: false, tensors: ['scores'] }), {
      name: 'RangeError',
      field: 'tensors',
      message
    });
    assert.equal(model.forward(inputs, { need_weights: false }).output.shape[2], 20000);
  });
});

test('in a worker it is the same, resident or not, and what is given up is freed', async () => {
  const remote = await openInWorker({ build: scope.build.name, threads: 1 });
  const model = await remote.create(stack);
  const inputs = randomInputs(stack);
  const options = { tensors: ['model.layers.2.masked_scores', 'logits'] };
  const expected = withModel(stack, (own) => own.forward(inputs, options));
  assert.deepEqual(await model.forward(inputs, options), expected);
  const { output, weights, tensors } = await model.forward(inputs, { ...options, resident: true });
  assert.deepEqual(tensors.logits.shape, expected.tensors.logits.shape);
  for (const one of options.tensors) assert.deepEqual(await tensors[one].data, expected.tensors[one].data);
  for (const one of [output, weights, ...Object.values(tensors)]) await one.dispose();
  await assert.rejects(model.forward(inputs, { tensors: ['scorse'] }), { name: 'RangeError', field: 'tensors' });
  assert.equal(await remote.runBytes(stack, { tensors: ['logits'] }), scope.runBytes(stack, { tensors: ['logits'] }));
  remote.dispose();
});

const asked = (config, tensors) => () => withModel(config, (model) => model.forward(randomInputs(config), { tensors }));
const those = 'masked_score_row, weights, output';

testRefusals([
  [asked(attention, 'scores'), 'tensors', 'tensors must be an array of names, got "scores"'],
  [asked(attention, null), 'tensors', 'tensors must be an array of names, got null'],
  [asked(attention, ['scores', 3]), 'tensors', 'tensors must be an array of names, got an array'],
  [asked(attention, ['scorse']), 'tensors', 'multihead_attention has no tensor "scorse", did you mean scores?'],
  [
    asked({ layer: 'linear_scorer', batch_size: 1, seq_len: 2, hidden_size: 3 }, ['Q']),
    'tensors',
    `linear_scorer has no tensor "Q"; its tensors are scores, score_row, ${those}`
  ],
  [
    asked({ layer: 'linear_scorer', batch_size: 1, seq_len: 2, hidden_size: 3 }, ['hidden_states']),
    'tensors',
    `linear_scorer has no tensor "hidden_states"; its tensors are scores, score_row, ${those}`
  ],
  [
    asked(stack, ['model.layers.3.scores']),
    'tensors',
    'decoder has no tensor "model.layers.3.scores", did you mean model.layers.0.scores?'
  ],
  [
    () => scope.runBytes(attention, { tensors: ['mergd'] }),
    'tensors',
    'multihead_attention has no tensor "mergd", did you mean merged?'
  ],
  [
    () => scope.runBytes(attention, { tensors: 'merged' }),
    'tensors',
    'tensors must be an array of names, got "merged"'
  ],
  [() => scope.estimate(attention, { tensors: ['scores'] }), 'tensors', 'tensors must be true or false, got an array'],
  [
    () => withModel(stack, (model) => model.step(randomInputs(stack), { tensors: ['logits'] })),
    'tensors',
    'step has no option "tensors"; its options are need_weights, resident, progress'
  ],
  [
    () => withModel(attention, (model) => model.forward(randomInputs(attention), { tensor: ['scores'] })),
    'tensor',
    'forward has no option "tensor", did you mean tensors?'
  ]
]);
