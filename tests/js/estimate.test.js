// What a layer costs: known figures, exactness, and the parts of one estimate held against each other.

import assert from 'node:assert/strict';
import test from 'node:test';
import { defineConfig, fromHuggingFace } from '../../web/lib/index.js';
import { published } from '../../web/plain/published.js';
import { configs, layers, nameOf, scope } from './support.js';

const bert = { batch_size: 32, seq_len: 128, hidden_size: 768 };
const linear = { layer: 'linear_scorer', ...bert };
const additive = { layer: 'additive_scorer', ...bert, attn_dim: 128 };
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
/** A parameter's name, or some rows of it: score.weight, in_proj_bias[0:4], bias_k, weight. */
const isParameter = (tensor) =>
  /(^|[._])(weight|bias)(_[ih][hr]_l\d+(_reverse)?)?(\[\d+:\d+\])?$|^bias_[kv]$|^(positions|query|score_factor)$/.test(
    tensor
  );
const scoring = ({ parts }) => (parts.project?.macs ?? 0) + parts.score.macs;

for (const [claim, config, read, expected] of [
  ['a linear scorer of 768 has 769 parameters', linear, (e) => e.parameters, 769],
  ['without bias it has 768', { ...linear, bias: false }, (e) => e.parameters, 768],
  ['an additive scorer of 768 and 128 has 98,561 parameters', additive, (e) => e.parameters, 98561],
  ['without biases it has 98,432', { ...additive, bias: false }, (e) => e.parameters, 98432],
  ['linear scoring of 32 x 128 takes 3,145,728 MACs', linear, scoring, 3145728],
  ['additive scoring takes 403,177,472', additive, scoring, 403177472],
  ['pooling takes 3,145,728 more', additive, (e) => e.parts.combine.macs, 3145728],
  ['the total is their sum', additive, (e) => e.macs, 403177472 + 3145728],
  ['scores alone leave pooling out', { ...additive, output: 'scores' }, (e) => e.macs, 403177472],
  ['FLOPs are twice the MACs', linear, (e) => e.flops, 2 * (3145728 + 3145728)],
  ['scores have shape (32, 128, 1)', linear, (e) => e.shapes.scores, [32, 128, 1]],
  [
    'scores take 16 KiB in float32',
    linear,
    (e) => e.timeline.find(({ tensor }) => tensor === 'scores').bytes,
    16 * 1024
  ],
  ['the pooled output is (32, 768)', linear, (e) => e.output_shape, [32, 768]],
  ['weights as the output are (32, 128)', { ...linear, output: 'weights' }, (e) => e.output_shape, [32, 128]],
  ['scores as the output are (32, 128, 1)', { ...linear, output: 'scores' }, (e) => e.output_shape, [32, 128, 1]],
  [
    'multi-head attention of 768 has 4 E² + 4 E parameters',
    { layer: 'multihead_attention', ...bert },
    (e) => e.parameters,
    4 * 768 ** 2 + 4 * 768
  ]
]) {
  test(claim, () => assert.deepEqual(read(scope.estimate(config)), expected));
}

test('a field that is left out or undefined takes its default', () => {
  for (const { name, fields } of layers) {
    const defaults = Object.fromEntries(fields.map((field) => [field.name, field.default]));
    const absent = Object.fromEntries(fields.map((field) => [field.name, undefined]));
    assert.deepEqual(scope.estimate({ layer: name }).config, { layer: name, ...defaults });
    assert.deepEqual(scope.estimate({ layer: name, ...absent }).config, { layer: name, ...defaults });
  }
});

test('fields come back as they were given', () => {
  const config = { ...additive, bias: false, dtype: 'bfloat16', output: 'weights' };
  assert.deepEqual(scope.estimate(config).config, config);
});

const LARGEST = 2 ** 31 - 1;
for (const size of [3, 46341, 94906267, LARGEST]) {
  test(`counts of an additive scorer whose dimensions are all ${size} are the nearest doubles`, () => {
    const config = { layer: 'additive_scorer', batch_size: size, seq_len: size, hidden_size: size, attn_dim: size };
    const estimate = scope.estimate(config);
    const n = BigInt(size);
    const macs = n ** 4n + n ** 3n + n ** 3n;
    const parameters = n ** 2n + n + n + 1n;
    assert.equal(estimate.macs, Number(macs), 'macs');
    assert.equal(estimate.flops, Number(2n * macs), 'flops');
    assert.equal(estimate.parameters, Number(parameters), 'parameters');
    assert.equal(estimate.elementwise, Number(2n * n ** 3n + n ** 2n + 5n * n ** 2n), 'elementwise');
    assert.equal(estimate.memory.inputs, Number(4n * n ** 3n), 'input bytes');
    assert.equal(estimate.memory.gradients, Number(4n * parameters), 'gradient bytes');
    assert.equal(estimate.memory.activations_peak, Number(4n * 2n * n ** 3n), 'two tensors of the tanh layer');
  });
}

test('a layer whose counts do not fit 128 bits is refused, and the largest that fits is exact', () => {
  const attention = {
    layer: 'scaled_dot_product_attention',
    batch_size: LARGEST,
    seq_len: LARGEST,
    kv_len: LARGEST,
    num_heads: 65536
  };
  const macs = 2n * BigInt(LARGEST) ** 3n * 65536n * 65536n;
  assert.equal(scope.estimate({ ...attention, head_dim: 65536 }).flops, Number(2n * macs));
  const message = 'the layer is too large: one of its counts exceeds 2^127';
  for (const head_dim of [2 ** 17, 2 ** 18, LARGEST]) {
    assert.throws(() => scope.estimate({ ...attention, head_dim }), { name: 'RangeError', message });
    assert.throws(() => scope.pytorch({ ...attention, head_dim }), { name: 'RangeError', message });
  }
});

test('parts and steps sum to the totals', () => {
  for (const config of configs) {
    const { parameters, macs, elementwise, bytes_moved, parts, steps } = scope.estimate(config);
    const name = nameOf(config);
    assert.equal(sum(Object.values(parts).map((part) => part.parameters)), parameters, `${name}: parameters of parts`);
    assert.equal(sum(Object.values(parts).map((part) => part.macs)), macs, `${name}: macs of parts`);
    for (const [key, total] of Object.entries({ macs, elementwise, bytes_moved })) {
      assert.equal(sum(steps.map((step) => step[key] * step.repeat)), total, `${name}: ${key} of steps`);
    }
    for (const part of Object.keys(parts)) {
      const own = steps.filter((step) => step.part === part);
      assert.equal(sum(own.map((step) => step.macs * step.repeat)), parts[part].macs, `${name}: macs of ${part}`);
    }
    assert.deepEqual([...new Set(steps.map(({ part }) => part))], Object.keys(parts), name);
    /** @type {Map<string, number>} */
    const repeats = new Map(); // of all kinds of layers together
    for (const { name: step, repeat } of steps) {
      const both = step.replace(/^(nope_)?(window_)?/, '');
      repeats.set(both, (repeats.get(both) ?? 0) + repeat);
    }
    const { num_layers, nope_every } = config;
    const positions = steps.some(({ repeat, places }) => repeat > places) ? config.seq_len : 1;
    const rotated = nope_every ? num_layers - Math.floor(num_layers / nope_every) : num_layers;
    for (const [step, repeat] of repeats) {
      const layers = step.startsWith('rotate_') ? rotated : num_layers;
      assert.ok([1, layers, positions].includes(repeat), `${name}: ${step} repeats ${repeat} times`);
    }
  }
});

test('every dimension says what it goes over', () => {
  for (const config of configs) {
    const { inputs, results, steps } = scope.estimate(config);
    for (const { name, output, shape, axes } of [...inputs, ...results, ...steps]) {
      const what = `${nameOf(config)}: ${output ?? name}`;
      assert.equal(axes.length, shape.length, what);
      const named = output?.endsWith('rotation') ? axes.slice(1) : axes; // its first dimension is cosines and sines
      assert.ok(
        named.every((axis) => /^[a-z_]+$/.test(axis)),
        `${what} goes over ${axes}`
      );
    }
  }
  const { results } = scope.estimate({ layer: 'decoder' });
  assert.deepEqual(
    results.map(({ name, axes }) => [name, axes]),
    [
      ['output', ['batch', 'position', 'vocabulary']],
      ['weights', ['batch', 'head', 'query', 'key']]
    ]
  );
});

test('operations by kind are what the other figures count', () => {
  for (const config of configs) {
    const { macs, flops, elementwise, operations } = scope.estimate(config);
    const { macs: products, visible_macs: visible, roots, ...others } = operations;
    assert.equal(products, macs, nameOf(config));
    assert.equal(2 * products, flops, nameOf(config));
    assert.equal(sum(Object.values(others)), elementwise, nameOf(config));
    assert.ok(visible <= products && roots >= 0, nameOf(config));
  }
  const sizes = { layer: 'scaled_dot_product_attention', batch_size: 2, num_heads: 3, seq_len: 6, head_dim: 4 };
  assert.equal(scope.estimate(sizes).operations.visible_macs, 2 * 3 * 6 * 6 * 4 * 2);
  assert.equal(scope.estimate({ ...sizes, is_causal: true }).operations.visible_macs, 2 * 3 * 21 * 4 * 2);
  assert.equal(scope.estimate({ ...sizes, window: 2 }).operations.visible_macs, 2 * 3 * 16 * 4 * 2);
});

test('layers of two kinds have parameters of their own: those of all steps are those of the layer', () => {
  const { parameters, steps } = scope.estimate({ layer: 'decoder', window: 8, full_every: 3, num_layers: 7 });
  const read = new Set(); // a parameter that an earlier step has read is no new one
  const own = steps.filter(({ inputs }) => {
    const names = inputs.filter(isParameter);
    const known = names.some((name) => read.has(name));
    names.forEach((name) => read.add(name));
    return !known;
  });
  assert.equal(sum(own.map((step) => step.parameters * step.places)), parameters);
});

test('kv_len left out means as many keys as queries', () => {
  for (const { name, fields } of layers.filter(({ fields }) => fields.some(({ name }) => name === 'kv_len'))) {
    assert.equal(fields.find((field) => field.name === 'kv_len').default, null, name);
    const { inputs } = scope.estimate({ layer: name, seq_len: 33 });
    for (const { name: input, shape, optional } of inputs.filter(({ name }) => name !== 'hidden_states')) {
      assert.ok(
        shape.includes(33) && !shape.includes(128),
        `${name}: ${input} ${shape}${optional ? ', optional' : ''}`
      );
    }
  }
});

test('a result says which mask hides it, what the steps call it and how many layers make one', () => {
  const rolesOf = (config) =>
    scope.estimate(config).results.map(({ name, tensor, repeat, mask }) => [name, tensor, repeat, mask]);
  assert.deepEqual(rolesOf({ layer: 'decoder', num_layers: 5, window: 8, full_every: 2 }), [
    ['output', 'logits', 1, undefined],
    ['weights', 'weights', 5, 'mask']
  ]);
  assert.deepEqual(rolesOf({ layer: 'transformer_decoder_layer' }), [
    ['output', 'output', 1, undefined],
    ['weights', 'weights', 1, 'mask'],
    ['cross_weights', 'cross_weights', 1, 'memory_mask']
  ]);
  assert.deepEqual(rolesOf({ layer: 'linear_scorer', output: 'weights' }), [['output', 'weights', 1, 'mask']]);
  assert.deepEqual(rolesOf({ layer: 'linear_scorer', output: 'scores' }), [['output', 'scores', 1, undefined]]);
  assert.deepEqual(rolesOf({ layer: 'mean_pooling', seq_len: 768 }), [['output', 'output', 1, undefined]]);
  for (const config of configs) {
    const { inputs, results, steps } = scope.estimate(config);
    for (const { name, shape, axes, weights, tensor, mask } of results) {
      const what = `${nameOf(config)}: ${name}`;
      assert.ok(
        steps.some((step) => step.output === tensor && String(step.shape) === String(shape)),
        what
      );
      const hiding = inputs.find((input) => input.name === mask);
      // A key that the layer adds to those that it is given has no mask; one of tokens hides whole columns.
      const hidesTokens = inputs.some(({ axes, optional }) => optional && axes.length < shape.length);
      if (weights && !config.add_bias_kv && !config.add_zero_attn && !hidesTokens) assert.ok(hiding, what);
      if (!hiding) continue;
      assert.equal(hiding.optional, true, what);
      assert.deepEqual([hiding.shape.slice(-2), hiding.axes.slice(-2)], [shape.slice(-2), axes.slice(-2)], what);
    }
  }
});

test('number formats are those of dtype, with the figures of their bits', () => {
  const formats = scope.formats();
  const { choices } = layers[0].fields.find(({ name }) => name === 'dtype');
  assert.deepEqual(
    formats.map(({ name }) => name),
    choices
  );
  for (const { name: dtype, bits, bytes, trainable } of formats) {
    const { bytes_per_element, memory } = scope.estimate({ ...linear, dtype });
    assert.deepEqual(
      [bytes_per_element, 8 * bytes, trainable],
      [bytes, bits, memory.kept_for_backward !== null],
      dtype
    );
  }
  const round = (dtype, value) => {
    const bits = dtype === 'float32' ? new Float32Array([value]) : Uint16Array.of(value);
    const tensor = dtype === 'float32' ? scope.tensor(bits, [1]) : scope.tensor(bits, [1], { dtype });
    return tensor.data[0];
  };
  const [float32, float16, bfloat16, int8] = formats;
  assert.deepEqual(
    [round('float32', 2 ** 128 * (1 - 2 ** -24)), round('float32', 1 + 2 ** -23) - 1],
    [float32.largest, float32.step]
  );
  // The bits of the largest finite value, and of the one after 1.
  assert.deepEqual([round('float16', 0x7bff), round('float16', 0x3c01) - 1], [float16.largest, float16.step]);
  assert.deepEqual([round('bfloat16', 0x7f7f), round('bfloat16', 0x3f81) - 1], [bfloat16.largest, bfloat16.step]);
  assert.deepEqual([int8.largest, int8.step], [127, 1]);
});

test('defineConfig gives back what it is given', () => {
  assert.equal(defineConfig(linear), linear);
});

test('inputs that step() has from the KV cache are marked', () => {
  const marked = configs.flatMap((config) =>
    scope.estimate(config).inputs.map(({ name, cached }) => {
      assert.equal(cached, /^(window_)?past_/.test(name) ? true : undefined, `${nameOf(config)}: ${name}`);
      return cached;
    })
  );
  assert.ok(marked.some(Boolean));
});

test('steps read what the inputs, parameters and steps before them give', () => {
  for (const config of configs) {
    const { inputs, steps, shapes, output_shape } = scope.estimate(config);
    // Of stacked inputs each repetition reads its own part: past_keys, past_key.
    const known = new Set(inputs.flatMap(({ name }) => [name, name.replace(/s$/, '')]));
    const made = [];
    const isCarried = (tensor) => /^(encoder_)?(l\d+_(reverse_)?)?(hidden|cell)$/.test(tensor); // from position to position
    for (const { name, inputs: read, output, shape, axes, further_outputs = [] } of steps) {
      const unknown = read.filter((tensor) => !known.has(tensor) && !isParameter(tensor) && !isCarried(tensor));
      assert.deepEqual(unknown, [], `${nameOf(config)}: ${name} reads ${unknown}`);
      for (const one of [{ name: output, shape, axes }, ...further_outputs]) {
        assert.deepEqual(shapes[one.name], one.shape, `${nameOf(config)}: shape of ${one.name}`);
        assert.equal(one.axes.length, one.shape.length, `${nameOf(config)}: axes of ${one.name}`);
        known.add(one.name).add(`stacked_${one.name}`);
        made.push(one.name);
      }
    }
    const stacked = Object.keys(shapes).filter((name) => name.startsWith('stacked_'));
    assert.deepEqual(Object.keys(shapes), [...made, ...stacked]);
    assert.equal(
      new Set(steps.map(({ name }) => name)).size,
      steps.length,
      `${nameOf(config)}: each step has a name of its own`
    );
    assert.ok(
      steps.some(({ shape }) => String(shape) === String(output_shape)),
      `${nameOf(config)}: output ${output_shape}`
    );
  }
});

test('the timeline has the peak that memory names, and the bytes of the inputs', () => {
  for (const config of configs) {
    const { inputs, steps, memory, timeline } = scope.estimate(config);
    const given = new Set(inputs.map(({ name }) => name));
    const made = timeline.filter(({ tensor }) => !given.has(tensor));
    const alive = steps.map((_, s) =>
      sum(made.filter(({ born, freed }) => born <= s && s <= freed).map(({ bytes }) => bytes))
    );
    // Of repeated steps the timeline unites what the last one and those before it have alive.
    const repeated = steps.some(({ repeat }) => repeat > 1);
    assert.ok(
      repeated ? memory.activations_peak <= Math.max(...alive) : memory.activations_peak === Math.max(...alive),
      nameOf(config)
    );
    assert.equal(
      sum(timeline.filter(({ tensor }) => given.has(tensor)).map(({ bytes }) => bytes)),
      memory.inputs,
      nameOf(config)
    );
    for (const { tensor, born, freed } of timeline) {
      assert.ok(born <= freed && freed < steps.length, `${nameOf(config)}: ${tensor} lives from ${born} to ${freed}`);
    }
  }
});

test('without attention weights nothing is counted that has a number for each query and key', () => {
  const sizes = { batch_size: 2, num_heads: 3, head_dim: 8, seq_len: 500 };
  const { memory } = scope.estimate({ layer: 'scaled_dot_product_attention', ...sizes });
  const output = 4 * 2 * 3 * 500 * 8;
  assert.equal(memory.activations_peak_without_weights, output);
  assert.ok(memory.activations_peak >= 2 * 4 * 2 * 3 * 500 * 500);
  for (const config of configs) {
    const { memory } = scope.estimate(config);
    assert.equal(
      memory.inference_total_without_weights,
      memory.parameters + memory.inputs + memory.activations_peak_without_weights
    );
    assert.ok(memory.activations_peak_without_weights <= memory.activations_peak, nameOf(config));
  }
});

test('Llama-3-8B at 32k positions fits a card of 40 GB where its weights are not returned', () => {
  const { file } = published.find(({ name }) => name === 'Llama-3-8B');
  const { config } = fromHuggingFace({ ...file, max_position_embeddings: 32768 });
  const { memory } = scope.estimate({ ...config, batch_size: 1, seq_len: 32768, dtype: 'bfloat16' });
  assert.ok(memory.inference_total > 100 * 2 ** 30, `${memory.inference_total}`);
  assert.ok(memory.inference_total_without_weights < 40e9, `${memory.inference_total_without_weights}`);
});

test('memory totals are the sums of what they name', () => {
  for (const config of configs) {
    const { memory, parameters } = scope.estimate(config);
    assert.equal(memory.parameters, 4 * parameters);
    assert.equal(memory.inference_total, memory.parameters + memory.inputs + memory.activations_peak);
    assert.equal(memory.gradients, memory.parameters);
    assert.ok(memory.kept_for_backward >= memory.parameters + memory.gradients + memory.saved_for_backward);
  }
});

test('a step of training needs no less than a run of the layer', () => {
  for (const config of configs) {
    if (scope.estimate(config).parameters === 0) continue;
    const { memory, training } = scope.estimate(config, { training: { loss: 'mse_loss' }, steps: false });
    const { peak } = training.memory;
    assert.ok(peak >= memory.inference_total, `${nameOf(config)}: ${peak}, ${memory.inference_total}`);
  }
});

test('what the steps save for backward is what memory says', () => {
  for (const config of configs) {
    for (const dtype of ['float32', 'float16', 'bfloat16']) {
      const { steps, memory } = scope.estimate({ ...config, dtype });
      // A further repetition may keep more than the first, whose input something else has kept already.
      const saved = sum(steps.map((step) => step.saved_bytes * step.repeat));
      if (steps.every(({ repeat }) => repeat === 1))
        assert.equal(saved, memory.saved_for_backward, `${nameOf(config)}, ${dtype}`);
      assert.ok(
        saved >= memory.saved_for_backward,
        `${nameOf(config)}, ${dtype}: ${saved}, ${memory.saved_for_backward}`
      );
    }
  }
});

test('int8, a format for inference, has no training figures', () => {
  for (const { name } of layers) {
    const { steps, memory } = scope.estimate({ layer: name, dtype: 'int8' });
    assert.equal(sum(steps.map((step) => step.saved_bytes)), 0, name);
    const { saved_for_backward, gradients, kept_for_backward } = memory;
    assert.deepEqual([saved_for_backward, gradients, kept_for_backward], [null, null, null], name);
  }
});

for (const [dtype, bytes] of [
  ['float32', 4],
  ['float16', 2],
  ['bfloat16', 2],
  ['int8', 1]
]) {
  test(`${dtype} takes ${bytes} bytes an element, and counts of operations stay`, () => {
    const { memory, macs, elementwise } = scope.estimate({ ...additive, dtype });
    const reference = scope.estimate(additive);
    assert.equal(memory.inputs, 32 * 128 * 768 * bytes);
    assert.equal(memory.activations_peak, (reference.memory.activations_peak / 4) * bytes);
    assert.deepEqual([macs, elementwise], [reference.macs, reference.elementwise]);
  });
}

test("a result is the caller's own", () => {
  const first = scope.estimate(linear);
  first.output_shape[0] = 5;
  first.config.hidden_size = 1;
  assert.deepEqual(scope.estimate(linear).output_shape, [32, 768]);
});

test('without steps an estimate has everything else, whichever layer it is of', () => {
  for (const config of configs) {
    const { steps, shapes, timeline, ...figures } = scope.estimate(config);
    assert.ok(steps.length > 0 && timeline.length > 0 && Object.keys(shapes).length > 0, nameOf(config));
    assert.deepEqual(scope.estimate(config, { steps: false }), figures, nameOf(config));
    assert.deepEqual(Object.keys(scope.estimate(config, { steps: false })), Object.keys(figures), nameOf(config));
  }
});

test('estimates gives in one call what estimate gives of each config, with steps or without', () => {
  const figures = configs.map((config) => scope.estimate(config, { steps: false }));
  assert.deepEqual(scope.estimates(configs), figures);
  assert.deepEqual(scope.estimates(configs, { steps: false }), figures);
  assert.deepEqual(
    scope.estimates(configs, { steps: true }),
    configs.map((config) => scope.estimate(config))
  );
  assert.deepEqual(scope.estimates([]), []);
});

test('a config that is refused costs the other estimates nothing, and says in its place why', () => {
  const largest = { batch_size: LARGEST, seq_len: LARGEST, kv_len: LARGEST, num_heads: LARGEST, head_dim: LARGEST };
  const refused = [
    { ...linear, seq_len: 0 },
    { layer: 'scaled_dot_product_attention', ...largest },
    { ...linear, '"\n\u0001\\': 1 },
    null,
    [1]
  ];
  const given = refused.flatMap((config) => [linear, config]);
  const answers = scope.estimates(given);
  assert.equal(answers.length, given.length);
  given.forEach((config, index) => {
    let expected;
    try {
      expected = scope.estimate(config, { steps: false });
    } catch ({ name, message, field = '' }) {
      assert.equal(name, 'RangeError');
      expected = { error: message, field, index };
    }
    assert.deepEqual(answers[index], expected);
    assert.equal('error' in answers[index], refused.includes(config));
  });
});

test('estimates takes an array and nothing else, and both calls know their one option', () => {
  for (const [value, shown] of [
    [undefined, 'undefined'],
    [linear, 'an object'],
    ['linear_scorer', '"linear_scorer"']
  ]) {
    const message = `configs must be an array of configs, got ${shown}`;
    assert.throws(() => scope.estimates(value), { name: 'RangeError', field: 'configs', message });
  }
  for (const [name, argument] of [
    ['estimate', linear],
    ['estimates', [linear]]
  ]) {
    assert.throws(() => scope[name](argument, { step: true }), {
      name: 'RangeError',
      field: 'step',
      message: `${name} has no option "step", did you mean steps?`
    });
    assert.throws(() => scope[name](argument, { steps: 1 }), {
      name: 'RangeError',
      field: 'steps',
      message: 'steps must be true or false, got 1'
    });
    assert.throws(() => scope[name](argument, null), { name: 'RangeError', field: 'options' });
  }
});

test('a frozen config works and a config is not changed', () => {
  const config = Object.freeze({ ...linear });
  scope.estimate(config);
  assert.deepEqual(config, linear);
});

test('an estimate sizes a whole step of training where it is asked to', () => {
  const config = {
    layer: 'attention_classifier',
    batch_size: 4,
    seq_len: 6,
    vocab_size: 30,
    hidden_size: 16,
    num_heads: 2
  };
  const plain = scope.estimate(config);
  const { training, ...rest } = scope.estimate(config, { training: {} });
  assert.deepEqual(rest, plain);
  const { phases, memory, steps, timeline, flops, macs } = training;
  assert.equal(phases.forward.flops, plain.flops);
  assert.equal(phases.backward.flops + phases.forward.flops, flops);
  assert.equal(phases.update.macs, 0);
  assert.equal(flops, 2 * macs);
  assert.deepEqual([...new Set(steps.map(({ part }) => part))].slice(-3), ['loss', 'backward', 'update']);
  assert.equal(timeline.at(-1).freed, steps.length - 1);
  assert.equal(memory.parameters, plain.memory.parameters);
  assert.equal(memory.optimizer, 2 * memory.parameters);
  assert.equal(memory.kept, 4 * memory.parameters);
  assert.ok(memory.peak > memory.kept && memory.peak > plain.memory.inference_total, 'no less than inference');
  assert.equal(memory.noise, 4 * (4 * 2 * 6 * 6 + 4 * 6 * 16), 'of two dropouts');

  const sgd = scope.estimate(config, {
    steps: false,
    training: { optimizer: 'sgd', frozen: ['embedding.weight'] }
  }).training;
  assert.equal(sgd.memory.optimizer, 0);
  assert.equal(sgd.memory.gradients, memory.gradients - 30 * 16 * 4);
  assert.equal(sgd.steps, undefined);
  const half = scope.estimate({ ...config, dtype: 'bfloat16' }, { steps: false, training: {} }).training;
  assert.equal(half.memory.kept * 2, memory.kept);
  assert.throws(() => scope.estimate({ ...config, dtype: 'int8' }, { training: {} }), { field: 'dtype' });
  assert.throws(() => scope.estimate(config, { training: { optimizer: 'lion' } }), { field: 'optimizer.name' });
  assert.throws(() => scope.estimate(config, { training: { lr: 3 } }), /training has no option "lr"/);
  assert.throws(
    () => scope.estimate({ layer: 'mean_pooling' }, { training: { loss: 'mse_loss' } }),
    /no parameter to train/
  );
});
