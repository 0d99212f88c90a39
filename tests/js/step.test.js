// Decoding with a KV cache: steps give what one forward pass gives, and what is refused changes nothing.

import assert from 'node:assert/strict';
import test from 'node:test';
import { FLOAT32_TOLERANCE, assertClose, layers, nameOf, randomInputs, rowsOf, scope, smallConfigs, variants, withModel } from './support.js';

const LENGTH = 10;
const grouped = { layer: 'grouped_query_attention', batch_size: 2, seq_len: LENGTH, hidden_size: 12, num_heads: 6, num_kv_heads: 2, head_dim: 4 };
const latent = { layer: 'latent_attention', batch_size: 2, seq_len: LENGTH, hidden_size: 8, num_heads: 3, kv_lora_rank: 5, qk_nope_head_dim: 3, qk_rope_head_dim: 4, v_head_dim: 7 };
const decoder = { layer: 'decoder', batch_size: 2, seq_len: LENGTH, vocab_size: 17, max_positions: 16, hidden_size: 8, num_layers: 3, num_heads: 4, num_kv_heads: 2, intermediate_size: 12 };

const positionsOf = (name) => layers.find((layer) => layer.name === name).fields.find((field) => field.name === 'position').choices;
const windows = [{}, { window: 1 }, { window: 3 }, { window: LENGTH }];

const decoding = [
  ...positionsOf('grouped_query_attention').flatMap((position) => windows.map((window) => ({ ...grouped, position, ...window }))),
  { ...grouped, num_kv_heads: 6, qk_norm: true, bias: true, output_bias: true },
  latent,
  { ...latent, q_lora_rank: 6, bias: true },
  ...positionsOf('decoder').flatMap((position) => [{}, { window: 3 }, { window: 3, full_every: 2 }, { window: 3, full_every: 3, tie_embeddings: true }].map((more) => (
    { ...decoder, position, ...more }
  ))),
  { ...decoder, gated: false, norm: 'layer_norm', post_norms: true, qk_norm: true, tie_embeddings: true }
];

/** Positions [begin, end) of the first input of a config. */
function part({ data, shape: [B, T, ...rest] }, begin, end) {
  const row = rest.reduce((count, size) => count * size, 1);
  const chunks = Array.from({ length: B }, (_, b) => [...data.subarray((b * T + begin) * row, (b * T + end) * row)]);
  return { data: data.constructor.from(chunks.flat()), shape: [B, end - begin, ...rest] };
}

const inputOf = (config) => Object.entries(randomInputs(config))[0];

for (const { name: build, scope: on } of variants) {
  test(`${build}: steps of 1, 2 and 5 positions give what one pass over all of them gives`, () => {
    for (const config of decoding) {
      const [name, whole] = inputOf(config);
      withModel(config, (model) => {
        const { output } = model.forward({ [name]: whole });
        for (const chunk of [1, 2, 5]) {
          for (let at = 0; at < LENGTH; at += chunk) {
            const step = model.step({ [name]: part(whole, at, at + chunk) });
            const expected = part(output, at, at + chunk);
            assert.deepEqual(step.output.shape, expected.shape);
            assertClose(step.output.data, expected.data, FLOAT32_TOLERANCE, `${nameOf(config)}, ${chunk} from ${at}`);
            assert.equal(model.pastLength, at + chunk);
          }
          model.clearCache();
          assert.equal(model.pastLength, 0);
        }
      }, { on, seed: 2 });
    }
  });
}

test('the weights of a step are those of its queries over all positions before', () => {
  for (const config of [grouped, latent, decoder, { ...decoder, window: 3, full_every: 3 }]) {
    const [name, whole] = inputOf(config);
    withModel(config, (model) => {
      const { weights } = model.forward({ [name]: whole });
      model.step({ [name]: part(whole, 0, 6) });
      const step = model.step({ [name]: part(whole, 6, 8) }).weights;
      assert.deepEqual(step.shape, [...weights.shape.slice(0, 2), 2, 8]);
      rowsOf(step).forEach((row, r) => {
        const expected = rowsOf(weights)[Math.floor(r / 2) * LENGTH + 6 + (r % 2)];
        assertClose(row, expected.subarray(0, 8), FLOAT32_TOLERANCE, nameOf(config));
      });
    });
  }
});

test('a window keeps no more of the past than its next query sees', () => {
  withModel({ ...grouped, window: 3 }, (model) => {
    const [name, whole] = inputOf(grouped);
    model.step({ [name]: part(whole, 0, 6) });
    assert.deepEqual(model.step({ [name]: part(whole, 6, 8) }).weights.shape, [2, 6, 2, 4]);
    assert.equal(model.pastLength, 8);
  });
});

test('a step is the forward pass of a layer with past_len, given the cache as inputs', () => {
  const [name, whole] = inputOf(grouped);
  withModel({ ...grouped, position: 'none' }, (model) => {
    model.step({ [name]: part(whole, 0, 7) });
    const expected = model.step({ [name]: part(whole, 7, 10) });
    const config = { ...grouped, position: 'none', seq_len: 3, past_len: 7 };
    const { inputs } = scope.estimate(config);
    assert.deepEqual(inputs.map((input) => input.name), ['hidden_states', 'past_key', 'past_value', 'mask']);
    // Keys and values of the past, by the projections themselves.
    const state = model.stateDict();
    const project = (weight) => {
      const [features, E] = weight.shape;
      const D = grouped.head_dim;
      const [B, S, G] = [2, 7, features / D];
      const x = rowsOf(part(whole, 0, 7));
      const w = rowsOf(weight);
      const at = (b, g, s, d) => x[b * S + s].reduce((sum, value, e) => sum + value * w[g * D + d][e], 0);
      assert.equal(E, x[0].length);
      return { data: Float32Array.from({ length: B * G * S * D }, (_, i) => at(Math.floor(i / (G * S * D)), Math.floor(i / (S * D)) % G, Math.floor(i / D) % S, i % D)), shape: [B, G, S, D] };
    };
    const given = { [name]: part(whole, 7, 10), past_key: project(state['k_proj.weight']), past_value: project(state['v_proj.weight']) };
    withModel(config, (other) => {
      other.loadStateDict(state);
      assertClose(other.forward(given).output.data, expected.output.data, FLOAT32_TOLERANCE);
    });
  });
});

test('a mask of a step is one of its positions and all positions', () => {
  const [name, whole] = inputOf(grouped);
  const mask = { data: Uint8Array.from({ length: 100 }, (_, i) => Number(i % 10 !== 1)), shape: [10, 10] };
  withModel(grouped, (model) => {
    const { output } = model.forward({ [name]: whole, mask });
    model.step({ [name]: part(whole, 0, 6), mask: { data: mask.data.filter((_, i) => i < 60 && i % 10 < 6), shape: [6, 6] } });
    for (const row of [{ data: mask.data.slice(0, 8), shape: [8] }, { data: mask.data.filter((_, i) => i < 20 && i % 10 < 8), shape: [1, 1, 2, 8] }]) {
      withModel(grouped, (other) => {
        other.loadStateDict(model.stateDict());
        other.step({ [name]: part(whole, 0, 6), mask: { data: mask.data.slice(0, 6), shape: [6] } });
        assertClose(other.step({ [name]: part(whole, 6, 8), mask: row }).output.data, part(output, 6, 8).data, FLOAT32_TOLERANCE);
      });
    }
  });
});

test('need_weights: false leaves the weights of a step out', () => {
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (model) => {
    const { output } = model.step({ [name]: part(whole, 0, 3) });
    model.clearCache();
    assert.deepEqual(model.step({ [name]: part(whole, 0, 3) }, { need_weights: false }), { output });
  });
});

test('a forward pass neither reads the cache nor fills it', () => {
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (model) => {
    const before = model.forward({ [name]: whole });
    model.step({ [name]: part(whole, 0, 4) });
    assert.deepEqual(model.forward({ [name]: whole }), before);
    assert.equal(model.pastLength, 4);
    assertClose(model.step({ [name]: part(whole, 4, 5) }).output.data, part(before.output, 4, 5).data, FLOAT32_TOLERANCE);
  });
});

test('clearCache and loadStateDict start at the first position again', () => {
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (model) => {
    const first = model.step({ [name]: part(whole, 0, 3) });
    assert.notDeepEqual(model.step({ [name]: part(whole, 0, 3) }), first);
    model.clearCache();
    assert.deepEqual(model.step({ [name]: part(whole, 0, 3) }), first);
    model.loadStateDict(model.stateDict());
    assert.equal(model.pastLength, 0);
    assert.deepEqual(model.step({ [name]: part(whole, 0, 3) }), first);
    assert.throws(() => model.loadStateDict({}), RangeError);
    assert.equal(model.pastLength, 3, 'weights that are refused leave the cache');
  });
});

test('two models have caches of their own', () => {
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (one) => withModel(decoder, (other) => {
    one.step({ [name]: part(whole, 0, 5) });
    assert.equal(other.pastLength, 0);
    const first = other.step({ [name]: part(whole, 0, 1) });
    assertClose(first.output.data, part(other.forward({ [name]: whole }).output, 0, 1).data, FLOAT32_TOLERANCE);
  }));
});

test('positions past the learned ones are refused, and those that are left can be stepped', () => {
  const config = { ...decoder, position: 'learned' };
  const [name, whole] = inputOf(config);
  withModel(config, (model) => {
    model.step({ [name]: whole });
    assert.throws(() => model.step({ [name]: part(whole, 0, 7) }), {
      name: 'RangeError', field: 'seq_len',
      message: 'past_len + seq_len must be at most max_positions (16) where position is learned, got 17'
    });
    assert.equal(model.pastLength, LENGTH);
    assert.deepEqual(model.step({ [name]: part(whole, 0, 6) }).output.shape, [2, 6, 17]);
  });
});

for (const config of smallConfigs.filter((one) => scope.estimate(one).kv_cache === null)) {
  test(`${config.layer} has no KV cache to step with`, () => {
    const message = `${config.layer} has no KV cache to step with`;
    withModel(config, (model) => {
      assert.throws(() => model.step(randomInputs(config)), { name: 'RangeError', message });
      assert.equal(model.pastLength, 0);
      model.clearCache();
      model.forward(randomInputs(config));
    });
  });
}

const ids = { data: Int32Array.of(1, 2, 3, 4), shape: [2, 2] };
const tokens = (data, shape) => ({ tokens: { data, shape } });
for (const [inputs, field, message, options] of [
  [undefined, 'inputs', 'inputs must be a plain object, got undefined'],
  [[ids], 'inputs', 'inputs must be a plain object, got an array'],
  [{}, 'tokens', 'tokens is missing; it must be like (2, 10)'],
  [{ tokens: null }, 'tokens', 'tokens must be a tensor {data, shape}, got null'],
  [{ token: ids }, 'tokens', 'tokens is missing; it must be like (2, 10)'],
  [{ tokens: ids, token: ids }, 'token', 'forward has no input "token", did you mean tokens?'],
  [{ tokens: ids, past_keys: ids }, 'past_keys', 'forward has no input "past_keys"; its inputs are tokens, mask'],
  [tokens(Float32Array.of(1, 2), [2, 1]), 'tokens', 'tokens.data must be an Int32Array, got a Float32Array'],
  [tokens(Int32Array.of(1, 17), [2, 1]), 'tokens', 'tokens.data must hold integers from 0 to 16, got 17 at index 1'],
  [tokens(Int32Array.of(-1, 0), [2, 1]), 'tokens', 'tokens.data must hold integers from 0 to 16, got -1 at index 0'],
  [tokens(Int32Array.of(1), [1, 1]), 'tokens', 'tokens.shape must be (2, 1), got (1, 1)'],
  [tokens(Int32Array.of(1, 2), [2]), 'tokens', 'tokens.shape must be like (2, 10) with any number of positions, got (2,)'],
  [tokens(new Int32Array(0), [2, 0]), 'tokens', 'tokens.shape must be like (2, 10) with any number of positions, got (2, 0)'],
  [tokens(Int32Array.of(1, 2), [2, 1.5]), 'tokens', 'tokens.shape must be like (2, 10) with any number of positions, got (2, 1.5)'],
  [tokens(Int32Array.of(1, 2), 2), 'tokens', 'tokens.shape must be an array of integers, got 2'],
  [tokens(Int32Array.of(1, 2, 3), [2, 1]), 'tokens', 'tokens.data must have 2 elements, got 3'],
  [{ tokens: ids, mask: { data: new Uint8Array(4), shape: [2, 2] } }, 'mask', 'mask.shape must broadcast to (2, 4, 2, 5), got (2, 2)'],
  [{ tokens: ids, mask: { data: Uint8Array.of(1, 1, 1, 1, 7), shape: [5] } }, 'mask', 'mask.data must hold only 0 and 1, got 7 at index 4'],
  [{ tokens: ids }, 'need_weights', 'need_weights must be true or false, got 1', { need_weights: 1 }],
  [{ tokens: ids }, 'reference', 'step has no option "reference"; its options are need_weights', { reference: true }]
]) {
  test(`a step is refused, and the cache stays: ${message}`, () => {
    withModel(decoder, (model) => {
      const [name, whole] = inputOf(decoder);
      const { output } = model.forward({ [name]: whole });
      model.step({ [name]: part(whole, 0, 3) });
      assert.throws(() => model.step(inputs, options), { name: 'RangeError', field, message });
      assert.equal(model.pastLength, 3);
      assertClose(model.step({ [name]: part(whole, 3, 5) }).output.data, part(output, 3, 5).data, FLOAT32_TOLERANCE);
    });
  });
}

test('a step that needs more than the memory limit is refused with its bytes, and the cache stays', () => {
  const config = { ...grouped, batch_size: 1, hidden_size: 1, num_heads: 1, num_kv_heads: 1, position: 'none' };
  withModel(config, (model) => {
    const states = (length) => ({ hidden_states: { data: new Float32Array(length).fill(1), shape: [1, length, 1] } });
    const first = model.step(states(2));
    for (const length of [30000, 66000]) { // the squares of the latter are more than 32 bits count
      const message = `the layer must need at most ${scope.memoryLimit} bytes to run, got ${scope.runBytes({ ...config, seq_len: length, past_len: 2 })}`;
      assert.throws(() => model.step(states(length)), { name: 'RangeError', message });
    }
    assert.equal(model.pastLength, 2);
    model.clearCache();
    assert.deepEqual(model.step(states(2)), first);
  });
});

test('a getter that throws in the middle of a step leaves the cache, and its error comes out', () => {
  const mine = new TypeError('mine');
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (model) => {
    model.step({ [name]: part(whole, 0, 3) });
    for (const inputs of [{ get tokens() { throw mine; } }, { tokens: { get data() { throw mine; }, shape: [2, 1] } }, { tokens: ids, get mask() { throw mine; } }]) {
      assert.throws(() => model.step(inputs), (error) => error === mine);
      assert.equal(model.pastLength, 3);
    }
  });
});

test('each input of a step is read once, before the cache is looked at', () => {
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (model) => {
    const first = model.step({ [name]: part(whole, 0, 2) });
    let reads = 0;
    const inputs = { get tokens() { reads++; model.clearCache(); return part(whole, 0, 2); } };
    assert.deepEqual(model.step(inputs), first, 'as after the clearing');
    assert.equal(reads, 1);
    assert.equal(model.pastLength, 2);
    const tensor = { get data() { return reads++ === 1 ? part(whole, 2, 3).data : new Int32Array(99); }, shape: [2, 1] };
    const expected = part(model.forward({ [name]: whole }).output, 2, 3);
    assertClose(model.step({ tokens: tensor }).output.data, expected.data, FLOAT32_TOLERANCE);
    assert.equal(reads, 2);
  });
});

test('a getter cannot dispose the model that steps, and a disposed one says so', () => {
  const model = scope.create(decoder);
  const inputs = { get tokens() { model.dispose(); return ids; } };
  assert.throws(() => model.step(inputs), { name: 'Error', message: 'this model is in use and cannot be disposed' });
  assert.deepEqual(model.step({ tokens: ids }).output.shape, [2, 2, 17]);
  model.dispose();
  for (const use of [() => model.step({ tokens: ids }), () => model.pastLength, () => model.clearCache()]) {
    assert.throws(use, { name: 'Error', message: 'this model was disposed' });
  }
});
