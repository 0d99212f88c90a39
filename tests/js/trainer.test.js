// Training through the public API: what a step returns, what a run goes on from, and what is refused.

import assert from 'node:assert/strict';
import test from 'node:test';
import { openInWorker } from '../../web/lib/index.js';
import { referenceScope } from './reference.js';
import { layers, scope, variants } from './support.js';

const classifier = {
  layer: 'attention_classifier',
  batch_size: 8,
  seq_len: 6,
  vocab_size: 20,
  hidden_size: 16,
  num_heads: 2,
  num_classes: 2,
  dropout: 0.2
};
const batch = {
  tokens: scope.randint(20, [8, 6], { seed: 1 }),
  labels: scope.randint(2, [8], { seed: 2 })
};

/** @param {() => unknown} call */
function refusal(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof RangeError, String(error));
    return `${/** @type {any} */ (error).field}: ${error.message}`;
  }
  assert.fail('nothing was refused');
}

/** @param {Record<string, {data: ArrayLike<number>}>} tensors */
const numbersOf = (tensors) => Object.entries(tensors).map(([name, { data }]) => [name, [...Array.from(data)]]);

test('a classifier learns its batch by heart, and a second run does it with the same bits', () => {
  const runs = variants.slice(0, 2).map(({ scope: one }) => {
    const trainer = one.trainer(classifier, { seed: 3, optimizer: { name: 'adam', lr: 0.01 } });
    const losses = Array.from({ length: 60 }, () => trainer.step(batch).loss);
    const { loss, output } = trainer.evaluate(batch);
    const rightOnes = [...batch.labels.data].filter(
      (label, i) => output.data[2 * i + label] > output.data[2 * i + 1 - label]
    );
    assert.equal(rightOnes.length, 8);
    assert.ok(loss < 0.1 && losses[0] > 0.5, `${losses[0]} to ${loss}`);
    assert.deepEqual(trainer.model.forward({ tokens: batch.tokens }).output, output, 'the model has the weights');
    const state = trainer.stateDict();
    trainer.dispose();
    return { losses, state };
  });
  assert.deepEqual(runs[1], runs[0], 'one thread and two');
});

test('a run that is saved goes on with the same bits, in another trainer and after JSON', () => {
  const options = {
    optimizer: { name: /** @type {const} */ ('rmsprop'), momentum: 0.9 },
    accumulation_steps: 2,
    clip_norm: 1
  };
  const one = scope.trainer(classifier, options);
  for (let i = 0; i < 5; i++) one.step(batch);
  const saved = one.stateDict();
  const other = scope.trainer(classifier, { ...options, seed: 9 });
  other.loadStateDict(saved);
  assert.deepEqual(other.stateDict(), saved);
  for (let i = 0; i < 3; i++) assert.deepEqual(other.step(batch), one.step(batch));
  assert.deepEqual(numbersOf(other.model.stateDict()), numbersOf(one.model.stateDict()));
  assert.deepEqual(numbersOf(other.gradients()), numbersOf(one.gradients()));
  one.dispose();
  other.dispose();
});

test('frozen parameters stay, and have no gradient', () => {
  const trainer = scope.trainer(classifier, { frozen: ['embedding.weight', 'fc.bias'] });
  const before = trainer.model.stateDict();
  assert.deepEqual(trainer.gradients(), {});
  trainer.step(batch);
  const after = trainer.model.stateDict();
  const moved = Object.keys(after).filter((name) =>
    after[name].data.some((value, i) => value !== before[name].data[i])
  );
  const others = Object.keys(after).filter((name) => !['embedding.weight', 'fc.bias'].includes(name));
  assert.deepEqual(moved, others);
  assert.deepEqual(Object.keys(trainer.gradients()), others);
  trainer.dispose();
});

test('a batch of another size trains too, where no parameter has that size', () => {
  const trainer = scope.trainer(classifier);
  const small = { tokens: scope.randint(20, [3, 9]), labels: scope.randint(2, [3]) };
  assert.ok(Number.isFinite(trainer.step(small).loss));
  assert.equal(trainer.evaluate(small).output.shape[0], 3);
  assert.ok(Number.isFinite(trainer.step(batch).loss));
  trainer.dispose();
});

test('every layer that has parameters learns: a small step down its gradient lowers the loss', () => {
  for (const { name } of layers) {
    const config = /** @type {any} */ (smaller(name));
    const model = scope.create(config);
    const parameters = Object.keys(model.stateDict()).length;
    model.dispose();
    if (parameters === 0) {
      assert.match(
        refusal(() => scope.trainer(config, { loss: 'mse_loss' })),
        /no parameter to train/
      );
      continue;
    }
    const trainer = scope.trainer(config, { loss: 'mse_loss', optimizer: { name: 'sgd', lr: 1e-3 } });
    const estimate = scope.estimate(config);
    const inputs = Object.fromEntries(
      estimate.inputs
        .filter(({ optional }) => !optional)
        .map(({ name: input, shape, limit }, i) => [
          input,
          limit ? scope.randint(limit, shape, { seed: i }) : scope.randn(shape, { seed: i })
        ])
    );
    const given = { ...inputs, target: scope.randn(estimate.output_shape, { seed: 99 }) };
    const before = trainer.evaluate(given).loss;
    trainer.step(given);
    const after = trainer.evaluate(given).loss;
    assert.ok(after < before, `${name}: ${before} to ${after}`);
    trainer.dispose();
  }
});

/** A config of a layer with small sizes. @param {string} name */
function smaller(name) {
  const fields = /** @type {any} */ (layers.find((layer) => layer.name === name)).fields;
  const sizes = {
    batch_size: 2,
    seq_len: 5,
    hidden_size: 32,
    num_heads: 4,
    vocab_size: 11,
    num_layers: 2,
    intermediate_size: 16
  };
  const known = Object.entries(sizes).filter(([field]) => fields.some((/** @type {any} */ one) => one.name === field));
  return {
    layer: name,
    ...Object.fromEntries(known),
    ...(fields.some((/** @type {any} */ f) => f.name === 'dropout') && { dropout: 0 })
  };
}

test('gradients of backward are those by which a loss changes', () => {
  const config = { layer: 'additive_scorer', batch_size: 2, seq_len: 4, hidden_size: 6, attn_dim: 3 };
  const model = scope.create(config, { seed: 1 });
  const hidden_states = scope.randn([2, 4, 6], { seed: 2 });
  const output = scope.randn([2, 6], { seed: 3 });
  const { outputs, inputs, parameters } = model.backward({ hidden_states }, { output });
  assert.deepEqual(outputs, { output: model.forward({ hidden_states }).output });
  assert.deepEqual(Object.keys(inputs), ['hidden_states']);
  assert.deepEqual(Object.keys(parameters).sort(), Object.keys(model.stateDict()).sort());
  const exact = referenceScope.create(config, { seed: 1 });
  const scalar = (/** @type {Float32Array} */ data) =>
    exact
      .forward({ hidden_states: { data, shape: [2, 4, 6] } }, { reference: true })
      .output.data.reduce((sum, value, i) => sum + value * output.data[i], 0);
  const step = 2 ** -6;
  for (const i of [0, 11, 30, 47]) {
    const [up, down] = [1, -1].map((sign) => {
      const moved = hidden_states.data.slice();
      moved[i] += sign * step;
      return scalar(moved);
    });
    assert.ok(Math.abs((up - down) / (2 * step) - inputs.hidden_states.data[i]) < 1e-3, String(i));
  }
  const reference = exact.backward({ hidden_states }, { output }, { reference: true });
  for (const [name, { data }] of Object.entries(parameters)) {
    data.forEach((value, i) => assert.ok(Math.abs(value - reference.parameters[name].data[i]) < 1e-5, name));
  }
  model.dispose();
  exact.dispose();
});

test('gradients by tensors between the steps are returned where they are asked for', () => {
  const config = /** @type {const} */ ({ layer: 'linear_scorer', batch_size: 2, seq_len: 4, hidden_size: 6 });
  const model = scope.create(config, { seed: 1 });
  const hidden_states = scope.randn([2, 4, 6], { seed: 2 });
  const output = scope.randn([2, 6], { seed: 3 });
  const before = model.backward({ hidden_states }, { output });
  const { tensors, ...others } = model.backward({ hidden_states }, { output }, { tensors: ['scores', 'weights'] });
  assert.deepEqual(others, before);
  assert.deepEqual(Object.keys(tensors).sort(), ['scores', 'weights']);
  assert.deepEqual(
    [tensors.scores.shape, tensors.weights.shape],
    [
      [2, 4, 1],
      [2, 4]
    ]
  );
  // each weight multiplies its position: the gradient by it is their product with that of the sum
  tensors.weights.data.forEach((value, at) => {
    const [b, position] = [Math.floor(at / 4), hidden_states.data.subarray(at * 6, at * 6 + 6)];
    const product = position.reduce((sum, one, e) => sum + one * output.data[b * 6 + e], 0);
    assert.ok(Math.abs(value - product) < 1e-5, `${at}: ${value}, ${product}`);
  });
  // the score's bias is added to each score
  const total = tensors.scores.data.reduce((sum, one) => sum + one, 0);
  assert.ok(Math.abs(total - before.parameters['score.bias'].data[0]) < 1e-6);
  assert.deepEqual(model.backward({ hidden_states }, { output }, { tensors: [] }), { ...before, tensors: {} });
  const refused = (/** @type {any} */ tensors) =>
    refusal(() => model.backward({ hidden_states }, { output }, { tensors }));
  assert.equal(refused(['score']), 'tensors: linear_scorer has no tensor "score", did you mean scores?');
  assert.equal(refused('scores'), 'tensors: tensors must be an array of names, got "scores"');
  model.dispose();
});

test('what is wrong is refused by its name, and the trainer stays as it was', () => {
  const create = (/** @type {any} */ options) => refusal(() => scope.trainer(classifier, options));
  assert.equal(
    create({ optimizer: 'lion' }),
    'optimizer.name: optimizer.name must be one of sgd, rmsprop, adam, adamw, got "lion"'
  );
  assert.equal(
    create({ optimizer: { name: 'adam', lr: '0.1' } }),
    'optimizer.lr: optimizer.lr must be a number from 0 to 1000000, got "0.1"'
  );
  assert.match(create({ optimizer: { name: 'sgd', beta1: 0.9 } }), /^optimizer\.beta1: sgd has no option "beta1"/);
  assert.match(create({ optimizer: { name: 'sgd', nesterov: true } }), /^optimizer\.nesterov: .* momentum above 0/);
  assert.match(create({ loss: { name: 'mse' } }), /^loss\.name: loss\.name must be one of/);
  assert.match(create({ loss: { name: 'cross_entropy', weight: [1] } }), /^loss\.weight: .* 2 classes, got 1/);
  assert.match(create({ loss: { name: 'cross_entropy', weight: 'many' } }), /^loss\.weight: .* array of numbers/);
  assert.match(create({ schedule: 'cosine' }), /^schedule\.total_steps: .* missing/);
  assert.match(create({ clip_norm: 0 }), /^clip_norm: clip_norm must be a number above 0/);
  assert.match(create({ accumulation_steps: 1.5 }), /^accumulation_steps: /);
  assert.match(create({ frozen: ['fc.wieght'] }), /^frozen: .*did you mean fc\.weight/);
  assert.match(create({ lr: 1 }), /^lr: trainer has no option/);
  assert.match(create({ seed: -1 }), /^seed: /);

  const trainer = scope.trainer(classifier);
  trainer.step(batch);
  const before = trainer.stateDict();
  const step = (/** @type {any} */ inputs) => refusal(() => trainer.step(inputs));
  assert.match(step({ tokens: batch.tokens }), /^labels: labels is missing/);
  assert.match(
    step({ ...batch, labels: { data: Int32Array.of(0, 1, 2, 0, 0, 0, 0, 0), shape: [8] } }),
    /^labels: labels\.data must hold integers from 0 to 1, or -100 to be ignored, got 2 at index 2/
  );
  assert.match(step({ ...batch, labels: { data: new Float32Array(8), shape: [8] } }), /^labels: .*Int32Array/);
  assert.match(step({ ...batch, target: batch.labels }), /^target: step has no input "target"/);
  const ignored = { data: new Int32Array(8).fill(-100), shape: [8] };
  assert.equal(
    step({ ...batch, labels: ignored }),
    'labels: labels must have at least one that is not ignored, got -100 as every label; the mean of no losses is NaN, and nothing was changed'
  );
  assert.deepEqual(trainer.stateDict(), before);

  const other = scope.trainer({ ...classifier, hidden_size: 32 });
  assert.match(
    refusal(() => other.loadStateDict(before)),
    /^state\.config\.hidden_size: .* config\.hidden_size is 32 here and 16 there/
  );
  const sgd = scope.trainer(classifier, { optimizer: 'sgd' });
  assert.match(
    refusal(() => sgd.loadStateDict(before)),
    /^state\.options\.optimizer\.name: /
  );
  const { 'fc.bias': _left, ...rest } = before.parameters;
  assert.match(
    refusal(() => trainer.loadStateDict({ ...before, parameters: rest })),
    /^fc\.bias: fc\.bias is missing/
  );
  assert.match(
    refusal(() => trainer.loadStateDict(/** @type {any} */ (null))),
    /^state: /
  );
  assert.deepEqual(trainer.stateDict(), before);
  for (const one of [trainer, other, sgd]) one.dispose();
  assert.throws(() => trainer.step(batch), /was disposed/);
});

test('a batch of ignored labels adds nothing to an accumulation, wherever it stands', () => {
  const ignored = { ...batch, labels: { data: new Int32Array(8).fill(-100), shape: [8] } };
  const run = (/** @type {any[]} */ batches) => {
    const trainer = scope.trainer({ ...classifier, dropout: 0 }, { optimizer: 'sgd', accumulation_steps: 3 });
    const steps = batches.map((one) => trainer.step(one));
    const { parameters } = trainer.stateDict();
    trainer.dispose();
    return { steps, parameters };
  };
  const first = run([batch, ignored, ignored]);
  assert.deepEqual(
    first.steps.map(({ loss, updated }) => [Number.isNaN(loss), updated]),
    [
      [false, false],
      [true, false],
      [true, true]
    ]
  );
  assert.equal(first.steps[2].gradient_norm, first.steps[0].gradient_norm);
  assert.deepEqual(run([ignored, batch, ignored]).parameters, first.parameters);
  assert.deepEqual(run([ignored, ignored, batch]).parameters, first.parameters);
  // The sum of no losses is 0, and a trainer takes it alone.
  const sums = scope.trainer(classifier, { loss: { name: 'cross_entropy', reduction: 'sum' }, optimizer: 'sgd' });
  const { loss, gradient_norm } = sums.step(ignored);
  assert.deepEqual([loss, gradient_norm], [0, 0]);
  sums.dispose();
});

test('next tokens that are all ignored are refused by the name of the tokens', () => {
  const sizes = { batch_size: 2, seq_len: 3, vocab_size: 5, hidden_size: 8, num_heads: 2, num_layers: 1 };
  const config = { layer: 'decoder', ...sizes, intermediate_size: 8 };
  const loss = { name: /** @type {const} */ ('cross_entropy'), target: /** @type {const} */ ('next_token') };
  const trainer = scope.trainer(config, { loss: { ...loss, ignore_index: 4 } });
  const step = (/** @type {number[]} */ ...ids) =>
    trainer.step({ tokens: { data: Int32Array.from(ids), shape: [2, 3] } });
  assert.match(
    refusal(() => step(1, 4, 4, 2, 4, 4)),
    /^tokens: tokens must have at least one that is not ignored, got 4 as every label/
  );
  assert.ok(Number.isFinite(step(4, 4, 4, 4, 4, 3).loss)); // a label counts where it is the next token
  trainer.dispose();
});

test('numbers that are not finite are refused with their place', () => {
  const trainer = scope.trainer(
    { layer: 'linear_scorer', batch_size: 1, seq_len: 2, hidden_size: 2 },
    { loss: 'mse_loss' }
  );
  const hidden_states = { data: Float32Array.of(1, 2, NaN, 4), shape: [1, 2, 2] };
  const target = { data: new Float32Array(2), shape: [1, 2] };
  assert.equal(
    refusal(() => trainer.step({ hidden_states, target })),
    'hidden_states: hidden_states.data must hold finite numbers to train, got NaN at index 2'
  );
  trainer.dispose();
});

/** A layer whose steps tell of their progress, and its batch. */
const large = { ...classifier, batch_size: 16, seq_len: 256, hidden_size: 256, num_heads: 4 };
const long = { tokens: scope.randint(20, [16, 256]), labels: scope.randint(2, [16]) };

test('a progress that says no stops a step, and nothing has changed', () => {
  const trainer = scope.trainer(large);
  const before = numbersOf(trainer.stateDict().parameters);
  const told = /** @type {number[]} */ ([]);
  trainer.evaluate(long, { progress: (done) => told.push(done) });
  assert.ok(told.length > 0 && told.every((done, i) => done >= (told[i - 1] ?? 0) && done <= 1), String(told));
  assert.throws(() => trainer.step(long, { progress: () => false }), { name: 'AbortError' });
  assert.throws(() => trainer.step(long, { progress: () => trainer.step(long) }), /in use/);
  assert.deepEqual(numbersOf(trainer.stateDict().parameters), before);
  trainer.dispose();
});

const trained = { name: 'Error', message: 'this model is being trained: its trainer frees it, by dispose()' };

test('the model of a trainer is freed with it, and by nothing else', () => {
  const [trainer, other] = [scope.trainer(classifier), scope.trainer(classifier)];
  const { model } = trainer;
  assert.throws(() => model.dispose(), trained);
  assert.deepEqual(trainer.step(batch), other.step(batch));
  assert.deepEqual(model.stateDict(), other.model.stateDict());
  for (const one of [trainer, other]) one.dispose();
  assert.throws(() => model.stateDict(), { message: 'this trainer was disposed' });
  assert.throws(() => trainer.step(batch), { message: 'this trainer was disposed' });
  model.dispose();
  trainer.dispose();
});

test('a trainer is not disposed of while it steps', () => {
  const [trainer, other] = [scope.trainer(large), scope.trainer(large)];
  const inUse = { name: 'Error', message: 'this model is in use and cannot be disposed' };
  let told = 0;
  const dispose = () => {
    told++;
    assert.throws(() => trainer.dispose(), inUse);
  };
  assert.deepEqual(trainer.step(long, { progress: dispose }), other.step(long));
  assert.ok(told > 0);
  assert.deepEqual(numbersOf(trainer.stateDict().parameters), numbersOf(other.stateDict().parameters));
  for (const one of [trainer, other]) one.dispose();
});

test('the script of a run has its losses, and refuses what a trainer refuses', () => {
  const options = { seed: 5, optimizer: /** @type {const} */ ('sgd'), frozen: ['fc.bias'] };
  const script = scope.pytorch({ ...classifier, dropout: 0 }, { training: options });
  const trainer = scope.trainer({ ...classifier, dropout: 0 }, options);
  const { loss } = trainer.step({
    tokens: scope.randint(20, [8, 6], { seed: 0 }),
    labels: scope.randint(2, [8], { seed: 1 })
  });
  assert.ok(script.includes(`LOSSES = [${Number(loss.toPrecision(8))}, `), script);
  assert.ok(script.includes('torch.optim.SGD(learned)') && script.includes('FROZEN = ["fc.bias"]'));
  assert.match(
    refusal(() => scope.pytorch(classifier, { training: { optimizer: 'lion' } })),
    /^optimizer\.name/
  );
  assert.match(
    refusal(() => scope.pytorch(classifier, { training: {}, self_check: true })),
    /^self_check: /
  );
  trainer.dispose();
});

test('in a worker it trains as beside it', async () => {
  const there = await openInWorker({ build: 'simd', threads: 1 }); // as the scope beside it
  const options = { seed: 4, optimizer: /** @type {const} */ ('adamw') };
  const [here, trainer] = [scope.trainer(classifier, options), await there.trainer(classifier, options)];
  for (let i = 0; i < 3; i++) assert.deepEqual(await trainer.step(batch), here.step(batch));
  assert.deepEqual(await trainer.evaluate(batch), here.evaluate(batch));
  assert.deepEqual(await trainer.gradients(), here.gradients());
  assert.deepEqual(await trainer.stateDict(), here.stateDict());
  const saved = await trainer.stateDict();
  await trainer.step(batch);
  await trainer.loadStateDict(saved);
  assert.deepEqual(await trainer.stateDict(), saved);
  const output = scope.randn([8, 2]);
  const tokens = { tokens: batch.tokens };
  const asked = { tensors: ['scores'] };
  for (const options of [{}, asked])
    assert.deepEqual(
      await trainer.model.backward(tokens, { output }, options),
      here.model.backward(tokens, { output }, options)
    );
  const training = { loss: { name: /** @type {const} */ ('cross_entropy'), weight: [1, 2] }, frozen: ['fc.bias'] };
  assert.equal(await there.pytorch(classifier, { training }), scope.pytorch(classifier, { training }));
  assert.deepEqual(await there.estimate(classifier, { training }), scope.estimate(classifier, { training }));
  await assert.rejects(trainer.step({}), { field: 'tokens' });
  await assert.rejects(trainer.model.dispose(), trained);
  assert.deepEqual(await trainer.step(batch), here.step(batch));
  await trainer.dispose();
  await assert.rejects(trainer.model.stateDict(), { message: 'this model was disposed' });
  await assert.rejects(trainer.step(batch), /was disposed/);
  there.dispose();
  here.dispose();
});
