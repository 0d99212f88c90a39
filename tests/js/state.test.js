// Weights in and out, and whose memory is whose.

import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { open } from '../../web/lib/index.js';
import { configs, nameOf, randomInputs, randomTensor, scope, smallConfigs, variants, withModel } from './support.js';

const config = { layer: 'additive_scorer', batch_size: 2, seq_len: 3, hidden_size: 4, attn_dim: 5 };

const decoder = smallConfigs.find(({ layer }) => layer === 'decoder');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

test('a state dict has the names and shapes of the PyTorch module', () => {
  const shapes = withModel(config, (model) =>
    Object.entries(model.stateDict()).map(([name, { shape }]) => [name, shape])
  );
  assert.deepEqual(shapes, [
    ['project.weight', [5, 4]],
    ['project.bias', [5]],
    ['score.weight', [1, 5]],
    ['score.bias', [1]]
  ]);
});

test('a state dict of every layer has a finite number for each element, under names of its own', () => {
  for (const one of smallConfigs) {
    const state = withModel(one, (model) => model.stateDict());
    for (const [name, { data, shape }] of Object.entries(state)) {
      assert.match(name, /^[a-z][\w.]*$/i, nameOf(one));
      assert.equal(
        data.length,
        shape.reduce((count, size) => count * size, 1),
        name
      );
      assert.ok(data.every(Number.isFinite), name);
    }
  }
});

test('a tied decoder takes the head that PyTorch names beside the embedding, if it is the embedding', () => {
  const tied = { ...decoder, tie_embeddings: true };
  const [head, words] = ['lm_head.weight', 'model.embed_tokens.weight'];
  withModel(tied, (model) => {
    const state = model.stateDict();
    state[words].data[0] = 7;
    state[words].data[1] = NaN;
    model.loadStateDict({ ...state, [head]: { data: state[words].data.slice(), shape: state[words].shape } });
    assert.deepEqual(model.stateDict(), state);
    const other = { data: state[words].data.slice(), shape: state[words].shape };
    other.data[2] += 1;
    assert.throws(() => model.loadStateDict({ ...state, [head]: other }), {
      name: 'RangeError',
      field: head,
      message: `${head} must hold the numbers of ${words}, because tie_embeddings is true`
    });
    const turned = { data: other.data, shape: [...state[words].shape].reverse() };
    assert.throws(() => model.loadStateDict({ ...state, [head]: turned }), { field: head });
    assert.throws(() => model.loadStateDict({ ...state, [head]: 5 }), RangeError);
    assert.deepEqual(model.stateDict(), state);
  });
  withModel({ ...tied, tie_embeddings: false }, (model) => {
    const state = model.stateDict();
    model.loadStateDict({ ...state, [head]: { ...state[head], data: state[head].data.fill(3) } });
    assert.equal(model.stateDict()[head].data[0], 3);
  });
});

test('repeated layers have the same names with their number, and weights of their own', () => {
  for (const [layer, list] of [
    ['encoder', 'encoder.layer'],
    ['decoder', 'model.layers']
  ]) {
    const one = { ...smallConfigs.find((config) => config.layer === layer), num_layers: 3 };
    const state = withModel(one, (model) => model.stateDict());
    const inside = (i) =>
      Object.keys(state)
        .filter((name) => name.startsWith(`${list}.${i}.`))
        .map((name) => name.slice(list.length + 3));
    assert.ok(inside(0).length > 5, String(inside(0)));
    assert.deepEqual([inside(1), inside(2), inside(3)], [inside(0), inside(0), []]);
    const drawn = inside(0).filter((name) => !/norm/i.test(name));
    for (const name of drawn)
      assert.notDeepEqual(state[`${list}.0.${name}`].data, state[`${list}.1.${name}`].data, name);
  }
});

test('tied embeddings are one tensor', () => {
  const one = smallConfigs.find(({ layer }) => layer === 'decoder');
  const names = (tie_embeddings) => withModel({ ...one, tie_embeddings }, (model) => Object.keys(model.stateDict()));
  assert.ok(names(false).includes('lm_head.weight'));
  assert.deepEqual(
    names(true),
    names(false).filter((name) => name !== 'lm_head.weight')
  );
});

test('a state dict holds as many numbers as the estimate counts parameters', () => {
  for (const one of configs) {
    const state = withModel(one, (model) => model.stateDict());
    const count = Object.values(state).reduce((total, { data }) => total + data.length, 0);
    assert.equal(count, scope.estimate(one).parameters, nameOf(one));
  }
});

test('weights that are loaded into another model give its results, in every layer and build', () => {
  for (const { name, scope: on } of variants) {
    for (const one of configs) {
      const inputs = randomInputs(one);
      const [state, expected] = withModel(one, (model) => [model.stateDict(), model.forward(inputs)], { on, seed: 1 });
      withModel(
        one,
        (model) => {
          model.loadStateDict(state);
          assert.deepEqual(model.stateDict(), state, `${name}: ${nameOf(one)}`);
          assert.deepEqual(model.forward(inputs), expected, `${name}: ${nameOf(one)}`);
        },
        { on, seed: 2 }
      );
    }
  }
});

const bad = { data: new Float32Array(1), shape: [2] };
for (const [claim, change, message] of [
  ['a missing tensor', { 'score.bias': undefined }, 'score.bias is missing from the state dict'],
  [
    'an unknown tensor',
    { 'score.wieght': bad },
    'the layer has no parameter "score.wieght", did you mean score.weight?'
  ],
  ['a wrong shape in the last tensor', { 'score.bias': bad }, 'score.bias.shape must be (1,), got (2,)']
]) {
  test(`${claim} is refused and leaves every weight as it was`, () => {
    withModel(config, (model) => {
      const before = model.stateDict();
      const other = withModel(config, (one) => one.stateDict(), { seed: 9 });
      assert.throws(() => model.loadStateDict({ ...other, ...change }), { name: 'RangeError', message });
      assert.deepEqual(model.stateDict(), before);
    });
  });
}

test('a state dict is a copy, and so is what was loaded', () => {
  withModel(config, (model) => {
    const state = model.stateDict();
    const inputs = randomInputs(config);
    const before = model.forward(inputs);
    model.loadStateDict(state);
    for (const { data } of Object.values(state)) data.fill(7);
    assert.deepEqual(model.forward(inputs), before);
    assert.notDeepEqual(model.stateDict(), state);
  });
});

test('two models of one module are independent', () => {
  withModel(config, (first) =>
    withModel(config, (second) => {
      const before = first.stateDict();
      second.loadStateDict(withModel(config, (one) => one.stateDict(), { seed: 4 }));
      assert.deepEqual(first.stateDict(), before);
    })
  );
});

test('inputs are not changed, frozen ones are taken', () => {
  withModel(config, (model) => {
    const inputs = randomInputs(config, { mask: true });
    const copy = structuredClone(inputs);
    for (const tensor of Object.values(inputs)) {
      Object.freeze(tensor.shape);
      Object.freeze(tensor);
    }
    model.forward(Object.freeze(inputs), Object.freeze({ round: 'int8' }));
    assert.deepEqual(inputs, copy);
  });
});

/** Lets go of everything that nothing holds. */
async function settle() {
  for (let round = 0; round < 4; ++round) {
    await new Promise(setImmediate);
    collect();
  }
}

const RUNS = 50;
// Embind reuses one array of arguments for all calls of a kind: the last ones stay until the next call.
const LAST = 2;

/** The objects that one call was given or gave; the call is made RUNS times with new ones. */
for (const [claim, call] of [
  [
    'configs',
    () => {
      const config = { layer: 'linear_scorer' };
      return [config, scope.estimate(config)];
    }
  ],
  [
    'inputs and results of steps',
    () =>
      withModel(decoder, (model) => {
        const inputs = randomInputs(decoder, { mask: true });
        const results = model.step(inputs, {});
        return [
          inputs,
          inputs.tokens,
          inputs.tokens.data,
          inputs.mask,
          inputs.mask.data,
          results,
          results.output,
          results.output.data,
          results.weights.data
        ];
      })
  ],
  [
    'wrong inputs of steps',
    () => refused((value) => withModel(decoder, (model) => model.step({ tokens: { data: value, shape: [2, 1] } })))
  ],
  [
    'inputs and results',
    () =>
      withModel(config, (model) => {
        const inputs = randomInputs(config, { mask: true });
        const results = model.forward(inputs, {});
        return [
          inputs,
          inputs.mask,
          inputs.mask.data,
          inputs.hidden_states,
          inputs.hidden_states.data,
          results,
          results.output.data
        ];
      })
  ],
  [
    'state dicts',
    () =>
      withModel(config, (model) => {
        const state = model.stateDict();
        model.loadStateDict(state);
        return [state, ...Object.values(state), ...Object.values(state).map(({ data }) => data)];
      })
  ],
  [
    'wrong configs and the errors about them',
    () => refused((value) => scope.estimate({ layer: 'linear_scorer', seq_len: value }))
  ],
  ['wrong options', () => refused((value) => scope.create({ layer: 'linear_scorer' }, { seed: value }))],
  ['wrong shapes', () => refused((value) => scope.randn([value]))],
  [
    'wrong tensors',
    () =>
      refused((value) => withModel(config, (model) => model.forward({ hidden_states: { data: value, shape: value } })))
  ],
  ['wrong weights', () => refused((value) => withModel(config, (model) => model.loadStateDict({ wrong: value })))],
  [
    'getters that throw',
    () => {
      const error = new TypeError('mine');
      const config = {
        layer: 'linear_scorer',
        get seq_len() {
          throw error;
        }
      };
      assert.throws(
        () => scope.estimate(config),
        (thrown) => thrown === error
      );
      return [config, error];
    }
  ]
]) {
  test(`${claim} are not kept`, async () => {
    const references = [];
    for (let run = 0; run < RUNS; ++run)
      call().forEach((object, i) => (references[i] ??= []).push(new WeakRef(object)));
    await settle();
    for (const [i, kind] of references.entries()) {
      const held = kind.filter((reference) => reference.deref()).length;
      assert.ok(held <= LAST, `${held} of ${RUNS} of object ${i} are held`);
    }
  });
}

/** A value that the call refuses, and its error. */
function refused(call) {
  const value = { a: 'value' };
  try {
    call(value);
  } catch (error) {
    assert.equal(error.name, 'RangeError');
    return [value, error];
  }
  return assert.fail('was accepted');
}

test('later runs do not change earlier results', () => {
  withModel(config, (model) => {
    const first = model.forward(randomInputs(config));
    const copy = structuredClone(first);
    model.forward({ hidden_states: randomTensor([2, 3, 4], 99) });
    first.output.data.fill(0);
    assert.deepEqual(model.forward(randomInputs(config)), copy);
  });
});

test('later steps do not change earlier results', () => {
  withModel(decoder, (model) => {
    const inputs = randomInputs(decoder);
    const first = model.step(inputs);
    const copy = structuredClone(first);
    model.step(inputs);
    assert.deepEqual(first, copy);
    first.output.data.fill(0);
    model.clearCache();
    assert.deepEqual(model.step(inputs), copy);
  });
});

test('a cache stays when the memory grows around it', async () => {
  for (const threads of [1, 2]) {
    const fresh = await open({ threads });
    const inputs = randomInputs(decoder);
    const steps = (between) =>
      withModel(
        decoder,
        (model) => {
          model.step(inputs);
          between();
          return model.step(inputs);
        },
        { on: fresh }
      );
    const expected = steps(() => {});
    assert.deepEqual(
      steps(() => fresh.randn([1 << 23])),
      expected,
      `${threads} threads`
    );
  }
});

test('results outlive their model, and stay when the memory grows', async () => {
  for (const threads of [1, 2]) {
    const fresh = await open({ threads }); // its memory is still small
    const results = withModel(config, (model) => model.forward(randomInputs(config)), { on: fresh });
    const copy = structuredClone(results);
    fresh.randn([1 << 23]); // 32 MiB where there were 16
    withModel({ ...config, hidden_size: 1 << 20, attn_dim: 4 }, () => {}, { on: fresh });
    assert.deepEqual(results, copy, `${threads} threads`);
    assert.ok(!(results.output.data.buffer instanceof SharedArrayBuffer), "a copy is the caller's alone");
    results.output.data.fill(1);
    structuredClone(results.output.data.buffer, { transfer: [results.output.data.buffer] });
  }
});

test('a model that lives on works when the memory has grown around it', async () => {
  for (const threads of [1, 2]) {
    const fresh = await open({ threads });
    withModel(
      config,
      (model) => {
        const before = model.forward(randomInputs(config));
        fresh.randn([1 << 23]);
        assert.deepEqual(model.forward(randomInputs(config)), before, `${threads} threads`);
      },
      { on: fresh }
    );
  }
});

test('dispose twice does nothing the second time; a disposed model says so', () => {
  const model = scope.create(config);
  model.dispose();
  model.dispose();
  for (const use of [() => model.forward({}), () => model.stateDict(), () => model.loadStateDict({})]) {
    assert.throws(use, { name: 'Error', message: 'this model was disposed' });
  }
});

test('a getter of an input cannot dispose the model that reads it', () => {
  const model = scope.create(config);
  const hidden_states = scope.randn([2, 3, 4]);
  const inputs = {
    get hidden_states() {
      model.dispose();
      return hidden_states;
    }
  };
  assert.throws(() => model.forward(inputs), { name: 'Error', message: 'this model is in use and cannot be disposed' });
  assert.deepEqual(model.forward({ hidden_states }).output.shape, [2, 4]);
  model.dispose();
});

test('Symbol.dispose disposes', () => {
  const model = scope.create(config);
  model[Symbol.dispose]();
  model[Symbol.dispose]();
  assert.throws(() => model.stateDict(), { name: 'Error', message: 'this model was disposed' });
});
